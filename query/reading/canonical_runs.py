"""Read back hits and sets of runs of canonical English, and the parts of any sentence."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final

from query.reading.canonical_words import Text
from query.request import And, Everything, Not, Or, RunSet
from query.request.sentences import (
    CHOICES,
    CLAUSES,
    HIT,
    Option,
    Piece,
    Sentence,
    Slot,
    denied,
    pieces_of,
)

Reader = Callable[[Text], Any]
"""Reads a part of a request."""


def set_of_runs(text: Text) -> RunSet:
    """Read a set of runs: "all runs", "runs that carry EBV"."""
    if text.take("all runs"):
        return Everything()
    text.expect("runs that")
    return clause(text)


def clause(text: Text) -> RunSet:
    """Read a condition on runs: "carry EBV and have human as host"."""
    parts = [_part(text)]
    joint = next((word for word in ("and", "or") if text.take(word)), "")
    if not joint:
        return parts[0]
    parts.append(_part(text))
    while text.take(joint):
        parts.append(_part(text))
    return And(tuple(parts)) if joint == "and" else Or(tuple(parts))


def _part(text: Text) -> RunSet:
    """Read one clause, or several in brackets."""
    if text.take("are not among those that ("):
        return Not(_in_brackets(text))
    if text.take("("):
        return _in_brackets(text)
    runs: RunSet = text.first_of(
        lambda text: read_one(text, CLAUSES, KINDS),
        lambda text: Not(read_one(text, CLAUSES, KINDS, put=denied)),
    )
    return runs


def _in_brackets(text: Text) -> RunSet:
    with text.deeper():
        inner = clause(text)
    text.expect(")")
    return inner


def read_one(
    text: Text,
    sentences: Sequence[Sentence],
    kinds: Mapping[str, Reader],
    *,
    put: Callable[[str], str] = str,
) -> Any:
    """Read what the first of ``sentences`` that fits says, each ``put`` in another form."""

    def read(sentence: Sentence, text: Text) -> Any:
        return sentence.of(**read_parts(text, put(sentence.text), kinds), **sentence.fixed)

    return text.first_of(*(partial(read, sentence) for sentence in sentences))


def read_parts(text: Text, sentence: str, kinds: Mapping[str, Reader]) -> dict[str, Any]:
    """Read the parts of a request that a sentence has; options may come in any order."""
    parts: dict[str, Any] = {}
    options: list[Option] = []
    for piece in (*pieces_of(sentence), ""):
        if isinstance(piece, Option):
            options.append(piece)
            continue
        while found := next((part for part in options if _takes(text, part, kinds, parts)), None):
            options.remove(found)
        options.clear()
        _read_piece(text, piece, kinds, parts)
    return parts


def _takes(text: Text, option: Option, kinds: Mapping[str, Reader], parts: dict[str, Any]) -> bool:
    """Read an option if it is next, and return whether it was."""

    def read(text: Text) -> bool:
        found: dict[str, Any] = {}
        for piece in option.pieces:
            _read_piece(text, piece, kinds, found)
        parts.update(found)
        return True

    return text.first_of(read, lambda _: False)


def _read_piece(
    text: Text, piece: Piece, kinds: Mapping[str, Reader], parts: dict[str, Any]
) -> None:
    if isinstance(piece, str) and piece.strip():
        text.expect(piece.strip())
    if isinstance(piece, Slot):
        choices = CHOICES.get(piece.kind)
        reader = kinds[piece.kind] if choices is None else partial(_chosen, choices=choices)
        parts[piece.part] = reader(text)


def _chosen(text: Text, *, choices: Mapping[Any, str]) -> Any:
    words = text.one_of(choices.values())
    return next(value for value, said in choices.items() if said == words)


def _names(text: Text) -> tuple[str, ...]:
    return text.several(text.name, "or")


def _field_with_article(text: Text) -> str:
    if not text.take("an"):
        text.expect("a")
    return text.field()


KINDS: Final[Mapping[str, Reader]] = {
    "viruses": lambda text: () if text.take("any virus") else _names(text),
    "names": _names,
    "name": Text.name,
    "all": lambda text: text.several(text.name, "and"),
    "field": Text.field,
    "fields": lambda text: text.field(plural=True),
    "a field": _field_with_article,
    "range": Text.range,
    "whole": Text.whole_number,
    "hit": lambda text: read_one(text, HIT, KINDS),
    "runs": set_of_runs,
    "clause": clause,
}
"""What reads parts of hits and sets, by their kind."""
