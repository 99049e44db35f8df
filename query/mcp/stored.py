"""The tools ``associations``, ``plausibility`` and ``communities``: results computed by a build."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Final

from pydantic import Field

from query.browsing.associations import find_associations
from query.compiler import UnknownNameError, run
from query.compiler.resolving import Resolver
from query.levels import checked_levels
from query.mcp.compact import plain
from query.mcp.gating import group_asked
from query.mcp.paging import ALL_ROWS, Cursor, Rows, table_page
from query.mcp.served import Opened, Record, withheld
from query.request import Everything, Has, Hit, Request, Values
from query.request import Records as RecordsMeasure
from query.request.fields import field_named
from query.request.hits import Plausibility

FamilyGiven = Annotated[
    str | None, Field(description="virus family, or a virus of it; left out: the families tested")
]
TermGiven = Annotated[
    str | None, Field(description="attribute (tissue), value, or term with what is below it")
]
VirusGiven = Annotated[str | None, Field(description="virus or any taxon of viruses")]
HostGiven = Annotated[str | None, Field(description="host or any taxon of hosts")]
LikeGiven = Annotated[str | None, Field(description="text in titles or facts, e.g. a place")]
LevelGiven = Annotated[int | None, Field(ge=0, description="0 is the top; left out: all levels")]

_PAIRS: Final = """
SELECT coalesce(v.name, t.label, p.virus) AS virus, coalesce(h.label, p.host) AS host,
       p.plausibility, p.runs, p.virus AS code
FROM plausibility p LEFT JOIN virus v ON v.virus = p.virus LEFT JOIN term t ON t.curie = p.virus
LEFT JOIN term h ON h.curie = p.host
WHERE ($viruses IS NULL OR list_contains($viruses, p.virus) OR p.virus IN
        (SELECT descendant FROM closure WHERE list_contains($viruses, ancestor)))
  AND ($hosts IS NULL OR list_contains($hosts, p.host) OR p.host IN
        (SELECT descendant FROM closure WHERE list_contains($hosts, ancestor)))
  AND ($plausibility IS NULL OR p.plausibility = $plausibility)
ORDER BY p.runs DESC, virus, host, p.plausibility
"""
_COMMUNITIES: Final = """
SELECT c.community, c.level, c.runs, coalesce(r.title, o.title) AS title, r.rating
FROM distinct_community c JOIN community_overview o USING (community)
LEFT JOIN report r USING (community)
WHERE ($level::INTEGER IS NULL OR $level BETWEEN c.level AND c.last_level)
  AND ($like::VARCHAR IS NULL
    OR contains(lower(concat_ws(' ', r.title, r.label, o.title)), lower($like))
    OR c.community IN (SELECT community FROM fact WHERE contains(lower(value), lower($like))))
