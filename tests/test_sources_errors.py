"""Bad input: every defect of a file is an error that names the file, the row and the next thing to
do.
"""

from __future__ import annotations

import gzip
import io
import tarfile
from collections.abc import Sequence
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from index.records import Records
from index.sources import SOURCES
from index.sources.formats.taxon_names import taxon_ids
from index.sources.rejection import MOST_BYTES, rows_rejected
from index.sources.specs import declared_sources
from ontology_etl.errors import (
    ColumnError,
    EmptyTableError,
    EncodingError,
    InputError,
    MalformedRowError,
    MissingFileError,
    TooLargeError,
    TruncatedFileError,
)
from ontology_etl.sources.taxdump import open_dump

TABLES = {layout.name: (source, layout) for source in SOURCES.values() for layout in source.layouts}
HEADED = {name: table for name, table in TABLES.items() if not table[1].first_line}
ALIKE = set(declared_sources()) - {"genomad"}
"""Formats that one engine reads: one of them stands for all."""
TEXT_TABLES = sorted(set(HEADED) - ALIKE)


def header(name: str) -> str:
    """Return the required columns of a layout; an alignment of sOTUs needs an identity too."""
    columns = TABLES[name][1].required
    return "\t".join((*columns, "identity") if name == "sotu_alignment" else columns)


def read_layout(name: str, path: Path) -> Records:
    return TABLES[name][0].read(path)


def test_every_source_declares_its_columns_or_says_what_it_holds() -> None:
    assert [
        name for name, source in SOURCES.items() if not source.layouts and not source.holds
    ] == []


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    for source in SOURCES.values():
        with pytest.raises(MissingFileError, match="no such file"):
            source.read(tmp_path / "absent.tsv")


@pytest.mark.parametrize("name", TEXT_TABLES)
def test_what_is_no_table_of_a_format_is_refused(tmp_path: Path, name: str) -> None:
    path = tmp_path / "t.tsv"
    path.write_text(header(name) + "\n")
    with pytest.raises(EmptyTableError, match="contains no rows"):
        read_layout(name, path)
    path.write_bytes(b"")
    with pytest.raises(EmptyTableError, match="contains no header"):
        read_layout(name, path)
    path.write_text("<html>\n<body>503</body>\n")
    with pytest.raises(ColumnError, match=r"row 1: not a .* table: missing column\(s\)"):
        read_layout(name, path)
    packed = tmp_path / "t.tsv.gz"
    lines = "".join(f"x{number}\n" for number in range(20_000))
    whole = gzip.compress(f"{header(name)}\n{lines}".encode())
    packed.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(TruncatedFileError, match="ends early"):
        read_layout(name, packed)


@pytest.mark.parametrize("name", TEXT_TABLES)
def test_a_file_in_another_encoding_is_refused(tmp_path: Path, name: str) -> None:
    path = tmp_path / "t.tsv"
    cells = header(name).count("\t")
    good = b"\t".join([b"x"] * (cells + 1))
    bad = b"\t".join([b"x"] * cells + [b"caf\xe9"])
    path.write_bytes(b"\n".join([header(name).encode(), good, bad, bad, b""]))
    with pytest.raises(EncodingError, match=r"row 3: byte 0xe9 is not UTF-8") as caught:
        read_layout(name, path)
    assert (caught.value.row, caught.value.byte) == (3, 0xE9)


@pytest.mark.parametrize("separator", [b"\t", b","])
def test_one_line_that_is_not_utf8_is_rejected_and_the_others_are_read(
    tmp_path: Path, separator: bytes
) -> None:
    path = tmp_path / "t.tsv"
    lines = [b"run|attribute|value", b"SYNR1|place|caf\xe9", "SYNR2|place|café".encode()]
    path.write_bytes(b"\n".join(line.replace(b"|", separator) for line in lines))
    records = SOURCES["run_attributes"].read(path)
    assert records.run_attribute.rows() == [("SYNR2", "place", "café")]
    assert records.rejected.select("row", "reason").rows() == [(2, "not UTF-8")]


