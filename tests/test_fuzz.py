"""Whatever comes in, every reader, the question reading and the reading of model answers end as
they say: with a value, or with an error of their own.

``FUZZ=50 pytest tests/test_fuzz.py`` tries fifty times as much.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from index.errors import ModelJunkError
from index.records import record_counts
from index.sources import SOURCES
from index.sources.manifest import read_manifest
from index.sources.risk_register import read_register
from ontology_etl.errors import InputError, ViromeError
from query.errors import QueryError
from query.reading import read, tuned
from query.reading.tokens import with_digits
from query.screening.screen import screen_question
from tests.query_index import make_index, opened

EFFORT = int(os.environ.get("FUZZ", "1"))
PIECES = st.sampled_from(
    [
        *(b"\t", b"\n", b",", b'"', b"\r\n", b"\x00", b"\xff\xfe", b"\xef\xbb\xbf", b"\xc3("),
        *(b"SRR000001", b"SAMN00000001", b"PRJNA1", b"1e999", b"-1", b"9" * 30, b"nan", b"x"),
        *(b"2020-13-45", b"<a>", b"</a>", b"&x;", b"]]>", b"{", b"}", b"[x]", b"=", b"'", b"#"),
        *(b" ", "日本".encode(), "\u202e".encode(), b" " * 50),
    ]
)
BYTES = st.lists(PIECES, max_size=40).map(b"".join)
TEXT = st.text(max_size=60) | st.lists(
    st.sampled_from(
        ["virus", "viruses", "HSV-1", "of", "and", "without", "“", '"', "(", ")", "/", "-", "?",
         "which", "in", "bats", "compare", "top", "5", "99999999999999999999", "\n", "C0-x", "{{"]
    ),
    max_size=14,
).map(" ".join)  # fmt: skip
SAID = st.sampled_from(
    ["How many runs", "List viruses in runs that", "carry V1", "have H1 as host", "and", "do not",
     "H2", "carry any virus", "by country", "; the first 5", "none", "+", ".", "?", "9", "\n"]
)  # fmt: skip


def many(examples: int) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Return a decorator that tries ``examples`` times ``FUZZ``."""
    return settings(
        max_examples=examples * EFFORT,
    )


@pytest.mark.parametrize("name", sorted(SOURCES))
@given(body=BYTES, headed=st.booleans())
@many(8)
def test_a_reader_returns_records_or_says_what_is_wrong_with_the_file(
    tmp_path: Path, name: str, body: bytes, headed: bool
) -> None:
    layouts = SOURCES[name].layouts
    header = "\t".join(layouts[0].names) + "\n" if headed and layouts else ""
    path = tmp_path / ("run.parquet" if name == "record_table" else "file.tsv")
    path.write_bytes(header.encode() + body)
    with contextlib.suppress(InputError):
        assert record_counts(SOURCES[name].read(path))


@given(body=BYTES)
@many(40)
def test_a_register_and_a_manifest_are_read_or_refused(tmp_path: Path, body: bytes) -> None:
    register = tmp_path / "register.tsv"
    register.write_bytes(b"name\tncbi_taxid\trg_human_derived\n" + body)
    manifest = tmp_path / "inputs.toml"
    manifest.write_bytes(b"[[input]]\nformat = 'sra_run_info'\n" + body)
    with contextlib.suppress(InputError):
        read_register(register)
    with contextlib.suppress(InputError):
        read_manifest(manifest)


def _read_or_refuse(index: Path, text: str) -> None:
    with opened(index) as con, contextlib.suppress(QueryError):
        screen_question(text)
        printable = "".join(letter if letter.isprintable() else " " for letter in text)
        assert read(con, text).text == with_digits(" ".join(printable.split()))


@given(text=TEXT)
@many(1)
def test_a_question_is_read_or_refused(small: Path, text: str) -> None:
    _read_or_refuse(small, text)


@pytest.mark.usefixtures("composed_only")
@given(text=TEXT)
@example(text="")
@example(text=" ? ")
@many(15)
def test_a_question_is_read_or_refused_without_the_tuned_model(small: Path, text: str) -> None:
    _read_or_refuse(small, text)


@given(said=st.lists(SAID, max_size=6).map(" ".join))
@example(said="none")
@example(said="How many runs carry V1 and are from the host H1?")
@many(8)
def test_a_question_is_read_whatever_the_tuned_model_says(small: Path, said: str) -> None:
    with pytest.MonkeyPatch.context() as monkey:
        monkey.setattr(tuned, "_likeliest", lambda _text, _certain: ((said, 0.9),))
        _read_or_refuse(small, "Which viruses are found in bats and not in pigs?")


def test_what_is_suppressed_here_are_errors_of_this_program() -> None:
    assert all(issubclass(kind, ViromeError) for kind in (InputError, QueryError, ModelJunkError))


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a small index to ask."""
    return make_index(tmp_path_factory.mktemp("fuzz") / "index.duckdb")
