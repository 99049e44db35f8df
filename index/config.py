"""The parameters of a build: one frozen model, made at an entry point, passed down as arguments."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any, Final

from pydantic import Field, PositiveFloat, ValidationError, field_validator, model_validator

from index.errors import first_fault
from index.exposure import DEFAULT_POLICY, RiskPolicy, policy_named
from ontology_etl.errors import ManifestError, MissingFileError
from ontology_etl.frozen import Frozen

VIRUSES: Final = "viruses"
STAT: Final = "stat"
STAT_RANKS: Final = ("phylum", "class", "order", "family", "genus", "species")
ENGINES: Final = ("igraph", "leidenalg", "networkit")
WALKS: Final = "walks"
VECTOR_METHODS: Final = (WALKS, "svd", "network")
MIN_SERRATUS_SCORE: Final = 50.0
"""Lower Serratus scores are mostly a read or two: noise."""
MAX_DATABASE_GB: Final = 2.0
"""Gigabytes; 1.5 is enough for 7.7 million runs."""


class Weights(Frozen):
    """Weight of a link by relationship type; 0 leaves the type out. A k-mer share or an identity is
    itself the weight, times the factor given here.
    """

    run_bioproject: float = Field(0.5, ge=0)
    run_study: float = Field(0.5, ge=0, description="where no bioproject is known")
    run_host: float = Field(0.5, ge=0)
    run_environment: float = Field(0.5, ge=0)
    run_tissue: float = Field(0.5, ge=0)
    run_disease: float = Field(0.5, ge=0)
    run_sotu: float = Field(0.5, ge=0)
    run_geography: float = Field(0.0, ge=0)
    run_biome: float = Field(0.0, ge=0)
    term_parent: float = Field(0.5, ge=0)
    run_stat: float = Field(1.0, ge=0, description="factor on the k-mer share")
    sotu_taxon: float = Field(1.0, ge=0, description="factor on the identity, 0-1")
    sotu_sotu: float = Field(1.0, ge=0, description="factor on the identity, 0-1")


class GraphConfig(Frozen):
    """What is linked, and how communities are found."""

    of: str = Field(
        VIRUSES,
        pattern=f"^({VIRUSES}|{STAT})$",
        description="viruses: all runs, linked by viruses, metadata and k-mers; stat: only runs "
        "with k-mer profiles, linked by k-mers and metadata, and k-mers are tested too "
        '(`graph = "stat"` for short)',
    )
    stat_rank: str = Field(
        "",
        pattern=f"^({'|'.join(STAT_RANKS)})?$",
        description="rank to which k-mer profiles are summed; none: taxa as listed, or order if "
        "`of` is stat",
    )
    weights: Weights = Weights()
    stat_min_share: float = Field(
        0.01, ge=0, lt=1, description="k-mer shares up to this make no annotation and no link"
    )
    study_edges: bool = Field(
        False,
        description="cluster by the links of runs to their study, too; these links are stored in "
        "either case",
    )
    hub_damping: bool = Field(
        True,
        description="cluster with weights divided by 1 + ln(degree) of the more connected end; "
        "stored weights do not change",
    )
    engine: str = Field(
        "igraph", pattern=f"^({'|'.join(ENGINES)})$", description="library that clusters"
    )
    resolution: float = Field(5.0, gt=0, description="gamma of modularity")
    theta: float = Field(0.01, gt=0, description="randomness of Leiden's refinement")
    iterations: int = Field(2, ge=-1, description="Leiden iterations; -1 runs until stable")
    seed: int = Field(42, description="seed of the clustering")
    min_runs: int = Field(2, ge=1, description="smaller communities get no report")
    max_runs: int = Field(200, ge=2, description="larger communities are split at the next level")
    max_levels: int = Field(4, ge=2, description="maximum number of levels of communities")
    layers: dict[str, PositiveFloat] = Field(
        {},
        description="weights of relationship types that get a layer and null model of their own "
        "(run-sotu = 2.0); all other types share one layer of weight 1. Level 1 is then found by "
        "leidenalg",
    )
    max_entities: int = Field(
        0,
        ge=0,
        description="maximum number of entities in a community of level 1; leidenalg then finds "
        "that level; 0: no limit",
    )
    stability_max_relationships: int = Field(
        1_000_000,
        ge=0,
        description="larger graphs are not clustered again to measure stability; 0: never",
    )

    @model_validator(mode="before")
    @classmethod
    def _at_a_rank(cls, said: Any) -> Any:
        """Return the parameters, with a rank where the graph is of k-mer profiles."""
        of = said.get("of") if isinstance(said, dict) else None
        return {"stat_rank": "order", **said} if of == STAT else said

    @field_validator("layers")
    @classmethod
    def _known_types(cls, layers: dict[str, float]) -> dict[str, float]:
        known = [name.replace("_", "-") for name in Weights.model_fields]
        if unknown := sorted(set(layers) - set(known)):
            raise ValueError(
                f"{', '.join(unknown)}: no relationship type; there are {', '.join(known)}"
            )
        return layers

    @property
    def constrained(self) -> bool:
        """Whether level 1 has layers or a limit of size, which only leidenalg offers."""
        return bool(self.layers or self.max_entities)


class MwasConfig(Frozen):
    """How associations are tested."""

    resamples: int = Field(10_000, ge=100, description="permutations of each test")
    max_resamples: int = Field(
        100_000,
        ge=100,
        description="total number of permutations if few of the first ones were as extreme as "
        "the observed groups",
    )
    min_group: int = Field(4, ge=2, description="smaller groups are tested by Welch's t")
    pseudocount_rpm: float = Field(1.0, gt=0, description="added to both means of the fold change")
    seed: int = Field(42, description="seed of the permutations")


class ReportConfig(Frozen):
    """How long reports are, and what a model may cost."""

    max_findings: int = Field(8, ge=3, le=10, description="maximum number of findings in a report")
    facts_per_facet: int = Field(
        8, ge=1, description="maximum number of facts of one facet in a report"
    )
    max_worded: int | None = Field(
        None,
        description="maximum number of reports interpreted, the most valuable first; none: "
        "depends on the model's size",
    )
    max_embedded: int = Field(
        10_000,
        ge=0,
        description="maximum number of reports with a vector, coarsest and largest first",
    )
    budget_tokens: int | None = Field(
        None,
        ge=0,
        description="maximum number of tokens, in prompts and answers together, in a build",
    )
    max_seconds: float | None = Field(
        None,
        ge=0,
        description="seconds after which interpretation stops",
    )
    batch: bool = Field(False, description="use the provider's Batch API: cheaper, within a day")
    concurrency: int = Field(4, ge=1, description="simultaneous calls of the model")
    risk_policy: str = Field(
        DEFAULT_POLICY.name,
        description="which risk groups a model may see: open, careful or strict (--risk-policy)",
    )

    @field_validator("risk_policy")
    @classmethod
    def _known_policy(cls, name: str) -> str:
        return policy_named(name).name

    @property
    def policy(self) -> RiskPolicy:
        """Return what a model may see of the reports."""
        return policy_named(self.risk_policy)


class VectorConfig(Frozen):
    """How vectors of viruses are learned (docs/virus-vectors.md)."""

    method: str = Field(
        WALKS,
        pattern=f"^({'|'.join(VECTOR_METHODS)})$",
        description="walks: factorised random walks; svd: a truncated SVD; network: a graph "
        "network (extra gnn)",
    )
    seed: int = Field(42, description="seed of folds and network")


class IndexConfig(Frozen):
    """The parameters that a build depends on."""

    graph: GraphConfig = GraphConfig()
    mwas: MwasConfig = MwasConfig()
    report: ReportConfig = ReportConfig()
    vectors: VectorConfig = VectorConfig()
    min_serratus_score: float = Field(
        MIN_SERRATUS_SCORE,
        ge=0,
        le=100,
        description="Serratus rows with a lower score are rejected",
    )
    max_kept_gb: float = Field(
        8.0,
        ge=0,
        description="gigabytes of stage results stored for the next build; 0: none",
    )
    max_database_gb: float = Field(
        MAX_DATABASE_GB,
        ge=0.1,
        description="gigabytes of memory for DuckDB in a build; beyond that it works on disk",
    )
    max_stage_s: float = Field(
        0.0,
        ge=0,
        description="seconds after which a stage ends the build; 0: no limit",
    )

    @field_validator("graph", mode="before")
    @classmethod
    def _by_name(cls, graph: Any) -> Any:
        """Return the parameters of a graph that is given by its name alone."""
        return {"of": graph} if isinstance(graph, str) else graph


def read_config(
    path: str | Path | None,
    *,
    engine: str | None = None,
    budget_tokens: int | None = None,
    batch: bool = False,
    risk_policy: str | None = None,
) -> IndexConfig:
    """Return the configuration of the TOML file at ``path``, or the built-in one for None.

    Options of the command line replace what the file says: ``engine``, ``budget_tokens``,
    ``batch``, ``risk_policy``.

    Raises ``MissingFileError`` and ``ManifestError`` naming the parameter that is wrong.
    """
    config = IndexConfig() if path is None else _read(path)
    report = {"budget_tokens": budget_tokens, "batch": batch or None, "risk_policy": risk_policy}
    whole = config.model_dump()
    for part, said in (("graph", {"engine": engine}), ("report", report)):
        whole[part] |= {name: value for name, value in said.items() if value is not None}
    return _checked("command line", whole)


def _read(path: str | Path) -> IndexConfig:
    if not Path(path).is_file():
        raise MissingFileError(path)
    try:
        raw = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise ManifestError(
            path, f"not TOML: {error}", remedy="correct the line it names"
        ) from error
    return _checked(path, raw)


def _checked(source: str | Path, raw: dict[str, Any]) -> IndexConfig:
    """Return ``raw`` as a configuration. Raises ``ManifestError`` naming the parameter."""
    try:
        return IndexConfig.model_validate(raw)
    except ValidationError as error:
        remedy = "docs/configuration.md lists every parameter and what is allowed"
        raise ManifestError(source, first_fault(error), remedy=remedy) from error
