"""Questions about what was planted in the synthetic sample: the table of truths is the gold.

The counts of the table are what the maker of the sample meant; they are not read from the index.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from pathlib import Path

from query.evaluation.conditions import parse_conditions
from query.evaluation.questions import Asked, GoldQuestion


def planted_questions(path: Path) -> tuple[GoldQuestion, ...]:
    """Return questions whose answers the table of planted truths at ``path`` gives.

    Associations of a family, what a project holds, and runs of a country of today.
    """
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    made = {one.text: one for one in (*_associations(rows), *_projects(rows), *_places(rows))}
    return tuple(made.values())


def _associations(rows: list[dict[str, str]]) -> Iterator[GoldQuestion]:
    """Yield what goes with each family: any of the values that raise or lower it."""
    values: dict[str, list[str]] = {}
    for row in _of(rows, "association"):
        values.setdefault(row["family"], []).extend((row["value"], row["other_value"]))
    for number, (family, names) in enumerate(values.items()):
        find = parse_conditions(f"family:{family}")
        asked = Asked("effects", find=find, planted_names=tuple(dict.fromkeys(names)))
        text = f"Which sample attributes go with {family}?"
        yield GoldQuestion(f"pa{number}", "association", text, ("associate",), asked)


def _projects(rows: list[dict[str, str]]) -> Iterator[GoldQuestion]:
    """Yield what each project holds: the family that was raised in it."""
    kinds = ("identify", "list", "describe")
    for number, row in enumerate(_of(rows, "association")):
        asked = Asked("holds", planted_names=(row["family"],))
        text = f"Which virus families does {row['bioproject']} hold?"
        yield GoldQuestion(f"pp{number}", "project", text, kinds, asked)


def _places(rows: list[dict[str, str]]) -> Iterator[GoldQuestion]:
    """Yield the runs of places that have another name today."""
    for number, row in enumerate(_of(rows, "former place")):
        place = row["other_value"]
        among = parse_conditions(f"place:{place}")
        asked = Asked("runs", among=among, planted_runs=int(row["samples_true"]))
        text = f"How many runs come from {place}?"
        yield GoldQuestion(f"pl{number}", "former place", text, ("count",), asked)


def _of(rows: list[dict[str, str]], planted: str) -> list[Mapping[str, str]]:
    return [row for row in rows if row["planted"] == planted]
