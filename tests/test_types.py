"""Types of a virus that are named without it."""

from __future__ import annotations

from query.reading.found_name import FoundName
from query.reading.tokens import Token, tokens_of
from query.reading.types import with_types

KNOWN = ("hhv-6a", "hhv-6b", "hhv-7", "rotavirus a", "rotavirus b", "hsv1", "hsv2")


def found(tokens: list[Token]) -> list[FoundName]:
    """Return the known viruses that ``tokens`` name in one or two words."""
    names: list[FoundName] = []
    for first in range(len(tokens)):
        for last in range(first + 1, min(first + 2, len(tokens)) + 1):
            text = " ".join(token.lower for token in tokens[first:last])
            if text in KNOWN:
                names.append(FoundName(first, last, "virus", text))
    return names


NAMED = {
    "HHV-6A and 6B in saliva": ["hhv-6a", "hhv-6b"],
    "HHV-6A and 7": ["hhv-6a", "hhv-7"],
    "rotavirus A or B?": ["rotavirus a", "rotavirus b"],
    "HSV1 vs 2 which is more": ["hsv1", "hsv2"],
    "HSV1 and 2 studies": ["hsv1"],
    "HSV1 and 9": ["hsv1"],
    "HSV1 in 2 mice": ["hsv1"],
}


def test_a_type_behind_a_type_is_of_the_same_virus() -> None:
    for question, expected in NAMED.items():
        tokens = tokens_of(question)
        names = with_types(found(tokens), tokens, lambda part: found(list(part)))
        assert [name.name for name in names] == expected, question
