"""Inputs from a real PostgreSQL in Logan's layout: the records that files of the same rows give."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

import polars as pl
import pyarrow.parquet as pq
import pytest

from flows.console import run_app
from flows.inputs import app
from index.records import CONTRACTS
from index.sources.fetching import CopyOptions, fetch_inputs, origin_entries, state_entries
from index.sources.inputs import file_digests, read_records
from index.sources.manifest import Manifest, read_manifest
from ontology_etl.errors import ColumnError, DownloadError, ManifestError
from ontology_etl.releases.download import Retries
from ontology_etl.remote import changes
from ontology_etl.remote.databases import TableCopy, copy_tables
from tests.database import FORMATS, Database, running_database

QUICK = CopyOptions(retries=Retries(attempts=2, wait_s=0.001))
ROWS = {
    "sra": """
acc   |assay_type|librarysource |biosample|organism           |sra_study|releasedate        |bioproject|mbases|avgspotlen|geo_loc_name_country_calc
SYNR01|RNA-Seq   |TRANSCRIPTOMIC|SYNS01   |Rhinolophus sinicus|SRP000001|2019-03-15 17:42:00|SYNP1     |900   |300       |China
SYNR02|RNA-Seq   |TRANSCRIPTOMIC|SYNS02   |Rhinolophus sinicus|SRP000001|2020-05-21 00:00:00|SYNP1     |600   |300       |China
SYNR03|RNA-Seq   |METATRANSCRIPTOMIC|SYNS03|gut metagenome    |SRP000002|2020-05-22 00:00:00|SYNP2     |30    |150       |
SYNR04|WGS       |GENOMIC       |SYNS04   |Sus scrofa         |         |                   |SYNP2     |      |150       |uncalculated
""",  # noqa: E501
    "palm_virome": """
run   |sotu|bio_sample|bio_project|scientific_name    |gb_pid|tax_species          |tax_family   |tax_phylum   |node_coverage|node_seq
SYNR01|u1  |SYNS01    |SYNP1      |Rhinolophus sinicus|97.25 |Rousettus bat coronavirus HKU9|Coronaviridae|Pisuviricota |12.5|ACGT
SYNR02|u1  |SYNS02    |SYNP1      |Rhinolophus sinicus|40    |Rousettus bat coronavirus HKU9|Coronaviridae|Pisuviricota |3   |ACGT
SYNR03|u2  |SYNS03    |SYNP2      |gut metagenome     |      |                     |             |             |             |ACGT
""",  # noqa: E501
    "biosample_tissue": """
biosample_id|tissue|bto_id     |source|text
SYNS01      |lung  |BTO:0000763|tissue|Lungs
SYNS02      |      |           |tissue|gut
""",
    "biosample_disease": "biosample|do_label|do_id\nSYNS01|pneumonia|DOID:552",
    "biosample_sex": "biosample|sex\nSYNS01|female\nSYNS02|male",
    "sra_stat": """
run   |taxid|name       |kmer|total_kmers|kmer_perc
SYNR01|9397 |Chiroptera |950 |1000       |95.0
SYNR03|1    |root       |10  |10         |100
SYNR03|9397 |Chiroptera |    |           |12.5
""",
    "bioproject": """
accession|name|title              |description
SYNP1    |bat |The bats of caves  |Lungs and guts were sequenced, "all" of them.
SYNP2    |pig |Pigs
""",
    "geography": """
