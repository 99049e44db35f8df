"""What ``--json`` prints, as types: the JSON Schema of every command is made from these.

A test compares each with what its command really prints, key by key.
"""

from __future__ import annotations

from typing import Any, Final, NotRequired, get_type_hints

from pydantic import TypeAdapter, create_model
from typing_extensions import TypedDict

from query.answer import Answer, Association, Coverage
from query.browsing.associations import CombinedEffect, ListedAssociation
from query.browsing.builds import BuildDifference, BuildListing
from query.browsing.communities import CommunityRow, ReportCard
from query.browsing.run_list import RunList
from query.browsing.terms import TermReading
from query.compiler.result import Omission, RunTally, Verdict
from query.evaluation.model_trial import Score, TriedTask
from query.global_search.planning import AnswerPlan, PricedPlan
from query.health.check import Check
from query.reading import Form, Need
from query.search.documents import Document
from query.search.passage import Kind
from query.sql_search.catalogue import Table

Schema = dict[str, Any]
DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"


def _with(record: type, **more: Any) -> Any:
    """Return the fields of ``record`` and ``more``, as a type; each of them is always there."""
    hints = get_type_hints(record, localns={"AnswerPlan": AnswerPlan})
    fields: dict[str, Any] = {name: (kind, ...) for name, kind in {**hints, **more}.items()}
    made: Any = create_model(f"Json{record.__name__}", __doc__=record.__doc__, **fields)
    return made


ANSWER: Final = _with(
    Answer,
    evidence=list[_with(Association, significant=bool)],  # type: ignore[misc]
    coverage=_with(Coverage, share_covered=float),
)
SQL_ANSWER: Final = _with(ANSWER, sql=str, complete=bool)
PLAN: Final = _with(PricedPlan, plan=AnswerPlan) | None
ASSOCIATION: Final = _with(ListedAssociation, significant=bool)
EFFECT: Final = _with(CombinedEffect, significant=bool)


class JsonNameRead(TypedDict):
    """A name in a question, and what it means in a request."""

    text: str
    start: int
    end: int
    kind: str
    name: str
    curie: str | None
    corrected: bool


class JsonChoice(TypedDict):
    """A question that may be meant, in canonical English and as the requests of its parts."""

    question: str
    requests: list[dict[str, Any]]


class JsonReading(TypedDict):
    """How a question was read."""

    question: str
    read_as: str
    requests: list[dict[str, Any]]
    choices: list[JsonChoice]
    names: list[JsonNameRead]
    ignored: list[str]
    not_understood: list[str]
    form: Form
    needs: list[Need]
    refusal: str | None
    elsewhere: str | None
    language: str | None
    read_by: str


class JsonHit(TypedDict):
    """A passage that was found."""

    kind: Kind
    id: str
    where: str
    text: str
    snippet: str
    score: float
    rank_words: int | None
    rank_meaning: int | None
    cosine: float | None


class JsonPassages(TypedDict):
    """Passages by words and by meaning, best first."""

    text: str
    notes: list[str]
    hits: list[JsonHit]


class JsonDocuments(TypedDict):
    """Documents of the user's own."""

    store: str
    documents: list[Document]


class JsonRoute(TypedDict):
    """The way of asking that answers a question, and why."""

    mode: str
    why: str


class JsonReply(TypedDict):
    """A reply of a chat, one a line; ``error`` names why there is no answer."""

    line: str
    read_as: str | None
    requests: list[dict[str, Any]]
    answer: str | None
    choices: list[JsonChoice]
    text: str | None
    error: str | None
    message: str | None
    remedy: str | None


class JsonCommunities(TypedDict):
    """Communities that have a report; ``total`` counts those beyond the limit."""

    total: int
    communities: list[CommunityRow]


class JsonTerm(TypedDict):
    """What a text means."""

    text: str
    groundings: list[TermReading]


class JsonAssociations(TypedDict):
    """Associations of a virus family, and effects combined over projects."""

    family: str
    total: int
    significant: int
    associations: list[ASSOCIATION]  # type: ignore[valid-type]
    combined: list[EFFECT]  # type: ignore[valid-type]


