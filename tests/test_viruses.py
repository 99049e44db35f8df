"""Detections with the virus each means, its lineage, and what its identity lets one state."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from index.annotation.hosts_in_names import hosts_in_names
from index.annotation.identity import SPECIES_IDENTITY, state_viruses, virus_lineage
from index.annotation.known_hosts import resolve_hosts
from index.annotation.virus_taxonomy import VirusTaxonomy
from index.annotation.viruses import ResolvedViruses, resolve_viruses
from index.tables import Detection, KnownHost, Run
from ontology_etl.tables import Synonym, Term, TermEdge, Xref
from ontology_etl.viruses.names import read_virus_names
from tests.graph_zoo import table

TERMS = """
    curie           label            ontology  rank    obsolete replaced_by
    NCBITaxon:1     root             NCBITaxon no_rank false    .
    NCBITaxon:10239 Viruses          NCBITaxon no_rank false    .
    NCBITaxon:20    Duplodnaviria    NCBITaxon clade   false    .
    NCBITaxon:21    Peploviricota    NCBITaxon phylum  false    .
    NCBITaxon:22    Herpesvirales    NCBITaxon order   false    .
    NCBITaxon:23    Bigviridae       NCBITaxon family  false    .
    NCBITaxon:24    Bigvirus         NCBITaxon genus   false    .
    NCBITaxon:25    Bigvirus_unum    NCBITaxon species false    .
    NCBITaxon:26    Big_virus_1      NCBITaxon no_rank false    .
    NCBITaxon:27    Bigvirus_duo     NCBITaxon species false    .
    NCBITaxon:28    Stray_virus      NCBITaxon species false    .
    NCBITaxon:90    NCBITaxon:90     NCBITaxon .       true     NCBITaxon:27
    ICTV:1          Bigvirus_unum    ICTV      species false    .
    ICTV:5          Bigvirus_sex     ICTV      species false    .
    ICTV:Bigvirus   Bigvirus         ICTV      genus   false    .
    ICTV:host_v     vertebrates      ICTV      .       false    .
    ICTV:genome_d   dsDNA            ICTV      .       false    .
"""
EDGES = """
    subject         predicate  object
    NCBITaxon:10239 parent     NCBITaxon:1
    NCBITaxon:20    parent     NCBITaxon:10239
    NCBITaxon:21    parent     NCBITaxon:20
    NCBITaxon:22    parent     NCBITaxon:21
    NCBITaxon:23    parent     NCBITaxon:22
    NCBITaxon:24    parent     NCBITaxon:23
    NCBITaxon:25    parent     NCBITaxon:24
    NCBITaxon:26    parent     NCBITaxon:25
    NCBITaxon:27    parent     NCBITaxon:24
    NCBITaxon:28    parent     NCBITaxon:10239
    ICTV:1          is_a       ICTV:Bigvirus
    ICTV:1          has_host   ICTV:host_v
    ICTV:1          has_genome ICTV:genome_d
"""
SYNONYMS = """
    curie  synonym     scope
    ICTV:1 Big_virus_1 EXACT
    ICTV:1 BV1         RELATED
    ICTV:1 XV          RELATED
    ICTV:1 Oldvirus    BROAD
"""
XREFS = "curie xref\nICTV:1 RefSeq:NC_000001"
DETECTED = """
    run sotu        virus        reported_name family     phylum        identity source
    r1  NC_000009.1 NCBITaxon:90 Whatever      .          .             99       serratus_nt
    r1  NC_000001.2 .            Something     .          .             99       serratus_nt
    r2  u1          .            Oldvirus      Wrongidae  .             97       palm_virome
    r2  u2          .            BV-1          Wrongidae  .             75       palm_virome
    r2  u3          .            Big_virus_1   Wrongidae  .             60       palm_virome
    r2  u4          .            Big_virus_1   Wrongidae  .             .        palm_virome
    r3  u5          .            .             Bigviridae .             40       palm_virome
    r3  u6          .            .             .          Peploviricota .        palm_virome
    r3  u7          .            Nobody_virus  Someviridae .            95       palm_virome
    r3  u8          .            Nobody_virus  Someviridae .            50       palm_virome
    r3  u9          .            .             .          .             .        palm_virome
    r4  u10         .            Stray_virus   .          .             80       palm_virome
