"""Parts of stages computed by the workers of a Dask cluster.

    VIROME_DASK=tcp://scheduler:8786 VIROME_DASK_FOLDER=/shared/virome python -m flows.index

Dask is imported only where ``VIROME_DASK`` names a scheduler. A part whose worker dies is computed
by another one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from flows.errors import ClusterError
from flows.scaling.parts import Cluster
from flows.stages.fingerprint import code_digest
from index.annotation.annotate import PART_RUNS
from index.store.read import beside

if TYPE_CHECKING:
    from distributed import Client

SCHEDULER: Final = "VIROME_DASK"
FOLDER: Final = "VIROME_DASK_FOLDER"
RUNS: Final = "VIROME_DASK_RUNS"
CONNECT_S: Final = 30
_INSTALL: Final = "pip install 'virome-graphrag[dask]'"


def cluster_of(db: Path, environ: Mapping[str, str]) -> Cluster | None:
    """Return the cluster that ``environ`` names, None where it names none.

    Tables travel in the folder that it names, else in one beside the index ``db``.
    """
    address = environ.get(SCHEDULER)
    if not address:
        return None
    folder = Path(environ.get(FOLDER) or beside(db, "parts"))
    return Cluster(Workers(address), folder, part_runs=int(environ.get(RUNS, PART_RUNS)))


@dataclass(frozen=True)
class Workers:
    """The workers of the scheduler at ``address``."""

    address: str
    connect_s: int = CONNECT_S

    def __call__(
        self,
        name: str,
        work: Callable[[str], None],
        parts: Sequence[str],
    ) -> Iterator[str]:
        """Yield each of ``parts`` in order when a worker has done ``work`` on it.

        Raises what ``work`` raises, and ``ClusterError`` where no scheduler answers or workers have
        other code.
        """
        with self._connected() as client:
            keys = [f"{name}: {Path(part).name}" for part in parts]
            futures = client.map(work, parts, key=keys, pure=False)
            for part, future in zip(parts, futures, strict=True):
                future.result()
                yield part

    def _connected(self) -> Client:
        try:
            from distributed import Client
        except ImportError as error:
            raise ClusterError(self.address, "Dask is not installed", _INSTALL) from error
        try:
            client: Client = Client(  # type: ignore[no-untyped-call]
                self.address, timeout=self.connect_s, set_as_default=False
            )
        except OSError as error:
            remedy = f"start one: dask scheduler, dask worker {self.address}"
            raise ClusterError(self.address, "no scheduler answers", remedy) from error
        found = set(client.run(code_digest).values())
        if found and found != {code_digest()}:
            client.close()  # type: ignore[no-untyped-call]
            remedy = "install the same version on all machines and restart the workers"
            raise ClusterError(self.address, "workers have other code or libraries", remedy)
        return client
