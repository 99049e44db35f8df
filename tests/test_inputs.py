"""The inputs manifest: paths, globs, options, errors, and the bundled sample."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from index.records import record_counts
from index.sources import SOURCES
from index.sources.inputs import file_digests, input_hashes, read_input, read_records
from index.sources.manifest import Manifest, read_manifest
from index.sources.specs import declared_sources
from ontology_etl.errors import AllRejectedError, EncodingError, ManifestError, MissingFileError

RUNS = "Run,BioSample,BioProject\nSYNR1,SYNS1,SYNP1\n"


def entry(name: str, *options: str, path: str = "a.csv") -> str:
    """Return an entry of a manifest for a file of the format ``name``."""
    return "\n".join(["[[input]]", f'format = "{name}"', f'path = "{path}"', *options, ""])


def manifest(folder: Path, text: str, **files: str) -> Path:
    for name, content in files.items():
        (folder / name.replace("_", ".")).write_text(content)
    path = folder / "inputs.toml"
    path.write_text(text)
    return path


def test_paths_are_relative_to_the_manifest_and_globs_are_in_name_order(tmp_path: Path) -> None:
    text = '[[input]]\nformat = "sra_run_info"\nglob = "*.csv"\n[ontologies]\nBTO = "bto.obo"\n'
    read = read_manifest(manifest(tmp_path, text, b_csv=RUNS, a_csv=RUNS, bto_obo="x"))
    assert [item.path.name for item in read.inputs] == ["a.csv", "b.csv"]
    assert {one.name: one.path for one in read.ontologies.listed} == {
        "NCBITaxon": None,
        "BTO": tmp_path / "bto.obo",
        "DOID": None,
    }


def test_an_ontology_is_pinned_to_a_release_of_its_official_address(tmp_path: Path) -> None:
    digest = "0" * 64
    text = entry("studies", "[ontologies]", f'BTO = {{release = "7", sha256 = "{digest}"}}')
    listed = read_manifest(manifest(tmp_path, text, a_csv=RUNS)).ontologies.listed
    bto = next(source for source in listed if source.name == "BTO")
    assert (bto.path, bto.sha256) == (None, digest)
    assert bto.url == "https://raw.githubusercontent.com/BRENDA-Enzymes/BTO/7/bto.obo"


def test_shared_data_is_the_variable_or_beside_the_project(tmp_path: Path) -> None:
    text = entry("sra_run_info", path="$VIROME_SHARED_DATA/a.csv")
    project = tmp_path / "project" / "data"
    project.mkdir(parents=True)
    (tmp_path / "project" / "pyproject.toml").touch()
    beside, elsewhere = tmp_path / "shared" / "data", tmp_path / "elsewhere"
    for folder in (beside, elsewhere):
        folder.mkdir(parents=True)
        (folder / "a.csv").write_text(RUNS)
    path = manifest(project, text)
    assert read_manifest(path, environ={}).inputs[0].path == beside / "a.csv"
    chosen = read_manifest(path, environ={"VIROME_SHARED_DATA": str(elsewhere)})
    assert chosen.inputs[0].path == elsewhere / "a.csv"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"no \[\[input\]\] entry"),
        ("[[input", "not TOML"),
        (
            entry("bam"),
            r"number 1: unknown format 'bam'\n  -> use one of: biom, biom_tsv, biosample_attr",
        ),
        ('[[input]]\nformat = "sra_run_info"', "needs either path or glob"),
        ('[[input]]\nformat = "sra_run_info"\nglob = "*.txt"', r"no file matches '\*\.txt'"),
        (entry("sra_run_info", "score = 3"), r"unknown option\(s\) score"),
        (entry("studies", "run_info = 3"), "option run_info: Input should be"),
        (entry("serratus_nt", "min_score = 9"), "set min_serratus_score in the conf"),
        (entry("sra_runinfo"), "did you mean 'sra_run_info'"),
        ('[[input]]\nformat = ["studies"]\npath = "a.csv"', r"unknown format \['studies'\]"),
        ('[[input]]\nformat = "studies"\npath = 7', "path is not a path: 7"),
        ('[[input]]\nformat = "studies"\npath = "a\\u0000.csv"', "path is not a path: 'a"),
        ('[[input]]\nformat = "studies"\nglob = ["a.csv"]', "glob is not a path"),
        ('[[input]]\nformat = "studies"\nglob = "a**b/*.csv"', "no file matches|not a pattern"),
        ("input = [1, 2]", "number 1: not a table"),
        ("ontologies = 3\n" + entry("studies"), r"\[ontologies\]: not a table"),
        (entry("studies", "[ontologies]", "BTO = 3"), r"\[ontologies\] BTO: path is not"),
        (entry("studies", "[biosafety]", "risk_groups = 1"), "risk_groups is not a path"),
        (entry("sra_run_info", "[ontologies]", 'GO = "a.csv"'), "unknown GO"),
        (
            entry("sra_run_info", "[ontologies]", 'BTO = {sha256 = "x"}'),
            r"\[ontologies\] BTO: sha256: String should match",
        ),
        ('[[inputs]]\nformat = "sra_run_info"', r"unknown key\(s\) inputs"),
    ],
)
def test_a_wrong_manifest_names_the_entry_and_what_is_allowed(
    tmp_path: Path, text: str, message: str
) -> None:
    with pytest.raises(ManifestError, match=message):
        read_manifest(manifest(tmp_path, text, a_csv=RUNS))


def test_a_manifest_that_is_not_utf8_names_the_row_and_the_byte(tmp_path: Path) -> None:
    path = tmp_path / "inputs.toml"
    path.write_bytes(b"[[input]]\n# caf\xe9\n")
    with pytest.raises(EncodingError, match="row 2: byte 0xe9 is not UTF-8"):
        read_manifest(path)


def test_an_input_of_which_no_row_is_left_stops_the_build(tmp_path: Path) -> None:
    text = entry("sra_run_info")
    rows = "Run,BioSample,BioProject\nX1,SYNS1,SYNP1\nX2,SYNS1,SYNP1\nRun,BioSample,BioProject\n"
    with pytest.raises(AllRejectedError) as caught:
        read_records(read_manifest(manifest(tmp_path, text, a_csv=rows)))
    assert str(caught.value) == (
        f"{tmp_path}/a.csv: every row is rejected (3 in all), most of them because: not a run "
        f"accession (2 rows)\n"
        "  -> mend the file, or take its [[input]] (format sra_run_info) out of the manifest; "
        "what is known of its rows: python -m flows.inputs check MANIFEST"
    )


@pytest.mark.parametrize(
    ("lowest", "kept"), [(50, ["NC_000002"]), (10, ["NC_000001", "NC_000002"])]
)
def test_one_score_decides_for_every_file_of_serratus(
    tmp_path: Path, lowest: float, kept: list[str]
) -> None:
    nt = "run_id\tsequence_accession\tscore\nSYNR1\tNC_000001\t20\nSYNR1\tNC_000002\t90\n"
    joined = "level\trun\tbiosample\tbioproject\tscore\nrun\tSYNR2\tSYNS2\tSYNP1\t20\nrun\tSYNR3\t\t\t90\n"  # noqa: E501
    text = entry("serratus_nt", path="a.tsv") + entry("virome_records", path="b.tsv")
    path = manifest(tmp_path, text, a_tsv=nt, b_tsv=joined)
    read = partial(read_input, min_serratus_score=lowest)
    records = read_records(read_manifest(path), read=read)
    assert records.detection["sotu"].to_list() == kept
    assert ("SYNR2" in records.run["run"].to_list()) == (len(kept) == 2)


def test_the_lowest_score_removes_every_row_and_the_remedy_says_so(tmp_path: Path) -> None:
    text = entry("serratus_nt", path="a.tsv")
    nt = "run_id\tsequence_accession\tscore\nSYNR1\tNC_000001\t20\n"
    with pytest.raises(AllRejectedError, match="lower min_serratus_score in the configuration"):
        read_records(read_manifest(manifest(tmp_path, text, a_tsv=nt)))


@pytest.mark.parametrize(
    "text",
    [
        entry("studies", path="absent.csv"),
        entry("studies", 'run_info = ["absent.csv"]'),
        entry("studies", "[ontologies]", 'BTO = "no"'),
    ],
)
def test_every_file_a_manifest_names_must_be_there_before_any_is_read(
    tmp_path: Path, text: str
) -> None:
    with pytest.raises(MissingFileError):
        read_manifest(manifest(tmp_path, text, a_csv=RUNS))


def test_the_first_file_to_state_a_value_is_believed(tmp_path: Path) -> None:
    first = "Run,BioSample,BioProject,ScientificName,spots\nSYNR1,SYNS1,SYNP1,,5\n"
    second = "Run,BioSample,BioProject,ScientificName,spots\nSYNR1,SYNS1,SYNP1,Sus scrofa,9\n"
    text = "".join(entry("sra_run_info", path=f"{name}.csv") for name in "ab")
    reported: list[str] = []
    read = read_manifest(manifest(tmp_path, text, a_csv=first, b_csv=second))
    records = read_records(
        read, on_file=lambda item, part: reported.append(f"{item.path.name}: {len(part.run)}")
    )
    assert records.run.select("run", "organism", "spots").rows() == [("SYNR1", "Sus scrofa", 5)]
    assert reported == ["a.csv: 1", "b.csv: 1"]


def test_hashes_cover_inputs_and_options_and_tell_equal_names_apart(tmp_path: Path) -> None:
    (tmp_path / "x").mkdir()
    (tmp_path / "x" / "a.csv").write_text(RUNS)
    text = entry("studies", 'run_info = ["x/a.csv"]')
    hashes = input_hashes(file_digests(read_manifest(manifest(tmp_path, text, a_csv=RUNS))))
    assert set(hashes) == {"inputs.toml", f"{tmp_path.name}/a.csv", "x/a.csv"}
    assert hashes[f"{tmp_path.name}/a.csv"] == hashes["x/a.csv"] != hashes["inputs.toml"]


def test_attributes_of_runs_that_no_input_describes_are_counted_and_not_kept(
    tmp_path: Path,
) -> None:
    text = entry("sra_run_info") + entry("run_attributes", path="b.csv")
    attributes = "run,attribute,value\nSYNR1,tissue,lung\nSYNR8,tissue,lung\nSYNR9,sex,male\n"
    records = read_records(read_manifest(manifest(tmp_path, text, a_csv=RUNS, b_csv=attributes)))
    assert "SYNR1" in records.run["run"]
    assert records.run_attribute.rows() == [("SYNR1", "tissue", "lung")]
    unknown = "a run that no input describes (2 rows)"
    assert ("b.csv", None, unknown) in records.rejected.rows()
    assert ("b.csv", "run_attributes", 3, 1, 2) in records.rows.rows()


@pytest.fixture(scope="module")
def sample(sample_inputs: Path) -> Manifest:
    return read_manifest(sample_inputs)


def test_the_sample_exercises_every_format_of_the_archives_it_imitates(sample: Manifest) -> None:
    special = {"biosample_facets", "geo_samples", "record_table", "sra_metadata", "sra_run_table"}
    special |= {"virome_records", "serratus_rdrp"}
    special |= {"biom", "kraken_report", "table", *declared_sources()}  # tests/test_formats.py
    assert {item.format for item in sample.inputs} == set(SOURCES) - special
    assert all(source.path for source in sample.ontologies.listed)


def test_the_sample_fills_every_record_table(sample: Manifest) -> None:
    records = read_records(sample)
    counts = record_counts(records)
    assert counts["run"] == 2_500
    assert (counts["bioproject"], counts["study"]) == (66, 2)
    assert records.detection["sotu"].n_unique() > 290
    assert [name for name, rows in counts.items() if not rows] == ["viral_sequence"]
    assert records.run["run"].str.starts_with("SYNR").all()
