"""The store: atomic publication, one builder, comments everywhere, equal content equal hash."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import duckdb
import polars as pl
import pytest

from flows.publishing.past_builds import carry_builds
from flows.stages.graph import published_communities
from index.errors import (
    BUILD,
    DatabaseMemoryError,
    IndexBusyError,
    IndexMissingError,
    IndexVersionError,
)
from index.store.build import (
    CONTRACT_VERSION,
    Build,
    build_index,
    building_path,
    content_hash,
    open_index,
    stored_table,
    table_counts,
)
from index.tables import TABLES
from ontology_etl.errors import ContractError


def write_small(build: Build, label: str = "Homo sapiens") -> None:
    entity = pl.DataFrame({"entity": ["SYNR2", "SYNR1"], "kind": "run", "label": [label, "x"]})
    build.write("entity", entity)
    build.note({"version.contract": CONTRACT_VERSION, "seconds.total": 1.5})


def publish_small(path: Path, label: str = "Homo sapiens") -> None:
    with build_index(path) as build:
        write_small(build, label)
        build.publish()


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("store") / "a.duckdb"
    publish_small(path)
    return path


def test_published_index_is_read_back_sorted_by_key(published: Path) -> None:
    with open_index(published) as con:
        assert con.sql("SELECT entity FROM entity").fetchall() == [("SYNR1",), ("SYNR2",)]
        assert table_counts(con)["entity"] == 2


def test_every_table_column_and_view_has_a_comment(published: Path) -> None:
    with open_index(published) as con:
        uncommented = con.sql("""
            SELECT table_name, column_name FROM duckdb_columns()
            WHERE NOT internal AND coalesce(trim(comment), '') = ''
            UNION ALL SELECT table_name, '' FROM duckdb_tables() WHERE comment IS NULL
            UNION ALL SELECT view_name, ''
            FROM duckdb_views() WHERE NOT internal AND comment IS NULL
        """).fetchall()
        ((view_columns, views),) = con.sql("""
            SELECT count(*), count(DISTINCT view_name)
            FROM duckdb_columns() JOIN duckdb_views() ON view_name = table_name
            WHERE NOT duckdb_views.internal
        """).fetchall()
        taken_over = con.sql("""
            SELECT DISTINCT comment FROM duckdb_columns()
            WHERE column_name = 'q_value' AND table_name IN ('fact', 'top_facts')
        """).fetchall()
    assert uncommented == []
    assert views == 14
    assert view_columns > 7 * 5
    assert taken_over == [(TABLES["fact"].columns()["q_value"].description,)]


def test_a_failing_build_leaves_the_published_index_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "a.duckdb"
    publish_small(path)
    before = path.read_bytes()
    bad = pl.DataFrame({"entity": ["x", "x"], "kind": "run", "label": "x"})
    with pytest.raises(ContractError, match="primary_key: 2 row"), build_index(path) as build:
        build.write("entity", bad)
    assert path.read_bytes() == before
    assert not building_path(path).exists()


def test_too_little_memory_is_named_with_its_remedy(tmp_path: Path) -> None:
    path = tmp_path / "a.duckdb"
    publish_small(path)
    before = path.read_bytes()
    with (
        pytest.raises(DatabaseMemoryError, match=r"needs more than the 0.1 GB") as raised,
        build_index(path, max_gb=0.1) as build,
    ):
        build.connection.execute("SELECT list(number) FROM range(100_000_000) AS r(number)")
    assert "max_database_gb" in raised.value.remedy
    assert path.read_bytes() == before
    assert not building_path(path).exists()


def test_a_second_builder_learns_who_builds(tmp_path: Path) -> None:
    path = tmp_path / "a.duckdb"
    with (
        build_index(path),
        pytest.raises(IndexBusyError, match=r"process \d+ is building"),
        build_index(path),
    ):
        pass


KILLED = """
import os, signal, sys
from pathlib import Path
from index.store.build import build_index
with build_index(Path(sys.argv[1]), max_gb=0.1) as build:
    build.connection.execute(
        "CREATE TEMP TABLE large AS SELECT md5(number::VARCHAR) FROM range(3_000_000) AS r(number)"
    )
    os.kill(os.getpid(), signal.SIGKILL)
