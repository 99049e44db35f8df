"""Why to be careful with an association: rules over whole tokens and over the numbers, never over
substrings.

A flag hides nothing: the row stays, with its p-value, and says what a reader should check first.

batch-like field        the attribute names a date, a centre, a replicate, a barcode, an identifier or a machine
duplicate of A=V        another attribute parts the same samples in the same groups: the test cannot tell them apart
constant within host    the value never varies within a host taxon: the effect may be the host's
rare family             the family was found in fewer than ``MIN_FOUND`` biosamples of both groups together
tiny group              a group is smaller than ``min_group``: Welch's t on very few samples
single-run driver       without its top biosample the mean of the higher group falls by more than half
coverage-based abundance  the source has no read counts: contig coverage stands for reads
no spread               both groups are constant: nothing to judge a difference by, so there is no p-value
"""

from __future__ import annotations

from typing import Final

import polars as pl

from ontology_etl.attributes import route_attributes

BATCH_TOKENS: Final = (
    "date", "dates", "datetime", "timestamp", "year", "month", "center", "centre", "centers", "centres", "institution",
    "institute", "submitter", "submission", "submitted", "provider", "broker", "operator", "technician", "contact",
    "replicate", "replicates", "rep", "barcode", "barcodes", "id", "ids", "identifier", "identifiers", "accession",
    "accessions", "uuid", "alias", "batch", "plate", "lane", "flowcell", "instrument", "sequencer", "platform", "run",
    "library", "insdc", "ena", "sra", "ebi", "ddbj", "checklist", "md5", "checksum", "file", "filename", "version",
    "title", "aliquot", "tube", "vial", "pool", "serial", "update", "primer", "primers", "adapter", "biosample",
    "campaign", "cruise", "kit", "protocol", "ribozero", "device", "bioproject",
)  # fmt: skip
"""A token of an attribute name that makes the field technical, whatever stands beside it."""
BATCH_PAIRS: Final = (
    ("sample", "name"), ("experiment", "name"), ("study", "name"), ("project", "name"), ("sample", "number"),
    ("collection", "time"), ("sample", "code"), ("collected", "by"), ("bio", "sample"),
    ("samp", "size"), ("sample", "size"),
)  # fmt: skip
"""Two tokens that do so together: ``sample_name`` is technical, ``host_name`` is not."""
BATCH_NAMES: Final = ("name",)
"""Attributes that are so alone: what is called ``name`` names the sample, or who submitted it."""
TAXON_TOKENS: Final = ("tax", "taxon", "taxid", "taxonomy")
"""``host_taxon_id`` names an organism, not a sample."""

MIN_FOUND: Final = 3
"""Below it no split of the samples says much; such tests get no q-value and do not weigh on the
others'.
"""

FLAG_SEPARATOR: Final = "; "
SPLIT_KEY: Final = ["bioproject", "attribute", "key"]


def is_batch_like(attribute: pl.Expr) -> pl.Expr:
    """Return whether the snake-case name of an attribute says it records handling rather than
    biology.
    """
    return attribute.map_batches(_batch_like, return_dtype=pl.Boolean, is_elementwise=True)


def _batch_like(attribute: pl.Series) -> pl.Series:
    """Return what ``is_batch_like`` does for a column; each distinct name is taken apart once."""
    name = attribute.drop_nulls().unique().alias("name")
    tokens = pl.col("name").str.split("_")
    single = pl.any_horizontal([tokens.list.contains(token) for token in BATCH_TOKENS])
    pairs = [tokens.list.contains(one) & tokens.list.contains(other) for one, other in BATCH_PAIRS]
    taxon = pl.any_horizontal([tokens.list.contains(token) for token in TAXON_TOKENS])
    technical = (single | pl.any_horizontal(pairs) | pl.col("name").is_in(BATCH_NAMES)) & ~taxon
    return attribute.is_in(name.to_frame().filter(technical)["name"].implode())


