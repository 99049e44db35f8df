"""The inputs manifest: which files an index is built from, in which format, in order of trust.

A manifest is TOML: ``[[input]]`` entries with ``format``, ``path`` or ``glob`` and the options of
that format, and an ``[ontologies]`` table. Paths are relative to the manifest;
``$VIROME_SHARED_DATA`` is the folder of real inputs (default: ``../shared/data`` beside the
project). An ontology is a path, or a table that pins what is fetched from its official address; one
that is left out is fetched in its newest release. ``[[searched]]`` rules say which runs a source of
detections searched (``index.sources.search_rules``).

    [[input]]
    format = "sra_run_info"
    path = "runs.csv.gz"

    [ontologies]
    NCBITaxon = "ontologies/taxdump.tar.gz"
    BTO = {release = "2021-10-26", sha256 = "…"}
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from index.sources import SOURCES
from index.sources.layout import nearest
from index.sources.manifest_paths import (
    Resolve,
    found_file,
    manifest_error,
    matching_files,
    path_resolver,
    present_file,
    text_of,
)
from index.sources.packed import raise_encoding_error
from index.sources.search_rules import SearchRule
from ontology_etl.config import OFFICIAL, OntologyConfig, OntologySource
from ontology_etl.errors import MissingFileError

PATH_TYPES: Final = (Path, Path | None, tuple[Path, ...])


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
    searched: tuple[SearchRule, ...] = ()


def read_manifest(path: Path, *, environ: Mapping[str, str] = os.environ) -> Manifest:
    """Return the manifest at ``path`` with its paths resolved and its globs expanded in name order.

    Raises ``ManifestError`` naming the entry that is wrong, ``MissingFileError`` for a file that is
    not there.
    """
    path = path.resolve()
    raw = _parse(path)
    unknown = sorted(set(raw) - {"input", "ontologies", "biosafety", "searched"})
    if unknown:
        raise manifest_error(
            path,
            f"unknown key(s) {', '.join(unknown)}",
            "use [[input]] and [[searched]] entries, one [ontologies] and one [biosafety] table",
        )
    resolve = path_resolver(path, environ)
    entries = raw.get("input", [])
    if not isinstance(entries, list) or not entries:
        raise manifest_error(
            path, "no [[input]] entry", "add at least one [[input]] with format and path"
        )
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
        searched=_search_rules(path, raw.get("searched", [])),
    )


def _parse(path: Path) -> dict[str, Any]:
    if not path.is_file():
        raise MissingFileError(path)
    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except UnicodeDecodeError as error:
        raise_encoding_error(path)
        raise manifest_error(path, f"not UTF-8: {error}", "save it as UTF-8") from error
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise manifest_error(path, f"not TOML: {error}", "correct the line it names") from error


def _inputs(path: Path, number: int, entry: object, resolve: Resolve) -> list[Input]:
    where = f"[[input]] number {number}"
    if not isinstance(entry, dict):
        raise manifest_error(
            path, f"{where}: not a table", "write [[input]], then format and path below it"
        )
    name = _format(path, where, entry.get("format"))
    where = f"{where} ({name})"
    files = _files(path, where, entry, resolve)
    given = {key: value for key, value in entry.items() if key not in ("format", "path", "glob")}
    options = _options(path, where, given, SOURCES[name].options, resolve)
    return [
        Input(
            format=name,
            path=file,
            options=options,
        )
        for file in files
    ]


def _format(path: Path, where: str, name: object) -> str:
    """Return the format that an entry names. Raises ``ManifestError`` naming the nearest one."""
    if isinstance(name, str) and name in SOURCES:
        return name
    near = nearest(str(name), SOURCES)
    meant = f"; did you mean {near!r}?" if near else ""
    raise manifest_error(
        path,
        f"{where}: unknown format {name!r}{meant}",
        f"use one of: {', '.join(sorted(SOURCES))}",
    )


def _files(path: Path, where: str, entry: dict[str, Any], resolve: Resolve) -> list[Path]:
    """Return the files of an entry, those of a glob in name order."""
    has_path = "path" in entry
    has_glob = "glob" in entry
    if has_path == has_glob:
        raise manifest_error(
            path,
            f"{where}: needs either path or glob",
            "keep one of the two",
        )
    if has_glob:
        pattern = text_of(path, where, "glob", entry["glob"])
        return matching_files(path, where, pattern, resolve)
    text = text_of(path, where, "path", entry["path"])
    return [present_file(resolve(text))]


def _options(
    path: Path, where: str, given: dict[str, Any], types: dict[str, Any], resolve: Resolve
) -> dict[str, Any]:
    unknown = sorted(set(given) - set(types))
    if "min_score" in unknown:
        reason = f"{where}: min_score is one number for all files: min_serratus_score"
        raise manifest_error(
            path,
            reason,
            "take it out here and set min_serratus_score in the configuration (--config)",
        )
    if unknown:
        allowed = ", ".join(sorted(types)) or "none"
        raise manifest_error(
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
            raise manifest_error(
                path, f"{where}: option {name}: {reason}", f"correct {name} = {value!r}"
            ) from error
        if types[name] in PATH_TYPES:
            listed = checked if isinstance(checked, tuple) else (checked,)
            texts = [text_of(path, where, name, str(item)) for item in listed]
            paths = tuple(present_file(resolve(text)) for text in texts)
            checked = paths if isinstance(checked, tuple) else paths[0]
        options[name] = checked
    return options


def _search_rules(path: Path, entries: object) -> tuple[SearchRule, ...]:
    try:
        return TypeAdapter(tuple[SearchRule, ...]).validate_python(entries)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        raise manifest_error(
            path,
            f"[[searched]] {place}: {first['msg']}",
            'give source, library_strategy (a list, e.g. ["RNA-Seq"]), library_source (a list, '
            'e.g. ["TRANSCRIPTOMIC"]) and released_until (a date)',
        ) from error


def _risk_groups(path: Path, given: object, resolve: Resolve) -> Path | None:
    if not isinstance(given, dict):
        raise manifest_error(
            path, "[biosafety]: not a table", 'write [biosafety], then risk_groups = "a/file.tsv"'
        )
    unknown = sorted(set(given) - {"risk_groups"})
    if unknown:
        raise manifest_error(
            path,
            f"[biosafety]: unknown key(s) {', '.join(unknown)}",
            "the one key is risk_groups, a path",
        )
    if not given:
        return None
    return present_file(resolve(text_of(path, "[biosafety]", "risk_groups", given["risk_groups"])))


def _ontologies(path: Path, table: object, resolve: Resolve) -> OntologyConfig:
    if not isinstance(table, dict):
        raise manifest_error(
            path, "[ontologies]: not a table", 'write [ontologies], then BTO = "a/bto.obo"'
        )
    official = {source.name: source for source in OFFICIAL}
    unknown = sorted(set(table) - set(official))
    if unknown:
        raise manifest_error(
            path,
            f"[ontologies]: unknown {', '.join(unknown)}",
            f"use any of: {', '.join(official)}",
        )
    said = {
        name: value if isinstance(value, dict) else {"path": value} for name, value in table.items()
    }
    wanted = [one for one in OFFICIAL if one.name in said or not one.optional]
    listed = [_ontology(path, one, said.get(one.name, {}), resolve) for one in wanted]
    return OntologyConfig(listed=tuple(listed))


def _ontology(
    path: Path, official: OntologySource, said: dict[str, Any], resolve: Resolve
) -> OntologySource:
    """Return ``official`` with what the manifest says of it."""
    where = f"[ontologies] {official.name}"
    local = (
        {"path": found_file(resolve(text_of(path, where, "path", said["path"])))}
        if "path" in said
        else {}
    )
    try:
        return OntologySource.model_validate(
            {**official.model_dump(), **said, **local, "name": official.name}
        )
    except ValidationError as error:
        first = error.errors()[0]
        reason = f"{where}: {'.'.join(map(str, first['loc']))}: {first['msg']}"
        raise manifest_error(
            path, reason, "use a path, or a table of release, sha256, latest_url, release_url"
        ) from error
