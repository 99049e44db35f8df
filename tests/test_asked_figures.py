"""Questions that ask for a figure of single hits: their mean identity, their most reads.

Figures are compared with SQL over ``detection``, of the index of the sample.
"""

from __future__ import annotations

from typing import Final

import duckdb
import pytest

from query.config import QueryConfig
from query.errors import NoEvidenceError
from query.global_search.ask import ask_from_facts
from query.local_search.search import answer_locally
from query.mode import Asking
from query.reading.measured.figures import figure_of_hits
from query.sql_search.errors import UncoveredError
from query.sql_search.search import answer_in_sql
from tests.conftest import BuiltIndex

ASKED: Final = """
What is the average identity of rotavirus A hits?        | runs of rotavirus A hits?    | mean identity
HBV: average % identity?                                 | HBV: runs?                   | mean identity
median number of reads for influenza A                   | runs for influenza A         | median reads
How many reads on average do Zika virus hits have?       | runs of Zika virus hits have? | mean reads
lowest identity hit for dengue                           | runs for dengue              | lowest identity
which run has the most reads of HIV-1                    | runs of HIV-1                | most reads
Which run of Zika virus has the highest identity?        | runs of Zika virus?          | highest identity
range of identities for picornaviruses                   | runs for picornaviruses      | range identity
How similar are flavivirus hits to known references?     | runs of flavivirus hits?     | mean identity
hits of Zika virus with at least 90 % identity           | hits of Zika virus with at least 90 % identity |
average number of viruses per run                        | average number of viruses per run |
tissues where mean rpm is higher                         | tissues where mean rpm is higher |
How similar are the viruses of bats and pigs?            | How similar are the viruses of bats and pigs? |
"""  # noqa: E501


@pytest.mark.parametrize("row", ASKED.strip().splitlines())
def test_words_for_a_figure_are_taken_out(row: str) -> None:
    text, left, figure = (cell.strip() for cell in row.split("|"))
    asked = figure_of_hits(text)
    assert asked.text == left
    assert (asked.figure.text if asked.figure else "") == figure


def headline_of(con: duckdb.DuckDBPyConnection, question: str) -> str:
    headline, *_ = ask_from_facts(con, question, config=QueryConfig()).answer.split("\n\n")
    return headline


def test_each_source_has_its_own_mean(sample_db: duckdb.DuckDBPyConnection) -> None:
    gold = sample_db.execute(
        "SELECT source, avg(identity), count(identity), count(*) - count(identity) FROM detection "
        "WHERE family = 'Coronaviridae' GROUP BY source ORDER BY source"
    ).fetchall()
    assert len(gold) == 2
    headline = headline_of(sample_db, "What is the mean identity of Coronaviridae hits?")
    for source, mean, hits, silent in gold:
        assert f"mean {mean:.1f} % identity" in headline
        assert f"over {hits:,} hits" in headline
        assert f"by {source}" in headline
        assert not silent or f"{silent:,} of {source}" in headline
    assert "not to be pooled" in headline


def test_the_mean_of_all_hits_reported_as_a_species_is_beside_that_of_the_species(
    sample_db: duckdb.DuckDBPyConnection,
) -> None:
    of_it = "FROM detection WHERE virus IN (SELECT virus FROM detection WHERE stated = $1)"
    species, *_ = _species_with_unlike_hits(sample_db, of_it)
    of_species = "count(identity) FILTER (stated = $1), avg(identity) FILTER (stated = $1)"
    ((own, mean, every, mean_of_all),) = sample_db.execute(
        f"SELECT {of_species}, count(identity), avg(identity) {of_it}", [species]
    ).fetchall()
    headline = headline_of(sample_db, f"What is the mean identity of {species} hits?")
    assert f"mean {mean:.1f}".removesuffix(".0") in headline
    assert f"With {every - own:,} more hit" in headline
    assert f"mean {mean_of_all:.1f}".removesuffix(".0") in headline
    family = headline_of(sample_db, "What is the mean identity of Flaviviridae hits?")
    assert "of no species" not in family


def test_the_end_of_a_range_is_in_a_run(sample_db: duckdb.DuckDBPyConnection) -> None:
    ends = sample_db.execute(
        "SELECT max(reads), arg_max(run, reads) FROM detection WHERE stated = 'Dengue virus' "
        "AND reads IS NOT NULL GROUP BY source"
    ).fetchall()
    headline = headline_of(sample_db, "Which run has the most reads of dengue virus?")
    assert ends
    for most, run in ends:
        assert f"highest {most:,} reads in {run}" in headline


