"""Combine one effect over projects: does a virus family go with an ontology term wherever the two
meet?

One project is rarely evidence: its groups differ in more than the term. Grounding makes values
comparable, so every computed association with a CURIE is one study of (family, term). Reads per
million are not comparable across studies of different depth and target, so the effect of a study is
the standardised difference of means (Hedges' g); studies are combined by a random-effects model
(DerSimonian and Laird 1986) with the t-interval of Hartung and Knapp (2001), never narrower than
the model's own (Röver, Knapp and Friede 2015). With two studies that interval is wide, as it should
be.
"""

from __future__ import annotations

from typing import Final

import polars as pl
from scipy import special

from index.false_discovery import benjamini_hochberg
from index.tables import MetaAssociation
from ontology_etl.tables import conform

MIN_PROJECTS: Final = 2
EFFECT: Final = ["family", "attribute", "curie"]


def combine_projects(association: pl.DataFrame) -> pl.DataFrame:
    """Return one row (contract MetaAssociation) per family and term tested in ``MIN_PROJECTS``
    projects or more.

    Takes computed associations with a CURIE whose groups have two samples or more and some spread.
    """
    studies = study_effects(association)
    pooled = _pool(studies)
    if pooled.is_empty():
        return MetaAssociation.create_empty()
    freedom = (pooled["projects"] - 1).to_numpy()
    effect, error = pooled["effect"].to_numpy(), pooled["error"].to_numpy()
    reach = special.stdtrit(freedom, 0.975) * error
    p_value = 2 * special.stdtr(freedom, -abs(effect) / error)
    combined = pooled.with_columns(
        ci_low=pl.Series(effect - reach),
        ci_high=pl.Series(effect + reach),
        p_value=pl.Series(p_value),
        q_value=pl.Series(benjamini_hochberg(p_value)),
    )
    return conform(combined, MetaAssociation)


def study_effects(association: pl.DataFrame) -> pl.DataFrame:
    """Return the computed associations that can be combined, with Hedges' ``g`` and its
    ``variance``.
    """
    n_true, n_false = pl.col("num_true").cast(pl.Float64), pl.col("num_false").cast(pl.Float64)
    freedom = n_true + n_false - 2
    squares = (n_true - 1) * pl.col("sd_rpm_true") ** 2 + (n_false - 1) * pl.col(
        "sd_rpm_false"
    ) ** 2
    computed = association.filter((pl.col("source") == "computed") & pl.col("curie").is_not_null())
    measured = computed.with_columns(pooled_sd=(squares / freedom).sqrt()).filter(
        (pl.col("num_true") > 1) & (pl.col("num_false") > 1) & (pl.col("pooled_sd") > 0)
    )
    difference = pl.col("mean_rpm_true") - pl.col("mean_rpm_false")
    g = difference / pl.col("pooled_sd") * (1 - 3 / (4 * freedom - 1))
    return (
        measured.with_columns(g=g)
        .with_columns(
            variance=(n_true + n_false) / (n_true * n_false)
            + pl.col("g") ** 2 / (2 * (n_true + n_false)),
        )
        .sort(*EFFECT, "bioproject")
    )


def _pool(studies: pl.DataFrame) -> pl.DataFrame:
    """Return the combined effect of each (family, term), its standard error, heterogeneity and
    counts.
    """
    g, weight = pl.col("g"), 1 / pl.col("variance")
    fixed = (g * weight).sum().over(EFFECT) / weight.sum().over(EFFECT)
    weighed = studies.with_columns(deviation=weight * (g - fixed) ** 2).with_columns(
        q=pl.col("deviation").sum().over(EFFECT),
        studies=pl.len().over(EFFECT).cast(pl.Float64),
        scale=weight.sum().over(EFFECT)
        - (weight**2).sum().over(EFFECT) / weight.sum().over(EFFECT),
    )
    several = weighed.filter(pl.col("studies") >= MIN_PROJECTS)
    between = ((pl.col("q") - pl.col("studies") + 1) / pl.col("scale")).clip(lower_bound=0)
    random = several.with_columns(between=between).with_columns(
        w=1 / (pl.col("variance") + pl.col("between"))
    )
    centred = random.with_columns(
        effect=(g * pl.col("w")).sum().over(EFFECT) / pl.col("w").sum().over(EFFECT)
    )
    spread = (pl.col("w") * (g - pl.col("effect")) ** 2).sum() / (pl.len() - 1)
    return centred.group_by(EFFECT).agg(
        pl.col("value").first(),
        pl.len().cast(pl.Int64).alias("projects"),
        (g.sign() == pl.col("effect").first().sign())
        .sum()
        .cast(pl.Int64)
        .alias("projects_agreeing"),
        pl.col("num_true").sum(),
        pl.col("num_false").sum(),
        pl.col("effect").first(),
        (pl.max_horizontal(spread, pl.lit(1.0)) / pl.col("w").sum()).sqrt().alias("error"),
        (1 - (pl.col("studies").first() - 1) / pl.col("q").first())
        .clip(lower_bound=0)
        .fill_nan(0)
        .alias("i_squared"),
    )
