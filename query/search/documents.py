"""The user's own documents, in a file next to the index: chunks with their vectors.

The file is rewritten and replaced at once, under a lock, so that readers are never locked out and a
writer that dies leaves the documents unchanged.
"""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import duckdb
import numpy as np
import polars as pl
from numpy.typing import NDArray

from index.models.embeddings import DIMENSIONS, embed
from index.store.private import private_file
from index.store.read import LOCKED
from query.errors import DocumentError
from query.global_search.lexical import rank_texts, read_texts
from query.search.chunks import Chunk, cut
from query.search.files import MOST_PAGES, read_file
from query.search.passage import Passage

_SCHEMA: Final = f"""
CREATE TABLE IF NOT EXISTS document (
    name VARCHAR PRIMARY KEY, path VARCHAR, sha256 VARCHAR, pages INTEGER, silent INTEGER
);
CREATE TABLE IF NOT EXISTS chunk (
    name VARCHAR, ordinal INTEGER, place VARCHAR, text VARCHAR, vector FLOAT[{DIMENSIONS}],
    PRIMARY KEY (name, ordinal)
);
"""
_TEXTS: Final = "SELECT name || '#' || ordinal AS id, text FROM chunk"
_DOCUMENTS: Final = """
SELECT name, path, pages, silent, (SELECT count(*) FROM chunk AS c WHERE c.name = d.name)
FROM document AS d ORDER BY name
"""
_PASSAGES: Final = """
SELECT name || '#' || ordinal, name || ', ' || place, text FROM chunk
WHERE 'document:' || name || '#' || ordinal IN $keys
"""


@dataclass(frozen=True, slots=True)
class Document:
    """A document that was added; ``silent`` pages had no text."""

    name: str
    path: str
    pages: int
    silent: int
    chunks: int
    outcome: str = ""
    """What adding it did: added, replaced, unchanged."""


def add_document(store: Path, path: Path, *, most_pages: int = MOST_PAGES) -> Document:
    """Add the file at ``path`` to the documents at ``store`` and return it.

    A file of the same name takes the place of the earlier one. Raises ``DocumentError``, and
    ``ModelUnavailableError`` where vectors cannot be made.
    """
    name = path.name
    file = read_file(path, most_pages=most_pages)
    stored = {document.name: document for document in list_documents(store)}
    if (file.sha256,) in _rows_of(store, "SELECT sha256 FROM document WHERE name = $1", [name]):
        return replace(stored[name], outcome="unchanged")
    chunks = cut(file)
    document = Document(
        name=name,
        path=str(path.resolve()),
        pages=len(file.pages) + file.silent,
        silent=file.silent,
        chunks=len(chunks),
        outcome="replaced" if name in stored else "added",
    )
    row = (name, document.path, file.sha256, document.pages, document.silent)
    rows = _rows(name, chunks, embed([chunk.text for chunk in chunks]))
    with _rewritten(store) as con:
        _delete(con, name)
        con.execute("INSERT INTO document VALUES (?, ?, ?, ?, ?)", row)
        con.register("rows", rows)
        con.execute("INSERT INTO chunk SELECT * FROM rows")
    return document


def remove_document(store: Path, name: str) -> Document:
    """Remove the document called ``name`` and return it; raises ``DocumentError``."""
    stored = {document.name: document for document in list_documents(store)}
    if name not in stored:
        remedy = f"documents: {', '.join(stored) or 'none'}"
        raise DocumentError(name, "no such document was added", remedy=remedy)
    with _rewritten(store) as con:
        _delete(con, name)
    return replace(stored[name], outcome="removed")


def list_documents(store: Path) -> list[Document]:
    """Return the documents at ``store`` by name, none if nothing was added."""
    return [Document(*row) for row in _rows_of(store, _DOCUMENTS)]


def rank_chunks(store: Path, words: Sequence[str]) -> list[tuple[str, float]]:
    """Return (key, BM25 score) of the chunks that hold one of ``words``, best first."""
    if not store.exists():
        return []
    with _opened(store) as con:
        ranked = rank_texts(read_texts(con, _TEXTS), words)
    return [(f"document:{name}", score) for name, score in ranked]


def chunk_vectors(store: Path) -> tuple[list[str], NDArray[np.float32]]:
    """Return the keys of all chunks with their vectors, in order of key."""
    rows = _rows_of(store, "SELECT name, ordinal, vector FROM chunk ORDER BY 1, 2")
    keys = [f"document:{name}#{ordinal}" for name, ordinal, _ in rows]
    vectors = np.array([vector for _, _, vector in rows], np.float32)
    return keys, vectors.reshape(len(rows), DIMENSIONS)


def read_chunks(store: Path, keys: Sequence[str]) -> dict[str, Passage]:
    """Return the chunks with these keys, cited by file and page or line."""
    wanted = [key for key in keys if key.startswith("document:")]
    rows = _rows_of(store, _PASSAGES, {"keys": wanted}) if wanted else []
    return {f"document:{row[0]}": Passage("document", *row) for row in rows}


def _rows(name: str, chunks: Sequence[Chunk], vectors: NDArray[np.float32]) -> pl.DataFrame:
    return pl.DataFrame(
        {
            "name": [name] * len(chunks),
            "ordinal": [chunk.ordinal for chunk in chunks],
            "place": [chunk.place for chunk in chunks],
            "text": [chunk.text for chunk in chunks],
            "vector": pl.Series(vectors, dtype=pl.Array(pl.Float32, DIMENSIONS)),
        }
    )


def _rows_of(store: Path, query: str, parameters: object = None) -> list[tuple[Any, ...]]:
    """Return the rows of ``query`` over the documents; none if nothing was added."""
    if not store.exists():
        return []
    with _opened(store) as con:
        return con.execute(query, parameters).fetchall()


def _delete(con: duckdb.DuckDBPyConnection, name: str) -> None:
    for table in ("chunk", "document"):
        con.execute(f"DELETE FROM {table} WHERE name = ?", [name])


@contextmanager
def _opened(store: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """Yield a connection that reads the documents; raises ``DocumentError`` if it cannot."""
    try:
        con = duckdb.connect(str(store), read_only=True, config=LOCKED)
    except duckdb.Error as error:
        reason = f"the documents cannot be read: {str(error).splitlines()[0]}"
        remedy = "remove the file, and add the documents again"
        raise DocumentError(store, reason, remedy=remedy) from error
    with con:
        yield con


@contextmanager
def _rewritten(store: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """Yield a connection to a copy of the documents, which then replaces them."""
    building = store.with_name(f"{store.name}.building")
    locked = store.with_name(f"{store.name}.lock")
    with private_file(locked).open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        building.unlink(missing_ok=True)
        if store.exists():
            shutil.copyfile(store, building)
        if building.exists():
            private_file(building)
        with duckdb.connect(str(building)) as con:
            private_file(building)
            con.execute(_SCHEMA)
            yield con
            con.execute("CHECKPOINT")
        os.replace(building, store)
