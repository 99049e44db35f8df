"""Rebuild an index in a temporary folder from its own notes."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import duckdb

from flows.errors import UnequalError
from flows.options import ALL, RunOptions
from flows.order import run_stages
from flows.progress import Progress
from flows.publishing.publish import VERSIONED, installed_versions
from index.config import IndexConfig
from index.models.cache import copy_answers
from index.models.choose import ModelChoice, profile_of
from index.models.recorded import RecordedModel
from index.sources.fetching import CopyOptions, fetch_inputs
from index.sources.inputs import file_digests, input_hashes
from index.sources.manifest import Manifest, read_manifest
from index.store.build import content_hash, open_index, table_counts
from index.store.compare import compared_tables, first_difference
from index.store.read import answers_beside
from ontology_etl.errors import InputError, MissingFileError
from ontology_etl.load import digest
from query.journal import journal_path

PARAMETER: Final = "parameter."
INPUT: Final = "input."
_NOTES: Final = "SELECT key, value FROM build"
_RELEASES: Final = "SELECT ontology, sha256 FROM ontology_release"
_MODELS: Final = "SELECT DISTINCT model, destination = 'this machine' FROM gate_decision"


@dataclass(frozen=True)
class Verified:
    """An index whose rebuild was equal."""

    tables: int
    rows: int
    content_hash: str
    versions: dict[str, tuple[str, str]]
    """Versions that differ: when it was built, and now."""


def verify_index(db: Path, *, inputs: Path | None, progress: Progress) -> Verified:
    """Rebuild the index at ``db`` in a temporary folder, and compare the two.

    An input is not fetched again if its copy has the recorded digest.

    Its manifest is the one it notes, or ``inputs``. Raises ``UnequalError`` naming the first object
    or row that differs, and ``InputError`` where an input is not the file it was made of.
    """
    with open_index(db) as recorded:
        noted = dict(recorded.execute(_NOTES).fetchall())
        manifest = _manifest(db, noted, inputs)
        pins = {key.removeprefix(INPUT): noted[key] for key in noted if key.startswith(INPUT)}
        manifest = fetch_inputs(manifest, CopyOptions(pins=pins))
        _check_inputs(manifest, noted, dict(recorded.execute(_RELEASES).fetchall()))
        model = _recorded_model(recorded)
    with tempfile.TemporaryDirectory(prefix="verify-") as folder:
        copy = _copied(db, Path(folder))
        run_stages(
            manifest.path,
            copy,
            config=recorded_config(noted),
            model=model,
            progress=progress,
            options=RunOptions(accept_shrink=True, again=ALL, pins=pins),
        )
        with open_index(db) as recorded, open_index(copy) as rebuilt:
            difference = progress.stage("compare tables")(first_difference)(recorded, rebuilt)
            if difference is not None:
                raise UnequalError(db, difference)
            counts = table_counts(recorded)
            return Verified(
                tables=len(compared_tables()),
                rows=sum(counts[name] for name in compared_tables()),
                content_hash=content_hash(recorded),
                versions=_other_versions(noted),
            )


def recorded_config(noted: Mapping[str, str]) -> IndexConfig:
    """Return the configuration that an index notes, without a store of stage results."""
    said = {key.removeprefix(PARAMETER): noted[key] for key in noted if key.startswith(PARAMETER)}
    parts = {name: json.loads(text) for name, text in said.items()}
    return IndexConfig.model_validate({**parts, "max_kept_gb": 0})


def _manifest(db: Path, noted: Mapping[str, str], inputs: Path | None) -> Manifest:
    """Return the manifest that an index notes, or the one at ``inputs`` instead."""
    if inputs is not None:
        return read_manifest(inputs)
    named = noted.get("path.inputs")
    if named is None:
        raise InputError(db, "it does not note its manifest", remedy="name it: --inputs MANIFEST")
    if not Path(named).exists():
        raise MissingFileError(named)
    return read_manifest(Path(named))


def _check_inputs(
    manifest: Manifest, noted: Mapping[str, str], releases: Mapping[str, str]
) -> None:
    """Raise ``InputError`` for the first file that differs from the index's input."""
    remedy = "restore the file that the index was made from, or build the index again"
    found = {f"{INPUT}{name}": sha for name, sha in input_hashes(file_digests(manifest)).items()}
    for key, sha in found.items():
        if noted.get(key) != sha:
            reason = f"{key.removeprefix(INPUT)} is not the file that the index was made of"
            raise InputError(manifest.path, reason, remedy=remedy)
    for source in manifest.ontologies.listed:
        if source.path is not None and digest(source.path) != releases.get(source.name):
            reason = "it is another release than the one the index was made of"
            raise InputError(source.path, reason, remedy=remedy)


def _recorded_model(recorded: duckdb.DuckDBPyConnection) -> ModelChoice:
    """Return a model that only replays the answers stored with the index."""
    models = recorded.execute(_MODELS).fetchall()
    if not models:
        return ModelChoice(None, None, "the index was made without one")
    ((name, is_local), *_) = models
    profile = profile_of(name)
    return ModelChoice(RecordedModel(name), profile, f"kept answers of {name}", local=is_local)


def _copied(db: Path, folder: Path) -> Path:
    """Copy an index with its stored answers and journal to ``folder``; return the copy.

    The copy is the index before the one that is built: communities keep its names.
    """
    copy = folder / db.name
    shutil.copy(db, copy)
    copy_answers(answers_beside(db), answers_beside(copy))
    if journal_path(db).exists():
        shutil.copy(journal_path(db), journal_path(copy))
    return copy


def _other_versions(noted: Mapping[str, str]) -> dict[str, tuple[str, str]]:
    """Return the libraries whose versions differ from those of the index."""
    now = installed_versions()
    return {
        name: (noted.get(key, "unknown"), now[name])
        for name in VERSIONED
        if noted.get(key := f"version.{name}") != now[name]
    }
