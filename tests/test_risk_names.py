"""Strains, names in other languages and slips have the risk group of their species, in every index
by the register that ships; hosts say what needs none.
"""

from __future__ import annotations

import duckdb
import polars as pl

from index.exposure import GROUPS
from index.models.gated import WithheldNames, is_one_slip
from index.reports.biosafety import community_risk, virus_risk
from index.reports.risk_entries import link_entries
from index.reports.risk_names import taxa_in_names
from index.sources.risk_register import empty_register, entries_of, shipped_register
from index.store.dangerous_names import collect_names
from ontology_etl.folding import fold_one
from ontology_etl.reviewed_lists import read_reviewed
from tests.taxa import taxa
from tests.tiny_index import tiny_index

TAXA = """
1 | root
  10239 | Viruses
    11118 | Coronaviridae | family
      694009 | Severe acute respiratory syndrome-related coronavirus | species
        2697049 | Severe acute respiratory syndrome coronavirus 2
    3052505 | Orthomarburgvirus marburgense | species
    64320 | Zika virus | species
    501 | Plant virus | species
      505 | Plant virus strain A
    502 | Rat virus | species
    503 | Tick virus | species
    504 | Unhosted virus | species
  7742 | Vertebrata | clade
    10116 | Rattus norvegicus | species
  6939 | Ixodidae | family
  4530 | Oryza sativa | species
"""
NAMES = {
    "SARS-CoV-2": "NCBITaxon:2697049",
    "hCoV-19": "NCBITaxon:2697049",
    "Zika virus": "NCBITaxon:64320",
    "Marburg virus": "NCBITaxon:3052505",
    "埃博拉病毒": "NCBITaxon:186538",
}
HOSTS = """
virus | host | source
NCBITaxon:501 | NCBITaxon:4530 | ICTV
NCBITaxon:502 | NCBITaxon:10116 | virion
NCBITaxon:502 | NCBITaxon:6939 | virion
NCBITaxon:503 | NCBITaxon:6939 | name
"""


def index_of(*detections: str) -> duckdb.DuckDBPyConnection:
    """Return an index with a community of one run for each detection: virus, taxon, name."""
    runs = range(len(detections))
    hits = [f"R{run} | u1 | {detection}" for run, detection in enumerate(detections)]
    keyed = [
        f"{fold_one(name).replace(' ', '')} | {name} | {virus} | everyday"
        for name, virus in NAMES.items()
    ]
    return tiny_index(
        run="\n".join(["run", *(f"R{run}" for run in runs)]),
        community_member="\n".join(["community | entity", *(f"C{n:02} | R{n}" for n in runs)]),
        **taxa(TAXA),
        known_host=HOSTS,
        virus_name="\n".join(["key | name | virus | kind", *keyed]),
        virus="virus | name | species\n"
        "NCBITaxon:11118 | Coronaviridae |\nNCBITaxon:64320 | Zika virus | Zika virus",
        detection="\n".join(["run | sotu | virus | taxon | reported_name", *hits]),
    )


def test_a_strain_lends_its_group_to_no_name_of_its_species() -> None:
    con = tiny_index(
        term="""
        curie       | label            | ontology
        NCBITaxon:1 | Flu virus        | NCBITaxon
        NCBITaxon:2 | Flu virus (H5N1) | NCBITaxon
        """,
        closure="descendant | ancestor | distance\nNCBITaxon:2 | NCBITaxon:1 | 1",
        virus="virus | name | abbreviation\nNCBITaxon:2 | Flu virus | FluV; H5Bird",
        virus_name="""
        key       | name      | virus       | kind
        flu virus | Flu virus | NCBITaxon:1 | name
        fluv      | FluV      | NCBITaxon:1 | abbreviation
        """,
    )
    taxa = pl.DataFrame({"taxon": ["NCBITaxon:2"], "risk_group": ["RG3"]})
    listed = pl.DataFrame(schema={"name": pl.String, "risk_group": pl.String})
    found = collect_names(con, taxa, listed)
    assert found["name"].to_list() == ["Flu virus (H5N1)", "H5Bird"]


DECIDED = {
    "NCBITaxon:3052505 | NCBITaxon:3052505 | Marburg virus": ("RG4", "listed"),
    "| | Marburg virus": ("RG4", "listed"),
    "| | Marburg virus Musoke": ("RG4", "listed"),
    "| | Marburg virus-like agent": ("RG4", "listed"),
    "| | Novel marburg virus relative": ("RG4", "listed"),
    "| | SARS-CoV-2 Omicron": ("RG3", "listed"),
    "| | SARS-CoV-2 B.1.1.7": ("RG3", "listed"),
    "| | hCoV-19/England/01/2020": ("RG3", "listed"),
    "NCBITaxon:11118 | NCBITaxon:11118 | SARS-CoV-2 Omicron": ("RG3", "listed"),
    "| | Zika virus PRVABC59": ("RG2", "listed"),
    "| | Zika virus-like agent": ("unknown", "not listed"),
    "| | Bat virus near Zika virus": ("unknown", "not listed"),
    "NCBITaxon:501 | NCBITaxon:501 | Plant virus": ("no vertebrate host",) * 2,
    "NCBITaxon:505 | NCBITaxon:505 | Plant virus strain A": ("no vertebrate host",) * 2,
    "NCBITaxon:502 | NCBITaxon:502 | Rat virus": ("unknown", "not listed"),
    "NCBITaxon:503 | NCBITaxon:503 | Tick virus": ("unknown", "not listed"),
    "NCBITaxon:504 | NCBITaxon:504 | Unhosted virus": ("unknown", "not listed"),
}
"""Detections as in ``index_of``, and the group and the rule that decide."""


