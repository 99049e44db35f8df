"""Download files to data/raw: resumed after a break, and checked against their sha256.

In this package only this, ``transfer`` and ``remote`` use the network. A file gets its name when it
is whole and its digest is right; ``manifest.json`` lists what was fetched. Processes that fetch to
the same folder wait for each other.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from ontology_etl.addresses import (
    DATABASES,
    OBJECTS,
    fault_of,
    file_name,
    scheme_of,
    shown,
)
from ontology_etl.config import OntologyConfig
from ontology_etl.errors import DownloadError
from ontology_etl.releases.transfer import (
    BrokenOffError,
    DownloadProgress,
    PartialDownload,
    transfer,
)

RAW: Final = Path("data/raw")
"""Where fetched files are stored by default."""
MANIFEST: Final = "manifest.json"


@dataclass(frozen=True)
class Fetched:
    """The manifest entry of a file; ``validator`` may be "", ``fetched_at`` is UTC."""

    url: str
    sha256: str
    size: int
    licence: str
    validator: str
    fetched_at: str


@dataclass(frozen=True)
class Retries:
    """How often to try a download, and the seconds to wait between tries and for data."""

    attempts: int = 5
    wait_s: float = 1.0
    """Doubled each time, and at least as long as the server asks."""
    timeout_s: float = 60.0


def fetch_ontologies(
    config: OntologyConfig, folder: Path, *, progress: DownloadProgress | None = None
) -> dict[str, Path]:
    """Return the file of each ontology of ``config``, downloaded if it has no local path."""
    files = {}
    for source in config.listed:
        files[source.name] = source.path or fetch(
            source.url, folder, licence=source.licence, sha256=source.sha256, progress=progress
        )
    return files


def fetch(
    url: str,
    folder: Path,
    *,
    licence: str,
    sha256: str | None = None,
    progress: DownloadProgress | None = None,
    retries: Retries | None = None,
) -> Path:
    """Return the file of ``url`` in ``folder``, downloaded unless it is still valid.

    A file with the pinned ``sha256`` is not requested again; without a pin the server says whether
    it changed. A later call resumes a broken download. Raises ``DownloadError``, also for a digest
    that is not the pinned one.
    """
    target = folder / _file_name(url)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with _alone_in(folder):
            return _fetch_to(target, url, licence, sha256, progress, retries or Retries())
    except OSError as error:
        raise no_room(shown(url), folder, error) from error


def no_room(address: str, folder: Path, error: OSError) -> DownloadError:
    """Return the error for a ``folder`` that is full or cannot be written to."""
    remedy = f"make room or repair {folder}; VIROME_DOWNLOADS names another folder"
    return DownloadError(address, str(error), remedy=remedy)


def _fetch_to(
    target: Path,
    url: str,
    licence: str,
    sha256: str | None,
    progress: DownloadProgress | None,
    retries: Retries,
) -> Path:
    """Return ``target`` once it is the file of ``url``; raises as ``fetch``."""
    known = _intact(target, url, sha256)
    if known and sha256:
        return target
    send = transfer
    if scheme_of(url) == OBJECTS:
        from ontology_etl.remote.objects import transfer_object

        send = transfer_object
    part = PartialDownload(target, url)
    validator = known.validator if known else None
    reason, asked_s = "", 0.0
    for attempt in range(retries.attempts):
        if attempt:
            time.sleep(max(asked_s, retries.wait_s * 2 ** (attempt - 1)))
        try:
            changed = send(part, validator, timeout_s=retries.timeout_s, progress=progress)
        except BrokenOffError as error:
            reason, asked_s = str(error), error.wait_s
        else:
            return _finish(part, licence, sha256) if changed else target
    raise DownloadError(part.shown, f"{reason} ({retries.attempts} attempts)", remedy=part.remedy())


@contextmanager
def _alone_in(folder: Path) -> Iterator[None]:
    """Make other processes that fetch to ``folder`` wait for their turn."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def read_downloads(folder: Path) -> dict[str, Fetched]:
    """Return the files fetched to ``folder``, by name; empty if its list is damaged."""
    try:
        entries = json.loads((folder / MANIFEST).read_bytes())
        return {name: Fetched(**entry) for name, entry in entries.items()}
    except (FileNotFoundError, ValueError, TypeError, AttributeError):
        return {}


def note_download(target: Path, entry: Fetched) -> None:
    """Add ``target`` to the list of downloads in its folder."""
    folder = target.parent
    entries = {name: asdict(known) for name, known in read_downloads(folder).items()}
    entries[target.name] = asdict(entry)
    written = folder / f"{MANIFEST}.new"
    written.write_text(json.dumps(entries, indent=2, sort_keys=True) + "\n")
    os.replace(written, folder / MANIFEST)


def sha256_of(path: Path) -> str:
    """Return the sha256 of a file as 64 hexadecimal digits."""
    with path.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


def _file_name(url: str) -> str:
    fault = fault_of(url)
    if fault is not None or scheme_of(url) in DATABASES:
        remedy = "give an https address, or set a local path"
        raise DownloadError(shown(url), "not the address of a file", remedy=remedy)
    return file_name(url)


def _finish(part: PartialDownload, licence: str, sha256: str | None) -> Path:
    """Give a complete download its name and list it; raise without it if its digest is wrong."""
    found = sha256_of(part.path)
    if sha256 is not None and found != sha256:
        part.discard()
        remedy = "correct the pin if the release was meant to change; otherwise fetch it again"
        raise DownloadError(part.shown, f"sha256 is {found}, pinned is {sha256}", remedy=remedy)
    entry = Fetched(
        url=part.url,
        sha256=found,
        size=part.size(),
        licence=licence,
        validator=part.noted().get("validator", ""),
        fetched_at=datetime.now(UTC).isoformat(timespec="seconds"),
    )
    os.replace(part.path, part.target)
    part.note.unlink(missing_ok=True)
    note_download(part.target, entry)
    return part.target


def _intact(target: Path, url: str, sha256: str | None) -> Fetched | None:
    """Return the manifest entry of ``target`` if the file still has its size and digests."""
    known = read_downloads(target.parent).get(target.name)
    if known is None or known.url != url:
        return None
    if not target.exists() or target.stat().st_size != known.size:
        return None
    if sha256 is not None and sha256 != known.sha256:
        return None
    return known if sha256_of(target) == known.sha256 else None
