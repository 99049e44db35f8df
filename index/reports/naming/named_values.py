"""Values in a title: how each is written, and which values a title names."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from index.facets import SAMPLED
from index.reports.fact_rows import FactRow, Value
from index.reports.profiles import Profile
from index.stated import LIKE, REPORTED

AS_REPORTED: Final = " (as reported)"
"""Follows its name in a title."""
SPECIES_IDENTITY: Final = 90
"""Percent of identity to the reference that supports a species."""
CELLS: Final = "cultured cells from "
"""Precedes the origin of cells if it is not the tissue or disease of an infection."""
_WORD_END: Final = re.compile(r"\w$")
_WORD_START: Final = re.compile(r"[\w-]")


def _named(title: str, facets: Iterable[str], profile: Profile) -> list[FactRow]:
    """Return the facts whose values ``title`` names, except words inside a longer named value."""
    facts = [fact for facet in facets for fact in profile.of(facet)]
    named = [fact for fact in facts if names_value(title, fact)]
    longer = [fact.value.lower() for fact in named]

    return [
        fact
        for fact in named
        if not any(fact.value.lower() in value and fact.value.lower() != value for value in longer)
    ]


def names_value(text: str, fact: FactRow) -> bool:
    """Return whether ``text`` names the value of ``fact``, whole and not inside a longer word."""
    value = fact.value.removeprefix(REPORTED).lower()
    before, found, behind = text.lower().partition(value)
    if not found or _WORD_END.search(before):
        return False
    if is_metagenome(value):
        behind = behind.removeprefix("s")
    if _WORD_START.match(behind):
        return False
    return fact.facet != "species" or behind.startswith(AS_REPORTED) == fact.is_reported


def titled_facts(profile: Profile, title: str) -> list[FactRow]:
    """Return the facts whose values a title names."""
    return _named(title, profile.facts, profile)


def bare_name(fact: FactRow) -> Value:
    """Return the facet and the name of a virus, also if only its source gives that name."""
    return fact.facet, fact.value.removeprefix(REPORTED)


def key(fact: FactRow) -> Value:
    """Return the facet and value of a fact."""
    return fact.facet, fact.value


def is_like_genus(fact: FactRow) -> bool:
    """Return whether a virus is only known to be like those of a genus (Parechovirus-like)."""
    stem = fact.value.removesuffix(LIKE)
    return fact.facet == "species" and stem != fact.value and not stem.endswith("viridae")


def title_name(fact: FactRow) -> str:
    """Return how a title writes the value of ``fact``."""
    if fact.facet in SAMPLED:
        return plural(fact)
    if fact.facet == "statOrganism":
        return f"k-mers of {fact.value}"
    if is_like_genus(fact):
        return f"{fact.value} viruses"
    if fact.is_of_cells:
        return f"{CELLS}{fact.value}"
    name = fact.value.removeprefix(REPORTED)
    return f"{name}{AS_REPORTED}" if fact.is_reported else name


def plural(fact: FactRow) -> str:
    """Return what was sequenced, as a title writes it: metagenomes and libraries in the plural."""
    if is_metagenome(fact.value):
        return f"{fact.value}s"
    return f"{fact.value} libraries" if fact.facet == "virus" else fact.value


def is_metagenome(name: str) -> bool:
    """Return whether an organism is a metagenome."""
    return name.lower().endswith(("metagenome", "microbiome"))
