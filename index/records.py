"""Records: what the sources say, as tables, before anything is grounded."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, fields

import dataframely as dy
import polars as pl

from index.tables import (
    Association,
    Bioproject,
    Biosample,
    BiosampleAttribute,
    Detection,
    KnownHost,
    Place,
    Run,
    Searched,
    SotuAlignment,
    StatHit,
    Study,
)
from ontology_etl.tables import Rejected, conform

CONTRACTS: dict[str, type[dy.Schema]] = {
    "run": Run,
    "biosample": Biosample,
    "biosample_attribute": BiosampleAttribute,
    "bioproject": Bioproject,
    "study": Study,
    "place": Place,
    "detection": Detection,
    "searched": Searched,
    "stat_hit": StatHit,
    "sotu_alignment": SotuAlignment,
    "known_host": KnownHost,
    "association": Association,
}


@dataclass(frozen=True)
class Records:
    """One table per record contract; a source fills the ones it has and leaves the others empty."""

    run: pl.DataFrame = field(default_factory=Run.create_empty)
    biosample: pl.DataFrame = field(default_factory=Biosample.create_empty)
    biosample_attribute: pl.DataFrame = field(default_factory=BiosampleAttribute.create_empty)
    bioproject: pl.DataFrame = field(default_factory=Bioproject.create_empty)
    study: pl.DataFrame = field(default_factory=Study.create_empty)
    place: pl.DataFrame = field(default_factory=Place.create_empty)
    detection: pl.DataFrame = field(default_factory=Detection.create_empty)
    searched: pl.DataFrame = field(default_factory=Searched.create_empty)
    stat_hit: pl.DataFrame = field(default_factory=StatHit.create_empty)
    sotu_alignment: pl.DataFrame = field(default_factory=SotuAlignment.create_empty)
    known_host: pl.DataFrame = field(default_factory=KnownHost.create_empty)
    association: pl.DataFrame = field(default_factory=Association.create_empty)
    rejected: pl.DataFrame = field(default_factory=Rejected.create_empty)


def merge_records(parts: Iterable[Records]) -> Records:
    """Return the union of ``parts``; where two sources describe one key, the first non-null value
    of each column wins.

    The order of ``parts`` is the order of the manifest, so earlier files are the more trusted ones.
    """
    listed = list(parts)
    frames = {name: [getattr(part, name) for part in listed] for name in CONTRACTS}
    rejected = pl.concat([part.rejected for part in listed] or [Rejected.create_empty()])
    listed.clear()
    merged = {name: _merge(frames.pop(name), schema) for name, schema in CONTRACTS.items()}
    return Records(**merged, rejected=conform(rejected, Rejected))


def record_counts(records: Records) -> dict[str, int]:
    """Return the number of rows of each table, in declaration order."""
    return {item.name: len(getattr(records, item.name)) for item in fields(records)}


def _merge(frames: list[pl.DataFrame], schema: type[dy.Schema]) -> pl.DataFrame:
    filled = [frame for frame in frames if len(frame)]
    if not filled:
        return schema.create_empty()
    if len(filled) == 1:
        return conform(filled[0], schema)
    keys = schema.primary_key()
    values = [name for name in schema.column_names() if name not in keys]
    first = [pl.col(name).drop_nulls().first() for name in values]
    stacked = pl.concat(filled, how="diagonal_relaxed")
    shared = stacked.select(keys).is_duplicated()
    if shared.any():
        several = stacked.filter(shared)
        grouped = (
            several.group_by(keys, maintain_order=True).agg(first)
            if values
            else several.unique(keys)
        )
        stacked = pl.concat([stacked.filter(~shared), grouped.select(stacked.columns)])
    return conform(stacked, schema)
