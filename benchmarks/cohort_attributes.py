"""BioSample attributes of a cohort, as untidy as submitters leave them.

A submitter is consistent within a project: the same attribute names, mostly the same spelling, one
way to say that nothing was recorded. What varies is the project.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt
import polars as pl

from benchmarks.cohort_calibration import Calibration
from benchmarks.cohort_draw import Block
from benchmarks.cohort_ecology import Ecology
from benchmarks.cohort_shape import Cohort

NULL_SPELLINGS: Final = (
    "missing",
    "not collected",
    "Not Collected",
    "not applicable",
    "Not applicable",
    "NA",
    "N/A",
    "unknown",
    "-",
)
TISSUE_NAMES: Final = (
    "tissue",
    "tissue",
    "Tissue",
    "isolation_source",
    "source_name",
    "body_site",
    "tissue_type",
)
DISEASE_NAMES: Final = (
    "disease",
    "disease",
    "health_state",
    "host_disease",
    "disease_state",
    "diagnosis",
)
HEALTHY: Final = ("healthy", "Healthy", "control", "none reported")
SEXED: Final = frozenset(
    {
        "bat gut",
        "bat tissues",
        "pig gut",
        "rodent",
        "mouse model",
        "cattle",
        "camel",
        "human gut",
        "human airway",
        "human liver and blood",
    }
)
FILLERS: Final = {
    "isolate": (),
    "replicate": ("1", "2", "3"),
    "host_subject_id": (),
    "batch": ("B1", "B2"),
    "storage": ("-80 C", "RNAlater"),
    "library_kit": ("A", "B"),
    "specimen_voucher": (),
    "time_point": ("0", "1", "2"),
    "concentration": (),
    "rna_integrity": (),
    "sample_volume": ("200 ul", "500 ul"),
    "extraction_kit": ("A", "B"),
    "lane": ("1", "2", "3", "4"),
    "plate": ("P1", "P2"),
    "well": (),
    "pool": ("1", "2", "3"),
    "barcode": (),
    "box": (),
    "season": ("dry", "wet"),
    "elevation": (),
    "temp": (),
    "ph": (),
    "shipment": ("1", "2"),
    "freezer": ("1", "2"),
    "run_order": (),
    "spike_in": ("yes", "no"),
    "cycles": ("12", "15"),
    "read_length": ("100", "150"),
}
"""Attributes that say little, in the order they are added, with their values; none: a value of its
own per sample.
"""
FREE_TEXT: Final = (1, 2, 3)  # orders of tissue, disease and host: these get odd case and typos
MIN_ATTRIBUTES: Final = 3
VISITS: Final = 3  # months in which a project samples
STRAY: Final = 0.1  # share of samples spelled otherwise than their project
AILING: Final = 0.6  # share of samples with the disease, where a project does not contrast it

Named = tuple[str | pl.Series, pl.Series]
Numbers = npt.NDArray[np.int64]


def attribute_rows(block: Block, cohort: Cohort) -> pl.DataFrame:
    """Return the attributes of each sample in order: columns sample, attribute, value.

    A project has as many attributes as the calibration says, the telling ones first: what it
    contrasts, tissue, disease, host, place, date.
    """
    ecology, calibration = cohort.ecology, cohort.calibration
    rng = np.random.default_rng([cohort.shape.seed, 3, int(block.project["project"][0])])
    projects = _habits(block.project, ecology, calibration, rng)
    frame = block.sample.join(
        projects,
        on="project",
        how="left",
        maintain_order="left",
    )
    columns = _telling_columns(frame, ecology, rng) + _filler_columns(frame, rng)
    carried = frame.select("sample", "nothing", "limit")
    spans = [
        carried.with_columns(
            pl.lit(order).alias("order"),
            (pl.lit(name) if isinstance(name, str) else name).alias("attribute"),
            value.alias("value"),
        )
        for order, (name, value) in enumerate(columns)
    ]
    kept = (
        pl.concat(spans)
        .filter(pl.col("value").is_not_null())
        .sort("sample", "order")
        .unique(["sample", "attribute"], keep="first", maintain_order=True)
        .filter(pl.int_range(pl.len()).over("sample") < pl.col("limit"))
    )
    return _untidied(kept, rng, calibration.shares["value_is_null_spelling"]).select(
        "sample", "attribute", "value"
    )


def contrasts(ecology: Ecology) -> pl.DataFrame:
    """Return what each kind of study contrasts: study, what, value, other_value, family,
    log2_fold_change.
    """
    names = ("what", "value", "other_value", "family")
    columns = {name: ecology.contrast[:, number].tolist() for number, name in enumerate(names)}
    return pl.DataFrame(
        {"study": np.arange(len(ecology.keys)), "log2_fold_change": ecology.log2_fold} | columns
    )


def _habits(
    projects: pl.DataFrame, ecology: Ecology, calibration: Calibration, rng: np.random.Generator
) -> pl.DataFrame:
    """Return ``projects`` with how each submitter writes, what the project contrasts, and how much
    it records.
    """
    n = len(projects)
    recorded = np.round(
        calibration.quantiles["attributes_per_biosample"].draw(rng.random(n))
    ).astype(np.int64)
    habit, disease_habit, null_habit = (
        np.floor(rng.random(n) * 1000).astype(np.int64) for _ in range(3)
    )
    study = projects["study"].to_numpy()
    sexed = np.array([key in SEXED for key in ecology.keys])
    return projects.join(
        contrasts(ecology), on="study", how="left", maintain_order="left"
    ).with_columns(
        pl.Series("limit", np.maximum(MIN_ATTRIBUTES, recorded)),
        pl.Series("habit", habit),
        _one_of(TISSUE_NAMES, habit).alias("tissue_name"),
        _one_of(DISEASE_NAMES, disease_habit).alias("disease_name"),
        _one_of(HEALTHY, disease_habit).alias("healthy"),
        _one_of(NULL_SPELLINGS, null_habit).alias("nothing"),
        pl.Series("has_disease", ecology.disease.counts[study] > 0),
        pl.Series("sexed", sexed[study]),
    )


def _telling_columns(
    frame: pl.DataFrame, ecology: Ecology, rng: np.random.Generator
) -> list[Named]:
    """Return (name, values) of attributes about the biology; null where a sample lacks it."""
    uniform = {name: pl.Series(rng.random(len(frame))) for name in ("ailing", "month", "sex")}
    apart = pl.col("planted") & ~pl.col("what").is_in(["tissue", "disease"])
    ailing = (uniform["ailing"] < AILING) | (pl.col("what") == "disease")
    sick = ailing & (pl.col("disease") != "")
    visit = (uniform["month"] * VISITS).cast(pl.Int64)
    month = (1 + (pl.col("habit") + 4 * visit) % 12).cast(pl.String).str.zfill(2)
    sexes = pl.when(uniform["sex"] < 0.5).then(pl.lit("female")).otherwise(pl.lit("male"))
    drawn = frame.select(
        pl.when(apart).then("what").otherwise(pl.lit("")).alias("contrast_name"),
        pl.when(apart)
        .then(pl.when("carrier").then("value").otherwise("other_value"))
        .alias("contrast"),
        pl.col("tissue").replace("", None),
        pl.when("has_disease")
        .then(pl.when(sick).then("disease").otherwise("healthy"))
        .alias("state"),
        pl.col("host").replace("", None),
        pl.format("{}-{}", "year", month).alias("date"),
        pl.when("sexed").then(sexes).alias("sex"),
    )
    return [
        (drawn["contrast_name"], drawn["contrast"]),
        (frame["tissue_name"], _spelled(drawn["tissue"], frame["habit"], ecology, rng)),
        (frame["disease_name"], _spelled(drawn["state"], frame["habit"], ecology, rng)),
        ("host", drawn["host"]),
        ("geo_loc_name", frame["place"]),
        ("collection_date", drawn["date"]),
        ("sex", drawn["sex"]),
    ]


def _filler_columns(frame: pl.DataFrame, rng: np.random.Generator) -> list[Named]:
    numbers = frame["sample"].cast(pl.String)
    columns: list[Named] = []
    for name, values in FILLERS.items():
        drawn = np.floor(rng.random(len(frame)) * 1000).astype(np.int64)
        columns.append((name, _one_of(values, drawn) if values else name[:2].upper() + numbers))
    return columns


def _spelled(
    label: pl.Series, habit: pl.Series, ecology: Ecology, rng: np.random.Generator
) -> pl.Series:
    """Return each label in the spelling of its project; a stray sample is spelled as the next
    project would.
    """
    stray = pl.Series((rng.random(len(label)) < STRAY).astype(np.int64))
    variants = pl.DataFrame(
        [(name, [name, *others]) for name, others in ecology.spellings.items()],
        schema={
            "label": pl.String,
            "variants": pl.List(pl.String),
        },
        orient="row",
    )
    asked = pl.DataFrame(
        {
            "label": label,
            "habit": habit + stray,
        }
    )
    joined = asked.join(
        variants,
        on="label",
        how="left",
        maintain_order="left",
    )
    chosen = pl.col("variants").list.get(
        pl.col("habit") % pl.col("variants").list.len(), null_on_oob=True
    )
    return joined.select(pl.coalesce(chosen, "label")).to_series()


def _untidied(rows: pl.DataFrame, rng: np.random.Generator, null_share: float) -> pl.DataFrame:
    """Return ``rows`` with null spellings, odd case, a few typos and blanks; what a project
    contrasts stays clean.
    """
    unsaid = pl.Series(rng.random(len(rows))) < null_share
    mess = pl.Series(rng.random(len(rows)))
    value = pl.col("value")
    typo = pl.concat_str(value.str.slice(0, 3), value.str.slice(4))
    messy = (
        pl.when(mess < 0.03).then(value.str.to_uppercase())
        .when(mess < 0.08).then(value.str.to_titlecase())
        .when((mess < 0.09) & (value.str.len_chars() > 5)).then(typo)
        .when(mess < 0.10).then(pl.concat_str(value, pl.lit(" ")))
        .otherwise(value)
    )  # fmt: skip
    written = pl.when(pl.col("order").is_in(FREE_TEXT)).then(messy).otherwise(value)
    clean = pl.col("order") == 0
    return rows.with_columns(
        pl.when(unsaid & ~clean).then("nothing").otherwise(written).alias("value")
    )


def _one_of(options: Sequence[str], number: Numbers) -> pl.Series:
    return pl.Series(options, dtype=pl.String).gather(number % len(options))
