"""Files fetched to data/raw: resumed where they broke off, checked against their sha256, listed in
a manifest.

The only module of ``ontology_etl`` that uses the network. A download grows as ``NAME.part``, with
the validator that the server gave it (strong ETag or Last-Modified, RFC 9110) in
``NAME.part.json``; the name itself appears only when the file is whole and its digest is right.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
import urllib.error
import urllib.request
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from http.client import HTTPException, HTTPResponse
from pathlib import Path
from typing import Final, Protocol
from urllib.parse import urlsplit

from ontology_etl.config import OntologyConfig
from ontology_etl.errors import DownloadError

RAW: Final = Path("data/raw")
"""Where fetched files are kept unless said otherwise."""
MANIFEST: Final = "manifest.json"

_BLOCK: Final = 1 << 20
_NOT_MODIFIED: Final = 304
_PARTIAL: Final = 206
_RANGE_REFUSED: Final = 416
_PASSING: Final = (408, 425, 429, 500, 502, 503, 504)


class Progress(Protocol):
    """What is called after every block."""

    def __call__(self, name: str, done: int, total: int | None) -> None:
        """Take the name of the file, bytes so far, and bytes in all (None where the server does not
        say).
        """


@dataclass(frozen=True)
class Fetched:
    """What the manifest says of a file; ``validator`` is "" where the server gave none,
    ``fetched_at`` is UTC.
    """

    url: str
    sha256: str
    size: int
    licence: str
    validator: str
    fetched_at: str


class _CutShortError(Exception):
    """The connection ended before the whole body had come."""


def fetch_ontologies(
    config: OntologyConfig, folder: Path, *, progress: Progress | None = None
) -> dict[str, Path]:
    """Return the file of each ontology of ``config``: its local path where one is set, else fetched
    to ``folder``.
    """
    return {
        source.name: source.path
        or fetch(
            source.url, folder, licence=source.licence, sha256=source.sha256, progress=progress
        )
        for source in config.sources()
    }


def fetch(
    url: str,
    folder: Path,
    *,
    licence: str,
    sha256: str | None = None,
    progress: Progress | None = None,
    attempts: int = 5,
    wait_s: float = 1.0,
    timeout_s: float = 60.0,
) -> Path:
    """Return the path of the file of ``url`` in ``folder``, fetched unless the one there is still
    the right one.

    With a pinned ``sha256`` a file that has it is not asked for again; without one the server says
    whether it changed. What broke off is resumed after ``wait_s``, doubled each time, up to
    ``attempts`` times, and by a later call.

    Raises ``DownloadError``: no such file, unreachable, cut short each time, or another digest than
    the pinned one.
    """
    name = Path(urlsplit(url).path).name
    if urlsplit(url).scheme not in ("http", "https") or not name:
        raise DownloadError(
            url, "not the address of a file", remedy="give an http(s) address, or set a local path"
        )
    folder.mkdir(parents=True, exist_ok=True)
    known = _intact(folder / name, url, sha256)
    if known and sha256:
        return folder / name
    part = _Part(folder / name, url)
    for attempt in range(attempts):
        try:
            changed = _transfer(part, known, timeout_s=timeout_s, progress=progress)
        except urllib.error.HTTPError as error:
            if error.code == _RANGE_REFUSED:
                part.discard()
            elif error.code not in _PASSING:
                raise DownloadError(
                    url, f"HTTP {error.code} {error.reason}", remedy=_remedy(folder / name)
                ) from error
            reason = f"HTTP {error.code} {error.reason}"
        except (
            urllib.error.URLError,
            HTTPException,
            ConnectionError,
            TimeoutError,
            _CutShortError,
        ) as error:
            reason = str(error) or type(error).__name__
        else:
            return _finish(part, licence, sha256) if changed else folder / name
        if attempt + 1 < attempts:
            time.sleep(wait_s * 2**attempt)
    remedy = (
        f"run it again: it resumes after the {part.size()} bytes that came"
        if part.size()
        else _remedy(folder / name)
    )
    raise DownloadError(url, f"{reason} ({attempts} attempts)", remedy=remedy)


def read_manifest(folder: Path) -> dict[str, Fetched]:
    """Return what was fetched to ``folder``, by file name."""
    manifest = folder / MANIFEST
    if not manifest.exists():
        return {}
    return {name: Fetched(**entry) for name, entry in json.loads(manifest.read_text()).items()}


def sha256_of(path: Path) -> str:
    """Return the sha256 of a file as 64 hexadecimal digits."""
    with path.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


@dataclass(frozen=True)
class _Part:
    """The unfinished download of ``url`` that will become ``target``."""

    target: Path
    url: str

    @property
    def path(self) -> Path:
        return self.target.with_name(f"{self.target.name}.part")

    @property
    def note(self) -> Path:
        return self.target.with_name(f"{self.target.name}.part.json")

    def size(self) -> int:
        return self.path.stat().st_size if self.path.exists() else 0

    def validator(self) -> str:
        """Return what the server called the state that the bytes belong to; "" where they cannot be
        resumed.
        """
        if not (self.size() and self.note.exists()):
            return ""
        note = json.loads(self.note.read_text())
        return str(note["validator"]) if note["url"] == self.url else ""

    def begin(self, validator: str) -> None:
        self.discard()
        self.note.write_text(json.dumps({"url": self.url, "validator": validator}))

    def discard(self) -> None:
        self.path.unlink(missing_ok=True)
        self.note.unlink(missing_ok=True)


def _transfer(
    part: _Part, known: Fetched | None, *, timeout_s: float, progress: Progress | None
) -> bool:
    """Bring ``part`` to its end; return False where the server says that ``known`` is still
    current.
    """
    validator = part.validator()
    headers = {"User-Agent": "virome-graphrag", "Accept-Encoding": "identity"}
    if validator:
        headers |= {"Range": f"bytes={part.size()}-", "If-Range": validator}
    elif known and known.validator:
        headers |= {
            "If-None-Match"
            if known.validator.startswith('"')
            else "If-Modified-Since": known.validator
        }
    try:
        with urllib.request.urlopen(
            urllib.request.Request(part.url, headers=headers), timeout=timeout_s
        ) as response:
            _receive(response, part, progress)
    except urllib.error.HTTPError as error:
        if error.code == _NOT_MODIFIED:
            error.close()
            return False
        raise
    return True


def _receive(response: HTTPResponse, part: _Part, progress: Progress | None) -> None:
    if response.status != _PARTIAL:
        part.begin(_validator_of(response))
    done = part.size()
    length = response.headers["Content-Length"]
    total = done + int(length) if length else None
    with part.path.open("ab") as out:
        while block := response.read(_BLOCK):
            out.write(block)
            done += len(block)
            if progress is not None:
                progress(part.target.name, done, total)
    if total is not None and done != total:
        raise _CutShortError(f"ended after {done} of {total} bytes")


def _validator_of(response: HTTPResponse) -> str:
    etag = response.headers["ETag"] or ""
    return etag if etag.startswith('"') else response.headers["Last-Modified"] or ""


def _finish(part: _Part, licence: str, sha256: str | None) -> Path:
    """Publish a whole download under its name and in the manifest; one with another digest than
    pinned is discarded.
    """
    found = sha256_of(part.path)
    if sha256 is not None and found != sha256:
        part.discard()
        remedy = "correct the pin if the release was meant to change; otherwise fetch it again"
        raise DownloadError(part.url, f"sha256 is {found}, pinned is {sha256}", remedy=remedy)
    validator = json.loads(part.note.read_text())["validator"]
    now = datetime.now(UTC).isoformat(timespec="seconds")
    entry = Fetched(part.url, found, part.size(), licence, validator, now)
    os.replace(part.path, part.target)
    part.note.unlink()
    folder = part.target.parent
    entries = {name: asdict(known) for name, known in read_manifest(folder).items()} | {
        part.target.name: asdict(entry)
    }
    written = folder / f"{MANIFEST}.new"
    written.write_text(json.dumps(entries, indent=2, sort_keys=True) + "\n")
    os.replace(written, folder / MANIFEST)
    return part.target


def _intact(target: Path, url: str, sha256: str | None) -> Fetched | None:
    """Return the manifest's entry of ``target`` if the file is the one it describes and has the
    pinned digest.
    """
    known = read_manifest(target.parent).get(target.name)
    if (
        known is None
        or known.url != url
        or not target.exists()
        or target.stat().st_size != known.size
    ):
        return None
    return known if sha256_of(target) == known.sha256 and sha256 in (None, known.sha256) else None


def _remedy(target: Path) -> str:
    return (
        "check the address, or fetch the file by hand and set its path in the inputs manifest "
        f"(wanted: {target.name})"
    )
