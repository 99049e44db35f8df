"""A pasted list of runs: what is read of it, what is known of its runs, what sets them apart."""

from __future__ import annotations

import json
from pathlib import Path

import duckdb
import polars as pl
import pytest
from click.testing import Result
from scipy.stats import fisher_exact
from typer.testing import CliRunner

from index.false_discovery import benjamini_hochberg
from query.browsing.pasted import Pasted, read_pasted
from query.browsing.run_list import describe_runs
from query.cli.app import app
from tests.query_index import make_index, opened
from tests.spreadsheet import write_xlsx

PASTED = {
    "a bare list": ("SRR9990001 err9990002\nSAMN1\n", "SRR9990001 ERR9990002 SAMN1", ""),
    "a table of hits": (
        "ID,coverage,bioproject,biosample\nSRR9990001,0.98,PRJNA1,SAMN1\n",
        "SRR9990001",
        "ID",
    ),
    "BLAST hits of contigs": ("SRR9990001_k141_7\tZZP1.1\t98.1\n", "SRR9990001", ""),
    "headers of FASTA": (">ERR9990002.17 length=80\nACGT\n", "ERR9990002", "ACGT"),
    "a sample without its run": ("s1;SAMEA77;PRJEB5\n", "SAMEA77", ""),
    "names of one's own": ("Sample\nB-01\n", "", "Sample B-01"),
    "twice the same": ("SRR9990001\nSRR9990001\n", "SRR9990001", ""),
    "a part of a longer word": ("XSRR9990001\n", "", "XSRR9990001"),
}


@pytest.mark.parametrize(("text", "found", "others"), PASTED.values(), ids=PASTED)
def test_the_most_specific_accession_of_a_line_counts(text: str, found: str, others: str) -> None:
    pasted = read_pasted(text)
    assert [accession for accession, _ in pasted.accessions] == found.split()
    assert " ".join(pasted.others) == others


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_index(tmp_path_factory.mktemp("listed") / "index.duckdb")


def listed(path: Path, text: str) -> dict[str, object]:
    with opened(path) as con:
        found = describe_runs(con, read_pasted(text))
    return {name: getattr(found, name) for name in found.__dataclass_fields__}


def test_a_project_means_its_runs_and_what_is_not_known_is_named(index: Path) -> None:
    found = listed(index, "SYNP1\nSYNR13\nSYNR99\nmine\n")
    assert (found["given"], len(found["runs"]), found["studies"]) == (3, 13, 2)  # type: ignore[arg-type]
    assert (found["unknown"], found["unread"]) == (("SYNR99",), ("mine",))
    held = [(one.community, one.runs, one.of_runs) for one in found["communities"]]  # type: ignore[attr-defined]
    assert held == [("C0-gut", 13, 20), ("C1-bat", 12, 12), ("C1-pig", 1, 8)]


def test_values_and_viruses_are_counted_among_what_is_known(index: Path) -> None:
    values = {(one.facet, one.value): one for one in listed(index, "SYNP1 SYNR31")["values"]}  # type: ignore[attr-defined]
    host = values["host", "Rhinolophus ferrumequinum"]
    assert (host.runs, host.known) == (8, 13)
    assert (values["tissue", "intestine"].runs, values["tissue", "intestine"].known) == (10, 12)
    assert values["virus", "Bat coronavirus HKU5"].runs == 6


def test_what_sets_runs_of_few_studies_apart_is_tested_by_runs(index: Path) -> None:
    found = listed(index, "SYNP1")
    apart = {(one.facet, one.value): one for one in found["apart"]}  # type: ignore[attr-defined]
    bats = apart["host", "Chiroptera"]
    assert found["unit"] == "runs"
    assert (bats.here, bats.known_here, bats.elsewhere, bats.known_elsewhere) == (12, 12, 0, 24)
    assert bats.p_value == pytest.approx(fisher_exact([[12, 0], [0, 24]]).pvalue)
    assert bats.is_more_frequent
    assert ("host", "Mammalia") not in apart, "a term above one that is clearer"


def test_q_values_are_of_all_that_was_tested(index: Path) -> None:
    with opened(index) as con:
        found = describe_runs(con, Pasted((("SYNP1", "bioproject"),), ()))
    smallest = min(one.p_value for one in found.apart)
    others = [1.0] * (found.tested - 1)
    least = benjamini_hochberg(pl.Series([smallest, *others]).to_numpy())[0]
    assert found.apart[0].q_value <= least + 1e-12


def test_many_studies_are_tested_by_studies(sample_db: duckdb.DuckDBPyConnection) -> None:
    ((_, studies, others, runs), *_) = sample_db.sql(
        "SELECT value, count(DISTINCT bioproject), (SELECT count(DISTINCT bioproject) FROM run), "
        "list(DISTINCT run ORDER BY run) FROM annotation JOIN run USING (run) "
        "WHERE facet = 'host' AND study IS NULL GROUP BY value ORDER BY 2 DESC, 1"
    ).fetchall()
    found = describe_runs(sample_db, read_pasted("\n".join(runs)))
    assert (found.unit, found.studies) == ("studies", studies)
    tested = [one for one in found.apart if one.facet == "host"]
    assert all(one.here <= one.known_here <= studies for one in tested)
    assert all(one.elsewhere <= one.known_elsewhere <= others - studies for one in tested)


def test_a_file_a_spreadsheet_and_standard_input_say_the_same(index: Path, tmp_path: Path) -> None:
    plain, sheet = tmp_path / "runs.txt", tmp_path / "runs.xlsx"
    plain.write_text("Run\tnote\nSYNR01\tx\nSYNR02\ty\n")
    write_xlsx(sheet, {"S": [["Run", "note"], ["SYNR01", "x"], ["SYNR02", "y"]]})
    printed = [
        CliRunner().invoke(app, ["runs", name, "--db", str(index), "--json"], input=text)
        for name, text in ((str(plain), ""), (str(sheet), ""), ("-", plain.read_text()))
    ]
    records = [json.loads(one.stdout) for one in printed]
    assert records[0] == records[1] == records[2]
    assert records[0]["runs"] == ["SYNR01", "SYNR02"]


def test_text_says_what_is_known_tested_and_unknown(index: Path) -> None:
    def said(text: str) -> Result:
        return CliRunner().invoke(app, ["runs", "-", "--db", str(index)], input=text)

    shown = said("SYNP1\nSYNR77\n").stdout
    assert "1 of 2 names lead to 12 runs of 1 study in the index." in shown
    assert "more Chiroptera\thost\t12 of 12\t0 of 24\tq < 0.001" in shown
    assert "All are of 1 study: what sets them apart may be what the study is about." in shown
    assert "not in the index: 1 (SYNR77)" in shown
    result = said("nothing here\n")
    assert result.exit_code == 3
    assert "contains no accession" in result.stderr
