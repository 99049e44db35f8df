"""Answers from stored tables: tests, effects, communities, studies, pairs, vocabularies, builds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Final

from index.claims import (
    AssociationClaim,
    AssociationsHeld,
    Claim,
    Counted,
    Effect,
    NamedNumber,
    Noun,
    Portrait,
    Ranking,
    number_text,
)
from index.claims.claim import joined
from index.claims.phrases import counted, in_quotes, in_words, listed
from query.answer import ResultTable
from query.answers.drafting import Answering, Draft, table_of
from query.answers.listing_words import DRAWN, SAID, place_of, virus_words
from query.answers.titles import titles_of
from query.request import Range, Records, Where
from query.request.names import Range as Bounds
from query.request.run_sets import EVERYTHING
from query.request.wording import said_names, said_range

_NOUNS: Final[dict[str, Noun]] = {
    "tests": ("test", "tests"),
    "effects": ("association over several projects", "associations over several projects"),
    "communities": ("community", "communities"),
    "reports": ("report", "reports"),
    "studies": ("study", "studies"),
    "projects": ("project", "projects"),
    "pairs": ("virus–host pair", "virus–host pairs"),
    "unlikely": ("virus-host pair that no source records",
                 "virus-host pairs that no source records"),
    "novel": ("virus far from any known one", "viruses far from any known one"),
    "neighbourhoods": ("neighbourhood of viruses", "neighbourhoods of viruses"),
    "misnamed": ("sOTU whose name the runs contradict", "sOTUs whose name the runs contradict"),
    "vocabularies": ("vocabulary", "vocabularies"),
    "sources": ("source of the index", "sources of the index"),
    "builds": ("record of builds", "records of builds"),
}  # fmt: skip
_JOINTS: Final = {
    "family": "of",
    "virus": "of",
    "host": "in",
    "bioproject": "in",
    "project": "in",
    "study": "in",
    "attribute": "with",
    "value": "with",
    "plausibility": "judged",
    "flag": "flagged",
    "level": "at level",
}
"""Words between the rows and a value of a column, where that is not "with"."""
_SIGNIFICANT: Final = 0.05
_HOLDING: Final = Range(at_most=_SIGNIFICANT)
_TESTED: Final = ("tests", "effects")
_TESTED_IN: Final = (
    "the strongest {} follow; each was tested within one BioProject, and association is not "
    "causation"
)
_UNEXPECTED: Final = Where("plausibility", ("unexpected",))
_IMPLAUSIBLE: Final = "look implausible: the virus is not known from the host or its relatives"
_DUPLICATE: Final = "duplicate of another field"
"""Flag of a test whose two groups another test compares, too."""
_WHOLE: Final = ("runs", "index")
_CAUTIONS: Final = {
    "unlikely": "the probability is a prediction from all other studies: what is unlikely may be "
    "contamination, or a new host",
    "neighbourhoods": "they are predicted: viruses of a neighbourhood are found in the same kinds "
    "of samples, and need not be related",
    "novel": "without an identity a sOTU was not compared with references: its source gives no "
    "name, which does not mean that there is none",
}
_AGES: Final = {
    "index": "the index was published on {as_of}",
    "runs": "the newest run was released on {as_of}",
    "detections": "runs released up to {as_of} were searched by {name}",
    "ontology": "the release of {name} is of {as_of}",
    "input": "the input of {name} is of {as_of}",
}
"""Kind of a source -> how old one is."""


def draft_records(context: Answering, measure: Records) -> Draft:
    """Return how many stored rows there are, and the first of them in words."""
    noun = _NOUNS[measure.table]
    where = _where(measure.where)
    if measure.count:
        number = int(context.result.number or 0)
        return Draft([Counted(number=number, noun=noun, before=_there(number), where=where)])
    if not context.result.rows and measure.table == "effects":
        return _no_effect(context, measure)
    if not context.result.rows:
        return Draft([Counted(number=0, noun=noun, before="there are", where=where)])
    if measure.by:
        return Draft([_by_value(context, measure, noun, where)], table=table_of(context.result))
    total = context.result.total
    if measure.table in _TESTED:
        return _draft_tested(context, measure, noun, where)
    count = Counted(number=total, noun=noun, before=_there(total), where=where)
    if measure.table == "pairs" and _UNEXPECTED in measure.where:
        rest = [part for part in measure.where if part != _UNEXPECTED]
        count = replace(count, before="", where=_where(rest), after=_IMPLAUSIBLE)
    first = _FIRST.get(measure.table)
    rows = _full_rows(context, measure)
    if measure.table == "sources" and not measure.where:
        return _draft_sources(rows, table_of(context.result))
    shown = min(_asked(measure) or SAID, DRAWN)
    if any(part.column == "plausibility" for part in measure.where):
        rows = [{**row, "plausibility": None} for row in rows]
    said = [first(row) for row in rows[:shown]] if first else []
    cautions = [Portrait(text=_CAUTIONS[measure.table])] if measure.table in _CAUTIONS else []
    if len(rows) == 1 and said:
        return Draft(said, cautions, table=table_of(context.result))
    if _asked(measure) is not None and said:
        if total > len(rows):
            order = measure.order
            by = f" by {order.by.replace('_', ' ')}" if order is not None else ""
            begin = f"these are the first {len(said)}{by} of the"
            count = Counted(number=total, noun=noun, before=begin, where=where)
        return Draft([count], cautions, said, table=table_of(context.result), most=len(said))
    return Draft([count], cautions, said, table=table_of(context.result))


def _no_effect(context: Answering, measure: Records) -> Draft:
    """Return that no association over projects holds: as it is not significant, or not tested."""
    rest = tuple(part for part in measure.where if part.column != "q_value")
    wanted = Records("effects", rest, columns=_COLUMNS["effects"])
    tested = context.look(wanted, EVERYTHING).records()
    noun, where = _NOUNS["effects"], _where(rest)
    if not tested:
        untested = f"no {joined(noun[0], where)} was tested"
        return Draft([Portrait(text=untested)])
    if len(tested) == 1:
        return Draft([_effect(tested[0])])
    held = AssociationsHeld(holding=0, total=len(tested), noun=noun, where=where)
    return Draft([held], (), [_effect(row) for row in tested[:SAID]])


def _asked(measure: Records) -> int | None:
    """Return how many rows are asked for; None where none are cut off on purpose."""
    return measure.limit if measure.limit < Records(measure.table).limit else None


def _there(number: int) -> str:
    return "there is" if number == 1 else "there are"


def _where(conditions: Sequence[Where]) -> str:
    """Return the conditions behind the noun: "of Flaviviridae", "where runs is above 10"."""
    plain = [_condition(where) for where in conditions if where.column in _JOINTS]
    others = [_condition(where) for where in conditions if where.column not in _JOINTS]
    return joined(*plain, " and ".join(filter(None, others)))


def _condition(where: Where) -> str:
    if where.column == "q_value" and where.range == _HOLDING:
        return ""
    column = where.column.replace("_", " ")
    joint = _JOINTS.get(where.column)
    if joint and where.values:
        return f"{joint} {' or '.join(where.values)}"
    if isinstance(where.range, Bounds):
        return f"with {column} {said_range(where.range)}"
    if where.contains is not None:
        return f"whose {column} contains “{where.contains}”"
    return f"with {column} {said_names(where.values)}"


def _by_value(context: Answering, measure: Records, noun: Noun, where: str) -> Claim:
    columns = len(measure.by)
    places = [
        place_of(_combined(measure.by, row[:columns]), row[columns])
        for row in context.result.rows[:DRAWN]
    ]
    said = " and ".join(name.replace("_", " ") for name in measure.by)
    noun = (noun[0].partition(" of ")[0], noun[1].partition(" of ")[0])
    return Ranking(
        begin=joined(noun[1], where, f"by {said}:"),
        places=tuple(places),
        noun=noun,
        named=_asked(measure),
        others=max(0, context.result.total - len(places)),
    )


def _combined(by: Sequence[str], values: Sequence[object]) -> str:
    """Return values of several columns as one: Flaviviridae in PRJEB1, source with no flag."""
    said = [f"no {name}" if value is None else str(value)
            for name, value in zip(by, values, strict=True)]  # fmt: skip
    joint = " in " if by[-1] in ("bioproject", "host") else " with "
    return joint.join(said)


def _full_rows(context: Answering, measure: Records) -> list[dict[str, Any]]:
    """Return the first rows with the columns that their sentence needs."""
    wanted = _COLUMNS.get(measure.table)
    if wanted is None or set(wanted) <= {column.name for column in context.result.columns}:
        return context.result.records()
    more = Records(measure.table, measure.where, columns=wanted, order=measure.order, limit=50)
    return context.look(more, EVERYTHING).records()


def _draft_tested(context: Answering, measure: Records, noun: Noun, where: str) -> Draft:
    """Return how many tests hold, the strongest first, and that a test shows no cause."""
    total = context.result.total
    rows = _without_mirrors(_full_rows(context, measure))
    rows.sort(key=lambda row: bool(row.get("flag")))
    claims = [_FIRST[measure.table](row) for row in rows[:SAID]]
    if measure.table == "tests":
        titles = titles_of(context, "project", [row["bioproject"] for row in rows[:SAID]])
        claims = [
            replace(claim, about=titles.get(claim.project, ""))
            for claim in claims
            if isinstance(claim, AssociationClaim)
        ]
    table = _with_logs(table_of(context.result))
    if total == 1:
        return Draft(claims, table=table)
    has_bound = any(part.column == "q_value" for part in measure.where)
    holding = total
    if not has_bound:
        bound = Where("q_value", range=_HOLDING)
        found = context.look(
            Records(measure.table, (*measure.where, bound), count=True), EVERYTHING
        )
        holding = int(found.number or 0)
    flagged = _flagged(context, measure) if measure.table == "tests" else 0
    lead = AssociationsHeld(
        holding=holding - flagged, total=total, noun=noun, where=where, flagged=flagged
    )
    certain = [claim for claim in claims if getattr(claim, "holds", False)]
    return Draft(
        [lead],
        [Portrait(text=_TESTED_IN.format(in_words(len(certain))))]
        if certain and measure.table == "tests"
        else [],
        certain or claims[:1],
        table=table,
    )


def _flagged(context: Answering, measure: Records) -> int:
    """Return how many of the tests that hold are flagged."""
    holding = (*measure.where, Where("q_value", range=_HOLDING))
    by_flag = context.look(Records(measure.table, holding, by=("flag",)), EVERYTHING)
    return sum(int(str(number)) for flag, number in by_flag.rows if flag)


def _with_logs(table: ResultTable | None) -> ResultTable | None:
    """Return a table of tests that calls its fold changes logarithms, flagged tests last."""
    if table is None or "flag" not in table.columns:
        return table
    named = ("log2_fold_change" if name == "fold_change" else name for name in table.columns)
    flag = table.columns.index("flag")
    return ResultTable(tuple(named), tuple(sorted(table.rows, key=lambda row: bool(row[flag]))))


def _without_mirrors(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return ``rows`` without those that compare the same two groups: the other way round, or by
    another field; of those the one whose value is a name stays, not a number.
    """
    kept: dict[object, dict[str, Any]] = {}
    for place, row in enumerate(rows):
        size = abs(row.get("fold_change") or 0)
        sides = frozenset([row.get("num_true"), row.get("num_false")])
        is_of_project = row.get("bioproject") is not None
        key = (row["bioproject"], row["family"], sides, size) if is_of_project else place
        if key not in kept or (kept[key]["value"].isdigit() and not row["value"].isdigit()):
            kept[key] = {**row, "flag": ""} if row.get("flag") == _DUPLICATE else row
    return list(kept.values())


