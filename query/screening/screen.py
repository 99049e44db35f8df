"""Screening of questions, before anything is searched and before any model sees them.

A question is refused if somebody would act on an agent: make it worse, make or obtain it, evade
what protects against it, or use it to harm. No single word is enough: the meaning must be harmful.
How harmful depends on whether an act is named, a method is asked for, and whether the question is
about records or protection. Methods, advice and suppositions that harm nobody are left to
``query.reading``, which says that counts cannot answer them. The graded questions are
tests/gold/screening.tsv.
"""

from __future__ import annotations

from typing import Final

from query.errors import HarmfulQuestionError, QuestionTooLongError
from query.languages import language_of
from query.screening.acts import (
    ACTS,
    AGENT,
    ASKS_A_WAY,
    ASKS_HOW,
    DEFEATED,
    PROTECTS,
    RECORDED,
    act_of,
    plain,
)
from query.screening.intent import is_english, log_odds

MAX_CHARACTERS: Final = 4_000
"""Longer texts are not questions, in any mode."""
READS_HARMFUL: Final = "it seems to ask how to make, change, get or spread an agent"
LIMITS: Final = (0.5, -0.7, -2.2)
"""Log odds of harmful intent above which a question is refused: if it neither names an act nor asks
for a way; if it does one of these; if it does both.
"""
FEWEST: Final = 5
"""Words of the shortest line that is judged by its vector alone: a follow-up has fewer."""
NO_AGENT: Final = 2.5
"""How much higher the limit is where no agent is named."""
RECORDS: Final = 2.0
"""How much higher where the question is about what runs and studies record, or about protection."""


def screen_question(text: str) -> None:
    """Raise an error if ``text`` may not be answered.

    Raises:
        HarmfulQuestionError: it asks how to harm; the error says in which way.
        QuestionTooLongError: more than ``MAX_CHARACTERS``.
    """
    if len(text) > MAX_CHARACTERS:
        raise QuestionTooLongError(len(text), most=MAX_CHARACTERS)
    words = plain(text)
    act = act_of(words)
    if act is None and len(words.split()) < FEWEST and not ASKS_A_WAY.search(words):
        return
    is_foreign = language_of(text) is not None or not is_english(words)
    if act is None and (not AGENT.search(words) or (is_foreign and not ASKS_HOW.search(words))):
        return
    limit = _limit(words, act)
    odds = log_odds(words)
    means_harm = limit == min(LIMITS) if odds is None else odds > limit
    if means_harm:
        raise HarmfulQuestionError(act or READS_HARMFUL)


def _limit(words: str, act: str | None) -> float:
    """Return the log odds above which ``words`` are refused."""
    asks = ASKS_A_WAY.search(words) is not None
    limit = LIMITS[(act is not None) + asks]
    if not AGENT.search(words):
        limit += NO_AGENT
    if ACTS[DEFEATED].search(words):
        return limit
    excuses = (RECORDED, PROTECTS)
    return limit + RECORDS * sum(excuse.search(words) is not None for excuse in excuses)
