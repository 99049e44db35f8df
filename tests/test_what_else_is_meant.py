"""What a reader takes a number to mean, and what the words of a question leave unsaid: hits too
unlike to be the species, viruses called by their host, seas among countries, flags.
"""

from __future__ import annotations

import re

import duckdb
import pytest

from index.annotation.identity import SPECIES_IDENTITY
from query.config import QueryConfig
from query.errors import BeyondCountsError, NoEvidenceError
from query.global_search.ask import ask_from_facts
from query.reading.held.unlike import LEAST_ALIKE
from query.reading.question import read_question


def headline_of(con: duckdb.DuckDBPyConnection, question: str) -> str:
    headline, *_ = ask_from_facts(con, question, config=QueryConfig()).answer.split("\n\n")
    return headline


def test_hits_too_unlike_a_species_are_counted_beside_it(
    sample_db: duckdb.DuckDBPyConnection,
) -> None:
    ((unlike, stated),) = sample_db.execute(
        "SELECT count(DISTINCT run), list_sort(list(DISTINCT stated)) FROM detection "
        "WHERE stated LIKE '%-like' AND virus IN "
        "(SELECT virus FROM detection WHERE stated = 'Apple stem grooving virus') "
        "AND run NOT IN (SELECT run FROM detection WHERE stated = 'Apple stem grooving virus')"
    ).fetchall()
    assert unlike
    headline = headline_of(sample_db, "How many runs have apple stem grooving virus?")
    assert f"{unlike} more run" in headline
    assert f"count as {' and '.join(stated)} only" in headline
    assert "more run" not in headline_of(sample_db, "How many runs have Betaflexiviridae?")


def test_a_virus_may_be_called_by_its_host(sample_db: duckdb.DuckDBPyConnection) -> None:
    named = read_question(sample_db, "How many runs have barley endornavirus?").mentions
    assert [one.label for one in named] == ["Hordeum vulgare alphaendornavirus"]
    in_host = read_question(sample_db, "How many barley runs have endornaviruses?").mentions
    assert {one.group for one in in_host} == {"organism", "virus"}


def test_seas_are_no_countries(sample_db: duckdb.DuckDBPyConnection) -> None:
    seas = sample_db.execute(
        "SELECT DISTINCT value FROM annotation WHERE facet = 'geography' "
        "AND regexp_matches(value, '(Ocean|Sea)$') AND NOT contains(value, ':')"
    ).fetchall()
    assert seas
    countries = headline_of(sample_db, "Which countries have the most runs? The top 50.")
    places = headline_of(sample_db, "Which places have the most runs? The top 50.")
    for (sea,) in seas:
        assert sea in places
        assert sea not in countries
    assert "left out" in countries


def test_shares_are_not_ranked_by_seas_either(sample_db: duckdb.DuckDBPyConnection) -> None:
    ((places, seas),) = sample_db.execute(
        "WITH place AS (SELECT value FROM annotation JOIN searched USING (run) "
        "WHERE facet = 'geography' AND NOT contains(value, ':') "
        "GROUP BY value HAVING count(DISTINCT run) >= 10) "
        "SELECT count(*), count(*) FILTER (regexp_matches(value, '(Ocean|Sea)$')) FROM place"
    ).fetchall()
    assert seas
    asked = "In which {} is the share of runs with viruses highest?"
    assert f"Ranked are {places} places" in headline_of(sample_db, asked.format("place"))
    countries = headline_of(sample_db, asked.format("country"))
    assert f"Ranked are {places - seas} countries" in countries


def test_what_is_ruled_out_rules_out_unlike_hits_too(sample_db: duckdb.DuckDBPyConnection) -> None:
    ((every, without),) = sample_db.execute(
        "WITH unlike AS (SELECT DISTINCT run FROM detection WHERE stated LIKE '%-like' "
        "AND virus IN "
        "(SELECT virus FROM detection WHERE stated = 'Apple stem pitting virus') AND run NOT IN "
        "(SELECT run FROM detection WHERE stated = 'Apple stem pitting virus')) "
        "SELECT count(*), count(*) FILTER (run NOT IN (SELECT run FROM detection "
        "WHERE stated = 'Apple stem grooving virus')) FROM unlike"
    ).fetchall()
    assert every > without > 0
    asked = "How many runs have apple stem pitting virus without apple stem grooving virus?"
    assert f" {without} more run" in headline_of(sample_db, asked)


