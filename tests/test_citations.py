"""Citations: one grammar read back as written, and runs counted inside the community."""

from __future__ import annotations

import duckdb
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from index.facets import CITATION_KEYS
from index.reports import citations
from index.reports.citations import (
    CitedValue,
    find_spans,
    format_reference,
    is_citable,
    read_citations,
    resolve_citations,
    strip_references,
)
from tests.tiny_index import tiny_index

READ = [
    ("[Filters: {{tissue: leaf}}]", [("tissue", "leaf")]),
    ("[Filters:{{tissue:leaf}},{{sex:male}}]", [("tissue", "leaf"), ("sex", "male")]),
    ("[Filters: {{species: Tomato virus 1}}, +more]", [("species", "Tomato virus 1")]),
    ("[Filters: {{geography: China: Yunnan, [x]}}]", [("geography", "China: Yunnan, [x]")]),
    ("[Filters: {{label: NCBITaxon:9606}}]", [("label", "NCBITaxon:9606")]),
    ("[Filters: {tissue: leaf}]", []),
    ("[Filters: ]", []),
    ("[Filters: {{tissue: }}]", [("tissue", "")]),
]
VALUES = st.text(min_size=1, max_size=30)
CITATIONS = st.builds(CitedValue, st.sampled_from(CITATION_KEYS), VALUES)


@pytest.mark.parametrize(("text", "citations"), READ)
def test_citations_are_read(text: str, citations: list[tuple[str, str]]) -> None:
    assert read_citations(f"Seen in leaves {text}.") == citations
    assert strip_references(f"Seen in leaves {text}.") == "Seen in leaves."


@given(st.lists(CITATIONS.filter(lambda one: is_citable(*one)), min_size=1, max_size=8))
def test_any_value_is_read_back_as_written(citations: list[CitedValue]) -> None:
    reference = format_reference(citations)
    assert read_citations(reference) == citations[:5]
    assert ("+more" in reference[-6:]) == (len(citations) > 5)


@given(st.text(alphabet="[]{}\\\\ \n:,u0aé\u2028", min_size=1, max_size=12).filter(str.strip))
def test_brackets_braces_and_blanks_of_a_value_stay_inside_its_citation(value: str) -> None:
    citation = CitedValue("geography", value)
    text = f"Seen there {format_reference([citation])}. And elsewhere."
    assert len(find_spans(text)) == 1
    assert strip_references(text) == "Seen there. And elsewhere."
    assert read_citations(text) == [citation]


PIECES = (
    "[Filters: ", "{{tissue: leaf}}", "{{x: }}", ", ", "+more",
    "]", "[", "{{", "}}", ":", " x", "\n",
)  # fmt: skip


@given(st.lists(st.sampled_from(PIECES), max_size=12))
def test_nothing_is_cited_by_what_is_left_without_references(pieces: list[str]) -> None:
    left = strip_references("".join(pieces))
    assert read_citations(left) == []


@pytest.mark.parametrize(
    "citations", [[], [CitedValue("organ", "leaf")], [CitedValue("tissue", " ")]]
)
def test_what_would_not_read_back_is_not_written(citations: list[CitedValue]) -> None:
    with pytest.raises(ValueError, match="cannot be cited"):
        format_reference(citations)


def test_citation_resolves_to_distinct_runs_of_its_community() -> None:
    con = tiny_index(
        run="run | biosample | bioproject\nR1 | S1 | P1\nR2 | S1 | P1\nR3 | S3 | P2",
        community_member="community | entity\nC0-a | R1\nC0-a | R2\nC0-a | P1\nC0-b | R3\nC1-a | "
        "R1",
        detection="run | sotu | species\nR1 | u1 | Virus A\nR1 | u2 | Virus A\nR3 | u1 | Virus A",
        annotation="""
        run | facet | value | curie
        R1 | label | Homo sapiens | NCBITaxon:9606
        R2 | label | Homo sapiens | NCBITaxon:9606
        R2 | tissue | unknown |
        """,
    )
    wanted = [
        ("C0-a", "species", "Virus A", 1),
        ("C0-b", "species", "virus a", 1),
        ("C0-a", "label", "homo sapiens", 2),
        ("C0-a", "label", "NCBITaxon:9606", 2),
        ("C0-a", "runId", "R2", 1),
        ("C0-a", "runId", "R3", 0),
        ("C0-a", "biosample", "S1", 2),
        ("C0-b", "bioproject", "P1", 0),
        ("C0-a", "community", "C0-a", 2),
        ("C0-a", "community", "C1-a", 1),
        ("C0-a", "tissue", "unknown", 0),
        ("C0-a", "species", "Homo sapiens", 0),
        ("C9-x", "species", "Virus A", 0),
    ]
    citations = pl.DataFrame(
        [row[:3] for row in wanted], schema=["community", "key", "value"], orient="row"
    )
    resolved = resolve_citations(con, citations)
    assert resolved.rows() == [(*row, row[3] > 0) for row in wanted]


def test_curie_is_cited_in_place_of_a_value_that_is_known() -> None:
    con = tiny_index(
        run="run | study | bioproject\nR1 | E1 | P1\nR2 | E1 | P1\nR3 | E2 | P1",
        community_member="community | entity\nC0-a | R1\nC0-a | R2\nC0-b | R3",
        annotation="""
        run | facet | value | curie
        R1 | tissue | lung | BTO:0000763
        R2 | tissue | unknown | BTO:0000763
        R2 | host | Lung | BTO:0000763
        R3 | tissue | LUNG |
        """,
    )
    wanted = [
        ("C0-a", "tissue", "bto:0000763", 1),
        ("C0-a", "tissue", "Lung", 1),
        ("C0-b", "tissue", "Lung", 1),
        ("C0-a", "host", "lung", 1),
        ("C0-a", "study", "e1", 2),
        ("C0-a", "bioproject", "p1", 2),
        ("C0-a", "family", "lung", 0),
    ]
    schema = ["community", "key", "value"]
    citations = pl.DataFrame([row[:3] for row in wanted], schema=schema, orient="row")
    assert resolve_citations(con, citations)["runs"].to_list() == [row[3] for row in wanted]


def test_view_of_citations_holds_the_sentences_they_are_in(
    sample_db: duckdb.DuckDBPyConnection,
) -> None:
    rows = sample_db.execute("SELECT key, value, stands_in FROM report_citations").fetchall()
    assert len(rows) > 100
    missing = [row for row in rows if CitedValue(*row[:2]) not in read_citations(row[2])]
    assert missing == []


def test_citations_in_parts_are_those_of_one_query(
    sample_db: duckdb.DuckDBPyConnection, monkeypatch: pytest.MonkeyPatch
) -> None:
    stored = sample_db.table("citation").pl()
    asked = stored.drop("runs", "verified")
    assert resolve_citations(sample_db, asked).equals(
        stored.select([*asked.columns, "runs", "verified"])
    )

    monkeypatch.setattr(citations, "MOST_RUNS", 60)
    in_parts = resolve_citations(sample_db, asked)
    assert in_parts["runs"].to_list() == stored["runs"].to_list()
    assert in_parts["verified"].all()
