"""Tables as Parquet give the records that the same rows give as text."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from index.annotation.preview import preview_input
from index.records import CONTRACTS, Records
from index.sources import SOURCES
from index.sources.inputs import read_input
from index.sources.manifest import Input, read_manifest
from index.sources.recognition import recognise
from index.sources.tabular import scan_table
from ontology_etl.errors import (
    ColumnError,
    EmptyTableError,
    MalformedRowError,
    MissingFileError,
    TruncatedFileError,
)
from tests.conftest import ROOT

SAMPLE = read_manifest(ROOT / "data" / "sample" / "inputs.toml")
TABLES = [item for item in SAMPLE.inputs if SOURCES[item.format].layouts]
PALM = {"run": ["SYNR1", "SYNR2", "run 3"], "sotu": ["u1", "u2", "u3"], "gb_pid": [91.5, 40.0, 1.0]}


def as_parquet(item: Input, folder: Path, *, typed: bool) -> Input:
    """Return ``item`` with its file as Parquet, its columns text or of types that Polars infers."""
    separator = "," if ".csv" in item.path.name else "\t"
    quote = '"' if separator == "," else None
    length = 10_000 if typed else 0
    text = pl.read_csv(item.path, separator=separator, quote_char=quote, infer_schema_length=length)
    copy = folder / f"{item.path.name.split('.')[0]}-table.parquet"
    text.write_parquet(copy)
    return item.model_copy(update={"path": copy})


def described(records: Records) -> dict[str, pl.DataFrame]:
    """Return the tables of ``records`` and the reasons of rejected rows, without file names.

    A search has the name of its file.
    """
    tables = {name: getattr(records, name) for name in CONTRACTS}
    tables["searched"] = records.searched.drop("search")
    tables["association"] = records.association.drop("source")
    return {**tables, "rejected": records.rejected.drop("source")}


@pytest.mark.parametrize("typed", [False, True])
@pytest.mark.parametrize("item", TABLES, ids=lambda item: item.path.name)
def test_parquet_gives_the_records_of_the_same_text(
    item: Input, typed: bool, tmp_path: Path
) -> None:
    expected = described(read_input(item))
    found = described(read_input(as_parquet(item, tmp_path, typed=typed)))
    assert sum(map(len, expected.values()))
    for name, table in expected.items():
        assert_frame_equal(found[name], table)


def test_only_the_columns_that_are_read_are_looked_at(tmp_path: Path) -> None:
    path = tmp_path / "palm_virome.parquet"
    nested = [[1], [2], [3]]
    pl.DataFrame({**PALM, "node_seq": nested}).write_parquet(path)
    records = read_input(Input(format="palm_virome", path=path))
    assert records.detection["identity"].to_list() == [91.5, 40.0]
    assert records.rejected.rows() == [("palm_virome.parquet", 4, "not a run accession: 'run 3'")]


def test_a_date_and_a_time_are_read_as_a_day(tmp_path: Path) -> None:
    path = tmp_path / "runs.parquet"
    when = datetime(2019, 3, 15, 17, 42)
    rows = {"Run": ["SYNR1"], "BioSample": ["SYNS1"], "BioProject": ["SYNP1"]}
    pl.DataFrame({**rows, "ReleaseDate": [when], "TaxID": [9606]}).write_parquet(path)
    run = read_input(Input(format="sra_run_info", path=path)).run
    assert run.select("release_date", "organism_curie").rows() == [(when.date(), "NCBITaxon:9606")]


def test_what_cannot_be_read_is_named(tmp_path: Path) -> None:
    path = tmp_path / "p.parquet"
    (layout,) = SOURCES["palm_virome"].layouts
    with pytest.raises(MissingFileError):
        scan_table(path, layout)
    path.write_bytes(b"PAR1 cut")
    with pytest.raises(TruncatedFileError, match="ends early"):
        scan_table(path, layout)
    pl.DataFrame({"run": [["SYNR1"]], "sotu": ["u1"]}).write_parquet(path)
    with pytest.raises(MalformedRowError, match=r"column run is nested \(List"):
        scan_table(path, layout)
    pl.DataFrame({"run": ["SYNR1"], "sotus": ["u1"]}).write_parquet(path)
    with pytest.raises(ColumnError, match="rename 'sotus' to 'sotu'"):
        scan_table(path, layout)
    pl.DataFrame().write_parquet(path)
    with pytest.raises(EmptyTableError, match="contains no header"):
        scan_table(path, layout)


def test_a_truncated_column_is_found_when_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "p.parquet"
    pl.DataFrame({"run": [f"SYNR{n}" for n in range(9999)], "sotu": ["u1"] * 9999}).write_parquet(
        path
    )
    content = bytearray(path.read_bytes())
    content[100:4000] = bytes(3900)
    path.write_bytes(content)
    with pytest.raises(TruncatedFileError):
        read_input(Input(format="palm_virome", path=path))


def test_a_parquet_file_is_recognised_and_previewed(tmp_path: Path) -> None:
    path = tmp_path / "found.parquet"
    pl.DataFrame(PALM).write_parquet(path)
    assert recognise(path).name == "palm_virome"
    preview, _ = preview_input(
        Input(format="palm_virome", path=path), rows=2, min_serratus_score=50.0
    )
    assert (preview.rows, preview.more, preview.read) == (
        2,
        True,
        {"run": 2, "detection": 2, "searched": 2},
    )
