"""Evidence from statements: what a sentence that rewords them may cite, count and name.

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
from index.checking.language import LEADING, Sources, beyond_language
from index.checking.numbers import WORDS_FOR, read_numbers
from index.reports.citations import CitedValue, strip_references

_NUMBER: Final = re.compile(r"(?<![\w.-])\d[\d,]*(?:\.\d+)?%?(?![\w-])")
_NAMED_COUNT: Final = re.compile(r"([^();:]*?)\s*\((\d[\d,]*) (?:runs?|libraries)\b")
_WORD: Final = re.compile(r"[^\W\d_][\w.’'-]*\w|[^\W\d_]")
_VIRUS_WORD: Final = re.compile(r"vir(?:us|uses|idae|inae|ales|ome|al)$|phages?$", re.IGNORECASE)
_NOT_STATED: Final = "is in none of the statements"
_PLAIN: Final = frozenset(
    {"virus", "viruses", "viral", "virome", "phage", "phages", "rna", "dna", "sra"}
)


@dataclass(frozen=True)
class StatementEvidence:
    """Statements, and texts beside them whose names (not numbers) may be used."""

    statements: tuple[str, ...]
    known: tuple[str, ...]
    citations: Mapping[CitedValue, int]
    """Folded citations of the statements -> runs, 0 where that is not known here."""

    @cached_property
    def numbers(self) -> frozenset[str]:
        """The numbers of the statements as written, without thousands separators."""
        numbers: set[str] = set()
        for text in self.statements:
            numbers.update(_plain(number) for number in _NUMBER.findall(text))
        return frozenset(numbers)

    @cached_property
    def counts(self) -> frozenset[float]:
        """The numbers of the statements by value, number words included."""
        values: set[float] = set()
        for text in self.statements:
            values.update(written.value for _, written in read_numbers(text))
        return frozenset(values)

    @cached_property
    def tallies(self) -> frozenset[tuple[str, str]]:
        """Each name of the statements with the runs in brackets behind it."""
        tallies: set[tuple[str, str]] = set()
        for text in self.statements:
            for listed, count in _NAMED_COUNT.findall(text):
                last_name = listed.split(", ")[-1].strip()
                tallies.add((last_name.lower(), count))
        return frozenset(tallies)

    @cached_property
    def words(self) -> frozenset[str]:
        """The words that may be used as names, in lower case."""
        words = set(_PLAIN)
        for text in (*self.statements, *self.known):
            for word in _WORD.findall(text):
                words.add(word.lower())
        return frozenset(words)

    @cached_property
    def sources(self) -> Sources:
        """What a sentence may draw its words from."""
        spelled_out = {word for word, value in WORDS_FOR.items() if value in self.counts}
        allowed = frozenset(spelled_out) | LEADING
        return Sources(self.statements, self.known, allowed)

    @cached_property
    def largest(self) -> frozenset[str]:
        """The largest number of runs that a name has in each statement, as written."""
        counts = [[count for _, count in _NAMED_COUNT.findall(text)] for text in self.statements]
        return frozenset(max(found, key=_value) for found in counts if found)

    def names_accession(self, accession: str) -> bool:
        """Return whether a text holds ``accession``, in full."""
        texts = [*self.statements, *self.known]
        return any(accession in ACCESSION.findall(text) for text in texts)


def gather_statements(
    statements: Iterable[str],
    *,
    known: Sequence[str] = (),
    citations: Iterable[CitedValue] = (),
) -> StatementEvidence:
    """Return the evidence that ``statements`` are, their references removed."""
    texts = tuple(strip_references(text) for text in statements)
    resolved = {folded(citation): 0 for citation in citations}
    return StatementEvidence(
        statements=texts,
        known=tuple(known),
        citations=resolved,
    )


def beyond_statements(words: str, evidence: StatementEvidence) -> Iterator[Fault]:
    """Yield what ``words`` say beyond the statements.

    >>> evidence = gather_statements(
    ...     ["Virus families: Phenuiviridae (31 runs), Nairoviridae (4 runs)."]
    ... )
    >>> list(beyond_statements("Phenuiviridae (31 runs) lead.", evidence))
    []
    >>> wrong = "Phenuiviridae (4 runs) and Flaviviridae occur in 12 runs."
    >>> [fault.text for fault in beyond_statements(wrong, evidence)]
    ['12', 'Phenuiviridae (4 runs)', 'Flaviviridae']
    """
    yield from _new_numbers(words, evidence)
    yield from _misplaced_counts(words, evidence)
    foreign = list(_new_names(words, evidence))
    yield from foreign
    yield from _wrong_leaders(words, evidence)
    named = {fault.text for fault in foreign}
    for fault in beyond_language(words, evidence.sources):
        if fault.text not in named:
            yield fault


def _wrong_leaders(words: str, evidence: StatementEvidence) -> Iterator[Fault]:
    """Yield words for what has the most runs where the sentence does not give the most runs."""
    said = {word.lower() for word in _WORD.findall(words)}
    leading = sorted(said & LEADING - evidence.words)
    if leading and evidence.largest.isdisjoint(_NUMBER.findall(words)):
        yield Fault("claim", leading[0], "is said of what has not the most runs")


def _new_numbers(words: str, evidence: StatementEvidence) -> Iterator[Fault]:
    """Yield the numbers that are in no statement: digits first, then number words."""
    for number in _NUMBER.findall(words):
        if _plain(number) not in evidence.numbers:
            yield Fault("number", number, _NOT_STATED)
    for text, written in read_numbers(words):
        spelled_out = not any(character.isdigit() for character in text)
        if spelled_out and written.value not in evidence.counts:
            yield Fault("number", text, _NOT_STATED)


def _misplaced_counts(words: str, evidence: StatementEvidence) -> Iterator[Fault]:
    for before, count in _NAMED_COUNT.findall(words):
        stated_names = _names_with_count(count, evidence)
        if not before.lower().endswith(stated_names):
            name = " ".join(before.split()[-2:])
            shown = f"{name} ({count} runs)".lstrip()
            yield Fault("number", shown, "not the runs of that name")


def _names_with_count(count: str, evidence: StatementEvidence) -> tuple[str, ...]:
    """Return the names to which the statements give ``count`` runs."""
    names = []
    for name, runs in evidence.tallies:
        if name and runs == count:
            names.append(name)
    return tuple(names)


def _new_names(words: str, evidence: StatementEvidence) -> Iterator[Fault]:
    for accession in ACCESSION.findall(words):
        if not evidence.names_accession(accession):
            yield Fault("name", accession, _NOT_STATED)
    for match in _WORD.finditer(words):
        word = match.group()
        known = word.lower() in evidence.words
        if not known and _is_name(words, match):
            yield Fault("name", word, _NOT_STATED)


def _is_name(text: str, match: re.Match[str]) -> bool:
    """Return whether the word matched is a virus's or a proper name.

    A proper name is capitalised inside a sentence.
    """
    word = match.group()
    if _VIRUS_WORD.search(word):
        return True
    before = text[: match.start()].rstrip()
    opens_sentence = not before or before.endswith((".", "!", "?", ":"))
    return word[0].isupper() and not opens_sentence


def _value(number: str) -> int:
    return int(_plain(number))


def _plain(number: str) -> str:
    return number.replace(",", "")