def test_names_and_hosts_decide_the_group_without_a_register_of_ones_own() -> None:
    con = index_of(*DECIDED)
    links = link_entries(con, entries_of(empty_register())).links
    found = community_risk(con, links).sort("community").select("risk_group", "rule")
    assert dict(zip(DECIDED, found.rows(), strict=True)) == DECIDED


def test_the_register_that_decided_is_stored_with_its_row() -> None:
    con = index_of("NCBITaxon:64320 | NCBITaxon:64320 | Zika virus")
    links = link_entries(con, entries_of(empty_register())).links
    zika = virus_risk(con, links).filter(pl.col("virus") == "NCBITaxon:64320").row(0, named=True)

    listed = shipped_register().entries.filter(pl.col("name") == "Zika virus")
    assert (zika["risk_group"], zika["register"]) == ("RG2", "shipped")
    assert zika["row"] == listed["row"].item() % 1_000_000


def test_every_row_of_the_shipped_register_has_a_group_a_taxon_and_a_source() -> None:
    rows = read_reviewed("risk_groups.tsv")
    assert shipped_register().rejected.is_empty()
    assert set(rows["risk_group"]) == {"RG1", "RG2", "RG3", "RG4"} < set(GROUPS)
    assert rows["curie"].str.contains(r"^NCBITaxon:[1-9]\d*$").all()
    assert rows["name"].is_unique().all()
    assert rows["source"].str.contains(r"^(NIH Guidelines|Directive 2000/54/EC)").all()
    assert rows["licence"].is_not_null().all()
    names = read_reviewed("names_in_languages.tsv")
    assert set(names["languages"].str.split("|").explode()) == {
        "en", "de", "es", "fr", "pt", "zh", "ja",
    }  # fmt: skip
    assert set(names["kind"]) == {"virus", "host", "tissue", "disease"}
    assert names.select("name", "curie", "kind").is_unique().all()
    assert names["curie"].str.contains(r"^(NCBITaxon|BTO|DOID):\d+$").all()


def test_diseases_that_a_virus_is_named_after_are_names_of_it() -> None:
    con = tiny_index(
        term="""
        curie           | label                           | ontology
        NCBITaxon:1     | Lassa fever virus               | NCBITaxon
        NCBITaxon:2     | Western equine encephalitis virus | NCBITaxon
        NCBITaxon:3     | Brazilian blister virus         | NCBITaxon
        DOID:1          | Lassa fever                     | DOID
        DOID:2          | equine encephalitis, western    | DOID
        DOID:3          | wee                             | DOID
        """,
        synonym="curie | synonym\nDOID:2 | western equine encephalitis",
        virus_name="key | name | virus | kind\nweev | WEE virus | NCBITaxon:2 | everyday",
    )
    taxa = pl.DataFrame({"taxon": ["NCBITaxon:1", "NCBITaxon:2", "NCBITaxon:3"],
                         "risk_group": ["RG4", "RG3", "RG3"]})  # fmt: skip
    listed = pl.DataFrame(schema={"name": pl.String, "risk_group": pl.String})
    found = collect_names(con, taxa, listed)
    assert dict(found.select("name", "risk_group").rows()) == {
        "Brazilian blister virus": "RG3",
        "Lassa fever": "RG4",
        "Lassa fever virus": "RG4",
        "WEE virus": "RG3",
        "Western equine encephalitis": "RG3",
        "Western equine encephalitis virus": "RG3",
    }


def test_the_longest_name_at_the_beginning_is_what_a_strain_is() -> None:
    con = index_of("| | x")
    found = taxa_in_names(con, pl.Series(["SARS-CoV-2 of Zika virus", "埃博拉病毒株", "nothing"]))
    assert found.rows() == [
        ("SARS-CoV-2 of Zika virus", "NCBITaxon:2697049", True),
        ("SARS-CoV-2 of Zika virus", "NCBITaxon:64320", False),
        ("埃博拉病毒株", "NCBITaxon:186538", True),
    ]


def test_names_are_found_in_any_script_and_with_one_slip() -> None:
    names = {"Ebola": "RG4", "埃博拉": "RG4", "HIV": "RG3", "Marburg virus": "RG4",
             "Enterovirus C": "RG3"}  # fmt: skip
    withheld = WithheldNames(names)
    named = {
        "Wo gibt es Ebola-Viren?": "ebola",
        "¿Dónde está el virus del Ébola?": "ebola",
        "埃博拉病毒在哪里?": "埃 博 拉",
        "runs with HIVs": "hiv",
        "runs with Marbug virus": "marburg virus",
        "runs with Mraburg virus": "marburg virus",
        "runs with Marburgg virus": "marburg virus",
        "the Warburg effect": None,
        "the city of Hamburg": None,
        "Enterovirus L": None,
        "hives": None,
    }
    found = {text: withheld.found_in(text) for text in named}
    assert {text: one and one[0] for text, one in found.items()} == named


def test_a_slip_is_one_letter_or_two_that_are_swapped() -> None:
    slips, others = ["nippah", "niph", "nipha", "nigah"], ["nipah", "nipahs virus", "npiha"]
    assert [said for said in [*slips, *others] if is_one_slip(said, "nipah")] == slips
