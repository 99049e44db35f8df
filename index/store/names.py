"""Look up every name of every ontology by a hash of its folded form, in a few milliseconds.

The table ``name`` has the labels and synonyms of all live terms as sorted hashes; each row points
to the row of ``term`` or ``synonym`` with the name itself. A hash has 32 bits: names that share a
hash are distinguished when the names are read, so that results are exact.

``rows_named``    folded forms -> the terms that have these names
``rows_spelled``  names as written -> the live terms that have them
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING, Final

import duckdb

from index.store.same_for_all import same_for_all
from index.store.sorted_rows import rows_near

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import polars as pl

    from index.store.build import Build

MOST_WORDS: Final = 32
"""Tokens of the longest name that is looked for inside a longer text."""
ROW: Final = ("name", "scope", "curie", "label", "ontology", "rank", "obsolete", "replaced_by")
"""What is returned of a name: as spelled, LABEL or the scope of the synonym, and its term."""


def write_names(build: Build) -> int:
    """Fill ``name`` from ``term`` and ``synonym`` as they are stored; return its number of rows."""
    return build.append("name", hashed_names(build.connection))


def hashed_names(con: duckdb.DuckDBPyConnection) -> pl.DataFrame:
    """Return the rows of ``name`` for the tables ``term`` and ``synonym`` of ``con``."""
    import polars as pl

    from index.store.frames import rows_over
    from ontology_etl.facets import FACET_OF_ONTOLOGY
    from ontology_etl.folding import folded_column

    named = con.sql(_NAMED, params={"ontologies": list(FACET_OF_ONTOLOGY)}).pl()
    spelled = named.lazy().select("scope", "place", folded=folded_column("name"))
    folded = spelled.filter(pl.col("folded") != "").collect(engine="streaming")
    return rows_over(con, _HASHED, {"folded_name": folded}).sort("hash", "scope", "place")


def hash_of(folded: str) -> int:
    """Return the hash of a folded name: the first 32 bits of its MD5, as DuckDB computes it.

    >>> hash_of("human")
    2582231782
    """
    digest = hashlib.md5(folded.encode(), usedforsecurity=False).digest()
    return int.from_bytes(digest[:4], "big")


def rows_named(con: duckdb.DuckDBPyConnection, folded: Iterable[str]) -> pl.DataFrame:
    """Return [folded, *ROW]: the names with one of the forms ``folded`` (as ``folding.fold_one``).

    Labels come first, then synonyms, each in order of CURIE. A name of an obsolete term has that
    term, whose successor is ``replaced_by``.
    """
    import polars as pl

    from ontology_etl.folding import fold, separate

    wanted = sorted(set(folded))
    hashes = sorted({hash_of(form) for form in wanted})
    rowids = _rows_with(con, hashes)
    found = con.execute(_FOUND, [rowids]).fetchall() if rowids else []
    labels = [place for scope, place in found if scope == _LABEL]
    synonyms = [place for scope, place in found if scope != _LABEL]
    rows = con.execute(_LABELS, [labels]).fetchall() if labels else []
    rows += _synonyms(con, synonyms)
    schema = dict.fromkeys(ROW, pl.String) | {"obsolete": pl.Boolean}
    frame = pl.DataFrame(rows, schema=schema, orient="row")
    spelled = pl.col("name").str.replace(_OBSOLETE, "")
    named = frame.select(fold(separate(spelled)).alias("folded"), *ROW)
    return named.filter(pl.col("folded").is_in(wanted))


def rows_spelled(con: duckdb.DuckDBPyConnection, names: Iterable[str]) -> pl.DataFrame:
    """Return [folded, *ROW] of the live terms that have one of ``names``, letters in any case."""
    import polars as pl

    from ontology_etl.folding import fold_each

    listed = sorted(set(names))
    named = rows_named(con, fold_each(listed))
    lowered = [name.lower() for name in listed]
    is_spelled = pl.col("name").str.to_lowercase().is_in(lowered)
    return named.filter(is_spelled, ~pl.col("obsolete"))


def stretches_of(text: str) -> set[str]:
    """Return the folded forms of all stretches of words of ``text`` that a name may have."""
    from ontology_etl.folding import fold_one

    tokens = fold_one(text).split()
    return {folded for _, _, folded in _stretches(tokens)}


def _stretches(tokens: Collection[str]) -> Iterable[tuple[int, int, str]]:
    """Yield start, end and words of every stretch of ``tokens`` up to ``MOST_WORDS``, and all."""
    listed = list(tokens)
    for start in range(len(listed)):
        for end in range(start + 1, min(start + MOST_WORDS, len(listed)) + 1):
            yield start, end, " ".join(listed[start:end])
    if len(listed) > MOST_WORDS:
        yield 0, len(listed), " ".join(listed)


def _rows_with(con: duckdb.DuckDBPyConnection, hashes: Sequence[int]) -> list[int]:
    """Return the numbers of the rows of ``name`` that have one of ``hashes``."""
    import numpy as np

    stored = _hashes(con)
    wanted = np.array(hashes, dtype=np.uint32)
    first = np.searchsorted(stored, wanted, side="left")
    beyond = np.searchsorted(stored, wanted, side="right")
    ranges = zip(first.tolist(), beyond.tolist(), strict=True)
    return [row for start, end in ranges for row in range(start, end)]


@same_for_all
def _hashes(con: duckdb.DuckDBPyConnection) -> npt.NDArray[np.uint32]:
    """Return the column of hashes, in order: four bytes for each name."""
    import numpy as np

    column = con.execute("SELECT hash FROM name").fetchnumpy()["hash"]
    return np.asarray(column).astype(np.uint32)


def _synonyms(con: duckdb.DuckDBPyConnection, places: list[int]) -> list[tuple[object, ...]]:
    """Return the rows (as ``ROW``) of the synonyms at ``places``."""
    if not places:
        return []
    named = con.execute(_SYNONYMS, [places]).fetchall()
    curies = sorted({curie for _, _, curie in named})
    near = rows_near(con, "term", "curie", curies)
    found = con.execute(_TERMS.format(term=near), [curies]).fetchall()
    terms = {term[0]: term for term in found}
    return [(name, scope, *terms[curie]) for name, scope, curie in named]


_LABEL: Final = "LABEL"
_OBSOLETE: Final = r"(?i)^obsolete\s+"
"""Beginning of the labels of obsolete terms, which is not part of the name."""
# Retired taxa are labelled by their identifiers, which are not names.
_NAMED: Final = """
SELECT 'LABEL' AS scope, rowid AS place,
       CASE WHEN obsolete THEN regexp_replace(label, '(?i)^obsolete\\s+', '') ELSE label END AS name
