"""The ontologies of a manifest: a path or an address each, or what pins what is fetched."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pydantic import ValidationError

from index.sources.manifest_paths import Places, manifest_error, text_of
from ontology_etl.config import OFFICIAL, OntologyConfig, OntologySource


def named_ontologies(path: Path, table: object, places: Places) -> OntologyConfig:
    """Return the ontologies of the table ``[ontologies]``. Raises ``ManifestError``."""
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
