"""The result of one check."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

State = Literal["ok", "note", "missing"]


@dataclass(frozen=True, slots=True)
class Check:
    """The state of one thing that the product needs or can use.

    ``ok`` works; ``note`` works, but there is something to know; ``missing`` does not work, and
    ``next_command`` says what to do.
    """

    name: str
    state: State
    found: str
    next_command: str = ""
