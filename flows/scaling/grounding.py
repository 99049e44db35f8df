"""Grounding split by run: each part has its runs, their records, and the names that may match."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import polars as pl

from flows.scaling.parts import Cluster, read_tables, write_tables
from index.annotation.annotate import Annotations, annotate, records_of, texts_to_ground
from index.records import Records
from ontology_etl.load import OntologyTables
from ontology_etl.vocabulary import Vocabulary, build_vocabulary

COMMON: Final = "common"
"""Folder beside the parts: what all of them need."""
_RESULT: Final = "result"


@dataclass(frozen=True)
class GroundingWork:
    """Records to ground, and the names to ground them in."""

    records: Records
    ontologies: OntologyTables


def annotate_on(cluster: Cluster, work: GroundingWork) -> Iterator[Annotations]:
    """Yield what ``annotate_in_parts`` yields, each part computed by ``cluster``."""
    with cluster.room("ground metadata") as room:
        _write_common(work, room / COMMON)
        runs = work.records.run
        parts = []
        for start in range(0, len(runs), cluster.part_runs):
            part = room / f"{start:012}"
            described = records_of(work.records, runs.slice(start, cluster.part_runs))
            write_tables(_filled(described), part)
            parts.append(str(part))
        for done in cluster.compute("ground metadata", ground_part, parts):
            yield Annotations(**read_tables(Path(done) / _RESULT))


def ground_part(folder: str) -> None:
    """Ground the records in ``folder`` and write the annotations there."""
    part = Path(folder)
    found = annotate(Records(**read_tables(part)), _vocabulary(part.parent / COMMON))
    write_tables(vars(found), part / _RESULT)


def _write_common(work: GroundingWork, folder: Path) -> None:
    ontologies = work.ontologies
    tables = {name: getattr(ontologies, name) for name in ("term", "synonym", "term_edge", "xref")}
    texts = texts_to_ground(work.records)
    write_tables({**tables, "texts": texts.to_frame("text")}, folder)


@functools.lru_cache(maxsize=1)
def _read_vocabulary(folder: Path, written_ns: int) -> Vocabulary:  # noqa: ARG001 - part of the key
    tables = read_tables(folder)
    texts = tables.pop("texts")["text"]
    return build_vocabulary(**tables, texts=texts)


def _vocabulary(folder: Path) -> Vocabulary:
    """Return the names in ``folder``, read once per process while they do not change."""
    written_ns = (folder / "texts.parquet").stat().st_mtime_ns
    return _read_vocabulary(folder, written_ns)


def _filled(records: Records) -> dict[str, pl.DataFrame]:
    """Return the tables of ``records`` that have rows."""
    return {name: frame for name, frame in vars(records).items() if len(frame)}
