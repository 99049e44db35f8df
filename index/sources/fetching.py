"""Download the remote files of a manifest before anything is read.

Copies are stored where the manifest says (``Origin``). The next build asks the server whether a
file changed, unless its digest is pinned. A build always reads whole local files, so that it can be
repeated, and resumed after a broken download.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from index.sources import SOURCES
from index.sources.inputs import named_files
from index.sources.manifest import Manifest
from index.sources.manifest_paths import Origin, copy_of
from index.sources.tabular import fitting_layout
from ontology_etl.addresses import shown
from ontology_etl.releases.download import Retries, fetch, no_room, read_downloads, sha256_of
from ontology_etl.releases.transfer import DownloadProgress
from ontology_etl.remote.databases import TableCopy


@dataclass(frozen=True)
class CopyOptions:
    """How inputs are fetched; ``pins`` are digests of copies by the file names of an index."""

    progress: DownloadProgress | None = None
    retries: Retries = field(default_factory=Retries)
    pins: Mapping[str, str] = field(default_factory=dict)
    say: Callable[[str], None] = lambda _: None


def fetch_inputs(manifest: Manifest, fetching: CopyOptions | None = None) -> Manifest:
    """Return ``manifest`` with a copy of everything that is elsewhere at its place.

    Raises ``DownloadError`` naming the address and what to do.
    """
    how = fetching or CopyOptions()
    listed = {place: _listed(place, origin, how) for place, origin in manifest.origins.items()}
    whole = _expanded(manifest, listed)
    names = named_files(whole)

    of_databases: dict[str, list[TableCopy]] = {}
    for place, origin in whole.origins.items():
        pin = origin.sha256 or how.pins.get(names[place])
        if not origin.relation:
            fetch(
                origin.url,
                place.parent,
                licence="",
                sha256=pin,
                progress=how.progress,
                retries=how.retries,
            )
        elif pin is None or not place.is_file() or sha256_of(place) != pin:
            of_databases.setdefault(origin.url, []).append(_table_copy(place, origin))
    for url, copies in of_databases.items():
        _copy_tables(url, copies, how)
    return whole


def origin_entries(manifest: Manifest) -> dict[str, str]:
    """Return what an index notes of the files that were fetched: their addresses, by file name."""
    names = named_files(manifest)
    return {
        f"path.origin.{names[place]}": origin.shown for place, origin in manifest.origins.items()
    }


def state_entries(manifest: Manifest) -> dict[str, str]:
    """Return what servers called the state of the files that were fetched, and when that was.

    This is not part of the content of an index: the same bytes may be sent under another name.
    """
    names = named_files(manifest)
    entries = {}
    for place in manifest.origins:
        entry = read_downloads(place.parent).get(place.name)
        if entry is not None:
            entries[f"path.state.{names[place]}"] = f"{entry.fetched_at} {entry.validator}".strip()
    return entries


def _listed(place: Path, origin: Origin, how: CopyOptions) -> dict[Path, Origin]:
    """Return what ``origin`` names, or its pattern matches, by the places of copies."""
    if not origin.is_pattern:
        return {place: origin}
    from ontology_etl.remote.objects import list_objects

    downloads = place.parents[1]
    urls = list_objects(origin.url, timeout_s=how.retries.timeout_s)
    return {copy_of(url, downloads): Origin(url=url) for url in urls}


def _expanded(manifest: Manifest, listed: Mapping[Path, Mapping[Path, Origin]]) -> Manifest:
    """Return ``manifest`` with the files that each of its addresses names, by their copies."""
    inputs = [
        item.model_copy(update={"path": place})
        for item in manifest.inputs
        for place in listed.get(item.path, (item.path,))
    ]
    origins = {place: origin for found in listed.values() for place, origin in found.items()}
    return manifest.model_copy(update={"inputs": tuple(inputs), "origins": origins})


def _copy_tables(url: str, copies: list[TableCopy], how: CopyOptions) -> None:
    from ontology_etl.remote.databases import copy_tables

    try:
        copied = copy_tables(url, copies, progress=how.progress, retries=how.retries)
    except OSError as error:
        raise no_room(shown(url), copies[0].target.parent, error) from error
    for copy in copied:
        how.say(f"{copy.target.name}: {copy.sent:,} of {copy.rows:,} rows sent")


def _table_copy(place: Path, origin: Origin) -> TableCopy:
    """Return what is copied of a table: the columns that its format reads, all of them where it
    takes the others for something.
    """

    def choose(header: Sequence[str]) -> Sequence[str]:
        layout = fitting_layout(origin.shown, header, SOURCES[origin.format].layouts)
        return header if layout.rest else [name for name in header if name in layout.names]

    return TableCopy(place, origin.relation, choose, origin.since)
