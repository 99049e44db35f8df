"""What becomes of judged sentences of a model: counted, interpretation, or not printed at all.

    python -m benchmarks.sentences FOLDER --db data/index/demo.duckdb

FOLDER holds ``evidence.jsonl``, sets of statements that a model was shown, and ``sentences.tsv``
with the columns evidence, label and text. "As counted" are sentences that are found to restate
statements, which are then printed in their place; "as interpretation" those printed themselves.
"""

from __future__ import annotations

import argparse
import csv
import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import duckdb

from index.checking.evidence import ShownEvidence
from index.checking.interpretation import judge
from index.checking.names import IndexNames
from index.store.build import open_index

LABELS = ("true", "false", "background")
FATES = ("as counted", "as interpretation", "not at all")


def read_judged(folder: Path) -> list[dict[str, str]]:
    """Return the judged sentences of ``folder``."""
    with (folder / "sentences.tsv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def read_evidence(folder: Path, con: duckdb.DuckDBPyConnection) -> dict[str, ShownEvidence]:
    """Return what the sentences are about, with the names of the index of ``con``."""
    names = IndexNames(con)
    lines = (folder / "evidence.jsonl").read_text(encoding="utf-8").splitlines()
    sets = [json.loads(line) for line in lines]
    return {one["id"]: ShownEvidence(one["lines"], names) for one in sets}


def fates(folder: Path, evidence: Mapping[str, ShownEvidence]) -> Counter[tuple[str, str]]:
    """Return how many sentences of each label in ``folder`` meet each fate."""
    counts: Counter[tuple[str, str]] = Counter()
    for row in read_judged(folder):
        judged = judge(row["text"], evidence[row["evidence"]])
        own = FATES[1] if judged.printed else FATES[2]
        counts[row["label"], FATES[0] if judged.restated else own] += 1
    return counts


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
    with open_index(arguments.db) as con:
        print(table(fates(arguments.folder, read_evidence(arguments.folder, con))))


if __name__ == "__main__":
    main()
