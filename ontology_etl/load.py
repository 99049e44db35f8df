"""Load ontology files as validated tables, with the release of each."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import polars as pl

from ontology_etl.config import OFFICIAL
from ontology_etl.errors import MissingFileError
from ontology_etl.releases.download import sha256_of
from ontology_etl.sources import SOURCES
from ontology_etl.tables import (
    Rejected,
    Release,
    Statements,
    Synonym,
    Term,
    TermEdge,
    Xref,
    conform,
    gather_rejected,
)


@dataclass(frozen=True)
class OntologyTables:
    """Tables of one or more ontologies; ``repairs`` counts the rows that were corrected."""

    term: pl.DataFrame
    synonym: pl.DataFrame
    term_edge: pl.DataFrame
    xref: pl.DataFrame
    release: pl.DataFrame
    rejected: pl.DataFrame
    repairs: int


_STACKED: Final = ("term", "synonym", "term_edge", "xref", "release")
_AT_ONCE: Final = 2
"""Ontologies read in parallel: the taxonomy takes as long as all others together."""


def load_ontology(name: str, path: Path) -> OntologyTables:
    """Return the tables of ontology ``name`` read from ``path``.

    Raises ``InputError``, ``ContractError``, and ``ValueError`` for another name.
    """
    if name not in SOURCES:
        raise ValueError(f"unknown ontology {name!r}: one of {', '.join(SOURCES)}")
    if not path.exists():
        raise MissingFileError(path)
    statements = SOURCES[name](path)
    source = str(path)
    return OntologyTables(
        term=conform(statements.term, Term, source=source),
        synonym=conform(statements.synonym, Synonym, source=source),
        term_edge=conform(statements.term_edge, TermEdge, source=source),
        xref=conform(statements.xref, Xref, source=source),
        release=describe_release(name, path, statements),
        rejected=_name_files(statements.rejected, path),
        repairs=statements.repairs,
    )


def load_ontologies(paths: Mapping[str, Path]) -> OntologyTables:
    """Return the tables of all ontologies of ``paths`` (name -> file), combined.

    Parts are sorted by a key that starts with the ontology. Raises as ``load_ontology``.
    """
    largest_first = sorted(paths, key=lambda name: bytes_at(paths[name]), reverse=True)
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        loading = {name: pool.submit(load_ontology, name, paths[name]) for name in largest_first}
        parts = [loading[name].result() for name in sorted(loading)]

    stacked = {}
    for table in _STACKED:
        stacked[table] = pl.concat([getattr(part, table) for part in parts])
    rejected = gather_rejected(part.rejected for part in parts)
    repairs = sum(part.repairs for part in parts)
    return OntologyTables(**stacked, rejected=rejected, repairs=repairs)


def describe_release(name: str, path: Path, statements: Statements) -> pl.DataFrame:
    """Return the Release row of the file at ``path``."""
    licences = {source.name: source.licence for source in OFFICIAL}
    live = statements.term.filter(~pl.col("obsolete"))
    row = {
        "ontology": name,
        "version": statements.version,
        "source": path.name,
        "sha256": digest(path),
        "licence": licences[name],
        "terms": len(live),
        "synonyms": len(statements.synonym),
    }
    return conform(
        pl.DataFrame([row]),
        Release,
        source=str(path),
    )


def digest(path: Path) -> str:
    """Return the sha256 of a file; for a folder, that of the names and digests of its files."""
    if not path.is_dir():
        return sha256_of(path)
    files = sorted(file for file in path.iterdir() if file.is_file())
    lines = [f"{file.name} {digest(file)}" for file in files]
    listed = "\n".join(lines)
    return hashlib.sha256(listed.encode()).hexdigest()


def bytes_at(path: Path) -> int:
    """Return the size of a file, or of the files of a folder, in bytes; 0 if there is neither."""
    files = path.iterdir() if path.is_dir() else [path]
    return sum(file.stat().st_size for file in files if file.is_file())


def _name_files(rejected: pl.DataFrame, path: Path) -> pl.DataFrame:
    """Return ``rejected`` with file names only, so that their folder does not change the index."""
    named = pl.col("source").str.replace(
        str(path),
        path.name,
        literal=True,
    )
    return conform(
        rejected.with_columns(named),
        Rejected,
        source=str(path),
    )