def test_a_file_in_utf16_is_named_with_the_command_that_converts_it(tmp_path: Path) -> None:
    path = tmp_path / "runs.csv"
    path.write_bytes("Run,BioSample,BioProject\nSYNR1,,\n".encode("utf-16"))
    with pytest.raises(EncodingError) as caught:
        SOURCES["sra_run_info"].read(path)
    assert caught.value.remedy.startswith("convert the file first: iconv -f utf-16 -t utf-8 ")


@pytest.mark.parametrize("separator", ["\t", ","])
def test_a_line_with_more_cells_than_columns_is_rejected(tmp_path: Path, separator: str) -> None:
    path = tmp_path / "runs.csv"
    table = """
        Run|BioSample|BioProject|ScientificName|LibraryStrategy
        SYNR1|SYNS1|SYNP1|Homo| sapiens|RNA-Seq
        SYNR2|SYNS2|SYNP1|Homo sapiens|RNA-Seq|
        SYNR3|SYNS3
    """
    lines = [line.strip().replace("|", separator) for line in table.strip().splitlines()]
    path.write_text("\n".join(lines))
    records = SOURCES["sra_run_info"].read(path)
    assert records.run.select("run", "organism").rows() == [
        ("SYNR2", "Homo sapiens"),
        ("SYNR3", None),
    ]
    assert records.rejected.select("row", "reason").rows() == [
        (2, "more cells than columns: quote a cell that holds a separator")
    ]


@pytest.mark.parametrize("separator", ["\t", ","])
@pytest.mark.parametrize("name", TEXT_TABLES)
def test_a_quotation_mark_that_is_never_closed_swallows_no_row(
    tmp_path: Path, name: str, separator: str
) -> None:
    columns = header(name).split("\t")
    marks = ["", '"', "", "", '5"', ""]
    rows = [[f"{mark}x{number}"] * len(columns) for number, mark in enumerate(marks)]
    path = tmp_path / "t.tsv"
    path.write_text("".join(separator.join(cells) + "\n" for cells in [columns, *rows]))
    rejected = read_layout(name, path).rejected.sort("row")
    assert rejected["row"].to_list() == [2, 3, 4, 5, 6, 7]
    unclosed = rejected.filter(rejected["reason"] == "a quotation mark that is never closed")
    assert unclosed["row"].to_list() == ([] if separator == "\t" else [3])


def test_a_lone_quotation_mark_between_tabs_is_a_character(tmp_path: Path) -> None:
    path = tmp_path / "t.tsv"
    rows = 'SYNS1\ttissue\t"gut\nSYNS2\ttissue\t"the ""mid"" gut"\n'
    path.write_text(f"biosample\tattribute\tvalue\n{rows}")
    read = SOURCES["biosample_attributes"].read(path).biosample_attribute
    assert read["value"].to_list() == ['"gut', 'the "mid" gut']


NUMBERS = {
    name: columns
    for name in TEXT_TABLES
    if (columns := [one.name for one in HEADED[name][1].columns if one.unit is not None])
}
"""The columns of each format that hold numbers."""


def table_of(folder: Path, name: str, column: str, numbers: Sequence[str]) -> Path:
    """Return a table of the format ``name`` whose rows are its examples, but for ``column``."""
    layout = TABLES[name][1]
    rows = [
        [number if one.name == column else one.example for one in layout.columns]
        for number in numbers
    ]
    path = folder / "t.tsv"
    path.write_text("".join("\t".join(cells) + "\n" for cells in [layout.names, *rows]))
    return path


@pytest.mark.parametrize("name", NUMBERS)
def test_a_number_that_makes_no_sense_is_left_out_or_rejects_its_row(
    tmp_path: Path, name: str
) -> None:
    infinite = ["inf", "-Infinity", "NaN", "1e999"]
    words = ["twelve", "0x1F"]
    numbers = [*infinite, *words, "-1", "9" * 40, "1e300"]
    for column in NUMBERS[name]:
        records = read_layout(name, table_of(tmp_path, name, column, numbers))
        reason = f"{column} is not a finite number: '"
        rejected = records.rejected.filter(records.rejected["reason"].str.starts_with(reason))
        assert rejected["row"].sort().to_list() == [2, 3, 4, 5], column
        assert {6, 7} <= set(records.rejected["row"]), column
        ((read, kept, lost),) = records.rows.select(
            "rows_read", "rows_kept", "rows_rejected"
        ).rows()
        assert read == kept + lost == len(numbers), column


