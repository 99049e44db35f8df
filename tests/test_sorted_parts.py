"""A table put in order on disk: whatever goes in comes out once, in order, part by part."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from index.errors import DiskFullError
from index.store.sorted_parts import SortedParts, sorted_parts

KEY = ["source", "target"]


def numbered(first: int, last: int, step: int) -> pl.DataFrame:
    """Return rows in no order whose sources are every ``step``-th number."""
    number = pl.int_range(first, last, step, eager=True)
    source = pl.select(pl.format("r{}", number.cast(pl.String).str.zfill(6))).to_series()
    frame = pl.DataFrame({"source": source, "target": number.cast(pl.String)})
    return frame.sample(fraction=1, shuffle=True, seed=1)


@pytest.mark.parametrize("part_rows", [1, 1_000, 4_000, 1_000_000])
def test_rows_come_out_in_order_whatever_the_size_of_a_part(tmp_path: Path, part_rows: int) -> None:
    frames = [numbered(0, 20_000, 2), numbered(1, 20_000, 2), numbered(0, 0, 1)]
    with sorted_parts(tmp_path / "an.duckdb", KEY) as parts:
        for frame in frames:
            parts.add(frame)
        listed = list(parts.parts(part_rows))
    assert pl.concat(listed).equals(pl.concat(frames).sort(KEY))
    assert len(listed) == max(1, 20_000 // max(part_rows, 1_000))


def test_rows_of_one_first_key_stay_in_one_part(tmp_path: Path) -> None:
    frame = numbered(0, 5_000, 1).with_columns(source=pl.lit("hub"))
    with sorted_parts(tmp_path / "an.duckdb", KEY) as parts:
        parts.add(frame)
        sizes = [len(part) for part in parts.parts(1_000)]
    assert sorted(sizes) == [0, 5_000]


def test_nothing_is_left_behind(tmp_path: Path) -> None:
    with sorted_parts(tmp_path / "an.duckdb", KEY) as parts:
        parts.add(numbered(0, 10, 1))
        assert len(list(parts.frames())) == 1
    assert list(tmp_path.iterdir()) == []


def test_nothing_in_nothing_out(tmp_path: Path) -> None:
    assert list(SortedParts(tmp_path, KEY).parts()) == []


def test_a_folder_that_takes_no_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(DiskFullError, match="gone"):
        SortedParts(tmp_path / "gone", KEY).add(numbered(0, 10, 1))
