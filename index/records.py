"""Records: what the sources say, as tables, before anything is grounded."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

import dataframely as dy
import polars as pl

from index.row_counts import no_rows, summed_rows
from index.tables import (
    AssociationTest,
    Bioproject,
    Biosample,
    BiosampleAttribute,
    Detection,
    KmerProfile,
    KnownHost,
    Place,
    Run,
    RunAttribute,
    SearchedRun,
    SearchMethod,
    SotuAlignment,
    StatHit,
    Study,
    ViralSequence,
)
from ontology_etl.tables import Rejected, conform, gather_rejected

CONTRACTS: dict[str, type[dy.Schema]] = {
    "run": Run,
    "biosample": Biosample,
    "biosample_attribute": BiosampleAttribute,
    "run_attribute": RunAttribute,
    "bioproject": Bioproject,
    "study": Study,
    "place": Place,
    "detection": Detection,
    "viral_sequence": ViralSequence,
    "search_method": SearchMethod,
    "searched": SearchedRun,
    "stat_hit": StatHit,
    "sotu_alignment": SotuAlignment,
    "known_host": KnownHost,
    "association": AssociationTest,
}

CLEANED_SCHEMA = {"source": pl.String, "cells": pl.Int64}
SCOPE_SCHEMA = {
    **dict.fromkeys(
        ("source", "search", "sotu", "virus", "reported_name", "family", "phylum"), pl.String
    ),
    "identity": pl.Float64,
    "below": pl.Boolean,
}
"""What a search can find, as its source names it; ``below`` null: as the rank of the virus says."""


SEARCHES_SCHEMA = dict.fromkeys(("family", "source", "search"), pl.String)


def _empty(schema: type[dy.Schema]) -> Callable[[], pl.DataFrame]:
    """Return a function that returns an empty table: always the same one, as none is changed.

    It is made at the first call: threads of Polars that are started by an import break a fork.
    """
    return functools.cache(schema.create_empty)


@dataclass(frozen=True)
class Records:
    """A table per record contract; a source fills those it has and leaves the others empty."""

    run: pl.DataFrame = field(default_factory=_empty(Run))
    biosample: pl.DataFrame = field(default_factory=_empty(Biosample))
    biosample_attribute: pl.DataFrame = field(default_factory=_empty(BiosampleAttribute))
    run_attribute: pl.DataFrame = field(default_factory=_empty(RunAttribute))
    bioproject: pl.DataFrame = field(default_factory=_empty(Bioproject))
    study: pl.DataFrame = field(default_factory=_empty(Study))
    place: pl.DataFrame = field(default_factory=_empty(Place))
    detection: pl.DataFrame = field(default_factory=_empty(Detection))
    viral_sequence: pl.DataFrame = field(default_factory=_empty(ViralSequence))
    search_method: pl.DataFrame = field(default_factory=_empty(SearchMethod))
    searched: pl.DataFrame = field(default_factory=_empty(SearchedRun))
    stat_hit: pl.DataFrame = field(default_factory=_empty(StatHit))
    sotu_alignment: pl.DataFrame = field(default_factory=_empty(SotuAlignment))
    known_host: pl.DataFrame = field(default_factory=_empty(KnownHost))
    association: pl.DataFrame = field(default_factory=_empty(AssociationTest))
    kmer_profile: pl.DataFrame = field(default_factory=_empty(KmerProfile))
    """Organisms by k-mers as annotations and the graph take them (``index.annotation.kmers``)."""
    rejected: pl.DataFrame = field(default_factory=_empty(Rejected))
    cleaned: pl.DataFrame = field(default_factory=lambda: pl.DataFrame(schema=CLEANED_SCHEMA))
    """Cells of each source from which characters that are not text were removed."""
    scope: pl.DataFrame = field(default_factory=lambda: pl.DataFrame(schema=SCOPE_SCHEMA))
    """The viruses that each search can find (``index.sources.scopes``)."""
    searches: pl.DataFrame = field(default_factory=lambda: pl.DataFrame(schema=SEARCHES_SCHEMA))
    """Which search looks for which family, once scopes are resolved (``index.store.scopes``)."""
    rows: pl.DataFrame = field(default_factory=no_rows)
    """Rows of each table of each file: read, kept, rejected."""


def merge_records(parts: Iterable[Records]) -> Records:
    """Return the union of ``parts``.

    Where two sources describe one key, the first non-null value of each column is kept. The order
    of ``parts`` is the order of the manifest, so earlier files are trusted more.
    """
    listed = list(parts)
    frames = {name: [getattr(part, name) for part in listed] for name in CONTRACTS}
    rejected = gather_rejected(part.rejected for part in listed)
    cleaned = pl.concat([pl.DataFrame(schema=CLEANED_SCHEMA), *(part.cleaned for part in listed)])
    rows = pl.concat([no_rows(), *(part.rows for part in listed)])
    scope = pl.concat([pl.DataFrame(schema=SCOPE_SCHEMA), *(part.scope for part in listed)])
    listed.clear()  # each table is freed as soon as it is merged

    merged = {name: _merge(frames.pop(name), schema) for name, schema in CONTRACTS.items()}
    return Records(
        **merged,
        rejected=rejected,
        cleaned=cleaned,
        scope=scope.unique().sort(*SCOPE_SCHEMA),
        rows=summed_rows(rows),
    )


def record_counts(records: Records) -> dict[str, int]:
    """Return the number of rows of each table of records, in declaration order."""
    tables = [table for table in (*CONTRACTS, "rejected") if table != "search_method"]
    return {table: len(getattr(records, table)) for table in tables}


def _merge(frames: list[pl.DataFrame], schema: type[dy.Schema]) -> pl.DataFrame:
    filled = [frame for frame in frames if len(frame)]
    if not filled:
        return schema.create_empty()
    if len(filled) == 1:
        return conform(filled[0], schema)
    stacked = pl.concat(filled, how="diagonal_relaxed")
    keys = schema.primary_key()
    shared = stacked.select(keys).is_duplicated()
    if shared.any():
        single = stacked.filter(~shared)
        merged = first_values(stacked.filter(shared), keys)
        stacked = pl.concat([single, merged])
    return conform(stacked, schema)


def first_values(rows: pl.DataFrame, keys: Sequence[str]) -> pl.DataFrame:
    """Return one row per key of ``rows`` with the first non-null value of each column."""
    values = [name for name in rows.columns if name not in keys]
    if not values:
        return rows.unique(keys)
    first = pl.col(values).drop_nulls().first()
    grouped = rows.group_by(keys, maintain_order=True).agg(first)
    return grouped.select(rows.columns)