def _test(row: dict[str, Any]) -> Claim:
    return AssociationClaim(
        family=row["family"],
        attribute=row["attribute"].replace("_", " "),
        value=row["value"],
        project=row["bioproject"],
        with_value=row["num_true"],
        without=row["num_false"],
        fold_change=row["fold_change"],
        q_value=row["q_value"],
        flag=row["flag"] or "",
    )


def _effect(row: dict[str, Any]) -> Claim:
    return Effect(
        family=row["family"],
        attribute=row["attribute"].replace("_", " "),
        value=row["value"],
        projects=row["projects"],
        agreeing=row["projects_agreeing"],
        effect=row["effect"],
        low=row["ci_low"],
        high=row["ci_high"],
        q_value=row["q_value"],
    )


def _community(row: dict[str, Any]) -> Claim:
    title = f", “{row['title']}”," if row["title"] else ""
    return Counted(number=row["runs"], before=f"{row['community']}{title} has")


def _study(row: dict[str, Any]) -> Claim:
    name = row.get("study") or row.get("project")
    title = f", {in_quotes(row['title'])}," if row["title"] else ""
    return Counted(number=row["runs"], before=f"{name}{title} has")


def _pair(row: dict[str, Any]) -> Claim:
    judged = f" ({row['plausibility']})" if row["plausibility"] else ""
    before = f"{virus_words(row['virus'])} in {row['host']}{judged}:"
    return Counted(number=row["runs"], before=before)


