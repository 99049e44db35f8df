"""Which runs each source of detections searched: what lists name, what rules say, what was found.

Only a run that was searched can be a negative. A source says so by a list (format
``searched_runs``), by rows of its own results, found or below a threshold, or by a rule of the
manifest over what is known of a run:

    [[searched]]
    source = "palm_virome"
    library_strategy = ["RNA-Seq"]
    library_source = ["TRANSCRIPTOMIC", "METATRANSCRIPTOMIC"]
    released_until = 2021-01-17
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

import polars as pl
from pydantic import BaseModel, ConfigDict, Field

from index.records import Records
from index.tables import SearchedRun
from ontology_etl.tables import conform


class SearchRule(BaseModel):
    """The runs that ``source`` searched: those of a library strategy, up to a day of release.

    ``library_source`` narrows them to what was sequenced, e.g. transcripts. What a rule asks for
    must be stated: a run whose strategy, source or day is unknown may have been searched or not,
    and does not match.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    source: str = Field(min_length=1)
    library_strategy: tuple[str, ...] = Field(min_length=1)
    library_source: tuple[str, ...] | None = Field(None, min_length=1)
    released_until: date | None = None


def find_searched(records: Records, rules: Sequence[SearchRule]) -> pl.DataFrame:
    """Return the searched runs of every source (contract Searched).

    They are the runs of ``records`` that are listed there, that a rule matches or that have a
    detection. A run that results name and nothing else describes is none of the index.
    """
    results = records.detection.select("run", "source")
    stated = pl.concat([records.searched, results])
    of_rules = {rule.source for rule in rules}
    sources = sorted(of_rules.union(stated["source"].unique()))
    any_source = pl.Enum(sources)

    searched = [pl.DataFrame(schema={"run": pl.String, "source": any_source})]
    for source in sources:
        named = stated.filter(source=source)["run"]
        is_searched = pl.col("run").is_in(named.implode())
        for rule in rules:
            if rule.source == source:
                is_searched |= _matches(rule)
        runs = records.run.filter(is_searched).select("run")
        searched.append(runs.with_columns(source=pl.lit(source, any_source)))
    return conform(pl.concat(searched), SearchedRun)


def _matches(rule: SearchRule) -> pl.Expr:
    """Return whether ``rule`` matches a run; false where what it asks for is not stated."""
    matching = _is_one_of("library_strategy", rule.library_strategy)
    if rule.library_source is not None:
        matching &= _is_one_of("library_source", rule.library_source)
    if rule.released_until is not None:
        matching &= pl.col("release_date") <= rule.released_until
    return matching.fill_null(value=False)


def _is_one_of(column: str, values: Sequence[str]) -> pl.Expr:
    """Return whether ``column`` is one of ``values``, in any case; null where it is not stated."""
    lower = [value.lower() for value in values]
    stated = pl.col(column).str.to_lowercase()
    return stated.is_in(lower)
