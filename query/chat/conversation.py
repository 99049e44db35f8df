"""A conversation: the readings so far, and what a line typed makes of the last of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import duckdb

from query.chat.cues import Move, points_back, split_cue
from query.chat.merging import drop, merge
from query.global_search.naming import GROUP_WORDS
from query.reading.intent import Intent
from query.reading.mentions import Mention
from query.reading.question import Question, clean_question, read_question
from query.reading.reading import Reading


@dataclass(frozen=True, slots=True)
class Conversation:
    """The questions asked so far, each as it was understood; the last is the present one."""

    questions: tuple[Question, ...] = ()

    @property
    def present(self) -> Question | None:
        """The question that a follow-up changes, None at the beginning."""
        if not self.questions:
            return None
        return self.questions[-1]

    def asked(self, question: Question) -> Conversation:
        """Return the conversation with ``question`` as the present one."""
        questions = (*self.questions, question)
        return Conversation(questions)

    def back(self) -> Conversation:
        """Return the conversation without its present question."""
        earlier = self.questions[:-1]
        return Conversation(earlier)

    def without(self, word: str) -> Conversation | None:
        """Return the conversation with a present question that does not name ``word``; None where
        it does not name it now.
        """
        present = self.present
        if present is None:
            return None
        reading = drop(present.reading, word)
        if reading is None:
            return None
        changed = question_of(reading, present.text)
        return self.asked(changed)


def next_question(
    con: duckdb.DuckDBPyConnection, conversation: Conversation, text: str
) -> Question:
    """Return what ``text`` asks, as a follow-up of ``conversation`` where it is one.

    Raises:
        EmptyQuestionError: no word in it.
        QuestionTooLongError: more than a question.
    """
    line = clean_question(text)
    before = conversation.present
    cue = split_cue(line)
    if before is None:
        return read_question(con, line)
    words = cue.rest if any(one.isalnum() for one in cue.rest) else ""
    after = read_question(con, words).reading if words else Reading()
    move = _move_of(cue.move, after, line)
    if move is None:
        return read_question(con, line)

    return question_of(merge(before.reading, after, move), line)


def question_of(reading: Reading, text: str) -> Question:
    """Return the question that ``reading`` is; ``text`` is what was typed last."""
    associations = reading.kind == "associate"
    intent = Intent(reading.facets, associations, explicit=reading.explicit)
    return Question(
        text=text,
        intent=intent,
        mentions=reading.subjects,
        absent=reading.absent,
        keywords=reading.not_understood,
        reading=reading,
    )


def reading_line(reading: Reading) -> str:
    """Return ``reading`` in one line: kind, what is listed, names by group, and the rest.

    ``list host: virus EBV; tissue leaf; without lung; first 10``.
    """
    asked: str = reading.kind
    if reading.explicit:
        facets = ", ".join(reading.facets)
        asked = f"{asked} {facets}"
    groups = dict.fromkeys(one.group for one in reading.subjects)
    joined = " and " if reading.each else " or "
    named = [_group_words(reading, group, joined) for group in groups]
    if reading.absent:
        absent = ", ".join(_names_of(reading.absent))
        named.append(f"no run has {absent}")

    if reading.without:
        without = ", ".join(_names_of(reading.without))
        named.append(f"without {without}")
    if reading.sides:
        compared = _names_of(reading.sides)
        if reading.against_rest:
            compared.append("all others")
        named.append(f"compared: {' and '.join(compared)}")
    if reading.limit:
        named.append(f"first {reading.limit}")
    if reading.not_understood:
        words = ", ".join(reading.not_understood)
        named.append(f"not understood: {words}")
    about = "; ".join(named) or "the whole index"
    return f"{asked}: {about}"


def _group_words(reading: Reading, group: str, joined: str) -> str:
    word = GROUP_WORDS.get(group, group)
    names = _names_of(one for one in reading.subjects if one.group == group)
    return f"{word} {joined.join(names)}"


def _names_of(mentions: Iterable[Mention]) -> list[str]:
    return [one.name for one in mentions]


def _move_of(move: Move, after: Reading, line: str) -> Move | None:
    """Return how ``line`` changes what was asked, None where it is a question of its own.

    Without a cue it changes it where it names nothing, or points back.
    """
    if move != "ask":
        return move
    named = (*after.subjects, *after.absent, *after.without, *after.accessions)
    if after.beyond is not None:
        return None if not points_back(line) else "set"

    if points_back(line) or (not named and not after.not_understood):
        return "set"
    return None
