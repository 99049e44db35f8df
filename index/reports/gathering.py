"""Gathering: the profiles of all communities from the tables of an index, without a query each.

Rows are sorted and compared by table; only what is shown of a community becomes a Python object.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from itertools import groupby
from operator import itemgetter
from typing import Any, Final, TypeVar

import polars as pl

from index.facets import FACT_FACETS
from index.reports.profiles import (
    LONGEST_VALUE,
    MAX_ASSOCIATIONS,
    MAX_EXAMPLE_RUNS,
    UNKNOWN_RISK,
    AssociationRow,
    Company,
    FactRow,
    Pairing,
    Profile,
    Quote,
    Searched,
    Studies,
    Theme,
    Value,
)
from index.tables import DUPLICATE_OF

_MEMBERSHIP: Final = [
    "community",
    "biosamples",
    "bioprojects",
    "example_runs",
    *Studies._fields,
    *Searched._fields,
]
SHARED: Final = 0.8
"""Share of a value in each child from which all of them are said to share it."""
CAVEATS: Final = ("unexpected", "new within class", "resident")
"""Plausibilities that a reader is warned of."""
_FACET_ORDER: Final = {facet: position for position, facet in enumerate(FACT_FACETS)}
_COUNTED: Final = ["facet", "value", "curie", "runs", "known", "lift", "q_value"]
RowT = TypeVar("RowT")


@dataclass(frozen=True, kw_only=True)
class ProfileTables:
    """The tables that profiles are gathered from. Communities absent from one of them have none of
    it, and an unknown risk group.

    ``fact``         facts of all values, with ``known``
    ``shown``        facts that may be said, as ``shown_facts`` returns them
    ``community``    the communities that get a profile
    ``membership``   ``community, biosamples, bioprojects, example_runs`` and the fields of
                     ``Studies`` and ``Searched``
    ``association``  the community beside the columns of its contract
    ``theme``        ``community, term, bioprojects, described, rank, known``
    ``quote``        ``community, study, key, runs, text, is_title``, most runs first
    ``risk``         ``community, risk_group``
    ``joints``       what ``count_joints`` returns, strong pairs only
    ``company``      what ``find_company`` returns, significant pairs only
    ``plausibility`` ``virus, host, plausibility``: the pairs that need a caveat
    """

    fact: pl.DataFrame
    shown: pl.DataFrame
    community: pl.DataFrame
    membership: pl.DataFrame
    bioproject: pl.DataFrame
    association: pl.DataFrame
    theme: pl.DataFrame
    quote: pl.DataFrame
    risk: pl.DataFrame
    joints: pl.DataFrame
    company: pl.DataFrame
    plausibility: pl.DataFrame


@dataclass(frozen=True)
class _Gathered:
    """Rows of the tables by community."""

    facts: Mapping[str, tuple[FactRow, ...]]
    shared: Mapping[str, tuple[FactRow, ...]]
    children: Mapping[str, tuple[tuple[str, int], ...]]
    themes: Mapping[str, tuple[Theme, ...]]
    quotes: Mapping[str, tuple[Quote, ...]]
    associations: Mapping[str, tuple[AssociationRow, ...]]
    members: Mapping[str, tuple[Any, ...]]
    joints: Mapping[str, tuple[tuple[tuple[Value, Value], int], ...]]
    company: Mapping[str, tuple[Company, ...]]
    pairings: Mapping[str, tuple[Pairing, ...]]


def build_profiles(tables: ProfileTables) -> list[Profile]:
    """Return the profile of every row of ``tables.community``, ordered by level, size (largest
    first) and identifier.
    """
    gathered = _gather(tables)
    titles = dict(tables.bioproject.drop_nulls("title").select("bioproject", "title").iter_rows())
    risks = dict(tables.risk.select("community", "risk_group").iter_rows())
    profiles: dict[str, Profile] = {}
    for place in _in_order(tables.community).iter_rows():
        profile = _profile(place, gathered, titles, risks)
        parent = profiles.get(profile.parent or "")
        profiles[profile.community] = _below(profile, parent)
    return list(profiles.values())


def _below(profile: Profile, parent: Profile | None) -> Profile:
    """Return ``profile`` with what its parent is silent of, without what its parent quotes.

    The only study of a community is quoted wherever it is not the only one of the parent as well.
    """
    if parent is None:
        return profile
    alone = profile.only_study
    silent = replace(profile, parent_runs=parent.runs, parent_silence=parent.silence())
    if alone is None:
        quoted = {quote.study for quote in parent.quotes}
        fresh = tuple(quote for quote in profile.quotes if quote.study not in quoted)
        return replace(silent, quotes=fresh)
    if alone == parent.only_study:
        return replace(silent, themes=(), quotes=())
    return silent


def _gather(tables: ProfileTables) -> _Gathered:
    compared = _against_parent(tables)
    themes = tables.theme.sort("community", "rank").select("community", *Theme._fields)
    company = tables.company.select("community", *Company._fields)
    quotes = tables.quote.select("community", *Quote._fields)
    members = tables.membership.select(_MEMBERSHIP).iter_rows()
    return _Gathered(
        facts=_rows_by(compared, lambda row: FactRow(*row)),
        shared=_rows_by(_shared(compared, tables.community), lambda row: FactRow(*row)),
        children=_rows_by(_children(tables.community), lambda row: (row[0], row[1])),
        themes=_rows_by(themes, lambda row: Theme(*row)),
        quotes=_rows_by(quotes, lambda row: Quote(*row)),
        associations=_rows_by(
            _best_associations(tables.association), lambda row: AssociationRow(*row)
        ),
        members={row[0]: row[1:] for row in members},
        joints=_rows_by(_ordered_joints(tables.joints), _joint),
        company=_rows_by(company, lambda row: Company(*row)),
        pairings=_rows_by(_pairings(tables), lambda row: Pairing(*row)),
    )


def _profile(
    place: tuple[Any, ...],
    gathered: _Gathered,
    titles: Mapping[str, str],
    risks: Mapping[str, str],
) -> Profile:
    """Return the profile of the community at ``place``: identifier, level, parent, runs."""
    name, level, parent, runs = place
    by_facet = _by_facet(gathered.facts.get(name, ()))
    biosamples, bioprojects, example_runs, *counted = gathered.members.get(name, (0, 0, ()))
    projects = [row.value for row in by_facet.get("bioproject", ())]
    return Profile(
        community=name,
        level=level,
        parent=parent,
        runs=runs,
        facts=by_facet,
        children=gathered.children.get(name, ()),
        themes=_fresh(gathered.themes.get(name, ()), by_facet),
        quotes=gathered.quotes.get(name, ()),
        associations=gathered.associations.get(name, ()),
        titles={project: titles[project] for project in projects if project in titles},
        example_runs=tuple(example_runs[:MAX_EXAMPLE_RUNS]),
        biosamples=biosamples,
        bioprojects=bioprojects,
        risk_group=risks.get(name, UNKNOWN_RISK),
        joints=dict(gathered.joints.get(name, ())),
        company=gathered.company.get(name, ()),
        pairings=gathered.pairings.get(name, ()),
        shared=gathered.shared.get(name, ()),
        studies=Studies(*counted[: len(Studies._fields)]),
        searched=Searched(*counted[len(Studies._fields) :]),
    )


def with_known(fact: pl.DataFrame) -> pl.DataFrame:
    """Return ``fact`` with ``known``: the runs of the community that state any value of the
    facet.
    """
    known = (pl.col("runs") / pl.col("share")).round().cast(pl.Int64).alias("known")
    return fact.with_columns(known)


def shown_facts(fact: pl.DataFrame, per_facet: int) -> pl.DataFrame:
    """Return the facts that may be said: the strongest and the two most frequent whose value is a
    name, not a text.
    """
    readable = _one_of_place_and_country(
        fact.filter(pl.col("value").str.len_chars() <= LONGEST_VALUE)
    )
    readable = readable.sort("community", "facet", "rank")
    by_count = pl.col("runs").rank("ordinal", descending=True).over("community", "facet")
    shown = readable.filter((pl.col("rank") <= per_facet) | (by_count <= 2))
    return shown.select("community", *_COUNTED)


def _against_parent(tables: ProfileTables) -> pl.DataFrame:
    """Return the shown facts with ``parent_runs`` and ``parent_known``; 0 where the parent has no
    such fact.
    """
    of_parent = tables.fact.select(
        "facet", "value", parent="community", parent_runs="runs", parent_known="known"
    )
    parents = tables.community.select("community", "parent")
    placed = tables.shown.join(parents, on="community", how="left", maintain_order="left")
    compared = placed.join(
        of_parent, on=["parent", "facet", "value"], how="left", maintain_order="left"
    )
    filled = compared.with_columns(pl.col("parent_runs", "parent_known").fill_null(0))
    return filled.select("community", *FactRow._fields)


def _shared(compared: pl.DataFrame, community: pl.DataFrame) -> pl.DataFrame:
    """Return the facts of each parent that hold for ``SHARED`` of the runs of every child."""
    children = community.drop_nulls("parent").select("community", "parent")
    sizes = community.select("community", community_runs="runs")
    held = compared.join(children, on="community").join(sizes, on="community")
    common = held.filter(pl.col("runs") >= SHARED * pl.col("community_runs"))
    holding = common.group_by("parent", "facet", "value").agg(pl.len().alias("holding"))
    number = children.group_by("parent").agg(pl.len().alias("children"))
    by_all = holding.join(number, on="parent").filter(
        pl.col("holding") == pl.col("children"), pl.col("children") > 1
    )
    keys = by_all.select("facet", "value", community="parent")
    return compared.join(keys, on=["community", "facet", "value"], how="semi").sort(
        "community", "runs", "facet", "value", descending=[False, True, False, False]
    )


def _ordered_joints(joints: pl.DataFrame) -> pl.DataFrame:
    return joints.select("community", "facet_a", "value_a", "facet_b", "value_b", "together").sort(
        "community", maintain_order=True
    )


def _joint(row: tuple[Any, ...]) -> tuple[tuple[Value, Value], int]:
    one, other = (row[0], row[1]), (row[2], row[3])
    return (min(one, other), max(one, other)), row[4]


def _pairings(tables: ProfileTables) -> pl.DataFrame:
    """Return the virus and host pairs of each community that need a caveat, most runs first."""
    curies = tables.shown.select("community", "facet", "value", "curie").drop_nulls("curie")
    viruses = curies.filter(pl.col("facet") == "species")
    hosts = curies.filter(pl.col("facet") == "host")
    ends = pl.concat([
        tables.joints.filter(pl.col("facet_a") == "host", pl.col("facet_b") == "species").select(
            "community", "together", host_name="value_a", virus_name="value_b"
        ),
    ])  # fmt: skip
    placed = ends.join(
        viruses.select("community", virus_name="value", virus="curie"),
        on=["community", "virus_name"],
    ).join(
        hosts.select("community", host_name="value", host="curie"), on=["community", "host_name"]
    )
    weighed = placed.join(tables.plausibility, on=["virus", "host"])
    ordered = weighed.sort(
        "community", "together", "virus_name", "host_name", descending=[False, True, False, False]
    )
    return ordered.select("community", "virus_name", "host_name", "plausibility", "together")


def _one_of_place_and_country(fact: pl.DataFrame) -> pl.DataFrame:
    """Return ``fact`` with a country or its places: the place where it holds all runs of the
    country, else the country.

    Places are written "country: place" (INSDC geo_loc_name), and a run counts for both.
    """
    country = pl.col("value").str.extract(r"^(.+?): ")
    places = fact.filter(pl.col("facet") == "geography", country.is_not_null()).with_columns(
        country.alias("country")
    )
    named = fact.filter(pl.col("facet") == "geography").select(
        "community", country="value", country_runs="runs"
    )
    pairs = places.join(named, on=["community", "country"])
    whole = pl.col("runs") == pl.col("country_runs")
    spoken_for = pairs.select(
        "community", "facet", value=pl.when(whole).then("country").otherwise("value")
    ).unique()
    return fact.join(spoken_for, on=["community", "facet", "value"], how="anti")


def _children(community: pl.DataFrame) -> pl.DataFrame:
    children = community.drop_nulls("parent").sort(
        "parent", "runs", "community", descending=[False, True, False]
    )
    return children.select("parent", "community", "runs")


def _best_associations(association: pl.DataFrame) -> pl.DataFrame:
    """Return the ``MAX_ASSOCIATIONS`` best associations of each community.

    Unflagged ones come first, then the smallest q-values, then the strongest effects. Rows that are
    one test (the two sides of a split, fields that repeat one another) come once, for the value
    with more reads.
    """
    effect = pl.col("fold_change").abs()
    one_value = pl.concat_str("attribute", pl.lit("="), "value")
    keyed = association.with_columns(
        flagged=pl.col("flag").is_not_null(),
        effect=-effect,
        fewer=pl.col("fold_change") < 0,
        duplicate=pl.col("flag").str.contains(DUPLICATE_OF, literal=True).fill_null(False),
        test_id=pl.coalesce("split", one_value),
    )
    strength = ["flagged", "q_value", "effect", "fewer", "duplicate"]
    names = ["bioproject", "family", "attribute", "value", "source"]
    ordered = keyed.sort("community", *strength, *names, nulls_last=True)
    one_test = ["community", "source", "bioproject", "family", "test_id"]
    distinct = ordered.unique(one_test, keep="first", maintain_order=True)
    best = distinct.group_by("community", maintain_order=True).head(MAX_ASSOCIATIONS)
    return best.select("community", *AssociationRow._fields)


def _in_order(community: pl.DataFrame) -> pl.DataFrame:
    ordered = community.sort("level", "runs", "community", descending=[False, True, False])
    return ordered.select("community", "level", "parent", "runs")


def _rows_by(
    frame: pl.DataFrame, make: Callable[[tuple[Any, ...]], RowT]
) -> dict[str, tuple[RowT, ...]]:
    """Return the rows of ``frame`` by its first column, which it must be grouped by."""
    rows = groupby(frame.iter_rows(), key=itemgetter(0))
    return {key: tuple(make(row[1:]) for row in group) for key, group in rows}


def _by_facet(facts: tuple[FactRow, ...]) -> dict[str, tuple[FactRow, ...]]:
    ordered = sorted(facts, key=lambda fact: _FACET_ORDER[fact.facet])
    return {facet: tuple(group) for facet, group in groupby(ordered, key=itemgetter(0))}


def _fresh(
    themes: tuple[Theme, ...], facts: Mapping[str, tuple[FactRow, ...]]
) -> tuple[Theme, ...]:
    """Return the themes that say something the facts do not say already."""
    said = " ".join(fact.value.lower() for values in facts.values() for fact in values)
    return tuple(theme for theme in themes if theme.term not in said)
