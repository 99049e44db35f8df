"""How old an index is: what its sources say, what doctor and answers say, what was withdrawn."""

from __future__ import annotations

import json
from pathlib import Path

import duckdb
import pytest
from typer.testing import CliRunner

from index.sources.inputs import read_records
from index.sources.manifest import read_manifest
from index.store.freshness import SOURCES_BY_AGE
from ontology_etl.errors import InputError
from query.cli.app import app
from query.health.index_file import check_index
from query.reading import read
from query.request import Records
from tests.conftest import BuiltIndex

RUNS = """\
run,biosample,bioproject,organism
SYNR1,SYNS1,SYNP1,Sus scrofa
SYNR2,SYNS2,SYNP1,Sus scrofa
SYNR3,SYNS2,SYNP1,Sus scrofa
"""
HITS = "run,virus,reads\nSYNR1,Zika virus,5\nSYNR2,Zika virus,7\n"
MANIFEST = """\
withdrawn = "withdrawn.txt"
[[input]]
format = "table"
path = "runs.csv"
columns = {run = "run", biosample = "biosample", bioproject = "bioproject", organism = "organism"}
as_of = 2021-03-14
[[input]]
format = "table"
path = "hits.csv"
columns = {run = "run", virus = "virus", reads = "reads"}
"""


def manifest(folder: Path, withdrawn: str, text: str = MANIFEST) -> Path:
    for name, content in (("runs.csv", RUNS), ("hits.csv", HITS), ("withdrawn.txt", withdrawn)):
        (folder / name).write_text(content)
    (folder / "inputs.toml").write_text(text)
    return folder / "inputs.toml"


@pytest.mark.parametrize(
    ("withdrawn", "runs", "samples", "found"),
    [
        ("SYNR1 (consent taken back)", "SYNR2 SYNR3", "SYNS2", "SYNR2"),
        ("SYNR2\n", "SYNR1 SYNR3", "SYNS1 SYNS2", "SYNR1"),
        ("SYNR2,SYNR3\n", "SYNR1", "SYNS1", "SYNR1"),
        ("SYNR9\n", "SYNR1 SYNR2 SYNR3", "SYNS1 SYNS2", "SYNR1 SYNR2"),
    ],
)
def test_withdrawn_runs_are_in_no_table_and_counted(
    tmp_path: Path, withdrawn: str, runs: str, samples: str, found: str
) -> None:
    read = read_manifest(manifest(tmp_path, withdrawn))
    records = read_records(read)
    assert sorted(records.run["run"]) == runs.split()
    assert sorted(set(records.run["biosample"])) == samples.split()
    assert sorted(records.detection["run"]) == found.split()
    lost = len(runs.split()) < 3
    said = [text for text in records.rejected["reason"] if text.startswith("withdrawn")]
    assert bool(said) == lost
    sums = records.rows.select("rows_read", "rows_kept", "rows_rejected").sum().row(0)
    assert sums[0] == sums[1] + sums[2]


@pytest.mark.parametrize(
    ("text", "withdrawn", "message"),
    [
        (MANIFEST, "nothing\n", "contains no run accession"),
        (MANIFEST.replace("2021-03-14", '"2021"'), "SYNR1", "as_of is not a day: '2021'"),
        (MANIFEST.replace("withdrawn.txt", "lost.txt"), "SYNR1", "lost.txt"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, text: str, withdrawn: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_records(read_manifest(manifest(tmp_path, withdrawn, text)))


def test_a_source_is_as_old_as_the_newest_run_that_it_searched(
    sample_db: duckdb.DuckDBPyConnection,
) -> None:
    rows = sample_db.sql(f"SELECT kind, name, as_of::VARCHAR FROM {SOURCES_BY_AGE}").fetchall()
    newest = {(kind, name): as_of for kind, name, as_of in rows}
    ((source, day),) = sample_db.sql(
        "SELECT source, max(release_date)::VARCHAR FROM searched JOIN run USING (run) "
        "GROUP BY source ORDER BY count(*) DESC LIMIT 1"
    ).fetchall()
    assert newest["detections", source] == day
    assert {"index", "runs", "ontology", "detections"} <= {kind for kind, _ in newest}


def test_a_question_about_age_is_answered(sample_index: BuiltIndex) -> None:
    question = "How up to date are the data?"
    asked = ["ask", question, "--no-llm", "--db", str(sample_index.path), "--json"]
    answer = json.loads(CliRunner().invoke(app, asked).stdout)
    ((measure),) = answer["requests"]
    assert measure["measure"]["table"] == "sources"
    assert "the index was published on" in answer["answer"].lower()


@pytest.mark.parametrize("text", ["How old is the data?", "When was the index last updated?"])
def test_age_is_asked_for_in_other_words(sample_db: duckdb.DuckDBPyConnection, text: str) -> None:
    (request,) = read(sample_db, text).requests
    assert request.measure == Records("sources")


def test_doctor_says_how_old_detections_are(sample_index: BuiltIndex) -> None:
    (check,) = [one for one in check_index(sample_index.path) if one.name == "sources"]
    assert "palm_virome 20" in check.found
    assert "years)" in check.found