accession|attribute_name|attribute_value|lat  |lon   |gp4326_wwf_tew_id|palm_virome
SYNS01   |geo_loc_name  |China: Yunnan  |25.04|102.71|WWF_TEW_BIOME_01 |true
SYNS03   |lat_lon       |41.6 N 93.6 W  |41.6 |-93.6 |WWF_TEW_BIOME_08 |false
""",
}
ROWS["bioproject"] = ROWS["bioproject"].replace("|Pigs\n", "|Pigs |\n")


@pytest.fixture(scope="module")
def database() -> Iterator[Database]:
    with running_database() as running:
        for table, rows in ROWS.items():
            running.fill(table, rows)
        yield running


def manifest(folder: Path, text: str) -> Manifest:
    path = folder / "inputs.toml"
    path.write_text(text)
    return read_manifest(path, environ={"VIROME_DOWNLOADS": str(folder / "raw")})


def tables_of(url: str) -> str:
    return "".join(
        f'[[input]]\nformat = "{name}"\npath = "{url}"\ntable = "{table}"\n\n'
        for table, name in FORMATS.items()
    )


def one(folder: Path, url: str, more: str = "", name: str = "palm_virome") -> Manifest:
    return manifest(folder, f'[[input]]\nformat = "{name}"\npath = "{url}"\n{more}\n')


def digests(read: Manifest) -> list[str]:
    found = file_digests(fetch_inputs(read, QUICK))
    return [sha for path, sha in found.items() if path.suffix == ".parquet"]


def test_every_table_of_the_layout_fills_its_contract(database: Database, tmp_path: Path) -> None:
    records = read_records(fetch_inputs(manifest(tmp_path, tables_of(database.url)), QUICK))
    assert records.run.select("run", "study", "bases", "spots").rows() == [
        ("SYNR01", "SRP000001", 900_000_000, 3_000_000),
        ("SYNR02", "SRP000001", 600_000_000, 2_000_000),
        ("SYNR03", "SRP000002", 30_000_000, 200_000),
        ("SYNR04", None, None, None),
    ]
    assert records.detection.select("run", "identity", "family").rows() == [
        ("SYNR01", 97.25, "Coronaviridae"),
        ("SYNR02", 40.0, "Coronaviridae"),
        ("SYNR03", None, None),
    ]
    assert records.biosample_attribute.rows() == [
        ("SYNS01", "disease", "pneumonia"),
        ("SYNS01", "sex", "female"),
        ("SYNS01", "tissue", "lung"),
        ("SYNS02", "sex", "male"),
        ("SYNS02", "tissue", "gut"),
    ]
    assert records.stat_hit.rows() == [
        ("SYNR01", "NCBITaxon:9397", 0.95),
        ("SYNR03", "NCBITaxon:9397", 0.125),
    ]
    assert records.bioproject["title"].to_list() == ["The bats of caves", "Pigs"]
    places = records.place.select("biosample", "country", "biome", "latitude").rows()
    forest, savanna = (
        "tropical and subtropical moist broadleaf forest",
        "temperate grassland, savanna",
    )
    assert places == [
        ("SYNS01", "China", forest, 25.04),
        ("SYNS02", "China", None, None),
        ("SYNS03", None, f"{savanna} and shrubland", 41.6),
    ]


def test_the_records_are_those_of_files_with_the_same_rows(
    database: Database, tmp_path: Path
) -> None:
    entries = "".join(
        f'[[input]]\nformat = "{name}"\npath = "{table}.tsv"\n' for table, name in FORMATS.items()
    )
    for table, rows in ROWS.items():
        lines = ["\t".join(cell.strip() for cell in line.split("|")) for line in _lines(rows)]
        header, *cells = lines
        (tmp_path / f"{table}.tsv").write_text("\n".join([header, *reversed(cells)]) + "\n")
    of_files = read_records(manifest(tmp_path, entries))
    of_tables = read_records(fetch_inputs(manifest(tmp_path, tables_of(database.url)), QUICK))
    assert len(of_files.run) == 4
    for name in (*CONTRACTS, "scope", "searches"):
        assert getattr(of_tables, name).equals(getattr(of_files, name)), name


def test_the_session_may_only_read(database: Database, tmp_path: Path) -> None:
    database.run(
        "CREATE TABLE touched (n INTEGER)",
        "CREATE FUNCTION touch() RETURNS TEXT LANGUAGE SQL VOLATILE AS "
        "$$ INSERT INTO touched VALUES (1) RETURNING 'SYNR01' $$",
    )
    for query, message in (
        ("SELECT touch() AS run, 'u1' AS sotu", "cannot execute INSERT in a read-only"),
        ("SELECT 1) AS x; COMMIT; DELETE FROM sra; SELECT (1", "cannot insert multiple commands"),
        ("DELETE FROM sra RETURNING acc AS run, 'u1' AS sotu", "syntax error"),
    ):
        with pytest.raises(DownloadError, match=message):
            fetch_inputs(one(tmp_path, database.url, f'query = "{query}"'), QUICK)
    assert database.rows("SELECT count(*) FROM touched") == [(0,)]
    assert database.rows("SELECT count(*) FROM sra") == [(4,)]


def test_only_columns_that_are_read_are_sent(database: Database, tmp_path: Path) -> None:
    fetched = fetch_inputs(one(tmp_path, database.url), QUICK)
    (copy,) = fetched.origins
    assert "node_seq" not in pl.read_parquet_schema(copy)
    assert "gb_pid" in pl.read_parquet_schema(copy)


def test_a_query_takes_the_place_of_a_table(database: Database, tmp_path: Path) -> None:
    query = "SELECT acc AS run, true AS virus_positive, mbases * 1000 AS spots FROM sra;"
    fetched = fetch_inputs(
        one(tmp_path, database.url, f'query = "{query}"', "searched_runs"), QUICK
    )
    records = read_records(fetched)
    assert len(records.searched) == 4
    assert records.run["spots"].to_list() == [900_000, 600_000, 30_000, None]


def test_equal_rows_give_an_equal_file_and_a_changed_row_another(
    database: Database, tmp_path: Path
) -> None:
    read = one(tmp_path, database.url)
    first = digests(read)
    database.run("UPDATE palm_virome SET node_seq = 'TTTT' WHERE run = 'SYNR01'")
    assert digests(read) == first, "what is not read does not count, nor the order of rows"
    database.run("UPDATE palm_virome SET gb_pid = 97 WHERE run = 'SYNR01'")
    assert digests(read) != first
    database.fill("palm_virome", ROWS["palm_virome"])
    assert digests(read) == first
    noted = {**origin_entries(read), **state_entries(read)}
    assert noted["path.origin.palm_virome.parquet"].endswith('"palm_virome"')
    assert " PostgreSQL " in noted["path.state.palm_virome.parquet"]


def test_all_tables_are_of_one_state(database: Database, tmp_path: Path) -> None:
    database.run("DROP TABLE IF EXISTS growing", "CREATE TABLE growing AS SELECT 'a' AS name")

    def grow(header: Sequence[str]) -> Sequence[str]:
        database.run("INSERT INTO growing VALUES ('b')")
        return header

    copies = [TableCopy(tmp_path / f"{n}.parquet", "growing", grow) for n in range(2)]
    copy_tables(database.url, copies)
    assert [len(pl.read_parquet(copy.target)) for copy in copies] == [1, 1]
    assert database.rows("SELECT count(*) FROM growing") == [(3,)]


def test_row_groups_do_not_depend_on_how_rows_arrive(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(changes, "GROUP_ROWS", 1000)
    relation = (
        "(SELECT n::text AS name, repeat('x', 9000) AS filler FROM generate_series(1, 4500) n)"
    )
    copy = TableCopy(tmp_path / "many.parquet", relation, lambda header: header)
    copy_tables(database.url, [copy])
    stored = pq.read_metadata(copy.target)
    assert [stored.row_group(n).num_rows for n in range(stored.num_row_groups)] == [1000] * 4 + [
        500
    ]
    names = pl.read_parquet(copy.target)["name"]
    assert names.to_list() == sorted(str(n) for n in range(1, 4501))


def test_a_connection_that_is_cut_is_made_again_from_the_start(
    database: Database, tmp_path: Path
) -> None:
    cuts = 1

    def cut(header: Sequence[str]) -> Sequence[str]:
        nonlocal cuts
        if cuts:
            cuts -= 1
            database.run(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                "WHERE state = 'idle in transaction'"
            )
        return header

    copies = [TableCopy(tmp_path / f"{n}.parquet", "sra", cut) for n in range(2)]
    copy_tables(database.url, copies, retries=QUICK.retries)
    assert [len(pl.read_parquet(copy.target)) for copy in copies] == [4, 4]
    assert cuts == 0
    cuts = 9
    with pytest.raises(DownloadError, match=r"terminating connection.*\(2 attempts\)"):
        copy_tables(database.url, copies, retries=QUICK.retries)


def test_a_connection_that_is_cut_among_rows_is_made_again(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(changes, "GROUP_ROWS", 1000)
    relation = "(SELECT n::text AS name, repeat('x', 500) AS b FROM generate_series(1, 120000) n)"
    copy = TableCopy(tmp_path / "many.parquet", relation, lambda header: header)
    cuts = []

    def cut(name: str, done: int, total: int | None) -> None:
        if not cuts:
            cuts.append(name)
            database.run(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                "WHERE pid <> pg_backend_pid() AND state = 'active'"
            )

    copy_tables(database.url, [copy], progress=cut, retries=QUICK.retries)
    assert cuts == ["many.parquet"]
    assert len(pl.read_parquet(copy.target)) == 120_000


def test_a_table_that_fails_leaves_every_older_copy(database: Database, tmp_path: Path) -> None:
    def choose(header: Sequence[str]) -> Sequence[str]:
        return header

    kept = tmp_path / "sra.parquet"
    kept.write_bytes(b"older")
    copies = [
        TableCopy(kept, "sra", choose),
        TableCopy(tmp_path / "gone.parquet", "gone", choose),
    ]
    with pytest.raises(DownloadError, match="no table gone"):
        copy_tables(database.url, copies)
    assert kept.read_bytes() == b"older"


def test_what_cannot_be_read_is_named_with_what_to_do(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    database.run("DROP ROLE IF EXISTS guest", "CREATE ROLE guest LOGIN")
    wrong = one(tmp_path, database.url, 'table = "palm_viromes"')
    with pytest.raises(
        DownloadError, match=r'no table "palm_viromes"\n.*public\.palm_virome, '
    ) as no:
        fetch_inputs(wrong, QUICK)
    assert no.value.exit_code == 5
    with pytest.raises(ColumnError, match=r'"biosample_sex", row 1: not a palm_virome table'):
        fetch_inputs(one(tmp_path, database.url, 'table = "biosample_sex"'), QUICK)
    with pytest.raises(DownloadError, match=r"permission denied.*\n.*allowed to SELECT"):
        fetch_inputs(one(tmp_path, database.url_of("guest")), QUICK)
    with pytest.raises(
        DownloadError, match=r'(?s)role "nobody" does not exist.*PGPASSWORD'
    ) as role:
        fetch_inputs(one(tmp_path, database.url_of("nobody:secret")), QUICK)
    assert "secret" not in str(role.value)
    away = one(tmp_path, "postgresql://reader:secret@127.0.0.1:9/logan")
    with pytest.raises(DownloadError, match=r"(?s)^postgresql://reader@127\.0\.0\.1:9/logan: .*"):
        fetch_inputs(away, QUICK)
    monkeypatch.setitem(__import__("sys").modules, "adbc_driver_postgresql.dbapi", None)
    with pytest.raises(DownloadError, match=r"pip install 'virome-graphrag\[remote\]'"):
        fetch_inputs(away, QUICK)


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ('path = "a.tsv"\ntable = "sra"', "table without a database"),
        (
            'path = "postgresql:///logan"\ntable = "a"\nquery = "b"',
            "table and query cannot be used",
        ),
        ('path = "postgresql:///logan"\ntable = 3', "table cannot be used"),
        (f'path = "postgresql:///logan"\nsha256 = "{"0" * 64}"', "sha256 pins a file"),
        ('glob = "postgresql:///logan"', "cannot be listed"),
    ],
)
def test_an_entry_that_makes_no_sense_is_refused(entry: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "a.tsv").touch()
    with pytest.raises(ManifestError, match=message):
        manifest(tmp_path, f'[[input]]\nformat = "palm_virome"\n{entry}\n')
    with pytest.raises(ManifestError, match="a database has no files of this format"):
        one(tmp_path, "postgresql:///logan", name="biosample_xml")


def test_what_is_as_it_was_is_not_sent(database: Database, tmp_path: Path) -> None:
    copy = TableCopy(tmp_path / "sra.parquet", "sra", lambda header: header)
    assert [one.sent for one in copy_tables(database.url, [copy])] == [4]
    before = copy.target.stat().st_mtime_ns
    assert [one.sent for one in copy_tables(database.url, [copy])] == [0]
    assert copy.target.stat().st_mtime_ns == before
    copy.target.write_bytes(b"damaged")
    assert [one.sent for one in copy_tables(database.url, [copy])] == [4]
    fewer = TableCopy(copy.target, "sra", lambda header: header[:2])
    assert [one.sent for one in copy_tables(database.url, [fewer])] == [4], "other columns"


def test_rows_since_the_last_copy_make_the_copy_of_everything(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever is done to a table, its copy is to the byte the one that is made from nothing."""
    monkeypatch.setattr(changes, "GROUP_ROWS", 7)
    database.run(
        "DROP TABLE IF EXISTS growing",
        "CREATE TABLE growing AS "
        "SELECT 'r' || n AS run, n / 3 AS batch FROM generate_series(1, 28) n",
    )
    copy = TableCopy(tmp_path / "kept.parquet", "growing", lambda header: header[:1], "batch")
    copy_tables(database.url, [copy])
    largest_again = 2
    for number, (change, sent) in enumerate(
        (
            ("INSERT INTO growing VALUES ('new', 10), ('a', 9)", 2 + largest_again),
            ("INSERT INTO growing VALUES ('later', 11), ('undated', NULL)", 3),
            ("SELECT 1", 0),
            ("DELETE FROM growing WHERE run = 'later'", 1),
            ("UPDATE growing SET run = 'R1' WHERE run = 'r1'", 31),
            ("INSERT INTO growing VALUES ('late', 1), ('z', 12)", 33),
            ("DELETE FROM growing WHERE batch < 3", 24),
            ("INSERT INTO growing VALUES ('y', 13)", 3),
            ("DELETE FROM growing", 0),
            ("INSERT INTO growing VALUES ('x', 14)", 1),
        )
    ):
        database.run(change)
        ((copied),) = copy_tables(database.url, [copy])
        assert copied.sent == sent, change
        whole = TableCopy(tmp_path / f"{number}.parquet", "growing", copy.choose, "batch")
        copy_tables(database.url, [whole])
        assert copy.target.read_bytes() == whole.target.read_bytes(), change


