"""Stages that read: ontologies, records and the viruses they name, and the grounded metadata.

Each writes what it made as soon as it is there. Nothing here computes: what a stage does lives in
``ontology_etl`` and ``index``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Final

import polars as pl

from flows.progress import Progress
from index.annotation.annotate import annotate_in_parts, texts_to_ground
from index.annotation.known_hosts import resolve_hosts
from index.annotation.preview import column_hints
from index.annotation.proposals import make_proposer
from index.annotation.ungrounded import sum_ungrounded
from index.annotation.viruses import resolve_viruses
from index.config import IndexConfig
from index.records import Records, record_counts
from index.sources.inputs import read_records
from index.sources.manifest import Input, Manifest
from index.store.build import Build
from ontology_etl.load import OntologyTables
from ontology_etl.releases.download import RAW, fetch_ontologies
from ontology_etl.viruses.names import own_names, read_virus_names
from ontology_etl.vocabulary import build_vocabulary

RECORD_TABLES: Final = (
    "biosample", "biosample_attribute", "run_attribute", "bioproject", "study", "place",
    "detection", "searched", "stat_hit", "sotu_alignment",
)  # fmt: skip
ONTOLOGY_TABLES: Final = ("term", "synonym", "term_edge", "xref")
VECTORS: Final = Path("data/cache")
"""Keeps the vectors of names and values between builds."""


def find_ontologies(manifest: Manifest, progress: Progress) -> dict[str, Path]:
    """Return the file of each ontology, fetched to ``data/raw`` where the manifest gives no
    path.
    """
    shown: dict[str, int] = {}

    def report_bytes(name: str, done: int, total: int | None) -> None:
        step = 10 * done // total if total else done >> 24
        if shown.get(name) != step:
            shown[name] = step
            of_all = f" of {total >> 20:,}" if total else ""
            progress.detail(f"{name}: {done >> 20:,}{of_all} MB")

    return fetch_ontologies(
        manifest.ontologies,
        RAW,
        progress=report_bytes,
    )


def store_ontologies(build: Build, ontologies: OntologyTables, progress: Progress) -> None:
    """Write the ontology tables and say what they hold."""
    for name in ONTOLOGY_TABLES:
        build.append(name, getattr(ontologies, name))
    build.write("ontology_release", ontologies.release)
    progress.detail(
        f"{len(ontologies.term):,} terms, {len(ontologies.synonym):,} synonyms, "
        f"{ontologies.repairs} repairs"
    )


def read_inputs(manifest: Manifest, *, config: IndexConfig, progress: Progress) -> Records:
    """Return the records of every input of ``manifest``, and say what each file gave."""
    return read_records(
        manifest, min_serratus_score=config.min_serratus_score, on_file=_say_file(progress)
    )


def store_viruses(build: Build, records: Records, ontologies: OntologyTables) -> Records:
    """Resolve the detections, store their viruses and the names of viruses, and note how many
    resolved which way; return the records with the resolved detections.
    """
    tables = {name: getattr(ontologies, name) for name in ("term", "synonym", "term_edge")}
    names = read_virus_names(**tables, xref=ontologies.xref)
    found = resolve_viruses(records.detection, names, **tables)
    build.write("virus", found.virus)
    build.write("virus_name", own_names(names.names))
    viruses = found.virus["virus"]
    hosts = resolve_hosts(
        records.known_host, names, viruses, term=ontologies.term, term_edge=ontologies.term_edge
    )
    build.write("known_host", hosts)
    build.write("rejected", found.rejected)
    build.note({f"viruses.by.{way}": count for way, count in found.ways.items()})
    return replace(records, detection=found.detection)


def store_records(build: Build, records: Records, unread: pl.DataFrame) -> None:
    """Write records, but runs (they are grounded first), and every rejected row."""
    for name in RECORD_TABLES:
        build.append(name, getattr(records, name))
    build.write("rejected", pl.concat([unread, records.rejected]))
    build.note({f"input.cleaned.{name}": cells for name, cells in records.cleaned.iter_rows()})


def store_annotations(
    build: Build,
    records: Records,
    ontologies: OntologyTables,
    *,
    config: IndexConfig,
    progress: Progress,
) -> None:
    """Ground the metadata of every run, part by part, and store runs, annotations and what named no
    term.

    Where ``config`` asks, vectors propose terms for what names none.
    """
    proposals = config.grounding.proposals
    min_cosine = config.grounding.min_cosine
    texts = None if proposals else texts_to_ground(records)
    vocabulary = build_vocabulary(
        ontologies.term, ontologies.synonym, ontologies.term_edge, texts=texts
    )
    propose = (
        make_proposer(
            vocabulary,
            min_cosine=min_cosine,
            cache=VECTORS,
        )
        if proposals
        else None
    )
    ungrounded: list[pl.DataFrame] = []
    done = 0
    shares = config.graph.stat_min_share
    for part in annotate_in_parts(
        records,
        vocabulary,
        stat_min_share=shares,
        propose=propose,
    ):
        build.append("run", part.run)
        build.append("annotation", part.annotation)
        ungrounded.append(part.ungrounded)
        done += len(part.run)
        progress.detail(f"{done:,} of {len(records.run):,} runs")
    build.append("ungrounded", sum_ungrounded(ungrounded))


def _say_file(progress: Progress) -> Callable[[Input, Records], None]:
    def say(item: Input, part: Records) -> None:
        counts = ", ".join(
            f"{rows:,} {table}" for table, rows in record_counts(part).items() if rows
        )
        progress.detail(f"{item.path.name} ({item.format}): {counts}")
        for name, cells in part.cleaned.iter_rows():
            progress.detail(f"{name}: hidden or control characters removed in {cells:,} cells")
        for hint in column_hints(item):
            progress.detail(f"{item.path.name}: {hint}")

    return say
