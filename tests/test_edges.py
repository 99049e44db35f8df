"""Records and annotations to entities and relationships: one rule a test, on tables small enough to
read.
"""

from __future__ import annotations

import math

import polars as pl
import pytest

from index.config import GraphConfig, Weights
from index.graph.edges import (
    Edges,
    merge_edges,
    relationship_report,
    run_bioproject,
    run_facet,
    run_sotu,
    run_study,
    sotu_sotu,
    sotu_taxon,
    term_parent,
    weigh_types,
)
from index.graph.entities import build_entities, term_roles, used_terms, virus_taxa
from index.graph.lineage import branching_terms, nearest_kept_ancestors
from index.records import Records
from index.tables import (
    Annotation,
    Bioproject,
    Detection,
    KmerProfile,
    Relationship,
    Run,
    SotuAlignment,
    Study,
)
from ontology_etl.closure import closure
from ontology_etl.tables import Rejected, Term, TermEdge, conform
from tests.graph_zoo import ZOO, table

RUNS = """
    run bioproject study
    r1  SYNP1      SYNT1
    r2  SYNP1      .
    r3  .          SYNT1
"""
DETECTIONS = """
    run sotu stated                taxon        identity source
    r1  u1   Bat_virus             NCBITaxon:51 95       palm_virome
    r1  u1   Bat_virus             NCBITaxon:51 90       serratus_nt
    r2  u1   reported_as_Bat_virus NCBITaxon:51 .        palm_virome
    r2  u2   Coronaviridae-like    NCBITaxon:50 40       palm_virome
    r4  u3   .                     .            40       palm_virome
"""
ANNOTATIONS = """
    run facet     value    curie            text attribute method     score
    r1  host      bat      NCBITaxon:40     b    organism  dictionary 1
    r1  host      bat      NCBITaxon:40     bats host      dictionary 1
    r2  host      mouse    NCBITaxon:41     m    organism  dictionary 1
    r2  host      thing    .                t    organism  verbatim   1
    r1  tissue    gut      BTO:0000002      g    tissue    dictionary 1
    r1  geography Kenya    .                K    geo       verbatim   1
    r5  biome     soil     .                s    biome     verbatim   1
    r5  sex       female   .                f    sex       verbatim   1
"""
TERMS = """
    curie         label         ontology  rank    obsolete replaced_by
    NCBITaxon:1   root          NCBITaxon .       false    .
    NCBITaxon:10  animals       NCBITaxon kingdom false    .
    NCBITaxon:30  mammals       NCBITaxon class   false    .
    NCBITaxon:40  bat           NCBITaxon species false    .
    NCBITaxon:41  mouse         NCBITaxon species false    .
    NCBITaxon:50  CORONAVIRIDAE NCBITaxon family  false    .
    NCBITaxon:51  bat_virus     NCBITaxon species false    .
    NCBITaxon:52  bat_virus     NCBITaxon species true     NCBITaxon:51
    NCBITaxon:53  bat_virus     NCBITaxon .       false    .
    BTO:0000001   organ         BTO       .       false    .
    BTO:0000002   gut           BTO       .       false    .
"""
PARENTS = """
    subject       predicate object
    NCBITaxon:10  parent    NCBITaxon:1
    NCBITaxon:30  parent    NCBITaxon:10
    NCBITaxon:40  parent    NCBITaxon:30
    NCBITaxon:41  parent    NCBITaxon:30
    NCBITaxon:50  parent    NCBITaxon:1
    NCBITaxon:51  parent    NCBITaxon:50
    BTO:0000002   is_a      BTO:0000001
"""
STAT = """
    run curie         share
    r1  NCBITaxon:40  0.4
    r2  NCBITaxon:41  0.011
"""
ALIGNED = """
    sotu_a sotu_b identity
    u1     u2     0.45
    u1     u9     0
"""
RECORDS = Records(
    run=table(RUNS, Run),
    bioproject=table("bioproject title\nSYNP1 Bats", Bioproject),
    study=table("study title\nSYNT1 Caves", Study),
    detection=table(DETECTIONS, Detection),
    kmer_profile=table(STAT, KmerProfile),
    sotu_alignment=table(ALIGNED, SotuAlignment),
)
ANNOTATION, TERM, EDGE = (
    table(ANNOTATIONS, Annotation),
    table(TERMS, Term),
    table(PARENTS, TermEdge),
)


def build(config: GraphConfig | None = None) -> tuple[pl.DataFrame, Edges]:
    config = config or GraphConfig()
    taxa = used_terms(RECORDS, ANNOTATION, config=config)
    above = closure(EDGE, TERM, taxa=taxa)
    entity = build_entities(RECORDS, ANNOTATION, TERM, above, config=config)
    return entity, weigh(RECORDS, ANNOTATION, above, config)


def weigh(
    records: Records, annotation: pl.DataFrame, above: pl.DataFrame, config: GraphConfig
) -> Edges:
    """Return the relationships of all types in one table."""
    types = list(
        weigh_types(
            records,
            lambda facet: annotation.filter(pl.col("facet") == facet),
            above,
            used=term_roles(records, annotation, config=config)["entity"].unique(),
            config=config,
        )
    )
    parts = [edges.relationship for edges in types]
    relationship = conform(pl.concat(parts), Relationship)
    return Edges(relationship, conform(pl.concat(edges.rejected for edges in types), Rejected))


