"""``python -m flows.inputs``: what it says of files, word for word, and how it leaves."""

from __future__ import annotations

import gzip
import json
import tomllib
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from flows.inputs import app
from index.sources import SOURCES
from index.sources.inputs import read_records
from index.sources.manifest import read_manifest
from tests.conftest import ROOT

RUNS = (
    "Run,BioSample,BioProject,Scientific_Name\n"
    "SYNR1,SYNS1,SYNP1,Sus scrofa\n"
    "X2,SYNS2,SYNP1,Sus scrofa\n"
)
SAMPLES = (
    "biosample\tattribute\tvalue\n"
    "SYNS1\ttissue\tlung\n"
    "SYNS2\ttissue\tlungish bits\n"
    "SYNS3\ttissue\tmissing\n"
)
ONTOLOGIES = ROOT / "data" / "sample" / "ontologies"


def files(folder: Path, **contents: str) -> list[Path]:
    """Write files named like ``runs_csv`` and return their paths."""
    paths = [folder / name.replace("_", ".") for name in contents]
    for path, content in zip(paths, contents.values(), strict=True):
        path.write_text(content)
    return paths


def manifest(folder: Path, text: str) -> str:
    path = folder / "inputs.toml"
    path.write_text(text)
    return str(path)


def entry(format_name: str, path: str) -> str:
    return f'[[input]]\nformat = "{format_name}"\npath = "{path}"\n'


def call(*arguments: str | Path) -> Result:
    return CliRunner().invoke(app, [str(one) for one in arguments])


# --- check ----------------------------------------------------------------------------------------


def test_check_names_what_is_read_ignored_rejected_and_grounded(tmp_path: Path) -> None:
    files(tmp_path, runs_csv=RUNS, samples_tsv=SAMPLES)
    text = entry("sra_run_info", "runs.csv") + entry("biosample_attributes", "samples.tsv")
    ontologies = (
        f'[ontologies]\nNCBITaxon = "{ONTOLOGIES}/taxdump.tar.gz"\nBTO = "{ONTOLOGIES}/bto.obo"\n'
    )
    done = call("check", manifest(tmp_path, text + ontologies))
    assert done.exit_code == 0
    assert done.stdout == (
        f"{tmp_path}/runs.csv (sra_run_info), 2 rows\n"
        "  rows: run 1\n"
        "  ignored columns: Scientific_Name\n"
        "  hint: 'Scientific_Name' is not read; did you mean 'ScientificName'?\n"
        "  rejected: 1 row\n"
        "    1 not a run accession: 'X2' (row 3)\n"
        "\n"
        f"{tmp_path}/samples.tsv (biosample_attributes), 3 rows\n"
        "  rows: biosample 3, biosample_attribute 3\n"
        "\n"
        "host or organism: no value stated\n"
        "tissue: 1 of 2 values (50%) name a term of BTO\n"
        "  ungrounded: 'lungish bits' (tissue; 1 row)\n"
        "\n"
        "questions that the index could answer:\n"
        "  How many runs are there?\n"
        "\n"
        "could not:\n"
        "  no input names a virus that was found in a run\n"
        "  no input says what the runs are of: organism or host\n"
        "  no input says where samples were taken\n"
        "\n"
        "a build would read every file\n"
    )


