"""The stages of a build in their order: each calls plain functions and writes their result as soon
as it is there.

Nothing here computes: what a stage does lives in ``ontology_etl`` and ``index``.
"""

from __future__ import annotations

import platform
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Final

import polars as pl
from pydantic import BaseModel

from flows.errors import ShrinkError
from flows.progress import Progress
from flows.report_stages import (
    WrittenReports,
    check_model,
    expose_reports,
    foresee_wording,
    store_embeddings,
    store_reports,
    store_wording,
)
from flows.shrink import measure_losses
from flows.stage_tables import (
    read_association_records,
    read_graph,
    read_graph_tables,
    read_purity_values,
)
from flows.summary import BuildSummary, summarise
from index.annotation.annotate import annotate_in_parts, sum_ungrounded, texts_to_ground
from index.annotation.preview import column_hints
from index.annotation.proposals import make_proposer
from index.annotation.viruses import resolve_hosts, resolve_viruses
from index.config import IndexConfig
from index.errors import StoreError
from index.exposure import group_counts
from index.graph.build_entries import change_entries, quality_entries, relationship_entries
from index.graph.communities import detect_communities, summarise_changes
from index.graph.edges import build_relationships
from index.graph.entities import build_entities, used_terms
from index.models.choose import ModelChoice
from index.mwas.associate import associate
from index.mwas.correction import adjust
from index.mwas.imported import check_imported
from index.mwas.meta import combine_projects
from index.records import Records, record_counts
from index.reports.facts import compute_facts
from index.reports.plausibility import weigh_plausibility
from index.sources.manifest import Input, Manifest, input_hashes, read_manifest, read_records
from index.store.build import (
    CONTRACT_VERSION,
    Build,
    build_index,
    content_hash,
    open_index,
    read_table,
)
from index.tables import HISTORY
from index.wording.plan import Plan
from ontology_etl.closure import closure
from ontology_etl.download import RAW, fetch_ontologies
from ontology_etl.load import OntologyTables, load_ontologies
from ontology_etl.virus_names import own_names, read_virus_names
from ontology_etl.vocabulary import build_vocabulary
from query.journal import read_journal

RECORD_TABLES: Final = (
    "biosample", "biosample_attribute", "bioproject", "study", "place", "detection", "searched",
    "stat_hit", "sotu_alignment",
)  # fmt: skip
ONTOLOGY_TABLES: Final = ("term", "synonym", "term_edge", "xref")
VECTORS: Final = Path("data/cache")
"""Keeps the vectors of names and values between builds."""
VERSIONED: Final = (
    "virome-graphrag",
    "duckdb",
    "polars",
    "igraph",
    "leidenalg",
    "pronto",
    "ahocorasick_rs",
)


def run_stages(
    inputs: Path,
    db: Path,
    *,
    config: IndexConfig,
    model: ModelChoice,
    progress: Progress,
    accept_shrink: bool = False,
) -> BuildSummary:
    """Build the index of the manifest ``inputs`` and publish it at ``db``.

    Raises any ``ViromeError``; the index that stood at ``db`` is then unchanged. It is a
    ``ShrinkError`` where more than a tenth of the runs or reports of that index would be lost,
    unless ``accept_shrink``.
    """
    manifest = read_manifest(inputs)
    announce_model(model, config=config, progress=progress)
    with build_index(db) as build:
        found, written = report_facts(manifest, build, config=config, progress=progress)
        if not accept_shrink:
            refuse_shrink(build, manifest, config)
        worded = word_reports(build, written, config=config, model=model, progress=progress)
        store_answers(build)
        note_parameters(build, manifest, config)
        digest = progress.run("digest content", partial(content_hash, build.connection))
        build.note(
            {
                "content_hash": digest,
                "memory.peak_mb": progress.highest_mb(),
                "seconds.total": progress.total(),
            }
        )
        build.note({f"seconds.{stage}": seconds for stage, seconds in progress.seconds.items()})
        build.note({f"memory.{stage}": peak for stage, peak in progress.peak_mb.items()})
        changes = summarise_changes(found)
        summary = summarise(build, progress, digest=digest, communities=changes, wording=worded)
        progress.run("publish", build.publish)
    return summary


def plan_stages(
    inputs: Path, db: Path, *, config: IndexConfig, model: ModelChoice, progress: Progress
) -> Plan | None:
    """Return what wording the reports of ``inputs`` would take, or None where there is no model;
    publish nothing.

    Everything is computed as in a build, so that prompts are exact; answers in the cache of ``db``
    cost nothing.
    """
    manifest = read_manifest(inputs)
    announce_model(model, config=config, progress=progress)
    with build_index(db) as build:
        _, written = report_facts(manifest, build, config=config, progress=progress)
        return progress.run(
            "plan wording",
            partial(foresee_wording, build, written, choice=model, config=config.report),
        )