FROM term
WHERE list_contains($ontologies, ontology)
  AND (NOT obsolete OR ontology <> 'NCBITaxon') AND label <> curie
UNION ALL
SELECT s.scope, s.rowid, s.synonym FROM synonym s JOIN term t USING (curie)
WHERE list_contains($ontologies, t.ontology) AND (NOT t.obsolete OR t.replaced_by IS NOT NULL)
"""
_HASHED: Final = """
SELECT ('0x' || left(md5(folded), 8))::UINTEGER::BIGINT AS hash, scope, place::INTEGER AS place
FROM folded_name
"""
_FOUND: Final = """
SELECT scope, place FROM name WHERE rowid IN (SELECT unnest($1::BIGINT[]))
ORDER BY scope, place
"""
_LABELS: Final = """
SELECT label, 'LABEL', curie, label, ontology, rank, obsolete, replaced_by FROM term
WHERE rowid IN (SELECT unnest($1::BIGINT[])) ORDER BY curie
"""
_SYNONYMS: Final = """
SELECT synonym, scope, curie FROM synonym WHERE rowid IN (SELECT unnest($1::BIGINT[]))
ORDER BY curie, synonym, scope
"""
_TERMS: Final = """
SELECT curie, label, ontology, rank, obsolete, replaced_by FROM {term}
WHERE curie IN (SELECT unnest($1::VARCHAR[]))
"""
