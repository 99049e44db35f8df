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
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from index.sources import SOURCES
from index.sources.layout import nearest
from index.sources.manifest_paths import (
    Origin,
    Places,
    manifest_error,
    places_of,
    text_of,
    texts_of,
)
from index.sources.packed import raise_encoding_error
from index.sources.search_rules import SearchRule
from ontology_etl.config import OFFICIAL, OntologyConfig, OntologySource
from ontology_etl.errors import MissingFileError

ENTRY: Final = ("format", "path", "glob", "sha256")
"""Keys of an ``[[input]]`` that every format has; the others are options of its reader."""
PATH_TYPES: Final = (Path, Path | None, tuple[Path, ...])


class Input(BaseModel):
    """One file and how to read it; ``options`` are the checked keyword arguments of its reader."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: str
    path: Path
    options: dict[str, Any] = {}


class Manifest(BaseModel):
    """The inputs of an index, every path absolute, and present unless it is one of ``origins``:
    those are fetched first (``index.sources.fetching``).
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    path: Path
    inputs: tuple[Input, ...]
    ontologies: OntologyConfig = OntologyConfig()
    risk_groups: Path | None = None
    searched: tuple[SearchRule, ...] = ()
    origins: dict[Path, Origin] = {}


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
    places = places_of(path, environ)
    entries = raw.get("input", [])
    if not isinstance(entries, list) or not entries:
        raise manifest_error(
            path, "no [[input]] entry", "add at least one [[input]] with format and path"
        )
    inputs = tuple(
        item
        for number, entry in enumerate(entries, 1)
        for item in _inputs(path, number, entry, places)
    )
    return Manifest(
        path=path,
        inputs=inputs,
        ontologies=_ontologies(path, raw.get("ontologies", {}), places),
        risk_groups=_risk_groups(path, raw.get("biosafety", {}), places),
        searched=_search_rules(path, raw.get("searched", [])),
        origins=places.origins,
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


def _inputs(path: Path, number: int, entry: object, places: Places) -> list[Input]:
    where = f"[[input]] number {number}"
    if not isinstance(entry, dict):
        raise manifest_error(
            path, f"{where}: not a table", "write [[input]], then format and path below it"
        )
    name = _format(path, where, entry.get("format"))
    where = f"{where} ({name})"
    files = _files(path, where, entry, places)
    given = {key: value for key, value in entry.items() if key not in ENTRY}
    options = _options(path, where, given, SOURCES[name].options, places)
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


def _files(path: Path, where: str, entry: dict[str, Any], places: Places) -> list[Path]:
    """Return the files of an entry, those of a glob in name order."""
    has_path = "path" in entry
    has_glob = "glob" in entry
    if has_path == has_glob:
        raise manifest_error(
            path,
            f"{where}: needs either path or glob",
            "keep one of the two",
        )
    if has_glob and "sha256" in entry:
        reason = f"{where}: sha256 pins one file, a glob may match several"
        raise manifest_error(path, reason, "name the file with path, or take sha256 out")
    if has_glob:
        pattern = text_of(path, where, "glob", entry["glob"])
        return places.matching(pattern, where)
    text = text_of(path, where, "path", entry["path"])
    return [places.file(text, where, sha256=_digest(path, where, entry.get("sha256")))]


def _digest(path: Path, where: str, value: object) -> str | None:
    """Return the digest that pins a file, None where none does. Raises ``ManifestError``."""
    if value is None or (isinstance(value, str) and re.fullmatch("[0-9a-f]{64}", value)):
        return value
    reason = f"{where}: sha256 is not 64 hexadecimal digits: {value!r}"
    raise manifest_error(path, reason, "write what sha256sum prints of the file")


def _options(
    path: Path, where: str, given: dict[str, Any], types: dict[str, Any], places: Places
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
            texts = texts_of(path, where, name, value)
            paths = tuple(places.file(text, f"{where}: {name}") for text in texts)
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


def _risk_groups(path: Path, given: object, places: Places) -> Path | None:
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
    text = text_of(path, "[biosafety]", "risk_groups", given["risk_groups"])
    return places.file(text, "[biosafety] risk_groups")


def _ontologies(path: Path, table: object, places: Places) -> OntologyConfig:
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
    listed = [_ontology(path, one, said.get(one.name, {}), places) for one in wanted]
    return OntologyConfig(listed=tuple(listed))


def _ontology(
    path: Path, official: OntologySource, said: dict[str, Any], places: Places
) -> OntologySource:
    """Return ``official`` with what the manifest says of it."""
    where = f"[ontologies] {official.name}"
    local = {}
    if "path" in said:
        local["path"] = places.found(text_of(path, where, "path", said["path"]), where)
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
