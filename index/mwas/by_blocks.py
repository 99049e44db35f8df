"""Compute the associations of a large index a block of projects at a time.

A test compares samples of one project. Only the spelling of submitted values is shared by all
projects, so it is settled first. Every run has terms: they are read block by block.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

import polars as pl

from index.config import MwasConfig
from index.mwas.abundance import name_samples
from index.mwas.associate import AssociationTests, associate, join_tests, label_records
from index.mwas.splits import grounded_labels
from index.records import Records
from index.tables import Annotation

BLOCK_RUNS: Final = 1_000_000
"""Runs of the projects that are tested together, about."""
_OF_RUN: Final = ("detection", "searched")


def associate_by_blocks(
    records: Records,
    annotation_of: Callable[[pl.Series], pl.DataFrame],
    *,
    config: MwasConfig,
    block_runs: int = BLOCK_RUNS,
) -> AssociationTests:
    """Return what ``associate`` returns; ``annotation_of`` returns the annotations of some runs."""
    none = Annotation.create_empty()
    submitted = label_records(records, none)
    samples = name_samples(records.run)
    blocks = -(-len(records.run) // block_runs)
    parts = []
    for runs in split_projects(records.run, max(1, blocks)):
        own = name_samples(runs).select("biosample")
        # a sample may have runs in a project of another block: their terms are its labels too
        of_samples = samples.join(own, on="biosample", how="semi")
        grounded = grounded_labels(annotation_of(of_samples["run"]), of_samples)
        labels = pl.concat([labels_of_runs(submitted, runs), grounded])
        part = Records(**tables_of_runs(records, runs))
        parts.append(associate(part, none, config=config, labels=labels))
    return join_tests(parts)


def labels_of_runs(labels: pl.DataFrame, runs: pl.DataFrame) -> pl.DataFrame:
    """Return the ``labels`` of the samples of ``runs``; a run without a biosample is one itself."""
    samples = name_samples(runs).select("biosample")
    return labels.join(samples, on="biosample", how="semi", maintain_order="left")


def split_projects(run: pl.DataFrame, parts: int) -> Iterator[pl.DataFrame]:
    """Yield the rows of ``run`` in at most ``parts`` parts; a bioproject is in one of them."""
    number = pl.col("bioproject").fill_null("").rank("dense") % parts
    for _, rows in run.group_by(number, maintain_order=True):
        yield rows


def tables_of_runs(records: Records, runs: pl.DataFrame) -> dict[str, pl.DataFrame]:
    """Return the rows of ``records`` that the associations of ``runs`` need, except labels."""
    of_run = {
        name: getattr(records, name).join(runs, on="run", how="semi", maintain_order="left")
        for name in _OF_RUN
    }
    return {"run": runs, "searches": records.searches, **of_run}
