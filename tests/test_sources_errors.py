"""Bad input: every defect of a file is an error that names the file, the row and the next thing to
do.
"""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from index.sources import SOURCES
from index.sources.rejection import rows_rejected
from index.sources.tabular import read_table
from ontology_etl.errors import (
    ColumnError,
    EmptyTableError,
    EncodingError,
    InputError,
    MalformedRowError,
    MissingFileError,
    TruncatedFileError,
)

HEADERS = {
    "biosample_attributes": "biosample\tattribute\tvalue",
    "geo_samples": "gsm\tbiosample",
    "geography": "SRA_Run\tbiosample",
    "mwas_csv": "bioproject_id,family,metadata_field,metadata_value,num_true,num_false,p_value",
    "ncbi_stat": "acc\ttax_id\ttotal_count",
    "palm_virome": "run\tsotu",
    "serratus_nt": "run_id\tsequence_accession\tscore",
    "sotu_alignment": "sotu_a\tsotu_b\tidentity",
    "sra_metadata": "acc\tbiosample\tbioproject\tjattr",
    "sra_run_info": "Run,BioSample,BioProject",
    "sra_run_table": "Run,BioSample,BioProject",
    "studies": "bioproject\ttitle\tdescription",
    "virome_records": "level\trun\tbiosample\tbioproject",
}
TEXT_TABLES = sorted(HEADERS)


def suffix(name: str) -> str:
    return ".csv" if "," in HEADERS[name] else ".tsv"


def test_every_format_is_in_the_zoo_of_bad_files() -> None:
    assert set(SOURCES) == {*TEXT_TABLES, "biosample_xml", "record_table"}


@pytest.mark.parametrize("name", sorted(SOURCES))
def test_a_missing_file_is_named(tmp_path: Path, name: str) -> None:
    with pytest.raises(MissingFileError, match="no such file"):
        SOURCES[name].read(tmp_path / "absent.tsv")


@pytest.mark.parametrize("name", TEXT_TABLES)
def test_a_header_alone_is_an_empty_table(tmp_path: Path, name: str) -> None:
    path = tmp_path / f"t{suffix(name)}"
    path.write_text(HEADERS[name] + "\n")
    with pytest.raises(EmptyTableError, match="holds no rows"):
        SOURCES[name].read(path)


@pytest.mark.parametrize("name", TEXT_TABLES)
def test_an_empty_file_has_no_header(tmp_path: Path, name: str) -> None:
    path = tmp_path / f"t{suffix(name)}"
    path.write_bytes(b"")
    with pytest.raises(EmptyTableError, match="holds no header"):
        SOURCES[name].read(path)


@pytest.mark.parametrize("name", TEXT_TABLES)
def test_a_web_page_lacks_the_columns(tmp_path: Path, name: str) -> None:
    path = tmp_path / f"t{suffix(name)}"
    path.write_text("<html>\n<body>503</body>\n")
    with pytest.raises(ColumnError, match=r"row 1: not a .* table: missing column\(s\)"):
        SOURCES[name].read(path)


@pytest.mark.parametrize("name", TEXT_TABLES)
def test_a_byte_that_is_not_utf8_is_found(tmp_path: Path, name: str) -> None:
    path = tmp_path / f"t{suffix(name)}"
    cells = HEADERS[name].count("," if suffix(name) == ".csv" else "\t")
    separator = b"," if suffix(name) == ".csv" else b"\t"
    row = separator.join([b"x"] * cells + [b"caf\xe9"])
    path.write_bytes(
        HEADERS[name].encode() + b"\n" + separator.join([b"x"] * (cells + 1)) + b"\n" + row + b"\n"
    )
    with pytest.raises(EncodingError, match=r"row 3: byte 0xe9 is not UTF-8") as caught:
        SOURCES[name].read(path)
    assert (caught.value.row, caught.value.byte) == (3, 0xE9)


