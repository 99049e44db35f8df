"""Communities of a request without a model: counts, level, ledger, sentences, associations."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import duckdb
import pytest

from index.models.embeddings import DIMENSIONS, embed
from query.config import QueryConfig
from query.errors import UnknownLevelError
from query.global_search.answering import at_once
from query.global_search.citing import PointDraft, cite_points
from query.global_search.selecting import CommunityEvidence, communities_of, communities_that_add
from query.global_search.triage import Candidate
from query.request import (
    Carries,
    Compare,
    Count,
    Describe,
    Everything,
    Has,
    Hit,
    Not,
    Records,
    Request,
    Share,
    Values,
    Where,
)
from tests.community_index import make_community_index
from tests.query_index import opened

CONFIG = QueryConfig()
BATS = Has("host", "bats")
PIGS = Has("host", "pig")
CORONA = Carries(Hit("Coronaviridae"))
REQUESTS = {
    "viruses of bats": Request(Values(by="family"), of=BATS & Has("tissue", "gut")),
    "a virus": Request(Values(by="host"), of=CORONA),
    "a share": Request(Share(CORONA), of=BATS),
    "sides": Request(Compare(Count(), (BATS, PIGS))),
    "all": Request(Values(by="family")),
    "without": Request(Count(), of=BATS & Not(CORONA)),
    "none": Request(Count(), of=CORONA & PIGS),
    "a community": Request(Describe("community", "C1-lung")),
    "tests": Request(Records("tests", where=(Where("family", ("Pneumoviridae",)),))),
}


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_community_index(tmp_path_factory.mktemp("communities") / "index.duckdb")


@pytest.fixture
def con(index: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    with opened(index) as connection:
        yield connection


def ask(
    con: duckdb.DuckDBPyConnection,
    request: Request,
    *,
    text: str = "",
    config: QueryConfig = CONFIG,
    level: int | None = None,
) -> CommunityEvidence:
    return communities_of(con, request, text=text, config=config, level=level)


@pytest.fixture(scope="module")
def asked(index: Path) -> dict[str, CommunityEvidence]:
    """Return what is said of each of ``REQUESTS``."""
    with opened(index) as con:
        return {name: ask(con, request) for name, request in REQUESTS.items()}


def said(evidence: CommunityEvidence) -> dict[str, str]:
    return {point.community: point.description for point in evidence.points}


READ = {
    "viruses of bats": ["C1-bat"],
    "a virus": ["C1-bat"],
    "a share": ["C1-bat"],
    "sides": ["C0-gut"],
    "all": ["C0-gut", "C0-rest"],
    "without": ["C1-bat"],
    "none": [],
    "a community": ["C1-lung"],
    "tests": ["C1-lung"],
}


def test_walk_reads_the_communities_that_say_most(asked: dict[str, CommunityEvidence]) -> None:
    read = {name: list(said(evidence)) for name, evidence in asked.items()}
    assert read == READ
    for coverage in (evidence.coverage for evidence in asked.values()):
        assert coverage.read + coverage.skipped == coverage.relevant
        assert coverage.runs_covered == coverage.runs_matching <= coverage.runs_index == 36


def test_point_counts_the_matching_runs_and_the_values_that_are_listed(
    asked: dict[str, CommunityEvidence],
) -> None:
    text = said(asked["viruses of bats"])["C1-bat"]
    assert text.startswith(
        "Coronaviridae in Rhinolophus intestine. 10 of its 12 runs are from bat gut"
    )
    assert "all come from one study (SYNP1, “Viruses of cave bats in two countries”)" in text
    assert "Coronaviridae (6) and Astroviridae (4)" in text
    assert "{{" not in text
    sides = said(asked["sides"])["C0-gut"]
    assert "Of its 20 runs, 12 are from bats and 8 are from pigs" in sides


def test_values_of_a_comparison_are_those_of_each_side(con: duckdb.DuckDBPyConnection) -> None:
    compared = Request(Compare(Values(by="family"), (BATS, PIGS)))
    text = said(ask(con, compared))["C0-gut"]
    bats, pigs = "those that are from bats", "those that are from pigs"
    assert (
        f"Virus families of {bats} are named for 10: Coronaviridae (6) and Astroviridae (4)."
        in text
    )
    assert f"Virus families of {pigs} are named for 6: Picornaviridae (6)." in text


def test_lists_of_several_run_sets_or_fields_are_read_at_once() -> None:
    bats, pigs = (Request(Values(by="family"), of=runs) for runs in (BATS, PIGS))
    hosts = Request(Values(by="country"), of=BATS)
    count = Request(Count(), of=BATS)
    sides = Request(Compare(Values(by="family"), (BATS, PIGS)))
    fields = Request(Values(by=("family", "country")), of=BATS)
    assert list(at_once([bats, pigs])) == [sides, bats, pigs]
    assert list(at_once([bats, hosts])) == [fields, bats, hosts]
    others = Request(Values(by="family", other_than=("Picornaviridae",)), of=BATS)
    assert list(at_once([others, hosts])) == [fields, others, hosts]
    assert list(at_once([bats, count])) == [bats, count]
    assert list(at_once([bats])) == [bats]


def test_values_that_another_set_has_too_are_not_listed(con: duckdb.DuckDBPyConnection) -> None:
    families = Values(by="family", absent_in=Has("country", "China"))
    everywhere = said(ask(con, Request(replace(families, absent_in=None), of=BATS)))["C1-bat"]
    elsewhere = said(ask(con, Request(families, of=BATS)))["C1-bat"]
    assert "Coronaviridae (" in everywhere
    assert "Coronaviridae (" not in elsewhere


@pytest.mark.parametrize(
    ("matching", "read"),
    [
        ([429, 2, 1, 1], [429]),
        ([885, 5, 13, 1], [885, 13]),
        ([27, 2, 6, 15, 1], [27, 6, 15]),
        ([2, 1], [2, 1]),
        ([1, 1, 1, 1], [1, 1, 1, 1]),
        ([1] * 90, [1] * 90),
    ],
)
def test_communities_that_add_hardly_a_run_are_not_read(
    matching: list[int], read: list[int]
) -> None:
    found = [Candidate("C1", 999, runs, 9.0, "") for runs in matching]
    assert [candidate.matching for candidate in communities_that_add(found)] == read


def test_citations_resolve_to_runs_of_the_community(asked: dict[str, CommunityEvidence]) -> None:
    (point,) = asked["viruses of bats"].points
    cited = [(citation.key, citation.value, citation.runs) for citation in point.citations]
    assert cited == [
        ("family", "Coronaviridae", 6),
        ("family", "Astroviridae", 4),
        ("bioproject", "SYNP1", 12),
        ("community", "C1-bat", 12),
    ]


def test_what_sets_a_community_apart_is_what_the_others_lack(
    con: duckdb.DuckDBPyConnection,
) -> None:
    texts = said(ask(con, Request(Count(), of=Has("tissue", "lung") | BATS), level=1))
    apart = "What sets it apart is the host Homo sapiens, in 10 of the 10 runs that state one and"
    assert f"{apart} in none of those elsewhere." in texts["C1-lung"]
    assert "Coronaviridae in Rhinolophus intestine" in texts["C1-bat"]
    assert "apart is the tissue intestine" not in texts["C1-bat"]


@pytest.mark.parametrize(
    ("request_", "community", "caution"),
    [
        (Request(Count(), of=PIGS), "C1-pig", "Porcine kobuvirus is not expected in Sus scrofa"),
        (Request(Count(), of=Carries(Hit("Astroviridae"))), "C1-bat", "None of them reach 90%"),
        (Request(Count(), of=BATS), "C1-bat", "Of them, 10 have a virus."),
    ],
)
def test_what_weakens_a_count_is_said(
    con: duckdb.DuckDBPyConnection, request_: Request, community: str, caution: str
) -> None:
    assert caution in said(ask(con, request_))[community]


@pytest.mark.parametrize(
    ("closest", "caution"),
    [
        ("NULL", "may be those of Bat astrovirus 1, which has more"),
        ("virus", "has over 20 times the reads of Bat coronavirus HKU5, which explains them"),
    ],
)
def test_a_relative_with_more_reads_is_named(
    index: Path, tmp_path: Path, closest: str, caution: str
) -> None:
    copy = tmp_path / "index.duckdb"
    copy.write_bytes(index.read_bytes())
    with duckdb.connect(copy) as con:
        con.execute(
            f"UPDATE detection SET closest = {closest}, congener = 'NCBITaxon:900002' "
            "WHERE family = 'Coronaviridae'"
        )
        assert caution in said(ask(con, REQUESTS["a virus"]))["C1-bat"]


def test_level_is_read_as_asked(con: duckdb.DuckDBPyConnection) -> None:
    evidence = ask(con, REQUESTS["a virus"], level=0)
    assert [point.community for point in evidence.points] == ["C0-gut"]
    by_community = Request(Values(by="community", level=1), of=Has("host", "Mammalia"))
    found = {point.community for point in ask(con, by_community).points}
    assert found == {"C1-bat", "C1-pig", "C1-lung"}
    with pytest.raises(UnknownLevelError, match="levels of this index: 0, 1"):
        ask(con, REQUESTS["a virus"], level=7)


def test_communities_past_the_limit_are_counted_as_skipped(con: duckdb.DuckDBPyConnection) -> None:
    coverage = ask(con, REQUESTS["all"], config=QueryConfig(max_communities=1)).coverage
    assert (coverage.read, coverage.skipped) == (1, 1)
    assert coverage.runs_covered < coverage.runs_matching


def test_where_every_run_matches_reports_are_ranked_by_the_text(
    con: duckdb.DuckDBPyConnection,
) -> None:
    everything = Request(Count(), of=Everything())
    evidence = ask(con, everything, text="Is there anything on asthma?")
    assert [point.community for point in evidence.points] == ["C1-lung"]
    evidence = ask(con, everything, text="What about arthropod-borne viruses, or pigs?")
    assert {point.community for point in evidence.points} == {"C0-rest", "C0-gut"}
    evidence = ask(con, everything, text="pigs and porcine kobuvirus")
    assert len({"C0-gut", "C1-pig"}.intersection(said(evidence))) == 1
    for text in ("Which viruses are there?", "zorbs of frobnication"):
        evidence = ask(con, everything, text=text)
        assert [point.community for point in evidence.points] == ["C0-gut", "C0-rest"]


@pytest.mark.parametrize("name", ["viruses of bats", "none"])
def test_text_decides_nothing_that_is_counted(
    con: duckdb.DuckDBPyConnection, asked: dict[str, CommunityEvidence], name: str
) -> None:
    assert asked[name] == ask(con, REQUESTS[name], text="penguins, asthma or Aedes in Brazil?")


def test_significant_associations_come_first_with_their_communities(
    asked: dict[str, CommunityEvidence],
) -> None:
    associations = asked["viruses of bats"].associations
    shown = [(test.attribute, test.significant, test.flag) for test in associations]
    assert shown == [("tissue", True, None), ("batch", True, "batch-like field")]
    assert associations[0].communities == ("C1-bat",)


def test_communities_whose_runs_state_nothing_of_the_list_come_last(
    con: duckdb.DuckDBPyConnection,
) -> None:
    everything = Has("host", ("Mammalia", "Culicidae"))
    evidence = ask(con, Request(Values(by="disease"), of=everything), level=1)
    names = [point.community for point in evidence.points]
    assert (names[0], len(names)) == ("C1-lung", 4)
    assert all(
        "None of them states a disease." in text for text in list(said(evidence).values())[1:]
    )


def test_reports_are_ranked_by_words_and_by_meaning_where_the_index_has_vectors(
    index: Path, tmp_path: Path
) -> None:
    copy = tmp_path / "index.duckdb"
    copy.write_bytes(index.read_bytes())
    text = "Zorbs of frobnication?"
    like, unlike = embed([text])[0].tolist(), [0.0] * DIMENSIONS
    with duckdb.connect(copy) as con:
        con.execute("DELETE FROM association")
        found = ask(con, Request(Count()), text="respiratory or arthropod-borne, or else pigs?")
        assert [point.community for point in found.points] == ["C0-rest", "C0-gut"]
        con.execute("INSERT INTO embedding VALUES ('report', 'C0-rest', $1)", [unlike])
        found = ask(con, Request(Count()), text=text)
        assert [point.community for point in found.points] == ["C0-gut", "C0-rest"]
        con.execute("INSERT INTO embedding VALUES ('report', 'C1-aedes', $1)", [like])
        found = ask(con, Request(Count()), text=text)
        assert [point.community for point in found.points] == ["C1-aedes"]


def test_citation_that_resolves_to_no_run_is_left_out(con: duckdb.DuckDBPyConnection) -> None:
    draft = PointDraft("C1-pig", 1.0, "Pigs.", (("family", "Coronaviridae"), ("sotu", "u1")))
    (point,) = cite_points(con, [draft])
    assert [citation.value for citation in point.citations] == ["C1-pig"]
