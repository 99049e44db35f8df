"""Rows that answer a question in SQL, whoever wrote it."""

from __future__ import annotations

from dataclasses import dataclass, field

from query.answer import ResultTable, Usage
from query.reading import Reading


@dataclass(frozen=True, slots=True)
class SqlAnswer:
    """Rows that answer a question, with the SQL that made them.

    ``lead`` says in words what the rows show, empty where a model wrote the SQL; ``explained`` says
    what the SQL does.
    """

    question: str
    table: ResultTable
    sql: str
    lead: str = ""
    explained: str = ""
    complete: bool = True
    reading: Reading | None = None
    steps: tuple[str, ...] = ()
    usage: Usage = field(default_factory=Usage)
