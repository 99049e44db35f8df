"""Propose terms for values that the dictionary leaves: the nearest name by sentence vector.

A proposal never meets a dictionary hit: ``ontology_etl.grounding`` asks only about values that
named nothing. Taxa are not proposed: there are millions of them, and the vectors know neither Latin
names nor acronyms. How often a proposal is right, and why it is off unless asked for, is in
``decisions/0030-embedding-proposals.md``.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np
import polars as pl

from index.models.embeddings import DIMENSIONS, MODEL, Vectors, embed
from index.store.whole_file import whole_file
from ontology_etl.grounding import Proposer
from ontology_etl.vocabulary import Vocabulary

PROPOSED: Final = ("tissue", "disease")
BLOCK: Final = 256
"""Texts compared with all names at a time: 256 x 50,000 cosines are 50 MB."""
_CACHED: Final[dict[str, pl.DataType | type[pl.DataType]]] = {
    "text": pl.String,
    "vector": pl.Array(pl.Float32, DIMENSIONS),
}


def make_proposer(
    vocabulary: Vocabulary, *, min_cosine: float, cache: Path | None = None
) -> Proposer:
    """Return a function that names the nearest term of a facet for each text, or None below
    ``min_cosine`` (0-1).

    ``cache`` is a folder that keeps vectors of names and texts between builds. A nearest name that
    means several terms proposes nothing, nor does a term that names no particular thing.

    Raises ``ModelUnavailableError`` when the model is absent; a build can do without proposals.
    """

    def propose(texts: Sequence[str], facet: str) -> list[tuple[str, float] | None]:
        if facet not in PROPOSED or not texts:
            return [None] * len(texts)
        names = facet_names(vocabulary, facet)
        spelled = names["name"].unique(maintain_order=True)
        vectors = cached_vectors([*spelled.to_list(), *texts], cache)
        rows, cosines = nearest_rows(vectors[len(spelled) :], vectors[: len(spelled)])
        found = pl.DataFrame({"name": spelled.gather(rows), "cosine": cosines})
        clear = names.filter(pl.len().over("name") == 1)
        termed = found.join(
            clear,
            on="name",
            how="left",
            maintain_order="left",
        )
        near = termed.with_columns(
            pl.when(pl.col("cosine") >= min_cosine).then("curie").alias("curie")
        )

        return [
            (curie, cosine) if curie else None
            for cosine, curie in near.select("cosine", "curie").iter_rows()
        ]

    return propose


def facet_names(vocabulary: Vocabulary, facet: str) -> pl.DataFrame:
    """Return [name, curie], the names of ``facet`` in words, without those of generic terms,
    sorted.
    """
    listed = vocabulary.names.filter(
        (pl.col("facet") == facet)
        & (pl.col("case_rule") == "any")
        & pl.col("curie").str.contains(":")
        & ~pl.col("curie").is_in(sorted(vocabulary.generic))
    )
    spelled = listed.select(
        pl.coalesce("cased", "folded").str.to_lowercase().alias("name"), "curie"
    )
    return spelled.unique().sort("name", "curie")


def nearest_rows(texts: Vectors, names: Vectors) -> tuple[list[int], list[float]]:
    """Return for each row of ``texts`` the row of ``names`` nearest to it, the first of equals, and
    their cosine.
    """
    rows, cosines = [], []
    for start in range(0, len(texts), BLOCK):
        block = texts[start : start + BLOCK] @ names.T
        best = block.argmax(axis=1)
        rows += best.tolist()
        cosines += np.clip(block[np.arange(len(best)), best], 0, 1).astype(float).tolist()
    return rows, cosines


def cached_vectors(texts: Sequence[str], folder: Path | None) -> Vectors:
    """Return one vector per text as ``embed`` does; those in ``folder`` are read, new ones added to
    it.
    """
    if folder is None:
        return embed(texts)
    path = folder / f"{MODEL}-int8.parquet"
    known = pl.read_parquet(path) if path.exists() else pl.DataFrame(schema=_CACHED)
    asked = pl.DataFrame({"text": texts}, schema={"text": pl.String})
    missing = (
        asked.unique(maintain_order=True)
        .join(
            known,
            on="text",
            how="anti",
        )["text"]
        .to_list()
    )
    if missing:
        known = pl.concat(
            [known, pl.DataFrame({"text": missing, "vector": embed(missing)}, schema=_CACHED)]
        )
        _replace(path, known)
    return asked.join(
        known,
        on="text",
        how="left",
        maintain_order="left",
    )["vector"].to_numpy()


def _replace(path: Path, vectors: pl.DataFrame) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with whole_file(path) as working:
        vectors.write_parquet(working)
