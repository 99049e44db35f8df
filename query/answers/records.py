"""Answers from stored tables: tests, effects, communities, studies, pairs, vocabularies, builds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from index.claims import (
    TOTAL,
    AssociationsHeld,
    Claim,
    Counted,
    Noun,
    Portrait,
    Ranking,
)
from index.claims.claim import joined
from index.claims.phrases import in_words, listed
from query.answer import ResultTable
from query.answers.drafting import Answering, Draft, table_of
from query.answers.listing_words import DRAWN, SAID, place_of, titles_of
from query.answers.stored_rows import KINDS, effect_over_projects, test_of_project
from query.request import EVERYTHING, Range, Records, SortBy, Where, said_names, said_range
from query.request.fields import field_named, key_of

_JOINTS: Final = {
    "family": "of",
    "virus": "of",
    "host": "in",
    "hosts": "in",
    "places": "from",
    "bioproject": "in",
    "project": "in",
    "study": "in",
    "attribute": "with",
    "value": "with",
    "plausibility": "judged",
    "flag": "flagged",
    "level": "at level",
}
"""Words between the rows and a value of a column, if not "with"."""
_LISTS: Final = ("hosts", "places")
"""Columns that list several values; a condition names one of them."""
_SIGNIFICANT: Final = 0.05
_HOLDING: Final = Range(at_most=_SIGNIFICANT)
_SIGNIFICANT_ONLY: Final = Where("q_value", range=_HOLDING)
_TESTED: Final = ("tests", "effects")
_TESTED_IN: Final = "association is not causation"
_UNEXPECTED: Final = Where("plausibility", ("unexpected",))
_KINDS_OF_FIELDS: Final = {("field",): "of the index", ("submitted",): "as submitted"}
_WHOLE: Final = ("runs", "index")
_AGES: Final = {
    "index": "the index was published on {as_of}",
    "runs": "the newest run was released on {as_of}",
    "detections": "runs released up to {as_of} were searched by {name}",
    "ontology": "{name} is of {as_of}",
    "input": "the input of {name} is of {as_of}",
}
"""Kind of a source -> how old one is."""


_LARGEST_FIRST: Final = SortBy("runs", descending=True)


def draft_records(context: Answering, measure: Records) -> Draft:
    """Return how many stored rows there are, and the first of them in words."""
    kind, where = KINDS[measure.table], _where(context, measure.where)
    result, table = context.result, table_of(context.result)
    if measure.count or not result.rows:
        if measure.table == "effects" and not measure.count:
            return _no_effect(context, measure)
        none = _there_are(int(result.number or 0), kind.noun, where)
        return Draft([none], [] if result.number else _of_others(context, measure))
    if measure.by:
        return Draft([_by_value(context, measure, kind.noun, where)], table=table)
    if measure.table in _TESTED:
        return _draft_tested(context, measure, kind.noun, where)
    rows = _full_rows(context, measure)
    if measure.table == "sources" and not measure.where:
        return _draft_sources(rows, table)
    if _UNEXPECTED in measure.where:
        rows = [{**row, "plausibility": None} for row in rows]
    is_cut = measure.limit < Records(measure.table).limit
    said = [kind.said(row) for row in rows[:SAID]] if kind.said else []
    cautions = [Portrait(text=kind.caution)] if kind.caution else []
    if said and measure.table == "communities" and measure.order == _LARGEST_FIRST:
        of = joined(f"the largest of the {result.total:,} communities", where)
        return Draft([Portrait(text=f"{of}, {said[0].clause()}")], cautions, said[1:], table=table)
    if len(said) == 1:
        return Draft(said, cautions, table=table)
    lead = _there_are(result.total, kind.noun, where)
    if is_cut and said and result.total > len(rows):
        by = f" by {measure.order.by.replace('_', ' ')}" if measure.order is not None else ""
        lead = replace(lead, before=f"these are the first {in_words(len(rows))}{by} of the")
    return Draft([lead], cautions, said, table=table)


def _there_are(number: int, noun: Noun, where: str) -> Counted:
    before = "there is" if number == 1 else "there are"
    return Counted(number=number, noun=noun, before=before, where=where)


def _of_others(context: Answering, measure: Records) -> list[Claim]:
    """Return what values the rows have instead of those of a condition that none meets."""
    column = next((part.column for part in measure.where if part.values), "")
    rest = tuple(part for part in measure.where if part.column != column)
    if not column:
        return []
    asked = Records(measure.table, rest, by=(column,))
    found = context.look(asked, EVERYTHING)
    rows = [row for row in found.rows if row[0] is not None]
    key = key_of(column)
    thing = (field_named(key).said, field_named(key).plural) if key else (column, f"{column}s")
    noun = KINDS[measure.table].noun[1]
    ranking = Ranking(
        begin=joined("there are", noun, _where(context, rest), f"of {TOTAL}"),
        places=tuple(place_of(str(row[0]), row[1]) for row in rows[:DRAWN]),
        thing=thing,
        noun=KINDS[measure.table].noun,
        others=len(rows[DRAWN:]),
    )
    return [ranking] if rows else []


def _no_effect(context: Answering, measure: Records) -> Draft:
    """Return that no association over projects holds: it is not significant, or was not tested."""
    rest = tuple(part for part in measure.where if part.column != "q_value")
    kind, where = KINDS["effects"], _where(context, rest)
    wanted = Records("effects", rest, columns=tuple(kind.columns.split()))
    tested = context.look(wanted, EVERYTHING).records()
    if len(tested) == 1:
        return Draft([effect_over_projects(tested[0])])
    if not tested:
        return Draft([Portrait(text=f"no {joined(kind.noun[0], where)} was tested")])
    claim = AssociationsHeld(holding=0, total=len(tested), noun=kind.noun, where=where)
    return Draft([claim], (), [effect_over_projects(row) for row in tested[:SAID]])


def _where(context: Answering, conditions: Sequence[Where]) -> str:
    """Return the conditions after the noun: "of Flaviviridae", "where runs is above 10"."""
    plain = [part for part in conditions if part.column in _JOINTS and part != _UNEXPECTED]
    others = [_condition(context, part) for part in conditions if part not in plain]
    named = (_condition(context, part) for part in plain)
    return joined(*named, " and ".join(filter(None, others)))


def _condition(context: Answering, where: Where) -> str:
    if where.column == "q_value" and where.range == _HOLDING:
        return ""
    if where == _UNEXPECTED:
        return "in which the virus is not known from the host or its relatives"
    if where.column == "kind" and where.values in _KINDS_OF_FIELDS:
        return _KINDS_OF_FIELDS[where.values]
    column = where.column.replace("_", " ")
    table = getattr(context.request.measure, "table", "")
    is_main = table == "communities" and where.column == "host"
    joint = "mainly from" if is_main else _JOINTS.get(where.column)
    values = where.values or ((where.contains,) if where.column in _LISTS else ())
    if joint and values:
        kind = where.column.removesuffix("s")
        named = [context.names.called(value, kind) for value in values if value]
        return f"{joint} {' or '.join(named)}"
    if where.range is not None:
        return f"with {column} {said_range(where.range)}"
    if where.contains is not None:
        return f"whose {column} contains “{where.contains}”"
    return f"with {column} {said_names(where.values)}"


def _by_value(context: Answering, measure: Records, noun: Noun, where: str) -> Claim:
    columns = len(measure.by)
    joint = " in " if measure.by[-1] in ("bioproject", "host") else " with "
    places = []
    for row in context.result.rows[:DRAWN]:
        said = [f"no {name}" if value is None else str(value)
                for name, value in zip(measure.by, row[:columns], strict=True)]  # fmt: skip
        places.append(place_of(joint.join(said), row[columns]))
    by = " and ".join(name.replace("_", " ") for name in measure.by)
    noun = (noun[0].partition(" of ")[0], noun[1].partition(" of ")[0])
    is_cut = measure.limit < Records(measure.table).limit
    return Ranking(
        begin=joined(noun[1], where, f"by {by}:"),
        places=tuple(places),
        noun=noun,
        named=measure.limit if is_cut else None,
        others=max(0, context.result.total - len(places)),
    )


def _full_rows(context: Answering, measure: Records) -> list[dict[str, Any]]:
    wanted = tuple(KINDS[measure.table].columns.split())
    if not wanted or set(wanted) <= set(context.result.column_names):
        return context.result.records()
    more = Records(measure.table, measure.where, columns=wanted, order=measure.order, limit=50)
    return context.look(more, EVERYTHING).records()[: measure.limit]


def _draft_tested(context: Answering, measure: Records, noun: Noun, where: str) -> Draft:
    """Return how many tests hold, the strongest first, and that a test does not show a cause."""
    total, table = context.result.total, _with_logs(table_of(context.result))
    rows = _full_rows(context, measure)[:SAID]
    is_test = measure.table == "tests"
    titles = titles_of(context, "project", [row["bioproject"] for row in rows]) if is_test else {}
    claims = [
        test_of_project(row, titles) if is_test else effect_over_projects(row) for row in rows
    ]
    if total == 1:
        return Draft(claims, table=table)
    tested = tuple(part for part in measure.where if part != _SIGNIFICANT_ONLY)
    holding = measure.where
    if not any(part.column == "q_value" for part in holding):
        holding = (*holding, _SIGNIFICANT_ONLY)
    number, total = (
        int(context.look(Records(measure.table, where, count=True), EVERYTHING).number or 0)
        for where in (holding, tested)
    )
    flagged = 0
    if is_test:
        by_flag = context.look(Records(measure.table, holding, by=("flag",)), EVERYTHING)
        flagged = sum(int(str(runs)) for flag, runs in by_flag.rows if flag)
    lead = AssociationsHeld(
        holding=number - flagged, total=total, noun=noun, where=where, flagged=flagged
    )
    certain = [claim for claim in claims if claim.holds]
    caution = [Portrait(text=_TESTED_IN)] if certain and is_test else []
    return Draft([lead], caution, certain or claims[:1], table=table)


def _with_logs(table: ResultTable | None) -> ResultTable | None:
    """Return a table of tests that calls its fold changes logarithms."""
    if table is None:
        return None
    named = ("log2_fold_change" if name == "fold_change" else name for name in table.columns)
    return ResultTable(tuple(named), table.rows)


def _draft_sources(rows: list[dict[str, Any]], table: ResultTable | None) -> Draft:
    """Return how old the runs and the index are, then how old the sources of detections."""
    named: dict[tuple[str, str], list[str]] = {}
    for row in rows:
        if row["as_of"]:
            name = row["name"].partition(" ")[0] if row["kind"] == "ontology" else row["name"]
            named.setdefault((row["kind"], row["as_of"]), []).append(name)
    said = [(kind, Portrait(text=_AGES[kind].format(as_of=day, name=listed(names))))
            for (kind, day), names in named.items()]  # fmt: skip
    lead = [claim for kind, claim in said if kind in _WHOLE]
    others = [claim for kind, claim in said if kind not in _WHOLE]
    return Draft(lead or others[:1], [], others[:SAID] if lead else [], table=table)
