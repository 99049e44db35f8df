"""Paths of a manifest: relative to it, with ``$VIROME_SHARED_DATA`` filled in, globs expanded.

A path may be an address (https://, s3://, postgresql://). It then names the copy that is fetched
before a build reads (``index.sources.fetching``): below ``$VIROME_DOWNLOADS``, or data/raw.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from string import Template
from typing import Final

from pydantic import Field

from ontology_etl.addresses import (
    DATABASES,
    OBJECTS,
    copy_folder,
    fault_of,
    file_name,
    is_plain,
    scheme_of,
    shown,
)
from ontology_etl.errors import ManifestError, MissingFileError
from ontology_etl.frozen import Frozen
from ontology_etl.releases.download import RAW
from ontology_etl.remote.databases import quoted_table

SHARED_DATA: Final = "VIROME_SHARED_DATA"
DOWNLOADS: Final = "VIROME_DOWNLOADS"
_LONGEST: Final = 2_000
"""Characters of a path; no file system takes twice as many."""
_SHOWN: Final = 200


class Origin(Frozen):
    """Where a file comes from that is fetched, and the digest that it must have.

    ``relation`` is what is read of a database, in SQL: a table, or a query in parentheses; of
    ``format`` are its columns, and ``since`` is one that only grows.
    """

    url: str
    sha256: str | None = Field(None, pattern="^[0-9a-f]{64}$")
    is_pattern: bool = False
    relation: str = ""
    format: str = ""
    since: str = ""

    @property
    def shown(self) -> str:
        """The address as it may be shown, with what is read of a database."""
        return f"{shown(self.url)} {self.relation}".strip()


@dataclass
class Places:
    """Resolves the paths and addresses in the manifest at ``manifest``, and notes addresses in
    ``origins``.
    """

    manifest: Path
    shared: str
    downloads: Path
    origins: dict[Path, Origin] = field(default_factory=dict)

    def local(self, text: str) -> Path:
        """Return the path that ``text`` is on this machine, whether or not something is there.

        Raises ``ManifestError`` for a symbolic link in a circle.
        """
        filled = Template(text).safe_substitute({SHARED_DATA: self.shared})
        path = self.manifest.parent / filled
        try:
            return path.resolve()
        except RuntimeError as error:  # pathlib's own of a link that leads to itself
            remedy = "let the link point to the file, or name the file"
            raise self.wrong(f"{path}: a symbolic link in a circle", remedy) from error

    def text(self, where: str, key: str, value: object) -> str:
        """Return ``value`` where it can be a path. Raises ``ManifestError`` naming ``key``."""
        is_text = isinstance(value, str) and value.strip() and "\0" not in value
        if not isinstance(value, str) or not is_text or len(value) > _LONGEST:
            reason = f"{where}: {key} is not a path: {repr(value)[:_SHOWN]}"
            raise self.wrong(reason, f'write {key} = "a/file.csv"')
        return value

    def file(
        self, text: str, where: str, *, sha256: str | None = None, is_pattern: bool = False
    ) -> Path:
        """Return the file that ``text`` names: one that is there, or the place of a copy.

        Raises ``MissingFileError``, or ``ManifestError`` for an address that cannot be used.
        """
        if not scheme_of(text):
            if sha256 is not None:
                remedy = "take sha256 out: a file of this machine is digested by every build"
                raise self.wrong(f"{where}: sha256 pins an address", remedy)
            path = self.local(text)
            if not os.path.isfile(path):  # False, too, for a name that no file system takes
                raise MissingFileError(path)
            return path
        origin = Origin(url=text, sha256=sha256, is_pattern=is_pattern)
        self._check(origin, where)
        copy = copy_of(text, self.downloads)
        self.origins[copy] = origin
        return copy

    def table(self, url: str, format_name: str, said: Mapping[str, str]) -> Path:
        """Return the place of the copy of a table of the database at ``url``, or of a query.

        ``said`` may hold table, query and since; without the first two it is the table that is
        named like the format.
        """
        name = said.get("table", format_name)
        query = said.get("query", "").strip().rstrip(";")
        relation = f"({query})" if query else quoted_table(name)
        folder = copy_folder(url, self.downloads, kind=f"{format_name} {relation}")
        readable = format_name if query else name.rpartition(".")[2]
        copy = folder / f"{file_name(f'db/{readable}')}.parquet"
        since = said.get("since", "")
        self.origins[copy] = Origin(url=url, relation=relation, format=format_name, since=since)

        return copy

    def found(self, text: str, where: str) -> Path:
        """Return the file or folder that ``text`` names: some archives may be unpacked in one."""
        path = self.local(text)
        is_folder = not scheme_of(text) and os.path.isdir(path)
        return path if is_folder else self.file(text, where)

    def matching(self, pattern: str, where: str) -> list[Path]:
        """Return the files that ``pattern`` matches, in name order. Raises ``ManifestError``.

        A pattern of an object store is one place: what matches is listed when it is fetched.
        """
        scheme = scheme_of(pattern)
        if scheme == OBJECTS:
            return [self.file(pattern, where, is_pattern=True)]
        if scheme:
            remedy = "name each file with a path of its own; s3:// can be listed"
            reason = f"{where}: files at {shown(pattern)} cannot be listed"
            raise self.wrong(reason, remedy)
        whole = self.local(pattern)
        try:
            found = list(Path(whole.anchor).glob(str(whole.relative_to(whole.anchor))))
        except ValueError as error:
            reason = f"{where}: not a pattern: {pattern!r}: {error}"
            raise self.wrong(reason, 'write glob = "a/*.csv"') from error
        files = sorted(file for file in found if file.is_file())
        if not files:
            reason = f"{where}: no file matches {pattern!r}"
            raise self.wrong(reason, "correct the glob, or remove the entry")
        return files

    def wrong(self, reason: str, remedy: str) -> ManifestError:
        """Return an error about this manifest."""
        return ManifestError(self.manifest, reason, remedy=remedy)

    def _check(self, origin: Origin, where: str) -> None:
        fault = fault_of(origin.url)
        if scheme_of(origin.url) in DATABASES:
            fault = "a database can be the path of an [[input]] only"
        if fault is not None:
            reason = f"{where}: {origin.shown}: {fault}"
            remedy = 'write path = "https://host/a/file.csv", or fetch it and name the file'
            raise self.wrong(reason, remedy)

        if is_plain(origin.url) and origin.sha256 is None:
            reason = f"{where}: {origin.shown}: anybody in between could change the file"
            remedy = 'use https, or pin what must come: sha256 = "…"'
            raise self.wrong(reason, remedy)


def copy_of(url: str, downloads: Path) -> Path:
    """Return where the copy of the file at ``url`` is stored."""
    return copy_folder(url, downloads) / file_name(url)


def places_of(path: Path, environ: Mapping[str, str]) -> Places:
    """Return what makes paths of the texts in the manifest at ``path``."""
    projects = [folder for folder in path.parents if (folder / "pyproject.toml").is_file()]
    project = projects[0] if projects else path.parent
    default = project.parent / "shared" / "data"
    shared = environ.get(SHARED_DATA) or str(default)
    downloads = Path(environ.get(DOWNLOADS) or RAW).resolve()
    return Places(path, shared, downloads)