def test_check_reads_no_more_rows_than_it_is_asked_to(tmp_path: Path) -> None:
    rows = "".join(f"SYNR{number},SYNS{number},SYNP1\n" for number in range(50))
    (tmp_path / "runs.csv.gz").write_bytes(
        gzip.compress(f"Run,BioSample,BioProject\n{rows}".encode())
    )
    path = manifest(tmp_path, entry("sra_run_info", "runs.csv.gz"))
    done = call("check", path, "--rows", "7", "--json")
    (file,) = json.loads(done.stdout)["files"]
    assert (file["rows"], file["more"], file["read"]) == (7, True, {"run": 7})


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("Run,bio_sample,BioProject\nSYNR1,SYNS1,SYNP1\n", "rename 'bio_sample' to 'BioSample'"),
        ("Run,BioSample,BioProject\nX1,SYNS1,SYNP1\n", "error: every row is rejected (1 in all)"),
        ("Run,BioSample,BioProject\n", "error: "),
    ],
)
def test_a_file_that_stops_a_build_is_named_and_the_others_are_still_looked_at(
    tmp_path: Path, content: str, said: str
) -> None:
    files(tmp_path, a_csv=content, b_csv=RUNS)
    path = manifest(tmp_path, entry("sra_run_info", "a.csv") + entry("sra_run_info", "b.csv"))
    done = call("check", path)
    assert done.exit_code == 3
    assert said in done.stdout
    assert "b.csv (sra_run_info), 2 rows\n  rows: run 1" in done.stdout
    assert done.stdout.endswith("1 of 2 files cannot be used\n")


@pytest.mark.parametrize("name", ["biosample_xml", "record_table"])
def test_the_first_rows_of_a_file_without_lines_can_be_cut_off(tmp_path: Path, name: str) -> None:
    import polars as pl

    if name == "record_table":
        path = tmp_path / "run.parquet"
        pl.DataFrame({"run": ["SYNR1", "SYNR2", "SYNR3"]}).write_parquet(path)
    else:
        path = tmp_path / "set.xml"
        samples = "".join(f"<BioSample accession='SYNS{number}'/>" for number in range(3))
        path.write_text(f"<BioSampleSet>{samples}</BioSampleSet>")
    target = tmp_path / "cut" / path.name
    target.parent.mkdir()
    cut = SOURCES[name].cut(path, target, 2)
    records = SOURCES[name].read(target)
    assert (cut.rows, cut.more, len(records.run) + len(records.biosample)) == (2, True, 2)


# --- new ------------------------------------------------------------------------------------------


def test_new_recognises_every_file_of_the_sample(tmp_path: Path, sample_inputs: Path) -> None:
    listed = [
        path
        for path in sorted(sample_inputs.parent.glob("*"))
        if path.suffix in (".gz", ".csv", ".tsv")
    ]
    inputs = [path for path in listed if path.name != "planted.tsv"]
    out = tmp_path / "inputs.toml"
    done = call("new", *inputs, *sorted(ONTOLOGIES.iterdir()), "--out", out)
    assert done.exit_code == 0, done.stderr
    proposed, given = read_manifest(out), read_manifest(sample_inputs)
    assert {(one.path, one.format) for one in proposed.inputs} == {
        (one.path, one.format) for one in given.inputs
    }
    options = {one.path.name: one.options for one in proposed.inputs if one.options}
    assert options["serratus_nt.tsv.gz"] == {
        "accessions": sample_inputs.parent / "virus_accessions.tsv"
    }
    assert options["stat_orders.tsv.gz"] == {"taxdump": ONTOLOGIES / "taxdump.tar.gz"}
    assert proposed.ontologies == given.ontologies


def test_new_says_what_it_does_not_recognise_and_the_nearest_format(tmp_path: Path) -> None:
    listed = files(
        tmp_path,
        hosts_tsv="hosts_taxid\tvirus_taxid\n9606\t11234\n",
        page_html="<html></html>",
        odd_csv="alpha,beta\n1,2\n",
        runs_csv=RUNS,
        names_csv="sequence_accession,virus_name\nNC_1,X\n",
    )
    done = call("new", *listed, "--out", tmp_path / "inputs.toml")
    assert done.exit_code == 0
    assert done.stderr == (
        f"not recognised: {tmp_path}/hosts.tsv: the nearest format, known_hosts, needs "
        f"host_taxid (is it 'hosts_taxid'?)\n"
        f"not recognised: {tmp_path}/page.html: XML or a web page; nearest format biosample_xml\n"
        f"not recognised: {tmp_path}/odd.csv: no column of alpha, beta names a run or a BioSample; "
        f"say which does: --map run=COLUMN, or see docs/your-data.md\n"
        f"{tmp_path}/inputs.toml: 2 of 5 files recognised\n"
    )
    written = (tmp_path / "inputs.toml").read_text()
    assert [one["format"] for one in tomllib.loads(written)["input"]] == ["sra_run_info"]
    assert "# no input takes names.csv: serratus_nt.accessions, by its columns" in written


