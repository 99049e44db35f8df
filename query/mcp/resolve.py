"""The tool ``resolve``: what names mean in this index, and what they may mean."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Final, Literal, TypeAlias

import duckdb
from pydantic import Field, WithJsonSchema

from query.compiler import AmbiguousNameError, UnknownNameError, run
from query.mcp.served import Opened, Record
from query.request import Carries, Count, Has, Hit, Request, RunSet
from query.request.names import OneOrMore
from query.withholding import Withholding
from query.words import accession_kind

NameKind: TypeAlias = Literal[
    "virus", "host", "label", "tissue", "disease", "environment", "place", "k_mers"
]
MOST_NAMES: Final = 20
KINDS: Final[tuple[NameKind, ...]] = (
    "virus", "host", "tissue", "disease", "environment", "place", "label", "k_mers"
)  # fmt: skip
NamesGiven = Annotated[
    list[str],
    OneOrMore,
    Field(min_length=1, max_length=MOST_NAMES),
    WithJsonSchema(
        {"type": "array", "items": {"type": "string"}, "description": f"up to {MOST_NAMES} names"}
    ),
]
KindGiven = Annotated[
    NameKind | None, Field(description="only this kind; label: organism label of the library")
]


def resolve(opened: Opened, names: NamesGiven, kind: KindGiven = None) -> Record:
    """Look names up: everyday names, abbreviations, slips, CURIEs -> kind, label, CURIE, runs.

    Not needed before query, which resolves names itself: for names that are unknown or may be
    several, and to see under which kind a name has runs.
    """
    return {"names": [_named(opened, name, kind) for name in names]}


def _named(opened: Opened, name: str, kind: NameKind | None) -> Record:
    """Return what ``name`` means: readings with runs first, or what may be meant."""
    is_of = identified(opened.con, name)
    if is_of is not None:
        return {"name": name, "is": is_of, "call": f'describe with id "{name}"'}
    readings: list[Record] = []
    nearest: dict[str, None] = {}
    for each in KINDS if kind is None else (kind,):
        try:
            readings.append(_reading(opened, name, each))
        except AmbiguousNameError as error:
            readings += [
                {**_reading(opened, curie, each), "label": label}
                for curie, label in error.meanings.items()
            ]
        except UnknownNameError as error:
            nearest.update(dict.fromkeys(error.nearest))
    found = [reading for reading in readings if reading["runs"]] or readings
    most_first = sorted(found, key=lambda reading: -reading["runs"])
    record: Record = {"name": name, "readings": most_first}
    if not found:
        record["did_you_mean"] = list(nearest)[:5]
        if not nearest:
            record["note"] = "nothing is called so; search finds words in texts"
    shown = Withholding(opened.unseen).result(record)
    return {key: value for key, value in shown.items() if value not in ({}, [])}


def _reading(opened: Opened, name: str, kind: NameKind) -> Record:
    """Return what ``name`` means as ``kind``; raises as the resolver does."""
    runs: RunSet = Carries(Hit(virus=(name,))) if kind == "virus" else Has(kind, (name,))
    result = run(opened.con, Request(Count(), runs))
    meant = result.names[0]
    runs_with = int(result.number or 0)
    return {"kind": kind, "label": meant.label, "curie": meant.curie, "runs": runs_with}


def identified(con: duckdb.DuckDBPyConnection, name: str) -> str | None:
    """Return what ``name`` identifies: first by the index, whose own data may have any identifiers,
    then by its form; None for names.
    """
    row = con.execute(_IDENTIFIED, [name.strip()]).fetchone()
    return accession_kind(name) if row is None else str(row[0])


def kinds_named(opened: Opened, name: str) -> Iterator[NameKind]:
    """Yield the kinds that ``name`` is a name of."""
    for kind in KINDS:
        try:
            _reading(opened, name, kind)
        except UnknownNameError:
            continue
        except AmbiguousNameError:
            pass
        yield kind


_IDENTIFIED: Final = """
SELECT kind FROM (
    SELECT 'run' AS kind, run AS id FROM run
    UNION ALL SELECT 'study', study FROM run
    UNION ALL SELECT 'project', bioproject FROM run
    UNION ALL SELECT 'biosample', biosample FROM run
    UNION ALL SELECT 'community', community FROM community
) WHERE lower(id) = lower($1) LIMIT 1
"""
