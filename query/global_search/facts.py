"""Count the matching runs of each community in SQL, with their studies and values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from query.global_search.cautions import cautions_of
from query.global_search.matched import MatchedRuns
from query.global_search.triage import Candidate

VALUES: Final = 3
"""Values of each field that are read, those of most runs first."""
_STUDIES: Final = 3
CONTRASTED: Final = ("host", "tissue", "disease", "environment", "country", "stated")
"""Fields that may set a community apart from the other matching runs."""


@dataclass(frozen=True, slots=True)
class StudyRuns:
    """A BioProject, or an SRA study of runs without one, with its matching runs here."""

    accession: str
    key: str
    """``bioproject`` or ``study``: the key that cites it."""
    runs: int
    title: str | None
    abstract: str | None


@dataclass(frozen=True, slots=True)
class ValueRuns:
    """A value with its matching runs and the runs that state the field, here and elsewhere."""

    field: str
    value: str
    runs: int
    known: int
    elsewhere: int
    """Matching runs outside the community that have the value."""
    known_elsewhere: int

    @property
    def share(self) -> float:
        """Share of the runs here that state the field, 0-1."""
        return self.runs / self.known

    @property
    def share_elsewhere(self) -> float:
        """The same of the other matching runs; 0 where none states the field."""
        return self.elsewhere / self.known_elsewhere if self.known_elsewhere else 0.0


@dataclass(frozen=True, slots=True)
class RunCounts:
    """Matching runs here: those searched, with a hit, at 90 % identity, of each side, of studies.

    ``identified``  runs whose hits have an identity to a reference
    ``stated``      runs whose study is known, of ``studies`` studies
    """

    runs: int
    searched: int
    found: int
    at_90: int
    identified: int
    studies: int
    stated: int
    sides: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class CommunityFacts:
    """A community with what is known of its matching runs."""

    candidate: Candidate
    report: str
    counts: RunCounts
    studies: tuple[StudyRuns, ...]
    values: Mapping[str, tuple[ValueRuns, ...]]
    cautions: tuple[str, ...]
    of_sides: tuple[Mapping[str, tuple[ValueRuns, ...]], ...] = ()
    """The values in the runs of each side of a comparison."""

    @property
    def community(self) -> str:
        """Its identifier."""
        return self.candidate.community


def gather_facts(
    matched: MatchedRuns, candidates: Sequence[Candidate], fields: Sequence[str]
) -> tuple[CommunityFacts, ...]:
    """Return the facts of ``candidates``, with values of ``fields`` and of those contrasted."""
    read = [candidate.community for candidate in candidates]
    matched.read(read, tuple(dict.fromkeys((*fields, *CONTRASTED))))
    counts = _counts(matched)
    studies = _studies(matched)
    values = _values(matched, "true")
    of_sides = [_values(matched, f"sides[{side}]") for side in _sides(matched)]
    reports = {str(name): str(text) for name, text in matched.rows(_REPORTS)}
    cautions = cautions_of(matched)
    return tuple(
        CommunityFacts(
            candidate=candidate,
            report=reports.get(candidate.community, ""),
            counts=counts[candidate.community],
            studies=studies.get(candidate.community, ()),
            values=values.get(candidate.community, {}),
            cautions=cautions.get(candidate.community, ()),
            of_sides=tuple(own.get(candidate.community, {}) for own in of_sides),
        )
        for candidate in candidates
    )


def _sides(matched: MatchedRuns) -> range:
    """Return the places of the sides of a comparison, from 1."""
    return range(1, len(matched.about.sides) + 1)


def _counts(matched: MatchedRuns) -> dict[str, RunCounts]:
    sides = ", ".join(f"count(*) FILTER (sides[{place}])" for place in _sides(matched))
    counts = {}
    for community, *row, of_sides in matched.rows(_COUNTS.format(sides=f"[{sides}]")):
        counts[str(community)] = replace(RunCounts(*row), sides=tuple(of_sides))
    return counts


def _studies(matched: MatchedRuns) -> dict[str, tuple[StudyRuns, ...]]:
    found: dict[str, tuple[StudyRuns, ...]] = {}
    for community, *row in matched.rows(_LARGEST):
        found[community] = (*found.get(community, ()), StudyRuns(*row))
    return found


def _values(matched: MatchedRuns, among: str) -> dict[str, dict[str, tuple[ValueRuns, ...]]]:
    """Return the values of each community by field, in the matching runs with ``among`` in SQL."""
    found: dict[str, dict[str, tuple[ValueRuns, ...]]] = {}
    for community, field, *row in matched.rows(_VALUES.format(among=among), [VALUES]):
        own = found.setdefault(community, {})
        own[field] = (*own.get(field, ()), ValueRuns(field, *row))
    return found


_REPORTS: Final = """
SELECT community, summary FROM report WHERE community IN (SELECT community FROM here)
"""
_OF_READ: Final = """
SELECT h.community, coalesce(r.bioproject, r.study) AS study,
       r.bioproject IS NOT NULL AS is_project, x.*
FROM here h JOIN matched x USING (run) JOIN run r USING (run)
"""
_COUNTS: Final = f"""
SELECT community, count(*), count(*) FILTER (searched), count(*) FILTER (found),
       count(*) FILTER (at_90), count(i.run), count(DISTINCT study), count(study), {{sides}}
FROM ({_OF_READ}) LEFT JOIN (
    SELECT DISTINCT run FROM matched_hit WHERE identity IS NOT NULL
) i USING (run)
GROUP BY community
"""
_LARGEST: Final = f"""
WITH counted AS (
    SELECT community, study, is_project, count(*) AS runs FROM ({_OF_READ})
    WHERE study IS NOT NULL GROUP BY community, study, is_project
    QUALIFY row_number() OVER (PARTITION BY community ORDER BY runs DESC, study) <= {_STUDIES}
)
SELECT c.community, c.study, if(c.is_project, 'bioproject', 'study'), c.runs,
       coalesce(b.title, s.title), coalesce(b.description, s.abstract)
FROM counted c LEFT JOIN bioproject b ON b.bioproject = c.study
LEFT JOIN study s ON s.study = c.study
ORDER BY c.community, c.runs DESC, c.study
"""
_VALUES: Final = """
WITH stated AS (
    SELECT v.* FROM matched_value v JOIN matched USING (run) WHERE {among}
),
whole AS (SELECT field, value, count(DISTINCT run) AS runs FROM stated GROUP BY field, value),
stating AS (SELECT field, count(DISTINCT run) AS known FROM stated GROUP BY field),
held AS (SELECT h.community, v.* FROM here h JOIN stated v USING (run)),
known AS (
    SELECT community, field, count(DISTINCT run) AS known FROM held GROUP BY community, field
),
counted AS (
    SELECT community, field, value, count(DISTINCT run) AS runs FROM held
    GROUP BY community, field, value
    QUALIFY row_number() OVER (PARTITION BY community, field ORDER BY runs DESC, value) <= $1
)
SELECT c.community, c.field, c.value, c.runs, k.known, w.runs - c.runs, s.known - k.known
FROM counted c JOIN known k USING (community, field) JOIN whole w USING (field, value)
JOIN stating s USING (field)
ORDER BY c.community, c.field, c.runs DESC, c.value
"""
