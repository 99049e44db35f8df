"""Which virus a name, an identifier or an accession means."""

from __future__ import annotations

from dataclasses import replace

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ontology_etl.closure import taxon_closure
from ontology_etl.load import OntologyTables
from ontology_etl.tables import Synonym, Term, TermEdge, Xref
from ontology_etl.viruses.keys import keyed_names, name_key, shorter_names
from ontology_etl.viruses.names import (
    VirusNames,
    own_names,
    read_virus_names,
    settle_in_families,
    settle_names,
)
from ontology_etl.viruses.taxa import reviewed_viruses
from tests.graph_zoo import table

TERMS = """
    curie             label                      ontology  rank    obsolete replaced_by
    NCBITaxon:1       root                       NCBITaxon .       false    .
    NCBITaxon:2       Bacteria                   NCBITaxon .       false    .
    NCBITaxon:10239   Viruses                    NCBITaxon .       false    .
    NCBITaxon:3044472 Orthoherpesviridae         NCBITaxon family  false    .
    NCBITaxon:10292   Herpesviridae              NCBITaxon family  false    .
    NCBITaxon:3050292 Simplexvirus_humanalpha1   NCBITaxon species false    .
    NCBITaxon:10298   Human_alphaherpesvirus_1   NCBITaxon .       false    .
    NCBITaxon:10299   Human_herpesvirus_1_str_17 NCBITaxon .       false    .
    NCBITaxon:77      Twinvirus                  NCBITaxon species false    .
    NCBITaxon:78      Twin_virus_A               NCBITaxon .       false    .
    NCBITaxon:79      Twin_virus_B               NCBITaxon .       false    .
    NCBITaxon:80      Ebola_virus                NCBITaxon species false    .
    NCBITaxon:81      Ebolavirus                 NCBITaxon genus   false    .
    NCBITaxon:90      NCBITaxon:90               NCBITaxon .       true     NCBITaxon:77
    NCBITaxon:91      NCBITaxon:91               NCBITaxon .       true     NCBITaxon:92
    NCBITaxon:92      NCBITaxon:92               NCBITaxon .       true     NCBITaxon:91
    ICTV:1            Simplexvirus_humanalpha1   ICTV      species false    .
    ICTV:2            Twinvirus                  ICTV      species false    .
    ICTV:3            Ebola_virus                ICTV      species false    .
    ICTV:4            Unheardvirus               ICTV      species false    .
"""
EDGES = """
    subject           predicate object
    NCBITaxon:2       parent    NCBITaxon:1
    NCBITaxon:10239   parent    NCBITaxon:1
    NCBITaxon:3044472 parent    NCBITaxon:10239
    NCBITaxon:10292   parent    NCBITaxon:10239
    NCBITaxon:3050292 parent    NCBITaxon:3044472
    NCBITaxon:10298   parent    NCBITaxon:3050292
    NCBITaxon:10299   parent    NCBITaxon:10298
    NCBITaxon:77      parent    NCBITaxon:10239
    NCBITaxon:78      parent    NCBITaxon:77
    NCBITaxon:79      parent    NCBITaxon:77
    NCBITaxon:81      parent    NCBITaxon:10239
    NCBITaxon:80      parent    NCBITaxon:81
"""
SYNONYMS = """
    curie           synonym                  scope
    ICTV:1          human_alphaherpesvirus_1 EXACT
    ICTV:1          Human_herpesvirus_1      BROAD
    ICTV:1          HSV1                     RELATED
    ICTV:2          Twin_virus_A             EXACT
    ICTV:2          Twin_virus_B             NARROW
    ICTV:2          TTV                      RELATED
    ICTV:3          TTV                      RELATED
    ICTV:4          UHV                      RELATED
    NCBITaxon:2     EHV                      EXACT
    NCBITaxon:78    Gemini_virus             EXACT
    NCBITaxon:79    Gemini_virus             EXACT
"""
XREFS = """
    curie  xref
    ICTV:1 RefSeq:NC_001806
    ICTV:2 GenBank:AB000001
    ICTV:3 GenBank:AB000001
    ICTV:4 GenBank:AB000002
"""


