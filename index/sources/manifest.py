"""The inputs manifest: which files an index is built from, in which format, in order of trust.

A manifest is TOML: ``[[input]]`` entries with ``format``, ``path`` or ``glob`` and the options of
that format, and an ``[ontologies]`` table. Paths are relative to the manifest;
``$VIROME_SHARED_DATA`` stands for the folder of real inputs (default: ``../shared/data`` beside the
project). An ontology is a path, or a table that pins what is fetched from its official address; one
that is left out is fetched in its newest release.

    [[input]]
    format = "sra_run_info"
    path = "runs.csv.gz"

    [ontologies]
    NCBITaxon = "ontologies/taxdump.tar.gz"
    BTO = {release = "2021-10-26", sha256 = "…"}
"""

from __future__ import annotations

import hashlib
import os
import tomllib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from string import Template
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from index.records import Records, merge_records
from index.sources import SOURCES
from ontology_etl.config import OFFICIAL, OntologyConfig, OntologySource
from ontology_etl.errors import ManifestError, MissingFileError

SHARED_DATA: Final = "VIROME_SHARED_DATA"
PATH_TYPES: Final = (Path, Path | None, tuple[Path, ...])

OnFile = Callable[["Input", Records], None]


class Input(BaseModel):
    """One file and how to read it; ``options`` are the checked keyword arguments of its reader."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: str
    path: Path
    options: dict[str, Any] = {}


class Manifest(BaseModel):
    """The inputs of an index, every path absolute and present."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    path: Path
    inputs: tuple[Input, ...]
    ontologies: OntologyConfig = OntologyConfig()
    risk_groups: Path | None = None


def read_manifest(path: Path, *, environ: Mapping[str, str] = os.environ) -> Manifest:
    """Return the manifest at ``path`` with its paths resolved and its globs expanded in name order.

    Raises ``ManifestError`` naming the entry that is wrong, ``MissingFileError`` for a file that is
    not there.
    """
    path = path.resolve()
    raw = _parse(path)
    unknown = sorted(set(raw) - {"input", "ontologies", "biosafety"})
    if unknown:
        raise _error(
            path,
            f"unknown key(s) {', '.join(unknown)}",
            "use [[input]] entries, one [ontologies] and one [biosafety] table",
        )
    resolve = _resolver(path, environ)
    entries = raw.get("input", [])
    if not isinstance(entries, list) or not entries:
        raise _error(path, "no [[input]] entry", "add at least one [[input]] with format and path")
    inputs = tuple(
        item
        for number, entry in enumerate(entries, 1)
        for item in _inputs(path, number, entry, resolve)
    )
    return Manifest(
        path=path,
        inputs=inputs,
        ontologies=_ontologies(path, raw.get("ontologies", {}), resolve),
        risk_groups=_risk_groups(path, raw.get("biosafety", {}), resolve),
    )


def read_records(manifest: Manifest, *, on_file: OnFile | None = None) -> Records:
    """Return the records of all inputs, merged in manifest order; ``on_file`` is told of each file
    as it is read.

    Raises the ``InputError`` of the first file that cannot be used.
    """
    return merge_records(_read_files(manifest, on_file))


def input_hashes(manifest: Manifest) -> dict[str, str]:
    """Return the sha256 of every input the manifest names, the manifest itself included, by file
    name.

    Ontologies are told by ``ontology_release``. A file name that occurs twice is told apart by its
    folder.
    """
    optional = [value for item in manifest.inputs for value in item.options.values()]
    linked = [
        path for value in optional for path in (value if isinstance(value, tuple) else (value,))
    ]
    listed = [manifest.path, *(item.path for item in manifest.inputs), *linked]
    listed += [] if manifest.risk_groups is None else [manifest.risk_groups]
    files = sorted({path for path in listed if isinstance(path, Path)})
    names = [path.name for path in files]
    return {
        name if names.count(name) == 1 else f"{path.parent.name}/{name}": _sha256(path)
        for path, name in zip(files, names, strict=True)
    }


def _read_files(manifest: Manifest, on_file: OnFile | None) -> Iterator[Records]:
    for item in manifest.inputs:
        part = SOURCES[item.format].read(item.path, **item.options)
        if on_file is not None:
            on_file(item, part)
        yield part


# --- reading the manifest -------------------------------------------------------------------------------------------


def _parse(path: Path) -> dict[str, Any]:
    if not path.is_file():
        raise MissingFileError(path)
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise _error(path, f"not TOML: {error}", "correct the line it names") from error


