"""Searches by k-mers, countries by coordinates, and designs of studies."""

from __future__ import annotations

import json
from pathlib import Path

import dataframely as dy
import polars as pl
import pytest

from index.annotation.coordinates import locate, positions_of, read_countries, with_located
from index.annotation.everywhere import LEAST_RUNS, find_everywhere
from index.annotation.study_designs import find_run_designs, find_study_designs
from index.annotation.verbatim import route_verbatim
from index.records import Records
from index.sources.inputs import read_records
from index.sources.manifest import read_manifest
from index.tables import Annotation
from ontology_etl.attributes import route_attributes
from ontology_etl.errors import InputError
from tests.tiny_index import read_text_table

MANIFEST = """
[[input]]
format = "table"
path = "runs.tsv"
columns = {run = "run", bioproject = "project", study_title = "title"}

[[input]]
format = "table"
path = "looked.tsv"
source = "kraken"
method = "reads by k-mers"
searched = true
known_runs = true
at_least = {spots = 1000}
columns = {run = "run", spots = "reads"}

[[input]]
format = "table"
path = "hits.tsv"
source = "kraken"
known_runs = true
at_least = {reads = 3}
columns = {run = "run", taxid = "taxid", reads = "reads"}
"""
FILES = {
    "runs.tsv": "run\tproject\ttitle\nSRR000001\tPRJNA1\tSewage of a city\nSRR000002\t\t\n",
    "looked.tsv": "run\treads\nSRR000001\t5000\nSRR000002\t10\nSRR000009\t9000\n",
    "hits.tsv": "run\ttaxid\treads\nSRR000001\t64320\t3\nSRR000001\t11053\t2\nSRR000009\t11053\t8",
}


@pytest.fixture
def records(tmp_path: Path) -> Records:
    return read_written(tmp_path, FILES)


def read_written(folder: Path, files: dict[str, str]) -> Records:
    for name, text in files.items():
        (folder / name).write_text(text)
    (folder / "inputs.toml").write_text(MANIFEST)
    return read_records(read_manifest(folder / "inputs.toml"))


def test_few_reads_are_no_virus_but_were_searched_for(records: Records) -> None:
    assert records.detection.select("run", "virus", "source").rows() == [
        ("SRR000001", "NCBITaxon:64320", "kraken")
    ]
    assert sorted(records.scope["virus"]) == ["NCBITaxon:11053", "NCBITaxon:64320"]
    reasons = records.rejected["reason"].to_list()
    assert any("reads below 3 (1 rows)" in reason for reason in reasons), reasons


def test_a_run_of_few_reads_was_not_searched_and_no_unknown_run_is_added(records: Records) -> None:
    assert records.run["run"].to_list() == ["SRR000001", "SRR000002"]
    assert records.searched.rows() == [("SRR000001", "kraken", "kraken")]
    assert records.search_method.select("source", "method").rows() == [
        ("kraken", "reads by k-mers")
    ]
    read = records.rows.filter(pl.col("source") == "looked.tsv")
    assert read.select("rows_read", "rows_kept", "rows_rejected").rows() == [(3, 2, 1)]


def test_titles_of_studies_are_those_of_bioprojects(records: Records) -> None:
    assert records.bioproject.select("bioproject", "title").rows() == [
        ("PRJNA1", "Sewage of a city")
    ]


def test_a_limit_of_no_number_is_refused(tmp_path: Path) -> None:
    unlimited = MANIFEST.replace("at_least = {reads = 3}", "at_least = {run = 3}")
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "inputs.toml").write_text(unlimited)
    with pytest.raises(InputError, match="no column of numbers means run"):
        read_records(read_manifest(tmp_path / "inputs.toml"))


# --- what is seen everywhere ----------------------------------------------------------------------

KINDS = ("soil", "sea", "gut", "air", "lake")
SHARES = """
    virus           | soil | sea | gut | air | lake | everywhere
    NCBITaxon:56947 | 12   | 9   | 6   | 5   | 0    | yes
    NCBITaxon:10    | 0    | 15  | 4   | 0   | 15   | no
    NCBITaxon:11    | 15   | 0   | 0   | 0   | 0    | no
"""