def test_unlike_hits_of_what_runs_lack_are_said(sample_db: duckdb.DuckDBPyConnection) -> None:
    ((unlike,),) = sample_db.execute(
        "SELECT count(DISTINCT run) FROM detection WHERE stated LIKE '%-like' AND virus IN "
        "(SELECT virus FROM detection WHERE stated = 'Apple stem pitting virus') AND run NOT IN "
        "(SELECT run FROM detection WHERE stated = 'Apple stem pitting virus')"
    ).fetchall()
    headline = headline_of(sample_db, "How many runs lack apple stem pitting virus?")
    assert f" {unlike} of them have hits reported as Apple stem pitting virus" in headline


def test_reads_that_a_congener_explains_are_said_and_not_counted(
    sample_db: duckdb.DuckDBPyConnection,
) -> None:
    ((found, explained),) = sample_db.execute(
        "WITH zika AS (SELECT run FROM detection WHERE stated = 'Zika virus') "
        "SELECT (SELECT count(DISTINCT run) FROM zika), count(DISTINCT run) FROM detection "
        "JOIN virus ON virus.virus = closest WHERE virus.name = 'Zika virus' "
        "AND run NOT IN (SELECT run FROM zika)"
    ).fetchall()
    assert found > 0 < explained
    headline = headline_of(sample_db, "How many runs have Zika virus?")
    assert f"found in {found:,} of" in headline
    assert f" {explained} more run" in headline
    assert "reads closest to Zika virus beside over 20 times as many of" in headline


def test_how_many_hits_are_of_a_strain_itself_is_said(
    sample_db: duckdb.DuckDBPyConnection,
) -> None:
    ((runs, own),) = sample_db.execute(
        "SELECT count(DISTINCT run), count(DISTINCT run) FILTER (virus = 'NCBITaxon:2697049') "
        "FROM detection WHERE stated = 'Severe acute respiratory syndrome-related coronavirus'"
    ).fetchall()
    assert 0 < own < runs
    headline = headline_of(sample_db, "How many runs have SARS-CoV-2?")
    assert re.search(rf"{own} of \d+ runs have hits of .* itself", headline)
    of_species = headline_of(sample_db, "How many runs have dengue virus?")
    assert "have hits of" not in of_species


def test_a_community_has_the_risk_of_hits_that_no_congener_outweighs(
    sample_db: duckdb.DuckDBPyConnection,
) -> None:
    """No community is of a risk group for a virus that only hits beside a congener are of."""
    ((blamed,),) = sample_db.execute(
        "SELECT count(*) FROM community_risk r WHERE r.taxon IN (SELECT virus FROM detection) "
        "AND NOT EXISTS (SELECT 1 FROM community_member m JOIN detection d ON d.run = m.entity "
        "WHERE m.community = r.community AND d.congener IS NULL AND r.taxon IN (d.virus, d.taxon)) "
        "AND NOT EXISTS (SELECT 1 FROM community_member m JOIN annotation a ON a.run = m.entity "
        "WHERE m.community = r.community AND a.curie = r.taxon)"
    ).fetchall()
    assert blamed == 0


@pytest.mark.parametrize(
    ("asked", "counted"),
    [
        ("How many runs carry deformed wing virus and black queen cell virus?", "both"),
        ("deformed wing virus AND black queen cell virus", "both"),
        ("How many runs carry deformed wing virus and black queen cell virus each?", "apart"),
        ("In which hosts are deformed wing virus and black queen cell virus?", "any"),
    ],
)
def test_and_joins_what_runs_carry(
    sample_db: duckdb.DuckDBPyConnection, asked: str, counted: str
) -> None:
    said = headline_of(sample_db, asked)
    together = "Deformed wing virus and Black queen cell virus are found together in 12 of" in said
    assert together is (counted == "both")
    assert ("Black queen cell virus is found in" in said) is (counted == "apart")


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        ("Is Dicistroviridae more common in Drosophila than in human?", "Yes: "),
        ("Is Dicistroviridae less common in Drosophila than in human?", "No: "),
        ("Is {more} more common in human than in Drosophila?", "Not clearly: "),
        ("Are there more runs with {more} than with {less}?", "Yes: "),
        ("Are there fewer runs with {more} than with {less}?", "No: "),
        ("Compare {more} in human and in Drosophila", ""),
    ],
)
def test_whether_there_is_more_is_answered(
    sample_db: duckdb.DuckDBPyConnection, asked: str, answer: str
) -> None:
    names = {"more": "influenza A virus", "less": "black queen cell virus"}
    said = headline_of(sample_db, asked.format(**names))
    opening = next((one for one in ("Yes: ", "No: ", "Not clearly: ") if said.startswith(one)), "")
    assert opening == answer