@pytest.mark.parametrize("name", TEXT_TABLES)
def test_a_gzip_file_that_is_cut_short_is_refused(tmp_path: Path, name: str) -> None:
    path = tmp_path / f"t{suffix(name)}.gz"
    lines = "".join(f"x{number}\n" for number in range(20_000))
    packed = gzip.compress(f"{HEADERS[name]}\n{lines}".encode())
    path.write_bytes(packed[: len(packed) // 2])
    with pytest.raises(TruncatedFileError, match="ends early"):
        SOURCES[name].read(path)


def test_a_gzip_file_cut_inside_its_header_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "t.tsv.gz"
    path.write_bytes(gzip.compress(b"run\tsotu\n")[:12])
    with pytest.raises(TruncatedFileError):
        SOURCES["palm_virome"].read(path)


def test_a_text_file_that_calls_itself_gzip_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "t.tsv.gz"
    path.write_text("run\tsotu\nSYNR1\tu1\n")
    with pytest.raises(MalformedRowError, match="not a gzip file"):
        SOURCES["palm_virome"].read(path)


def test_a_quotation_mark_that_is_never_closed_is_said_so(tmp_path: Path) -> None:
    path = tmp_path / "t.tsv"
    path.write_text('run\tsotu\nSYNR1\t"u1" x\nSYNR2\tu2\n')
    with pytest.raises(MalformedRowError, match="quotation mark"):
        SOURCES["palm_virome"].read(path)


@pytest.mark.parametrize(
    ("body", "error", "reason"),
    [
        (b"<BioSampleSet><BioSample accession='SYNS1'>", TruncatedFileError, "no element found"),
        (b"<BioSampleSet></BioSampleSet>", EmptyTableError, "holds no BioSample elements"),
        (b"", TruncatedFileError, "no element found"),
        (
            b"<BioSampleSet>\n<BioSample></Wrong>",
            MalformedRowError,
            r"row 2: not XML: mismatched tag",
        ),
        (
            b"<BioSampleSet>\n<BioSample>\xe9</BioSample></BioSampleSet>",
            EncodingError,
            "row 2: byte 0xe9",
        ),
    ],
)
def test_xml_that_is_cut_short_empty_or_broken(
    tmp_path: Path, body: bytes, error: type[InputError], reason: str
) -> None:
    path = tmp_path / "set.xml"
    path.write_bytes(body)
    with pytest.raises(error, match=reason):
        SOURCES["biosample_xml"].read(path)


@pytest.mark.parametrize(
    ("name", "content", "error"),
    [("nothing.parquet", b"PAR1", ColumnError), ("run.parquet", b"PAR1 cut", TruncatedFileError)],
)
def test_parquet_must_be_a_whole_record_table(
    tmp_path: Path, name: str, content: bytes, error: type[InputError]
) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(error):
        SOURCES["record_table"].read(tmp_path / name)


def test_every_input_error_says_what_to_do_next(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"\n  -> \w+"):
        read_table(tmp_path / "absent.tsv", "palm_virome", columns=("run",))


CELLS = st.text(
    st.characters(codec="utf-8", exclude_characters='\t\n\r"', exclude_categories=("Cs", "Cc")),
    max_size=12,
)


@given(rows=st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=20))
@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_every_row_is_either_read_or_rejected(tmp_path: Path, rows: list[tuple[str, str]]) -> None:
    path = tmp_path / "palm.tsv"
    accepted = [(f"SYNR{number}", "u1") for number in range(3)]
    path.write_text(
        "run\tsotu\n" + "".join(f"{run}\t{sotu}\n" for run, sotu in [*rows, *accepted]),
        encoding="utf-8",
    )
    records = SOURCES["palm_virome"].read(path)
    rejected = int(rows_rejected(records.rejected)["rows"].sum())
    blank = sum(not run.strip() and not sotu.strip() for run, sotu in rows)
    assert len(records.detection) + rejected + blank == len(rows) + len(accepted)
