"""Stages that read: ontologies, records and their viruses, and the grounded metadata.

Each writes its results as soon as it has them. Nothing here computes: what a stage does lives in
``ontology_etl`` and ``index``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

import duckdb
import polars as pl

from flows.progress import Progress
from flows.scaling.grounding import GroundingWork, annotate_on
from flows.scaling.parts import Cluster
from flows.stages.file_lines import say_files
from flows.stages.held import Held
from index.annotation.annotate import Annotations, annotate_in_parts, is_among, texts_to_ground
from index.annotation.coordinates import positions_of, read_countries, with_located
from index.annotation.everywhere import find_everywhere, reject_everywhere
from index.annotation.kmers import profile_runs
from index.annotation.known_hosts import resolve_hosts
from index.annotation.search_scopes import resolve_scopes
from index.annotation.study_designs import find_study_designs
from index.annotation.ungrounded import sum_ungrounded
from index.annotation.virus_taxonomy import VirusTaxonomy
from index.annotation.viruses import resolve_sequences, resolve_viruses
from index.config import IndexConfig
from index.records import Records
from index.sources.inputs import ReadFile, read_records
from index.sources.manifest import Manifest
from index.store.build import Build, stored_table
from index.store.frames import rows_over
from index.store.names import write_names
from index.store.run_values import KNOWN_OF_RUNS
from index.tables import IndexedRun, RunState
from ontology_etl.load import OntologyTables, load_ontologies
from ontology_etl.releases.download import RAW, fetch_ontologies
from ontology_etl.tables import Rejected
from ontology_etl.viruses.names import own_names, read_virus_names
from ontology_etl.vocabulary import build_vocabulary

RECORD_TABLES: Final = (
    "biosample", "biosample_attribute", "run_attribute", "bioproject", "study", "place",
    "searched", "search_method", "stat_hit", "sotu_alignment",
)  # fmt: skip
DESCRIBING_TABLES: Final = (
    "biosample", "biosample_attribute", "run_attribute", "place", "kmer_profile",
)  # fmt: skip
"""Tables of statements about runs, which are grounded."""
SET_ASIDE: Final = {
    f"read.{table}": table
    for table in ("run", "detection", "viral_sequence", "scope", "known_host", "association")
}
"""Tables that a later stage completes, by the name they are set aside under."""
ONTOLOGY_TABLES: Final = ("term", "synonym", "term_edge", "xref")
"""Keeps the vectors of names and values between builds."""


def find_ontologies(manifest: Manifest, progress: Progress) -> dict[str, Path]:
    """Return the file of each ontology, fetched to ``data/raw`` if the manifest has no path."""
    return fetch_ontologies(
        manifest.ontologies,
        RAW,
        progress=progress.bytes_shown(),
    )


def store_ontologies(build: Build, paths: Mapping[str, Path], progress: Progress) -> None:
    """Load the ontologies at ``paths``, write their tables and names, and report their sizes."""
    loaded = load_ontologies(paths)
    for name in ONTOLOGY_TABLES:
        build.append(name, getattr(loaded, name))
    write_names(build)
    build.write("ontology_release", loaded.release)
    build.write("rejected", loaded.rejected)
    progress.detail(
        f"{len(loaded.term):,} terms, {len(loaded.synonym):,} synonyms, {loaded.repairs} repairs, "
        f"{len(loaded.rejected):,} rejected"
    )


def stored_ontologies(connection: duckdb.DuckDBPyConnection) -> OntologyTables:
    """Return the ontologies as stored; rejected rows are not read again."""
    tables = {name: stored_table(connection, name) for name in ONTOLOGY_TABLES}
    release = stored_table(connection, "ontology_release")
    return OntologyTables(**tables, release=release, rejected=Rejected.create_empty(), repairs=0)


def store_records(build: Build, manifest: Manifest, read: ReadFile, progress: Progress) -> None:
    """Read every input of ``manifest``, report what each gave, and write the tables that are final.

    Set aside is what later stages complete: runs (they are grounded first), detections, scopes of
    searches and known hosts (their viruses are resolved first) and associations (they are corrected
    with those that are computed).
    """
    say_file = say_files(manifest.inputs, progress)
    found = read_records(manifest, read=read, on_file=say_file)
    build.write("rejected", found.rejected)
    build.write("source_rows", found.rows)
    build.note({f"input.cleaned.{name}": cells for name, cells in found.cleaned.iter_rows()})
    build.write("study_design", find_study_designs(found))
    tables = dict(vars(found))
    del found  # each table is freed as soon as it is written
    for name in RECORD_TABLES:
        build.append(name, tables.pop(name))
    for name, table in SET_ASIDE.items():
        build.set_aside(name, tables.pop(table))


def store_profiles(build: Build, *, config: IndexConfig) -> None:
    """Write the k-mer profiles of runs, at the rank and above the share that the graph uses."""
    graph = config.graph
    profile = profile_runs(build.connection, rank=graph.stat_rank, min_share=graph.stat_min_share)
    build.append("kmer_profile", profile)


def described_runs(build: Build) -> Records:
    """Return the runs and the metadata that ``store_records`` set aside."""
    tables = {name: stored_table(build.connection, name) for name in DESCRIBING_TABLES}
    return Records(run=build.aside("read.run"), **tables)


def store_viruses(build: Build, ontologies: Held[OntologyTables]) -> None:
    """Resolve the detections; write them, their viruses, names and what each search can find. Note
    how detections were resolved.
    """
    known = ontologies()
    names = read_virus_names(known.term, known.synonym, known.term_edge, known.xref)
    taxonomy = VirusTaxonomy(names, known.term, known.term_edge, known.synonym)
    run = build.aside("read.run")
    detection = build.aside("read.detection")
    everywhere = find_everywhere(detection, stored_table(build.connection, "searched"), run)
    build.write("rejected", reject_everywhere(everywhere))
    somewhere = detection.join(everywhere, on=["source", "virus"], how="anti")
    found = resolve_viruses(somewhere, taxonomy, run=run)
    build.write("virus", found.virus)
    build.write("sotu_name", found.sotu_name)
    build.write("virus_name", own_names(names.names))
    hosts = resolve_hosts(build.aside("read.known_host"), taxonomy, found.virus["virus"])
    build.write("known_host", hosts)
    build.append("detection", found.detection)
    sequences = resolve_sequences(build.aside("read.viral_sequence"), names)
    build.write("viral_sequence", sequences)
    scope = build.aside("read.scope").join(everywhere, on=["source", "virus"], how="anti")
    scopes = resolve_scopes(scope, taxonomy, found.sotu_name)
    build.write("source_scope", scopes)
    build.write("rejected", found.rejected)
    build.note({f"viruses.by.{way}": count for way, count in found.ways.items()})


def store_annotations(
    build: Build,
    held_ontologies: Held[OntologyTables],
    *,
    polygons: Path | None,
    progress: Progress,
) -> None:
    """Ground the metadata of all runs in parts; write runs, their states, annotations and
    ungrounded values.

    A run that states a position and no country gets that of the polygon around it.
    """
    countries = read_countries(polygons) if polygons else []
    records, ontologies = described_runs(build), held_ontologies()
    ungrounded: list[pl.DataFrame] = []
    states: list[pl.DataFrame] = []
    done = 0
    work = GroundingWork(records, ontologies)
    positions = positions_of(records)
    searched = build.connection.sql("SELECT run, source, search FROM searched").pl()
    detection = build.connection.sql("SELECT run, identity, closest FROM detection").pl()
    for part in _annotated(work, cluster=progress.cluster):
        placed = positions.join(part.run, on="run", how="semi")
        annotation = with_located(part.annotation, placed, countries)
        build.append("annotation", annotation)
        of_part = is_among(part.run["run"])
        of_runs = {
            "described": part.run,
            "annotation_of_runs": annotation,
            "searched_of_runs": searched.filter(of_part),
            "detection_of_runs": detection.filter(of_part),
        }
        known = rows_over(build.connection, KNOWN_OF_RUNS, of_runs)
        build.append("run", known.select(IndexedRun.column_names()))
        states.append(known.select(RunState.column_names()).unique())
        ungrounded.append(part.ungrounded)
        done += len(part.run)
        progress.detail(f"{done:,} of {len(records.run):,} runs")
    build.write("run_state", pl.concat(states).unique().sort("state"))
    build.append("ungrounded", sum_ungrounded(ungrounded))


def _annotated(work: GroundingWork, *, cluster: Cluster | None) -> Iterator[Annotations]:
    """Yield the annotations of all runs in parts: computed by ``cluster``, or here."""
    if cluster is not None:
        return annotate_on(cluster, work)
    ontologies = work.ontologies
    vocabulary = build_vocabulary(
        ontologies.term,
        ontologies.synonym,
        ontologies.term_edge,
        texts=texts_to_ground(work.records),
        xref=ontologies.xref,
    )
    return annotate_in_parts(work.records, vocabulary)
