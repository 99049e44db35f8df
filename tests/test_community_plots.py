"""Figures and the resolution guide: equal input gives equal bytes, and the guide says what it
measured.
"""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from benchmarks.resolution import as_markdown, main, resolution_sweep
from index.config import GraphConfig
from index.tables import Annotation
from tests.conftest import BuiltIndex
from tests.graph_zoo import ZOO


@pytest.fixture(scope="module")
def sweep() -> pl.DataFrame:
    return resolution_sweep(
        *ZOO["a random cohort"],
        Annotation.create_empty(),
        config=GraphConfig(),
        resolutions=(1, 5),
        batch_s=20,
    )


def test_the_guide_is_a_table_of_one_row_per_resolution(sweep: pl.DataFrame) -> None:
    header, rule, *rows = as_markdown(sweep).splitlines()
    assert header.startswith("| gamma | reports |")
    assert len(rows) == 2
    assert {line.count("|") for line in (header, rule, *rows)} == {header.count("|")}


def test_the_guide_reads_an_index_and_draws_it(
    sample_index: BuiltIndex, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main([str(sample_index.path), "--resolutions", "1", "5", "--out", str(tmp_path)])
    assert "| 5 |" in capsys.readouterr().out
    assert {file.name for file in tmp_path.iterdir()} == {"resolution.svg", "communities.svg"}
