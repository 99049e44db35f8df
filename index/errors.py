"""Errors of the index file and of models. Their root is in ``ontology_etl/errors.py``.

StoreError                       6   the index file cannot be used
├── IndexMissingError
├── IndexVersionError
├── IndexDamagedError
├── IndexTargetError                 what is at --db must not or cannot be overwritten
├── IndexBusyError
├── DamagedResultError               a stored result was altered; its stage runs again
└── DiskFullError
InputError                       3   ontology_etl/errors.py
└── EngineMissingError               the configured clustering engine is not installed
ModelError                       7   a model call gave no answer; the caller goes on without
├── ModelUnavailableError            nothing listens, or the key is refused
├── ModelTimeoutError
├── ModelRateLimitError
├── ModelRefusalError                refusal or content filter
├── ModelTruncatedError              ran into max_tokens
├── ModelJunkError                   not the requested JSON
├── BatchPendingError                the answer waits for a batch
├── BatchFailedError                 the provider will never finish the batch
└── BudgetError                      the budget does not cover the next call
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from ontology_etl.errors import InputError, ViromeError

if TYPE_CHECKING:
    from pydantic import ValidationError

BUILD: Final = "python -m flows.index --inputs MANIFEST.toml"
"""Builds an index anywhere, with a checkout or without."""


def first_fault(error: ValidationError) -> str:
    """Return the place and the words of the first fault that pydantic found."""
    first = error.errors()[0]
    return f"{'.'.join(map(str, first['loc']))}: {first['msg']}"


class EngineMissingError(InputError):
    """The clustering engine that the configuration asks for is not installed."""

    def __init__(self, engine: str) -> None:
        remedy = f"pip install 'virome-graphrag[{engine}]', or use --engine igraph"
        super().__init__(f"engine {engine}", "not installed", remedy=remedy)
        self.engine = engine


class StoreError(ViromeError):
    """The index file cannot be used."""

    exit_code = 6


class IndexMissingError(StoreError):
    """There is no index at the path."""

    def __init__(self, path: Path | str) -> None:
        super().__init__(
            f"{path}: no index here",
            remedy=f"build one: {BUILD} "
            "(a manifest for your files: python -m flows.inputs new FILE...), "
            "or name another: --db PATH",
        )
        self.path = Path(path)


class IndexVersionError(StoreError):
    """The file was built with another contract version."""

    def __init__(self, path: Path | str, *, found: str, expected: str) -> None:
        super().__init__(
            f"{path}: contract version {found}, this program reads {expected}",
            remedy=f"rebuild it: {BUILD} --db {path}",
        )
        self.path = Path(path)
        self.found = found


class IndexDamagedError(StoreError):
    """The file is not an index of this program, or cannot be read."""

    def __init__(self, path: Path | str, *, reason: str) -> None:
        super().__init__(
            f"{path}: cannot be read as an index ({reason})",
            remedy=f"rebuild it: {BUILD} --db {path}, or name another: --db PATH",
        )
        self.path = Path(path)
        self.reason = reason


class IndexTargetError(StoreError):
    """No index can be published at the path: something else is there."""

    def __init__(self, path: Path | str, *, reason: str) -> None:
        super().__init__(
            f"{path}: {reason}; nothing was built",
            remedy="name another file: --db PATH, or move away what is there",
        )
        self.path = Path(path)
        self.reason = reason


class IndexBusyError(StoreError):
    """Another build is writing at the same path."""

    def __init__(self, path: Path | str, *, pid: int) -> None:
        super().__init__(
            f"{path}: process {pid} is building this index",
            remedy="wait for it or stop it, then run again",
        )
        self.pid = pid


class DamagedResultError(StoreError):
    """A stored table differs from what the stage wrote."""

    def __init__(self, stage: str, *, table: str, reason: str) -> None:
        super().__init__(
            f"stored result of {stage}: {table} {reason}",
            remedy="build again: the stage then runs again",
        )
        self.stage = stage
        self.table = table
        self.reason = reason


class DiskFullError(StoreError):
    """The disk filled up while the index was being built; the published index is untouched."""

    def __init__(self, path: Path | str, *, reason: str) -> None:
        super().__init__(
            f"{path}: cannot write ({reason}); the published index is unchanged",
            remedy="free space and run again",
        )


class DatabaseMemoryError(StoreError):
    """A build needs more memory than DuckDB may take; the published index is untouched."""

    def __init__(self, path: Path | str, *, gigabytes: float, reason: str) -> None:
        super().__init__(
            f"{path}: a statement needs more than the {gigabytes:g} GB DuckDB may use ({reason}); "
            "the published index is unchanged",
            remedy="give it more: max_database_gb in the configuration (--config)",
        )


class ModelError(ViromeError):
    """A model call did not give an answer."""

    exit_code = 7

    def __init__(
        self, model: str, reason: str, *, remedy: str = "run again, or run with --no-llm"
    ) -> None:
        super().__init__(f"model {model}: {reason}", remedy=remedy)
        self.model = model
        self.reason = reason


class ModelUnavailableError(ModelError):
    """Nothing listens at the base URL, or the key is refused."""


class UnknownModelError(ModelError):
    """The gallery has no model of this name."""

    def __init__(self, name: str, *, known: list[str]) -> None:
        listed = ", ".join(known)
        super().__init__(name, "there is no such model", remedy=f"name one of {listed}")


class ModelFetchError(ModelError):
    """A model cannot be fetched, or was not fetched yet."""


class ModelTimeoutError(ModelError):
    """The model gave no answer within its time limit."""


class ModelRateLimitError(ModelError):
    """The provider's rate limit is reached; ``retry_after_s`` is what it requested, or None."""

    def __init__(
        self,
        model: str,
        reason: str,
        *,
        retry_after_s: float | None = None,
        remedy: str = "run again later",
    ) -> None:
        super().__init__(model, reason, remedy=remedy)
        self.retry_after_s = retry_after_s


class ModelRefusalError(ModelError):
    """The model refused, or the provider's content filter cut the answer."""


class BatchPendingError(ModelError):
    """There is no answer yet: the request waits for the next batch."""


class BatchFailedError(ModelError):
    """The provider will never finish the batch: it failed, expired, was cancelled or is gone."""


class ModelTruncatedError(ModelError):
    """The answer ran into ``max_tokens``."""


class ModelJunkError(ModelError):
    """The answer is not the expected JSON."""


class BudgetError(ModelError):
    """The budget does not cover the next call."""
