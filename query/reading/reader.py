"""From the words of a question to its requests, or to what may be meant, or to a refusal."""

from __future__ import annotations

from collections.abc import Sequence

import duckdb

from query.reading.composing import composed
from query.reading.items import Item, items_of
from query.reading.measures import REFUSE, likely_measures
from query.reading.names import FoundName, find_names
from query.reading.parts import parts_of, points_back
from query.reading.reading import Form, NameInQuestion, Reading
from query.reading.stored import asks_for_records, described_accession, stored_parts, stored_request
from query.reading.tokens import Token, tokens_of
from query.request import Request, RunSet


def read(con: duckdb.DuckDBPyConnection, text: str, *, previous: Request | None = None) -> Reading:
    """Return ``text`` as it is read; ``previous`` is the request that a follow-up edits."""
    tokens = tokens_of(text)
    found = find_names(con, tokens)
    items = items_of(tokens, found)
    requests: list[Request] = []
    before: RunSet | None = previous.of if previous else None
    refusal = None
    for part in stored_parts(parts_of(items)):
        runs = before if requests and points_back(part) else None
        request = None
        is_stored = asks_for_records(part)
        for measure, share in likely_measures(part):
            if measure == REFUSE:
                if share > 0.5:
                    refusal = "the index does not hold that"
                    break
                continue
            if is_stored or measure == "records":
                request = stored_request(con, part, requests[-1] if requests else None)
                break
            accession = described_accession(part) if measure == "describe" else None
            request = accession or composed(part, measure, runs)
            if request is not None:
                break
        if request is not None:
            requests.append(request)
            before = request.of
    names = tuple(_named(name, tokens, text) for name in found)
    if refusal and not requests:
        return Reading(text, names=names, refusal=refusal)
    return Reading(text, tuple(requests), names=names, form=_form(items))


def _named(name: FoundName, tokens: Sequence[Token], text: str) -> NameInQuestion:
    start, end = tokens[name.first].start, tokens[name.last - 1].end
    return NameInQuestion(
        text[start:end], start, end, name.kind, name.name, name.curie, name.corrected
    )


def _form(items: Sequence[Item]) -> Form:
    forms = [item.value.partition(":")[2] for item in items if item.value.startswith("form:")]
    return forms[0] if forms else "sentence"  # type: ignore[return-value]
