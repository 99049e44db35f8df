"""Score an agent on questions whose answers are SQL: with the index at hand, and without.

    python -m benchmarks.agents --db data/index/virome.duckdb --agent "python my_agent.py"
    python -m benchmarks.agents --db data/index/virome.duckdb --agent "python my_agent.py" --without
    python -m benchmarks.agents --db data/index/virome.duckdb --agent reader

The agent is any program. It gets one JSON object on stdin, ``{"question": …, "index": PATH}``
(``null`` with ``--without``), and prints one: ``{"answer": 6597}``,
``{"answer": ["Flaviviridae"]}`` or ``{"refuse": "why"}``. ``reader`` is the reader of questions of
this project, without a model; ``python -m benchmarks.model_agent`` asks the model that the
environment configures.

An answer is right if it equals what one of the SQL golds gives on this index: numbers to a relative
1e-3, lists in any order and case. A question without golds is right if it is refused.
"""

from __future__ import annotations

import argparse
import json
import shlex
import subprocess
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import isclose
from pathlib import Path
from typing import Any, Final

import duckdb

from index.store.build import open_index
from query.compiler import Result, run
from query.errors import QueryError
from query.reading import read

QUESTIONS: Final = Path(__file__).parent / "questions" / "questions.jsonl"
TIMEOUT_S: Final = 300
Answer = float | str | frozenset[str] | None
"""A number, a word, a list of names; None where the question is refused."""
Agent = Callable[[str], Answer]


@dataclass(frozen=True, slots=True)
class GoldQuestion:
    """A question with the SELECTs whose results are right; without any, it cannot be answered."""

    text: str
    kind: str
    golds: tuple[str, ...] = ()


def read_gold_questions(path: Path) -> tuple[GoldQuestion, ...]:
    """Return the questions of a file of JSON lines."""
    records = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    return tuple(
        GoldQuestion(record["question"], record["kind"], tuple(record.get("golds", ())))
        for record in records
    )


def gold_answers(con: duckdb.DuckDBPyConnection, question: GoldQuestion) -> list[Answer]:
    """Return the answers that are right on this index."""
    return [
        _as_answer([row[0] for row in con.execute(sql).fetchall()], is_list=question.kind == "list")
        for sql in question.golds
    ]


def is_right(answer: Answer, golds: Sequence[Answer]) -> bool:
    """Return whether ``answer`` is one of ``golds``; without golds, whether it was refused."""
    if not golds:
        return answer is None
    return any(_is_same(answer, gold) for gold in golds)


def outcome_of(answer: Answer, golds: Sequence[Answer]) -> str:
    """Return right, wrong, refused wrongly or answered wrongly."""
    if is_right(answer, golds):
        return "right"
    if answer is None:
        return "refused wrongly"
    return "wrong" if golds else "answered wrongly"


def program(command: str, index: Path | None) -> Agent:
    """Return the agent that starts ``command`` for each question."""

    def ask(question: str) -> Answer:
        given = json.dumps({"question": question, "index": str(index) if index else None})
        done = subprocess.run(
            shlex.split(command),
            input=given,
            capture_output=True,
            text=True,
            timeout=TIMEOUT_S,
            check=True,
        )
        return answer_of(json.loads(done.stdout))

    return ask


def reader(con: duckdb.DuckDBPyConnection) -> Agent:
    """Return the reader of questions of this project as an agent."""

    def ask(question: str) -> Answer:
        try:
            requests = read(con, question).requests
            return _of_result(run(con, requests[0])) if requests else None
        except QueryError:
            return None

    return ask


def answer_of(record: dict[str, Any]) -> Answer:
    """Return the answer that an agent printed."""
    if "refuse" in record:
        return None
    given = record["answer"]
    return _as_answer(given, is_list=True) if isinstance(given, list) else _as_answer([given])


def _of_result(result: Result) -> Answer:
    """Return the number of a result, else its first column; of one row, that value."""
    if result.number is not None:
        return float(result.number)
    first = [row[0] for row in result.rows]
    return _as_answer(first, is_list=len(first) != 1)


def _as_answer(values: Sequence[object], *, is_list: bool = False) -> Answer:
    if is_list:
        return frozenset(str(value).lower() for value in values)
    (value,) = values or (None,)
    if isinstance(value, int | float):
        return float(value)
    return None if value is None else str(value).lower()


def _is_same(answer: Answer, gold: Answer) -> bool:
    if isinstance(answer, float) and isinstance(gold, float):
        return isclose(answer, gold, rel_tol=1e-3)
    if isinstance(gold, frozenset) and isinstance(answer, str):
        return gold == {answer}
    return answer == gold


def main() -> None:
    """Ask every question and print how many were answered right."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--db", type=Path, required=True, help="index that gives the right answers")
    parser.add_argument("--agent", required=True, help="reader, or a command")
    parser.add_argument("--without", action="store_true", help="do not tell the agent the index")
    parser.add_argument("--questions", type=Path, default=QUESTIONS)
    options = parser.parse_args()
    questions = read_gold_questions(options.questions)
    outcomes: Counter[tuple[str, str]] = Counter()
    with open_index(options.db) as con:
        index = None if options.without else options.db
        ask = reader(con) if options.agent == "reader" else program(options.agent, index)
        for question in questions:
            answer = ask(question.text)
            outcome = outcome_of(answer, gold_answers(con, question))
            outcomes["answerable" if question.golds else "unanswerable", outcome] += 1
            print(f"{outcome:<17} {question.text}", flush=True)
    print()
    for (group, outcome), count in sorted(outcomes.items()):
        print(f"{group:<13} {outcome:<17} {count:>3}")


if __name__ == "__main__":
    main()
