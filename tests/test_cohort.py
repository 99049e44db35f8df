"""The bundled sample is what the generator of cohorts makes, and fills what real inputs fill."""

from __future__ import annotations

import gzip
import sys
from pathlib import Path

import duckdb
import polars as pl
import pytest

from benchmarks.cohort import main
from index.facets import FACETS
from index.store.build import table_counts

ROOT = Path(__file__).resolve().parents[1]
SAMPLE = ROOT / "data" / "sample"


def make(folder: Path, *options: str) -> Path:
    """Run the command line of the generator in this process; return the folder it wrote."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["cohort", "--out", str(folder), *options])
        main()
    return folder


def content(path: Path) -> bytes:
    raw = path.read_bytes()
    return gzip.decompress(raw) if path.suffix == ".gz" else raw


def test_the_bundled_sample_is_what_the_generator_makes(tmp_path: Path) -> None:
    made = make(tmp_path / "sample", "--sample")
    names = {path.name for path in SAMPLE.iterdir() if path.is_file()} - {
        "README.md",
        "demo.toml",
        "entrez.jsonl",
        "inputs.toml",
    }
    assert names == {path.name for path in made.iterdir()} - {"inputs.toml"}
    assert [name for name in sorted(names) if content(SAMPLE / name) != content(made / name)] == []


def test_the_sample_is_small_and_holds_no_accession_of_an_archive() -> None:
    files = [path for path in SAMPLE.rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) < 2_000_000
    records = "".join(
        content(path).decode() for path in files if path.parent == SAMPLE and path.suffix != ".md"
    )
    found = (
        pl.Series([records])
        .str.extract_all(r"\b(?:[SED]RR|SAM[NED]A?|PRJ[NED][A-Z])\d+")
        .explode()
        .drop_nulls()
    )
    assert found.to_list() == []


def test_seeds_differ(tmp_path: Path) -> None:
    """That one seed repeats, the bundled sample shows."""
    one, other = (
        make(tmp_path / seed, "--runs", "60", "--seed", seed, "--format", "csv") for seed in "12"
    )
    assert content(one / "runs.csv.gz") != content(other / "runs.csv.gz")


UNFILLED = {
    "gate_decision": "no model interprets its reports",
    "answer": "nobody has asked it",
    "point": "nobody has asked it",
    "answer_citation": "nobody has asked it",
    "past_build": "it is the first of its kind",
    "viral_sequence": "no input is a table of a tool that judges sequences",
}
"""Tables that no input fills, in an index of real inputs as in one of a cohort."""
NOT_PLANTED = {
    "other_by_kmers": "no tool that counts k-mers screened a cohort",
    "sequenced": "no study of a cohort sequences a parasite of its host",
    "sotu_name": "no source of a cohort gives an sOTU a wrong name",
}
"""Tables that real inputs fill and a cohort leaves empty."""


def test_a_cohort_fills_every_table_that_real_inputs_fill_but_those_that_say_why(
    sample_db: duckdb.DuckDBPyConnection,
) -> None:
    counts = table_counts(sample_db)
    assert {name for name, rows in counts.items() if not rows} == {*UNFILLED, *NOT_PLANTED}
    facets = sample_db.execute("SELECT DISTINCT facet FROM annotation ORDER BY facet").fetchall()
    assert {facet for (facet,) in facets} == set(FACETS)
    judged = sample_db.execute("SELECT DISTINCT plausibility FROM plausibility").fetchall()
    assert {kind for (kind,) in judged} == {
        "recorded", "new within class", "unexpected", "resident", "library", "unknown",
    }  # fmt: skip
