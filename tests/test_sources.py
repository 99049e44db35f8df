"""Readers of record formats: small files in, contract tables and counted rejections out."""

from __future__ import annotations

import gzip
import json
from datetime import date
from pathlib import Path

import polars as pl
import pytest

from index.records import Records
from index.sources import SOURCES
from index.sources.inputs import read_records
from index.sources.manifest import read_manifest
from index.sources.rejection import MAX_NAMED_ROWS, rows_rejected


def write(folder: Path, name: str, table: str, *, separator: str = "\t") -> Path:
    """Write a text table whose cells are divided by ``|``; return its path, gzip where the name
    says so.
    """
    lines = [line.strip() for line in table.strip().splitlines()]
    text = (
        "\n".join(separator.join(cell.strip() for cell in line.split("|")) for line in lines) + "\n"
    )
    path = folder / name
    path.write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
    return path


def read(format_name: str, path: Path, **options: object) -> Records:
    return SOURCES[format_name].read(path, **options)


def reasons(records: Records) -> list[tuple[int | None, str]]:
    return records.rejected.select("row", "reason").rows()


# --- runs -----------------------------------------------------------------------------------------


def test_run_info_reads_iso_and_spreadsheet_dates_and_rejects_what_is_no_run(
    tmp_path: Path,
) -> None:
    path = write(
        tmp_path,
        "runs.csv",
        """
        Run       | ReleaseDate         | spots | bases  | BioProject | BioSample | TaxID | ScientificName
        SYNR0000001 | 2019/3/15 17:42     | 10    | 3000.0 | SYNP1      | SYNS1     | 9606  | Homo sapiens
        SYNR0000002 | 2017-06-10 00:00:00 |       | -5     |            | SYNS2     | 0     |
        Run       | ReleaseDate         | spots | bases  | BioProject | BioSample | TaxID | ScientificName
        <html>    |                     |       |        |            |           |       |
        SYNR0000003 |                     | 1     | 1      | SRP000001  | SYNS3     | 9606  | Homo sapiens
        """,  # noqa: E501
        separator=",",
    )
    records = read("sra_run_info", path)
    columns = ("run", "bioproject", "organism_curie", "spots", "bases", "release_date")
    assert records.run.select(columns).rows() == [
        ("SYNR0000001", "SYNP1", "NCBITaxon:9606", 10, 3000, date(2019, 3, 15)),
        ("SYNR0000002", None, None, None, None, date(2017, 6, 10)),
    ]
    assert reasons(records) == [
        (4, "repeated header"),
        (5, "not a run accession: '<html>'"),
        (6, "not a BioProject accession: 'SRP000001'"),
    ]


@pytest.mark.parametrize(
    ("written", "read_as"),
    [
        ("2020-01-02T00:00:00Z", date(2020, 1, 2)),
        ("20200102", date(2020, 1, 2)),
        ("02-Jan-2020", date(2020, 1, 2)),
        ("2 January 2020", date(2020, 1, 2)),
        ("Jan 2, 2020", date(2020, 1, 2)),
        ("2.1.2020", date(2020, 1, 2)),
        ("13/02/2020", date(2020, 2, 13)),
        ("02/13/2020", date(2020, 2, 13)),
        ("03/03/2020", date(2020, 3, 3)),
        ("missing", None),
    ],
)
def test_a_day_is_read_as_people_write_it(
    tmp_path: Path, written: str, read_as: date | None
) -> None:
    table = f"Run | BioSample | BioProject | ReleaseDate\nSYNR1 | | | {written}"
    records = read("sra_run_info", write(tmp_path, "runs.tsv", table))
    assert records.run["release_date"].to_list() == [read_as]
    assert records.rejected.is_empty()


@pytest.mark.parametrize("written", ["01/02/2020", "2020-01", "2020", "43832", "31-Feb-2020", "x"])
def test_what_is_not_one_day_is_left_empty_and_counted(tmp_path: Path, written: str) -> None:
    table = f"Run | BioSample | BioProject | ReleaseDate\nSYNR1 | | | {written}"
    records = read("sra_run_info", write(tmp_path, "runs.tsv", table))
    assert records.run["release_date"].to_list() == [None]
    assert reasons(records) == [(2, f"ReleaseDate is not one day, left empty: '{written}'")]
    assert records.rows.select("rows_kept", "rows_rejected").row(0) == (1, 0)


