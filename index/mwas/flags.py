"""Reasons to be careful with an association: rules over whole words and numbers.

No rule looks at parts of words. A flag hides nothing: the row stays, with its p-value, and says
what a reader should check first.

batch-like field      the attribute names a date, a centre, a person, a replicate, a barcode, an
                      identifier, a machine or a step of the analysis
design of the study   the experiment set the attribute itself: a dose, a spike-in, a mock infection
duplicate of A=V      another attribute splits the same samples into the same groups: the test
                      cannot distinguish them
constant within host  the value never varies within a host taxon: the effect may be the host's
rare family           fewer than ``MIN_FOUND`` biosamples of both groups together have the family
no negatives          every biosample has the family: the groups differ in amount, not in presence
all or none           every biosample of one group has the family and none of the other: one study
                      may have chosen its samples so
tiny group            a group is smaller than ``min_group``: Welch's t on very few samples
single-run driver     without its top biosample the mean of the higher group falls by more than half
coverage-based abundance
                      the source has no read counts: contig coverage is used instead of reads
k-mer shares          k-mers of a taxon per million are compared: where one rises, others fall
no spread             both groups are constant: there is no p-value
"""

from __future__ import annotations

from typing import Final

import polars as pl

from index.mwas.splits import submitted_name
from index.stated import COVERAGE_BASED, KMER_BASED
from index.tables import BATCH_LIKE, DESIGN, DUPLICATE_OF, KMER_SOURCE
from ontology_etl.attributes import route_attributes
from ontology_etl.reviewed_lists import read_reviewed

MOCK: Final = r"(?i)\bmock\b"
"""In a value: what is compared with it was infected on purpose."""
MIN_FOUND: Final = 3
"""Below it no split says much: tests get no q-value and count in no correction."""

NO_NEGATIVES: Final = "no negatives"
ALL_OR_NONE: Final = "all or none"
SPLIT_KEY: Final = ["bioproject", "attribute", "key"]
_TEST: Final = ["bioproject", "universe", "partition"]


def is_designed(attribute: pl.Expr, value: pl.Expr) -> pl.Expr:
    """Return whether the experiment set an attribute itself: by a reviewed word of its snake-case
    name (``ontology_etl/reviewed/design_attributes.tsv``), or because a value of it in the
    bioproject is a mock treatment.
    """
    by_name = attribute.map_batches(_named_by_design, return_dtype=pl.Boolean, is_elementwise=True)
    is_mock = value.str.contains(MOCK)
    return by_name | is_mock.any().over("bioproject", "attribute")


def _named_by_design(attribute: pl.Series) -> pl.Series:
    """Return where the name has words of an experiment; each distinct name is judged once."""
    name = attribute.unique().alias("name").to_frame()
    design = name.filter(_is_listed("design_attributes.tsv"))
    return attribute.is_in(design["name"].implode())


def _is_listed(file: str) -> pl.Expr:
    """Return whether ``name`` holds all words of a row of a reviewed list, or is such a row."""
    name = pl.col("name").str.to_lowercase()
    listed = read_reviewed(file)
    has_words = _holds_all(name.str.split("_"), listed.filter(pl.col("whole").is_null())["words"])
    return has_words | name.is_in(listed.drop_nulls("whole")["words"].implode())


def _holds_all(words: pl.Expr, listed: pl.Series) -> pl.Expr:
    """Return whether ``words`` hold all words of one of ``listed``."""
    return pl.any_horizontal(
        pl.all_horizontal(words.list.contains(word) for word in needed.split()) for needed in listed
    )


def is_batch_like(attribute: pl.Expr) -> pl.Expr:
    """Return whether the snake-case name of an attribute is about handling, not about biology:
    by the words of ``ontology_etl/reviewed/batch_attributes.tsv``.

    An identifier that is grounded to an organism (``host_taxon_id``) is biology; a number is not.
    """
    return attribute.map_batches(_batch_like, return_dtype=pl.Boolean, is_elementwise=True)


def _batch_like(attribute: pl.Series) -> pl.Series:
    """Return what ``is_batch_like`` does for a column; each distinct name is judged once."""
    name = attribute.drop_nulls().unique().alias("name")
    technical = name.to_frame().filter(_is_listed("batch_attributes.tsv"))
    routes = route_attributes(technical["name"])
    organisms = routes.filter(pl.col("facet") == "label")["attribute"]
    return attribute.is_in(technical["name"].implode()) & ~attribute.is_in(organisms.implode())


def find_duplicates(splits: pl.DataFrame) -> pl.DataFrame:
    """Return [bioproject, attribute, key, duplicate_of] of splits that a better attribute makes.

    Of attributes that split the same samples alike, the best is a grounded one, then one that is
    not batch-like, then the first by name; its splits are not returned. ``duplicate_of`` names its
    value on the same side of the split, where it has one there.
    """
    ungrounded = pl.col("curie").is_null().cast(pl.Int8)
    batch_like = is_batch_like(pl.col("attribute"))
    by_preference = splits.with_columns(preference=ungrounded + batch_like).sort(
        *_TEST,
        "preference",
        "attribute",
        "key",
    )
    best = by_preference.unique(_TEST, keep="first", maintain_order=True)
    repeated = by_preference.join(
        best.select(*_TEST, "attribute", "value"),
        on=_TEST,
        suffix="_best",
    )
    others = repeated.filter(pl.col("attribute") != pl.col("attribute_best"))
    with_same_side = others.join(
        _values_by_side(by_preference, best),
        on=[*_TEST, "group"],
        how="left",
        suffix="_same",
    )
    value = pl.coalesce("value_same", "value_best")
    named = pl.format("{}={}", "attribute_best", value)
    return with_same_side.select(*SPLIT_KEY, named.alias("duplicate_of"))


