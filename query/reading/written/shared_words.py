"""Names of viruses that share words, written out: *hepatitis A, B or C virus*, *Eastern or
Venezuelan equine encephalitis virus*.

A list is written out only where every name that it gives is that of a virus known here, so that
nothing else is read into a question.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import duckdb

from query.reading.names.viruses import read_virus_names

_JOINT: Final = (
    r"(?:, ?(?:(?:and|or) )?|/| (?:and|or|nor|vs\.?|versus|together with|as well as) "
    r"(?:number |type |no\. )?)"
)
_LETTER: Final = r"(?:[A-Z]|\d{1,2}[A-Za-z]?)"
_NUMBERED: Final = re.compile(
    rf"(?P<head>(?:\b[\w'’-]+ ){{0,3}}\b[A-Za-z][\w'’-]*[A-Za-z])(?P<gap>[ -])"
    rf"(?P<items>{_LETTER}(?:{_JOINT}-?{_LETTER})+)(?P<tail> virus(?:es)?)?(?![\w-])"
)
"""A name with several letters or numbers: HHV-6A or 6B, hepatitis A, B or C virus."""
_WORD: Final = r"[A-Za-z][\w'’-]*\.?"
_ITEM: Final = rf"{_WORD}(?: {_WORD})?"
_QUALIFIED: Final = re.compile(
    rf"(?P<items>{_ITEM}(?:, {_ITEM})*(?:,? (?:and|or|nor|vs\.?|versus) ))"
    rf"(?P<last>(?:{_WORD} ){{1,4}}(?:\w*virus(?:es)?|\w+itis|fever)\b(?: virus(?:es)?\b)?)"
)
"""Names with several beginnings and one end: St. Louis or Murray Valley encephalitis virus."""
_MOST_WORDS: Final = 2
"""Words in which names of one list differ, at most."""


class _Reading(NamedTuple):
    """A way to write out a list: what it becomes, and the names in it."""

    becomes: str
    names: tuple[str, ...]


def with_shared_words(con: duckdb.DuckDBPyConnection, text: str) -> str:
    """Return ``text`` with each list of viruses that share words written out."""
    for pattern, ways in ((_NUMBERED, _numbered), (_QUALIFIED, _qualified)):
        for found in reversed(list(pattern.finditer(text))):
            written = _first_known(con, list(ways(found)))
            if written is not None:
                text = f"{text[: found.start()]}{written}{text[found.end() :]}"
    return text


def _numbered(found: re.Match[str]) -> Iterator[_Reading]:
    """Return the ways to read a name with several letters, those of the longest name first."""
    words = found["head"].split()
    items = re.split(rf"({_JOINT}-?)", found["items"])
    tail = found["tail"] or ""
    for start in range(len(words)):
        before, head = words[:start], " ".join(words[start:])
        names = [f"{head}{found['gap']}{item}{tail}" for item in items[::2]]
        yield _joined(before, names, items[1::2])


def _qualified(found: re.Match[str]) -> Iterator[_Reading]:
    """Return the ways to read names with one end, those that share most words first."""
    *parts, _ = re.split(r"((?:,? (?:and|or|nor|vs\.?|versus) )|, )", found["items"])
    first, *between = parts[::2]
    joints = parts[1::2]
    words, last = first.split(), found["last"].split()
    for own in range(1, min(_MOST_WORDS, len(last) - 1) + 1):
        end = " ".join(last[own:])
        for start in range(len(words)):
            begun = [" ".join(words[start:]), *between]
            names = [*(f"{one} {end}" for one in begun), found["last"]]
            yield _joined(words[:start], names, joints)


def _joined(before: Sequence[str], names: Sequence[str], joints: Sequence[str]) -> _Reading:
    """Return ``names`` with what stands between them, behind the words ``before``.

    >>> _joined(["in"], ["flu A", "flu B"], [" or "]).becomes
    'in flu A or flu B'
    """
    apart = [joint.rstrip("-") for joint in joints]
    pairs = itertools.zip_longest(names, apart, fillvalue="")
    listed = "".join(itertools.chain.from_iterable(pairs))
    return _Reading(" ".join([*before, listed]), tuple(names))


def _first_known(con: duckdb.DuckDBPyConnection, ways: Sequence[_Reading]) -> str | None:
    """Return what the first of ``ways`` becomes of which every name is that of a virus."""
    words: list[str] = []
    spans = {}
    for name in dict.fromkeys(itertools.chain.from_iterable(way.names for way in ways)):
        said = name.split()
        spans[name] = (len(words), len(words) + len(said))
        words += said
    named = read_virus_names(con, words, spans.values())
    known = {*named.in_full(spans.values()), *named.left_short(spans.values())}
    for way in ways:
        if all(spans[name] in known for name in way.names):
            return way.becomes
    return None
