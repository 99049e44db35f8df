"""OBO files: what is read, what is repaired, what is rejected and counted, what is refused."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ontology_etl.errors import (
    EmptyTableError,
    InputError,
    MalformedRowError,
    MissingFileError,
    TruncatedFileError,
)
from ontology_etl.load import OntologyTables, load_ontology

HEADER = "format-version: 1.2\ndata-version: releases/2021-01-01\nontology: bto\n"
LUNG = """
[Term]
id: BTO:0000001
name: lung
synonym: "pulmo" RELATED []

[Term]
id: BTO:0000002
name: lung lobe
is_a: BTO:0000003 ! organ
relationship: part_of BTO:0000001 {source="x"} ! lung
xref: UBERON:0000101

[Term]
id: BTO:0000003
name: organ

[Typedef]
id: part_of
name: part of
"""


def load(folder: Path, text: str | bytes, name: str = "BTO") -> OntologyTables:
    path = folder / "x.obo"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return load_ontology(name, path)


def reasons(tables: OntologyTables) -> list[tuple[int, str]]:
    return tables.rejected.select("row", "reason").rows()


def test_statements_of_a_small_ontology(tmp_path: Path) -> None:
    tables = load(tmp_path, HEADER + LUNG)
    assert tables.term.select("curie", "label", "obsolete").rows() == [
        ("BTO:0000001", "lung", False),
        ("BTO:0000002", "lung lobe", False),
        ("BTO:0000003", "organ", False),
    ]
    assert tables.synonym.rows() == [("BTO:0000001", "pulmo", "RELATED")]
    assert tables.term_edge.rows() == [
        ("BTO:0000002", "is_a", "BTO:0000003"),
        ("BTO:0000002", "part_of", "BTO:0000001"),
    ]
    assert tables.xref.rows() == [("BTO:0000002", "UBERON:0000101")]
    assert tables.release.select(
        "ontology", "version", "source", "licence", "terms", "synonyms"
    ).rows() == [("BTO", "releases/2021-01-01", "x.obo", "CC BY 4.0", 3, 1)]
    assert (len(tables.rejected), tables.repairs) == (0, 0)


@pytest.mark.parametrize(
    ("broken", "repairs"),
    [
        ('def: "A knot." [Webster:http\\://m-w.com/celiac ganglion]', 1),
        ('def: "A knot." [PMID: 9522462, PMID:  1]', 1),
        ('synonym: "66 [mouse tumor] cell" RELATED []', 0),
        ('def: "A knot." [A:1, B:2 "two words"]', 0),
        ('synonym: "knot" EXACT OMO:0003012 []', 1),
    ],
    ids=[
        "blank in an address",
        "blanks after the colon",
        "bracket in a name",
        "described xref",
        "undeclared type",
    ],
)
def test_what_pronto_refuses_is_repaired_and_counted(
    tmp_path: Path, broken: str, repairs: int
) -> None:
    tables = load(tmp_path, f"{HEADER}\n[Term]\nid: BTO:0000001\nname: ganglion\n{broken}\n")
    assert (tables.repairs, len(tables.term), reasons(tables)) == (repairs, 1, [])
    assert len(tables.synonym) == broken.startswith("synonym")


OBSOLETE = """
[Term]
id: DOID:1
name: influenza
alt_id: DOID:2
alt_id: DOID:3

[Term]
id: DOID:3
name: obsolete grippe
is_obsolete: true

[Term]
id: DOID:4
name: obsolete flu
is_obsolete: true
replaced_by: DOID:3

[Term]
id: DOID:5
name: obsolete vapours
is_obsolete: true
"""


def test_obsolete_terms_and_alternative_ids_resolve_to_a_live_term(tmp_path: Path) -> None:
    tables = load(tmp_path, HEADER + OBSOLETE, "DOID")
    assert tables.term.select("curie", "label", "obsolete", "replaced_by").rows() == [
        ("DOID:1", "influenza", False, None),
        ("DOID:2", "DOID:2", True, "DOID:1"),
        ("DOID:3", "grippe", True, "DOID:1"),
        ("DOID:4", "flu", True, "DOID:1"),
        ("DOID:5", "vapours", True, None),
    ]
    assert tables.release["terms"].to_list() == [1]


def test_alternative_id_that_is_live_or_claimed_twice_resolves_to_nothing(tmp_path: Path) -> None:
    text = (
        "\n[Term]\nid: DOID:1\nname: a\nalt_id: DOID:2\nalt_id: DOID:9\n"
        "\n[Term]\nid: DOID:2\nname: b\nalt_id: DOID:9\n"
    )
    tables = load(tmp_path, HEADER + text, "DOID")
    assert tables.term["obsolete"].to_list() == [False, False]
    assert [row for row, _ in reasons(tables)] == [6, 6, 12]


def test_logical_definitions_become_edges(tmp_path: Path) -> None:
    text = """
