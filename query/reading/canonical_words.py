"""Read back words of canonical English: a place in a text, names, fields, numbers and bounds."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Final, TypeVar

from query.request import Range
from query.request.fields import ATTRIBUTE, REGISTRY, RUN
from query.request.request import MOST_LEVELS
from query.request.wording import has_grammar

T = TypeVar("T")
_CHUNK: Final = re.compile(r"[\w()./+'’*-]+")
_NUMBER: Final = re.compile(r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?(?![\w-])")
_DATE: Final = re.compile(r"\d{4}(?:-\d\d){0,2}(?![\w-])")
_WORD: Final = re.compile(r"[a-z_0-9]+")
_FIELDS: Final = {
    is_plural: sorted(
        [
            ("runs" if is_plural else "run", RUN),
            *((field.plural if is_plural else field.said, field.name) for field in REGISTRY),
        ],
        key=lambda named: -len(named[0]),
    )
    for is_plural in (False, True)
}
"""Names of fields, singular and plural, the longest first."""
_LOW: Final = {"from": "at_least", "at least": "at_least", "above": "above", "after": "above"}
_HIGH: Final = {
    "to below": "below",
    "to before": "below",
    "to": "at_most",
    "below": "below",
    "before": "below",
    "at most": "at_most",
    "until": "at_most",
}


class UnreadError(Exception):
    """The text is not what was expected."""


class Text:
    """A text and the place up to which it is read."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._level = 0

    def take(self, words: str) -> bool:
        """Read ``words`` if they are next, and return whether they were."""
        at = self._next()
        end = at + len(words)
        if not self._text.startswith(words, at):
            return False
        if words[-1].isalnum() and re.match(r"[\w'-]", self._text[end : end + 1]):
            return False
        self._at = end
        return True

    def starts(self, *words: str) -> bool:
        """Return whether one of ``words`` is next."""
        return self._text.startswith(words, self._next())

    def expect(self, words: str) -> None:
        """Read ``words``; raises ``UnreadError`` where they are not next."""
        if not self.take(words):
            raise UnreadError

    def one_of(self, words: Iterable[str]) -> str:
        """Read one of ``words`` and return it."""
        for word in words:
            if self.take(word):
                return word
        raise UnreadError

    def first_of(self, *readers: Callable[[Text], T]) -> T:
        """Return what the first of ``readers`` reads that can."""
        start, level = self._at, self._level
        for reader in readers:
            self._at, self._level = start, level
            try:
                return reader(self)
            except UnreadError:
                continue
        raise UnreadError

    def end(self) -> None:
        """Raise ``UnreadError`` if more follows."""
        if self._at < len(self._text):
            raise UnreadError

    def capitalise(self) -> None:
        """Make the next letter a capital, as at the start of a sentence."""
        at = self._next()
        self._text = self._text[:at] + self._text[at : at + 1].upper() + self._text[at + 1 :]

    @contextmanager
    def deeper(self) -> Iterator[None]:
        """Read what is in brackets; raises ``UnreadError`` where they are nested too deeply."""
        self._level += 1
        if self._level > 2 * MOST_LEVELS:
            raise UnreadError
        yield
        self._level -= 1

    def name(self) -> str:
        """Read a name, in quotation marks or of words that are not part of the grammar."""
        at = self._next()
        if self._text.startswith('"', at):
            return self._quoted(at)
        end = start = at
        while True:
            found = _CHUNK.match(self._text, start)
            if found is None:
                break
            chunk = _closed_part(self._text[at:start], found[0])
            if not chunk or has_grammar(chunk):
                break
            end = start + len(chunk)
            if end < found.end() or self._text[end : end + 1] not in (" ", ":"):
                break
            start = end + 1
        if end == at:
            raise UnreadError
        self._at = end
        return self._text[at:end]

    def several(self, read: Callable[[], T], joint: str) -> tuple[T, ...]:
        """Read one or more parts with ``read`` that are joined by ``joint``."""
        parts = [read()]
        while True:
            before, level = self._at, self._level
            try:
                self.expect(joint)
                parts.append(read())
            except UnreadError:
                self._at, self._level = before, level
                return tuple(parts)

    def field(self, *, plural: bool = False) -> str:
        """Read the English name of a field and return its key."""
        if self.take("attributes" if plural else "attribute"):
            return ATTRIBUTE + self._quoted(self._next())
        for said, key in _FIELDS[plural]:
            if self.take(said):
                return key
        raise UnreadError

    def word(self) -> str:
        """Read the name of a column of a stored table."""
        return self._matched(_WORD)

    def number(self) -> float:
        """Read a number."""
        return float(self._matched(_NUMBER))

    def whole_number(self) -> int:
        """Read a whole number."""
        digits = self._matched(_NUMBER)
        if not digits.isdecimal() or len(digits) > 9:
            raise UnreadError
        return int(digits)

    def range(self) -> Range:
        """Read bounds: "from 5 to below 9", "after 2018"."""
        if self.take("of") or self.take("in"):
            bound = self._bound()
            return Range(at_least=bound, at_most=bound)
        bounds: dict[str, Any] = {}
        for words in (_LOW, _HIGH):
            for said, key in words.items():
                if self.take(said):
                    bounds[key] = self._bound()
                    break
        if not bounds:
            raise UnreadError
        return Range(**bounds)

    def _bound(self) -> float | str:
        """Read a number or a date; a year is a number, which dates read as a year."""
        start = self._at
        try:
            return self.number()
        except UnreadError:
            self._at = start
            return self._matched(_DATE)

    def _next(self) -> int:
        """Return the place of what is next, after a blank."""
        return self._at + self._text.startswith(" ", self._at)

    def _matched(self, pattern: re.Pattern[str]) -> str:
        found = pattern.match(self._text, self._next())
        if found is None:
            raise UnreadError
        self._at = found.end()
        return found[0]

    def _quoted(self, at: int) -> str:
        """Read a name in quotation marks at ``at``."""
        if not self._text.startswith('"', at):
            raise UnreadError
        try:
            name, end = json.JSONDecoder().raw_decode(self._text, at)
        except ValueError:
            raise UnreadError from None
        self._at = end
        return str(name)


def _closed_part(before: str, chunk: str) -> str:
    """Return ``chunk`` up to a bracket that is not part of the name beginning with ``before``."""
    depth = before.count("(") - before.count(")")
    for place, letter in enumerate(chunk):
        depth += (letter == "(") - (letter == ")")
        if depth < 0:
            return chunk[:place]
    return chunk