"""


def spaced(frame: pl.DataFrame) -> pl.DataFrame:
    names = [
        c for c in ("label", "synonym", "reported_name", "rank", "organism") if c in frame.columns
    ]
    return frame.with_columns(pl.col(names).str.replace_all("_", " "))


def taxonomy_with(*, terms: str = "", edges: str = "", synonyms: str = "") -> VirusTaxonomy:
    term, synonym = spaced(table(TERMS + terms, Term)), spaced(table(SYNONYMS + synonyms, Synonym))
    edge = table(EDGES + edges, TermEdge)
    names = read_virus_names(term, synonym, edge, table(XREFS, Xref))
    return VirusTaxonomy(names, term, edge, synonym)


def resolved(
    detected: str = DETECTED, *, runs: str = "run organism", **more: str
) -> ResolvedViruses:
    detection, run = spaced(table(detected, Detection)), spaced(table(runs, Run))
    return resolve_viruses(detection, taxonomy_with(**more), run=run)


@pytest.fixture(scope="module")
def found() -> ResolvedViruses:
    return resolved()


def values_of(found: ResolvedViruses, *columns: str) -> dict[str, tuple[object, ...]]:
    return {row[0]: row[1:] for row in found.detection.select("sotu", *columns).iter_rows()}


def test_a_detection_resolves_by_taxid_then_accession_then_name_then_higher_taxon(
    found: ResolvedViruses,
) -> None:
    viruses = {sotu: virus for sotu, (virus,) in values_of(found, "virus").items()}
    assert viruses == {
        "NC_000009.1": "NCBITaxon:27",
        "NC_000001.2": "NCBITaxon:26",
        "u1": "NCBITaxon:26",
        "u2": "NCBITaxon:26",
        "u3": "NCBITaxon:26",
        "u4": "NCBITaxon:26",
        "u5": "NCBITaxon:23",
        "u6": "NCBITaxon:21",
        "u7": None,
        "u8": None,
        "u9": None,
        "u10": "NCBITaxon:28",
    }
    assert found.ways == {
        "accession": 1, "family": 1, "name": 5, "phylum": 1, "taxid": 1, "unknown": 2, "unnamed": 1,
    }  # fmt: skip


def test_a_species_is_stated_only_where_the_identity_supports_it(found: ResolvedViruses) -> None:
    assert values_of(found, "species", "stated", "taxon") == {
        "NC_000009.1": ("Bigvirus duo", "Bigvirus duo", "NCBITaxon:27"),
        "NC_000001.2": ("Bigvirus unum", "Big virus 1", "NCBITaxon:25"),
        "u1": ("Bigvirus unum", "Big virus 1", "NCBITaxon:25"),
        "u2": (None, "Bigvirus-like", "NCBITaxon:24"),
        "u3": (None, "Bigviridae-like", "NCBITaxon:23"),
        "u4": (None, "reported as Big virus 1", "NCBITaxon:25"),
        "u5": (None, None, "NCBITaxon:23"),
        "u6": (None, None, "NCBITaxon:21"),
        "u7": ("Nobody virus", "Nobody virus", None),
        "u8": (None, "Someviridae-like", None),
        "u9": (None, None, None),
        "u10": (None, None, None),
    }


def test_family_and_phylum_are_those_of_the_lineage_and_else_of_the_source(
    found: ResolvedViruses,
) -> None:
    placed = values_of(found, "family", "phylum")
    assert placed["u1"] == ("Bigviridae", "Peploviricota")
    assert placed["u7"] == ("Someviridae", None)
    assert placed["u10"] == (None, None)
    assert values_of(found, "reported_name")["u1"] == ("Oldvirus",)


def test_a_virus_is_described_by_taxonomy_and_master_list(found: ResolvedViruses) -> None:
    row = found.virus.filter(pl.col("virus") == "NCBITaxon:26").row(0, named=True)
    assert row == {
        "virus": "NCBITaxon:26", "name": "Big virus 1", "rank": "no rank",
        "ictv_name": "Bigvirus unum", "abbreviation": "BV1; XV", "species": "Bigvirus unum",
        "genus": "Bigvirus", "family": "Bigviridae", "order": "Herpesvirales",
        "phylum": "Peploviricota", "realm": "Duplodnaviria", "genome": "dsDNA",
        "hosts_recorded": "vertebrates",
    }  # fmt: skip
    other = found.virus.filter(pl.col("virus") == "NCBITaxon:27").row(0, named=True)
    assert (other["genome"], other["hosts_recorded"]) == ("dsDNA", None)  # all of the genus agree


def test_every_virus_and_taxon_of_a_detection_is_in_the_table(found: ResolvedViruses) -> None:
    named = pl.concat([found.detection["virus"], found.detection["taxon"]]).drop_nulls().unique()
    assert set(named) == set(found.virus["virus"])


def test_what_resolves_to_none_is_counted_by_name(found: ResolvedViruses) -> None:
    assert found.rejected.select("source", "reason").rows() == [
        ("detection palm_virome", "virus Nobody virus is not a known taxon: 2 detections")
    ]


def test_an_ambiguous_name_is_not_resolved_and_its_candidates_are_listed() -> None:
    named = "run sotu reported_name source\nr1 u1 XV palm_virome"
    found = resolved(named, synonyms="    NCBITaxon:27 XV EXACT\n")
    assert found.detection["virus"].to_list() == [None]
    assert found.rejected["reason"].to_list() == [
        "virus XV is several taxa (NCBITaxon:26, NCBITaxon:27): 1 detections"
    ]


EXEMPLARS = {
    "terms": """    NCBITaxon:30 Isolate_virus NCBITaxon no_rank false .
    NCBITaxon:31 Bigvirus_9           NCBITaxon species  false .
    NCBITaxon:32 Wart_virus_16        NCBITaxon serotype false .
    NCBITaxon:33 Wart_virus_31        NCBITaxon serotype false .
    NCBITaxon:34 Duo_fever_virus_genotype_3 NCBITaxon no_rank false .
    NCBITaxon:35 Duo_fever_virus_2 NCBITaxon no_rank false .
    ICTV:2       Bigvirus_duo         ICTV      species  false .
    ICTV:9       Bigvirus_9           ICTV      species  false .
