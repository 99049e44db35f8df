"""Parts of stages computed by the workers of a Dask cluster.

    VIROME_DASK=tcp://scheduler:8786 VIROME_DASK_FOLDER=/shared/virome python -m flows.index

Dask is imported only where ``VIROME_DASK`` names a scheduler. A part whose worker dies is computed
by another one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from flows.errors import ClusterError
from flows.fingerprint import code_digest
from flows.scaling.parts import Cluster, Computing
from index.annotation.annotate import PART_RUNS
from index.store.read import beside

if TYPE_CHECKING:
    from distributed import Client

SCHEDULER: Final = "VIROME_DASK"
FOLDER: Final = "VIROME_DASK_FOLDER"
RUNS: Final = "VIROME_DASK_RUNS"
CONNECT_S: Final = 30
_INSTALL: Final = "pip install 'virome-graphrag[dask]'"


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
        with explained(self.address):
            from distributed import Client

            client: Client = Client(  # type: ignore[no-untyped-call]
                self.address, timeout=self.connect_s, set_as_default=False
            )
        try:
            check_code(client, self.address)
        except ClusterError:
            client.close()  # type: ignore[no-untyped-call]
            raise
        return client


def cluster_of(
    db: Path, environ: Mapping[str, str], *, workers: Callable[[str], Computing] = Workers
) -> Cluster | None:
    """Return the cluster that ``environ`` names, or None.

    Its ``workers`` are reached by the address of their scheduler. Tables travel in the folder that
    ``environ`` names, else in one next to the index ``db``.
    """
    address = environ.get(SCHEDULER)
    if not address:
        return None
    folder = Path(environ.get(FOLDER) or beside(db, "parts"))
    part_runs = int(environ.get(RUNS, PART_RUNS))
    return Cluster(workers(address), folder, part_runs=part_runs)


@contextmanager
def explained(address: str) -> Iterator[None]:
    """Raise ``ClusterError`` if Dask is not installed or no scheduler answers at ``address``."""
    try:
        yield
    except ImportError as error:
        raise ClusterError(address, "Dask is not installed", _INSTALL) from error
    except OSError as error:
        remedy = f"start one: dask scheduler, dask worker {address}"
        raise ClusterError(address, "no scheduler answers", remedy) from error


def check_code(client: Client, address: str) -> None:
    """Raise ``ClusterError`` if workers have other code or libraries than this process."""
    found = set(client.run(code_digest).values())
    if found and found != {code_digest()}:
        remedy = "install the same version on all machines and restart the workers"
        raise ClusterError(address, "workers have other code or libraries", remedy)
