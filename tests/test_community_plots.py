"""The resolution guide: a table and figures of an index."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.resolution import main
from tests.conftest import BuiltIndex


def test_the_guide_reads_an_index_and_draws_it(
    sample_index: BuiltIndex, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main([str(sample_index.path), "--resolutions", "1", "5", "--out", str(tmp_path)])
    printed = capsys.readouterr().out.splitlines()
    header, rule, *rows = [line for line in printed if line.startswith("|")]
    assert header.startswith("| gamma | reports |")
    assert [row.split()[1] for row in rows] == ["1", "5"]
    assert {line.count("|") for line in (header, rule, *rows)} == {header.count("|")}
    assert {file.name for file in tmp_path.iterdir()} == {"resolution.svg", "communities.svg"}
