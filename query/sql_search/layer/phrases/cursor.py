"""A place in the tokens of a request, and what is read at any place: names, numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from query.sql_search.layer.lexicon import TableToken
from query.sql_search.layer.phrases.items import (
    Noun,
    Numbers,
)

Read = TypeVar("Read")


class Cursor:
    """A place in ``tokens``; ``kind_of`` says what each name is, ``numeric`` whether a field is a
    number. ``listed`` are names that were read joined by commas and by and, not by or.
    """

    def __init__(
        self,
        tokens: Sequence[TableToken],
        kind_of: Mapping[str, str],
        numeric: Callable[[str], bool],
    ) -> None:
        self.tokens = tokens
        self.kind_of = kind_of
        self.numeric = numeric
        self.place = 0
        self.listed: set[tuple[str, ...]] = set()

    def kind(self, ahead: int = 0) -> str:
        """Return the kind of a token ahead, empty behind the last."""
        place = self.place + ahead
        return self.tokens[place].kind if place < len(self.tokens) else ""

    def take(self, *kinds: str) -> TableToken | None:
        """Return the next token, and go on, where it is of one of ``kinds``."""
        if self.kind() not in kinds:
            return None
        token = self.tokens[self.place]
        self.place += 1
        return token

    def attempt(self, read: Callable[[], Read | None]) -> Read | None:
        """Return what ``read`` finds; the place is as before where that is nothing."""
        before = self.place
        found = read()
        if found is None:
            self.place = before
        return found

    def name_list(self) -> tuple[str, ...] | None:
        """Return names joined by commas, and, or."""
        first = self.take("name")
        if first is None:
            return None
        names = [first.text]
        joints = set()
        while self.kind() in ("comma", "and", "or"):
            ahead = 2 if self.kind() == "comma" and self.kind(1) in ("and", "or") else 1
            if self.kind(ahead) != "name":
                break
            of = self.tokens[self.place + ahead].text
            if self.kind_of.get(of) != self.kind_of.get(names[-1]):
                break
            joints |= {one.kind for one in self.tokens[self.place : self.place + ahead]}
            self.place += ahead
            token = self.take("name")
            names.append(token.text if token else "")
        found = tuple(dict.fromkeys(names))
        if joints and "or" not in joints:
            self.listed.add(found)
        return found

    def _is_number(self, ahead: int) -> bool:
        place = self.place + ahead
        return self.kind(ahead) == "field" and self.numeric(self.tokens[place].value)

    def _is_sign(self) -> bool:
        return self.tokens[self.place].text in ("%", "percent", "per cent")

    def numbers(self) -> Numbers | None:
        """Return the numbers that a phrase asks for."""
        raise NotImplementedError

    def noun(self) -> Noun | None:
        """Return a noun with what is said before and behind it."""
        raise NotImplementedError
