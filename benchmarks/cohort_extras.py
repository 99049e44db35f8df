"""What a sample cohort has beside its runs: nucleotide hits, planted associations, a published MWAS
table.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import polars as pl
from scipy.stats import ttest_ind_from_stats

from benchmarks.cohort_attributes import DISEASE_NAMES, NULL_SPELLINGS, TISSUE_NAMES, contrasts
from benchmarks.cohort_draw import Block
from benchmarks.cohort_ecology import Ecology
from benchmarks.cohort_shape import Cohort
from benchmarks.cohort_tables import Tables

ALIASES: Final = {"tissue": TISSUE_NAMES, "disease": DISEASE_NAMES}
HIT_SHARE: Final = 0.35
NOISE_PER_RUN: Final = 0.6
WEAK_SEGMENT: Final = 10  # least score of the second segment of a virus, below the threshold of 50
PUBLISHED: Final = 3  # every third planted association is also in the published table


def nucleotide_hits(block: Block, tables: Tables, cohort: Cohort) -> pl.DataFrame:
    """Return hits to RefSeq genomes: good ones, and the single-read noise that a threshold of 50
    takes out. The segments of a virus are hit in the same runs, one of them weakly.
    """
    rng = np.random.default_rng([cohort.shape.seed, 5])
    ecology = cohort.ecology
    kinds = block.project.select("project", kind="study")
    placed = tables.run.join(kinds, on="project", maintain_order="left")
    study = placed["kind"].to_numpy()
    found = []
    for first, *segments in _genomes(ecology):
        _, _, key = ecology.accessions[first]
        hosts = np.flatnonzero(study == ecology.keys.index(key))
        hit = hosts[rng.random(len(hosts)) < HIT_SHARE]
        reads = _hit_reads(rng, cohort, len(hit))
        score = 50 + 51 * rng.random(len(hit))
        found.append(_hits(tables, first, hit, score, reads))

        noisy = hosts[rng.random(len(hosts)) < NOISE_PER_RUN]
        noise = np.setdiff1d(noisy, hit)
        weak = 1 + 20 * rng.random(len(noise)) ** 3
        single = np.ones(len(noise), np.int64)
        found.append(_hits(tables, first, noise, weak, single))
        for number, segment in enumerate(segments):
            low = WEAK_SEGMENT if number == 0 else 50
            score = low + 40 * rng.random(len(hit))
            reads = _hit_reads(rng, cohort, len(hit))
            found.append(_hits(tables, segment, hit, score, reads))
    return pl.concat(found).sort("run_id", "sequence_accession")


def _genomes(ecology: Ecology) -> list[list[str]]:
    """Return the accessions of each virus, by the first of them."""
    viruses: dict[str, list[str]] = {}
    for accession in sorted(ecology.accessions):
        virus, _, _ = ecology.accessions[accession]
        of_virus = viruses.setdefault(virus, [])
        of_virus.append(accession)
    return list(viruses.values())


def _hit_reads(rng: np.random.Generator, cohort: Cohort, count: int) -> np.ndarray:
    uniform = rng.random(count)
    quantiles = cohort.calibration.quantiles["serratus_reads"]
    drawn = quantiles.draw(uniform)
    return np.floor(drawn).astype(np.int64)


def accession_table(ecology: Ecology) -> pl.DataFrame:
    """Return the names of the RefSeq genomes: sequence_accession, virus_name, family."""
    rows = [
        (name, virus, family) for name, (virus, family, _) in sorted(ecology.accessions.items())
    ]
    return pl.DataFrame(
        rows,
        schema=["sequence_accession", "virus_name", "family"],
        orient="row",
    )


def planted_table(block: Block, tables: Tables, ecology: Ecology) -> pl.DataFrame:
    """Return the planted associations: which attribute of which project goes with which virus
    family, and how much.

    Attribute and values are spelled as most samples of the project spell them.
    """
    aliases = [(what, name) for what, names in ALIASES.items() for name in dict.fromkeys(names)]
    own = [(what, what) for what in contrasts(ecology)["what"].unique() if what not in ALIASES]
    named = pl.DataFrame(aliases + own, schema=["what", "attribute"], orient="row")
    samples = block.sample.select(_sample_accession(), "project", "carrier")
    projects = tables.bioproject.select(
        pl.col("bioproject").str.strip_prefix("SYNP").cast(pl.Int64).alias("project")
    )
    planted = (
        block.project.filter("planted")
        .join(projects, on="project", how="semi")
        .join(contrasts(ecology).drop("value", "other_value"), on="study")
    )
    stated = (
        planted.select("project", "what", "family", "log2_fold_change")
        .join(samples, on="project")
        .join(tables.biosample_attribute, on="biosample")
        .join(named, on=["what", "attribute"])
        .filter(~pl.col("value").is_in(NULL_SPELLINGS))
    )
    usual = (
        stated.group_by("project", "attribute", "family", "log2_fold_change", "carrier", "value")
        .len("samples")
        .sort("project", "carrier", "samples", "value", descending=[False, True, True, False])
        .unique(["project", "carrier"], keep="first", maintain_order=True)
    )
    true = usual.filter("carrier").rename({"samples": "samples_true"})
    other = usual.filter(~pl.col("carrier")).select(
        "project", pl.col("value").alias("other_value"), pl.col("samples").alias("samples_other")
    )
    return (
        true.join(other, on="project")
        .sort("project")
        .select(
            pl.lit("association").alias("planted"),
            pl.format("SYNP{}", pl.col("project").cast(pl.String).str.zfill(7)).alias("bioproject"),
            "family",
            "attribute",
            "value",
            "other_value",
            "log2_fold_change",
            "samples_true",
            "samples_other",
        )
    )


def published_associations(block: Block, tables: Tables, planted: pl.DataFrame) -> pl.DataFrame:
    """Return an MWAS table as others publish it: some of the planted associations with Welch's t;
    fields TAB-joined.
    """
    listed = planted.gather_every(PUBLISHED)
    spots = tables.run.group_by("biosample", "bioproject").agg(
        pl.col("spots").sum(), pl.col("project").first()
    )
    carrier = block.sample.select(_sample_accession(), "carrier")
    reads = (
        tables.detection.join(tables.run.select("run", "biosample"), on="run")
        .group_by("biosample", "family")
        .agg(pl.col("reads").sum())
    )
    rpm = (
        listed.join(spots, on="bioproject")
        .join(carrier, on="biosample")
        .join(reads, on=["biosample", "family"], how="left")
        .sort("bioproject", "biosample")
        .with_columns((pl.col("reads").fill_null(0) / pl.col("spots") * 1e6).alias("rpm"))
    )
    group = rpm.group_by("bioproject", maintain_order=True).agg(
        item
        for name, chosen in (("true", pl.col("carrier")), ("false", ~pl.col("carrier")))
        for item in (
            chosen.sum().cast(pl.Int64).alias(f"num_{name}"),
            pl.col("rpm").filter(chosen).mean().alias(f"mean_rpm_{name}"),
            pl.col("rpm").filter(chosen).std().alias(f"sd_rpm_{name}"),
        )
    )
    both = (pl.col("num_true") > 1) & (pl.col("num_false") > 1)
    tested = listed.join(group, on="bioproject").filter(both).sort("bioproject")
    sides = [
        tested[f"{kind}_{side}"].to_numpy()
        for side in ("true", "false")
        for kind in ("mean_rpm", "sd_rpm", "num")
    ]
    statistic, p_value = ttest_ind_from_stats(*sides, equal_var=False)
    twin = pl.int_range(pl.len()) % 4 == 0
    return tested.select(
        pl.col("bioproject").alias("bioproject_id"),
        "family",
        pl.when(twin)
        .then(pl.format("{}\tsource_material", "attribute"))
        .otherwise("attribute")
        .alias("metadata_field"),
        pl.when(twin)
        .then(pl.format("{}\t{}", "value", "value"))
        .otherwise("value")
        .alias("metadata_value"),
        "num_true",
        "num_false",
        *(
            pl.col(f"{kind}_{side}").round(4)
            for kind in ("mean_rpm", "sd_rpm")
            for side in ("true", "false")
        ),
        ((pl.col("mean_rpm_true") + 1) / (pl.col("mean_rpm_false") + 1))
        .log(2)
        .round(4)
        .alias("fold_change"),
        pl.Series("test_statistic", np.round(statistic, 4)),
        pl.Series("p_value", [float(f"{value:.6g}") for value in p_value]),
    )


def _hits(
    tables: Tables, accession: str, rows: np.ndarray, score: np.ndarray, reads: np.ndarray
) -> pl.DataFrame:
    return pl.DataFrame(
        {
            "run_id": tables.run["run"].gather(rows),
            "sequence_accession": pl.repeat(
                accession,
                len(rows),
                eager=True,
            ),
            "score": np.minimum(100, np.floor(score)).astype(np.int64),
            "percent_identity": (100 - np.floor(np.maximum(0, 60 - score) / 4)).astype(np.int64),
            "n_reads": reads,
        }
    )


def _sample_accession() -> pl.Expr:
    return pl.format("SYNS{}", pl.col("sample").cast(pl.String).str.zfill(7)).alias("biosample")
