"""How long typed requests take, by kind of measure: in process, no question read, no model.

    python -m benchmarks.requests --db data/index/virome.duckdb --record

Names are those that most runs of the index have, so that the same requests are asked of any index.
Each request is asked on an open connection: once with names that were not looked up before
(first), then ``TRIES`` times, of which the median counts. ``--results FILE`` keeps what was
answered, to compare it with that of another version.
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

import duckdb

from benchmarks.asking import Taken, median_of, timed
from benchmarks.places import add_record_option, results_folder
from index.store.read import open_index
from query.compiler import run
from query.request import (
    Between,
    Carries,
    Compare,
    Count,
    Describe,
    Evidence,
    Exists,
    Has,
    Hit,
    Like,
    Measure,
    Mentions,
    Predicted,
    Range,
    Records,
    Request,
    Rows,
    RunSet,
    Searched,
    Share,
    SortBy,
    Summary,
    Top,
    Values,
    Where,
)
from query.request.run_sets import EVERYTHING

TRIES: Final = 5
Names = Mapping[str, tuple[str, ...]]
_VALUES: Final = "SELECT value, count(DISTINCT run) FROM annotation WHERE facet = "
_FREQUENT: Final = {
    "virus": "SELECT species, count(DISTINCT run) FROM detection WHERE species IS NOT NULL",
    "family": "SELECT family, count(DISTINCT run) FROM detection WHERE family IS NOT NULL",
    "host": f"{_VALUES} 'host'",
    "tissue": f"{_VALUES} 'tissue'",
    "disease": f"{_VALUES} 'disease'",
    "country": "SELECT split_part(value, ':', 1), count(*) FROM annotation "
    "WHERE facet = 'geography'",
    "k_mers": f"{_VALUES} 'statOrganism'",
    "attribute": "SELECT attribute, count(*) FROM stated_attribute",
    "study": "SELECT study, count(*) FROM run WHERE study IS NOT NULL",
    "run": "SELECT run, count(*) FROM detection",
    "community": "SELECT community, runs FROM community WHERE level = 0",
    "tested": "SELECT family, count(*) FROM association",
    "vector": "SELECT name, studies FROM virus_vector",
}
_MOST: Final = "{query} GROUP BY ALL ORDER BY 2 DESC, 1 LIMIT 3"
HEAD: Final = """# Seconds a typed request takes

`python -m benchmarks.requests --db INDEX --record`, {cores} cores: medians of each kind of measure.
A request that is asked first looks its names up.

| index | kind | requests | CPU s | wall s | CPU s, first | wall s, first | slowest, CPU s |
|---|---|---:|---:|---:|---:|---:|---:|
"""


def main() -> None:
    """Ask, print the table, and keep the figures of this index beside those of others."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--db", type=Path, required=True, help="index to ask")
    parser.add_argument("--results", type=Path, help="file to write the results to, as JSON")
    parser.add_argument("--each", action="store_true", help="print each request, too")
    add_record_option(parser)
    options = parser.parse_args()
    with open_index(options.db) as con:
        ((runs,),) = con.execute("SELECT count(*) FROM run").fetchall()
        asked = list(requests_of(names_of(con)))
        if options.results:
            answers = [run(con.cursor(), request).to_json() for _, request in asked]
            options.results.write_text(json.dumps(answers, indent=1) + "\n")
        measured = [(kind, request, *ask(con, request)) for kind, request in asked]
    if options.each:
        for kind, request, first, again in measured:
            print(f"{again.cpu:.4f} {again.wall:.4f} {first.cpu:.4f} {kind}: {request}")
    file = results_folder(record=options.record) / "requests.json"
    before = json.loads(file.read_text()) if file.exists() else {}
    figures = before | {f"{runs:,} runs": figures_of(measured)}
    file.write_text(json.dumps(figures, indent=2) + "\n")
    table = as_table(figures)
    file.with_suffix(".md").write_text(table)
    print(table)


def names_of(con: duckdb.DuckDBPyConnection) -> Names:
    """Return the names of each kind that most runs have."""
    found = {}
    for kind, query in _FREQUENT.items():
        rows = con.execute(_MOST.format(query=query)).fetchall()
        found[kind] = tuple(str(row[0]) for row in rows)
    return found


def requests_of(names: Names) -> Iterator[tuple[str, Request]]:
    """Yield requests of every kind of measure, with that kind."""
    for measure, of in _measures(names):
        yield measure.type, Request(measure, of)


