"""The tools ``associations``, ``plausibility`` and ``communities``: results computed by a build."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Annotated, Final

from pydantic import Field

from query.browsing.associations import find_associations
from query.compiler import UnknownNameError, run
from query.levels import checked_levels
from query.mcp.compact import plain
from query.mcp.gating import group_asked
from query.mcp.paging import ALL_ROWS, Cursor, Rows, table_page
from query.mcp.served import Opened, Record, withheld
from query.request import Describe, Everything, Has, Hit, Range, Records, Request, Values, Where
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

_PAIR: Final = ("virus", "host", "plausibility", "runs", "virus_id")
_COMMUNITY: Final = ("community", "level", "runs", "title", "rating")


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
    cursor_key = ["associations", family, term]
    if family is None:
        measure = Records("tests", by=("family",), limit=ALL_ROWS)
        listed = run(opened.con, Request(measure)).rows
        families = ("family", "tests")
        return table_page(opened, families, listed, of=cursor_key, rows=rows, cursor=cursor)
    named = _family_of(opened, family)
    found = find_associations(opened.con, named, term=term, limit=ALL_ROWS)
    columns = ("bioproject", "attribute", "value", "against", "runs_with", "runs_without",
               "fold_change", "q_value", "flag")  # fmt: skip
    tests = [
        (test.bioproject, test.attribute, test.value, test.against, test.num_true,
         test.num_false, test.fold_change, test.q_value, test.flag)
        for test in found.shown
    ]  # fmt: skip
    shown = {
        "family": named,
        "tests": found.total,
        "significant": found.significant,
        "over_projects": [
            {"value": f"{test.attribute}: {test.value}", "projects": test.combined.projects,
             "effect": plain(test.combined.effect), "q_value": plain(test.combined.q_value)}
            for test in found.combined[:5]
        ],
    }  # fmt: skip
    seen = opened.withholding.rows(tests)
    group = opened.unseen.group_of(named)
    if group is not None:
        opened.withholding.count[group] += 1
        seen, shown = [], {}
    return table_page(opened, columns, seen, of=cursor_key, rows=rows, cursor=cursor, shown=shown)


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
    hit = None if virus is None else Hit(virus=(virus,))
    group = group_asked(opened, hit)
    if group is not None:
        return withheld(group)
    filters = {"virus": virus, "host": host, "plausibility": plausibility}
    where = tuple(Where(column, (value,)) for column, value in filters.items() if value is not None)
    found = run(opened.con, Request(Records("pairs", where, columns=_PAIR, limit=ALL_ROWS)))
    shown = {"names": {name.text: name.label for name in found.names if name.text != name.label}}
    of = ["plausibility", *filters.values()]
    return table_page(opened, _PAIR[:-1], found.rows, of=of, rows=rows, cursor=cursor, shown=shown)


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
    `communities` counts those of all levels, `with_report` those that describe has a report of.
    A community that is the same at several levels is listed once.
    """
    cursor_key = ["communities", like, virus, host, level, reported]
    levels = checked_levels(opened.con, level)
    hit = None if virus is None else Hit(virus=(virus,))
    group = group_asked(opened, hit)
    if group is not None:
        return withheld(group)
    found = list(run(opened.con, Request(_listed(like, level, reported=reported))).rows)
    columns = [*_COMMUNITY]
    if virus is not None or host is not None:
        matching = _matching(opened, hit, host, levels if level is None else [level])
        found = [(*row, matching[str(row[0])]) for row in found if row[0] in matching]
        found.sort(key=lambda row: (row[1], -matching[str(row[0])], row[0]))
        columns.append("matching")
    with_report = sum(row[4] is not None for row in found)
    by_level = dict(sorted(Counter(int(str(row[1])) for row in found).items()))
    shown = {"communities": len(found), "by_level": by_level, "with_report": with_report}
    return table_page(opened, columns, found, of=cursor_key, rows=rows, cursor=cursor, shown=shown)


def _listed(like: str | None, level: int | None, *, reported: bool | None) -> Records:
    """Return the request for communities, each once, as far down as it has the same runs."""
    where = [Where("last_level", range=Range(at_least=level or 0))]
    where += [Where("level", range=Range(at_most=level))] if level is not None else []
    where += [Where("text", contains=like)] if like else []
    where += [Where("rating", range=Range(at_least=0))] if reported else []
    return Records("communities", tuple(where), columns=_COMMUNITY, limit=ALL_ROWS)


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
    try:
        described = run(opened.con, Request(Describe("virus", name)))
    except (UnknownNameError, ValueError):
        return name
    facts = {row["what"]: row["value"] for row in described.records()}
    return str(facts.get("family") or facts.get("scientific_name") or name)
