"""What a build says of the files it reads: a table in many files is one line with a count."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from flows.progress import Progress
from flows.stages import file_lines
from index.records import CLEANED_SCHEMA, Records
from index.sources.inputs import read_input
from index.sources.manifest import Input

HEAD = "run\tvirus_positive"


def virus_files(folder: Path, count: int) -> list[Input]:
    """Return files of two rows each, in the layout of searched runs."""
    folder.mkdir(exist_ok=True)
    items = []
    for number in range(count):
        path = folder / f"part-{number:03}.tsv"
        path.write_text(f"{HEAD}\nSYNR{number}1\tTrue\nSYNR{number}2\tTrue\n")
        items.append(Input(format="searched_runs", path=path))
    return items


def lines_of(items: list[Input], progress: Progress | None = None) -> list[str]:
    """Return what is said of ``items``, without the time."""
    said: list[str] = []
    shown = progress or Progress()
    shown.say_line = lambda line: said.append(line.partition("]   ")[2])
    say = file_lines.say_files(items, shown)
    for item in items:
        say(item, read_input(item))
    return said


def test_few_files_are_said_each(tmp_path: Path) -> None:
    said = lines_of(virus_files(tmp_path / "few", 2))

    assert said == [
        "part-000.tsv (searched_runs): 2 run, 2 searched",
        "part-001.tsv (searched_runs): 2 run, 2 searched",
    ]


def test_a_table_in_many_files_is_one_line_with_their_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_lines, "SECONDS_BETWEEN", 600.0)
    many = virus_files(tmp_path / "many", 12)
    other = virus_files(tmp_path / "other", 1)

    assert lines_of([*other, *many, *other]) == [
        "part-000.tsv (searched_runs): 2 run, 2 searched",
        "many/ (searched_runs): 12 of 12 files, 24 run, 24 searched",
        "part-000.tsv (searched_runs): 2 run, 2 searched",
    ]


def test_a_long_table_is_seen_to_go_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_lines, "SECONDS_BETWEEN", 0.0)

    said = lines_of(virus_files(tmp_path / "slow", 5))

    assert [line.partition(": ")[2].split(" files")[0] for line in said] == [
        f"{number} of 5" for number in range(1, 6)
    ]


def test_hidden_characters_are_summed_over_the_files_of_a_table(tmp_path: Path) -> None:
    items = virus_files(tmp_path / "many", 4)
    cleaned = pl.DataFrame([("part", 3)], schema=CLEANED_SCHEMA, orient="row")
    said: list[str] = []
    progress = Progress(say_line=said.append)
    say = file_lines.say_files(items, progress)

    for item in items:
        say(item, Records(cleaned=cleaned))

    assert len(said) == 2
    assert said[1].endswith("many/: hidden or control characters removed in 12 cells")


def test_small_files_that_are_fetched_share_a_line() -> None:
    said: list[str] = []
    show = Progress(say_line=said.append).bytes_shown()

    for number in range(100):
        show(f"part-{number}", 5_000, 5_000)
    for tenth in range(11):
        show("large", tenth << 24, 10 << 24)

    assert len([line for line in said if "part-" in line]) == 1
    assert len([line for line in said if "large" in line]) == 11
