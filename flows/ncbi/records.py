"""Fetch what a build reads from NCBI: RunInfo of the runs, then their samples and projects."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from flows.ncbi.batches import (
    PROJECTS,
    RUNS,
    SAMPLES,
    RecordKind,
    batches_of,
    fetch_batch,
)
from index.sources import accessions
from ontology_etl.errors import InputError
from query.config import NcbiSettings
from query.entrez_search.client import Caller, Limits, NcbiClient, NcbiService
from query.entrez_search.recording import Recording

LIMITS: Final = Limits(attempts=5, longest_wait_s=120.0, timeout_s=120.0, most_bytes=200_000_000)
"""Of one request: a batch of samples is some megabytes."""
_RUN: Final = re.compile(accessions.RUN)
_FORM: Final = "write one run a line, as SRR000001"


@dataclass(frozen=True)
class FetchedRecords:
    """The files that were fetched, and the runs that NCBI does not know."""

    files: tuple[Path, ...]
    unknown: tuple[str, ...]


def fetch_records(
    service: NcbiService, runs: Sequence[str], folder: Path, *, say: Callable[[str], None]
) -> FetchedRecords:
    """Fetch the records of ``runs`` to ``folder`` in batches; complete batches are not fetched
    again.

    Raises ``DownloadError`` where NCBI does not answer; a later call goes on from there.
    """
    folder.mkdir(parents=True, exist_ok=True)
    fetched = _fetch_all(service, RUNS, runs, folder, say)
    rows = [row for path in fetched for row in _rows(path)]
    of_samples = [row["BioSample"] for row in rows if row["BioSample"]]
    of_projects = [row["BioProject"] for row in rows if row["BioProject"]]
    samples = _fetch_all(service, SAMPLES, of_samples, folder, say)
    projects = _fetch_all(service, PROJECTS, of_projects, folder, say)
    unknown = sorted(set(runs) - {row["Run"] for row in rows})

    return FetchedRecords((*fetched, *samples, *projects), tuple(unknown))


def service_of(settings: NcbiSettings) -> NcbiService:
    """Return NCBI, or the recorded answers that ``settings`` name."""
    if settings.replay is not None:
        return Recording(settings.replay)
    return NcbiClient(Caller(settings.email, settings.api_key), limits=LIMITS)


def read_accessions(path: Path) -> list[str]:
    """Return the run accessions of a file: the first word or cell of each line.

    A first line that is none is a header. Raises ``InputError`` naming the row of any other.
    """
    text = path.read_text("utf-8", errors="replace")
    firsts = [line.replace(",", " ").split()[:1] for line in text.splitlines()]

    runs = []
    for number, first in enumerate(firsts, start=1):
        is_run = bool(first) and _RUN.match(first[0]) is not None
        if is_run:
            runs.append(first[0])
        elif first and number > 1:
            raise InputError(path, f"{first[0]!r} is not a run accession", row=number, remedy=_FORM)
    if not runs:
        raise InputError(path, "names no run", remedy=_FORM)
    return runs


def _fetch_all(
    service: NcbiService,
    kind: RecordKind,
    wanted: Sequence[str],
    folder: Path,
    say: Callable[[str], None],
) -> list[Path]:
    """Return the files of all batches of ``wanted``."""
    batches = list(batches_of(wanted))
    files = []
    for number, batch in enumerate(batches, start=1):
        path = fetch_batch(service, kind, batch, folder)
        say(f"{kind.name}: batch {number} of {len(batches)}")
        if path is not None:
            files.append(path)
    return files


def _rows(path: Path) -> Iterator[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as lines:
        yield from csv.DictReader(lines)
