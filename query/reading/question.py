"""A question read: which terms it names, in which senses the index holds them, and what it asks
for.

Terms are found by the grounding engine (``query.reading.names``); names of viruses and verbatim
metadata values are looked up beside them, and the longest name wins. A term means itself and
everything below it. A term that no run carries is kept as absent: the honest answer to it is that
there is none. A name that is denied, or part of the name of a virus, is kept as left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Literal

import duckdb

from query.errors import EmptyQuestionError, QuestionTooLongError
from query.reading.intent import Intent, is_asking_word
from query.reading.kinds import (
    NAME,
    asks_in_common,
    asks_unexpected,
    beyond_counts,
    kind_of,
    limit_of,
    order_of,
    rule_words,
)
from query.reading.mentions import GROUP_ORDER, Mention
from query.reading.mentions_found import MentionsFound, find_mentions
from query.reading.names import NamedTerm, name_words, read_names
from query.reading.nearest import propose_names
from query.reading.predicates import Token, asked_and_unknown, thing_asked_for
from query.reading.reading import Reading
from query.reading.respelling import respelled
from query.reading.roles import (
    NEGATING,
    against_rest,
    asked_together,
    groups_met,
    role_words,
    ruled_out,
    sides_of,
    without_negations,
)
from query.reading.scope.clauses import Clauses, clauses_of
from query.reading.scope.doubt import Unknown, doubt_of
from query.reading.spans import is_a_name, positions
from query.reading.wanted import read_wanted
from query.screening.screen import screen_question

WITHOUT: Final = "without "
"""Beginning of the key of runs that are known not to carry what a question rules out."""
MAX_CHARACTERS: Final = 1000
"""Characters of the longest question that is read."""
_ACCESSION: Final = re.compile(r"(?:[SED]RR|SAM[NED][A-Z]?|PRJ[A-Z]{2})\d+")
_LIBRARIES: Final = re.compile(r"\blibrar(?:y|ies) (?:are |is |made )?of (?:the )?_|_ librar")
"""Asks for libraries of a virus, which are no finds."""

_LEFT_OPEN: Final = ("describe", "list")
"""Kinds that rules find where no word says more."""

Reason = Literal["denied", "part of a virus's name", "no name"]


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Words that grounding knows and the answer does not count; ``reason`` is denied, part of a
    virus's name, or no name (of anything).
    """

    text: str
    reason: Reason


@dataclass(frozen=True, slots=True)
class Question:
    """A question with what it names (``mentions``), what no run carries (``absent``), what it names
    without asking for it, its other telling words, and what all that asks (``reading``).
    """

    text: str
    intent: Intent
    mentions: tuple[Mention, ...]
    absent: tuple[Mention, ...]
    keywords: tuple[str, ...]
    left_out: tuple[LeftOut, ...] = ()
    reading: Reading = field(default_factory=Reading)

    @property
    def groups(self) -> tuple[str, ...]:
        """Keys of what runs must match, most telling first."""
        owner_of = {self.key(one): one.group for one in self.mentions}
        keys: list[str] = []
        for group in GROUP_ORDER:
            keys += [key for key, owner in owner_of.items() if owner == group]
        ruled = dict.fromkeys(one.group for one in self.reading.without)
        keys += [f"{WITHOUT}{group}" for group in ruled]
        return tuple(keys)

    def key(self, mention: Mention) -> str:
        """Return what names that are alternatives share: the group, and for a name that must hold
        at once with another of its group a key of its own.
        """
        each = self.reading.each
        if mention not in each:
            return mention.group
        if mention == each[0]:
            return mention.group
        return f"{mention.group}: {mention.label}"


def clean_question(text: str) -> str:
    """Return ``text`` as one line without control characters.

    Raises:
        EmptyQuestionError: no letter and no digit in it.
        QuestionTooLongError: more than ``MAX_CHARACTERS``.
        HarmfulQuestionError: it asks how to harm.
    """
    if len(text) > MAX_CHARACTERS:
        raise QuestionTooLongError(len(text), most=MAX_CHARACTERS)
    printable = [one if one.isprintable() else " " for one in text]
    words = "".join(printable).split()
    line = " ".join(words)
    says_something = any(character.isalnum() for character in line)
    if not says_something:
        raise EmptyQuestionError
    screen_question(line)
    return line


def read_question(con: duckdb.DuckDBPyConnection, text: str) -> Question:
    """Return ``text`` with its terms grounded in the index behind ``con``.

    Read with the names that questions are likely to hold; where a word stays without a meaning,
    with all names.
    """
    clauses = clauses_of(text)
    spelled = Clauses(respelled(clauses.asked), respelled(clauses.setting))
    question = _read(con, spelled, complete=False)
    if question.keywords:
        question = _read(con, spelled, complete=True)
    return replace(question, text=text)


def _read(con: duckdb.DuckDBPyConnection, clauses: Clauses, *, complete: bool) -> Question:
    """Return the question of ``clauses`` with its terms grounded.

    What the question rules out is read like any name first, and recognised by its place.
    """
    words, _ = name_words(clauses.text)
    allowed = without_negations(clauses.text)
    named = read_names(con, allowed, complete=complete)
    negation = NEGATING.search(clauses.text)
    found = find_mentions(con, words, named, negated=negation is not None)
    return _with_reading(con, clauses, _asked_about(found, clauses))


def _asked_about(names: MentionsFound, clauses: Clauses) -> MentionsFound:
    """Return ``names`` without those that only belong to the setting of a question."""
    if not clauses.setting:
        return names
    end = len(name_words(clauses.asked)[0])
    asked = [one for one in names.all if one.start < end]
    setting = [one for one in names.found if one.start >= end]
    if not asked and not setting:
        setting = [one for one in names.absent if one.start >= end]
    meant = [*asked, *clauses.meant(asked, setting)]
    return replace(
        names,
        named=[one for one in names.named if one.start < end],
        found=[one for one in names.found if one in meant],
        absent=[one for one in names.absent if one in meant],
        alone={span: spelled for span, spelled in names.alone.items() if span[0] < end},
    )