ORDER BY c.level, c.runs DESC, c.community
"""


def associations(
    opened: Opened,
    family: FamilyGiven = None,
    term: TermGiven = None,
    rows: Rows = None,
    cursor: Cursor = None,
) -> Record:
    """List metadata that goes with more or fewer reads of a virus family within a BioProject
    (MWAS), strongest first. fold_change > 1: more where the value is stated. Significant:
    q_value <= 0.05. `over_projects`: effects combined by meta-analysis. No test shows a cause.
    """
    asked = ["associations", family, term]
    if family is None:
        measure = RecordsMeasure("tests", by=("family",), limit=ALL_ROWS)
        listed = run(opened.con, Request(measure)).rows
        families = ("family", "tests")
        return table_page(opened, families, listed, of=asked, rows=rows, cursor=cursor)
    named = _family_of(opened, family)
    found = find_associations(opened.con, named, term=term, limit=ALL_ROWS, both_sides=False)
    columns = ("bioproject", "attribute", "value", "against", "runs_with", "runs_without",
               "fold_change", "q_value", "flag")  # fmt: skip
    tests = [
        (one.bioproject, one.attribute, one.value, one.against, one.num_true,
         one.num_false, one.fold_change, one.q_value, one.flag)
        for one in found.shown
    ]  # fmt: skip
    shown = {
        "family": named,
        "tests": found.total,
        "significant": found.significant,
        "over_projects": [
            {"value": f"{one.attribute}: {one.value}", "projects": one.combined.projects,
             "effect": plain(one.combined.effect), "q_value": plain(one.combined.q_value)}
            for one in found.combined[:5]
        ],
    }  # fmt: skip
    seen = opened.withholding.rows(tests)
    group = opened.unseen.group_of(named)
    if group is not None:
        opened.withholding.count[group] += 1
        seen, shown = [], {}
    return table_page(opened, columns, seen, of=asked, rows=rows, cursor=cursor, shown=shown)


def plausibility(
    opened: Opened,
    virus: VirusGiven = None,
    host: HostGiven = None,
    plausibility: Plausibility | None = None,
    rows: Rows = None,
    cursor: Cursor = None,
) -> Record:
    """List pairs of virus and host met in runs, and how expected each is: recorded (known
    host), new within class (of a relative), unexpected (contamination or a new host), resident
    (lives in the cell line), library (the virus itself was sequenced), unknown.
    """
    names = Resolver(opened.con)
    viruses = None if virus is None else list(names.viruses((virus,)).curies)
    hosts = None if host is None else list(names.terms(field_named("host"), (host,)))
    hit = None if virus is None else Hit(virus=(virus,))
    group = group_asked(opened, hit)
    if group is not None:
        return withheld(group)
    parameters = {"viruses": viruses, "hosts": hosts, "plausibility": plausibility}
    found = opened.con.execute(_PAIRS, parameters).fetchall()
    shown = {"names": {one.text: one.label for one in names.resolved.values()
                      if one.text != one.label}}  # fmt: skip
    asked = ["plausibility", virus, host, plausibility]
    columns = ("virus", "host", "plausibility", "runs")
    return table_page(opened, columns, found, of=asked, rows=rows, cursor=cursor, shown=shown)


def communities(
    opened: Opened,
    like: LikeGiven = None,
    virus: VirusGiven = None,
    host: HostGiven = None,
    level: LevelGiven = None,
    reported: Annotated[bool | None, Field(description="true: only those with a report")] = None,
    rows: Rows = None,
    cursor: Cursor = None,
) -> Record:
    """List communities (clusters of linked runs), largest first by level, with their titles;
    with virus or host those that hold such runs, most first, and how many (`matching`).
    `communities` counts all, `with_report` those that describe has a report of. A community
    that is the same at several levels is listed once.
    """
    asked = ["communities", like, virus, host, level, reported]
    levels = checked_levels(opened.con, level)
    hit = None if virus is None else Hit(virus=(virus,))
    group = group_asked(opened, hit)
    if group is not None:
        return withheld(group)
    found = opened.con.execute(_COMMUNITIES, {"level": level, "like": like}).fetchall()
    if reported:
        found = [row for row in found if row[-1] is not None]
    columns = ["community", "level", "runs", "title", "rating"]
    if virus is not None or host is not None:
        matching = _matching(opened, hit, host, levels if level is None else [level])
        found = [(*row, matching[row[0]]) for row in found if row[0] in matching]
        found.sort(key=lambda row: (row[1], -row[-1], row[0]))
        columns.append("matching")
    with_report = sum(row[4] is not None for row in found)
    shown = {"communities": len(found), "with_report": with_report}
    return table_page(opened, columns, found, of=asked, rows=rows, cursor=cursor, shown=shown)


def _matching(
    opened: Opened, hit: Hit | None, host: str | None, levels: Sequence[int]
) -> dict[str, int]:
    """Return the runs with the virus and of the host in each community of ``levels``."""
    runs = Everything() if host is None else Has("host", (host,))
    counted: dict[str, int] = {}
    for level in levels:
        measure = Values(("community",), hits=hit, level=level)
        result = run(opened.con, Request(measure, runs))
        names = [column.name for column in result.columns]
        place = names.index("runs" if hit is None else "positive")
        counted |= {str(row[0]): int(str(row[place])) for row in result.rows}
    return counted


def _family_of(opened: Opened, name: str) -> str:
    """Return the family ``name``, or the family of the virus called so."""
    row = opened.con.execute(
        "SELECT any_value(family) FROM association WHERE lower(family) = lower($1)", [name]
    ).fetchone()
    if row is not None and row[0] is not None:
        return str(row[0])
    try:
        (curie,) = Resolver(opened.con).viruses((name,)).curies
    except (UnknownNameError, ValueError):
        return name
    row = opened.con.execute(
        "SELECT coalesce(any_value(v.family), any_value(t.label)) FROM term t "
        "LEFT JOIN virus v ON v.virus = t.curie WHERE t.curie = $1",
        [curie],
    ).fetchone()
    return str(row[0]) if row is not None and row[0] is not None else name
