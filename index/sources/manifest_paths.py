"""Paths of a manifest: relative to it, with ``$VIROME_SHARED_DATA`` filled in, globs expanded."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from string import Template
from typing import Final

from ontology_etl.errors import ManifestError, MissingFileError

SHARED_DATA: Final = "VIROME_SHARED_DATA"
_LONGEST: Final = 2_000
"""Characters of a path; no file system takes twice as many."""
_SHOWN: Final = 200
Resolve = Callable[[str], Path]


def text_of(path: Path, where: str, key: str, value: object) -> str:
    """Return ``value`` where it can be a path. Raises ``ManifestError`` naming ``key``."""
    if not isinstance(value, str) or not value.strip() or "\0" in value or len(value) > _LONGEST:
        shown = repr(value)[:_SHOWN]
        raise manifest_error(
            path, f"{where}: {key} is not a path: {shown}", f'write {key} = "a/file.csv"'
        )
    return value


def path_resolver(path: Path, environ: Mapping[str, str]) -> Resolve:
    """Return the function that makes a path of a text in the manifest at ``path``."""
    projects = [folder for folder in path.parents if (folder / "pyproject.toml").is_file()]
    project = projects[0] if projects else path.parent
    beside = project.parent / "shared" / "data"
    shared = environ.get(SHARED_DATA) or str(beside)

    def resolve(text: str) -> Path:
        filled = Template(text).safe_substitute({SHARED_DATA: shared})
        return (path.parent / filled).resolve()

    return resolve


def matching_files(path: Path, where: str, pattern: str, resolve: Resolve) -> list[Path]:
    """Return the files that match ``pattern``, in name order. Raises ``ManifestError``."""
    whole = resolve(pattern)
    try:
        found = list(Path(whole.anchor).glob(str(whole.relative_to(whole.anchor))))
    except ValueError as error:
        raise manifest_error(
            path, f"{where}: not a pattern: {pattern!r}: {error}", 'write glob = "a/*.csv"'
        ) from error
    files = sorted(file for file in found if file.is_file())
    if not files:
        raise manifest_error(
            path, f"{where}: no file matches {pattern!r}", "correct the glob, or remove the entry"
        )
    return files


def found_file(path: Path) -> Path:
    """Return ``path``, a file or a folder: a taxdump or ICTV's tables may lie unpacked in one."""
    return path if os.path.isdir(path) else present_file(path)


def present_file(path: Path) -> Path:
    """Return ``path``. Raises ``MissingFileError`` where no file is there."""
    if not os.path.isfile(path):  # False, too, for a name that no file system takes
        raise MissingFileError(path)
    return path


def manifest_error(path: Path, reason: str, remedy: str) -> ManifestError:
    """Return the error of the manifest at ``path``."""
    return ManifestError(
        path,
        reason,
        remedy=remedy,
    )
