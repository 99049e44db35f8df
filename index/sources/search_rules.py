"""Which runs each source of detections searched: what lists name, what rules say, what was found.

Only a run that was searched can be a negative. A source says so by a list (format
``searched_runs``), by rows of its own results, found or below a threshold, or by a rule of the
manifest over what is known of a run:

    [[searched]]
    source = "palm_virome"
    library_strategy = ["RNA-Seq"]
    library_source = ["TRANSCRIPTOMIC", "METATRANSCRIPTOMIC"]
    released_until = 2021-01-17

What a search can find is its scope (``index.sources.scopes``). A rule holds for every search of its
source, or for those that ``search`` names.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path

import numpy as np
import polars as pl
from pydantic import Field

from index.records import Records
from index.sources.scopes import ANY_SEARCH
from index.tables import SearchedRun
from ontology_etl.errors import ManifestError
from ontology_etl.frozen import Frozen


class SearchRule(Frozen):
    """The runs that ``source`` searched: those of a library strategy, up to a day of release.

    ``library_source`` narrows them to what was sequenced, e.g. transcripts. What a rule asks for
    must be stated: a run whose strategy, source or day is unknown may have been searched or not,
    and does not match.
    """

    source: str = Field(min_length=1)
    search: tuple[str, ...] | None = Field(None, min_length=1)
    library_strategy: tuple[str, ...] = Field(min_length=1)
    library_source: tuple[str, ...] | None = Field(None, min_length=1)
    released_until: date | None = None


def check_rules(rules: Sequence[SearchRule], records: Records, *, manifest: Path) -> None:
    """Raise ``ManifestError`` for the first rule of a source or search that no input has."""
    tables = (records.detection, records.searched, records.scope)
    sources = pl.concat([table["source"] for table in tables]).unique().sort().to_list()
    for number, rule in enumerate(rules, 1):
        entry = f"[[searched]] entry {number}"
        if rule.source not in sources:
            reason = f"{entry}: no input has results of the source {rule.source!r}"
            remedy = f"give one of the sources of the inputs: {', '.join(sources) or 'none'}"
            raise ManifestError(manifest, reason, remedy=remedy)
        known = _all_of(rule.source, records)
        unknown = sorted(set(rule.search or ()).difference(known))
        if unknown:
            reason = f"{entry}: {rule.source} has no search {', '.join(map(repr, unknown))}"
            remedy = f"give some of its searches: {', '.join(known)}"
            raise ManifestError(manifest, reason, remedy=remedy)


def find_searched(records: Records, rules: Sequence[SearchRule]) -> pl.DataFrame:
    """Return the searched runs of every search of every source (contract SearchedRun).

    They are the runs of ``records`` that are listed there, that have a detection or that a rule
    matches. A run that only results name is not a run of the index.
    """
    pair = ["run", "source"]
    found = records.detection.select(pair).unique().join(records.searched, on=pair, how="anti")
    unnamed = found.with_columns(search=pl.lit(ANY_SEARCH))
    stated = pl.concat([records.searched, unnamed.select(SearchedRun.column_names())])
    run = records.run.sort("run")
    no_run = pl.zeros(len(run), dtype=pl.Boolean, eager=True)
    searched: defaultdict[tuple[str, str], pl.Series] = defaultdict(lambda: no_run)
    for (source, search), rows in stated.partition_by("source", "search", as_dict=True).items():
        listed = run["run"].is_in(rows["run"].implode())
        searches = _all_of(source, records) if search == ANY_SEARCH else [search]
        for name in searches:
            searched[source, name] |= listed
    for rule in rules:
        matching = run.select(_matches(rule)).to_series()
        for search in rule.search or _all_of(rule.source, records):
            searched[rule.source, search] |= matching
    return _rows_of(run["run"], dict(sorted(searched.items())))


def _rows_of(run: pl.Series, searched: Mapping[tuple[str, str], pl.Series]) -> pl.DataFrame:
    """Return a row for each run and search, in this order, where ``searched`` is true of the run:
    to sort tens of millions of rows would take most of the memory of reading.
    """
    if not searched:
        return SearchedRun.create_empty()
    searches = pl.DataFrame(list(searched), schema=["source", "search"], orient="row")
    place, number = np.nonzero(np.column_stack([flags.to_numpy() for flags in searched.values()]))
    return SearchedRun.cast(run.gather(place).to_frame("run").hstack(searches[number]))


def _all_of(source: str, records: Records) -> Sequence[str]:
    """Return the searches of ``source``; its own name where none is known."""
    known = pl.concat([records.searched, records.scope.select("source", "search")], how="diagonal")
    of_source = known.filter(pl.col("source") == source, pl.col("search") != ANY_SEARCH)
    return of_source["search"].unique().sort().to_list() or [source]


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
    return pl.col(column).str.to_lowercase().is_in([value.lower() for value in values])
