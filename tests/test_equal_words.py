"""Equal facts give equal words: a report and an answer say the same of the same runs."""

from __future__ import annotations

import ast
from pathlib import Path

import duckdb
import pytest

from index.claims import AssociationClaim, Claim, OfLaboratory, Ranking
from index.reports.citations import strip_references
from index.reports.compose import build_reports, gather_profiles
from index.reports.facts import compute_facts
from query.answers import answer_request
from query.request import Evidence, Hit, Records, Request, Values
from query.request.measures import Measure
from tests.tiny_index import tiny_index

VIRUS = "Testing virus"
HITS = f"u1 | {VIRUS} | {VIRUS} | Aviridae | NCBITaxon:1 | 98 | 90 | s"
RUNS = [f"R{n}" for n in range(1, 21)]
INDEX = {
    "run": "run | biosample | bioproject\n" + "\n".join(f"{run} | S-{run} | P1" for run in RUNS),
    "community": "community | runs\nC0-a | 20",
    "community_member": "community | entity\n" + "\n".join(f"C0-a | {run}" for run in RUNS),
    "searched": "run | source\n" + "\n".join(f"{run} | s" for run in RUNS),
    "detection": "run | sotu | stated | species | family | virus | identity | reads | source\n"
    + "\n".join(f"{run} | {HITS}" for run in RUNS),
    "virus": f"virus | name | species | family\nNCBITaxon:1 | {VIRUS} | {VIRUS} | Aviridae",
    "term": f"curie | label\nNCBITaxon:1 | {VIRUS}",
    "annotation": "run | facet | value | curie\n"
    + "\n".join(f"{run} | host | Vulpes vulpes | NCBITaxon:9627" for run in RUNS[:12])
    + "\n"
    + "\n".join(f"{run} | host | Mus musculus | NCBITaxon:10090" for run in RUNS[12:17]),
    "association": "bioproject|family|attribute|value|num_true|num_false|fold_change|q_value|flag\n"
    "P1 | Aviridae | cultivar | wild | 12 | 8 | 2.0 | 0.01 | no negatives",
}  # fmt: skip
HIT = Hit(virus=(VIRUS,))


SHARED = [
    (Records("tests"), AssociationClaim),
    (Values("host", hits=HIT), Ranking),
    (Evidence(HIT), OfLaboratory),
]
"""What is asked, and the claim of the answer whose words a report has, too."""


@pytest.fixture(scope="module")
def index() -> duckdb.DuckDBPyConnection:
    con = tiny_index(**INDEX)
    con.register("computed", compute_facts(con))
    con.execute("INSERT INTO fact SELECT * FROM computed")
    return con


@pytest.mark.parametrize(("measure", "kind"), SHARED)
def test_a_report_and_an_answer_say_the_same(
    index: duckdb.DuckDBPyConnection, measure: Measure, kind: type[Claim]
) -> None:
    reports = build_reports(index, gather_profiles(index))
    text = " ".join([*reports.report["summary"], *reports.finding["summary"]])
    said = strip_references(text)
    answer = answer_request(index, Request(measure), full=True)
    (claim,) = [claim for claim in answer.claims if isinstance(claim, kind)]
    words = claim.phrase() if isinstance(claim, Ranking) else claim.sentence()
    assert words in answer.text
    assert words in said


def test_no_report_gives_a_number_its_words() -> None:
    """Numbers are formatted in ``index/claims``; pictures have labels and citations escapes."""
    formatted = [
        f"{path.name}:{node.lineno}"
        for path in Path("index/reports").rglob("*.py")
        if path.name not in ("figures.py", "citations.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FormattedValue) and node.format_spec is not None
    ]
    assert formatted == []
