"""How long questions take, warm and from a cold start: answers that ask no model.

    python -m benchmarks.asking --db data/index/virome.duckdb --record

Questions of every kind are made from the index (``query.evaluation``), and one with an unknown
word. Warm: asked on an open connection after the first. Cold:
``query global`` as a process of its own, with start-up: each question once with ``--no-llm``, and
the first as it is typed: the embedded model is too small to be asked, and must not cost time
either. On a busy machine wall seconds grow, so CPU seconds are beside them.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import duckdb

from benchmarks.places import add_record_option, results_folder
from index.store.read import open_index
from query.config import QueryConfig
from query.errors import QueryError
from query.evaluation.questions import generated_questions
from query.global_search.answering import answer_globally
from query.mode import Asking

SEED: Final = 3
UNKNOWN: Final = "Which viruses do gruffalos carry?"
COLD_TRIES: Final = 3
COLUMNS: Final = ("unknown", "cold", "cold_p90", "cold_as_typed")
"""Figures with CPU seconds, and wall seconds in brackets."""
HEAD: Final = """# Seconds a question takes

`python -m benchmarks.asking --db INDEX --record`, no model asked, {cores} cores, load of the \
machine {load:.0f} when it began.

| index | questions | warm, CPU s: median | slowest tenth | warm, wall s: median | unknown word, \
CPU s (wall) | cold with start-up, `--no-llm`, CPU s (wall): median | slowest tenth | cold, as \
typed, CPU s (wall) |
|---|---:|---:|---:|---:|---:|---:|---:|---:|
"""


class Taken(NamedTuple):
    """Seconds that something took."""

    cpu: float
    wall: float


def main() -> None:
    """Ask, print the table, and keep the figures of this index beside those of others."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--db", type=Path, required=True, help="index to ask")
    parser.add_argument("--most", type=int, default=30, help="questions asked (default: 30)")
    add_record_option(parser)
    options = parser.parse_args()
    file = results_folder(record=options.record) / "asking.json"
    before = json.loads(file.read_text()) if file.exists() else {}
    measured = measure(options.db, most=options.most)
    figures = before | {f"{measured['runs']:,} runs": measured}
    file.write_text(json.dumps(figures, indent=2) + "\n")
    table = as_table(figures)
    file.with_suffix(".md").write_text(table)
    print(table)


def measure(db: Path, *, most: int) -> dict[str, Any]:
    """Return the figures of the index at ``db``, asked at most ``most`` questions."""
    load, _, _ = os.getloadavg()
    with open_index(db) as con:
        runs = con.execute("SELECT count(*) FROM run").fetchall()[0][0]
        made = generated_questions(con, number=most, seed=SEED)
        texts = [question.text for question in made]
        _ask(con, db, texts[0])
        warm = [timed(lambda text=text: _ask(con, db, text)) for text in texts]
        unknown = timed(lambda: _ask(con, db, UNKNOWN))
    cold = [cold_start(db, text, "--no-llm") for text in texts]
    as_typed = [cold_start(db, texts[0]) for _ in range(COLD_TRIES)]
    return {
        "runs": runs,
        "load": round(load, 1),
        "questions": len(warm),
        "warm_cpu": round(median_of(warm).cpu, 2),
        "warm_cpu_p90": round(slowest_tenth_of(warm).cpu, 2),
        "warm_wall": round(median_of(warm).wall, 2),
        "unknown": rounded(unknown),
        "cold": rounded(median_of(cold)),
        "cold_p90": rounded(slowest_tenth_of(cold)),
        "cold_as_typed": rounded(min(as_typed)),
    }


def _ask(con: duckdb.DuckDBPyConnection, db: Path, text: str) -> None:
    try:
        answer_globally(Asking(text, con.cursor(), db, QueryConfig()))
    except QueryError:
        return  # a refusal is an answer, too


def timed(work: Callable[[], None]) -> Taken:
    """Return what ``work`` takes in this process."""
    cpu, wall = time.process_time(), time.perf_counter()
    work()
    return Taken(time.process_time() - cpu, time.perf_counter() - wall)


def cold_start(db: Path, text: str, *options: str) -> Taken:
    """Return what ``query global`` takes as a process of its own, with start-up."""
    command = [sys.executable, "-m", "query", "global", text, "--db", str(db), *options]
    before, wall = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(
        [*command, "--no-journal"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=False,
    )
    taken = time.perf_counter() - wall
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Taken(cpu, taken)


def median_of(taken: Sequence[Taken]) -> Taken:
    """Return the median of each kind of seconds."""
    return Taken(*(statistics.median(kind) for kind in zip(*taken, strict=True)))


def slowest_tenth_of(taken: Sequence[Taken]) -> Taken:
    """Return the seconds that nine in ten take at most, of each kind."""
    return Taken(*(statistics.quantiles(kind, n=10)[-1] for kind in zip(*taken, strict=True)))


def rounded(taken: Taken) -> list[float]:
    """Return seconds as the file keeps them."""
    return [round(one, 2) for one in taken]


def as_table(figures: dict[str, Any]) -> str:
    """Return the figures of every index as a page of Markdown."""
    lines = []
    for name, one in sorted(figures.items(), key=lambda item: item[1]["runs"]):
        cells = (_cell(one.get(kind)) for kind in COLUMNS)
        warm = f"{one['warm_cpu']} | {one['warm_cpu_p90']} | {one['warm_wall']}"
        lines.append(f"| {name} | {one['questions']} | {warm} | {' | '.join(cells)} |")
    load = max(one["load"] for one in figures.values())
    return HEAD.format(cores=os.cpu_count(), load=load) + "\n".join(lines) + "\n"


def _cell(seconds: Sequence[float] | None) -> str:
    """Return CPU seconds and wall seconds; what an earlier version did not measure is left open."""
    if seconds is None:
        return "not measured"
    return "{} ({})".format(*seconds)


if __name__ == "__main__":
    main()
