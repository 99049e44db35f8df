"""The stages of a build in their order.

Each line names a stage, the inputs of its result besides earlier tables, the function that does the
work, and its arguments. What a stage reads and writes is in ``flows.stages``.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

from flows.options import DEFAULT, RunOptions
from flows.progress import Progress
from flows.publishing.past_builds import carry_builds
from flows.publishing.publish import (
    is_published,
    note_costs,
    parameter_entries,
    refuse_shrink,
    store_answers,
    summarise_published,
)
from flows.stages.graph import (
    OF_VECTORS,
    describe_changes,
    note_quality,
    store_associations,
    store_closure,
    store_communities,
    store_entities,
    store_facts,
    store_relationships,
    store_vectors,
)
from flows.stages.held import Held
from flows.stages.records import (
    ONTOLOGY_TABLES,
    find_ontologies,
    store_annotations,
    store_ontologies,
    store_profiles,
    store_records,
    store_viruses,
    stored_ontologies,
)
from flows.stages.reports import (
    WrittenReports,
    store_embeddings,
    store_reports,
    stored_reports,
)
from flows.stages.site import Site, note_ancestry, open_site, read_kept
from flows.stages.tables import read_graph, read_graph_tables
from flows.stages.wording import (
    check_model,
    expose_reports,
    foresee_wording,
    store_wording,
    wording_job,
)
from flows.summary import BuildSummary, summarise
from index.config import IndexConfig
from index.exposure import group_counts
from index.models.choose import ModelChoice
from index.sources.inputs import input_contents
from index.store.build import content_hash
from index.wording.plan import Plan
from ontology_etl.load import digest


def run_stages(
    inputs: Path,
    db: Path,
    *,
    config: IndexConfig,
    model: ModelChoice,
    progress: Progress,
    options: RunOptions = DEFAULT,
) -> BuildSummary:
    """Build the index of the manifest ``inputs`` and publish it at ``db``.

    Where the published index is what would be built, it is left as it is. Raises any
    ``ViromeError``; the index that was at ``db`` is then unchanged. It is a ``ShrinkError`` where
    more than a tenth of the runs or reports of that index would be lost, unless ``options`` accept
    it.
    """
    announce_model(model, config=config, progress=progress)
    with open_site(
        inputs, db, config=config, model=model, progress=progress, options=options
    ) as site:
        written = report_facts(site)
        if model.model is None and is_published(site):
            progress.say("nothing has changed: the published index is left as it is")
            return summarise_published(site)
        return publish_reports(site, written, accept_shrink=options.accept_shrink)


def plan_stages(
    inputs: Path, db: Path, *, config: IndexConfig, model: ModelChoice, progress: Progress
) -> Plan | None:
    """Return what it would take to interpret the reports of ``inputs``; None without a model.

    Everything is computed as in a build, so that prompts are exact; answers in the cache of ``db``
    cost nothing. Nothing is published.
    """
    announce_model(model, config=config, progress=progress)
    with open_site(inputs, db, config=config, model=model, progress=progress) as site:
        written = report_facts(site)
        site.reuse.restore()
        plan = progress.stage("plan wording")(foresee_wording)
        return plan(site.build, written, choice=model, config=config.report)


def announce_model(model: ModelChoice, *, config: IndexConfig, progress: Progress) -> None:
    """Announce which model interprets reports, and of which risk groups, before the first stage.

    Raises ``ModelUnavailableError`` where it cannot do what ``config`` asks of it.
    """
    if model.model is None:
        progress.say(f"no model interprets reports: {model.reason}")
        return
    check_model(model, config=config.report)
    groups = ", ".join(config.report.policy.shown(local=model.local))
    progress.say(f"model: {model.reason}; it may see viruses of these risk groups: {groups}")


def report_facts(site: Site) -> Held[WrittenReports]:
    """Run every stage up to reports without a model and their vectors; return the reports.

    A stage reads from the file what earlier ones stored, so tables do not stay in memory from
    stage to stage.
    """
    stage, build, config = site.reuse.stage, site.build, site.config
    risk_groups = site.manifest.risk_groups
    register = [risk_groups.name, site.digests[risk_groups]] if risk_groups else None
    said = config.report
    of_reports = [register, config.graph.min_runs, said.max_findings, said.facts_per_facet]
    written = Held(lambda: stored_reports(build.connection, config=config))
    ground_inputs(site)
    cluster_graph(site)
    stage(
        "test associations", made_of=[config.mwas, config.graph.of], asides=("read.association",)
    )(store_associations)(build, config=config, cluster=site.progress.cluster)
    stage("compute facts")(store_facts)(build)
    stage("learn vectors", made_of=config.vectors, reads=OF_VECTORS)(store_vectors)(
        build, config=config
    )
    stage("write reports", made_of=of_reports)(store_reports)(
        build, written, risk_groups=risk_groups, config=config
    )
    vectors = site.reuse.values("report vectors")
    stage("embed reports", made_of=said.max_embedded)(store_embeddings)(
        build,
        vectors=vectors,
        config=config,
        say=site.progress.detail,
        cluster=site.progress.cluster,
    )
    return written


def ground_inputs(site: Site) -> None:
    """Load ontologies and records, and ground the metadata."""
    stage, build, config, progress = site.reuse.stage, site.build, site.config, site.progress
    ontologies = Held(lambda: stored_ontologies(build.connection))
    paths = progress.stage("fetch ontologies")(find_ontologies)(site.manifest, progress)
    releases = {name: [path.name, digest(path)] for name, path in paths.items()}
    of_files = [input_contents(item, site.digests) for item in site.manifest.inputs]
    withdrawn = site.manifest.withdrawn
    of_records = [of_files, site.manifest.searched, config.min_serratus_score]
    of_records += [site.digests[withdrawn]] if withdrawn else []
    polygons = site.manifest.country_polygons
    of_places = [polygons.name, site.digests[polygons]] if polygons else None
    of_profiles = [config.graph.stat_rank, config.graph.stat_min_share]

    stage("load ontologies", made_of=releases, reads=())(store_ontologies)(build, paths, progress)
    stage("read records", made_of=of_records, reads=())(store_records)(
        build, site.manifest, partial(read_kept, site), progress
    )
    stage("roll up k-mers", made_of=of_profiles, reads=("stat_hit", "term", "term_edge"))(
        store_profiles
    )(build, config=config)
    of_viruses = ("read.detection", "read.scope", "read.known_host", "read.run")
    stage("resolve viruses", reads=ONTOLOGY_TABLES, asides=of_viruses)(store_viruses)(
        build, ontologies
    )
    stage("ground metadata", made_of=of_places, asides=("read.run",))(store_annotations)(
        build, ontologies, polygons=polygons, progress=progress
    )
    ontologies.drop()


def cluster_graph(site: Site) -> None:
    """Build the graph and detect its communities."""
    stage, build, config = site.reuse.stage, site.build, site.config
    stored = Held(lambda: read_graph_tables(build.connection, config=config.graph))
    graph = Held(lambda: read_graph(build.connection, config=config.graph))
    of_graph = partial(stage, made_of=config.graph)

    of_graph("close over ancestors")(store_closure)(build, stored, config=config)
    of_graph("collect entities")(store_entities)(build, stored, config=config)
    of_graph("weigh relationships")(store_relationships)(build, stored, config=config)
    stored.drop()
    ancestors = note_ancestry(site)
    stage("detect communities", made_of=[config.graph, ancestors])(store_communities)(
        build, graph, config=config, say=site.progress.detail
    )
    of_graph("measure communities")(note_quality)(build, graph, config=config)
    graph.drop()


def publish_reports(
    site: Site, written: Held[WrittenReports], *, accept_shrink: bool
) -> BuildSummary:
    """Let the model interpret the reports it may see, and replace the published index."""
    build, progress = site.build, site.progress
    site.reuse.restore()
    if not accept_shrink:
        refuse_shrink(site)
    interpreted = interpret_reports(site, written)
    store_answers(build)
    build.note(parameter_entries(site))
    digest = progress.stage("digest content")(content_hash)(build.connection)
    note_costs(site, digest)
    carry_builds(build)
    summary = summarise(
        build.connection,
        build.path,
        progress,
        digest=digest,
        communities=describe_changes(build),
        wording=interpreted,
    )
    progress.stage("publish")(build.publish)()
    return summary


def interpret_reports(site: Site, written: Held[WrittenReports]) -> str:
    """Let the model interpret the reports it may see; return a summary in words."""
    stage, build, model, config = site.progress.stage, site.build, site.model, site.config.report
    if model.model is None:
        return f"no model: {model.reason}"
    job = wording_job(build.connection, written(), None, choice=model, config=config)
    exposure = expose_reports(job, model)
    for line in exposure.text().splitlines():
        site.progress.detail(line)
    withheld = group_counts(exposure.withheld)
    build.note({"biosafety.shown": exposure.shown, "biosafety.withheld": withheld})
    tally = stage("interpret reports")(store_wording)(
        build, job, choice=model, progress=site.progress
    )
    build.note({"llm.tally": tally.text()})
    return f"{model.reason}\n{exposure.text()}\n{tally.text()}"
