"""From records to annotations: what each run is said to be."""

from __future__ import annotations

from dataclasses import replace

import polars as pl
import pytest

from index.annotation.annotate import Annotations, annotate, annotate_in_parts
from index.annotation.ungrounded import sum_ungrounded
from index.annotation.verbatim import clean_values
from index.records import Records
from index.tables import Biosample as BiosampleTable
from ontology_etl.places import LONGEST_PLACE, read_places
from ontology_etl.reviewed_lists import read_reviewed
from ontology_etl.vocabulary import Vocabulary, build_vocabulary
from tests.tiny_index import read_text_table

TERMS = """
    curie            | label              | ontology
    NCBITaxon:1      | root               | NCBITaxon
    NCBITaxon:131567 | cellular organisms | NCBITaxon
    NCBITaxon:33090  | Viridiplantae      | NCBITaxon
    NCBITaxon:4530   | Oryza sativa       | NCBITaxon
    NCBITaxon:9606   | Homo sapiens       | NCBITaxon
    NCBITaxon:408169 | metagenomes        | NCBITaxon
    NCBITaxon:410658 | soil metagenome    | NCBITaxon
    BTO:0000379      | embryo             | BTO
    BTO:0001233      | plant embryo       | BTO
    BTO:0000763      | lung               | BTO
    BTO:0000089      | blood              | BTO
    DOID:2841        | asthma             | DOID
    DOID:4           | disease            | DOID
"""
EDGES = """
    subject          | predicate | object
    NCBITaxon:131567 | parent    | NCBITaxon:1
    NCBITaxon:33090  | parent    | NCBITaxon:131567
    NCBITaxon:4530   | parent    | NCBITaxon:33090
    NCBITaxon:9606   | parent    | NCBITaxon:131567
    NCBITaxon:408169 | parent    | NCBITaxon:1
    NCBITaxon:410658 | parent    | NCBITaxon:408169
    DOID:2841        | is_a      | DOID:4
"""
RECORDS = {
    "run": """
        run   | biosample | organism
        SYNR1 | SYNS1     | Homo sapiens
        SYNR2 | SYNS2     | Oryza sativa
        SYNR3 | SYNS3     | soil metagenome
        SYNR4 | SYNS1     | Homo sapiens
    """,
    "biosample": """
        biosample | title
        SYNS1     | asthma, lung and blood
        SYNS3     | blood of Homo sapiens
    """,
    "biosample_attribute": """
        biosample | attribute    | value
        SYNS1     | tissue       | Lung
        SYNS1     | disease      | healthy
        SYNS1     | sex          | F
        SYNS1     | geo_loc_name | United States:michigan, Ann Arbor
        SYNS2     | tissue       | germinating embryos
        SYNS2     | disease      | not applicable
        SYNS2     | tissue_type  | bract 7
        SYNS3     | host         | soil metagenome
        SYNS3     | env_biome    | forest biome [ENVO:01000174]
    """,
    "place": "biosample | country\nSYNS2 | viet nam",
    "kmer_profile": "run | curie | share\nSYNR1 | NCBITaxon:9606 | 0.9",
}


@pytest.fixture(scope="module")
def vocabulary() -> Vocabulary:
    synonym = "curie | synonym | scope\nBTO:0001233 | seed germ | RELATED"
    tables = {"term": TERMS, "synonym": synonym, "term_edge": EDGES}
    return build_vocabulary(*(read_text_table(name, text) for name, text in tables.items()))


@pytest.fixture(scope="module")
def records() -> Records:
    return Records(**{name: read_text_table(name, text) for name, text in RECORDS.items()})


@pytest.fixture(scope="module")
def annotated(records: Records, vocabulary: Vocabulary) -> Annotations:
    return annotate(records, vocabulary)


def of_samples(*rows: str) -> pl.DataFrame:
    return read_text_table(
        "biosample_attribute", "\n".join(["biosample | attribute | value", *rows])
    )