""",
    "edges": """    NCBITaxon:30 parent NCBITaxon:27
    NCBITaxon:34 parent NCBITaxon:27
    NCBITaxon:35 parent NCBITaxon:27
    NCBITaxon:31 parent NCBITaxon:24
    NCBITaxon:32 parent NCBITaxon:31
    NCBITaxon:33 parent NCBITaxon:31
""",
    "synonyms": """    ICTV:2 duo_fever_virus_genotype_1a EXACT
    ICTV:2 Isolate_virus NARROW
    ICTV:9 wart_virus_16 EXACT
    ICTV:9 wart_virus_31 NARROW
""",
}


@pytest.mark.parametrize(
    ("taxid", "virus", "stated"),
    [
        ("27", "NCBITaxon:27", "Duo fever virus"),  # the exemplar's name, without its type
        ("30", "NCBITaxon:30", "Isolate virus"),  # another virus of the species
        ("34", "NCBITaxon:34", "Duo fever virus"),  # a type of the exemplar
        ("35", "NCBITaxon:35", "Duo fever virus 2"),  # a number makes it another virus
        ("32", "NCBITaxon:32", "Wart virus 16"),  # the exemplar itself
        ("33", "NCBITaxon:33", "Bigvirus 9"),  # another virus of that species
    ],
)
def test_a_species_is_called_by_its_exemplar_and_never_by_another_isolate(
    taxid: str, virus: str, stated: str
) -> None:
    detected = f"run sotu virus identity source\nr1 u1 NCBITaxon:{taxid} 99 serratus_nt"
    found = resolved(detected, **EXEMPLARS).detection
    assert found.select("virus", "stated").rows() == [(virus, stated)]


FOUND_WITH = """    NCBITaxon:40 Toad_associated_virus NCBITaxon species false .
    NCBITaxon:41 adeno-associated_virus NCBITaxon species false .
