"""Evidence: what a text about one community may cite, count and name, drawn from its profile.

Every quantity knows which name it belongs to, so that a true number beside the wrong name does not
pass.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from index.checking.quantities import Quantity, general_quantities, stated_quantities
from index.reports.citations import CitedValue
from index.reports.profiles import FactRow, Profile

Synonyms = Mapping[str, tuple[str, ...]]

_LETTERS: Final = re.compile(r"[^\W\d_]+")
_NEVER: Final = "(?!)"
"""A pattern that matches nothing."""
_SHORTEST_SYNONYM: Final = 3
_MEMBER_OF_FAMILY: Final = ("us", "uses", "id", "ids")
"""Endings of what belongs to a family of viruses, in the place of -idae."""


@dataclass(frozen=True)
class Evidence:
    """What may be said of one community. Names are folded (lower case) throughout."""

    profile: Profile
    citations: Mapping[CitedValue, int]
    """Folded citation -> runs it resolves to; 0 where that is not known here."""
    names: Mapping[str, tuple[FactRow, ...]]
    """Every name that may be used, with the facts of that value; none where it is only a name."""
    tallies: Mapping[str, frozenset[int]] = field(default_factory=dict)
    """Name -> the numbers that may follow it in brackets as its runs."""
    vocabulary: frozenset[str] = field(default=frozenset(), repr=False)
    """Names known to the index; those not in ``names`` belong to other communities."""

    @cached_property
    def name_pattern(self) -> re.Pattern[str]:
        """Matches any name that may be used, the longest first."""
        longest_first = sorted(self.names, key=_longest_first)
        alternatives = "|".join(re.escape(name) for name in longest_first)
        any_name = alternatives or _NEVER
        return re.compile(
            rf"(?<!\w)(?:{any_name})(?!\w)",
            re.IGNORECASE,
        )

    @cached_property
    def name_words(self) -> frozenset[str]:
        """The single words of all names."""
        words: set[str] = set()
        for name in self.names:
            words.update(_LETTERS.findall(name))
        return frozenset(words)

    @cached_property
    def general(self) -> frozenset[Quantity]:
        """Quantities of the community as a whole, which may be said beside any name."""
        quantities = general_quantities(self.profile)
        return frozenset(quantities)

    @cached_property
    def stated(self) -> frozenset[Quantity]:
        """How many runs state each facet, which may be said where no value is named."""
        quantities = stated_quantities(self.profile)
        return frozenset(quantities)

    @cached_property
    def theme_parts(self) -> frozenset[tuple[int, int]]:
        """Which "a of b" bioprojects share a theme; they may be said beside any name."""
        themes = self.profile.themes
        parts = [(theme.bioprojects, theme.described) for theme in themes]
        return frozenset(parts)

    @cached_property
    def stated_parts(self) -> frozenset[tuple[int, int]]:
        """Which "a of b runs" were searched, state a facet or do not, or are of a child community.

        They may be said where no value is named.
        """
        runs = self.profile.runs
        sizes = [of_child for _, of_child in self.profile.children]
        parts = [(of_child, runs) for of_child in sizes]
        searched = self.profile.searched
        parts += [(searched.searched, runs), (searched.positive, searched.searched)]
        parts.append((searched.unnamed_runs, searched.positive))

        for first in range(1, len(sizes)):
            smaller = sum(sizes[first:])
            parts.append((smaller, runs))
        for facet in self.profile.facts:
            known = self.profile.known(facet)
            parts.append((known, runs))
            parts.append((runs - known, runs))
        return frozenset(parts)


def gather_evidence(
    profile: Profile,
    *,
    synonyms: Synonyms | None = None,
    labels: Mapping[str, str] | None = None,
    vocabulary: frozenset[str] = frozenset(),
) -> Evidence:
    """Return the evidence of ``profile``.

    ``synonyms`` gives other names of a value (folded value -> names), ``labels`` the two-word
    labels of communities.
    """
    label_of = labels or {}
    names = _facts_by_name(profile, synonyms or {})
    for name in _plain_names(profile, label_of):
        names.setdefault(name.lower(), ())
    return Evidence(
        profile=profile,
        citations=dict(_citable(profile)),
        names=names,
        tallies=_tallies(profile, names, label_of),
        vocabulary=vocabulary,
    )


def _facts_by_name(profile: Profile, synonyms: Synonyms) -> dict[str, tuple[FactRow, ...]]:
    """Return the facts of each spelling of each value."""
    names: dict[str, tuple[FactRow, ...]] = {}
    for fact in _facts(profile):
        for name in _spellings(fact, synonyms):
            earlier = names.get(name, ())
            names[name] = (*earlier, fact)
    return names


def _tallies(
    profile: Profile,
    names: Mapping[str, tuple[FactRow, ...]],
    label_of: Mapping[str, str],
) -> dict[str, frozenset[int]]:
    """Return the numbers of runs that may follow each name and each child's label."""
    tallies: dict[str, frozenset[int]] = {}
    for name, facts in names.items():
        tallies[name] = frozenset(fact.runs for fact in facts)

    for child, runs in profile.children:
        label = label_of.get(child, child).lower()
        earlier = tallies.get(label, frozenset())
        tallies[label] = earlier | {runs}
    for pair in profile.pairings:
        host = pair.host.lower()
        tallies[host] = tallies.get(host, frozenset()) | {pair.runs}
    return tallies


