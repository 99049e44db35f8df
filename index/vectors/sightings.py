"""What viruses are found with: groups of samples, their metadata terms, and who looked for what.

A group is the runs of a study with one host (or organism label, if no host is stated). It counts
once, however many runs it has. Studies that share samples or a project count as one study under any
name. Libraries of a virus are left out, because their label gives the virus away. Hits that a
search reports only as a genus or a family are left out, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Final, TypeAlias

import duckdb
import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse import csgraph

from index.vectors.sighting_rows import (
    FOUND_IN,
    HOST,
    LOOKED,
    OF_SPECIES,
    OWN_TERMS,
    RUN,
    SCOPE,
    STATED,
    VIRUS,
    temporary_tables,
)

MOST_COMMON: Final = 0.5
"""A term of a larger share of the groups says nothing about any of them: cellular organisms."""
MOST: Final = 5_000
"""Most viruses, and most terms, that are used (by runs or groups); memory grows with it.
"""
AT_ONCE: Final = 100_000
"""Groups whose terms, with all terms above them, are in memory at once."""
SEARCH: Final = ("source", "search")

Matrix: TypeAlias = Any
"""A sparse array of scipy, by rows."""


@dataclass(frozen=True, eq=False)
class Sightings:
    """Groups of samples, with viruses, terms, and what was searched for.

    ``virus``     [virus, genus, family]: taxon of a species or an sOTU, with its lineage
    ``term``      [facet, term]: the columns of ``has``
    ``study``     number of the study of each group
    ``found``     groups × viruses, 1 where found
    ``has``       groups × terms, 1 where stated, with the terms above
    ``looked``    groups × searches, 1 where a run of the group was searched
    ``scope``     searches × viruses, 1 where the search would find the virus
    ``above``     terms × terms, 1 where the column is the row's term or above it
    """

    virus: pl.DataFrame
    term: pl.DataFrame
    study: NDArray[np.int64]
    found: Matrix
    has: Matrix
    looked: Matrix
    scope: Matrix
    above: Matrix

    def searched(self) -> NDArray[np.bool_]:
        """Return groups × viruses: whether the virus would have been found in the group."""
        by_scope, of_virus = self.searched_alike()
        return by_scope[:, of_virus] > 0

    def searched_alike(self) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
        """Return groups × sets of searches, and the set of each virus; there are few sets."""
        sets, of_virus = np.unique(self.scope.toarray().T, axis=0, return_inverse=True)
        by_scope = (self.looked @ sets.T) > 0
        return by_scope.astype(np.float32), of_virus.ravel()

    def hosts(self) -> NDArray[np.int64]:
        """Return the columns of ``has`` that are hosts."""
        return np.flatnonzero((self.term["facet"] == HOST).to_numpy())

    def of_groups(self, groups: NDArray[np.int64] | NDArray[np.bool_]) -> Sightings:
        """Return the sightings of some ``groups``."""
        return replace(
            self,
            study=self.study[groups],
            found=self.found[groups],
            has=self.has[groups],
            looked=self.looked[groups],
        )


@lru_cache(maxsize=2)
def direct(sightings: Sightings, facets: tuple[str, ...] = (HOST,)) -> Matrix:
    """Return groups × terms: the hosts (or other ``facets``) that groups state, not those above."""
    asked = sightings.term["facet"].is_in(facets).to_numpy().astype(np.float32)
    of_facets = sightings.has @ sparse.diags_array(asked)
    above = sightings.above - sparse.eye_array(len(asked), dtype=np.float32)
    is_above = of_facets * ((of_facets @ above) > 0)
    stated = sparse.csr_array(of_facets - is_above)
    stated.eliminate_zeros()
    return stated


def one_study(run: pl.DataFrame) -> NDArray[np.int64]:
    """Return a number for each row [run, study, bioproject, biosample]: rows that share one of the
    names, directly or through others, have the same.

    >>> one_study(pl.DataFrame({"run": ["R1", "R2", "R3"], "study": ["S1", None, "S2"],
    ...     "bioproject": [None, "P1", None], "biosample": ["B1", "B1", "B2"]})).tolist()
    [0, 0, 1]
    """
    rows = len(run)
    ends: list[NDArray[np.int64]] = []
    names = 0
    for column in ("study", "bioproject", "biosample"):
        codes = run[column].rank("dense").fill_null(0).cast(pl.Int64).to_numpy()
        ends.append(np.where(codes > 0, rows + names + codes - 1, np.arange(rows)))
        names += int(codes.max(initial=0))
    linked = (np.ones(rows * 3), (np.tile(np.arange(rows), 3), np.concatenate(ends)))
    graph = sparse.coo_array(linked, shape=(rows + names, rows + names))
    _, part = csgraph.connected_components(graph, directed=False)
    return np.unique(part[:rows], return_inverse=True)[1]


def read_sightings(
    con: duckdb.DuckDBPyConnection,
    *,
    virus: str = OF_SPECIES,
    study_of: Callable[[pl.DataFrame], NDArray[np.int64]] = one_study,
) -> Sightings:
    """Return the sightings of an index, in the order of their names.

    ``virus`` says in SQL what counts as one virus, ``study_of`` what counts as one study.

    Reads ``run, run_state, detection, annotation, closure, used_term, searched, source_scope``.
    Names are replaced by numbers before rows are joined and made distinct, one large table at a
    time: DuckDB then needs little memory.
    """
    with _readable(con, temporary_tables(virus)) as frames:
        ranked = con.sql(VIRUS, params=[MOST]).pl().with_row_index("column")
        group, member = _grouped(con.sql(RUN).pl(), study_of)
        own = con.sql(OWN_TERMS).pl().with_row_index("own")
        frames(of_virus=ranked, run_of_group=member, own_term=own)
        scope = con.sql(SCOPE).pl()
        search = scope.select("source", "search").unique().sort(pl.format("{} {}", *SEARCH))
        frames(of_search=search.with_row_index("column"))
        found = _ones(con.sql(FOUND_IN).pl(), (len(group), len(ranked)))
        looked = _ones(con.sql(LOOKED).pl(), (len(group), len(search)))
        stated = _ones(con.sql(STATED).pl(), (len(group), len(own)))
    viruses = ranked.select("virus", "genus", "family")
    above = con.sql("SELECT descendant, ancestor FROM closure").pl()
    term, has = _terms(own, stated, above)
    return Sightings(
        virus=viruses,
        term=term,
        study=group["study"].to_numpy(),
        found=found,
        has=has,
        looked=looked,
        scope=_matrix(scope, search, viruses.select("virus")),
        above=_above(term, above),
    )


@contextmanager
def _readable(
    con: duckdb.DuckDBPyConnection, tables: Mapping[str, str]
) -> Iterator[Callable[..., None]]:
    """Make temporary ``tables``, each by its SELECT, and yield a function that lets queries read
    frames by name; remove both at the end.
    """
    names: list[str] = []

    def register(**frames: pl.DataFrame) -> None:
        for name, frame in frames.items():
            con.register(name, frame)
            names.append(name)

    try:
        for table, select in tables.items():
            con.execute(f"CREATE TEMP TABLE {table} AS {select}")
        yield register
    finally:
        for name in names:
            con.unregister(name)
        for table in tables:
            con.execute(f"DROP TABLE IF EXISTS temp.{table}")


def _grouped(
    run: pl.DataFrame, study_of: Callable[[pl.DataFrame], NDArray[np.int64]]
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the groups [index, study, subject] of runs, and the group of each [run, index]."""
    ordered = run.sort("run")
    keys = ordered.select("run", "subject", study=pl.Series(study_of(ordered), dtype=pl.Int64))
    group = keys.select("study", "subject").unique().sort("study", "subject").with_row_index()
    member = keys.join(group, on=["study", "subject"], nulls_equal=True).select("run", "index")
    return group, member


