"""The tables that profiles are gathered from, and the rows that a profile shows, in order.

Rows are sorted and compared by table, all communities at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import polars as pl

from index.reports.fact_rows import AssociationRow, FactRow
from index.reports.facts import MAX_BY_COUNT
from index.reports.gazetteer import is_place
from index.reports.profiles import LONGEST_VALUE, MAX_ASSOCIATIONS
from index.stated import VIRAL
from index.tables import DUPLICATE_OF

CAVEATS: Final = ("unexpected", "new within class", "resident")
"""Plausibilities that a reader is warned of."""
_COUNTED: Final = ["facet", "value", "curie", "runs", "known", "lift", "q_value"]


@dataclass(frozen=True, kw_only=True)
class ProfileTables:
    """The tables that profiles are made from.

    ``fact``         facts of all values, with ``known``
    ``shown``        facts that may be said, as ``shown_facts`` returns them
    ``community``    the communities that get a profile
    ``every``        all communities of two runs or more
    ``membership``   ``community, biosamples, bioprojects`` and the fields of ``Studies`` and
                     ``Searched``
    ``association``  the columns of its contract, with the community and ``key``
    ``risk``         ``community, risk_group``
    ``joints``       what ``is_strong`` returns
    ``weighed``      ``community`` and the fields of ``Weighed``
    ``hosted``       ``community, facet, value`` and the fields of ``FactRow`` that are of a virus
    ``pairs``        ``community, facet, virus_name, host, host_name, organism_name, plausibility,
                     runs, metagenomes, eaten, is_recorded``: the pairs that need a
                     caveat, or whose host was not sequenced
    ``sequenced``    ``community, host, organism, runs``: libraries of another organism
    ``other_by_kmers``  what ``mostly_other`` returns, in its order
    ``far_viruses``  what ``far_from_known`` returns, in its order
    ``studies``      what ``largest_studies`` returns
    ``support``      what ``find_support`` returns
    ``clades``       what ``community_clades`` returns
    ``carriers``     what ``carrier_clades`` returns
    ``sources``      what ``carrier_sources`` returns
    ``inferred``     ``community, facet, value`` and the numbers of ``Inferred``
    ``origins``      what ``find_origins`` returns
    ``cultured``     what ``cultured_values`` returns
    ``positive``     ``community, facet, value, positive``: runs of a value with any virus
    ``probable``     ``community, facet, value`` and what ``FactRow`` says of the unnamed sOTU of
                     the libraries with a label
    ``families``     ``stated, family`` of each virus
    """

    fact: pl.DataFrame
    shown: pl.DataFrame
    community: pl.DataFrame
    every: pl.DataFrame
    membership: pl.DataFrame
    association: pl.DataFrame
    risk: pl.DataFrame
    joints: pl.DataFrame
    weighed: pl.DataFrame
    hosted: pl.DataFrame
    pairs: pl.DataFrame
    sequenced: pl.DataFrame
    other_by_kmers: pl.DataFrame
    far_viruses: pl.DataFrame
    studies: pl.DataFrame
    support: pl.DataFrame
    clades: pl.DataFrame
    carriers: pl.DataFrame
    sources: pl.DataFrame
    inferred: pl.DataFrame
    origins: pl.DataFrame
    cultured: pl.DataFrame
    positive: pl.DataFrame
    probable: pl.DataFrame
    families: pl.DataFrame


def with_known(fact: pl.DataFrame) -> pl.DataFrame:
    """Return ``fact`` with ``known``: the runs of the community that state any value of the
    facet.
    """
    known = pl.col("runs") / pl.col("share")
    whole = known.round().cast(pl.Int64)
    return fact.with_columns(known=whole)


def shown_facts(fact: pl.DataFrame, per_facet: int) -> pl.DataFrame:
    """Return the facts that may be stated: the strongest, and the two (of viruses five) commonest.

    Their value must be a name and not a text; a place must be in the gazetteer.
    """
    is_name = pl.col("value").str.len_chars() <= LONGEST_VALUE
    named = _one_of_place_and_country(fact.filter(is_name, is_place()))
    readable = named.sort("community", "facet", "rank")
    by_count = pl.col("runs").rank("ordinal", descending=True).over("community", "facet")
    strong = pl.col("rank") <= per_facet
    most = pl.when(pl.col("facet").is_in(VIRAL)).then(MAX_BY_COUNT).otherwise(2)
    shown = readable.filter(strong | (by_count <= most))

    return shown.select("community", *_COUNTED)


def facts_against_parent(tables: ProfileTables) -> pl.DataFrame:
    """Return the shown facts with ``parent_runs`` and ``parent_known``; 0 without such a fact."""
    of_parent = tables.fact.select(
        "facet", "value", parent="community", parent_runs="runs", parent_known="known"
    )
    parents = tables.community.select("community", "parent")
    placed = tables.shown.join(parents, on="community", how="left", maintain_order="left")
    compared = placed.join(
        of_parent, on=["parent", "facet", "value"], how="left", maintain_order="left"
    )
    filled = compared.with_columns(pl.col("parent_runs", "parent_known").fill_null(0))
    key = ["community", "facet", "value"]
    hosted = filled.join(tables.hosted, on=key, how="left", maintain_order="left")
    cultured = hosted.join(tables.cultured, on=key, how="left", maintain_order="left")
    found = cultured.join(tables.positive, on=key, how="left", maintain_order="left")
    found = found.join(tables.probable, on=key, how="left", maintain_order="left")
    found = found.with_columns(
        pl.col("unnamed").fill_null(""), pl.col("unnamed_elsewhere").fill_null(False)
    )
    counts = ["by_kmers", "below", "low", "high", "unexpected", "cultured", "positive"]
    counts += [
        "by_print",
        "far",
        "far_low",
        "gap_low",
        "gap_high",
        "beside",
        "unnamed_runs",
        "unnamed_titled",
    ]
    counted = found.with_columns(pl.col(counts).fill_null(0))
    counted = counted.with_columns(runs=pl.col("runs") - pl.col("far")).filter(pl.col("runs") > 0)
    within = counted.with_columns(cultured=pl.min_horizontal("cultured", "runs"))
    return within.select("community", *FactRow._fields)


def ordered_joints(joints: pl.DataFrame) -> pl.DataFrame:
    """Return ``joints`` grouped by community, otherwise in their present order."""
    values = ["facet_a", "value_a", "facet_b", "value_b", "together"]
    studies = ["studies", "study", "key", "study_runs", "study_known"]
    return joints.select("community", *values, *studies).sort("community", maintain_order=True)


def pairings_to_warn_of(tables: ProfileTables) -> pl.DataFrame:
    """Return the virus and host pairs of each community that need a caveat, most runs first.

    Pairs whose host is not what was sequenced are included. Both names must be shown and joined.
    """
    hosts = tables.shown.filter(pl.col("facet") == "host")
    named = hosts.select("community", host_name="value", host="curie").drop_nulls("host")
    ends = _viruses_in_hosts(tables.joints.filter("strong"))
    placed = ends.join(named, on=["community", "host_name"])
    pairs = tables.pairs.drop("host_name")
    weighed = placed.join(pairs, on=["community", "facet", "virus_name", "host"])
    names = ["virus_name", "host_name", "organism_name", "plausibility"]
    descending = [False, True, *[False for _ in names]]
    ordered = weighed.sort("community", "runs", *names, descending=descending)
    stated = ["virus_name", "host_name", "plausibility", "runs", "facet", "organism_name"]
    sampled = ["metagenomes", "eaten", "is_recorded"]
    return ordered.select("community", *stated, *sampled)


def ordered_sequenced(sequenced: pl.DataFrame) -> pl.DataFrame:
    """Return ``sequenced`` grouped by community, most runs first."""
    order = ["community", "runs", "host", "organism"]
    ordered = sequenced.sort(order, descending=[False, True, False, False])
    return ordered.select("community", "host", "organism", "runs")


def _viruses_in_hosts(joints: pl.DataFrame) -> pl.DataFrame:
    """Return ``community, facet, virus_name, host_name`` of joints of virus and host.

    The two sides of a joint are in the order of their facets: family, host, species.
    """
    host_first = pl.col("facet_a") == "host"
    host_last = pl.col("facet_b") == "host"
    species = joints.filter(host_first, pl.col("facet_b") == "species")
    families = joints.filter(host_last, pl.col("facet_a") == "family")
    of_species = species.select(
        "community", facet="facet_b", virus_name="value_b", host_name="value_a"
    )
    of_families = families.select(
        "community", facet="facet_a", virus_name="value_a", host_name="value_b"
    )
    return pl.concat([of_species, of_families])


def _one_of_place_and_country(fact: pl.DataFrame) -> pl.DataFrame:
    """Return ``fact`` with a country or its place: the place if it has all runs of the country.

    Places are written "country: place" (INSDC geo_loc_name), and a run counts for both.
    """
    values = fact.filter(pl.col("facet") == "geography")
    country = pl.col("value").str.extract(r"^(.+?): ")
    places = values.with_columns(country=country).drop_nulls("country")
    countries = values.select("community", country="value", country_runs="runs")
    pairs = places.join(countries, on=["community", "country"])
    holds_all = pl.col("runs") == pl.col("country_runs")
    implied = pl.when(holds_all).then("country").otherwise("value")
    spoken_for = pairs.select("community", "facet", value=implied).unique()

    return fact.join(spoken_for, on=["community", "facet", "value"], how="anti")


def children_of(community: pl.DataFrame) -> pl.DataFrame:
    """Return [parent, community, runs] of every child, the largest child of a parent first."""
    children = community.drop_nulls("parent")
    order = ["parent", "runs", "community"]
    ordered = children.sort(order, descending=[False, True, False])
    return ordered.select("parent", "community", "runs")


def best_associations(association: pl.DataFrame) -> pl.DataFrame:
    """Return the ``MAX_ASSOCIATIONS`` best associations of each community.

    Unflagged ones come first, then the smallest q-values, then the strongest effects. Rows that are
    one test (the two sides of a split, fields that repeat each other) come once, for the value with
    more reads. Only the best value of an attribute is returned.
    """
    effect = pl.col("fold_change").abs()
    repeats = pl.col("flag").str.contains(DUPLICATE_OF, literal=True)
    one_value = pl.concat_str("attribute", pl.lit("="), "value")
    keyed = association.with_columns(
        flagged=pl.col("flag").is_not_null(),
        effect=-effect,
        fewer=pl.col("fold_change") < 0,
        duplicate=repeats.fill_null(False),
        test_id=pl.coalesce("split", one_value),
    )
    strength = ["flagged", "q_value", "effect", "fewer", "duplicate"]
    names = ["bioproject", "family", "attribute", "value", "source"]
    ordered = keyed.sort("community", *strength, *names, nulls_last=True)

    one_test = ["community", "source", "bioproject", "family", "test_id"]
    distinct = ordered.unique(one_test, keep="first", maintain_order=True)
    one_claim = ["community", "bioproject", "family", "attribute"]
    distinct = distinct.unique(one_claim, keep="first", maintain_order=True)
    by_community = distinct.group_by("community", maintain_order=True)
    best = by_community.head(MAX_ASSOCIATIONS)
    return best.select("community", *AssociationRow._fields)


def in_order(community: pl.DataFrame) -> pl.DataFrame:
    """Return [community, level, parent, runs] by level, the largest in a level first."""
    order = ["level", "runs", "community"]
    ordered = community.sort(order, descending=[False, True, False])
    return ordered.select("community", "level", "parent", "runs")
