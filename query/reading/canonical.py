"""Canonical English read back: the inverse of ``query.request.say``, by recursive descent.

A text says exactly one request, so nothing is guessed and nothing is looked up. The phrases that
the tuned model learned ("have human as host") are read, too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from functools import partial
from typing import Any, Final, get_args

import duckdb
from pydantic import ValidationError

from query.compiler import AmbiguousNameError, UnknownNameError
from query.compiler.held import HOST_GROUPS
from query.compiler.resolving import Resolver
from query.reading.canonical_runs import (
    clause,
    hit,
    hit_parts,
    phrases_and_clause,
    set_of_runs,
)
from query.reading.canonical_words import Text, UnreadError
from query.request import (
    Compare,
    Count,
    Describe,
    Everything,
    Evidence,
    Exists,
    Has,
    Hit,
    Like,
    Predicted,
    Records,
    Request,
    Rows,
    RunSet,
    Share,
    SortBy,
    Summary,
    Values,
    Where,
)
from query.request.fields import field_named
from query.request.measures import DescribedKind, Measure, Rank
from query.request.records import TABLES
from query.request.saying import FREQUENT

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
            return _request(Text(body))
        except (UnreadError, ValidationError):
            continue
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
    measure, of = text.first_of(*_READERS)
    return Request(measure, of)


Read = tuple[Measure, RunSet]


def _whole(reader: Callable[[Text], Read]) -> Callable[[Text], Read]:
    """Return ``reader`` made to read up to the end of the text."""

    def read(text: Text) -> Read:
        found = reader(text)
        text.end()
        return found

    return read


# --- counts, shares, summaries --------------------------------------------------------------------


def _all_counted(text: Text) -> Read:
    text.expect("How many runs are there")
    return Count(), Everything()


def _counted(text: Text) -> Read:
    text.expect("How many runs")
    return Count(), phrases_and_clause(text)


def _units_counted(text: Text) -> Read:
    text.expect("How many")
    unit = _unit(text)
    hits = _of_hits(text, of_viruses=unit == "virus")
    text.expect("are")
    return Count(unit, hits), Everything() if text.take("there") else _in(text)


def _found_in(text: Text) -> Read:
    text.expect("In how many")
    of: RunSet = Everything()
    if text.take("of the"):
        of = set_of_runs(text)
    else:
        text.expect("runs")
    text.expect("is")
    found = hit(text)
    text.expect("found")
    return Count(hits=found), of


def _exists(text: Text) -> Read:
    text.expect("Are there any")
    return Exists(), text.first_of(set_of_runs, _all)


def _all(text: Text) -> RunSet:
    text.expect("runs")
    return Everything()


def _shared(text: Text) -> Read:
    if text.take("What share of runs"):
        return Share(clause(text)), Everything()
    text.expect("Of")
    of = set_of_runs(text)
    text.expect(",")
    text.expect("what share")
    return Share(clause(text)), of


def _summarised(text: Text) -> Read:
    text.expect("Summarise")
    text.take("the")
    number = text.field()
    hits, of = text.first_of(_of_runs, partial(_of_hits_in, of_viruses=False))
    return Summary(number, hits), of


def _unit(text: Text) -> str:
    return "detection" if text.take("detections") else text.field(plural=True)


def _of_hits(text: Text, *, of_viruses: bool = False) -> Hit | None:
    """Read the hits of a measure; "viruses" before them may say "any virus"."""
    if of_viruses and (restricted := hit_parts(text)):
        return Hit(**restricted)
    return hit(text) if text.take("of") else None


def _in(text: Text) -> RunSet:
    """Read where something is; all runs if that is not said."""
    return set_of_runs(text) if text.take("in") else Everything()


# --- lists ----------------------------------------------------------------------------------------


def _values(text: Text) -> Read:
    more: dict[str, object] = {}
    if text.take("Name the"):
        more = {"order": _frequent(text), "limit": 1}
    else:
        text.expect("List")
        if text.take("the"):
            limit = text.whole_number()
            more = {"order": _frequent(text), "limit": limit}
    by = [text.field(plural=more.get("limit") != 1)]
    if text.take("by"):
        by.append(text.field())
    hits, of = text.first_of(_of_runs, partial(_of_hits_in, of_viruses=by == ["virus"]))
    while text.take(";"):
        part, value = text.first_of(*_PARTS)
        more[part] = value
    return Values(tuple(by), hits=hits, **more), of  # type: ignore[arg-type]


def _frequent(text: Text) -> str:
    said = text.one_of(FREQUENT.values())
    return next(order for order, words in FREQUENT.items() if words == said)


def _of_runs(text: Text) -> tuple[None, RunSet]:
    text.expect("of")
    return None, set_of_runs(text)


def _of_hits_in(text: Text, *, of_viruses: bool) -> tuple[Hit | None, RunSet]:
    hits = _of_hits(text, of_viruses=of_viruses)
    if hits is None:
        text.expect("in")
        return None, set_of_runs(text)
    return hits, _in(text)


Part = tuple[str, object]


def _level(text: Text) -> Part:
    if text.take("rolled up to"):
        return "level", text.one_of(get_args(Rank))
    text.expect("at level")
    return "level", text.whole_number()


def _under(text: Text) -> Part:
    if not text.take("only under"):
        text.expect("only")
    return "under", text.names()


def _other_than(text: Text) -> Part:
    text.expect("other than")
    return "other_than", text.names()


def _absent(text: Text) -> Part:
    text.one_of(("not in", "absent from"))
    return "absent_in", set_of_runs(text)


def _found(text: Text) -> Part:
    text.one_of(("also in", "found also in"))
    return "found_in", set_of_runs(text)


def _each(text: Text) -> Part:
    text.expect("with")
    if text.take("the number of"):
        return "each", Count(_unit(text))
    if text.take("the share of runs that") or text.take("the share that"):
        return "each", Share(clause(text))
    text.expect("a summary of")
    return "each", Summary(text.field())


def _at_least(text: Text) -> Part:
    text.expect("at least")
    return "at_least", text.number()


def _ordered(text: Text) -> Part:
    if text.take("fewest first"):
        return "order", "fewest"
    text.expect("in order of value")
    return "order", "value"


def _limit(text: Text) -> Part:
    return "limit", _first(text)


def _first(text: Text) -> int:
    if text.take("only the first"):
        return 1
    text.expect("the first")
    return text.whole_number()


_PARTS: Final = (_limit, _level, _under, _other_than, _absent, _found, _each, _at_least, _ordered)


def _rows(text: Text) -> Read:
    text.expect("Show")
    columns, hits = Rows().columns, None
    if not text.starts("runs", "all runs"):
        columns = _listed(text, text.field)
        hits = _of_hits(text)
        text.expect("for")
    of = set_of_runs(text)
    order, limit = _rows_end(text, text.field)
    return Rows(columns, hits, order, limit), of


def _rows_end(text: Text, column: Callable[[], str]) -> tuple[SortBy | None, int]:
    """Read the order and the number of rows at the end of a list."""
    order, limit = None, Rows().limit
    if text.take("; sorted by") or text.take("; by"):
        by = column()
        text.expect(",")
        order = SortBy(by, descending=text.one_of(("ascending", "descending")) == "descending")
    return order, _first(text) if text.take(";") else limit


# --- comparisons, evidence, what is stored --------------------------------------------------------


def _compared(text: Text) -> Read:
    text.expect("Compare")
    sides = [set_of_runs(text)]
    while text.take("with"):
        sides.append(set_of_runs(text))
    text.expect(":")
    text.capitalise()
    measure, of = text.first_of(*_READERS)
    return Compare(measure, tuple(sides)), of  # type: ignore[arg-type]


def _evidence(text: Text) -> Read:
    text.expect("What is the evidence for")
    found = hit(text)
    return Evidence(found), _in(text)


def _described(text: Text) -> Read:
    text.expect("Describe the")
    kind = text.one_of(get_args(DescribedKind))
    return Describe(kind, text.name()), Everything()  # type: ignore[arg-type]


def _alike(text: Text) -> Read:
    text.expect("Which")
    limit = text.whole_number()
    text.expect("viruses are most like")
    return Like(text.name(), limit), Everything()


def _predicted(text: Text) -> Read:
    text.expect("Which")
    limit = text.whole_number()
    if text.take("hosts are predicted for"):
        return Predicted(virus=text.name(), limit=limit), Everything()
    text.expect("viruses are predicted in")
    return Predicted(host=text.name(), limit=limit), Everything()


def _records(text: Text) -> Read:
    verb = text.one_of(("List", "Count", "Show"))
    columns: tuple[str, ...] = ()
    if verb == "Show":
        columns = _listed(text, text.word)
        text.expect("of")
    table = text.one_of(TABLES)
    by = _listed(text, text.word) if verb == "Count" and text.take("by") else ()
    where = []
    while any(map(text.take, ("whose", "and whose", "; where", "and where"))):
        where.append(_where(text))
    order, limit = _rows_end(text, text.word)
    is_count = verb == "Count" and not by
    records = Records(table, tuple(where), by, columns, order, limit, is_count)
    return records, Everything()


def _listed(text: Text, column: Callable[[], str]) -> tuple[str, ...]:
    columns = [column()]
    while text.take(",") or text.take("and"):
        columns.append(column())
    return tuple(columns)


def _where(text: Text) -> Where:
    column = text.word()
    if text.take("contains") or text.take("containing"):
        return Where(column, contains=text.name())
    text.take("is")
    return text.first_of(
        lambda text: Where(column, range=text.range()),
        lambda text: Where(column, range=text.bound()),
        lambda text: Where(column, text.names()),
    )


_READERS: Final = tuple(
    _whole(reader)
    for reader in (
        _all_counted, _counted, _units_counted, _found_in, _exists, _shared, _summarised, _values,
        _rows, _compared, _evidence, _described, _records, _alike, _predicted,
    )
)  # fmt: skip