def _longest_first(name: str) -> tuple[int, str]:
    """Return the key that sorts names by length, then by name."""
    return -len(name), name


def folded(citation: CitedValue) -> CitedValue:
    """Return the citation with its value in lower case."""
    value = citation.value.lower()
    return CitedValue(citation.key, value)


def _facts(profile: Profile) -> Iterator[FactRow]:
    for facts in profile.facts.values():
        yield from facts


def _spellings(fact: FactRow, synonyms: Synonyms) -> Iterator[str]:
    value = fact.value.lower()
    yield value
    for synonym in synonyms.get(value, ()):
        if len(synonym) >= _SHORTEST_SYNONYM:
            yield synonym.lower()
    if fact.curie:
        yield fact.curie.lower()
    if value.endswith("viridae"):
        stem = value.removesuffix("idae")
        for ending in _MEMBER_OF_FAMILY:
            yield stem + ending
    if value.endswith("metagenome"):
        yield f"{value}s"


def _plain_names(profile: Profile, labels: Mapping[str, str]) -> Iterator[str]:
    """Yield names that have no facts: communities, runs, titles, themes and associations."""
    children = [name for name, _ in profile.children]
    relatives = [profile.community, *children]
    yield from relatives
    for name in relatives:
        if name in labels:
            yield labels[name]
    yield from profile.example_runs
    if profile.only_study:
        yield profile.only_study
    for title in profile.titles.values():
        yield title.rstrip(".")
    for quote in profile.quotes:
        yield quote.study
        yield quote.text
    for theme in profile.themes:
        yield theme.term
    for row in profile.associations:
        yield row.bioproject
        yield row.family
        yield row.attribute
        yield row.value
    if profile.risk_group != "unknown":
        yield profile.risk_group


def _citable(profile: Profile) -> Iterator[tuple[CitedValue, int]]:
    """Yield what may be cited, folded, with the runs it resolves to."""
    for row in profile.associations:
        yield _folded("bioproject", row.bioproject), 0
        yield _folded("family", row.family), 0
    for fact in _facts(profile):
        yield _folded(fact.facet, fact.value), fact.runs
        if fact.curie:
            yield _folded(fact.facet, fact.curie), fact.runs

    for run in profile.example_runs:
        yield _folded("runId", run), 1
    for name, runs in profile.children:
        if runs:
            yield _folded("community", name), runs
    for quote in profile.quotes:
        yield _folded(quote.key, quote.study), quote.runs
    if profile.only_study:
        yield _folded(profile.study_key, profile.only_study), profile.runs
    yield _folded("community", profile.community), profile.runs


def _folded(key: str, value: str) -> CitedValue:
    return folded(CitedValue(key, value))
