"""Requests for what is predicted: said, read back, run, and answered as predictions."""

from __future__ import annotations

from collections.abc import Iterator

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from query.answers.answering import answer_request
from query.compiler import run
from query.reading.canonical import read_canonical
from query.request import (
    Like,
    Predicted,
    Records,
    Request,
    RequestError,
    Where,
    from_json,
    say,
    to_json,
)
from tests.request_world import world_index
from tests.tiny_index import mark_runs

ALPHA, OTHER, BETA = (f"NCBITaxon:{number}" for number in (3, 4, 6))
HUMAN, BAT = "NCBITaxon:22", "NCBITaxon:24"


@pytest.fixture(scope="module")
def index() -> Iterator[duckdb.DuckDBPyConnection]:
    with world_index() as con:
        for virus, name, first, second in (
            (ALPHA, "Alpha one", 1.0, 0.0),
            (OTHER, "Alpha two", 0.8, 0.6),
            (BETA, "Beta one", 0.0, 1.0),
            ("u7", "unnamed u7", 0.6, 0.8),
        ):
            con.execute(
                "INSERT INTO virus_vector SELECT ?, ?, 'Alphaviridae', 3, "
                "list_concat([?, ?], list_resize([]::FLOAT[], 62, 0))::FLOAT[64], 1",
                [virus, name, first, second],
            )
        for pair in (
            (ALPHA, BAT, 0.9, 0.31, 2),
            (ALPHA, HUMAN, 0.2, 0.02, 9),
            ("u7", BAT, 0.5, 0.1, 0),
        ):
            con.execute("INSERT INTO predicted_pair VALUES (?, ?, ?, ?, ?)", pair)
        con.execute("INSERT INTO unlikely_pair VALUES (?, ?, -0.2, 0.004, 1, 30)", [BETA, BAT])
        con.execute(
            "INSERT INTO virus_neighbourhood VALUES (1, 4, 9, 'Alphaviridae; Betaviridae', "
            "'Homo testus', 'blood', 'Alpha one; Beta one')"
        )
        con.execute(
            "INSERT INTO novel_virus VALUES ('u7', 55.0, 'Alphagenus-like', 'Alphaviridae', NULL, "
            "12, 3, 8.5, 'Myotis testus', 'Kenya', NULL)"
        )
        con.execute("INSERT INTO run (run) VALUES ('R1')")
        con.execute("INSERT INTO detection (run, sotu, source) VALUES ('R1', 'u7', 'palm')")
        con.executemany(
            "INSERT INTO annotation (run, facet, value, curie, text, attribute, method, score) "
            "VALUES ('R1', ?, ?, ?, '', '', 'dictionary', 1)",
            [("host", "Myotis testus", BAT), ("geography", "Kenya", None)],
        )
        mark_runs(con)
        yield con


def answered(con: duckdb.DuckDBPyConnection, request: Request) -> str:
    return answer_request(con, request).text


_WORDS = ["EBV", "virus", "viruses", "are", "most", "like", "predicted", "for", "in", "hosts", "3",
          "Which", '"', "?", ".", "(", "x y"]  # fmt: skip
NASTY = st.lists(st.sampled_from(_WORDS), min_size=1, max_size=4).map(" ".join)


@given(NASTY, st.integers(1, 100))
def test_predictions_of_any_name_are_said_and_read_back(name: str, limit: int) -> None:
    for measure in (Like(name, limit), Predicted(virus=name, limit=limit),
                    Predicted(host=name, limit=limit)):  # fmt: skip
        request = Request(measure)
        assert read_canonical(say(request)) == from_json(to_json(request)) == request


@pytest.mark.parametrize(
    ("given_json", "why"),
    [
        ('{"type": "predicted"}', "either a virus or a host"),
        ('{"type": "predicted", "virus": "a", "host": "b"}', "either a virus or a host"),
        ('{"measure": {"type": "like", "virus": "EBV"}, "of": {"type": "searched"}}',
         "not a set of runs"),
    ],
)  # fmt: skip
def test_a_prediction_is_of_a_virus_or_of_a_host_and_not_of_runs(given_json: str, why: str) -> None:
    with pytest.raises(RequestError, match=why):
        from_json(given_json)


