"""From a reading or a request to an answer in words."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import duckdb

from index.claims import Claim, SpeciesInstead, YesOrNo
from index.claims.phrases import listed
from query.answer import ResultTable
from query.answers.comparing import draft_compare
from query.answers.counting import draft_count, draft_rows, draft_share
from query.answers.describing import draft_described
from query.answers.doubting import draft_evidence
from query.answers.drafting import Answering, Draft, WordedAnswer, worded
from query.answers.finding import instead_of_none
from query.answers.listing import draft_values
from query.answers.names import CalledNames
from query.answers.other_organisms import other_by_kmers, other_libraries
from query.answers.predicting import draft_predicted
from query.answers.records import draft_records
from query.answers.run_words import without_hits
from query.answers.summarising import draft_summary
from query.compiler import Result, run
from query.compiler.resolving import Resolver, plants_among
from query.compiler.virus_names import (
    Standing,
    is_distinguished,
    own_names,
    spelled,
    standing_of,
)
from query.request.measures import Count, Evidence, Exists, Records, Share, Values
from query.request.records import TABLES
from query.request.request import Request, from_json, to_json
from query.request.run_sets import And, Carries, Has, Not, intersect, parts_of
from query.request.saying_runs import say_runs

if TYPE_CHECKING:
    from query.reading.reading import NameInQuestion, Reading


def answer_request(
    con: duckdb.DuckDBPyConnection,
    request: Request,
    *,
    names: Sequence[NameInQuestion] = (),
    full: bool = False,
    introduced: set[str] | None = None,
) -> WordedAnswer:
    """Return the answer to ``request``; ``names`` say how the user wrote the names in it.

    ``introduced`` collects the names whose formal name has been given, also by this answer.

    Raises ``UnknownNameError`` and ``AmbiguousNameError`` for names.
    """
    result = run(con, request)
    spellings = _spellings(con, result, names)
    said = set() if introduced is None else introduced
    found, wider = _widened(con, result) or (result, {})
    usual = {str(one.species): str(one.species_name) for one in wider.values()}
    taxa = [name.curie for name in found.names if name.kind == "virus" and name.curie]
    plants = plants_among(con, [name.curie for name in found.names if name.kind == "host"])
    meant = CalledNames(found.names, names, usual, spellings, said, own_names(con, taxa), plants)
    context = Answering(found, meant, Resolver.of(con, found.names), full)
    made = draft(context)
    if wider:
        called = CalledNames(result.names, names, spellings=spellings, introduced_before=said)
        viruses = listed([called.called(name, "virus") for name in wider])
        made = replace(made, lead=[_of_species(viruses, claim) for claim in made.lead])
    return worded(made, context)


def _widened(
    con: duckdb.DuckDBPyConnection, result: Result
) -> tuple[Result, dict[str, Standing]] | None:
    """Return the result for the species of viruses that no source names, and their lineage.

    Sources name species, so a strain, an isolate or a serotype is in none of their hits. Return
    None if the request can be answered as it is.
    """
    if result.tally is None or result.tally.positive:
        return None
    wider: dict[str, Standing] = {}
    for name in result.names:
        if name.kind != "virus" or name.curie is None or is_distinguished(con, name.curie):
            continue
        standing = standing_of(con, name.curie)
        if standing is not None and standing.species not in (None, name.curie):
            wider[name.text] = standing
    if not wider:
        return None
    species = {name: str(standing.species) for name, standing in wider.items()}
    found = run(con, from_json(_replaced(to_json(result.request), species)))
    return (found, wider) if found.of_runs.positive else None


def _replaced(part: Any, wider: Mapping[str, str]) -> Any:
    """Return a request as JSON with viruses replaced by their species."""
    if isinstance(part, list):
        return [_replaced(value, wider) for value in part]
    if not isinstance(part, dict):
        return part
    return {
        key: [wider.get(name, name) for name in value]
        if key == "virus"
        else _replaced(value, wider)
        for key, value in part.items()
    }


def _of_species(virus: str, claim: Claim) -> Claim:
    """Return ``claim``, which is about the species of ``virus``, as an answer about the virus."""
    if isinstance(claim, YesOrNo):
        verdict = "Perhaps" if claim.verdict == "Yes" else claim.verdict
        return YesOrNo(verdict=verdict, because=_of_species(virus, claim.because))
    return SpeciesInstead(virus=virus, of_species=claim)


def _spellings(
    con: duckdb.DuckDBPyConnection, result: Result, written: Sequence[NameInQuestion]
) -> dict[str, str]:
    """Return the names of viruses as they were written, and their usual spelling."""
    texts = {name.text for name in result.names if name.kind == "virus"}
    texts |= {name.text for name in written if name.kind == "virus"}
    return {text: spelled(con, text) for text in texts}


def answer_reading(
    con: duckdb.DuckDBPyConnection, reading: Reading, *, full: bool = False
) -> WordedAnswer:
    """Return one answer to all parts of a question."""
    requests = reading.requests
    if "doubt" in reading.needs:
        requests = tuple(in_doubt(request) for request in requests)
    requests = (*requests[:1], *map(as_part, requests[1:], requests))
    requests = tuple(each for request in requests for each in with_projects(con, request))
    requests = tuple(each for request in requests for each in with_tests(con, request))
    said: set[str] = set()
    answers = [
        answer_request(con, request, names=reading.names, full=full, introduced=said)
        for request in requests
    ]
    return together(answers)


def with_projects(con: duckdb.DuckDBPyConnection, request: Request) -> tuple[Request, ...]:
    """Return ``request``, and the one for BioProjects, too, where it asks for studies, most of the
    runs state none, and half of these state a BioProject. That one alone is returned where no run
    states a study without a BioProject, and where studies only are what is counted of others.
    """
    asked = request.measure
    if isinstance(asked, Values) and asked.each == Count("study"):
        known = [
            run(con, Request(Count(), And((request.of, Has(field))))).number or 0
            for field in ("study", "project")
        ]
        by_projects = replace(asked, each=Count("project"))
        return (request,) if known[0] >= known[1] else (replace(request, measure=by_projects),)
    if not isinstance(asked, Values) or asked.by != ("study",):
        return (request,)
    result = run(con, request)
    missing = sum(part.number for part in result.left_out if part.reason == "not stated")
    if 2 * missing <= result.of_runs.runs:
        return (request,)
    projects = replace(request, measure=replace(asked, by=("project",)))
    of_study_alone = And((request.of, Has("study"), Not(Has("project"))))
    of_project_alone = And((request.of, Has("project"), Not(Has("study"))))
    in_studies, in_projects = (
        run(con, Request(Count(), of)).number or 0 for of in (of_study_alone, of_project_alone)
    )
    if in_studies and 2 * in_projects < missing:
        return (request,)
    return (request, projects) if in_studies else (projects,)


def with_tests(con: duckdb.DuckDBPyConnection, request: Request) -> tuple[Request, ...]:
    """Return ``request``, and one for tests within single projects, too, if there are no effects.

    This is for requests about effects over several projects.
    """
    asked = request.measure
    if not isinstance(asked, Records) or asked.table != "effects" or run(con, request).rows:
        return (request,)
    where = tuple(part for part in asked.where if part.column in TABLES["tests"].columns)
    return request, Request(Records("tests", where=where, limit=asked.limit))


def as_part(request: Request, before: Request) -> Request:
    """Return the request for a share, if ``request`` counts some of the runs of ``before``.

    Example: "how many of those are human".
    """
    counts = Count()
    parts = request.of.of if isinstance(request.of, And) else ()
    rest = tuple(part for part in parts if part != before.of)
    is_part = request.measure == before.measure == counts and len(rest) < len(parts)
    if not is_part or any(isinstance(part, Carries) for part in rest):
        return request
    return Request(Share(intersect(*rest)), of=before.of)


def in_doubt(request: Request) -> Request:
    """Return the request for the evidence of the hits that ``request`` counts."""
    measure = request.measure
    if isinstance(measure, Count) and measure.hits is not None:
        return Request(Evidence(measure.hits), of=request.of)
    carried = [part for part in parts_of(request.of) if isinstance(part, Carries)]
    if not isinstance(measure, Count | Exists) or len(carried) != 1:
        return request
    return Request(Evidence(carried[0].hit), of=without_hits(request.of))


def together(answers: Sequence[WordedAnswer]) -> WordedAnswer:
    """Return the answers to the parts of a question as one."""
    if len(answers) == 1:
        return answers[0]
    return WordedAnswer(
        lead="\n".join(_each_once(answers)),
        bullets=(),
        links=tuple(dict.fromkeys(link for answer in answers for link in answer.links)),
        claims=tuple(claim for answer in answers for claim in answer.claims),
        results=tuple(result for answer in answers for result in answer.results),
        table=_one_below_another(
            {
                part: answer.table
                for part, answer in zip(_parts_called(answers), answers, strict=True)
                if answer.table
            }
        ),
        chart=next((answer.chart for answer in answers if answer.chart), None),
    )


def _one_below_another(tables: Mapping[str, ResultTable]) -> ResultTable | None:
    """Return one table with the rows of all; each row begins with its field.

    If all tables are of the same field, each row begins with the key of its table.

    >>> hosts = ResultTable(("host", "runs", "searched"), (("Bos taurus", 3, 9),))
    >>> tissues = ResultTable(("tissue", "runs"), (("lung", 2),))
    >>> joined = _one_below_another({"EBV": hosts, "Zika": tissues})
    >>> joined.columns, joined.rows[1]
    (('field', 'value', 'runs', 'searched'), ('tissue', 'lung', 2, None))
    >>> _one_below_another({"EBV": hosts, "Zika": hosts}).rows[1]
    ('Zika', 'Bos taurus', 3, 9)
    >>> tests = ResultTable(("bioproject", "value"), (("PRJ1", "male"),))
    >>> _one_below_another({"EBV": tests, "Zika": tissues}).rows
    (('bioproject', 'PRJ1', 'male', None, None), ('tissue', None, None, 'lung', 2))
    """
    if len(tables) < 2:
        return next(iter(tables.values()), None)
    fields = [table.columns[0] for table in tables.values()]
    is_one = len(set(fields)) < len(fields)
    keeps = len(set(fields)) == 1 or any("value" in table.columns for table in tables.values())
    named = []
    for (part, table), field in zip(tables.items(), fields, strict=True):
        value = field if keeps else "value"
        columns = [f"{value}{name.removeprefix(field)}" if name in (field, f"{field}_id") else name
                   for name in table.columns]  # fmt: skip
        named.append((part if is_one else field, columns, table.rows))
    every = tuple(dict.fromkeys(name for _, columns, _ in named for name in columns))
    rows = [(first, *map(dict(zip(columns, row, strict=True)).get, every))
            for first, columns, rows in named for row in rows]  # fmt: skip
    return ResultTable(("of" if is_one else "field", *every), tuple(rows))


def _parts_called(answers: Sequence[WordedAnswer]) -> list[str]:
    """Return the name of each part of a question in a table: its runs, else its number."""
    runs = [say_runs(answer.results[0].request.of).removeprefix("runs that ") for answer in answers]
    return runs if len(set(runs)) == len(runs) else [str(place) for place, _ in enumerate(runs, 1)]


def _each_once(answers: Sequence[WordedAnswer]) -> list[str]:
    """Return the parts of an answer, a line each, without repeated sentences."""
    said: set[str] = set()
    lines = []
    for part in answers:
        new = [text for text in (part.lead, *part.certain) if text not in said]
        said.update(new)
        if new:
            lines.append(" ".join(new))
    return lines


def draft(context: Answering) -> Draft:
    """Return the claims of the answer, and what is known about other organisms in its runs."""
    made = _draft(context)
    if instead := instead_of_none(context):
        return replace(made, certainty=instead)
    led = " ".join(claim.clause() for claim in made.lead)
    by_kmers = [claim for claim in other_by_kmers(context) if claim.clause() not in led]
    first = [claim for claim in by_kmers if claim.is_most]
    last = [*other_libraries(context), *(claim for claim in by_kmers if not claim.is_most)]
    return replace(made, certainty=[*first, *made.certainty, *last])


def _draft(context: Answering) -> Draft:
    measure = context.request.measure
    if isinstance(measure, Count) and measure.unit not in ("run", "biosample", "detection"):
        return draft_values(*_as_list(context, measure))
    return _DRAFTS[measure.type](context, measure)


_DRAFTS: Final[dict[str, Callable[[Answering, Any], Draft]]] = {
    "count": draft_count,
    "exists": draft_count,
    "share": draft_share,
    "values": draft_values,
    "rows": draft_rows,
    "summary": draft_summary,
    "compare": draft_compare,
    "evidence": draft_evidence,
    "describe": draft_described,
    "records": draft_records,
    "like": draft_predicted,
    "predicted": draft_predicted,
}


def _as_list(context: Answering, measure: Count) -> tuple[Answering, Values]:
    """Return a request for the number of hosts, studies or species as one for their list."""
    values = Values((measure.unit,), hits=measure.hits)
    return replace(context, result=context.look(values, brief=False)), values