def find_duplicates(splits: pl.DataFrame) -> pl.DataFrame:
    """Return [bioproject, attribute, key, duplicate_of] of splits that a more telling attribute
    makes as well.

    Of attributes that part the same samples alike, the most telling is a grounded one, then one
    that is not batch-like, then the first by name; it is the one not returned. ``duplicate_of``
    names its value on the same side of the split, where it has one there.
    """
    test = ["bioproject", "universe", "partition"]
    telling = pl.col("curie").is_null().cast(pl.Int8) + is_batch_like(pl.col("attribute"))
    ranked = splits.with_columns(telling=telling).sort(*test, "telling", "attribute", "key")
    first = ranked.unique(test, keep="first", maintain_order=True)
    chosen = ranked.join(first.select(*test, "attribute"), on=[*test, "attribute"], how="semi")
    same_side = chosen.unique([*test, "group"], keep="first", maintain_order=True)
    others = (
        ranked.join(first.select(*test, "attribute", "value"), on=test, suffix="_first")
        .filter(pl.col("attribute") != pl.col("attribute_first"))
        .join(
            same_side.select(*test, "group", "value"),
            on=[*test, "group"],
            how="left",
            suffix="_same",
        )
    )
    named = pl.format("{}={}", "attribute_first", pl.coalesce("value_same", "value_first"))
    return others.select(*SPLIT_KEY, named.alias("duplicate_of"))


def find_host_bound(
    members: pl.DataFrame, labels: pl.DataFrame, *, host_attribute: str
) -> pl.DataFrame:
    """Return [bioproject, attribute, key] of splits whose groups never share a host taxon.

    Only where the universe has two hosts or more, and not for attributes that name the host
    themselves.
    """
    hosts = (
        labels.filter(pl.col("attribute") == host_attribute)
        .group_by("biosample")
        .agg(host=pl.col("key").min())
    )
    naming = route_attributes(members["attribute"]).filter(pl.col("facet") == "label")
    of_samples = (
        members.select("bioproject", "biosample").unique().join(hosts, on="biosample", how="left")
    )
    mixed = (
        of_samples.group_by("bioproject").agg(pl.col("host").n_unique()).filter(pl.col("host") > 1)
    )
    judged = (
        members.filter(pl.col("attribute") != host_attribute)
        .join(mixed, on="bioproject", how="semi")
        .join(naming, on="attribute", how="anti")
        .join(hosts, on="biosample", how="left")
    )
    in_universe = (
        judged.unique(["bioproject", "attribute", "biosample"])
        .group_by("bioproject", "attribute", "host")
        .agg(of_host=pl.len())
        .with_columns(hosts=pl.len().over("bioproject", "attribute"))
    )
    in_group = judged.group_by(*SPLIT_KEY, "host").agg(pl.len().alias("with_value"))
    compared = in_group.join(in_universe, on=["bioproject", "attribute", "host"], nulls_equal=True)
    bound = compared.group_by(SPLIT_KEY).agg(
        ((pl.col("with_value") == pl.col("of_host")).all() & (pl.col("hosts").first() > 1)).alias(
            "bound"
        )
    )
    return bound.filter("bound").select(SPLIT_KEY)


def flag_text(min_group: int) -> pl.Expr:
    """Return the flags of each row, joined by ``; ``; null where there is none.

    Reads the columns attribute, duplicate_of, host_bound, num_true, num_false, num_found,
    coverage_based, driver and p_value.
    """
    rules = [
        pl.when(is_batch_like(pl.col("attribute"))).then(pl.lit("batch-like field")),
        pl.when(pl.col("duplicate_of").is_not_null()).then(
            pl.format("duplicate of {}", "duplicate_of")
        ),
        pl.when(pl.col("host_bound")).then(pl.lit("constant within host")),
        pl.when(pl.col("num_found") < MIN_FOUND).then(pl.lit("rare family")),
        pl.when(pl.min_horizontal("num_true", "num_false") < min_group).then(pl.lit("tiny group")),
        pl.when(pl.col("driver")).then(pl.lit("single-run driver")),
        pl.when(pl.col("coverage_based")).then(pl.lit("coverage-based abundance")),
        pl.when(pl.col("p_value").is_null()).then(pl.lit("no spread")),
    ]
    joined = pl.concat_str(rules, separator=FLAG_SEPARATOR, ignore_nulls=True)
    return pl.when(joined != "").then(joined)
