"""The runs of a request as tables: the runs that a plain evaluation finds, with hits and values."""

from __future__ import annotations

from collections.abc import Iterator

import duckdb
import pytest
from hypothesis import given, settings

from query.compiler.run_tables import RunTables, hits_named, run_tables
from query.request import (
    And,
    Carries,
    Compare,
    Count,
    Describe,
    Everything,
    Evidence,
    Has,
    Hit,
    Not,
    Or,
    Records,
    Request,
    Rows,
    RunSet,
    Share,
    Values,
    Where,
)
from query.request.run_sets import intersect
from tests.plain_evaluation import Plain
from tests.request_world import World, fill, hits, run_sets, world_index, worlds

ALPHA, BETA = Carries(Hit("Alphaviridae")), Carries(Hit("Betaviridae"))
HUMAN = Has("host", "Homo testus")


@pytest.fixture(scope="module")
def index() -> Iterator[duckdb.DuckDBPyConnection]:
    with world_index() as con:
        yield con


def tables_of(con: duckdb.DuckDBPyConnection, request: Request) -> RunTables:
    return run_tables(con.cursor(), request)


def column(tables: RunTables, query: str) -> list[object]:
    return [value for (value,) in tables.asked.con.execute(query).fetchall()]


@settings(max_examples=15)
@given(worlds(), run_sets(), hits())
def test_matched_runs_are_those_of_a_plain_evaluation(
    index: duckdb.DuckDBPyConnection, world: World, runs: RunSet, hit: Hit
) -> None:
    fill(index, world)
    plain = Plain(world)
    inside = {run for run in plain.runs if plain.holds(runs, run)}
    carrying = {run for run in inside if plain.hits(hit, run)}
    tables = tables_of(index, Request(Count(), of=runs))
    assert tables.write_runs() == len(inside)
    assert set(column(tables, "SELECT run FROM matched")) == inside
    tables = tables_of(index, Request(Values(by="host", hits=hit), of=runs))
    assert tables.write_runs() == len(carrying)
    assert set(column(tables, "SELECT run FROM matched WHERE found")) == carrying
    strict = {run for run in carrying if plain.hits(hit, run, strict=True)}
    assert set(column(tables, "SELECT run FROM matched WHERE at_90")) <= strict


@settings(max_examples=12)
@given(worlds(), run_sets())
def test_hits_and_values_are_of_matched_runs_only(
    index: duckdb.DuckDBPyConnection, world: World, runs: RunSet
) -> None:
    fill(index, world)
    plain = Plain(world)
    tables = tables_of(index, Request(Count(), of=intersect(ALPHA, runs)))
    tables.write_runs()
    tables.write_hits()
    tables.write_values(("host", "family"))
    matched = set(column(tables, "SELECT run FROM matched"))
    assert set(column(tables, "SELECT run FROM matched_hit")) == matched
    pairs = {
        (run, "host", value) for run in matched for value, _ in plain.stated("host", str(run))
    } | {
        (run, "family", d["family"]) for run in matched for d in plain.hits(None, str(run))
        if d["family"] is not None
    }  # fmt: skip
    assert set(tables.asked.con.execute("FROM matched_value").fetchall()) == pairs


@pytest.mark.parametrize(
    ("request_", "whole"),
    [
        (Request(Count(), of=ALPHA), ALPHA),
        (Request(Count(hits=Hit("Alphaviridae"))), ALPHA),
        (Request(Rows(hits=Hit("Alphaviridae")), of=HUMAN), And((HUMAN, ALPHA))),
        (Request(Share(ALPHA), of=HUMAN), And((HUMAN, ALPHA))),
        (Request(Compare(Count(), (ALPHA, BETA)), of=HUMAN), And((HUMAN, Or((ALPHA, BETA))))),
        (Request(Evidence(Hit("Alphaviridae"))), ALPHA),
        (Request(Describe("virus", "Alphaviridae")), ALPHA),
        (Request(Describe("study", "S1")), Has("study", "S1")),
        (Request(Count()), Everything()),
    ],
)
def test_every_measure_is_about_a_set_of_runs(
    index: duckdb.DuckDBPyConnection, request_: Request, whole: object
) -> None:
    assert tables_of(index, request_).about.whole == whole


def test_sides_of_a_comparison_are_flagged(index: duckdb.DuckDBPyConnection) -> None:
    rows = [{"run": "R1", "sotu": "u1", "source": "palm", "virus": "NCBITaxon:3"},
            {"run": "R2", "sotu": "u2", "source": "palm", "virus": "NCBITaxon:6"}]  # fmt: skip
    fill(index, World(run=[{"run": "R1"}, {"run": "R2"}, {"run": "R3"}], detection=rows))
    tables = tables_of(index, Request(Compare(Count(), (ALPHA, BETA))))
    assert tables.write_runs() == 2
    flags = tables.asked.con.execute("SELECT run, sides FROM matched ORDER BY run").fetchall()
    assert flags == [("R1", [True, False]), ("R2", [False, True])]


def test_only_hits_that_nothing_denies_make_runs_match() -> None:
    assert hits_named(ALPHA & Not(BETA)) == (Hit("Alphaviridae"),)
    assert hits_named(HUMAN) == ()


@pytest.mark.parametrize(
    ("records", "runs"),
    [
        (Records("tests", where=(Where("family", ("Alphaviridae",)),)), ["R1", "R2"]),
        (Records("tests", where=(Where("family", ("Gammaviridae",)),)), []),
        (Records("projects", where=(Where("project", ("P2",)),)), ["R3"]),
        (Records("studies", where=(Where("study", ("S1",)),)), ["R1"]),
        (Records("communities", where=(Where("community", ("C0-a",)),)), ["R3"]),
        (Records("builds"), []),
        (Records("studies"), ["R1", "R2", "R3"]),
    ],
)
def test_stored_rows_are_about_the_runs_of_what_they_name(
    index: duckdb.DuckDBPyConnection, records: Records, runs: list[str]
) -> None:
    world = World(
        run=[{"run": "R1", "study": "S1", "bioproject": "P1"}, {"run": "R2", "bioproject": "P1"},
             {"run": "R3", "bioproject": "P2"}],
        community_member=[{"community": "C0-a", "entity": "R3"}],
    )  # fmt: skip
    fill(index, world)
    con = index.cursor()
    con.execute("DELETE FROM association")
    con.execute("INSERT INTO association (bioproject, family, attribute, value, num_true, "
                "num_false, test, source) VALUES ('P1', 'Alphaviridae', 'sex', 'male', 5, 5, "
                "'permutation', 'computed')")  # fmt: skip
    tables = tables_of(index, Request(records))
    tables.write_runs()
    assert sorted(map(str, column(tables, "SELECT run FROM matched"))) == runs
