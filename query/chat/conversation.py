"""A conversation: the readings so far, and what a line typed makes of the last of them."""

from __future__ import annotations

from dataclasses import dataclass

import duckdb

from query.chat.cues import Move, points_back, split_cue
from query.chat.merging import drop, merge
from query.global_search.naming import GROUP_WORDS
from query.reading.intent import Intent
from query.reading.question import Question, clean_question, read_question
from query.reading.reading import Reading


@dataclass(frozen=True, slots=True)
class Conversation:
    """The questions asked so far, each as it was understood; the last is the present one."""

    questions: tuple[Question, ...] = ()

    @property
    def present(self) -> Question | None:
        """The question that a follow-up changes, None at the beginning."""
        return self.questions[-1] if self.questions else None

    def asked(self, question: Question) -> Conversation:
        """Return the conversation with ``question`` as the present one."""
        return Conversation((*self.questions, question))

    def back(self) -> Conversation:
        """Return the conversation without its present question."""
        return Conversation(self.questions[:-1])

    def without(self, word: str) -> Conversation | None:
        """Return the conversation with a present question that does not name ``word``; None where
        it does not name it now.
        """
        if self.present is None:
            return None
        reading = drop(self.present.reading, word)
        return self.asked(question_of(reading, self.present.text)) if reading else None


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
    asked = f"{reading.kind} {', '.join(reading.facets)}" if reading.explicit else reading.kind
    groups = dict.fromkeys(one.group for one in reading.subjects)
    joined = " and " if reading.each else " or "
    named = [_group_words(reading, group, joined) for group in groups]
    if reading.absent:
        named.append(f"no run has {', '.join(one.name for one in reading.absent)}")
    if reading.without:
        named.append(f"without {', '.join(one.name for one in reading.without)}")
    if reading.sides:
        rest = ["all others"] if reading.against_rest else []
        compared = [*(one.name for one in reading.sides), *rest]
        named.append(f"compared: {' and '.join(compared)}")
    if reading.limit:
        named.append(f"first {reading.limit}")
    if reading.not_understood:
        named.append(f"not understood: {', '.join(reading.not_understood)}")
    return f"{asked}: {'; '.join(named) or 'the whole index'}"


def _group_words(reading: Reading, group: str, joined: str) -> str:
    names = [one.name for one in reading.subjects if one.group == group]
    return f"{GROUP_WORDS.get(group, group)} {joined.join(names)}"


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
