"""Split text into sentences without breaking references or names."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from index.reports.citations import find_spans

_ABBREVIATIONS: Final = (
    "sp", "spp", "cf", "cv", "vs", "var", "subsp", "St", r"e\.g", r"i\.e", "[A-Z]",
)  # fmt: skip
_ABBREVIATION: Final = "".join(rf"(?<!\b{one})" for one in _ABBREVIATIONS)
_SENTENCE_END: Final = re.compile(rf"{_ABBREVIATION}[.!?][”\"]?[\s\x00]*\s(?=[A-Z“\"\d(])")


def split_sentences(text: str) -> list[str]:
    """Return the sentences of ``text``, each with the references that follow its full stop.

    No sentence ends inside a reference or after a taxonomic abbreviation.

    >>> split_sentences("It ends. [Filters: {{tissue: epithelium of the small intestine}}]")
    ['It ends. [Filters: {{tissue: epithelium of the small intestine}}]']
    >>> split_sentences("One run of Culex sp. Two runs [Filters: {{sex: male}}]. It ends.")
    ['One run of Culex sp. Two runs [Filters: {{sex: male}}].', 'It ends.']
    >>> split_sentences("No run has St. Louis encephalitis virus.")
    ['No run has St. Louis encephalitis virus.']
    """
    blanked = _blank(text, find_spans(text))
    pieces = []
    start = 0
    for match in _SENTENCE_END.finditer(blanked):
        end = match.end()
        pieces.append(text[start:end].strip())
        start = end
    pieces.append(text[start:].strip())
    return [piece for piece in pieces if piece]


def _blank(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """Return ``text`` with each span overwritten, so that positions stay the same."""
    for start, end in spans:
        text = text[:start] + "\0" * (end - start) + text[end:]
    return text
