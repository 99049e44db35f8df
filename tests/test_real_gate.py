"""On the real inputs no prompt that leaves names an agent of RG3 or RG4: recorded and read."""

from __future__ import annotations

from pathlib import Path

import pytest

from index.store.build import open_index
from tests.conftest import BuiltIndex
from tests.recorded_prompts import (
    ask_recorded,
    prompts_of,
    read_prompts,
    register_names,
    register_of,
    some_questions,
)

pytestmark = [pytest.mark.real, pytest.mark.usefixtures("composed_only")]

SENDING = "Which viruses are found in pigs?"
"""A question of which some ways of asking send a model counts."""


def test_no_prompt_of_a_build_or_of_questions_names_a_dangerous_agent(
    real_inputs: Path, real_index: BuiltIndex
) -> None:
    db = real_index.path
    with open_index(db) as con:
        names = register_names(register_of(real_inputs), con)
    built = read_prompts(prompts_of(db), names)
    *_, one = some_questions(names, 1)
    asked = read_prompts(ask_recorded(db, questions=[SENDING, one]), names)
    assert built.prompts > 2
    assert asked.prompts > 3
    assert built.names > 1_000
    assert [name for name, _ in (*built.found, *asked.found)] == []