def _unlikely(row: dict[str, Any]) -> Claim:
    begin = f"{row['virus']} in {row['host']} is predicted with a probability of"
    likely = NamedNumber(name="", number=100 * row["probability"]).said(("", "%"))
    where = f"of {counted(row['searched'], 'study', 'studies')} that searched for it"
    return Counted(
        number=row["studies"], noun=("study", "studies"), before=f"{begin} {likely}, and found in",
        where=where,
    )  # fmt: skip


def _novel(row: dict[str, Any]) -> Claim:
    """Return how often a virus is found, with what it is nearest to, hosts and places."""
    identity = f"at {number_text(row['identity'])}% identity" if row["identity"] else ""
    nearest = f"nearest to {row['nearest'].removesuffix('-like')}" if row["nearest"] else ""
    lineage = nearest or (f"of {row['family']}" if row["family"] else "without any name")
    places = f"from {_listed(row['places'])}" if row["places"] else ""
    hosts = f"in {_listed(row['hosts'])}" if row["hosts"] else "of no stated host"
    origin = joined(", ".join(filter(None, (joined(lineage, identity), hosts, places))))
    return Counted(
        number=row["runs"],
        before=f"sOTU {row['sotu']}, {origin}, is found in",
        where=f"of {counted(row['studies'], 'study', 'studies')}",
    )


