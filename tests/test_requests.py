"""Requests as values: checked when made, JSON and its schema, and the registry of fields."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
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
    Has,
    Hit,
    Not,
    Or,
    Range,
    Records,
    Request,
    RequestError,
    Rows,
    SortBy,
    Summary,
    Values,
    Where,
    from_json,
    json_schema,
    to_json,
)
from query.request.fields import REGISTRY, field_named, key_of
from query.request.records import REGISTRY as RECORD_TABLES
from tests.request_world import requests, world_index

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
        (lambda: Values("host", level=1), "a level of communities"),
        (lambda: Values("study", level="order"), "only taxa have a rank"),
        (lambda: Values("host", Count(hits=Hit("EBV"))), "put hits into values"),
        (lambda: Summary("host"), "not a number"),
        (lambda: Rows(("run",), order=SortBy("identity")), "order by one of the columns"),
        (lambda: Compare(Count(), (EBV, EBV)), "the same"),
        (lambda: Records("people"), "not a table of records"),
        (lambda: Records("tests", where=(Where("familly", "x"),)), "family"),
        (lambda: Records("tests", where=(Where("family", range=Range(above=1)),)), "is a text"),
        (lambda: Request(Describe("virus", "EBV"), HUMAN), "not a set of runs"),
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


@cache
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


def test_the_registry_names_every_kind_of_field() -> None:
    assert field_named("attribute:host age").attributes == ("host age",)
    assert {field.type for field in REGISTRY} == {
        "term", "text", "place", "number", "date", "community",
    }  # fmt: skip