def pairs(edges: pl.DataFrame) -> list[tuple[str, str]]:
    return sorted(edges.select("source", "target").iter_rows())


# --- one type each --------------------------------------------------------------------------------


def test_a_bioproject_joins_its_runs_and_a_study_those_without_one() -> None:
    assert pairs(run_bioproject(RECORDS.run, weight=0.5)) == [("r1", "SYNP1"), ("r2", "SYNP1")]
    assert pairs(run_study(RECORDS.run, weight=0.5)) == [("r3", "SYNT1")]


def test_ungrounded_hosts_make_no_edge_and_ungrounded_places_do() -> None:
    assert set(pairs(run_facet(ANNOTATION, "host", weight=0.5))) == {
        ("r1", "NCBITaxon:40"),
        ("r2", "NCBITaxon:41"),
    }
    assert pairs(run_facet(ANNOTATION, "geography", weight=0.5)) == [("r1", "geography:Kenya")]


def test_a_pair_is_counted_once_per_run_whatever_the_number_of_sources() -> None:
    merged = merge_edges(run_sotu(RECORDS.detection, weight=0.5)).relationship
    assert pairs(merged) == [("r1", "u1"), ("r2", "u1"), ("r2", "u2"), ("r4", "u3")]
    assert merged["weight"].unique().to_list() == [0.5]


def test_an_sotu_is_tied_to_the_taxon_its_identity_supports_or_to_none() -> None:
    found = virus_taxa(RECORDS.detection)
    assert list(found.iter_rows()) == [("u1", "NCBITaxon:51", 95.0), ("u2", "NCBITaxon:50", 40.0)]


SEGMENTS = """
    run sotu      virus        source
    r1  NC_004296 NCBITaxon:51 serratus_nt
    r1  NC_004297 NCBITaxon:51 serratus_nt
    r1  NC_000883 NCBITaxon:50 serratus_nt
    r1  u1        NCBITaxon:51 palm_virome
    r1  u2        NCBITaxon:51 palm_virome
    r2  NC_004296 NCBITaxon:51 serratus_nt
"""


def test_segments_of_one_virus_weigh_once_per_run_and_palmprints_each() -> None:
    edges = run_sotu(table(SEGMENTS, Detection), weight=0.5).sort("source", "target")
    assert list(edges.select("source", "target", "weight").iter_rows()) == [
        ("r1", "NC_000883", 0.5),
        ("r1", "NC_004296", 0.25),
        ("r1", "NC_004297", 0.25),
        ("r1", "u1", 0.5),
        ("r1", "u2", 0.5),
        ("r2", "NC_004296", 0.5),
    ]


def test_identity_is_a_share_and_unknown_identity_a_half() -> None:
    viruses = pl.DataFrame(
        {"sotu": ["u1", "u2"], "curie": ["NCBITaxon:51"] * 2, "identity": [95.0, None]}
    )
    assert sotu_taxon(viruses, factor=1.0)["weight"].to_list() == pytest.approx([0.95, 0.5])


def test_alignments_weigh_by_identity_and_none_at_zero() -> None:
    merged = merge_edges(sotu_sotu(RECORDS.sotu_alignment, factor=1.0))
    assert list(merged.relationship.iter_rows()) == [("u1", "u2", "sotu-sotu", 0.45)]
    assert merged.rejected.is_empty()


def test_a_stat_share_is_the_weight_of_its_edge() -> None:
    _, edges = build()
    stat = edges.relationship.filter(pl.col("predicate") == "run-stat").select(
        "source", "target", "weight"
    )
    assert list(stat.iter_rows()) == [("NCBITaxon:40", "r1", 0.4), ("NCBITaxon:41", "r2", 0.011)]


# --- terms ----------------------------------------------------------------------------------------


def test_chains_of_unused_taxa_are_contracted_to_branching_ones() -> None:
    ancestors = closure(
        EDGE, TERM, taxa=pl.Series(["NCBITaxon:40", "NCBITaxon:41", "NCBITaxon:51"])
    )
    used = pl.Series(["NCBITaxon:40", "NCBITaxon:41", "NCBITaxon:51"])
    assert branching_terms(ancestors, used).to_list() == ["NCBITaxon:1", "NCBITaxon:30"]
    assert pairs(term_parent(ancestors, used, weight=0.5)) == [
        ("NCBITaxon:30", "NCBITaxon:1"),
        ("NCBITaxon:40", "NCBITaxon:30"),
        ("NCBITaxon:41", "NCBITaxon:30"),
        ("NCBITaxon:51", "NCBITaxon:1"),
    ]


