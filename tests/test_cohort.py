"""Synthetic cohorts: reproducible, calibrated, plausible."""

from __future__ import annotations

import gzip
import sys
import tomllib
from pathlib import Path

import duckdb
import numpy as np
import polars as pl
import pytest

from benchmarks.cohort import main, write_cohort
from benchmarks.cohort_draw import MIN_RUNS_PLANTED
from benchmarks.cohort_shape import Shape
from index.facets import FACETS
from index.records import CONTRACTS
from index.sources.inputs import read_records
from index.sources.manifest import read_manifest
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


@pytest.fixture(scope="module")
def cohort(tmp_path_factory: pytest.TempPathFactory) -> dict[str, pl.DataFrame]:
    """Return the tables of a cohort of 20,000 runs."""
    folder = make(
        tmp_path_factory.mktemp("cohort"), "--runs", "20000", "--seed", "7", "--format", "parquet"
    )
    return {
        path.stem.split("-")[0]: pl.read_parquet(path) for path in sorted(folder.glob("*.parquet"))
    }


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


def test_planted_associations_name_values_that_the_sample_holds() -> None:
    every = pl.read_csv(SAMPLE / "planted.tsv", separator="\t", infer_schema=False)
    planted = every.filter(pl.col("planted") == "association")
    assert len(planted) > 60
    assert planted.filter(pl.col("log2_fold_change").cast(pl.Float64) < 2.5).is_empty()
    held = (
        read_records(read_manifest(SAMPLE / "inputs.toml"))
        .biosample_attribute.select("attribute", "value")
        .unique()
    )
    for value in ("value", "other_value"):
        stated = planted.select("attribute", pl.col(value).alias("value"))
        assert stated.join(held, on=["attribute", "value"], how="anti").is_empty()


@pytest.mark.parametrize(
    ("distribution", "table", "per", "column"),
    [
        ("runs_per_bioproject", "run", "bioproject", None),
        ("sotus_per_run_all", "detection", "run", None),
        ("attributes_per_biosample", "biosample_attribute", "biosample", None),
        ("spots", "run", None, "spots"),
    ],
)
def test_marginals_are_within_a_tenth_of_the_calibration(
    cohort: dict[str, pl.DataFrame],
    distribution: str,
    table: str,
    per: str | None,
    column: str | None,
) -> None:
    frame = cohort[table]
    drawn = frame.group_by(per).len()["len"] if per else frame[str(column)]
    assert ks_distance(distribution, drawn.cast(pl.Float64).to_numpy()) < 0.1


def test_coverage_is_calibrated_where_no_effect_is_planted(cohort: dict[str, pl.DataFrame]) -> None:
    """Planted effects set the reads of their family apart; projects below ``MIN_RUNS_PLANTED`` runs
    have none.
    """
    plain = cohort["run"].filter(pl.len().over("bioproject") < MIN_RUNS_PLANTED)
    drawn = cohort["detection"].join(plain, on="run", how="semi")["coverage"]
    assert len(drawn) > 1000
    assert ks_distance("coverage", drawn.to_numpy()) < 0.1


def test_undescribed_projects_keep_runs_and_detections(
    cohort: dict[str, pl.DataFrame], tmp_path: Path
) -> None:
    shape = Shape(runs=20_000, seed=7, described_share=0.25)
    write_cohort(tmp_path, shape, as_parquet=True)
    sparse = {
        path.stem.split("-")[0]: pl.read_parquet(path)
        for path in sorted(tmp_path.glob("*.parquet"))
    }
    assert sparse["run"].equals(cohort["run"])
    assert sparse["detection"].equals(cohort["detection"])
    assert 0.1 < len(sparse["biosample"]) / len(cohort["biosample"]) < 0.4
    assert set(sparse["biosample_attribute"]["biosample"]) <= set(sparse["biosample"]["biosample"])


def ks_distance(distribution: str, drawn: np.ndarray) -> float:
    """Return the KS distance, worked out here on its own: empirical shares at the published
    quantiles.
    """
    raw = tomllib.loads((ROOT / "benchmarks" / "calibration.toml").read_text())
    levels, values = np.array(raw["levels"]), np.array(raw["quantiles"][distribution])
    below = np.array([(drawn < value).mean() for value in values])
    at_most = np.array([(drawn <= value).mean() for value in values])
    return float(np.maximum(np.maximum(levels - at_most, below - levels), 0).max())


