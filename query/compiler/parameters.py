"""Values bound to a statement, named in the order in which they are met."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import TypeAlias

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
        """Return the condition that ``column`` is one of ``values``."""
        distinct = list(dict.fromkeys(values))
        if len(distinct) == 1:
            return f"{column} = {self.bind(distinct[0])}"
        if not distinct:
            return "false"
        listed = ", ".join(self.bind(value) for value in distinct)
        return f"{column} IN ({listed})"
