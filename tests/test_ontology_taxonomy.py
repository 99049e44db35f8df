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


def packed(path: Path, *, folder: str = "") -> Path:
    """Pack the whole dump, each member in ``folder``."""
    if path.suffix == ".zip":
        with zipfile.ZipFile(path, "w") as archive:
            for name, content in members().items():
                archive.writestr(zipfile.ZipInfo(folder + name, (2024, 9, 9, 0, 0, 0)), content)
        return path
    with tarfile.open(path, "w:gz") as tar:
        for name, content in members().items():
            entry = tarfile.TarInfo(folder + name)
            entry.size, entry.mtime = len(content), 1_725_840_000
            tar.addfile(entry, io.BytesIO(content))
    return path


@pytest.mark.parametrize("folder", ["", "./", "new/taxdump/"])
@pytest.mark.parametrize("archive", ["taxdump.tar.gz", "dump.zip"])
def test_archive_and_folder_say_the_same(tmp_path: Path, archive: str, folder: str) -> None:
    tables = load_ontology("NCBITaxon", packed(tmp_path / archive, folder=folder))
    assert tables.term.equals(load(tmp_path).term)
    assert tables.release.select("version", "source", "terms", "synonyms").rows() == [
        ("2024-09-09", archive, 5, 4)
    ]


BAD_ROWS = """
nodes  | 7;4;species           | 6  | parent taxid does not exist
nodes  | 2;1;domain            | 6  | taxid stated twice
names  | 8;x;;synonym          | 10 | name of a taxid that is not in nodes.dmp
names  | 2;;;synonym           | 10 | empty name
names  | 2;x;;nickname         | 10 | unknown name class
names  | 2;ATCC 1;;type material | 10 | type material names a specimen, not the taxon
names  | 2;x;synonym           | 10 | wrong number of fields
names  | 2;a;b;c;d;e           | 10 | wrong number of fields
names  | two;x;;synonym        | 10 | an id that is not an integer
names  | 2;\udce9;;synonym     | 10 | bytes that are not UTF-8
merged | 2;9606                | 3  | merged taxid is live
merged | 8;88                  | 3  | merged into a taxid that is not live
merged | 8;8                   | 3  | merged into a taxid that is not live
merged | a;b                   | 3  | an id that is not an integer
nodes  | x;1;species           | 6  | an id that is not an integer
nodes  | 2;9605;domain         | 6  | taxid with a second parent or rank
"""


@pytest.mark.parametrize("case", BAD_ROWS.strip().splitlines())
def test_bad_rows_are_counted_and_the_rest_is_read(tmp_path: Path, case: str) -> None:
    member, row, place, reason = (cell.strip() for cell in case.split("|"))
    good = load(tmp_path)
    known = [SEPTEM] if row.startswith("7;") else []
    padded = [*row.split(";"), *["0"] * (10 if member == "nodes" else 0)]
    line = ("\t|\t".join(padded) + "\t|\n").encode(errors="surrogateescape")
    changed = {"names": members()["names.dmp"] + dmp("\n".join(known))}
    changed[member] = changed.get(member, members()[f"{member}.dmp"]) + line
    bad = load(tmp_path, **changed)
    assert (reasons(bad), bad.repairs) == ([(f"{member}.dmp", int(place), reason)], 0)
    assert bad.term_edge.equals(good.term_edge)
    assert bad.synonym.equals(good.synonym)
    live = bad.term.filter(obsolete=False)
    assert len(live) == len(good.term.filter(obsolete=False)) + len(known)


def test_a_parent_that_was_merged_is_repaired_and_a_ragged_row_is_rejected(tmp_path: Path) -> None:
    nodes = dmp(NODES + "7 | 5 | species", pad=10) + dmp("8 | 1 | species")
    tables = load(tmp_path, nodes=nodes, names=dmp(NAMES + SEPTEM))
    assert (reasons(tables), tables.repairs) == ([("nodes.dmp", 7, "wrong number of fields")], 1)
    assert ("NCBITaxon:7", "parent", "NCBITaxon:9606") in tables.term_edge.rows()


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
)  # fmt: skip
def test_bad_hierarchy_is_refused_with_file_and_row(
    tmp_path: Path, changed: dict[str, bytes], error: type[InputError], row: int | None
) -> None:
    with pytest.raises(error) as caught:
        load(tmp_path, **changed)
    member = next(iter(changed))
    assert f"taxdump:{member}.dmp" in str(caught.value)
    assert row is None or caught.value.row == row


def test_many_bad_rows_of_the_hierarchy_are_refused_with_the_first(tmp_path: Path) -> None:
    with pytest.raises(MalformedRowError, match="10 more rows that cannot be read") as caught:
        load(tmp_path, nodes=dmp(NODES + "x | 1 | species\n" * 11, pad=10))
    assert caught.value.row == 6


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
    path = packed(tmp_path / "taxdump.tar.gz")
    whole = path.read_bytes()
    for size in (0, 10, len(whole) // 2, len(whole) - 12):
        path.write_bytes(whole[:size])
        with pytest.raises(TruncatedFileError, match=r"taxdump\.tar\.gz: ends early"):
            load_ontology("NCBITaxon", path)


def test_missing_dump_and_missing_member_are_named(tmp_path: Path) -> None:
    with pytest.raises(MissingFileError):
        load_ontology("NCBITaxon", tmp_path / "gone.tar.gz")
    (tmp_path / "nodes.dmp").write_bytes(dmp(NODES, pad=10))
    with pytest.raises(InputError, match=r"contains no names\.dmp"):
        load_ontology("NCBITaxon", tmp_path)


@settings(max_examples=30)
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
