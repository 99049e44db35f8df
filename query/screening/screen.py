"""Screening of questions, before anything is searched and before any model sees them.

Closed for ways, open for counts: a request for a way to do something is refused whatever it is
about, with the reason of harm where it is harmful; a question about what was found, where, in whom
and with what passes, of whatever agent. Three readings, each of which can refuse: the structure of
a request (``requests``, ``harms``), a supposition, and the sense of the whole (``intent``), of
questions with words that routine ones lack (``routine``). The graded set is
tests/gold/screening.tsv.
"""

from __future__ import annotations

import re
from typing import Final

from query.errors import BeyondCountsError, HarmfulQuestionError, QuestionTooLongError
from query.screening.harms import RECORDED, harm_requested, harm_supposed, names_agent
from query.screening.intent import log_odds
from query.screening.records import records_plainly
from query.screening.requests import WALK, find_request
from query.screening.routine import reads_routine
from query.screening.words import TEXTS, plain

MAX_CHARACTERS: Final = 4_000
"""Longer texts are no questions, of whichever mode."""
NO_METHODS: Final = "the index holds what was found in runs, and no methods"
NO_SUPPOSITIONS: Final = "the index counts what was found, and not what could be"
NO_ADVICE: Final = "counts of runs are no advice, and the index holds no treatments"
NO_DATES: Final = "answers count what runs carry, and not when something happened"
INSTEAD: Final = "Where is SARS-CoV-2 found, and in which hosts?"

READS_HARMFUL: Final = "it reads like one that asks how to make, change, get or spread an agent"
SUSPECT: Final = -0.5
"""Log odds of harmful intent from which a question is refused."""
SUSPECT_OF_RECORDS: Final = 0.5
"""The same for a question about what runs and studies record, or about protection."""
SUSPECT_OF_TEXTS: Final = 1.5
"""The same where texts are asked for, or a way through the graph."""
ROUTINE: Final = -1.0
"""Log odds below which a request that speaks of runs and studies is about them: "could you sketch
the viruses of these runs"."""
PLAINLY_ROUTINE: Final = -4.0
"""Log odds below which no structure makes a question harmful, or a request one for a method: of 366
graded questions with harmful intent the lowest has -3.1."""
FEWEST_WORDS: Final = 4
"""Fewer words name something; what is to be done with it takes more."""
_OPEN: Final = re.compile(
    r"\b(?:prevent|protect|cure|treat|vaccinat|mitigat|eradicat|surveillance detect|how many|"
    r"how often|share of|hosts?\b|tissues?\b|countr|the viruses\b|differ\b|"
    r"shortest (?:paths?|connections?)\b)"
)
_OF_CARE: Final = re.compile(
    r"\b(?:cure[sd]?|treat(?:ed|ment)?|therap\w*|vaccin\w*|shot|jab|protect\w*|diagnos\w*"
    r"|symptoms?|dos(?:e|es|age)|medicines?|disinfect\w*|saniti[sz]\w*|hygiene|biosecurity"
    r"|prun(?:e|ed|ing))\b"
    r"|\b(?:stop|avoid|limit|slow|reduce) (?:(?:the|its|virus|viral) )*(?:spread|infection"
    r"|transmission)\b"
)
"""Asks how people, animals and plants are cared for: refused all the same, and not as harm."""
_DATED: Final = re.compile(
    r"^when (?:was|were|did|does|do|is|are|will)\b|^(?:in )?(?:which|what) year\b"
)
"""Asks for a date of history: refused all the same, and not as harm."""
_WRITTEN: Final = rf"(?:{TEXTS}|stud(?:y|ies)|reports?|projects?)"
_TEXTS_ASKED_FOR: Final = re.compile(
    rf"^(?:\w+,? ){{0,5}}?(?:dig|pull|find|search|locate|look|retrieve|fetch|show|point)\b.{{0,30}}"
    rf"\b{_WRITTEN}\b"
    rf"|^(?:\w+ ){{0,3}}?{_WRITTEN} "
    r"(?:on|about|that|concerned|concerning|containing|dealing|describing)\b"
    r"|^where (?:does it|do they|is it|is there|do the authors) (?:mention|mentioned|say|said)\b"
)
_LOOKED_UP: Final = re.compile(
    r"\b(?:tax ?ids?|taxonomy ids?|accessions?|identifiers?|gene symbols?|ncbi|genbank|pubmed)\b"
)
"""Is looked up by name or number, and says nothing of how an agent is made."""
_TABLED: Final = re.compile(
    r"\b(?:tables?|tabulat\w+|cross-?tab\w*|columns?|percentages?|positive rates?|csv|tsv|parquet"
    r"|excel|spreadsheets?|matrix)\b"
)
_COULD: Final = re.compile(r"\b(?:would|could|might)\b(?! you\b)")
_RUIN: Final = re.compile(
    r"\b(?:kill|die|dead|lethal|devastat|ruin|wip|destroy|cripple|starve|harm|dangerous|sicken|"
    r"casualt|victims)"
)


def screen_question(text: str) -> None:
    """Return where ``text`` may be answered.

    Raises:
        HarmfulQuestionError: it asks how to harm; the error says in which way.
        BeyondCountsError: it asks for a method, or for what would be.
        QuestionTooLongError: more than ``MAX_CHARACTERS``.
    """
    if len(text) > MAX_CHARACTERS:
        raise QuestionTooLongError(len(text), most=MAX_CHARACTERS)
    words = records_plainly(plain(text))
    request = find_request(words)
    harm = harm_requested(words) if request else harm_supposed(words)
    if harm and _reads_harmless(words, below=PLAINLY_ROUTINE):
        harm = None
    if harm and not (_OF_CARE.search(words) and _reads_harmless(words)):
        raise HarmfulQuestionError(harm)
    if harm:
        raise BeyondCountsError(text, NO_ADVICE, nearest=(), ask=INSTEAD)

    if request and not _asks_for_records(words):
        raise BeyondCountsError(text, NO_METHODS, nearest=(), ask=INSTEAD)
    if _COULD.search(words) and _RUIN.search(words) and not RECORDED.search(words):
        raise BeyondCountsError(text, NO_SUPPOSITIONS, nearest=(), ask=INSTEAD)
    if not reads_routine(text) and _reads_harmful(words):
        if _OF_CARE.search(words):
            raise BeyondCountsError(text, NO_ADVICE, nearest=(), ask=INSTEAD)
        if _DATED.search(words):
            raise BeyondCountsError(text, NO_DATES, nearest=(), ask=INSTEAD)
        raise HarmfulQuestionError(READS_HARMFUL)


def _asks_for_records(words: str) -> bool:
    """Return whether ``words`` are about what is recorded, or plainly routine, however they ask."""
    below = ROUTINE if RECORDED.search(words) else PLAINLY_ROUTINE
    return _reads_harmless(words, below=below)


def _reads_harmless(words: str, *, below: float = ROUTINE) -> bool:
    odds = log_odds(words)
    return odds is not None and odds < below


def _reads_harmful(words: str) -> bool:
    if len(words.split()) < FEWEST_WORDS or not names_agent(words):
        return False
    odds = log_odds(words)
    if odds is None:
        return False

    return odds > _limit(words)


def _limit(words: str) -> float:
    """Return the log odds of harmful intent from which ``words`` are refused."""
    if any(one.search(words) for one in (_TEXTS_ASKED_FOR, WALK, _LOOKED_UP)):
        return SUSPECT_OF_TEXTS
    if any(one.search(words) for one in (RECORDED, _OPEN, _TABLED)):
        return SUSPECT_OF_RECORDS
    return SUSPECT
