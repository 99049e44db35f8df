"""A drawn block as tables with accessions: SYNR runs, SYNS samples, SYNP projects, synu sOTUs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from benchmarks.cohort_attributes import attribute_rows
from benchmarks.cohort_draw import Block
from benchmarks.cohort_ecology import Ecology
from benchmarks.cohort_shape import Cohort, Sotus
from benchmarks.cohort_text import project_texts, sample_titles


@dataclass(frozen=True)
class Tables:
    """One block of a cohort in the columns of the record contracts, and some that only file formats
    have.
    """

    run: pl.DataFrame
    biosample: pl.DataFrame
    biosample_attribute: pl.DataFrame
    bioproject: pl.DataFrame
    place: pl.DataFrame
    detection: pl.DataFrame
    stat_hit: pl.DataFrame


def block_tables(block: Block, cohort: Cohort, taxa: dict[str, int]) -> Tables:
    """Return the tables of ``block``, sorted by accession; ``taxa`` are ids by lower-case name."""
    ecology = cohort.ecology
    samples = block.sample.join(block.project, on="project", how="left", maintain_order="left")
    runs = block.run.join(block.project, on="project", how="left", maintain_order="left")
    first_day = pl.date(pl.col("year") + 1, 1, 1)
    organism = (
        pl.col("organism")
        .str.to_lowercase()
        .replace_strict(taxa, default=None, return_dtype=pl.Int64)
    )
    return Tables(
        run=runs.select(
            _accession("SYNR", "run").alias("run"),
            _accession("SYNS", "sample").alias("biosample"),
            _accession("SYNP", "project").alias("bioproject"),
            "organism",
            organism.alias("tax_id"),
            pl.lit("RNA-Seq").alias("library_strategy"),
            "spots",
            "bases",
            (first_day + pl.duration(days="day")).alias("release_date"),
            "project",
        ),
        biosample=samples.select(
            _accession("SYNS", "sample").alias("biosample"),
            sample_titles().alias("title"),
            "organism",
            _accession("SYNP", "project").alias("bioproject"),
            "project",
        ),
        biosample_attribute=attribute_rows(block, cohort).select(
            _accession("SYNS", "sample").alias("biosample"), "attribute", "value"
        ),
        bioproject=project_texts(block, ecology).select(
            _accession("SYNP", "project").alias("bioproject"), "title", "description"
        ),
        place=_places(samples, ecology),
        detection=block.detection.select(
            _accession("SYNR", "run").alias("run"),
            sotu_name("sotu"),
            "species",
            pl.col("family").replace("", None),
            pl.col("phylum").replace("", None),
            "identity",
            "node_identity",
            "coverage",
            "reads",
            pl.lit("palm_virome").alias("source"),
        ).sort("run", "sotu"),
        stat_hit=block.stat.select(
            _accession("SYNR", "run").alias("run"),
            "taxon",
            pl.col("taxon")
            .str.to_lowercase()
            .replace_strict(taxa, return_dtype=pl.Int64)
            .alias("tax_id"),
            "share",
        ),
    )


def alignments(sotus: Sotus, *, seed: int) -> pl.DataFrame:
    """Return the similarity of neighbouring sOTUs of a species: sotu_a, sotu_b, identity (0-1,
    below 0.9).
    """
    rng = np.random.default_rng([seed, 4])
    first = np.setdiff1d(np.arange(int(sotus.count.sum())), sotus.first + sotus.count - 1)
    pairs = pl.DataFrame(
        {"a": first, "b": first + 1, "identity": np.round(0.55 + 0.34 * rng.random(len(first)), 3)}
    )
    named = pairs.select(sotu_name("a"), sotu_name("b"), "identity")
    return named.select(
        pl.min_horizontal("a", "b").alias("sotu_a"),
        pl.max_horizontal("a", "b").alias("sotu_b"),
        "identity",
    ).sort("sotu_a", "sotu_b")


def sotu_name(column: str) -> pl.Expr:
    """Return the identifier of the sOTU whose number stands in ``column``."""
    return pl.format("synu{}", pl.col(column) + 1).alias(column)


def _places(samples: pl.DataFrame, ecology: Ecology) -> pl.DataFrame:
    country = pl.col("place").str.split(":").list.first()
    axes = {"latitude": 0, "longitude": 1}
    study_biome = dict(enumerate(ecology.biome))
    biome = (
        pl.col("study")
        .replace_strict(study_biome, return_dtype=pl.String)
        .replace("not applicable", None)
    )
    return samples.select(
        _accession("SYNS", "sample").alias("biosample"),
        country.alias("country"),
        biome.alias("biome"),
        *(
            country.replace_strict(
                {name: at[axis] for name, at in ecology.positions.items()}, default=None
            ).alias(name)
            for name, axis in axes.items()
        ),
        "place",
        "project",
    )


def _accession(prefix: str, column: str) -> pl.Expr:
    return pl.concat_str(pl.lit(prefix), pl.col(column).cast(pl.String).str.zfill(7))