READERS = {
    ".biom": "biom",
    ".csv": "sra_run_table",
    ".gz": "palm_virome",
    ".tsv": "palm_virome",
    ".xml": "biosample_xml",
}
XML = b"<BioSampleSet>\n<BioSample>"
LONG = b"run\t" + b"x" * 2_000_000
TWICE = b"Run,BioSample,BioProject,host,host,note,note\nSYNR1,SYNS1,SYNP1,pig,cow,x,y\n"
BIOM = b'{"matrix_type":"sparse","rows":[{"id":"1"}],"columns":[{"id":"SYNR1"}],"data":%s}'
BROKEN = [
    ("t.tsv.gz", b"run\tsotu\nSYNR1\tu1\n", MalformedRowError, "not a gzip file"),
    ("t.tsv", LONG, MalformedRowError, "row 1: a header of more than 1,000,000 bytes"),
    ("t.tsv", b'run\t"sotu\n', InputError, "row 1: "),
    ("t.tsv", b'run,"sotu\nSYNR1,u1\n', InputError, "row 1: a header that cannot be read"),
    ("t.tsv", b"run\tsotu\trun\nR1\tu1\tR2\n", InputError, "row 1: several columns named run"),
    ("t.csv", TWICE, InputError, "t.csv, row 1: several columns named host, note"),
    ("set.xml", b"", TruncatedFileError, "no element found"),
    ("set.xml", XML, TruncatedFileError, "no element found"),
    (
        "set.xml",
        b"<BioSampleSet></BioSampleSet>",
        EmptyTableError,
        "contains no BioSample elements",
    ),
    ("set.xml", XML + b"</Wrong>", MalformedRowError, "row 2: not XML: mismatched tag"),
    ("set.xml", XML + b"\xe9", EncodingError, "row 2: byte 0xe9"),
    ("deep.biom", b'{"rows":' + b"[" * 100_000, MalformedRowError, "no BIOM table"),
    ("bare.biom", b'{"rows":[{}],"columns":[],"data":[]}', MalformedRowError, "no BIOM table"),
    ("endless.biom", BIOM % b"[[0,0,Infinity]]", MalformedRowError, "no BIOM table"),
    ("before.biom", BIOM % b"[[-1,0,5]]", MalformedRowError, "before the first row"),
    ("nothing.parquet", b"PAR1", ColumnError, "nothing.parquet"),
    ("run.parquet", b"PAR1 cut", TruncatedFileError, "run.parquet"),
]


