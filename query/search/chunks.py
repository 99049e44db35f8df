"""Pages cut into chunks that a vector can hold: whole sentences, one page each.

The model reads at most 256 tokens, about 1,000 characters of English.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from query.search.files import Page, ReadFile

LONGEST: Final = 900
_PARAGRAPH: Final = re.compile(r"\n\s*\n|\n(?=#)|\f")
_SENTENCE: Final = re.compile(r"(?<=[.!?])\s+")


@dataclass(frozen=True, slots=True)
class Chunk:
    """A stretch of a file; ``place`` is the page or the line that it begins on."""

    ordinal: int
    place: str
    text: str


def cut(file: ReadFile) -> list[Chunk]:
    """Return the chunks of ``file`` in order; every word is in one of them."""
    found = [
        (_place(page, start), text) for page in file.pages for start, text in _stretches(page.text)
    ]
    return [Chunk(ordinal, place, text) for ordinal, (place, text) in enumerate(found, start=1)]


def _place(page: Page, start: int) -> str:
    """Return the page, or in a file without pages the line, that ``start`` is on."""
    if page.number is not None:
        return f"page {page.number:,}"
    breaks = page.text.count("\n", 0, start)
    return f"line {breaks + 1:,}"


def _stretches(text: str) -> Iterator[tuple[int, str]]:
    """Yield stretches of at most ``LONGEST`` characters and their starts; a heading starts one."""
    start, held = 0, ""
    for begin, sentence in _sentences(text):
        new_part = sentence.startswith("#") or len(held) + len(sentence) + 1 > LONGEST
        if held and new_part:
            yield start, held
            held = ""
        if not held:
            start = begin
        held = f"{held} {sentence}".strip()
    if held:
        yield start, held


def _sentences(text: str) -> Iterator[tuple[int, str]]:
    """Yield sentences on one line each with where they begin; one that is too long is cut."""
    for begin, paragraph in _split(text, 0, _PARAGRAPH):
        for start, sentence in _split(paragraph, begin, _SENTENCE):
            words = " ".join(sentence.split())
            for offset in range(0, len(words), LONGEST):
                end = offset + LONGEST
                yield start, words[offset:end]


def _split(text: str, offset: int, pattern: re.Pattern[str]) -> Iterator[tuple[int, str]]:
    """Yield the pieces of ``text`` between matches of ``pattern``, with where they begin."""
    spans = [found.span() for found in pattern.finditer(text)]
    starts = [0, *(end for _, end in spans)]
    ends = [*(start for start, _ in spans), len(text)]
    for start, end in zip(starts, ends, strict=True):
        if text[start:end].strip():
            yield offset + start, text[start:end]
