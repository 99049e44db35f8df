"""An entity that a question is about, as local search starts from it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Seed:
    """An entity of the question: its name, its group, and the SELECT of its runs.

    ``own`` is the condition for a detection to be of the entity itself, empty if it is not a virus;
    ``nearest`` is True if the question does not name it.
    """

    name: str
    group: str
    runs: str
    own: str = ""
    nearest: bool = False
    facets: tuple[str, ...] = ()
    curies: tuple[str, ...] = ()