def announce_model(model: ModelChoice, *, config: IndexConfig, progress: Progress) -> None:
    """Say which model words reports, and of which risk groups, before anything else is done.

    Raises ``ModelUnavailableError`` where it cannot do what ``config`` asks of it.
    """
    if model.model is None:
        progress.say(f"no model words reports: {model.reason}")
        return
    check_model(model, config=config.report)
    groups = ", ".join(config.report.policy.shown(local=model.local))
    progress.say(f"model: {model.reason}; it may see reports of these risk groups: {groups}")


def report_facts(
    manifest: Manifest, build: Build, *, config: IndexConfig, progress: Progress
) -> tuple[pl.DataFrame, WrittenReports]:
    """Run every stage up to the template reports; return the changes of communities and the reports
    with their facts.

    A stage reads from ``build`` what earlier ones stored, so tables do not stay in memory from
    stage to stage.
    """
    imported = ground_inputs(manifest, build, config=config, progress=progress)
    store_graph(build, config=config, progress=progress)
    changes = find_communities(build, config=config, progress=progress)
    progress.run("test associations", partial(store_associations, build, imported, config=config))
    progress.run("compute facts", partial(store_facts, build))
    template = partial(store_reports, build, risk_groups=manifest.risk_groups, config=config)
    return changes, progress.run("write reports", template)


def ground_inputs(
    manifest: Manifest, build: Build, *, config: IndexConfig, progress: Progress
) -> pl.DataFrame:
    """Load ontologies and records, ground the metadata and store all of it; return the imported
    associations.
    """
    paths = progress.run("fetch ontologies", partial(find_ontologies, manifest, progress))
    ontologies = progress.run("load ontologies", partial(load_ontologies, paths))
    progress.detail(
        f"{len(ontologies.term):,} terms, {len(ontologies.synonym):,} synonyms, {ontologies.repairs} repairs"
    )
    progress.run("store ontologies", partial(store_ontologies, build, ontologies))
    read = partial(
        read_records,
        manifest,
        min_serratus_score=config.min_serratus_score,
        on_file=_tell_file(progress),
    )
    found = progress.run("read records", read)
    records = progress.run("resolve viruses", partial(store_viruses, build, found, ontologies))
    progress.run("store records", partial(store_records, build, records, ontologies.rejected))
    ground = partial(
        store_annotations, build, records, ontologies, config=config, progress=progress
    )
    progress.run("ground metadata", ground)
    return records.association


def find_ontologies(manifest: Manifest, progress: Progress) -> dict[str, Path]:
    """Return the file of each ontology, fetched to ``data/raw`` where the manifest gives no path."""
    shown: dict[str, int] = {}

    def tell(name: str, done: int, total: int | None) -> None:
        step = 10 * done // total if total else done >> 24
        if shown.get(name) != step:
            shown[name] = step
            progress.detail(
                f"{name}: {done >> 20:,} of {total >> 20:,} MB"
                if total
                else f"{name}: {done >> 20:,} MB"
            )

    return fetch_ontologies(manifest.ontologies, RAW, progress=tell)


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
    propose = make_proposer(vocabulary, min_cosine=min_cosine, cache=VECTORS) if proposals else None
    ungrounded: list[pl.DataFrame] = []
    done = 0
    shares = config.graph.stat_min_share
    for part in annotate_in_parts(records, vocabulary, stat_min_share=shares, propose=propose):
        build.append("run", part.run)
        build.append("annotation", part.annotation)
        ungrounded.append(part.ungrounded)
        done += len(part.run)
        progress.detail(f"{done:,} of {len(records.run):,} runs")
    build.append("ungrounded", sum_ungrounded(ungrounded))


def store_graph(build: Build, *, config: IndexConfig, progress: Progress) -> None:
    """Make entities and relationships of what is stored, store them and note what they are."""
    stored = read_graph_tables(build.connection, config=config.graph)
    facts = (stored.records, stored.annotation)
    taxa = used_terms(*facts, config=config.graph)
    edge = read_table(build.connection, "term_edge")
    ancestors = progress.run("close over ancestors", partial(closure, edge, stored.term, taxa=taxa))
    build.write("closure", ancestors)
    collect = partial(build_entities, *facts, stored.term, ancestors, config=config.graph)
    entity = progress.run("collect entities", collect)
    build.append("entity", entity)
    weigh = partial(build_relationships, *facts, ancestors, config=config.graph)
    edges = progress.run("weigh relationships", weigh)
    build.append("relationship", edges.relationship)
    build.write("rejected", edges.rejected)
    build.note(relationship_entries(edges.relationship))


