"""Read a question: return its requests, readings to choose from, or a refusal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import duckdb

from query.compiler.resolving import Resolver
from query.compiler.virus_names import standing_of
from query.errors import EmptyQuestionError, QuestionTooLongError
from query.languages import language_of
from query.reading.canonical import has_known_names, read_all_canonical
from query.reading.choosing import candidates_of
from query.reading.deciding import Decision, decided, settled
from query.reading.drafting import drafted_parts
from query.reading.following import followed, follows, points_back, whole_set
from query.reading.found_name import FoundName
from query.reading.items import Item, items_of
from query.reading.masking import MaskedQuestion, masked
from query.reading.meanings import is_common
from query.reading.measures import likely_measures
from query.reading.names import find_names, is_below
from query.reading.parts import asks_what_goes_with, mentioned_words, parts_of
from query.reading.reading import Form, NameInQuestion, Need, Reading
from query.reading.spelling import corrected, mark_corrected, mended_where_used
from query.reading.stored import stored_parts
from query.reading.tokens import Token, tokens_of, with_digits
from query.reading.tuned import TunedReading, read_tuned
from query.request import Mentions, Records, Request, Values
from query.screening.screen import screen_question

NO_CHANGE: Final = "it is not clear what it changes in the question before"
"""Why a line that follows a question but names nothing is not read."""
MOST_COMMUNITIES: Final = 5
"""Number of communities listed if somebody asks what goes with what is found."""
MOST_CHARACTERS: Final = 1_000
"""Characters of the longest question."""


def read(con: duckdb.DuckDBPyConnection, text: str, *, previous: Request | None = None) -> Reading:
    """Return ``text`` as it is read; ``previous`` is the request that a follow-up edits.

    Raises ``EmptyQuestionError``, ``QuestionTooLongError`` and ``HarmfulQuestionError``.
    """
    line = _one_line(text)
    canonical = read_all_canonical(line)
    if canonical and all(has_known_names(con, request) for request in canonical):
        return Reading(line, canonical)
    tokens = tokens_of(line)
    language = language_of(line)
    found = find_names(con, tokens, in_english=language is not None)
    mended = corrected(con, tokens, found)
    if mended != tokens:
        found = mark_corrected(find_names(con, mended), mended, line)
        tokens = mended_where_used(mended, items_of(mended, found), line)
    items = items_of(tokens, found)
    names = tuple(_named(name, tokens, line) for name in found)
    form = _form(items)
    parts = parts_of(items)
    if len(parts) > 1 and asks_what_goes_with(parts[-1]):
        before = line[: tokens[parts[-1][0].first].start].rstrip(" ,;")
        return _with_communities(read(con, before.removesuffix(" and")), line)
    if previous is not None and follows(items, parts=len(parts)):
        measure, _ = likely_measures(items)[0]
        edited = followed(previous, items, measure)
        if edited is not None:
            return Reading(line, (edited,), names=names, form=form, needs=_needs(items))
        has_own = any(item.kind in ("name", "unit", "field") for item in items)
        if not has_own or (points_back(items) and isinstance(previous.measure, Records)):
            return Reading(line, names=names, form=form, refusal=NO_CHANGE)
    mentioned = mentioned_words(items)
    if mentioned and language is None:
        of_texts = Request(Values(("study",)), Mentions(mentioned))
        return Reading(line, (of_texts,), names=names, form=form, needs=_needs(items))
    decision = decided(line, drafted_parts(con, stored_parts(parts)))
    tuned = _readings(con, masked(line, tokens, found), items)
    reads = tuned is not None and any(reading.requests for reading in tuned)
    if tuned is not None and (reads or language is None):
        context = _context(items, tokens) if language is None else items
        loose = _LOOSE if language is None else ("word",)
        said = [item for item in items if item not in context or item.kind not in loose]
        decision = settled(decision, tuned, said, in_english=language is None)
        given = [item.text for item in context if item not in said and language is None]
        decision = replace(decision, ignored=(*decision.ignored, *given))
    return Reading(
        line,
        tuple(_of_its_kind(con, request, found) for request in decision.requests),
        decision.choices,
        names,
        decision.ignored,
        decision.unknown if language is None else (),
        form,
        _needs(items),
        decision.refusal,
        decision.elsewhere,
        language,
        unused=_unused(decision) if language is None else (),
    )


def _of_its_kind(
    con: duckdb.DuckDBPyConnection, request: Request, found: Sequence[FoundName]
) -> Request:
    """Return a list of values other than plants and rice as one of plants other than rice."""
    measure = request.measure
    if not isinstance(measure, Values) or len(measure.other_than) < 2 or measure.under:
        return request
    named = [name for name in found if name.name in measure.other_than]
    wide = [broad for broad in named if any(is_below(con, name, broad) for name in named)]
    if not wide:
        return request
    kinds = tuple(name.name for name in wide)
    others = tuple(name for name in measure.other_than if name not in kinds)
    narrowed = replace(measure, by=(wide[0].kind,), under=kinds, other_than=others)
    return replace(request, measure=narrowed)


def _context(items: Sequence[Item], tokens: Sequence[Token]) -> list[Item]:
    """Return the items of sentences about the person asking that ask nothing themselves.

    Examples: "we are validating an assay.", "nematologist here:", "as a plant breeder,".
    """
    found: list[Item] = []
    start = 0
    for place, token in enumerate(tokens):
        if token.text in _ENDS and start < place < len(tokens) - 1:
            first, last = tokens[start].lower.partition("'")[0], tokens[place - 1].lower
            is_context = first in _OF_ASKERS or last == "here"
            is_context = first == "as" if token.text == "," else is_context
            if is_context and token.text not in "!?":
                found += [item for item in items if start <= item.first < place]
                start = place + 1
            elif token.text in ".!?":
                start = place + 1
    return found


_ENDS: Final = ".!?:,-–—"
_OF_ASKERS: Final = frozenset({"i", "we", "my", "our", "hi", "hello", "working"})
"""First words of sentences about the person asking."""
_LOOSE: Final = ("word", "field")
"""Kinds of items that such a sentence may have without asking for them."""


def _readings(
    con: duckdb.DuckDBPyConnection, question: MaskedQuestion, items: Sequence[Item]
) -> tuple[TunedReading, ...] | None:
    """Return the readings of the tuned model with known names; several if one alone is in doubt."""
    readings = read_tuned(question)
    if readings is not None and len(readings) == 1:
        candidates, _ = candidates_of(readings, items)
        is_sure = bool(candidates) and not candidates[0].is_doubtful
        declines = any(not reading.requests for reading in readings)
        readings = readings if is_sure or declines else read_tuned(question, certain=1.0)
    if readings is None:
        return None
    return tuple(
        reading
        for reading in readings
        if all(has_known_names(con, request) for request in reading.requests)
        and not any(_lists_one_species(con, request) for request in reading.requests)
    )


def _lists_one_species(con: duckdb.DuckDBPyConnection, request: Request) -> bool:
    """Return whether a request lists the viruses that one species is: "which viruses are EBV"."""
    measure = request.measure
    if not isinstance(measure, Values) or measure.by[0] not in ("virus", "species"):
        return False
    named = measure.hits.virus if measure.hits is not None else ()
    if len(named) != 1 or len(measure.by) > 1:
        return False
    found = Resolver(con).viruses(named)
    standings = [standing_of(con, curie) for curie in found.curies]
    return all(standing is not None and not standing.is_above_species for standing in standings)


def _unused(decision: Decision) -> tuple[str, ...]:
    """Return the words that an answer does not use, except everyday words of other questions."""
    if not decision.requests:
        return ()
    uncommon = (word for word in decision.ignored if not is_common(word))
    return (*decision.unknown, *uncommon)


def _with_communities(reading: Reading, text: str) -> Reading:
    """Return ``reading`` with the communities of its runs.

    It is the reading of the beginning of ``text``, whose end asks what goes with what is found.
    """
    found = whole_set(reading.requests[-1]) if reading.requests else None
    if found is None:
        return replace(reading, text=text)
    linked = Request(Values(("community",), limit=MOST_COMMUNITIES), found)
    return replace(reading, text=text, requests=(*reading.requests, linked))


def _one_line(text: str) -> str:
    """Return ``text`` as one line without control characters; raises as ``read``."""
    if len(text) > MOST_CHARACTERS:
        raise QuestionTooLongError(len(text), most=MOST_CHARACTERS)
    printable = "".join(letter if letter.isprintable() else " " for letter in text)
    line = with_digits(" ".join(printable.split()))
    if not any(letter.isalnum() for letter in line):
        raise EmptyQuestionError
    screen_question(line)
    return line


def _needs(items: Sequence[Item]) -> frozenset[Need]:
    """Return what the words ask for that no request can say."""
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
