"""Everyday names for several taxa mean all of them, and no word has two meanings unseen."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from query.compiler import run
from query.compiler.reviewed import everyday_groups
from query.reading import read
from query.reading.lexicon import rows_of
from query.request import Count, Has, Request
from tests.community_index import make_community_index
from tests.query_index import opened


def test_a_group_means_all_its_taxa(tmp_path: Path) -> None:
    make_community_index(tmp_path / "index.duckdb")
    with opened(tmp_path / "index.duckdb") as con:
        pigs = run(con, Request(Count(), of=Has("host", "Sus scrofa"))).number
        (request,) = read(con, "How many runs of farm animals are there?").requests
        assert run(con, request).number == pigs == 8
        assert run(con, Request(Count(), of=Has("host", "Livestock"))).number == pigs


def test_livestock_is_no_single_animal() -> None:
    labels = {label for _, label in everyday_groups()["host", "livestock"]}
    assert {"Bos", "Sus scrofa", "Ovis aries", "Capra hircus", "Gallus gallus"} < labels


def test_an_everyday_word_has_one_row() -> None:
    words = Counter((row["word"], row["kind"]) for row in rows_of("words.tsv"))
    assert [word for word, rows in words.items() if rows > 1] == []
    assert not {(kind, word) for word, kind in words} & everyday_groups().keys()
