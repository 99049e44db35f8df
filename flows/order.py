"""The stages of a build in their order: each calls plain functions and writes their result as soon as it is there.

Nothing here computes: what a stage does lives in ``ontology_etl`` and ``index``.
"""

from __future__ import annotations

import platform
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Final

import polars as pl
from pydantic import BaseModel

from flows.progress import Progress, peak_memory_mb
from flows.report_stages import WrittenReports, foresee_wording, store_embeddings, store_reports, store_wording
from flows.summary import BuildSummary, summarise
from index.annotations import Annotations, annotate
from index.communities import Communities, detect_communities, summarise_changes
from index.config import GroundingConfig, IndexConfig
from index.edges import build_relationships
from index.entities import build_entities, used_terms
from index.errors import StoreError
from index.facts import compute_facts
from index.graph_report import change_entries, quality_entries, relationship_entries
from index.inputs import Input, Manifest, input_hashes, read_manifest, read_records
from index.llm import ModelChoice
from index.mwas import adjust, associate
from index.mwas_imported import check_imported
from index.mwas_meta import combine_projects
from index.proposals import make_proposer
from index.records import Records, record_counts
from index.store import CONTRACT_VERSION, Build, build_index, content_hash, open_index, read_table
from index.tables import HISTORY
from index.wording_plan import Plan
from ontology_etl.closure import closure
from ontology_etl.download import RAW, fetch_ontologies
from ontology_etl.load import OntologyTables, load_ontologies
from ontology_etl.vocabulary import build_vocabulary
from query.journal import read_journal

RECORD_TABLES: Final = (
    "run", "biosample", "biosample_attribute", "bioproject", "place", "detection", "stat_hit", "sotu_alignment",
)  # fmt: skip
ONTOLOGY_TABLES: Final = ("term", "synonym", "term_edge", "xref")
VECTORS: Final = Path("data/cache")
"""Keeps the vectors of names and values between builds."""
VERSIONED: Final = ("virome-graphrag", "duckdb", "polars", "igraph", "leidenalg", "pronto", "ahocorasick_rs")


@dataclass(frozen=True)
class Grounded:
    """What the graph is made of: records with their runs grounded, annotations, live terms and the closure."""

    records: Records
    annotation: pl.DataFrame
    term: pl.DataFrame
    closure: pl.DataFrame


def run_stages(inputs: Path, db: Path, *, config: IndexConfig, model: ModelChoice, progress: Progress) -> BuildSummary:
    """Build the index of the manifest ``inputs`` and publish it at ``db``.

    Raises any ``ViromeError``; the index that stood at ``db`` is then unchanged.
    """
    manifest = read_manifest(inputs)
    previous = previous_communities(db)
    with build_index(db) as build:
        found, written = report_facts(manifest, build, previous, config=config, progress=progress)
        worded = word_reports(build, written, config=config, model=model, progress=progress)
        store_answers(build)
        note_parameters(build, manifest, config)
        digest = content_hash(build.connection)
        build.note({"content_hash": digest, "memory.peak_mb": peak_memory_mb(), "seconds.total": progress.total()})
        build.note({f"seconds.{stage}": seconds for stage, seconds in progress.seconds.items()})
        changes = summarise_changes(found.changes)
        summary = summarise(build, progress, digest=digest, communities=changes, wording=worded)
        progress.run("publish", build.publish)
    return summary


def plan_stages(inputs: Path, db: Path, *, config: IndexConfig, model: ModelChoice, progress: Progress) -> Plan | None:
    """Return what wording the reports of ``inputs`` would take, or None where there is no model; publish nothing.

    Everything is computed as in a build, so that prompts are exact; answers in the cache of ``db`` cost nothing.
    """
    manifest = read_manifest(inputs)
    previous = previous_communities(db)
    with build_index(db) as build:
        _, written = report_facts(manifest, build, previous, config=config, progress=progress)
        return progress.run(
            "plan wording", partial(foresee_wording, build, written, choice=model, config=config.report)
        )


