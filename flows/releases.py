"""Compare two releases of an ontology, or an index with the releases on this machine."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit

import polars as pl

from index.sources.manifest import read_manifest
from index.store.build import open_index, stored_table
from ontology_etl.errors import MissingFileError
from ontology_etl.load import digest, load_ontology
from ontology_etl.releases.download import RAW
from ontology_etl.releases.drift import compare_releases, drift, touched


def diff_releases(old: Path, new: Path, db: Path | None) -> dict[str, pl.DataFrame]:
    """Return the changes between two files of one ontology and, given an index, those that affect
    it.

    ``annotations`` and ``reports`` are the changes whose term annotates runs or is in the facts
    of reports, with the number of ``uses``.
    """
    name = ontology_of(old)
    changes = drift(load_ontology(name, old).term, load_ontology(name, new).term)
    if db is None:
        return {"changes": changes}
    with open_index(db) as connection:
        annotated = connection.sql("SELECT curie FROM annotation WHERE curie IS NOT NULL").pl()[
            "curie"
        ]
        reported = connection.sql(
            "SELECT DISTINCT community, curie FROM fact WHERE curie IS NOT NULL"
        ).pl()["curie"]
    return {
        "changes": changes,
        "annotations": touched(changes, annotated),
        "reports": touched(changes, reported),
    }


def check_releases(db: Path, inputs: Path) -> pl.DataFrame:
    """Return [ontology, version, source, state]: whether ``db`` was built on the ontologies of
    ``inputs``.

    A file that the manifest leaves to be fetched is looked for in ``data/raw``; nothing is fetched
    here.
    """
    sources = read_manifest(inputs).ontologies.listed
    files = {
        source.name: source.path or RAW / Path(urlsplit(source.url).path).name for source in sources
    }
    digests = {name: digest(path) for name, path in files.items() if path.exists()}
    with open_index(db) as connection:
        return compare_releases(stored_table(connection, "ontology_release"), digests)


def ontology_of(path: Path) -> str:
    """Return the ontology of a file, from its name.

    Raises ``MissingFileError`` where there is no file.
    """
    if not path.exists():
        raise MissingFileError(path)
    stem = path.name.lower()
    return (
        "BTO" if "bto" in stem else "DOID" if "doid" in stem or "disease" in stem else "NCBITaxon"
    )
