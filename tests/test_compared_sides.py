"""Sides of a comparison: each number is of its own whole, and viruses are compared where runs were
searched for both.
"""

from __future__ import annotations

from collections.abc import Iterator

import duckdb
import pytest
from scipy import stats

from index.claims import Claim, Compared, Fisher
from query.answers import answer_request
from query.request import Carries, Compare, Count, Has, Hit, Request, Share
from tests.request_world import World, fill, world_index

ALPHA, BETA = "Alpha virus one", "Beta virus one"
TAXON = {ALPHA: "NCBITaxon:3", BETA: "NCBITaxon:6"}
HOSTS = {"human": ("Homo testus", "NCBITaxon:22"), "bat": ("Myotis testus", "NCBITaxon:24")}
RUNS = """
run  host   searched  found
R1   human  nt,palm   alpha,beta
R2   human  nt,palm   beta
R3   human  nt,palm   beta
R4   human  nt,palm   -
R5   human  nt        alpha
R6   human  nt        alpha
R7   bat    nt        alpha
R8   bat    nt        alpha
R9   bat    nt        -
"""
"""Alpha is looked for by nt in all runs, beta by palm in four."""


def small_world() -> World:
    world = World()
    for source, virus in (("nt", ALPHA), ("palm", BETA)):
        world.source_scope.append(
            {"source": source, "search": "first", "virus": TAXON[virus], "below": True}
        )
    for line in RUNS.strip().splitlines()[1:]:
        run, host, sources, found = line.split()
        value, curie = HOSTS[host]
        world.run.append({"run": run, "study": "S1"})
        world.annotation.append({
            "run": run, "facet": "host", "value": value, "curie": curie, "text": "",
            "attribute": "host", "method": "dictionary", "score": 1.0,
        })  # fmt: skip
        for source in sources.split(","):
            world.searched.append({"run": run, "source": source, "search": "first"})
        for virus, source in ((ALPHA, "nt"), (BETA, "palm")):
            if virus.split()[0].lower() in found:
                world.detection.append({
                    "run": run, "sotu": virus, "source": source, "virus": TAXON[virus],
                    "taxon": TAXON[virus], "species": virus, "stated": virus, "identity": 97.0,
                    "reads": 10, "family": f"{virus.split()[0]}viridae",
                })  # fmt: skip
    return world


@pytest.fixture(scope="module")
def index() -> Iterator[duckdb.DuckDBPyConnection]:
    with world_index() as con:
        fill(con, small_world())
        yield con


def claims_of(index: duckdb.DuckDBPyConnection, measure: Compare) -> list[Claim]:
    return list(answer_request(index, Request(measure)).claims)


def test_the_test_of_two_sides_has_the_whole_of_each(index: duckdb.DuckDBPyConnection) -> None:
    sides = tuple(Has("host", (name,)) for name, _ in HOSTS.values())
    claims = claims_of(index, Compare(Share(Carries(Hit((ALPHA,)))), sides))

    (tested,) = [claim for claim in claims if isinstance(claim, Fisher)]
    expected = stats.fisher_exact([[3, 3], [2, 1]]).pvalue
    assert tested.p_value == pytest.approx(float(expected))


def test_viruses_are_compared_in_runs_that_were_searched_for_both(
    index: duckdb.DuckDBPyConnection,
) -> None:
    sides = tuple(Carries(Hit((name,))) for name in (ALPHA, BETA))
    claims = claims_of(index, Compare(Count(), sides))

    (both,) = [claim for claim in claims if isinstance(claim, Compared)]
    assert [(side.name, side.part, side.whole) for side in both.sides] == [
        (BETA, 3, 4),
        (ALPHA, 1, 4),
    ]
    assert both.known == "searched for both"
