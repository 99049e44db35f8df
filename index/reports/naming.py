"""Titles and two-word labels of communities: specific, naming their entities, and distinct across
the index.

Each community proposes names from its facts, the plainest first. Names are given out from the
coarsest level down and from the largest community to the smallest; one that is taken makes the next
proposal win, which adds the next distinguishing fact. The identifier of the community is the last
resort, so the search always ends.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from itertools import chain
from typing import Final

from index.facets import SAMPLED
from index.reports.phrases import listed, sentence
from index.reports.profiles import FactRow, Profile, by_runs

MAJORITY: Final = 0.5
NOTABLE: Final = 0.15

COMMON_NAMES: Final = {
    "Homo sapiens": "Human", "Mus musculus": "Mouse", "Rattus norvegicus": "Rat", "Bos taurus": "Cattle",
    "Sus scrofa": "Pig", "Gallus gallus": "Chicken", "Ovis aries": "Sheep", "Capra hircus": "Goat",
    "Equus caballus": "Horse", "Canis lupus familiaris": "Dog", "Felis catus": "Cat", "Macaca mulatta": "Macaque",
    "Danio rerio": "Zebrafish", "Salmo salar": "Salmon", "Apis mellifera": "Honeybee", "Bombyx mori": "Silkworm",
    "Drosophila melanogaster": "Fruitfly", "Oryza sativa": "Rice", "Zea mays": "Maize", "Triticum aestivum": "Wheat",
    "Hordeum vulgare": "Barley", "Glycine max": "Soybean", "Solanum lycopersicum": "Tomato",
    "Solanum tuberosum": "Potato", "Vitis vinifera": "Grapevine", "Capsicum annuum": "Pepper",
    "Saccharomyces cerevisiae": "Yeast",
}  # fmt: skip
"""Hosts that everybody calls by one English word; the others are called by their genus."""

_SMALL_WORDS: Final = frozenset(
    {"a", "an", "and", "by", "de", "for", "from", "in", "of", "on", "or", "sp", "the", "to", "with"}
)
_WORD: Final = re.compile(r"[^\W_]+(?:[-'][^\W_]+)*")


def distinct_names(
    profiles: Iterable[Profile], propose: Callable[[Profile], Iterator[str]]
) -> dict[str, str]:
    """Return one name per community, no two alike (case apart): the first proposal that is still
    free.

    Raises ``StopIteration`` never: proposals end with the identifier, which is unique.
    """
    taken: set[str] = set()
    names: dict[str, str] = {}
    for profile in profiles:
        name = next(name for name in propose(profile) if name.lower() not in taken)
        taken.add(name.lower())
        names[profile.community] = name
    return names


def propose_titles(profile: Profile) -> Iterator[str]:
    """Yield titles, the plainest first: the viruses, what they were sequenced from, then one detail
    after another.

    The first proposal already holds up to two details that are true of most runs. A detail that the
    title says already adds nothing and is passed over.
    """
    subject = _subject(profile)
    usual = _add(
        subject, [value for value, share in _usual_details(profile) if share >= MAJORITY][:2]
    )
    yield usual
    others = [
        detail for detail in dict.fromkeys(_details(profile)) if detail.lower() not in usual.lower()
    ]
    yield from (f"{usual}, {detail}" for detail in others)
    yield from (_add(usual, others[:length]) for length in range(2, len(others) + 1))
    yield f"{usual} ({profile.community})"


def _add(title: str, details: Iterable[str]) -> str:
    """Return ``title`` with the details it does not hold yet."""
    for detail in details:
        if detail.lower() not in title.lower():
            title = f"{title}, {detail}"
    return title


def propose_labels(profile: Profile) -> Iterator[str]:
    """Yield two-word labels ``<organism> <topic>``, the most telling topic first, then the next
    organism.
    """
    organisms = list(dict.fromkeys(_organism_words(profile))) or ["Unspecified"]
    topics = list(dict.fromkeys(_topic_words(profile)))
    for organism in organisms:
        yield from (
            f"{organism} {topic}"
            for topic in topics
            if not topic.lower().startswith(organism.lower())
        )
    yield f"{organisms[0]} {profile.community}"


def virus_phrase(profile: Profile) -> str | None:
    """Return the viruses that mark the community, at most two by name; None where few runs name
    one.
    """
    for facet in ("species", "family"):
        facts = profile.salient(facet)
        if facts and profile.has_viruses(facet):
            return _names(
                [fact for fact in facts if fact.share >= NOTABLE] or list(facts[:1]),
                "other viruses",
            )
    return None


def host_phrase(profile: Profile) -> str | None:
    """Return what was sequenced, at most two organisms by name; metagenomes only where no organism
    is frequent.
    """
    labels = _labels(profile)
    frequent = [fact for fact in labels if fact.share >= NOTABLE] or labels[:1]
    named = [fact for fact in frequent if not _is_metagenome(fact.value)] or frequent
    return _names(named, "other organisms") if named else None


def _labels(profile: Profile) -> list[FactRow]:
    """Return the organism labels: frequent organisms first, then frequent metagenomes, then the
    rest.
    """
    return sorted(
        chain.from_iterable(profile.salient(facet) for facet in SAMPLED),
        key=lambda fact: (fact.share < NOTABLE, _is_metagenome(fact.value)),
    )


def _subject(profile: Profile) -> str:
    virus, host = virus_phrase(profile), host_phrase(profile)
    if virus and host:
        return f"{virus} libraries" if virus == host else f"{virus} in {_plural(host)}"
    if host:
        few = any(profile.of(facet) for facet in ("species", "family"))
        return f"{sentence(_plural(host))} {'with few named viruses' if few else 'without a named virus'}"
    return (
        virus
        or f"Runs of {listed([fact.value for fact in profile.of('bioproject')[:2]]) or 'no stated bioproject'}"
    )


def _names(facts: list[FactRow], others: str) -> str:
    if len(facts) == 1 or (facts[0].share >= MAJORITY and facts[1].share < MAJORITY):
        return facts[0].value
    names = [facts[0].value, facts[1].value]
    return listed(names) if len(facts) == 2 else listed([*names, others])


def _usual_details(profile: Profile) -> Iterator[tuple[str, float]]:
    """Yield details with the share of all runs of the community, not only of those that state the
    facet.
    """
    for facet in ("tissue", "disease", "geography", "biome"):
        for fact in profile.salient(facet)[:1]:
            yield fact.value, fact.runs / profile.runs


def _details(profile: Profile) -> Iterator[str]:
    """Yield what may tell a community from its like, the most readable first; of facets, what most
    runs have.
    """
    facets = (
        "tissue",
        "disease",
        "geography",
        "biome",
        "species",
        "host",
        "environment",
        "statOrganism",
        "family",
    )
    frequent = [
        fact
        for facet in facets
        for fact in profile.salient(facet)[:2]
        if fact.runs >= NOTABLE * profile.runs
    ]
    yield from (fact.value for fact in frequent)
    yield from (f"“{theme.term}”" for theme in profile.themes[:2])
    yield from (fact.value for fact in profile.salient("bioproject")[:2])
    yield from (fact.value for facet in facets for fact in profile.salient(facet)[:3])


def _organism_words(profile: Profile) -> Iterator[str]:
    for fact in chain(
        _labels(profile), profile.salient("statOrganism")[:2], profile.salient("species")[:2]
    ):
        word = organism_word(fact.value)
        if word:
            yield word
    yield from (fact.value for fact in profile.salient("family")[:1])


@lru_cache(maxsize=65_536)
def organism_word(name: str) -> str | None:
    """Return the one word an organism is called by; None where the name says nothing.

    >>> [organism_word(name) for name in ("Homo sapiens", "Bombus terrestris", "soil metagenome", "metagenome")]
    ['Human', 'Bombus', 'Soil', None]
    >>> organism_word("West Nile virus"), organism_word("Oryza sativa Japonica Group")
    ('West-Nile', 'Rice')
    """
    for latin, common in COMMON_NAMES.items():
        if name == latin or name.startswith(f"{latin} "):
            return common
    if _is_metagenome(name):
        return _joined(name.replace("metagenome", ""), limit=2)
    if re.search(r"virus|phage", name):
        return _joined(re.split(r"\s*\w*(?:virus|phage)", name)[0], limit=2) or _joined(
            name, limit=1
        )
    return _joined(re.sub(r"^(uncultured|unclassified)\s+", "", name), limit=1)


def _topic_words(profile: Profile) -> Iterator[str]:
    """Yield topics: what a good part of the runs has, then themes, then what fewer and fewer runs
    have.
    """
    ordered = ("family", "species", "tissue", "disease", "geography", "biome")
    facts = [fact for facet in ordered for fact in profile.salient(facet)[:1]]
    yield from _joined_values(fact for fact in facts if fact.runs >= NOTABLE * profile.runs)
    yield from (word for theme in profile.themes[:2] if (word := _joined(theme.term, limit=2)))
    yield from _joined_values(
        by_runs(fact for facet in ordered for fact in profile.salient(facet)[:3])
    )
    yield from (fact.value for fact in profile.salient("bioproject")[:2])


def _joined_values(facts: Iterable[FactRow]) -> Iterator[str]:
    return (word for fact in facts if (word := _joined(fact.value, limit=3)))


@lru_cache(maxsize=65_536)
def _joined(text: str, *, limit: int) -> str | None:
    """Return the first ``limit`` telling words of ``text`` as one hyphenated word, the first with a
    capital.
    """
    words = [word for word in _WORD.findall(text) if word.lower() not in _SMALL_WORDS][:limit]
    joined = "-".join(words)
    return joined[:1].upper() + joined[1:] if joined else None


def _plural(host: str) -> str:
    if _is_metagenome(host):
        return f"{host}s"
    return f"{host} libraries" if re.search(r"virus\b|phage\b", host) else host


def _is_metagenome(name: str) -> bool:
    return name.lower().endswith(("metagenome", "microbiome"))
