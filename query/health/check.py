"""What one check found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

State = Literal["ok", "note", "missing"]


@dataclass(frozen=True, slots=True)
class Check:
    """What was found of one thing that the product needs or can use.

    ``ok`` works; ``note`` works and should be known; ``missing`` does not work, and
    ``next_command`` says what to do.
    """

    name: str
    state: State
    found: str
    next_command: str = ""
