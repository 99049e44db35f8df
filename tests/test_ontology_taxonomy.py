"""NCBI taxdump: archives, names and their scopes, merged and deleted taxids, and what is wrong with
a dump.
"""

from __future__ import annotations

import io
import tarfile
import zipfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ontology_etl.errors import (
    ColumnError,
    EmptyTableError,
    InputError,
    MalformedRowError,
    MissingFileError,
    TruncatedFileError,
)
from ontology_etl.load import OntologyTables, load_ontology

NODES = """
1     | 1     | no rank
2     | 1     | domain
9605  | 1     | genus
9606  | 9605  | species
63221 | 9606  | subspecies
"""
NAMES = """
1     | root             |                  | scientific name
2     | Bacteria         | Bacteria <bacteria> | scientific name
2     | Prokaryota       |                  | in-part
2     | eubacteria       |                  | genbank common name
9605  | Homo             |                  | scientific name
9606  | Homo sapiens     |                  | scientific name
9606  | human            |                  | common name
9606  | Home sapiens     |                  | misspelling
63221 | Neandertal "man" |                  | scientific name
"""
MERGED = """
5  | 6
6  | 9606
"""
SEPTEM = "7 | Septem | | scientific name"


def rows(text: str) -> list[list[str]]:
    return [
        [cell.strip() for cell in line.split("|")]
        for line in text.strip("\n").split("\n")
        if line.strip()
    ]


def dmp(text: str, *, pad: int = 0) -> bytes:
    """Return a text table in dump format; ``pad`` empty fields are put behind each row, as in
    nodes.dmp.
    """
    return "".join("\t|\t".join([*cells, *["0"] * pad]) + "\t|\n" for cells in rows(text)).encode()


def members(**changed: bytes) -> dict[str, bytes]:
    whole = {
        "nodes": dmp(NODES, pad=10),
        "names": dmp(NAMES),
        "merged": dmp(MERGED),
        "delnodes": b"77\t|\n",
    }
    return {f"{name}.dmp": content for name, content in (whole | changed).items()}


def load(folder: Path, **changed: bytes) -> OntologyTables:
    dump = folder / "taxdump"
    dump.mkdir(exist_ok=True)
    for name, content in members(**changed).items():
        (dump / name).write_bytes(content)
    return load_ontology("NCBITaxon", dump)


def reasons(tables: OntologyTables) -> list[tuple[str, int, str]]:
    listed = tables.rejected.select("source", "row", "reason").rows()
    return [(source.rsplit(":", 1)[1], row, reason) for source, row, reason in listed]


def test_taxa_names_and_parents(tmp_path: Path) -> None:
    tables = load(tmp_path)
    assert tables.term.select("curie", "label", "rank", "obsolete", "replaced_by").rows() == [
        ("NCBITaxon:1", "root", "no rank", False, None),
        ("NCBITaxon:2", "Bacteria", "domain", False, None),
        ("NCBITaxon:5", "NCBITaxon:5", None, True, "NCBITaxon:9606"),
        ("NCBITaxon:6", "NCBITaxon:6", None, True, "NCBITaxon:9606"),
        ("NCBITaxon:63221", 'Neandertal "man"', "subspecies", False, None),
        ("NCBITaxon:77", "NCBITaxon:77", None, True, None),
        ("NCBITaxon:9605", "Homo", "genus", False, None),
        ("NCBITaxon:9606", "Homo sapiens", "species", False, None),
    ]
    assert tables.synonym.rows() == [
        ("NCBITaxon:2", "Prokaryota", "BROAD"),
        ("NCBITaxon:2", "eubacteria", "EXACT"),
        ("NCBITaxon:9606", "Home sapiens", "RELATED"),
        ("NCBITaxon:9606", "human", "EXACT"),
    ]
    assert tables.term_edge.rows() == [
        ("NCBITaxon:2", "parent", "NCBITaxon:1"),
        ("NCBITaxon:63221", "parent", "NCBITaxon:9606"),
        ("NCBITaxon:9605", "parent", "NCBITaxon:1"),
        ("NCBITaxon:9606", "parent", "NCBITaxon:9605"),
    ]
    assert (reasons(tables), tables.repairs) == ([], 0)


def test_archive_folder_and_zip_say_the_same(tmp_path: Path) -> None:
    folder = load(tmp_path)
    with (
        tarfile.open(tmp_path / "taxdump.tar.gz", "w:gz") as tar,
        zipfile.ZipFile(tmp_path / "dump.zip", "w") as packed,
    ):
        for name, content in members().items():
            entry = tarfile.TarInfo(name)
            entry.size, entry.mtime = len(content), 1_725_840_000
            tar.addfile(entry, io.BytesIO(content))
            packed.writestr(zipfile.ZipInfo(name, (2024, 9, 9, 0, 0, 0)), content)
    for archive in ("taxdump.tar.gz", "dump.zip"):
        tables = load_ontology("NCBITaxon", tmp_path / archive)
        assert tables.term.equals(folder.term)
        assert tables.release.select("version", "source", "terms", "synonyms").rows() == [
            ("2024-09-09", archive, 5, 4)
        ]


