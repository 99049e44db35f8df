"""Find hits that a congener in the same run explains better: another species of the genus with more
reads.

Reads of one virus also align to the genomes of its relatives. A search that aligns reads to
reference genomes reports each relative as a separate hit of high identity, because only the reads
that fit are counted. Assembled contigs are not compared: the identity of a whole contig is
reliable.
"""

from __future__ import annotations

from typing import Final

import polars as pl

_SPECIES: Final = ("run", "source", "genus", "name")


def find_congeners(hits: pl.DataFrame) -> pl.DataFrame:
    """Return run, source, genus, name, congener, congener_ratio: one row per species of a run that
    has fewer reads than a congener in it.

    ``hits`` has run, source, virus, reads, genus (its CURIE) and name (of the virus; null where its
    reads are not compared). Reads are compared within a source, and those of all segments and
    references of a virus are added. ``congener`` is the one with the most reads, ``congener_ratio``
    its reads divided by those of the species.
    """
    reads = _reads_by_species(hits)
    most_first = reads.sort("reads", "name", descending=[True, False])
    most = most_first.unique(["run", "source", "genus"], keep="first", maintain_order=True)
    largest = most.select("run", "source", "genus", congener="virus", most="reads")
    compared = reads.join(largest, on=["run", "source", "genus"])
    fewer = compared.filter(pl.col("reads") < pl.col("most"))
    ratio = pl.col("most") / pl.col("reads")
    return fewer.select(*_SPECIES, "congener", congener_ratio=ratio)


def _reads_by_species(hits: pl.DataFrame) -> pl.DataFrame:
    """Return run, source, genus, name, reads, virus: the virus that most of the reads align to."""
    named = hits.drop_nulls(["genus", "name"])
    best_first = named.sort("reads", "virus", descending=[True, False])
    return best_first.group_by(_SPECIES, maintain_order=True).agg(
        pl.col("reads").sum(),
        pl.col("virus").first(),
    )
