"""Questions that keep to one source of detections, and what a source that cannot find a virus says
of it: nothing.

Counts are compared with SQL that filters by source itself, over the index of the sample, which two
sources searched.
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
from query.reading.question import read_question
from query.reading.sources import all_sources, kept_to_source
from query.sql_search.search import answer_in_sql
from tests.conftest import BuiltIndex

KEPT: Final = """
Zika virus by palm_virome                                    | Zika virus                        | palm_virome
What did palm virome find in rice?                           | What did we find in rice?         | palm_virome
rice viruses according to Serratus                           | rice viruses                      | serratus_nt
How many of the runs serratus_nt searched have Zika virus?   | How many of the searched runs have Zika virus? | serratus_nt
viruses of date palm                                         | viruses of date palm              |
Were they searched by both Serratus and palm_virome?         | Were they searched by both sources? |
runs that neither Serratus nor palm_virome searched          | runs that neither source searched |
Do the Ebola hits come from Serratus, from palm_virome, or from both? | Ebola runs by detection source? |
"""  # noqa: E501


def kept_rows() -> list[tuple[str, str, str]]:
    rows = []
    for line in KEPT.strip().splitlines():
        text, left, source = (cell.strip() for cell in line.split("|"))
        rows.append((text, left, source))
    return rows


@pytest.mark.parametrize(("text", "left", "source"), kept_rows())
def test_words_for_a_source_are_taken_out(
    sample_db: duckdb.DuckDBPyConnection, text: str, left: str, source: str
) -> None:
    assert kept_to_source(sample_db, text) == (left, source)


def headline_of(con: duckdb.DuckDBPyConnection, question: str) -> str:
    answer = ask_from_facts(con, question, config=QueryConfig()).answer
    headline, *_ = answer.split("\n\n")
    return headline


@pytest.mark.parametrize("source", ["palm_virome", "serratus_nt"])
def test_what_one_source_found_is_counted_among_what_it_searched(
    sample_db: duckdb.DuckDBPyConnection, source: str
) -> None:
    ((found,),) = sample_db.execute(
        "SELECT count(DISTINCT run) FROM detection WHERE stated = 'Dengue virus' AND source = $1",
        [source],
    ).fetchall()
    ((searched,),) = sample_db.execute(
        "SELECT count(DISTINCT run) FROM searched WHERE source = $1", [source]
    ).fetchall()
    headline = headline_of(sample_db, f"How many runs has dengue virus according to {source}?")
    assert f"in {found} of {searched:,} searched runs" in headline
    assert f"Only what {source} searched and found is counted." in headline


def test_the_next_question_counts_all_sources_again(
    sample_db: duckdb.DuckDBPyConnection,
) -> None:
    plain = headline_of(sample_db, "How many runs has dengue virus?")
    headline_of(sample_db, "How many runs has dengue virus according to Serratus?")
    assert headline_of(sample_db, "How many runs has dengue virus?") == plain
    assert len(all_sources(sample_db)) == 2


BY_HOW_MANY: Final = """
How many runs were searched by both sources?            | HAVING count(DISTINCT source) = 2
How many runs were looked at by only one source?        | HAVING count(DISTINCT source) = 1
"""


@pytest.mark.parametrize("row", BY_HOW_MANY.strip().splitlines())
def test_runs_are_counted_by_how_many_sources_searched_them(
    sample_db: duckdb.DuckDBPyConnection, row: str
) -> None:
    question, having = (cell.strip() for cell in row.split("|"))
    ((gold,),) = sample_db.execute(
        "SELECT count(*) FROM (SELECT run FROM "
        "(SELECT run, source FROM searched UNION SELECT run, source FROM detection) "
        f"GROUP BY run {having})"
    ).fetchall()
    assert headline_of(sample_db, question).startswith(f"{gold:,} runs of ")


@pytest.mark.parametrize(
    "question",
    [
        "How many runs were searched by neither source?",
        "How many runs were never searched?",
        "How many runs has nobody screened?",
    ],
)
def test_runs_that_nobody_searched_are_counted(
    sample_db: duckdb.DuckDBPyConnection, question: str
) -> None:
    ((gold,),) = sample_db.execute(
        "SELECT count(*) FROM run WHERE run NOT IN (SELECT run FROM searched)"
    ).fetchall()
    assert headline_of(sample_db, question).startswith(f"{gold} runs of ")


def test_sources_of_a_virus_are_listed(sample_db: duckdb.DuckDBPyConnection) -> None:
    counts = dict(
        sample_db.execute(
            "SELECT source, count(DISTINCT run) FROM detection WHERE stated = 'Dengue virus'"
            " GROUP BY source"
        ).fetchall()
    )
    headline = headline_of(sample_db, "Dengue virus runs by detection source")
    assert len(counts) == 2
    for source, runs in counts.items():
        assert f"{source} ({runs} runs)" in headline


def test_a_source_that_cannot_find_a_virus_makes_no_negatives(
    sample_db: duckdb.DuckDBPyConnection,
) -> None:
    headline = headline_of(sample_db, "Is hepatitis B virus found in Saccharomyces cerevisiae?")
    assert headline.startswith("This cannot be said: Hepatitis B virus")
    assert "was searched for it (by serratus_nt)" in headline
    both = headline_of(sample_db, "Is dengue virus found in Saccharomyces cerevisiae?")
    assert both.startswith("No: Dengue virus")
    assert "for it" not in both


def test_a_side_that_no_finding_source_searched_is_not_compared(
    sample_db: duckdb.DuckDBPyConnection,
) -> None:
    headline = headline_of(sample_db, "Compare hepatitis B virus in human and in Drosophila")
    assert headline.startswith("Homo sapiens (human) and Drosophila cannot be compared: no run of")
    assert "searched for it (by serratus_nt)" in headline
    assert "holds" not in headline
    ((found,),) = sample_db.execute(
        "SELECT count(DISTINCT run) FROM detection SEMI JOIN "
        "(FROM annotation WHERE facet = 'host' AND curie = 'NCBITaxon:9606') USING (run) "
        "WHERE stated = 'Hepatitis B virus'"
    ).fetchall()
    assert f"found in {found} runs of Homo sapiens" in headline


def test_a_comparison_says_which_runs_its_source_searched(
    sample_db: duckdb.DuckDBPyConnection,
) -> None:
    headline = headline_of(sample_db, "Compare hepatitis B virus in head and in liver")
    ((head,),) = sample_db.execute(
        "SELECT count(DISTINCT run) FROM annotation SEMI JOIN "
        "(FROM searched WHERE source = 'serratus_nt') USING (run) "
        "WHERE facet = 'tissue' AND curie IN "
        "(SELECT descendant FROM closure JOIN term ON curie = ancestor WHERE label = 'head' "
        "UNION SELECT curie FROM term WHERE label = 'head')"
    ).fetchall()
    assert "Counted are runs searched for it (by serratus_nt)" in headline
    assert f" of {head}, " in headline


def test_a_family_is_compared_among_runs_of_the_sources_that_find_it(
    sample_db: duckdb.DuckDBPyConnection,
) -> None:
    headline = headline_of(sample_db, "Compare the viruses of human and Drosophila")
    ((family, human),) = sample_db.execute(
        "WITH finds AS (SELECT DISTINCT family, source FROM detection WHERE family IS NOT NULL), "
        "human AS (SELECT run FROM annotation WHERE facet = 'host' AND curie = 'NCBITaxon:9606') "
        "SELECT family, count(DISTINCT run) FROM (SELECT run, source FROM searched UNION "
        "SELECT run, source FROM detection) JOIN finds USING (source) SEMI JOIN human USING (run) "
        "WHERE family = 'Dicistroviridae' GROUP BY family"
    ).fetchall()
    assert f" {family} (0 of {human}, " in headline
    assert "Each family is counted among the runs searched for it" in headline


def test_associations_of_one_source_are_refused(
    sample_db: duckdb.DuckDBPyConnection,
) -> None:
    with pytest.raises(NoEvidenceError, match="all sources found together"):
        ask_from_facts(
            sample_db, "What is associated with Flaviviridae according to Serratus?",
            config=QueryConfig(),
        )  # fmt: skip


def test_a_palm_is_a_plant(sample_db: duckdb.DuckDBPyConnection) -> None:
    assert read_question(sample_db, "viruses of palm").reading.source == ""


def test_the_graph_is_not_asked_for_one_source(
    sample_db: duckdb.DuckDBPyConnection, sample_index: BuiltIndex
) -> None:
    question = "dengue virus and human according to Serratus"
    asking = Asking(question, sample_db, sample_index.path, QueryConfig())
    with pytest.raises(NoEvidenceError, match="all sources found together"):
        answer_locally(asking)


def test_sql_of_one_source_reads_that_source_alone(
    sample_db: duckdb.DuckDBPyConnection, sample_index: BuiltIndex
) -> None:
    question = "How many human runs carry hepatitis C virus according to Serratus?"
    asking = Asking(question, sample_db, sample_index.path, QueryConfig())
    selected = answer_in_sql(asking).selected
    ((found, searched),) = sample_db.execute(
        "SELECT count(DISTINCT run) FILTER (run IN (SELECT run FROM detection"
        " WHERE stated = 'Hepatitis C virus' AND source = 'serratus_nt')), count(DISTINCT run)"
        " FROM annotation SEMI JOIN (FROM searched WHERE source = 'serratus_nt') USING (run)"
        " WHERE facet = 'host' AND curie = 'NCBITaxon:9606'"
    ).fetchall()
    row = dict(zip(selected.columns, selected.rows[0], strict=True))
    assert (row["runs"], row["searched"]) == (found, searched)


def test_shares_are_ranked_among_runs_of_the_sources_that_find_the_virus(
    sample_db: duckdb.DuckDBPyConnection,
) -> None:
    headline = headline_of(sample_db, "Which host has the highest share of hepatitis B virus?")
    assert "largest share of runs searched for it (by serratus_nt)" in headline
    ((human, searched),) = sample_db.execute(
        "SELECT count(DISTINCT run) FILTER (run IN (SELECT run FROM detection "
        "WHERE stated = 'Hepatitis B virus')), count(DISTINCT run) FROM annotation SEMI JOIN "
        "(FROM searched WHERE source = 'serratus_nt') USING (run) "
        "WHERE facet = 'host' AND curie = 'NCBITaxon:9606'"
    ).fetchall()
    assert f"Homo sapiens ({human} of {searched}, " in headline
