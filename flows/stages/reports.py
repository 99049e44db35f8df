"""Stages that write reports: risk groups of communities, reports without a model, vectors."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import duckdb
import polars as pl

from flows.scaling.embeddings import embed_on
from flows.scaling.parts import Cluster
from flows.stages.held import Held
from flows.stages.values import KeptValues
from index.annotation.study_designs import find_run_designs
from index.config import IndexConfig
from index.errors import ModelUnavailableError
from index.exposure import SHIPPED_FROM
from index.models.embeddings import DIMENSIONS, embed
from index.records import Records
from index.reports.biosafety import (
    community_risk,
    dangerous_taxa,
    rejected_entries,
    virus_risk,
)
from index.reports.compose import build_reports, gather_profiles
from index.reports.profiles import Profile
from index.reports.risk_entries import link_entries
from index.reports.study_rows import find_study_rows
from index.reports.templates import Reports
from index.reports.worth import worth_reporting
from index.sources.risk_register import (
    Register,
    dangerous_entries,
    empty_register,
    entries_of,
    read_register,
    shipped_register,
)
from index.store.build import Build, stored_table
from index.store.dangerous_names import collect_names
from ontology_etl.garbage_collection import collection_suspended

REPORT_TABLES = ("report", "finding", "citation")
_VECTORS: Final = {"text": pl.String(), "vector": pl.Array(pl.Float32, DIMENSIONS)}
_COARSEST: Final = "SELECT community FROM distinct_community WHERE level = 0"
_EMBEDDED: Final = """
SELECT community, title, label
FROM report JOIN community USING (community)
ORDER BY level, runs DESC, community
LIMIT $most
"""


@dataclass(frozen=True)
class WrittenReports:
    """Reports without a model and the facts behind them, coarsest level first, largest first."""

    reports: Reports
    profiles: list[Profile]


def store_reports(
    build: Build, written: Held[WrittenReports], *, risk_groups: Path | None, config: IndexConfig
) -> None:
    """Write a report without a model for every community worth one, and a row for each study of it
    and of those of the coarsest level.
    """
    store_risk(build, read_register(risk_groups) if risk_groups else empty_register())
    with collection_suspended():
        profiles = gather(build.connection, config=config)
        reports = build_reports(build.connection, profiles, max_findings=config.report.max_findings)
    for name in REPORT_TABLES:
        build.write(name, getattr(reports, name))
    described = pl.concat([reports.report.select("community"), _coarsest(build.connection)])
    build.write("study_row", find_study_rows(build.connection, described.unique()))
    written.put(WrittenReports(reports, profiles))


def _coarsest(connection: duckdb.DuckDBPyConnection) -> pl.DataFrame:
    """Return ``community`` of the coarsest level: without a report they have rows of studies."""
    found: pl.DataFrame = connection.sql(_COARSEST).pl()
    return found


def stored_reports(connection: duckdb.DuckDBPyConnection, *, config: IndexConfig) -> WrittenReports:
    """Return the stored reports, and gather the facts behind them again."""
    tables = {name: stored_table(connection, name) for name in REPORT_TABLES}
    with collection_suspended():
        profiles = gather(connection, config=config)
    return WrittenReports(Reports(**tables), profiles)


def gather(connection: duckdb.DuckDBPyConnection, *, config: IndexConfig) -> list[Profile]:
    """Return the profiles of the communities that are worth a report."""
    profiles = gather_profiles(
        connection,
        risk=stored_table(connection, "community_risk"),
        designs=_run_designs(connection),
        min_runs=config.graph.min_runs,
        facts_per_facet=config.report.facts_per_facet,
    )
    return worth_reporting(profiles)


def _run_designs(connection: duckdb.DuckDBPyConnection) -> pl.DataFrame:
    """Return how the samples of runs with a virus say that they were made."""
    runs = "SELECT * FROM run SEMI JOIN detection USING (run)"
    queries = {
        "run": runs,
        "biosample": f"FROM biosample SEMI JOIN ({runs}) USING (biosample)",
        "biosample_attribute": f"FROM biosample_attribute SEMI JOIN ({runs}) USING (biosample)",
        "run_attribute": f"FROM run_attribute SEMI JOIN ({runs}) USING (run)",
    }
    return find_run_designs(
        Records(**{name: connection.sql(q).pl() for name, q in queries.items()})
    )


def store_risk(build: Build, register: Register) -> None:
    """Write the risk group of every community and what decided it, by the shipped register and
    ``register``; also the rows of ``register`` that cannot be used.
    """
    entries = entries_of(register)
    linked = link_entries(build.connection, entries)
    unresolved = linked.unresolved.filter(pl.col("row") < SHIPPED_FROM)
    doubtful = linked.doubtful.filter(pl.col("row") < SHIPPED_FROM)
    of_added = replace(linked, unresolved=unresolved, doubtful=doubtful)
    build.write(
        "rejected", pl.concat([register.rejected, rejected_entries(of_added, register.path)])
    )
    build.note({
        "biosafety.register_entries": len(register.entries),
        "biosafety.register_cleaned": register.cleaned,
        "biosafety.register_unread": len(register.rejected),
        "biosafety.register_doubtful": len(doubtful),
        "biosafety.register_unresolved": len(unresolved),
        "biosafety.register_unresolved_names": "; ".join(unresolved["name"].drop_nulls()),
        "biosafety.shipped_entries": len(shipped_register().entries),
    })  # fmt: skip
    build.append("community_risk", community_risk(build.connection, linked.links))
    build.append("virus_risk", virus_risk(build.connection, linked.links))
    taxa = dangerous_taxa(build.connection, linked.links)
    names = collect_names(build.connection, taxa, dangerous_entries(entries))
    build.append("dangerous_name", names)


def store_embeddings(
    build: Build,
    *,
    vectors: KeptValues,
    config: IndexConfig,
    say: Callable[[str], None],
    cluster: Cluster | None = None,
) -> int:
    """Write one vector per report, of its title and label; return their number. Without the model
    there are none.

    Texts that an earlier build embedded, kept in ``vectors``, are not embedded again. Beyond
    ``max_embedded`` reports those of the finer levels have none: they are found by their words and
    terms.
    """
    limit = {"most": config.report.max_embedded}
    embedded = build.connection.sql(_EMBEDDED, params=limit).pl()
    texts = embedded.select(text=pl.format("{}. {}", "title", "label"))
    try:
        distinct = texts["text"].unique(maintain_order=True)
        known = _embed_new(distinct, vectors.read(), say, cluster)
    except ModelUnavailableError as error:
        build.note({"embedding.absent": error.message})
        build.keep_nothing()
        return 0
    vectors.keep(known)
    found = texts.join(known, on="text", how="left", maintain_order="left")
    rows = embedded.select(pl.lit("report").alias("kind"), pl.col("community").alias("id"))
    return build.write("embedding", rows.with_columns(found["vector"]))


def _embed_new(
    texts: pl.Series,
    kept: pl.DataFrame | None,
    say: Callable[[str], None],
    cluster: Cluster | None,
) -> pl.DataFrame:
    """Return text and vector of ``texts``; only new ones are embedded. Raises as ``embed``."""
    known = pl.DataFrame(schema=_VECTORS) if kept is None else kept
    wanted = texts.to_frame("text")
    new = wanted.join(known, on="text", how="anti", maintain_order="left")
    say(f"{len(new)} of {len(texts)} titles are new")
    unknown = new["text"].to_list()
    found = embed(unknown) if cluster is None else embed_on(cluster, unknown)
    made = pl.Series("vector", found, _VECTORS["vector"])
    return pl.concat([known.join(wanted, on="text", how="semi"), new.with_columns(made)])
