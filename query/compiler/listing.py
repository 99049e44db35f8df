"""The values of one or two fields as a relation, each with its tally or another measure."""

from __future__ import annotations

from collections.abc import Mapping

from index.store.run_values import AT_SPECIES
from query.compiler.held import Holdings, hit_tables, rolled_up
from query.compiler.result import Cell, Omission, Result, ResultColumn
from query.compiler.statement import RunningRequest, RunsQuery, beyond, column_of
from query.compiler.tallying import Tallied, conditions_of, plan_tally, tallied_rows
from query.request import ANY_HIT, Count, Hit, RunSet, Share, Summary, Values, said_field
from query.request.fields import RequestField, field_named

Measured = Mapping[ResultColumn, str]
"""What is measured for each value: columns and their aggregates."""
_ANSWER = "count(*) FILTER (is_answer)"
_HAVE_VALUE = ResultColumn("runs", "runs", "runs that have the value")
_SEARCHED = ResultColumn(
    "searched", "runs", "of the runs with the value, those searched for the virus"
)
_TALLY: Measured = {
    ResultColumn("runs", "runs", "runs asked for that have the value"): (
        "count(*) FILTER (is_run)"
    ),
    _SEARCHED: "count(*) FILTER (is_searched)",
    ResultColumn("positive", "runs", "those with a hit"): "count(*) FILTER (is_positive)",
    ResultColumn("at_90", "runs", "those with a hit of 90 % identity and more"): (
        "count(*) FILTER (is_strict AND strict)"
    ),
    ResultColumn("samples", "BioSamples", "distinct BioSamples of the runs that are counted"): (
        "count(DISTINCT biosample) FILTER (is_answer)"
    ),
}
_LISTED = "(SELECT count(DISTINCT run) FROM joined WHERE is_answer AND is_positive)"
"""How many runs have hits with some value."""
SUMMARY: Measured = {
    ResultColumn("n", comment="numbers"): "count(number)",
    ResultColumn("missing", comment="runs or hits without the number"): "count(*) - count(number)",
    ResultColumn("min", comment="least"): "min(number)",
    ResultColumn("median", comment="half of the numbers are below"): "median(number)",
    ResultColumn("mean", comment="arithmetic mean"): "favg(number)",
    ResultColumn("max", comment="greatest"): "max(number)",
}


def values(asked: RunningRequest, measure: Values, of: RunSet) -> Result:
    """Return a row for each value, and the tally of all runs."""
    of_runs = tuple(name for name in measure.by if field_named(name).of == "run")
    if asked.brief and of_runs == ("community",):
        of_runs = ()  # a brief answer does not say how many runs are in none
    statement = asked.statement()
    more = {"listed": _LISTED} if _is_of_hits_alone(measure) else None
    plan = plan_tally(
        statement, of, hits=measure.hits, stating=of_runs, more=more, brief=asked.brief
    )
    _prepare(statement, measure, of, brief=asked.brief)
    measured, ranked = _measured(measure)
    places = range(1, len(measure.by) + 1)
    selected = [f"v{place}, {_identifier(measure, place)} AS c{place}" for place in places]
    selected += [f"{number} AS n{place}" for place, number in enumerate(measured.values(), 1)]
    statement.also(
        "grouped",
        f"SELECT {', '.join(selected)}, {ranked} AS ranked FROM joined GROUP BY {_keys(measure)}",
    )
    kept = " AND ".join(_kept(statement, measure))
    statement.also("kept", f"SELECT * FROM grouped WHERE {kept}")
    select, order = _listed(statement, measure, numbers=len(measured))
    tallied, rows = tallied_rows(asked, statement, plan, select, order=order)
    total = rows[0][-1] if rows else 0
    further = f"further {said_field(measure.by[0], plural=True)}"
    return Result(
        request=asked.request,
        tally=tallied.tally,
        columns=(*_named_columns(measure.by), *measured),
        rows=_rows([row[:-2] for row in rows], measure.by),
        total=total,
        left_out=(
            *tallied.left_out,
            *_unlisted(measure, tallied),
            *beyond(total, len(rows), further),
        ),
    )


