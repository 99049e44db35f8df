"""A question read: which terms it names, in which senses the index holds them, and what it asks
for.

Terms are found by the grounding engine (``query.reading.names``); names of viruses and verbatim
metadata values are looked up beside them, and the longest name wins. A term means itself and
everything below it. A term that no run carries is kept as absent: the honest answer to it is that
there is none. A name that is denied, or part of the name of a virus, is kept as left out.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Literal

import duckdb

from query.errors import EmptyQuestionError, QuestionTooLongError
from query.reading.held import VIRUS_NAME, held_and_absent
from query.reading.intent import (
    ASKED_BY,
    Intent,
    is_stop_word,
    read_intent,
    singular,
)
from query.reading.kinds import NAME, beyond_counts, kind_of, limit_of, rule_words
from query.reading.mentions import GROUP_OF_FACET, GROUP_ORDER, Mention
from query.reading.names import NamedTerm, name_words, read_names
from query.reading.nearest import propose_names
from query.reading.reading import Reading
from query.reading.roles import (
    NEGATING,
    ROLE_WORDS,
    against_rest,
    asked_together,
    ruled_out,
    sides_of,
    without_negations,
)
from query.reading.spans import (
    Spellings,
    beside,
    is_a_name,
    longest,
    outside,
    positions,
    stretches_of,
)
from query.reading.unlisted import (
    left_short,
    special_names,
    titled,
    unseen_places,
    virus_words,
    with_viruses,
)
from query.screening import screen_question

WITHOUT: Final = "without "
"""Beginning of the key of runs that are known not to carry what a question rules out."""
MAX_CHARACTERS: Final = 1000
"""Characters of the longest question that is read."""
_ACCESSION: Final = re.compile(r"(?:[SED]RR|SAM[NED][A-Z]?|PRJ[A-Z]{2})\d+")
_NAMES_A_TERM: Final = frozenset({"grounded", "ambiguous", "generic"})

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
        keys = dict.fromkeys((mention.group, self.key(mention)) for mention in self.mentions)
        ordered = [key for group in GROUP_ORDER for owner, key in keys if owner == group]
        ruled = dict.fromkeys(one.group for one in self.reading.without)
        return (*ordered, *(f"{WITHOUT}{group}" for group in ruled))

    def key(self, mention: Mention) -> str:
        """Return what names that are alternatives share: the group, and for a name that must hold
        at once with another of its group a key of its own.
        """
        each = self.reading.each
        alone = mention in each and mention != each[0]
        return f"{mention.group}: {mention.label}" if alone else mention.group


def clean_question(text: str) -> str:
    """Return ``text`` as one line without control characters.

    Raises:
        EmptyQuestionError: no letter and no digit in it.
        QuestionTooLongError: more than ``MAX_CHARACTERS``.
        HarmfulQuestionError: it asks how to harm.
    """
    if len(text) > MAX_CHARACTERS:
        raise QuestionTooLongError(len(text), most=MAX_CHARACTERS)
    line = " ".join("".join(one if one.isprintable() else " " for one in text).split())
    if not any(character.isalnum() for character in line):
        raise EmptyQuestionError
    screen_question(line)
    return line


def read_question(con: duckdb.DuckDBPyConnection, text: str) -> Question:
    """Return ``text`` with its terms grounded in the index behind ``con``.

    Read with the names that questions are likely to hold; where a word stays without a meaning,
    with all names.
    """
    question = _read(con, text, complete=False)
    return _read(con, text, complete=True) if question.keywords else question


@dataclass(frozen=True, slots=True)
class _Named:
    """What the words of a question name.

    ``named`` is what grounding says of them, ``found`` what some run carries, ``absent`` what none
    does, ``alone`` the single words that are left.
    """

    words: Sequence[str]
    named: Sequence[NamedTerm]
    found: Sequence[Mention]
    absent: Sequence[Mention]
    alone: Spellings

    @property
    def all(self) -> list[Mention]:
        """Every mention, in order."""
        return sorted((*self.found, *self.absent), key=lambda one: one.start)


def _read(con: duckdb.DuckDBPyConnection, text: str, *, complete: bool) -> Question:
    """Return ``text`` with its terms grounded.

    What the question rules out is read like any name first, and recognised by its place.
    """
    words, _ = name_words(text)
    named = read_names(con, without_negations(text), complete=complete)
    found = _find(con, words, named, negated=bool(NEGATING.search(text)))
    return _with_reading(con, text, found)


def _find(
    con: duckdb.DuckDBPyConnection,
    words: Sequence[str],
    named: Sequence[NamedTerm],
    *,
    negated: bool,
) -> _Named:
    """Return what ``words`` name: terms and values first, then what no ontology lists.

    ``negated``: something is ruled out, so that a name inside a longer one counts by itself.
    """
    stretches = stretches_of(words, blocked=positions(_denied(named)))
    known = with_viruses(con, words, named, stretches)
    asked_for = _telling(known, words, implied=negated)
    held, absent = held_and_absent(con, words, asked_for, stretches)
    mentions = longest([*held, *special_names(con, words)])
    phrases = [one for one in absent if one.end > one.start + 1]
    free = outside(stretches, [*mentions, *beside(phrases, mentions)])
    short, unseen = left_short(con, words, free)
    short += _named_after(con, words, beside(phrases, [*mentions, *short]))
    free = outside(free, short)
    worded = [*short, *longest(virus_words(con, words, free))]
    free = outside(free, [*worded, *named, *asked_for])
    places = unseen_places(words, free)
    free = outside(free, places)
    nowhere = [one for one in unseen if one.start in {start for start, _ in free}]
    lacking = longest([*beside([*absent, *nowhere], [*mentions, *worded]), *places])
    free = outside(free, lacking)
    alone = {span: spelled for span, spelled in free.items() if span[1] == span[0] + 1}
    found = sorted((*mentions, *worded), key=lambda mention: mention.start)
    if not found and not lacking:
        found = titled(con, alone)
    return _Named(words, named, found, lacking, alone)


def _named_after(
    con: duckdb.DuckDBPyConnection, words: Sequence[str], absent: Sequence[Mention]
) -> list[Mention]:
    """Return the viruses that runs carry and that diseases no run states are named after:
    hepatitis C.
    """
    diseases = [one for one in absent if one.group == "disease"]
    spans: Spellings = {(one.start, one.end): () for one in diseases}
    held, _ = left_short(con, words, spans)
    return held


def _with_reading(con: duckdb.DuckDBPyConnection, text: str, names: _Named) -> Question:
    """Return the question that holds these names, and asks what its other words ask."""
    words, everything = names.words, names.all
    ruled = ruled_out(words, everything)
    kept = [one for one in names.found if one not in ruled]
    asked = [one for one in everything if one not in ruled]
    frame = _frame(name_words(without_negations(text))[0], everything)
    intent = _intent(words, everything, kept)
    kind = kind_of(frame, explicit=intent.explicit)
    rest = kind == "compare" and against_rest(frame)
    accessions = tuple(word for word in words if _ACCESSION.fullmatch(word))
    only_accessions = accessions and all(one.text.upper() in accessions for one in everything)
    keywords = _unexplained(names, frame, accessions)
    sides = _compared(words, kept, against_rest=rest) if kind == "compare" else ()
    reading = Reading(
        kind="identify" if only_accessions and kind in ("describe", "list") else kind,
        facets=intent.facets,
        explicit=intent.explicit,
        subjects=tuple(kept),
        each=tuple(asked_together(words, asked)),
        without=tuple(one for one in everything if one in ruled),
        sides=sides,
        against_rest=rest and bool(sides),
        absent=tuple(one for one in names.absent if one not in ruled),
        limit=limit_of(frame),
        accessions=accessions,
        not_understood=keywords,
        proposals=propose_names(con, keywords),
        beyond=beyond_counts(frame),
    )
    left_out = _left_out(names.named, words, names.found)
    return Question(text, intent, tuple(kept), reading.absent, keywords, left_out, reading)


def _unexplained(names: _Named, frame: str, accessions: Sequence[str]) -> tuple[str, ...]:
    """Return the words that no name and no rule explains."""
    taken = positions(names.found)
    free = [names.words[start] for start, _ in names.alone if start not in taken]
    understood = rule_words(frame).union(ROLE_WORDS, (one.lower() for one in accessions))
    return tuple(word for word in free if word.lower() not in understood)


def _compared(
    words: Sequence[str], kept: Sequence[Mention], *, against_rest: bool
) -> tuple[Mention, ...]:
    """Return the names compared; with ``against_rest`` one will do, and no virus if it can be."""
    sides = sides_of(words, kept)
    if sides or not against_rest or not kept:
        return sides
    groups = [one for one in kept if one.group != "virus"] or list(kept)
    return (groups[-1],)


def _frame(words: Sequence[str], named: Sequence[Mention]) -> str:
    """Return the words in lower case with each name as ``_``."""
    starts = {one.start for one in named}
    taken = positions(named)
    frame = (
        NAME if place in starts else "" if place in taken else word.lower()
        for place, word in enumerate(words)
    )
    return " ".join(word for word in frame if word)


# --- which names count ----------------------------------------------------------------------------


def _telling(
    named: Iterable[NamedTerm], words: Sequence[str], *, implied: bool = False
) -> list[NamedTerm]:
    """Return the names that ask for their term: not denied, nor words that only ask (``host``).

    A name ``implied`` by a narrower one counts where the narrower may be ruled out.
    """
    telling = _NAMES_A_TERM | ({"implied"} if implied else set())
    said = [one for one in named if one.terms and is_a_name(words[one.start : one.end])]
    return [one for one in said if one.outcome in telling or _stands_alone(one, words)]


def _stands_alone(one: NamedTerm, words: Sequence[str]) -> bool:
    """Return whether a name that could be part of a virus's name is not: bat samples with a
    coronavirus are no samples of Bat coronavirus.
    """
    if one.outcome != "other":
        return False
    following = itertools.takewhile(lambda word: not is_stop_word(word), words[one.end :])
    return not any(VIRUS_NAME.search(singular(word)) for word in following)


def _denied(named: Iterable[NamedTerm]) -> list[NamedTerm]:
    return [one for one in named if one.outcome == "negated"]


def _left_out(
    named: Iterable[NamedTerm], words: Sequence[str], found: Sequence[Mention]
) -> tuple[LeftOut, ...]:
    """Return the names that are denied or part of a virus's name, and that no mention covers."""
    taken = positions(found)
    silent = (one for one in named if one.outcome in ("negated", "other"))
    kept = (one for one in silent if taken.isdisjoint(range(one.start, one.end)))
    worded = ((one, words[one.start : one.end]) for one in kept)
    told = (LeftOut(" ".join(text), _reason(one)) for one, text in worded if is_a_name(text))
    return tuple(dict.fromkeys(told))


