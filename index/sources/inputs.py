"""The records of all inputs of a manifest, merged in its order, and the digests of its files.

Rows that are not used are counted by reason; a file with no rows left ends the build.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

import polars as pl

from index.config import MIN_SERRATUS_SCORE
from index.records import CONTRACTS, Records, merge_records
from index.row_counts import check_row_counts
from index.side_by_side import side_by_side
from index.sources import SOURCES
from index.sources.cleaning import clean_records
from index.sources.manifest import Input, Manifest
from index.sources.rejection import NOT_A_VIRUS, rows_rejected, without_rows
from index.sources.scopes import with_searches
from index.sources.search_rules import check_rules, find_searched
from index.sources.sheets import as_text
from index.sources.source import methods_of
from index.sources.withdrawn import drop_withdrawn, read_withdrawn
from ontology_etl.errors import AllRejectedError
from ontology_etl.releases.download import sha256_of
from ontology_etl.tables import conform

OF_RUNS: Final = ("run_attribute", "detection")
"""Tables whose rows make no run of the index by themselves."""
OnFile = Callable[[Input, Records], None]
ReadFile = Callable[[Input], Records]


def read_records(
    manifest: Manifest,
    *,
    read: ReadFile | None = None,
    on_file: OnFile | None = None,
) -> Records:
    """Return the records of all inputs, merged in manifest order, and the runs that its rules say
    were searched; ``on_file`` is called with each file as it is read.

    ``read`` reads one file, ``read_input`` unless something else is given. Raises
    ``ManifestError`` for a rule of a search that no input has, the ``InputError`` of the first
    file that cannot be used, ``AllRejectedError`` for one of which no row is left.
    """
    parts = list(_read_files(manifest, read or read_input, on_file))
    names = [item.path.name for item in manifest.inputs]
    parts = drop_withdrawn(parts, read_withdrawn(manifest.withdrawn), names)
    unknown = _unknown_runs(parts)
    if len(unknown):
        parts = [drop_runs(part, unknown, name) for part, name in zip(parts, names, strict=True)]
    records = merge_records(parts)
    check_rules(manifest.searched, records, manifest=manifest.path)
    return replace(records, searched=find_searched(records, manifest.searched))


def read_input(item: Input, *, min_serratus_score: float = MIN_SERRATUS_SCORE) -> Records:
    """Return the records of one file, or of a sheet of it.

    Rows of Serratus below ``min_serratus_score`` (0-100) are rejected, whichever format they come
    in. Raises the ``InputError`` of a file that cannot be used.
    """
    with as_text(item.path, item.sheet) as path:
        return read_cut(item, path, min_serratus_score=min_serratus_score)


def read_cut(item: Input, path: Path, *, min_serratus_score: float) -> Records:
    """Return the records of the table at ``path``, which is ``item`` or its first rows."""
    source = SOURCES[item.format]
    parameters = {"min_serratus_score": min_serratus_score}
    honoured = {name: parameters[name] for name in source.parameters}
    records = source.read(path, **item.options, **honoured)
    check_row_counts(records.rows, item.path.name)
    if source.method is not None:
        records = replace(records, search_method=methods_of(records, source.method))
    whole = with_searches(records, item.path, item.scope, shared=item.search)
    return clean_records(whole, item.path.name)


def _unknown_runs(parts: Sequence[Records]) -> pl.DataFrame:
    """Return ``run``: the runs with attributes or detections that no file describes."""
    known = pl.concat([part.run.select("run") for part in parts])
    tables: list[pl.DataFrame] = [getattr(part, name) for part in parts for name in OF_RUNS]
    runs = pl.concat([table.select("run") for table in tables])
    return runs.unique().join(known, on="run", how="anti")


def drop_runs(part: Records, unknown: pl.DataFrame, source: str) -> Records:
    """Return the records of one file without the attributes and detections of ``unknown`` [run].
    Their rows are rejected.

    What a run is needs a file that describes it; an attribute alone makes no run of the index, and
    neither does a detection in a file of detections alone.
    """
    tables: dict[str, pl.DataFrame] = {name: getattr(part, name) for name in OF_RUNS}
    runs = pl.concat([table.select("run") for table in tables.values()])
    runs = runs.join(unknown, on="run", how="semi")
    if runs.is_empty():
        return part
    kept = {
        name: conform(
            table.join(unknown, on="run", how="anti", maintain_order="left"), CONTRACTS[name]
        )
        for name, table in tables.items()
    }
    one_row_a_run = len(part.rows) == 1 and part.run.is_empty()
    rows = len(runs) if one_row_a_run else runs["run"].n_unique()
    reason = "a run that no input describes"
    return without_rows(part, kept, source=source, reason=reason, rows=rows)


def is_all_rejected(records: Records) -> bool:
    """Return whether a file gave rejected rows and nothing else.

    A run that was searched, and in which a classifier found no virus, is a result: all its rows are
    of hosts and bacteria.
    """
    if records.rejected.is_empty() or records.rows["rows_kept"].sum():
        return False
    reasons = set(rows_rejected(records.rejected)["reason"])
    return records.searched.is_empty() or reasons != {NOT_A_VIRUS}


def file_digests(manifest: Manifest) -> dict[Path, str]:
    """Return the sha256 of every file the manifest names for its inputs, itself included.

    Those of ontologies are in ``ontology_release``.
    """
    return {path: sha256_of(path) for path in sorted(_files_of(manifest))}


def input_hashes(digests: Mapping[Path, str]) -> dict[str, str]:
    """Return ``digests`` by file name; one that occurs twice begins with its folder."""
    names = _names_of(digests)
    return {names[path]: digest for path, digest in digests.items()}


def named_files(manifest: Manifest) -> dict[Path, str]:
    """Return the name of each file of ``manifest``, as an index notes it."""
    return _names_of(_files_of(manifest) | set(manifest.origins))


def _names_of(paths: Collection[Path]) -> dict[Path, str]:
    names = [path.name for path in paths]
    named = {}
    for path in paths:
        is_alone = names.count(path.name) == 1
        named[path] = path.name if is_alone else f"{path.parent.name}/{path.name}"
    return named


def input_contents(item: Input, digests: Mapping[Path, str]) -> list[object]:
    """Return what the records of ``item`` depend on: format, names, digests, options, scope."""

    def content(value: object) -> object:
        if isinstance(value, tuple):
            return [content(path) for path in value]
        return [value.name, digests[value]] if isinstance(value, Path) else value

    options = {name: content(value) for name, value in item.options.items()}
    return [item.format, content(item.path), options, content(item.scope), item.sheet, item.search]


def _files_of(manifest: Manifest) -> set[Path]:
    """Return every file that ``manifest`` names for its inputs, and itself."""
    files = {manifest.path}
    for item in manifest.inputs:
        files.add(item.path)
        if isinstance(item.scope, Path):
            files.add(item.scope)
        for value in item.options.values():
            listed = value if isinstance(value, tuple) else (value,)
            files |= {path for path in listed if isinstance(path, Path)}
    others = (manifest.risk_groups, manifest.country_polygons, manifest.withdrawn)
    files |= {path for path in others if path is not None}
    return files


def _read_files(manifest: Manifest, read: ReadFile, on_file: OnFile | None) -> Iterator[Records]:
    parts = side_by_side(read, manifest.inputs)
    for item, part in zip(manifest.inputs, parts, strict=True):
        if is_all_rejected(part):
            raise _all_rejected(item, part)
        if on_file is not None:
            on_file(item, part)
        yield part


def _all_rejected(item: Input, part: Records) -> AllRejectedError:
    reasons = rows_rejected(part.rejected)
    most = reasons.row(0, named=True)
    remedy = (
        f"mend the file, or take its [[input]] (format {item.format}) out of the manifest; "
        "what is known of its rows: python -m flows.inputs check MANIFEST"
    )
    if most["reason"].startswith("score below"):
        remedy = (
            "lower min_serratus_score in the configuration (--config), "
            "or take the file out of the manifest"
        )
    what = f"{most['reason']} ({most['rows']:,} rows)"
    return AllRejectedError(item.path, rows=int(reasons["rows"].sum()), most=what, remedy=remedy)