def test_viruses_like_one_are_ranked_by_their_vectors(index: duckdb.DuckDBPyConnection) -> None:
    found = run(index, Request(Like("Alpha virus one", limit=2)))
    assert [(row[1], row[4]) for row in found.rows] == [(OTHER, 0.8), ("u7", 0.6)]
    assert found.total == 3
    assert found.rows[0][5] == 1, "its neighbourhood"
    assert [omission.number for omission in found.left_out] == [1]


def test_a_genus_is_the_mean_of_its_viruses_and_a_sotu_is_named_by_itself(
    index: duckdb.DuckDBPyConnection,
) -> None:
    of_genus = run(index, Request(Like("Alphagenus")))
    assert [row[1] for row in of_genus.rows] == ["u7", BETA]
    assert run(index, Request(Like("U7"))).rows[0][1] == OTHER


def test_pairs_are_predicted_of_a_virus_and_of_a_host_or_those_below_it(
    index: duckdb.DuckDBPyConnection,
) -> None:
    of_virus = run(index, Request(Predicted(virus="Alpha virus one")))
    assert [row[3] for row in of_virus.rows] == [BAT, HUMAN]
    of_host = run(index, Request(Predicted(host="Testchiroptera")))
    assert [row[1] for row in of_host.rows] == [ALPHA, "u7"]


ANSWERS = """
Which 10 viruses are most like Alpha virus one? | viruses predicted to be
Which 10 viruses are most like Betaviridae? | viruses predicted to be
Which 10 hosts are predicted for Alpha virus one? | By prediction, / Myotis testus (31%) and Homo testus (2%) / o run carries such a pair
Which 10 hosts are predicted for Beta virus one? | Nothing is
Which 10 viruses are predicted in Testchiroptera? | By prediction,
List unlikely. | Beta one in Myotis testus is predicted with a probability of 0.4% / found in 1 study of 30 studies that searched for it
List novel. | u7 (nearest to Alphagenus, 55% identity) is found in 12 runs of 3 studies
List neighbourhoods. | has 4 viruses of Alphaviridae and Betaviridae, found in 9 studies / most often of Homo testus; such as Alpha one and Beta one / hey are predicted
"""  # noqa: E501


@pytest.mark.parametrize("row", ANSWERS.strip().splitlines())
def test_answers_say_that_they_predict_and_from_what(
    index: duckdb.DuckDBPyConnection, row: str
) -> None:
    text, said = row.split(" | ")
    request = read_canonical(text)
    assert request is not None
    answer = answer_request(index, request).text
    assert [part for part in said.split(" / ") if part not in answer] == [], answer
    assert (
        answer.startswith(("By prediction", "Nothing is", "The viruses predicted"))
        or request.measure.type == "records"
    )


@pytest.mark.parametrize(
    ("table", "where", "number"),
    [
        ("unlikely", Where("host", ("Myotis testus",)), 1),
        ("unlikely", Where("host", ("Testchiroptera",)), 1),
        ("unlikely", Where("host", ("Testprimates",)), 0),
        ("unlikely", Where("virus", ("Betaviridae",)), 1),
        ("unlikely", Where("virus", ("Alphaviridae",)), 0),
        ("unlikely", Where("host", ("no such host",)), 0),
        ("novel", Where("hosts", contains="Testchiroptera"), 1),
        ("novel", Where("hosts", contains="myotis"), 1),
        ("novel", Where("hosts", contains="Testprimates"), 0),
        ("novel", Where("places", contains="Kenya"), 1),
    ],
)
def test_a_condition_on_a_host_or_virus_means_what_is_below_it_too(
    index: duckdb.DuckDBPyConnection, table: str, where: Where, number: int
) -> None:
    assert run(index, Request(Records(table, where=(where,), count=True))).number == number
