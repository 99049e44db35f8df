"""Two-word labels of communities, ``<organism> <topic>``: by these a parent speaks of its children."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import chain
from typing import Final

from index.facets import SAMPLED
from index.reports.naming import NOTABLE, REPORTED, is_metagenome, title_subject
from index.reports.profiles import FactRow, Profile, by_runs

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


def _labels(profile: Profile) -> list[FactRow]:
    """Return the organism labels: frequent organisms first, then frequent metagenomes, then the
    rest.
    """
    return sorted(
        chain.from_iterable(profile.salient(facet) for facet in SAMPLED),
        key=lambda fact: (fact.share < NOTABLE, is_metagenome(fact.value)),
    )


def _organism_words(profile: Profile) -> Iterator[str]:
    """Yield the words of organisms, that of the title first."""
    titled = [fact for fact in title_subject(profile).values if fact.facet in SAMPLED]
    for fact in chain(
        titled,
        _labels(profile),
        profile.salient("statOrganism")[:2],
        profile.salient("species")[:2],
    ):
        word = organism_word(fact.value.removeprefix(REPORTED))
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
    if is_metagenome(name):
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
    names = (fact.value.removeprefix(REPORTED) for fact in facts)
    return (word for name in names if (word := _joined(name, limit=3)))


@lru_cache(maxsize=65_536)
def _joined(text: str, *, limit: int) -> str | None:
    """Return the first ``limit`` telling words of ``text`` as one hyphenated word, the first with a
    capital.
    """
    words = [word for word in _WORD.findall(text) if word.lower() not in _SMALL_WORDS][:limit]
    joined = "-".join(words)
    return joined[:1].upper() + joined[1:] if joined else None