def test_since_must_be_a_column(database: Database, tmp_path: Path) -> None:
    with pytest.raises(DownloadError, match=r"has no column day\n.*since = one of: run, sotu"):
        fetch_inputs(one(tmp_path, database.url, 'since = "day"'), QUICK)


def test_new_runs_are_sent_alone_and_the_copies_are_those_of_everything(
    database: Database, tmp_path: Path
) -> None:
    since = tables_of(database.url).replace('table = "sra"', 'table = "sra"\nsince = "releasedate"')
    read = manifest(tmp_path, since)
    fetch_inputs(read, QUICK)
    new = "'SYNR05', 'RNA-Seq', 'TRANSCRIPTOMIC', 'SYNS05', 'Sus scrofa', '2021-01-01', 'SYNP2'"
    columns = "acc, assay_type, librarysource, biosample, organism, releasedate, bioproject"
    database.run(f"INSERT INTO sra ({columns}) VALUES ({new})")
    said: list[str] = []
    fetched = fetch_inputs(read, CopyOptions(say=said.append))
    assert said[0] == "sra.parquet: 3 of 5 rows sent", "the new, the undated, the newest before"
    assert said[1] == "palm_virome.parquet: 0 of 3 rows sent"
    assert len(read_records(fetched).run) == 5

    grown = digests(read)
    shutil.rmtree(tmp_path / "raw")
    whole = digests(read)
    database.fill("sra", ROWS["sra"])
    assert whole == grown


def test_a_manifest_is_proposed_for_the_tables_of_a_database(
    database: Database,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("VIROME_DOWNLOADS", str(tmp_path / "raw"))
    database.run("CREATE TABLE IF NOT EXISTS taxonomy_nodes (tax_id INTEGER, rank TEXT)")
    out = tmp_path / "inputs.toml"
    assert run_app(app, ["new", database.url, "--out", str(out)], name="inputs") == 0
    assert "not recognised: public.taxonomy_nodes" in capsys.readouterr().err
    read = read_manifest(out)
    found = {
        one.relation.rpartition(".")[2].strip('"'): one.format for one in read.origins.values()
    }
    assert found.items() >= FORMATS.items()
    assert len(read_records(fetch_inputs(read, QUICK)).run) == 4
    assert run_app(app, ["new", "postgresql://127.0.0.1:9/logan"], name="inputs") == 5
    assert "PGHOST" in capsys.readouterr().err


def _lines(rows: str) -> list[str]:
    return rows.strip().splitlines()
