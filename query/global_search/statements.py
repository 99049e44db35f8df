"""Statements about a community for a question: each one sentence of counts over its matching runs,
with its citations.

They are all that a point may say: composed, they are the extractive answer; numbered, they are what
a model words.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from index.facets import REGISTRY
from index.reports.phrases import SIGNIFICANT_Q, against_index, counted
from query.global_search.matched_runs import MatchedRuns
from query.global_search.triage import Candidate
from query.reading.measured.selects import TITLES

FACET_TITLES: Final = {
    **{facet.name: facet.title for facet in REGISTRY},
    **TITLES,
    "host species": "Host species",
    "host genus": "Host genera",
    "host family": "Host families",
    "host order": "Host orders",
    "host class": "Host classes",
    "host phylum": "Host phyla",
    "company": "Other virus families in the same runs",
    "study": "Studies of runs that state no project",
}
COMPARED: Final = ("family", "species")
"""Facets whose over-representation is worth a word: viruses are what the index is about."""
_CITED_PER_FACET: Final = 2
_LEAST_LIFT: Final = 2.0


@dataclass(frozen=True, slots=True)
class Statement:
    """One sentence; ``kind`` is ``runs``, a facet, or ``enrichment``; ``cited`` are the keys and
    values it rests on.
    """

    kind: str
    text: str
    cited: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class LocalValue:
    """A value among the matching runs of a community; ``lift`` and ``q_value`` compare the
    community with the index.
    """

    facet: str
    value: str
    runs: int
    lift: float | None
    q_value: float | None

    @property
    def enrichment(self) -> tuple[float, float]:
        """Lift and q-value; no lift and no certainty where the community has no such fact."""
        lift = self.lift or 0.0
        if self.q_value is None:
            return lift, 1.0
        return lift, self.q_value


def gather_statements(
    matched: MatchedRuns,
    candidates: Sequence[Candidate],
    facets: Sequence[str],
    *,
    max_values: int,
) -> dict[str, tuple[Statement, ...]]:
    """Return the statements of every candidate that holds matching runs, ``facets`` in their
    order.
    """
    communities = [one.community for one in candidates]
    values = _local_values(matched, communities, facets, limit=max_values)
    statements = {}
    for one in candidates:
        if not one.matching:
            continue
        own = values.get(one.community, {})
        statements[one.community] = _statements(one, own, facets)
    return statements


def _statements(
    candidate: Candidate, values: Mapping[str, Sequence[LocalValue]], facets: Sequence[str]
) -> tuple[Statement, ...]:
    community = ("community", candidate.community)
    matching = _runs_that_match(candidate)
    statements = [Statement("runs", matching, (community,))]
    compared: list[LocalValue] = []
    for facet in facets:
        if facet not in values:
            continue
        statements.append(_facet_statement(facet, values[facet]))
        if facet in COMPARED:
            compared += values[facet]
    strongest = _strongest(compared)
    if strongest is not None:
        over = against_index(*strongest.enrichment)
        text = f"{strongest.value} has {over}."
        cited = (strongest.facet, strongest.value)
        statements.append(Statement("enrichment", text, (cited,)))
    return tuple(statements)


def _runs_that_match(candidate: Candidate) -> str:
    if candidate.matching == candidate.runs:
        return (
            "Its only run matches."
            if candidate.runs == 1
            else f"All {candidate.runs:,} runs match."
        )
    verb = "matches" if candidate.matching == 1 else "match"
    return f"{candidate.matching:,} of {counted(candidate.runs, 'run')} {verb}."


def _facet_statement(facet: str, values: Sequence[LocalValue]) -> Statement:
    counts = [f"{one.value} ({counted(one.runs, 'run')})" for one in values]
    shown = ", ".join(counts)
    title = FACET_TITLES[facet]
    most = values[:_CITED_PER_FACET]
    cited = tuple((facet, one.value) for one in most)
    return Statement(facet, f"{title}: {shown}.", cited)


def _strongest(values: Sequence[LocalValue]) -> LocalValue | None:
    """Return the value most over-represented in the community, among those beyond chance."""
    telling = []
    for one in values:
        lift, q_value = one.enrichment
        if q_value <= SIGNIFICANT_Q and lift >= _LEAST_LIFT:
            expected_more = one.runs * lift
            telling.append((expected_more, one.value, one))
    if not telling:
        return None
    *_, strongest = max(telling, key=lambda ranked: ranked[:2])
    return strongest


def _local_values(
    matched: MatchedRuns, communities: Sequence[str], facets: Sequence[str], *, limit: int
) -> dict[str, dict[str, list[LocalValue]]]:
    matched.values.read(facets)
    matched.join_communities()
    parameters = {"communities": list(communities), "facets": list(facets), "limit": limit}
    local: dict[str, dict[str, list[LocalValue]]] = {}
    for community, *row in matched.rows(_LOCAL_VALUES, parameters):
        value = LocalValue(*row)
        by_facet = local.setdefault(community, {})
        listed = by_facet.setdefault(value.facet, [])
        listed.append(value)
    return local


_LOCAL_VALUES: Final = """
WITH counted AS (
    SELECT community, facet, value, count(*) AS runs FROM member JOIN matched_value USING (run)
    WHERE community IN (SELECT unnest($communities::VARCHAR[]))
      AND facet IN (SELECT unnest($facets::VARCHAR[])) GROUP BY community, facet, value
),
best AS (
    FROM counted QUALIFY row_number() OVER (PARTITION BY community, facet ORDER BY runs DESC,
        value) <= $limit
)
SELECT b.community, b.facet, b.value, b.runs, f.lift, f.q_value
FROM best b LEFT JOIN fact f USING (community, facet, value)
ORDER BY b.community, b.facet, b.runs DESC, b.value
"""
