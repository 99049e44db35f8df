"""Files fetched to data/raw: resumed where they broke off and checked against their sha256.

The only module of ``ontology_etl`` that uses the network. A download grows as ``NAME.part``, with
the validator that the server gave it (strong ETag or Last-Modified, RFC 9110) in
``NAME.part.json``; the name itself appears only when the file is whole and its digest is right.
``manifest.json`` lists what was fetched.
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
        """Take the name of the file, the bytes so far and the bytes in all.

        ``total`` is None where the server does not say it.
        """


@dataclass(frozen=True)
class Fetched:
    """What the manifest says of a file.

    ``validator`` is "" where the server gave none; ``fetched_at`` is UTC.
    """

    url: str
    sha256: str
    size: int
    licence: str
    validator: str
    fetched_at: str


@dataclass(frozen=True)
class Retries:
    """How often a download is tried, how long it waits between (doubled each time) and for data."""

    attempts: int = 5
    wait_s: float = 1.0
    timeout_s: float = 60.0


class _BrokenOffError(Exception):
    """The transfer ended early; a later attempt may go on from there."""


def fetch_ontologies(
    config: OntologyConfig, folder: Path, *, progress: Progress | None = None
) -> dict[str, Path]:
    """Return the file of each ontology of ``config``: its local path, else fetched."""
    files = {}
    for source in config.sources():
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
    progress: Progress | None = None,
    retries: Retries | None = None,
) -> Path:
    """Return the file of ``url`` in ``folder``, fetched unless the file there is still right.

    A file that has the pinned ``sha256`` is not asked for again; without a pin the server says
    whether it changed. A download that broke off is resumed by the next attempt, and by a later
    call.

    Raises ``DownloadError``: no such file, unreachable, cut short each time, or another digest than
    the pinned one.
    """
    retries = retries or Retries()
    target = folder / _file_name(url)
    folder.mkdir(parents=True, exist_ok=True)
    known = _intact(target, url, sha256)
    if known and sha256:
        return target
    part = _Part(target, url)
    reason = ""
    for attempt in range(retries.attempts):
        if attempt:
            time.sleep(retries.wait_s * 2 ** (attempt - 1))
        try:
            changed = _transfer(
                part,
                known,
                timeout_s=retries.timeout_s,
                progress=progress,
            )
        except _BrokenOffError as error:
            reason = str(error)
        else:
            return _finish(part, licence, sha256) if changed else target
    raise DownloadError(url, f"{reason} ({retries.attempts} attempts)", remedy=part.remedy())


def read_manifest(folder: Path) -> dict[str, Fetched]:
    """Return what was fetched to ``folder``, by file name."""
    manifest = folder / MANIFEST
    if not manifest.exists():
        return {}
    entries = json.loads(manifest.read_text())
    return {name: Fetched(**entry) for name, entry in entries.items()}


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
        if not self.path.exists():
            return 0
        return self.path.stat().st_size

    def validator(self) -> str:
        """Return what the server called the state of the file that the bytes belong to.

        It is "" where they cannot be resumed.
        """
        if not (self.size() and self.note.exists()):
            return ""
        note = json.loads(self.note.read_text())
        return str(note["validator"]) if note["url"] == self.url else ""

    def begin(self, validator: str) -> None:
        self.discard()
        note = {"url": self.url, "validator": validator}
        self.note.write_text(json.dumps(note))

    def discard(self) -> None:
        self.path.unlink(missing_ok=True)
        self.note.unlink(missing_ok=True)

    def remedy(self) -> str:
        """Return what to do about a download that did not end."""
        size = self.size()
        if size:
            return f"run it again: it resumes after the {size} bytes that came"
        return _remedy(self.target)


def _file_name(url: str) -> str:
    parts = urlsplit(url)
    name = Path(parts.path).name
    if parts.scheme not in ("http", "https") or not name:
        remedy = "give an https address, or set a local path"
        raise DownloadError(url, "not the address of a file", remedy=remedy)
    return name


def _transfer(
    part: _Part, known: Fetched | None, *, timeout_s: float, progress: Progress | None
) -> bool:
    """Bring ``part`` to its end; return False where the server says that ``known`` is current.

    Raises ``_BrokenOffError`` for what may pass, ``DownloadError`` for what will not.
    """
    request = urllib.request.Request(
        part.url,
        headers=_headers(part, known),
    )
    try:
        with urllib.request.urlopen(request, timeout=timeout_s) as response:
            _receive(response, part, progress)
    except urllib.error.HTTPError as error:
        error.close()
        if error.code == _NOT_MODIFIED:
            return False
        _judge_status(error, part)
    except (urllib.error.URLError, HTTPException, ConnectionError, TimeoutError) as error:
        raise _BrokenOffError(str(error) or type(error).__name__) from error
    return True


def _judge_status(error: urllib.error.HTTPError, part: _Part) -> None:
    """Raise what an HTTP status means; after a refused range the next attempt starts anew."""
    reason = f"HTTP {error.code} {error.reason}"
    if error.code == _RANGE_REFUSED:
        part.discard()
    elif error.code not in _PASSING:
        raise DownloadError(part.url, reason, remedy=_remedy(part.target)) from error
    raise _BrokenOffError(reason) from error


def _headers(part: _Part, known: Fetched | None) -> dict[str, str]:
    """Return the request's headers: resume what was begun, else ask whether ``known`` changed."""
    headers = {"User-Agent": "virome-graphrag", "Accept-Encoding": "identity"}
    validator = part.validator()
    if validator:
        headers["Range"] = f"bytes={part.size()}-"
        headers["If-Range"] = validator
    elif known and known.validator:
        is_etag = known.validator.startswith('"')
        condition = "If-None-Match" if is_etag else "If-Modified-Since"
        headers[condition] = known.validator
    return headers


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
        raise _BrokenOffError(f"ended after {done} of {total} bytes")


