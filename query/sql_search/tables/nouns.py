"""Words for what a table can list, count or measure."""

from __future__ import annotations

import re
from typing import Final

from query.reading.measured.amounts import NUMBER as AMOUNT
from query.reading.measured.amounts import amount_of

RUN: Final = "run"
NOUNS: Final = {
    "library_strategy": r"(?:library |sequencing )?strateg(?:y|ies)|library types?",
    "library_source": r"library sources?",
    "year": r"(?:release |publication )?years?(?: of (?:their )?(?:release|publication))?",
    "family": r"(?:virus |viral )?famil(?:y|ies)(?: of virus(?:es)?)?",
    "host": r"(?:(?:host|animal|plant) )?(?:hosts?|organisms?)(?: species)?|host species",
    "species": r"(?:virus |viral )?species(?: of virus(?:es)?)?|virus(?:es)?(?: names?)?",
    "sotu": r"sotus?",
    "tissue": r"tissues?|organs?",
    "disease": r"diseases?|illness(?:es)?",
    "geography": r"countr(?:y|ies)|places?",
    "bioproject": r"bio-?projects?|projects?",
    "study": r"(?:sra )?stud(?:y|ies)|sra projects?",
    "biosample": r"bio-?samples?",
    "environment": r"environments?",
    "biome": r"biomes?",
    "sex": r"sex(?:es)?|genders?",
    RUN: r"runs?|accessions?|samples?|librar(?:y|ies)|data ?sets?",
}
"""What rows can be, or can be counted -> the words that mean it, longest first."""
COLUMNS: Final = {
    "reads": r"(?:mapped |viral |virus )?reads?(?: counts?)?(?: of (?:the )?hits)?",
    "identity": r"(?:percent |percentage |sequence )?identit(?:y|ies)",
    "score": r"scores?",
    "coverage": r"coverages?",
    "spots": r"spots?(?: counts?)?",
    "bases": r"bases?(?: counts?)?",
}
"""Columns of numbers -> the words that mean them."""
OF_RUNS: Final = ("spots", "bases")
"""Columns of the table ``run``; the others are of ``detection``."""
HIT_COLUMNS: Final = frozenset(COLUMNS).difference(OF_RUNS)
"""Columns of ``detection``: identity, reads, score, coverage."""
AGGREGATES: Final = {
    "avg": r"averages?|means?",
    "median": r"medians?",
    "max": r"maxim(?:um|al)|max|highest|largest|greatest|biggest|best",
    "min": r"minim(?:um|al)|min|lowest|smallest",
    "sum": r"total|sum of(?: the)?",
}
NUMBER: Final = rf"{AMOUNT}|one"

_ADJECTIVES: Final = r"(?:(?:different|distinct|unique|separate|individual|known|named) )*"
NOUN: Final = rf"{_ADJECTIVES}(?:{'|'.join(NOUNS.values())})"
COLUMN: Final = "|".join(COLUMNS.values())
AGGREGATE: Final = "|".join(AGGREGATES.values())


def noun_of(text: str) -> str:
    """Return what a word of ``NOUN`` means.

    >>> noun_of("different virus families"), noun_of("countries"), noun_of("samples")
    ('family', 'geography', 'run')
    """
    bare = re.sub(rf"^{_ADJECTIVES}", "", text.strip())
    return _key_of(NOUNS, bare)


def column_of(text: str) -> str:
    """Return which column of numbers a word of ``COLUMN`` means."""
    return _key_of(COLUMNS, text)


def aggregate_of(text: str) -> str:
    """Return the function of SQL that a word of ``AGGREGATE`` means."""
    return _key_of(AGGREGATES, text)


def number_of(text: str) -> int:
    """Return a number in digits or words.

    >>> number_of("1,000"), number_of("three")
    (1000, 3)
    """
    return round(amount_of(text))


def _key_of(words: dict[str, str], text: str) -> str:
    for key, pattern in words.items():
        if re.fullmatch(pattern, text.strip()):
            return key
    raise KeyError(text)
