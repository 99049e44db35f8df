"""What a column of a table may mean: its possible headings, and what its cells look like.

The list is ``meanings.tsv``: add a new heading there, not a rule here.
"""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final

_LIST: Final = Path(__file__).with_name("meanings.tsv")
_IN_BRACKETS: Final = re.compile(r"\([^)]*\)|\[[^\]]*\]")
_NO_LETTER: Final = re.compile(r"[^a-z0-9]+")
_NUMBER_OF: Final = re.compile(r"\b(?:n|nb|nbr|no|nr|num|number)(?: of)?(?: the)? ")
_PERCENT: Final = re.compile(r"\b(?:pct|perc|percentage) ")
ATTRIBUTE: Final = "attribute:"
"""Prefix of the meaning of a column that is an attribute of the sample; its name follows."""
IGNORED: Final = "ignored:"
"""Prefix of the meaning of a column that a reader knows but does not use."""
ATTRIBUTES: Final = {
    "host": "host",
    "tissue": "tissue",
    "disease": "disease",
    "country": "geo_loc_name",
    "collection_date": "collection_date",
}
"""Meanings that are attributes of the sample, with the name of the attribute."""


@dataclass(frozen=True)
class Meaning:
    """What a column may mean; ``pattern`` is what an accession looks like, ``unit`` of a number."""

    name: str
    pattern: str
    unit: str
    headings: frozenset[str]
    what: str
    example: str


@lru_cache(maxsize=1)
def meanings() -> dict[str, Meaning]:
    """Return every meaning by its name, in the order of the list."""
    with _LIST.open(encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE))
    return {row["meaning"]: _meaning(row) for row in rows}


def _meaning(row: dict[str, str]) -> Meaning:
    written = row["headings"].split("|")
    headings = frozenset(fold_heading(heading) for heading in (row["meaning"], *written))
    return Meaning(
        row["meaning"], row["pattern"], row["unit"], headings, row["what"], row["example"]
    )


def fold_heading(heading: str) -> str:
    """Return a heading without case, signs and what is in brackets; every spelling of "number of"
    and "percent" is one.

    >>> [fold_heading(text) for text in ("Host species", "#BioSample_ID", "Age (months)")]
    ['hostspecies', 'biosampleid', 'age']
    >>> [fold_heading(text) for text in ("Nb reads", "No. of reads", "% identity", "Perc. ident")]
    ['numberreads', 'numberreads', 'percentidentity', 'percentident']
    """
    words = _NO_LETTER.sub(" ", _IN_BRACKETS.sub("", heading.lower()).replace("%", " percent "))
    spelled = _NUMBER_OF.sub("number ", f"{words} ".lstrip())
    return _PERCENT.sub("percent ", spelled).replace(" ", "")


def attribute_name(heading: str) -> str:
    """Return the name of the attribute for a heading: in lower case, on one line.

    >>> attribute_name(" Host  disease")
    'host disease'
    """
    return " ".join(heading.lower().split())