def _identifier(measure: Values, place: int) -> str:
    """Return the identifier of a value in the runs that count: of several taxa the species."""
    curies = f"c{place}) FILTER (is_answer)"
    if measure.by[place - 1] != "virus" or isinstance(measure.level, str):
        return f"min({curies}"
    species = f"SELECT min(virus) FROM virus WHERE rank = 'species' AND name = v{place}"
    is_one = f"min({curies} = max({curies}"
    return f"CASE WHEN {is_one} THEN min({curies} ELSE coalesce(({species}), min({curies}) END"


def _keys(measure: Values) -> str:
    return ", ".join(f"v{place}" for place in range(1, len(measure.by) + 1))


def _unlisted(measure: Values, tallied: Tallied) -> list[Omission]:
    """Return how many runs have hits, but none with a value of the fields: of no known family."""
    positive = tallied.tally.positive
    listed = tallied.more.get("listed", positive)
    said = " and ".join(said_field(name) for name in measure.by)
    what = f"runs whose hits are all of no known {said}"
    return [Omission("not stated", positive - listed, what)] if listed != positive else []


def _is_of_hits_alone(measure: Values) -> bool:
    """Return whether runs are counted for values of hits only, so that a run may have none."""
    counts_runs = isinstance(measure.each, Count) and measure.each.unit == "run"
    return counts_runs and all(field_named(name).of == "hit" for name in measure.by)


def _prepare(statement: RunsQuery, measure: Values, of: RunSet, *, brief: bool) -> None:
    """Add the query ``joined``, a row for each value of each run that some number counts."""
    flags, each = statement.flags, measure.each
    conditions = conditions_of(flags, of, measure.hits, brief=brief)
    is_of_hits = _is_of_hits(measure)
    marks = {
        "is_run": conditions.runs,
        "is_searched": conditions.searched,
        "is_positive": conditions.runs if is_of_hits else conditions.positive,
        "is_strict": conditions.at_90,
        "is_answer": conditions.runs if is_of_hits else conditions.answer,
    }
    if isinstance(each, Share):
        marks["is_part"] = flags.holds(each.part)
        marks["is_known"] = f"({marks['is_part']} OR {flags.holds(each.part, denied=True)})"
    marked = ", ".join(f"{condition} AS {name}" for name, condition in marks.items())
    some = conditions.runs
    if not is_of_hits:
        some = f"{some} OR {conditions.searched}"
    statement.also("marked", f"SELECT run, biosample, {marked} FROM flagged WHERE {some}")
    among = "" if conditions.runs == "true" else "SELECT run FROM marked"
    of_runs = _values(statement, measure, among)
    answer = " WHERE is_answer" if isinstance(each, Summary) else ""
    statement.also("joined", f"SELECT * FROM ({of_runs}) JOIN marked USING (run){answer}")


def _is_of_hits(measure: Values) -> bool:
    return any(field_named(name).of == "hit" for name in measure.by)


def _values(statement: RunsQuery, measure: Values, among: str) -> str:
    """Return a SELECT of the values of runs with what is measured of them."""
    by, each, number = measure.by, measure.each, None
    if isinstance(each, Summary):
        number = field_named(each.number)
    elif isinstance(each, Count) and each.unit not in ("run", "detection"):
        by = (*by, each.unit)
    held = relation(
        statement.holdings,
        by,
        measure.hits,
        among=among,
        level=measure.level,
        number=number if number is not None and number.of == "hit" else None,
        counted=isinstance(each, Count) and each.unit == "detection",
    )
    if number is None or number.of == "hit":
        return held
    numbers = largest_numbers(statement.holdings, number)
    return f"SELECT r.*, n.number FROM ({held}) r LEFT JOIN ({numbers}) n USING (run)"


def _measured(measure: Values) -> tuple[Measured, str]:
    """Return what is measured for each value, and the aggregate that ranks the values.

    Values of hits have no ``searched``: each virus has its own, and the tally of all runs has that
    of the virus in question.
    """
    match measure.each:
        case Summary():
            return SUMMARY, "favg(number)"
        case Share():
            return _shares()
        case Count(unit="run"):
            left_out = _SEARCHED if _is_of_hits(measure) else None
            return {column: sql for column, sql in _TALLY.items() if column != left_out}, _ANSWER
        case Count(unit="detection"):
            hits = "coalesce(sum(hits) FILTER (is_answer), 0)::BIGINT"
            return {ResultColumn("detections", "detections", "hits"): hits,
                    _HAVE_VALUE: _ANSWER}, hits  # fmt: skip
        case Count(unit):
            number = f"count(DISTINCT v{len(measure.by) + 1}) FILTER (is_answer)"
            counted = ResultColumn(unit, comment=f"distinct {field_named(unit).plural}")
            return {counted: number, _HAVE_VALUE: "count(DISTINCT run) FILTER (is_answer)"}, number


