"""Which runs each source of detections searched: what lists name, what rules say, what was found.

Only a run that was searched can be a negative. A source says so by a list (format
``searched_runs``) or by a rule of the manifest over what is known of a run:

    [[searched]]
    source = "palm_virome"
    library_strategy = ["RNA-Seq"]
    released_until = 2021-01-17
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

import polars as pl
from pydantic import BaseModel, ConfigDict, Field

from index.records import Records
from index.tables import Searched
from ontology_etl.tables import conform


class SearchRule(BaseModel):
    """The runs that ``source`` searched: all of a library strategy, up to a day of release.

    A run whose strategy (or, with ``released_until``, whose release date) is not stated does not
    match: it may have been searched or not.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    source: str = Field(min_length=1)
    library_strategy: tuple[str, ...] = Field(min_length=1)
    released_until: date | None = None


def find_searched(records: Records, rules: Sequence[SearchRule]) -> pl.DataFrame:
    """Return the searched runs of every source (contract Searched).

    They are the runs that ``records`` list, that a rule matches or that have a detection.
    """
    found = records.detection.select("run", "source")
    by_rule = [_matching(records.run, rule) for rule in rules]
    searched = pl.concat([records.searched, found, *by_rule])
    return conform(searched.unique(), Searched)


def _matching(run: pl.DataFrame, rule: SearchRule) -> pl.DataFrame:
    strategies = [strategy.lower() for strategy in rule.library_strategy]
    strategy = pl.col("library_strategy").str.to_lowercase()
    matching = strategy.is_in(strategies)
    if rule.released_until is not None:
        released = pl.col("release_date")
        matching &= released <= rule.released_until
    source = pl.lit(rule.source)
    return run.filter(matching).select("run", source=source)