def _neighbourhood(row: dict[str, Any]) -> Claim:
    """Return how many viruses a neighbourhood has, with families, hosts and its best known."""
    families = f"of {_listed(row['families'])}" if row["families"] else "of no stated family"
    found = f"found in {counted(row['studies'], 'study', 'studies')}"
    members = _listed(row["members"])
    hosts = f"most often of {_listed(row['hosts'])}" if row["hosts"] else ""
    return Counted(
        number=row["viruses"],
        noun=("virus", "viruses"),
        before=f"neighbourhood {row['neighbourhood']} has",
        where=f"{', '.join(filter(None, (families, found, hosts)))}; such as {members}",
    )


def _listed(values: str) -> str:
    """Return what a table separates by semicolons as a list in words."""
    return listed(values.split("; "))


def _misnamed(row: dict[str, Any]) -> Claim:
    """Return which virus the runs of a sOTU speak for, against the name that its source gives."""
    is_sure = "is" if row["runs_with_hits"] else "is probably"
    reported = f"{row['sotu']}, reported as {row['reported']}"
    before = f"{reported}, {is_sure} {virus_words(row['virus'])} in"
    evidence = f"of {counted(row['runs_with_evidence'], 'run', 'runs')} with other evidence"
    where = f"({number_text(row['runs'])} runs have it)"
    noun = (evidence, evidence)
    return Counted(number=row["runs_agreeing"], noun=noun, before=before, where=where)


def _vocabulary(row: dict[str, Any]) -> Claim:
    before = f"{row['ontology']} {row['version'] or ''} has".replace("  ", " ")
    return Counted(number=row["terms"], noun=("term", "terms"), before=before)


def _draft_sources(rows: list[dict[str, Any]], table: ResultTable | None) -> Draft:
    """Return how old the runs and the index are, then how old the sources of detections."""
    named: dict[tuple[str, str], list[str]] = {}
    for row in rows:
        if row["as_of"]:
            named.setdefault((row["kind"], row["as_of"]), []).append(row["name"])
    said = [(kind, Portrait(text=_AGES[kind].format(as_of=day, name=listed(names))))
            for (kind, day), names in named.items()]  # fmt: skip
    lead = [claim for kind, claim in said if kind in _WHOLE]
    others = [claim for kind, claim in said if kind not in _WHOLE]
    return Draft(lead or others[:1], [], others[:SAID] if lead else [], table=table)


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


_FIRST: Final[dict[str, Callable[[dict[str, Any]], Claim]]] = {
    "tests": _test,
    "effects": _effect,
    "communities": _community,
    "reports": _community,
    "studies": _study,
    "projects": _study,
    "pairs": _pair,
    "unlikely": _unlikely,
    "novel": _novel,
    "neighbourhoods": _neighbourhood,
    "misnamed": _misnamed,
    "vocabularies": _vocabulary,
}
_COLUMNS: Final = {
    "tests": _words(
        "bioproject family attribute value num_true num_false fold_change q_value flag"
    ),
    "effects": _words(
        "family attribute value projects projects_agreeing effect ci_low ci_high q_value"
    ),
    "communities": ("community", "runs", "title"),
    "reports": ("community", "runs", "title"),
    "studies": ("study", "title", "runs"),
    "projects": ("project", "title", "runs"),
    "pairs": ("virus", "host", "plausibility", "runs"),
    "unlikely": ("virus", "host", "probability", "studies", "searched"),
    "novel": _words("sotu nearest family identity hosts places runs studies"),
    "neighbourhoods": _words("neighbourhood viruses studies families hosts members"),
    "misnamed": _words("sotu reported virus runs runs_with_evidence runs_agreeing"),
    "vocabularies": ("ontology", "version", "terms"),
    "sources": ("kind", "name", "as_of"),
}
"""Columns that the sentence about a row needs."""
