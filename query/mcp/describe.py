"""The tool ``describe``: what the index holds about one virus, run, study, community or term."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any, Final, Literal, TypeAlias

from pydantic import Field

from index.reports.citations import strip_references
from query.browsing.communities import read_report
from query.browsing.lookup import find_community
from query.browsing.pasted import Pasted, read_pasted
from query.browsing.run_list import describe_runs
from query.compiler import Result, UnknownNameError, run
from query.compiler.result import Cell
from query.errors import UnknownCommunityError, UnreportedCommunityError
from query.mcp.compact import plain
from query.mcp.gating import group_asked
from query.mcp.resolve import identified, kinds_named
from query.mcp.served import Opened, Record, withheld
from query.request import Carries, Describe, Everything, Has, Hit, Request, RunSet, Values

DescribedKind: TypeAlias = Literal[
    "virus", "run", "study", "project", "biosample", "community", "term", "runs"
]
KindGiven = Annotated[DescribedKind | None, Field(description="left out: by the form of id")]
IdGiven = Annotated[
    str,
    Field(
        description="accession, community (or words of its title), CURIE or name; several "
        "accessions, or hits of a sequence search, are a list of runs"
    ),
]
MOST_VALUES: Final = 10
MOST_HITS: Final = 50
HIT: Final = "hit "
"""Beginning of a fact that is a hit of a run."""


def describe(opened: Opened, id: IdGiven, kind: KindGiven = None) -> Record:
    """Describe one thing: a virus with its hosts, a run with its hits, a study or project with
    text and viruses, a community with its report, a term with its viruses. Or a list of runs
    (several accessions): what they have, and what sets them apart from all others, tested.
    """
    pasted = read_pasted(id)
    if kind == "runs" or (kind is None and len(pasted.accessions) > 1):
        return opened.withholding.result(_listed(opened, pasted))
    chosen = kind or identified(opened.con, id) or _kind_named(opened, id)
    if chosen in ("virus", "term"):
        request = Request(Describe(chosen, id))  # type: ignore[arg-type]
        about = Carries(Hit(virus=(id,))) if chosen == "virus" else request.measure
        group = group_asked(opened, about)
        if group is not None:
            return {"kind": chosen, **withheld(group)}
    if chosen == "community":
        return _community(opened, id)
    return opened.withholding.result(_described(opened, chosen, id))


def _listed(opened: Opened, pasted: Pasted) -> Record:
    """Return what is known of listed runs, the most frequent values and the clearest differences;
    rows that may not be seen are removed before the lists are cut.
    """
    found = describe_runs(opened.con, pasted)
    seen = opened.withholding.rows
    values = [[one.facet, one.value, one.runs, one.known, one.code] for one in found.values]
    apart = [
        [one.facet, one.value, one.here, one.known_here, one.elsewhere, one.known_elsewhere,
         float(f"{one.q_value:.2g}"), one.code]
        for one in found.apart
    ]  # fmt: skip
    communities = [[one.community, one.runs, one.of_runs] for one in found.communities]
    return {
        "kind": "runs",
        "given": found.given,
        "runs": len(found.runs),
        "studies": found.studies,
        "positive": found.positive,
        "value_columns": ["facet", "value", "runs", "of known", "code"],
        "values": seen(values)[:MOST_HITS],
        "apart_columns": ["facet", "value", "here", "of known", "elsewhere", "of known", "q",
                          "code"],
        "apart": seen(apart)[:MOST_VALUES],
        "tested": f"{found.tested} values by {found.unit}",
        "community_columns": ["community", "runs", "of its runs"],
        "communities": seen(communities)[:MOST_VALUES],
        "not_stated": found.without,
        "unknown": found.unknown[:MOST_VALUES],
        "withdrawn": found.withdrawn[:MOST_VALUES],
    }  # fmt: skip


def _kind_named(opened: Opened, name: str) -> str:
    """Return whether ``name`` names a virus, a term, or words of a community's title."""
    kinds = list(kinds_named(opened, name))
    if "virus" in kinds:
        return "virus"
    return "term" if kinds else "community"


def _described(opened: Opened, kind: str, name: str) -> Record:
    """Return the facts of one thing, and what its runs carry."""
    measure = Describe(kind, name)  # type: ignore[arg-type]
    result = run(opened.con, Request(measure))
    facts = {str(what): plain(value) for what, value in result.rows}
    record: Record = {"kind": kind, **facts}
    if result.tally is not None:
        record["tally"] = {name: count for name, count in asdict(result.tally).items()
                           if name != "stated"}  # fmt: skip
    if kind == "run":
        return _run(record)
    runs = _runs(kind, name, facts)
    if kind != "virus":
        record["viruses"] = _top(opened, "virus", runs)
    if kind != "term":
        for field in ("host", "tissue"):
            record[f"{field}s"] = _top(opened, field, runs)
    return record


def _runs(kind: str, name: str, facts: dict[str, Cell]) -> RunSet:
    if kind == "virus":
        return Carries(Hit(virus=(name,)))
    if kind == "term":
        return Has(str(facts["field"]), (str(facts["curie"]),))
    return Has(kind, (str(facts[kind]),)) if kind in facts else Everything()


def _top(opened: Opened, field: str, runs: RunSet) -> list[list[Any]]:
    """Return the values that most of ``runs`` have, with the number of runs."""
    result: Result = run(opened.con, Request(Values((field,)), runs))
    names = [column.name for column in result.columns]
    place = names.index("positive" if field == "virus" else "runs")
    seen = opened.withholding.rows(result.rows)
    return [[row[0], row[place]] for row in seen[:MOST_VALUES]]


def _run(facts: Record) -> Record:
    """Return what is known of a run, with its hits as a list, so that some may be withheld."""
    hits = [value for what, value in facts.items() if what.startswith(HIT)]
    stated = {what: value for what, value in facts.items() if not what.startswith(HIT)}
    return {**stated, "hits": hits[:MOST_HITS]}


def _community(opened: Opened, name: str) -> Record:
    """Return the report of a community, or its most frequent values if it has no report."""
    try:
        found = find_community(opened.con, name)
    except (UnknownCommunityError, UnreportedCommunityError) as error:
        try:
            return opened.withholding.result(_described(opened, "community", name))
        except UnknownNameError:
            raise error from None
    card = read_report(opened.con, found.community)
    group = opened.unseen.communities.get(card.community)
    if group is not None:
        return {"community": card.community, "risk_group": group, **withheld(group)}
    record = {
        "community": card.community,
        "level": card.level,
        "parent": card.parent,
        "runs": card.runs,
        "title": card.title,
        "summary": strip_references(card.summary),
        "findings": [strip_references(finding.summary) for finding in card.findings],
        "rating": card.rating,
        "risk_group": card.risk_group,
        "interpretation": card.interpretation,
        "parts": list(card.children[:MOST_VALUES]),
        "other_matches": list(found.others[:5]),
    }
    return opened.withholding.result(record)
