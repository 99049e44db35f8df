"""The kind of answer that a question asks for, and what such an answer can heed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from query.reading.asked.in_runs import InRuns, in_runs_of
from query.reading.intent import Intent
from query.reading.kinds import Kind, kind_of
from query.reading.scope.doubt import Doubt

_VIRAL: Final = frozenset({"family", "species"})
_LEFT_OPEN: Final = ("describe", "list")
"""Kinds that rules find where no word says more."""


@dataclass(frozen=True, slots=True)
class KindAsked:
    """What a question asks for: the ``kind`` of answer, in how many runs values have to be
    (``in_runs``), the ``frame`` without that, and words of it that no answer of the kind heeds.
    """

    kind: Kind
    frame: str
    in_runs: InRuns | None = None
    unheeded: tuple[str, ...] = ()


def kind_asked(text: str, frame: str, intent: Intent, doubt: Doubt) -> KindAsked:
    """Return the kind of answer, in how many runs values have to be, and the frame without that."""
    in_runs, rest = in_runs_of(frame)
    kind = _kind(text, rest, intent, doubt)
    return KindAsked(kind, rest, in_runs)


def heeding(asked: KindAsked, kind: Kind, *, explicit: bool) -> KindAsked:
    """Return ``asked`` of ``kind``, with how many runs values have to be in where an answer of this
    kind can heed it; else the words of that are not understood.
    """
    if kind == "describe" and asked.in_runs and explicit:
        kind = "list"
    heeded = kind in ("list", "rank", "exists") or (kind == "count" and explicit)
    if asked.in_runs is None or heeded:
        return replace(asked, kind=kind)
    return replace(asked, kind=kind, in_runs=None, unheeded=(asked.in_runs.written,))


def is_left_open(kind: Kind, intent: Intent) -> bool:
    """Return whether a question that names an accession leaves open what to tell of it."""
    return kind == "describe" or (kind == "list" and not intent.explicit)


def _kind(text: str, frame: str, intent: Intent, doubt: Doubt) -> Kind:
    """Return the kind of answer by rules, by the likeness of the sentence where they leave it."""
    asks = text.rstrip().endswith("?")
    kind = kind_of(frame, explicit=intent.explicit, asks=asks)
    if kind in _LEFT_OPEN and doubt.kind:
        return doubt.kind
    lists = intent.explicit and not _VIRAL.issuperset(intent.facets)
    return "list" if kind == "describe" and lists else kind
