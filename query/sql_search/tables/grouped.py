"""SQL of one number, of single runs, of titled projects and of pairs."""

from __future__ import annotations

from typing import Final

from index.facets import FACET
from query.global_search.carrying import literal
from query.reading.question import Question
from query.sql_search.compiling import Compiled, about, matched_statement, virus_condition
from query.sql_search.statement import SqlStatement, limited_to
from query.sql_search.tables.nouns import COLUMNS, OF_RUNS, RUN
from query.sql_search.tables.request import Measure, TableRequest

OF_HITS: Final = {"family": "family", "species": "stated", "sotu": "sotu"}
"""Nouns that are columns of the table ``detection``."""
RUN_COLUMNS: Final = {
    "bioproject": "bioproject",
    "study": "study",
    "biosample": "biosample",
    "library_strategy": "library_strategy",
    "library_source": "library_source",
    "year": "year(release_date)",
}
"""Nouns that are columns of the table ``run``."""
TITLED: Final = ("bioproject", "study")
PLURALS: Final = {
    "run": "runs", "family": "families", "species": "species", "host": "hosts",
    "tissue": "tissues", "disease": "diseases", "geography": "countries", "study": "studies",
    "bioproject": "bioprojects", "biosample": "biosamples", "environment": "environments",
    "biome": "biomes", "sex": "sexes", "sotu": "sotus", "year": "years",
    "library_strategy": "library_strategies", "library_source": "library_sources",
}  # fmt: skip


def compile_groups(request: TableRequest, named: Question) -> Compiled:
    """Return the SQL of ``request`` for the runs of ``named``."""
    if request.pairs:
        return _pairs(request, named)
    return _groups(request, named)


# --- kinds of tables ------------------------------------------------------------------------------


def _groups(request: TableRequest, named: Question) -> Compiled:
    """Return the SQL of a number for each value of the rows, or of one number."""
    query = _with_values(matched_statement(named), request, virus_condition(named))
    measure = request.measure
    if measure.per_run:
        query = query.also("each_run", "how many each run has", _of_each_run(measure.of))
    numbers = _numbers(measure)[:1] if request.rows == (RUN,) else _numbers(measure)
    joined = _joined("matched", request, query)
    final = _selected(request, [*_columns(request), *numbers], joined)
    steps = [about(named), _said(request), *_caveats(request, named)]
    return Compiled(query.ending(final), tuple(steps))


def _pairs(request: TableRequest, named: Question) -> Compiled:
    """Return the SQL of pairs of values found in the same runs."""
    (noun,) = request.rows
    column = OF_HITS[noun]
    found = (
        f"SELECT DISTINCT run, {column} AS {noun}\n"
        f"FROM detection SEMI JOIN matched USING (run) WHERE {column} IS NOT NULL"
    )
    query = matched_statement(named).also("found", "what these runs carry", found)
    order = "ASC" if request.sorting == "fewest" else "DESC"
    final = (
        f"SELECT a.{noun} AS {noun}, b.{noun} AS other_{noun}, count(*) AS runs\n"
        f"FROM found a JOIN found b USING (run)\nWHERE a.{noun} < b.{noun}\n"
        f"GROUP BY ALL\nORDER BY {'' if request.sorting == 'name' else f'runs {order}, '}1, 2"
        f"{limited_to(request.limit)}"
    )
    what = f"counts for each pair of {PLURALS[noun]} the runs that carry both"
    return Compiled(query.ending(final), (about(named), what))


# --- parts ----------------------------------------------------------------------------------------