def test_size_and_keys_are_those_asked_for(cohort: dict[str, pl.DataFrame]) -> None:
    runs = cohort["run"]
    assert len(runs) == runs["run"].n_unique() == 20_000
    assert set(cohort["detection"]["run"]) <= set(runs["run"])
    assert set(runs["biosample"]) == set(cohort["biosample"]["biosample"])
    assert set(runs["bioproject"].drop_nulls()) == set(cohort["bioproject"]["bioproject"])
    studied = runs.filter(pl.col("bioproject").is_null())
    assert set(studied["study"]) == set(cohort["study"]["study"])
    positive = cohort["detection"]["run"].n_unique() / 20_000
    assert 0.25 < positive < 0.4


def test_a_detection_never_has_more_reads_than_its_run(cohort: dict[str, pl.DataFrame]) -> None:
    joined = cohort["detection"].join(cohort["run"].select("run", "spots"), on="run")
    assert joined.filter(pl.col("reads") > pl.col("spots")).is_empty()


def test_viruses_stay_in_plausible_hosts(cohort: dict[str, pl.DataFrame]) -> None:
    joined = cohort["detection"].join(cohort["run"].select("run", "organism"), on="run")
    hosts = dict(joined.group_by("family").agg(pl.col("organism").unique()).iter_rows())
    assert set(hosts["Closteroviridae"]) == {"Vitis vinifera"}
    assert "Homo sapiens" not in hosts["Iflaviridae"]
    assert set(hosts["Hypoviridae"]) <= {
        "Cryphonectria parasitica", "Sclerotinia sclerotiorum", "Fusarium graminearum",
        "Botrytis cinerea",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("table", "carried"),
    [
        ("run", pl.col("organism") == "Dengue virus"),
        ("run", pl.col("organism") == "mosquito metagenome"),
        ("run", pl.col("library_strategy") != "RNA-Seq"),
        ("run", pl.col("bioproject").is_null() & pl.col("study").is_not_null()),
        ("detection", pl.col("identity").is_null()),
        ("detection", pl.col("identity") < 70),
        ("detection", pl.col("species") == "RSV"),
        ("detection", pl.col("species") == "Lassa virus"),
        ("place", pl.col("country") == "Swaziland"),
        ("place", pl.col("country") == "laboratory stock"),
        ("biosample_attribute", pl.col("value") == "lymphoblastoid cell lines"),
    ],
    ids=str,
)
def test_a_large_cohort_carries_what_the_sample_does(
    cohort: dict[str, pl.DataFrame], table: str, carried: pl.Expr
) -> None:
    assert 0 < len(cohort[table].filter(carried)) < len(cohort[table]) / 2


def test_runs_listed_as_searched_are_those_no_rule_covers(
    cohort: dict[str, pl.DataFrame],
) -> None:
    listed = cohort["run"].join(cohort["searched"], on="run", how="semi")
    assert set(listed["library_strategy"]) == {"ncRNA-Seq"}
    assert len(listed) == len(cohort["searched"]) > 100


def test_seeds_differ_and_repeat(tmp_path: Path) -> None:
    one, same, other = (
        make(tmp_path / name, "--runs", "300", "--seed", seed, "--format", "csv")
        for name, seed in (("one", "1"), ("same", "1"), ("other", "2"))
    )
    assert (one / "runs.csv.gz").read_bytes() == (same / "runs.csv.gz").read_bytes()
    assert (one / "runs.csv.gz").read_bytes() != (other / "runs.csv.gz").read_bytes()


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
    "sotu_name": "no source of a cohort gives a sOTU a wrong name",
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


def test_a_large_cohort_writes_every_table_of_records_that_the_sample_has(
    cohort: dict[str, pl.DataFrame], sample_db: duckdb.DuckDBPyConnection
) -> None:
    """Known hosts and methods are of the sample; the MWAS of others is beside it only."""
    counts = table_counts(sample_db)
    records = {name for name in CONTRACTS if counts.get(name)}
    assert records - set(cohort) == {"known_host", "association", "search_method"}
    assert [name for name in records & set(cohort) if cohort[name].is_empty()] == []


def test_a_large_cohort_has_the_hits_and_the_risk_groups_that_the_sample_has(
    tmp_path: Path,
) -> None:
    write_cohort(tmp_path, Shape(runs=3_000, seed=7), as_parquet=True)
    manifest = read_manifest(tmp_path / "inputs.toml")
    assert manifest.risk_groups == tmp_path / "risk_groups.tsv"
    hits = pl.read_csv(tmp_path / "serratus_nt.tsv.gz", separator="\t")
    sound = hits.filter(pl.col("score") >= 50)
    virus = {"NC_007605.1": "EBV, which is resident in lymphoblastoid lines"}
    assert set(virus) < set(sound["sequence_accession"])
