"""Does a sentence say only what its statements say: every number, every name, and no count beside
the wrong name.

Stricter than a reader would be: a sentence that fails is dropped or replaced by its statements,
never repaired.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

_NUMBER: Final = re.compile(r"(?<![\w.-])\d[\d,]*(?:\.\d+)?%?(?![\w-])")
_NAMED_COUNT: Final = re.compile(r"([^();:]*?)\s*\((\d[\d,]*) runs?\)")
_WORD: Final = re.compile(r"[^\W\d_][\w.’'-]*\w|[^\W\d_]")
_VIRUS_WORD: Final = re.compile(r"vir(?:us|uses|idae|inae|ales|ome|al)$|phages?$", re.IGNORECASE)
_ACCESSION: Final = re.compile(
    r"\b(?:[SED]R[RXPS]|SAM(?:N|EA|D)|PRJ[A-Z]{2}|SYN[A-Z]*)\d+\b|\b[A-Za-z]{2,}:\d+\b"
)
_PLAIN: Final = frozenset(
    {"virus", "viruses", "viral", "virome", "phage", "phages", "rna", "dna", "sra"}
)


def unsupported(text: str, statements: Iterable[str], *, known: Iterable[str] = ()) -> list[str]:
    """Return what ``text`` says beyond ``statements``; ``known`` are texts whose names (not
    numbers) may be used, too.

    >>> told = ["Virus families: Phenuiviridae (31 runs), Nairoviridae (4 runs)."]
    >>> unsupported("Phenuiviridae (31 runs) lead.", told)
    []
    >>> unsupported("Phenuiviridae (4 runs) and Flaviviridae occur in 12 runs.", told)
    ['12', 'Phenuiviridae (4 runs)', 'Flaviviridae']
    """
    told = list(statements)
    return [
        *_foreign_numbers(text, told),
        *_misplaced_counts(text, told),
        *_foreign_names(text, [*told, *known]),
    ]


def has_number(text: str) -> bool:
    """Return whether ``text`` states a number; digits inside a name are none.

    >>> has_number("HKU9 occurs"), has_number("in 9 runs")
    (False, True)
    """
    return _NUMBER.search(text) is not None


def _foreign_numbers(text: str, told: list[str]) -> list[str]:
    allowed = {number for one in told for number in _NUMBER.findall(one)}
    return [number for number in _NUMBER.findall(text) if number not in allowed]


def _misplaced_counts(text: str, told: list[str]) -> list[str]:
    """Return counts in parentheses that no statement gives to the name they follow."""
    pairs = [
        (name.split(", ")[-1].strip().lower(), count)
        for one in told
        for name, count in _NAMED_COUNT.findall(one)
    ]
    return [
        f"{' '.join(before.split()[-2:])} ({count} runs)".lstrip()
        for before, count in _NAMED_COUNT.findall(text)
        if not any(
            count == told_count and before.lower().endswith(name)
            for name, told_count in pairs
            if name
        )
    ]


def _foreign_names(text: str, known: list[str]) -> list[str]:
    vocabulary = {word.lower() for one in known for word in _WORD.findall(one)} | _PLAIN
    accessions = [
        found for found in _ACCESSION.findall(text) if not any(found in one for one in known)
    ]
    words = list(_WORD.finditer(text))
    named = [
        match.group()
        for match in words
        if _VIRUS_WORD.search(match.group())
        or (match.group()[0].isupper() and not _opens_sentence(text, match.start()))
    ]
    return accessions + [word for word in dict.fromkeys(named) if word.lower() not in vocabulary]


def _opens_sentence(text: str, position: int) -> bool:
    before = text[:position].rstrip()
    return not before or before[-1] in ".!?:"
