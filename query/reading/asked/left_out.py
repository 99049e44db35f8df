"""Words that grounding knows and an answer does not count, with the reason."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from query.reading.mentions import Mention
from query.reading.names import NamedTerm
from query.reading.spans import is_a_name, positions

Reason = Literal["denied", "part of a virus's name", "no name"]


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Words that grounding knows and the answer does not count; ``reason`` is denied, part of a
    virus's name, or no name (of anything).
    """

    text: str
    reason: Reason


def left_out_names(
    named: Iterable[NamedTerm], words: Sequence[str], found: Sequence[Mention]
) -> tuple[LeftOut, ...]:
    """Return the names that are denied or part of a virus's name, and that no mention covers."""
    taken = positions(found)
    left_out = []
    for one in named:
        silent = one.outcome in ("negated", "other")
        covered = range(one.start, one.end)
        if not silent or not taken.isdisjoint(covered):
            continue
        written = words[one.start : one.end]
        if not is_a_name(written):
            continue
        text = " ".join(written)
        left_out.append(LeftOut(text, _reason(one)))
    return tuple(dict.fromkeys(left_out))


def _reason(name: NamedTerm) -> Reason:
    if name.outcome == "negated":
        return "denied"
    return "part of a virus's name" if name.terms else "no name"
