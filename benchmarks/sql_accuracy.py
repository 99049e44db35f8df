"""Execution accuracy of ``query sql`` on gold questions: ``python -m benchmarks.sql_accuracy``.

Each gold question has SQL written by hand, independent of the compiler. A question is right when
the rows of its answer hold those of the gold SQL (``query.sql_search.equal``).

examples:
  python -m benchmarks.sql_accuracy --db data/index/demo.duckdb             # without a model
  python -m benchmarks.sql_accuracy --db data/index/demo.duckdb --staged --kind schema --limit 10
  python -m benchmarks.sql_accuracy --db data/index/virome.duckdb --index real
"""

from __future__ import annotations

import argparse
import csv
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from index.store.read import open_index
from ontology_etl.errors import ViromeError
from query.answer import Usage
from query.config import QueryConfig, model_choice
from query.mode import Asking
from query.reading.question import read_question
from query.sql_search.equal import Rows, same_result
from query.sql_search.running import SqlLimits, run_select
from query.sql_search.search import answer_in_sql, draft_without_model

GOLD: Final = Path(__file__).parents[1] / "tests" / "gold" / "sql.tsv"


@dataclass(frozen=True, slots=True)
class GoldQuery:
    """A question, the kind of it, and the SQL whose rows answer it."""

    kind: str
    question: str
    sql: str


@dataclass(frozen=True, slots=True)
class GoldOutcome:
    """What became of a gold question."""

    gold: GoldQuery
    right: bool
    seconds: float
    why: str = ""
    usage: Usage | None = None


def read_gold(index: str, *, kind: str | None = None) -> list[GoldQuery]:
    """Return the gold questions over ``index`` (sample or real), of one ``kind`` or all."""
    with GOLD.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    of_index = [GoldQuery(row["kind"], row["question"], row["sql"])
                for row in rows if row["index"] == index]  # fmt: skip
    return [one for one in of_index if kind in (None, one.kind)]


def ask_all(asking: Asking, gold: Sequence[GoldQuery], *, by_model: bool) -> list[GoldOutcome]:
    """Return the outcome of each of ``gold``, with ``asking`` as the index and the model."""
    outcomes = []
    for one in gold:
        outcome = ask_one(asking, one, by_model=by_model)
        mark = "right" if outcome.right else f"WRONG {outcome.why}"
        cost = f"{outcome.seconds:6.1f} s {tokens_of([outcome]):6,} tokens"
        print(f"{cost}  {one.kind:9} {one.question}  {mark}", flush=True)
        outcomes.append(outcome)
    return outcomes


def ask_one(asking: Asking, gold: GoldQuery, *, by_model: bool) -> GoldOutcome:
    """Return the outcome of one gold question."""
    started = time.perf_counter()
    wanted = run_select(asking.con, gold.sql, limits=SqlLimits()).rows
    usage = None
    try:
        if by_model:
            asked = Asking(gold.question, asking.con, asking.db, asking.config, asking.choice)
            result = answer_in_sql(asked, by_model=True)
            rows, usage = result.selected.rows, result.draft.usage
        else:
            rows = rows_from_reading(asking, gold.question)
    except ViromeError as error:
        return GoldOutcome(gold, False, time.perf_counter() - started, error.message[:120])
    right = same_result(wanted, rows)
    why = "" if right else f"wanted {wanted[:2]}, got {rows[:2]}"
    return GoldOutcome(gold, right, time.perf_counter() - started, why, usage)


def rows_from_reading(asking: Asking, text: str) -> Rows:
    """Return the rows of the SQL compiled from ``text``; raises ``QueryError``."""
    draft = draft_without_model(asking, read_question(asking.con, text))
    return run_select(asking.con, draft.sql, limits=SqlLimits()).rows


def table_of(outcomes: Sequence[GoldOutcome]) -> str:
    """Return right answers by kind as a Markdown table."""
    kinds = list(dict.fromkeys(one.gold.kind for one in outcomes))
    lines = ["| kind | questions | right | accuracy |", "|---|---|---|---|"]
    groups = [(kind, [one for one in outcomes if one.gold.kind == kind]) for kind in kinds]
    for kind, of_kind in [*groups, ("all", list(outcomes))]:
        right = sum(one.right for one in of_kind)
        lines.append(f"| {kind} | {len(of_kind)} | {right} | {right / len(of_kind):.2f} |")
    return "\n".join(lines)


def tokens_of(outcomes: Sequence[GoldOutcome]) -> int:
    """Return the tokens of the answers that were given; a refused one says none."""
    spent = [one.usage for one in outcomes if one.usage is not None]
    return sum(usage.prompt_tokens + usage.completion_tokens for usage in spent)


def main() -> int:
    """Ask the gold questions and print the table; return 0."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--db", type=Path, required=True, help="index to ask")
    parser.add_argument("--index", choices=("sample", "real"), default="sample")
    parser.add_argument("--kind", help="questions of this kind only")
    parser.add_argument("--limit", type=int, help="the first questions only")
    parser.add_argument("--skip", type=int, default=0, help="the first questions left out")
    parser.add_argument("--every", type=int, default=1, help="every n-th question only")
    parser.add_argument("--staged", action="store_true", help="the model writes the SQL")
    options = parser.parse_args()
    gold = read_gold(options.index, kind=options.kind)[options.skip :: options.every]
    asked = gold[: options.limit]
    with open_index(options.db) as con:
        choice = model_choice() if options.staged else None
        asking = Asking("", con, options.db, QueryConfig(), choice)
        outcomes = ask_all(asking, asked, by_model=options.staged)
    print(table_of(outcomes))
    seconds = sum(one.seconds for one in outcomes)
    print(f"{seconds:.0f} s, {tokens_of(outcomes):,} tokens of answers given")
    return 0


if __name__ == "__main__":
    sys.exit(main())