def _with_values(query: SqlStatement, request: TableRequest, of_virus: str) -> SqlStatement:
    """Return ``query`` with one query more for each source that the request reads."""
    nouns = _nouns(request)
    viral = [one for one in nouns if one in OF_HITS]
    columns = [one for one in (request.measure.of,) if one in COLUMNS and one not in OF_RUNS]
    if viral or columns:
        query = query.also("found", "what these runs carry", of_hits(viral, columns, of_virus))
    of_run = [one for one in nouns if one in RUN_COLUMNS]
    numbers = [request.measure.of] if request.measure.of in OF_RUNS else []
    if of_run or numbers:
        select = of_runs(of_run, numbers, titles=request.titles)
        query = query.also("of_run", "what is known of these runs", select)
    for one in nouns:
        if one in FACET and FACET[one].origin == "annotation":
            query = query.also(f"of_{one}", f"{PLURALS[one]} of these runs", annotated(one))
    return query


def of_hits(viral: list[str], columns: list[str], of_virus: str) -> str:
    """Return a SELECT of columns of the hits of the matching runs, of those that name each of
    ``viral``.
    """
    selected = [f"{OF_HITS[one]} AS {one}" for one in viral]
    listed = ", ".join(["run", *selected, *columns])
    stated = [f"{OF_HITS[one]} IS NOT NULL" for one in viral]
    conditions = [*stated, *([f"({of_virus})"] if of_virus else [])]
    where = f"\nWHERE {' AND '.join(conditions)}" if conditions else ""
    return f"SELECT {listed}\nFROM detection SEMI JOIN matched USING (run){where}"


def of_runs(nouns: list[str], numbers: list[str], *, titles: bool = False) -> str:
    """Return a SELECT of columns of the matching runs, of those that state each of ``nouns``."""
    selected = [f"{RUN_COLUMNS[one]} AS {one}" for one in nouns]
    source = "run"
    if titles:
        titled = next(one for one in nouns if one in TITLED)
        source = f"run LEFT JOIN {titled} USING ({titled})"
        selected.append(f"{titled}.title AS title")
    listed = ", ".join(["run", *selected, *numbers])
    where = " AND ".join(f"{RUN_COLUMNS[one]} IS NOT NULL" for one in nouns)
    condition = f"\nWHERE {where}" if where else ""
    return f"SELECT {listed}\nFROM {source} SEMI JOIN matched USING (run){condition}"


def annotated(facet: str) -> str:
    """Return a SELECT of the values of ``facet`` that the matching runs state; of places the
    country.
    """
    country = " AND NOT contains(value, ':')" if facet == "geography" else ""
    return (
        f"SELECT DISTINCT run, value AS {facet}\nFROM annotation SEMI JOIN matched USING (run)\n"
        f"WHERE facet = {literal(facet)}{country}"
    )


def _of_each_run(noun: str) -> str:
    source = "found" if noun in OF_HITS else "of_run" if noun in RUN_COLUMNS else f"of_{noun}"
    return f"SELECT run, count(DISTINCT {noun}) AS number\nFROM {source} GROUP BY run"


def _joined(runs: str, request: TableRequest, query: SqlStatement) -> str:
    """Return the FROM of the last SELECT: each run with its values."""
    sources = [name for name, _, _ in query.parts if name in ("found", "each_run", "of_run")]
    sources += [f"of_{one}" for one in _nouns(request) if f"of_{one}" in _part_names(query)]
    if request.measure.per_run:
        counted = request.measure.of
        own = [name for name in ("found", f"of_{counted}") if counted not in request.rows]
        shown = {one for one in request.rows if one in OF_HITS}
        sources = [one for one in sources if one not in own or (one == "found" and shown)]
    return "\n".join([f"FROM {runs}", *[f"JOIN {one} USING (run)" for one in sources]])


def _part_names(query: SqlStatement) -> set[str]:
    return {name for name, _, _ in query.parts}


def _selected(request: TableRequest, columns: list[str], joined: str) -> str:
    """Return the last SELECT, with the rows that are kept and their order."""
    listed = ",\n       ".join(columns)
    lines = [f"SELECT {listed}", joined]
    if request.rows:
        lines.append(f"GROUP BY {', '.join(_columns(request))}")
    if request.having:
        kept = [f"{_distinct(one.of)} {one.sign} {one.number}" for one in request.having]
        lines.append(f"HAVING {' AND '.join(kept)}")
    if request.rows:
        lines += _ordered(request)
    return "\n".join(lines) + limited_to(request.limit)


