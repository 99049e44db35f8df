"""Whether the plain question that a model proposes says what the question says.

A model may set talk aside and put the rest plainly. It cannot add a word that means something, nor
drop a name, a negation, a number or anything that rules understand.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import duckdb

from index.errors import ModelUnavailableError
from query.reading.intent import is_asking_word, is_stop_word, singular, words_of
from query.reading.kinds import NUMBERS
from query.reading.mentions import Mention
from query.reading.proposed.proposal import PlainQuestion
from query.reading.question import Question, read_question
from query.reading.reading import Reading
from query.reading.roles import NEGATING

LIKELY: Final = 0.0
"""Least likeness to questions that counts can answer of one in whose middle a word is set aside."""
_DENYING: Final = re.compile(
    rf"{NEGATING.pattern}|(?<![\w-])(?:never|none|nobody|nothing|nowhere|hardly|un(?:less|like)"
    r"|only)(?![\w-])|n['’]t\b",
    re.IGNORECASE,
)
"""What turns a question round or narrows it, wherever it is written."""
_NUMBER: Final = re.compile(rf"\b(?:\d+|{'|'.join(NUMBERS)})\b", re.IGNORECASE)
_OPENERS: Final = (
    r"which|what|where|who|whom|whose|how|whether|if|is|are|was|were|do|does|did|has|have"
    r"|list|name|show|give|rank|compare|count|top|share|number|in|of|from"
)
"""Words that a question begins with."""
_THING_BEHIND: Final = frozenset(["which", "what", "whose", "many", "much"])
_LEFT_OPEN: Final = ("describe", "list")
"""Kinds of answer that rules find where no word says more."""


@dataclass(frozen=True, slots=True)
class JudgedProposal:
    """What becomes of a proposal: the ``question`` that it makes, or ``why`` it is not taken."""

    question: Question | None = None
    why: str = ""


def judge_proposal(
    con: duckdb.DuckDBPyConnection, refused: Question, proposal: PlainQuestion
) -> JudgedProposal:
    """Return what becomes of ``proposal`` for a question that rules have ``refused``."""
    text = refused.text
    why = _what_words_lack(refused, proposal)
    if why:
        return JudgedProposal(why=why)

    rest = without_talk(text, proposal.set_aside)
    by_rules = read_question(con, rest)
    why = _what_stays_unknown(by_rules, proposal)
    if why:
        return JudgedProposal(why=why)

    plain = read_question(con, proposal.question)
    why = _what_it_changes(refused, by_rules, plain)
    return JudgedProposal(why=why) if why else JudgedProposal(plain)


def without_talk(text: str, set_aside: Sequence[str]) -> str:
    """Return ``text`` without the stretches set aside that come before a question or behind it.

    >>> without_talk("My boss keeps asking what infects goats", ["My boss keeps asking"])
    'what infects goats'
    >>> without_talk("Do goats sleep?", ["sleep"])
    'Do goats sleep?'
    """
    rest = text
    for stretch in set_aside:
        talk = re.escape(stretch.strip(" .,;:!?-–—"))
        before = rf"^\W*{talk}(?:\s*[.,;:!?–—-]+\s*|\s+(?=(?:and )?(?:{_OPENERS})\b))"
        behind = rf"\s*[.,;:!?–—]\s*{talk}\W*$"
        rest = re.sub(before, "", rest, flags=re.IGNORECASE)
        rest = re.sub(behind, "", rest, flags=re.IGNORECASE)
    return rest or text


def _what_words_lack(refused: Question, proposal: PlainQuestion) -> str:
    """Return which words of a proposal no question holds, or lost ones; empty where all is well."""
    text, plain = refused.text, proposal.question
    for stretch in proposal.set_aside:
        if stretch.lower() not in text.lower():
            return f"“{stretch}” is not in the question"
    named = [one for one in _names(refused) if _is_within(one.text, proposal.set_aside)]
    if named:
        return f"it sets “{named[0].text}” aside, which is a name"
    for kept, what in ((_DENYING, "negation"), (_NUMBER, "number")):
        if _written(kept, text) != _written(kept, plain):
            return f"it does not keep each {what}"
    added = [word for word in words_of(plain) if not _is_grounded(word, text)]
    if added:
        return f"“{added[0]}” is not in the question"
    said = _folded(" ".join([plain, *proposal.set_aside]))
    telling = [word for word in words_of(text) if _means_something(word)]
    lost = [word for word in telling if singular(word) not in said]
    return f"it passes over “{lost[0]}”" if lost else ""


def _what_stays_unknown(by_rules: Question, proposal: PlainQuestion) -> str:
    """Return which word set aside in the middle of a question cannot be; empty where all can."""
    reading = by_rules.reading
    if reading.beyond is not None:
        return f"it asks for {reading.beyond.topic}"
    unknown = [*reading.not_understood]
    for word in unknown:
        if not _is_within(word, proposal.set_aside):
            return f"“{word}” stays without a meaning"
        if not _may_be_wording(word, by_rules.text):
            return f"“{word}” may be what is asked for"
    likeness = by_rules.likeness
    if unknown and (likeness is None or likeness < LIKELY):
        return f"without “{unknown[0]}” it may ask something else"
    return ""


def _what_it_changes(refused: Question, by_rules: Question, plain: Question) -> str:
    """Return what of a question its plain form lacks or adds; empty where it says the same."""
    reading = plain.reading
    missing = [*reading.not_understood, *reading.only_wording]
    if missing:
        return f"“{missing[0]}” is not understood in “{plain.text}”"
    if reading.beyond is not None:
        return f"it asks for {reading.beyond.topic}"
    for before in (refused, by_rules):
        why = _name_changed(before, plain)
        if why:
            return why
    for what, said, says_now in _said(by_rules.reading, reading):
        if said != says_now:
            return f"it changes the {what}"
    return ""


def _name_changed(before: Question, after: Question) -> str:
    """Return which name is missing or plays another part; empty where all are kept."""
    for one in (*before.mentions, *before.absent):
        kept = [*after.mentions, *after.absent]
        if one.label not in [other.label for other in kept]:
            return f"it drops {one.name}"
    ruled = [one.label for one in after.reading.without]
    for one in before.reading.without:
        if one.label not in ruled:
            return f"it no longer rules out {one.name}"
    if before.reading.accessions != after.reading.accessions:
        return "it changes an accession"
    return ""


def _said(before: Reading, after: Reading) -> list[tuple[str, object, object]]:
    """Return what rules understood beside names, with what the plain form makes of it."""
    compared: list[tuple[str, object, object]] = [
        ("number of values", before.limit, after.limit),
        ("order", before.order, after.order),
        ("names that hold at once", _labels(before.each), _labels(after.each)),
        ("names compared", _labels(before.sides), _labels(after.sides)),
        ("question of what is common", before.common, after.common),
        ("question of what is unexpected", before.unexpected, after.unexpected),
        ("question of what else is there", before.company, after.company),
        ("question of libraries", before.libraries, after.libraries),
    ]
    if before.kind not in _LEFT_OPEN:
        compared.append(("kind of answer", before.kind, after.kind))
    if before.explicit:
        compared.append(("values asked for", before.facets, after.facets))
    return compared


def _labels(names: Sequence[Mention]) -> set[str]:
    return {one.label for one in names}


def _names(question: Question) -> list[Mention]:
    return [*question.mentions, *question.absent, *question.reading.without]


def _is_within(text: str, stretches: Sequence[str]) -> bool:
    wanted = re.compile(rf"(?<![\w-]){re.escape(text)}(?![\w-])", re.IGNORECASE)
    return any(wanted.search(one) for one in stretches)


def _written(pattern: re.Pattern[str], text: str) -> Counter[str]:
    """Return how often each match is in ``text``, a contraction as what it is short for."""
    found = [match[0].lower().strip() for match in pattern.finditer(text)]
    return Counter("not" if one.endswith(("n't", "n’t")) else one for one in found)


def _folded(text: str) -> set[str]:
    return {singular(word) for word in words_of(text)}


def _is_grounded(word: str, text: str) -> bool:
    """Return whether ``word`` is one of ``text``, or says nothing but how something is asked."""
    return singular(word) in _folded(text) or not _means_something(word)


def _means_something(word: str) -> bool:
    return not (is_stop_word(word) or is_asking_word(word))


def _may_be_wording(word: str, text: str) -> bool:
    """Return whether ``word`` is common in English, no name, and not the thing asked for."""
    from index.models.embeddings import is_common

    words = words_of(text)
    place = next((at for at, one in enumerate(words) if one.lower() == word.lower()), 0)
    before = words[place - 1].lower() if place else ""
    if before in _THING_BEHIND or (place and word[:1].isupper()):
        return False
    try:
        return is_common(word)
    except ModelUnavailableError:
        return False
