"""Values bound to a statement, named in the order in which they are met."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date
from typing import Final, TypeAlias

_PLACEHOLDER: Final = re.compile(r"\$(p\d+)\b")
_MANY: Final = 3
Value: TypeAlias = str | int | float | date | list[str]


class Parameters:
    """Values of a statement by name; an equal value is bound once."""

    def __init__(self) -> None:
        self.values: dict[str, Value] = {}

    def bind(self, value: Value) -> str:
        """Return the placeholder of ``value``."""
        for name, bound in self.values.items():
            if bound == value and type(bound) is type(value):
                return f"${name}"
        name = f"p{len(self.values) + 1}"
        self.values[name] = value
        return f"${name}"

    def any_of(self, column: str, values: Sequence[str]) -> str:
        """Return the condition that ``column`` is one of ``values``.

        Many are hashed: DuckDB compares each row with every item of a list.
        """
        distinct = list(dict.fromkeys(values))
        if len(distinct) == 1:
            return f"{column} = {self.bind(distinct[0])}"
        if not distinct:
            return "false"
        if len(distinct) > _MANY:
            return f"{column} IN (SELECT unnest({self.bind(distinct)}::VARCHAR[]))"
        listed = ", ".join(self.bind(value) for value in distinct)
        return f"{column} IN ({listed})"

    def used_in(self, text: str) -> dict[str, Value]:
        """Return the values of the placeholders in ``text``."""
        used = set(_PLACEHOLDER.findall(text))
        return {name: value for name, value in self.values.items() if name in used}

    def inlined(self, text: str) -> str:
        """Return ``text`` with literals for its placeholders, to be part of other statements."""
        return _PLACEHOLDER.sub(lambda found: _literal(self.values[found[1]]), text)


def _literal(value: Value) -> str:
    """Return ``value`` as a literal of SQL.

    >>> _literal("crow's nest"), _literal(3), _literal(["a", "b"])
    ("'crow''s nest'", '3', "['a', 'b']")
    """
    if isinstance(value, list):
        return f"[{', '.join(_literal(part) for part in value)}]"
    if isinstance(value, bool | int | float):
        return repr(value)
    escaped = str(value).replace("'", "''")
    return f"'{escaped}'"