def test_numbers_have_separators_and_commas_a_backslash(tmp_path: Path) -> None:
    path = tmp_path / "runs.csv"
    path.write_text(
        "Run,BioSample,BioProject,Bases,geo_loc_name\n"
        'SYNR1,SYNS1,SYNP1,"1,234,567","USA: Michigan\\, Ann Arbor"\n'
        'SYNR2,SYNS2,SYNP1,"12,34",Peru\n'
        "SYNR3,SYNS3,SYNP1,1.234.567,Chile\n"
    )
    records = read("sra_run_table", path)
    places = ["USA: Michigan, Ann Arbor", "Peru", "Chile"]
    assert records.run["bases"].to_list() == [1_234_567, None, 1_234_567]
    assert records.biosample_attribute["value"].to_list() == places
    assert reasons(records) == [(3, "Bases is not a number, left empty: '12,34'")]


@pytest.mark.parametrize("written", ["0,05", "<0.001", "1.5"])
def test_a_p_value_that_is_none_is_shown(tmp_path: Path, written: str) -> None:
    head = "bioproject_id|family|metadata_field|metadata_value|num_true|num_false|p_value"
    row = f"SYNP1|Virusviridae|tissue|lung|5|7|{written}"
    records = read("mwas_csv", write(tmp_path, "mwas.tsv", f"{head}\n{row}"))
    assert reasons(records) == [(2, f"p-value is not between 0 and 1: '{written}'")]


def test_run_table_takes_every_column_that_is_not_technical_as_attribute(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        "table.csv",
        """
        Run | Assay Type | AvgSpotLen | Bases | BioProject | BioSample | Center Name | Host | DiseaseClass | Organism
        SYNR1 | WGS | 250 | 1000 | SYNP1 | SYNS1 | X | Homo sapiens | Adenoma | gut metagenome
        """,  # noqa: E501
        separator=",",
    )
    records = read("sra_run_table", path)
    assert records.biosample_attribute.rows() == [
        ("SYNS1", "DiseaseClass", "Adenoma"),
        ("SYNS1", "Host", "Homo sapiens"),
    ]
    assert records.run.select("run", "library_strategy", "spots", "bases").rows() == [
        ("SYNR1", "WGS", 4, 1000)
    ]


def test_cloud_metadata_unpacks_sample_attributes_and_leaves_run_fields(tmp_path: Path) -> None:
    path = tmp_path / "meta.tsv"
    attributes = '{""bases"": 900, ""tissue_sam"": [""leaf"", ""root""], ""source_sam_ss_dpl3"": [""a \\""b\\""""], ""x_run"": [""y""]}'  # noqa: E501
    path.write_text(
        "acc\tbiosample\tbioproject\tavgspotlen\treleasedate\tgeo_loc_name_country_calc\tjattr\n"
        f'SYNR1\tSYNS1\tSYNP1\t300\t2020-05-21T00:00:00Z\tUSA\t"{attributes}"\n'
        "SYNR2\tSYNS2\tSYNP1\t300\t\tuncalculated\tnot json\n"
    )
    records = read("sra_metadata", path)
    assert records.biosample_attribute.rows() == [
        ("SYNS1", "source", 'a "b"'),
        ("SYNS1", "tissue", "leaf"),
        ("SYNS1", "tissue", "root"),
    ]
    assert records.run.select("run", "spots", "bases", "release_date").rows() == [
        ("SYNR1", 3, 900, date(2020, 5, 21)),
        ("SYNR2", None, None, None),
    ]
    assert records.place.select("biosample", "country").rows() == [("SYNS1", "USA")]