def _values_by_side(by_preference: pl.DataFrame, best: pl.DataFrame) -> pl.DataFrame:
    """Return the value of the ``best`` attribute of each test on each side of the split."""
    of_best = by_preference.join(best, on=[*_TEST, "attribute"], how="semi")
    side = [*_TEST, "group"]
    first = of_best.unique(side, keep="first", maintain_order=True)
    return first.select(*side, "value")


def find_host_bound(members: pl.DataFrame, labels: pl.DataFrame) -> pl.DataFrame:
    """Return [bioproject, attribute, key] of splits whose groups never share a host taxon.

    Only where the universe has two hosts or more, and not for attributes that name the host
    themselves.
    """
    judged = _members_with_host(members, labels)
    universe = ["bioproject", "attribute"]
    stating = judged.unique([*universe, "biosample"])
    in_universe = stating.group_by(*universe, "host").agg(of_host=pl.len())
    several_hosts = in_universe.filter(pl.len().over(universe) > 1)
    in_group = judged.group_by(*SPLIT_KEY, "host").agg(with_value=pl.len())
    compared = in_group.join(several_hosts, on=[*universe, "host"], nulls_equal=True)
    whole_host = pl.col("with_value") == pl.col("of_host")
    bound = compared.group_by(SPLIT_KEY).agg(bound=whole_host.all())
    return bound.filter("bound").select(SPLIT_KEY)


def _members_with_host(members: pl.DataFrame, labels: pl.DataFrame) -> pl.DataFrame:
    """Return ``members`` with their ``host``, of the projects that have two hosts or more.

    Attributes that name the host are left out.
    """
    naming = _naming_the_host(members["attribute"])
    hosts = _host_of_samples(labels)
    placed = members.join(hosts, on="biosample", how="left")
    is_mixed = pl.col("host").n_unique().over("bioproject") > 1
    return placed.filter(is_mixed).join(naming, on="attribute", how="anti")


def _naming_the_host(attribute: pl.Series) -> pl.DataFrame:
    """Return [attribute] of the attributes that name an organism or its host."""
    distinct = pl.DataFrame({"attribute": attribute.unique()})
    names = distinct.with_columns(name=submitted_name(pl.col("attribute")))
    routes = route_attributes(names["name"])
    naming = routes.filter(pl.col("facet") == "label")
    found = names.join(naming, left_on="name", right_on="attribute", how="semi")
    return found.select("attribute")


def _host_of_samples(labels: pl.DataFrame) -> pl.DataFrame:
    """Return [biosample, host]: the host of each sample, the first where it has several."""
    grounded = pl.col("curie").is_not_null()
    names_host = pl.col("attribute").str.contains(r"^host\b")
    hosts = labels.filter(grounded & names_host)
    return hosts.group_by("biosample").agg(host=pl.col("key").min())


def flag_text(min_group: int) -> pl.Expr:
    """Return the flags of each row, joined by ``; ``; null where there is none.

    Reads the columns bioproject, attribute, value, duplicate_of, host_bound, num_true, num_false,
    num_found, found_true, coverage_based, measured_by, driver and p_value.
    """
    name = submitted_name(pl.col("attribute"))
    batch_like = is_batch_like(name)
    biosamples = pl.col("num_true") + pl.col("num_false")
    smaller_group = pl.min_horizontal("num_true", "num_false")
    flags = [
        pl.when(batch_like).then(pl.lit(BATCH_LIKE)),
        pl.when(is_designed(name, pl.col("value"))).then(pl.lit(DESIGN)),
        # null, hence left out, where there is no duplicate
        pl.concat_str(pl.lit(DUPLICATE_OF), "duplicate_of"),
        pl.when("host_bound").then(pl.lit("constant within host")),
        pl.when(pl.col("num_found") < MIN_FOUND).then(pl.lit("rare family")),
        pl.when(pl.col("num_found") == biosamples).then(pl.lit(NO_NEGATIVES)),
        pl.when(_is_all_or_none()).then(pl.lit(ALL_OR_NONE)),
        pl.when(smaller_group < min_group).then(pl.lit("tiny group")),
        pl.when("driver").then(pl.lit("single-run driver")),
        pl.when("coverage_based").then(pl.lit(COVERAGE_BASED)),
        pl.when(pl.col("measured_by") == KMER_SOURCE).then(pl.lit(KMER_BASED)),
        pl.when(pl.col("p_value").is_null()).then(pl.lit("no spread")),
    ]
    return joined_flags(flags)


def joined_flags(flags: list[pl.Expr]) -> pl.Expr:
    """Return the ``flags`` that are not null, joined by ``; ``; null where there is none."""
    joined = pl.concat_str(flags, separator="; ", ignore_nulls=True)
    return pl.when(joined != "").then(joined)


def _is_all_or_none() -> pl.Expr:
    """Return whether all of one group have the family and none of the other; null of reads."""
    found_false = pl.col("num_found") - pl.col("found_true")
    only_true = (pl.col("found_true") == pl.col("num_true")) & (found_false == 0)
    only_false = (pl.col("found_true") == 0) & (found_false == pl.col("num_false"))
    return only_true | only_false
