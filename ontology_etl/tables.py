"""Contracts of the tables that ontology_etl produces.

A table is a class, a column one declaration of type, description and constraint. ``conform`` is the
only way out: it checks the contract and fixes the row order, so that equal input gives equal bytes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from types import new_class
from typing import Final, TypeVar, cast

import dataframely as dy
import polars as pl

from ontology_etl.curies import CURIE
from ontology_etl.errors import ContractError
from ontology_etl.facets import ONTOLOGIES_OF_FACET

OUTCOMES: Final = (
    "grounded", "ambiguous", "negated", "generic", "other", "null", "too long", "ungrounded",
)  # fmt: skip


class Term(dy.Schema):
    """One ontology class; for NCBI Taxonomy one taxon."""

    curie = dy.String(primary_key=True, regex=CURIE, description="identifier, e.g. NCBITaxon:9606")
    label = dy.String(description="preferred name; for a taxon its scientific name")
    ontology = dy.String(description="NCBITaxon, BTO or DOID")
    rank = dy.String(nullable=True, description="taxonomic rank; null outside NCBI Taxonomy")
    obsolete = dy.Bool(
        description="true for a retired identifier: merged, deleted or obsoleted upstream"
    )
    replaced_by = dy.String(
        nullable=True, regex=CURIE, description="current identifier an obsolete one resolves to"
    )


class Synonym(dy.Schema):
    """Another name of a term."""

    curie = dy.String(primary_key=True, regex=CURIE, description="term the name belongs to")
    synonym = dy.String(
        primary_key=True, min_length=1, description="the name as the ontology spells it"
    )
    scope = dy.String(
        primary_key=True,
        regex="^(EXACT|NARROW|BROAD|RELATED)$",
        description="OBO scope of the synonym",
    )


class TermEdge(dy.Schema):
    """A statement between two terms."""

    subject = dy.String(primary_key=True, regex=CURIE, description="term the statement is about")
    predicate = dy.String(
        primary_key=True,
        description="is_a, part_of, develops_from, kind_by_name, parent (taxonomy) or an axiom",
    )
    object = dy.String(primary_key=True, regex=CURIE, description="term it points to")


class Xref(dy.Schema):
    """A cross-reference of a term to another vocabulary."""

    curie = dy.String(primary_key=True, regex=CURIE, description="term")
    xref = dy.String(
        primary_key=True, min_length=1, description="external identifier, as the ontology writes it"
    )


class Closure(dy.Schema):
    """Ancestors of taxa in use and of all BTO and DOID terms, along is_a, part_of, name, parent."""

    descendant = dy.String(primary_key=True, regex=CURIE, description="term")
    ancestor = dy.String(
        primary_key=True, regex=CURIE, description="the term itself (distance 0) or one above it"
    )
    distance = dy.Int32(min=0, description="length of the shortest path, in edges")


class UsedTerm(dy.Schema):
    """The terms in ``closure`` and annotations: those an index says anything about."""

    curie = dy.String(primary_key=True, regex=CURIE, description="identifier, as in term")
    label = dy.String(description="preferred name")
    ontology = dy.String(description="its ontology")
    rank = dy.String(nullable=True, description="rank of a taxon")


class Release(dy.Schema):
    """The ontology release an index was built with."""

    ontology = dy.String(primary_key=True, description="NCBITaxon, BTO or DOID")
    version = dy.String(
        description="release stated in the file, otherwise the date of its newest member"
    )
    source = dy.String(description="official address, or the name of the local file")
    sha256 = dy.String(regex="^[0-9a-f]{64}$", description="digest of the file that was read")
    licence = dy.String(description="licence of the ontology")
    terms = dy.Int64(min=0, description="current terms")
    synonyms = dy.Int64(min=0, description="synonyms of all terms")


class Rejected(dy.Schema):
    """A row that was not used, and why: nothing is dropped silently."""

    source = dy.String(description="file the row came from")
    row = dy.Int64(
        nullable=True,
        description="1-based row in the file, counting the header; null if rows have no number",
    )
    reason = dy.String(description="why it was not used")


class Grounding(dy.Schema):
    """What one attribute value says about one facet."""

    attribute = dy.String(primary_key=True, description="attribute name as submitted")
    text = dy.String(primary_key=True, description="value as submitted")
    facet = dy.String(
        primary_key=True,
        regex=f"^({'|'.join(ONTOLOGIES_OF_FACET)})$",
        description="facet the value was read for",
    )
    outcome = dy.String(
        primary_key=True, regex=f"^({'|'.join(OUTCOMES)})$", description="what became of it"
    )
    matched = dy.String(
        primary_key=True, description="folded words that matched; empty where none did"
    )
    curie = dy.String(
        nullable=True, regex=CURIE, description="term; null unless grounded, negated or generic"
    )
    label = dy.String(nullable=True, description="label of the term")
    method = dy.String(
        nullable=True,
        regex="^(dictionary|words)$",
        description="how; null where ungrounded",
    )
    score = dy.Float64(
        nullable=True,
        min=0,
        max=1,
        description="1 for a dictionary hit, less for its words in another order",
    )
    whole = dy.Bool(description="true where the match is the whole value")
    candidates = dy.List(
        dy.String(), description="terms the name may mean, sorted; one where it is clear"
    )


@dataclass(frozen=True)
class Statements:
    """Statements of one ontology file; rows in any order, not checked yet.

    ``version`` is the release as the file states it; ``repairs`` counts the rows that were read
    after a correction.
    """

    term: pl.DataFrame
    version: str
    synonym: pl.DataFrame = field(default_factory=Synonym.create_empty)
    term_edge: pl.DataFrame = field(default_factory=TermEdge.create_empty)
    xref: pl.DataFrame = field(default_factory=Xref.create_empty)
    rejected: pl.DataFrame = field(default_factory=Rejected.create_empty)
    repairs: int = 0


SchemaT = TypeVar("SchemaT", bound=dy.Schema)


def conform(
    frame: pl.DataFrame, schema: type[SchemaT], *, source: str = ""
) -> dy.DataFrame[SchemaT]:
    """Return ``frame`` cast to ``schema``: only its columns, valid, sorted by key.

    A table without a key is sorted by all columns. Raises ``ContractError`` naming each broken rule
    and how many rows break it.
    """
    columns = schema.column_names()
    missing = {
        f"missing column {name}": len(frame) for name in columns if name not in frame.columns
    }
    if missing:
        raise ContractError(schema.__name__, missing, source=source)
    typed = _typed(frame, schema)
    if typed is None or not _without_key(schema).is_valid(typed):
        raise ContractError(schema.__name__, _broken_rules(frame, schema), source=source)

    key = schema.primary_key()
    ordered = typed.sort(key or columns, nulls_last=True)
    repeated = _repeated_keys(ordered, key)
    if repeated:
        raise ContractError(schema.__name__, {"primary_key": repeated}, source=source)
    return cast("dy.DataFrame[SchemaT]", ordered)


def _typed(frame: pl.DataFrame, schema: type[dy.Schema]) -> pl.DataFrame | None:
    """Return the columns of ``schema`` with its types; None if a value has no such type."""
    try:
        return schema.cast(frame)
    except pl.exceptions.InvalidOperationError:
        return None


def _broken_rules(frame: pl.DataFrame, schema: type[dy.Schema]) -> dict[str, int]:
    """Return each rule of ``schema`` but that on keys that ``frame`` breaks, and in how many rows.

    To count takes twice as long as to find that there are none.
    """
    _, failures = _without_key(schema).filter(frame.select(schema.column_names()), cast=True)
    return dict(failures.counts())


@cache
def _without_key(schema: type[SchemaT]) -> type[SchemaT]:
    """Return ``schema`` without the rule on keys: hashing 15 million takes 7 s and 2.5 GB."""

    def redeclare(body: dict[str, object]) -> None:
        for name, column in schema.columns().items():
            body[name] = column.with_primary_key(False)

    keyless: type[SchemaT] = new_class(schema.__name__, (schema,), exec_body=redeclare)
    return keyless


def _repeated_keys(ordered: pl.DataFrame, key: Sequence[str]) -> int:
    """Return how many rows of ``ordered``, sorted by ``key``, share their key with another row."""
    if not key:
        return 0
    same = pl.all_horizontal(pl.col(name) == pl.col(name).shift() for name in key)
    as_before = ordered.select(same.fill_null(value=False).alias("as_before"))["as_before"]
    if not as_before.any():
        return 0
    as_after = as_before.shift(-1, fill_value=False)
    return int((as_before | as_after).sum())


def with_absent(
    frame: pl.DataFrame, columns: Mapping[str, pl.DataType | type[pl.DataType]]
) -> pl.DataFrame:
    """Return ``frame`` with those of ``columns`` (name and type) that it lacks, as null."""
    absent = {name: kind for name, kind in columns.items() if name not in frame.columns}
    return frame.with_columns(pl.lit(None, kind).alias(name) for name, kind in absent.items())


def reject(source: str, rows: pl.Series | list[int | None], reason: str) -> dy.DataFrame[Rejected]:
    """Return one ``Rejected`` row per entry of ``rows`` with the same source and reason."""
    row = pl.Series(rows, dtype=pl.Int64)
    return reject_rows(source, pl.DataFrame({"row": row}).with_columns(reason=pl.lit(reason)))


def reject_rows(source: str, faulty: pl.DataFrame) -> dy.DataFrame[Rejected]:
    """Return one ``Rejected`` row per row of ``faulty`` [row, reason, …]."""
    return conform(faulty.with_columns(source=pl.lit(source)), Rejected)


def gather_rejected(parts: Iterable[pl.DataFrame]) -> dy.DataFrame[Rejected]:
    """Return all rejected rows of ``parts`` in one table, sorted."""
    return conform(pl.concat([Rejected.create_empty(), *parts]), Rejected)
