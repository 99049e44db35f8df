"""Titles of studies as reports quote them: as written, without markup, cut at a word."""

from __future__ import annotations

import re
from typing import Final

MAX_WORDS: Final = 30
FEWEST_WORDS: Final = 4
"""Minimum number of words of a title that says something."""
_MARKUP: Final = re.compile(r"<[^<>]{1,40}>|&[a-z]{2,6};|https?://\S+")
_BLANKS: Final = re.compile(r"\s+")
_SAYS_NOTHING: Final = re.compile(
    r"raw sequence reads|^(?:metagenome|transcriptome|genome sequencing)\b|embargo|purchased from",
    re.IGNORECASE,
)
_INNER_QUOTES: Final = str.maketrans({"“": "‘", "”": "’", '"': "'", "{": "(", "}": ")"})


def study_title(title: str | None) -> str:
    """Return the title of a study as reports quote it; "" if it says nothing.

    >>> study_title("Guano of <i>Myotis</i> from 12 caves."), study_title("Other")
    ('Guano of Myotis from 12 caves', '')
    """
    unmarked = _MARKUP.sub(" ", title or "")
    bare = _BLANKS.sub(" ", unmarked).strip().translate(_INNER_QUOTES)
    words = bare.rstrip(" .").split(" ")
    if len(words) < FEWEST_WORDS or _SAYS_NOTHING.search(bare):
        return ""
    shown = " ".join(words[:MAX_WORDS])
    return shown if len(words) <= MAX_WORDS else f"{shown.rstrip(',;:')} …"
