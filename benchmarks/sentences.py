"""What becomes of judged sentences of a model: counted, interpretation, or not printed at all.

    python -m benchmarks.sentences FOLDER --db data/index/demo.duckdb

FOLDER holds ``sentences.tsv`` with the columns label and text. Each sentence is given as what a
model wrote of a report and of an answer. No way leads from there to a counted sentence: those are
rendered from claims. So "as counted" counts sentences that equal one that the program says itself.
"""

from __future__ import annotations

import argparse
import csv
from collections import Counter
from pathlib import Path

import duckdb

from index.checking.interpretation import interpretation_of
from index.checking.names import IndexNames
from index.checking.sentences import split_sentences
from index.store.build import open_index

LABELS = ("true", "false", "background")
FATES = ("as counted", "as interpretation", "not at all")


def fates(con: duckdb.DuckDBPyConnection, rows: list[dict[str, str]]) -> Counter[tuple[str, str]]:
    """Return how many sentences of each label meet each fate."""
    names, said = IndexNames(con), counted_sentences(con)
    counts: Counter[tuple[str, str]] = Counter()
    for row in rows:
        if row["text"] in said:
            fate = "as counted"
        elif interpretation_of([row["text"]], names).sentences:
            fate = "as interpretation"
        else:
            fate = "not at all"
        counts[row["label"], fate] += 1
    return counts


def counted_sentences(con: duckdb.DuckDBPyConnection) -> set[str]:
    """Return the sentences that the reports of the index say of their own."""
    texts = con.execute(
        "SELECT summary FROM report UNION SELECT summary FROM finding "
        "UNION SELECT explanation FROM finding"
    )
    return {part for (text,) in texts.fetchall() if text for part in split_sentences(text)}


def table(counts: Counter[tuple[str, str]]) -> str:
    """Return the counts as a table of Markdown.

    >>> print(table(Counter({("false", "not at all"): 2})).splitlines()[3])
    | false | 2 | 0 | 0 | 2 |
    """
    lines = [f"| label | sentences | {' | '.join(FATES)} |", "|---|---|---|---|---|"]
    for label in LABELS:
        numbers = [counts[label, fate] for fate in FATES]
        lines.append(f"| {label} | {sum(numbers)} | {' | '.join(map(str, numbers))} |")
    return "\n".join(lines)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--db", type=Path, required=True)
    arguments = parser.parse_args()
    with (arguments.folder / "sentences.tsv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    with open_index(arguments.db) as con:
        print(table(fates(con, rows)))


if __name__ == "__main__":
    main()
