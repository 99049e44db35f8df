"""The parts that the names of a question play together: asked for, ruled out, at once, compared."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from query.reading.intent import Intent
from query.reading.kinds import Kind
from query.reading.mentions import Mention
from query.reading.names.mentions_found import MentionsFound
from query.reading.roles import are_added_up, asked_together, groups_met, ruled_out, sides_of

_EXCEPTS: Final = re.compile(r"\b(?:except|besides|other than|excluding)\b", re.IGNORECASE)
"""Leaves something out of what is listed, as ``respelled`` writes it."""
_OF_VIRUSES: Final = frozenset({"family", "species"})
_ADDING: tuple[Kind, ...] = ("count", "share")
_MEETING: tuple[Kind, ...] = ("list", "rank", "describe", "exists")
"""Kinds of questions that ask what several groups share."""


@dataclass(frozen=True, slots=True)
class Parts:
    """Names by their part: ``kept`` are asked for, ``ruled`` are ruled out, ``absent`` are asked
    for and no run carries them.
    """

    kept: tuple[Mention, ...]
    ruled: tuple[Mention, ...]
    absent: tuple[Mention, ...]

    @property
    def named(self) -> list[Mention]:
        """Names asked for of which several may be at once or compared: no conditions."""
        return [one for one in self.asked if not one.is_condition]

    @property
    def asked(self) -> list[Mention]:
        """Names asked for, in order, whether a run carries them or not."""
        return sorted([*self.kept, *self.absent], key=lambda one: one.start)


def parts_of(names: MentionsFound) -> Parts:
    """Return the names of a question by their part."""
    ruled = ruled_out(names.words, names.all)
    return Parts(
        kept=tuple(one for one in names.found if one not in ruled),
        ruled=tuple(ruled),
        absent=tuple(one for one in names.absent if one not in ruled),
    )


def excepted_of(
    asked: str, ruled: Sequence[Mention], intent: Intent, *, kept: bool
) -> tuple[Mention, ...]:
    """Return the viruses of those ``ruled`` out that only leave a list of viruses: "viruses in rice
    apart from endornaviruses" lists the others, whether or not their runs carry endornaviruses.
    ``kept``: something else is named.
    """
    lists = intent.explicit and {*intent.facets} <= _OF_VIRUSES and kept
    viral = bool(ruled) and all(one.group == "virus" for one in ruled)
    if not lists or not viral or not _EXCEPTS.search(asked):
        return ()
    return tuple(ruled)


def names_at_once(
    words: Sequence[str], parts: Parts, kind: Kind
) -> tuple[tuple[Mention, ...], tuple[Mention, ...]]:
    """Return the names that must hold at once, and those of which each is a group by itself."""
    together = asked_together(words, parts.named)
    if kind in _ADDING and are_added_up(words, together):
        return (), ()
    met = groups_met(together) if kind in _MEETING else ()
    if met and all(one in parts.kept for one in met):
        return (), met
    return tuple(together), ()


_COMPARED_CONDITIONS: Final = ("year", "library", "source")
"""Groups of conditions that stand side by side like names: 2018 and 2019, RNA-Seq and WGS."""


def compared_names(
    words: Sequence[str], kept: Sequence[Mention], *, against_rest: bool
) -> tuple[Mention, ...]:
    """Return the names compared; with ``against_rest`` one will do, and no virus if it can be."""
    kept = [one for one in kept if not one.is_condition or one.group in _COMPARED_CONDITIONS]
    sides = sides_of(words, kept)
    if sides:
        return sides
    if not against_rest or not kept:
        return ()
    others = [one for one in kept if one.group != "virus"]
    candidates = others or kept
    return (candidates[-1],)
