"""Lists as people read them: columns that fit, and no control character reaches a terminal."""

from __future__ import annotations

import io
import json

import pytest
from rich.console import Console

from query.cli.console import draw_table
from query.cli.listing import ListedColumn, cell_text, fit_columns, tab_separated
from query.words import printable

COLUMNS = (
    ListedColumn("community"),
    ListedColumn("runs", number=True),
    ListedColumn("note", least=1),
    ListedColumn("title", cut=True),
)
ROWS = [
    ["C0-0a1b2c3d", "7", "all of them", "Viruses of " + "very " * 20 + "many bats"],
    ["C0-ffffffff", "1234", "", ""],
]


def drawn(width: int, rows: list[list[str]] = ROWS) -> list[str]:
    out = io.StringIO()
    draw_table(Console(file=out, width=width), COLUMNS, rows)
    return [line.rstrip() for line in out.getvalue().splitlines()]


def test_table_fits_the_width_with_identifiers_whole_and_numbers_to_the_right() -> None:
    assert drawn(60) == [
        "community    runs  note         title",
        "C0-0a1b2c3d     7  all of them  Viruses of very very very v…",
        "C0-ffffffff  1234",
    ]


def test_column_without_room_is_left_out_and_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert drawn(32)[1] == "C0-0a1b2c3d     7  Viruses of v…"
    assert "too narrow for: note" in capsys.readouterr().err


def test_column_without_text_takes_no_room() -> None:
    assert list(fit_columns(COLUMNS, [["C0", "1", "", "Bats"]], 80)) == [0, 1, 3]


def test_table_without_rows_has_its_header() -> None:
    assert drawn(60, []) == ["community  runs  note  title"]


def test_piped_rows_have_a_header_and_every_column_uncut() -> None:
    header, first, _ = tab_separated(COLUMNS, ROWS).split("\n")
    assert header == "community\truns\tnote\ttitle"
    assert first.split("\t") == ROWS[0]


def test_control_characters_are_written_out() -> None:
    shown = {
        "lung\x1b[2J": "lung\\u001b[2J",
        "a\rb\x07": "a\\u000db\\u0007",
        "\x9b31m": "\\u009b31m",
        "abc\u202etxt": "abc\\u202etxt",
        "two\nlines, Müller 羊": "two\nlines, Müller 羊",
    }
    assert {written: printable(written) for written in shown} == shown


def test_cell_is_one_line_and_holds_no_tab() -> None:
    assert cell_text("a\tb\r\nc\x1b") == "a b c\\u001b"


def test_json_means_the_same_after_it_was_made_printable() -> None:
    text = "a\x1b\x9b\u202e\n\t"
    assert json.loads(printable(json.dumps(text, ensure_ascii=False))) == text
