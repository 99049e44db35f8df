"""Turn what people asked and picked into training data for the reader.

    python -m query.reading.learn --db INDEX >> query/reading/data/wordings.jsonl

The journal of an index has each question with the requests that were answered, including
those that a person picked. The questions are printed with their names masked, so that no name is
learnt and none leaves the machine; ``python -m query.reading.tune`` tunes anew.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import duckdb

from index.store.read import open_index
from query.errors import QueryError
from query.journal import journal_path
from query.reading.canonical import read_canonical
from query.reading.masking import masked, masked_request
from query.reading.names import find_names
from query.reading.tokens import tokens_of
from query.reading.tuned import BETWEEN
from query.reading.wordings import TrainingPair
from query.request import from_json, say, to_json


def main() -> None:
    """Print the wordings in the journal of an index, a JSON object a line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--db", type=Path, required=True, help="the index whose journal is read")
    arguments = parser.parse_args()
    with open_index(arguments.db) as con:
        for wording in wordings_of(con, journal_path(arguments.db)):
            print(json.dumps(asdict(wording), ensure_ascii=False))


def wordings_of(con: duckdb.DuckDBPyConnection, journal: Path) -> Iterator[TrainingPair]:
    """Yield the questions of ``journal`` whose requests use the names in them, each once."""
    lines = journal.read_text(encoding="utf-8").splitlines() if journal.is_file() else []
    seen: set[str] = set()
    for line in lines:
        wording = _wording(con, json.loads(line))
        if wording is not None and wording.question not in seen:
            seen.add(wording.question)
            yield wording


def _wording(con: duckdb.DuckDBPyConnection, asked: dict[str, Any]) -> TrainingPair | None:
    """Return a line of the journal as a wording; None where it teaches nothing."""
    text = asked["question"]
    if not asked.get("requests") or read_canonical(text) is not None:
        return None
    tokens = tokens_of(text)
    shown = masked(text, tokens, find_names(con, tokens))
    try:
        masks = [masked_request(from_json(record), shown.names) for record in asked["requests"]]
    except QueryError:
        return None
    requests = [request for request in masks if request is not None]
    if len(requests) < len(masks):
        return None
    values = [value for request in requests for value in _values(to_json(request))]
    if any(value.lower() not in shown.text.lower() for value in values):
        return None
    said = BETWEEN.join(say(request) for request in requests)
    return TrainingPair(shown.text, said, "journal")


def _values(part: Any) -> Iterator[str]:
    """Yield the names and values in a part of a request in JSON."""
    if isinstance(part, dict):
        for key, inner in part.items():
            if key in ("values", "virus", "other_than") and isinstance(inner, list):
                yield from inner
            else:
                yield from _values(inner)
    if isinstance(part, list):
        for inner in part:
            yield from _values(inner)


if __name__ == "__main__":
    main()
