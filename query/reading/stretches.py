"""Sequences of words that may be names: all but plain English and what says what is asked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from query.reading.lexicon import cues, everyday_names, field_words, stems_of
from query.reading.meanings import Place, text_of
from query.words import STOP_WORDS, singular

if TYPE_CHECKING:
    from query.reading.tokens import Token

MOST_WORDS: Final = 14
"""Most words of a name that is looked for."""


def stretches_of(tokens: Sequence[Token]) -> list[Place]:
    """Return the sequences of words that may be names."""
    places = []
    for first, token in enumerate(tokens):
        if not token.is_word:
            continue
        for last in range(first + 1, min(first + MOST_WORDS, len(tokens)) + 1):
            inner = tokens[first:last]
            if any(part.text in ";?!" for part in inner):
                break
            if not inner[-1].is_word and not _closes(inner):
                continue
            if not _is_plain(inner):
                places.append((first, last))
    return places


def _closes(words: Sequence[Token]) -> bool:
    """Return whether ``words`` end with a bracket that they open."""
    texts = [word.text for word in words]
    return texts[-1] == ")" and texts.count("(") == texts.count(")")


def _is_plain(words: Sequence[Token]) -> bool:
    """Return whether words are plain English, or say what is asked."""
    if len(words) == 1:
        lower = words[0].lower
        stems = stems_of(lower)
        if "'" in lower and lower.partition("'")[0] in STOP_WORDS:  # I'm, we've
            return True
        if words[0].text.isupper() and len(lower) > 1:
            return lower in ("csv", "tsv", "id", "ids", "mwas", "i", "sra")
        if lower.isdecimal():
            return True
        if lower in everyday_names() or singular(lower) in everyday_names():
            return False
        if stems in cues():
            return True
        return stems in field_words() or lower in STOP_WORDS or singular(lower) in STOP_WORDS
    # A capital at the end is a type: rotavirus A.
    last = words[-1].text if words[-1].text == "A" else words[-1].lower
    edges = (words[0].lower, last)
    stems = stems_of(text_of(words))
    if stems in cues() or stems in field_words():
        return True
    return any(edge in _EDGES for edge in edges)


_EDGES: Final = frozenset(
    ["the", "a", "an", "and", "or", "of", "in", "on", "with", "without", "from", "for", "by",
     "to", "is", "are", "was", "were", "not", "than", "per", "which", "what", "how", "many",
     "do", "does", "did", "has", "have", "runs", "run", "samples", "sample"]
)  # fmt: skip