def test_quotes_and_backslashes_in_a_json_key_are_read(tmp_path: Path) -> None:
    path = tmp_path / "meta.tsv"
    attributes = json.dumps({'leaf "b"_sam': ["x"], "c\\d_sam": ["y"]}).replace('"', '""')
    path.write_text(f'acc\tbiosample\tbioproject\tjattr\nSYNR1\tSYNS1\tSYNP1\t"{attributes}"\n')
    assert read("sra_metadata", path).biosample_attribute.rows() == [
        ("SYNS1", "c\\d", "y"),
        ("SYNS1", 'leaf "b"', "x"),
    ]


# --- samples --------------------------------------------------------------------------------------


def test_biosample_xml_keeps_names_and_values_as_submitted(tmp_path: Path) -> None:
    path = tmp_path / "set.xml.gz"
    body = """<?xml version="1.0"?><BioSampleSet>
    <BioSample accession="SYNS1"><Description><Title>bat &amp; cave</Title></Description><Attributes>
      <Attribute attribute_name="Host Tissue">Faeces </Attribute><Attribute attribute_name="sex"></Attribute>
    </Attributes></BioSample>
    <BioSample accession="SYNS2"><Description/></BioSample>
    <BioSample accession="42"><Attributes><Attribute attribute_name="a">b</Attribute></Attributes></BioSample>
    </BioSampleSet>"""  # noqa: E501
    path.write_bytes(gzip.compress(body.encode()))
    records = read("biosample_xml", path)
    assert records.biosample.rows() == [("SYNS1", "bat & cave"), ("SYNS2", None)]
    assert records.biosample_attribute.rows() == [("SYNS1", "Host Tissue", "Faeces")]
    assert reasons(records) == [
        (1, "attribute without a value: 'sex'"),
        (3, "not a BioSample accession: '42'"),
    ]


def test_attributes_in_long_form_name_samples_and_runs(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        "attributes.tsv",
        """
        run   | biosample | bioproject | organism    | attribute | value
        SYNR1 | SYNS1     | SYNP1      | Sus scrofa  | tissue    | Leaves
        SYNR2 | SYNS1     | SYNP1      | Sus scrofa  | tissue    | Leaves
        SYNR1 | SYNS1     | SYNP1      | Sus scrofa  | host      |
        """,
    )
    records = read("biosample_attributes", path)
    assert records.run["run"].to_list() == ["SYNR1", "SYNR2"]
    assert records.biosample_attribute.rows() == [("SYNS1", "tissue", "Leaves")]
    assert reasons(records) == [(4, "attribute without a value: 'host'")]


def test_geo_samples_join_their_characteristics(tmp_path: Path) -> None:
    samples = write(
        tmp_path, "gsm.tsv", "gsm | title | source_name | biosample\nGSM1 | T | liver | SYNS1"
    )
    stated = write(
        tmp_path,
        "chars.tsv",
        "gsm | attribute | value\nGSM1 | tissue | liver\nGSM9 | tissue | lung",
    )
    records = read("geo_samples", samples, characteristics=stated)
    assert records.biosample_attribute.rows() == [
        ("SYNS1", "source_name", "liver"),
        ("SYNS1", "tissue", "liver"),
    ]
    assert reasons(records) == [(3, "characteristic of a sample without a BioSample: 'GSM9'")]


def test_geography_finds_the_sample_through_the_run_and_drops_impossible_positions(
    tmp_path: Path,
) -> None:
    runs = write(
        tmp_path,
        "runs.csv",
        "Run | BioSample | BioProject | SRAStudy\nSYNR1 | SYNS1 | SYNP1 | SRP000001",
        separator=",",
    )
    path = write(
        tmp_path,
        "places.tsv",
        """
        SRA_Run | biosample | geographic_location(region_and_locality) | Habitat | lat | lon
        SYNR1   | SRS0001   | USA: Iowa                                | Soil    | 42  | -93.6
        SYNR2   | SYNS2     | not collected                            | Aquatic | 120 | 3
        SYNR3   | SRS0003   | Peru                                     | Soil    | 1   | 1
        """,
    )
    records = read("geography", path, run_info=(runs,))
    assert records.place.rows() == [
        ("SYNS1", "USA", "Soil", 42.0, -93.6),
        ("SYNS2", None, "Aquatic", None, None),
    ]
    assert records.run_attribute.rows() == [
        ("SYNR3", "country", "Peru"),
        ("SYNR3", "habitat", "Soil"),
        ("SYNR3", "lat_lon", "1.0 N 1.0 E"),
    ]
    assert reasons(records) == []


