"""A profile: all that may be said of one community, gathered from the tables and nothing else.

Templates word it, models are shown it, verification checks against it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from itertools import groupby
from math import log2
from operator import itemgetter
from typing import Any, Final, NamedTuple, TypeVar

import polars as pl

from index.facets import FACT_FACETS
from index.reports.phrases import SIGNIFICANT_Q, factor, q_text, times
from index.tables import DUPLICATE_OF

FACTS_PER_FACET: Final = 8
MAX_ASSOCIATIONS: Final = 3
MAX_EXAMPLE_RUNS: Final = 5
FEW_VIRUSES: Final = 0.1
LONGEST_VALUE: Final = 80
"""Characters; longer verbatim values are protocols pasted into a field, and stay in the fact table.
"""
UNKNOWN_RISK: Final = "unknown"


class FactRow(NamedTuple):
    """One fact; ``known`` are the runs of the community that state any value of the facet."""

    facet: str
    value: str
    curie: str | None
    runs: int
    known: int
    lift: float
    q_value: float

    @property
    def share(self) -> float:
        """Share of the runs that state the facet."""
        return self.runs / self.known

    @property
    def stands_out(self) -> bool:
        """Whether it is over-represented: 1.5 times its share in the index or more, q below 0.05."""
        return self.lift >= 1.5 and self.q_value < SIGNIFICANT_Q


class Theme(NamedTuple):
    """Words of the titles and abstracts of the community's bioprojects that others do not have."""

    term: str
    bioprojects: int
    described: int


class AssociationRow(NamedTuple):
    """One association of a bioproject and a virus family; runs of the community that belong to the
    project carry the family.
    """

    bioproject: str
    family: str
    attribute: str
    value: str
    num_true: int
    num_false: int
    fold_change: float | None
    q_value: float
    flag: str | None


@dataclass(frozen=True)
class Profile:
    """One community with its facts by facet (strongest first), its place in the hierarchy and its
    evidence.
    """

    community: str
    level: int
    parent: str | None
    runs: int
    facts: Mapping[str, tuple[FactRow, ...]]
    children: tuple[tuple[str, int], ...] = ()
    themes: tuple[Theme, ...] = ()
    associations: tuple[AssociationRow, ...] = ()
    titles: Mapping[str, str] = field(default_factory=dict)
    example_runs: tuple[str, ...] = ()
    biosamples: int = 0
    bioprojects: int = 0
    risk_group: str = UNKNOWN_RISK

    def of(self, facet: str) -> tuple[FactRow, ...]:
        """Return the facts of a facet, strongest first; empty where no run states it."""
        return self.facts.get(facet, ())

    def known(self, facet: str) -> int:
        """Return how many runs state any value of the facet."""
        return self.of(facet)[0].known if self.of(facet) else 0

    def salient(self, facet: str) -> tuple[FactRow, ...]:
        """Return the facts of a facet, those that best say what the community is about first.

        That is a large share of something that is rare elsewhere: share times log2(1 + lift).
        """
        return self._salient.get(facet, ())

    def has_viruses(self, facet: str) -> bool:
        """Return whether enough runs name a virus (``facet`` is species or family) for it to stand
        for them all.
        """
        return self.known(facet) >= FEW_VIRUSES * self.runs

    @cached_property
    def _salient(self) -> dict[str, tuple[FactRow, ...]]:
        return {facet: tuple(sorted(facts, key=_salience)) for facet, facts in self.facts.items()}

    @cached_property
    def facts_hash(self) -> str:
        """Digest of what may be said: counts as they are, lift and q-value as they are worded.

        A new run elsewhere shifts every background share a little; only a change that a reader
        would see counts.
        """
        rows = sorted(
            (fact.facet, fact.value, fact.runs, fact.known, times(fact.lift), q_text(fact.q_value))
            for facts in self.facts.values()
            for fact in facts
        )
        tested = [
            (*row[:6], row.flag, factor(2 ** (row.fold_change or 0)), q_text(row.q_value))
            for row in self.associations
        ]
        said = (
            self.runs,
            self.biosamples,
            self.children,
            self.themes,
            tested,
            sorted(self.titles.items()),
        )
        return sha256(repr((rows, said, self.risk_group)).encode()).hexdigest()


