"""What the index is built with: one frozen model, made at an entry point and passed down as plain
arguments.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any, Final

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    PositiveFloat,
    ValidationError,
    field_validator,
    model_validator,
)

from index.exposure import DEFAULT_POLICY, RiskPolicy, policy_named
from ontology_etl.errors import ManifestError, MissingFileError

VIRUSES: Final = "viruses"
STAT: Final = "stat"
STAT_RANKS: Final = ("phylum", "class", "order", "family", "genus", "species")
ENGINES: Final = ("igraph", "leidenalg", "networkit")
WALKS: Final = "walks"
VECTOR_METHODS: Final = (WALKS, "svd", "network")
MIN_SERRATUS_SCORE: Final = 50.0
"""Serratus scores below it are mostly a read or two: noise."""
MAX_DATABASE_GB: Final = 2.0
"""Gigabytes; 1.5 is enough for 7.7 million runs."""


class Weights(BaseModel):
    """Edge weight per relationship type; 0 leaves the type out. k-mer shares and identities are
    their own weights.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

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


class GroundingConfig(BaseModel):
    """What is tried on values that name no term (decisions/0030-embedding-proposals.md)."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    proposals: bool = Field(
        False, description="propose the nearest tissue or disease by sentence vector"
    )
    min_cosine: float = Field(0.9, ge=0, le=1, description="proposals below it are not stored")


class GraphConfig(BaseModel):
    """Which relationships there are and how communities are found."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    of: str = Field(
        VIRUSES,
        pattern=f"^({VIRUSES}|{STAT})$",
        description="viruses: all runs, by viruses, metadata and k-mers; stat: the runs with k-mer "
        'profiles, by k-mers and metadata, and associations of k-mers (`graph = "stat"` for short)',
    )
    stat_rank: str = Field(
        "",
        pattern=f"^({'|'.join(STAT_RANKS)})?$",
        description="rank that k-mer profiles are summed up to; empty: taxa as listed; order where "
        "the graph is of stat and none is set",
    )
    weights: Weights = Weights()
    stat_min_share: float = Field(
        0.01, ge=0, lt=1, description="k-mer shares at or below it make no annotation and no edge"
    )
    study_edges: bool = Field(
        False,
        description="let runs of one study attract each other when communities are found; the "
        "relationships of studies are stored either way",
    )
    hub_damping: bool = Field(
        True,
        description="divide weights by the log degree of the more connected end when communities "
        "are found; stored weights stay as they are",
    )
    engine: str = Field(
        "igraph", pattern=f"^({'|'.join(ENGINES)})$", description="which library clusters"
    )
    resolution: float = Field(5.0, gt=0, description="gamma of modularity")
    theta: float = Field(0.01, gt=0, description="randomness of the refinement phase")
    iterations: int = Field(2, ge=-1, description="Leiden iterations; -1 runs until stable")
    seed: int = Field(42, description="of every random choice of the clustering")
    min_runs: int = Field(2, ge=1, description="smaller communities get no report and are counted")
    max_runs: int = Field(200, ge=2, description="a community above it is split at the next level")
    max_levels: int = Field(4, ge=2, description="levels of communities, the coarsest included")
    layers: dict[str, PositiveFloat] = Field(
        {},
        description="weight of each relationship type (run-sotu = 2.0) as a layer with a null "
        "model of its own; types that are not named share one layer of weight 1. Level 1 is then "
        "found by leidenalg",
    )
    max_entities: int = Field(
        0,
        ge=0,
        description="most entities in a community of level 1, which leidenalg then finds; "
        "0: any number",
    )
    stability_max_relationships: int = Field(
        1_000_000,
        ge=0,
        description="larger graphs are not clustered again to see how stable they are; 0: never",
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
        """Whether level 1 is found over layers or within a size, which only leidenalg does."""
        return bool(self.layers or self.max_entities)


class MwasConfig(BaseModel):
    """How associations are tested."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    resamples: int = Field(10_000, ge=100, description="permutations drawn for each test")
    max_resamples: int = Field(
        100_000, ge=100, description="drawn in all where the first gave almost no hit"
    )
    min_group: int = Field(4, ge=2, description="smaller groups are tested with Welch's t")
    pseudocount_rpm: float = Field(
        1.0, gt=0, description="added to both means before the fold change"
    )
    seed: int = Field(42, description="of the permutations")


class ReportConfig(BaseModel):
    """How much is said and how much may be spent."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    max_findings: int = Field(8, ge=3, le=10, description="findings of a report at most")
    facts_per_facet: int = Field(8, ge=1, description="facts of one facet that a report may use")
    max_worded: int | None = Field(
        None,
        description="reports interpreted at most, most valuable first; null: by the model's size",
    )
    max_embedded: int = Field(
        10_000, ge=0, description="reports with a vector, coarsest and largest first"
    )
    budget_tokens: int | None = Field(
        None, ge=0, description="prompt and completion tokens the build may spend"
    )
    max_seconds: float | None = Field(
        None,
        ge=0,
        description="interpreting ends after so many seconds; the report under way is left",
    )
    batch: bool = Field(
        False, description="ask through the provider's Batch API: cheaper, within a day"
    )
    concurrency: int = Field(4, ge=1, description="calls of the model at the same time")
    risk_policy: str = Field(
        DEFAULT_POLICY.name,
        description="which risk groups a model may word: open, careful or strict (--risk-policy)",
    )

    @field_validator("risk_policy")
    @classmethod
    def _known_policy(cls, name: str) -> str:
        return policy_named(name).name

    @property
    def policy(self) -> RiskPolicy:
        """Return what a model may see of the reports."""
        return policy_named(self.risk_policy)


class VectorConfig(BaseModel):
    """How vectors of viruses are learned (docs/virus-vectors.md)."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    method: str = Field(
        WALKS,
        pattern=f"^({'|'.join(VECTOR_METHODS)})$",
        description="walks: factorised random walks; svd: a truncated SVD; network: a graph "
        "network, which needs the extra gnn",
    )
    seed: int = Field(42, description="of every random choice: folds of studies, the network")


class IndexConfig(BaseModel):
    """Everything a build depends on besides its inputs."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    grounding: GroundingConfig = GroundingConfig()
    graph: GraphConfig = GraphConfig()
    mwas: MwasConfig = MwasConfig()
    report: ReportConfig = ReportConfig()
    vectors: VectorConfig = VectorConfig()
    min_serratus_score: float = Field(
        MIN_SERRATUS_SCORE,
        ge=0,
        le=100,
        description="rows of Serratus below it are rejected and counted",
    )
    max_kept_gb: float = Field(
        8.0,
        ge=0,
        description="results of stages kept beside the index for the next build; 0: none",
    )
    max_database_gb: float = Field(
        MAX_DATABASE_GB,
        ge=0.1,
        description="memory that DuckDB takes while an index is built; beyond it works on disk",
    )
    max_stage_s: float = Field(
        0.0,
        ge=0,
        description="seconds that a stage of a build may take before the build ends; 0: any number",
    )

    @field_validator("graph", mode="before")
    @classmethod
    def _by_name(cls, graph: Any) -> Any:
        """Return the parameters of a graph that is said by its name alone."""
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

    What a command line says replaces what the file says: ``engine``, ``budget_tokens``,
    ``batch``, ``risk_policy``.

    Raises ``MissingFileError`` and ``ManifestError`` naming the parameter that is wrong.
    """
    config = IndexConfig() if path is None else _read(path)
    said: dict[str, dict[str, Any]] = {"graph": {}, "report": {}}
    if engine is not None:
        said["graph"]["engine"] = engine
    if budget_tokens is not None:
        said["report"]["budget_tokens"] = budget_tokens
    if batch:
        said["report"]["batch"] = True
    if risk_policy is not None:
        said["report"]["risk_policy"] = risk_policy
    whole = config.model_dump()
    return _checked(
        "command line", whole | {part: whole[part] | changes for part, changes in said.items()}
    )


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
    """Return ``raw`` as a configuration, or raise ``ManifestError`` naming ``source`` and the
    parameter.
    """
    try:
        return IndexConfig.model_validate(raw)
    except ValidationError as error:
        first = error.errors()[0]
        name = ".".join(str(part) for part in first["loc"])
        remedy = "docs/configuration.md lists every parameter and what is allowed"
        raise ManifestError(source, f"{name}: {first['msg']}", remedy=remedy) from error