def test_joined_records_give_samples_and_what_was_found_in_them(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        "records.tsv",
        """
        level   | run   | biosample | bioproject | host_name  | tissue_raw | disease_raw | country | score | virus_id     | virus_name         | abundance | abundance_unit | pct_identity | source
        run     | SYNR1 | SYNS1     | SYNP1      | Sus scrofa | liver      | Healthy     | China   | 90    | NC_004102.1  | Hepatitis C virus  | 700       | n_reads        | 97           | a
        run     | SYNR2 |           | ZhouC_2018 | Sus scrofa | liver      |             | China   |       | u7           | Cicer arietinum    | 4.5       | node_coverage  | 40           | b
        run     | SYNR6 | SYNS6     | SYNP1      | Sus scrofa |            |             |         |       | u8           | Pig virus 2        | 9         | node_coverage  |              | b
        run     | SYNR3 | SYNS3     | SYNP1      | Sus scrofa | liver      |             | China   | 2     | NC_007605.1  | Epstein-Barr virus | 3         | n_reads        | 99           | a
        run     | SYNR4 | SYNS4     | SYNP1      |            |            |             |         | 100   | Pisuviricota | Pisuviricota       | 51        | n_reads        | 52           |
        run     | SYNR5 | SYNS5     | SYNP1      |            |            |             |         | 100   | a virus      |                    | 51        | n_reads        | 52           |
        isolate |       |           |            | Sus scrofa |            |             |         |       |              |                    |           |                |              |
        """,  # noqa: E501
    )
    records = read("virome_records", path)
    assert records.run.select("run", "biosample", "bioproject", "organism").rows() == [
        ("SYNR1", "SYNS1", "SYNP1", "Sus scrofa"),
        ("SYNR2", None, None, "Sus scrofa"),
        ("SYNR4", "SYNS4", "SYNP1", None),
        ("SYNR5", "SYNS5", "SYNP1", None),
        ("SYNR6", "SYNS6", "SYNP1", "Sus scrofa"),
    ]
    assert records.biosample_attribute.rows() == [
        ("SYNS1", "disease", "Healthy"),
        ("SYNS1", "tissue", "liver"),
    ]
    assert records.run_attribute.rows() == [
        ("SYNR2", "country", "China"),
        ("SYNR2", "tissue", "liver"),
    ]
    columns = ("run", "sotu", "source", "reported_name", "phylum", "identity", "coverage", "reads")
    assert records.detection.select(columns).rows() == [
        ("SYNR1", "NC_004102.1", "serratus_nt", "Hepatitis C virus", None, 97.0, None, 700),
        ("SYNR2", "u7", "palm_virome", None, None, 40.0, 4.5, None),
        ("SYNR4", "Pisuviricota", "serratus_rdrp", None, "Pisuviricota", None, None, 51),
        ("SYNR6", "u8", "palm_virome", None, None, None, 9.0, None),
    ]
    assert records.detection["nearest"].to_list() == [None, None, None, "Pig virus 2"]
    assert ("SYNR3", "serratus_nt", "a") in records.searched.rows()
    assert sorted(reason for _, reason in reasons(records)) == [
        "an isolate, not a run",
        "no sOTU, accession or phylum, so no detection: 'a virus'",
        "score below 50",
    ]


