"""Identifiers of terms and shortened names in a question, read as the names they stand for."""

from __future__ import annotations

import re
from typing import Final

import duckdb

from query.reading.names.labels import labels_of
from query.reading.names.vocabulary import live_identifier

_IDENTIFIERS: Final = re.compile(
    r"\b(?:(?:ncbi[ :]?)?(?:tax(?:on(?:omy|omic)?)?[ _-]?(?:ids?|identifiers?|numbers?)|txid)"
    r"\s*[:#=]?\s*(?P<taxon>\d+)"
    r"|(?:ncbitaxon|bto|doid)[:_]\d+)\b",
    re.IGNORECASE,
)
"""taxid 9606, txid9606, NCBITaxon:9606, BTO:0000759, DOID_2841."""
_SHORTENED: Final = re.compile(r"\b(?P<genus>[A-Z][a-z]{0,2})\. ?(?P<epithet>[a-z]{3,})\b")
"""A. aegypti, Cx. pipiens."""
_SPECIES_OF_RUNS: Final = """
SELECT DISTINCT value FROM annotation
WHERE facet IN ('label', 'host') AND value LIKE $first || '% ' || $epithet
  AND value NOT LIKE '% % %'
"""


def with_labels(con: duckdb.DuckDBPyConnection, text: str) -> str:
    """Return ``text`` with the label of its term for each identifier; a retired one means its
    successor, and one that no term has is left as it is. A genus that is shortened is that of the
    one species of runs that it may stand for.
    """
    spelled = text
    for found in _SHORTENED.finditer(text):
        letters = found["genus"]
        first = letters[0] + "%".join(["", *letters[1:]])
        asked = {"first": first, "epithet": found["epithet"]}
        species = con.execute(_SPECIES_OF_RUNS, asked).fetchall()
        if len(species) == 1:
            spelled = spelled.replace(found[0], str(species[0][0]), 1)
    for found in _IDENTIFIERS.finditer(text):
        label = _label_of(con, found)
        if label:
            spelled = spelled.replace(found[0], label, 1)
    return spelled


def _label_of(con: duckdb.DuckDBPyConnection, found: re.Match[str]) -> str | None:
    """Return the label of the term that is identified, None where there is no such term."""
    curie = live_identifier(con, f"txid{found['taxon']}" if found["taxon"] else found[0])
    return labels_of(con, [curie]).get(curie) if curie else None
