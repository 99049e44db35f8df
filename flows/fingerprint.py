"""What a result depends on besides its inputs: our code and the versions of its libraries."""

from __future__ import annotations

import functools
import hashlib
import json
import platform
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path
from typing import Final

from packaging.requirements import Requirement

PROJECT: Final = "virome-graphrag"
PACKAGES: Final = ("flows", "index", "ontology_etl")
"""The packages whose code makes an index; ``query`` only reads one."""
_ROOT: Final = Path(__file__).parents[1]
_BYTECODE: Final = "__pycache__"


@functools.cache
def code_digest() -> str:
    """Return the sha256 of all files of ``PACKAGES``, the Python version and the versions of
    required libraries.

    Any change of code counts as relevant: a digest cannot say what a change does.
    """
    digest = hashlib.sha256()
    for package in PACKAGES:
        for path in _files(_ROOT / package):
            name = path.relative_to(_ROOT).as_posix()
            content = hashlib.sha256(path.read_bytes()).hexdigest()
            digest.update(f"{name} {content}\n".encode())
    listed = json.dumps(library_versions(), sort_keys=True)
    digest.update(listed.encode())
    return digest.hexdigest()


def library_versions() -> dict[str, str | None]:
    """Return the versions of Python and of each required library; null if it is not installed."""
    versions: dict[str, str | None] = {"python": platform.python_version()}
    for line in requires(PROJECT) or []:
        name = Requirement(line).name
        versions[name] = _version(name)
    return versions


def _files(folder: Path) -> list[Path]:
    found = [path for path in folder.rglob("*") if path.is_file()]
    return sorted(path for path in found if _BYTECODE not in path.parts)


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None
