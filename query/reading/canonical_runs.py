"""Read back hits and sets of runs of canonical English, and the parts of any sentence."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final

from query.reading.canonical_words import Text, UnreadError
from query.request import And, Everything, Has, Hit, Not, Or, RunSet
from query.request.sentences import (
    CHOICES,
    CLAUSES,
    FROM,
    HIT,
    PHRASES,
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
    """Read a set of runs: "all runs", "runs from the host bats that carry EBV"."""
    if text.take("all runs"):
        return Everything()
    text.expect("runs")
    phrases = _phrases(text)
    if phrases and not text.take("that"):
        return _all_of(phrases, "and")
    if not phrases:
        text.expect("that")
    return _with_clause(phrases, text)


def subject(text: Text) -> RunSet:
    """Read runs as subject and verb: "runs from the host human carry EBV"."""
    text.expect("runs")
    return _with_clause(_phrases(text), text)


def clause(text: Text) -> RunSet:
    """Read a condition on runs: "carry EBV and are from the host human"."""
    return _with_clause([], text)


def _with_clause(phrases: list[RunSet], text: Text) -> RunSet:
    parts = [_part(text)]
    joint = "or" if not phrases and text.starts("or ") else "and"
    while text.take(joint):
        is_further = joint == "and" and text.starts("the ")
        parts.append(_phrase(text, FROM) if is_further else _part(text))
    return _all_of([*phrases, *parts], joint)


def _phrases(text: Text) -> list[RunSet]:
    """Read "from the host human and the tissue liver with the disease flu", up to another word."""
    found: list[RunSet] = []
    while text.starts(*PHRASES.values()) or (found and text.starts("and the ")):
        found.append(_phrase(text, FROM if text.take("and") else ""))
    return found


def _phrase(text: Text, begun: str) -> RunSet:
    """Read "from the tissue lung"; ``begun`` is what was said before."""
    said = {phrase.removeprefix(begun): name for name, phrase in PHRASES.items()
            if phrase.startswith(begun)}  # fmt: skip
    field = said[text.one_of(said)]
    is_exact = text.take("exactly")
    return Has(field, _names(text), below=not is_exact)


def _all_of(parts: list[RunSet], joint: str) -> RunSet:
    if len(parts) == 1:
        return parts[0]
    return Or(tuple(parts)) if joint == "or" else And(tuple(parts))


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

    likely = (sentence for sentence in sentences if begins(text, put(sentence.text)))
    return text.first_of(*(partial(read, sentence) for sentence in likely))


def begins(text: Text, sentence: str) -> bool:
    """Return whether the first words of a sentence are next."""
    first = pieces_of(sentence)[0]
    return not isinstance(first, str) or text.starts(first.strip())


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


def _place(text: Text) -> RunSet:
    if text.take("there"):
        return Everything()
    text.expect("in")
    return set_of_runs(text)


def _restricted(text: Text) -> Hit:
    """Read what restricts hits of any virus: "of risk group RG3"."""
    parts = read_parts(text, HIT[0].text.removeprefix("{virus:viruses}"), KINDS)
    if not parts:
        raise UnreadError
    return Hit(**parts)


def _first(text: Text) -> int:
    if text.take("only the first"):
        return 1
    text.expect("the first")
    return text.whole_number()


KINDS: Final[Mapping[str, Reader]] = {
    "viruses": lambda text: () if text.take("any virus") else _names(text),
    "names": _names,
    "name": Text.name,
    "all": lambda text: text.several(text.name, "and"),
    "field": Text.field,
    "fields": lambda text: text.field(plural=True),
    "a field": _field_with_article,
    "range": Text.range,
    "bounds": lambda text: text.first_of(Text.range, Text.bound),
    "whole": Text.whole_number,
    "limit": _first,
    "hit": lambda text: read_one(text, HIT, KINDS),
    "runs": set_of_runs,
    "restriction": _restricted,
    "subject": subject,
    "place": _place,
    "clause": clause,
}
"""What reads parts of hits and sets, by their kind."""