def spaced(frame: pl.DataFrame) -> pl.DataFrame:
    """Return ``frame`` with the blanks that a text table writes as underscores."""
    columns = [name for name in ("label", "synonym") if name in frame.columns]
    return frame.with_columns(pl.col(columns).str.replace_all("_", " "))


def tables() -> tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame, pl.DataFrame]:
    term, synonym = spaced(table(TERMS, Term)), spaced(table(SYNONYMS, Synonym))
    return term, synonym, table(EDGES, TermEdge), table(XREFS, Xref)


NAMES = read_virus_names(*tables())


@pytest.fixture
def names() -> VirusNames:
    return NAMES


def meant(names: VirusNames, *asked: str) -> list[tuple[str | None, list[str]]]:
    found = settle_names(pl.Series(asked), names.names, names.species)
    rows = {name: (virus, list(candidates)) for name, virus, candidates in found.iter_rows()}
    return [rows.get(name, (None, [])) for name in asked]


MEANT = """
name                     | virus   | candidates
Human alphaherpesvirus 1 | 10298   | 10298
Simplexvirus humanalpha1 | 10298   | 10298
Human herpesvirus 1      | 10298   | 10298
HSV1                     | 10298   | 10298
HSV-1                    | 10298   | 10298
hsv 1                    | 10298   | 10298
herpes simplex virus 1   | 10298   | 10298
Herpesviridae            | 3044472 | 3044472
Orthoherpesviridae       | 3044472 | 3044472
TTV                      |         | 77 80
Gemini virus             | 77      | 78 79
Ebola virus              | 80      | 80
ebolavirus               | 81      | 81
Bacteria                 |         |
EHV                      |         |
Unheardvirus             |         |
UHV                      |         |
"""


@pytest.mark.parametrize("row", MEANT.strip().splitlines()[1:])
def test_a_name_means_a_virus_or_is_ambiguous(row: str) -> None:
    """Old and new names of a virus or a family mean today's; an abbreviation of two viruses keeps
    both; two strains mean their species; of names that fold alike the one spelled so is meant; and
    names of other organisms and of species without a taxon mean none.
    """
    name, virus, candidates = (cell.strip() for cell in row.split("|"))
    curies = [f"NCBITaxon:{taxid}" for taxid in candidates.split()]
    assert meant(NAMES, name) == [(f"NCBITaxon:{virus}" if virus else None, curies)]


def test_another_isolate_is_not_the_virus_of_its_species() -> None:
    term, synonym, edge, xref = tables()
    isolate = """
        curie        label         ontology  rank obsolete replaced_by
        NCBITaxon:84 Outback_virus NCBITaxon .    false    .
    """
    listed = """
        curie         synonym       scope
        ICTV:3        Outback_virus NARROW
        NCBITaxon:84  Ebola_virus   EXACT
    """
    found = read_virus_names(
        pl.concat([term, spaced(table(isolate, Term))]),
        pl.concat([synonym, spaced(table(listed, Synonym))]),
        pl.concat(
            [edge, table("subject predicate object\nNCBITaxon:84 parent NCBITaxon:80", TermEdge)]
        ),
        xref,
    )
    live = dict(found.live.iter_rows())
    assert live["NCBITaxon:80"] == "NCBITaxon:80"
    assert live["NCBITaxon:84"] == "NCBITaxon:84"


def test_a_species_that_a_reviewed_name_means_is_a_virus_of_its_own() -> None:
    taxa = """
        curie           label                         ontology  rank    obsolete replaced_by
        NCBITaxon:11786 Murine_leukemia_virus         NCBITaxon species false    .
        NCBITaxon:11801 Moloney_murine_leukemia_virus NCBITaxon .       false    .
        ICTV:7          Murine_leukemia_virus         ICTV      species false    .
    """
    edges = """
        subject         predicate object
        NCBITaxon:11786 parent    NCBITaxon:10239
        NCBITaxon:11801 parent    NCBITaxon:11786
    """
    listed = "curie synonym scope\nICTV:7 Moloney_murine_leukemia_virus EXACT"
    term, synonym, edge, xref = tables()
    found = read_virus_names(
        pl.concat([term, spaced(table(taxa, Term))]),
        pl.concat([synonym, spaced(table(listed, Synonym))]),
        pl.concat([edge, table(edges, TermEdge)]),
        xref,
    )
    assert meant(found, "MLV") == [("NCBITaxon:11786", ["NCBITaxon:11786"])]


