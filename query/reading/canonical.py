"""Canonical English read back: the exact inverse of ``query.request.say``, by the same sentences.

A text says exactly one request, so nothing is guessed and nothing is looked up: a text is read only
if the request that is found gives exactly that text, otherwise the result is ``None``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import partial
from typing import Any, Final

import duckdb
from pydantic import ValidationError

from query.compiler import AmbiguousNameError, UnknownNameError
from query.compiler.held import HOST_GROUPS
from query.compiler.resolving import Resolver
from query.reading.canonical_runs import KINDS, Reader, read_one, read_parts, set_of_runs
from query.reading.canonical_words import Text, UnreadError
from query.request import Compare, Everything, Has, Hit, Predicted, Request, say
from query.request.fields import field_named
from query.request.sentences import (
    EACH,
    FIELD_ORDER,
    MEASURES,
    WHERE,
    WORD_ORDER,
    Sentence,
)

LONGEST: Final = 20_000
_MARKS: Final = ".?"
_SENTENCE_END: Final = re.compile(r"(?<=[.?]) (?=[A-Z])")


def read_all_canonical(text: str) -> tuple[Request, ...]:
    """Return the requests whose canonical English is ``text``; none if a part is not canonical."""
    whole = read_canonical(text)
    if whole is not None:
        return (whole,)
    requests = [read_canonical(sentence) for sentence in _SENTENCE_END.split(text)]
    return tuple(request for request in requests if request) if all(requests) else ()


def read_canonical(text: str) -> Request | None:
    """Return the request whose canonical English is ``text``; None if there is none.

    The first letter may be small, and the final punctuation may be missing. Requests come back
    equal, except for what requests themselves hold equal: a number as 5 or 5.0.

    >>> read_canonical("how many runs are there").measure.type
    'count'
    >>> read_canonical("How many runs are in my fridge?") is None
    True
    """
    given = " ".join(text.split())
    if not given or len(given) > LONGEST:
        return None
    given = given[0].upper() + given[1:]
    bodies = [given[:-1], given] if given[-1] in _MARKS else [given]
    for body in bodies:
        try:
            request = _request(Text(body))
        except (UnreadError, ValidationError):
            continue
        said = say(request)
        if said == given or said[:-1] == body:
            return request
    return None


def has_known_names(con: duckdb.DuckDBPyConnection, request: Request) -> bool:
    """Return whether viruses and terms of ``request`` are known to the index.

    "How many runs carry double stranded viruses?" is canonical English only by accident: its words
    are not a name, and other readers may make sense of them.
    """
    resolver = Resolver(con)
    try:
        for part in _parts(request):
            if isinstance(part, Hit):
                resolver.viruses((*part.virus, *part.other_than))
                hosts = tuple(host for host in part.infects if host.lower() not in HOST_GROUPS)
                resolver.terms(field_named("host"), hosts)
            if isinstance(part, Has) and field_named(part.field).type == "term":
                resolver.terms(field_named(part.field), part.values)
            if isinstance(part, Predicted) and part.host is not None:
                resolver.terms(field_named("host"), (part.host,))
    except (AmbiguousNameError, UnknownNameError):
        return False
    return True


def _parts(part: Any) -> Iterator[Any]:
    """Yield ``part`` of a request and all parts within it."""
    if is_dataclass(part):
        yield part
        for field in fields(part):
            yield from _parts(getattr(part, field.name))
    if isinstance(part, tuple):
        for inner in part:
            yield from _parts(inner)


def _request(text: Text) -> Request:
    """Read a whole request."""
    return text.first_of(*(_reader(sentence) for sentence in MEASURES))


def _reader(sentence: Sentence) -> Callable[[Text], Request]:
    """Return what reads the request that a sentence says, up to the end of the text."""

    def read(text: Text) -> Request:
        parts = read_parts(text, sentence.text.rstrip(_MARKS), _KINDS)
        text.end()
        of = parts.pop("of", Everything())
        if sentence.of is Compare:
            of = parts["measure"].of
            parts["measure"] = parts["measure"].measure
        return Request(sentence.of(**parts, **sentence.fixed), of)

    return read


def _by(sentences: Sequence[Sentence]) -> Reader:
    """Return what reads a part that has ``sentences`` of its own."""
    return lambda text: read_one(text, sentences, _KINDS)


def _listed(text: Text) -> tuple[str, ...]:
    first = text.field(plural=True)
    return (first, text.field()) if text.take("by") else (first,)


def _units(text: Text) -> str:
    return "detection" if text.take("detections") else text.field(plural=True)


def _measure(text: Text) -> Request:
    """Read what is compared, which begins with a small letter."""
    text.capitalise()
    return _request(text)


_KINDS: Final[Mapping[str, Reader]] = {
    **KINDS,
    "units": _units,
    "listed": _listed,
    "columns": lambda text: text.several(text.field, ","),
    "words": lambda text: text.several(text.word, ","),
    "word": Text.word,
    "number": Text.number,
    "each": _by(EACH),
    "wheres": lambda text: text.several(partial(_by(WHERE), text), "and"),
    "field order": _by(FIELD_ORDER),
    "word order": _by(WORD_ORDER),
    "sides": lambda text: text.several(partial(set_of_runs, text), "with"),
    "measure": _measure,
}
"""What reads parts of measures, by their kind."""
