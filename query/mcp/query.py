"""The tool ``query``: a typed request in, a number or a table out."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any, Final

from pydantic import WithJsonSchema

from query.compiler import Result, UnknownNameError, run
from query.compiler.listing import ranked_column
from query.mcp.compact import Row, header, short_table, side_by_side, tally_record
from query.mcp.gating import group_asked, without_hidden_sides
from query.mcp.paging import ALL_ROWS, Cursor, Rows, page_of
from query.mcp.served import Opened, Record
from query.reading.short_schema import MEASURE, RUN_SET
from query.reading.spelling import respelled
from query.request import Compare, Count, Records, Request, Values, from_json, to_json
from query.request import Rows as RowsMeasure
from query.request.fields import field_named
from query.request.measures import USUAL_LIMIT
from query.request.run_sets import intersect
from query.request.saying_runs import say_clause
from query.request.wording import said_field
from query.withholding import NOTE, Withholding

MOST_BEYOND: Final = 3
MeasureJson = Annotated[Any, WithJsonSchema(MEASURE)]
RunSetJson = Annotated[Any, WithJsonSchema(RUN_SET)]


def query(
    opened: Opened,
    measure: MeasureJson,
    of: RunSetJson = None,
    rows: Rows = None,
    cursor: Cursor = None,
) -> Record:
    """Count, list, compare or summarise runs and the viruses in them: first choice for numbers.

    Names may be everyday names, abbreviations or CURIEs; `names` says what they were taken for,
    `corrected` which slips were mended.
    `tally`: runs of the set, searched (looked for), positive (found), at_90 (all viruses named
    found at 90 % identity, and nearer to no relative), samples (BioSamples). `left_out`: runs
    of which nothing is known. `confirmed_beyond`: viruses behind the limit, and their runs at_90.

    EBV in human liver: measure {"type": "count", "hits": {"virus": "EBV"}}, of {"type": "and",
    "of": [{"type": "has", "field": "host", "values": ["human"]}, {"type": "has", "field":
    "tissue", "values": ["liver"]}]}
    Hosts of Flaviviridae, top 5: {"type": "values", "by": "host", "hits": {"virus":
    "Flaviviridae"}, "limit": 5}
    Viruses in bats: {"type": "values", "by": "virus"}, of {"type": "has", "field": "host",
    "values": ["bats"]}
    Which is in more runs: {"type": "compare", "measure": {"type": "count"}, "sides": [{"type":
    "carries", "hit": {"virus": "HSV-1"}}, {"type": "carries", "hit": {"virus": "HSV-2"}}]}
    More often: measure {"type": "share", "part": {"type": "carries", …}}, sides of the compare
    the sets that are the wholes.
    """
    given = _without_nulls({"measure": measure} if of is None else {"measure": measure, "of": of})
    corrected: dict[str, str] = {}
    while True:
        try:
            answered = _answered(opened, from_json(given), rows, cursor)
        except UnknownNameError as error:
            mended = None if error.name in corrected.values() else respelled(opened.con, error.name)
            if mended is None:
                raise
            corrected[error.name] = mended
            given = _renamed(given, error.name, mended)
        else:
            return answered if answered.get("withheld") else {"corrected": corrected, **answered}


def _answered(opened: Opened, request: Request, rows: int | None, cursor: str | None) -> Record:
    """Return the result of ``request``, without what may not be seen."""
    allowed, hidden = without_hidden_sides(opened, request)
    if allowed is not None and not opened.gate.sees_all:
        group = group_asked(opened, allowed)
        if group is not None:
            allowed, hidden = None, [*hidden, group]
    opened.withholding.count.update(hidden)
    if allowed is None:
        group = hidden[-1]
        return {
            "withheld": dict(opened.withholding.count),
            "note": f"{NOTE}: it is about an agent of {group}, of which this client may see no "
            "number (docs/biosafety.md)",
        }
    result = run(opened.con, _with_all_rows(allowed, gated=not opened.gate.sees_all))
    shown = replace(result, request=allowed)
    table, total = _shown(opened, shown)
    columns = [column.name for column in result.columns]
    wholes: Record = {}
    if isinstance(allowed.measure, Compare) and isinstance(allowed.measure.measure, Values):
        columns, table = side_by_side(shown, table)
        total = len(table)
        wholes = _wholes(opened, allowed, allowed.measure)
    short = short_table(columns, table)
    mark = json.dumps(["query", to_json(allowed), opened.stamp])
    page, further = page_of(short.rows, rows=rows, cursor=cursor, of=mark)
    record = opened.withholding.result(header(shown))
    notes = [record.pop("note", ""), _unstated(shown), _of_species(shown)]
    return {
        **record,
        "wholes": wholes,
        "columns": short.columns,
        "rows": page,
        "same": short.same,
        "total": total if result.columns else None,
        "next": further,
        "confirmed_beyond": _confirmed_beyond(opened, shown, len(table)),
        "note": "; ".join(note for note in notes if note),
    }


def _wholes(opened: Opened, request: Request, measure: Compare) -> Record:
    """Return the tally of each side of a comparison of values."""
    wholes = {}
    for side in measure.sides:
        hits = getattr(measure.measure, "hits", None)
        result = run(opened.con, Request(Count(hits=hits), intersect(request.of, side)))
        if result.tally is not None:
            wholes[say_clause(side)] = tally_record(result.tally)
    return wholes


def _shown(opened: Opened, result: Result) -> tuple[list[Row], int]:
    """Return the rows that may be seen, within the limit asked for, and how many there are."""
    shown = opened.withholding.rows(result.rows)
    measure = result.request.measure
    total = result.total - (len(result.rows) - len(shown))
    limit = getattr(measure, "limit", None)
    if limit is None or len(shown) <= limit:
        return shown, total
    ties: list[Row] = []
    if isinstance(measure, Values) and measure.order != "value":
        place = [column.name for column in result.columns].index(ranked_column(measure))
        ties = [row for row in shown[limit:] if row[place] == shown[limit - 1][place]]
    return [*shown[:limit], *ties], total


def _with_all_rows(request: Request, *, gated: bool) -> Request:
    """Return ``request`` as it is read: where rows are withheld, its limit is applied later."""
    measure = request.measure
    if isinstance(measure, Values) and gated:
        return replace(request, measure=replace(measure, limit=None))
    if isinstance(measure, RowsMeasure | Records) and (gated or measure.limit == USUAL_LIMIT):
        return replace(request, measure=replace(measure, limit=ALL_ROWS))
    return request


def _confirmed_beyond(opened: Opened, result: Result, shown: int) -> list[list[Any]]:
    """Return the viruses behind the first ``shown`` of a list that are at 90 % identity in most
    runs, with these runs: lists are cut by all hits, whatever supports them.
    """
    request, measure = result.request, result.request.measure
    if not isinstance(measure, Values) or measure.by != ("virus",) or result.total <= shown:
        return []
    if len(result.rows) < result.total:
        result = run(opened.con, replace(request, measure=replace(measure, limit=None)))
    columns = [column.name for column in result.columns]
    if "at_90" not in columns:
        return []
    place = columns.index("at_90")
    rest = Withholding(opened.unseen).rows(result.rows)[shown:]  # counted once already
    best = sorted(
        (row for row in rest if row[place]), key=lambda row: (-int(str(row[place])), str(row[0]))
    )
    return [[row[0], row[place]] for row in best[:MOST_BEYOND]]


def _unstated(result: Result) -> str:
    """Return that no run with the hits states the field, if that is why no value is listed."""
    measure, tally = result.request.measure, result.tally
    if not isinstance(measure, Values) or result.rows or tally is None or not tally.positive:
        return ""
    if any(field_named(name).of == "hit" for name in measure.by):
        return ""
    said = " and ".join(said_field(name) for name in measure.by)
    return f"no {said} is stated for the {tally.positive:,} runs with such a hit"


def _of_species(result: Result) -> str:
    """Return what hits a list of species leaves out."""
    measure = result.request.measure
    listed = measure.measure if isinstance(measure, Compare) else measure
    if not isinstance(listed, Values) or "species" not in listed.by:
        return ""
    return "by species counts only hits that support one, at 90 % identity or more; by virus: all"


def _renamed(value: Any, name: str, other: str) -> Any:
    """Return JSON with ``other`` in place of ``name``."""
    if isinstance(value, Mapping):
        return {key: _renamed(inner, name, other) for key, inner in value.items()}
    if isinstance(value, list):
        return [_renamed(inner, name, other) for inner in value]
    return other if value == name else value


def _without_nulls(value: Any) -> Any:
    """Return JSON without nulls, which a client may send for anything left out."""
    if isinstance(value, Mapping):
        return {key: _without_nulls(inner) for key, inner in value.items() if inner is not None}
    if isinstance(value, list):
        return [_without_nulls(inner) for inner in value]
    return value
