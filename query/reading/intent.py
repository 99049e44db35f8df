"""What a question asks for: words that name a facet, words that carry no meaning of their own.

Lists of whole words, singular; ``singular`` folds the words of a question the same way.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from index.facets import FACET
from query.reading.measured.selects import ASKED

_OPENING: Final = frozenset({"which", "what", "many"})
_BETWEEN: Final = frozenset({
    "and", "or", "the", "of", "most", "different", "distinct", "top", "common", "kind", "other",
    "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
})  # fmt: skip
"""Words between "which" and what is asked for."""
_OF_HOSTS: Final = frozenset({"species", "family"})
"""Ask for viruses, but behind "host" for hosts."""
DEFAULT_FACETS: Final = ("family", "species", "host", "tissue", "disease", "geography")
"""What is answered where a question asks for no facet."""
_ANSWERED: Final = (*DEFAULT_FACETS, *(name for name in FACET if name not in DEFAULT_FACETS))
ASKED_BY: Final = {**{name: FACET[name].asked_by for name in _ANSWERED}, **ASKED}
"""Facet -> words that ask for its values, in the order of an answer."""

ASSOCIATION_WORDS: Final = frozenset({
     "associate", "associated", "association", "correlate", "correlated", "correlation", "enrich",
     "enriched",
     "depleted", "abundance", "abundant", "differ", "difference", "goes", "go", "going", "factor",
     "mwas",
     "linked", "link", "higher", "lower", "more", "less", "fewer", "tied", "connected", "metadata",
     "attribute", "variable", "covariate", "significant", "significantly", "statistically",
})  # fmt: skip

STOP_WORDS: Final = frozenset(
    Path(__file__).with_name("stop_words.txt").read_text(encoding="utf-8").split()
)

_LEAST_INFLECTED: Final = 5
"""Letters of the shortest word that may be another form of a stop word."""
_ENDING: Final = re.compile(r"(?<=\w\w\w)(?:ies|ied|ying|ing|ed|es|s|y|e)$")


def _stem(word: str) -> str:
    """Return ``word`` without the ending of a verb or plural; enough to compare stop words.

    >>> {_stem(word) for word in ("carry", "carries", "carried", "carrying")}
    {'carr'}
    """
    shorter = _ENDING.sub("", word)
    doubled = len(shorter) > 3 and shorter[-1] == shorter[-2] and shorter[-1] in "bdgmnpt"
    return shorter[:-1] if doubled else shorter


_STOP_STEMS: Final = frozenset(_stem(word) for word in STOP_WORDS if len(word) > 3)
_NO_STOP_WORDS: Final = frozenset(
    {"bear", "bears", "seed", "seeds", "herb", "thus", "wine", "anther"}
)
"""Things that stems of stop words also are."""

_WORD: Final = re.compile(r"[^\W_](?:[\w.'’-]*\w)?")
_SHORTENED: Final = re.compile(
    r"(?:i|you|we|they|he|she|it|that|there|what|who|let)['’](?:m|d|ll|ve|re|s)"
)
"""Pronouns with the verb behind them: I'd, we're."""
_IRREGULAR: Final = {"mice": "mouse", "leaves": "leaf", "geese": "goose", "calves": "calf",
"feet": "foot",
                     "women": "woman", "men": "man", "children": "child", "studies": "study",
                     "species": "species"}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Intent:
    """What is asked: facets in order of ``FACT_FACETS``, and whether associations are."""

    facets: tuple[str, ...]
    associations: bool
    explicit: bool
    """False where the question names no facet and the defaults stand in."""


def words_of(text: str) -> list[str]:
    """Return the words of ``text`` as written; hyphens and apostrophes stay inside a word.

    >>> words_of("Which SARS-CoV-2 runs (lung)?")
    ['Which', 'SARS-CoV-2', 'runs', 'lung']
    """
    return _WORD.findall(text)


def singular(word: str) -> str:
    """Return ``word`` in lower case without its plural ending; enough to compare, not to print.

    >>> [singular(word) for word in ("Viruses", "bats", "mosquitoes", "families", "pus", "mice")]
    ['virus', 'bat', 'mosquito', 'family', 'pus', 'mouse']
    """
    lower = word.lower()
    if lower in _IRREGULAR:
        return _IRREGULAR[lower]
    if lower.endswith("ies") and len(lower) > 4:
        return lower[:-3] + "y"
    if re.search(r"(?:ss|x|ch|sh|us|o)es$", lower):
        return lower[:-2]
    if lower.endswith("s") and not lower.endswith(("ss", "us", "is")) and len(lower) > 3:
        return lower[:-1]
    return lower


def is_stop_word(word: str) -> bool:
    """Return whether ``word`` says nothing about what is asked for."""
    lower = word.lower()
    if lower in STOP_WORDS or singular(lower) in STOP_WORDS or _SHORTENED.fullmatch(lower):
        return True
    if lower in _NO_STOP_WORDS or len(lower) < _LEAST_INFLECTED:
        return False
    return _stem(lower) in _STOP_STEMS


def is_asking_word(word: str) -> bool:
    """Return whether ``word`` asks for a facet or for associations rather than naming a thing."""
    folded = singular(word)
    if folded in ASSOCIATION_WORDS:
        return True
    return any(folded in words for words in ASKED_BY.values())


COUNTED: Final = frozenset({
    "run", "sample", "library", "biosample", "record", "accession", "sequence", "read", "patient",
})  # fmt: skip
"""Nouns that a question counts, besides those that ask for a facet."""


def is_counted(word: str) -> bool:
    """Return whether ``word`` says what is counted: runs, samples."""
    return singular(word) in COUNTED


def read_intent(text: str, *, named_facets: frozenset[str] = frozenset()) -> Intent:
    """Return what ``text`` asks for. ``named_facets``: facets of the terms it names, which the
    defaults leave out.

    >>> read_intent("In which tissues and countries are they found?").facets
    ('tissue', 'geography')
    """
    words = [singular(word) for word in words_of(text)]
    folded = set(_wanted(words) or words)
    asked = tuple(facet for facet, words in ASKED_BY.items() if words & folded)
    associations = not ASSOCIATION_WORDS.isdisjoint(words)
    asked = _of_one_rank(asked, words)
    if asked and "where" in folded:
        asked = _without_where(asked, folded)
    if asked:
        return Intent(asked, associations, explicit=True)
    left = [facet for facet in DEFAULT_FACETS if facet not in named_facets]
    facets = left or DEFAULT_FACETS
    return Intent(tuple(facets), associations, explicit=False)


def _of_one_rank(asked: tuple[str, ...], words: Sequence[str]) -> tuple[str, ...]:
    """Return ``asked`` with one rank of viruses where a word behind virus names it: virus families
    are no species.
    """
    text = " ".join(words)
    for rank, other in (("family", "species"), ("species", "family")):
        named = re.search(rf"\b(?:virus|viral) {rank}\b|\b{rank} of virus\b", text)
        if named and other not in words:
            return tuple(facet for facet in asked if facet != other)
    return asked


def _wanted(words: Sequence[str]) -> list[str]:
    """Return the words that ask for a facet right behind which, what or how many; those behind
    and or or with them. Which countries have runs with a virus asks for no viruses.

    >>> _wanted("which 3 country have most run with a virus".split())
    ['country']
    """
    wanted: list[str] = []
    listing = False
    for word in words:
        if word in _OPENING:
            listing = True
        elif listing and _asks(word):
            if word not in _OF_HOSTS or "host" not in wanted:
                wanted.append(word)
        elif word not in _BETWEEN and not word.isdigit():
            listing = False
    return wanted


def _asks(word: str) -> bool:
    return any(word in words for words in ASKED_BY.values())


def _without_where(asked: tuple[str, ...], folded: set[str]) -> tuple[str, ...]:
    """Return the facets asked for by a word of their own, all of ``asked`` where none is: countries
    where a virus is found are countries.
    """
    others = folded - {"where"}
    named = [facet for facet in asked if ASKED_BY[facet] & others]
    if not named:
        return asked
    return tuple(named)
