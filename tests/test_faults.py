"""A part of ``make faults``, small enough for every run of the tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import faults, faults_of_files
from tests.faults_of_files import Outcome

FEW_COMMANDS = [["atlas", "{folder}/out.html"], ["export", "{folder}", "--as", "csv"]]
QUICK = {
    "corrupt": lambda folder: faults.corrupt_positions(folder, positions=4),
    "busy": lambda folder: faults.reads_while_publishing(folder, reads=40, publishes=3),
    "killed": faults.kills_at_publication,
    "beside": lambda folder: faults_of_files.damage_beside_an_index(folder, positions=8),
    "servers": faults_of_files.servers_that_misbehave,
    "outputs": lambda folder: faults_of_files.outputs_on_a_full_disk(
        folder, sizes=(300,), commands=FEW_COMMANDS
    ),
}


@pytest.mark.parametrize("name", QUICK)
def test_fault_ends_well_each_time(name: str, tmp_path: Path) -> None:
    outcome: Outcome = QUICK[name](tmp_path)
    assert outcome.well == outcome.tried > 0, outcome


def test_what_other_tests_try_is_tried_there() -> None:
    folder = Path(__file__).parent
    assert [name for name in faults.ELSEWHERE if not (folder / f"{name}.py").is_file()] == []
