"""Hits and sets of runs in canonical English, and how the parts of any sentence are filled in."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from query.request.hits import Hit
from query.request.run_sets import And, Everything, Not, Or, RunSet
from query.request.sentences import CHOICES, CLAUSES, HIT, Option, Sentence, Slot, denied, pieces_of
from query.request.wording import said_field, said_name, said_names, said_range

Said = Callable[[Any], str]
"""Puts a part of a request in words; nothing where a sentence of this kind cannot say it."""


def say_hit(hit: Hit) -> str:
    """Return a hit as a noun phrase.

    >>> say_hit(Hit("EBV", evidence="species"))
    'EBV at 90 percent identity or more'
    """
    return said_by(HIT, parts_said(hit), type(hit))


def say_runs(runs: RunSet) -> str:
    """Return a set of runs as a noun phrase.

    >>> from query.request import Carries, Has
    >>> say_runs(Carries(Hit("EBV")) & Not(Has("host", "human")))
    'runs that carry EBV and do not have human as host'
    """
    if isinstance(runs, Everything):
        return "all runs"
    return f"runs that {say_clause(runs)}"


def say_clause(runs: RunSet) -> str:
    """Return the condition on the runs of a set, as a clause to follow "runs that"."""
    match runs:
        case And(of) | Or(of):
            return f" {runs.type} ".join(map(_nested, of))
        case Not(And() | Or() | Not() as inner):
            return f"are not among those that ({say_clause(inner)})"
        case Not(inner):
            return denied(say_clause(inner))
    return said_by(CLAUSES, parts_said(runs), type(runs))


def _nested(runs: RunSet) -> str:
    """Return a clause inside another, in brackets where "or" and "and" could be misread."""
    clause = say_clause(runs)
    return f"({clause})" if isinstance(runs, And | Or) else clause


def parts_said(thing: Any) -> dict[str, tuple[Any, bool]]:
    """Return the parts of a request by name, each with whether it differs from its default."""
    declared = thing.__pydantic_fields__.items()
    parts = {name: (getattr(thing, name), field.default) for name, field in declared}
    return {name: (part, part != usual) for name, (part, usual) in parts.items() if name != "type"}


def said_by(
    sentences: Sequence[Sentence],
    parts: Mapping[str, tuple[Any, bool]],
    of: type,
    said: Mapping[str, Said] | None = None,
) -> str:
    """Return the first of ``sentences`` for the class ``of`` that says all ``parts``.

    ``said`` puts parts in words, by their kind.
    """
    changed = {name for name, (_, is_changed) in parts.items() if is_changed}
    for sentence in sentences:
        if sentence.of is not of or any(parts[key][0] != sentence.fixed[key]
                                        for key in sentence.fixed):  # fmt: skip
            continue
        used = set(sentence.fixed)
        text = _filled(sentence.text, parts, said or KINDS, used)
        if text and changed <= used:
            return text
    raise TypeError(f"no sentence says {of.__name__} with {parts}")


def _filled(
    text: str, parts: Mapping[str, tuple[Any, bool]], said: Mapping[str, Said], used: set[str]
) -> str:
    """Return a sentence with ``parts`` filled in, adding them to ``used``; nothing if one that it
    needs is missing.
    """

    def words(piece: str | Slot) -> str:
        if isinstance(piece, str):
            return piece
        part, _ = parts[piece.part]
        choices = CHOICES.get(piece.kind)
        return said[piece.kind](part) if choices is None else choices.get(part, "")

    filled = []
    for piece in pieces_of(text):
        inner = piece.pieces if isinstance(piece, Option) else (piece,)
        slots = [slot for slot in inner if isinstance(slot, Slot)]
        is_said = not isinstance(piece, Option) or all(parts[slot.part][1] for slot in slots)
        written = [words(part) for part in inner] if is_said else [""]
        if all(written):
            filled += written
            used.update(slot.part for slot in slots)
        elif not isinstance(piece, Option):
            return ""
    return "".join(filled)


def with_article(field: str) -> str:
    """Return the name of a field with its article."""
    said = said_field(field)
    return f"an {said}" if said[0].lower() in "aeio" else f"a {said}"


def _whole(number: object) -> str:
    return str(number) if isinstance(number, int) else ""


def _name(name: str | None) -> str:
    return "" if name is None else said_name(name)


KINDS: Final[Mapping[str, Said]] = {
    "viruses": lambda names: said_names(names) or "any virus",
    "names": said_names,
    "name": _name,
    "all": lambda words: " and ".join(map(said_name, words)),
    "field": said_field,
    "fields": lambda name: said_field(name, plural=True),
    "a field": with_article,
    "range": lambda bounds: "" if bounds is None else said_range(bounds),
    "whole": _whole,
    "hit": lambda hit: "" if hit is None else say_hit(hit),
    "runs": lambda runs: "" if runs is None else say_runs(runs),
    "clause": say_clause,
}
"""How parts of hits and sets are put in words."""
