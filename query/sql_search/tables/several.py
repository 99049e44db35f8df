"""Several numbers of each row: how they are asked for, and their SQL.

Each number is counted by itself, so that what a run does not state loses no run of another number.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from query.sql_search.compiling import Compiled, about, matched_statement, virus_condition
from query.sql_search.statement import limited_to
from query.sql_search.tables.grouped import (
    OF_HITS,
    PLURALS,
    RUN_COLUMNS,
    annotated,
    measured_name,
    number_of_measure,
    of_hits,
    of_runs,
)
from query.sql_search.tables.nouns import (
    AGGREGATE,
    COLUMN,
    COLUMNS,
    NOUN,
    OF_RUNS,
    RUN,
    aggregate_of,
    column_of,
    noun_of,
)
from query.sql_search.tables.phrases import BY_RUNS, DOES, GROUPED, HAS, MANY
from query.sql_search.tables.request import Measure, TableRequest

if TYPE_CHECKING:
    from query.reading.question import Question

_AND: Final = r"(?:,? and|,? as well as|,| plus|/|\+| &) (?:also )?(?:the(?:ir)? )?"
_COUNTED: Final = re.compile(
    rf"(?:^|(?<=[ ,:]))(?:{MANY} )?(?P<nouns>{NOUN}(?:{_AND}(?:{MANY} )?{NOUN})+)\b"
    r"(?: (?:are|is|were|there|counts?|numbers?))*"
)
_HOW: Final = rf"(?:{AGGREGATE})"
_COLUMN: Final = rf"(?:{COLUMN})"
_MADE: Final = re.compile(
    rf"(?:the )?(?P<hows>{_HOW}(?:{_AND}{_HOW})*) (?:of )?(?:the )?"
    rf"(?P<columns>{_COLUMN}(?:{_AND}(?:{_HOW} )?{_COLUMN})*)\b"
)
_ANY_NOUN: Final = re.compile(NOUN)
_ASKING: Final = re.compile(
    r"^[ ,:;]*(?:(?:please |can you )?(?:give|show|list|tell|count)(?: me| us)?\b)? *"
)
_SAMPLES: Final = re.compile(r"samples?$")


def read_several(left: str, request: TableRequest) -> tuple[TableRequest, str] | None:
    """Return the request for several numbers of each row, and the words that are left; None where
    ``left`` asks for fewer.

    >>> made, left = read_several("number of runs, hosts and tissues per family", TableRequest())
    >>> made.rows, [one.of for one in (made.measure, *made.also)], left
    (('family',), ['run', 'host', 'tissue'], '')
    """
    by_runs = BY_RUNS.search(left)
    left = BY_RUNS.sub("", left)
    for pattern in (DOES, GROUPED, HAS):
        found = pattern.search(left)
        if found is None:
            continue
        rows = [noun_of(found["first"])]
        second = found.groupdict().get("second")
        rows += [noun_of(second)] if second else []
        rest = _ASKING.sub("", _without(left, found))
        measures, rest = _measures_of(rest)
        if by_runs is not None and measures:
            measures = list(dict.fromkeys([Measure(), *measures]))
        counted = {one.of for one in measures if one.how == "count"}
        if len(measures) < 2 or RUN in rows or counted & {*rows}:
            return None
        first, *others = measures
        return replace(request, rows=tuple(rows), measure=first, also=tuple(others)), rest
    return None


def _measures_of(text: str) -> tuple[list[Measure], str]:
    """Return the numbers that ``text`` asks for, and the words that are left."""
    found = _MADE.search(text)
    if found is not None:
        hows = [aggregate_of(one) for one in re.findall(rf"\b{_HOW}\b", found["hows"])]
        columns = [column_of(one) for one in re.findall(rf"\b{_COLUMN}\b", found["columns"])]
        made = [Measure(how, column) for column in columns for how in hows]
        return made, _without(text, found)
    found = _COUNTED.search(text)
    if found is None:
        return [], text
    words = [one[0] for one in _ANY_NOUN.finditer(re.sub(MANY, "", found["nouns"]))]
    nouns = [noun_of(one) for one in words]
    runs = [word for word, noun in zip(words, nouns, strict=True) if noun == RUN]
    if len(runs) > 1:  # beside runs, samples are what runs are of
        nouns = [
            "biosample" if _SAMPLES.search(word) else noun
            for word, noun in zip(words, nouns, strict=True)
        ]
    measures = [Measure("count", noun) for noun in dict.fromkeys(nouns)]
    return measures, _without(text, found)


def _without(text: str, found: re.Match[str]) -> str:
    return " ".join(f"{text[: found.start()]} {text[found.end() :]}".split())


def compile_several(request: TableRequest, named: Question) -> Compiled:
    """Return the SQL of several numbers for each value of the rows."""
    of_virus = virus_condition(named)
    query = matched_statement(named)
    rows = ", ".join(request.rows)
    query = query.also("counted", "runs of each row", _counting(request, Measure(), of_virus))
    measures = [one for one in (request.measure, *request.also) if one != Measure()]
    numbers = []
    joins = ["FROM counted"]
    for place, measure in enumerate(measures):
        name = f"number_{place + 1}"
        query = query.also(name, _what(measure), _counting(request, measure, of_virus))
        column = measured_name(measure)
        zero = f"coalesce({column}, 0) AS {column}" if measure.how == "count" else column
        numbers.append(zero)
        joins.append(f"LEFT JOIN {name} USING ({rows})")
    asked = [measured_name(one) for one in (request.measure, *request.also)]
    shown = sorted(["runs", *numbers], key=lambda one: _place(one, asked))
    lines = [f"SELECT {rows}, {', '.join(shown)}", *joins]
    kept = [
        f"{measured_name(Measure(of=one.of))} {one.sign} {one.number}" for one in request.having
    ]
    if kept:
        lines.append(f"WHERE {' AND '.join(kept)}")
    lines.append(_order(request, asked[0]))
    what = f"counts for each {rows.replace('_', ' ')}: {', '.join(_what(one) for one in measures)}"
    steps = (about(named), what, "each number by itself, of the runs that state it")
    return Compiled(query.ending("\n".join(lines) + limited_to(request.limit)), steps)


def _place(column: str, asked: list[str]) -> int:
    name = column.rpartition(" AS ")[2]
    return asked.index(name) if name in asked else len(asked)


def _order(request: TableRequest, first: str) -> str:
    rows = ", ".join(request.rows)
    if request.sorting == "name":
        folded = ", ".join(f"lower({one}::VARCHAR)" for one in request.rows)
        return f"ORDER BY {folded}, {rows}"
    direction = "ASC" if request.sorting == "fewest" else "DESC"
    return f"ORDER BY {first} {direction} NULLS LAST, {rows}"


def _what(measure: Measure) -> str:
    return measured_name(measure).replace("_", " ")


def _counting(request: TableRequest, measure: Measure, of_virus: str) -> str:
    """Return the SELECT of one number for each value of the rows."""
    nouns = [*request.rows, *([measure.of] if measure.of in PLURALS else [])]
    nouns = [one for one in dict.fromkeys(nouns) if one != RUN]
    hits = [one for one in nouns if one in OF_HITS]
    of_run = [one for one in nouns if one in RUN_COLUMNS]
    columns = [measure.of] if measure.of in COLUMNS else []
    numbers = [one for one in columns if one in OF_RUNS]
    columns = [one for one in columns if one not in OF_RUNS]
    sources = [of_hits(hits, columns, of_virus)] if hits or columns else []
    sources += [of_runs(of_run, numbers)] if of_run or numbers else []
    sources += [annotated(one) for one in nouns if one not in (*hits, *of_run)]
    joins = [f"JOIN ({source}) USING (run)" for source in sources]
    rows = ", ".join(request.rows)
    number = number_of_measure(measure)
    lines = [f"SELECT {rows}, {number}", "FROM matched", *joins, f"GROUP BY {rows}"]
    return "\n".join(lines)
