"""Points with the citations that resolve to runs of their community."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import duckdb

from index.reports.citations import is_citable, resolve_citations
from query.answer import Citation, Point

FACET_OF: Final = {
    "virus": "species",
    "stated": "species",
    "country": "geography",
    "place": "geography",
    "cell_line": "tissue",
    "k_mers": "statOrganism",
    "project": "bioproject",
}
"""Field of a request -> facet of its values and key of their citations, where these differ."""


@dataclass(frozen=True, slots=True)
class PointDraft:
    """A point with the values it rests on, before they are resolved."""

    community: str
    score: float
    description: str
    cited: tuple[tuple[str, str], ...]
    """Fields or keys of citations, with their values."""


def cite_points(con: duckdb.DuckDBPyConnection, drafts: Sequence[PointDraft]) -> tuple[Point, ...]:
    """Return ``drafts`` as points, in order. Citations that resolve to no run are left out."""
    resolved = _resolved(con, drafts)
    points = []
    for draft in drafts:
        runs = {pair: resolved.get((draft.community, *pair), 0) for pair in _pairs(draft)}
        citations = [Citation(*pair, n, verified=True) for pair, n in runs.items() if n]
        points.append(Point(draft.community, draft.score, draft.description, tuple(citations)))
    return tuple(points)


def _pairs(draft: PointDraft) -> list[tuple[str, str]]:
    """Return the keys and values that a point cites, its community last."""
    named = [(FACET_OF.get(field, field), value) for field, value in draft.cited]
    pairs = dict.fromkeys([*named, ("community", draft.community)])
    return [(key, value) for key, value in pairs if is_citable(key, value)]


def _resolved(
    con: duckdb.DuckDBPyConnection, drafts: Sequence[PointDraft]
) -> Mapping[tuple[str, str, str], int]:
    """Return the runs of each (community, key, value) that ``drafts`` cite, where there are any."""
    import polars as pl

    wanted = {(draft.community, *pair) for draft in drafts for pair in _pairs(draft)}
    schema = {"community": pl.String, "key": pl.String, "value": pl.String}
    citations = pl.DataFrame(sorted(wanted), schema=schema, orient="row")
    columns = ("community", "key", "value", "runs", "verified")
    rows = resolve_citations(con, citations).select(columns).iter_rows()
    return {(community, key, value): runs for community, key, value, runs, good in rows if good}