def _reason(name: NamedTerm) -> Reason:
    if name.outcome == "negated":
        return "denied"
    return "part of a virus's name" if name.terms else "no name"


# --- what the other words ask for -----------------------------------------------------------------


def _intent(words: Sequence[str], named: Sequence[Mention], found: Sequence[Mention]) -> Intent:
    """Return what the words outside of all names ask for.

    A word right behind a name of its kind belongs to the name: breast tissue, lung disease.
    """
    taken = positions(named)
    behind = {one.end: one.group for one in named}
    asking = [
        word
        for position, word in enumerate(words)
        if position not in taken and not _belongs(word, behind.get(position))
    ]
    facets = frozenset(facet for mention in found for facet in mention.facets)
    read = read_intent(" ".join(asking), named_facets=facets)
    return _asking_for_others(read, {one.group for one in found})


def _belongs(word: str, group: str | None) -> bool:
    """Return whether ``word`` only says what the name of ``group`` before it is."""
    folded = singular(word)
    owners = (facet for facet, words in ASKED_BY.items() if folded in words)
    return group is not None and group in {GROUP_OF_FACET[facet] for facet in owners}


def _asking_for_others(intent: Intent, groups: set[str]) -> Intent:
    """Return ``intent`` without the hosts of a named host: what infects it are viruses."""
    asks_hosts = intent.explicit and "host" in intent.facets
    if not asks_hosts or "organism" not in groups or "virus" in groups:
        return intent
    others = tuple(facet for facet in intent.facets if facet != "host")
    return replace(intent, facets=others or ("family", "species"))
