"""Gathering: the profiles of all communities from the tables of an index, without a query each.

Only what is shown of a community becomes a Python object.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from itertools import groupby
from operator import itemgetter
from typing import Any, Final, TypeVar

import polars as pl

from index.facets import FACT_FACETS
from index.reports.profile_tables import (
    ProfileTables,
    best_associations,
    children_of,
    facts_against_parent,
    facts_shared,
    in_order,
    ordered_joints,
    pairings_to_warn_of,
)
from index.reports.profiles import (
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

_MEMBERSHIP: Final = [
    "community",
    "biosamples",
    "bioprojects",
    "example_runs",
    *Studies._fields,
    *Searched._fields,
]
_FACET_ORDER: Final = {facet: position for position, facet in enumerate(FACT_FACETS)}
RowT = TypeVar("RowT")


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
    for place in in_order(tables.community).iter_rows():
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
    compared = facts_against_parent(tables)
    themes = tables.theme.sort("community", "rank").select("community", *Theme._fields)
    company = tables.company.select("community", *Company._fields)
    quotes = tables.quote.select("community", *Quote._fields)
    members = tables.membership.select(_MEMBERSHIP).iter_rows()
    return _Gathered(
        facts=_rows_by(compared, lambda row: FactRow(*row)),
        shared=_rows_by(facts_shared(compared, tables.community), lambda row: FactRow(*row)),
        children=_rows_by(children_of(tables.community), lambda row: (row[0], row[1])),
        themes=_rows_by(themes, lambda row: Theme(*row)),
        quotes=_rows_by(quotes, lambda row: Quote(*row)),
        associations=_rows_by(
            best_associations(tables.association), lambda row: AssociationRow(*row)
        ),
        members={row[0]: row[1:] for row in members},
        joints=_rows_by(ordered_joints(tables.joints), _joint),
        company=_rows_by(company, lambda row: Company(*row)),
        pairings=_rows_by(pairings_to_warn_of(tables), lambda row: Pairing(*row)),
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


def _joint(row: tuple[Any, ...]) -> tuple[tuple[Value, Value], int]:
    one, other = (row[0], row[1]), (row[2], row[3])
    return (min(one, other), max(one, other)), row[4]


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
