"""The build in progress: target, inputs, configuration, and stored results."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from flows.options import DEFAULT, RunOptions
from flows.progress import Progress
from flows.stages.graph import ancestry
from flows.stages.reuse import Reuse
from index.config import IndexConfig
from index.models.choose import ModelChoice
from index.records import Records
from index.sources.inputs import file_digests, input_contents, read_input
from index.sources.manifest import Input, Manifest, read_manifest
from index.store.build import Build, build_index, noted_results, results_path
from index.store.results import GIGABYTE, ResultStore
from index.store.target import check_target


@dataclass(frozen=True)
class Site:
    """The build in progress: target, inputs, configuration, and listeners to its progress."""

    build: Build
    manifest: Manifest
    digests: Mapping[Path, str]
    """The sha256 of every input file."""
    config: IndexConfig
    model: ModelChoice
    progress: Progress
    reuse: Reuse


@contextmanager
def open_site(
    inputs: Path,
    db: Path,
    *,
    config: IndexConfig,
    model: ModelChoice,
    progress: Progress,
    options: RunOptions = DEFAULT,
) -> Iterator[Site]:
    """Yield a place to build the index of ``inputs``, with stored results next to it.

    A target that cannot be is refused before anything is fetched or read. Raises as ``build_index``
    and ``read_manifest``.
    """
    check_target(db)
    progress.max_stage_s = config.max_stage_s
    manifest = fetch_missing(read_manifest(inputs), progress, pins=options.pins)
    digests = progress.stage("digest inputs")(file_digests)(manifest)
    with build_index(db, max_gb=config.max_database_gb) as build:
        kept = ResultStore(
            results_path(build.path),
            max_bytes=int(config.max_kept_gb * GIGABYTE),
            say=progress.detail,
            noted=noted_results(build.path),
        )
        reuse = Reuse(build, progress, kept, again=options.again)
        try:
            yield Site(build, manifest, digests, config, model, progress, reuse)
        finally:
            kept.trim()


def fetch_missing(manifest: Manifest, progress: Progress, *, pins: Mapping[str, str]) -> Manifest:
    """Return ``manifest`` with remote inputs downloaded; raises as ``fetch_inputs``."""
    if not manifest.origins:
        return manifest
    from index.sources.fetching import CopyOptions, fetch_inputs

    how = CopyOptions(progress=progress.bytes_shown(), pins=pins, say=progress.detail)
    return progress.stage("fetch inputs")(fetch_inputs)(manifest, how)


def read_kept(site: Site, item: Input) -> Records:
    """Return the records of one file, from the store if possible."""
    score = site.config.min_serratus_score
    found = site.reuse.recall(
        f"{item.path.name} ({item.format})",
        [input_contents(item, site.digests), score],
        lambda: vars(read_input(item, min_serratus_score=score)),
    )
    return Records(**found)


def note_ancestry(site: Site) -> str:
    """Note the digest of the graph and what its communities' names depend on; return the latter."""
    graph = site.reuse.key("detect communities", made_of=site.config.graph)
    ancestors = ancestry(site.build.path, graph)
    if site.reuse.store.is_usable:
        site.build.note({"stage.graph": graph, "stage.ancestry": ancestors})
    return ancestors
