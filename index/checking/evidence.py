"""Parse the statements that a model was shown into names and numbers, once."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from index.checking.quantities import NO_NAMES, Keys, Quantity, ReadText, read_text, words_in

if TYPE_CHECKING:
    from index.checking.names import IndexNames

_HEADER: Final = "Community: "
_LABEL: Final = re.compile(r"^(?:\d+\. |\w+ \(\w+\): |Size: |Community: |[A-Z][a-z]+: )")
_NAMED: Final = (
    re.compile(r"([^,:;().“”]{3,60}?),? \((?:\d[\d,]* |as rep)"),
    re.compile(r"(?:The [\w -]+ is|Most frequent is) ([^,;()]{3,50}?)(?:,| in| for) "),
    re.compile(r" where \w[\w ()]*? is ([^,;()]{3,50}?) \("),
    re.compile(r"^([^,;()]{3,50}?) is the "),
)
"""Where statements of the index name a value: items of a list, subjects, sides of a test."""
_LEADS: Final = re.compile(
    r"^(?:.* is followed by |It divides into .* namely |(?:and|Next comes?|in|namely|with|chiefly|"
    r"K-mers show|Places|reported as|Its part|Its study|[A-Z]\w+ (?:families|species)) )"
)
_SHORTENED: Final = re.compile(r" (?:cells?|cell line|\w*virus)$")
VIRUS: Final = re.compile(
    r"\b(?:[A-Z][\w-]*(?: [\w-]+){0,6} )?\w*(?:virus|viridae|virinae)"
    r"(?: (?:\d+[A-Z]?|[A-Z]|type \d))?(?![\w-])"
)
BINOMIAL: Final = re.compile(
    r"\b[A-Z][a-z]{3,} [a-z]{2,}(?:us|ii|i|is|ensis|ola|ana|fera|um|ae|ata|ica|aris|pti)\b"
)
_CAPITALS: Final = re.compile(r"\b[A-Z]{3,}\d+\b|(?<=[a-z,;:(.] )[A-Z][\w-]+")
_SOTU: Final = re.compile(r"\bu\d+\b")
_RANK_ENDING: Final = re.compile(r"vir(?:idae|inae)$")
"""Flaviviridae are flaviviruses."""
_QUOTED: Final = re.compile(r"“([^“”]{2,40})”")
"""Values that submitters wrote, not titles."""
_MATCHING: Final = re.compile(r"runs? ")


@dataclass(frozen=True)
class Statement:
    """A statement of the index as the model saw it.

    ``header``   names in the title of the community that it is of
    ``matched``  runs that it is about, where it says so: the whole of the items that it lists
    """

    shown: str
    read: ReadText
    names: Keys
    header: Keys = NO_NAMES
    matched: float | None = None

    def stated_wholes(self) -> set[float]:
        """Return the numbers of runs that state a field: the wholes of its values."""
        numbers = self.read.quantities
        return {number.value for number in numbers if self.is_stated_whole(number)}

    def is_stated_whole(self, number: Quantity) -> bool:
        """Return whether ``number`` is the number of runs that state a field."""
        return self.read.marked[: number.start].endswith(("stated for ", "named for "))


class ShownEvidence:
    """The statements that a model was shown, and the names in them.

    ``about`` are titles shown with them: what they name may be named, too. So may what statements
    quote, such as the values of a test.
    """

    def __init__(
        self, shown: Sequence[str], names: IndexNames, *, about: Sequence[str] = ()
    ) -> None:
        self.finder = names
        self.phrases = _phrases([*shown, *about], names)
        keys = {key for found in self.phrases.values() for key in found}
        self._broader = names.broader(sorted(keys))
        self.statements = tuple(self._statements(shown))
        stated = (statement.names | statement.header for statement in self.statements)
        self.names = frozenset(keys).union(*stated)
        self.lineage = names.lineage(sorted(keys))
        self.kinds = frozenset(
            _RANK_ENDING.sub("virus", name.lower()) for name in self.lineage.values()
        )
        sizes = [statement for statement in self.statements if statement.shown.startswith("Size: ")]
        sized = [number.value for statement in sizes for number in statement.read.quantities[:1]]
        self.size = sized[0] if sized else None

    def read(self, sentence: str) -> ReadText:
        """Return ``sentence`` with the names of the index and of the evidence marked."""
        phrases = dict(self.finder.phrases(sentence))
        named = list(phrases)
        for phrase, keys in self.phrases.items():
            called = [name for name in named if f" {name} " in f" {phrase} "]
            for name in (phrase, *called):
                phrases[name] = phrases.get(name, NO_NAMES) | keys
        return read_text(sentence, phrases)

    def _statements(self, shown: Sequence[str]) -> list[Statement]:
        statements: list[Statement] = []
        header = NO_NAMES
        matched: float | None = None
        for line in shown:
            read = self._read(line)
            if line.startswith(_HEADER):
                header, matched = read.names, None
                statements.append(Statement(line, read, read.names))
                continue
            if not header:
                matched = None
            if matched is None and not re.match(r"\w+ \(|Size", line):
                matched = _matching(read)
            statements.append(Statement(line, read, read.names, header, matched))
        return statements

    def _read(self, line: str) -> ReadText:
        """Return a line as read; a name in it also counts as the name directly above it."""
        read = read_text(_LABEL.sub("", line), self.phrases, of_index=True)
        keys = tuple(self._widened(found) for found in read.keys)
        numbers = tuple(replace(it, own=self._widened(it.own)) for it in read.quantities)
        return replace(read, keys=keys, quantities=numbers)

    def _widened(self, keys: Keys) -> Keys:
        return keys.union(*(self._broader.get(key, NO_NAMES) for key in keys))


def _matching(read: ReadText) -> float | None:
    """Return how many runs a line is about: its first number of runs."""
    for number in read.quantities:
        after = read.marked[number.end : number.end + 25]
        if number.kind == "count" and _MATCHING.search(after):
            return number.value
    return None


def _phrases(shown: Sequence[str], names: IndexNames) -> dict[str, Keys]:
    """Return the names in what was shown; if the index does not have a name, its words are the key.

    The last word of a cell line or a virus may be left out.
    """
    found: dict[str, set[str]] = {}
    written = {line: _named_in(line) for line in shown}
    named = names.phrases_of_each([*written, *itertools.chain(*written.values())])
    for line, texts in written.items():
        for phrase, keys in named[line].items():
            found.setdefault(phrase, set()).update(keys)
        for text in texts:
            phrase = words_in(_LEADS.sub("", text.strip()))
            known = named[text].values() if phrase not in found else ()
            found.setdefault(phrase, {phrase}).update(*known)
    for phrase in [phrase for phrase in found if found[phrase] == {phrase}]:
        parts = [part for part in found if part != phrase and f" {part} " in f" {phrase} "]
        found[phrase].update(*(found[part] for part in parts if part not in _NO_NAMES))
    for phrase in [phrase for phrase in found if _SHORTENED.search(phrase)]:
        short = _SHORTENED.sub("", phrase)
        found.setdefault(short, set()).update(found[phrase])
    return {phrase: frozenset(keys) for phrase, keys in found.items() if phrase not in _NO_NAMES}


def _named_in(line: str) -> list[str]:
    """Return the parts of a line that are written as names are, or quoted."""
    said = _LABEL.sub("", line)
    found = [match[1] for pattern in _NAMED for match in pattern.finditer(said)]
    for pattern in (BINOMIAL, VIRUS, _CAPITALS, _SOTU):
        found += [match[0] for match in pattern.finditer(said)]
    return [*found, *(match[1] for match in _QUOTED.finditer(line))]


_NO_NAMES: Final = frozenset({
    "virus", "viruses", "a", "this", "that", "it", "its", "all", "yes", "no", "not", "of", "in",
    "and", "the", "chance", "families", "test", "tissue", "tissues", "data", "run", "runs", "host",
    "hosts", "many", "next", "size",
})  # fmt: skip
"""Words that are written as names are."""
