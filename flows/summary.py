"""Summarise a build for people and programs."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

import duckdb

from flows.options import STAGES
from flows.progress import Progress
from index.store.build import table_counts

FILES_SHOWN = 8
REASONS_SHOWN = 12
UNGROUNDED_KEPT = 50
UNGROUNDED_SHOWN = 10


@dataclass(frozen=True)
class UngroundedValue:
    """A metadata value without an annotation, why, and its number of runs."""

    facet: str
    outcome: str
    text: str
    runs: int


@dataclass(frozen=True)
class BuildSummary:
    """Rows per table, rejected rows per reason, seconds per stage, peak memory, what changed."""

    db: str
    content_hash: str
    communities: str
    """What became of the communities of the previous index."""
    unlinked_runs: int
    """Runs that nothing links to another: they are in no community."""
    counts: dict[str, int]
    rows: dict[str, tuple[int, int, int]]
    """Rows of each table of each input: read, kept, rejected, which add up."""
    rejected: dict[str, int]
    ungrounded: tuple[UngroundedValue, ...]
    """The values without a term that most runs have."""
    reports: int
    interpreted: int
    """Reports with an interpretation by a model."""
    wording: str
    """What the model did, in words."""
    unchanged: tuple[str, ...]
    """Stages whose result was kept from an earlier build."""
    seconds: dict[str, float]
    """Wall seconds per stage."""
    stage_cpu_seconds: dict[str, float]
    stage_peak_mb: dict[str, int]
    stage_rows: dict[str, int]
    """Rows that each stage wrote."""
    stage_bytes: dict[str, int]
    """Bytes of these rows in memory."""
    total_seconds: float
    peak_memory_mb: int

    def as_dict(self) -> dict[str, object]:
        """Return the summary as plain values."""
        return asdict(self)

    def text(self) -> str:
        """Return the summary as lines for a terminal."""
        filled = {name: rows for name, rows in self.counts.items() if rows}
        tables = "\n".join(f"  {name:<22}{rows:>12,}" for name, rows in filled.items())
        reasons = "\n".join(f"  {rows:>12,}  {reason}" for reason, rows in self.rejected.items())
        unread = _values(self.ungrounded[:UNGROUNDED_SHOWN])
        spent = f"{self.total_seconds:.0f} s, peak memory {self.peak_memory_mb:,} MB"
        paragraphs = [
            f"published {self.db}",
            f"rows per table\n{tables}",
            f"rows read = kept + rejected (all files: table source_rows)\n{self._read()}",
            f"rejected, by reason\n{reasons or '  none'}",
            "most frequent values without a term (all of them: table ungrounded)\n"
            f"{unread or '  none'}",
            f"communities: {self.communities}\n"
            f"runs without any link, in no community: {self.unlinked_runs:,}\n"
            f"reports: {self.reports:,}, {self.interpreted:,} with an interpretation by a model\n"
            f"{self.wording}\n"
            f"stages that need not run: {self._unchanged()}\n"
            f"{spent}, content {self.content_hash}",
        ]
        return "\n\n".join(paragraphs)

    def _read(self) -> str:
        """Return the files with the most rejected rows, and the total."""
        most = sorted(self.rows.items(), key=lambda item: (-item[1][2], item[0]))
        lines = [_added(name, *counts) for name, counts in most[:FILES_SHOWN] if counts[2]]
        read, kept, rejected = (sum(numbers) for numbers in zip(*self.rows.values(), strict=True))
        return "\n".join([*lines, _added("all", read, kept, rejected)])

    def _unchanged(self) -> str:
        """Return the skipped stages in words."""
        if self.unchanged == STAGES:
            return "all"
        return ", ".join(self.unchanged) or "none"

    def markdown(self) -> str:
        """Return the summary as a Prefect artifact."""
        rows = "\n".join(f"| {name} | {count:,} |" for name, count in self.counts.items())
        unread = _values(self.ungrounded) or "  none"
        return (
            f"# {self.db}\n\n| table | rows |\n|---|---|\n{rows}\n\n```\n{self.text()}\n```\n\n"
            f"## Most frequent values without a term\n\n```\n{unread}\n```\n"
        )


def summarise(
    connection: duckdb.DuckDBPyConnection,
    db: Path,
    progress: Progress,
    *,
    digest: str,
    communities: str,
    wording: str,
) -> BuildSummary:
    """Return the summary of the complete index behind ``connection``; ``db`` is where it is or will
    be.
    """
    ((reports, interpreted),) = connection.execute(_REPORTS).fetchall()
    return BuildSummary(
        db=str(db),
        content_hash=digest,
        communities=communities,
        unlinked_runs=_counts(connection, _UNLINKED).get("unlinked.run", 0),
        counts=table_counts(connection),
        rows=_rows(connection),
        rejected=_rejected(connection),
        ungrounded=_ungrounded(connection),
        reports=reports,
        interpreted=interpreted,
        wording=wording,
        unchanged=tuple(progress.kept),
        seconds={stage: round(seconds, 2) for stage, seconds in progress.seconds.items()},
        stage_cpu_seconds={
            stage: round(seconds, 2) for stage, seconds in progress.cpu_seconds.items()
        },
        stage_peak_mb=dict(progress.peak_mb),
        stage_rows=dict(progress.rows),
        stage_bytes=dict(progress.bytes),
        total_seconds=round(progress.total(), 1),
        peak_memory_mb=progress.highest_mb(),
    )


def _added(name: str, read: int, kept: int, rejected: int) -> str:
    return f"  {read:>12,} = {kept:,} + {rejected:,}  {name}"


def _rows(connection: duckdb.DuckDBPyConnection) -> dict[str, tuple[int, int, int]]:
    """Return rows read, kept and rejected of each table."""
    found = connection.execute(_SOURCE_ROWS).fetchall()
    return {str(name): (int(read), int(kept), int(lost)) for name, read, kept, lost in found}


def _rejected(connection: duckdb.DuckDBPyConnection) -> dict[str, int]:
    """Return rejected rows per file and kind of reason, the most frequent first.

    The rest is summed up.
    """
    kinds = _counts(connection, _REJECTED_KINDS)
    most_frequent = list(kinds.items())[:REASONS_SHOWN]
    shown = dict(most_frequent)
    rest = sum(kinds.values()) - sum(shown.values())
    if rest:
        further = len(kinds) - len(shown)
        shown[f"{further} further reasons"] = rest
    return shown


def _ungrounded(connection: duckdb.DuckDBPyConnection) -> tuple[UngroundedValue, ...]:
    """Return the values that the dictionary does not know or cannot decide.

    Denials and generic words are not missing from it.
    """
    rows = connection.execute(_UNGROUNDED, [UNGROUNDED_KEPT])
    return tuple(UngroundedValue(*row) for row in rows.fetchall())


_REJECTED_KINDS: Final = r"""
SELECT concat(parse_filename(source), ': ', regexp_replace(reason, '''[^'']*''', '…', 'g')) AS kind,
       sum(coalesce(try_cast(replace(regexp_extract(reason, '\(([0-9,]+) rows\)', 1), ',', '')
           AS BIGINT), 1))::BIGINT AS rows
FROM rejected GROUP BY kind ORDER BY rows DESC, kind
"""
_REPORTS: Final = "SELECT count(*), count(interpretation) FROM report"
_UNLINKED: Final = "SELECT key, value::BIGINT FROM build WHERE key = 'unlinked.run'"
_SOURCE_ROWS: Final = """
SELECT concat(source, ' (', format, ')'), rows_read, rows_kept, rows_rejected
FROM source_rows ORDER BY source, format
"""
_UNGROUNDED: Final = """
SELECT facet, outcome, text, runs FROM ungrounded
WHERE outcome IN ('ungrounded', 'ambiguous')
ORDER BY runs DESC, facet, text, outcome LIMIT $1
"""


def _values(values: tuple[UngroundedValue, ...]) -> str:
    lines = []
    for value in values:
        named = f"{value.facet}: {value.text} ({value.outcome})"
        lines.append(f"  {value.runs:>12,}  {named}")
    return "\n".join(lines)


def _counts(connection: duckdb.DuckDBPyConnection, query: str) -> dict[str, int]:
    rows = connection.execute(query)
    return dict(rows.fetchall())
