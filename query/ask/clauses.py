"""A question that asks several things, as one question each; what "it" means is written out."""

from __future__ import annotations

import re
from typing import Final

from query.reading.mentions import Mention
from query.reading.question import Question

MOST: Final = 3
"""Questions that one text is split into."""
_MORE_OF_IT: Final = re.compile(r"(?:how|why|when|where)(?: \w+)?\W*", re.IGNORECASE)
"""Asks more of the question before, and nothing by itself: how strongly."""
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
    >>> split_question("What is Zika virus associated with, and how strongly?")
    ['What is Zika virus associated with, and how strongly?']
    """
    pieces = _JOINT.split(text)
    stripped = [piece.strip() for piece in pieces]
    parts = [piece for piece in stripped if piece]
    elliptic = any(_MORE_OF_IT.fullmatch(part) for part in parts[1:])
    if not elliptic and 1 < len(parts) <= MOST:
        return parts
    return [text]


def written_out(text: str, before: Question) -> str:
    """Return ``text`` with its first pronoun replaced by what the question ``before`` is about.

    The virus it names, else the first thing; ``text`` stays where it names something itself.
    """
    pronoun = _PRONOUN.search(text)
    if pronoun is None or not before.mentions:
        return text
    subject = _subject(before)
    meant = _name_of(subject)
    if pronoun[0].lower() in _OWNING:
        meant = f"{meant}'s"
    start, end = pronoun.span()
    return f"{text[:start]}{meant}{text[end:]}"


def _subject(question: Question) -> Mention:
    """Return the first virus that ``question`` names, else the first thing."""
    for mention in question.mentions:
        if mention.group == "virus":
            return mention
    return question.mentions[0]


def _name_of(mention: Mention) -> str:
    """Return the label where the question calls the thing so, else the words of the question."""
    if _is_called(mention):
        return mention.label
    return mention.text


def _is_called(mention: Mention) -> bool:
    """Return whether the question calls the thing by its label, but for the case of letters."""
    label = mention.label.casefold()
    text = mention.text.casefold()
    return label == text
