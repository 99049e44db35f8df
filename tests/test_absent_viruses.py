"""A virus that no run carries is said to be absent, whatever its name is made of: a host in it is
not asked about, and neither is another virus.
"""

from __future__ import annotations

import duckdb
import pytest

from query.config import QueryConfig
from query.errors import NoEvidenceError
from query.global_search.ask import ask_from_facts
from query.reading.question import read_question

CONFIG = QueryConfig()


def answer(con: duckdb.DuckDBPyConnection, question: str) -> str:
    return ask_from_facts(con.cursor(), question, config=CONFIG).answer


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("Is Duck hepatitis virus 3 in duck?", "Duck hepatitis virus 3"),
        ("How common is Chinese wheat mosaic virus in wheat?", "Chinese wheat mosaic virus"),
        ("Is enterovirus A in humans?", "Enterovirus A"),
    ],
)
def test_a_virus_is_not_read_as_what_its_name_begins_with(
    sample_db: duckdb.DuckDBPyConnection, question: str, name: str
) -> None:
    said = answer(sample_db, question)
    opening = said.removeprefix("No: ").removeprefix("This cannot be said: ")
    assert opening.startswith(f"{name} is found in no run of the index")


def test_values_of_an_absent_virus_are_refused(sample_db: duckdb.DuckDBPyConnection) -> None:
    with pytest.raises(NoEvidenceError, match="no run carries Enterovirus A"):
        answer(sample_db, "Where is enterovirus A found?")


def test_a_virus_that_is_absent_is_named_in_a_comparison(
    sample_db: duckdb.DuckDBPyConnection,
) -> None:
    said = answer(sample_db, "Which is in more runs, enterovirus A or rhinovirus A?")
    assert "No run of the index is annotated with Enterovirus A" in said
    assert "Nothing is compared, because nothing stands against it." in said


def test_a_comparison_with_a_word_not_understood_is_refused(
    sample_db: duckdb.DuckDBPyConnection,
) -> None:
    with pytest.raises(NoEvidenceError, match="not understood: glorbs"):
        answer(sample_db, "Do pigs or ducks have more glorbs?")


@pytest.mark.parametrize(
    ("question", "label"),
    [
        ("Where is respiratory syncytial virus found?", "human respiratory syncytial virus"),
        ("Where is mouse hepatitis virus found?", "mouse hepatitis virus"),
        ("Where is PRRSV found?", "porcine reproductive and respiratory syndrome virus"),
    ],
)
def test_names_left_short_name_the_virus(
    sample_db: duckdb.DuckDBPyConnection, question: str, label: str
) -> None:
    found = read_question(sample_db.cursor(), question)
    names = [one.name.lower() for one in (*found.mentions, *found.absent)]
    assert any(label in name for name in names), names