def test_a_species_of_ictv_is_the_taxon_with_its_name_before_one_with_its_synonym() -> None:
    term, synonym, edge, xref = tables()
    stray = table("curie synonym scope\nNCBITaxon:77 Ebola_virus EXACT", Synonym)
    found = read_virus_names(term, pl.concat([synonym, spaced(stray)]), edge, xref)
    assert ("NCBITaxon:80", "ICTV:3") in found.ictv.rows()


def test_a_family_refutes_an_abbreviation_and_no_name(names: VirusNames) -> None:
    asked = {
        ("HSV1", "NCBITaxon:3044472"): ["NCBITaxon:10298"],  # its family
        ("HSV1", None): ["NCBITaxon:10298"],
        ("HSV1", "NCBITaxon:81"): [],  # another family
        ("herpes simplex virus 1", "NCBITaxon:81"): ["NCBITaxon:10298"],  # a name in full stands
    }
    for (name, family), virus in asked.items():
        row = pl.DataFrame(
            {"name": [name], "family": [family]}, schema_overrides={"family": pl.String}
        )
        assert settle_in_families(row, names)["virus"].to_list() == virus


def test_a_family_decides_between_viruses_of_one_abbreviation() -> None:
    more = pl.DataFrame({"virus": ["NCBITaxon:77", "NCBITaxon:80"], "family": ["F:1", "F:2"]})
    of_families = pl.concat([NAMES.family.select(more.columns), more])
    names = replace(NAMES, family=of_families)
    asked = pl.DataFrame({"name": ["TTV", "TTV"], "family": ["F:2", "F:3"]})
    assert settle_in_families(asked, names).rows() == [
        ("TTV", "F:2", "NCBITaxon:80", ["NCBITaxon:80"])
    ]


def test_the_name_of_a_virus_without_one_names_none() -> None:
    named = pl.DataFrame(
        {"name": ["uncultured virus", "Uncultured Phage", "unclassified"], "virus": "V"}
    )
    assert keyed_names(named, pl.lit("name"))["name"].to_list() == ["unclassified"]


def test_merged_taxa_are_their_successor_and_a_circle_of_merges_is_none(names: VirusNames) -> None:
    live = dict(names.live.iter_rows())
    assert live["NCBITaxon:90"] == "NCBITaxon:77"
    assert live["NCBITaxon:10292"] == "NCBITaxon:3044472", "a family renamed"
    assert live["NCBITaxon:78"] == "NCBITaxon:78", "a species of two viruses is neither"
    assert not {"NCBITaxon:91", "NCBITaxon:92", "NCBITaxon:2", "NCBITaxon:1"} & set(live)


def test_an_accession_of_one_species_names_it_and_one_of_two_does_not(names: VirusNames) -> None:
    assert dict(names.accessions.iter_rows()) == {"NC_001806": "NCBITaxon:10298"}


def test_names_that_the_taxonomy_states_are_not_stored_again(names: VirusNames) -> None:
    kept = set(own_names(names.names).select("name", "kind").iter_rows())
    assert ("Human alphaherpesvirus 1", "label") not in kept
    assert ("Simplexvirus humanalpha1", "label") in kept  # of a taxon that is another one's virus
    assert ("HSV1", "abbreviation") in kept


def test_without_the_master_list_names_of_the_taxonomy_and_reviewed_ones_count() -> None:
    term, synonym, edge, xref = tables()
    ours = read_virus_names(
        term.filter(pl.col("ontology") == "NCBITaxon"),
        synonym.filter(pl.col("curie").str.starts_with("NCBITaxon")),
        edge,
        xref.clear(),
    )
    assert meant(ours, "HSV-1") == [("NCBITaxon:10298", ["NCBITaxon:10298"])]
    assert ours.accessions.is_empty()


