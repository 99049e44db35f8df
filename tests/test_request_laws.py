"""Laws of requests: running equals a plain evaluation; JSON round trips; one text, one request."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from query.compiler import run
from query.request import Request, from_json, to_json
from query.request.fields import field_named
from tests.plain_evaluation import Plain
from tests.request_world import World, fill, requests, world_index, worlds


@pytest.fixture(scope="module")
def index() -> Iterator[duckdb.DuckDBPyConnection]:
    with world_index() as con:
        yield con


@settings(max_examples=25)
@given(worlds(), st.lists(requests(), min_size=3, max_size=3))
def test_what_is_run_equals_a_plain_evaluation(
    index: duckdb.DuckDBPyConnection, world: World, asked: list[Request]
) -> None:
    """Three requests of each world: to fill the tables takes longer than to read them."""
    fill(index, world)
    for request in asked:
        check(Plain(world).evaluate(request), run(index, request), request)


def check(plain: dict[str, Any], result: Any, request: Request) -> None:
    measure = request.measure
    if "number" in plain:
        assert (
            result.number == pytest.approx(plain["number"])
            if plain["number"]
            else (result.number == plain["number"])
        )
    if "tally" in plain:
        assert asdict(result.tally) == plain["tally"]
    if "verdict" in plain:
        assert result.verdict == plain["verdict"]
    if "total" in plain and result.rows:
        assert result.total == plain["total"]
    if measure.type == "values":
        check_values(plain, result, measure)
    elif measure.type == "compare":
        for row, side in zip(result.rows, plain["sides"], strict=True):
            check_side(row, side, measure)
    elif "rows" in plain:
        assert [rounded(row) for row in result.rows] == [rounded(row) for row in plain["rows"]]


def check_side(row: tuple[Any, ...], side: dict[str, Any], measure: Any) -> None:
    if measure.measure.type == "summary":
        assert rounded(row[1:]) == rounded(side["rows"][0])
        return
    assert row[1] == pytest.approx(side["number"]) if side["number"] else row[1] == side["number"]


def check_values(plain: dict[str, Any], result: Any, measure: Any) -> None:
    names = [column.name for column in result.columns]
    places = [names.index(name) for name in measure.by]
    ids = sum(field_named(name).type == "term" for name in measure.by)
    start = len(measure.by) + ids
    found = {}
    for row in result.rows:
        found[tuple(row[place] for place in places)] = rounded(row[start:])
    assert found == {key: rounded(row) for key, row in plain["values"].items()}


def rounded(row: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(round(cell, 6) if isinstance(cell, float) else cell for cell in row)


@given(requests())
def test_a_request_round_trips_through_json(request: Request) -> None:
    assert from_json(to_json(request)) == request
    assert hash(from_json(to_json(request))) == hash(request)
