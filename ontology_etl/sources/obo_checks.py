"""Checks on the clauses of an OBO file; each returns the faults that it finds.

A fault is fatal if the ontology would say something else without the clause; a file may have few.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

import fastobo
import polars as pl

from ontology_etl.curies import CURIE, has_prefix

STRUCTURAL: Final = (
    "id", "is_a", "relationship", "intersection_of", "union_of", "alt_id", "is_obsolete",
    "replaced_by",
)  # fmt: skip
REFERENCES: Final = (
    "is_a", "relationship", "intersection_of", "union_of", "disjoint_from", "consider",
    "replaced_by",
)  # fmt: skip
_RELATED: Final = rf"^(?:\S+ +)?{CURIE[1:]}"
_NO_CLAUSE: Final = "not a clause of the OBO format"
_TAG: Final = pl.col("tag")
_VALUE: Final = pl.col("value")
_LINE: Final = pl.col("line")
_IN_STANZA: Final = pl.col("stanza") > 0
_ONCE_A_STANZA: Final = ("stanza", "tag")

IS_TERM: Final = pl.col("frame") == "Term"
IS_REFERENCE: Final = _TAG.is_in(REFERENCES)
IS_STRUCTURAL: Final = _TAG.is_in(STRUCTURAL)
TARGET: Final = _VALUE.str.extract(r"(\S+)$")
"""What a reference clause points to."""

Check = Callable[[pl.DataFrame], pl.DataFrame]
"""Returns [row, fatal, reason] of the clauses at fault."""


def checks_of(prefix: str, *, grammar: bool) -> list[Check]:
    """Return the checks in order, each for what the others left; those by ``grammar`` are slow."""
    by_grammar = [_malformed] if grammar else []
    return [*_checks_of_stanzas(prefix), _repeated_terms, *by_grammar, *_checks_of_links(prefix)]


def _check(reason: str, *conditions: pl.Expr, fatal: pl.Expr | bool = False) -> Check:
    """Return a check for clauses that meet all ``conditions``; ``{}`` in ``reason`` is the tag."""
    said = pl.format(reason, "tag") if "{}" in reason else pl.lit(reason)
    is_fatal = pl.lit(fatal) if isinstance(fatal, bool) else fatal.fill_null(False)

    def check(clauses: pl.DataFrame) -> pl.DataFrame:
        judged = clauses.with_columns(fatal=is_fatal, at_fault=pl.all_horizontal(conditions))
        faulty = judged.filter("at_fault")
        return faulty.select("row", "fatal", reason=said)

    return check


def _checks_of_stanzas(prefix: str) -> list[Check]:
    is_repeated = ~pl.struct(_ONCE_A_STANZA).is_first_distinct()
    return [
        _check(
            "bytes that are not UTF-8",
            _LINE.str.contains("\N{REPLACEMENT CHARACTER}", literal=True),
            fatal=IS_STRUCTURAL,
        ),
        _check(
            "stanza is neither a term nor a relationship type",
            _IN_STANZA,
            ~pl.col("frame").is_in(["Term", "Typedef"]),
        ),
        _check("stanza without an id", _IN_STANZA, pl.col("id").is_null()),
        # a text continued without a backslash
        _check(_NO_CLAUSE, _IN_STANZA, _TAG.is_null(), ~_LINE.str.starts_with("[")),
        _check(
            "id is not a CURIE",
            IS_TERM,
            _TAG == "id",
            has_prefix(_VALUE, prefix),
            ~_VALUE.str.contains(CURIE),
            fatal=True,
        ),
        _check(
            "{} stated twice in one stanza",
            _IN_STANZA,
            _TAG.is_in(["id", "name", "is_obsolete"]),
            is_repeated,
            fatal=_VALUE.first().over(_ONCE_A_STANZA) != _VALUE,
        ),
    ]


def _checks_of_links(prefix: str) -> list[Check]:
    takes_relation = _TAG.is_in(["relationship", "intersection_of"])
    is_clear = _VALUE.str.contains(_RELATED) & (takes_relation | ~_VALUE.str.contains(" "))
    known = _VALUE.filter(IS_TERM, _TAG == "id").implode()
    return [
        _check("not a reference to a term", IS_TERM, IS_REFERENCE, ~is_clear, fatal=IS_STRUCTURAL),
        # references to terms of other ontologies stay
        _check(
            "{} points to a term that does not exist",
            IS_TERM,
            IS_REFERENCE,
            has_prefix(TARGET, prefix),
            ~TARGET.is_in(known),
        ),
        _check("{} points to the term itself", IS_TERM, IS_REFERENCE, pl.col("id") == TARGET),
        # the format requires two parts of a logical definition
        _check(
            "a single {} defines nothing",
            IS_TERM,
            _TAG.is_in(["intersection_of", "union_of"]),
            pl.len().over(_ONCE_A_STANZA) == 1,
        ),
    ]


def _repeated_terms(clauses: pl.DataFrame) -> pl.DataFrame:
    """Return the clauses of repeated stanzas of an id; fatal if name or structure differ."""
    terms = clauses.filter(IS_TERM)
    defining = terms.filter(_TAG.is_in([*STRUCTURAL, "name"]))
    said = pl.format("{} {}", "tag", "value").unique().sort().str.join("\n")
    stanzas = defining.group_by("id", "stanza").agg(said=said).sort("stanza")
    differs = pl.col("said") != pl.col("said").first().over("id")
    compared = stanzas.with_columns(fatal=differs.fill_null(False))
    second = compared.filter(~pl.col("id").is_first_distinct())
    rows = terms.join(second.select("stanza", "fatal"), on="stanza")
    reason = pl.format("second stanza of {}", "id")
    return rows.select("row", "fatal", reason=reason)


def _malformed(clauses: pl.DataFrame) -> pl.DataFrame:
    """Return the clauses that the OBO grammar does not accept."""
    bad: list[int] = []
    for _, stanza in clauses.group_by("stanza", maintain_order=True):
        bad.extend(unreadable_rows(stanza))
    return _check(_NO_CLAUSE, pl.col("row").is_in(bad), fatal=IS_STRUCTURAL)(clauses)


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
