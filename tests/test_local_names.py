"""Local search from names and a request: seeds, chains, what joins names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import duckdb
import numpy as np
import pytest

from query.compiler import UnknownNameError
from query.local_search.chains import HopChain, chain_in
from query.local_search.named import Vectors, runs_named, seeds_named, seeds_nearest
from query.local_search.surroundings import Surroundings, surroundings_of, surroundings_text
from query.reading.reading import NameInQuestion
from query.request import Carries, Count, Has, Hit, Request, Top, Values
from tests.community_index import make_community_index
from tests.query_index import opened

CORONA = Carries(Hit(("Coronaviridae",)))


def name(text: str, kind: str, meant: str, curie: str | None = None) -> NameInQuestion:
    return NameInQuestion(text, 0, len(text), kind, meant, curie)


VIRUS = name("coronaviruses", "virus", "Coronaviridae", "NCBITaxon:11118")
KOBUVIRUS = name("kobuvirus", "virus", "Porcine kobuvirus")
BATS = name("bats", "host", "Chiroptera", "NCBITaxon:9397")
GUT = name("gut", "tissue", "gut", "BTO:0000545")
ASTHMA = name("asthma", "disease", "asthma")


def letters(texts: Sequence[str]) -> Vectors:
    """Return unit vectors of how often each letter is in a text: deterministic and cheap."""
    counts = np.array([[text.lower().count(chr(97 + place)) for place in range(26)]
                       for text in texts])  # fmt: skip
    lengths = np.linalg.norm(counts, axis=1, keepdims=True)
    return (counts / np.maximum(lengths, 1)).astype(np.float32)


@pytest.fixture(scope="module")
def con(tmp_path_factory: pytest.TempPathFactory) -> Iterator[duckdb.DuckDBPyConnection]:
    path: Path = make_community_index(tmp_path_factory.mktemp("names") / "index.duckdb")
    with opened(path) as connection:
        yield connection


def around(
    con: duckdb.DuckDBPyConnection, *names: NameInQuestion, request: Request | None = None
) -> Surroundings:
    return surroundings_of(con, request, names=names, text="What goes with it?", embed=letters)


@pytest.mark.parametrize(
    ("named", "runs"),
    [
        (VIRUS, Carries(Hit(("NCBITaxon:11118",)))),
        (KOBUVIRUS, Carries(Hit(("Porcine kobuvirus",)))),
        (BATS, Has("host", ("NCBITaxon:9397",))),
        (name("Germany", "country", "Germany"), Has("country", ("Germany",))),
        (name("PRJNA1", "accession", "PRJNA1"), Has("project", ("PRJNA1",))),
        (name("SRP1", "accession", "SRP1"), Has("study", ("SRP1",))),
        (name("C1-bat", "community", "C1-bat"), Has("community", ("C1-bat",))),
        (name("SRR1", "accession", "SRR1"), None),
        (name("hosts", "field", "host"), None),
        (name("depth", "spots", "5"), None),
    ],
)
def test_names_stand_for_runs(named: NameInQuestion, runs: object) -> None:
    assert runs_named(named) == runs


def test_seeds_have_the_runs_of_their_names_and_the_user_s_word(
    con: duckdb.DuckDBPyConnection,
) -> None:
    seeds = seeds_named(con, [VIRUS, BATS, name("hosts", "field", "host")])
    counts = [con.execute(f"SELECT count(*) FROM ({seed.runs})").fetchall() for seed in seeds]
    assert counts == [[(6,)], [(12,)]]
    assert [(seed.name, seed.group, seed.facet) for seed in seeds] == [
        ("Coronaviridae (coronaviruses)", "virus", "family"),
        ("Chiroptera (bats)", "organism", "host"),
    ]
    own = con.execute(f"SELECT count(*) FROM detection d WHERE {seeds[0].own}").fetchall()
    assert (own, seeds[1].own) == ([(6,)], "")
    with pytest.raises(UnknownNameError):
        seeds_named(con, [name("zorb", "virus", "zorb virus")])


def test_quotation_marks_in_a_name_stay_in_it(con: duckdb.DuckDBPyConnection) -> None:
    with pytest.raises(UnknownNameError):
        seeds_named(con, [name("x", "country", "x' OR '1'='1")])


CHAINS = {
    "hosts": (Request(Values(by=("tissue",)), of=Top("host", CORONA, 1000)), "host tissue"),
    "tissues": (Request(Values(by=("country",)), of=Top("tissue", CORONA, 9)), "tissue geography"),
    "joined": (
        Request(Values(by=("family",)), of=Top("host", CORONA, 9) & Has("sex")),
        "host family",
    ),
    "itself": (Request(Values(by=("host",)), of=Top("host", CORONA, 9)), "none"),
    "no list": (Request(Count(), of=Top("host", CORONA, 9)), "none"),
    "one hop": (Request(Values(by=("tissue",)), of=CORONA), "none"),
}


@pytest.mark.parametrize("case", CHAINS)
def test_a_request_of_two_hops_is_a_chain(case: str) -> None:
    request, chain = CHAINS[case]
    found: HopChain | None = chain_in(request)
    assert ("none" if found is None else " ".join([found.bridge, *found.asked])) == chain


def test_values_on_a_chain_are_of_all_runs_of_the_bridge(con: duckdb.DuckDBPyConnection) -> None:
    found = around(con, VIRUS, request=CHAINS["hosts"][0])
    assert found.along == (
        "By host, among all runs of each, tissue: Rhinolophus ferrumequinum: intestine (6 runs), "
        "lung (2 runs)."
    )


def test_two_names_are_joined_by_their_runs_or_by_values_they_share(
    con: duckdb.DuckDBPyConnection,
) -> None:
    (joint,) = around(con, VIRUS, GUT).joints
    assert joint.runs == 6
    (joint,) = around(con, KOBUVIRUS, ASTHMA).joints
    assert (joint.runs, [row[:2] for row in joint.shared]) == (0, [("geography", "Germany")])
    text = surroundings_text(around(con, KOBUVIRUS, ASTHMA), lead="It is counted.")
    assert text.startswith("It is counted.\n\nNo run carries both Porcine kobuvirus (kobuvirus)")


def test_fields_that_a_request_lists_come_first(con: duckdb.DuckDBPyConnection) -> None:
    found = around(con, BATS, request=Request(Values(by=("country",)), of=Has("host")))
    assert {citation.value for citation in found.points[0].citations} <= {"China", "Canada"}
    assert all(citation.verified for point in found.points for citation in point.citations)


def test_associations_are_of_the_family_in_projects_with_its_runs(
    con: duckdb.DuckDBPyConnection,
) -> None:
    assert [test.value for test in around(con, VIRUS).associations] == ["intestine", "1"]
    assert around(con, BATS).associations == ()


def test_without_a_name_the_five_nearest_are_taken_and_said(
    con: duckdb.DuckDBPyConnection,
) -> None:
    assert len(seeds_nearest(con, "swine gut", letters)) == 5
    found = around(con)
    assert found.steps[0].startswith("entities (nearest by meaning): ")
    text = surroundings_text(found, lead="")
    assert text.startswith("The question names nothing that the index knows; the nearest")
