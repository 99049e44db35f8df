"""Clean the text of submitters: what is not text is removed on reading, and counted.

Anybody can write metadata. Control characters and escape sequences command a terminal, characters
for the direction of writing and of no width make one text look like another, and the syntax of
citations would make a title look like evidence. The first two are removed, line breaks become
blanks, and braces and brackets of citations are set apart so that they cannot be read as one.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import polars as pl

from index.records import CLEANED_SCHEMA, CONTRACTS, Records
from index.sources.tabular import to_table
from ontology_etl.tables import Rejected, conform

_SEQUENCES: Final = (
    r"\x1b\[[0-?]*[ -/]*[@-~]"
    r"|\x1b[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)?"
    r"|\x1b[ -/]*[0-~]"
    r"|\x9b[0-?]*[ -/]*[@-~]"
)
"""Escape sequences of terminals: CSI, OSC and other strings, and two-character ones."""
_HIDDEN: Final = (
    r"[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\u{ad}\u{61c}\u{115f}\u{1160}\u{17b4}\u{17b5}"
    r"\u{180b}-\u{180e}\u{200b}-\u{200f}\u{202a}-\u{202e}\u{2060}-\u{206f}\u{3164}\u{feff}"
    r"\u{ffa0}\u{fff9}-\u{fffb}\u{e0000}-\u{e007f}]"
)
"""Control characters, marks of direction, characters of no width, tags."""
_BREAKS: Final = r"[\t\n\x0b\x0c\r\x85\u{2028}\u{2029}]+"
_CITES: Final = r"\[(\s*(?:Filters\b|LLM\s*:))"
_TO_CLEAN: Final = rf"{_SEQUENCES}|{_HIDDEN}|{_BREAKS}|\{{\{{|\}}\}}|{_CITES}"
"""A pattern found in every text that has to be cleaned."""


def clean_text(text: pl.Expr) -> pl.Expr:
    """Return ``text`` without control sequences and hidden characters, on one line, citing nothing.

    >>> said = ["li\\u200bver", "\\x1b[2Jlung", "a\\u2028b", "x [Filters: {{tissue: leaf}}]"]
    >>> pl.select(clean_text(pl.lit(pl.Series(said)))).to_series().to_list()
    ['liver', 'lung', 'a b', 'x (Filters: { {tissue: leaf} }]']
    """
    visible = text.str.replace_all(_SEQUENCES, "").str.replace_all(_HIDDEN, "")
    on_one_line = visible.str.replace_all(_BREAKS, " ")
    uncited = on_one_line.str.replace_all(_CITES, "(${1}")

    for brace in "{}":
        apart = f"{brace} {brace}"
        for _ in range(2):  # repeated for overlapping pairs
            uncited = uncited.str.replace_all(2 * brace, apart, literal=True)
    return uncited


def clean_records(records: Records, source: str) -> Records:
    """Return ``records`` with the text of every table cleaned; ``cleaned`` counts the cells."""
    cells = 0
    changed: dict[str, pl.DataFrame] = {}
    for name, schema in CONTRACTS.items():
        table = getattr(records, name)
        to_clean = _cells_to_clean(table)
        if to_clean:
            cells += sum(to_clean.values())
            changed[name] = to_table(_cleaned(table, list(to_clean)), schema)
    if _cells_to_clean(records.rejected):
        cleaned = _cleaned(records.rejected, ["reason"])
        changed["rejected"] = conform(cleaned, Rejected)
    if not changed:
        return records
    row = pl.DataFrame([(source, cells)], schema=CLEANED_SCHEMA, orient="row")
    return replace(records, **changed, cleaned=row)


def _cells_to_clean(table: pl.DataFrame) -> dict[str, int]:
    """Return the number of cells to clean of each column that has any."""
    texts = [name for name, kind in table.schema.items() if kind == pl.String]
    if table.is_empty() or not texts:
        return {}
    to_clean = pl.col(texts).str.contains(_TO_CLEAN).sum()
    counts = table.lazy().select(to_clean).collect(engine="streaming").row(0, named=True)
    return {name: int(count) for name, count in counts.items() if count}


def _cleaned(table: pl.DataFrame, columns: list[str]) -> pl.DataFrame:
    text = clean_text(pl.col(columns)).str.strip_chars().replace("", None)
    return table.with_columns(text)
