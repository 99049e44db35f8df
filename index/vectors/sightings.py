"""What viruses are found with: groups of samples, their metadata terms, and who looked for what.

A group is the runs of a study with one host (or organism label, if no host is stated). It counts
once, however many runs it has. Studies that share samples or a project count as one study under any
name. Libraries of a virus are left out, because their label gives the virus away. Hits that a
search reports only as a genus or a family are left out, too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Final, TypeAlias

import duckdb
import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse import csgraph

from index.store.run_values import WEIGHED_VIRUS

HOST: Final = "host"
FACETS: Final = (HOST, "label", "tissue", "disease", "environment", "biome", "geography")
"""Facets whose terms viruses are found with."""
MOST_COMMON: Final = 0.5
"""A term of a larger share of the groups says nothing about any of them: cellular organisms."""
MOST: Final = 5_000
"""Most viruses, and most terms, that are used (by runs or groups); memory grows with it.
"""
AT_ONCE: Final = 100_000
"""Groups whose terms, with all terms above them, are in memory at once."""
OF_SPECIES: Final = "coalesce(species, usual, sotu)"
"""Segments of one genome are one virus: that of their species, or of most hits of their sOTU."""

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


def one_study(run: pl.DataFrame) -> list[int]:
    """Return a number for each row [run, study, bioproject, biosample]: rows that share one of the
    names, directly or through others, have the same.

    >>> one_study(pl.DataFrame({"run": ["R1", "R2", "R3"], "study": ["S1", None, "S2"],
    ...     "bioproject": [None, "P1", None], "biosample": ["B1", "B1", "B2"]}))
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
    return np.unique(part[:rows], return_inverse=True)[1].tolist()  # type: ignore[no-any-return]


def read_sightings(
    con: duckdb.DuckDBPyConnection,
    *,
    virus: str = OF_SPECIES,
    study_of: Callable[[pl.DataFrame], list[int]] = one_study,
) -> Sightings:
    """Return the sightings of an index, in the order of their names.

    ``virus`` says in SQL what counts as one virus, ``study_of`` what counts as one study.

    Reads ``run, detection, annotation, closure, used_term, searched, source_scope``.
    """
    con.execute(_found(virus))
    try:
        viruses = con.sql(_VIRUS, params=[MOST]).pl()
        run = con.sql(_RUN).pl()
        run = run.with_columns(study=pl.Series(study_of(run), dtype=pl.Int64))
        group = run.select("study", "subject").unique().sort("study", "subject").with_row_index()
        member = run.join(group, on=["study", "subject"], nulls_equal=True).select("run", "index")
        con.register("run_of_group", member)
        found = con.sql(_FOUND_IN).pl()
        stated = con.sql(_TERMS.format(facets=", ".join(f"'{facet}'" for facet in FACETS))).pl()
        looked = con.sql(_LOOKED).pl()
        scope = con.sql(_SCOPE).pl()
        above = con.sql("SELECT descendant, ancestor FROM closure").pl()
    finally:
        con.unregister("run_of_group")
        for table in ("virus_hit", "virus_found"):
            con.execute(f"DROP TABLE IF EXISTS temp.{table}")
    term, has = _stated(stated, above, groups=len(group))
    search = scope["search"].unique().sort().to_frame()
    return Sightings(
        virus=viruses,
        term=term,
        study=group["study"].to_numpy(),
        found=_matrix(found, group, viruses.select("virus")),
        has=has,
        looked=_matrix(looked, group, search),
        scope=_matrix(scope, search.with_row_index(), viruses.select("virus"), rows="search"),
        above=_above(term, above),
    )


def _stated(
    stated: pl.DataFrame, above: pl.DataFrame, *, groups: int
) -> tuple[pl.DataFrame, Matrix]:
    """Return the terms [facet, term] that are learned from, and which groups state them or a term
    below them.

    ``stated`` [index, facet, curie, term] is what groups state themselves. With all terms above
    them they are too many to hold at once: groups are taken ``AT_ONCE``.
    """
    own = stated.select("facet", "term", "curie").unique().sort("facet", "term", "curie")
    own = own.with_row_index("own")
    lines = own.join(above, left_on="curie", right_on="descendant").select(
        "own", "facet", "ancestor"
    )
    up = pl.concat(
        [own.select("own", "facet", "term"), lines.rename({"ancestor": "term"})]
    ).unique()
    every = up.select("facet", "term").unique().sort("facet", "term")
    of_group = _matrix(stated, pl.DataFrame({"index": range(groups)}), own.drop("own"))
    to_terms = _matrix(up.rename({"own": "index"}), own, every)

    parts = [of_group[start : start + AT_ONCE] for start in range(0, groups, AT_ONCE)]
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
    below = term.with_row_index().join(lines, left_on="term", right_on="descendant")
    pairs = below.select("index", "facet", term="ancestor")
    return _matrix(pairs, term, term)


def _matrix(
    pairs: pl.DataFrame, rows_of: pl.DataFrame, columns: pl.DataFrame, *, rows: str = "index"
) -> Matrix:
    """Return ``pairs`` as a matrix of ones."""
    keys: Sequence[str] = columns.columns
    numbered = pairs.join(columns.with_row_index("column"), on=keys, nulls_equal=True)
    if rows != "index":
        numbered = numbered.join(rows_of, on=rows)
    numbered = numbered.sort("index", "column")  # sums are the same to the last bit
    at = (numbered["index"].to_numpy(), numbered["column"].to_numpy())
    ones = np.ones(len(numbered), dtype=np.float32)
    return sparse.csr_array((ones, at), shape=(len(rows_of), len(columns)))


