"""The association engine on whole inputs: the bundled sample with its planted effects, and the real data."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from index.config import MwasConfig
from index.inputs import read_manifest, read_records
from index.mwas import adjust, associate
from index.tables import Annotation


def significant(manifest: Path) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return all computed associations of the inputs, and those with q <= 0.05."""
    records = read_records(read_manifest(manifest))
    rows = adjust(associate(records, Annotation.create_empty(), config=MwasConfig()).association)
    return rows, rows.filter(pl.col("q_value") <= 0.05)


def test_planted_effects_of_the_sample_are_found_and_little_else(sample_inputs: Path) -> None:
    planted = pl.read_csv(sample_inputs.parent / "planted.tsv", separator="\t").select("bioproject", "family").unique()
    _, called = significant(sample_inputs)
    found = planted.join(called, on=["bioproject", "family"], how="semi")
    elsewhere = called.join(planted, on=["bioproject", "family"], how="anti")
    assert len(found) >= 0.6 * len(planted)
    assert elsewhere["split"].n_unique() <= 0.05 * called["split"].n_unique()


@pytest.mark.real
def test_real_inputs_give_finite_rows_that_do_not_depend_on_workers(shared_data: Path, sample_inputs: Path) -> None:
    manifest = sample_inputs.parents[1] / "real" / "inputs.toml"
    records = read_records(read_manifest(manifest))
    one, two = (
        associate(records, Annotation.create_empty(), config=MwasConfig(), workers=workers).association
        for workers in (1, 2)
    )
    assert one.equals(two)
    rows = adjust(one)
    assert len(rows) > 100
    assert np.isfinite(rows["fold_change"].to_numpy()).all()
    untested = rows.filter(pl.col("p_value").is_null())
    assert untested["flag"].str.contains("no spread").all()
    called = rows.filter(pl.col("q_value") <= 0.05)
    assert (called["num_found"] >= 3).all()
    # rice endornavirus goes by cultivar and organ: seed-borne, unevenly spread (e.g. PRJNA527175 root against shoot)
    assert "Endornaviridae" in called["family"].to_list()