@pytest.mark.parametrize(("name", "content", "error", "reason"), BROKEN)
def test_a_broken_file_is_refused_with_the_reason(
    tmp_path: Path, name: str, content: bytes, error: type[InputError], reason: str
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(error, match=reason):
        SOURCES[READERS.get(path.suffix, "record_table")].read(path)


def test_a_cell_that_is_too_long_rejects_its_row_and_no_other(tmp_path: Path) -> None:
    path = tmp_path / "attributes.tsv"
    long = "x" * (MOST_BYTES + 1)
    rows = f"SAMN1\ttissue\tlung\nSAMN2\ttissue\t{long}\nSAMN3\ttissue\tliver\n"
    path.write_text(f"biosample\tattribute\tvalue\n{rows}")
    records = SOURCES["biosample_attributes"].read(path)
    assert records.biosample_attribute["value"].to_list() == ["lung", "liver"]
    reason = "a cell of more than 1,000,000 bytes"
    assert records.rejected.rows() == [("attributes.tsv", 3, reason)]


def test_a_line_that_takes_too_much_memory_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("index.sources.delimited_cells.MOST_IN_LINE", 2_000_000)
    path = tmp_path / "attributes.tsv.gz"
    rows = ["SAMN1\ttissue\tlung", f"SAMN2\ttissue\t{'x' * 2_000_000}", "SAMN3\ttissue\tliver"]
    table = "\n".join(["biosample\tattribute\tvalue", *rows])
    path.write_bytes(gzip.compress(table.encode()))
    with pytest.raises(MalformedRowError, match="row 3: a line of more than 2,000,000 bytes"):
        SOURCES["biosample_attributes"].read(path)


def test_a_packed_file_that_swells_beyond_measure_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("index.sources.packed.MOST_UNPACKED", 100_000)
    table = tmp_path / "attributes.tsv.gz"
    rows = "SAMN1\ttissue\tlung\n" * 100_000
    table.write_bytes(gzip.compress(f"biosample\tattribute\tvalue\n{rows}".encode()))
    with pytest.raises(TooLargeError, match="unpacks to more than "):
        SOURCES["biosample_attributes"].read(table)
    monkeypatch.setattr("index.sources.packed.MOST_RATIO", 10_000)
    table.touch()
    assert len(SOURCES["biosample_attributes"].read(table).biosample_attribute) == 1


def test_a_member_of_an_archive_that_is_too_large_is_refused_unread(tmp_path: Path) -> None:
    entry = tarfile.TarInfo("names.dmp")
    entry.size = 5_000_000_000
    path = tmp_path / "taxdump.tar.gz"
    path.write_bytes(gzip.compress(entry.tobuf() + b"1"))
    for read in (open_dump, lambda path: taxon_ids(path, pl.Series(["x"]))):
        with pytest.raises(TooLargeError, match=r"names.dmp has more than 4,000,000,000 bytes"):
            read(path)


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.DIRTYPE])
def test_a_member_of_an_archive_that_is_a_link_is_refused(tmp_path: Path, kind: bytes) -> None:
    path = tmp_path / "taxdump.tar.gz"
    entry = tarfile.TarInfo("names.dmp")
    entry.type, entry.linkname = kind, "/etc/passwd"
    with tarfile.open(path, "w:gz") as archive:
        archive.addfile(entry)
    for read in (open_dump, lambda path: taxon_ids(path, pl.Series(["x"]))):
        with pytest.raises(InputError, match=r"its member names.dmp is a link or a folder"):
            read(path)


def test_names_of_a_taxdump_that_are_not_utf8_leave_the_others_readable(tmp_path: Path) -> None:
    names = (
        b"1\t|\tcaf\xe9\t|\t\t|\tscientific name\t|\n2\t|\tAlpha\t|\t\t|\tscientific "
        b"name\t|\nx\t|\n"
    )
    entry = tarfile.TarInfo("names.dmp")
    entry.size = len(names)
    with tarfile.open(tmp_path / "taxdump.tar.gz", "w:gz") as archive:
        archive.addfile(entry, io.BytesIO(names))
    found = taxon_ids(tmp_path / "taxdump.tar.gz", pl.Series(["ALPHA"]))
    assert found.rows() == [("alpha", "NCBITaxon:2")]


def test_a_header_is_read_trimmed_and_its_order_does_not_matter(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(b"\xef\xbb\xbf sotu , note, run \r\nu1,x,SYNR1\r\n")
    assert SOURCES["palm_virome"].read(path).detection.select("run", "sotu").rows() == [
        ("SYNR1", "u1")
    ]


def test_a_column_that_is_missing_is_named_with_the_one_that_may_be_meant(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("Run,Bio_Sample,bioproject\nSYNR1,SYNS1,SYNP1\n")
    with pytest.raises(ColumnError) as caught:
        SOURCES["sra_run_info"].read(path)
    assert str(caught.value) == (
        f"{path}, row 1: not a sra_run_info table: missing column(s) BioSample (is it "
        f"'Bio_Sample'?), "
        "BioProject (is it 'bioproject'?); found Run, Bio_Sample, bioproject\n"
        "  -> rename 'Bio_Sample' to 'BioSample'; rename 'bioproject' to 'BioProject'"
    )


@given(cells=st.lists(st.text('ab",\t ', max_size=6), min_size=1, max_size=12))
@settings(max_examples=15)
def test_rows_read_and_rejected_are_the_lines_whatever_the_quotes(
    tmp_path: Path, cells: list[str]
) -> None:
    for name in ("sra_run_info", "sra_run_table"):
        path = tmp_path / "t.csv"
        lines = [f"SYNR{number},SYNS1,SYNP1,{cell}" for number, cell in enumerate(cells)]
        path.write_text("\n".join(["Run,BioSample,BioProject,note", *lines]) + "\n")
        records = SOURCES[name].read(path)
        rejected = int(rows_rejected(records.rejected)["rows"].sum())
        assert len(records.run) + rejected == len(cells)