def test_a_phylum_is_a_detection_of_that_phylum_in_a_run_that_is_known(tmp_path: Path) -> None:
    found = write(
        tmp_path,
        "rdrp.tsv",
        """
        run_id | phylum_name  | score | percent_identity | n_reads
        SYNR1  | Pisuviricota | 100   | 95               | 12
        SYNR9  | Pisuviricota | 100   | 95               | 12
        SYNR2  | Pisuviricota | 3     | 95               | 1
        SYNR2  | Potyviridae  | 100   | 95               | 1
        """,
    )
    runs = write(tmp_path, "runs.csv", "Run | BioSample | BioProject\nSYNR1 | |", separator=",")
    inputs = [("serratus_rdrp", found), ("sra_run_info", runs)]
    listed = [f'[[input]]\nformat = "{name}"\npath = "{path}"\n' for name, path in inputs]
    manifest = tmp_path / "inputs.toml"
    manifest.write_text("".join(listed))
    records = read_records(read_manifest(manifest))
    assert records.run["run"].to_list() == ["SYNR1"]
    columns = ("run", "sotu", "phylum", "identity", "reads", "source")
    assert records.detection.select(columns).rows() == [
        ("SYNR1", "Pisuviricota", "Pisuviricota", None, 12, "serratus_rdrp")
    ]
    assert records.searched.rows() == [("SYNR1", "serratus_rdrp", "rdrp")]
    assert records.rows.rows()[0] == ("rdrp.tsv", "serratus_rdrp", 4, 1, 3)
    assert sorted(records.rejected["reason"]) == [
        "a run that no input describes (1 rows)",
        "not a virus phylum: 'Potyviridae'",
        "score below 50",
    ]


# --- viruses --------------------------------------------------------------------------------------

PALM = """
    run   | sotu | gb_pid | tax_species  | tax_family    | tax_phylum   | node_coverage | n_reads | bio_project
    SYNR1 | u7   | 97.5   | Some virus   | Iflaviridae   | Pisuviricota | 3             | 40      | SYNP1
    SYNR1 | u7   | 97.5   | Some virus   | Iflaviridae   | Pisuviricota | 12.5          | 90      | SYNP1
    SYNR1 | u8   | 100    | Cicer plant  | Fabaceae      | Streptophyta | 2             |         | SYNP1
    SYNR2 | u9   | -1     |              |               |              |               |         |
    SYNR2 | x9   | 50     |              |               |              | 1             |         |
"""  # noqa: E501


def test_contigs_of_one_sotu_are_one_detection_of_the_deepest(tmp_path: Path) -> None:
    records = read("palm_virome", write(tmp_path, "palm.tsv", PALM))
    found = records.detection.select(
        "run", "sotu", "reported_name", "family", "identity", "coverage", "reads"
    )
    assert found.filter(pl.col("sotu") == "u7").rows() == [
        ("SYNR1", "u7", "Some virus", "Iflaviridae", 97.5, 12.5, 90),
    ]
    assert reasons(records) == [(6, "not an sOTU: 'x9'")]


def test_a_plant_genome_is_no_virus_name_and_no_hit_has_no_identity(tmp_path: Path) -> None:
    records = read("palm_virome", write(tmp_path, "palm.tsv", PALM))
    columns = ("sotu", "reported_name", "family", "phylum", "identity")
    rest = records.detection.select(columns).filter(pl.col("sotu") != "u7")
    assert rest.rows() == [("u8", None, None, None, 100.0), ("u9", None, None, None, None)]


def test_hits_below_the_score_are_counted_not_listed(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        "nt.tsv",
        """
        run_id | sequence_accession | score | percent_identity | n_reads
        SYNR1  | NC_000883.2        | 100   | 99               | 5000
        SYNR1  | NC_004102.1        | 49    | 100              | 1
        SYNR2  | NC_004102.1        | 3     | 100              | 1
        SYNR2  | NC_004102.1        | high  | 100              | 1
        """,
    )
    names = write(
        tmp_path,
        "accessions.tsv",
        """
        sequence_accession | taxid | virus_name | taxon_name_vhdb      | family
        NC_000883.2        | 10798 | B19        | Human parvovirus B19 | parvoviridae
        """,
    )
    records = read("serratus_nt", path, accessions=names)
    assert records.detection.select(
        "run", "sotu", "virus", "reported_name", "family", "reads", "score"
    ).rows() == [
        ("SYNR1", "NC_000883.2", "NCBITaxon:10798", "Human parvovirus B19", "Parvoviridae", 5000,
         100.0)
    ]  # fmt: skip
    assert reasons(records) == [
        (5, "score is not a number from 0 to 100: 'high'"),
        (None, "score below 50 (2 rows)"),
    ]
    assert rows_rejected(records.rejected).rows() == [
        ("nt.tsv", "score below 50", 2),
        ("nt.tsv", "score is not a number from 0 to 100", 1),
    ]


