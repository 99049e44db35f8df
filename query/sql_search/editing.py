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
_NUMBER: Final = rf"(\d{{1,5}}|{'|'.join(_NUMBERS)})"


@dataclass(frozen=True, slots=True)
class Edited:
    """SQL after a follow-up, and what the follow-up does, in words."""

    sql: str
    told: str


def split_follow_up(text: str) -> list[str]:
    """Return the changes that ``text`` asks for, in order.

    >>> split_follow_up("only 10, alphabetical and at least 5 runs")
    ['only 10', 'alphabetical', 'at least 5 runs']
    """
    parts = re.split(r"[,;]|\b(?:and|then)\b", text.lower())
    return [part.strip(" .!") for part in parts if part.strip(" .!")]


def edit(sql: str, columns: Sequence[str], types: Sequence[str], change: str) -> Edited | None:
    """Return ``sql`` with ``change`` made, None where it is none that is known.

    ``columns`` and ``types`` are those of its result.

    >>> print(edit("SELECT family, runs FROM t", ["family", "runs"], ["VARCHAR", "BIGINT"],
    ...            "only 10").sql)
    SELECT * FROM (
    SELECT family, runs FROM t
    ) LIMIT 10
    """
    numbers = [name for name, kind in zip(columns, types, strict=True) if _is_number(kind)]
    texts = [name for name, kind in zip(columns, types, strict=True) if kind == "VARCHAR"]
    counted = "runs" if "runs" in columns else next(iter(numbers), None)
    named = texts[-1] if texts else None
    for pattern, make in _RULES:
        found = re.search(pattern, change)
        made = make(found, counted, named) if found else None
        if made is not None:
            clause, told = made
            return Edited(f"SELECT * FROM (\n{sql}\n) {clause}", told)
    return None


Made = tuple[str, str] | None
"""The clause that makes a change, and the change in words."""
Maker = Callable[[re.Match[str], str | None, str | None], Made]


def _first_rows(found: re.Match[str], counted: str | None, named: str | None) -> Made:
    del counted, named
    number = _number(found[1])
    return f"LIMIT {number}", f"takes the first {number} rows"


def _at_least(found: re.Match[str], counted: str | None, named: str | None) -> Made:
    del named
    least = _number(found[2]) + (1 if found[1] in ("more than", "over", "above") else 0)
    return (
        counted and (f'WHERE "{counted}" >= {least}', f"keeps {counted} of {least} and more")
    ) or None


def _at_most(found: re.Match[str], counted: str | None, named: str | None) -> Made:
    del named
    most = _number(found[2]) - (1 if found[1] in ("less than", "fewer than", "below") else 0)
    return (
        counted and (f'WHERE "{counted}" <= {most}', f"keeps {counted} of {most} and fewer")
    ) or None


def _by_name(found: re.Match[str], counted: str | None, named: str | None) -> Made:
    del counted
    down = "DESC" if re.search(r"reverse|z to a|z-a", found.string) else ""
    order = f'ORDER BY lower("{named}") {down}'.strip()
    return (order, f"sorts by {named}{', backwards' if down else ''}") if named else None


def _fewest_first(found: re.Match[str], counted: str | None, named: str | None) -> Made:
    del found
    order = _ordered(counted, "", named)
    return (order, f"sorts by {counted}, fewest first") if counted else None


def _most_first(found: re.Match[str], counted: str | None, named: str | None) -> Made:
    del found
    order = _ordered(counted, " DESC", named)
    return (order, f"sorts by {counted}, most first") if counted else None


def _ordered(counted: str | None, direction: str, named: str | None) -> str:
    then = f', "{named}"' if named else ""
    return f'ORDER BY "{counted}"{direction}{then}'


def _number(text: str) -> int:
    return _NUMBERS.get(text) or int(text)


def _is_number(kind: str) -> bool:
    return kind in ("BIGINT", "INTEGER", "DOUBLE", "HUGEINT", "FLOAT") or kind.startswith("DECIMAL")


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
