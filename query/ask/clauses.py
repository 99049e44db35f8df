"""A question that asks several things, as one question each; what "it" means is written out."""

from __future__ import annotations

import re
from typing import Final

from query.reading.mentions import Mention
from query.reading.question import Question

MOST: Final = 3
"""Questions that one text is split into."""
_ASKS: Final = (
    r"(?:what|which|where|who|how|list|show|name|count|find|search|is|are|does|do|convert|give)\b"
)
_JOINT: Final = re.compile(
    rf"\?\s+(?:and\s+)?|;\s+|,?\s+(?:and|then|also)\s+(?={_ASKS})", re.IGNORECASE
)
_PRONOUN: Final = re.compile(
    r"\b(?:its|their|(?:this|that|the same)(?: virus| gene| host)|it|they|them)\b", re.IGNORECASE
)
_OWNING: Final = frozenset({"its", "their"})


def split_question(text: str) -> list[str]:
    """Return the questions that ``text`` asks, in order; itself where it is one.

    >>> split_question("Where is Zika virus found, and how many genomes of it does GenBank have?")
    ['Where is Zika virus found', 'how many genomes of it does GenBank have?']
    >>> split_question("Which viruses are in bats and pigs?")
    ['Which viruses are in bats and pigs?']
    """
    parts = [part.strip() for part in _JOINT.split(text) if part and part.strip()]
    return parts if 1 < len(parts) <= MOST else [text]


def written_out(text: str, before: Question) -> str:
    """Return ``text`` with its first pronoun replaced by what the question ``before`` is about.

    The virus it names, else the first thing; ``text`` stays where it names something itself.
    """
    found = _PRONOUN.search(text)
    named = sorted(before.mentions, key=lambda one: one.group != "virus")
    if found is None or not named:
        return text
    name = named[0].label if _is_called(named[0]) else named[0].text
    meant = f"{name}'s" if found[0].lower() in _OWNING else name
    return f"{text[: found.start()]}{meant}{text[found.end() :]}"


def _is_called(mention: Mention) -> bool:
    """Return whether the question calls the thing by its label, but for the case of letters."""
    return mention.label.casefold() == mention.text.casefold()
