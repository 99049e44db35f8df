"""An RO-Crate: the index with a description of its content and its origin, in JSON-LD.

The description follows RO-Crate 1.1 (https://w3id.org/ro/crate/1.1).
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any, Final

import duckdb

from index.models.cache import copy_answers
from index.store.read import answers_beside
from index.store.whole_file import whole_file, write_whole
from ontology_etl.releases.download import sha256_of
from query.exports.donors import remove_personal

METADATA: Final = "ro-crate-metadata.json"
CONTEXT: Final = "https://w3id.org/ro/crate/1.1/context"
PROFILE: Final = "https://w3id.org/ro/crate/1.1"
PROJECT: Final = "virome-graphrag"
LICENCE: Final = "the licences of the inputs and ontologies it was made from apply"
_DESCRIPTOR: Final = {
    "@id": METADATA,
    "@type": "CreativeWork",
    "conformsTo": {"@id": PROFILE},
    "about": {"@id": "./"},
}
_VERSION: Final = "version."
_NOTED: Final = "SELECT key, value FROM build ORDER BY key"
_ONTOLOGIES: Final = """
SELECT ontology, version, source, sha256, licence FROM ontology_release ORDER BY ontology
"""


def export_crate(
    con: duckdb.DuckDBPyConnection, db: Path, folder: Path, *, donors: bool = False
) -> tuple[Path, int]:
    """Copy the index to ``folder``, with the recorded answers of models next to it, and write a
    description; return the description, and how many attributes were left out.

    Attributes that may identify ``donors`` are left out by default. A complete index can be
    verified from the answers without a model. Raises ``OSError`` if a file cannot be written.
    """
    copy = folder / db.name
    with whole_file(copy) as working:
        shutil.copyfile(db, working)
    removed = 0 if donors else remove_personal(copy)
    copy_answers(answers_beside(db), answers_beside(copy))
    noted = dict(con.execute(_NOTED).fetchall())
    ontologies = con.execute(_ONTOLOGIES).fetchall()
    files = [_file(copy, "Index of public sequencing runs", "application/vnd.duckdb")]
    if removed:
        files[0]["description"] = f"without {removed:,} attributes that may identify donors"
    else:
        files[0]["identifier"] = noted.get("content_hash", "")
    if answers_beside(copy).exists():
        files.append(
            _file(answers_beside(copy), "Kept answers of models", "application/vnd.sqlite3")
        )
    described = describe(noted, ontologies, files)
    path = folder / METADATA
    write_whole(path, json.dumps(described, indent=2, ensure_ascii=False))
    return path, removed


def describe(
    noted: dict[str, str],
    ontologies: list[tuple[str, str, str, str, str]],
    files: list[dict[str, Any]],
) -> dict[str, Any]:
    """Return the description of an index as RO-Crate 1.1 has it.

    ``noted`` is the table ``build``; ``ontologies`` are (ontology, version, source, sha256,
    licence); ``files`` describe those of the crate, the index first.
    """
    sources = [_ontology(*row) for row in ontologies]
    inputs = [_input(key, value) for key, value in noted.items() if key.startswith("input.")]
    libraries = _libraries(noted)
    software = _entity(
        f"#{PROJECT}",
        "SoftwareApplication",
        PROJECT,
        version=noted.get(f"{_VERSION}{PROJECT}", ""),
        softwareRequirements=_ids(libraries),
    )
    published = noted.get("run_at.published", "")
    build = _entity(
        "#build",
        "CreateAction",
        "Building the index",
        endTime=published,
        instrument={"@id": software["@id"]},
        object=_ids([*sources, *inputs]),
        result=_ids(files),
    )
    root = _entity(
        "./",
        "Dataset",
        "Index of public sequencing runs with community reports",
        description="Runs, grounded metadata, viruses, communities, reports and associations.",
        datePublished=published,
        license=LICENCE,
        hasPart=_ids(files),
        isBasedOn=_ids([*sources, *inputs]),
        mentions={"@id": "#build"},
    )
    graph = [_DESCRIPTOR, root, *files, software, *libraries, build, *sources, *inputs]
    return {"@context": CONTEXT, "@graph": graph}


def _entity(identifier: str, kind: str, name: str, **more: object) -> dict[str, Any]:
    return {"@id": identifier, "@type": kind, "name": name, **more}


def _ids(entities: list[dict[str, Any]]) -> list[dict[str, str]]:
    return [{"@id": entity["@id"]} for entity in entities]


def _file(path: Path, name: str, kind: str) -> dict[str, Any]:
    size = str(path.stat().st_size)
    digest = sha256_of(path)
    return _entity(path.name, "File", name, encodingFormat=kind, contentSize=size, sha256=digest)


def _libraries(noted: dict[str, str]) -> list[dict[str, Any]]:
    """Return the libraries whose versions an index notes."""
    named = {key.removeprefix(_VERSION): noted[key] for key in noted if key.startswith(_VERSION)}
    return [
        _entity(
            f"#software-{name}",
            "SoftwareApplication",
            name,
            version=version,
            url=f"https://pypi.org/project/{name}/{version}/",
        )
        for name, version in named.items()
        if name not in (PROJECT, "python", "contract")
    ]


def _ontology(
    ontology: str, version: str, source: str, sha256: str, licence: str
) -> dict[str, Any]:
    identifier = f"#ontology-{ontology}"
    about = {"version": version, "url": source, "sha256": sha256, "license": licence}
    return _entity(identifier, "Dataset", ontology, **about)


def _input(key: str, digest: str) -> dict[str, Any]:
    name = key.removeprefix("input.")
    return _entity(f"#input-{name}", "Dataset", name, sha256=digest)
