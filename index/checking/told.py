"""Evidence from statements: what a sentence that words them may cite, count and name.

Stricter than a reader would be: a sentence that says more than its statements is dropped or gives
way to them, and is never repaired.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from index.checking.evidence import folded
from index.checking.faults import ACCESSION, Fault
from index.checking.numbers import read_numbers
from index.reports.citations import Citation, strip_references

_NUMBER: Final = re.compile(r"(?<![\w.-])\d[\d,]*(?:\.\d+)?%?(?![\w-])")
_NAMED_COUNT: Final = re.compile(r"([^();:]*?)\s*\((\d[\d,]*) (?:runs?|libraries)\b")
_WORD: Final = re.compile(r"[^\W\d_][\w.’'-]*\w|[^\W\d_]")
_VIRUS_WORD: Final = re.compile(r"vir(?:us|uses|idae|inae|ales|ome|al)$|phages?$", re.IGNORECASE)
_PLAIN: Final = frozenset(
    {"virus", "viruses", "viral", "virome", "phage", "phages", "rna", "dna", "sra"}
)


@dataclass(frozen=True)
class Told:
    """Statements, and texts beside them whose names (not numbers) may be used."""

    statements: tuple[str, ...]
    known: tuple[str, ...]
    citations: Mapping[Citation, int]
    """Folded citations of the statements -> runs, 0 where that is not known here."""

    @cached_property
    def numbers(self) -> frozenset[str]:
        """The numbers of the statements as written, without thousands separators."""
        written = (one for text in self.statements for one in _NUMBER.findall(text))
        return frozenset(_plain(one) for one in written)

    @cached_property
    def counts(self) -> frozenset[float]:
        """The numbers of the statements by value, number words included."""
        found = (one for text in self.statements for one in read_numbers(text))
        return frozenset(written.value for _, written in found)

    @cached_property
    def tallies(self) -> frozenset[tuple[str, str]]:
        """Each name of the statements with the runs in brackets behind it."""
        found = (one for text in self.statements for one in _NAMED_COUNT.findall(text))
        return frozenset((name.split(", ")[-1].strip().lower(), count) for name, count in found)

    @cached_property
    def words(self) -> frozenset[str]:
        """The words that may be used as names, in lower case."""
        texts = (*self.statements, *self.known)
        return _PLAIN.union(word.lower() for text in texts for word in _WORD.findall(text))

    def names_accession(self, accession: str) -> bool:
        """Return whether a text holds ``accession``, in full."""
        texts = (*self.statements, *self.known)
        return any(accession in ACCESSION.findall(text) for text in texts)


def gather_told(
    statements: Iterable[str],
    *,
    known: Sequence[str] = (),
    citations: Iterable[Citation] = (),
) -> Told:
    """Return the evidence that ``statements`` are; their references are no part of what they say."""
    texts = tuple(strip_references(text) for text in statements)
    return Told(texts, tuple(known), {folded(one): 0 for one in citations})


def beyond_statements(words: str, told: Told) -> Iterator[Fault]:
    """Yield what ``words`` say beyond the statements.

    >>> told = gather_told(["Virus families: Phenuiviridae (31 runs), Nairoviridae (4 runs)."])
    >>> list(beyond_statements("Phenuiviridae (31 runs) lead.", told))
    []
    >>> wrong = "Phenuiviridae (4 runs) and Flaviviridae occur in 12 runs."
    >>> [fault.text for fault in beyond_statements(wrong, told)]
    ['12', 'Phenuiviridae (4 runs)', 'Flaviviridae']
    """
    yield from _untold_numbers(words, told)
    yield from _misplaced_counts(words, told)
    yield from _untold_names(words, told)


def _untold_numbers(words: str, told: Told) -> Iterator[Fault]:
    digits = [one for one in _NUMBER.findall(words) if _plain(one) not in told.numbers]
    spelled = [
        text
        for text, written in read_numbers(words)
        if not any(character.isdigit() for character in text) and written.value not in told.counts
    ]
    for number in (*digits, *spelled):
        yield Fault("number", number, "is in none of the statements")


def _misplaced_counts(words: str, told: Told) -> Iterator[Fault]:
    for before, count in _NAMED_COUNT.findall(words):
        name = before.lower()
        told_so = any(told_name and name.endswith(told_name) for told_name in _names(count, told))
        if not told_so:
            shown = f"{' '.join(before.split()[-2:])} ({count} runs)".lstrip()
            yield Fault("number", shown, "not the runs of that name")


def _names(count: str, told: Told) -> list[str]:
    """Return the names to which the statements give ``count`` runs."""
    return [name for name, runs in told.tallies if runs == count]


def _untold_names(words: str, told: Told) -> Iterator[Fault]:
    for accession in ACCESSION.findall(words):
        if not told.names_accession(accession):
            yield Fault("name", accession, "is in none of the statements")
    for match in _WORD.finditer(words):
        word = match.group()
        if word.lower() not in told.words and _is_name(words, match):
            yield Fault("name", word, "is in none of the statements")


def _is_name(text: str, match: re.Match[str]) -> bool:
    """Return whether the word matched is a virus's or a proper name: capitalised inside a sentence."""
    if _VIRUS_WORD.search(match.group()):
        return True
    before = text[: match.start()].rstrip()
    opens = not before or before[-1] in ".!?:"
    return match.group()[0].isupper() and not opens


def _plain(number: str) -> str:
    return number.replace(",", "")