def _inputs(
    path: Path, number: int, entry: dict[str, Any], resolve: Callable[[str], Path]
) -> list[Input]:
    where = f"[[input]] number {number}"
    name = entry.get("format")
    if name not in SOURCES:
        raise _error(
            path, f"{where}: unknown format {name!r}", f"use one of: {', '.join(sorted(SOURCES))}"
        )
    if ("path" in entry) == ("glob" in entry):
        raise _error(path, f"{where} ({name}): needs either path or glob", "keep one of the two")
    files = (
        _matches(path, where, entry["glob"], resolve)
        if "glob" in entry
        else [_present(resolve(entry["path"]))]
    )
    given = {key: value for key, value in entry.items() if key not in ("format", "path", "glob")}
    options = _options(path, f"{where} ({name})", given, SOURCES[name].options, resolve)
    return [Input(format=name, path=file, options=options) for file in files]


def _options(
    path: Path,
    where: str,
    given: dict[str, Any],
    types: dict[str, Any],
    resolve: Callable[[str], Path],
) -> dict[str, Any]:
    unknown = sorted(set(given) - set(types))
    if unknown:
        allowed = ", ".join(sorted(types)) or "none"
        raise _error(
            path,
            f"{where}: unknown option(s) {', '.join(unknown)}",
            f"options of this format: {allowed}",
        )
    options: dict[str, Any] = {}
    for name, value in given.items():
        try:
            checked = TypeAdapter(types[name]).validate_python(value)
        except ValidationError as error:
            reason = error.errors()[0]["msg"]
            raise _error(
                path, f"{where}: option {name}: {reason}", f"correct {name} = {value!r}"
            ) from error
        if types[name] in PATH_TYPES:
            paths = tuple(
                _present(resolve(str(item)))
                for item in (checked if isinstance(checked, tuple) else [checked])
            )
            checked = paths if isinstance(checked, tuple) else paths[0]
        options[name] = checked
    return options


def _risk_groups(path: Path, given: dict[str, Any], resolve: Callable[[str], Path]) -> Path | None:
    unknown = sorted(set(given) - {"risk_groups"})
    if unknown:
        raise _error(
            path,
            f"[biosafety]: unknown key(s) {', '.join(unknown)}",
            "the one key is risk_groups, a path",
        )
    return _present(resolve(given["risk_groups"])) if given else None


def _ontologies(
    path: Path, table: dict[str, Any], resolve: Callable[[str], Path]
) -> OntologyConfig:
    official = {source.name: source for source in OFFICIAL}
    unknown = sorted(set(table) - set(official))
    if unknown:
        raise _error(
            path,
            f"[ontologies]: unknown {', '.join(unknown)}",
            f"use any of: {', '.join(official)}",
        )
    said = {
        name: {"path": value} if isinstance(value, str) else value for name, value in table.items()
    }
    wanted = [one for one in OFFICIAL if one.name in said or not one.optional]
    listed = [_ontology(path, one, said.get(one.name, {}), resolve) for one in wanted]
    return OntologyConfig(listed=tuple(listed))


def _ontology(
    path: Path, official: OntologySource, said: dict[str, Any], resolve: Callable[[str], Path]
) -> OntologySource:
    """Return ``official`` with what the manifest says of it."""
    local = {"path": _present(resolve(said["path"]))} if "path" in said else {}
    try:
        return OntologySource.model_validate(
            {**official.model_dump(), **said, **local, "name": official.name}
        )
    except ValidationError as error:
        first = error.errors()[0]
        where = f"[ontologies] {official.name}: {'.'.join(map(str, first['loc']))}: {first['msg']}"
        raise _error(
            path, where, "use a path, or a table of release, sha256, latest_url, release_url"
        ) from error


def _resolver(path: Path, environ: Mapping[str, str]) -> Callable[[str], Path]:
    project = next(
        (folder for folder in path.parents if (folder / "pyproject.toml").is_file()), path.parent
    )
    shared = environ.get(SHARED_DATA) or str(project.parent / "shared" / "data")
    return lambda text: (
        path.parent / Template(text).safe_substitute({SHARED_DATA: shared})
    ).resolve()


def _matches(path: Path, where: str, pattern: str, resolve: Callable[[str], Path]) -> list[Path]:
    whole = resolve(pattern)
    files = sorted(
        file
        for file in Path(whole.anchor).glob(str(whole.relative_to(whole.anchor)))
        if file.is_file()
    )
    if not files:
        raise _error(
            path, f"{where}: no file matches {pattern!r}", "correct the glob, or remove the entry"
        )
    return files


def _present(path: Path) -> Path:
    if not path.is_file():
        raise MissingFileError(path)
    return path


def _sha256(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _error(path: Path, reason: str, remedy: str) -> ManifestError:
    return ManifestError(path, reason, remedy=remedy)