SEGMENTS = """
    run_id | sequence_accession | score | n_reads
    SYNR1  | NC_004296.1        | 80    | 900
    SYNR1  | NC_004297.1        | 20    | 30
    SYNR2  | NC_004297.1        | 20    | 30
    SYNR1  | NC_014397.1        | 20    | 30
"""


@pytest.mark.parametrize(
    ("names", "kept"),
    [
        (
            """
            sequence_accession | virus_name
            NC_004296.1        | Lassa mammarenavirus
            NC_004297.1        | Lassa mammarenavirus
            NC_014397.1        | Rift Valley fever virus
            """,
            ["NC_004296.1", "NC_004297.1"],
        ),
        (  # of one virus by the taxon, whatever they are called
            """
            sequence_accession | taxid | virus_name
            NC_004296.1        | 11620 | Lassa virus segment S
            NC_004297.1        | 11620 | Lassa virus segment L
            NC_014397.1        | 11588 | Lassa virus segment S
            """,
            ["NC_004296.1", "NC_004297.1"],
        ),
        ("", ["NC_004296.1"]),
    ],
    ids=["by name", "by taxon", "unnamed"],
)
def test_segments_of_a_virus_are_judged_as_one(tmp_path: Path, names: str, kept: list[str]) -> None:
    """A weak segment counts where another segment of its virus passes in the same run."""
    named = {"accessions": write(tmp_path, "accessions.tsv", names)} if names else {}
    records = read("serratus_nt", write(tmp_path, "nt.tsv", SEGMENTS), **named)
    assert records.detection.select("run", "sotu").rows() == [("SYNR1", sotu) for sotu in kept]
    assert reasons(records) == [(None, f"score below 50 ({4 - len(kept)} rows)")]


def test_a_run_whose_hits_are_all_below_the_score_was_searched_and_has_nothing(
    tmp_path: Path,
) -> None:
    path = write(
        tmp_path,
        "nt.tsv",
        """
        run_id | sequence_accession | score
        SYNR2  | NC_007605.1        | 1
        SYNR1  | NC_007605.1        | 90
        SYNR2  | NC_004102.1        | 2
        GSM1   | NC_007605.1        | 3
        """,
    )
    records = read("serratus_nt", path)
    assert records.detection["run"].to_list() == ["SYNR1"]
    assert records.searched.rows() == [
        ("SYNR1", "serratus_nt", "nt"),
        ("SYNR2", "serratus_nt", "nt"),
    ]
    # what is only found below the score can be found, too
    assert sorted(records.scope["sotu"]) == ["NC_004102.1", "NC_007605.1"]


def test_aligned_pairs_are_listed_once_in_order(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        "pairs.tsv",
        "sotu_a | sotu_b | pident\nu9 | u10 | 70\nu10 | u9 | 80\nu9 | u9 | 100",
    )
    records = read("sotu_alignment", path)
    assert records.sotu_alignment.rows() == [("u10", "u9", 0.8)]
    assert reasons(records) == [(4, "an sOTU aligned to itself")]


def test_a_recorded_pair_is_listed_once_and_needs_two_taxids(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        "hosts.tsv",
        "host_taxid | virus_taxid | n\n9606 | 11234 | 3\n9606 | 11234 | 1\nhuman | 11234 | 1",
    )
    records = read("known_hosts", path)
    assert records.known_host.rows() == [("NCBITaxon:11234", "NCBITaxon:9606", "virion")]
    assert reasons(records) == [(4, "not a taxid: 'human'")]


# --- k-mers ---------------------------------------------------------------------------------------


def test_stat_shares_are_of_the_root_and_a_run_without_root_is_rejected(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        "stat.tsv",
        """
        acc   | tax_id | total_count | self_count
        SYNR1 | 1      | 1000        | 10
        SYNR1 | 9606   | 250         | 250
        SYNR2 | 9606   | 777         | 777
        """,
    )
    records = read("ncbi_stat", path)
    assert records.stat_hit.rows() == [("SYNR1", "NCBITaxon:9606", 0.25)]
    assert reasons(records) == [(4, "no root row for the run, so its total is unknown")]


