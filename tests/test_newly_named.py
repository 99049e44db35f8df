"""A virus that no taxonomy lists is asked for by its name, without strain, isolate or segment."""

from __future__ import annotations

import shutil
from pathlib import Path

import duckdb
import pytest

from query.browsing.terms import read_term
from query.compiler.resolving import Resolver
from query.reading.names import find_names
from query.reading.tokens import tokens_of
from tests.conftest import BuiltIndex

REPORTED = (
    "Yaoshi tick virus segment L",
    "Yaoshi tick virus segment M",
    "uncultured Lenkte beetle virus isolate 7/12",
    "uncultured virus isolate 3",
)


@pytest.fixture(scope="module")
def named(
    sample_index: BuiltIndex, tmp_path_factory: pytest.TempPathFactory
) -> duckdb.DuckDBPyConnection:
    """Return an index whose first detections are of viruses that no taxonomy lists."""
    path: Path = tmp_path_factory.mktemp("named") / "named.duckdb"
    shutil.copy(sample_index.path, path)
    con = duckdb.connect(path)
    for row, name in enumerate(REPORTED):
        con.execute(
            "UPDATE detection SET reported_name = $1, virus = NULL, species = NULL "
            "WHERE rowid = $2",
            [name, row],
        )
    return con


@pytest.mark.parametrize(
    ("asked", "means"),
    [
        ("Yaoshi tick virus", REPORTED[:2]),
        ("yaoshi tick virus segment l", REPORTED[:1]),
        ("Lenkte beetle virus", REPORTED[2:3]),
    ],
)
def test_a_newly_named_virus_is_found_by_its_name(
    named: duckdb.DuckDBPyConnection, asked: str, means: tuple[str, ...]
) -> None:
    assert Resolver(named).viruses((asked,)).reported == means
    (found,) = find_names(named, tokens_of(f"How many runs have {asked}?"))
    assert (found.kind, found.name.lower()) == ("reported", asked.lower())
    (reading,) = read_term(named, asked, facet="virus")
    assert reading.because == "name that only a source uses"


def test_a_nameless_virus_is_no_name(named: duckdb.DuckDBPyConnection) -> None:
    assert find_names(named, tokens_of("How many runs have a virus?")) == []
