"""Misspelled words of a question, mended to words that the reader or the index knows.

Only words that nothing else explains are mended: no part of a name, no cue, no field, no common
English. The nearest known word must be a clear winner; otherwise the word stays as written.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final

import duckdb

from index.store.same_for_all import same_for_all
from query.compiler.reviewed import places
from query.reading.found_name import FoundName
from query.reading.items import Item, items_of
from query.reading.lexicon import cues, everyday_names, rows_of, stems_of
from query.reading.meanings import is_common
from query.reading.names import find_names
from query.reading.tokens import Token, tokens_of

_FEWEST_OF_NAMES: Final = 5
"""Shortest word, in letters, that is mended to a word of a name."""
_FEWEST: Final = 4
"""Shortest word, in letters, that is mended to a cue or a field."""
_FEWEST_REPLACED: Final = 7
"""Shortest word, in letters, that may have a wrong letter without another word to confirm it."""
_LONG: Final = 9
"""Shortest word, in letters, that may have two wrong letters."""
_CLEAR: Final = 3
"""A winner needs this many times the runs of the second-best word."""
_FEWEST_OF_PHRASES: Final = 9
"""Fewest letters and digits of several words that are mended to a name of several words."""
_LONG_PHRASE: Final = 15
"""The same where each word means something by itself: "african swine fevr virus"."""
_MOST_WORDS: Final = 5
_WORD: Final = re.compile(r"[^\W_]+")
_PLURAL_OF_Y: Final = re.compile(r"[a-z]+[^aeiou\W]ys$")
"""A plural that English writes with -ies: studys."""
_EXTRA: Final = ("viruses", "virus", "samples", "libraries", "runs")


@dataclass(frozen=True, slots=True)
class SpelledWords:
    """Known words, with the runs that carry names with them, by first letter.

    ``spaced`` has names of two words by their letters without a blank, for words that were joined.
    ``phrases`` has names of several words by their first letters and their digits.
    """

    runs: Mapping[str, int]
    by_letter: Mapping[str, Sequence[tuple[str, int]]]
    spaced: Mapping[str, str]
    phrases: Mapping[tuple[str, str], Mapping[str, tuple[str, int]]]


def corrected(
    con: duckdb.DuckDBPyConnection, tokens: Sequence[Token], names: Sequence[FoundName]
) -> list[Token]:
    """Return ``tokens`` with misspelled words mended; places in the question stay as they were.

    A name of two words that was written as one becomes one token with a blank, and a name of one
    word that was written as two becomes one token. A slip in a name of several words may make other
    words of its own: "epstein bar virus", "Aedes egypti". Nothing is mended without the list of
    usual English words, which comes with the sentence model.
    """
    if not is_common("the"):
        return list(tokens)
    named = [(tokens[name.first].start, tokens[name.last - 1].end) for name in names]
    starts = {
        tokens[item.first].start
        for item in items_of(tokens, names)
        if item.kind == "word" and item.text.isascii()
    }
    written = {token.start: token.text for token in tokens}
    tokens = _with_phrases(con, tokens, starts, named)
    open_places = {
        place
        for place, token in enumerate(tokens)
        if token.start in starts and token.text == written[token.start]
    }
    mended: list[Token] = []
    place = 0
    while place < len(tokens):
        token, joined = tokens[place], _joined(con, tokens, place, open_places)
        if joined is not None:
            mended.append(joined)
            place += 2
            continue
        before = tokens[place - 1].lower if place else ""
        text = _mended(con, token, before) if place in open_places else None
        mended.append(token if text is None else replace(token, text=_cased(text, token)))
        place += 1
    return _with_phrases(con, mended, starts, named)


def respelled(con: duckdb.DuckDBPyConnection, name: str) -> str | None:
    """Return ``name``, which the index does not know, with its misspelled words mended.

    None if nothing in it is misspelled, or no known word is clearly the nearest.
    """
    tokens = tokens_of(name)
    mended = corrected(con, tokens, find_names(con, tokens))
    text = " ".join(token.text for token in mended)
    return None if text.lower() == " ".join(token.lower for token in tokens) else text


def mark_corrected(
    names: Sequence[FoundName], tokens: Sequence[Token], text: str
) -> list[FoundName]:
    """Return ``names``, marked if one of their tokens is spelled differently in ``text``."""
    return [
        replace(name, corrected=True)
        if any(
            token.text != text[token.start : token.end] for token in tokens[name.first : name.last]
        )
        else name
        for name in names
    ]


def mended_where_used(tokens: Sequence[Token], items: Iterable[Item], text: str) -> list[Token]:
    """Return mended ``tokens``, those that are still no name, cue or field as ``text`` has them."""
    words = {item.first for item in items if item.kind == "word"}
    return [
        replace(token, text=text[token.start : token.end]) if place in words else token
        for place, token in enumerate(tokens)
    ]


def _with_phrases(
    con: duckdb.DuckDBPyConnection,
    tokens: Sequence[Token],
    open_starts: set[int],
    named: Sequence[tuple[int, int]],
) -> list[Token]:
    """Return ``tokens`` with neighbours mended if only a slip keeps them from being a name.

    One of them must start at one of ``open_starts``, where no name, cue or field is; only blanks
    may be wrong in words that are several names so far ("kaposi sarcoma herpes virus"). ``named``
    has the letters of the question where each name begins and ends.
    """
    mended: list[Token] = []
    place = 0
    while place < len(tokens):
        for size in range(min(_MOST_WORDS, len(tokens) - place), 1, -1):
            several = tokens[place : place + size]
            name = None
            is_open = not open_starts.isdisjoint(token.start for token in several)
            start, end = several[0].start, several[-1].end
            if not any(first <= start and end <= last for first, last in named):
                name = _phrase(con, several, may_slip=is_open)
            if name is not None:
                mended += _respelled(several, name)
                place += size
                break
        else:
            mended.append(tokens[place])
            place += 1
    return mended


def _phrase(
    con: duckdb.DuckDBPyConnection, several: Sequence[Token], *, may_slip: bool
) -> str | None:
    """Return the name that neighbouring words spell except for a letter or a blank.

    A replaced letter makes another name too easily; small words must be words of the name, too.
    """
    if any(not token.text.isalnum() for token in several) or any(
        behind.start != before.end + 1 for before, behind in pairwise(several)
    ):
        return None
    whole = "".join(token.lower for token in several)
    if len(whole) < _FEWEST_OF_PHRASES:
        return None
    known = vocabulary(con).phrases.get(_key(whole), {})
    if whole in known:
        name = known[whole][0]
        return None if _WORD.findall(name) == [token.lower for token in several] else name
    if not may_slip and len(whole) < _LONG_PHRASE:
        return None
    near = _nearest(con, whole, [(letters, runs) for letters, (_, runs) in known.items()])
    nearest = sorted(candidate for candidate in near if candidate[0] == (1, False))
    small = {token.lower for token in several if len(token.text) < 3}
    nearest = [
        candidate for candidate in nearest if small <= set(_WORD.findall(known[candidate[1]][0]))
    ]
    winner = _winner(sorted(nearest, key=lambda candidate: -candidate[2]), [])
    return None if winner is None else known[winner][0]


def _respelled(several: Sequence[Token], name: str) -> list[Token]:
    """Return ``several`` tokens spelled as ``name``: word by word, or as one if blanks differ."""
    words = _WORD.findall(name)
    if len(words) != len(several):
        return [Token(name, several[0].start, several[-1].end)]
    return [
        token if token.lower == word else replace(token, text=_cased(word, token))
        for token, word in zip(several, words, strict=True)
    ]


def _cased(word: str, token: Token) -> str:
    return word[0].upper() + word[1:] if token.text[0].isupper() else word


def _key(letters: str) -> tuple[str, str]:
    return letters[:2], _digits(letters)


def _joined(
    con: duckdb.DuckDBPyConnection, tokens: Sequence[Token], place: int, open_places: set[int]
) -> Token | None:
    """Return two neighbouring words as one, if only together they are a known word."""
    pair = tokens[place : place + 2]
    if len(pair) < 2 or not {place, place + 1} & open_places:
        return None
    whole = pair[0].lower + pair[1].lower
    if pair[1].start != pair[0].end + 1 or not whole.isalpha() or len(whole) < _FEWEST_OF_NAMES:
        return None
    if min(len(word.text) for word in pair) < 3 or whole not in vocabulary(con).runs:
        return None
    return Token(whole, pair[0].start, pair[1].end)


def _mended(con: duckdb.DuckDBPyConnection, token: Token, before: str) -> str | None:
    """Return the known word that a word misspells; None if there is no clear one.

    A short word with a wrong letter is often a word of its own (cull, tobamo): it is mended only if
    it completes a phrase with the word ``before`` it, as in "how meny".
    """
    word = token.lower
    is_name = len(word) >= _FEWEST_OF_NAMES
    if len(word) < _FEWEST or token.text.isupper() or not _WORD.fullmatch(word) or word.isdecimal():
        return None
    if is_common(word) and not _PLURAL_OF_Y.match(word):
        return None
    known = vocabulary(con)
    if word.endswith("ies") and f"{word[:-3]}ey" in known.runs:
        return f"{word[:-3]}eys"
    if is_name and word in known.spaced:
        return known.spaced[word]
    if word in known.runs or word in question_words():
        return None
    question_candidates = _nearest(
        con, word, [(known_word, 1) for known_word in sorted(question_words())]
    )
    named = _nearest(con, word, known.by_letter.get(word[0], ())) if is_name else []
    nearest = sorted(
        {*question_candidates, *named}, key=lambda candidate: (candidate[0], -candidate[2])
    )
    winner = _winner(nearest, question_candidates)
    if winner is not None and len(word) < _FEWEST_REPLACED and _is_replaced(word, winner):
        return winner if stems_of(f"{before} {winner}") in cues() else None
    return winner


Near = tuple[tuple[int, bool], str, int]
"""Distance, whether a letter is wrong, the known word, and its runs."""


def _nearest(
    con: duckdb.DuckDBPyConnection, word: str, known: Iterable[tuple[str, int]]
) -> list[Near]:
    """Return the known words that one or two typing errors turn into ``word``."""
    most = 2 if len(word) >= _LONG else 1
    digits, letters = _digits(word), _letters(word)
    near = {
        other: runs
        for other, runs in known
        if other[0] == word[0]
        and abs(len(other) - len(word)) <= most
        and (_letters(other) ^ letters).bit_count() <= 2 * most
        and _digits(other) == digits
    }
    if not near:
        return []
    rows = con.execute(
        "SELECT word, damerau_levenshtein(word, $1) AS distance "
        "FROM (SELECT unnest($2::VARCHAR[]) AS word) WHERE distance BETWEEN 1 AND $3",
        [word, list(near), most],
    ).fetchall()
    return [((distance, _is_replaced(word, other)), other, near[other]) for other, distance in rows]


def _winner(nearest: Sequence[Near], asked: Sequence[Near]) -> str | None:
    """Return the nearest word, if only question words have it, or far more runs."""
    best = [candidate for candidate in nearest if candidate[0] == nearest[0][0]]
    of_asking = {word for _, word, _ in asked}
    words = sorted({word for _, word, _ in best if word in of_asking})
    if words:
        return words[0] if len(words) == 1 and len({word for _, word, _ in best}) == 1 else None
    if not best:
        return None
    if len(best) > 1 and best[0][2] < _CLEAR * best[1][2]:
        return None
    return best[0][1]


def _is_replaced(word: str, other: str) -> bool:
    """Return whether a letter replaces another: rarer than one left out, doubled or swapped."""
    return len(word) == len(other) and sorted(word) != sorted(other)


@functools.lru_cache(maxsize=100_000)
def _letters(word: str) -> int:
    """Return the letters of a word as bits."""
    bits = 0
    for letter in word:
        bits |= 1 << (ord(letter) % 61)
    return bits


def _digits(word: str) -> str:
    return "".join(letter for letter in word if letter.isdecimal())


@functools.cache
def question_words() -> frozenset[str]:
    """Return the words of cues and fields, at least four letters long."""
    phrases = [row["phrase"] for row in rows_of("cues.tsv")]
    phrases += [row["word"] for row in rows_of("fields.tsv")]
    words = {word for phrase in phrases for word in _WORD.findall(phrase.lower())}
    words |= {f"{row['word']}s" for row in rows_of("fields.tsv") if row["word"][-1] not in "sy"}
    return frozenset(word for word in (*words, *_EXTRA) if len(word) >= _FEWEST)


@same_for_all
def vocabulary(con: duckdb.DuckDBPyConnection) -> SpelledWords:
    """Return the words of the names that an index carries, and of everyday names."""
    names: dict[str, int] = {}
    for name, runs in con.execute(_NAMES).fetchall():
        names[name.lower()] = max(runs, names.get(name.lower(), 0))
    for word, everyday in everyday_names().items():
        names.setdefault(word, names.get(everyday.label.lower(), 1))
    for country, *_ in places():
        names.setdefault(country.lower(), 1)
    counted: dict[str, int] = {}
    spaced: dict[str, str] = {}
    whole_names: list[tuple[str, str, int]] = []
    phrases: dict[tuple[str, str], dict[str, tuple[str, int]]] = {}
    for name, runs in names.items():
        words = _WORD.findall(name)
        for word in words:
            if len(word) >= _FEWEST and word.isascii() and not word.isdecimal():
                counted[word] = max(runs, counted.get(word, 0))
        if len(words) == 2 and " " in name and all(word.isalpha() for word in words):
            spaced.setdefault("".join(words), name)
        letters = "".join(words)
        if len(words) <= _MOST_WORDS and name.isascii():
            whole_names.append((letters, name, runs))
    for letters, name, runs in (*whole_names, *((word, word, counted[word]) for word in counted)):
        if len(letters) >= _FEWEST_OF_PHRASES:
            alike = phrases.setdefault(_key(letters), {})
            alike[letters] = max(
                alike.get(letters, ("", 0)), (name, runs), key=lambda pair: pair[1]
            )
    by_letter: dict[str, list[tuple[str, int]]] = {}
    for word, runs in sorted(counted.items()):
        by_letter.setdefault(word[0], []).append((word, runs))
    return SpelledWords(counted, by_letter, spaced, phrases)


_NAMES: Final = """
WITH runs_of AS (SELECT virus, count(DISTINCT run) AS runs FROM detection GROUP BY 1)
SELECT name, max(runs) FROM virus_name JOIN runs_of USING (virus) GROUP BY 1
UNION ALL SELECT family, count(DISTINCT run) FROM detection WHERE family IS NOT NULL GROUP BY 1
UNION ALL
SELECT trim(split_part(value, ':', 1)), count(DISTINCT run) FROM annotation
WHERE value IS NOT NULL GROUP BY 1
"""
