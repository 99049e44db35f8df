"""What the build table says about the graph: every relationship type, every level, every change."""

from __future__ import annotations

import polars as pl
import pytest

from index.config import ENGINES, GraphConfig, read_config
from index.graph.build_entries import change_entries, quality_entries, relationship_entries
from index.graph.communities import detect_communities
from index.graph.engines import ENGINES as RUNNERS
from index.graph.metrics import run_terms
from index.graph.quality import IndexTables
from index.tables import Annotation, BuildEntry
from ontology_etl.tables import conform
from tests.graph_zoo import ZOO, graph_tables, star

CLIQUES = ZOO["two cliques and a bridge"]


def quality(tables: tuple[pl.DataFrame, pl.DataFrame], config: GraphConfig) -> dict[str, object]:
    found = detect_communities(*tables, config=config)
    terms = run_terms(Annotation.create_empty(), tables[0]["entity"])
    measured = IndexTables(*tables, terms, found.community, found.community_member)
    return quality_entries(measured, config=config)


def test_relationships_are_counted_per_predicate() -> None:
    entries = relationship_entries([graph_tables(star("p1", ["r1", "r2", "r3"]))[1]])
    assert entries == {
        "graph.run-sotu.relationships": 3,
        "graph.run-sotu.total_weight": 1.5,
        "graph.run-sotu.mean_weight": 0.5,
        "graph.run-sotu.entities": 4,
        "graph.run-sotu.degree_p50": 1,
        "graph.run-sotu.degree_p90": 1,
        "graph.run-sotu.degree_p99": 1,
        "graph.run-sotu.degree_max": 3,
    }


def test_every_level_is_measured_and_level_one_is_tested_for_stability() -> None:
    entries = quality(CLIQUES, GraphConfig())
    assert {key.split(".")[1] for key in entries if key.startswith("quality.")} == {"0", "1"}
    assert entries["stability.other seed.ari"] == 1.0
    assert 0 < entries["stability.5 % of edges removed.nmi"] <= 1


def test_a_graph_above_the_limit_is_not_clustered_again() -> None:
    entries = quality(CLIQUES, GraphConfig(stability_max_relationships=3))
    assert [key for key in entries if key.startswith("stability")] == ["stability.skipped"]


@pytest.mark.parametrize("name", ZOO)
def test_entries_of_any_graph_fit_the_build_table(name: str) -> None:
    entries = relationship_entries([ZOO[name][1]]) | quality(ZOO[name], GraphConfig())
    rows = pl.DataFrame({"key": list(entries), "value": [str(value) for value in entries.values()]})
    assert len(conform(rows, BuildEntry)) == len(entries)


def test_changes_are_counted_per_level() -> None:
    before = detect_communities(*CLIQUES, config=GraphConfig())
    previous = (before.community, before.community_member)
    again = detect_communities(*CLIQUES, config=GraphConfig(), previous=previous)
    assert change_entries(again.changes) == {"communities.0.same": 2, "communities.1.same": 2}
    assert change_entries(before.changes) == {}


def test_every_engine_that_can_be_asked_for_is_there() -> None:
    assert set(RUNNERS) == set(ENGINES)
    assert read_config(None, engine="leidenalg").graph.engine == "leidenalg"
