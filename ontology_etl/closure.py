"""Ancestors of terms, with the length of the shortest path: all BTO and DOID terms, and the taxa an
index uses.

Taxa have one parent each, so their lineages are walked as one array of parents; the other
ontologies are graphs and are walked level by level. ``develops_from`` is no way up: a cell line is
not a kind or a part of what it came from.
"""

from __future__ import annotations

from typing import Final

import dataframely as dy
import numpy as np
import numpy.typing as npt
import polars as pl

from ontology_etl.curies import NCBI_TAXON, taxid_of, taxon_curie
from ontology_etl.tables import Closure, conform

_Ids = npt.NDArray[np.int32]
PARENT: Final = "parent"
UPWARD: Final = ("is_a", "part_of", PARENT)


def closure(
    term_edge: pl.DataFrame, term: pl.DataFrame | None = None, *, taxa: pl.Series | None
) -> dy.DataFrame[Closure]:
    """Return the ancestors of all BTO and DOID terms and of ``taxa``, each term being its own at
    distance 0.

    ``taxa`` are CURIEs; their ancestors are descendants in the table too, so that it is complete in
    itself. ``term`` adds live terms without an edge. Distances are shortest paths along ``UPWARD``;
    a circle ends where it began.
    """
    upward = term_edge.filter(pl.col("predicate").is_in(UPWARD))
    is_taxon = pl.col("predicate") == PARENT
    alone = (
        []
        if term is None
        else [term.filter(~pl.col("obsolete"), pl.col("ontology") != NCBI_TAXON)["curie"]]
    )
    graph = graph_closure(upward.filter(~is_taxon), alone=alone)
    wanted = pl.Series("curie", [], pl.String) if taxa is None else taxa
    return conform(pl.concat([graph, taxon_closure(upward.filter(is_taxon), wanted)]), Closure)


def graph_closure(edges: pl.DataFrame, *, alone: list[pl.Series]) -> pl.DataFrame:
    """Return Closure rows of the terms of ``edges`` (``subject, object``) and of those ``alone``,
    level by level.
    """
    terms = pl.concat([edges["subject"], edges["object"], *alone]).unique().sort()
    code = pl.DataFrame({"curie": terms}).with_row_index("code")
    up = edges.select("subject", "object").join(
        code, left_on="subject", right_on="curie", maintain_order="left"
    )
    up = (
        up.join(code, left_on="object", right_on="curie", suffix="_above")
        .select(at="code", above="code_above")
        .unique()
    )
    frontier = code.select(descendant="code", ancestor="code")
    seen = frontier
    levels = [frontier.with_columns(distance=pl.lit(0, pl.Int32))]
    while len(frontier):
        reached = (
            frontier.join(up, left_on="ancestor", right_on="at")
            .select("descendant", ancestor="above")
            .unique()
        )
        frontier = reached.join(seen, on=["descendant", "ancestor"], how="anti")
        seen = pl.concat([seen, frontier])
        levels.append(frontier.with_columns(distance=pl.lit(len(levels), pl.Int32)))
    rows = pl.concat(levels)
    return rows.with_columns(
        terms.gather(rows[name]).alias(name) for name in ("descendant", "ancestor")
    )


def taxon_closure(edges: pl.DataFrame, taxa: pl.Series) -> pl.DataFrame:
    """Return Closure rows of ``taxa`` (CURIEs) and of all their ancestors, from the taxonomy's
    ``parent`` edges.
    """
    ids = edges.select(
        taxid_of(pl.col("subject")).alias("at"), taxid_of(pl.col("object")).alias("above")
    )
    wanted = (
        pl.DataFrame({"curie": taxa.cast(pl.String)})
        .select(taxid_of(pl.col("curie")).alias("at"))
        .drop_nulls()
    )
    parent = np.zeros(
        max(_largest(ids["at"]), _largest(ids["above"]), _largest(wanted["at"])) + 1, dtype=np.int32
    )
    parent[ids["at"].to_numpy()] = ids["above"].to_numpy()
    members = np.unique(_lineages(wanted["at"].to_numpy(), parent)[1])
    descendant, ancestor, distance = _lineages(members, parent)
    names = pl.DataFrame({"taxid": members}).select(taxon_curie(pl.col("taxid")).alias("curie"))[
        "curie"
    ]
    columns = {"descendant": descendant, "ancestor": ancestor}
    curies = {
        name: names.gather(np.searchsorted(members, taxids)) for name, taxids in columns.items()
    }
    return pl.DataFrame(curies | {"distance": distance}, schema_overrides={"distance": pl.Int32})


def find_circle(edges: pl.DataFrame) -> list[str]:
    """Return the terms of one circle of ``edges`` (``subject, object``) in walking order; nothing
    where there is none.

    Kahn's algorithm: terms that nothing points to are peeled off until only what runs in circles is
    left.
    """
    left = edges.select("subject", "object")
    while True:
        kept = left.filter(pl.col("object").is_in(left["subject"].implode()))
        if len(kept) == len(left):
            break
        left = kept
    above = dict(left.sort("subject", "object", descending=True).iter_rows())
    walk = [min(above)] if above else []
    while walk and above[walk[-1]] not in walk:
        walk.append(above[walk[-1]])
    return walk[walk.index(above[walk[-1]]) :] if walk else []


def _lineages(taxids: _Ids, parent: _Ids) -> tuple[_Ids, _Ids, _Ids]:
    """Return ``(descendant, ancestor, distance)`` of the lineage of each taxid; 0 in ``parent``
    ends a lineage.

    A circle of parents, which the loader refuses, would end after as many steps as there are taxa.
    """
    origin, at = taxids, taxids
    steps = [(origin, at)]
    while len(at) and len(steps) <= len(parent):
        above = parent[at]
        origin, at = origin[above > 0], above[above > 0]
        steps.append((origin, at))
    distance = np.repeat(np.arange(len(steps), dtype=np.int32), [len(at) for _, at in steps])
    return np.concatenate([o for o, _ in steps]), np.concatenate([a for _, a in steps]), distance


def _largest(ids: pl.Series) -> int:
    largest = ids.max()
    return largest if isinstance(largest, int) else 0