def _shares() -> tuple[Measured, str]:
    """Return the share of each value: its runs in the part, of those for which that is known."""
    known = "count(*) FILTER (is_answer AND is_known)"
    part = "count(*) FILTER (is_answer AND is_part)"
    share = f"round(100.0 * {part} / nullif({known}, 0), 6)"
    measured = {
        ResultColumn("share", "percent", "of the runs of which it is known"): share,
        ResultColumn("part", "runs", "runs in the part"): part,
        ResultColumn("known", "runs", "runs of which it is known"): known,
        _HAVE_VALUE: _ANSWER,
    }
    return measured, share


def _kept(statement: RunsQuery, measure: Values) -> list[str]:
    conditions = ["ranked IS NOT NULL"]
    if not isinstance(measure.each, Summary | Share):
        conditions.append("ranked > 0")
    if measure.at_least is not None:
        conditions.append(f"ranked >= {statement.holdings.parameters.bind(measure.at_least)}")
    return [*conditions, *values_kept(statement, measure)]


def ranked_column(measure: Values) -> str:
    """Return the column by which values are ranked."""
    match measure.each:
        case Share():
            return "share"
        case Summary():
            return "mean"
        case Count(unit="run"):
            counts_hits = _is_of_hits(measure) or measure.hits is not None
            return "positive" if counts_hits else "runs"
        case Count(unit="detection"):
            return "detections"
    return measure.each.unit


def values_kept(statement: RunsQuery, measure: Values) -> list[str]:
    """Return the conditions on the values ``v1, c1, …`` of rows: those that ``measure`` lists."""
    conditions = []
    field = field_named(measure.by[0])
    if measure.under:
        conditions.append(_is_named(statement, field, measure.under))
    if measure.other_than:
        conditions.append(f"NOT coalesce({_is_named(statement, field, measure.other_than)}, false)")
    keys = _keys(measure)
    for name, others, has in (
        ("elsewhere", measure.absent_in, "NOT IN"),
        ("shared", measure.found_in, "IN"),
    ):
        if others is None:
            continue
        runs = statement.flags.among(statement.flags.holds(others))
        held = relation(
            statement.holdings, measure.by, measure.hits, level=measure.level, among=runs
        )
        statement.also(name, f"SELECT DISTINCT {keys} FROM ({held})")
        conditions.append(f"({keys}) {has} (SELECT ({keys}) FROM {name})")
    return conditions


def _is_named(statement: RunsQuery, field: RequestField, names: tuple[str, ...]) -> str:
    """Return the condition that the first value of a row is one of ``names``, or below one."""
    condition = statement.holdings.is_one(field, names)
    return f"(SELECT {condition} FROM (SELECT v1::VARCHAR AS value, c1 AS curie))"


def _listed(statement: RunsQuery, measure: Values, *, numbers: int) -> tuple[str, str]:
    """Return the SELECT of the rows that are listed, which end with the total, and their order."""
    keys = _keys(measure)
    ranked = {"most": "ranked DESC", "fewest": "ranked", "value": keys}[measure.order]
    columns = [f"v{place}, c{place}" for place in range(1, len(measure.by) + 1)]
    columns += [f"n{place}" for place in range(1, numbers + 1)]
    select = f"SELECT {', '.join(columns)}, ranked, (SELECT count(*) FROM kept) AS total FROM kept"
    if measure.limit is not None:
        limit = statement.holdings.parameters.bind(measure.limit)
        select += f" QUALIFY rank() OVER (ORDER BY {ranked}) <= {limit}"
    return select, f"ORDER BY {ranked}, {keys}"


def _named_columns(by: tuple[str, ...]) -> tuple[ResultColumn, ...]:
    columns = []
    for name in by:
        columns.append(column_of(name))
        if field_named(name).type == "term":
            comment = f"identifier of the {field_named(name).said}"
            columns.append(ResultColumn(f"{name}_id", comment=comment))
    return tuple(columns)