def test_stat_by_name_is_looked_up_in_the_taxdump(tmp_path: Path, sample_inputs: Path) -> None:
    path = write(
        tmp_path,
        "orders.tsv",
        """
        run_id | order_name | kmer | kmer_perc
        SYNR1  | Diptera    | 5    | 98.98
        SYNR1  | Nonsensia  | 5    | 1.02
        SYNR2  | Diptera    | 5    | 100.01
        """,
    )
    taxdump = sample_inputs.parent / "ontologies" / "taxdump.tar.gz"
    records = read("ncbi_stat", path, taxdump=taxdump)
    assert records.stat_hit.rows() == [
        ("SYNR1", "NCBITaxon:7147", 0.9898),
        ("SYNR2", "NCBITaxon:7147", 1.0),
    ]
    assert reasons(records) == [(3, "no taxon of this name: 'Nonsensia'")]


# --- studies and associations ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "table", "expected"),
    [
        ("a.tsv", "bioproject | title | description\nSYNP1 | T | D", ("SYNP1", "T", "D")),
        (
            "d.tsv",
            "study | title | abstract | bioproject\nSRP000001 | T | D | SYNP1",
            ("SYNP1", "T", "D"),
        ),
        (
            "b.csv",
            "Experiment Accession | Study Accession | Study Title\nX | SRP000001 | T",
            ("SYNP1", "T", None),
        ),
        ("c.tsv", "project | abstract\nSRP000001 | D", ("SYNP1", None, "D")),
    ],
)
def test_studies_of_every_layout_become_bioprojects(
    tmp_path: Path, name: str, table: str, expected: tuple[str | None, ...]
) -> None:
    links = write(
        tmp_path,
        "runs.csv",
        "Run | BioSample | BioProject | SRAStudy\nSYNR1 | SYNS1 | SYNP1 | SRP000001",
        separator=",",
    )
    path = write(tmp_path, name, table, separator="," if name.endswith("csv") else "\t")
    assert read("studies", path, run_info=(links,)).bioproject.rows() == [expected]


def test_study_without_a_bioproject_is_kept_under_its_own_name(tmp_path: Path) -> None:
    texts = """
        study     | title | abstract | bioproject
        ERP001942 |       | Lines    |
        ERP000002 | T     | D        | SYNP2
        GTEX      | T     | D        |
        ERP000003 |       |          |
        """
    records = read("studies", write(tmp_path, "texts.tsv", texts))
    assert records.study.rows() == [("ERP000002", "T", "D"), ("ERP001942", None, "Lines")]
    assert records.bioproject.rows() == [("SYNP2", "T", "D")]
    assert reasons(records) == [
        (4, "not a study accession: 'GTEX'"),
        (5, "neither title nor abstract"),
    ]


@pytest.mark.parametrize(
    ("table", "organism"),
    [
        ("run | organism | study\nSYNR1 | Homo sapiens | SYNT1", "Homo sapiens"),
        (
            "run | study | bioproject | biosample | organism\nSYNR1 | SYNT1 | SYNP1 | SYNS1 | Mus",
            "Mus",
        ),
        ("run | project | experiment | predicted_tissue\nSYNR1 | SYNT1 | ERX1 | Blood", None),
        ("run | study | tissue_category\nSYNR1 | SYNT1 | blood", None),
    ],
)
def test_runs_of_every_collection_have_their_study(
    tmp_path: Path, table: str, organism: str | None
) -> None:
    records = read("run_studies", write(tmp_path, "runs.tsv", table))
    assert records.run.select("run", "study", "organism").rows() == [("SYNR1", "SYNT1", organism)]
    assert records.biosample_attribute.is_empty()