def _validator_of(response: HTTPResponse) -> str:
    """Return the strong ETag of the response, else its Last-Modified, else ""."""
    etag = response.headers["ETag"] or ""
    if etag.startswith('"'):
        return etag
    return response.headers["Last-Modified"] or ""


def _finish(part: _Part, licence: str, sha256: str | None) -> Path:
    """Give a whole download its name and list it in the manifest.

    Raises ``DownloadError``, and discards the download, where its digest is not the pinned one.
    """
    found = sha256_of(part.path)
    if sha256 is not None and found != sha256:
        part.discard()
        remedy = "correct the pin if the release was meant to change; otherwise fetch it again"
        raise DownloadError(part.url, f"sha256 is {found}, pinned is {sha256}", remedy=remedy)
    entry = Fetched(
        url=part.url,
        sha256=found,
        size=part.size(),
        licence=licence,
        validator=json.loads(part.note.read_text())["validator"],
        fetched_at=datetime.now(UTC).isoformat(timespec="seconds"),
    )
    os.replace(part.path, part.target)
    part.note.unlink()
    _list_in_manifest(part.target, entry)
    return part.target


def _list_in_manifest(target: Path, entry: Fetched) -> None:
    folder = target.parent
    entries = {name: asdict(known) for name, known in read_manifest(folder).items()}
    entries[target.name] = asdict(entry)
    written = folder / f"{MANIFEST}.new"
    written.write_text(json.dumps(entries, indent=2, sort_keys=True) + "\n")
    os.replace(written, folder / MANIFEST)


def _intact(target: Path, url: str, sha256: str | None) -> Fetched | None:
    """Return the manifest's entry of ``target`` if the file is what it describes, else None.

    With a pinned ``sha256`` the file must have that, too.
    """
    known = read_manifest(target.parent).get(target.name)
    if known is None or known.url != url:
        return None
    if not target.exists() or target.stat().st_size != known.size:
        return None
    if sha256 is not None and sha256 != known.sha256:
        return None
    return known if sha256_of(target) == known.sha256 else None


def _remedy(target: Path) -> str:
    return (
        "check the address, or fetch the file by hand and set its path in the inputs manifest "
        f"(wanted: {target.name})"
    )