def _with_reading(
    con: duckdb.DuckDBPyConnection, clauses: Clauses, names: MentionsFound
) -> Question:
    """Return the question that holds these names, and asks what its other words ask."""
    text = clauses.asked
    words, everything = names.words, names.all
    said, _ = name_words(text)
    ruled = ruled_out(words, everything)
    kept = [one for one in names.found if one not in ruled]
    asked = [one for one in everything if one not in ruled]
    frame = _frame(name_words(without_negations(text))[0], everything)
    named_there = [one for one in everything if one.end <= len(said)]
    intent = read_wanted(said, named_there, kept)
    accessions = tuple(word for word in words if _ACCESSION.fullmatch(word))
    keywords = _unexplained(names, frame, accessions)
    tokens = _tokens(said, names, keywords)
    unknown = Unknown(keywords, asked_and_unknown(tokens), thing_asked_for(tokens))
    doubt = doubt_of(unknown, said, everything, ruled=bool(ruled))
    kind = kind_of(frame, explicit=intent.explicit, asks=text.rstrip().endswith("?"))
    if kind in _LEFT_OPEN and doubt.kind:
        kind = doubt.kind
    rest = kind == "compare" and against_rest(frame)
    only_accessions = accessions and all(one.text.upper() in accessions for one in everything)
    left_out = _left_out(names.named, words, names.found)
    doubtful = [one.text for one in left_out if one.reason != "denied"]
    together = asked_together(said if named_there else words, asked)
    met = groups_met(together) if kind in ("list", "rank", "describe", "exists") else ()
    if not all(one in kept for one in met):
        met = ()
    sides = _compared(words, kept, against_rest=rest) if kind == "compare" else met
    reading = Reading(
        kind="identify" if only_accessions and kind in ("describe", "list") else kind,
        facets=intent.facets,
        explicit=intent.explicit,
        subjects=tuple(kept),
        each=() if met else tuple(together),
        without=tuple(one for one in everything if one in ruled),
        sides=sides,
        against_rest=rest and bool(sides),
        common=bool(sides) and (bool(met) or asks_in_common(frame)),
        unexpected=asks_unexpected(frame),
        order=order_of(frame),
        absent=tuple(one for one in names.absent if one not in ruled),
        limit=limit_of(frame),
        accessions=accessions,
        setting=clauses.setting,
        only_wording=doubt.only_wording,
        not_understood=tuple(one for one in keywords if one not in doubt.only_wording),
        unanswerable=doubt.unanswerable,
        proposals=propose_names(con, [*keywords, *doubtful]),
        libraries=_LIBRARIES.search(frame) is not None,
        beyond=beyond_counts(frame),
    )
    return Question(text, intent, tuple(kept), reading.absent, keywords, left_out, reading)


def _unexplained(names: MentionsFound, frame: str, accessions: Sequence[str]) -> tuple[str, ...]:
    """Return the words that no name and no rule explains."""
    taken = positions(names.found)
    understood = {*rule_words(frame), *role_words(frame)}
    understood.update(one.lower() for one in accessions)
    unexplained = []
    for start, _ in names.alone:
        word = names.words[start]
        read = word.lower() in understood or is_asking_word(word)
        if start not in taken and not read:
            unexplained.append(word)
    return tuple(unexplained)


def _tokens(words: Sequence[str], names: MentionsFound, unknown: Sequence[str]) -> list[Token]:
    """Return the ``words`` of a question, each name as one token."""
    starts = {one.start: one.end for one in names.all}
    tokens = []
    place = 0
    while place < len(words):
        word = words[place]
        end = starts.get(place)
        if end:
            tokens.append(Token(word, "name"))
        else:
            tokens.append(Token(word, "unknown" if word in unknown else "plain"))
        place = end or place + 1
    return tokens


def _compared(
    words: Sequence[str], kept: Sequence[Mention], *, against_rest: bool
) -> tuple[Mention, ...]:
    """Return the names compared; with ``against_rest`` one will do, and no virus if it can be."""
    sides = sides_of(words, kept)
    if sides:
        return sides
    if not against_rest or not kept:
        return ()
    others = [one for one in kept if one.group != "virus"]
    candidates = others or kept
    return (candidates[-1],)


def _frame(words: Sequence[str], named: Sequence[Mention]) -> str:
    """Return the words in lower case with each name as ``_``."""
    starts = {one.start for one in named}
    taken = positions(named)
    frame = []
    for place, word in enumerate(words):
        if place in starts:
            frame.append(NAME)
        elif place not in taken:
            frame.append(word.lower())
    return " ".join(frame)


# --- names that do not count ----------------------------------------------------------------------


def _left_out(
    named: Iterable[NamedTerm], words: Sequence[str], found: Sequence[Mention]
) -> tuple[LeftOut, ...]:
    """Return the names that are denied or part of a virus's name, and that no mention covers."""
    taken = positions(found)
    left_out = []
    for one in named:
        silent = one.outcome in ("negated", "other")
        covered = range(one.start, one.end)
        if not silent or not taken.isdisjoint(covered):
            continue
        written = words[one.start : one.end]
        if not is_a_name(written):
            continue
        text = " ".join(written)
        reason = _reason(one)
        left_out.append(LeftOut(text, reason))
    return tuple(dict.fromkeys(left_out))


def _reason(name: NamedTerm) -> Reason:
    if name.outcome == "negated":
        return "denied"
    return "part of a virus's name" if name.terms else "no name"
