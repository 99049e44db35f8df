"""Associations as they are asked for: ``query mwas``, effects over projects, figures, and evidence
of answers.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import duckdb
import polars as pl
import pytest
from typer.testing import CliRunner

from index.mwas.meta import combine_projects
from index.store.build import CONTRACT_VERSION, build_index, open_index
from index.tables import AssociationTest, IndexedRun
from query.browsing.associations import find_associations
from query.cli.app import app
from query.errors import UnknownFamilyError
from tests.graph_zoo import filled

LUNG, LEAF = "BTO:0000763", "BTO:0000713"

ROWS = [
    # project, curie, value, true, false, mean true, mean false, q
    ("SYNP1", LUNG, "lung", 20, 20, 14.0, 4.0, 0.2),
    ("SYNP2", LUNG, "lung", 20, 25, 15.0, 5.0, 0.3),
    ("SYNP3", LUNG, "lung", 30, 20, 13.5, 3.0, 0.4),
    ("SYNP4", LUNG, "lung", 30, 30, 13.5, 3.0, 0.01),
    ("SYNP1", LEAF, "leaf", 10, 30, 3.0, 9.0, 0.9),
]


def association_table() -> pl.DataFrame:
    groups = ["num_true", "num_false", "mean_rpm_true", "mean_rpm_false"]
    columns = ["bioproject", "curie", "value", *groups, "q_value"]
    rows = pl.DataFrame(ROWS, schema=columns, orient="row").with_columns(
        fold_change=(pl.col("mean_rpm_true") / pl.col("mean_rpm_false")).log(2), split="curie"
    )
    named = {"family": "SYNviridae", "attribute": "tissue (BTO)", "source": "computed"}
    numbers = {"sd_rpm_true": 4.0, "sd_rpm_false": 4.0, "p_value": 0.01, "ci_low": -1.0}
    return filled(rows, AssociationTest, test="permutation", ci_high=9.0, **named, **numbers)


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("mwas") / "index.duckdb"
    association = association_table()
    projects = association["bioproject"].unique().sort()
    run = pl.DataFrame({"run": "SYNR" + projects.str.slice(4), "bioproject": projects, "state": 0})
    member = pl.DataFrame(
        {"community": "C1", "entity": run.filter(pl.col("bioproject") != "SYNP4")["run"]}
    )
    with build_index(path) as build:
        build.write("association", association)
        build.write("meta_association", combine_projects(association))
        build.write("run", filled(run, IndexedRun))
        build.write("community_member", member)
        build.note({"version.contract": CONTRACT_VERSION})
        build.publish()
    return path


@pytest.fixture
def con(index: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    with open_index(index) as connection:
        yield connection


def test_effect_over_projects_is_shown_beside_the_rows_of_its_projects(
    con: duckdb.DuckDBPyConnection,
) -> None:
    found = find_associations(con, "synviridae")
    assert [(row.bioproject, row.value, row.combined is not None) for row in found.shown] == [
        ("SYNP4", "lung", True), ("SYNP1", "lung", True), ("SYNP2", "lung", True),
        ("SYNP3", "lung", True),
        ("SYNP1", "leaf", False),
    ]  # fmt: skip
    [effect] = found.combined
    assert (effect.curie, effect.combined.projects, effect.combined.projects_agreeing) == (
        LUNG,
        4,
        4,
    )
    assert effect.combined.significant
    assert found.shown[1].combined == effect.combined
    rows = con.execute("SELECT value, projects, bioprojects FROM combined_associations").fetchall()
    assert rows == [("lung", 4, ["SYNP1", "SYNP2", "SYNP3", "SYNP4"])]


def test_family_nobody_tested_is_named_with_what_there_is(con: duckdb.DuckDBPyConnection) -> None:
    with pytest.raises(UnknownFamilyError, match="SYNvirida"):
        find_associations(con, "SYNvirida")


def test_command_lists_rows_then_effects_over_projects(index: Path) -> None:
    result = CliRunner().invoke(
        app, ["mwas", "--db", str(index), "--family", "SYNviridae", "--term", "lung"]
    )
    lines = result.stdout.splitlines()
    assert result.exit_code == 0
    assert lines[1].split("\t")[:5] == ["SYNP4", "tissue (BTO)", "lung", "", "30/30"]
    assert lines[6].split("\t")[:4] == ["over projects", "attribute", "value", "alike"]
    assert lines[7].split("\t")[:4] == ["4", "tissue (BTO)", "lung", "4/4"]


@pytest.mark.parametrize(
    ("term", "shown"),
    [("lung", "all 4: q"), ("leaf", "10 v 30")],
    ids=["effects over projects", "one project: its difference of means"],
)
def test_figures_are_written_where_asked(
    index: Path, tmp_path: Path, term: str, shown: str
) -> None:
    volcano, forest = tmp_path / "volcano.svg", tmp_path / "forest.svg"
    files = ["--plot", str(volcano), "--forest", str(forest)]
    result = CliRunner().invoke(
        app, ["mwas", "--db", str(index), "--family", "SYNviridae", "--term", term, *files]
    )
    assert result.exit_code == 0, result.output
    assert "-log10 q" in volcano.read_text()
    assert shown in forest.read_text()