@pytest.mark.parametrize(
    "question",
    [
        "mean identity of dengue virus per host",
        "Which virus has the highest mean identity?",
    ],
)
def test_figures_of_groups_are_left_to_tables(
    sample_db: duckdb.DuckDBPyConnection, question: str
) -> None:
    with pytest.raises(NoEvidenceError, match="not group by group"):
        headline_of(sample_db, question)


def test_no_other_way_counts_runs_instead(
    sample_db: duckdb.DuckDBPyConnection, sample_index: BuiltIndex
) -> None:
    question = "How similar are dengue virus hits to the reference?"
    asking = Asking(question, sample_db, sample_index.path, QueryConfig())
    with pytest.raises(NoEvidenceError, match="no figures of single hits"):
        answer_locally(asking)
    with pytest.raises(UncoveredError, match="mean identity"):
        answer_in_sql(asking)


def test_figures_of_two_viruses_stand_side_by_side(sample_db: duckdb.DuckDBPyConnection) -> None:
    headline = headline_of(
        sample_db, "mean identity of Coronaviridae hits compared to Flaviviridae hits"
    )
    for family in ("Coronaviridae", "Flaviviridae"):
        means = sample_db.execute(
            "SELECT avg(identity) FROM detection WHERE family = $1 AND identity IS NOT NULL "
            "GROUP BY source",
            [family],
        ).fetchall()
        assert means
        for (mean,) in means:
            assert f"mean {mean:.1f}".removesuffix(".0") in headline
    assert headline.endswith("Whether these differ is not tested.")


def test_hits_unlike_a_species_are_counted_as_reported(
    sample_db: duckdb.DuckDBPyConnection,
) -> None:
    """Of no hit below 90 % a species is stated, so that its hits alone would give none."""
    of_it = "FROM detection WHERE virus IN (SELECT virus FROM detection WHERE stated = $1)"
    species, runs, unlike, only = _species_with_unlike_hits(sample_db, of_it)
    assert 0 < only < unlike <= runs
    asked = f"what share of the runs with {species} have "
    some = headline_of(sample_db, f"{asked}hits below 90% identity?")
    assert some.startswith(f"{unlike:,} of {runs:,} runs with hits reported as {species}")
    alone = headline_of(sample_db, f"{asked}it only at below 90% identity?")
    assert alone.startswith(f"{only:,} of {runs:,} runs with hits reported as {species}")
    assert "have it only with less than 90% identity" in alone
    highest = f"SELECT max(identity) AS most {of_it} GROUP BY run HAVING most < 90"
    most = [float(one) for (one,) in sample_db.execute(highest, [species]).fetchall()]
    bound = int(max(most))
    fewer = sum(one < bound for one in most)
    assert fewer < only == len(most)
    lower = headline_of(sample_db, f"{asked}it only at below {bound}% identity?")
    assert lower.startswith(f"{fewer:,} of {runs:,} runs with hits reported as {species}")


def _species_with_unlike_hits(
    con: duckdb.DuckDBPyConnection, of_it: str
) -> tuple[str, int, int, int]:
    """Return a species, its runs as reported, those with a hit below 90 %, and with no other."""
    query = f"""
        SELECT count(DISTINCT run), count(DISTINCT run) FILTER (identity < 90),
            count(DISTINCT run) - count(DISTINCT run) FILTER (stated = $1)
        {of_it}
    """
    species = con.execute(
        "SELECT DISTINCT stated FROM detection WHERE species IS NOT NULL "
        "AND stated = species AND identity IS NOT NULL ORDER BY ALL"
    ).fetchall()
    for (name,) in species:
        ((runs, unlike, only),) = con.execute(query, [name]).fetchall()
        if 0 < only < unlike:
            return name, runs, unlike, only
    raise AssertionError("no species of the sample has such hits")


def test_a_condition_on_hits_is_no_virus(sample_db: duckdb.DuckDBPyConnection) -> None:
    asked = "what share of the runs with rabies virus have hits below 90% identity?"
    assert "(rabies virus) is found in no run of the index" in headline_of(sample_db, asked)