def find_communities(build: Build, *, config: IndexConfig, progress: Progress) -> pl.DataFrame:
    """Cluster the stored graph, store and measure its communities; return the changes."""
    graph = read_graph(build.connection, config=config.graph)
    detect = partial(
        detect_communities,
        *graph,
        config=config.graph,
        previous=previous_communities(build.path),
        on_progress=progress.detail,
    )
    found = progress.run("detect communities", detect)
    build.append("community", found.community)
    build.append("community_member", found.community_member)
    clustered = (
        *graph,
        read_purity_values(build.connection),
        found.community,
        found.community_member,
    )
    build.note(
        progress.run(
            "measure communities", partial(quality_entries, *clustered, config=config.graph)
        )
    )
    build.note(change_entries(found.changes))
    return found.changes


def word_reports(
    build: Build,
    written: WrittenReports,
    *,
    config: IndexConfig,
    model: ModelChoice,
    progress: Progress,
) -> str:
    """Embed all reports and let the model word what it may; return in words what it did."""
    progress.run("embed reports", partial(store_embeddings, build, written, config=config.report))
    exposure = expose_reports(written, choice=model, config=config.report)
    if exposure is None:
        return f"no model: {model.reason}"
    for line in exposure.text().splitlines():
        progress.detail(line)
    build.note(
        {"biosafety.shown": exposure.shown, "biosafety.withheld": group_counts(exposure.withheld)}
    )
    word = partial(
        store_wording, build, written, choice=model, config=config.report, progress=progress
    )
    tally = progress.run("word reports", word)
    build.note({"llm.tally": tally.text()})
    return f"{model.reason}\n{exposure.text()}\n{tally.text()}"


def store_associations(build: Build, given: pl.DataFrame, *, config: IndexConfig) -> None:
    """Compute the associations, join them with those ``given``, correct and store all, and combine
    over projects.
    """
    records, annotation = read_association_records(build.connection)
    computed = associate(records, annotation, config=config.mwas)
    imported = check_imported(given, min_group=config.mwas.min_group)
    build.append("association", adjust(pl.concat([imported, computed.association])))
    build.write("meta_association", combine_projects(computed.association))
    build.note({f"mwas.skipped.{reason}": count for reason, count in computed.skipped.iter_rows()})
    build.note({"mwas.tests": computed.tests})


def store_ontologies(build: Build, ontologies: OntologyTables) -> None:
    """Write the ontology tables."""
    for name in ONTOLOGY_TABLES:
        build.append(name, getattr(ontologies, name))
    build.write("ontology_release", ontologies.release)


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


def store_facts(build: Build) -> None:
    """Compute plausibility and the facts of all communities in SQL and write them."""
    build.append("plausibility", weigh_plausibility(build.connection))
    build.append("fact", compute_facts(build.connection))


def store_answers(build: Build) -> None:
    """Write the answers that were given from earlier builds of this index."""
    journal = read_journal(build.path)
    for name in (*HISTORY, "rejected"):
        build.write(name, getattr(journal, name))


def note_parameters(build: Build, manifest: Manifest, config: IndexConfig) -> None:
    """Record versions, parameters and the digest of every input."""
    build.note({"version.contract": CONTRACT_VERSION, "version.python": platform.python_version()})
    build.note({f"version.{name}": version(name) for name in VERSIONED})
    build.note(
        {
            f"parameter.{part}": value.model_dump_json()
            for part, value in config
            if isinstance(value, BaseModel)
        }
    )
    build.note({"parameter.min_serratus_score": config.min_serratus_score})
    build.note({f"input.{name}": digest for name, digest in input_hashes(manifest).items()})


def refuse_shrink(build: Build, manifest: Manifest, config: IndexConfig) -> None:
    """Keep ``build`` unpublished where it lost too much, before a model is paid for it.

    Raises ``ShrinkError`` with what is lost and where the build is kept.
    """
    large = [loss for loss in measure_losses(build) if loss.is_large()]
    if not large:
        return
    note_parameters(build, manifest, config)
    raise ShrinkError(build.path, losses=large, held=build.hold())


def previous_communities(db: Path) -> tuple[pl.DataFrame, pl.DataFrame] | None:
    """Return community and community_member of the index this build replaces, or None where none
    can be read.
    """
    try:
        with open_index(db) as connection:
            return read_table(connection, "community"), read_table(connection, "community_member")
    except StoreError:
        return None


def _tell_file(progress: Progress) -> Callable[[Input, Records], None]:
    def tell(item: Input, part: Records) -> None:
        counts = ", ".join(
            f"{rows:,} {table}" for table, rows in record_counts(part).items() if rows
        )
        progress.detail(f"{item.path.name} ({item.format}): {counts}")
        for hint in column_hints(item):
            progress.detail(f"{item.path.name}: {hint}")

    return tell
