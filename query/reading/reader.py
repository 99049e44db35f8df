"""From the words of a question to its requests, or to what may be meant, or to a refusal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import duckdb

from query.errors import EmptyQuestionError, QuestionTooLongError
from query.reading.canonical import has_known_names, read_canonical
from query.reading.composing import composed
from query.reading.deciding import MOST_CHOICES, SURE, Draft, DraftedPart, decided
from query.reading.following import followed, follows
from query.reading.items import Item, items_of
from query.reading.measures import REFUSE, likely_measures
from query.reading.names import FoundName, find_names
from query.reading.parts import parts_of, points_back
from query.reading.reading import Form, NameInQuestion, Need, Reading
from query.reading.stored import (
    accessions_in,
    asks_for_records,
    described_accession,
    stored_parts,
    stored_request,
)
from query.reading.tokens import Token, tokens_of
from query.request import Request, RunSet
from query.screening.screen import screen_question

MOST_CHARACTERS: Final = 1_000
"""Characters of the longest question."""


def read(con: duckdb.DuckDBPyConnection, text: str, *, previous: Request | None = None) -> Reading:
    """Return ``text`` as it is read; ``previous`` is the request that a follow-up edits.

    Raises ``EmptyQuestionError``, ``QuestionTooLongError`` and ``HarmfulQuestionError``.
    """
    line = _one_line(text)
    canonical = read_canonical(line)
    if canonical is not None and has_known_names(con, canonical):
        return Reading(line, (canonical,))
    tokens = tokens_of(line)
    found = find_names(con, tokens)
    items = items_of(tokens, found)
    names = tuple(_named(name, tokens, line) for name in found)
    form = _form(items)
    parts = stored_parts(parts_of(items))
    if previous is not None and follows(items, parts=len(parts)):
        measure, _ = likely_measures(items)[0]
        edited = followed(previous, items, measure)
        if edited is not None:
            return Reading(line, (edited,), names=names, form=form, needs=_needs(items))
    decision = decided(line, _drafted(con, parts))
    return Reading(
        line,
        decision.requests,
        decision.choices,
        names,
        decision.ignored,
        decision.unknown,
        form,
        _needs(items),
        decision.refusal,
        decision.elsewhere,
    )


def _one_line(text: str) -> str:
    """Return ``text`` as one line without control characters; raises as ``read``."""
    if len(text) > MOST_CHARACTERS:
        raise QuestionTooLongError(len(text), most=MOST_CHARACTERS)
    printable = "".join(letter if letter.isprintable() else " " for letter in text)
    line = " ".join(printable.split())
    if not any(letter.isalnum() for letter in line):
        raise EmptyQuestionError
    screen_question(line)
    return line


def _drafted(con: duckdb.DuckDBPyConnection, parts: Sequence[Sequence[Item]]) -> list[DraftedPart]:
    """Return the requests that each part may make; a part may be about the runs before it."""
    drafted: list[DraftedPart] = []
    before: RunSet | None = None
    for items in parts:
        runs = before if drafted and points_back(items) else None
        ranked = likely_measures(items)
        refused = next(share for measure, share in ranked if measure == REFUSE)
        is_stored = asks_for_records(items)
        if is_stored or (ranked[0][0] == "records" and ranked[0][1] >= SURE):
            drafted.append(_stored(con, items, drafted, 0.0 if is_stored else refused))
            continue
        drafts: list[Draft] = []
        for measure, share in ranked:
            request = None if measure in (REFUSE, "records") else composed(items, measure, runs)
            if measure == "describe":
                named = accessions_in(items)
                request = described_accession(items) if named else request
            if request is not None and len(drafts) < MOST_CHOICES:
                drafts.append(Draft(request, measure, share))
        drafted.append(DraftedPart(tuple(items), tuple(drafts), refused))
        before = drafts[0].request.of if drafts else before
    return drafted


def _stored(
    con: duckdb.DuckDBPyConnection,
    items: Sequence[Item],
    drafted: Sequence[DraftedPart],
    refused: float,
) -> DraftedPart:
    """Return the request of a part that asks for stored rows, whose words are all used."""
    before = drafted[-1].drafts if drafted else ()
    request = stored_request(con, items, before[0].request if before else None)
    if request is None:
        return DraftedPart(tuple(items), (), refused)
    other = tuple(item for item in items if item.kind != "word")
    return DraftedPart(other, (Draft(request, "records", 1.0),), refused)


def _needs(items: Sequence[Item]) -> frozenset[Need]:
    """Return what the words ask for besides a request."""
    needs: set[Need] = set()
    for item in items:
        if item.value == "doubt":
            needs.add("doubt")
        if item.value.startswith("assoc"):
            needs.add("associations")
        if item.value == "links":
            needs.add("links")
    return frozenset(needs)


def _named(name: FoundName, tokens: Sequence[Token], text: str) -> NameInQuestion:
    start, end = tokens[name.first].start, tokens[name.last - 1].end
    return NameInQuestion(
        text[start:end], start, end, name.kind, name.name, name.curie, name.corrected
    )


def _form(items: Sequence[Item]) -> Form:
    forms = [item.value.partition(":")[2] for item in items if item.value.startswith("form:")]
    return forms[0] if forms else "sentence"  # type: ignore[return-value]
