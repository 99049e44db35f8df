"""Titles and abstracts of the projects of a cohort."""

from __future__ import annotations

import polars as pl

from benchmarks.cohort_attributes import contrasts
from benchmarks.cohort_draw import Block
from benchmarks.cohort_ecology import Ecology


def project_texts(block: Block, ecology: Ecology) -> pl.DataFrame:
    """Return title and abstract of each project: columns project, title, description."""
    question, place = pl.col("question"), pl.col("place").str.split(":").list.first()
    subject = (
        pl.when(pl.col("host") != "")
        .then(pl.format("{} ({})", "organism", "host"))
        .otherwise("organism")
    )
    sampled = (
        pl.when(pl.col("tissues").is_null())
        .then(pl.lit(""))
        .otherwise(pl.format(" Samples are {}.", "tissues"))
    )
    compared = pl.format(
        " Samples with {} '{}' are compared with '{}'.", "what", "value", "other_value"
    )
    initial = question.str.head(1).str.to_uppercase()
    title = pl.format("{}{}, {}", initial, question.str.slice(1), place)
    description = pl.format(
        "To study {}, total RNA of {} libraries of {} was sequenced;"
        " material was collected in {} in {}.{}{}"
        " Ribosomal RNA was depleted before library preparation.",
        question,
        "runs",
        subject,
        place,
        "year",
        sampled,
        pl.when("planted").then(compared).otherwise(pl.lit("")),
    )
    described = _described(block, ecology)
    return described.select("project", title=title, description=description)


def sample_titles() -> pl.Expr:
    """Return the title of a sample, from its organism, tissue and number."""
    is_stated = pl.col("tissue") != ""
    tissue = pl.format(" {}", "tissue")
    part = pl.when(is_stated).then(tissue).otherwise(pl.lit(""))
    return pl.format(
        "{}{} sample {}",
        "organism",
        part,
        "sample",
    )


def _described(block: Block, ecology: Ecology) -> pl.DataFrame:
    """Return the projects with their number of runs, tissues, contrast and one of the questions of
    their kind.
    """
    tissues = block.sample.filter(pl.col("tissue") != "").group_by("project")
    turn = (pl.col("project") // len(ecology.keys)) % pl.col("questions").list.len()
    return (
        block.project.join(
            contrasts(ecology),
            on="study",
        )
        .join(
            pl.DataFrame(
                {
                    "study": range(len(ecology.keys)),
                    "questions": ecology.questions,
                }
            ),
            on="study",
        )
        .join(block.run.group_by("project").len("runs"), on="project")
        .join(
            tissues.agg(pl.col("tissue").unique().sort().str.join(", ").alias("tissues")),
            on="project",
            how="left",
        )
        .with_columns(pl.col("questions").list.get(turn).alias("question"))
        .sort("project")
    )
