"""Whether the words of a question that mean nothing here are what it asks, or only beside it.

What the index can say is closed: where names are found, how often, in what company, and what their
abundance goes with. The words for that are names, the words of rules and the plain words of
``stop_words.txt``. Any other word that is the verb of a question, the thing asked for, or what runs
are said to be of ("in kids"), asks for something else, and the question is refused. A word that
only describes a name ("sleepy bats") is named as not understood, and the rest is answered.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from query.reading.intent import ASKED_BY, is_counted, singular

Part = Literal["name", "unknown", "plain"]

_CIRCUMSTANCE: Final = frozenset({
    "in", "on", "at", "from", "with", "by", "during", "after", "before", "under", "within",
    "among", "near", "since", "until", "for", "of", "and", "or", "without", "except",
})  # fmt: skip
_JOINS: Final = frozenset({"and", "or"})
_ARTICLES: Final = frozenset({"a", "an", "the", "any", "some", "their", "its", "no"})
_OPENS_A_NOUN: Final = frozenset({
    *_CIRCUMSTANCE, *_ARTICLES, "which", "what", "many", "most", "all", "both", "every", "each",
    "other", "do", "does", "did", "is", "are", "was", "were", "has", "have", "can", "could", "more",
    "fewer", "than", "versus", "vs", "compare", "list", "show", "name", "give", "tell", "about",
})  # fmt: skip
"""Plain words behind which a word that describes a noun may begin."""
_ASKS_FOR_A_NOUN: Final = frozenset({"which", "what", "whose", "many", "much"})
_BE: Final = frozenset({"is", "are", "was", "were"})


@dataclass(frozen=True, slots=True)
class Token:
    """A word of a question, or one name, with the part that it has."""

    word: str
    part: Part


def asked_and_unknown(tokens: Sequence[Token]) -> tuple[str, ...]:
    """Return the unknown words that do more than describe a name: the verb, the thing asked for,
    what runs are said to be of.

    >>> bats = Token("bats", "name")
    >>> asked_and_unknown([Token("do", "plain"), bats, Token("sleep", "unknown")])
    ('sleep',)
    >>> asked_and_unknown([Token("sleepy", "unknown"), bats])
    ()
    """
    asked = []
    for start, end in _stretches(tokens):
        if not _describes_a_noun(tokens, start, end):
            asked += [one.word for one in tokens[start:end]]
    return tuple(asked)


def said_of_runs(tokens: Sequence[Token]) -> tuple[str, ...]:
    """Return the unknown words behind a preposition, which say of which runs or what with: in kids.

    >>> said_of_runs([Token("EBV", "name"), Token("in", "plain"), Token("kids", "unknown")])
    ('kids',)
    """
    said = []
    for start, end in _stretches(tokens):
        if _is_circumstance(tokens, start) and not _describes_a_noun(tokens, start, end):
            said += [one.word for one in tokens[start:end]]
    return tuple(said)


def thing_asked_for(tokens: Sequence[Token]) -> tuple[str, ...]:
    """Return the unknown words of which the question asks which, what or how many.

    >>> asked = [Token("many", "plain"), Token("spikes", "unknown"), Token("has", "plain")]
    >>> thing_asked_for([*asked, Token("rabies virus", "name")])
    ('spikes',)
    """
    things = []
    for start, end in _stretches(tokens):
        opened = start > 0 and tokens[start - 1].word.lower() in _ASKS_FOR_A_NOUN
        opened = opened or _asks_whether_there_is(tokens, start)
        if opened and not _describes_a_noun(tokens, start, end):
            things.append(tokens[end - 1].word)
    return tuple(things)


def _asks_whether_there_is(tokens: Sequence[Token], start: int) -> bool:
    """Return whether the word at ``start`` is what a question asks if there is: are there foxes."""
    before = [one.word.lower() for one in tokens[max(0, start - 3) : start]]
    if before and before[-1] in _ARTICLES:
        before.pop()
    return before[-1:] == ["there"] and before[-2:-1] != [] and before[-2] in _BE


def _stretches(tokens: Sequence[Token]) -> list[tuple[int, int]]:
    """Return where unknown words follow one another: the first, and the token after the last."""
    stretches = []
    start = None
    for place, one in enumerate(tokens):
        if one.part == "unknown":
            start = place if start is None else start
        elif start is not None:
            stretches.append((start, place))
            start = None
    if start is not None:
        stretches.append((start, len(tokens)))
    return stretches


def _describes_a_noun(tokens: Sequence[Token], start: int, end: int) -> bool:
    """Return whether the words before ``end`` only describe the name or noun that follows."""
    if end == len(tokens) or not _is_noun(tokens[end]) or _says_which_runs(tokens, end):
        return False
    if start == 0:
        return True
    before = tokens[start - 1]
    if before.part == "name":
        return False
    return before.word.lower() in _OPENS_A_NOUN


def _says_which_runs(tokens: Sequence[Token], end: int) -> bool:
    """Return whether the noun at ``end`` is only what is counted: a word before it says which runs,
    and they are not the ones that are asked about.

    >>> _says_which_runs([Token("lymfoma", "unknown"), Token("runs", "plain")], 1)
    True
    """
    return tokens[end].part != "name" and is_counted(tokens[end].word)


def _is_noun(token: Token) -> bool:
    """Return whether ``token`` is a name, or a noun whose values or runs are asked for."""
    if token.part == "name":
        return True
    if is_counted(token.word):
        return True
    word = singular(token.word)
    return any(word in asking for asking in ASKED_BY.values())


def _is_circumstance(tokens: Sequence[Token], start: int) -> bool:
    """Return whether a preposition opens the words from ``start`` on."""
    place = start - 1
    while place >= 0 and tokens[place].word.lower() in _ARTICLES:
        place -= 1
    return place >= 0 and tokens[place].word.lower() in _CIRCUMSTANCE - _JOINS
