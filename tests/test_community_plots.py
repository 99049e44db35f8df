"""Figures and the resolution guide: equal input gives equal bytes, and the guide says what it
measured.
"""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from benchmarks.community_figures import draw_communities, draw_resolution
from benchmarks.resolution import as_markdown, main, resolution_sweep
from index.config import GraphConfig
from index.drawing import save_figure
from index.graph.communities import detect_communities
from index.tables import Annotation
from tests.conftest import BuiltIndex
from tests.graph_zoo import ZOO

ENTRIES = {
    "quality.0.modularity": "0.5",
    "quality.0.purity, label": "0.8",
    "quality.0.enrichment, label": "2.0",
    "quality.1.purity, label": "0.9",
    "quality.1.enrichment, label": "2.25",
    "stability.other seed.ari": "0.95",
    "stability.other seed.nmi": "0.97",
}


@pytest.fixture(scope="module")
def sweep() -> pl.DataFrame:
    return resolution_sweep(
        *ZOO["a random cohort"],
        Annotation.create_empty(),
        config=GraphConfig(),
        resolutions=(1, 5),
        batch_s=20,
    )


def test_figures_are_the_same_bytes_each_time(sweep: pl.DataFrame, tmp_path: Path) -> None:
    community = detect_communities(*ZOO["a random cohort"], config=GraphConfig()).community
    for name in ("one", "two"):
        drawn = draw_communities(community, ENTRIES, min_runs=2)
        save_figure(drawn, tmp_path / f"communities {name}.svg")
        save_figure(draw_resolution(sweep, default=5), tmp_path / f"resolution {name}.svg")
    for kind in ("communities", "resolution"):
        one, two = (tmp_path / f"{kind} {name}.svg" for name in ("one", "two"))
        assert one.read_bytes() == two.read_bytes()


@pytest.mark.parametrize("entries", [{}, {"stability.skipped": "9 relationships"}])
def test_an_index_without_measures_is_drawn_all_the_same(entries: dict[str, str]) -> None:
    community = detect_communities(*ZOO["nothing at all"], config=GraphConfig()).community
    assert len(draw_communities(community, entries, min_runs=2).axes) == 3


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
