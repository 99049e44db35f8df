"""Questions about what was planted in the synthetic sample: the table of truths is the gold.

The counts of the table are what the maker of the sample meant; they are not read from the index.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from query.evaluation.conditions import parse_conditions
from query.evaluation.questions import Asked, GoldQuestion, read_cells


def planted_questions(path: Path) -> tuple[GoldQuestion, ...]:
    """Return questions whose answers the table of planted truths at ``path`` gives.

    Associations of a family, what a project holds, and runs of a country of today.
    """
    rows = read_cells(path)
    made: dict[str, GoldQuestion] = {}
    for maker in (_associations, _projects, _places):
        for question in maker(rows):
            made[question.text] = question
    return tuple(made.values())


def _associations(rows: list[dict[str, str]]) -> Iterator[GoldQuestion]:
    """Yield what goes with each family: any of the values that raise or lower it."""
    values: dict[str, dict[str, None]] = {}
    for row in _of(rows, "association"):
        of_family = values.setdefault(row["family"], {})
        of_family[row["value"]] = None
        of_family[row["other_value"]] = None
    for number, (family, names) in enumerate(values.items()):
        find = parse_conditions(f"family:{family}")
        asked = Asked("effects", find=find, planted_names=tuple(names))
        text = f"Which sample attributes go with {family}?"
        yield GoldQuestion(f"pa{number}", "association", text, ("associate",), asked)


def _projects(rows: list[dict[str, str]]) -> Iterator[GoldQuestion]:
    """Yield what each project holds: the family that was raised in it."""
    kinds = ("identify", "list", "describe")
    for number, row in enumerate(_of(rows, "association")):
        family, bioproject = row["family"], row["bioproject"]
        asked = Asked("holds", planted_names=(family,))
        text = f"Which virus families does {bioproject} hold?"
        yield GoldQuestion(f"pp{number}", "project", text, kinds, asked)


def _places(rows: list[dict[str, str]]) -> Iterator[GoldQuestion]:
    """Yield the runs of places that have another name today."""
    for number, row in enumerate(_of(rows, "former place")):
        place = row["other_value"]
        runs = int(row["samples_true"])
        among = parse_conditions(f"place:{place}")
        asked = Asked("runs", among=among, planted_runs=runs)
        text = f"How many runs come from {place}?"
        yield GoldQuestion(f"pl{number}", "former place", text, ("count",), asked)


def _of(rows: list[dict[str, str]], planted: str) -> Iterator[dict[str, str]]:
    for row in rows:
        if row["planted"] == planted:
            yield row