[Term]
id: DOID:1
name: COVID-19
intersection_of: DOID:2
intersection_of: has_material_basis_in NCBITaxon:2697049

[Term]
id: DOID:2
name: disease
relationship: has_symptom SYMP:0000613 ! fever
"""
    assert load(tmp_path, HEADER + text, "DOID").term_edge.rows() == [
        ("DOID:1", "has_material_basis_in", "NCBITaxon:2697049"),
        ("DOID:1", "is_a", "DOID:2"),
        ("DOID:2", "has_symptom", "SYMP:0000613"),
    ]


@pytest.mark.parametrize(
    ("stanza", "expected"),
    [
        ("id: BTO:1\nname: a\nsynonym: knot EXACT", [(7, "not a clause of the OBO format")]),
        ("id: BTO:1\nname: a\nwhat is this", [(7, "not a clause of the OBO format")]),
        ("id: BTO:1\nname: a\nname: a", [(7, "name stated twice in one stanza")]),
        ("id: BTO:1\nname: a\nis_a: BTO:9", [(7, "is_a points to a term that does not exist")]),
        ("id: BTO:1\nname: a\nis_a: BTO:1", [(7, "is_a points to the term itself")]),
        ("id: BTO:1", [(5, "term without a name, labelled by its identifier")]),
        ("id: BTO:1\nname: a\n\n[Term]\nid: BTO:1\nname: a", [(row,
        "second stanza of BTO:1") for row in (8, 9, 10)]),
        ("id: BTO:1\nname: a\n\n[Term]\nname: b", [(8, "stanza without an id"), (9,
        "stanza without an id")]),
        (
            "id: BTO:1\nname: a\n\n[Instance]\nid: BTO:2",
            [(row, "stanza is neither a term nor a relationship type") for row in (8, 9)],
        ),
    ],
    ids=[
        "malformed synonym", "no clause", "name twice", "dangling parent", "own parent", "no name",
        "duplicate stanza",
        "no id", "instance",
    ],
)  # fmt: skip
def test_bad_annotation_is_rejected_with_its_row_and_the_rest_is_read(
    tmp_path: Path, stanza: str, expected: list[tuple[int, str]]
) -> None:
    tables = load(tmp_path, f"{HEADER}[Term]\n{stanza}\n")
    assert reasons(tables) == expected
    assert tables.term["curie"].to_list() == ["BTO:1"]
    assert len(tables.term_edge) == 0


@pytest.mark.parametrize(
    ("stanza", "row", "reason"),
    [
        ("id: BTO:1\nname: a\nis_a: BTO 2 3", 7, "not a reference to a term"),
        ("id: BTO:1\nname: a\nis_obsolete: perhaps", 7, "not a clause of the OBO format"),
        ("id: BTO:1\nname: a\nname: b", 7, "name stated twice in one stanza"),
        ("id: BTO:1\nname: a\n\n[Term]\nid: BTO:1\nname: b", 8, "second stanza of BTO:1"),
        (
            "id: BTO:1\nname: a\n\n[Term]\nid: BTO:1\nname: a\nis_a: BTO:2",
            8,
            "second stanza of BTO:1",
        ),
        (
            "id: BTO:1\nname: a\nis_a: BTO:2\n\n[Term]\nid: BTO:2\nname: b\nis_a: BTO:1",
            5,
            "a circle of is_a: BTO:1 is_a BTO:2 is_a BTO:1",
        ),
    ],
    ids=[
        "parent",
        "obsolescence",
        "two names",
        "id of two terms",
        "id with two hierarchies",
        "circle",
    ],
)
def test_bad_structure_is_refused_with_its_row(
    tmp_path: Path, stanza: str, row: int, reason: str
) -> None:
    with pytest.raises(MalformedRowError) as caught:
        load(tmp_path, f"{HEADER}[Term]\n{stanza}\n")
    assert (caught.value.row, caught.value.reason) == (row, reason)
    assert str(tmp_path / "x.obo") in str(caught.value)


def test_undecodable_synonym_is_rejected_and_undecodable_parent_refused(tmp_path: Path) -> None:
    stanza = HEADER.encode() + b'[Term]\nid: BTO:1\nname: a\nsynonym: "\xe9pididyme" RELATED []\n'
    assert reasons(load(tmp_path, stanza)) == [(7, "bytes that are not UTF-8")]
    with pytest.raises(MalformedRowError, match="row 8: bytes that are not UTF-8"):
        load(tmp_path, stanza + b"is_a: BTO:\xe9\n")


def test_file_that_ends_within_a_stanza_is_truncated(tmp_path: Path) -> None:
    with pytest.raises(TruncatedFileError, match="row 8: ends early"):
        load(tmp_path, HEADER + '\n[Term]\nid: BTO:1\nname: a\ndef: "A kno')


def test_what_is_stored_does_not_say_where_the_file_lay(tmp_path: Path) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    twice = "[Term]\nid: BTO:0000009\nname: gut\nalt_id: BTO:0000001\n\n"
    stored = []
    for folder in (here, there):
        folder.mkdir()
        stored.append(load(folder, HEADER + LUNG.replace("\n[Typedef]", f"\n{twice}[Typedef]")))
    assert stored[0].rejected["source"].to_list() == ["x.obo"]
    assert stored[0].rejected.equals(stored[1].rejected)
    assert stored[0].release.equals(stored[1].release)


def test_missing_and_empty_files_are_named(tmp_path: Path) -> None:
    with pytest.raises(MissingFileError, match=r"gone\.obo: no such file"):
        load_ontology("BTO", tmp_path / "gone.obo")
    with pytest.raises(EmptyTableError, match=r"holds no \[Term\] stanzas"):
        load(tmp_path, HEADER)
    with pytest.raises(EmptyTableError):
        load(tmp_path, b"")


def test_equal_input_gives_equal_tables(tmp_path: Path) -> None:
    first, second = (load(tmp_path, HEADER + LUNG) for _ in range(2))
    assert first.term.equals(second.term)
    assert first.term_edge.equals(second.term_edge)


LINES = st.sampled_from([
    "[Term]", "[Typedef]", "[Instance]", "[Te", "", "! a comment", "id: BTO:1", "id: BTO:2",
    "id: BTO:3", "id:",
    "name: a", "name: b", "is_a: BTO:1", "is_a: BTO:2 ! b", "is_a: BTO:9", "is_a:",
    "relationship: part_of BTO:1",
    "relationship: x", "alt_id: BTO:7", "alt_id: BTO:1", "is_obsolete: true", "replaced_by: BTO:1",
    'synonym: "s',
    'synonym: "s" EXACT []', 'synonym: "s" EXACT ZZ []', 'def: "d" [A b]', "intersection_of: BTO:1",
    "xref: A:1",
    "xref: A b", "consider: BTO:1", "subset: s", "\tq", "name: \ufffd", "\x0c",
    "creation_date: 2011",
    "relationship: p\u2028q BTO:1",
])  # fmt: skip


def outcome(folder: Path, text: str) -> OntologyTables | InputError:
    try:
        return load(folder, text)
    except InputError as error:
        return error


@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(lines=st.lists(LINES, max_size=14), ended=st.booleans())
def test_any_text_is_read_or_refused_with_a_named_error(
    tmp_path: Path, lines: list[str], ended: bool
) -> None:
    read = outcome(tmp_path, HEADER + "\n".join(["[Term]", "id: BTO:1", *lines]) + "\n" * ended)
    if isinstance(read, InputError):
        assert read.path.name == "x.obo"
        assert read.remedy
        return
    cited = read.term_edge.filter(pl.col("object").str.starts_with("BTO:"))["object"]
    assert set(cited) <= set(read.term["curie"])
    assert read.term.filter(~pl.col("obsolete") & pl.col("replaced_by").is_not_null()).is_empty()
    assert set(read.term["replaced_by"].drop_nulls()) <= set(
        read.term.filter(~pl.col("obsolete"))["curie"]
    )


@settings(
    max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(content=st.binary(max_size=200))
def test_any_bytes_are_read_or_refused_with_a_named_error(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "x.obo"
    path.write_bytes(b"[Term]\nid: BTO:1\n" + content)
    try:
        curies = load_ontology("BTO", path).term["curie"].to_list()
    except InputError as error:
        curies = [f"refused: {error.path.name}"]
    assert set(curies) & {"BTO:1", "refused: x.obo"}