def test_a_virus_of_most_kinds_of_samples_is_an_artefact() -> None:
    header, *lines = [[cell.strip() for cell in line.split("|")]
                      for line in SHARES.strip().splitlines()]  # fmt: skip
    rows = [dict(zip(header, line, strict=True)) for line in lines]
    names = {kind: [f"SRR{at}{n:05}" for n in range(LEAST_RUNS)] for at, kind in enumerate(KINDS)}
    runs = [(run, kind) for kind, listed in names.items() for run in listed]
    found = [(run, row["virus"]) for row in rows for kind in KINDS
             for run in names[kind][: int(row[kind])]]  # fmt: skip
    hits = pl.DataFrame(found, schema=["run", "virus"], orient="row").with_columns(
        source=pl.lit("kraken"), identity=pl.lit(None, pl.Float64)
    )
    run = pl.DataFrame(runs, schema=["run", "organism"], orient="row")
    searched = run.select("run", source=pl.lit("kraken"))
    expected = [row["virus"] for row in rows if row["everywhere"] == "yes"]
    assert find_everywhere(hits, searched, run)["virus"].to_list() == expected
    sure = hits.with_columns(identity=pl.lit(99.0))
    assert find_everywhere(sure, searched, run).is_empty()


# --- places ---------------------------------------------------------------------------------------

SQUARE = [[0, 0], [10, 0], [10, 10], [0, 10], [0, 0]]
HOLE = [[4, 4], [6, 4], [6, 6], [4, 6], [4, 4]]
ISLAND = [[20, 0], [21, 0], [21, 1], [20, 1], [20, 0]]
POINTS = """
    latitude | longitude | country
    5        | 1         | Peru
    5        | 5         | Chile
    0.5      | 20.5      | Peru
    5        | 15        |
"""


@pytest.fixture
def polygons(tmp_path: Path) -> Path:
    shapes = [
        ("Peru", "MultiPolygon", [[SQUARE, HOLE], [ISLAND]]),
        ("Chile", "Polygon", [HOLE]),
        ("Nowhere", "Polygon", [[[14, 4], [16, 4], [16, 6], [14, 4]]]),
    ]
    features = [
        {
            "properties": {"name": name, "admin": name},
            "geometry": {"type": kind, "coordinates": coordinates},
        }
        for name, kind, coordinates in shapes
    ]
    path = tmp_path / "countries.geojson"
    path.write_text(json.dumps({"features": features}))
    return path


def test_a_point_is_in_the_polygon_around_it_and_not_in_its_hole(polygons: Path) -> None:
    cells = [line.split("|") for line in POINTS.strip().splitlines()[1:]]
    points = pl.DataFrame([(float(north), float(east)) for north, east, _ in cells],
                          schema=["latitude", "longitude"], orient="row")  # fmt: skip
    expected = {(float(north), float(east)): name.strip()
                for north, east, name in cells if name.strip()}  # fmt: skip
    found = locate(points, read_countries(polygons))
    assert {(north, east): name for north, east, name in found.rows()} == expected


def test_a_position_gives_a_country_where_none_is_stated(polygons: Path) -> None:
    run = read_text_table("run", "run | biosample\nSRR1 | S1\nSRR2 |\nSRR3 | S1")
    place = read_text_table("place", "biosample | latitude | longitude\nS1 | 5 | 1")
    own = read_text_table("run_attribute", "run | attribute | value\nSRR2 | lat_lon | 5.0 N 5.0 E")
    records = Records(run=run, place=place, run_attribute=own)
    stated = "run | facet | value | text | attribute | method | score"
    stated += "\nSRR3 | geography | Brazil | Brazil | country | verbatim | 1.0"
    annotation = read_text_table("annotation", stated)
    placed = with_located(annotation, positions_of(records), read_countries(polygons))
    assert placed.select("run", "value", "method").rows() == [
        ("SRR1", "Peru", "coordinates"),
        ("SRR2", "Chile", "coordinates"),
        ("SRR3", "Brazil", "verbatim"),
    ]


def test_what_holds_no_polygons_is_refused_with_its_name(tmp_path: Path) -> None:
    path = tmp_path / "countries.geojson"
    path.write_text('{"features": [{"properties": {}}]}')
    with pytest.raises(InputError, match="no polygons of countries"):
        read_countries(path)


def test_no_place_leaves_annotations_as_they_are() -> None:
    none: dy.DataFrame[Annotation] = Annotation.create_empty()
    assert with_located(none, positions_of(Records()), []).is_empty()


@pytest.mark.real
def test_positions_give_the_countries_that_others_found(shared_data: Path) -> None:
    gold = pl.read_csv(shared_data / "gold" / "places_by_coordinates.tsv.gz", separator="\t")
    assert len(gold) > 100
    countries = read_countries(shared_data / "places" / "country_polygons.geojson.gz")
    cities = pl.DataFrame({"latitude": [59.33, -33.45, 0.0], "longitude": [18.07, -70.67, -30.0]})
    assert sorted(locate(cities, countries)["country"]) == ["Chile", "Sweden"]


# --- designs --------------------------------------------------------------------------------------

