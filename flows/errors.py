"""Errors of running a build. The root is in ``ontology_etl/errors.py``.

ShrinkError                      9   the build lost too much of what the published index holds
NoServerError                   10   no Prefect server answers
UnequalError                    12   an index is not what its inputs give
ClusterError                    10   a Dask cluster cannot compute parts of stages
StageTimeoutError               13   a stage took longer than it may
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ontology_etl.errors import ViromeError

if TYPE_CHECKING:
    from flows.shrink import Loss
    from index.store.catalogue import UnequalObject
    from index.store.compare import UnequalRow


class ShrinkError(ViromeError):
    """The build lost too much of the published index; ``held`` is the path of the unpublished
    result.
    """

    exit_code = 9

    def __init__(self, path: Path, *, losses: Sequence[Loss], held: Path) -> None:
        lost = " and ".join(str(loss) for loss in losses)
        super().__init__(
            f"{path}: this build would lose {lost}; the published index is unchanged",
            remedy="look at what was built, not yet interpreted by a model: "
            f"query communities --db {held}\n"
            "  -> to publish such a build: --accept-shrink "
            "(deployment: --param accept_shrink=true)",
        )
        self.path = path
        self.losses = tuple(losses)
        self.held = held


class UnequalError(ViromeError):
    """The index at ``path`` differs from what its inputs give."""

    exit_code = 12

    def __init__(self, path: Path, difference: UnequalRow | UnequalObject) -> None:
        super().__init__(
            f"{path}: {difference.place} differs\n"
            f"  recorded: {difference.recorded}\n"
            f"  rebuilt:  {difference.rebuilt}",
            remedy="build it again: python -m flows.index --force --inputs MANIFEST.toml",
        )
        self.path = path
        self.difference = difference


class NoServerError(ViromeError):
    """No Prefect server answers at ``url``."""

    exit_code = 10

    def __init__(self, url: str) -> None:
        super().__init__(
            f"no Prefect server answers at {url}",
            remedy="start one: prefect server start (or name another: export PREFECT_API_URL=…)",
        )
        self.url = url


class ClusterError(ViromeError):
    """The Dask cluster of the scheduler at ``address`` cannot be used."""

    exit_code = 10

    def __init__(self, address: str, reason: str, remedy: str) -> None:
        super().__init__(f"Dask cluster {address}: {reason}", remedy=remedy)
        self.address = address


class StageTimeoutError(ViromeError):
    """The stage ``stage`` took longer than ``seconds``; what was published is unchanged."""

    exit_code = 13

    def __init__(self, stage: str, *, seconds: float) -> None:
        super().__init__(
            f"{stage}: stopped after {seconds:g} s; the published index is unchanged",
            remedy="run it again: it resumes after the last finished stage; "
            "a longer limit: max_stage_s in the configuration (--config)",
        )
        self.stage = stage
        self.seconds = seconds
