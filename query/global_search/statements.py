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
from query.global_search.matching import MatchedRuns
from query.global_search.triage import Candidate

FACET_TITLES: Final = {
    **{facet.name: facet.title for facet in REGISTRY},
    "company": "Other virus families in the same runs",
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
        return self.lift or 0.0, 1.0 if self.q_value is None else self.q_value


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
    values = _local_values(matched, [one.community for one in candidates], facets, limit=max_values)
    return {
        one.community: _statements(one, values.get(one.community, {}), facets)
        for one in candidates
        if one.matching
    }


def _statements(
    candidate: Candidate, values: Mapping[str, Sequence[LocalValue]], facets: Sequence[str]
) -> tuple[Statement, ...]:
    told = [facet for facet in facets if facet in values]
    statements = [
        Statement("runs", _runs_that_match(candidate), (("community", candidate.community),))
    ]
    statements += [_facet_statement(facet, values[facet]) for facet in told]
    strongest = _strongest([one for facet in told if facet in COMPARED for one in values[facet]])
    if strongest is not None:
        text = f"{strongest.value} has {against_index(*strongest.enrichment)}."
        statements.append(Statement("enrichment", text, ((strongest.facet, strongest.value),)))
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
    shown = ", ".join(f"{one.value} ({counted(one.runs, 'run')})" for one in values)
    cited = tuple((facet, one.value) for one in values[:_CITED_PER_FACET])
    return Statement(facet, f"{FACET_TITLES[facet]}: {shown}.", cited)


def _strongest(values: Sequence[LocalValue]) -> LocalValue | None:
    """Return the value most over-represented in the community, among those beyond chance."""
    telling = [
        one
        for one in values
        if one.enrichment[1] <= SIGNIFICANT_Q and one.enrichment[0] >= _LEAST_LIFT
    ]
    return max(telling, key=lambda one: (one.runs * one.enrichment[0], one.value), default=None)


def _local_values(
    matched: MatchedRuns, communities: Sequence[str], facets: Sequence[str], *, limit: int
) -> dict[str, dict[str, list[LocalValue]]]:
    parameters = {"communities": list(communities), "facets": list(facets), "limit": limit}
    local: dict[str, dict[str, list[LocalValue]]] = {}
    for community, *row in matched.rows(_LOCAL_VALUES, parameters):
        value = LocalValue(*row)
        local.setdefault(community, {}).setdefault(value.facet, []).append(value)
    return local


_LOCAL_VALUES: Final = """
WITH member AS (
    SELECT m.community, m.entity AS run FROM community_member m JOIN matched
        ON matched.run = m.entity
    WHERE m.community IN (SELECT unnest($communities::VARCHAR[]))
),
counted AS (
    SELECT community, facet, value, count(DISTINCT run) AS runs FROM member
        JOIN matched_value USING (run)
    WHERE facet IN (SELECT unnest($facets::VARCHAR[])) GROUP BY community, facet, value
),
best AS (
    FROM counted QUALIFY row_number() OVER (PARTITION BY community, facet ORDER BY runs DESC,
        value) <= $limit
)
SELECT b.community, b.facet, b.value, b.runs, f.lift, f.q_value
FROM best b LEFT JOIN fact f USING (community, facet, value)
ORDER BY b.community, b.facet, b.runs DESC, b.value
"""