DESIGNS = """
    text                                                        | design
    HeLa cells were treated with interferon                     | cell culture
    Lungs of mice at 3 days post infection                      | experimental infection
    Cells were infected at an MOI of 5 or mock-infected         | experimental infection
    Marine metagenomes of the Baltic Sea                        | metagenome
    Viruses of the 2014 outbreak in West Africa                 | surveillance
    Liver of patients with hepatitis B                          | patients or field samples
    Liver with hepatitis B                                      |
"""


@pytest.mark.parametrize("row", DESIGNS.strip().splitlines()[1:])
def test_the_design_of_a_study_is_what_its_texts_say(row: str) -> None:
    text, expected = (cell.strip() for cell in row.split("|"))
    run = read_text_table("run", "run | study\nSRR1 | SRP000001\nSRR2 | SRP000001")
    study = read_text_table("study", f"study | title\nSRP000001 | {text}")
    found = find_study_designs(Records(run=run, study=study))
    wanted = [("SRP000001", expected, "title", 2, 2)] if expected else []
    columns = ["study", "design", "source", "runs", "study_runs"]
    assert found.select(columns).rows() == wanted


def test_a_word_of_a_sample_holds_for_its_runs_alone() -> None:
    run = read_text_table(
        "run", "run | biosample | bioproject\nSRR1 | S1 | PRJNA1\nSRR2 | S2 | PRJNA1"
    )
    said = "biosample | attribute | value\nS1 | treatment_protocol | MOI of 1\nS2 | age | moi"
    attributes = read_text_table("biosample_attribute", said)
    found = find_study_designs(Records(run=run, biosample_attribute=attributes))
    assert found.select("study", "design", "source", "runs", "study_runs").rows() == [
        ("PRJNA1", "experimental infection", "treatment_protocol", 1, 2)
    ]
    unknown = run.with_columns(bioproject=pl.lit(None, pl.String))
    of_runs = find_run_designs(Records(run=unknown, biosample_attribute=attributes))
    assert of_runs.rows() == [("SRR1", "experimental infection")]


def test_a_field_that_only_cultures_fill_says_how_a_study_was_set_up() -> None:
    run = read_text_table(
        "run", "run | biosample | study\nR1 | S1 | P1\nR2 | S2 | P1\nR3 | S3 | P1"
    )
    said = (
        "biosample | attribute | value\nS1 | cell line | RAJI\nS2 | cell_line | n/a\nS3 | age | 3"
    )
    attributes = read_text_table("biosample_attribute", said)
    found = find_study_designs(Records(run=run, biosample_attribute=attributes))
    assert found.select("design", "words", "runs").rows() == [("cell culture", "cell line", 1)]


# --- the dictionary of attributes -----------------------------------------------------------------

OTHERWISE = {
    "cell": "a cell type as often as a line",
    "cell lineage": "of development, no line of a culture",
    "developmental stage/cell type": "two attributes in one",
    "disease/cell type": "two attributes in one",
    "env broad range": "in no record that we know",
    "experimental factor: sex": "in no record that we know",
    "host id": "mostly the name of an animal",
    "host ids": "mostly the name of an animal",
    "host spec range": "what a virus may infect",
    "host specificity or range": "what a virus may infect",
    "host status": "dead or alive as often as ill",
    **dict.fromkeys(("cell l ine", "cell loine", "celll line", "host speciess", "tisssue"), "typo"),
}
"""Spellings that NCBI's dictionary takes for an attribute that is read, and these are not."""


@pytest.mark.real
def test_every_spelling_of_an_attribute_that_is_read_is_read_alike(shared_data: Path) -> None:
    listed = pl.read_csv(
        shared_data / "attributes" / "ncbi_biosample_attributes.tsv.gz",
        separator="\t", infer_schema=False, quote_char=None,
    )  # fmt: skip
    spelled = listed.select(
        name="harmonized_name", spelling=pl.col("synonyms").str.split("|")
    ).explode("spelling").drop_nulls()  # fmt: skip
    facets = _facets(spelled["name"])
    missed = [
        (spelling, name)
        for name, spelling in spelled.rows()
        if spelling not in OTHERWISE and facets.get(name, set()) - _facets_of(spelling)
    ]
    assert missed == []


def _facets(attributes: pl.Series) -> dict[str, set[str]]:
    named: dict[str, set[str]] = {}
    in_passing = pl.col("role") == "source"
    for route in (route_attributes(attributes).filter(~in_passing), route_verbatim(attributes)):
        for attribute, facet in route.select("attribute", "facet").rows():
            named.setdefault(attribute, set()).add(facet)
    return named


def _facets_of(spelling: str) -> set[str]:
    return _facets(pl.Series([spelling])).get(spelling, set())
