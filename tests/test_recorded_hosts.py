"""Groups of viruses are those that ICTV records in such hosts, as far as runs carry them."""

from __future__ import annotations

import duckdb
import pytest

from query.global_search.carrying import found_condition, runs_carrying
from query.reading.mentions import Mention
from query.reading.senses import Sense
from query.reading.written.recorded import groups_by_host, of_kingdom

PLANTS = "NCBITaxon:33090"


@pytest.fixture
def con() -> duckdb.DuckDBPyConnection:
    """Return a connection with four viruses, one of them without a recorded host, in five runs."""
    con = duckdb.connect()
    con.execute("""
CREATE TABLE virus AS FROM (VALUES
    ('dengue', 'invertebrates; vertebrates'), ('measles', 'vertebrates'),
    ('rice stripe', 'invertebrates; plants'), ('unknown', NULL)) v(virus, hosts_recorded);
CREATE TABLE detection AS FROM (VALUES
    ('r1', 'dengue'), ('r2', 'dengue'), ('r2', 'measles'), ('r3', 'rice stripe'),
    ('r4', 'unknown'), ('r5', NULL)) d(run, virus)""")
    return con


def runs_of(con: duckdb.DuckDBPyConnection, mention: Mention) -> list[str]:
    rows = con.execute(f"{runs_carrying(mention.senses)} ORDER BY run").fetchall()
    return [run for (run,) in rows]


def test_arboviruses_are_recorded_in_both(con: duckdb.DuckDBPyConnection) -> None:
    (found,) = groups_by_host(con, ["which", "arboviruses", "are", "found"])
    assert (found.start, found.end, found.text) == (1, 2, "arboviruses")
    assert found.label == "viruses that ICTV records in invertebrates and vertebrates"
    assert runs_of(con, found) == ["r1", "r2"]
    assert found.runs == 2


def test_viruses_of_plants_may_have_a_vector_as_well(con: duckdb.DuckDBPyConnection) -> None:
    sense = Sense("host", "Viridiplantae", 5, curie=PLANTS)
    found = of_kingdom(
        con, Mention("plant", 1, 2, "Viridiplantae", "organism", (sense,), (PLANTS,))
    )
    assert found is not None
    assert (found.start, found.end, found.group) == (1, 3, "virus")
    assert runs_of(con, found) == ["r3"]


def test_viruses_of_a_host_that_ictv_does_not_tell_are_no_group(
    con: duckdb.DuckDBPyConnection,
) -> None:
    sense = Sense("host", "Homo sapiens", 5, curie="NCBITaxon:9606")
    assert (
        of_kingdom(
            con, Mention("human", 0, 1, "Homo sapiens", "organism", (sense,), ("NCBITaxon:9606",))
        )
        is None
    )


def test_a_hit_is_of_a_group_by_its_virus(con: duckdb.DuckDBPyConnection) -> None:
    (found,) = groups_by_host(con, ["arboviruses"])
    condition = found_condition(found.senses)
    rows = con.execute(
        f"SELECT run, virus FROM detection WHERE {condition} ORDER BY run"
    ).fetchall()
    assert rows == [("r1", "dengue"), ("r2", "dengue")]
