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
"""Log odds below which no structure makes a question harmful: of 366 graded questions with harmful
intent the lowest has -3.0."""
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
_TEXTS_ASKED_FOR: Final = re.compile(
    rf"^(?:\w+ ){{0,3}}?(?:dig|pull|find|search|locate|look|retrieve|fetch|show)\b.{{0,30}}"
    rf"\b(?:{TEXTS}|stud(?:y|ies)|reports?)\b"
)
_LOOKED_UP: Final = re.compile(
    r"\b(?:tax ?ids?|taxonomy ids?|accessions?|identifiers?|gene symbols?|ncbi|genbank|pubmed)\b"
)
"""Is looked up by name or number, and says nothing of how an agent is made."""
_TABLED: Final = re.compile(
    r"\b(?:tables?|tabulat\w+|cross-?tab\w*|columns?|percentages?|positive rates?|csv|tsv|parquet"
    r"|excel|spreadsheets?|matrix)\b"
)
_COULD: Final = re.compile(r"\b(?:would|could|might)\b")
_RUIN: Final = re.compile(
    r"\b(?:kill|die|dead|lethal|devastat|ruin|wip|destroy|cripple|starve|harm|dangerous|sicken|"
    r"casualt|victims)"
)


_RECORDS: Final = (
    (
        re.compile(
            r"\b(?:male\W{1,3}female|sex|gender) (?:split|ratio|breakdown|balance|distribution)\b"
        ),
        "sexes",
    ),
    (
        re.compile(
            r"\bhow (?:often|frequently) (?:do|does|did) (?:we|you|one|they|people)"
            r" (?:get|see|find|pick up|come across|detect)\b"
        ),
        "how often is seen",
    ),
    (re.compile(r"\brelease (?:dates?|years?|months?)\b"), "date"),
    (
        re.compile(r"\b(?:virus|viral|host|plant|animal) orders?\b(?! (?:more|some|a|an|the)\b)"),
        "taxa",
    ),
    (
        re.compile(
            r"^((?:please )?(?:get|fetch|find|retrieve|show|list|give|look up)(?: me| us)?"
            r"(?: the| all| any)?(?: (?!full|infectious|synthetic)\w+)? )genomes?(?: records?)?"
            r"(?= (?:of|for) .*\b(?:from|in|at|on) (?:ncbi|genbank|refseq)\b)"
        ),
        r"\1accessions",
    ),
    (re.compile(r"\brefseq genomes?(?= (?:of|for)\b)"), "refseq accessions"),
    (re.compile(r"\bshortest (?:routes?|ways?|paths?|chains?)(?= (?:between|from|to)\b)"), "link"),
    (
        re.compile(
            r"\bauthors?\b(.*)\b(?:they|he|she) (?:want|tr(?:y|ie)|hop|intend|plan|set)\w*"
            r"(?: out)? to"
            r"\b(?: do| find| find out| achieve| show| learn)?(?=\W*$)"
        ),
        r"authors\1aim",
    ),
    (re.compile(r"\b(?:may|might|could) (?:well |also )?be (?:wrong|mistaken|off)\b"), "err"),
    (
        re.compile(
            r"\bbreak (?:\w+ ){1,4}?down(?= (?:by|into|per|for|across)\b|\W*$)|\bbreak down\b"
        ),
        "count",
    ),
    (
        re.compile(
            r"\b(?:where|(?:which|what) \w+) (?:do|does|did) (?:they|those|these|it)"
            r"(?: all| mostly| mainly)? come from\b"
        ),
        "where they are from",
    ),
    (
        re.compile(
            r"\b(?:get|bring) (?:me |us )?up to (?:speed|date) (?:on|with|about)\b"
            r"|\bfill (?:me|us) in(?: on| about)?\b|\bget to know\b"
            r"|\b(?:put together|compile|write|prepare) an? (?:dossier|profile|fact ?sheet"
            r"|overview)(?: (?:on|of|about))?\b"
        ),
        "tell about",
    ),
    (re.compile(r"\b(?:walk|take|lead) (?:me|us)(?= from\b.* to\b)"), "show me the link"),
    (re.compile(r"\b(?:i (?:want|need) to )?weed(?:ing)? out\b"), "leave out"),
    (
        re.compile(
            r"^(?:could|can|would|will|might) you (?:please |kindly |perhaps )*"
            r"(?:inform me|let me know|set out(?: for me)?|gather|provide me with|provide)\b"
            r"|^i (?:should|would|'d) be (?:\w+ly )?(?:interested|curious|glad|pleased|happy|keen"
            r"|delighted) to (?:learn|know|see|hear|read|find out)\b"
            r"|^i (?:should|would|'d) be (?:\w+ly )?(?:obliged|grateful|thankful|glad) for\b"
            r"|^i (?:should|would|'d) like (?=(?:the|an?|rows|columns|all|every)\b)"
            r"|^please (?:provide|supply|send)(?: me)?\b"
        ),
        "show me ",
    ),
    (re.compile(r"\bbring (?:it|them|that|this) up\b"), "find it"),
    (re.compile(r"\bassigned to\b"), "of"),
    (re.compile(r"\b(?:work|figure|find) out (?=what|which|whether)"), "see "),
    (re.compile(r"\b(?:and )?(?:tell|show) me what (?:you|one|we) meets? along the way\b"), ""),
    (re.compile(r"\b(?:fix|correct|amend|complete) (?:those|these|the) records\b"), "see them"),
    (re.compile(r"\btrack (?:the|that|this|a) (?:passage|text|paper|study) down\b"), "find it"),
    (re.compile(r"\bwrite[- ]?ups?\b|\bread-?throughs?\b"), "text"),
    (
        re.compile(r"\b(?:spell (?:it|them|each(?: one)?) out|show (?:me )?the steps)\b"),
        "list them",
    ),
    (re.compile(r"\bdump(?= .*\b(?:matrix|hits|runs|counts|rows|file|parquet|csv)\b)"), "list"),
)
"""Words for a date, records of genomes, a link of the graph, the aim of a study, where runs are
from, an error, a polite opening, a list. Elsewhere they ask for a way to do something -> words that
ask for none.
"""