def of_runs(*rows: str) -> pl.DataFrame:
    return read_text_table("run_attribute", "\n".join(["run | attribute | value", *rows]))


def test_runs_bear_the_annotations_of_their_samples(annotated: Annotations) -> None:
    table = annotated.annotation.select(
        "run", "facet", "value", pl.col("curie").fill_null("-"), "method"
    ).rows()
    assert sorted(table) == sorted(
        [
            ("SYNR1", "disease", "asthma", "DOID:2841", "dictionary"),
            ("SYNR1", "geography", "USA", "-", "verbatim"),
            ("SYNR1", "geography", "USA: Michigan", "-", "verbatim"),
            ("SYNR1", "host", "Homo sapiens", "NCBITaxon:9606", "dictionary"),
            ("SYNR1", "label", "Homo sapiens", "NCBITaxon:9606", "dictionary"),
            ("SYNR1", "sex", "female", "-", "verbatim"),
            ("SYNR1", "statOrganism", "Homo sapiens", "NCBITaxon:9606", "stat"),
            ("SYNR1", "tissue", "lung", "BTO:0000763", "dictionary"),
            ("SYNR2", "geography", "Viet Nam", "-", "verbatim"),
            ("SYNR2", "host", "Oryza sativa", "NCBITaxon:4530", "dictionary"),
            ("SYNR2", "label", "Oryza sativa", "NCBITaxon:4530", "dictionary"),
            ("SYNR2", "tissue", "plant embryo", "BTO:0001233", "context"),
            ("SYNR3", "biome", "forest", "-", "verbatim"),
            ("SYNR3", "environment", "soil metagenome", "NCBITaxon:410658", "dictionary"),
            ("SYNR3", "label", "soil metagenome", "NCBITaxon:410658", "dictionary"),
            ("SYNR3", "tissue", "blood", "BTO:0000089", "dictionary"),
            ("SYNR4", "disease", "asthma", "DOID:2841", "dictionary"),
            ("SYNR4", "geography", "USA", "-", "verbatim"),
            ("SYNR4", "geography", "USA: Michigan", "-", "verbatim"),
            ("SYNR4", "host", "Homo sapiens", "NCBITaxon:9606", "dictionary"),
            ("SYNR4", "label", "Homo sapiens", "NCBITaxon:9606", "dictionary"),
            ("SYNR4", "sex", "female", "-", "verbatim"),
            ("SYNR4", "tissue", "lung", "BTO:0000763", "dictionary"),
        ]
    )


def test_attributes_of_a_run_are_read_like_those_of_its_sample(
    records: Records, vocabulary: Vocabulary, annotated: Annotations
) -> None:
    """SYNR4 shares its sample with SYNR1: what is said of one run says nothing of the other."""
    own = of_runs("SYNR3 | title | asthma", "SYNR4 | tissue | blood")
    whole = replace(records, run_attribute=own)
    read = list(annotate_in_parts(whole, vocabulary, part_runs=2))
    before = annotated.annotation
    after = pl.concat([part.annotation for part in read])
    added = after.join(before, on=after.columns, how="anti", nulls_equal=True)
    assert added.select("run", "facet", "value", "attribute").rows() == [
        ("SYNR3", "disease", "asthma", "title"),
        ("SYNR4", "tissue", "blood", "tissue"),
    ]


def test_a_text_on_a_person_names_a_tissue_only_where_no_other_does(
    records: Records, vocabulary: Vocabulary
) -> None:
    """SYNR4 is of lung."""
    own = of_runs("SYNR3 | tissue | blood donor", "SYNR4 | tissue | blood donor")
    found = annotate(replace(records, run_attribute=own), vocabulary)
    tissues = found.annotation.filter(pl.col("facet") == "tissue").select("run", "value").rows()
    assert ("SYNR3", "blood") in tissues
    assert [value for run, value in tissues if run == "SYNR4"] == ["lung"]


