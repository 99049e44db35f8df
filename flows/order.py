"""The stages of a build in their order.

Each line names a stage, the function that does it, and what it is given. What a stage reads and
writes is in ``record_stages``, ``graph_stages`` and ``report_stages``.
"""

from __future__ import annotations

import platform
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Final

import polars as pl
from pydantic import BaseModel

from flows.errors import ShrinkError
from flows.graph_stages import (
    note_quality,
    store_associations,
    store_closure,
    store_communities,
    store_entities,
    store_facts,
    store_relationships,
)
from flows.past_builds import carry_builds, utc_now
from flows.progress import Progress
from flows.record_stages import (
    find_ontologies,
    read_inputs,
    store_annotations,
    store_ontologies,
    store_records,
    store_viruses,
)
from flows.report_stages import (
    WrittenReports,
    check_model,
    expose_reports,
    foresee_wording,
    store_decisions,
    store_embeddings,
    store_reports,
    store_wording,
)
from flows.shrink import measure_losses
from flows.stage_tables import read_graph, read_graph_tables
from flows.summary import BuildSummary, summarise
from index.config import IndexConfig
from index.exposure import group_counts
from index.graph.communities import summarise_changes
from index.models.choose import ModelChoice
from index.sources.inputs import input_hashes
from index.sources.manifest import Manifest, read_manifest
from index.store.build import (
    CONTRACT_VERSION,
    Build,
    build_index,
    content_hash,
    table_counts,
)
from index.tables import HISTORY
from index.wording.plan import Plan
from ontology_etl.load import load_ontologies
from query.journal import read_journal

VERSIONED: Final = (
    "virome-graphrag",
    "duckdb",
    "polars",
    "igraph",
    "leidenalg",
    "pronto",
    "ahocorasick_rs",
)
"""Packages whose versions an index notes."""


