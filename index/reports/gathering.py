"""Gather the profiles of all communities table by table, not with a query for each.

Only what is shown of a community becomes a Python object.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from itertools import groupby
from operator import itemgetter
from typing import Any, Final, TypeVar

import polars as pl

from index.claims import Inferred
from index.facets import FACT_FACETS
from index.reports.evidence_rows import (
    Carrier,
    Clade,
    Deposit,
    Example,
    FarVirus,
    OftenOther,
    Pairing,
    Provenance,
    Searched,
    SequencedApart,
    Studies,
    StudyCount,
    StudyShare,
    Support,
    Weighed,
)
from index.reports.fact_rows import AssociationRow, FactRow, Value
from index.reports.profile_tables import (
    ProfileTables,
    best_associations,
    children_of,
    facts_against_parent,
    in_order,
    ordered_joints,
    ordered_sequenced,
    pairings_to_warn_of,
)
from index.reports.profiles import UNKNOWN_RISK, Profile
from index.reports.quotes import study_title
from index.stated import VIRAL

_MEMBERSHIP: Final = [
    "community",
    "biosamples",
    "bioprojects",
    *Studies._fields,
    *Searched._fields,
]
_FACET_ORDER: Final = {facet: position for position, facet in enumerate(FACT_FACETS)}
RowT = TypeVar("RowT")


@dataclass(frozen=True)
class _Gathered:
    """Rows of the tables by community."""

    facts: Mapping[str, tuple[FactRow, ...]]
    children: Mapping[str, tuple[tuple[str, int], ...]]
    associations: Mapping[str, tuple[AssociationRow, ...]]
    members: Mapping[str, tuple[Any, ...]]
    joints: Mapping[str, tuple[tuple[tuple[Value, Value], StudyCount], ...]]
    weighed: Mapping[str, tuple[Weighed, ...]]
    pairings: Mapping[str, tuple[Pairing, ...]]
    sequenced: Mapping[str, tuple[SequencedApart, ...]]
    other_by_kmers: Mapping[str, tuple[OftenOther, ...]]
    far_viruses: Mapping[str, tuple[FarVirus, ...]]
    studies: Mapping[str, tuple[StudyShare, ...]]
    support: Mapping[str, dict[Value, Support]]
    clades: Mapping[str, tuple[Clade, ...]]
    carriers: Mapping[str, tuple[Clade, ...]]
    sources: Mapping[str, tuple[Carrier, ...]]
    inferred: Mapping[str, tuple[tuple[Value, Inferred], ...]]
    origins: Mapping[str, tuple[tuple[Value, Provenance], ...]]
    family_of: Mapping[str, str]


def build_profiles(tables: ProfileTables) -> list[Profile]:
    """Return the profile of every row of ``tables.community``, ordered by level, size (largest
    first) and identifier.
    """
    gathered = _gather(tables)
    risks = _pairs(tables.risk, "community", "risk_group")

    profiles: dict[str, Profile] = {}
    for place in in_order(tables.community).iter_rows():
        profile = _profile(place, gathered, risks)
        parent = profiles.get(profile.parent or "")
        profiles[profile.community] = _below(profile, parent)
    return list(profiles.values())


def _pairs(frame: pl.DataFrame, key: str, value: str) -> dict[str, str]:
    """Return one column of ``frame`` by another."""
    pairs = frame.select(key, value)
    return dict(pairs.iter_rows())


def _below(profile: Profile, parent: Profile | None) -> Profile:
    """Return ``profile`` with what is known about its parent."""
    if parent is None:
        return profile
    return replace(
        profile,
        parent_runs=parent.runs,
        parent_silence=parent.silence(),
        parent_searched=parent.searched,
    )


def _gather(tables: ProfileTables) -> _Gathered:
    compared = facts_against_parent(tables)
    members = tables.membership.select(_MEMBERSHIP)
    associations = best_associations(tables.association)

    return _Gathered(
        facts=_rows_by(compared, FactRow._make),
        children=_rows_by(children_of(tables.every), _child),
        associations=_rows_by(associations, AssociationRow._make),
        members={row[0]: row[1:] for row in members.iter_rows()},
        joints=_rows_by(ordered_joints(tables.joints), _joint),
        weighed=_rows_by(tables.weighed, Weighed._make),
        pairings=_rows_by(pairings_to_warn_of(tables), Pairing._make),
        sequenced=_rows_by(ordered_sequenced(tables.sequenced), SequencedApart._make),
        other_by_kmers=_rows_by(tables.other_by_kmers, OftenOther._make),
        far_viruses=_rows_by(tables.far_viruses, FarVirus._make),
        studies=_rows_by(tables.studies.select("community", *StudyShare._fields), _study),
        support=_supported(tables.support),
        clades=_rows_by(tables.clades.select("community", "clade", "runs", "rank"), Clade._make),
        carriers=_rows_by(tables.carriers, Clade._make),
        sources=_rows_by(tables.sources, Carrier._make),
        inferred=_rows_by(tables.inferred, _inferred),
        origins=_rows_by(tables.origins, _origin),
        family_of=_pairs(tables.families, "stated", "family"),
    )


def _child(row: tuple[Any, ...]) -> tuple[str, int]:
    name, runs = row
    return name, runs


def _profile(
    place: tuple[Any, ...],
    gathered: _Gathered,
    risks: Mapping[str, str],
) -> Profile:
    """Return the profile of the community at ``place``: identifier, level, parent, runs."""
    name, level, parent, runs = place
    facts = gathered.facts.get(name, ())
    by_facet = _by_facet(tuple(fact for fact in facts if not _is_faint(fact)))
    biosamples, bioprojects, *counted = gathered.members.get(name, (0, 0))
    behind = dict(gathered.joints.get(name, ()))
    of_studies = len(Studies._fields)

    return Profile(
        community=name,
        level=level,
        parent=parent,
        runs=runs,
        facts=by_facet,
        children=gathered.children.get(name, ()),
        associations=gathered.associations.get(name, ()),
        biosamples=biosamples,
        bioprojects=bioprojects,
        risk_group=risks.get(name, UNKNOWN_RISK),
        joints={pair: found.runs for pair, found in behind.items()},
        behind={pair: found for pair, found in behind.items() if found.study},
        weighed=gathered.weighed.get(name, ()),
        pairings=gathered.pairings.get(name, ()),
        sequenced=gathered.sequenced.get(name, ()),
        other_by_kmers=gathered.other_by_kmers.get(name, ()),
        far_viruses=gathered.far_viruses.get(name, ()),
        studies=Studies(*counted[:of_studies]),
        largest_studies=gathered.studies.get(name, ()),
        support=gathered.support.get(name, {}),
        origins=dict(gathered.origins.get(name, ())),
        faint=tuple(fact for fact in facts if _is_faint(fact)),
        family_of=gathered.family_of,
        clade=next(iter(gathered.clades.get(name, ())), None),
        carriers=next(iter(gathered.carriers.get(name, ())), None),
        sources=gathered.sources.get(name, ()),
        inferred=dict(gathered.inferred.get(name, ())),
        searched=_searched(counted[of_studies:]),
    )


def _is_faint(fact: FactRow) -> bool:
    return fact.facet in VIRAL and fact.is_faint


def _origin(row: tuple[Any, ...]) -> tuple[Value, Provenance]:
    facet, value, *counted = row
    return (facet, value), Provenance(*counted)


def _inferred(row: tuple[Any, ...]) -> tuple[Value, Inferred]:
    facet, value, runs, deposited, everywhere, agreeing, evident, with_hits = row
    claim = Inferred(
        virus=value,
        deposited=deposited,
        runs=runs,
        everywhere=everywhere,
        agreeing=agreeing,
        evident=evident,
        with_hits=with_hits,
    )
    return (facet, value), claim


def _study(row: tuple[Any, ...]) -> StudyShare:
    """Return a study, with its title if that says something."""
    study = StudyShare._make(row)
    return study._replace(title=study_title(study.title) or None)


def _supported(frame: pl.DataFrame) -> dict[str, dict[Value, Support]]:
    """Return the evidence for each virus, by community; ``frame`` has a row per example."""
    of_virus = len(Support._fields) - 1
    supported: dict[str, dict[Value, Support]] = {}
    for community, facet, value, *columns in frame.iter_rows():
        viruses = supported.setdefault(community, {})
        before = viruses.get((facet, value), _support(columns[:of_virus]))
        examples = (*before.examples, Example(*columns[of_virus:]))
        viruses[facet, value] = before._replace(examples=examples)
    return supported


def _support(values: list[Any]) -> Support:
    """Return the columns of ``Support``, some of which are lists of rows."""
    runs, measured, identity, studies, known, sourced, placed, *lists = values
    deposits, sources, unexpected, places = lists
    return Support(
        *(runs, measured, identity, studies, known, sourced, placed),
        tuple(Deposit(**row) for row in deposits),
        tuple((row["name"], row["runs"]) for row in sources),
        tuple(unexpected),
        tuple((row["name"], row["runs"]) for row in places),
    )


def _searched(values: list[Any]) -> Searched:
    """Return the columns of ``Searched``, one of them a list; no columns: nothing is known."""
    if not values:
        return Searched()
    searched = Searched(*values)
    return searched._replace(sources=tuple(searched.sources))


def _joint(row: tuple[Any, ...]) -> tuple[tuple[Value, Value], StudyCount]:
    facet, value, other_facet, other_value, *counted = row
    one, other = (facet, value), (other_facet, other_value)
    first, second = sorted([one, other])
    return (first, second), StudyCount(*counted)


def _rows_by(
    frame: pl.DataFrame, make: Callable[[tuple[Any, ...]], RowT]
) -> dict[str, tuple[RowT, ...]]:
    """Return the rows of ``frame`` by its first column, which it must be grouped by."""

    def community(row: tuple[Any, ...]) -> str:
        return str(row[0])

    rows: dict[str, tuple[RowT, ...]] = {}
    for key, group in groupby(frame.iter_rows(), key=community):
        made = []
        for _, *values in group:
            made.append(make(tuple(values)))
        rows[key] = tuple(made)
    return rows


def _by_facet(facts: tuple[FactRow, ...]) -> dict[str, tuple[FactRow, ...]]:
    def order(fact: FactRow) -> int:
        return _FACET_ORDER[fact.facet]

    ordered = sorted(facts, key=order)
    by_facet: dict[str, tuple[FactRow, ...]] = {}
    for facet, group in groupby(ordered, key=itemgetter(0)):
        by_facet[facet] = tuple(group)
    return by_facet