def _ordered(request: TableRequest) -> list[str]:
    measured = measured_name(request.measure)
    rows = ", ".join(request.rows)
    ranked = f"{measured} {'ASC' if request.sorting == 'fewest' else 'DESC'}"
    if request.sorting == "name":
        folded = ", ".join(f"lower({one}::VARCHAR)" for one in request.rows)
        return [f"ORDER BY {folded}, {rows}"]
    return [f"ORDER BY {ranked} NULLS LAST, {rows}"]


def _columns(request: TableRequest) -> list[str]:
    return [*request.rows, *(["title"] if request.titles else [])]


def _numbers(measure: Measure) -> list[str]:
    """Return the numbers of each row with their names: what is measured, and of how many runs."""
    name = measured_name(measure)
    runs = "count(DISTINCT run) AS runs"
    if measure.how == "count":
        return [runs] if measure.of == RUN else [f"{_distinct(measure.of)} AS {name}", runs]
    column = "number" if measure.per_run else measure.of
    made = f"{measure.how}({column})"
    rounded = f"round({made}, 3)" if measure.how in ("avg", "median") else made
    if measure.per_run or measure.of in OF_RUNS:
        return [f"{rounded} AS {name}", runs]
    stating = f"count(DISTINCT run) FILTER ({column} IS NOT NULL) AS runs"
    return [f"{rounded} AS {name}", f"count({column}) AS hits", stating]


def number_of_measure(measure: Measure) -> str:
    """Return the SQL of the number of ``measure`` alone, under its name."""
    return _numbers(measure)[0]


def measured_name(measure: Measure) -> str:
    """Return the name of the column that rows are ranked by."""
    if measure.how == "count":
        return PLURALS[measure.of]
    of = PLURALS[measure.of] if measure.per_run else measure.of
    return f"{measure.how}_{of}"


def _nouns(request: TableRequest) -> list[str]:
    """Return the nouns whose values are read, each once."""
    counted = [request.measure.of, *(one.of for one in request.having)]
    nouns = dict.fromkeys([*request.rows, *counted])
    return [one for one in nouns if one in PLURALS and one != RUN]


def _distinct(noun: str) -> str:
    return f"count(DISTINCT {noun})"


_HOW: Final = {
    "avg": "the mean", "median": "the median", "max": "the maximum", "min": "the minimum",
    "sum": "the sum",
}  # fmt: skip


def _said(request: TableRequest) -> str:
    """Return what the SQL does in words."""
    measure = request.measure
    of_each = " and ".join(one.replace("_", " ") for one in request.rows)
    each = f" for each {of_each}" if of_each else ""
    if measure.how == "count":
        said = "distinct runs" if measure.of == RUN else f"distinct {PLURALS[measure.of]}"
        return f"counts {said}{each}"
    how = _HOW[measure.how]
    if measure.per_run:
        counted = PLURALS[measure.of]
        return f"gives {how} of the number of {counted} of a run{each}, among runs with any"
    of = "runs" if measure.of in OF_RUNS else "hits"
    return f"gives {how} of {measure.of} of {of} that state it{each}"


def _caveats(request: TableRequest, named: Question) -> list[str]:
    """Return what is kept, and of which viruses rows and numbers are."""
    steps = [
        f"keeps those with {one.sign} {one.number} {PLURALS[one.of]}" for one in request.having
    ]
    viral = any(one in OF_HITS for one in _nouns(request)) or request.measure.of in COLUMNS
    if viral and virus_condition(named) and request.measure.of not in OF_RUNS:
        steps.append("of the viruses named alone")
    return steps
