"""Embeddings split by text: a vector depends on its text alone."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np
import polars as pl

from flows.scaling.parts import Cluster, read_tables, write_tables
from index.models.embeddings import DIMENSIONS, Vectors, embed

_TEXT: Final = "text"
_VECTOR: Final = "vector"
_RESULT: Final = "result"
_TYPE: Final = pl.Array(pl.Float32, DIMENSIONS)


def embed_on(cluster: Cluster, texts: Sequence[str]) -> Vectors:
    """Return what ``embed`` returns, computed by ``cluster`` in blocks of texts."""
    if not texts:
        return embed(texts)
    blocks: list[Vectors] = []
    with cluster.room("embed reports") as room:
        parts = []
        for start in range(0, len(texts), cluster.block_texts):
            part = room / f"{start:012}"
            block = texts[start : start + cluster.block_texts]
            write_tables({_TEXT: pl.DataFrame({_TEXT: block})}, part)
            parts.append(str(part))
        for done in cluster.compute("embed reports", embed_block, parts):
            vectors = read_tables(Path(done) / _RESULT)[_VECTOR][_VECTOR]
            blocks.append(vectors.to_numpy())
    return np.concatenate(blocks)


def embed_block(folder: str) -> None:
    """Embed the texts in ``folder`` and write their vectors below it."""
    part = Path(folder)
    texts = read_tables(part)[_TEXT][_TEXT]
    vectors = pl.DataFrame({_VECTOR: pl.Series(embed(texts.to_list()), dtype=_TYPE)})
    write_tables({_VECTOR: vectors}, part / _RESULT)
