"""SQL of stored rows: runs or detections with what they state, associations, communities."""

from __future__ import annotations

from typing import Final

from index.facets import FACET
from query.global_search.carrying import equals_any
from query.reading.question import Question
from query.sql_search.compiling import (
    Compiled,
    about,
    matched_statement,
    value_condition,
    virus_condition,
)
from query.sql_search.statement import limited_to
from query.sql_search.tables.grouped import OF_HITS, PLURALS, RUN_COLUMNS, annotated
from query.sql_search.tables.nouns import HIT_COLUMNS, OF_RUNS
from query.sql_search.tables.request import TableRequest

_GROUPS_OF_VALUES: Final = ("tissue", "disease", "organism", "geography", "sex", "environment")
_AS_SUBMITTED: Final = ("release_date", "organism")
"""Columns of the table ``run`` that are no rows of tables."""
PLACE_COLUMNS: Final = ("latitude", "longitude")
"""Columns of the table ``place``."""
_LOCATED: Final = """\
SELECT run, latitude, longitude
FROM run SEMI JOIN matched USING (run) JOIN place USING (biosample)
WHERE latitude IS NOT NULL"""
_ASSOCIATIONS: Final = """\
SELECT bioproject, family, attribute, value, num_true, num_false, fold_change,
       CASE WHEN fold_change > 0 THEN 'higher' WHEN fold_change < 0 THEN 'lower' END AS direction,
       p_value, q_value, flag
FROM association{where}
ORDER BY {first}flag IS NOT NULL, q_value, abs(fold_change) DESC, family, attribute, value\
{limit}"""
_COUNTED: Final = """\
SELECT {noun}, count(*) AS associations
FROM association{where}
GROUP BY ALL ORDER BY associations DESC, {noun}{limit}"""
_COMMUNITIES: Final = """\
SELECT community, c.level, label, coalesce(r.title, o.title) AS title, c.runs, c.entities, c.parent,
       o.species, o.family, o.host, o.tissue, o.disease
FROM community c LEFT JOIN report r USING (community) LEFT JOIN community_overview o \
USING (community){where}
ORDER BY c.runs {order}, community{limit}"""


def compile_records(request: TableRequest, named: Question) -> Compiled | None:
    """Return the SQL of stored rows; None where names do not apply to them."""
    if request.records == "associations":
        return _associations(request, named)
    if request.records == "communities":
        return _communities(request, named)
    return _runs(request, named)


def _runs(request: TableRequest, named: Question) -> Compiled:
    """Return the SQL of one row for each run or hit: several values of one are joined by
    semicolons.
    """
    query = matched_statement(named)
    of_virus = virus_condition(named)
    joins = ["FROM matched"]
    if any(_is_of_run(one) for one in request.columns):
        joins.append("JOIN run USING (run)")
    located = [one for one in request.columns if one in PLACE_COLUMNS]
    if located:
        query = query.also("located", "where samples of these runs were taken", _LOCATED)
        joins.append("JOIN located USING (run)")
    for one in request.columns:
        if one in FACET and FACET[one].origin == "annotation":
            name = f"of_{one}"
            select = _one_row(one, annotated(one))
            query = query.also(name, f"{PLURALS[one]} of these runs", select)
            joins.append(f"LEFT JOIN {name} USING (run)")
    hits = [one for one in request.columns if one in OF_HITS or one in HIT_COLUMNS]
    each_hit = request.records == "detections"
    if each_hit or hits:
        found = _every_hit(hits, of_virus) if each_hit else _best_hits(hits, of_virus)
        query = query.also("found", "what these runs carry", found)
        joins.append(f"{'' if each_hit else 'LEFT '}JOIN found USING (run)")
    selected = ["run", *(_selected(one) for one in request.columns)]
    listed = ", ".join(selected)
    way = "ASC" if request.sorting == "fewest" else "DESC"
    ranked = f"{request.by} {way} NULLS LAST, " if request.by else ""
    last = ", ".join(["run", *hits] if each_hit else ["run"])
    lines = [f"SELECT {listed}", *joins, f"ORDER BY {ranked}{last}"]
    final = "\n".join(lines) + limited_to(request.limit)
    what = ["lists one run a row", *(["numbers are the highest of its hits"] if hits else [])]
    if each_hit:
        what = ["lists one hit a row"]
    if hits and of_virus:
        what.append("of the viruses named alone")
    if located:
        what.append("runs whose sample has no coordinates are in no row")
    return Compiled(query.ending(final), (about(named), *what))


def _selected(column: str) -> str:
    """Return the expression of a column, under its name."""
    return f"{RUN_COLUMNS[column]} AS {column}" if column in RUN_COLUMNS else column


