"""What is said of communities, with a point for each that it names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from index.reports.phrases import counted
from query.global_search.communities.ranking import Ranked
from query.global_search.from_facts import PointDraft

_FULL_MARKS: Final = 100.0


@dataclass(frozen=True, slots=True)
class Described:
    """What is said of communities, and the points of those that are named in it."""

    text: str
    drafts: tuple[PointDraft, ...] = ()


def drafts_of(rows: Sequence[Ranked]) -> tuple[PointDraft, ...]:
    """Return a point for each community that is named."""
    drafts = []
    for one in rows:
        text = f"{one.title or 'No report'}. {counted(one.runs, 'run')}."
        draft = PointDraft(one.community, _FULL_MARKS, text, (("community", one.community),))
        drafts.append(draft)
    return tuple(drafts)
