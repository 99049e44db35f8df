"""``query local``: entities, triples of one and two hops, pruning, paths, answers, refusals."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import duckdb
import numpy as np
import pytest
from query.local_search.seeds import named_seeds, nearest_seeds
from query.reading.question import read_question
from typer.testing import CliRunner

from index.models.choose import ModelChoice, OpenAIModel, profile_of
from index.reports.citations import read_citations
from query.answer import Answer
from query.cli.app import app
from query.config import QueryConfig
from query.errors import BeyondCountsError, EmptyQuestionError, NoEvidenceError
from query.local_search.gathering import gather_triples
from query.local_search.paths import join_pairs
from query.local_search.pruning import ScoredTriple, prune
from query.local_search.search import answer_locally
from query.local_search.triples import Triple
from query.local_search.vectors import Vectors
from query.mode import Asking
from tests.query_index import make_index, opened
from tests.scripted_openai import Reply, serve

SNAPSHOTS = Path(__file__).parent / "snapshots"


def letters(texts: Sequence[str]) -> Vectors:
    """Return unit vectors of how often each letter is in a text: deterministic and cheap."""
    counts = np.array([[text.lower().count(chr(97 + one)) for one in range(26)] for text in texts])
    lengths = np.linalg.norm(counts, axis=1, keepdims=True)
    return (counts / np.maximum(lengths, 1)).astype(np.float32)


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = make_index(tmp_path_factory.mktemp("local") / "index.duckdb")
    with duckdb.connect(path) as con:
        con.execute(EVERYTHING_FOUND)
    return path


EVERYTHING_FOUND = """
INSERT INTO source_scope BY NAME
SELECT source, 'one' AS search, concat('NCBITaxon:', row_number() OVER (ORDER BY family)) AS virus,
       true AS below, family
FROM (SELECT DISTINCT source, family FROM detection) ORDER BY ALL
"""
"""The one search of the index looks for all that it found."""


@pytest.fixture
def con(index: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    with opened(index) as connection:
        yield connection


def ask(index: Path, question: str, *, choice: ModelChoice | None = None) -> Answer:
    with opened(index) as con:
        return answer_locally(Asking(question, con, index, QueryConfig(), choice), embed=letters)


def around(con: duckdb.DuckDBPyConnection, question: str) -> list[Triple]:
    return gather_triples(con, named_seeds(read_question(con, question)))


def near(found: Sequence[Triple]) -> list[Triple]:
    return [one for one in found if one.hops == 1]


def rows(table: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.split("|")] for line in table.strip().splitlines()[1:]]


# --- triples --------------------------------------------------------------------------------------

ONE_HOP = """
question            | value                     | runs | known | index runs | index known
Coronaviridae       | Rhinolophus ferrumequinum | 6    | 6     | 8          | 36
bats                | Coronaviridae             | 6    | 12    | 6          | 36
bats                | intestine                 | 10   | 12    | 18         | 30
Porcine kobuvirus   | Germany                   | 6    | 6     | 18         | 36
"""


@pytest.mark.parametrize(
    ("question", "value", "runs", "known", "index_runs", "index_known"), rows(ONE_HOP)
)
def test_triple_counts_runs_that_carry_both_among_those_that_could(
    con: duckdb.DuckDBPyConnection,
    question: str,
    value: str,
    runs: str,
    known: str,
    index_runs: str,
    index_known: str,
) -> None:
    (triple,) = [one for one in around(con, question) if one.value == value and one.hops == 1]
    counts = (triple.runs, triple.known, triple.index_runs, triple.index_known)
    assert counts == (int(runs), int(known), int(index_runs), int(index_known))


def test_runs_that_nobody_searched_for_a_virus_do_not_count(index: Path, tmp_path: Path) -> None:
    copy = tmp_path / "index.duckdb"
    shutil.copyfile(index, copy)
    with duckdb.connect(copy) as con:
        elsewhere = con.execute(SEARCHED_ELSEWHERE).fetchall()
    with opened(copy) as con:
        (triple,) = [one for one in near(around(con, "bats")) if one.value == "Coronaviridae"]
    assert len(elsewhere) == 5
    assert triple.index_known == 36 - len(elsewhere)


SEARCHED_ELSEWHERE = """
UPDATE searched SET source = 'nt', search = 'two' WHERE run IN (
    SELECT run FROM searched WHERE run NOT IN (
        SELECT run FROM detection) ORDER BY run DESC LIMIT 5)