def _is_of_run(column: str) -> bool:
    return column in RUN_COLUMNS or column in OF_RUNS or column in _AS_SUBMITTED


def _one_row(facet: str, select: str) -> str:
    joined = f"string_agg({facet}, '; ' ORDER BY {facet}) AS {facet}"
    return f"SELECT run, {joined}\nFROM (\n{select}\n)\nGROUP BY run"


def _best_hits(columns: list[str], of_virus: str) -> str:
    selected = ["run"]
    for one in columns:
        if one in OF_HITS:
            held = OF_HITS[one]
            selected.append(f"string_agg(DISTINCT {held}, '; ' ORDER BY {held}) AS {one}")
        else:
            selected.append(f"max({one}) AS {one}")
    where = f"\nWHERE {of_virus}" if of_virus else ""
    listed = ", ".join(selected)
    return f"SELECT {listed}\nFROM detection SEMI JOIN matched USING (run){where}\nGROUP BY run"


def _every_hit(columns: list[str], of_virus: str) -> str:
    selected = [f"{OF_HITS[one]} AS {one}" if one in OF_HITS else one for one in columns]
    where = f"\nWHERE {of_virus}" if of_virus else ""
    listed = ", ".join(["run", *selected])
    return f"SELECT {listed}\nFROM detection SEMI JOIN matched USING (run){where}"


def _associations(request: TableRequest, named: Question) -> Compiled | None:
    """Return the SQL of associations: of the families, values and projects that are named."""
    conditions = ["q_value <= 0.05"] if request.significant else []
    said = ["lists the associations (MWAS), whether they hold or not"]
    if request.significant:
        said = ["lists the associations (MWAS) that hold after correction"]
    if request.most_q is not None:
        conditions = [f"q_value <= {request.most_q:g}"]
        said = [f"lists the associations (MWAS) with a q value of at most {request.most_q:g}"]
    held = conditions_of_names(named)
    if held is None:
        return None
    conditions += held[0]
    said += held[1]
    where = "\nWHERE " + "\n  AND ".join(conditions) if conditions else ""
    limit = limited_to(request.limit)
    if request.rows and request.measure.of == "association":
        (noun,) = request.rows
        sql = _COUNTED.format(noun=noun, where=where, limit=limit)
        return Compiled(sql, (*(one.replace("lists", "counts") for one in said), f"by {noun}"))
    first = f"{request.rows[0]}, " if request.rows else ""
    sql = _ASSOCIATIONS.format(where=where, first=first, limit=limit)
    direction = "direction is that of the mean abundance in samples with the value"
    return Compiled(sql, (*said, direction))


def conditions_of_names(named: Question) -> tuple[list[str], list[str]] | None:
    """Return the conditions on an association of what ``named`` names, with what each says; None
    where a name says nothing of associations.
    """
    groups = {one.group for one in named.mentions}
    known = {"virus", "bioproject", *_GROUPS_OF_VALUES}
    if not groups <= known or named.reading.without or _has_conditions(named):
        return None
    conditions: list[str] = []
    said: list[str] = []
    of_virus = virus_condition(named)
    if of_virus:
        conditions.append(f"family IN (SELECT family FROM detection WHERE {of_virus})")
        said.append("of the families of the viruses named")
    for group in (*_GROUPS_OF_VALUES, "bioproject"):
        of_group = [one for one in named.mentions if one.group == group]
        if not of_group:
            continue
        projects = equals_any([one.label for one in of_group])
        is_project = group == "bioproject"
        conditions.append(f"bioproject {projects}" if is_project else value_condition(of_group))
        said.append(f"of {' or '.join(one.name for one in of_group)}")
    return conditions, said


def _has_conditions(named: Question) -> bool:
    return any(one.is_condition for one in named.mentions)


def _communities(request: TableRequest, named: Question) -> Compiled | None:
    """Return the SQL of communities by size; None where anything is named."""
    if named.mentions or named.reading.without:
        return None
    conditions = [f"c.runs {one.sign} {one.number}" for one in request.having]
    said = ["lists the communities of runs of every level"]
    if request.level is not None:
        conditions.append(f"c.level = {request.level}")
        said = [f"lists the communities of level {request.level}"]
    where = "\nWHERE " + " AND ".join(conditions) if conditions else ""
    order = "ASC" if request.sorting == "fewest" else "DESC"
    sql = _COMMUNITIES.format(where=where, order=order, limit=limited_to(request.limit))
    said.append("smallest first" if order == "ASC" else "largest first")
    return Compiled(sql, tuple(said))
