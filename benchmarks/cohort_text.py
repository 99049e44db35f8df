"""Words of a cohort: titles, abstracts, and BioSample attributes as untidy as submitters leave them.

A submitter is consistent within a project: the same attribute names, mostly the same spelling, one way to say that
nothing was recorded. What varies is the project.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import polars as pl

from benchmarks.cohort_calibration import Calibration
from benchmarks.cohort_draw import Block
from benchmarks.cohort_ecology import Ecology

NULL_SPELLINGS: Final = (
    "missing", "not collected", "Not Collected", "not applicable", "Not applicable", "NA", "N/A", "unknown", "-", "none",
)  # fmt: skip
TISSUE_NAMES: Final = ("tissue", "tissue", "Tissue", "isolation_source", "source_name", "body site", "tissue_type")
DISEASE_NAMES: Final = ("disease", "disease", "health_state", "host_disease", "disease_state", "diagnosis")
HEALTHY: Final = ("healthy", "Healthy", "control", "none reported")
SEXED: Final = frozenset(
    {"bat gut", "bat tissues", "pig gut", "rodent", "mouse model", "cattle", "camel", "human gut", "human airway",
     "human liver and blood"}
)  # fmt: skip
FILLERS: Final = (
    "replicate", "isolate", "batch", "dev_stage", "sample_type", "host_subject_id", "time_point", "strain", "library kit",
    "storage", "depth", "altitude", "temp", "ph", "env_broad_scale", "env_local_scale", "env_medium", "samp_size",
    "rel_to_oxygen", "samp_collect_device", "growth_protocol", "elevation", "plate", "well", "lane", "rna_integrity",
    "extraction kit", "season",
)  # fmt: skip
LEVELS: Final = {"dev_stage": ("adult", "juvenile", "larva"), "season": ("spring", "summer", "autumn", "winter")}
PLATFORMS: Final = ("Illumina NovaSeq 6000", "Illumina HiSeq 2500", "NextSeq 500", "Illumina HiSeq 4000")
CASE_MESS: Final = ((0.03, "upper"), (0.08, "title"), (0.09, "typo"), (0.10, "blank"))


def project_texts(block: Block, ecology: Ecology) -> pl.DataFrame:
    """Return title and abstract of each project: columns project, title, description."""
    counts = block.run.group_by("project").len("runs")
    tissues = (
        block.sample.filter(pl.col("tissue") != "")
        .group_by("project")
        .agg(pl.col("tissue").unique().sort().str.join(", ").alias("tissues"))
    )
    questions = pl.DataFrame(
        [
            (study, len(listed), n, text)
            for study, listed in enumerate(ecology.questions)
            for n, text in enumerate(listed)
        ],
        schema={"study": pl.Int64, "asked": pl.Int64, "n": pl.Int64, "question": pl.String},
        orient="row",
    )
    contrast = pl.DataFrame(
        {"study": np.arange(len(ecology.keys))}
        | {name: ecology.contrast[:, column].astype(str) for column, name in enumerate(("what", "true", "other"))}
    )
    asked = questions.select("study", "asked").unique()
    turn = (pl.col("project") // len(ecology.keys) % pl.col("asked")).alias("n")
    listed = (
        block.project.join(asked, on="study")
        .with_columns(turn)
        .join(questions.drop("asked"), on=["study", "n"])
        .join(contrast, on="study")
        .join(counts, on="project")
        .join(tissues, on="project", how="left")
        .sort("project")
    )
    question, place = pl.col("question"), pl.col("place").str.split(":").list.first()
    subject = pl.when(pl.col("host") != "").then(pl.format("{} ({})", "organism", "host")).otherwise("organism")
    sampled = pl.when(pl.col("tissues").is_null()).then(pl.lit("")).otherwise(pl.format(" Samples are {}.", "tissues"))
    compared = (
        pl.when("planted")
        .then(pl.format(" Samples with {} '{}' are compared with '{}'.", "what", "true", "other"))
        .otherwise(pl.lit(""))
    )
    first_letter = question.str.slice(0, 1).str.to_uppercase()
    return listed.select(
        "project",
        pl.format("{}{}, {}", first_letter, question.str.slice(1), place).alias("title"),
        pl.format(
            "To study {}, total RNA of {} libraries of {} was sequenced; material was collected in {} in {}.{}{}"
            " Ribosomal RNA was depleted before library preparation.",
            question, "runs", subject, place, "year", sampled, compared,
        ).alias("description"),
    )  # fmt: skip


def sample_titles(samples: pl.DataFrame) -> pl.Expr:
    """Return an expression for the title of each sample."""
    part = pl.when(pl.col("tissue") != "").then(pl.format(" {}", "tissue")).otherwise(pl.lit(""))
    return pl.format("{}{} sample {}", "organism", part, "sample")


def attribute_rows(block: Block, ecology: Ecology, calibration: Calibration, *, seed: int) -> pl.DataFrame:
    """Return the attributes of each sample in order: columns sample, attribute, value.

    A project has as many attributes as the calibration says, the telling ones first: what it contrasts, tissue,
    disease, host, place, date.
    """
    first = int(block.project["project"][0])
    rng = np.random.default_rng([seed, 3, first])
    frame = block.sample.join(block.project, on="project", how="left", maintain_order="left")
    at_project = frame["project"].to_numpy() - first
    n, n_projects = len(frame), len(block.project)
    wanted = calibration.quantiles["attributes_per_biosample"].draw(rng.random(n_projects))
    habits = {
        name: np.floor(rng.random(n_projects) * 1000).astype(np.int64)[at_project]
        for name in ("tissue", "disease", "null")
    }
    columns = _telling_columns(frame, ecology, rng, habits) + _filler_columns(rng, n)
    spans = [
        pl.DataFrame(
            {"sample": frame["sample"], "order": order, "attribute": name, "value": value, "null": habits["null"]}
        )
        for order, (name, value) in enumerate(columns)
    ]
    stacked = pl.concat(spans).filter(pl.col("value").is_not_null()).sort("sample", "order")
    limit = pl.DataFrame(
        {"sample": frame["sample"], "limit": np.maximum(3, np.round(wanted)).astype(np.int64)[at_project]}
    )
    kept = (
        stacked.join(limit, on="sample", how="left", maintain_order="left")
        .filter(pl.int_range(pl.len()).over("sample") < pl.col("limit"))
        .unique(["sample", "attribute"], keep="first", maintain_order=True)
    )
    return _untidied(kept, rng, calibration.shares["value_is_null_spelling"]).select("sample", "attribute", "value")


def _telling_columns(
    frame: pl.DataFrame, ecology: Ecology, rng: np.random.Generator, habits: dict[str, np.ndarray]
) -> list[tuple[str | pl.Series, pl.Series]]:
    """Return (names, values) of what says something about the biology; null where a sample lacks it."""
    n = len(frame)
    study = frame["study"].to_numpy()
    attribute, true, other, _ = (ecology.contrast[study, column] for column in range(4))
    apart = frame["planted"].to_numpy() & ~np.isin(attribute, ["tissue", "disease"])
    treated = np.where(frame["carrier"].to_numpy(), true, other)
    sexed = np.isin(study, [k for k, key in enumerate(ecology.keys) if key in SEXED])
    healthy = np.array(HEALTHY, dtype=object)[habits["disease"] % len(HEALTHY)]
    has_disease = ecology.disease.counts[study] > 0
    sick = (rng.random(n) < 0.6) | np.isin(attribute, ["disease"])
    disease = frame["disease"].to_numpy()
    state = np.where(~has_disease, None, np.where(sick & (disease != ""), disease, healthy))
    tissue = np.where(frame["tissue"].to_numpy() == "", None, frame["tissue"].to_numpy())
    host = np.where(frame["host"].to_numpy() == "", None, frame["host"].to_numpy())
    date = frame.select(
        pl.format("{}-{}", "year", pl.Series((1 + rng.random(n) * 11).astype(int)).cast(pl.String).str.zfill(2))
    )
    sex = np.where(sexed, np.where(rng.random(n) < 0.5, "female", "male"), None)
    return [
        (_texts(np.where(apart, attribute, "")), _texts(np.where(apart, treated, None))),
        (_names(TISSUE_NAMES, habits["tissue"]), _spelled(tissue, habits["tissue"], ecology, rng)),
        (_names(DISEASE_NAMES, habits["disease"]), _spelled(state, habits["disease"], ecology, rng)),
        ("host", _texts(host)),
        ("geo_loc_name", frame["place"]),
        ("collection_date", date.to_series()),
        ("sex", _texts(sex)),
    ]


def _filler_columns(rng: np.random.Generator, n: int) -> list[tuple[str | pl.Series, pl.Series]]:
    columns = []
    for name in FILLERS:
        number = np.floor(rng.random(n) * 4).astype(np.int64)
        levels = LEVELS.get(name, tuple(f"{name[:2].upper()}{value}" for value in range(1, 5)))
        columns.append((name, _names(levels, number)))
    return columns


def _spelled(label: np.ndarray, habit: np.ndarray, ecology: Ecology, rng: np.random.Generator) -> pl.Series:
    """Return each label in the spelling of its project; one sample in ten is spelled as the next project would."""
    stray = (rng.random(len(label)) < 0.1).astype(np.int64)
    variants = pl.DataFrame(
        [(name, [name, *others]) for name, others in ecology.spellings.items()],
        schema={"label": pl.String, "variants": pl.List(pl.String)},
        orient="row",
    )
    asked = pl.DataFrame({"label": _texts(label), "habit": habit + stray})
    joined = asked.join(variants, on="label", how="left", maintain_order="left")
    chosen = pl.col("variants").list.get(pl.col("habit") % pl.col("variants").list.len(), null_on_oob=True)
    return joined.select(pl.coalesce(chosen, "label")).to_series()


def _untidied(rows: pl.DataFrame, rng: np.random.Generator, null_share: float) -> pl.DataFrame:
    """Return ``rows`` with null spellings, odd case, a few typos and blanks; what a project contrasts stays clean."""
    drawn = rows.with_columns(
        pl.Series("u", rng.random(len(rows))),
        pl.Series("v", rng.random(len(rows))),
        _names(NULL_SPELLINGS, rows["null"].to_numpy()).alias("nothing"),
    )
    value, u = pl.col("value"), pl.col("v")
    typo = pl.concat_str(value.str.slice(0, 3), value.str.slice(4))
    messy = (
        pl.when(u < CASE_MESS[0][0]).then(value.str.to_uppercase())
        .when(u < CASE_MESS[1][0]).then(value.str.to_titlecase())
        .when((u < CASE_MESS[2][0]) & (value.str.len_chars() > 5)).then(typo)
        .when(u < CASE_MESS[3][0]).then(pl.concat_str(value, pl.lit(" ")))
        .otherwise(value)
    )  # fmt: skip
    said = pl.when(pl.col("u") < null_share).then("nothing").otherwise(messy)
    free_text = pl.col("order").is_in([1, 2, 3])
    dull = pl.col("order") > 3
    nulled = pl.when(pl.col("u") < null_share).then("nothing").otherwise(value)
    return drawn.with_columns(pl.when(free_text).then(said).when(dull).then(nulled).otherwise(value).alias("value"))


def _names(options: tuple[str, ...], number: np.ndarray) -> pl.Series:
    return pl.Series(options, dtype=pl.String).gather(number % len(options))


def _texts(values: np.ndarray) -> pl.Series:
    return pl.Series(values.tolist(), dtype=pl.String)
