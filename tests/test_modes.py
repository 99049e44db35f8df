"""Ways of asking: each is a room and a line, and has its command."""

from __future__ import annotations

import pytest
import typer

from query.answer import Answer, AnswerSource, ResultTable, answer_record
from query.answer_text import answer_text
from query.cli.app import app
from query.errors import UnknownModeError
from query.mode import Mode
from query.modes import ROOMS, all_modes, mode_named
from tests.conftest import ROOT

MODES = list(all_modes().values())


def test_every_room_with_a_mode_is_listed() -> None:
    assert {path.parent.name for path in ROOT.glob("query/*/mode.py")} == set(ROOMS)


@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.name)
def test_every_mode_is_a_command_that_shows_examples(mode: Mode) -> None:
    command = typer.main.get_command(app).commands[mode.name]  # type: ignore[attr-defined]
    assert f"query {mode.name} " in command.callback.__doc__
    assert mode.examples


def test_an_unknown_mode_names_those_there_are() -> None:
    with pytest.raises(UnknownModeError, match="divination: no such way of asking") as refused:
        mode_named("divination")
    assert "global" in refused.value.remedy


def test_sources_and_steps_are_printed_and_coverage_only_where_communities_were_looked_at() -> None:
    sources = (AnswerSource("document", "notes.pdf, page 3", "Bats were sampled."),)
    answer = Answer("?", "search", "Bats.", (), sources=sources, steps=("read notes.pdf",))
    source = "Bats.\n\nSources\n- notes.pdf, page 3: Bats were sampled."
    assert answer_text(answer) == f"{source}\n\n[no model, 0.0 s]"
    assert answer_text(answer, full=True) == (
        f"{source}\n\nSteps\n- read notes.pdf\n\n[no model, 0.0 s]"
    )


def test_the_record_of_an_answer_has_its_rows() -> None:
    answer = Answer("?", "sql", "2", (), table=ResultTable(("runs",), ((2,),)))
    assert answer_record(answer)["table"] == {"columns": ("runs",), "rows": ((2,),)}
