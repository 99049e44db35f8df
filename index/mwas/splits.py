"""Groups of biosamples to compare: each attribute value against the others of the attribute.

A value is compared within its bioproject, among the searched biosamples that have the attribute
(its universe): a sample whose tissue is not stated is not evidence about another tissue. Values are
compared folded (trimmed, blanks collapsed, lower case, so ``Leaf`` = ``leaf ``) and shown in their
most frequent spelling; attribute names in snake case (``SampleName`` = ``sample_name``).

Grounded values are attributes too, named after the facet, the attribute they were read from and the
ontology: ``tissue (BTO)``, ``tissue from source_name (BTO)``, ``host from organism (NCBITaxon)``.
Their values are labels of terms, so ``leaf``, ``leaves`` and ``foliage`` are one group and can be
compared across projects. What was read from two attributes is never pooled: among samples that all
have an organism and some of which have a host too, a missing host would count as another host.

Two values that split a universe into the same two groups are one test. Groups are recognised by a
Zobrist hash: each sample has a random 64-bit number, a group is the exclusive-or of its members, so
the hash of the other group is the exclusive-or with that of the universe.
"""

from __future__ import annotations

from typing import Final

import polars as pl

from index.facets import GROUNDED_FACETS
from index.mwas.abundance import SAMPLE
from index.splitmix64 import output_at
from ontology_etl.attributes import snake_case
from ontology_etl.curies import prefix_of
from ontology_etl.missing import NO_VALUE

GROUPING_FACETS: Final = tuple(facet for facet in GROUNDED_FACETS if facet != "label")
"""Facets whose terms group samples; the organism as submitted is grouped by what it means."""


def label_samples(
    attribute: pl.DataFrame,
    annotation: pl.DataFrame,
    run: pl.DataFrame,
) -> pl.DataFrame:
    """Return [biosample, attribute, value, key, curie]: a row per sample, attribute and ``key``.

    ``key`` is the folded value.
    ``annotation`` has run, facet, value, curie and the attribute it was read from. ``curie`` is
    null for attributes as submitted. Null spellings are left out: the sample then has no such
    attribute.
    """
    return pl.concat([_submitted_labels(attribute), grounded_labels(annotation, run)])


def _submitted_labels(attribute: pl.DataFrame) -> pl.DataFrame:
    single_blanks = pl.col("value").str.replace_all(r"\s+", " ")
    value = single_blanks.str.strip_chars(" \"'")
    name = attribute_name(pl.col("attribute"))
    cleaned = attribute.select("biosample", name.alias("attribute"), value.alias("value"))
    folded = cleaned.with_columns(key=pl.col("value").str.to_lowercase())
    has_value = ~pl.col("key").is_in(NO_VALUE)
    has_name = pl.col("attribute") != ""
    stated = folded.filter(has_value & has_name)
    return _most_frequent_spelling(stated).with_columns(curie=pl.lit(None, pl.String))


def grounded_labels(annotation: pl.DataFrame, run: pl.DataFrame) -> pl.DataFrame:
    """Return the labels that are terms of ``annotation``, of the samples of ``run``."""
    groups_samples = pl.col("facet").is_in(GROUPING_FACETS)
    grounded = pl.col("curie").is_not_null()
    terms = annotation.filter(groups_samples & grounded)
    of_samples = terms.join(run.select("run", "biosample"), on="run")

    facet = pl.col("facet")
    read_from = attribute_name(pl.col("attribute"))
    facet_and_origin = pl.format("{} from {}", facet, read_from)
    place = pl.when(facet == read_from).then(facet).otherwise(facet_and_origin)
    ontology = prefix_of(pl.col("curie"))
    name = pl.format("{} ({})", place, ontology)
    labels = of_samples.select(
        "biosample",
        name.alias("attribute"),
        "value",
        pl.col("curie").alias("key"),
        "curie",
    )
    return labels.unique(["biosample", "attribute", "key"])


def submitted_name(attribute: pl.Expr) -> pl.Expr:
    """Return the attribute that values were read from.

    It is ``source_name`` of ``tissue from source_name (BTO)``; an attribute as submitted is its
    own.
    """
    return attribute.str.replace(r"^(?:\w+ from )?(\w+) \(\w+\)$", "$1")


def attribute_name(attribute: pl.Expr) -> pl.Expr:
    """Return the name of an attribute in snake case: ``SampleName`` is ``sample_name``."""
    between_humps = r"(\p{Ll}{2})(\p{Lu})"
    words = attribute.str.replace_all(between_humps, "${1}_${2}")
    return snake_case(words)


def find_splits(labels: pl.DataFrame, searched: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the splits and their members.

    Splits: [bioproject, attribute, key, value, curie, num_true, num_false, group, universe,
    partition], in no order; ``group``, ``universe`` and ``partition`` (the same for both halves of
    a universe) are hashes. Members: [bioproject, attribute, key, biosample].
    """
    members = _hashed_samples(searched).join(labels, on="biosample")
    group_hash = pl.col("code").bitwise_xor()
    size = pl.len().cast(pl.Int64)
    by_value = members.group_by("bioproject", "attribute", "key").agg(
        pl.col("value").min(),
        pl.col("curie").first(),
        num_true=size,
        group=group_hash,
    )
    stating = members.unique(["bioproject", "attribute", "biosample"])
    universe = stating.group_by("bioproject", "attribute").agg(
        in_universe=size,
        universe=group_hash,
    )
    in_universe = by_value.join(universe, on=["bioproject", "attribute"])
    other_half = pl.col("group").xor(pl.col("universe"))
    splits = in_universe.with_columns(
        num_false=pl.col("in_universe") - pl.col("num_true"),
        partition=pl.min_horizontal("group", other_half),
    )
    return (
        splits.drop("in_universe"),
        members.select("bioproject", "attribute", "key", "biosample"),
    )


def _hashed_samples(searched: pl.DataFrame) -> pl.DataFrame:
    """Return [bioproject, biosample, code]: a random 64-bit number for each sample."""
    position = pl.col("biosample").rank("dense").over("bioproject")
    numbered = searched.select(*SAMPLE, position=position.cast(pl.UInt64))
    code = output_at(numbered["position"].to_numpy())
    return numbered.select(*SAMPLE, pl.Series("code", code))


def _most_frequent_spelling(folded: pl.DataFrame) -> pl.DataFrame:
    """Return the rows with one ``value`` per key: the most frequent spelling, or the first."""
    key = ["attribute", "key"]
    spellings = folded.group_by(*key, "value").len()
    highest = pl.col("len").max().over(key)
    most_frequent = spellings.filter(pl.col("len") == highest)
    shown = most_frequent.group_by(key).agg(pl.col("value").min())
    samples = folded.select("biosample", *key).unique()
    return samples.join(shown, on=key).select("biosample", "attribute", "value", "key")
