"""A drawn block as tables with accessions: SYNR runs, SYNS samples, SYNP projects, SYNT studies,
synu sOTUs.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from benchmarks.cohort_attributes import attribute_rows
from benchmarks.cohort_draw import Block
from benchmarks.cohort_ecology import Ecology
from benchmarks.cohort_reports import as_reported
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
    run_attribute: pl.DataFrame
    bioproject: pl.DataFrame
    study: pl.DataFrame
    place: pl.DataFrame
    detection: pl.DataFrame
    searched: pl.DataFrame  # runs on the list of what was searched
    stat_hit: pl.DataFrame


def block_tables(block: Block, cohort: Cohort, taxa: dict[str, int]) -> Tables:
    """Return the tables of ``block``, sorted by accession; ``taxa`` are ids by lower-case name."""
    ecology = cohort.ecology
    projects = _with_accessions(block.project, ecology)
    samples = block.sample.join(projects, on="project", how="left", maintain_order="left")
    runs = block.run.join(projects, on="project", how="left", maintain_order="left")
    texts = project_texts(block, ecology).join(
        projects.select("project", "bioproject", "sra_study"), on="project", maintain_order="left"
    )
    studied = texts.drop_nulls("sra_study")
    return Tables(
        run=_runs(runs, taxa),
        biosample=samples.select(
            _accession("SYNS", "sample").alias("biosample"),
            sample_titles().alias("title"),
            "organism",
            "bioproject",
            "project",
        ),
        biosample_attribute=attribute_rows(block, cohort).select(
            _accession("SYNS", "sample").alias("biosample"), "attribute", "value"
        ),
        run_attribute=_run_attributes(runs, ecology),
        bioproject=texts.drop_nulls("bioproject").select("bioproject", "title", "description"),
        study=studied.select("title", study="sra_study", abstract="description"),
        place=_places(samples, ecology),
        detection=_detections(block, runs, ecology),
        searched=runs.filter("listed").select(_accession("SYNR", "run").alias("run")),
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
        {
            "a": first,
            "b": first + 1,
            "identity": np.round(0.55 + 0.34 * rng.random(len(first)), 3),
        }
    )
    named = pairs.select(sotu_name("a"), sotu_name("b"), "identity")
    return named.select(
        pl.min_horizontal("a", "b").alias("sotu_a"),
        pl.max_horizontal("a", "b").alias("sotu_b"),
        "identity",
    ).sort("sotu_a", "sotu_b")


def sotu_name(column: str) -> pl.Expr:
    """Return the identifier of the sOTU whose number is in ``column``."""
    return pl.format("synu{}", pl.col(column) + 1).alias(column)


def _with_accessions(projects: pl.DataFrame, ecology: Ecology) -> pl.DataFrame:
    """Return ``projects`` with the accession of their BioProject, or of their study where they have
    none, their library strategy, and whether their runs are listed as searched.
    """
    kind = projects["study"].to_numpy()
    described = projects.with_columns(
        pl.Series(
            "strategy",
            ecology.strategy[kind],
            dtype=pl.String,
        ),
        pl.Series("listed", ecology.listed[kind]),
        pl.Series("without", ecology.without_bioproject[kind]),
    )
    return described.with_columns(
        pl.when(~pl.col("without")).then(_accession("SYNP", "project")).alias("bioproject"),
        pl.when("without").then(_accession("SYNT", "project")).alias("sra_study"),
    ).drop("without")


def _runs(runs: pl.DataFrame, taxa: dict[str, int]) -> pl.DataFrame:
    first_day = pl.date(pl.col("year") + 1, 1, 1)
    label = pl.col("organism").str.to_lowercase()
    return runs.select(
        _accession("SYNR", "run").alias("run"),
        _accession("SYNS", "sample").alias("biosample"),
        "bioproject",
        pl.col("sra_study").alias("study"),
        "organism",
        label.replace_strict(taxa, default=None, return_dtype=pl.Int64).alias("tax_id"),
        pl.col("strategy").alias("library_strategy"),
        _library_source().alias("library_source"),
        "spots",
        "bases",
        (first_day + pl.duration(days="day")).alias("release_date"),
        "project",
    )


def _run_attributes(runs: pl.DataFrame, ecology: Ecology) -> pl.DataFrame:
    """Return what a collection states of the runs themselves: run, attribute, value."""
    kind = runs["study"].to_numpy()
    stated = runs.select(
        _accession("SYNR", "run").alias("run"),
        pl.Series("attribute", ecology.of_runs[kind, 0], dtype=pl.String),
        pl.Series("value", ecology.of_runs[kind, 1], dtype=pl.String),
    )
    return stated.filter(pl.col("attribute") != "")


def _library_source() -> pl.Expr:
    """Return what was sequenced, in the words of the SRA: one organism, or many."""
    of_many = pl.col("organism").str.ends_with("metagenome")
    meta = pl.when(of_many).then(pl.lit("METATRANSCRIPTOMIC"))
    return meta.otherwise(pl.lit("TRANSCRIPTOMIC"))


def _detections(block: Block, runs: pl.DataFrame, ecology: Ecology) -> pl.DataFrame:
    """Return what was found in the runs, in the words of their projects."""
    found = block.detection.join(
        runs.select("run", "project"), on="run", how="left", maintain_order="left"
    )
    return (
        as_reported(found, ecology)
        .select(
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
        )
        .sort("run", "sotu")
    )


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
