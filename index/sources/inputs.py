"""The records of all inputs of a manifest, merged in its order, and the digests of its files.

Rows that are not used are counted by reason; a file of which no row is left ends the build.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import polars as pl

from index.config import MIN_SERRATUS_SCORE
from index.records import CONTRACTS, Records, merge_records
from index.sources import SOURCES
from index.sources.cleaning import clean_records
from index.sources.manifest import Input, Manifest
from index.sources.rejection import counted, rows_rejected
from index.sources.search_rules import find_searched
from index.tables import RunAttribute
from ontology_etl.errors import AllRejectedError
from ontology_etl.tables import Rejected, conform

OnFile = Callable[[Input, Records], None]


def read_records(
    manifest: Manifest,
    *,
    min_serratus_score: float = MIN_SERRATUS_SCORE,
    on_file: OnFile | None = None,
) -> Records:
    """Return the records of all inputs, merged in manifest order, and the runs that its rules say
    were searched; ``on_file`` is called with each file as it is read.

    Rows of Serratus below ``min_serratus_score`` (0-100) are rejected, whichever format they come
    in. Raises the ``InputError`` of the first file that cannot be used, ``AllRejectedError`` for
    one of which no row is left.
    """
    parts = _read_files(manifest, min_serratus_score, on_file)
    records = drop_unknown_runs(merge_records(parts))
    searched = find_searched(records, manifest.searched)
    return replace(
        records,
        searched=searched,
    )


def read_input(item: Input, *, min_serratus_score: float = MIN_SERRATUS_SCORE) -> Records:
    """Return the records of one file. Raises the ``InputError`` of a file that cannot be used."""
    source = SOURCES[item.format]
    parameters = {"min_serratus_score": min_serratus_score}
    honoured = {}
    for name in source.parameters:
        honoured[name] = parameters[name]
    records = source.read(
        item.path,
        **item.options,
        **honoured,
    )
    return clean_records(records, item.path.name)


def drop_unknown_runs(records: Records) -> Records:
    """Return ``records`` without the attributes of runs that no input describes, which are counted.

    What a run is needs a file that describes it; an attribute alone makes no run of the index.
    """
    known = records.run.select("run")
    unknown = records.run_attribute.join(known, on="run", how="anti")
    lost = counted("run_attribute", "attribute of a run that no input describes", len(unknown))
    kept = records.run_attribute.join(known, on="run", how="semi", maintain_order="left")
    rejected = pl.concat([records.rejected, lost])
    return replace(
        records,
        run_attribute=conform(kept, RunAttribute),
        rejected=conform(rejected, Rejected),
    )


def is_all_rejected(records: Records) -> bool:
    """Return whether a file gave rejected rows and nothing else; that runs were searched says
    nothing without what was found.
    """
    if records.rejected.is_empty():
        return False
    described = [name for name in CONTRACTS if name != "searched"]
    return all(getattr(records, name).is_empty() for name in described)


def input_hashes(manifest: Manifest) -> dict[str, str]:
    """Return the sha256 of every input the manifest names, the manifest itself included, by file
    name.

    Those of ontologies are in ``ontology_release``. A file name that occurs twice begins with its
    folder.
    """
    files = sorted(_files_of(manifest))
    names = [path.name for path in files]
    digests = {}
    for path in files:
        is_alone = names.count(path.name) == 1
        name = path.name if is_alone else f"{path.parent.name}/{path.name}"
        digests[name] = _sha256(path)
    return digests


def _files_of(manifest: Manifest) -> set[Path]:
    """Return every file that ``manifest`` names for its inputs, and itself."""
    files = {manifest.path}
    for item in manifest.inputs:
        files.add(item.path)
        for value in item.options.values():
            listed = value if isinstance(value, tuple) else (value,)
            files |= {path for path in listed if isinstance(path, Path)}
    if manifest.risk_groups is not None:
        files.add(manifest.risk_groups)
    return files


def _read_files(
    manifest: Manifest, min_serratus_score: float, on_file: OnFile | None
) -> Iterator[Records]:
    for item in manifest.inputs:
        part = read_input(item, min_serratus_score=min_serratus_score)
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


def _sha256(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
