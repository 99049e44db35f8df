"""Questions with what they ask for, stated as conditions on runs; the gold follows from an index.

``hand_written.tsv`` holds questions as people type them, about the real index. Its columns:

``half``     open (to work with), spent (set apart once, its figure stated, now to work with) or
             apart (looked at for a final figure only)
``theme``    what makes the question hard: abbreviation, slip, negation, comparison, …
``kind``     the kind of answer; several that would do are joined by ``|``
``asks``     which gold: see ``Asks``
``find``     the virus looked for, ``among``, ``without``, ``against``: conditions on runs
``facet``    whose values are listed or counted; ``limit`` how many of them
"""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, cast, get_args

from ontology_etl.errors import MalformedRowError
from query.evaluation.conditions import Conditions, parse_conditions

Half = Literal["open", "spent", "apart"]
Asks = Literal[
    "found",  # in how many searched runs the virus is: yes or no, a count, a share
    "runs",  # how many runs there are
    "distinct",  # how many values of the facet there are
    "values",  # the values of the facet with most runs
    "fewest",  # the values of the facet with fewest runs
    "shares",  # the values of the facet of whose searched runs the largest part has the virus
    "sides",  # two groups compared
    "common",  # values of the facet that runs of both groups have
    "unexpected",  # viruses that are not expected in the host
    "holds",  # what an accession holds
    "effects",  # associations of a family that hold
    "none",  # the index holds no such thing, and the answer says so
    "propose",  # a word is misspelt: the name that it may mean is proposed
    "refuse",  # the index cannot know
]
HAND_WRITTEN: Final = Path(__file__).parent / "hand_written.tsv"
_COLUMNS: Final = (
    "id", "half", "theme", "kind", "asks", "find", "among", "without", "against", "facet", "limit",
    "question",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Asked:
    """What a question asks for, stated apart from its words.

    ``planted_names`` and ``planted_runs`` are true by the making of the data, and need no count.
    """

    asks: Asks
    find: Conditions = ()
    among: Conditions = ()
    without: Conditions = ()
    against: Conditions = ()
    facets: tuple[str, ...] = ()
    limit: int | None = None
    planted_names: tuple[str, ...] = ()
    planted_runs: int | None = None


@dataclass(frozen=True, slots=True)
class GoldQuestion:
    """A question in words, the kinds of answer that would do, and what it asks for."""

    id: str
    theme: str
    text: str
    kinds: tuple[str, ...]
    asked: Asked
    half: Half = "open"

    @property
    def to_be_refused(self) -> bool:
        """True where no answer is right: the index cannot know."""
        return self.asked.asks == "refuse"


def read_questions(path: Path = HAND_WRITTEN) -> tuple[GoldQuestion, ...]:
    """Return the questions of the table at ``path``, in its order.

    Raises:
        MalformedRowError: a row has another number of cells, or a cell that means nothing.
    """
    questions = []
    for number, row in enumerate(read_cells(path), 2):
        questions.append(_checked(row, path, number))
    return tuple(questions)


def read_cells(path: Path) -> list[dict[str, str]]:
    """Return the rows of the tab-separated table at ``path``, by the names of its header."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        return list(rows)


def asked_of(row: Mapping[str, str]) -> Asked:
    """Return what ``row`` asks for. Raises ``ValueError`` for a cell that means nothing."""
    asks = row["asks"]
    if asks not in get_args(Asks):
        known = ", ".join(get_args(Asks))
        raise ValueError(f"asks {asks!r} is not one of {known}")
    facets, limit = row["facet"], row["limit"]
    return Asked(
        asks=cast(Asks, asks),
        find=parse_conditions(row["find"]),
        among=parse_conditions(row["among"]),
        without=parse_conditions(row["without"]),
        against=parse_conditions(row["against"]),
        facets=tuple(facets.split(",")) if facets else (),
        limit=int(limit) if limit else None,
    )


def _checked(row: Mapping[str, str], path: Path, number: int) -> GoldQuestion:
    try:
        return _question(row)
    except (KeyError, TypeError, AttributeError) as error:
        raise _malformed(path, number, f"columns are not {', '.join(_COLUMNS)}") from error
    except ValueError as error:
        raise _malformed(path, number, str(error)) from error


def _malformed(path: Path, number: int, reason: str) -> MalformedRowError:
    remedy = "mend the row: docs/evaluation.md"
    return MalformedRowError(path, reason, row=number, remedy=remedy)


def _question(row: Mapping[str, str]) -> GoldQuestion:
    half = row["half"]
    if half not in get_args(Half):
        known = ", ".join(get_args(Half))
        raise ValueError(f"half {half!r} is not one of {known}")
    kinds = row["kind"].split("|")
    return GoldQuestion(
        id=row["id"],
        theme=row["theme"],
        text=row["question"],
        kinds=tuple(kinds),
        asked=asked_of(row),
        half=cast(Half, half),
    )