def report_facts(
    manifest: Manifest,
    build: Build,
    previous: tuple[pl.DataFrame, pl.DataFrame] | None,
    *,
    config: IndexConfig,
    progress: Progress,
) -> tuple[Communities, WrittenReports]:
    """Run every stage up to the template reports; return the communities and the reports with their facts."""
    grounded = ground_inputs(manifest, build, config=config, progress=progress)
    found = find_communities(grounded, build, previous, config=config, progress=progress)
    progress.run("test associations", partial(store_associations, grounded, build, config=config))
    progress.run("compute facts", partial(store_facts, build))
    template = partial(store_reports, build, risk_groups=manifest.risk_groups, config=config)
    return found, progress.run("write reports", template)


def ground_inputs(manifest: Manifest, build: Build, *, config: IndexConfig, progress: Progress) -> Grounded:
    """Load ontologies and records, ground the metadata, store all of it, and return what the graph is made of."""
    paths = progress.run("fetch ontologies", partial(find_ontologies, manifest, progress))
    ontologies = progress.run("load ontologies", partial(load_ontologies, paths))
    progress.detail(
        f"{len(ontologies.term):,} terms, {len(ontologies.synonym):,} synonyms, {ontologies.repairs} repairs"
    )
    progress.run("store ontologies", partial(store_ontologies, build, ontologies))
    records = progress.run("read records", partial(read_records, manifest, on_file=_tell_file(progress)))
    annotations = progress.run(
        "ground metadata", partial(ground_metadata, records, ontologies, config=config.grounding)
    )
    grounded_records = replace(records, run=annotations.run)
    progress.run("store records", partial(store_records, build, grounded_records, annotations, ontologies.rejected))
    term = ontologies.term
    taxa = used_terms(grounded_records, annotations.annotation, term, config=config.graph)
    ancestors = progress.run("close over ancestors", partial(closure, ontologies.term_edge, term, taxa=taxa))
    build.write("closure", ancestors)
    return Grounded(grounded_records, annotations.annotation, term, ancestors)


def find_ontologies(manifest: Manifest, progress: Progress) -> dict[str, Path]:
    """Return the file of each ontology, fetched to ``data/raw`` where the manifest gives no path."""
    shown: dict[str, int] = {}

    def tell(name: str, done: int, total: int | None) -> None:
        step = 10 * done // total if total else done >> 24
        if shown.get(name) != step:
            shown[name] = step
            progress.detail(f"{name}: {done >> 20:,} of {total >> 20:,} MB" if total else f"{name}: {done >> 20:,} MB")

    return fetch_ontologies(manifest.ontologies, RAW, progress=tell)


def ground_metadata(records: Records, ontologies: OntologyTables, *, config: GroundingConfig) -> Annotations:
    """Return what the metadata of every run means, with proposals for what names no term where ``config`` asks."""
    vocabulary = build_vocabulary(ontologies.term, ontologies.synonym, ontologies.term_edge)
    propose = make_proposer(vocabulary, min_cosine=config.min_cosine, cache=VECTORS) if config.proposals else None
    return annotate(records, vocabulary, propose=propose)


def find_communities(
    grounded: Grounded,
    build: Build,
    previous: tuple[pl.DataFrame, pl.DataFrame] | None,
    *,
    config: IndexConfig,
    progress: Progress,
) -> Communities:
    """Build the graph, cluster it, store both, and return the communities."""
    tables = (grounded.records, grounded.annotation, grounded.term, grounded.closure)
    entity = progress.run("collect entities", partial(build_entities, *tables, config=config.graph))
    edges = progress.run("weigh relationships", partial(build_relationships, *tables, config=config.graph))
    build.write("entity", entity)
    build.write("relationship", edges.relationship)
    build.write("rejected", edges.rejected)
    detect = partial(
        detect_communities,
        entity,
        edges.relationship,
        config=config.graph,
        previous=previous,
        on_progress=progress.detail,
    )
    communities = progress.run("detect communities", detect)
    build.write("community", communities.community)
    build.write("community_member", communities.community_member)
    clustered = (entity, edges.relationship, grounded.annotation, communities.community, communities.community_member)
    build.note(progress.run("measure communities", partial(quality_entries, *clustered, config=config.graph)))
    build.note(relationship_entries(edges.relationship) | change_entries(communities.changes))
    return communities