def test_the_usual_least_identity_is_that_of_the_index() -> None:
    assert LEAST_ALIKE == SPECIES_IDENTITY


@pytest.mark.parametrize(
    ("said", "having"),
    [
        ("that carry no flag", "without a flag"),
        ("without a flag", "without a flag"),
        ("ignoring the ones flagged as problematic", "without a flag"),
        ("that are flagged", "with a flag"),
    ],
)
def test_flags_are_asked_for_or_ruled_out(
    sample_db: duckdb.DuckDBPyConnection, said: str, having: str
) -> None:
    condition = "IS NULL" if "no flag" in having else "IS NOT NULL"
    ((tests,),) = sample_db.execute(
        f"SELECT count(*) FROM association WHERE flag {condition}"
    ).fetchall()
    assert tests
    assert having in headline_of(sample_db, f"How many significant associations {said}?")


def test_what_tests_are_of_is_never_mere_wording(sample_db: duckdb.DuckDBPyConnection) -> None:
    ((attribute,),) = sample_db.execute(
        "SELECT attribute FROM association WHERE regexp_full_match(attribute, '[a-z]{5,}') "
        "AND attribute NOT IN ('tissue', 'disease') ORDER BY attribute LIMIT 1"
    ).fetchall()
    try:
        said = headline_of(sample_db, f"Does {attribute} matter for Coronaviridae?")
    except NoEvidenceError as error:
        said = str(error)
    assert attribute in said
    assert "Taken for wording only" not in said


def test_viruses_in_the_same_runs_are_in_both(sample_db: duckdb.DuckDBPyConnection) -> None:
    ((both,),) = sample_db.execute(
        "SELECT count(*) FROM (SELECT run FROM detection WHERE stated = 'Deformed wing virus' "
        "INTERSECT SELECT run FROM detection WHERE stated = 'Black queen cell virus')"
    ).fetchall()
    assert both
    asked = "Do deformed wing virus and black queen cell virus occur in the same runs?"
    headline = headline_of(sample_db, asked)
    assert headline.startswith("Yes: ")
    assert f"are found together in {both} of" in headline


@pytest.mark.parametrize(
    ("question", "topic"),
    [
        ("Which top-level report carries the highest evidence rating?", "rating"),
        ("How many of the coarsest-level communities have a report?", "count"),
        ("Is there a theme on honey bees?", "about"),
        ("count of level-0 clusters whose risk group is RG2", "risk"),
    ],
)
def test_reports_clusters_and_themes_are_communities(
    sample_db: duckdb.DuckDBPyConnection, question: str, topic: str
) -> None:
    reading = read_question(sample_db, question).reading
    assert reading.communities is not None
    assert reading.communities.topic == topic
    assert not reading.not_understood


def test_what_a_virus_does_to_its_host_is_beyond_counts(
    sample_db: duckdb.DuckDBPyConnection,
) -> None:
    asked = "Does apple stem grooving virus lower apple yield?"
    with pytest.raises(BeyondCountsError, match="not what it does to its host"):
        headline_of(sample_db, asked)
    found = headline_of(sample_db, "Do apples yield apple stem grooving virus?")
    assert found.startswith("Yes: ")
    assert not headline_of(sample_db, "Which apples yield viruses?").startswith("Not found")


@pytest.mark.parametrize(
    "question", ["chickungunya virus: which hosts?", "hepatitus delta virus - which tissues?"]
)
def test_a_misspelt_topic_before_a_colon_is_not_passed_over(
    sample_db: duckdb.DuckDBPyConnection, question: str
) -> None:
    with pytest.raises(NoEvidenceError, match=r"not understood: (?:chickungunya|hepatitus)"):
        headline_of(sample_db, question)
