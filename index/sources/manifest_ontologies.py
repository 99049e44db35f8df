"""Read the ontologies of a manifest: each is a path, an address, or a pinned release."""

from __future__ import annotations

from typing import Any

from pydantic import ValidationError

from index.errors import first_fault
from index.sources.manifest_paths import Places
from ontology_etl.config import OFFICIAL, OntologyConfig, OntologySource


def named_ontologies(table: object, places: Places) -> OntologyConfig:
    """Return the ontologies of the table ``[ontologies]``. Raises ``ManifestError``."""
    if not isinstance(table, dict):
        remedy = 'write [ontologies], then BTO = "a/bto.obo"'
        raise places.wrong("[ontologies]: not a table", remedy)
    official = {source.name: source for source in OFFICIAL}
    unknown = sorted(set(table) - set(official))
    if unknown:
        remedy = f"use any of: {', '.join(official)}"
        raise places.wrong(f"[ontologies]: unknown {', '.join(unknown)}", remedy)
    said = {
        name: value if isinstance(value, dict) else {"path": value} for name, value in table.items()
    }
    wanted = [source for source in OFFICIAL if source.name in said or not source.optional]
    listed = [_ontology(source, said.get(source.name, {}), places) for source in wanted]
    return OntologyConfig(listed=tuple(listed))


def _ontology(official: OntologySource, said: dict[str, Any], places: Places) -> OntologySource:
    """Return ``official`` with what the manifest says of it."""
    where = f"[ontologies] {official.name}"
    local = {}
    if "path" in said:
        local["path"] = places.found(places.text(where, "path", said["path"]), where)
    try:
        return OntologySource.model_validate(
            {**official.model_dump(), **said, **local, "name": official.name}
        )
    except ValidationError as error:
        remedy = "use a path, or a table of release, sha256, latest_url, release_url"
        raise places.wrong(f"{where}: {first_fault(error)}", remedy) from error