def test_reviewed_names_are_trimmed_unique_and_tell_why() -> None:
    listed = reviewed_viruses()
    assert listed.null_count().sum_horizontal().item() == 0
    assert not listed.select(pl.struct("name", "curie").is_duplicated()).to_series().any()
    assert listed["name"].to_list() == listed["name"].str.strip_chars().to_list()


@pytest.mark.real
def test_reviewed_names_carry_the_labels_of_the_taxonomy(real_ontologies: OntologyTables) -> None:
    taxa = real_ontologies.term.filter(ontology="NCBITaxon")
    labels = dict(taxa.filter(~pl.col("obsolete")).select("curie", "label").iter_rows())
    listed = reviewed_viruses().select("curie", "label").unique()
    assert [row for row in listed.iter_rows() if labels.get(row[0]) != row[1]] == []
    # HPV is no unclassified papillomavirus: no run would be below a leftover taxon of that name
    parents = real_ontologies.term_edge.filter(pl.col("predicate") == "parent")
    above = taxon_closure(parents, listed["curie"]).join(
        taxa.select("label", ancestor="curie"), on="ancestor"
    )
    leftover = above.filter(pl.col("label").str.starts_with("unclassified "))
    assert listed.join(leftover, left_on="curie", right_on="descendant").is_empty()


@given(st.lists(st.sampled_from(["HSV-1", "hsv1", "TTV", "Twinvirus", "x", "EHV", ""]), max_size=6))
def test_every_answer_is_one_virus_or_names_its_candidates(asked: list[str]) -> None:
    found = settle_names(pl.Series(asked, dtype=pl.String), NAMES.names, NAMES.species)
    assert found["name"].is_unique().all()
    assert set(found["name"]) <= set(asked)
    for virus, candidates in found.select("virus", "candidates").iter_rows():
        assert virus is not None or len(candidates) > 1


@given(st.text(alphabet="aBvHS-1 .", max_size=12))
def test_blanks_hyphens_and_case_do_not_tell_names_apart(name: str) -> None:
    forms = [name, name.upper(), name.replace("-", " "), f" {name} "]
    keys = pl.DataFrame({"n": forms}).select(name_key(pl.col("n")))["n"]
    assert keys.n_unique() == 1


WRITTEN = """
written                                         | virus
HSV1 strain KOS                                 | 10298
Human alphaherpesvirus 1 isolate X/2010/USA     | 10298
Human alphaherpesvirus 1 (HSV-1)                | 10298
Human alphaherpesvirus 1, HHV1                  | 10298
human alphaherpesvirus type 1                   | 10298
alphaherpesvirus type I                         | 10298
HSV1/human/USA/17/1990                          | 10298
uncultured Ebola virus                          | 80
Ebola virus segment L                           | 80
Ebola virus genotype 2 complete genome          | 80
Ebola virus 2                                   |
Ebola virus-like virus                          |
Ebola virus strain of another virus             |
TTV strain 5                                    |
uncultured virus                                |
Bat virus strain 7                              |
"""


@pytest.mark.parametrize(
    ("written", "taxid"),
    [[cell.strip() for cell in line.split("|")] for line in WRITTEN.strip().splitlines()[1:]],
)
def test_what_is_added_to_a_name_is_no_part_of_it(
    names: VirusNames, written: str, taxid: str
) -> None:
    asked = pl.DataFrame({"name": [written]}).with_columns(family=pl.lit(None, pl.String))
    found = settle_in_families(asked, names)["virus"].drop_nulls().to_list()
    assert found == ([f"NCBITaxon:{taxid}"] if taxid else [])


def test_an_abbreviation_before_a_type_is_written_out() -> None:
    in_full = {
        "HRV-A16": "rhinovirus A16",
        "CVB 3": "coxsackievirus B3",
        "HAdV-5": "human adenovirus 5",
        "Mastadenovirus h31": "human adenovirus 31",
        "echovirus 12": "echovirus E12",
    }
    for written, name in in_full.items():
        assert name in shorter_names(pl.Series([written]))["shorter"].to_list()
