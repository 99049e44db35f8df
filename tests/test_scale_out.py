"""Stages in parts: what a cluster computes is what one machine does, also when a worker dies."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from flows.errors import ClusterError
from flows.scaling.associations import associate_on
from flows.scaling.embeddings import embed_on
from flows.scaling.grounding import GroundingWork, annotate_on
from flows.scaling.on_dask import Workers, cluster_of
from flows.scaling.parts import Cluster
from flows.stages.records import stored_ontologies
from flows.stages.tables import read_association_records, read_grouping_terms
from index.annotation.annotate import annotate_in_parts, texts_to_ground
from index.annotation.ungrounded import sum_ungrounded
from index.config import MwasConfig
from index.models.embeddings import DIMENSIONS, embed
from index.mwas.associate import associate
from index.mwas.by_blocks import associate_by_blocks
from index.records import Records
from index.store.build import open_index, stored_table
from ontology_etl.vocabulary import build_vocabulary
from tests.conftest import BuiltIndex
from tests.serving import free_port

DESCRIBED = (
    "run", "biosample", "biosample_attribute", "run_attribute", "place", "kmer_profile",
)  # fmt: skip


def compute_here(name: str, work: Callable[[str], None], parts: Sequence[str]) -> Iterator[str]:
    """Do the work of a cluster in this process."""
    assert len(parts) > 2, f"{name}: one part shows nothing"
    for part in parts:
        work(part)
        yield part


@pytest.fixture
def cluster(tmp_path: Path) -> Cluster:
    return Cluster(compute_here, tmp_path / "parts", part_runs=80)


def test_metadata_is_grounded_in_parts_as_in_one_place(
    small_index: BuiltIndex, cluster: Cluster
) -> None:
    with open_index(small_index.path) as index:
        records = Records(**{name: stored_table(index, name) for name in DESCRIBED})
        ontologies = stored_ontologies(index)
    texts = texts_to_ground(records)
    names = (ontologies.term, ontologies.synonym, ontologies.term_edge)
    (once,) = annotate_in_parts(records, build_vocabulary(*names, texts=texts))
    parts = list(annotate_on(cluster, GroundingWork(records, ontologies)))
    assert pl.concat([part.annotation for part in parts]).equals(once.annotation)
    assert pl.concat([part.run for part in parts]).equals(once.run)
    counted = sum_ungrounded([part.ungrounded for part in parts])
    assert counted.equals(sum_ungrounded([once.ungrounded]))
    assert list(cluster.folder.iterdir()) == []


def test_associations_of_parts_of_the_projects_are_those_of_all(
    small_index: BuiltIndex, cluster: Cluster
) -> None:
    with open_index(small_index.path) as index:
        records = read_association_records(index)
        annotation = read_grouping_terms(index, records.run["run"])
    some = pl.int_range(pl.len()) % 5 == 0
    unnamed = records.run.with_columns(biosample=pl.when(~some).then("biosample"))
    records = replace(records, run=unnamed)
    config = MwasConfig(resamples=200, max_resamples=400)
    once = associate(records, annotation, config=config)
    on_cluster = associate_on(cluster, records, annotation, config=config)
    by_blocks = associate_by_blocks(
        records,
        lambda runs: annotation.filter(pl.col("run").is_in(runs.implode())),
        config=config,
        block_runs=len(records.run) // 3,
    )
    assert len(once.association) > 100
    for parts in (on_cluster, by_blocks):
        assert parts.association.equals(once.association)
        assert parts.skipped.equals(once.skipped)
        assert parts.tests == once.tests
    assert list(cluster.folder.iterdir()) == []


def test_a_sample_of_two_projects_has_all_its_terms_in_the_block_of_each() -> None:
    runs = [f"r{number}" for number in range(16)]
    projects = ["p1"] * 8 + ["p2"] * 8
    samples = [f"s{number % 8}" for number in range(16)]
    run = pl.DataFrame(
        {"run": runs, "biosample": samples, "bioproject": projects, "spots": [1000] * 16}
    )
    found = pl.DataFrame({"run": runs[::2], "family": "F", "reads": 10, "coverage": None})
    records = Records(
        run=run,
        detection=found.with_columns(source=pl.lit("serratus_nt")),
        searched=pl.DataFrame({"run": runs, "source": "serratus_nt"}),
    )
    hosts = ["NCBITaxon:1", "NCBITaxon:1", "NCBITaxon:2", "NCBITaxon:2"] * 2
    annotation = pl.DataFrame({"run": runs[:8], "value": hosts, "curie": hosts}).with_columns(
        facet=pl.lit("host"), attribute=pl.lit("host")
    )
    config = MwasConfig(resamples=200, max_resamples=400)
    once = associate(records, annotation, config=config)
    blocks = associate_by_blocks(
        records,
        lambda runs: annotation.filter(pl.col("run").is_in(runs.implode())),
        config=config,
        block_runs=8,
    )
    assert once.association["bioproject"].unique().sort().to_list() == ["p1", "p2"]
    assert blocks.association.equals(once.association)


def test_reports_are_embedded_in_blocks_as_in_one_place(cluster: Cluster) -> None:
    texts = [
        f"{place} of a bat in {number} runs" for number, place in enumerate(["gut", "lung"] * 9)
    ]
    blocks = embed_on(replace(cluster, block_texts=5), texts)
    np.testing.assert_array_equal(blocks, embed(texts))
    assert embed_on(cluster, []).shape == (0, DIMENSIONS)


def test_an_error_of_a_worker_arrives_with_all_it_carries() -> None:
    raised = ClusterError("tcp://here:1", "workers have other code", "install it")
    arrived = pickle.loads(pickle.dumps(raised))
    assert (str(arrived), arrived.remedy, arrived.address) == (
        str(raised),
        "install it",
        "tcp://here:1",
    )


def test_a_cluster_that_is_not_there_is_named() -> None:
    workers = Workers(f"tcp://127.0.0.1:{free_port()}", connect_s=1)
    with pytest.raises(ClusterError, match="no scheduler answers") as missing:
        list(workers("test associations", print, ["a"]))
    assert missing.value.exit_code == 10
    assert "dask scheduler" in missing.value.remedy
    assert cluster_of(Path("a.duckdb"), {}) is None