def _measures(names: Names) -> Iterator[tuple[Measure, RunSet]]:
    virus, second, _ = (Hit(virus=(name,)) for name in names["virus"])
    family = Hit(virus=names["family"][:1])
    host, other_host, _ = (Has("host", (name,)) for name in names["host"])
    tissue = Has("tissue", names["tissue"][:1])
    country = Has("country", names["country"][:1])
    recent = Between("released", Range(above="2015"))
    attribute = f"attribute:{names['attribute'][0]}"
    species = Hit(virus=names["family"][:1], evidence="species")
    yield Count(), host
    yield Count(), Carries(virus) & host
    yield Count(), Carries(family) & tissue & recent
    yield Count("biosample"), Carries(species) & country
    yield Count("detection", hits=virus), host
    yield Count("study"), Carries(family)
    yield Count(hits=Hit(plausibility=("unexpected",))), host
    yield Count(), Mentions(("virus",)) & ~Carries(family)
    yield Count(), Has("k_mers", names["k_mers"][:1], share=Range(above=50))
    yield Exists(), Carries(virus) & other_host
    yield Exists(), Carries(second) & Has(attribute)
    yield Share(Carries(virus)), host
    yield Share(Carries(family)), host | tissue
    yield Share(Has("sex", ("female",))), Carries(family)
    yield Values("virus", limit=10), host
    yield Values("host", limit=10), Carries(virus)
    yield Values("host", level="order"), Carries(family)
    yield Values("country"), Carries(family) & recent
    yield Values("family", limit=10, absent_in=other_host), host
    yield Values(("virus", "tissue"), limit=10), host
    yield Values("study", limit=10), Carries(virus)
    yield Values("host", Share(Carries(family)), limit=10), EVERYTHING
    yield Values("plausibility"), Carries(family)
    yield Values("year"), Searched(virus=names["virus"][:1])
    yield Values(attribute, limit=10), Carries(virus)
    yield Values("virus", limit=10, hits=Hit(identity=Range(below=90))), Top("host", EVERYTHING, 3)
    yield Rows(("run", "host", "country", "released"), limit=20), Carries(virus)
    yield Rows(("run", "virus", "identity"), order=SortBy("identity"), limit=20), host
    yield Rows(("run", "virus", "reads"), hits=family, limit=100), tissue
    yield Summary("identity", hits=virus), EVERYTHING
    yield Summary("spots"), Carries(family)
    yield Compare(Share(Carries(family)), (host, other_host)), EVERYTHING
    yield Compare(Count(hits=virus), (host, other_host)), recent
    yield Compare(Values("virus", limit=5), (host, other_host)), EVERYTHING
    yield Evidence(virus), EVERYTHING
    yield Evidence(family), host
    yield Describe("virus", names["virus"][0]), EVERYTHING
    yield Describe("run", names["run"][0]), EVERYTHING
    yield Describe("study", names["study"][0]), EVERYTHING
    yield Describe("community", names["community"][0]), EVERYTHING
    yield Describe("term", names["disease"][0]), EVERYTHING
    yield Records("pairs", where=(Where("plausibility", ("unexpected",)),), limit=10), EVERYTHING
    yield Records("communities", limit=10), EVERYTHING
    yield Records("studies", where=(Where("title", contains="virus"),), limit=10), EVERYTHING
    if names["tested"]:
        yield Records("tests", where=(Where("family", names["tested"][:1]),), limit=10), EVERYTHING
    if names["vector"]:
        yield Like(names["vector"][0]), EVERYTHING
        yield Predicted(virus=names["vector"][0]), EVERYTHING
        yield Predicted(host=names["host"][0]), EVERYTHING


def ask(con: duckdb.DuckDBPyConnection, request: Request) -> tuple[Taken, Taken]:
    """Return what ``request`` takes when it is asked first, and after that."""
    first, *again = [timed(lambda: _run(con, request)) for _ in range(1 + TRIES)]
    return first, median_of(again)


def _run(con: duckdb.DuckDBPyConnection, request: Request) -> None:
    run(con.cursor(), request)


def figures_of(
    measured: Sequence[tuple[str, Request, Taken, Taken]],
) -> dict[str, list[float]]:
    """Return the figures of each kind of measure, and of all: a row of the table each."""
    kinds = dict.fromkeys(kind for kind, *_ in measured)
    figures = {kind: _row([row for row in measured if row[0] == kind]) for kind in kinds}
    medians = [Taken(*row[1:3]) for row in figures.values()]
    firsts = [Taken(*row[3:5]) for row in figures.values()]
    slowest = max(row[5] for row in figures.values())
    every = [len(measured), *median_of(medians), *median_of(firsts), slowest]
    return {**figures, "median of the kinds": every}


def _row(measured: Sequence[tuple[str, Request, Taken, Taken]]) -> list[float]:
    again = [row[3] for row in measured]
    first = median_of([row[2] for row in measured])
    slowest = max(taken.cpu for taken in again)
    seconds = [*median_of(again), *first, slowest]
    return [len(measured), *(round(number, 4) for number in seconds)]


def as_table(figures: Mapping[str, Mapping[str, Sequence[float]]]) -> str:
    """Return the figures of every index as a page of Markdown."""
    lines = []
    for index, kinds in figures.items():
        for kind, (requests, *seconds) in kinds.items():
            cells = " | ".join(f"{number:.3f}" for number in seconds)
            lines.append(f"| {index} | {kind} | {requests:.0f} | {cells} |")
    return HEAD.format(cores=os.cpu_count()) + "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