def test_human_disease_in_a_plant_is_not_annotated_but_counted(
    records: Records, vocabulary: Vocabulary
) -> None:
    attributes = of_samples("SYNS1 | disease | asthma", "SYNS2 | disease | asthma")
    read = annotate(
        replace(records, biosample_attribute=attributes, biosample=BiosampleTable.create_empty()),
        vocabulary,
    )
    ill = read.annotation.filter(facet="disease")
    assert ill["run"].to_list() == ["SYNR1", "SYNR4"]
    ungrounded = sum_ungrounded([read.ungrounded])
    assert ungrounded.filter(facet="disease").rows() == [
        ("disease", "other", "asthma", "disease", 1)
    ]


def test_values_that_gave_nothing_are_counted_by_run(annotated: Annotations) -> None:
    ungrounded = sum_ungrounded([annotated.ungrounded])
    assert ungrounded.rows() == [
        ("disease", "negated", "healthy", "disease", 2),
        ("label", "other", "soil metagenome", "host", 1),
        ("tissue", "ungrounded", "bract 7", "tissue_type", 1),
    ]


def test_parts_give_what_one_call_gives(records: Records, vocabulary: Vocabulary) -> None:
    shared = of_samples("SYNS1 | tissue, body part | bract 7", "SYNS2 | host, common | bract 7")
    attributes = pl.concat([records.biosample_attribute, shared]).sort(pl.all())
    whole = replace(records, biosample_attribute=attributes)
    once = annotate(whole, vocabulary)
    parts = list(annotate_in_parts(whole, vocabulary, part_runs=3))
    assert pl.concat([part.run for part in parts]).equals(once.run)
    assert pl.concat([part.annotation for part in parts]).equals(once.annotation)
    assert sum_ungrounded([part.ungrounded for part in parts]).equals(
        sum_ungrounded([once.ungrounded])
    )


@pytest.mark.parametrize(
    ("facet", "text", "values"),
    [
        ("geography", "USA: Rowley, Massachusetts", ["USA", "USA: Massachusetts"]),
        ("geography", "UK", ["United Kingdom"]),
        ("geography", "Czech Republic", ["Czechia"]),
        ("geography", "not collected", []),
        ("geography", "China: missing", ["China"]),
        ("geography", "Sweden: Baltic Sea", ["Baltic Sea", "Sweden", "Sweden: Baltic Sea"]),
        ("geography", "Red Sea", ["Indian Ocean", "Indian Ocean: Red Sea"]),
        ("geography", "Egypt: Red Sea", ["Egypt", "Egypt: Red Sea", "Indian Ocean: Red Sea"]),
        ("geography", "USA: Atlantic City", ["USA", "USA: Atlantic City"]),
        ("geography", "Turkey: Mediterranean", ["Turkey", "Turkey: Mediterranean"]),
        ("geography", "Korea", ["South Korea"]),
        ("biome", "Freshwater biome", ["freshwater"]),
        ("biome", "ENVO:00002228", []),
        ("biome", "Baltic Sea", []),
        ("sex", "M", ["male"]),
        ("sex", "pooled male and female", ["mixed"]),
        ("sex", "not determined", []),
        ("sex", "Worker", ["worker"]),
    ],
)
def test_places_habitats_and_sexes_are_cleaned(facet: str, text: str, values: list[str]) -> None:
    cleaned = clean_values(pl.DataFrame({"facet": [facet], "text": [text]}))
    assert cleaned["value"].to_list() == values