def build_profiles(
    *,
    fact: pl.DataFrame,
    community: pl.DataFrame,
    membership: pl.DataFrame,
    bioproject: pl.DataFrame,
    association: pl.DataFrame,
    theme: pl.DataFrame,
    risk: pl.DataFrame,
    facts_per_facet: int = FACTS_PER_FACET,
) -> list[Profile]:
    """Return the profile of every row of ``community``, ordered by level, size (largest first) and
    identifier.

    ``membership`` has ``community, biosamples, bioprojects, example_runs``; ``theme`` has
    ``community, term, bioprojects, described, rank``; ``association`` has the community beside the
    columns of its contract; ``risk`` has ``community, risk_group``. Communities absent from one of
    these have none of it, and an unknown risk group.
    """
    shown = _shown_facts(fact, facts_per_facet)
    facts = _rows_by(shown, lambda row: FactRow(*row))
    children = _rows_by(_children(community), lambda row: (row[0], row[1]))
    themes = _rows_by(
        theme.sort("community", "rank").select("community", *Theme._fields), lambda row: Theme(*row)
    )
    associations = _rows_by(_best_associations(association), lambda row: AssociationRow(*row))
    titles = dict(bioproject.drop_nulls("title").select("bioproject", "title").iter_rows())
    members = {row[0]: row[1:] for row in membership.select(_MEMBERSHIP).iter_rows()}
    risks = dict(risk.select("community", "risk_group").iter_rows())
    profiles = []
    for name, level, parent, runs in _in_order(community).iter_rows():
        by_facet = _by_facet(facts.get(name, ()))
        biosamples, bioprojects, example_runs = members.get(name, (0, 0, ()))
        own_titles = {
            row.value: titles[row.value]
            for row in by_facet.get("bioproject", ())
            if row.value in titles
        }
        profiles.append(
            Profile(
                community=name,
                level=level,
                parent=parent,
                runs=runs,
                facts=by_facet,
                children=children.get(name, ()),
                themes=_fresh(themes.get(name, ()), by_facet),
                associations=associations.get(name, ()),
                titles=own_titles,
                example_runs=tuple(example_runs[:MAX_EXAMPLE_RUNS]),
                biosamples=biosamples,
                bioprojects=bioprojects,
                risk_group=risks.get(name, UNKNOWN_RISK),
            )
        )
    return profiles


def by_runs(facts: Iterable[FactRow]) -> list[FactRow]:
    """Return ``facts``, the most frequent first."""
    return sorted(facts, key=lambda fact: (-fact.runs, fact.value))


_MEMBERSHIP: Final = ["community", "biosamples", "bioprojects", "example_runs"]
_FACET_ORDER: Final = {facet: position for position, facet in enumerate(FACT_FACETS)}
RowT = TypeVar("RowT")


def _shown_facts(fact: pl.DataFrame, per_facet: int) -> pl.DataFrame:
    """Return the facts that may be said: the strongest and the two most frequent whose value is a
    name, not a text.
    """
    readable = _one_of_place_and_country(
        fact.filter(pl.col("value").str.len_chars() <= LONGEST_VALUE)
    )
    readable = readable.sort("community", "facet", "rank")
    by_count = pl.col("runs").rank("ordinal", descending=True).over("community", "facet")
    shown = readable.filter((pl.col("rank") <= per_facet) | (by_count <= 2))
    known = (pl.col("runs") / pl.col("share")).round().cast(pl.Int64).alias("known")
    return shown.with_columns(known).select("community", *FactRow._fields)


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


def _salience(fact: FactRow) -> tuple[float, str]:
    return (-round(fact.share * log2(1 + fact.lift), 6), fact.value)
