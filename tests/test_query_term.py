"""How a text is grounded on request: the engine of the index, over the index's own ontologies."""

from __future__ import annotations

import shutil
from pathlib import Path

import duckdb
import pytest

from query.browsing.terms import TermReading, read_term
from query.browsing.viruses import find_virus
from query.reading.names.viruses import read_virus_names
from tests.conftest import BuiltIndex


def grounded(readings: list[TermReading]) -> set[str]:
    return {
        reading.curie for reading in readings if reading.outcome == "grounded" and reading.curie
    }


@pytest.mark.parametrize(
    ("text", "curies"),
    [
        ("lungs", {"BTO:0000763"}),
        ("human lung", {"NCBITaxon:9606", "BTO:0000763"}),
        ("BTO_0000763", {"BTO:0000763"}),
        ("txid9606", {"NCBITaxon:9606"}),
        ("not a name of anything", set()),
        ("missing", set()),
    ],
)
def test_text_and_identifier_name_their_terms(
    sample_db: duckdb.DuckDBPyConnection, text: str, curies: set[str]
) -> None:
    assert grounded(read_term(sample_db, text)) == curies


def test_retired_identifier_means_the_term_that_replaced_it(
    sample_db: duckdb.DuckDBPyConnection,
) -> None:
    rows = sample_db.sql(
        "SELECT o.curie, o.replaced_by FROM term o JOIN term t ON t.curie = o.replaced_by "
        "WHERE NOT t.obsolete ORDER BY ALL"
    ).fetchall()
    assert rows
    retired, successor = rows[0]
    assert grounded(read_term(sample_db, retired)) == {successor}


def test_occurrences_are_counted_over_runs_with_the_terms_below(
    sample_db: duckdb.DuckDBPyConnection,
) -> None:
    (reading,) = [
        one
        for one in read_term(sample_db, "Chiroptera", facet="label")
        if one.curie == "NCBITaxon:9397"
    ]
    ((runs,),) = sample_db.execute(
        "SELECT count(DISTINCT run) FROM annotation WHERE curie IN "
        "(SELECT descendant FROM closure WHERE ancestor = 'NCBITaxon:9397')"
    ).fetchall()
    assert reading.runs == runs > 0
    assert sum(one.runs for one in reading.occurrences) >= runs or len(reading.occurrences) == 8
    assert "Mammalia" in {above.label for above in reading.ancestors}


def test_facet_limits_what_is_read(sample_db: duckdb.DuckDBPyConnection) -> None:
    assert {one.facet for one in read_term(sample_db, "human lung", facet="tissue")} == {"tissue"}


def test_a_virus_is_shown_by_what_reports_call_it_and_by_its_scientific_name(
    sample_db: duckdb.DuckDBPyConnection,
) -> None:
    renamed = sample_db.sql(
        "SELECT v.virus, v.name, t.label FROM virus v JOIN term t ON t.curie = v.virus "
        "JOIN detection d USING (virus) "
        "WHERE lower(v.name) <> lower(t.label) AND d.stated = v.name ORDER BY ALL LIMIT 1"
    ).fetchall()
    ((curie, name, label),) = renamed
    (reading,) = [one for one in read_term(sample_db, label, facet="virus") if one.curie == curie]
    assert (reading.called, reading.label) == (name, label)
    plain = read_term(sample_db, "Orsay virus", facet="virus")
    assert [one.called for one in plain] == [None]


def test_a_term_and_a_question_mean_the_same_virus(sample_db: duckdb.DuckDBPyConnection) -> None:
    """A question keeps every taxon of a name that the index holds, ``query term`` takes one."""
    named = sample_db.execute(
        "SELECT DISTINCT name FROM virus_name SEMI JOIN virus USING (virus) ORDER BY name"
    ).fetchall()
    names = [str(name) for (name,) in named][::9]
    assert len(names) > 30
    disagreed = [name for name in names if not _agree(sample_db, name)]
    assert disagreed == []


def _agree(con: duckdb.DuckDBPyConnection, name: str) -> bool:
    words = name.split()
    whole = (0, len(words))
    named = read_virus_names(con, words, [whole]).in_full([whole])
    asked = {curie for curie, _ in named.get(whole, ())}
    virus = find_virus(con, name)
    if virus is None:
        return not asked
    taken = {virus.curie} if virus.curie else set(virus.candidates)
    above = con.execute(_ABOVE, [sorted(taken)]).fetchall()
    return taken <= asked or bool(asked & {curie for (curie,) in above})


_ABOVE = """
WITH RECURSIVE up AS (
    SELECT unnest($1::VARCHAR[]) AS taxon
    UNION
    SELECT e.object FROM up JOIN term_edge e ON e.subject = up.taxon AND e.predicate = 'parent'
    JOIN term t ON t.curie = e.object AND t.rank = 'species'
)
SELECT taxon FROM up
"""


def test_a_name_of_two_terms_is_that_of_the_label_and_names_the_other(
    tmp_path: Path, sample_index: BuiltIndex
) -> None:
    copy = tmp_path / "copy.duckdb"
    shutil.copyfile(sample_index.path, copy)
    with duckdb.connect(str(copy)) as con:
        other, *_ = con.execute(
            "SELECT min(curie) FROM term WHERE curie LIKE 'DOID:%' AND NOT obsolete "
            "AND curie <> 'DOID:552'"
        ).fetchall()[0]
        con.execute(
            "INSERT INTO synonym BY NAME "
            "SELECT $1 AS curie, 'Pneumonia' AS synonym, 'EXACT' AS scope",
            [other],
        )
        (reading,) = read_term(con, "pneumonia", facet="disease")
    assert reading.curie == "DOID:552"
    assert [one.curie for one in reading.also_meant] == [other]