"""
"""A build that has more in memory than it may, so that DuckDB puts the rest on disk."""


def test_a_builder_killed_midway_leaves_the_index_and_the_next_build_works(tmp_path: Path) -> None:
    path = tmp_path / "a.duckdb"
    publish_small(path, "old")
    killed = subprocess.run([sys.executable, "-c", KILLED, str(path)], check=False)
    assert killed.returncode == -signal.SIGKILL
    assert building_path(path).exists()
    spilled = building_path(path).with_name("a.duckdb.building.tmp")
    assert list(spilled.iterdir())
    with open_index(path) as reader:
        assert ("old",) in reader.sql("SELECT label FROM entity").fetchall()
    publish_small(path, "new")
    assert not building_path(path).exists()
    assert not spilled.exists()


def test_equal_content_has_an_equal_hash_whatever_the_timings(tmp_path: Path) -> None:
    digests = []
    for name, seconds, label in [("a", 1, "same"), ("b", 2, "same"), ("c", 1, "other")]:
        with build_index(tmp_path / f"{name}.duckdb") as build:
            write_small(build, label)
            build.note({"seconds.more": seconds})
            digests.append(content_hash(build.connection))
    assert digests[0] == digests[1] != digests[2]


def test_a_missing_and_a_foreign_file_are_named_with_a_remedy(tmp_path: Path) -> None:
    with pytest.raises(IndexMissingError, match=r"python -m flows\.index"):
        open_index(tmp_path / "none.duckdb")
    with build_index(tmp_path / "old.duckdb") as build:
        build.note({"version.contract": "0"})
        build.publish()
    with pytest.raises(
        IndexVersionError, match=f"contract version 0, this program reads {CONTRACT_VERSION}"
    ):
        open_index(tmp_path / "old.duckdb")


def describe_contract(connection: duckdb.DuckDBPyConnection) -> str:
    """Return the version of the contracts and every table and view with its columns."""
    columns = connection.execute("""
        SELECT table_name, string_agg(
            concat(column_name, ' ', data_type, if(is_nullable, '', ' NOT NULL')),
            ', ' ORDER BY column_index)
        FROM duckdb_columns() WHERE NOT internal GROUP BY table_name ORDER BY table_name
    """).fetchall()
    listed = [f"{table}({held})" for table, held in columns]
    return "\n".join([f"contract {CONTRACT_VERSION}", *listed, ""])


def test_a_change_of_the_contracts_raises_their_version(published: Path) -> None:
    """Where this fails: raise ``CONTRACT_VERSION``, then write the listing anew
    (``UPDATE_DOCS=1``, which keeps a listing whose version was not raised).
    """
    with open_index(published) as connection:
        described = describe_contract(connection)
    listing = Path(__file__).parent / "snapshots" / "contract.txt"
    listed = listing.read_text(encoding="utf-8")
    is_raised = listed.splitlines()[0] != described.splitlines()[0]
    if os.environ.get("UPDATE_DOCS") and is_raised:
        listing.write_text(described, encoding="utf-8")
        listed = described
    assert described == listed


def publish_of_contract(path: Path, version: str) -> None:
    with build_index(path) as build:
        build.write(
            "community",
            pl.DataFrame(
                {
                    "community": ["C0-1"],
                    "level": [0],
                    "parent": [None],
                    "runs": [2],
                    "entities": [3],
                    "previous": [None],
                },
                schema_overrides={"parent": pl.String, "previous": pl.String},
            ),
        )
        build.note({"version.contract": version, "run_at.published": "2026-01-01T00:00:00+00:00"})
        build.publish()


def test_an_index_of_another_contract_is_refused_by_readers_and_carried_over_by_a_build(
    tmp_path: Path,
) -> None:
    path = tmp_path / "old.duckdb"
    publish_of_contract(path, "3")
    with pytest.raises(IndexVersionError, match="contract version 3") as refused:
        open_index(path)
    assert refused.value.remedy == f"rebuild it: {BUILD} --db {path}"
    carried = published_communities(path)
    assert carried is not None
    assert carried.tables[0]["community"].to_list() == ["C0-1"]
    with build_index(path) as build:
        carry_builds(build)
        assert stored_table(build.connection, "past_build").select("key", "value").rows() == [
            ("run_at.published", "2026-01-01T00:00:00+00:00"), ("version.contract", "3"),
        ]  # fmt: skip


def test_what_another_contract_lacks_is_not_carried_over(tmp_path: Path) -> None:
    path = tmp_path / "old.duckdb"
    publish_of_contract(path, "1")
    with duckdb.connect(str(path)) as connection:
        connection.execute("ALTER TABLE community DROP COLUMN previous")
    assert published_communities(path) is None
