"""Two-word labels of communities, ``<organism> <topic>``: a parent calls its children by them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import combinations
from typing import Final

from index.facets import SAMPLED
from index.reports.fact_rows import FactRow, by_runs
from index.reports.naming.named_values import is_metagenome
from index.reports.naming.subjects import Subject, title_subject
from index.reports.naming.title_values import MAJORITY
from index.reports.naming.titles import (
    apart_from_parent,
    is_joined_to,
    largest_bioproject,
    last_marks,
    title_details,
)
from index.reports.profiles import SEVERAL_SOURCES, Profile
from index.stated import REPORTED, VIRAL

COMMON_NAMES: Final = {
    "Homo sapiens": "Human", "Mus musculus": "Mouse", "Rattus norvegicus": "Rat",
    "Bos taurus": "Cattle",
    "Sus scrofa": "Pig", "Gallus gallus": "Chicken", "Ovis aries": "Sheep", "Capra hircus": "Goat",
    "Equus caballus": "Horse", "Canis lupus familiaris": "Dog", "Felis catus": "Cat",
    "Macaca mulatta": "Macaque",
    "Danio rerio": "Zebrafish", "Salmo salar": "Salmon", "Apis mellifera": "Honeybee",
    "Bombyx mori": "Silkworm",
    "Drosophila melanogaster": "Fruitfly", "Oryza sativa": "Rice", "Zea mays": "Maize",
    "Triticum aestivum": "Wheat",
    "Hordeum vulgare": "Barley", "Glycine max": "Soybean", "Solanum lycopersicum": "Tomato",
    "Solanum tuberosum": "Potato", "Vitis vinifera": "Grapevine", "Capsicum annuum": "Pepper",
    "Saccharomyces cerevisiae": "Yeast",
}  # fmt: skip
"""Hosts that everybody calls by one English word; other hosts are called by their genus."""

APART: Final = 0.3
"""How far a value's share must be above that of the parent for a child to be named after it."""
MAIN_PART: Final = "Main-part"
"""Topic of a child that has most runs of its parent and that nothing else sets apart."""
LEAST_SECOND: Final = 0.1
"""Minimum share of the runs for an organism to distinguish communities of the same name."""
NO_TOPIC: Final = "Runs"
LONGEST_VIRUS: Final = 4
"""Number of words of a virus's name in a label."""
MOST_PAIRED: Final = 4
"""Topics that may be joined in pairs."""
_SMALL_WORDS: Final = frozenset(
    {"a", "an", "and", "by", "de", "for", "from", "in", "of", "on", "or", "sp", "the", "to", "with"}
)
_WORD: Final = re.compile(r"[^\W_]+(?:[-'][^\W_]+)*")


def propose_labels(profile: Profile) -> Iterator[str]:
    """Yield two-word labels ``<organism> <topic>``, the most telling first.

    Labels about the subject of the title come first, then those about what sets the community apart
    from its siblings.

    The organism is that of the title, so that a label joins no more than the runs do. After single
    topics come two in one word; last comes the plainest, which gets a number if it is taken.
    """
    subject = title_subject(profile)
    organism = _organism(subject, profile)

    topics = []
    for topic in dict.fromkeys(_topics(subject, profile)):
        bare = topic.removeprefix(f"{organism}-")
        if bare not in (organism, "like"):
            topics.append(f"{bare[:1].upper()}{bare[1:]}")
    yield from (f"{organism} {topic}" for topic in topics)
    several = combinations(topics[:MOST_PAIRED], 2)
    yield from (f"{organism} {first}-{second}" for first, second in several)
    plainest = topics[0] if topics else NO_TOPIC
    yield f"{organism} {plainest}"


def _organism(subject: Subject, profile: Profile) -> str:
    """Return the word for the sequenced organism of the title, its virus, or the runs' source."""
    sampled = [fact for fact in subject.values if fact.facet in SAMPLED]
    homes = profile.home[:1] if profile.shared_virus is not None else ()
    kinds = by_runs(profile.of("environment"))[:1] if profile.main_phylum else []
    viruses = [fact for fact in subject.values if fact.facet in VIRAL]
    words = [organism_word(subject.organism)] if subject.organism is not None else []
    words += [organism_word(name) for name in homes if name != SEVERAL_SOURCES]
    words += [organism_word(fact.value) for fact in (*sampled, *kinds)]
    words += [virus_word(fact.value) for fact in viruses]
    words += [_joined(fact.value, limit=3) for fact in subject.values]
    words += [profile.only_study]
    if not subject.values and profile.clade is not None:
        words.append(_joined(profile.clade.name, limit=2))

    return next((word for word in words if word), "Unspecified")