@dataclass(frozen=True)
class Site:
    """Where an index is being built, from what, how, and who is kept informed."""

    build: Build
    manifest: Manifest
    config: IndexConfig
    model: ModelChoice
    progress: Progress


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

    Raises any ``ViromeError``; the index that was at ``db`` is then unchanged. It is a
    ``ShrinkError`` where more than a tenth of the runs or reports of that index would be lost,
    unless ``accept_shrink``.
    """
    manifest = read_manifest(inputs)
    announce_model(model, config=config, progress=progress)
    with build_index(db) as build:
        site = Site(build, manifest, config, model, progress)
        changes, written = report_facts(site)
        if not accept_shrink:
            refuse_shrink(site)
        worded = word_reports(site, written)
        store_answers(build)
        note_parameters(site)
        digest = progress.stage("digest content")(content_hash)(build.connection)
        note_costs(site, digest)
        carry_builds(build)
        became = summarise_changes(changes)
        summary = summarise(build, progress, digest=digest, communities=became, wording=worded)
        progress.stage("publish")(build.publish)()
    return summary


def plan_stages(
    inputs: Path, db: Path, *, config: IndexConfig, model: ModelChoice, progress: Progress
) -> Plan | None:
    """Return what wording the reports of ``inputs`` would take, or None where there is no model.

    Everything is computed as in a build, so that prompts are exact; answers in the cache of ``db``
    cost nothing. Nothing is published.
    """
    manifest = read_manifest(inputs)
    announce_model(model, config=config, progress=progress)
    with build_index(db) as build:
        _, written = report_facts(Site(build, manifest, config, model, progress))
        plan = progress.stage("plan wording")(foresee_wording)
        return plan(build, written, choice=model, config=config.report)


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


def report_facts(site: Site) -> tuple[pl.DataFrame, WrittenReports]:
    """Run every stage up to the template reports; return the changes of communities and the
    reports.

    A stage reads from the file what earlier ones stored, so tables do not stay in memory from
    stage to stage.
    """
    stage, build, config = site.progress.stage, site.build, site.config
    published = ground_inputs(site)
    changes = cluster_graph(site)
    stage("test associations")(store_associations)(build, published, config=config)
    stage("compute facts")(store_facts)(build)
    written = stage("write reports")(store_reports)(
        build, risk_groups=site.manifest.risk_groups, config=config
    )
    return changes, written


def ground_inputs(site: Site) -> pl.DataFrame:
    """Load ontologies and records, ground the metadata; return the published associations."""
    stage, build, progress = site.progress.stage, site.build, site.progress
    paths = stage("fetch ontologies")(find_ontologies)(site.manifest, progress)
    ontologies = stage("load ontologies")(load_ontologies)(paths)
    stage("store ontologies")(store_ontologies)(build, ontologies, progress)
    read = stage("read records")(read_inputs)(site.manifest, config=site.config, progress=progress)
    records = stage("resolve viruses")(store_viruses)(build, read, ontologies)
    stage("store records")(store_records)(build, records, ontologies.rejected)
    stage("ground metadata")(store_annotations)(
        build, records, ontologies, config=site.config, progress=progress
    )
    return records.association


def cluster_graph(site: Site) -> pl.DataFrame:
    """Make the graph and its communities; return what became of the communities of before."""
    stage, build, config = site.progress.stage, site.build, site.config
    stored = read_graph_tables(build.connection, config=config.graph)
    ancestors = stage("close over ancestors")(store_closure)(build, stored, config=config)
    stage("collect entities")(store_entities)(build, stored, ancestors, config=config)
    stage("weigh relationships")(store_relationships)(build, stored, ancestors, config=config)
    del stored, ancestors
    graph = read_graph(build.connection, config=config.graph)
    found = stage("detect communities")(store_communities)(
        build, graph, config=config, say=site.progress.detail
    )
    stage("measure communities")(note_quality)(build, graph, found, config=config)
    return found.changes


def word_reports(site: Site, written: WrittenReports) -> str:
    """Embed all reports and let the model word what it may; return in words what it did."""
    stage, build, model, config = site.progress.stage, site.build, site.model, site.config.report
    stage("embed reports")(store_embeddings)(build, written, config=config)
    exposure = expose_reports(written, choice=model, config=config)
    if exposure is None:
        return f"no model: {model.reason}"
    for line in exposure.text().splitlines():
        site.progress.detail(line)
    withheld = group_counts(exposure.withheld)
    build.note({"biosafety.shown": exposure.shown, "biosafety.withheld": withheld})
    store_decisions(build, written, choice=model, config=config)
    tally = stage("word reports")(store_wording)(
        build, written, choice=model, config=config, progress=site.progress
    )
    build.note({"llm.tally": tally.text()})
    return f"{model.reason}\n{exposure.text()}\n{tally.text()}"


def store_answers(build: Build) -> None:
    """Write the answers that were given from earlier builds of this index."""
    journal = read_journal(build.path)
    for name in (*HISTORY, "rejected"):
        build.write(name, getattr(journal, name))


def note_parameters(site: Site) -> None:
    """Record versions, parameters and the digest of every input."""
    build, config = site.build, site.config
    parts = [(name, part) for name, part in config if isinstance(part, BaseModel)]
    hashes = input_hashes(site.manifest)
    build.note({"version.contract": CONTRACT_VERSION, "version.python": platform.python_version()})
    build.note({f"version.{name}": version(name) for name in VERSIONED})
    build.note({f"parameter.{name}": part.model_dump_json() for name, part in parts})
    build.note({"parameter.min_serratus_score": config.min_serratus_score})
    build.note({f"input.{name}": digest for name, digest in hashes.items()})


def note_costs(site: Site, digest: str) -> None:
    """Record the digest of the content, rows per table, and what every stage cost."""
    build, progress = site.build, site.progress
    build.note({"content_hash": digest, "run_at.published": utc_now()})
    build.note({f"counts.{name}": rows for name, rows in table_counts(build.connection).items()})
    build.note({"memory.peak_mb": progress.highest_mb(), "seconds.total": progress.total()})
    build.note({f"seconds.{stage}": seconds for stage, seconds in progress.seconds.items()})
    build.note({f"memory.{stage}": peak for stage, peak in progress.peak_mb.items()})


def refuse_shrink(site: Site) -> None:
    """Keep the build unpublished where it lost too much, before a model is paid for it.

    Raises ``ShrinkError`` with what is lost and where the build is kept.
    """
    large = [loss for loss in measure_losses(site.build) if loss.is_large()]
    if not large:
        return
    note_parameters(site)
    raise ShrinkError(site.build.path, losses=large, held=site.build.hold())
