"""The journal of answers: one JSON line per question, beside the index, taken into it by the next
build.

The published file is read-only for those who ask, so answers wait in ``NAME.asked.jsonl``. Lines
are appended under a lock and never rewritten; a line that a crash cut short is counted as rejected
when the journal is read.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from query.answer import Answer, answer_record

if TYPE_CHECKING:
    import polars as pl

_CITED: Final = ("key", "value", "runs", "verified")


@dataclass(frozen=True, slots=True)
class Journal:
    """Answers as the tables of the index, with the lines that could not be read."""

    answer: pl.DataFrame
    point: pl.DataFrame
    answer_citation: pl.DataFrame
    rejected: pl.DataFrame


def journal_path(db: Path) -> Path:
    """Return where the answers given from the index at ``db`` are kept."""
    return db.with_name(f"{db.name}.asked.jsonl")


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
    with journal_path(db).open("a", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.write(f"{line}\n")
    return identifier


def read_journal(db: Path) -> Journal:
    """Return the answers given from the index at ``db``, empty tables where none were, each answer
    once.
    """
    path = journal_path(db)
    records: dict[str, dict[str, Any]] = {}
    broken: list[int] = []
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines() if path.exists() else []
    for number, line in enumerate(lines, start=1):
        try:
            record = json.loads(line)
            records[record["answer_id"]] = record
        except (json.JSONDecodeError, KeyError, TypeError):
            broken.append(number)
    return _as_tables(list(records.values()), path.name, broken)


def _as_tables(records: list[dict[str, Any]], name: str, broken: list[int]) -> Journal:
    import polars as pl

    from index.tables import Answer as AnswerTable
    from index.tables import AnswerCitation, Point
    from ontology_etl.tables import Rejected, conform

    points = [
        (one["answer_id"], rank, point)
        for one in records
        for rank, point in enumerate(one["points"], start=1)
    ]
    cited = [
        (answer, rank, citation)
        for answer, rank, point in points
        for citation in point["citations"]
    ]
    answer_rows = [_answer_row(one) for one in records]
    point_rows = [
        (answer, rank, one["community"], one["description"], one["score"])
        for answer, rank, one in points
    ]
    citation_rows = [(answer, rank, *(one[key] for key in _CITED)) for answer, rank, one in cited]
    rejected = [(name, number, "not a whole answer: the line was cut short") for number in broken]

    def table(rows: list[Any], schema: Any) -> pl.DataFrame:
        frame = pl.DataFrame(rows, schema=schema.create_empty().schema, orient="row")
        return conform(
            frame.unique(schema.primary_key() or None, keep="first"), schema, source=name
        )

    return Journal(
        answer=table(answer_rows, AnswerTable),
        point=table(point_rows, Point),
        answer_citation=table(citation_rows, AnswerCitation),
        rejected=table(rejected, Rejected),
    )


def _answer_row(record: dict[str, Any]) -> tuple[Any, ...]:
    """Return a journal line as a row of the table ``answer``."""
    usage, coverage = record["usage"], record["coverage"]
    return (
        record["answer_id"], record["question"], record["mode"], record["answer"], record["asked_at"],
        usage["seconds"], usage["model"], usage["prompt_tokens"], usage["completion_tokens"],
        coverage["runs_matching"], coverage["runs_covered"], coverage["read"],
    )  # fmt: skip