GENOME: Final = r"^([A-Z]{1,2}_?\d{5,}(\.\d+)?|txid\d+)$"
"""sOTUs that are a genome or a taxon of a reference: without a species they name no virus."""


def most_frequent(key: str, value: str, rows: str) -> str:
    """Return a SELECT of ``key`` and the ``value`` of most of its ``rows``, the first of several.

    It counts first: the mode of an aggregate would hold all rows at once.
    """
    return f"""
        SELECT {key}, arg_min({value}, (-number, {value})) AS {value}
        FROM (SELECT {key}, {value}, count(*) AS number {rows} GROUP BY ALL) GROUP BY {key}
    """


def _found(virus: str) -> str:
    """Return the statement that keeps which run has which ``virus``, by which source."""
    return f"""
        CREATE TEMP TABLE virus_hit AS
        SELECT DISTINCT run, sotu, source, {WEIGHED_VIRUS} AS taxon FROM detection
        SEMI JOIN (SELECT run FROM run WHERE coalesce(study, bioproject) IS NOT NULL) USING (run)
        ANTI JOIN (SELECT run FROM annotation WHERE facet = 'virus') USING (run)
        WHERE sotu IS DISTINCT FROM phylum;
        CREATE TEMP TABLE virus_found AS
        WITH
        above AS (
            SELECT descendant, ancestor FROM closure
            SEMI JOIN (SELECT DISTINCT taxon AS descendant FROM virus_hit) USING (descendant)
        ),
        species AS (
            SELECT descendant AS taxon, ancestor AS species FROM above
            WHERE ancestor IN (
                SELECT curie FROM used_term
                WHERE rank = 'species' AND curie IN (SELECT ancestor FROM above))
        ),
        usual AS ({most_frequent("sotu", "species", "FROM virus_hit JOIN species USING (taxon)")})
        SELECT DISTINCT run, source, {virus} AS virus, coalesce(species, usual) AS species
        FROM (SELECT h.*, s.species, u.species AS usual,
                     regexp_matches(h.sotu, '{GENOME}') AS is_genome
              FROM virus_hit AS h LEFT JOIN species AS s USING (taxon)
              LEFT JOIN usual AS u USING (sotu))
        WHERE species IS NOT NULL OR NOT is_genome
    """


_VIRUS: Final = """
WITH ranked AS (
    SELECT c.descendant AS virus, t.rank, t.curie
    FROM closure AS c JOIN used_term AS t ON t.curie = c.ancestor
    WHERE t.rank IN ('genus', 'family')
),
sotu AS (SELECT sotu AS virus, family FROM ({of_family})),
most AS (
    SELECT f.virus, min(coalesce(f.species, f.virus)) AS taxon,
           count(DISTINCT f.run) AS runs
    FROM virus_found AS f
    GROUP BY f.virus ORDER BY runs DESC, f.virus LIMIT $1
)
SELECT m.virus, g.curie AS genus, coalesce(t.label, s.family) AS family
FROM most AS m
LEFT JOIN ranked AS g ON g.virus = m.taxon AND g.rank = 'genus'
LEFT JOIN ranked AS f ON f.virus = m.taxon AND f.rank = 'family'
LEFT JOIN used_term AS t ON t.curie = f.curie
LEFT JOIN sotu AS s ON s.virus = m.virus
ORDER BY m.virus
""".format(of_family=most_frequent("sotu", "family", "FROM detection WHERE family IS NOT NULL"))
_RUN: Final = """
SELECT run, study, bioproject, biosample, coalesce(h.subject, l.subject) AS subject
FROM (SELECT * FROM run SEMI JOIN searched USING (run)
      ANTI JOIN (SELECT run FROM annotation WHERE facet = 'virus') USING (run)
      WHERE coalesce(study, bioproject) IS NOT NULL)
LEFT JOIN (
    SELECT run, min(curie) AS subject FROM annotation WHERE facet = 'host' GROUP BY run
) AS h USING (run)
LEFT JOIN (
    SELECT run, min(curie) AS subject FROM annotation WHERE facet = 'label' GROUP BY run
) AS l USING (run)
ORDER BY run
"""
_FOUND_IN: Final = """
SELECT DISTINCT index, virus FROM virus_found JOIN run_of_group USING (run)
"""
_TERMS: Final = """
SELECT DISTINCT index, facet, curie, coalesce(curie, split_part(value, ':', 1)) AS term
FROM annotation JOIN run_of_group USING (run) WHERE facet IN ({facets}) AND value IS NOT NULL
"""
_LOOKED: Final = """
SELECT DISTINCT index, source || ' ' || search AS search
FROM searched JOIN run_of_group USING (run)
"""
_SCOPE: Final = """
SELECT DISTINCT s.source || ' ' || s.search AS search, v.virus
FROM (SELECT DISTINCT virus, species FROM virus_found WHERE species IS NOT NULL) AS v
JOIN closure AS c ON c.descendant = v.species
JOIN source_scope AS s ON s.virus = c.ancestor AND (s.below OR c.ancestor = v.species)
UNION
SELECT DISTINCT s.source || ' ' || s.search, v.virus
FROM source_scope AS s JOIN closure AS c ON c.descendant = s.virus
JOIN (SELECT DISTINCT virus, species FROM virus_found) AS v ON v.species = c.ancestor
UNION
SELECT DISTINCT s.source || ' ' || s.search, f.virus
FROM virus_found AS f JOIN searched AS s USING (run, source)
"""
