"""Stages in parts: what a cluster computes is what one machine does, also when a worker dies."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

import polars as pl
import pytest

from flows.errors import ClusterError
from flows.index import main
from flows.scaling.associations import associate_on
from flows.scaling.grounding import GroundingWork, annotate_on
from flows.scaling.on_dask import Workers, cluster_of
from flows.scaling.parts import Cluster
from flows.stages.records import stored_ontologies
from flows.stages.tables import read_association_records
from index.annotation.annotate import annotate_in_parts, texts_to_ground
from index.annotation.ungrounded import sum_ungrounded
from index.config import MwasConfig
from index.mwas.associate import associate
from index.records import Records
from index.store.build import content_hash, open_index, stored_table
from ontology_etl.vocabulary import build_vocabulary
from tests.conftest import ROOT, BuiltIndex, build_from
from tests.prefect_servers import (
    free_port,
    kill_tree,
    running,
    small_cohort,
    wait_until,
)

DESCRIBED = (
    "run", "biosample", "biosample_attribute", "run_attribute", "place", "stat_hit",
)  # fmt: skip


def compute_here(name: str, work: Callable[[str], None], parts: Sequence[str]) -> Iterator[str]:
    """Do the work of a cluster in this process."""
    assert len(parts) > 2, f"{name}: one part shows nothing"
    for part in parts:
        work(part)
        yield part


@pytest.fixture
def cluster(tmp_path: Path) -> Cluster:
    return Cluster(compute_here, tmp_path / "parts", part_runs=700)


def test_metadata_is_grounded_in_parts_as_in_one_place(
    sample_index: BuiltIndex, cluster: Cluster
) -> None:
    with open_index(sample_index.path) as index:
        records = Records(**{name: stored_table(index, name) for name in DESCRIBED})
        ontologies = stored_ontologies(index)
    texts = texts_to_ground(records)
    names = (ontologies.term, ontologies.synonym, ontologies.term_edge)
    (once,) = annotate_in_parts(records, build_vocabulary(*names, texts=texts), stat_min_share=0.01)
    parts = list(annotate_on(cluster, GroundingWork(records, ontologies, 0.01)))
    assert pl.concat([part.annotation for part in parts]).equals(once.annotation)
    assert pl.concat([part.run for part in parts]).equals(once.run)
    counted = sum_ungrounded([part.ungrounded for part in parts])
    assert counted.equals(sum_ungrounded([once.ungrounded]))
    assert list(cluster.folder.iterdir()) == []


def test_associations_of_parts_of_the_projects_are_those_of_all(
    sample_index: BuiltIndex, cluster: Cluster
) -> None:
    with open_index(sample_index.path) as index:
        records, annotation = read_association_records(index)
    config = MwasConfig(resamples=200, max_resamples=400)
    once = associate(records, annotation, config=config)
    parts = associate_on(cluster, records, annotation, config=config)
    assert len(once.association) > 100
    assert parts.association.equals(once.association)
    assert parts.skipped.equals(once.skipped)
    assert parts.tests == once.tests
    assert list(cluster.folder.iterdir()) == []


DASK = [sys.executable, "-m", "dask"]


@pytest.mark.server
def test_a_cluster_that_loses_a_worker_gives_the_index_of_one_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inputs = small_cohort(tmp_path / "cohort")
    alone = build_from(inputs, tmp_path / "alone.duckdb")
    db, shared = tmp_path / "spread.duckdb", tmp_path / "shared"
    address = f"tcp://127.0.0.1:{free_port()}"
    monkeypatch.setenv("VIROME_DASK", address)
    monkeypatch.setenv("VIROME_DASK_FOLDER", str(shared))
    monkeypatch.setenv("VIROME_DASK_RUNS", "15")
    with ExitStack() as started:

        def start(name: str, command: list[str]) -> int:
            log = tmp_path / f"{name}.log"
            return started.enter_context(running(command, dict(os.environ), log)).pid

        start("scheduler", [*DASK, "scheduler", "--no-dashboard", "--host", address])
        worker = [*DASK, "worker", address, "--nthreads", "1", "--no-dashboard"]
        lost, _kept = (start(name, worker) for name in ("lost", "kept"))
        log = tmp_path / "scheduler.log"
        wait_until(lambda: log.read_text().count("Register worker") == 2, log)

        def lose_a_worker() -> None:
            wait_until(lambda: list(shared.glob("ground metadata/*/result")), log)
            kill_tree(lost)

        losing = threading.Thread(target=lose_a_worker)
        losing.start()
        built = main(["--inputs", str(inputs), "--db", str(db), "--no-llm", "--quiet"])
        losing.join()
    assert built == 0
    assert "Remove worker" in log.read_text()
    assert list(shared.iterdir()) == []
    with open_index(db) as index:
        assert content_hash(index) == alone.summary.content_hash


def test_a_cluster_that_is_not_there_is_named() -> None:
    workers = Workers(f"tcp://127.0.0.1:{free_port()}", connect_s=1)
    with pytest.raises(ClusterError, match="no scheduler answers") as missing:
        list(workers("test associations", print, ["a"]))
    assert missing.value.exit_code == 10
    assert "dask scheduler" in missing.value.remedy
    assert cluster_of(Path("a.duckdb"), {}) is None


def test_a_laptop_imports_no_dask() -> None:
    code = (
        "import sys\n"
        "import flows.order, flows.scaling.on_dask\n"
        "print([name for name in sys.modules if name.partition('.')[0] in ('dask', 'distributed')])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
