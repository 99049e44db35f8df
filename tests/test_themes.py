"""Themes of communities: ranked in parts, which nobody can tell from the result."""

from __future__ import annotations

import polars as pl
import pytest

from index.reports.themes import extract_terms, rank_terms

TEXTS = [
    ("SYNP1", "Cassava mosaic in smallholder fields"), ("SYNP2", "Cassava mosaic vectors"),
    ("SYNP3", "Bat guano viromes"), ("SYNP4", "Guano of cave bats"), ("SYNP5",
    "Wheat dwarf monitoring"),
    ("SYNP6", "Honeybee colony losses"), ("SYNP7", "Deep sea vents"), ("SYNP8",
    "Tick salivary glands"),
]  # fmt: skip
MEMBERS = [
    ("C0-b", "SYNP3"), ("C0-b", "SYNP4"), ("C0-b", "SYNP8"), ("C0-a", "SYNP1"), ("C0-a", "SYNP2"),
    ("C0-a", "SYNP5"),
    ("C1-a", "SYNP1"), ("C1-b", "SYNP2"), ("C1-c", "SYNP6"), ("C1-d", "SYNP7"), ("C1-e", "SYNP9"),
]  # fmt: skip


@pytest.mark.parametrize("part_members", [1, 2, 4, 1000])
def test_parts_of_any_size_give_the_same_themes(part_members: int) -> None:
    terms = extract_terms(pl.DataFrame(TEXTS, schema=["bioproject", "text"], orient="row"))
    members = pl.DataFrame(MEMBERS, schema=["community", "bioproject"], orient="row")
    themes = rank_terms(members, terms, part_members=part_members)
    first = themes.filter(rank=1).select("community", "term", "bioprojects", "described").rows()
    assert first == [
        ("C0-a", "cassava mosaic", 2, 3),
        ("C0-b", "bat guano", 1, 3),
        ("C1-a", "smallholder fields", 1, 1),
        ("C1-b", "mosaic vectors", 1, 1),
        ("C1-c", "honeybee colony", 1, 1),
        ("C1-d", "sea vents", 1, 1),
    ]
    assert themes.equals(rank_terms(members, terms))
