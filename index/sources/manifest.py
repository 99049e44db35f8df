"""The inputs manifest: which files an index is built from, in which format, in order of trust.

A manifest is TOML: ``[[input]]`` entries with ``format``, ``path`` or ``glob`` and the options of
that format, and an ``[ontologies]`` table. Paths are relative to the manifest;
``$VIROME_SHARED_DATA`` is the folder of real inputs (default: ``../shared/data`` beside the
project). An ontology is a path, or a table that pins what is fetched from its official address; one
that is left out is fetched in its newest release. ``[[searched]]`` rules say which runs a source of
detections searched (``index.sources.search_rules``), ``scope`` of an input what its search can find
(``index.sources.scopes``). ``withdrawn`` lists runs that the archive took back.

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
from datetime import date
from itertools import chain
from pathlib import Path
from typing import Any, Final

from pydantic import Field, TypeAdapter, ValidationError

from index.errors import first_fault
from index.sources import SOURCES
from index.sources.layout import nearest
from index.sources.manifest_ontologies import named_ontologies
from index.sources.manifest_paths import Origin, Places, places_of
from index.sources.packed import raise_encoding_error
from index.sources.scopes import EVERYTHING, ROWS, TAXON, shared_searches
from index.sources.search_rules import SearchRule
from ontology_etl.addresses import DATABASES, scheme_of
from ontology_etl.config import OntologyConfig
from ontology_etl.errors import MissingFileError
from ontology_etl.frozen import Frozen

OF_DATABASE: Final = ("table", "query", "since")
"""Keys of an ``[[input]]`` whose path is a database."""
ENTRY: Final = ("format", "path", "glob", "sha256", "scope", "sheet", "as_of", *OF_DATABASE)
"""Keys of an ``[[input]]`` that every format has; the others are options of its reader."""
PATH_TYPES: Final = (Path, Path | None, tuple[Path, ...])


class Input(Frozen):
    """One file and how to read it; ``options`` are the checked keyword arguments of its reader,
    ``scope`` is what the search that it lists can find (``index.sources.scopes``), ``search`` the
    name of that search if the file is only a part of it, ``sheet`` that of a spreadsheet, and
    ``as_of`` the day that its content is of.
    """

    format: str
    path: Path
    options: dict[str, Any] = Field(default_factory=dict)
    scope: str | Path = ROWS
    search: str = ""
    sheet: str = ""
    as_of: date | None = None


class Manifest(Frozen):
    """The inputs of an index, every path absolute, and present unless it is one of ``origins``:
    those are fetched first (``index.sources.fetching``).
    """

    path: Path
    inputs: tuple[Input, ...]
    ontologies: OntologyConfig = OntologyConfig()
    risk_groups: Path | None = None
    withdrawn: Path | None = None
    country_polygons: Path | None = None
    searched: tuple[SearchRule, ...] = ()
    origins: dict[Path, Origin] = Field(default_factory=dict)


def read_manifest(path: Path, *, environ: Mapping[str, str] = os.environ) -> Manifest:
    """Return the manifest at ``path`` with its paths resolved and its globs expanded in name order.

    Raises ``ManifestError`` naming the entry that is wrong, ``MissingFileError`` for a file that is
    not there.
    """
    places = places_of(path.resolve(), environ)
    raw = _parse(places)
    known = {"input", "ontologies", "biosafety", "places", "searched", "withdrawn"}
    unknown = sorted(set(raw) - known)
    if unknown:
        remedy = (
            "use [[input]] and [[searched]] entries, one table each of [ontologies], [biosafety] "
            "and [places], and the file withdrawn above them"
        )
        raise places.wrong(f"unknown key(s) {', '.join(unknown)}", remedy)
    entries = raw.get("input", [])
    if not isinstance(entries, list) or not entries:
        raise places.wrong("no [[input]] entry", "add at least one [[input]] with format and path")
    inputs = [_inputs(number, entry, places) for number, entry in enumerate(entries, 1)]
    withdrawn = None
    if "withdrawn" in raw:
        text = places.text("withdrawn", "path", raw["withdrawn"])
        withdrawn = places.file(text, "withdrawn")
    return Manifest(
        path=places.manifest,
        inputs=tuple(chain.from_iterable(inputs)),
        ontologies=named_ontologies(raw.get("ontologies", {}), places),
        risk_groups=_one_file("biosafety", "risk_groups", raw, places),
        country_polygons=_one_file("places", "country_polygons", raw, places),
        withdrawn=withdrawn,
        searched=_search_rules(raw.get("searched", []), places),
        origins=places.origins,
    )


def _parse(places: Places) -> dict[str, Any]:
    path = places.manifest
    if not path.is_file():
        raise MissingFileError(path)
    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except UnicodeDecodeError as error:
        raise_encoding_error(path)
        raise places.wrong(f"not UTF-8: {error}", "save it as UTF-8") from error
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise places.wrong(f"not TOML: {error}", "correct the line it names") from error


def _inputs(number: int, entry: object, places: Places) -> list[Input]:
    where = f"[[input]] number {number}"
    if not isinstance(entry, dict):
        remedy = "write [[input]], then format and path below it"
        raise places.wrong(f"{where}: not a table", remedy)
    name = _format(where, entry.get("format"), places)
    where = f"{where} ({name})"
    files = _files(where, entry, places)
    given = {key: value for key, value in entry.items() if key not in ENTRY}
    options = _options(where, given, SOURCES[name].options, places)
    scope = _scope(where, entry.get("scope", ROWS), places)
    sheet = places.text(where, "sheet", entry["sheet"]) if "sheet" in entry else ""
    as_of = _day(where, entry.get("as_of"), places)
    shared = shared_searches(files)
    return [
        Input(
            format=name,
            path=file,
            options=options,
            scope=scope,
            search=shared.get(file, ""),
            sheet=sheet,
            as_of=as_of,
        )
        for file in files
    ]


def _day(where: str, value: object, places: Places) -> date | None:
    """Return the day that the content of a file is of. Raises ``ManifestError``."""
    if value is None or type(value) is date:
        return value
    reason = f"{where}: as_of is not a day: {value!r}"
    raise places.wrong(reason, "write as_of = 2021-03-14, without quotation marks")


def _scope(where: str, value: object, places: Places) -> str | Path:
    """Return the scope that an entry states. Raises ``ManifestError``."""
    if value in (ROWS, EVERYTHING) or (isinstance(value, str) and TAXON.fullmatch(value)):
        return str(value)
    if not isinstance(value, str) or not Path(value).suffix:
        reason = f"{where}: scope is not what a search can find: {value!r}"
        remedy = f'use "{ROWS}", "{EVERYTHING}", a taxon (NCBITaxon:2732396) or a table with taxids'
        raise places.wrong(reason, remedy)
    return places.file(places.text(where, "scope", value), f"{where}: scope")


def _format(where: str, name: object, places: Places) -> str:
    """Return the format that an entry names. Raises ``ManifestError`` naming the nearest one."""
    if isinstance(name, str) and name in SOURCES:
        return name
    near = nearest(str(name), SOURCES)
    meant = f"; did you mean {near!r}?" if near else ""
    remedy = f"use one of: {', '.join(sorted(SOURCES))}"
    raise places.wrong(f"{where}: unknown format {name!r}{meant}", remedy)


def _files(where: str, entry: dict[str, Any], places: Places) -> list[Path]:
    """Return the files of an entry, those of a glob in name order."""
    has_glob = "glob" in entry
    if ("path" in entry) == has_glob:
        raise places.wrong(f"{where}: needs either path or glob", "keep one of the two")
    if has_glob and "sha256" in entry:
        reason = f"{where}: sha256 pins one file, a glob may match several"
        raise places.wrong(reason, "name the file with path, or take sha256 out")
    if has_glob:
        return places.matching(places.text(where, "glob", entry["glob"]), where)
    text = places.text(where, "path", entry["path"])
    if scheme_of(text) in DATABASES:
        return [_table(where, entry, places)]
    of_database = sorted(set(OF_DATABASE) & set(entry))
    if of_database:
        reason = f"{where}: {', '.join(of_database)} without a database"
        raise places.wrong(reason, 'write path = "postgresql://USER@HOST/DATABASE"')
    return [places.file(text, where, sha256=_digest(where, entry.get("sha256"), places))]


def _table(where: str, entry: dict[str, Any], places: Places) -> Path:
    """Return the place of the copy of a table of a database. Raises ``ManifestError``."""
    name = entry["format"]
    if not SOURCES[name].layouts:
        reason = f"{where}: a database has no files of this format"
        raise places.wrong(reason, "use a format with columns: docs/your-data.md")
    said: dict[str, str] = {key: entry[key] for key in OF_DATABASE if key in entry}
    wrong = [key for key, value in said.items() if not _is_text(value)]
    if {"table", "query"} <= set(said):
        wrong = ["table", "query"]

    if wrong:
        reason = f"{where}: {' and '.join(wrong)} cannot be used"
        raise places.wrong(reason, 'write table = "…" or query = "SELECT …"')
    if "sha256" in entry:
        reason = f"{where}: sha256 pins a file, not a table"
        raise places.wrong(reason, "take it out; its rows are digested by every build")
    return places.table(entry["path"], name, said)


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip()) and "\0" not in value


def _digest(where: str, value: object, places: Places) -> str | None:
    """Return the digest that pins a file, None where none does. Raises ``ManifestError``."""
    if value is None or (isinstance(value, str) and re.fullmatch("[0-9a-f]{64}", value)):
        return value
    reason = f"{where}: sha256 is not 64 hexadecimal digits: {value!r}"
    raise places.wrong(reason, "write what sha256sum prints of the file")


def _options(
    where: str, given: dict[str, Any], types: dict[str, Any], places: Places
) -> dict[str, Any]:
    unknown = sorted(set(given) - set(types))
    if "min_score" in unknown:
        reason = f"{where}: min_score is one number for all files: min_serratus_score"
        remedy = "take it out here and set min_serratus_score in the configuration (--config)"
        raise places.wrong(reason, remedy)
    if unknown:
        remedy = f"options of this format: {', '.join(sorted(types)) or 'none'}"
        raise places.wrong(f"{where}: unknown option(s) {', '.join(unknown)}", remedy)
    options: dict[str, Any] = {}
    for name, value in given.items():
        try:
            checked = TypeAdapter(types[name]).validate_python(value)
        except ValidationError as error:
            reason = f"{where}: option {name}: {error.errors()[0]['msg']}"
            raise places.wrong(reason, f"correct {name} = {value!r}") from error
        if types[name] in PATH_TYPES:
            listed = value if isinstance(value, list) else [value]
            texts = [places.text(where, name, text) for text in listed]
            paths = tuple(places.file(text, f"{where}: {name}") for text in texts)
            checked = paths if isinstance(checked, tuple) else paths[0]
        options[name] = checked
    return options


def _search_rules(entries: object, places: Places) -> tuple[SearchRule, ...]:
    try:
        return TypeAdapter(tuple[SearchRule, ...]).validate_python(entries)
    except ValidationError as error:
        remedy = (
            'give source, library_strategy (a list, e.g. ["RNA-Seq"]), library_source (a list, '
            'e.g. ["TRANSCRIPTOMIC"]) and released_until (a date)'
        )
        raise places.wrong(f"[[searched]] {first_fault(error)}", remedy) from error


def _one_file(section: str, key: str, raw: dict[str, Any], places: Places) -> Path | None:
    """Return the file that the one key of a section names, None where there is no such section."""
    given = raw.get(section, {})
    if not isinstance(given, dict):
        remedy = f'write [{section}], then {key} = "a/file.tsv"'
        raise places.wrong(f"[{section}]: not a table", remedy)
    unknown = sorted(set(given) - {key})
    if unknown:
        reason = f"[{section}]: unknown key(s) {', '.join(unknown)}"
        raise places.wrong(reason, f"the one key is {key}, a path")
    if not given:
        return None
    text = places.text(f"[{section}]", key, given[key])
    return places.file(text, f"[{section}] {key}")
