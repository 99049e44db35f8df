"""Checks on the clauses of an OBO file; each returns the faults that it finds.

A fault is fatal where what the ontology says changes without the clause; a file may have few.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import fastobo
import polars as pl

from ontology_etl.curies import CURIE, has_prefix

STRUCTURAL: Final = (
    "id",
    "is_a",
    "relationship",
    "intersection_of",
    "union_of",
    "alt_id",
    "is_obsolete",
    "replaced_by",
)

REFERENCES: Final = (
    "is_a",
    "relationship",
    "intersection_of",
    "union_of",
    "disjoint_from",
    "consider",
    "replaced_by",
)

_UNDECODABLE: Final = "\N{REPLACEMENT CHARACTER}"
_RELATED: Final = rf"^(?:\S+ +)?{CURIE[1:]}"
_FAULT: Final = pl.Schema({"row": pl.Int64, "reason": pl.String, "fatal": pl.Boolean})

IS_TERM: Final = pl.col("frame") == "Term"
IS_REFERENCE: Final = pl.col("tag").is_in(REFERENCES)
TARGET: Final = pl.col("value").str.extract(r"(\S+)$")
"""What a reference clause points to."""


def _fault(rows: pl.DataFrame, reason: str | pl.Expr, *, fatal: bool | pl.Expr) -> pl.DataFrame:
    said = pl.lit(reason) if isinstance(reason, str) else reason
    is_fatal = pl.lit(fatal) if isinstance(fatal, bool) else fatal
    faults = rows.select(
        "row",
        reason=said,
        fatal=is_fatal.fill_null(False),
    )
    return faults.cast(_FAULT)


def _undecodable(clauses: pl.DataFrame, _prefix: str) -> pl.DataFrame:
    has_replacement = pl.col("line").str.contains(
        _UNDECODABLE,
        literal=True,
    )
    rows = clauses.filter(has_replacement)
    return _fault(
        rows,
        "bytes that are not UTF-8",
        fatal=pl.col("tag").is_in(STRUCTURAL),
    )


def _foreign_frames(clauses: pl.DataFrame, _prefix: str) -> pl.DataFrame:
    """Return the clauses of stanzas that are neither terms nor relationship types."""
    is_read = pl.col("frame").is_in(["Term", "Typedef"])
    rows = clauses.filter(pl.col("stanza") > 0, ~is_read)
    return _fault(rows, "stanza is neither a term nor a relationship type", fatal=False)


def _anonymous(clauses: pl.DataFrame, _prefix: str) -> pl.DataFrame:
    in_stanza = pl.col("stanza") > 0
    is_nameless = pl.col("id").is_null()
    rows = clauses.filter(in_stanza, is_nameless)
    return _fault(rows, "stanza without an id", fatal=False)


def _untagged(clauses: pl.DataFrame, _prefix: str) -> pl.DataFrame:
    """Return lines of a stanza that are not clauses: a text continued without a backslash."""
    opens_stanza = pl.col("line").str.starts_with("[")
    rows = clauses.filter(pl.col("stanza") > 0, pl.col("tag").is_null(), ~opens_stanza)
    return _fault(rows, "not a clause of the OBO format", fatal=False)


def _misnamed(clauses: pl.DataFrame, prefix: str) -> pl.DataFrame:
    """Return ids of this ontology that are not CURIEs."""
    value = pl.col("value")
    own = clauses.filter(
        IS_TERM,
        pl.col("tag") == "id",
        has_prefix(value, prefix),
    )
    rows = own.filter(~value.str.contains(CURIE))
    return _fault(rows, "id is no CURIE", fatal=True)


def _stated_twice(clauses: pl.DataFrame, _prefix: str) -> pl.DataFrame:
    """Return repeated ids and names in a stanza; fatal if they differ from the first."""
    is_single = pl.col("tag").is_in(["id", "name", "is_obsolete"])
    single = clauses.filter(pl.col("stanza") > 0, is_single)
    first = pl.col("value").first().over("stanza", "tag")
    compared = single.with_columns(differs=first != pl.col("value"))
    is_first = pl.struct("stanza", "tag").is_first_distinct()
    again = compared.filter(~is_first)
    return _fault(
        again,
        pl.format("{} stated twice in one stanza", "tag"),
        fatal=pl.col("differs"),
    )


def _repeated_terms(clauses: pl.DataFrame, _prefix: str) -> pl.DataFrame:
    """Return the clauses of repeated stanzas of an id; fatal if name or structure differ."""
    terms = clauses.filter(IS_TERM)
    defining = terms.filter(pl.col("tag").is_in([*STRUCTURAL, "name"]))
    clause = pl.format("{} {}", "tag", "value")
    said = clause.unique().sort().str.join("\n")
    stanzas = defining.group_by("id", "stanza").agg(said=said).sort("stanza")
    compared = stanzas.with_columns(first=pl.col("said").first().over("id"))
    second = compared.filter(~pl.col("id").is_first_distinct())
    again = second.select(
        "stanza",
        differs=pl.col("said") != pl.col("first"),
    )
    rows = terms.join(again, on="stanza")
    return _fault(
        rows,
        pl.format("second stanza of {}", "id"),
        fatal=pl.col("differs"),
    )


def _malformed(clauses: pl.DataFrame, _prefix: str) -> pl.DataFrame:
    """Return the clauses that the OBO grammar does not accept."""
    bad: list[int] = []
    for _, stanza in clauses.group_by("stanza", maintain_order=True):
        bad.extend(unreadable_rows(stanza))
    rows = clauses.filter(pl.col("row").is_in(bad))
    return _fault(
        rows,
        "not a clause of the OBO format",
        fatal=pl.col("tag").is_in(STRUCTURAL),
    )


def _unclear(clauses: pl.DataFrame, _prefix: str) -> pl.DataFrame:
    """Return references that are not CURIEs.

    A relationship may precede it in the clauses that take a relationship.
    """
    value = pl.col("value")
    takes_relation = pl.col("tag").is_in(["relationship", "intersection_of"])
    is_single = ~value.str.contains(" ")
    is_clear = value.str.contains(_RELATED) & (takes_relation | is_single)
    rows = clauses.filter(
        IS_TERM,
        IS_REFERENCE,
        ~is_clear,
    )
    return _fault(
        rows,
        "not a reference to a term",
        fatal=pl.col("tag").is_in(STRUCTURAL),
    )


def _dangling(clauses: pl.DataFrame, prefix: str) -> pl.DataFrame:
    """Return references to a term of this ontology that does not exist.

    References to terms of other ontologies are kept.
    """
    is_id = pl.col("tag") == "id"
    known = clauses.filter(IS_TERM, is_id)["value"]
    cited = clauses.filter(IS_TERM, IS_REFERENCE)
    is_own = has_prefix(TARGET, prefix)
    is_known = TARGET.is_in(known.implode())
    rows = cited.filter(is_own, ~is_known)
    reason = pl.format("{} points to a term that does not exist", "tag")
    return _fault(rows, reason, fatal=False)


def _reflexive(clauses: pl.DataFrame, _prefix: str) -> pl.DataFrame:
    cited = clauses.filter(IS_TERM, IS_REFERENCE)
    rows = cited.filter(pl.col("id") == TARGET)
    reason = pl.format("{} points to the term itself", "tag")
    return _fault(rows, reason, fatal=False)


def _lonely(clauses: pl.DataFrame, _prefix: str) -> pl.DataFrame:
    """Return logical definitions with a single part; the format requires at least two."""
    is_part = pl.col("tag").is_in(["intersection_of", "union_of"])
    parts = clauses.filter(IS_TERM, is_part)
    count = pl.len().over("stanza", "tag")
    rows = parts.filter(count == 1)
    return _fault(rows, pl.format("a single {} defines nothing", "tag"), fatal=False)


_BEFORE_GRAMMAR: Final = (
    _undecodable,
    _foreign_frames,
    _anonymous,
    _untagged,
    _misnamed,
    _stated_twice,
    _repeated_terms,
)
_AFTER_GRAMMAR: Final = (_unclear, _dangling, _reflexive, _lonely)
CHECKS: Final = (*_BEFORE_GRAMMAR, *_AFTER_GRAMMAR)
"""In order: each sees the clauses that the checks before it left."""
ALL_CHECKS: Final = (*_BEFORE_GRAMMAR, _malformed, *_AFTER_GRAMMAR)


def unreadable_rows(stanza: pl.DataFrame) -> Iterator[int]:
    """Yield the row of each clause of one stanza that the OBO grammar does not accept."""
    lines = dict(stanza.select("row", "line").iter_rows())
    while lines:
        try:
            fastobo.loads("\n".join(lines.values()) + "\n")
        except SyntaxError as error:
            place = min(error.lineno or 1, len(lines)) - 1
            row = list(lines)[place]
            del lines[row]
            yield row
        else:
            return