def _rows(rows: list[tuple[Cell, ...]], by: tuple[str, ...]) -> tuple[tuple[Cell, ...], ...]:
    """Return ``rows`` without the identifiers of values that have none."""
    left_out = {2 * place + 1 for place, name in enumerate(by) if field_named(name).type != "term"}
    return tuple(
        tuple(cell for place, cell in enumerate(row) if place not in left_out) for row in rows
    )


def relation(
    holdings: Holdings,
    names: tuple[str, ...],
    hits: Hit | None,
    *,
    among: str = "",
    level: str | int | None = None,
    number: RequestField | None = None,
    counted: bool = False,
) -> str:
    """Return a SELECT of ``run, v1, c1, v2, c2, …, strict``, each combination once.

    ``among``, a SELECT of ``run``, has the runs whose values are read: all, if it is empty.

    ``strict`` says whether a hit of 90 % identity and more has the values; values of several fields
    of hits are of the same hit. With ``number``, a field of hits, the best number of each run and
    virus is added as ``number``, with the ``virus``; with ``counted``, the number of hits as
    ``hits``.
    """
    fields = [field_named(name) for name in names]
    of_runs = [f"({_of_run(holdings, field, place, level, among)})"
               for place, field in enumerate(fields, 1) if field.of == "run"]  # fmt: skip
    of_hits = [(place, field) for place, field in enumerate(fields, 1) if field.of == "hit"]
    columns = ["run"]
    for place in range(1, len(fields) + 1):
        columns += [f"v{place}", f"c{place}"]
    sources = [*of_runs]
    if of_hits or number is not None or counted:
        found = _of_hits(holdings, of_hits, hits or ANY_HIT, level, number, among)
        sources.append(f"({found})")
        columns += ["strict", "hits"] if counted else ["strict"]
        if number is not None:
            columns += ["number", "virus"]
    else:
        columns.append("true AS strict")
    joined = sources[0] + "".join(f" JOIN {source} USING (run)" for source in sources[1:])
    return f"SELECT {', '.join(columns)} FROM {joined}"


def largest_numbers(holdings: Holdings, field: RequestField) -> str:
    """Return a SELECT of ``run, number``: the largest number that a run has in a field."""
    return f"SELECT run, max(value) AS number FROM ({holdings.numbers(field)}) GROUP BY run"


def _of_run(
    holdings: Holdings, field: RequestField, place: int, level: str | int | None, among: str
) -> str:
    held = holdings.at_level(field, level)
    distinct = "" if field.table == "run" else "DISTINCT "
    some = f" WHERE run IN ({among})" if among else ""
    return f"SELECT {distinct}run, value AS v{place}, curie AS c{place} FROM ({held}){some}"


def _of_hits(
    holdings: Holdings,
    fields: list[tuple[int, RequestField]],
    hit: Hit,
    level: str | int | None,
    number: RequestField | None,
    among: str,
) -> str:
    """Return the values of fields of hits: those of one hit are in one row."""
    columns, known = ["d.run"], []
    above = ""
    for place, field in fields:
        value, curie = field.column, "d.virus" if field.name == "virus" else "NULL"
        if field.name == "virus" and isinstance(level, str):
            rank = holdings.parameters.bind(level)
            taxa = rolled_up("SELECT DISTINCT virus AS run, virus AS curie FROM detection", rank)
            above = f" JOIN ({taxa}) u ON u.run = d.virus"
            value, curie = "u.value", "u.curie"
        elif field.name == "virus":
            # names are of species: a species and its strains have one name and one row
            value, curie = "v.name", "min(d.virus)"
        columns += [f"{value} AS v{place}", f"{curie} AS c{place}"]
        known.append(f"{value} IS NOT NULL")
    columns.append(f"bool_or({AT_SPECIES}) AS strict")
    columns.append("count(*) AS hits")
    if number is not None:
        columns.append(f"max({number.column}) AS number")
        columns.append("coalesce(d.virus, d.sotu) AS virus")
    condition = " AND ".join([holdings.hits(hit, among=among), *known])
    tables = hit_tables(condition, *columns)
    return f"SELECT {', '.join(columns)} FROM {tables}{above} WHERE {condition} GROUP BY ALL"
