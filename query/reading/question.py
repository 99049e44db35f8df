"""A question read: which terms it names, in which senses the index holds them, and what it asks
for.

Terms are found by the grounding engine (``query.reading.names``); names of viruses and verbatim
metadata values are looked up beside them, and the longest name wins. A term means itself and
everything below it. A term that no run carries is kept as absent: the honest answer to it is that
there is none. A name that is denied, or part of the name of a virus, is kept as left out.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final

import duckdb

from query.errors import EmptyQuestionError, QuestionTooLongError
from query.reading.asked.answer_kind import KindAsked, heeding, is_left_open, kind_asked
from query.reading.asked.associations import attributes_named
from query.reading.asked.besides import asks_in_common
from query.reading.asked.frame import (
    accessions_of,
    frame_of,
    only_accessions,
    only_in_story,
    tokens_of,
    unexplained_words,
    without_story,
)
from query.reading.asked.framed import asked_by_frame, frames_of
from query.reading.asked.left_out import (
    LeftOut,
    described_viruses,
    doubtful_names,
    left_out_names,
    unknown_in_setting,
    unknown_in_topic,
    unknown_viruses,
)
from query.reading.asked.parts import (
    Parts,
    compared_names,
    excepted_of,
    names_at_once,
    parts_of,
)
from query.reading.asked.setting import is_topic, names_asked_about
from query.reading.asked.stored import read_stored
from query.reading.asked.tested import tested_attributes
from query.reading.asked.whole_named import apart_from_whole, whole_named
from query.reading.intent import Intent
from query.reading.kinds import Kind
from query.reading.limits import FIGURES_BY_GROUP, OF_ALL_SOURCES
from query.reading.measured.figures import figure_of_hits
from query.reading.measured.parts_of_runs import part_of_runs
from query.reading.measured.selects import APART
from query.reading.mentions import GROUP_ORDER, Mention
from query.reading.names.mentions_found import MentionsFound, find_mentions
from query.reading.names.named_terms import NamedTerm, asides_in, name_words, pauses_in, read_names
from query.reading.nearest import propose_names, propose_viruses, propose_wording
from query.reading.predicates import asked_and_unknown, said_of_runs, thing_asked_for
from query.reading.reading import Reading
from query.reading.respelling.rules import put_plainly
from query.reading.roles import NEGATING, against_rest, denial_in, without_negations
from query.reading.scope.clauses import Clauses, clauses_of
from query.reading.scope.doubt import Doubt, Unknown, doubt_of, usual_words
from query.reading.scope.splitting import opening_of
from query.reading.sources import kept_to_source
from query.reading.wanted import rank_of, rank_of_hosts, ranks_asked, read_wanted
from query.reading.written.explained import without_explained
from query.reading.written.identifiers import with_labels
from query.reading.written.shared_words import with_shared_words
from query.reading.written.virus_kinds import without_virus_kinds
from query.screening.screen import screen_question

WITHOUT: Final = "without "
"""Beginning of the key of runs that are known not to carry what a question rules out."""
MAX_CHARACTERS: Final = 1000
"""Characters of the longest question that is read."""
_LONGEST_NAME: Final = 3
"""Words of an opening that may be a name which nobody knows."""
_WORDING: Final = re.compile(r"\D{2,}")
"""No letter or number: these tell viruses apart (enterovirus 71)."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question with what it names (``mentions``), what no run carries (``absent``), what it names
    without asking for it, its other telling words, and what all that asks (``reading``).

    ``likeness`` is how much it is like what counts can answer, weighed only where words of it mean
    nothing here.
    """

    text: str
    intent: Intent
    mentions: tuple[Mention, ...]
    absent: tuple[Mention, ...]
    keywords: tuple[str, ...]
    left_out: tuple[LeftOut, ...] = ()
    reading: Reading = field(default_factory=Reading)
    likeness: float | None = None

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

    @property
    def missing(self) -> tuple[Mention, ...]:
        """What no run carries and has to be there: no other name is an alternative to it, and none
        is a condition, which says something of it.
        """
        named = [one for one in self.mentions if not one.is_condition]
        held, each = {self.key(one) for one in named}, self.reading.each
        return tuple(one for one in self.absent if one.group not in held or one in each)

    def key(self, mention: Mention) -> str:
        """Return what names that are alternatives share: the group, and for a name that must hold
        at once with another of its group a key of its own.
        """
        each = self.reading.each
        if any(sense.facet in APART for sense in mention.senses):
            return f"{mention.group}: {mention.label}"
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
    screen_question(put_plainly(line))
    return line


def read_question(con: duckdb.DuckDBPyConnection, text: str) -> Question:
    """Return ``text`` with its terms grounded in the index behind ``con``."""
    kept, source = kept_to_source(con, put_plainly(text))
    said, figure = figure_of_hits(without_explained(kept))
    clauses = clauses_of(with_shared_words(con, with_labels(con, said)))
    asked, part = part_of_runs(clauses.asked)
    spelled = replace(clauses, asked=asked).respelled()
    allowed = without_negations(spelled.text)
    question = _read(con, spelled, read_names(con, allowed))
    if question.keywords or _lacks_what_it_points_to(question, spelled):
        question = _without_opening(con, spelled, question)
    reading = replace(question.reading, source=source, figure=figure, part=part)
    if source and _is_of_all(question):
        reading = replace(reading, of_tables=OF_ALL_SOURCES)
    if figure and reading.explicit and not reading.sides:
        reading = replace(reading, of_tables=FIGURES_BY_GROUP)
    return replace(question, text=text, reading=reading)


def _is_of_all(question: Question) -> bool:
    """Return whether ``question`` asks for what is made of all sources together."""
    reading = question.reading
    return reading.associations is not None or reading.communities is not None


def _lacks_what_it_points_to(question: Question, clauses: Clauses) -> bool:
    """Return whether a word means what is named beside the question, and no name was found there:
    it may be one that questions seldom hold.
    """
    if not (clauses.setting and clauses.points):
        return False
    said, _ = name_words(clauses.asked)
    known = [*question.mentions, *question.absent, *question.reading.without]
    return all(one.start < len(said) for one in known)


def _without_opening(
    con: duckdb.DuckDBPyConnection, clauses: Clauses, question: Question
) -> Question:
    """Return ``question`` read without its opening, where that names nothing and has all its words
    without a meaning; else as it is.
    """
    split = opening_of(clauses.asked)
    if split is None or question.reading.beyond is not None:
        return question
    opening, rest = split
    words, _ = name_words(opening)
    if len(words) <= _LONGEST_NAME and unknown_in_topic(words, 0, ()):
        return question
    names = [*question.mentions, *question.absent, *question.reading.without]
    if any(one.start < len(words) for one in names) or not {*question.keywords} <= {*words}:
        return question
    talk = clauses.with_talk(opening, rest)
    named_there = read_names(con, without_negations(talk.text))
    without = _read(con, talk, named_there)
    named = [*without.mentions, *without.absent, *without.reading.without]
    telling = [one for one in named if one.group != "title"]
    asks = bool(telling) or without.intent.explicit
    return without if asks and not without.keywords else question


def _read(con: duckdb.DuckDBPyConnection, clauses: Clauses, named: Sequence[NamedTerm]) -> Question:
    """Return the question of ``clauses`` with the terms that are ``named`` in it.

    What the question rules out is read like any name first, and recognised by its place.
    """
    words, _ = name_words(clauses.text)
    negation = NEGATING.search(clauses.text)
    pauses = pauses_in(clauses.text)
    said, _ = name_words(clauses.asked)
    found = find_mentions(
        con,
        words,
        named,
        negated=negation is not None,
        pauses=pauses,
        asides=asides_in(clauses.text),
        asked=len(said),
    )
    pointing, missing = clauses.pointing(found.all, len(said))
    meant = pointing.points or is_topic(words, said)
    beside = unknown_in_setting(words, len(said), found.all, meant=meant)
    if is_topic(words, said) and not beside:
        beside = unknown_in_topic(words, len(said), found.all)
    about = names_asked_about(found, pointing)
    return _with_reading(con, pointing, about, (*beside, *missing))


def _with_reading(
    con: duckdb.DuckDBPyConnection,
    clauses: Clauses,
    names: MentionsFound,
    unknown_beside: tuple[str, ...],
) -> Question:
    """Return the question of these names and other words, with viruses ``unknown_beside`` it."""
    said = name_words(clauses.asked)[0]
    names = (stored := read_stored(con, clauses.asked, names)).names
    parts, kinds_of_virus = _parts(con, names, len(said))
    named_there = [one for one in names.all if one.end <= len(said)]
    story = len(name_words(clauses.story)[0])
    heard = without_story(said, story, named_there)
    intent = read_wanted(heard, named_there, parts.kept)
    frame, untitled = frames_of(heard, names)
    accessions = accessions_of(said, names.words)
    unexplained = unexplained_words(names, frame, accessions)
    ranks = ranks_asked(heard, parts.kept)
    known = stored.words | ranks | usual_words(only_in_story(unexplained, said, story))
    keywords = tuple(one for one in unexplained if one.lower() not in known)
    doubt = _doubt(con, keywords, said, names, parts)
    asked = kind_asked(clauses.asked, frame, intent, doubt)
    identifies = is_left_open(asked.kind, intent) and only_accessions(names, accessions)
    kind: Kind = "identify" if identifies else asked.kind
    asked = heeding(asked, stored.kind or kind, explicit=intent.explicit)
    left_out = left_out_names(names.named, names.words, names.found)
    unknown = unknown_viruses(names.named, names.words, names.all)
    unknown += (*unknown_beside, *kinds_of_virus, *clauses.ruled_out)
    unknown += described_viruses(said, keywords)
    if not (parts.ruled or clauses.denied or stored.associations or stored.communities):
        unknown += denial_in(frame_of(said, names.all))
    only_wording = tuple(one for one in doubt.only_wording if _WORDING.fullmatch(one))
    in_unknown = {word for one in unknown for word in one.split()}
    others = [one for one in keywords if one not in only_wording and one not in in_unknown]
    excepted = excepted_of(clauses.asked, parts.ruled, intent, kept=bool(parts.kept))
    together = names_at_once(said if named_there else names.words, parts, asked.kind)
    reading = replace(
        _with_roles(
            asked_by_frame(asked.frame, untitled, names), asked, together, names, parts, len(said)
        ),
        facets=intent.facets,
        host_rank=rank_of(ranks) or rank_of_hosts(asked.kind, intent, parts.kept),
        explicit=intent.explicit,
        subjects=parts.kept,
        without=tuple(one for one in parts.ruled if one not in excepted),
        excepted=excepted,
        absent=parts.absent,
        in_runs=asked.in_runs,
        accessions=accessions,
        setting=clauses.quoted,
        denied=clauses.denied,
        only_wording=only_wording,
        not_understood=(*unknown, *asked.unheeded, *others),
        unanswerable=(*unknown, *doubt.unanswerable),
        proposals=_proposals(con, names, keywords, left_out, unknown_beside),
        associations=stored.associations,
        communities=stored.communities,
    )
    found = (parts.kept, parts.absent, keywords, left_out, reading, doubt.likeness)
    return Question(clauses.asked, intent, *found)


def _proposals(
    con: duckdb.DuckDBPyConnection,
    names: MentionsFound,
    keywords: Sequence[str],
    left_out: Sequence[LeftOut],
    unknown_beside: Sequence[str],
) -> tuple[tuple[str, str], ...]:
    """Return what may be meant by words not understood: of a virus the whole name, where it is
    close to one, and words that questions are asked in.
    """
    unknown = [*keywords, *doubtful_names(left_out), *_first_words(unknown_beside)]
    wording = propose_wording(con, unknown)
    meant = dict(wording)
    words = [meant.get(word, word) for word in names.words]
    doubtful = [meant.get(word, word) for word in keywords]
    viruses = propose_viruses(con, words, doubtful) if keywords else ()
    within = {*meant, *(word for stretch, _ in viruses for word in stretch.split())}
    return wording + viruses + propose_names(con, [one for one in unknown if one not in within])


def _parts(
    con: duckdb.DuckDBPyConnection, names: MentionsFound, end: int
) -> tuple[Parts, tuple[str, ...]]:
    """Return the names by their part, and those before the word ``end`` that only say which viruses
    are meant and cannot be counted. Beside the question they only tell something.
    """
    every = parts_of(names)
    kept, unknown = without_virus_kinds(con, names.words, every.kept)
    asked = tuple(one for one in every.kept if one.start < end)
    if asked != every.kept:
        _, unknown = without_virus_kinds(con, names.words, asked)
    return replace(every, kept=tuple(kept)), unknown


def _with_roles(
    reading: Reading,
    asked: KindAsked,
    together: tuple[tuple[Mention, ...], tuple[Mention, ...]],
    names: MentionsFound,
    parts: Parts,
    end: int,
) -> Reading:
    """Return ``reading`` with its kind and the parts that names play in it: what holds at once,
    what is compared, of which runs a share is asked. ``together`` is what ``names_at_once``
    returns, and the question has the words before ``end``.
    """
    kind, frame = asked.kind, asked.frame
    each, sides = together
    met = bool(sides)
    rest = kind == "compare" and against_rest(frame)
    whole = whole_named(asked, names, parts, end)
    if kind == "compare":
        sides = compared_names(names.words, parts.kept, against_rest=rest)
    return replace(
        reading,
        kind=kind,
        each=apart_from_whole(whole, each, parts),
        sides=sides,
        against_rest=rest and bool(sides),
        common=bool(sides) and (met or asks_in_common(frame)),
        whole=whole,
    )


def _doubt(
    con: duckdb.DuckDBPyConnection,
    keywords: tuple[str, ...],
    said: Sequence[str],
    names: MentionsFound,
    parts: Parts,
) -> Doubt:
    """Return which of the unknown ``keywords`` only word the question: none that names what tests
    are of (altitude).
    """
    tokens = tokens_of(said, names, keywords)
    things = (*thing_asked_for(tokens), *said_of_runs(tokens))
    unknown = Unknown(keywords, asked_and_unknown(tokens), things)
    doubt = doubt_of(unknown, said, names.all, ruled=bool(parts.ruled))
    if not doubt.only_wording:
        return doubt
    fields = attributes_named(doubt.only_wording, tested_attributes(con)).values()
    named = frozenset().union(*fields)
    wording = tuple(one for one in doubt.only_wording if one not in named)
    return replace(doubt, only_wording=wording, unanswerable=(*doubt.unanswerable, *sorted(named)))


def _first_words(names: Sequence[str]) -> list[str]:
    """Return the word that each of ``names`` that nobody knows begins with: it may be a slip."""
    return [name.split()[0] for name in names]