def word_reports(
    build: Build, written: WrittenReports, *, config: IndexConfig, model: ModelChoice, progress: Progress
) -> str:
    """Embed all reports and let the model word what it may; return in words what it did."""
    progress.run("embed reports", partial(store_embeddings, build, written, config=config.report))
    if model.model is None:
        return f"no model: {model.reason}"
    progress.detail(model.reason)
    word = partial(store_wording, build, written, choice=model, config=config.report, progress=progress)
    tally = progress.run("word reports", word)
    build.note({"llm.tally": tally.text()})
    return f"{model.reason}\n{tally.text()}"


def store_associations(grounded: Grounded, build: Build, *, config: IndexConfig) -> None:
    """Compute the associations, join them with the imported ones, correct and store all, and combine over projects."""
    computed = associate(grounded.records, grounded.annotation, config=config.mwas)
    imported = check_imported(grounded.records.association, min_group=config.mwas.min_group)
    build.write("association", adjust(pl.concat([imported, computed.association])))
    build.write("meta_association", combine_projects(computed.association))
    build.note({f"mwas.skipped.{reason}": count for reason, count in computed.skipped.iter_rows()})
    build.note({"mwas.tests": computed.tests})


def store_ontologies(build: Build, ontologies: OntologyTables) -> None:
    """Write the ontology tables."""
    for name in ONTOLOGY_TABLES:
        build.write(name, getattr(ontologies, name))
    build.write("ontology_release", ontologies.release)


def store_records(build: Build, records: Records, annotations: Annotations, unread: pl.DataFrame) -> None:
    """Write records, annotations and every rejected row."""
    for name in RECORD_TABLES:
        build.write(name, getattr(records, name))
    build.write("annotation", annotations.annotation)
    build.write("ungrounded", annotations.ungrounded)
    build.write("rejected", pl.concat([unread, records.rejected]))


def store_facts(build: Build) -> None:
    """Compute the facts of all communities in SQL and write them."""
    build.write("fact", compute_facts(build.connection))


def store_answers(build: Build) -> None:
    """Write the answers that were given from earlier builds of this index."""
    journal = read_journal(build.path)
    for name in (*HISTORY, "rejected"):
        build.write(name, getattr(journal, name))


def note_parameters(build: Build, manifest: Manifest, config: IndexConfig) -> None:
    """Record versions, parameters and the digest of every input."""
    build.note({"version.contract": CONTRACT_VERSION, "version.python": platform.python_version()})
    build.note({f"version.{name}": version(name) for name in VERSIONED})
    build.note({f"parameter.{part}": value.model_dump_json() for part, value in config if isinstance(value, BaseModel)})
    build.note({f"input.{name}": digest for name, digest in input_hashes(manifest).items()})


def previous_communities(db: Path) -> tuple[pl.DataFrame, pl.DataFrame] | None:
    """Return community and community_member of the index this build replaces, or None where none can be read."""
    try:
        with open_index(db) as connection:
            return read_table(connection, "community"), read_table(connection, "community_member")
    except StoreError:
        return None


def _tell_file(progress: Progress) -> Callable[[Input, Records], None]:
    def tell(item: Input, part: Records) -> None:
        counts = ", ".join(f"{rows:,} {table}" for table, rows in record_counts(part).items() if rows)
        progress.detail(f"{item.path.name} ({item.format}): {counts}")

    return tell