def test_a_used_ancestor_joins_its_descendants_itself() -> None:
    used = pl.Series(["NCBITaxon:30", "NCBITaxon:40", "NCBITaxon:41"])
    ancestors = closure(EDGE, TERM, taxa=used)
    assert branching_terms(ancestors, used).to_list() == []
    assert list(nearest_kept_ancestors(ancestors, used).iter_rows()) == [
        ("NCBITaxon:40", "NCBITaxon:30"),
        ("NCBITaxon:41", "NCBITaxon:30"),
    ]


# --- entities -------------------------------------------------------------------------------------


def test_entities_have_one_row_each_and_the_first_role_names_the_kind() -> None:
    entity, _ = build()
    assert list(entity.select("entity", "kind", "label").iter_rows()) == [
        ("BTO:0000002", "tissue", "gut"),
        ("NCBITaxon:1", "taxon", "root"),
        ("NCBITaxon:30", "taxon", "mammals"),
        ("NCBITaxon:40", "host", "bat"),
        ("NCBITaxon:41", "host", "mouse"),
        ("NCBITaxon:50", "taxon", "CORONAVIRIDAE"),
        ("NCBITaxon:51", "taxon", "bat_virus"),
        ("SYNP1", "bioproject", "Bats"),
        ("SYNT1", "study", "Caves"),
        ("r1", "run", "r1"),
        ("r2", "run", "r2"),
        ("r3", "run", "r3"),
        ("r4", "run", "r4"),
        ("r5", "run", "r5"),
        ("u1", "sotu", "Bat_virus (u1)"),
        ("u2", "sotu", "Coronaviridae-like (u2)"),
        ("u3", "sotu", "u3"),
        ("u9", "sotu", "u9"),
    ]


@pytest.mark.parametrize(
    "weights", [{}, {"run_geography": 0.5, "run_biome": 0.5}, {"run_stat": 0, "sotu_taxon": 0}]
)
def test_every_end_of_a_relationship_is_an_entity(weights: dict[str, float]) -> None:
    entity, edges = build(GraphConfig(weights=Weights(**weights)))
    ends = pl.concat([edges.relationship["source"], edges.relationship["target"].alias("source")])
    assert set(ends) <= set(entity["entity"])


def test_a_type_of_weight_zero_makes_neither_relationship_nor_entity() -> None:
    entity, edges = build(GraphConfig(weights=Weights(**dict.fromkeys(Weights.model_fields, 0))))
    assert edges.relationship.is_empty()
    assert entity["kind"].unique().sort().to_list() == ["run", "sotu"]


def test_places_are_entities_where_they_weigh() -> None:
    entity, edges = build(GraphConfig(weights=Weights(run_geography=0.5, run_biome=0.5)))
    places = entity.filter(pl.col("kind").is_in(["geography", "biome"])).rows()
    assert places == [("biome:soil", "biome", "soil"), ("geography:Kenya", "geography", "Kenya")]
    assert edges.relationship.filter(pl.col("predicate") == "run-biome").height == 1


def test_records_of_nothing_make_nothing() -> None:
    empty = Records(), Annotation.create_empty()
    above = closure(EDGE, TERM, taxa=None)
    assert build_entities(*empty, TERM, above, config=GraphConfig()).is_empty()
    edges = weigh(*empty, above, GraphConfig())
    assert edges.relationship.is_empty()
    assert relationship_report(edges.relationship).is_empty()


# --- merging, hubs, report ------------------------------------------------------------------------


def test_an_unusable_edge_is_counted() -> None:
    unusable: list[tuple[str, str | None, float | None, str]] = [
        ("a", "a", 0.5, "self-loop"),
        ("a", None, 0.5, "an end is missing"),
        ("a", "d", -0.5, "weight is negative"),
        ("a", "e", math.nan, "weight is not a number"),
        ("a", "f", math.inf, "weight is not a number"),
        ("a", "g", None, "weight is not a number"),
    ]
    rows = [(a, b, "run-sotu", weight) for a, b, weight, _ in (*unusable, ("b", "c", 1.0, ""))]
    schema = dict(zip(Relationship.column_names(), [pl.String] * 3 + [pl.Float64], strict=True))
    merged = merge_edges(pl.DataFrame(rows, schema, orient="row"))
    assert pairs(merged.relationship) == [("b", "c")]
    assert sorted(merged.rejected.rows()) == sorted(
        ("relationship run-sotu", None, reason) for *_, reason in unusable
    )


def test_the_highest_weight_of_a_pair_is_kept_whatever_its_direction() -> None:
    rows = [("a", "b", "p", 0.2), ("b", "a", "p", 0.7), ("a", "b", "q", 0.1)]
    raw = pl.DataFrame(rows, schema=Relationship.column_names(), orient="row")
    assert merge_edges(raw).relationship.rows() == [("a", "b", "p", 0.7), ("a", "b", "q", 0.1)]


def test_the_report_counts_weights_and_degrees_per_predicate() -> None:
    _, star = ZOO["a star of twins"]
    assert relationship_report(star).to_dicts() == [
        {
            "predicate": "run-sotu", "relationships": 60, "total_weight": 30.0, "mean_weight": 0.5,
            "entities": 61,
            "degree_p50": 1, "degree_p90": 1, "degree_p99": 1, "degree_max": 60,
        }
    ]  # fmt: skip
