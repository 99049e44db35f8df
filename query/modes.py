"""The ways of asking: a new one is a room with a module ``mode``, and a line here."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from types import MappingProxyType
from typing import Final

from query.errors import UnknownModeError
from query.mode import Mode

# fmt: off
ROOMS: Final = (
    "global_search",
    "entrez_search",
    "search",
    "sql_search",
    "local_search",
)
# fmt: on


@cache
def all_modes() -> Mapping[str, Mode]:
    """Return the ways of asking by name, in the order of ``ROOMS``."""
    found = (_mode(room) for room in ROOMS)
    return MappingProxyType({mode.name: mode for mode in found})


def mode_named(name: str) -> Mode:
    """Return the way of asking called ``name``; raises ``UnknownModeError``."""
    modes = all_modes()
    if name not in modes:
        raise UnknownModeError(name, known=tuple(modes))
    return modes[name]


def _mode(room: str) -> Mode:
    mode: Mode = import_module(f"query.{room}.mode").MODE
    return mode