@pytest.mark.parametrize(
    ("changed", "expected", "repairs"),
    [
        (
            {"nodes": dmp(NODES + "7 | 4 | species", pad=10), "names": dmp(NAMES + SEPTEM)},
            [("nodes.dmp", 6, "parent taxid does not exist")],
            0,
        ),
        ({"nodes": dmp(NODES + "7 | 5 | species", pad=10), "names": dmp(NAMES + SEPTEM)}, [], 1),
        ({"nodes": dmp(NODES + "2 | 1 | domain", pad=10)}, [("nodes.dmp", 6, "taxid stated twice")],
        0),
        (
            {"names": dmp(NAMES + "8 | x |  | synonym")},
            [("names.dmp", 10, "name of a taxid that is not in nodes.dmp")],
            0,
        ),
        ({"names": dmp(NAMES + "2 |  |  | synonym")}, [("names.dmp", 10, "empty name")], 0),
        ({"names": dmp(NAMES + "2 | x |  | nickname")}, [("names.dmp", 10, "unknown name class")],
        0),
        (
            {"names": dmp(NAMES + "2 | ATCC 1 |  | type material")},
            [("names.dmp", 10, "type material names a specimen, not the taxon")],
            0,
        ),
        ({"names": dmp(NAMES + "2 | x | synonym")}, [("names.dmp", 10, "wrong number of fields")],
        0),
        ({"names": dmp(NAMES + "2 | a | b | c | d | e")}, [("names.dmp", 10,
        "wrong number of fields")], 0),
        ({"names": dmp(NAMES + "two | x |  | synonym")}, [("names.dmp", 10,
        "an id that is not an integer")], 0),
        (
            {"names": dmp(NAMES) + b"2\t|\tB\xe9b\xe9\t|\t\t|\tsynonym\t|\n"},
            [("names.dmp", 10, "bytes that are not UTF-8")],
            0,
        ),
        ({"merged": dmp(MERGED + "2 | 9606")}, [("merged.dmp", 3, "merged taxid is live")], 0),
        ({"merged": dmp(MERGED + "8 | 88")}, [("merged.dmp", 3, "merged into a taxid that is not "
            "live")], 0),
        ({"merged": dmp(MERGED + "8 | 8")}, [("merged.dmp", 3, "merged into a taxid that is not "
            "live")], 0),
    ],
    ids=[
        "dangling parent", "merged parent", "duplicate id", "unknown taxid", "empty",
        "unknown class", "type material",
        "missing field", "spare fields", "no integer", "not UTF-8", "merged but live",
        "merged into nothing",
        "merged into itself",
    ],
)  # fmt: skip
def test_bad_rows_are_counted_and_the_rest_is_read(
    tmp_path: Path, changed: dict[str, bytes], expected: list[tuple[str, int, str]], repairs: int
) -> None:
    tables = load(tmp_path, **changed)
    assert (reasons(tables), tables.repairs) == (expected, repairs)
    assert ("NCBITaxon:9606", "parent", "NCBITaxon:9605") in tables.term_edge.rows()
    assert len(tables.synonym) == 4


def test_taxon_without_a_scientific_name_is_labelled_by_its_identifier(tmp_path: Path) -> None:
    tables = load(tmp_path, nodes=dmp(NODES + "7 | 2 | species", pad=10))
    assert tables.term.filter(curie="NCBITaxon:7")["label"].to_list() == ["NCBITaxon:7"]
    assert reasons(tables) == [
        ("nodes.dmp", 6, "taxon without a scientific name, labelled by its identifier")
    ]


@pytest.mark.parametrize(
    ("changed", "error", "row"),
    [
        ({"nodes": dmp(NODES)}, ColumnError, 1),
        ({"nodes": dmp(NODES, pad=9)}, ColumnError, 1),
        ({"names": dmp("1 | root | scientific name")}, ColumnError, 1),
        ({"nodes": dmp(NODES + "7 | 8 | x\n8 | 7 | x\n9 | 8 | x", pad=10)}, MalformedRowError,
        None),
        ({"names": dmp(NAMES)[:-9]}, TruncatedFileError, 9),
        ({"nodes": b""}, EmptyTableError, None),
    ],
    ids=[
        "three columns", "column lost", "name column lost", "circle", "cut", "empty",
    ],
)  # fmt: skip
def test_bad_hierarchy_is_refused_with_file_and_row(
    tmp_path: Path, changed: dict[str, bytes], error: type[InputError], row: int | None
) -> None:
    with pytest.raises(error) as caught:
        load(tmp_path, **changed)
    member = next(iter(changed))
    assert f"taxdump:{member}.dmp" in str(caught.value)
    assert row is None or caught.value.row == row


