"""Evidence: what a text about one community may cite, count and name, drawn from its profile.

Every quantity knows which name it belongs to, so that a true number beside the wrong name does not
pass.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final, Literal, NamedTuple

from index.reports.citations import Citation
from index.reports.profiles import AssociationRow, FactRow, Profile

Measure = Literal["count", "share", "ratio", "q"]
Synonyms = Mapping[str, tuple[str, ...]]


class Quantity(NamedTuple):
    """A number that may be said; ``share`` is 0-1, ``ratio`` a lift or a fold change, ``q`` a
    q-value.
    """

    value: float
    measure: Measure


@dataclass(frozen=True)
class Evidence:
    """What may be said of one community. Names are folded (lower case) throughout."""

    profile: Profile
    citations: Mapping[Citation, int]
    """Folded citation -> runs it resolves to; 0 where that is not known here."""
    names: Mapping[str, tuple[FactRow, ...]]
    """Every name that may be used, with the facts it stands for; none where it is only a name."""
    tallies: Mapping[str, frozenset[int]] = field(default_factory=dict)
    """Name -> the numbers that may stand in brackets behind it as its runs."""
    vocabulary: frozenset[str] = field(default=frozenset(), repr=False)
    """Names known to the index; one that is not in ``names`` belongs to other communities."""

    @cached_property
    def name_pattern(self) -> re.Pattern[str]:
        """Matches any name that may be used, the longest first."""
        longest = sorted(self.names, key=lambda name: (-len(name), name))
        return re.compile(
            rf"(?<!\w)(?:{'|'.join(map(re.escape, longest)) or '(?!)'})(?!\w)", re.IGNORECASE
        )

    @cached_property
    def name_words(self) -> frozenset[str]:
        """The single words of all names."""
        return frozenset(word for name in self.names for word in re.findall(r"[^\W\d_]+", name))

    @cached_property
    def general(self) -> frozenset[Quantity]:
        """Quantities of the community as a whole, which may stand beside any name."""
        return frozenset(_general_quantities(self.profile))

    @cached_property
    def stated(self) -> frozenset[Quantity]:
        """How many runs state each facet, which may be said where no value is named."""
        return frozenset(_stated_quantities(self.profile))

    @cached_property
    def theme_parts(self) -> frozenset[tuple[int, int]]:
        """Which "a of b" bioprojects share a theme; they may stand beside any name."""
        return frozenset((theme.bioprojects, theme.described) for theme in self.profile.themes)

    @cached_property
    def stated_parts(self) -> frozenset[tuple[int, int]]:
        """Which "a of b runs" state a facet, or do not, or are a child's; they may be said where no
        value is named.
        """
        runs = self.profile.runs
        known = map(self.profile.known, self.profile.facts)
        children = ((number, runs) for _, number in self.profile.children)
        return frozenset(
            [*children, *((number, runs) for one in known for number in (one, runs - one))]
        )


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
    names: dict[str, tuple[FactRow, ...]] = {}
    for fact in _facts(profile):
        for name in _spellings(fact, synonyms or {}):
            names[name] = (*names.get(name, ()), fact)
    for name in _plain_names(profile, labels or {}):
        names.setdefault(name.lower(), ())
    tallies: dict[str, frozenset[int]] = {
        name: frozenset(fact.runs for fact in facts) for name, facts in names.items()
    }
    for child, runs in profile.children:
        label = (labels or {}).get(child, child).lower()
        tallies[label] = tallies.get(label, frozenset()) | {runs}
    return Evidence(profile, dict(_citable(profile)), names, tallies, vocabulary)


def fact_quantities(fact: FactRow, *, runs: int) -> Iterator[Quantity]:
    """Yield what may be counted of a fact; a share of all runs of the community is as good as one
    of the stated.
    """
    yield from _counts([fact.runs, fact.known, fact.known - fact.runs, runs - fact.known])
    yield from (Quantity(fact.runs / whole, "share") for whole in (fact.known, runs))
    yield from (Quantity(1 - fact.runs / whole, "share") for whole in (fact.known, runs))
    yield Quantity(fact.lift, "ratio")
    yield Quantity(fact.q_value, "q")


def fact_parts(fact: FactRow, *, runs: int) -> Iterator[tuple[int, int]]:
    """Yield which "a of b runs" may be said of a fact: of the runs that state its facet, or of all
    runs.

    How many state the facet is said only where not all do: "40 of 40 runs" would pass for the fact
    itself.
    """
    yield from ((fact.runs, whole) for whole in (fact.known, runs))
    yield from ((whole - fact.runs, whole) for whole in (fact.known, runs))
    if fact.known < runs:
        yield from ((fact.known, runs), (runs - fact.known, runs))


def association_quantities(row: AssociationRow) -> Iterator[Quantity]:
    """Yield what may be counted of an association."""
    yield from (
        Quantity(number, "count")
        for number in (row.num_true, row.num_false, row.num_true + row.num_false)
    )
    yield Quantity(row.q_value, "q")
    if row.fold_change is not None:
        yield Quantity(abs(row.fold_change), "ratio")
        yield Quantity(2 ** abs(row.fold_change), "ratio")


def folded(citation: Citation) -> Citation:
    """Return the citation with its value in lower case."""
    return Citation(citation.key, citation.value.lower())


def _facts(profile: Profile) -> Iterator[FactRow]:
    return (fact for facts in profile.facts.values() for fact in facts)


def _spellings(fact: FactRow, synonyms: Synonyms) -> Iterator[str]:
    value = fact.value.lower()
    yield value
    yield from (name.lower() for name in synonyms.get(value, ()) if len(name) >= _SHORTEST_SYNONYM)
    if fact.curie:
        yield fact.curie.lower()
    if value.endswith("viridae"):
        yield from (value.removesuffix("idae") + ending for ending in ("us", "uses", "id", "ids"))
    if value.endswith("metagenome"):
        yield f"{value}s"


_SHORTEST_SYNONYM: Final = 3


def _plain_names(profile: Profile, labels: Mapping[str, str]) -> Iterator[str]:
    relatives = [profile.community, *(name for name, _ in profile.children)]
    yield from relatives
    yield from (labels[name] for name in relatives if name in labels)
    yield from profile.example_runs
    yield from (title.rstrip(".") for title in profile.titles.values())
    yield from (theme.term for theme in profile.themes)
    for row in profile.associations:
        yield from (row.bioproject, row.family, row.attribute, row.value)
    if profile.risk_group != "unknown":
        yield profile.risk_group


def _citable(profile: Profile) -> Iterator[tuple[Citation, int]]:
    for fact in _facts(profile):
        yield folded(Citation(fact.facet, fact.value)), fact.runs
        if fact.curie:
            yield folded(Citation(fact.facet, fact.curie)), fact.runs
    yield from ((folded(Citation("runId", run)), 1) for run in profile.example_runs)
    yield from (
        (folded(Citation("community", name)), runs) for name, runs in profile.children if runs
    )
    yield folded(Citation("community", profile.community)), profile.runs


def _general_quantities(profile: Profile) -> Iterator[Quantity]:
    yield from _counts(
        [profile.runs, profile.biosamples, profile.bioprojects, len(profile.children)]
    )
    for _, runs in profile.children:
        yield Quantity(runs, "count")
        yield Quantity(runs / profile.runs, "share")
    for theme in profile.themes:
        yield from _counts([theme.bioprojects, theme.described])


def _stated_quantities(profile: Profile) -> Iterator[Quantity]:
    for facet in profile.facts:
        known = profile.known(facet)
        yield from _counts([known, profile.runs - known])
        yield from (
            Quantity(part / profile.runs, "share") for part in (known, profile.runs - known)
        )


def _counts(numbers: Iterable[int]) -> Iterator[Quantity]:
    return (Quantity(number, "count") for number in numbers)
