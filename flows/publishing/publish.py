"""What an index notes about itself, and whether a build must and may replace the published one."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from importlib.metadata import version
from typing import Final

import duckdb
from pydantic import BaseModel

from flows.errors import ShrinkError
from flows.publishing.past_builds import utc_now
from flows.shrink import measure_losses
from flows.stages.site import Site
from flows.summary import BuildSummary, summarise
from index.errors import StoreError
from index.sources.fetching import origin_entries, state_entries
from index.sources.inputs import input_hashes, named_files
from index.sources.manifest import Manifest
from index.sources.withdrawn import read_withdrawn
from index.store.build import (
    CONTRACT_VERSION,
    NOTED_RESULT,
    Build,
    content_hash,
    open_index,
    table_counts,
)
from index.store.catalogue import unequal_object
from index.tables import HISTORY
from query.journal import read_journal

VERSIONED: Final = (
    "virome-graphrag",
    "duckdb",
    "polars",
    "igraph",
    "leidenalg",
    "pronto",
    "ahocorasick_rs",
)
"""Packages whose versions an index notes."""
_DIGEST: Final = "SELECT value FROM build WHERE key = 'content_hash'"


def installed_versions() -> dict[str, str]:
    """Return the versions of the packages that an index notes."""
    return {name: version(name) for name in VERSIONED}


def is_published(site: Site) -> bool:
    """Return whether a build without a model would equal the published index: no stage ran, its
    notes and content are as expected, and no question was answered since.
    """
    if not site.reuse.is_idle():
        return False
    try:
        with open_index(site.build.path) as published:
            noted = dict(published.execute("SELECT key, value FROM build").fetchall())
            expected = parameter_entries(site)
            made_alike = all(noted.get(key) == str(value) for key, value in expected.items())
            answers = published.sql("SELECT answer FROM answer ORDER BY answer").pl()
            asked = read_journal(site.build.path).answer["answer"].sort()
            return (
                made_alike
                and "llm.tally" not in noted
                and answers["answer"].equals(asked)
                and content_hash(published) == noted["content_hash"]
                and unequal_object(published, site.build.connection) is None
            )
    except (StoreError, duckdb.Error):
        return False


def summarise_published(site: Site) -> BuildSummary:
    """Return the summary of an index that stays as it is."""
    with open_index(site.build.path) as published:
        ((communities,),) = published.execute("SELECT count(*) FROM community").fetchall()
        ((digest,),) = published.execute(_DIGEST).fetchall()
        return summarise(
            published,
            site.build.path,
            site.progress,
            digest=digest,
            communities=f"{communities:,} same",
            wording=f"no model: {site.model.reason}",
        )


def store_answers(build: Build) -> None:
    """Write the answers given from earlier builds of this index."""
    journal = read_journal(build.path)
    for name in (*HISTORY, "rejected"):
        build.write(name, getattr(journal, name))


def parameter_entries(site: Site) -> dict[str, object]:
    """Return versions, parameters, digests of inputs, the key of every stage, and digests of stored
    results.
    """
    config, reuse = site.config, site.reuse
    entries: dict[str, object] = {
        "version.contract": CONTRACT_VERSION,
        "version.python": platform.python_version(),
    }
    entries |= {f"version.{name}": known for name, known in installed_versions().items()}
    parts = [(name, part) for name, part in config if isinstance(part, BaseModel)]
    entries |= {f"parameter.{name}": part.model_dump_json() for name, part in parts}
    entries["parameter.min_serratus_score"] = config.min_serratus_score
    entries["path.inputs"] = site.manifest.path
    hashes = input_hashes(site.digests)
    entries |= {f"input.{name}": digest for name, digest in hashes.items()}
    entries |= age_entries(site.manifest)
    entries |= origin_entries(site.manifest)
    if reuse.store.is_usable:
        entries |= {f"stage.{name}": key for name, key in reuse.keys.items()}
        entries |= {f"{NOTED_RESULT}{key}": one for key, one in reuse.store.digests().items()}

    return entries


def age_entries(manifest: Manifest) -> dict[str, object]:
    """Return the date of each input, as the manifest states it, and the withdrawn runs."""
    names = named_files(manifest)
    entries: dict[str, object] = {
        f"as_of.{names[item.path]}": item.as_of for item in manifest.inputs if item.as_of
    }
    withdrawn = read_withdrawn(manifest.withdrawn)
    return entries | ({"withdrawn.runs": " ".join(withdrawn)} if withdrawn else {})


def note_costs(site: Site, digest: str) -> None:
    """Record the digest of the content, rows per table, and what every stage cost."""
    build, progress = site.build, site.progress
    build.note({"content_hash": digest, "run_at.published": utc_now()})
    build.note(state_entries(site.manifest))
    build.note({"memory.peak_mb": progress.highest_mb(), "seconds.total": progress.total()})
    costs: dict[str, Mapping[str, object]] = {
        "counts": table_counts(build.connection),
        "seconds": progress.seconds,
        "memory": progress.peak_mb,
        "cpu": progress.cpu_seconds,
        "rows": progress.rows,
        "bytes": progress.bytes,
    }

    for kind, values in costs.items():
        build.note({f"{kind}.{name}": value for name, value in values.items()})


def refuse_shrink(site: Site) -> None:
    """Raise ``ShrinkError`` if the build lost too much, before any call of a model.

    Raises ``ShrinkError`` with what is lost and where the build is stored.
    """
    large = [loss for loss in measure_losses(site.build) if loss.is_large()]
    if not large:
        return
    site.build.note(parameter_entries(site))
    raise ShrinkError(site.build.path, losses=large, held=site.build.hold())
