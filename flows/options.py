"""Defaults that the command line and the deployment share: paths, the model, the token budget."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Final, NamedTuple

from pydantic import AfterValidator, Field

from index.store.read import DEFAULT_DB
from ontology_etl.errors import ManifestError
from ontology_etl.frozen import Frozen

if TYPE_CHECKING:
    from index.models.choose import ModelChoice

SAMPLE: Final = Path("data/sample/inputs.toml")
"""The manifest of the bundled sample, in a checkout."""
_PACKED: Final = Path(__file__).parent / "sample" / SAMPLE.name
"""The same in an installed package, where pyproject.toml puts a copy."""
_BESIDE: Final = Path(__file__).parents[1] / SAMPLE
SAMPLE_DB: Final = Path("data/index/demo.duckdb")
"""The sample has an index of its own, so that it never takes the place of a real one by default."""


ALL: Final = "all"
"""Used instead of a stage's name: every stage is run again."""
STAGES: Final = (
    "load ontologies",
    "read records",
    "roll up k-mers",
    "resolve viruses",
    "ground metadata",
    "close over ancestors",
    "collect entities",
    "weigh relationships",
    "detect communities",
    "measure communities",
    "test associations",
    "compute facts",
    "learn vectors",
    "write reports",
    "embed reports",
)
"""Stages whose results are kept, in their order."""


def _known(again: str) -> str:
    """Return ``again``; raise ``ValueError`` if it is not a stage."""
    if again not in (*STAGES, ALL):
        raise ValueError(f"{again!r} is not one of {', '.join((*STAGES, ALL))}")
    return again


Again = Annotated[str, AfterValidator(_known), Field(json_schema_extra={"enum": [*STAGES, ALL]})]
"""A stage, or all of them; a form shows them as a list."""


class WordingOptions(Frozen):
    """Options for the model in a run of the deployment: ``--param wording='{"no_llm": true}'``."""

    no_llm: bool = Field(False, description="ask no model to interpret reports")
    budget: str | None = Field(
        None, description="spend at most this: tokens (500000) or dollars (2.50USD)"
    )
    batch: bool = Field(False, description="word by the provider's Batch API, within a day")
    risk_policy: str | None = Field(
        None, description="what the model may see: open, careful or strict"
    )


class RunOptions(NamedTuple):
    """How to run a build: whether it may lose much, and the stage from which to run again (None:
    only what changed; ``all``: everything).

    ``pins`` are the digests, by name, of inputs that were fetched before and are not fetched again.
    """

    accept_shrink: bool = False
    again: str | None = None
    pins: Mapping[str, str] = MappingProxyType({})


DEFAULT: Final = RunOptions()


class Target(NamedTuple):
    """The inputs of an index, and where to publish it."""

    inputs: Path
    db: Path


def choose_target(inputs: str | Path | None, db: str | Path | None) -> Target:
    """Return inputs and target: the sample if ``inputs`` is missing, and their default place if
    ``db`` is.

    >>> choose_target(None, None).db.name, choose_target("my/inputs.toml", None).db.name
    ('demo.duckdb', 'virome.duckdb')
    """
    sample = sample_manifest()
    manifest = sample if inputs is None else Path(inputs)
    if db is not None:
        return Target(manifest, Path(db))
    is_sample = manifest.resolve() == sample.resolve()
    return Target(manifest, SAMPLE_DB if is_sample else DEFAULT_DB)


def sample_manifest() -> Path:
    """Return the manifest of the bundled sample: in this folder, the package or its checkout.

    If there is none, return the path in this folder, so that an error names a path that can be
    typed.
    """
    found = (path for path in (SAMPLE, _PACKED, _BESIDE) if path.exists())
    return next(found, SAMPLE)


def check_inputs(manifest: Path) -> None:
    """Raise unless the manifest and its files can be used, before anything large is loaded.

    Raises ``InputError`` naming the file.
    """
    if not os.path.exists(manifest):  # False, too, for a name that no file system takes
        raise ManifestError(
            manifest.resolve(),
            "no such file",
            remedy=f"name a manifest: --inputs (deployment: --param inputs=…); an example: "
            f"{sample_manifest()}",
        )
    from index.sources.manifest import read_manifest

    read_manifest(manifest)


def pick_model(*, no_llm: bool) -> ModelChoice:
    """Return the model the environment asks for, or none with ``no_llm``."""
    from index.models.choose import ModelChoice, choose_model

    return ModelChoice(None, None, "--no-llm") if no_llm else choose_model(os.environ)


def tokens_of(budget: str | None, choice: ModelChoice) -> int | None:
    """Return the tokens that ``budget`` buys from the chosen model; None if unlimited.

    Raises ``ValueError`` where it is neither tokens nor dollars, or the price of the model is not
    known.
    """
    if budget is None or choice.model is None:
        return None
    from index.models.pricing import budget_tokens

    return budget_tokens(budget, choice.model.name, local=choice.local)
