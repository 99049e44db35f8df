"""Ask questions of an index, judge the answers, and count them by author and by kind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

import duckdb

from query.evaluation.judging import ANSWERED, JudgedQuestion, judge
from query.evaluation.questions import Question

FLOORS: Final = {"canonical": 0.95}
"""Least share of right answers by author, below which ``--gate`` fails."""
Report = Callable[[int, int], None]
"""Called with how many questions are done, and of how many."""


@dataclass(frozen=True, slots=True)
class Figures:
    """How a group of questions was answered, counted in questions.

    ``answerable``  with a gold request: ``right``, ``partly``, ``wrong``, ``declined`` (refused or
                    answered by questions to choose from)
    ``unanswerable``  without one: ``declined_rightly`` of them were not answered
    """

    group: str
    answerable: int
    right: int
    partly: int
    wrong: int
    declined: int
    unanswerable: int
    declined_rightly: int

    @property
    def share_right(self) -> float:
        """Right answers / answerable questions; 1 where there are none."""
        return self.right / self.answerable if self.answerable else 1.0


def ask_all(
    con: duckdb.DuckDBPyConnection, questions: Sequence[Question], *, report: Report
) -> tuple[JudgedQuestion, ...]:
    """Return every question as it was read and judged; ``report`` is called with each."""
    judged = []
    for done, question in enumerate(questions, 1):
        judged.append(judge(con, question))
        report(done, len(questions))
    return tuple(judged)


def figures_of(group: str, judged: Sequence[JudgedQuestion]) -> Figures:
    """Return how the questions of one group were answered."""
    answerable = [entry for entry in judged if entry.question.requests]
    outcomes = Counter(entry.outcome for entry in answerable)
    unanswerable = [entry for entry in judged if not entry.question.requests]
    return Figures(
        group=group,
        answerable=len(answerable),
        right=outcomes["right"],
        partly=outcomes["partly"],
        wrong=outcomes["wrong"],
        declined=sum(n for outcome, n in outcomes.items() if outcome not in ANSWERED),
        unanswerable=len(unanswerable),
        declined_rightly=sum(entry.is_right for entry in unanswerable),
    )


def scorecard(judged: Sequence[JudgedQuestion], *, index: str) -> dict[str, Any]:
    """Return the figures by author and kind, the questions missed, and the floors missed."""
    by_author = _figures_by(judged, lambda entry: entry.question.author)
    gate = [
        f"{group.group}: {group.share_right:.1%} right, below {FLOORS[group.group]:.0%}"
        for group in by_author
        if group.share_right < FLOORS.get(group.group, 0)
    ]
    return {
        "index": index,
        "authors": list(map(_record, by_author)),
        "kinds": list(map(_record, _figures_by(judged, lambda entry: entry.question.kind))),
        "missed": [_missed(entry) for entry in judged if not entry.is_right],
        "gate": gate,
    }


def _figures_by(
    judged: Sequence[JudgedQuestion], group_of: Callable[[JudgedQuestion], str]
) -> list[Figures]:
    """Return the figures of each group of questions, sorted by its name."""
    names = sorted(set(map(group_of, judged)))
    return [
        figures_of(name, [entry for entry in judged if group_of(entry) == name]) for name in names
    ]


def scorecard_markdown(record: dict[str, Any]) -> str:
    """Return a scorecard as two tables, and the questions that were missed."""
    lines = [f"# Scorecard of {record['index']}", ""]
    for title, rows in (("Author", record["authors"]), ("Kind", record["kinds"])):
        lines += [
            f"| {title} | answerable | right | partly | wrong | declined "
            "| unanswerable | declined rightly |",
            "|---|---:|---:|---:|---:|---:|---:|---:|",
            *(_row(row) for row in rows),
            "",
        ]
    lines += [
        f"- {entry['outcome']}: {entry['question']} → {entry['read_as']}"
        for entry in record["missed"]
    ]
    return "\n".join(lines).rstrip() + "\n"


def _record(figures: Figures) -> dict[str, Any]:
    return {**asdict(figures), "share_right": round(figures.share_right, 4)}


def _missed(judged: JudgedQuestion) -> dict[str, str]:
    reading = judged.reading
    return {
        "question": judged.question.text,
        "outcome": judged.outcome,
        "read_as": reading.read_as or reading.refusal or "not read",
    }


def _row(row: dict[str, Any]) -> str:
    share = f"{row['right']} ({row['share_right']:.0%})"
    cells = (row["group"], row["answerable"], share, row["partly"], row["wrong"],
             row["declined"], row["unanswerable"], row["declined_rightly"])  # fmt: skip
    return f"| {' | '.join(str(cell) for cell in cells)} |"
