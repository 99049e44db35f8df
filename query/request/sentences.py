"""The sentences of canonical English, each written once: requests are said and read by them.

A sentence has a place ``{part:kind}`` for each part of a request that it says, and brackets around
what it says only of a part that differs from its default. ``fixed`` are parts that the words imply.
The first sentence that says all parts of a request is the one that is said.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from typing import Any, Final, NamedTuple, get_args

from query.request.hits import Hit
from query.request.measures import (
    Compare,
    Count,
    Describe,
    DescribedKind,
    Evidence,
    Exists,
    Like,
    Predicted,
    Rank,
    Records,
    Rows,
    Share,
    SortBy,
    Summary,
    Values,
    Where,
)
from query.request.records import TABLES
from query.request.run_sets import Between, Carries, Everything, Has, Mentions, Searched, Top


class Sentence(NamedTuple):
    """A sentence, or a clause of one, that says a part of a request of the class ``of``."""

    of: type
    text: str
    fixed: Mapping[str, Any] = {}


class Slot(NamedTuple):
    """The place of a part of a request in a sentence; the kind says how it is put in words."""

    part: str
    kind: str


class Option(NamedTuple):
    """Pieces of a sentence that are said only of a part that differs from its default."""

    pieces: tuple[str | Slot, ...]


Piece = str | Slot | Option

CHOICES: Final[Mapping[str, Mapping[Any, str]]] = {
    "evidence": {
        "species": "at 90 percent identity or more",
        "known": "of known identity",
        "reported": "only as reported",
    },
    "named": {True: "named to genus or species", False: "not named to genus or species"},
    "order": {"fewest": "fewest first", "value": "in order of value"},
    "direction": {True: "descending", False: "ascending"},
    "rank": {rank: rank for rank in get_args(Rank)},
    "described": {kind: kind for kind in get_args(DescribedKind)},
    "table": {table: table for table in TABLES},
    "exactly": {False: "exactly"},
    "title": {"title": "in a title"},
}
"""Kinds of parts that have few values, with the words for each."""

HIT: Final = (
    Sentence(
        Hit,
        "{virus:viruses}[ other than {other_than:names}][ {evidence:evidence}][ {named:named}]"
        "[ with identity {identity:range}][ with reads {reads:range}][ with score {score:range}]"
        "[ with coverage {coverage:range}][ detected by {source:names}][ of sOTU {sotu:names}]"
        "[ reported as {reported:names}][ of risk group {risk:names}][ with {genome:names} genome]"
        "[ judged {plausibility:names}][ recorded in {infects:names}]",
    ),
)
_VALUES: Final = "[{below:exactly} ]{values:names}"
_VALUED: Final = {
    "tissue": "are from the tissue",
    "cell_line": "are from the cell line",
    "country": "are from the country",
    "sea": "are from the sea",
    "place": "are from the place",
    "biome": "are from the biome",
    "disease": "have the disease",
    "study": "are of study",
    "project": "are of BioProject",
    "biosample": "are of BioSample",
    "community": "are in community",
}
"""Clauses for values of fields that are not said "have X as F"."""
CLAUSES: Final = (
    Sentence(Everything, "are in the index"),
    Sentence(Carries, "carry {hit:hit}"),
    Sentence(Searched, "were searched[ by {source:names}][ for {virus:names}]"),
    Sentence(Mentions, "mention {words:all}[ {where:title}]"),
    Sentence(Top, "have the most common {field:field} among ({of:runs})"),
    Sentence(Top, "have one of the {n:whole} most common {field:fields} among ({of:runs})"),
    Sentence(Has, "state {field:a field}"),
    *(Sentence(Has, f"{clause} {_VALUES}", {"field": name}) for name, clause in _VALUED.items()),
    Sentence(Has, "have {field:a field} containing {contains:name}"),
    Sentence(Has, f"have {_VALUES} as {{field:field}}[ with a share {{share:range}} percent]"),
    Sentence(Between, "were released {range:range}", {"field": "released"}),
    Sentence(Between, "were collected {range:range}", {"field": "collected"}),
    Sentence(Between, "have {field:a field} {range:range}"),
)
"""Clauses that follow "runs that"; the verb is the first word."""
EACH: Final = (
    Sentence(Count, "the number of {unit:units}"),
    Sentence(Share, "the share that {part:clause}"),
    Sentence(Summary, "a summary of {number:field}"),
)
"""What is measured for each value of a list."""
WHERE: Final = (
    Sentence(Where, "where {column:word} is {values:names}"),
    Sentence(Where, "where {column:word} containing {contains:name}"),
    Sentence(Where, "where {column:word} {range:range}"),
)
FIELD_ORDER: Final = (Sentence(SortBy, "by {by:field}, {descending:direction}"),)
WORD_ORDER: Final = (Sentence(SortBy, "by {by:word}, {descending:direction}"),)
_ROWS_OF: Final = "[; {where:wheres}][; {order:word order}][; the first {limit:whole}]."
MEASURES: Final = (
    Sentence(Count, "How many runs are there?"),
    Sentence(Count, "How many runs {of:clause}?"),
    Sentence(Count, "In how many runs is {hits:hit} found?"),
    Sentence(Count, "In how many of the {of:runs} is {hits:hit} found?"),
    Sentence(Count, "How many {unit:units}[ of {hits:hit}] are in {of:runs}?"),
    Sentence(Exists, "Are there any runs[ that {of:clause}]?"),
    Sentence(Share, "Of {of:runs}, what share {part:clause}?"),
    Sentence(
        Values,
        "List {by:listed}[ of {hits:hit}] in {of:runs}[; rolled up to {level:rank}]"
        "[; at level {level:whole}][; only under {under:names}][; other than {other_than:names}]"
        "[; absent from {absent_in:runs}][; found also in {found_in:runs}][; with {each:each}]"
        "[; at least {at_least:number}][; {order:order}][; the first {limit:whole}].",
    ),
    Sentence(
        Rows,
        "Show {columns:columns}[ of {hits:hit}] for {of:runs}[; {order:field order}]"
        "[; the first {limit:whole}].",
    ),
    Sentence(Summary, "Summarise {number:field}[ of {hits:hit}] in {of:runs}."),
    Sentence(Compare, "Compare {sides:sides}: {measure:measure}"),
    Sentence(Evidence, "What is the evidence for {hit:hit} in {of:runs}?"),
    Sentence(Describe, "Describe the {kind:described} {id:name}."),
    Sentence(Records, f"Count {{table:table}} by {{by:words}}{_ROWS_OF}"),
    Sentence(Records, f"Count {{table:table}}{_ROWS_OF}", {"count": True}),
    Sentence(Records, f"Show {{columns:words}} of {{table:table}}{_ROWS_OF}"),
    Sentence(Records, f"List {{table:table}}{_ROWS_OF}"),
    Sentence(Like, "Which {limit:whole} viruses are most like {virus:name}?"),
    Sentence(Predicted, "Which {limit:whole} hosts are predicted for {virus:name}?"),
    Sentence(Predicted, "Which {limit:whole} viruses are predicted in {host:name}?"),
)


def denied(clause: str) -> str:
    """Return the negation of a clause.

    >>> denied("carry EBV"), denied("are in the index")
    ('do not carry EBV', 'are not in the index')
    """
    verb, _, rest = clause.partition(" ")
    return f"{verb} not {rest}" if verb in ("are", "were") else f"do not {clause}"


@functools.cache
def pieces_of(sentence: str) -> tuple[Piece, ...]:
    """Return the pieces of a sentence, in order."""
    parts = re.split(r"\[(.*?)\]", sentence)
    pieces: list[Piece] = []
    for place, part in enumerate(parts):
        plain = tuple(_plain_pieces(part))
        pieces += [Option(plain)] if place % 2 else plain
    return tuple(pieces)


def _plain_pieces(text: str) -> list[str | Slot]:
    split = re.split(r"\{(\w+):([\w ]+)\}", text)
    pieces: list[str | Slot] = []
    for words, part, kind in zip(split[::3], [*split[1::3], ""], [*split[2::3], ""], strict=True):
        pieces += [words] if words else []
        pieces += [Slot(part, kind)] if part else []
    return pieces
