"""From the words of a question to its requests, or to what may be meant, or to a refusal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import duckdb
from pydantic import ValidationError

from query.errors import EmptyQuestionError, QuestionTooLongError
from query.languages import language_of
from query.reading.accessions import accessions_in, described_accession
from query.reading.canonical import has_known_names, read_canonical
from query.reading.composing import composed
from query.reading.deciding import (
    MOST_CHOICES,
    SURE,
    DraftedPart,
    MeasureDraft,
    decided,
    settled,
)
from query.reading.following import followed, follows, unchanged_set, whole_set
from query.reading.items import Item, items_of
from query.reading.masking import masked
from query.reading.measures import REFUSE, likely_measures
from query.reading.names import FoundName, find_names
from query.reading.parts import leans_on, parts_of, points_back
from query.reading.reading import Form, NameInQuestion, Need, Reading
from query.reading.spelling import corrected, mark_corrected
from query.reading.stored import asks_for_records, stored_parts, stored_request
from query.reading.tokens import Token, tokens_of
from query.reading.tuned import read_tuned
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
    language = language_of(line)
    found = find_names(con, tokens, in_english=language is not None)
    mended = corrected(con, tokens, found)
    if mended != tokens:
        tokens, found = mended, mark_corrected(find_names(con, mended), mended, line)
    items = items_of(tokens, found)
    names = tuple(_named(name, tokens, line) for name in found)
    form = _form(items)
    parts = parts_of(items)
    if previous is not None and follows(items, parts=len(parts)):
        measure, _ = likely_measures(items)[0]
        edited = followed(previous, items, measure)
        if edited is not None:
            return Reading(line, (edited,), names=names, form=form, needs=_needs(items))
    decision = decided(line, _drafted(con, stored_parts(parts)))
    tuned = read_tuned(masked(line, tokens, found))
    if tuned is not None and (tuned.requests or language is None):
        decision = settled(decision, tuned, items)
    return Reading(
        line,
        decision.requests,
        decision.choices,
        names,
        decision.ignored,
        decision.unknown if language is None else (),
        form,
        _needs(items),
        decision.refusal,
        decision.elsewhere,
        language,
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
    """Return the requests that each part may make; it may be about the runs of the one before."""
    drafted: list[DraftedPart] = []
    before: Request | None = None
    for items in parts:
        runs = _runs_before(before, items)
        ranked = likely_measures(items)
        refused = next(share for measure, share in ranked if measure == REFUSE)
        likeliest, its_share = ranked[0]
        is_stored = asks_for_records(items) or (likeliest == "records" and its_share >= SURE)
        drafts: list[MeasureDraft] = []
        for stored in (True, False) if is_stored else (False,):
            for measure, share in ranked:
                request = _request(con, items, measure, runs, before=before, is_stored=stored)
                if request is not None and len(drafts) < MOST_CHOICES:
                    drafts.append(MeasureDraft(request, measure, 1.0 if stored else share))
            if drafts:
                is_stored = stored
                break
        loose = () if is_stored and drafts else tuple(items)
        drafted.append(DraftedPart(loose, tuple(drafts), 0.0 if is_stored else refused))
        before = drafts[0].request if drafts else before
    return drafted


def _runs_before(before: Request | None, items: Sequence[Item]) -> RunSet | None:
    """Return the runs of the request ``before`` that a part is about, too."""
    if before is None:
        return None
    if points_back(items):
        return whole_set(before)
    return unchanged_set(before, items) if leans_on(items) else None


def _request(
    con: duckdb.DuckDBPyConnection,
    items: Sequence[Item],
    measure: str,
    runs: RunSet | None,
    *,
    before: Request | None,
    is_stored: bool,
) -> Request | None:
    """Return what a part asks as a measure of the kind ``measure``; None where it makes none."""
    if measure == REFUSE:
        return None
    if is_stored or measure == "records":
        return stored_request(con, list(items), before) if measure == "records" else None
    if measure == "describe" and accessions_in(items):
        return described_accession(items)
    try:
        return composed(items, measure, runs)
    except ValidationError:  # words that make no request that the language allows
        return None


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
