"""Names in a question as stored tables have them: families of viruses, labels of hosts."""

from __future__ import annotations

from typing import Final, Protocol

import duckdb

from query.compiler.resolving import Resolver
from query.compiler.virus_names import standing_of
from query.reading.items import Item
from query.request.fields import FIELDS, field_named
from query.request.records import RecordTable

_LABEL: Final = "SELECT label FROM term WHERE curie = $1"


class NotReadError(Exception):
    """Raised where something in the words would be lost in the request."""


class NamedPart(Protocol):
    """A part of a question whose table is known."""

    @property
    def con(self) -> duckdb.DuckDBPyConnection:
        """The index."""

    @property
    def items(self) -> tuple[Item, ...]:
        """The items of the part."""

    @property
    def table(self) -> RecordTable:
        """The table in question."""


def name_condition(part: NamedPart, item: Item) -> tuple[str, str]:
    """Return the column of a name, and the name in that column.

    Raises ``NotReadError`` if no column of the table has such names.
    """
    assert item.name is not None
    kind, name = item.name.kind, item.name.name
    table = part.table.name
    if kind == "virus":
        return _viral(part, name)
    if kind == "project":
        return ("bioproject" if table == "tests" else "project"), name
    if kind in ("study", "community"):
        return kind, name
    if kind == "attribute" and table in ("tests", "effects"):
        return "attribute", name
    kinds = dict(((kind, name), *item.name.also))
    if table in ("tests", "effects"):
        if table == "tests" and kind == "host":
            raise NotReadError("a host, which each project spells in its own words")
        if kind not in ("host", "tissue", "disease"):
            raise NotReadError(item.text)
        is_tissue = any(other.value == "tissue" for other in part.items) and "tissue" in kinds
        kind = "tissue" if is_tissue else kind
        name = kinds.get(kind, name)
        return "value", item.text if table == "tests" else _label(part, kind, name)
    label = _label(part, kind, name)
    return kind, name if f"{kind}_id" in part.table.columns else label


def _viral(part: NamedPart, name: str) -> tuple[str, str]:
    """Return the column and the label of a virus: its family if the table has families."""
    taxa = Resolver(part.con).viruses((name,))
    if len(taxa.curies) != 1:
        raise NotReadError(name)
    curie = taxa.curies[0]
    standing = standing_of(part.con, curie)
    label = _label_of(part, curie)
    if standing is not None and standing.family == label:
        return "family", label
    if part.table.name == "communities":
        return "species", label
    if part.table.name != "pairs":
        raise NotReadError("tests are of families")
    row = part.con.execute("SELECT name FROM virus WHERE virus = $1", [curie]).fetchone()
    return "virus", str(row[0]) if row else label


def _label(part: NamedPart, kind: str, name: str) -> str:
    if kind not in FIELDS:
        raise NotReadError(name)
    (curie,) = Resolver(part.con).terms(field_named(kind), (name,))
    label = _label_of(part, curie)
    if label.endswith(" sp."):
        raise NotReadError("a species of a genus, whichever")
    return label


def _label_of(part: NamedPart, curie: str) -> str:
    row = part.con.execute(_LABEL, [curie]).fetchone()
    if row is None:
        raise NotReadError(curie)
    return str(row[0])
