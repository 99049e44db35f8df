"""Associations split by project: a test compares samples of one project only."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

import polars as pl

from flows.scaling.parts import Cluster, read_tables, write_tables
from index.config import MwasConfig
from index.mwas.associate import AssociationTests, associate, join_tests, label_records
from index.mwas.by_blocks import labels_of_runs, split_projects, tables_of_runs
from index.records import Records
from index.tables import Annotation

_CONFIG: Final = "config.json"
_RESULT: Final = "result"


def associate_on(
    cluster: Cluster, records: Records, annotation: pl.DataFrame, *, config: MwasConfig
) -> AssociationTests:
    """Return what ``associate`` returns, computed by ``cluster`` in parts of projects."""
    labels = label_records(records, annotation)
    with cluster.room("test associations") as room:
        parts = []
        for number, runs in enumerate(split_projects(records.run, cluster.project_parts)):
            part = room / f"{number:04}"
            described = tables_of_runs(records, runs)
            write_tables({**described, "labels": labels_of_runs(labels, runs)}, part)
            (part / _CONFIG).write_text(config.model_dump_json())
            parts.append(str(part))
        done = cluster.compute("test associations", associate_part, parts)
        results = [_read_result(Path(part)) for part in done]
    return join_tests(results)


def associate_part(folder: str) -> None:
    """Test the projects in ``folder`` and write the associations there."""
    part = Path(folder)
    tables = read_tables(part)
    labels = tables.pop("labels")
    config = MwasConfig.model_validate_json((part / _CONFIG).read_text())
    none = Annotation.create_empty()
    found = associate(Records(**tables), none, config=config, labels=labels)
    write_tables({"association": found.association, "skipped": found.skipped}, part / _RESULT)
    (part / _RESULT / "tests.json").write_text(json.dumps(found.tests))


def _read_result(part: Path) -> AssociationTests:
    folder = part / _RESULT
    tests = json.loads((folder / "tests.json").read_text())
    return AssociationTests(**read_tables(folder), tests=tests)
