"""How questions are answered: one frozen value, made at an entry point and passed down as plain
arguments.

A dataclass rather than a pydantic model: the command line starts in a fraction of the time.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from index.exposure import DEFAULT_POLICY, RISK_POLICY, RiskPolicy, policy_named
from index.store.read import answers_beside, default_index
from query.errors import UnknownPolicyError

if TYPE_CHECKING:
    from index.models.choose import ModelChoice

ALL_POINTS: Final = 1_000_000
"""Number of points of an answer that leaves none out."""
SILENCE_S: Final = 60.0


def usual_policy(environment: Mapping[str, str] = os.environ) -> RiskPolicy:
    """Return the policy that ``VIROME_RISK_POLICY`` names, else the default.

    Raises ``UnknownPolicyError`` if it names none: a typing error must not open the gate.
    """
    name = environment.get(RISK_POLICY) or DEFAULT_POLICY.name
    try:
        return policy_named(name)
    except ValueError as error:
        raise UnknownPolicyError(str(error)) from error


@dataclass(frozen=True, slots=True)
class QueryConfig:
    """Everything an answer depends on, apart from the index and the question."""

    max_communities: int = 40
    """Communities read at most; the rest is counted as skipped."""
    max_points: int = 3
    """Points an answer shows; all of them are in the JSON."""
    max_associations: int = 8
    batch_tokens: int = 12_000
    reduce_tokens: int = 12_000
    point_tokens: int = 900
    answer_tokens: int = 900
    policy: RiskPolicy = field(default_factory=usual_policy)
    """What a model may see, as in a build: the other communities are answered from facts."""
    silence_s: float = SILENCE_S
    """Seconds without an answer of an endpoint after which a question is answered from facts."""

    @property
    def shows_all(self) -> bool:
        """Whether an answer leaves nothing out."""
        return self.max_points >= ALL_POINTS


@dataclass(frozen=True, slots=True)
class NcbiSettings:
    """Who asks NCBI; ``replay`` is a recording that answers instead, so that nothing is sent."""

    replay: Path | None = None
    email: str = ""
    api_key: str = ""


def silence_limit(environment: Mapping[str, str] = os.environ) -> float:
    """Return ``VIROME_PATIENCE_S``, the seconds to wait for a silent endpoint; else a minute."""
    try:
        seconds = float(environment.get("VIROME_PATIENCE_S", SILENCE_S))
    except ValueError:
        return SILENCE_S
    return seconds if 0 < seconds < math.inf else SILENCE_S


def named_database(option: Path | None, environment: Mapping[str, str] = os.environ) -> Path | None:
    """Return the index that the option names, else ``VIROME_DB``; None where neither does."""
    named = environment.get("VIROME_DB")
    return option or (Path(named) if named else None)


def database_path(option: Path | None, environment: Mapping[str, str] = os.environ) -> Path:
    """Return the index to open: the one named, else the published one, else the demo's."""
    return named_database(option, environment) or default_index()


def cache_path(db: Path, environment: Mapping[str, str] = os.environ) -> Path:
    """Return the file of paid model answers: ``VIROME_CACHE``, else the one next to the index."""
    return Path(environment.get("VIROME_CACHE") or answers_beside(db))


def documents_path(db: Path, environment: Mapping[str, str] = os.environ) -> Path:
    """Return the file of the user's documents: ``VIROME_DOCUMENTS``, else next to the index."""
    named = environment.get("VIROME_DOCUMENTS")
    return Path(named) if named else db.with_name(f"{db.name}.documents.duckdb")


def ncbi_settings(environment: Mapping[str, str] = os.environ) -> NcbiSettings:
    """Return the settings for NCBI: VIROME_ENTREZ_REPLAY, NCBI_EMAIL and NCBI_API_KEY."""
    replay = environment.get("VIROME_ENTREZ_REPLAY")
    return NcbiSettings(
        replay=Path(replay) if replay else None,
        email=environment.get("NCBI_EMAIL", ""),
        api_key=environment.get("NCBI_API_KEY", ""),
    )


def model_choice(environment: Mapping[str, str] = os.environ) -> ModelChoice:
    """Return the model that the environment configures (``index.models.choose``)."""
    from index.models.choose import choose_model

    return choose_model(environment)
