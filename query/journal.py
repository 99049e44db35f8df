"""The journal of answers: one JSON line per question in a file next to the index, which the next
build reads into the index.

Readers may not write to the published file, so answers wait in ``NAME.asked.jsonl``. Lines
are appended under a lock and never rewritten; an incomplete line is counted as rejected when the
journal is read (``query.journal_lines``).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from index.store.private import append_line
from index.store.read import beside
from query.answer import Answer, answer_record

if TYPE_CHECKING:
    import dataframely as dy
    import polars as pl

    from query.journal_lines import KeptAnswer


@dataclass(frozen=True, slots=True)
class Journal:
    """Answers as the tables of the index, with the lines that could not be read."""

    answer: pl.DataFrame
    point: pl.DataFrame
    answer_citation: pl.DataFrame
    rejected: pl.DataFrame


def journal_path(db: Path) -> Path:
    """Return where the answers given from the index at ``db`` are stored."""
    return beside(db, "asked.jsonl")


def record_answer(answer: Answer, db: Path, *, asked_at: datetime | None = None) -> str:
    """Append ``answer`` to the journal of the index at ``db`` and return its identifier.

    Raises ``OSError`` where the folder cannot be written to.
    """
    when = (asked_at or datetime.now(UTC)).isoformat(timespec="milliseconds")
    digest = hashlib.blake2b(
        "\x1f".join((answer.question, answer.mode, answer.answer, when)).encode(), digest_size=6
    )
    identifier = f"A-{digest.hexdigest()}"
    line = json.dumps(
        {"answer_id": identifier, "asked_at": when, **answer_record(answer)}, ensure_ascii=False
    )
    append_line(journal_path(db), line)
    return identifier


def read_journal(db: Path) -> Journal:
    """Return the answers given from the index at ``db``, each once; empty tables if there were
    none.

    A line that is not a complete answer (truncated, of an older form, tampered with) is rejected
    with the reason, and so is a journal that may not be read: neither ends a build.
    """
    from query.journal_lines import read_line

    path = journal_path(db)
    by_identifier: dict[str, KeptAnswer] = {}
    rejected: list[tuple[str, int, str]] = []
    try:
        lines = path.read_bytes().split(b"\n") if path.is_file() else []
    except OSError as error:
        reason = f"the journal cannot be read: {error.strerror or error}"
        return _as_tables([], [(path.name, 1, reason)])
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        answer = read_line(line)
        if isinstance(answer, str):
            rejected.append((path.name, number, answer))
        else:
            by_identifier[answer.answer_id] = answer
    return _as_tables(list(by_identifier.values()), rejected)


def _as_tables(answers: Sequence[KeptAnswer], rejected: list[tuple[str, int, str]]) -> Journal:
    from index.tables import PastAnswer, PastCitation, PastPoint
    from ontology_etl.tables import Rejected

    points = [
        (line.answer_id, rank, point)
        for line in answers
        for rank, point in enumerate(line.points, start=1)
    ]
    point_rows = [
        (answer, rank, point.community, point.description, point.score)
        for answer, rank, point in points
    ]
    citation_rows = [
        (answer, rank, cited.key, cited.value, cited.runs, cited.verified)
        for answer, rank, point in points
        for cited in point.citations
    ]
    return Journal(
        answer=_table([line.row() for line in answers], PastAnswer),
        point=_table(point_rows, PastPoint),
        answer_citation=_table(citation_rows, PastCitation),
        rejected=_table(rejected, Rejected),
    )


def _table(rows: Sequence[tuple[object, ...]], schema: type[dy.Schema]) -> pl.DataFrame:
    """Return ``rows`` as the table of ``schema``, the first of rows with one key."""
    import polars as pl

    from ontology_etl.tables import conform

    frame = pl.DataFrame(rows, schema=schema.create_empty().schema, orient="row")
    key = schema.primary_key() or None
    return conform(frame.unique(key, keep="first", maintain_order=True), schema)
