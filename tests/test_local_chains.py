"""Questions of two hops to ``query local``: what goes with the hosts of a name."""

from __future__ import annotations

import duckdb
import pytest
from query.local_search.seeds import Seed, named_seeds
from query.reading.question import read_question

from query.local_search.chains import HopChain, chain_of, chain_sentence
from query.local_search.gathering import gather_triples
from query.local_search.paths import join_pairs
from query.local_search.pruning import ScoredTriple, prune

CHAINS = """
From which tissues are the hosts in which Coronaviridae is found? | host tissue
Tissues of the hosts of Coronaviridae                             | host tissue
Which tissues do Coronaviridae hosts come from?                   | host tissue
Which countries come from the tissues that carry Coronaviridae?   | tissue geography
Which other viruses do the hosts of Coronaviridae carry?          | host family species
What tissues were taken from animals infected with Coronaviridae? | host tissue kinds
Which tissues are the hosts of Coronaviridae from, such as Sus scrofa? | host tissue Sus scrofa
Which tissues have Coronaviridae?                                 | none
Which hosts carry Coronaviridae?                                  | none
Which hosts and tissues carry Coronaviridae?                      | none
How many hosts of Coronaviridae are there?                        | none
"""
OF_HOSTS = """
SELECT DISTINCT value FROM annotation WHERE facet = 'tissue' AND run IN (
    SELECT run FROM annotation WHERE facet = 'host' AND value IN (
        SELECT value FROM annotation WHERE facet = 'host'
        AND run IN (SELECT run FROM detection WHERE family = 'Coronaviridae')))
"""


def shown(chain: HopChain | None) -> str:
    if chain is None:
        return "none"
    named = [name.partition(" (")[0] for name in chain.named]
    return " ".join([chain.bridge, *chain.asked, *named, *(["kinds"] if chain.kinds else [])])


@pytest.mark.parametrize(
    ("question", "chain"),
    [[cell.strip() for cell in line.split("|")] for line in CHAINS.strip().splitlines()],
)
def test_what_is_asked_of_what_goes_with_a_name(
    sample_db: duckdb.DuckDBPyConnection, question: str, chain: str
) -> None:
    assert shown(chain_of(read_question(sample_db, question))) == chain


def test_the_values_of_all_hosts_are_kept_and_no_others(
    sample_db: duckdb.DuckDBPyConnection,
) -> None:
    question = read_question(sample_db, "Which tissues come from the hosts of Coronaviridae?")
    chain = chain_of(question)
    assert chain is not None
    own = sample_db.cursor()
    triples = gather_triples(own, named_seeds(question), asked=chain.asked, chain=chain)

    kept = [one.triple for one in prune([ScoredTriple(one, 0.1) for one in triples], chain=chain)]

    answer = {value for (value,) in sample_db.execute(OF_HOSTS).fetchall()}
    assert {one.value for one in kept if one.facet == "tissue"} == answer
    assert all(chain.holds(one) for one in kept if one.facet == "tissue")
    said = chain_sentence(chain, kept)
    assert said.startswith("By host, among all runs of each, tissue: ")
    assert "Camelus dromedarius: nasal mucosa (32 runs)" in said


def test_a_host_that_is_named_is_the_only_one_asked_about(
    sample_db: duckdb.DuckDBPyConnection,
) -> None:
    text = "From which countries are the hosts of Coronaviridae, such as Sus scrofa?"
    question = read_question(sample_db, text)
    chain = chain_of(question)
    assert chain is not None
    own = sample_db.cursor()
    triples = gather_triples(own, named_seeds(question), asked=chain.asked, chain=chain)

    held = [one for one in triples if chain.holds(one)]

    assert {one.value for one in held} == {"China", "USA", "Belgium"}


def test_a_virus_as_reported_says_nothing_of_itself(
    sample_db: duckdb.DuckDBPyConnection,
) -> None:
    ((reported,),) = sample_db.execute(
        "SELECT stated FROM detection WHERE starts_with(stated, 'reported as ') "
        "GROUP BY stated ORDER BY count(*) DESC, stated LIMIT 1"
    ).fetchall()
    name = reported.removeprefix("reported as ")
    seed = Seed(name, "virus", f"SELECT DISTINCT run FROM detection WHERE stated = '{reported}'")

    found = gather_triples(sample_db.cursor(), [seed])

    assert found
    assert [one.value for one in found if one.subject == name and name in one.value] == []


def test_the_family_of_a_virus_joins_it_with_nothing(
    sample_db: duckdb.DuckDBPyConnection,
) -> None:
    question = read_question(sample_db, "What links Deformed wing virus and Apis mellifera?")
    own = sample_db.cursor()
    seeds = named_seeds(question)
    gather_triples(own, seeds)

    (joint,) = join_pairs(own, seeds)

    assert joint.shared
    assert ("family", "Iflaviridae") not in {(facet, value) for facet, value, *_ in joint.shared}


def test_a_chain_that_leads_nowhere_leaves_what_is_known(
    sample_db: duckdb.DuckDBPyConnection,
) -> None:
    question = read_question(sample_db, "Which tissues have Coronaviridae?")
    triples = gather_triples(sample_db.cursor(), named_seeds(question), asked=("tissue",))
    scored = [ScoredTriple(one, 0.1) for one in triples if one.hops == 1]
    nowhere = HopChain("disease", ("tissue",))

    assert prune(scored, chain=nowhere)
    assert chain_sentence(nowhere, [one.triple for one in scored]) == ""