def _terms(own: pl.DataFrame, stated: Matrix, above: pl.DataFrame) -> tuple[pl.DataFrame, Matrix]:
    """Return the terms [facet, term] that are learned from, and which groups state them or a term
    below them.

    ``stated`` says which of the terms ``own`` [own, facet, curie, term] groups state themselves.
    With all terms above them they are too many to hold at once: groups are taken ``AT_ONCE``.
    """
    lines = own.join(above, left_on="curie", right_on="descendant").select(
        "own", "facet", "ancestor"
    )
    up = pl.concat(
        [own.select("own", "facet", "term"), lines.rename({"ancestor": "term"})]
    ).unique()
    every = up.select("facet", "term").unique().sort("facet", "term")
    to_terms = _matrix(up, own.select("own"), every)

    groups = stated.shape[0]
    parts = [stated[start : start + AT_ONCE] for start in range(0, groups, AT_ONCE)]
    number = sum(
        (np.bincount((part @ to_terms).indices, minlength=len(every)) for part in parts),
        start=np.zeros(len(every), dtype=np.int64),
    )
    common = every.with_row_index("column").with_columns(len=pl.Series(number))
    kept = common.filter(pl.col("len") > 1, pl.col("len") <= MOST_COMMON * groups)
    often = kept.sort("len", "facet", "term", descending=True).head(MOST).sort("facet", "term")
    chosen = to_terms[:, often["column"].to_numpy()]
    has = sparse.vstack([sparse.csr_array((0, len(often))), *(part @ chosen for part in parts)])
    has = sparse.csr_array(has, dtype=np.float32)
    has.data[:] = 1
    has.sort_indices()
    return often.select("facet", "term"), has


def _above(term: pl.DataFrame, closure: pl.DataFrame) -> Matrix:
    """Return which terms are at or above which of the same facet."""
    itself = term.select("term").unique().select(descendant="term", ancestor="term")
    lines = pl.concat([closure, itself]).unique()
    at = term.with_row_index()
    below = at.join(lines, left_on="term", right_on="descendant")
    pairs = below.select("index", "facet", term="ancestor")
    return _matrix(pairs, at.select("index"), term)


def _matrix(pairs: pl.DataFrame, rows: pl.DataFrame, columns: pl.DataFrame) -> Matrix:
    """Return ``pairs`` of names as a matrix of ones; the names of ``rows`` and ``columns``."""
    column = columns.with_row_index("column")
    row = rows.with_row_index("row")
    numbered = pairs.join(column, on=columns.columns).join(row, on=rows.columns)
    return _ones(numbered.select("column", index="row"), (len(rows), len(columns)))


def _ones(pairs: pl.DataFrame, shape: tuple[int, int]) -> Matrix:
    """Return ``pairs`` [index, column], each once, as a matrix of ones."""
    ordered = pairs.sort("index", "column")  # sums are the same to the last bit
    at = (ordered["index"].to_numpy(), ordered["column"].to_numpy())
    return sparse.csr_array((np.ones(len(ordered), dtype=np.float32), at), shape=shape)
