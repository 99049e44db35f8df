"""Requests as values: checked when made, JSON and its schema, and one canonical text each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from pydantic import ValidationError

from index.tables import TABLES
from query.compiler.held import Holdings, hit_tables
from query.compiler.parameters import Parameters
from query.compiler.resolving import Resolver
from query.request import (
    And,
    Between,
    Carries,
    Compare,
    Count,
    Describe,
    Everything,
    Evidence,
    Exists,
    Has,
    Hit,
    Not,
    Or,
    Range,
    Records,
    Request,
    RequestError,
    Rows,
    Share,
    SortBy,
    Summary,
    Values,
    Where,
    from_json,
    json_schema,
    say,
    to_json,
)
from query.request.fields import REGISTRY, field_named, key_of
from query.request.records import REGISTRY as RECORD_TABLES
from query.request.wording import RESERVED
from tests.request_world import requests, run_sets, world_index

EBV = Carries(Hit("EBV"))
HUMAN = Has("host", "human")

# --- making ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (lambda: Has("colour"), "'colour' is not a field"),
        (lambda: Has("tisue", "lung"), "did you mean tissue"),
        (lambda: Has("family", "Flaviviridae"), "family is a field of hits"),
        (lambda: Has("spots", "3"), "compared with between"),
        (lambda: Has("host", "human", contains="hum"), "values or contains, not both"),
        (lambda: Between("host", Range(above=3)), "neither a number nor a date"),
        (lambda: Between("spots", Range(above="2018-05")), "compare it with numbers"),
        (Range, "needs at_least"),
        (lambda: Range(at_least=1, above=2), "at_least or above"),
        (lambda: Range(above="soon"), "not a number or a date"),
        (lambda: Range(above="2018-13"), "not a number or a date"),
        (lambda: Range(above=float("nan")), "finite"),
        (lambda: Hit("EBV", evidence="reported", identity=Range(above=3)), "no identity"),
        (lambda: Hit(risk="BSL4"), "RG4"),
        (lambda: Hit("  "), "empty"),
        (lambda: Hit("a\x00b"), "control character"),
        (lambda: And((EBV, EBV)), "two different sets"),
        (lambda: Values("identity"), "is a number"),
        (lambda: Values(("host", "host")), "two different fields"),
        (lambda: Values("host", level=1), "one of communities"),
        (lambda: Values("study", level="order"), "a rank is of taxa"),
        (lambda: Values("host", Count(hits=Hit("EBV"))), "put hits into values"),
        (lambda: Summary("host"), "not a number"),
        (lambda: Rows(("run",), order=SortBy("identity")), "order by one of the columns"),
        (lambda: Compare(Count(), (EBV, EBV)), "the same"),
        (lambda: Records("people"), "not a table of records"),
        (lambda: Records("tests", where=(Where("familly", "x"),)), "family"),
        (lambda: Records("tests", where=(Where("family", range=Range(above=1)),)), "is a text"),
        (lambda: Request(Describe("virus", "EBV"), HUMAN), "not of a set of runs"),
    ],
)  # fmt: skip
def test_what_is_no_request_is_refused_with_a_reason(make: Any, why: str) -> None:
    with pytest.raises(ValidationError, match=why):
        make()


def test_one_text_is_a_list_of_one_and_english_names_are_keys() -> None:
    assert Hit("EBV") == Hit(("EBV",))
    assert Has("Cell line", " HeLa  cell ") == Has("cell_line", ("HeLa cell",))
    assert Values("BioProjects") == Values(("project",))
    assert Count("runs") == Count("run")


def test_what_is_nested_alike_is_equal() -> None:
    assert And((EBV, HUMAN, Not(EBV))) == EBV & HUMAN & ~EBV
    assert And((EBV, And((HUMAN, Has("sex"))))) == And((EBV, HUMAN, Has("sex")))
    assert Or((EBV, HUMAN)) == (EBV | HUMAN)


def test_years_of_a_date_are_the_same_written_either_way() -> None:
    assert Between("released", Range(above=2018)) == Between("released", Range(above="2018"))
    assert Between("year", Range(above="2018")) == Between("year", Range(above=2018))


# --- JSON -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given_json", "why"),
    [
        ("[", "not JSON"),
        ("3", "a JSON object"),
        ({"type": "cont"}, "'cont' is none of count"),
        ({"measure": {"type": "count"}, "of": {"field": "host"}}, "type is not said"),
        ({"type": "values", "by": ["hots"]}, "did you mean hosts"),
        ({"type": "count", "units": "run"}, "units"),
        ({"type": "count", "hits": {"evidence": "sure"}}, "'species'"),
    ],
)
def test_json_that_is_no_request_says_where_and_why(given_json: Any, why: str) -> None:
    with pytest.raises(RequestError, match=why):
        from_json(given_json)


def test_nested_json_is_refused_before_it_is_read() -> None:
    record: dict[str, Any] = {"type": "everything"}
    for _ in range(2_000):
        record = {"type": "not", "of": record}
    with pytest.raises(RequestError, match="levels deep"):
        from_json({"measure": {"type": "count"}, "of": record})


@settings(max_examples=50)
@given(requests())
def test_the_schema_accepts_what_is_written(request: Request) -> None:
    validator().validate(to_json(request))


def test_the_schema_refuses_what_is_none_and_describes_every_part() -> None:
    schema = json_schema()
    Draft202012Validator.check_schema(schema)
    assert not validator().is_valid({"measure": {"type": "count", "unit": "colour"}})
    assert not validator().is_valid({"measure": {"unit": "run"}})
    for name, part in schema["$defs"].items():
        assert part.get("description"), name
        for key, what in part["properties"].items():
            assert key == "type" or "description" in what, f"{name}.{key}"


def validator() -> Draft202012Validator:
    return Draft202012Validator(json_schema())


# --- fields ---------------------------------------------------------------------------------------


def test_every_column_of_a_field_is_in_the_index() -> None:
    with world_index() as con:
        holdings = Holdings(Resolver(con), Parameters())
        for field in REGISTRY:
            if field.of == "hit":
                con.execute(f"SELECT {field.column} FROM {hit_tables(field.column)}")
            else:
                con.execute(holdings.parameters.inlined(holdings.stated(field)))
        for table in RECORD_TABLES:
            con.execute(f"SELECT {', '.join(table.columns)} FROM {table.relation} "
                        f"ORDER BY {table.order}")  # fmt: skip


def test_a_name_means_one_field() -> None:
    names = []
    for field in REGISTRY:
        names += {name.lower() for name in (field.name, field.said, *field.also)}
    assert len(names) == len(set(names))
    assert all(key_of(field.plural) == field.name or field.plural == "virus species"
               for field in REGISTRY)  # fmt: skip
    assert {"detection", "run", "annotation"} <= set(TABLES)


# --- canonical English ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("request_made", "text"),
    [
        (Request(Count()), "How many runs are there?"),
        (Request(Count(), EBV & HUMAN), "How many runs carry EBV and have human as host?"),
        (
            Request(Count(hits=Hit("HBV", evidence="species")), HUMAN),
            "In how many of the runs that have human as host is HBV at 90 percent identity or more found?",  # noqa: E501
        ),
        (Request(Exists(), EBV & ~HUMAN),
         "Are there any runs that carry EBV and do not have human as host?"),
        (Request(Share(HUMAN), EBV), "Of runs that carry EBV, what share have human as host?"),
        (Request(Values("host", limit=5), Carries(Hit("Flaviviridae"))),
         "List hosts in runs that carry Flaviviridae; the first 5."),
        (Request(Summary("identity", hits=Hit("Zika virus"))),
         "Summarise identity of Zika virus in all runs."),
        (Request(Evidence(Hit("Culex flavivirus")), HUMAN),
         "What is the evidence for Culex flavivirus in runs that have human as host?"),
        (Request(Count(), Between("released", Range(above=2018))),
         "How many runs were released after 2018?"),
        (Request(Count(), Carries(Hit("foot and mouth disease virus"))),
         'How many runs carry "foot and mouth disease virus"?'),
    ],
)  # fmt: skip
def test_requests_are_said_as_a_virologist_would(request_made: Request, text: str) -> None:
    assert say(request_made) == text


@settings(max_examples=100)
@given(requests())
def test_requests_that_differ_in_one_part_are_said_differently(request: Request) -> None:
    said = say(request)
    for other in neighbours(request):
        assert other == request or say(other) != said, other


@given(st.lists(requests(), min_size=2, max_size=8))
def test_equal_texts_are_equal_requests(made: list[Request]) -> None:
    by_text: dict[str, Request] = {}
    for request in made:
        assert by_text.setdefault(say(request), request) == request


@given(run_sets(), run_sets())
def test_sets_that_differ_are_said_differently(left: Any, right: Any) -> None:
    requests_made = [Request(Count(), left), Request(Count(), right),
                     Request(Count(), Not(left)), Request(Count(), Not(right))]  # fmt: skip
    assert len({say(r) for r in requests_made}) == len(set(requests_made))


_WORDS = [*sorted(RESERVED), "EBV", "virus", '"', "\\", ",", ";", "(", ")", "1", ".", "X y", ":"]
NASTY = st.lists(st.sampled_from(_WORDS), min_size=1, max_size=4).map(" ".join)


@settings(max_examples=200)
@given(NASTY, NASTY, NASTY, NASTY)
def test_names_made_of_the_words_of_the_grammar_stay_apart(a: str, b: str, c: str, d: str) -> None:
    made = [
        Request(Count(), Carries(Hit((a, b)))),
        Request(Count(), Carries(Hit((f"{a} or {b}",)))),
        Request(Count(), Carries(Hit(a, other_than=b))),
        Request(Count(), Carries(Hit(a, source=b))),
        Request(Count(), Carries(Hit(a)) & Has("host", b)),
        Request(Count(), Carries(Hit(a)) | Has("host", b)),
        Request(Count(), Carries(Hit(c)) & Has("host", d)),
        Request(Count(), Has("host", (a, b), below=False)),
        Request(Count(), Has("host", contains=a)),
        Request(Count(), Has(f"attribute:{a}", b)),
        Request(Values("host", under=a, other_than=b)),
        Request(Values("host", under=(a, b))),
        Request(Describe("virus", a)),
        Request(Describe("virus", b)),
    ]
    assert len({say(request) for request in made}) == len(set(made))


def neighbours(request: Request) -> Iterator[Request]:
    """Yield requests that differ from ``request`` in one part."""
    for part, rebuild in parts_of(request, lambda made: made):
        for field in fields(part):
            for value in other_values(getattr(part, field.name)):
                try:
                    yield rebuild(replace(part, **{field.name: value}))
                except ValidationError:
                    continue


def parts_of(part: Any, rebuild: Any) -> Iterator[tuple[Any, Any]]:
    """Yield the parts of a request, each with what makes the request again from another."""
    yield part, rebuild
    for field in fields(part):
        held = getattr(part, field.name)
        if is_dataclass(held):

            def within(made: Any, part: Any = part, name: str = field.name) -> Any:
                return rebuild(replace(part, **{name: made}))

            yield from parts_of(held, within)
        if isinstance(held, tuple) and held and is_dataclass(held[0]):
            for place, inner in enumerate(held):

                def inside(made: Any, part: Any = part, name: str = field.name,
                           place: int = place, held: Any = held) -> Any:  # fmt: skip
                    changed = (*held[:place], made, *held[place + 1 :])
                    return rebuild(replace(part, **{name: changed}))

                yield from parts_of(inner, inside)


def other_values(value: Any) -> list[Any]:
    """Return values that a field might have instead."""
    others: list[Any] = [None, (), True, False, 3, "2017", ("lung",), Everything(), Hit("EBV"),
                         Range(above=7), "any", "species", "count", "host", ("host",)]  # fmt: skip
    if isinstance(value, tuple) and len(value) > 1:
        others += [value[1:], value[::-1]]
    if isinstance(value, float):
        others += [value + 1, value + 0.5]
    return [other for other in others if other != value]


def test_the_registry_names_every_kind_of_field() -> None:
    assert field_named("attribute:host age").attributes == ("host age",)
    assert {field.type for field in REGISTRY} == {
        "term", "text", "place", "number", "date", "community",
    }  # fmt: skip
