"""The facets whose values a question asks to list or to count."""

from __future__ import annotations

from typing import Final

from index.facets import FACET, FACETS
from query.reading.measured.selects import VALUES
from query.reading.question import Question

VIRAL_FACETS: Final = frozenset({"species", "family"})
_SHOWN_FACETS: Final = 4
_IDENTIFYING: Final = ("species", "family", "host", "tissue", "geography")


def facets_to_list(question: Question) -> list[str]:
    """Return the facets to list: those asked for, else the usual ones."""
    reading = question.reading
    known = [one for one in reading.facets if one in FACET or one in VALUES]
    if reading.kind == "identify":
        return [one for one in _IDENTIFYING if one in FACET]
    if reading.explicit and set(known) >= VIRAL_FACETS:
        return _one_rank(question, known)
    if reading.explicit:
        return known
    if reading.kind == "describe":
        return known[: _SHOWN_FACETS + 2]
    if any(one.group == "virus" for one in question.mentions):
        stated = [one for one in known if one in FACETS]
        return stated[:_SHOWN_FACETS]
    return ["family", "species"]


def _one_rank(question: Question, facets: list[str]) -> list[str]:
    """Return ``facets`` without species where only families are asked for, and the reverse.

    The word virus asks for both.
    """
    text = question.text.lower()
    families, species = "famil" in text, "species" in text
    if families == species:
        return facets
    left_out = "species" if families else "family"
    return [one for one in facets if one != left_out]