@pytest.mark.parametrize(
    ("changed", "row", "reason"),
    [
        ({"nodes": dmp(NODES + "x | 1 | species", pad=10)}, 6, "an id that is not an integer"),
        ({"nodes": dmp(NODES, pad=10) + dmp("7 | 1 | species")}, 6, "wrong number of fields"),
        (
            {"nodes": dmp(NODES + "2 | 9605 | domain", pad=10)},
            6,
            "taxid with a second parent or rank",
        ),
        ({"merged": dmp(MERGED + "a | b")}, 3, "an id that is not an integer"),
    ],
    ids=["id", "ragged", "two parents", "merged"],
)
def test_one_bad_row_of_the_hierarchy_is_rejected_and_the_rest_is_read(
    tmp_path: Path, changed: dict[str, bytes], row: int, reason: str
) -> None:
    good, bad = load(tmp_path), load(tmp_path, **changed)
    member = next(iter(changed))
    assert (f"{member}.dmp", row, reason) in reasons(bad)
    assert bad.term.equals(good.term)
    assert bad.term_edge.equals(good.term_edge)


def test_many_bad_rows_of_the_hierarchy_are_refused_with_the_first(tmp_path: Path) -> None:
    with pytest.raises(MalformedRowError, match="10 more rows that cannot be read") as caught:
        load(tmp_path, nodes=dmp(NODES + "x | 1 | species\n" * 11, pad=10))
    assert caught.value.row == 6


@pytest.mark.parametrize("folder", ["./", "taxdump/", "new/taxdump/"])
@pytest.mark.parametrize("packed", ["dump.tar.gz", "dump.zip"])
def test_dump_packed_again_in_a_folder_is_read(tmp_path: Path, folder: str, packed: str) -> None:
    path = tmp_path / packed
    if packed.endswith("zip"):
        with zipfile.ZipFile(path, "w") as archive:
            for name, content in members().items():
                archive.writestr(folder + name, content)
    else:
        with tarfile.open(path, "w:gz") as tar:
            for name, content in members().items():
                entry = tarfile.TarInfo(folder + name)
                entry.size = len(content)
                tar.addfile(entry, io.BytesIO(content))
    assert load_ontology("NCBITaxon", path).term.equals(load(tmp_path).term)


def test_folder_that_holds_the_folder_of_a_dump_is_read(tmp_path: Path) -> None:
    inner = tmp_path / "outer" / "taxdump"
    inner.mkdir(parents=True)
    for name, content in members().items():
        (inner / name).write_bytes(content)
    assert load_ontology("NCBITaxon", inner.parent).term.equals(load(tmp_path).term)


def test_lines_may_end_as_in_dos(tmp_path: Path) -> None:
    plain = load(tmp_path)
    dos = {name.removesuffix(".dmp"): content.replace(b"\n", b"\r\n")
           for name, content in members().items()}  # fmt: skip
    assert load(tmp_path, **dos).term.equals(plain.term)


def test_archive_cut_short_is_truncated(tmp_path: Path) -> None:
    path = tmp_path / "taxdump.tar.gz"
    with tarfile.open(path, "w:gz") as tar:
        for name, content in members().items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            tar.addfile(entry, io.BytesIO(content))
    whole = path.read_bytes()
    for size in (0, 10, len(whole) // 2, len(whole) - 12):
        path.write_bytes(whole[:size])
        with pytest.raises(TruncatedFileError, match=r"taxdump\.tar\.gz: ends early"):
            load_ontology("NCBITaxon", path)


def test_missing_dump_and_missing_member_are_named(tmp_path: Path) -> None:
    with pytest.raises(MissingFileError):
        load_ontology("NCBITaxon", tmp_path / "gone.tar.gz")
    (tmp_path / "nodes.dmp").write_bytes(dmp(NODES, pad=10))
    with pytest.raises(InputError, match=r"holds no names\.dmp"):
        load_ontology("NCBITaxon", tmp_path)


@settings(max_examples=50)
@given(
    tail=st.binary(max_size=60), member=st.sampled_from(["nodes", "names", "merged", "delnodes"])
)
def test_any_tail_is_read_counted_or_refused(tmp_path: Path, tail: bytes, member: str) -> None:
    try:
        curies = set(load(tmp_path, **{member: members()[f"{member}.dmp"] + tail}).term["curie"])
    except InputError as error:
        curies = {f"refused {error.path.name}"}
    assert curies & {"NCBITaxon:9606", f"refused taxdump:{member}.dmp"}


def test_a_zip_without_dates_is_read_and_one_with_a_password_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "dump.zip"
    with zipfile.ZipFile(path, "w") as packed:
        for name, content in members().items():
            packed.writestr(zipfile.ZipInfo(name, (1980, 0, 0, 0, 0, 0)), content)
    assert load_ontology("NCBITaxon", path).release["version"].to_list() == ["1980-01-01"]
    locked = path.read_bytes().replace(
        b"PK\x01\x02\x14\x03\x14\x00\x00", b"PK\x01\x02\x14\x03\x14\x00\x01"
    )
    path.write_bytes(locked)
    with pytest.raises(
        InputError, match=r"dump\.zip: cannot be unpacked: .*(?s:.)*unpack it with another program"
    ):
        load_ontology("NCBITaxon", path)
