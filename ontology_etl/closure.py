"""Ancestors of terms, with the length of the shortest path.

Taxa have one parent each, so their lineages are walked as one array of parents; the other
ontologies are graphs and are walked level by level. ``develops_from`` does not lead upwards: a cell
line is not a kind or a part of what it came from.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeVar

import numpy as np
import numpy.typing as npt
import polars as pl

from ontology_etl.curies import NCBI_TAXON, taxid_of, taxon_curie

if TYPE_CHECKING:
    import dataframely as dy

    from ontology_etl.tables import Closure

_Ids = npt.NDArray[np.int32]
_IntT = TypeVar("_IntT", bound=np.integer)
PARENT: Final = "parent"
KIND_BY_NAME: Final = "kind_by_name"
"""What the name of a disease says (``ontology_etl.sources.kinds_by_name``)."""
UPWARD_IN_GRAPHS: Final = ("is_a", "part_of", KIND_BY_NAME)
UPWARD: Final = (*UPWARD_IN_GRAPHS, PARENT)
MOST_STEPS: Final = 200
"""Steps upwards that are followed; the deepest ontologies have about 40."""
_DOUBLINGS: Final = 10
"""Reaches 2**10 = 1,024 parents up; the deepest lineage has about 45."""


def closure(
    term_edge: pl.DataFrame, term: pl.DataFrame | None = None, *, taxa: pl.Series | None
) -> dy.DataFrame[Closure]:
    """Return the ancestors of all BTO and DOID terms, and of ``taxa``.

    Each term is its own ancestor at distance 0. ``taxa`` are CURIEs; their ancestors are
    descendants in the table too, so that it is complete in itself. ``term`` adds live terms without
    an edge. Distances are shortest paths along ``UPWARD`` of at most ``MOST_STEPS`` (for taxa, of
    any length); a circle ends where it began.
    """
    from ontology_etl.tables import Closure, conform

    upward = term_edge.filter(pl.col("predicate").is_in(UPWARD))
    is_taxon = pl.col("predicate") == PARENT
    unlinked = [] if term is None else [_live_non_taxa(term)]
    graph = graph_closure(
        upward.filter(~is_taxon),
        alone=unlinked,
    )
    wanted = pl.Series("curie", [], pl.String) if taxa is None else taxa
    lineages = taxon_closure(upward.filter(is_taxon), wanted)
    return conform(pl.concat([graph, lineages]), Closure)


def graph_closure(edges: pl.DataFrame, *, alone: list[pl.Series]) -> pl.DataFrame:
    """Return Closure rows of the terms in ``edges`` (subject, object) and in ``alone``."""
    terms = pl.concat([edges["subject"], edges["object"], *alone]).unique().sort()
    code = pl.DataFrame({"curie": terms}).with_row_index("code")
    up = _coded_steps(edges, code)
    frontier = code.select(descendant="code", ancestor="code")
    seen = frontier
    levels = [frontier.with_columns(distance=pl.lit(0, pl.Int32))]
    while len(frontier) and len(levels) <= MOST_STEPS:
        stepped = frontier.join(
            up,
            left_on="ancestor",
            right_on="at",
        )
        reached = stepped.select("descendant", ancestor="above").unique()
        frontier = reached.join(
            seen,
            on=["descendant", "ancestor"],
            how="anti",
        )
        seen = pl.concat([seen, frontier])
        levels.append(frontier.with_columns(distance=pl.lit(len(levels), pl.Int32)))
    rows = pl.concat(levels)
    return rows.with_columns(
        descendant=terms.gather(rows["descendant"]),
        ancestor=terms.gather(rows["ancestor"]),
    )


def taxon_closure(edges: pl.DataFrame, taxa: pl.Series) -> pl.DataFrame:
    """Return Closure rows of ``taxa`` (CURIEs) and all their ancestors by ``parent`` ``edges``."""
    return close_over(_parents(edges), taxa)


def close_over(parent: _Ids, taxa: pl.Series) -> pl.DataFrame:
    """Return Closure rows of ``taxa`` (CURIEs) and all their ancestors by ``taxon_parents``."""
    wanted = np.unique(_taxids(taxa))
    unknown = max(0, _largest(wanted) + 1 - len(parent))
    above = np.pad(parent, (0, unknown))
    _, reached, _ = _lineages(wanted, above)
    members = np.unique(reached)
    descendant, ancestor, distance = _lineages(members, above)
    numbers = pl.DataFrame({"taxid": members})
    names = numbers.select(taxon_curie(pl.col("taxid"))).to_series()
    columns = {
        "descendant": names.gather(np.searchsorted(members, descendant)),
        "ancestor": names.gather(np.searchsorted(members, ancestor)),
        "distance": distance,
    }

    return pl.DataFrame(columns, schema_overrides={"distance": pl.Int32})


def taxon_parents(term_edge: pl.DataFrame) -> _Ids:
    """Return the parent of each taxid, by position; a root is its own parent, 0 means no taxon."""
    return _parents(term_edge.filter(pl.col("predicate") == PARENT))


def _parents(edges: pl.DataFrame) -> _Ids:
    taxid = pl.col("subject", "object").str.strip_prefix(f"{NCBI_TAXON}:").cast(pl.Int32)
    numbers = edges.select(taxid)
    at, above = (numbers[end].to_numpy() for end in ("subject", "object"))
    parent = np.zeros(_largest(at, above) + 1, np.int32)
    parent[above] = above
    parent[at] = above
    return parent


def path_ends(above: npt.NDArray[_IntT]) -> npt.NDArray[_IntT]:
    """Return where the path of steps ``above`` from each taxid ends; a circle ends on itself."""
    for _ in range(_DOUBLINGS):
        further = above[above]
        if np.array_equal(further, above):
            break
        above = further
    return above


def find_circle(edges: pl.DataFrame) -> list[str]:
    """Return the terms of one circle of ``edges`` (subject, object) in order; [] without one.

    A chain longer than ``MOST_STEPS`` counts as a circle. Kahn's algorithm: roots are removed until
    only terms in circles, or that far from a root, are left.
    """
    left = edges.select("subject", "object")
    for _ in range(MOST_STEPS):
        subjects = left["subject"].implode()
        kept = left.filter(pl.col("object").is_in(subjects))
        if len(kept) == len(left):
            break
        left = kept
    if left.is_empty():
        return []
    above = dict(left.sort("subject", "object", descending=True).iter_rows())
    walk = [min(above)]

    while (next_up := above.get(walk[-1])) is not None and next_up not in walk:
        walk.append(next_up)
    start = 0 if next_up is None else walk.index(next_up)
    return walk[start:]


def _live_non_taxa(term: pl.DataFrame) -> pl.Series:
    is_taxon = pl.col("ontology") == NCBI_TAXON
    live = term.filter(~pl.col("obsolete"))
    others = live.filter(~is_taxon)
    return others["curie"]


def _coded_steps(edges: pl.DataFrame, code: pl.DataFrame) -> pl.DataFrame:
    """Return (at, above): each distinct edge, its ends numbered by ``code``."""
    ends = edges.select("subject", "object")
    at = ends.join(
        code,
        left_on="subject",
        right_on="curie",
        maintain_order="left",
    )
    both = at.join(
        code,
        left_on="object",
        right_on="curie",
        suffix="_above",
    )
    return both.select(at="code", above="code_above").unique()


def _taxids(curies: pl.Series) -> _Ids:
    """Return the taxids of the CURIEs that are taxa, in order."""
    frame = pl.DataFrame({"curie": curies.cast(pl.String)})
    taxid = taxid_of(pl.col("curie"))
    numbers = frame.select(taxid=taxid)["taxid"]
    return numbers.drop_nulls().to_numpy()


def _lineages(taxids: _Ids, parent: _Ids) -> tuple[_Ids, _Ids, _Ids]:
    """Return ``(descendant, ancestor, distance)`` of the lineage of each taxid.

    A root, its own parent or 0 in ``parent``, ends a lineage. A circle of parents, which the loader
    refuses, would end after as many steps as there are taxa.
    """
    descendant = taxids
    ancestor = taxids
    descendants = [descendant]
    ancestors = [ancestor]

    while len(ancestor) and len(ancestors) <= len(parent):
        above = parent[ancestor]
        has_parent = (above > 0) & (above != ancestor)
        descendant = descendant[has_parent]
        ancestor = above[has_parent]
        descendants.append(descendant)
        ancestors.append(ancestor)
    sizes = [len(step) for step in ancestors]
    distance = np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)
    return np.concatenate(descendants), np.concatenate(ancestors), distance


def _largest(*ids: _Ids) -> int:
    return max(int(each.max(initial=0)) for each in ids)
