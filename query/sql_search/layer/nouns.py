"""Words for what a table lists or counts: a question that uses them so asks for a table."""

from __future__ import annotations

from typing import Final

from query.reading.measured.amounts import NUMBER as AMOUNT

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
NUMBER: Final = rf"{AMOUNT}|one"

_ADJECTIVES: Final = r"(?:(?:different|distinct|unique|separate|individual|known|named) )*"
NOUN: Final = rf"{_ADJECTIVES}(?:{'|'.join(NOUNS.values())})"
COLUMN: Final = "|".join(COLUMNS.values())