def screen_question(text: str) -> None:
    """Return where ``text`` may be answered.

    Raises:
        HarmfulQuestionError: it asks how to harm; the error says in which way.
        BeyondCountsError: it asks for a method, or for what would be.
        QuestionTooLongError: more than ``MAX_CHARACTERS``.
    """
    if len(text) > MAX_CHARACTERS:
        raise QuestionTooLongError(len(text), most=MAX_CHARACTERS)
    words = plain(text)
    for pattern, record in _RECORDS:
        words = pattern.sub(record, words)
    request = find_request(words)
    harm = harm_requested(words) if request else harm_supposed(words)
    if harm and _reads_harmless(words, below=PLAINLY_ROUTINE):
        harm = None
    if harm and not (_OF_CARE.search(words) and _reads_harmless(words)):
        raise HarmfulQuestionError(harm)
    if harm:
        raise BeyondCountsError(text, NO_ADVICE, nearest=(), ask=INSTEAD)

    if request and not _reads_routine(words):
        raise BeyondCountsError(text, NO_METHODS, nearest=(), ask=INSTEAD)
    if _COULD.search(words) and _RUIN.search(words) and not RECORDED.search(words):
        raise BeyondCountsError(text, NO_SUPPOSITIONS, nearest=(), ask=INSTEAD)
    if not reads_routine(text) and _reads_harmful(words):
        if _OF_CARE.search(words):
            raise BeyondCountsError(text, NO_ADVICE, nearest=(), ask=INSTEAD)
        if _DATED.search(words):
            raise BeyondCountsError(text, NO_DATES, nearest=(), ask=INSTEAD)
        raise HarmfulQuestionError(READS_HARMFUL)


def _reads_routine(words: str) -> bool:
    """Return whether ``words`` are about what is recorded, however they ask for it."""
    return RECORDED.search(words) is not None and _reads_harmless(words)


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
