"""OBO files: what is read, what is repaired, what is rejected and counted, what is refused."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from hypothesis import example, given, settings
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


REPAIRED = """
1 | def: "A knot." [Webster:http\\://m-w.com/celiac ganglion]
1 | def: "A knot." [PMID: 9522462, PMID:  1]
0 | synonym: "66 [mouse tumor] cell" RELATED []
0 | def: "A knot." [A:1, B:2 "two words"]
1 | synonym: "knot" EXACT OMO:0003012 []
"""


@pytest.mark.parametrize("row", REPAIRED.strip().splitlines())
def test_what_pronto_refuses_is_repaired_and_counted(tmp_path: Path, row: str) -> None:
    repairs, broken = row.split(" | ")
    tables = load(tmp_path, f"{HEADER}\n[Term]\nid: BTO:0000001\nname: ganglion\n{broken}\n")
    assert (tables.repairs, len(tables.term), reasons(tables)) == (int(repairs), 1, [])
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


REJECTED = """
name: a; synonym: knot EXACT       | 7 not a clause of the OBO format
name: a; what is this              | 7 not a clause of the OBO format
name: a; is_obsolete: perhaps      | 7 not a clause of the OBO format
name: a; name: a                   | 7 name stated twice in one stanza
name: a; name: b                   | 7 name stated twice in one stanza
name: a; is_a: BTO:9               | 7 is_a points to a term that does not exist
name: a; is_a: BTO:1               | 7 is_a points to the term itself
name: a; is_a: BTO 2 3             | 7 not a reference to a term
name: a; relationship: starts_at TS01 | 7 not a reference to a term
name: a; relationship: dc-contributor http://orcid.org/0000-0002 | 7 not a reference to a term
name: a; ; [Term]; id: BTO:1; name: b | 8 9 10 second stanza of BTO:1
name: a; ; [Term]; id: BTO:1; name: a; is_a: BTO:2 | 8 9 10 11 second stanza of BTO:1
name: a; ; [Term]; name: b         | 8 9 stanza without an id
name: a; ; [Instance]; id: BTO:2   | 8 9 stanza is neither a term nor a relationship type
"""


@pytest.mark.parametrize("row", REJECTED.strip().splitlines())
def test_a_bad_line_is_rejected_with_its_row_and_the_rest_is_read(tmp_path: Path, row: str) -> None:
    stanza, said = (cell.strip() for cell in row.split(" | "))
    numbers = [word for word in said.split() if word.isdigit()]
    reason = said.removeprefix(" ".join(numbers)).strip()
    text = f"id: BTO:1; {stanza}; ; [Term]; id: BTO:5; name: e; is_a: BTO:1; "
    tables = load(tmp_path, f"{HEADER}[Term]\n" + text.replace("; ", "\n"))
    assert reasons(tables) == [(int(number), reason) for number in numbers]
    assert tables.term.select("curie", "label").rows() == [("BTO:1", "a"), ("BTO:5", "e")]
    assert tables.term_edge.rows() == [("BTO:5", "is_a", "BTO:1")]


def test_a_term_without_a_name_is_labelled_by_its_identifier(tmp_path: Path) -> None:
    tables = load(tmp_path, f"{HEADER}[Term]\nid: BTO:1\n")
    assert reasons(tables) == [(5, "term without a name, labelled by its identifier")]
    assert tables.term["label"].to_list() == ["BTO:1"]


def test_many_broken_lines_of_the_structure_are_refused_with_the_first_row(tmp_path: Path) -> None:
    stanzas = "".join(f"[Term]\nid: BTO:{n}\nname: a\nis_a: BTO 2 3\n" for n in range(1, 12))
    with pytest.raises(MalformedRowError) as caught:
        load(tmp_path, HEADER + stanzas)
    assert caught.value.row == 7
    assert "10 more structural clauses" in caught.value.reason


def test_circle_of_is_a_is_refused_with_its_terms(tmp_path: Path) -> None:
    stanzas = "[Term]\nid: BTO:1\nname: a\nis_a: BTO:2\n\n[Term]\nid: BTO:2\nname: b\nis_a: BTO:1\n"
    with pytest.raises(MalformedRowError) as caught:
        load(tmp_path, HEADER + stanzas)
    assert caught.value.row == 5
    assert caught.value.reason == "a circle of is_a: BTO:1 is_a BTO:2 is_a BTO:1"
    assert str(tmp_path / "x.obo") in str(caught.value)


def test_chain_of_a_thousand_is_a_is_refused_at_once(tmp_path: Path) -> None:
    stanzas = ["[Term]\nid: BTO:0\nname: root\n"]
    stanzas += [f"[Term]\nid: BTO:{n}\nname: t{n}\nis_a: BTO:{n - 1}\n" for n in range(1, 1_000)]
    with pytest.raises(MalformedRowError, match=r", row \d+: BTO:\d+ is below"):
        load(tmp_path, HEADER + "\n".join(stanzas))


def test_lines_that_are_not_utf_8_are_rejected(tmp_path: Path) -> None:
    stanza = HEADER.encode() + b'[Term]\nid: BTO:1\nname: a\nsynonym: "\xe9pididyme" RELATED []\n'
    tables = load(tmp_path, stanza + b"is_a: BTO:\xe9\n")
    assert reasons(tables) == [(row, "bytes that are not UTF-8") for row in (7, 8)]
    assert tables.term["label"].to_list() == ["a"]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_line_that_ends_in_a_backslash_goes_on_in_the_next(tmp_path: Path, end: str) -> None:
    named = "[Term]\nid: BTO:1\nname: lobe \\\n  of a lung\n"
    stanza = named + 'def: "A long \\\nstory" []\nis_a: BTO:9\n'
    tables = load(tmp_path, (HEADER + stanza).replace("\n", end))
    assert tables.term["label"].to_list() == ["lobe of a lung"]
    assert reasons(tables) == [(10, "is_a points to a term that does not exist")]


def test_file_without_a_header_is_read(tmp_path: Path) -> None:
    tables = load(tmp_path, LUNG)
    assert tables.term["label"].to_list() == ["lung", "lung lobe", "organ"]
    assert tables.release["version"].to_list() == ["unstated"]


COMPLETED = """
synonym: "ZFF" []         | RELATED
synonym: "ZFF" [A:1]      | RELATED
synonym: "ZFF"            | RELATED
synonym: "ZFF" EXACT      | EXACT
exact_synonym: "ZFF" []   | EXACT
narrow_synonym: "ZFF"     | NARROW
"""


def test_synonym_that_lacks_a_part_is_completed_and_counted(tmp_path: Path) -> None:
    cases = [[cell.strip() for cell in row.split("|")] for row in COMPLETED.strip().splitlines()]
    terms = [f"[Term]\nid: BTO:{n}\nname: a{n}\n{line}\n" for n, (line, _) in enumerate(cases)]
    tables = load(tmp_path, HEADER + "\n".join(terms))
    assert tables.synonym.rows() == [
        (f"BTO:{n}", "ZFF", scope) for n, (_, scope) in enumerate(cases)
    ]
    assert (tables.repairs, reasons(tables)) == (len(cases), [])


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
    with pytest.raises(EmptyTableError, match=r"contains no \[Term\] stanzas"):
        load(tmp_path, HEADER)
    with pytest.raises(EmptyTableError):
        load(tmp_path, b"")


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


@settings(max_examples=40)
@given(lines=st.lists(LINES, max_size=14), ended=st.booleans())
@example(lines=["[Term]", "id: BTO:2", *["intersection_of: BTO:1"] * 2], ended=False)
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
