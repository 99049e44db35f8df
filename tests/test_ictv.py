"""ICTV's master list: spreadsheets and text of several years, names, and what is refused."""

from __future__ import annotations

from pathlib import Path

import fastexcel
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ontology_etl.errors import ColumnError, EmptyTableError, MissingFileError, TruncatedFileError
from ontology_etl.load import load_ontology
from ontology_etl.sources import ictv
from tests.spreadsheet import write_xlsx

VMR_2025 = """
Isolate ID | Order | Family | Genus | Species | ICTV_ID | Exemplar or additional isolate
  | Virus name(s) | Virus name abbreviation(s) | Virus GENBANK accession
  | Virus REFSEQ accession | Genome | Host source
VMR1 | Herpesvirales | Orthoherpesviridae | Simplexvirus | Simplexvirus humanalpha1
  | ICTV19710176 | E | human alphaherpesvirus 1; herpes simplex virus 1 | HuAHV1; HSV1
  | JN555585 | NC_001806 | dsDNA | vertebrates
VMR2 | Nidovirales | Coronaviridae | Betacoronavirus | Betacoronavirus pandemicum
  | ICTV20040588 | E | SARS coronavirus | SARS-CoV
  | AY274119 | NC_004718 | ssRNA(+) | vertebrates
VMR3 | Nidovirales | Coronaviridae | Betacoronavirus | Betacoronavirus pandemicum
  | ICTV20040588 | A | SARS coronavirus 2 | SARS-CoV-2
  | MN908947 | | ssRNA(+) | vertebrates, sewage (S)
VMR4 | | | | | | E | nameless virus | NV | | | dsRNA | plants
VMR5 | | | | abolished | | E | gone virus | GV | | | dsRNA | plants
"""
VMR_2022 = """
Sort | Order | Family | Genus | Species
  | Virus name(s) | Virus name abbreviation(s) | Genome composition | Host source
1 | Herpesvirales | Orthoherpesviridae | Simplexvirus | Human alphaherpesvirus 1
  | herpes simplex virus 1 | HSV-1 | dsDNA | vertebrates
"""
NAMES = """
name | kind | ictv_species | species_taxid | taxid
Human herpesvirus 1 | previous species | Simplexvirus humanalpha1 | | 10298
HHV-1 | uniprot common | | 3050292 | 10298
SARS coronavirus | name | Betacoronavirus pandemicum | |
SARS coronavirus 2 | name | Betacoronavirus pandemicum | |
Bat virus of caves | name | Betacoronavirus pandemicum | |
Old virus | previous species | Gonevirus gone | |
created | previous species | Simplexvirus humanalpha1 | |
"""


def cells(text: str) -> list[list[str]]:
    """Return the rows of a text table; a line that begins with blanks continues the row above."""
    lines = text.strip().replace("\n  |", " |").splitlines()
    return [[cell.strip() for cell in line.split("|")] for line in lines]