def test_collections_describe_runs_but_not_by_what_a_program_guessed(tmp_path: Path) -> None:
    table = """
        run   | project | experiment | title | characteristics                      | reported_sex | reported_tissue | predicted_tissue
        SYNR1 | SYNT1   | ERX1       | cells | cell line: TK6 ; time: 8 ; unnamed   | F            | Tonsil          | Blood
        SYNR2 | SYNT1   | ERX2       |       |                                      |              | Tonsil          | Blood
        """  # noqa: E501
    path = write(tmp_path, "recount2.tsv", table)
    path.write_text(path.read_text().replace(" ; ", " | "))
    records = read("run_studies", path)
    assert records.run_attribute.rows() == [
        ("SYNR1", "cell line", "TK6"),
        ("SYNR1", "sex", "F"),
        ("SYNR1", "time", "8"),
        ("SYNR1", "title", "cells"),
    ]
    assert reasons(records) == [(None, "characteristic without a name or a value (1 rows)")]

    curated = "run | study | tissue_category | cancer\nSYNR1 | SYNT1 | lymphoid | none"
    records = read("run_studies", write(tmp_path, "curated.tsv", curated))
    assert records.run_attribute.rows() == [
        ("SYNR1", "cancer", "none"),
        ("SYNR1", "tissue_category", "lymphoid"),
    ]


def test_attributes_of_runs_make_no_run_and_every_refused_row_is_counted(tmp_path: Path) -> None:
    table = """
        run   | attribute | value
        SYNR1 | tissue    | lung
        SYNR1 | tissue    | lung
        SYNR1 | tissue    |
        SYNR1 |           | lung
        lung  | tissue    | lung
        """
    records = read("run_attributes", write(tmp_path, "runs.tsv", table))
    assert records.run_attribute.rows() == [("SYNR1", "tissue", "lung")]
    assert records.run.is_empty()
    assert reasons(records) == [
        (4, "attribute without a value: 'tissue'"),
        (5, "attribute without a name"),
        (6, "not a run accession: 'lung'"),
    ]


def test_run_whose_study_is_none_is_rejected(tmp_path: Path) -> None:
    path = write(tmp_path, "runs.tsv", "run | organism | study\nSYNR1 | Mus | PRJNA1")
    records = read("run_studies", path)
    assert records.run.is_empty()
    assert reasons(records) == [(2, "not a study accession: 'PRJNA1'")]


def test_joined_mwas_fields_are_taken_apart_and_impossible_rows_rejected(tmp_path: Path) -> None:
    path = tmp_path / "mwas.csv"
    path.write_text(
        "bioproject_id,family,metadata_field,metadata_value,num_true,num_false,fold_change,p_value\n"
        "SYNP1,Iflaviridae,tissue\tsource_name,head\tbee head,4,6,2.5,0.01\n"
        "SYNP1,Iflaviridae,tissue,gut,4,6,0.5,1.7\n"
        "SYNP1,Iflaviridae,tissue,leg,0,10,0.5,0.5\n"
        "SYNP1,Iflaviridae,a\tb,one,4,6,0.5,0.5\n"
    )
    records = read("mwas_csv", path)
    columns = ("attribute", "value", "num_true", "fold_change", "p_value", "test", "flag", "source")
    assert records.association.select(columns).rows() == [
        (
            "source_name",
            "bee head",
            4,
            2.5,
            0.01,
            "imported",
            "duplicate of another field",
            "mwas.csv",
        ),
        ("tissue", "head", 4, 2.5, 0.01, "imported", None, "mwas.csv"),
    ]
    assert reasons(records) == [
        (3, "p-value is not between 0 and 1: '1.7'"),
        (4, "a group is empty"),
        (5, "as many fields as values are needed"),
    ]


# --- all formats ----------------------------------------------------------------------------------


def test_many_rejections_for_one_reason_become_one_counted_row(tmp_path: Path) -> None:
    rows = "\n".join(f"bad{number},SYNS1,SYNP1" for number in range(MAX_NAMED_ROWS + 1))
    path = tmp_path / "runs.csv"
    path.write_text(f"Run,BioSample,BioProject\nSYNR1,SYNS1,SYNP1\n{rows}\n")
    records = read("sra_run_info", path)
    assert reasons(records) == [(None, "not a run accession (1,001 rows)")]
    assert rows_rejected(records.rejected)["rows"].to_list() == [1_001]