def _topics(subject: Subject, profile: Profile) -> Iterator[str]:
    """Yield what a label may say after its organism, the most telling first."""
    marks = title_details(profile, subject)
    apart = [fact for fact in marks if apart_from_parent(fact, profile) >= APART]
    viruses = [fact for fact in subject.values if fact.facet in VIRAL]
    families = profile.of("family")[:1] if profile.has_viruses("family") else ()
    joined = [fact for fact in families if is_joined_to(fact, subject, profile)]
    if subject.topic and not viruses:
        yield profile.main_phylum or subject.topic
    if profile.parent is None:
        viruses = [*joined, *viruses]
    others = [fact for fact in marks if fact.facet not in SAMPLED]
    yield from _topic_words([*(apart if profile.parent else ()), *viruses, *joined, *others])
    if subject.topic:
        yield subject.topic
    if profile.runs > MAJORITY * profile.parent_runs > 0:
        yield MAIN_PART
    if profile.only_study is not None:
        yield profile.only_study
    largest = largest_bioproject(profile)
    if largest is not None:
        yield largest

    yield from (mark.topic for mark in last_marks(profile, subject))
    yield from _topic_words(_second_organisms(profile, subject))


def _second_organisms(profile: Profile, subject: Subject) -> list[FactRow]:
    """Return the most frequent organism that the title does not name, if many runs are of it."""
    facts = by_runs(fact for facet in SAMPLED for fact in profile.of(facet))
    others = [fact for fact in facts if fact not in subject.values]
    return [fact for fact in others[:1] if fact.runs >= LEAST_SECOND * profile.runs]


def _topic_words(facts: Iterable[FactRow]) -> Iterator[str]:
    for fact in facts:
        name = fact.value.removeprefix(REPORTED)
        if fact.facet in SAMPLED:
            word = organism_word(name)
        elif fact.facet == "species":
            word = virus_word(name)
        else:
            word = _joined(name, limit=3)
        if word:
            yield word


@lru_cache(maxsize=65_536)
def virus_word(name: str) -> str | None:
    """Return the single word for a virus in a label.

    >>> [virus_word(name) for name in ("Zika virus", "Rotavirus A", "reported as Rio Bravo virus")]
    ['Zika', 'Rotavirus-A', 'Rio-Bravo']
    """
    bare = name.removeprefix(REPORTED)
    stem = bare.removesuffix(" virus")
    return _joined(stem, limit=LONGEST_VIRUS)


@lru_cache(maxsize=65_536)
def organism_word(name: str) -> str | None:
    """Return the single word for an organism; None if its name says nothing.

    >>> names = ("Homo sapiens", "Bombus terrestris", "soil metagenome", "metagenome")
    >>> [organism_word(name) for name in names]
    ['Human', 'Bombus', 'Soil', None]
    >>> organism_word("West Nile virus"), organism_word("Oryza sativa Japonica Group")
    ('West-Nile', 'Rice')
    """
    for latin, common in COMMON_NAMES.items():
        if name == latin or name.startswith(f"{latin} "):
            return common
    if is_metagenome(name):
        return _joined(name.replace("metagenome", ""), limit=2)
    if re.search(r"virus|phage", name):
        before = re.split(r"\s*\w*(?:virus|phage)", name)[0]
        return _joined(before, limit=LONGEST_VIRUS) or _joined(name, limit=1)

    return _joined(re.sub(r"^(uncultured|unclassified)\s+", "", name), limit=1)


@lru_cache(maxsize=65_536)
def _is_small(word: str) -> bool:
    """Return whether ``word`` says nothing by itself; the A of "Rotavirus A" is part of a name."""
    is_letter_of_a_name = len(word) == 1 and word.isupper()
    return word.lower() in _SMALL_WORDS and not is_letter_of_a_name


def _joined(text: str, *, limit: int) -> str | None:
    """Return the first ``limit`` telling words of ``text`` as one hyphenated word, the first with a
    capital.
    """
    words = [word for word in _WORD.findall(text) if not _is_small(word)]
    joined = "-".join(words[:limit])
    return joined[:1].upper() + joined[1:] if joined else None
