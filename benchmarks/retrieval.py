"""Questions answered by requests, and by the five nearest reports, as vector retrieval would.

    python -m benchmarks.retrieval --db data/index/demo.duckdb
    python -m benchmarks.retrieval --db data/index/virome.duckdb --record

Asked are the packaged questions where the index holds public runs, else ones made from it. Ours is
right where the result is that of the gold request. Retrieval is given the benefit of the doubt: it
is right where every number and the first row of the gold result stand somewhere in the text of the
five reports whose vectors are nearest. No model words either.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from pathlib import Path
from typing import Any, Final

import duckdb
import numpy as np

from benchmarks.places import add_record_option, results_folder
from index.models.embeddings import Vectors, embed
from index.store.read import open_index
from query.browsing.communities import read_report, report_text
from query.compiler import Result, run
from query.evaluation.judging import judge
from query.evaluation.questions import Question, choose_questions
from query.request.plainly import plainly

NEAREST: Final = 5
SEED: Final = 3


def main() -> None:
    """Ask both ways and keep the figures."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--db", type=Path, default=Path("data/index/demo.duckdb"))
    parser.add_argument("--most", type=int, default=40, help="questions asked (default: 40)")
    add_record_option(parser)
    options = parser.parse_args()
    with open_index(options.db) as con:
        figures = compared(con, most=options.most)
    text = json.dumps(figures, indent=2)
    (results_folder(record=options.record) / "retrieval.json").write_text(text + "\n")
    print(text)


def compared(con: duckdb.DuckDBPyConnection, *, most: int) -> dict[str, Any]:
    """Return what each way got right and took, in CPU seconds of the median question."""
    chosen = choose_questions(con, None, generated=most, seed=SEED)
    questions = [question for question in chosen if question.requests][:most]
    communities, vectors = _vectors(con)
    judge(con, questions[0])
    embed([questions[0].text])
    right = {"ours": 0, "retrieval": 0}
    seconds: dict[str, list[float]] = {"ours": [], "retrieval": []}
    for question in questions:
        began = time.process_time()
        right["ours"] += judge(con, question).is_right
        between = time.process_time()
        texts = _nearest(con, question.text, communities, vectors)
        seconds["ours"].append(between - began)
        seconds["retrieval"].append(time.process_time() - between)
        right["retrieval"] += _holds(con, question, "\n".join(texts))
    taken = {name: round(statistics.median(listed), 3) for name, listed in seconds.items()}
    return {"questions": len(questions), "right": right, "cpu_s": taken}


def _vectors(con: duckdb.DuckDBPyConnection) -> tuple[list[str], Vectors]:
    rows = con.execute(
        "SELECT id, vector FROM embedding WHERE kind = 'report' ORDER BY id"
    ).fetchall()
    return [name for name, _ in rows], np.array([vector for _, vector in rows], np.float32)


def _nearest(
    con: duckdb.DuckDBPyConnection, text: str, communities: list[str], vectors: Vectors
) -> list[str]:
    cosines = vectors @ embed([text])[0]
    best = np.argsort(-cosines)[:NEAREST]
    return [report_text(read_report(con, communities[place])) for place in best]


def _holds(con: duckdb.DuckDBPyConnection, question: Question, text: str) -> bool:
    """Return whether what the gold requests result in stands in ``text``."""
    wanted = [part for gold in question.requests for part in _said(run(con, plainly(gold)))]
    return bool(wanted) and all(part in text for part in wanted)


def _said(result: Result) -> list[str]:
    """Return the number of a result and the first cell of its rows, as reports write them."""
    number = [] if result.number is None else [f"{result.number:,.12g}"]
    rows = [str(row[0]) for row in result.rows[:1]]
    return [*number, *rows]


if __name__ == "__main__":
    main()
