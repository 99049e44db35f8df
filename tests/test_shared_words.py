"""Names of viruses that share words are written out, and nothing else is."""

from __future__ import annotations

import duckdb
import pytest

from query.reading.written.shared_words import with_shared_words

LISTS = """
hepatitis A, B or C virus in blood | hepatitis A virus, hepatitis B virus or hepatitis C virus in blood
human herpesvirus 6A and 6B | human herpesvirus 6A and human herpesvirus 6B
HSV-1 or -2 in brain | HSV-1 or HSV-2 in brain
Eastern or Western equine encephalitis virus? | Eastern equine encephalitis virus or Western equine encephalitis virus?
St. Louis and Murray Valley encephalitis virus | St. Louis encephalitis virus and Murray Valley encephalitis virus
"""  # noqa: E501
UNLIKE = """
rotavirus A and 3 samples of dengue fever
in pigs or Western equine encephalitis virus
Which hosts, B or C, carry dengue virus?
"""
NAMES = """
hepatitis A virus|hepatitis B virus|hepatitis C virus|human herpesvirus 6A|human herpesvirus 6B
HSV-1|HSV-2|Eastern equine encephalitis virus|Western equine encephalitis virus|rotavirus A
St. Louis encephalitis virus|Murray Valley encephalitis virus|dengue virus
"""


@pytest.fixture
def known(monkeypatch: pytest.MonkeyPatch) -> duckdb.DuckDBPyConnection:
    """Return a connection to an index that knows the viruses of ``NAMES``."""
    listed = {name.lower() for line in NAMES.split("\n") for name in line.split("|") if name}

    class Named:
        def __init__(self, words: list[str]) -> None:
            self.words = words

        def in_full(self, spans: list[tuple[int, int]]) -> dict[tuple[int, int], str]:
            texts = {span: " ".join(self.words[slice(*span)]) for span in spans}
            return {span: text for span, text in texts.items() if text.lower() in listed}

        def left_short(self, _: list[tuple[int, int]]) -> dict[tuple[int, int], str]:
            return {}

    def read(_con: object, words: list[str], _spans: object) -> Named:
        return Named(words)

    monkeypatch.setattr("query.reading.written.shared_words.read_virus_names", read)
    return duckdb.connect()


@pytest.mark.parametrize("line", LISTS.strip().split("\n"))
def test_a_list_is_written_out(known: duckdb.DuckDBPyConnection, line: str) -> None:
    said, reads = line.split(" | ")
    assert with_shared_words(known, said) == reads


@pytest.mark.parametrize("text", UNLIKE.strip().split("\n"))
def test_what_gives_no_known_names_stays(known: duckdb.DuckDBPyConnection, text: str) -> None:
    assert with_shared_words(known, text) == text
