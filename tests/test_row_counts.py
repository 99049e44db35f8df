"""Every row of every table is kept or rejected, for all readers: rows read = kept + rejected."""

from __future__ import annotations

import gzip
from pathlib import Path

import duckdb
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from index.row_counts import check_row_counts, counted_rows
from index.sources import SOURCES
from index.sources.formats.biosample_xml import iter_attributes
from index.sources.inputs import read_input
from index.sources.layout import Layout
from index.sources.manifest import Input, read_manifest
from ontology_etl.errors import ContractError

TABLES: dict[str, tuple[str, Layout]] = {
    layout.name: (name, layout) for name, source in SOURCES.items() for layout in source.layouts
}
CELLS = st.sampled_from(
    ["", "x", "0", "-1", "1,234", "12", "100", "2020-01-02", "a\\, b", '"', "é"]
)


@pytest.mark.parametrize("table", sorted(TABLES))
@settings(max_examples=2)
@given(data=st.data())
def test_no_reader_loses_a_row(tmp_path: Path, table: str, data: st.DataObject) -> None:
    name, layout = TABLES[table]
    good = [column.example for column in layout.columns]
    rows = [good]
    for _ in range(data.draw(st.integers(6, 18))):
        spoilt = [data.draw(st.one_of(st.just(cell), CELLS)) for cell in good]
        rows.append([spoilt[0] or "x", *spoilt[1:]])
    path = tmp_path / "t.tsv"
    header = [] if layout.first_line else [list(layout.names)]
    path.write_text("\n".join("\t".join(row) for row in [*header, *rows]) + "\n")

    counts = read_input(Input(format=name, path=path)).rows.filter(format=layout.name)
    ((read, kept, rejected),) = counts.select("rows_read", "rows_kept", "rows_rejected").rows()
    assert read == kept + rejected
    assert read == len(rows)


@pytest.mark.parametrize("kept", [1, 3])
def test_a_reader_that_loses_or_invents_a_row_stops_the_build(kept: int) -> None:
    counts = counted_rows("a.tsv", "runs", read=3, kept=kept, rejected=1)
    with pytest.raises(ContractError, match="rows of runs neither kept nor rejected"):
        check_row_counts(counts, "a.tsv")


def test_a_reader_that_counts_nothing_stops_the_build() -> None:
    none = counted_rows("a.tsv", "runs", read=1, kept=1, rejected=0).clear()
    with pytest.raises(ContractError, match="its reader counts no rows"):
        check_row_counts(none, "a.tsv")


def test_rows_of_records_without_a_key_are_rejected(tmp_path: Path) -> None:
    path = tmp_path / "study.parquet"
    pl.DataFrame({"study": ["SYNT1", None], "title": ["a", "b"]}).write_parquet(path)
    records = read_input(Input(format="record_table", path=path))
    assert records.rows.rows() == [("study.parquet", "study", 2, 1, 1)]
    assert records.rejected["reason"].to_list() == ["a study without study (1 rows)"]


@pytest.mark.real
def test_every_row_of_the_real_inputs_is_kept_or_rejected(
    real_inputs: Path, real_db: duckdb.DuckDBPyConnection
) -> None:
    counted = {source: rows for source, *rows in real_db.execute(_ROWS).fetchall()}
    for item in read_manifest(real_inputs).inputs:
        assert counted[item.path.name] == [rows_of(item.path), 0], item.path.name


_ROWS = """
SELECT source, sum(rows_read)::INTEGER, sum(rows_read - rows_kept - rows_rejected)::INTEGER
FROM source_rows GROUP BY source
"""


def rows_of(path: Path) -> int:
    """Return how many rows a file has, counted without the readers of the project."""
    if ".xml" in path.suffixes:
        return sum(1 for _ in iter_attributes(path))
    content = path.read_bytes()
    if path.suffix == ".gz":
        content = gzip.decompress(content)
    _, *lines = content.split(b"\n")
    return sum(1 for line in lines if line.strip(b"\t, \r"))