class JsonAtlas(TypedDict):
    """The page that was written."""

    file: str
    bytes: int
    reports: int
    left_out: int


class JsonWritten(TypedDict):
    """A file that was written, and what it holds."""

    file: str
    holds: str


class JsonExport(TypedDict):
    """The files of an export, and how many reports of each risk group they leave out."""

    written: list[JsonWritten]
    withheld: dict[str, int]


class JsonInit(TypedDict):
    """The files of a new folder: written, and kept as they were."""

    written: list[str]
    kept: list[str]


class JsonBuilds(TypedDict):
    """The builds that the index remembers."""

    builds: list[BuildListing]


class JsonDifferences(TypedDict):
    """What differs between two builds."""

    differences: list[BuildDifference]


class JsonChecks(TypedDict):
    """What was checked, and the next command for each."""

    checks: list[Check]


class JsonModel(TypedDict):
    """A model that can be fetched."""

    name: str
    gigabytes: float
    licence: str
    state: str
    page: str
    may: str


class JsonModels(TypedDict):
    """The model in use, and those at hand."""

    in_use: str
    folder: str
    models: list[JsonModel]


class JsonTrial(TypedDict):
    """How a model does recorded tasks, and what it would be used for."""

    model: str
    duties: str
    scores: list[Score]
    tasks: list[TriedTask]


class JsonScorecard(TypedDict):
    """Figures of an evaluation; docs/evaluation.md says what they mean."""

    index: str
    authors: list[dict[str, Any]]
    kinds: list[dict[str, Any]]
    missed: list[dict[str, Any]]
    gate: list[str]


class JsonColumn(TypedDict):
    """A column of rows."""

    name: str
    unit: NotRequired[str]
    comment: NotRequired[str]


class JsonName(TypedDict):
    """What a name of a request means."""

    name: str
    meant_as: str
    curie: NotRequired[str]
    label: str


class JsonResult(TypedDict):
    """The answer to a request."""

    request: dict[str, Any]
    asked: str
    verdict: Verdict | None
    number: float | int | None
    unit: str | None
    among: int | None
    tally: RunTally | None
    columns: list[JsonColumn]
    rows: list[list[str | int | float | bool | None]]
    total: int
    left_out: list[Omission]
    names: list[JsonName]


class JsonError(TypedDict):
    """Any command that fails: the name of the error, what happened, what to type next."""

    error: str
    message: str
    remedy: str
    exit_code: int


OUTPUTS: Final[dict[str, Any]] = {
    "ask": ANSWER,
    "ask --why": JsonRoute,
    "atlas": JsonAtlas,
    "builds": JsonBuilds,
    "builds --compare": JsonDifferences,
    "chat": JsonReply,
    "communities": JsonCommunities,
    "doctor": JsonChecks,
    "documents": JsonDocuments,
    "entrez": ANSWER,
    "error": JsonError,
    "evaluate": JsonScorecard,
    "export": JsonExport,
    "global": ANSWER,
    "global --plan": PLAN,
    "init": JsonInit,
    "local": ANSWER,
    "models": JsonModels,
    "models try": JsonTrial,
    "mwas": JsonAssociations,
    "read": JsonReading,
    "report": ReportCard,
    "run": JsonResult,
    "search": JsonPassages,
    "sql": SQL_ANSWER,
    "sql --schema": list[Table],
    "runs": RunList,
    "term": JsonTerm,
}
"""Command, with the option that changes what it prints -> type."""


def output_schema(name: str) -> Schema:
    """Return the JSON Schema of what ``name`` prints; no object has a key beside those it lists.

    Raises ``KeyError`` where ``name`` is not in ``OUTPUTS``.
    """
    made = TypeAdapter(OUTPUTS[name]).json_schema(mode="serialization")
    _close(made)
    return {"$schema": DIALECT, **made, "title": f"query {name}"}


def _close(schema: object) -> None:
    """Allow no other keys in the objects of ``schema`` that name theirs."""
    if isinstance(schema, list):
        for part in schema:
            _close(part)
        return
    if not isinstance(schema, dict):
        return
    if "properties" in schema:
        schema["additionalProperties"] = False
    for part in schema.values():
        _close(part)
