"""Find names of what an index holds: its taxa, every virus, and the values that its runs state.

Abbreviations are known by their capitals (``index.checking.interpretation``); of those in lower
case only the ones that end in v are looked for: "can" is one, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Final

import duckdb
import polars as pl

from index.store.names import rows_named
from ontology_etl.curies import NCBI_TAXON
from ontology_etl.folding import fold_each

_WORD: Final = re.compile(r"[^\W_]+")
_LONGEST: Final = 6
"""Words of the longest name looked for."""
_SHORTEST: Final = 3
"""Letters of a name that is looked for in the plural too."""
_PLAIN: Final = frozenset({"virus", "viruses", "root"})
"""Names of taxa that are words for anything of their kind."""


class IndexNames:
    """The names of the index that ``con`` reads; what does not depend on a text is read once."""

    def __init__(self, con: duckdb.DuckDBPyConnection) -> None:
        self._con = con

    def found_in(self, text: str) -> str | None:
        """Return a name that ``text`` holds, in any case, singular or plural; None without one."""
        words = _WORD.findall(text)
        spans = set(_spans([word.lower() for word in words]))
        spelled = spans.union(form for span in spans for form in _other_number(span)) - _PLAIN
        written = [span for span in _spans(words) if " " in span and span[0].isupper()]
        terms = rows_named(self._con, spelled.union(fold_each(written)))
        names, curies = _counting(terms.filter(pl.col("folded").is_in(spelled)))
        asked = {"spelled": sorted(spelled), "names": names, "curies": curies}
        found = {name for (name,) in self._con.execute(_FOUND, asked).fetchall()}
        found.update(terms.filter(pl.col("name").is_in(written), scope="LABEL")["name"])
        found |= {self._listed[span] for span in spelled & self._listed.keys()}
        return min(found, default=None)

    @cached_property
    def _listed(self) -> dict[str, str]:
        """Names of viruses, and values that runs and facts state, by their words in lower case."""
        return dict(self._con.execute(_LISTED).fetchall())


def _counting(terms: pl.DataFrame) -> tuple[list[str], list[str | None]]:
    """Return the names of ``terms`` that may count, and the term that a run has to carry.

    None in place of the term: a taxon by more than one word, or by a synonym, counts anywhere.
    """
    names, curies = [], []
    for row in terms.iter_rows(named=True):
        is_telling = row["scope"] != "LABEL" or " " in row["name"]
        is_taxon = row["ontology"] == NCBI_TAXON
        if row["ontology"] != "ICTV":
            names.append(row["name"])
            curies.append(None if is_taxon and is_telling else row["curie"])
    return names, curies


def _other_number(span: str) -> Iterator[str]:
    """Yield ``span`` with its last word in the singular and in the plural.

    >>> sorted(_other_number("bat")), sorted(_other_number("be"))
    (['bates', 'bats'], [])
    """
    if len(span) < _SHORTEST:
        return
    yield f"{span}s"
    yield f"{span}es"
    for ending, singular in (("s", ""), ("es", ""), ("ies", "y")):
        if span.endswith(ending):
            one = span.removesuffix(ending) + singular
            yield from (one, f"{one}s")


def _spans(words: Sequence[str]) -> Iterator[str]:
    for start in range(len(words)):
        for end in range(start + 1, min(start + _LONGEST, len(words)) + 1):
            yield " ".join(words[start:end])


def _folded(column: str) -> str:
    """Return the SQL of a name as stretches of a sentence are written."""
    return f"trim(regexp_replace(lower({column}), '[^\\pL\\pN]+', ' ', 'g'))"


_IS_NO_ABBREVIATION: Final = "(name <> upper(name) OR name LIKE '%V')"
_LISTED: Final = f"""
SELECT {_folded("name")}, min(name) FROM (
    SELECT name FROM virus_name WHERE kind <> 'abbreviation' OR name LIKE '%V'
    UNION ALL SELECT name FROM dangerous_name
    UNION ALL SELECT DISTINCT value FROM fact
    UNION ALL SELECT DISTINCT split_part(value, ':', 1) FROM fact WHERE facet = 'geography'
    UNION ALL SELECT DISTINCT reported_name FROM detection
)
WHERE {_IS_NO_ABBREVIATION} GROUP BY 1
"""
_FOUND: Final = f"""
WITH named AS (SELECT unnest($names::VARCHAR[]) AS name, unnest($curies::VARCHAR[]) AS curie),
carried AS (
    SELECT curie FROM annotation WHERE curie IN (SELECT curie FROM named)
    UNION SELECT ancestor FROM closure
    WHERE ancestor IN (SELECT curie FROM named) AND ancestor LIKE 'NCBITaxon:%'
    UNION SELECT virus FROM detection WHERE virus IN (SELECT curie FROM named)
)
SELECT name FROM named
WHERE (curie IS NULL OR curie IN (FROM carried))
  AND {_folded("name")} IN (SELECT unnest($spelled::VARCHAR[])) AND {_IS_NO_ABBREVIATION}
"""