RETURNING run
"""


def test_triple_has_p_q_and_provenance_in_words(con: duckdb.DuckDBPyConnection) -> None:
    """p is the upper tail of the hypergeometric distribution: C(8,6) / C(36,6)."""
    found = around(con, "Coronaviridae")
    (triple,) = [one for one in near(found) if one.value == "Rhinolophus ferrumequinum"]
    assert triple.p == pytest.approx(28 / 1947792)
    assert triple.q >= triple.p
    assert triple.sentence.startswith(
        "Rhinolophus ferrumequinum is the host in 6 of 6 runs with a stated host of "
        "Coronaviridae (100%), 4.5 times its share in the index (p = 1.4e-05, q"
    )
    assert triple.sentence.endswith("from 1 known project or study, e.g. SYNR01.")


def test_second_hop_starts_at_a_value_and_counts_all_runs_with_it(
    con: duckdb.DuckDBPyConnection,
) -> None:
    found = [one for one in around(con, "Porcine kobuvirus") if one.hops == 2]
    of_pigs = [one for one in found if one.subject == "Sus scrofa" and one.value == "intestine"]
    assert [(one.runs, one.known, one.subject_facet) for one in of_pigs] == [(8, 8, "host")]
    assert not [one for one in found if one.value == "Porcine kobuvirus"]


def test_entity_is_no_value_of_itself(con: duckdb.DuckDBPyConnection) -> None:
    assert "Coronaviridae" not in {one.value for one in around(con, "Coronaviridae")}


# --- pruning --------------------------------------------------------------------------------------


def scored(
    cosines: Sequence[float], *, seed: str = "a", facet: str = "host", q: float = 1.0
) -> list[ScoredTriple]:
    return [
        ScoredTriple(Triple(seed, seed, facet, f"{seed}{place}", 2, 2, 2, 2, 1, "R1", q=q), cosine)
        for place, cosine in enumerate(cosines)
    ]


PRUNED = """
cosines              | kept
0.9 0.8 0.7 0.6      | 0.9 0.8
0.9 0.9 0.6 0.6 0.6  | 0.9 0.9
0.4 0.3 0.2 0.1      | 0.4
0.7 0.7 0.7 0.7      | 0.7 0.7 0.7 0.7
0.4 0.4 0.1 0.1      | 0.4 0.4
"""


@pytest.mark.parametrize(("cosines", "kept"), rows(PRUNED))
def test_triples_above_percentile_and_cosine_are_kept_and_the_best_where_none_is(
    cosines: str, kept: str
) -> None:
    found = prune(scored([float(one) for one in cosines.split()]), percentile=60)
    assert " ".join(str(one.cosine) for one in found) == kept


def test_context_volume_is_shared_between_entities() -> None:
    both = [*scored([0.9] * 30), *scored([0.8] * 30, seed="b")]
    found = prune(both, volume=20)
    assert [one.triple.seed for one in found].count("a") == 10
    assert len(found) == 20


def test_facets_that_are_asked_for_come_first_by_runs() -> None:
    far = scored([0.1, 0.2], facet="tissue")
    found = prune([*scored([0.9, 0.1, 0.1, 0.1]), *far], asked=["tissue"])
    assert [one.triple.facet for one in found] == ["tissue", "tissue", "host"]


def test_what_chance_may_explain_comes_last() -> None:
    found = prune([*scored([0.9, 0.1, 0.1]), *scored([0.8, 0.1, 0.1], seed="b", q=0.01)])
    assert [one.triple.q for one in found] == [0.01, 1.0]


# --- paths and entities ---------------------------------------------------------------------------


def test_two_entities_are_joined_by_their_runs(con: duckdb.DuckDBPyConnection) -> None:
    seeds = named_seeds(read_question(con, "What links Coronaviridae and the intestine?"))
    gather_triples(con, seeds)
    (joint,) = join_pairs(con, seeds)
    assert joint.sentences[0].startswith("6 runs carry both Coronaviridae and intestine, e.g.")


def test_two_entities_without_a_common_run_are_joined_by_shared_values(
    con: duckdb.DuckDBPyConnection,
) -> None:
    seeds = named_seeds(read_question(con, "What joins Porcine kobuvirus and asthma?"))
    gather_triples(con, seeds)
    (joint,) = join_pairs(con, seeds)
    assert joint.sentences == (
        "No run carries both Porcine kobuvirus and asthma.",
        "The shortest paths between them go through geography Germany (6 and 8 runs).",
    )


def test_where_nothing_is_named_the_five_nearest_are_taken_and_said(
    index: Path, con: duckdb.DuckDBPyConnection
) -> None:
    assert len(nearest_seeds(con, "swine gut", letters)) == 5
    answer = ask(index, "zorbs of frobnication")
    assert answer.answer.startswith("The question names nothing that the index knows; the nearest")
    assert answer.steps[0].startswith("entities (nearest by meaning): ")


REFUSED = {
    "": EmptyQuestionError,
    "?!": EmptyQuestionError,
    "Which viruses cause asthma?": BeyondCountsError,
    "Are penguins ill?": NoEvidenceError,
    "SRR99999999": NoEvidenceError,
}


@pytest.mark.parametrize("question", REFUSED)
def test_refusals_are_those_of_every_way_of_asking(index: Path, question: str) -> None:
    with pytest.raises(REFUSED[question]):
        ask(index, question)


# --- answers --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "question", ["direct neighbours of Coronaviridae", "Coronaviridae, two hops away"]
)
def test_words_for_ways_through_the_graph_only_word_a_question(index: Path, question: str) -> None:
    assert "Coronaviridae" in ask(index, question).answer


@pytest.mark.parametrize(
    "question",
    ["direct neighbours of Coronaviridae frobnicate", "Which receptor does Coronaviridae bind?"],
)
def test_other_words_that_are_not_understood_are_refused(index: Path, question: str) -> None:
    with pytest.raises(NoEvidenceError):
        ask(index, question)


def test_answer_opens_with_the_headline_and_cites_what_resolves(index: Path) -> None:
    answer = ask(index, "Which hosts carry coronaviruses?")
    assert answer.answer.startswith("6 runs of Coronaviridae (coronaviruses).")
    assert answer.points[0].description.startswith("Rhinolophus ferrumequinum is the host in 6")
    cited = [one for point in answer.points for one in point.citations]
    assert cited
    assert all(one.verified and one.runs for one in cited)
    written = [pair for point in answer.points for pair in read_citations(point.description)]
    assert len(written) == len(cited)


def test_associations_of_the_family_are_the_evidence_once_for_each_split(index: Path) -> None:
    answer = ask(index, "Tell me about Coronaviridae")
    assert [one.value for one in answer.evidence] == ["intestine", "1"]


def test_no_model_is_asked(index: Path) -> None:
    question = "Which hosts carry coronaviruses?"
    with serve([Reply('{"sentences": ["Rhinolophus carries it in 7 runs."]}')]) as server:
        model = OpenAIModel("scripted-8b", base_url=server.base_url)
        choice = ModelChoice(model, profile_of("scripted-8b"), "scripted")
        answer = ask(index, question, choice=choice)
        assert server.requests == []
    assert answer.answer == ask(index, question).answer


def test_command_answers_as_json(index: Path) -> None:
    arguments = ["local", "Tell me about Coronaviridae", "--db", str(index), "--no-llm", "--json"]
    done = CliRunner().invoke(app, [*arguments, "--no-journal"])
    record = json.loads(done.output)
    assert (done.exit_code, record["mode"]) == (0, "local")
    assert record["points"][0]["citations"]


def test_a_kind_of_the_name_is_stated_without_strength() -> None:
    """All runs with Culex pipiens are runs of Culicidae: 73 times the share says nothing."""
    one = Triple("Culicidae", "Culicidae", "host", "Culex pipiens", 4, 331, 4, 24_000, 1, "R1")
    kind = replace(one, within=True)
    assert "times its share" in one.sentence
    assert kind.sentence == (
        "Culex pipiens is the host in 4 of 331 runs with a stated host of Culicidae (1%); "
        "from 1 known project or study, e.g. R1."
    )


def test_no_share_is_said_of_one_or_two_runs() -> None:
    one = Triple("bats", "bats", "tissue", "spermatheca", 1, 1, 1, 9_000, 1, "R1")
    assert "in 1 of 1 runs with a stated tissue of bats, " in one.sentence
