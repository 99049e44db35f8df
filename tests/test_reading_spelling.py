"""Misspelled words of a question are mended, and correct questions stay as they are."""

from __future__ import annotations

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from index.errors import ModelUnavailableError
from index.models import embeddings
from query.reading import read
from query.reading.names import find_names
from query.reading.spelling import corrected, question_words, vocabulary
from query.reading.tokens import tokens_of


@pytest.fixture(autouse=True, scope="module")
def _usual_words() -> None:
    try:
        embeddings.is_common("the")
    except ModelUnavailableError:
        pytest.skip("usual English words come with the sentence model, which is not installed")


def _mended(con: duckdb.DuckDBPyConnection, text: str) -> list[str]:
    tokens = tokens_of(text)
    return [token.text for token in corrected(con, tokens, find_names(con, tokens))]


MENDED = {
    "how meny runs": "how many runs",
    "Wich virusses": "Which viruses",
    "studys with dengue": "study with dengue",
    "avarage coverage": "average coverage",
    "fracton of posative runs": "fraction of positive runs",
    "runs of A549 cels": "runs of A549 cells",
    "Infleunza A in lung": "Influenza A in lung",
    "Hepatits C": "Hepatitis C",
    "honneybee": "honeybee",
    "mosqui toes with dengue": "mosquitoes with dengue",
    "monkies": "monkeys",
    "epstein bar virus in lung": "epstein barr virus in lung",
    "Epstien Bar virsu": "Epstein Barr virus",
    "corona virusses": "corona viruses",
}
RIGHT = [
    "should we cull the ducks",  # a word of its own, one letter from cell
    "Zorblaxia in bats",  # near to nothing
    "H5N7 in ducks",  # digits are never mended
    "ONEBEE in lung",  # capitals are abbreviations
    "a noticed whale",  # usual English
    "hepatitis a or dengue virus",  # no letter is replaced in names of several words
    "human lung or bat gut",
]


def test_slips_are_mended_and_other_words_stay(sample_db: duckdb.DuckDBPyConnection) -> None:
    assert {text: " ".join(_mended(sample_db, text)) for text in MENDED} == MENDED
    for text in RIGHT:
        assert _mended(sample_db, text) == [token.text for token in tokens_of(text)]


def test_a_mended_name_is_marked_and_keeps_its_place(sample_db: duckdb.DuckDBPyConnection) -> None:
    text = "how meny runs have Infleunza A?"
    mended, right = read(sample_db, text), read(sample_db, "how many runs have Influenza A?")
    assert mended.requests == right.requests != ()
    (name,) = (name for name in mended.names if name.kind == "virus")
    assert name.corrected
    assert mended.corrected == ('"Infleunza A" taken for Influenza A',)
    assert text[name.start : name.end] == name.text
    assert right.corrected == ()


@settings(max_examples=20)
@given(data=st.data())
def test_known_words_are_never_changed(
    sample_db: duckdb.DuckDBPyConnection, data: st.DataObject
) -> None:
    known = sorted({*vocabulary(sample_db).runs, *question_words()})
    words = data.draw(st.lists(st.sampled_from(known), min_size=1, max_size=5))
    text = ", ".join(words)
    assert _mended(sample_db, text) == [token.text for token in tokens_of(text)]


def test_names_of_two_words_written_as_one_are_split(sample_db: duckdb.DuckDBPyConnection) -> None:
    spaced = vocabulary(sample_db).spaced
    split = {joined: _mended(sample_db, joined) for joined in sorted(spaced)[:80]}
    changed = {joined: words for joined, words in split.items() if words != [joined]}
    assert changed
    assert all(words == [spaced[joined]] for joined, words in changed.items())