def test_a_good_manifest_is_not_replaced_by_one_that_reads_less(tmp_path: Path) -> None:
    runs, samples = files(tmp_path, runs_csv=RUNS, samples_tsv=SAMPLES)
    out = tmp_path / "inputs.toml"
    assert call("new", runs, samples, "--out", out).exit_code == 0
    good = out.read_text()
    done = call("new", runs, "--out", out, "--force")
    assert (done.exit_code, out.read_text()) == (3, good)
    assert f"reads what the new one would not: {samples}" in done.stderr
    assert call("new", runs, samples, "--out", out, "--force").exit_code == 0


def test_a_column_that_a_user_names_is_taken_for_what_it_is_said_to_be(tmp_path: Path) -> None:
    (path,) = files(tmp_path, mine_csv="Box,found\nA1,Zika virus\n")
    assert call("new", path).exit_code == 3
    done = call("new", path, "--map", "run=Box")
    assert tomllib.loads(done.stdout)["input"][0]["columns"] == {"run": "Box", "virus": "found"}
    assert call("new", path, "--map", "Box").exit_code == 2


def test_new_replaces_a_manifest_only_where_an_option_says_so(tmp_path: Path) -> None:
    listed = files(tmp_path, runs_csv=RUNS)
    out = tmp_path / "inputs.toml"
    out.write_text("mine")
    refused = call("new", *listed, "--out", out)
    assert (refused.exit_code, out.read_text()) == (3, "mine")
    assert "is there already\n  -> add --force" in refused.stderr
    assert call("new", *listed, "--out", out, "--force").exit_code == 0


NOTHING_TO_READ = {
    "unknown": {"odd_csv": "alpha\n1\n"},
    "of no use": {"multiqc_txt": "Sample\tkraken-pct_top_one\nSRR9000001\t2.4\n"},
    "an option alone": {"names_csv": "sequence_accession,virus_name\nNC_1,X\n"},
}


@pytest.mark.parametrize("contents", NOTHING_TO_READ.values(), ids=NOTHING_TO_READ)
def test_new_writes_no_manifest_where_no_file_can_be_read(
    tmp_path: Path, contents: dict[str, str]
) -> None:
    out = tmp_path / "inputs.toml"
    done = call("new", *files(tmp_path, **contents), "--out", out)
    assert (done.exit_code, out.exists()) == (3, False)
    assert "no manifest: none of these files says anything of a run or a sample" in done.stderr
    assert call("new", *files(tmp_path, runs_csv=RUNS), "--out", out).exit_code == 0


def test_a_run_in_which_a_classifier_found_no_virus_is_a_result(tmp_path: Path) -> None:
    lines = "100.00\t60\t0\tR\t1\troot\n100.00\t60\t60\tS\t562\t  Escherichia coli\n"
    (tmp_path / "SRR9000001.report.txt").write_text(lines)
    path = manifest(tmp_path, entry("kraken_report", "SRR9000001.report.txt"))
    checked = call("check", path)
    assert checked.exit_code == 0, checked.output
    records = read_records(read_manifest(Path(path)))
    assert records.searched["run"].to_list() == ["SRR9000001"]
    assert records.detection.is_empty()


def test_a_report_whose_rows_are_unsound_is_no_result(tmp_path: Path) -> None:
    (tmp_path / "merged.tsv").write_text(
        "taxonomy_id\tname\tlineage\tSRR9000001\n-5\twhat\tViruses\t7\n9606\tH\tE\t7\n"
    )
    path = manifest(tmp_path, entry("taxpasta", "merged.tsv"))
    assert call("check", path).exit_code == 3