def as_text(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text("\n".join("\t".join(row) for row in cells(text)) + "\n")
    return path


def labels(frame: pl.DataFrame) -> set[str]:
    return set(frame["label"])


def test_a_spreadsheet_and_its_text_say_the_same(tmp_path: Path) -> None:
    sheet = write_xlsx(
        tmp_path / "VMR_MSL40.xlsx", {"Version": [["notes"]], "VMR MSL40": cells(VMR_2025)}
    )
    fastexcel.read_excel(sheet)  # the file the test writes is a spreadsheet
    read, text = ictv.read(sheet), ictv.read(as_text(tmp_path, "vmr.tsv", VMR_2025))
    for table in ("term", "synonym", "term_edge", "xref"):
        one, other = getattr(read, table), getattr(text, table)
        assert one.sort(one.columns).equals(other.sort(one.columns)), table
    assert read.version == "MSL40"


def test_a_species_is_named_by_its_number_and_placed_up_to_its_order(tmp_path: Path) -> None:
    read = ictv.read(as_text(tmp_path, "vmr.tsv", VMR_2025))
    up = dict(
        read.term_edge.filter(pl.col("predicate") == "is_a").select("subject", "object").iter_rows()
    )
    assert up["ICTV:19710176"] == "ICTV:Simplexvirus"
    assert up["ICTV:Simplexvirus"] == "ICTV:Orthoherpesviridae"
    assert up["ICTV:Orthoherpesviridae"] == "ICTV:Herpesvirales"


def test_the_scope_of_a_name_says_whose_name_it_is(tmp_path: Path) -> None:
    as_text(tmp_path, "names.tsv", NAMES)
    as_text(tmp_path, "vmr.tsv", VMR_2025)
    read = ictv.read(tmp_path)
    scopes = {name: scope for _, name, scope in read.synonym.iter_rows()}
    assert scopes == {
        "human alphaherpesvirus 1": "EXACT",
        "herpes simplex virus 1": "EXACT",
        "HuAHV1": "RELATED",
        "HSV1": "RELATED",
        "SARS coronavirus": "EXACT",
        "SARS-CoV": "RELATED",
        "SARS coronavirus 2": "NARROW",
        "SARS-CoV-2": "RELATED",
        "Human herpesvirus 1": "BROAD",
        "Bat virus of caves": "NARROW",  # a table of names does not say whose it is
    }


def test_an_environmental_source_is_no_host(tmp_path: Path) -> None:
    read = ictv.read(as_text(tmp_path, "vmr.tsv", VMR_2025))
    edges = read.term_edge.filter(pl.col("subject") == "ICTV:20040588")
    found = set(edges.select("predicate", "object").iter_rows())
    assert ("has_host", "ICTV:host_vertebrates") in found
    assert ("found_in", "ICTV:host_sewage") in found
    assert ("has_host", "ICTV:host_sewage") not in found


def test_rows_without_a_species_and_unused_names_are_counted(tmp_path: Path) -> None:
    as_text(tmp_path, "names.tsv", NAMES)
    as_text(tmp_path, "vmr.tsv", VMR_2025)
    as_text(tmp_path, "zz.tsv", "a | b\n1 | 2")
    rejected = ictv.read(tmp_path).rejected.select("row", "reason")
    assert set(rejected.iter_rows()) == {
        (5, "names no species"),
        (6, "the species was abolished"),
        (None, "name of no species of the master list: 2 rows"),
        (None, "no table of ICTV's"),
    }


def test_a_sheet_of_another_year_is_read_by_its_headers(tmp_path: Path) -> None:
    read = ictv.read(as_text(tmp_path, "VMR_MSL37.tsv", VMR_2022))
    assert "ICTV:Human_alphaherpesvirus_1" in set(read.term["curie"])
    assert "dsDNA" in labels(read.term)
    assert read.version == "MSL37"


def test_the_release_says_its_licence(tmp_path: Path) -> None:
    loaded = load_ontology("ICTV", as_text(tmp_path, "VMR_MSL40.tsv", VMR_2025))
    assert loaded.release.select("version", "licence").row(0) == ("MSL40", "CC BY 4.0")


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("Accession | Title\nA | B", ColumnError, "not a ICTV master list table: missing column"),
        ("Species | Genus", EmptyTableError, "contains no rows"),
    ],
)
def test_what_is_no_master_list_is_refused(
    tmp_path: Path, text: str, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        ictv.read(as_text(tmp_path, "vmr.tsv", text))


def test_a_missing_file_and_a_broken_archive_are_distinguished(tmp_path: Path) -> None:
    with pytest.raises(MissingFileError):
        ictv.read(tmp_path / "no.xlsx")
    broken = tmp_path / "vmr.tsv.gz"
    broken.write_bytes(b"\x1f\x8b\x08\x00broken")
    with pytest.raises(TruncatedFileError):
        ictv.read(broken)
    sheet = tmp_path / "vmr.xlsx"
    sheet.write_bytes(b"PK no spreadsheet")
    with pytest.raises(TruncatedFileError):
        ictv.read(sheet)


@given(st.lists(st.text("ab ;|\t", max_size=9), min_size=1, max_size=4))
def test_any_list_of_names_gives_trimmed_names_that_are_not_empty(names: list[str]) -> None:
    clean = ";".join(names).replace("\t", " ").replace("|", " ")
    species = pl.DataFrame(
        {"curie": ["ICTV:1"], "species": ["S"], "isolate_type": ["E"], "names": [clean],
         "abbreviations": [None], "previous_species": [None]},
        schema_overrides={"abbreviations": pl.String, "previous_species": pl.String},
    )  # fmt: skip
    found = ictv.extract_synonyms(species)["synonym"].to_list()
    assert all(name and name == name.strip() for name in found)
    assert set(found) == {name.strip() for name in clean.split(";")} - {""}