"""
HOSTS = """
    virus        host           source
    NCBITaxon:40 NCBITaxon:8386 virion
    NCBITaxon:41 NCBITaxon:9606 virion
"""


def test_a_virus_named_after_what_it_was_found_with_has_no_recorded_host() -> None:
    below = "    NCBITaxon:40 parent NCBITaxon:24\n    NCBITaxon:41 parent NCBITaxon:24\n"
    taxonomy = taxonomy_with(terms=FOUND_WITH, edges=below)
    met = pl.Series([], dtype=pl.String)
    found = resolve_hosts(table(HOSTS, KnownHost), taxonomy, met)
    recorded = found.filter(pl.col("source") == "virion")
    assert recorded.rows() == [("NCBITaxon:41", "NCBITaxon:9606", "virion")]


NAMED_AFTER = """    NCBITaxon:50 Cucumis_melo_alphaendornavirus NCBITaxon species false .
    NCBITaxon:51 Bean_cyst_nematode_virus_5 NCBITaxon species false .
    NCBITaxon:52 Variola_virus NCBITaxon species false .
    NCBITaxon:53 Culex_flavivirus NCBITaxon species false .
    NCBITaxon:54 Twinname_partitivirus_2 NCBITaxon species false .
    NCBITaxon:55 Bean_cyst_nematode_mottle_virus NCBITaxon species false .
    NCBITaxon:56 Strain_of_52 NCBITaxon no_rank false .
    NCBITaxon:60 Cucumis_melo NCBITaxon species false .
    NCBITaxon:61 Heterodera_fabae NCBITaxon species false .
    NCBITaxon:62 Variola NCBITaxon genus false .
    NCBITaxon:63 Culex NCBITaxon genus false .
    NCBITaxon:64 Culex NCBITaxon subgenus false .
    NCBITaxon:65 Twinname NCBITaxon genus false .
    NCBITaxon:66 Twinname NCBITaxon genus false .
"""


def test_a_virus_named_after_one_taxon_is_recorded_in_it() -> None:
    """Neither one word before a bare "virus" (Variola is a genus of fish), nor a name of two taxa,
    nor a symptom between host and virus says a host.
    """
    met = pl.Series([f"NCBITaxon:{taxon}" for taxon in range(50, 56)])
    below = "".join(f"    {virus} parent NCBITaxon:24\n" for virus in met)
    common = "    NCBITaxon:61 bean_cyst_nematode EXACT\n"
    taxonomy = taxonomy_with(terms=NAMED_AFTER, edges=below, synonyms=common)
    found = hosts_in_names(met, taxonomy)
    assert found.rows() == [
        ("NCBITaxon:50", "NCBITaxon:60", "name"),
        ("NCBITaxon:51", "NCBITaxon:61", "name"),
        ("NCBITaxon:53", "NCBITaxon:63", "name"),
    ]
    assert hosts_in_names(met.clear(), taxonomy).is_empty()


def test_no_detection_at_all_gives_empty_tables() -> None:
    found = resolved("run sotu source")
    assert (len(found.detection), len(found.virus), found.ways) == (0, 0, {})


@settings(max_examples=4)
@given(st.lists(st.floats(0, 100), min_size=25))
@example([SPECIES_IDENTITY, np.nextafter(SPECIES_IDENTITY, 0)])
def test_a_species_is_never_stated_below_the_threshold(identities: list[float]) -> None:
    taxa = virus_lineage(pl.Series(["NCBITaxon:26"]), taxonomy_with())
    lineage = taxa.with_columns(called=pl.lit(None, pl.String))
    detection = spaced(table(DETECTED, Detection)).head(1)
    hits = pl.concat([detection] * len(identities)).with_columns(
        run=pl.format("r{}", pl.int_range(pl.len())),
        virus=pl.lit("NCBITaxon:26"),
        identity=pl.Series(identities),
        way=pl.lit("taxid"),
        by_evidence=pl.lit(False),
    )
    rows = state_viruses(hits, lineage).select("identity", "species", "stated").rows()
    assert len(rows) == len(identities)
    for identity, species, stated in rows:
        supported = identity >= SPECIES_IDENTITY
        assert (species is not None) is supported
        assert stated.endswith("-like") is not supported
