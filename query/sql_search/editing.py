"""Follow-ups that change a result: "only 10, alphabetical", "at least 5 runs".

Each wraps the SQL before it, in the order they are said: "only 10, alphabetical" takes the first
ten rows, and sorts them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

_NUMBERS: Final = {"one": 1, "two": 2, "three": 3, "five": 5, "ten": 10, "twenty": 20}
_NUMBER_TYPES: Final = ("BIGINT", "INTEGER", "DOUBLE", "HUGEINT", "FLOAT")
_NUMBER: Final = rf"(\d{{1,5}}|{'|'.join(_NUMBERS)})"


@dataclass(frozen=True, slots=True)
class Edited:
    """SQL after a follow-up, and what the follow-up does, in words."""

    sql: str
    explained: str


def split_follow_up(text: str) -> list[str]:
    """Return the changes that ``text`` asks for, in order.

    >>> split_follow_up("only 10, alphabetical and at least 5 runs")
    ['only 10', 'alphabetical', 'at least 5 runs']
    """
    parts = re.split(r"[,;]|\b(?:and|then)\b", text.lower())
    changes = [part.strip(" .!") for part in parts]
    return [change for change in changes if change]


def edit(sql: str, columns: Sequence[str], types: Sequence[str], change: str) -> Edited | None:
    """Return ``sql`` with ``change`` made, None where it is none that is known.

    ``columns`` and ``types`` are those of its result.

    >>> print(edit("SELECT family, runs FROM t", ["family", "runs"], ["VARCHAR", "BIGINT"],
    ...            "only 10").sql)
    SELECT * FROM (
    SELECT family, runs FROM t
    ) LIMIT 10
    """
    counted = _counted_column(columns, types)
    named = _named_column(columns, types)
    for pattern, make in _RULES:
        found = re.search(pattern, change)
        if found is None:
            continue
        made = make(found, counted, named)
        if made is not None:
            clause, explained = made
            changed = f"SELECT * FROM (\n{sql}\n) {clause}"
            return Edited(changed, explained)
    return None


def _counted_column(columns: Sequence[str], types: Sequence[str]) -> str | None:
    """Return the column that sizes are read from: runs, else the first number."""
    if "runs" in columns:
        return "runs"
    for name, kind in zip(columns, types, strict=True):
        if _is_number(kind):
            return name
    return None


def _named_column(columns: Sequence[str], types: Sequence[str]) -> str | None:
    """Return the last column of text."""
    named = None
    for name, kind in zip(columns, types, strict=True):
        if kind == "VARCHAR":
            named = name
    return named


Made = tuple[str, str] | None
"""The clause that makes a change, and the change in words."""
Maker = Callable[[re.Match[str], str | None, str | None], Made]


def _first_rows(found: re.Match[str], counted: str | None, named: str | None) -> Made:
    del counted, named
    number = _number(found[1])
    return f"LIMIT {number}", f"takes the first {number} rows"


def _at_least(found: re.Match[str], counted: str | None, named: str | None) -> Made:
    del named
    if counted is None:
        return None
    least = _number(found[2])
    if found[1] in ("more than", "over", "above"):
        least += 1
    clause = f'WHERE "{counted}" >= {least}'
    return clause, f"keeps {counted} of {least} and more"


def _at_most(found: re.Match[str], counted: str | None, named: str | None) -> Made:
    del named
    if counted is None:
        return None
    most = _number(found[2])
    if found[1] in ("less than", "fewer than", "below"):
        most -= 1
    clause = f'WHERE "{counted}" <= {most}'
    return clause, f"keeps {counted} of {most} and fewer"


def _by_name(found: re.Match[str], counted: str | None, named: str | None) -> Made:
    del counted
    if named is None:
        return None
    order = f'ORDER BY lower("{named}")'
    backwards = re.search(r"reverse|z to a|z-a", found.string)
    if backwards:
        return f"{order} DESC", f"sorts by {named}, backwards"
    return order, f"sorts by {named}"


def _fewest_first(found: re.Match[str], counted: str | None, named: str | None) -> Made:
    del found
    if counted is None:
        return None
    order = _ordered(counted, "", named)
    return order, f"sorts by {counted}, fewest first"


def _most_first(found: re.Match[str], counted: str | None, named: str | None) -> Made:
    del found
    if counted is None:
        return None
    order = _ordered(counted, " DESC", named)
    return order, f"sorts by {counted}, most first"


def _ordered(counted: str, direction: str, named: str | None) -> str:
    order = f'ORDER BY "{counted}"{direction}'
    if named is None:
        return order
    return f'{order}, "{named}"'


def _number(text: str) -> int:
    worded = _NUMBERS.get(text)
    if worded is not None:
        return worded
    return int(text)


def _is_number(kind: str) -> bool:
    if kind.startswith("DECIMAL"):
        return True
    return kind in _NUMBER_TYPES


_RULES: Final[tuple[tuple[str, Maker], ...]] = (
    (rf"\b(at least|more than|over|above|minimum) {_NUMBER}\b", _at_least),
    (rf"\b(at most|less than|fewer than|below|maximum) {_NUMBER} runs\b", _at_most),
    (rf"\b(?:only|just|top|first|limit(?: to)?|at most|show|best) (?:the )?(?:top |first )?"
     rf"{_NUMBER}\b", _first_rows),
    (r"\balphabetic\w*|\bby name\b|\ba to z\b|\ba-z\b|\bz to a\b|\bz-a\b", _by_name),
    (r"\bascending\b|\b(?:fewest|smallest|rarest|lowest|least)(?: first)?\b", _fewest_first),
    (r"\bdescending\b|\b(?:most|largest|biggest|highest|frequent)\b", _most_first),
)  # fmt: skip
"""What a follow-up may say, and what makes it so; the first that fits counts."""