PLACES = """
Zaire: Kikwit                           | Democratic Republic of the Congo: Kikwit
Macedonia                               | North Macedonia
USSR: Moscow                            | USSR: Moscow
Beijing, China                          | China
[AO] Arctic Ocean (MRGID                | Arctic Ocean
[NAO] North Atlantic Ocean (MRGID:1912) | Atlantic Ocean
Gulf of Aqaba                           | Indian Ocean
subtropical western North Pacific       | Pacific Ocean
North Atlantic                          | Atlantic Ocean alone
Atlantic Ocean, Portugal                | Portugal
Hong Kong, China                        | Hong Kong
Georgia                                 | Georgia
Georgia, USA                            | USA: Georgia
USA: Georgia                            | USA: Georgia
New Mexico                              | USA: New Mexico
Trinidad and Tobago                     | Trinidad and Tobago
Asia: Viet Nam                          | Viet Nam alone
Northern Ireland                        | United Kingdom
Korea, Dem. People's Rep.               | North Korea
Korea, Rep.                             | South Korea
Tbilisi, Georgia                        | Georgia
London, Ontario                         | Canada: Ontario
Lebanon, Pennsylvania                   | USA: Pennsylvania
USA: CA                                 | USA: California
USA: Michigan, Ann Arbor                | USA: Michigan
Australia: WA                           | Australia: Western Australia
USA: WA                                 | USA: Washington
Germany: CA                             | Germany: Ca
USA: Hopland, California                | USA: California
USA: 1001 S McAllister Ave, Tempe, AZ 85281 | USA: Arizona
USA: Moab UT                            | USA: Utah
Hawaii                                  | USA: Hawaii
Georgia: Atlanta                        | USA: Georgia
Georgia: Tbilisi                        | Georgia: Tbilisi
Red Sea                                 | Indian Ocean: Red Sea
Red Sea: Eilat                          | Indian Ocean: Red Sea
Egypt: Red Sea                          | Egypt: Red Sea
(search radius=5 degrees) Marine Ecoregion | unlisted place
Yellowstone National Park               | unlisted place
China; Japan                            | several countries
France and Spain                        | several countries
Congo                                   | several countries
Atlanta, Georgia                        | several countries
Atlantic Ocean; Indian Ocean            | several countries
"""
"""A place as written, and its country or sea, the region in it, or why it has none."""


def test_a_place_is_its_country_and_region_however_it_is_written() -> None:
    lines = [line.split("|") for line in PLACES.strip().splitlines()]
    lines.append(["France " + "x" * LONGEST_PLACE, "unlisted place"])
    texts, expected = ([cell.strip() for cell in cells] for cells in zip(*lines, strict=True))
    asked = pl.DataFrame({"text": texts})
    read = asked.join(read_places(asked["text"]), on="text", how="left", maintain_order="left")
    for row, wanted in zip(read.iter_rows(named=True), expected, strict=True):
        if wanted in ("unlisted place", "several countries"):
            assert (row["country"], row["outcome"]) == (None, wanted), row
            continue
        assert row["outcome"] == "grounded"
        assert row["country"] == wanted.removesuffix(" alone").partition(":")[0], row
        if wanted.endswith(" alone") or ":" in wanted:
            assert row["region"] == (wanted if ":" in wanted else None), row


def test_places_without_a_country_are_counted_by_run(
    records: Records, vocabulary: Vocabulary
) -> None:
    given = of_samples("SYNS1 | country | China; Japan", "SYNS3 | country | Marine Province")
    placed = replace(records, biosample_attribute=given)
    read = annotate(placed, vocabulary)
    ungrounded = sum_ungrounded([read.ungrounded])
    assert ungrounded.filter(facet="geography").rows() == [
        ("geography", "several countries", "China; Japan", "country", 2),
        ("geography", "unlisted place", "Marine Province", "country", 1),
    ]


def test_every_place_stays_on_the_insdc_list() -> None:
    listed = read_reviewed("countries.tsv")
    names = listed["country"]
    aliases = listed["aliases"].drop_nulls().str.split("|").explode()
    read = read_places(pl.concat([names, aliases]))
    assert set(read["country"].drop_nulls()) <= set(names)
    assert read.filter(outcome="unlisted place").is_empty()
    assert listed.filter(~pl.col("within").is_in(names.implode())).is_empty()
