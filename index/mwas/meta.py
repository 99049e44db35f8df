"""Combine effects over projects: does a virus family go with an ontology term wherever they meet?

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
    """Return a row (contract MetaAssociation) per family and term tested in several projects.

    That is in ``MIN_PROJECTS`` or more. Takes computed associations with a CURIE whose groups have
    two samples or more and some spread.
    """
    pooled = _pool(study_effects(association))
    if pooled.is_empty():
        return MetaAssociation.create_empty()
    freedom = (pooled["projects"] - 1).to_numpy()
    effect = pooled["effect"].to_numpy()
    error = pooled["error"].to_numpy()
    reach = special.stdtrit(freedom, 0.975) * error
    tail = special.stdtr(freedom, -abs(effect) / error)
    p_value = 2 * tail
    q_value = benjamini_hochberg(p_value)
    combined = pooled.with_columns(
        ci_low=pl.Series(effect - reach),
        ci_high=pl.Series(effect + reach),
        p_value=pl.Series(p_value),
        q_value=pl.Series(q_value),
    )
    return conform(combined, MetaAssociation)


def study_effects(association: pl.DataFrame) -> pl.DataFrame:
    """Return the computed associations that can be combined, with Hedges' ``g``, ``variance``."""
    n_true = pl.col("num_true").cast(pl.Float64)
    n_false = pl.col("num_false").cast(pl.Float64)
    n = n_true + n_false
    freedom = n - 2

    squares_true = (n_true - 1) * pl.col("sd_rpm_true") ** 2
    squares_false = (n_false - 1) * pl.col("sd_rpm_false") ** 2
    pooled_variance = (squares_true + squares_false) / freedom
    pooled_sd = pl.col("pooled_sd")
    measured = _grounded_and_computed(association).with_columns(pooled_sd=pooled_variance.sqrt())
    several = (pl.col("num_true") > 1) & (pl.col("num_false") > 1)
    combinable = measured.filter(several & (pooled_sd > 0))

    difference = pl.col("mean_rpm_true") - pl.col("mean_rpm_false")
    small_sample_correction = 1 - 3 / (4 * freedom - 1)
    effects = combinable.with_columns(g=difference / pooled_sd * small_sample_correction)
    from_sizes = n / (n_true * n_false)
    from_effect = pl.col("g") ** 2 / (2 * n)
    with_variance = effects.with_columns(variance=from_sizes + from_effect)
    return with_variance.sort(*EFFECT, "bioproject")


def _grounded_and_computed(association: pl.DataFrame) -> pl.DataFrame:
    """Return the rows whose numbers were computed here and whose value has a CURIE."""
    computed = pl.col("source") == "computed"
    grounded = pl.col("curie").is_not_null()
    return association.filter(computed & grounded)


def _pool(studies: pl.DataFrame) -> pl.DataFrame:
    """Return the combined effect of each (family, term) with its standard error.

    The other columns are the heterogeneity and the counts.
    """
    centred = _centre(_weigh(studies))
    g = pl.col("g")
    weight = pl.col("w")
    effect = pl.col("effect")
    q = pl.col("q").first()
    freedom = pl.col("studies").first() - 1

    same_sign = g.sign() == effect.first().sign()
    squares = (weight * (g - effect) ** 2).sum()
    spread = squares / (pl.len() - 1)
    at_least_one = pl.max_horizontal(spread, pl.lit(1.0))
    error = (at_least_one / weight.sum()).sqrt()
    i_squared = (1 - freedom / q).clip(lower_bound=0)
    return centred.group_by(EFFECT).agg(
        pl.col("value").first(),
        pl.len().cast(pl.Int64).alias("projects"),
        same_sign.sum().cast(pl.Int64).alias("projects_agreeing"),
        pl.col("num_true").sum(),
        pl.col("num_false").sum(),
        effect.first(),
        error.alias("error"),
        i_squared.fill_nan(0).alias("i_squared"),
    )


def _weigh(studies: pl.DataFrame) -> pl.DataFrame:
    """Return the studies of effects seen in ``MIN_PROJECTS`` or more, with the weight ``w``.

    The weight is that of the random-effects model; ``q`` is Cochran's Q and ``studies`` the number
    of studies of the effect.
    """
    g = pl.col("g")
    weight = 1 / pl.col("variance")
    total_weight = weight.sum().over(EFFECT)
    total_square = (weight**2).sum().over(EFFECT)
    fixed_effect = (g * weight).sum().over(EFFECT) / total_weight
    deviating = studies.with_columns(deviation=weight * (g - fixed_effect) ** 2)
    weighed = deviating.with_columns(
        q=pl.col("deviation").sum().over(EFFECT),
        studies=pl.len().over(EFFECT).cast(pl.Float64),
        scale=total_weight - total_square / total_weight,
    )
    several = weighed.filter(pl.col("studies") >= MIN_PROJECTS)

    excess = pl.col("q") - pl.col("studies") + 1
    between = (excess / pl.col("scale")).clip(lower_bound=0)
    spread = several.with_columns(between=between)
    return spread.with_columns(w=1 / (pl.col("variance") + pl.col("between")))


def _centre(weighed: pl.DataFrame) -> pl.DataFrame:
    """Return ``weighed`` with the combined ``effect`` of its (family, term)."""
    weight = pl.col("w")
    weighted_sum = (pl.col("g") * weight).sum().over(EFFECT)
    total_weight = weight.sum().over(EFFECT)
    return weighed.with_columns(effect=weighted_sum / total_weight)
