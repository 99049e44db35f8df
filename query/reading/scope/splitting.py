"""A text in its clauses, and which of them ask."""

from __future__ import annotations

import re
from typing import Final

_ASKING: Final = (
    r"which|what|where|whom?|(?:do(?:es)?|did|is|are|was|were|has|have|can|could)(?:n['’]t)?"
    r"|count|list|name|show|give|rank|compare"
)
"""Words that ask, wherever they stand."""
_OPENERS: Final = rf"(?:in )?how|{_ASKING}"
"""Words that a question opens with behind a colon, a dash or a statement."""
_VALUES_ASKED: Final = r"(?:the )?(?:top|most|number|share|percentage|proportion|fraction|rank)"
"""What a question without a verb opens with, behind a colon."""
_TAG: Final = (
    r"(?:is|are|was|were|do|does|did|has|have|can)(?:n['’]t)? (?:it|they|there|he|she)(?: not)?"
    r"|right|correct|true|no|yes"
)
"""What asks, at the end of a statement, whether it holds."""
_CLAUSE_ENDS: Final = re.compile(
    r"(?<=[^\W_]{2}[.!?])(?<!\b(?i:no|vs|cf|sp|st|dr|cv)\.)\s+(?=[A-Z])"
    rf"|(?<=[?!])\s+|\s*(?:…|\.\.\.)\s*"
    rf"|(?:[:;]|\s[–—-])\s+(?=(?:{_OPENERS}|{_VALUES_ASKED})\b)"
    r"|(?:;|\s[–—-])\s+(?=any\b[^:;]*\?$)"
    r"|,\s+(?=(?i:i|we) (?:think|believe|guess|assume|suspect) (?:it|they|that|this|these)\b)"
    rf"|,\s+(?=(?:{_TAG})\?$)"
)
"""Where a clause ends: a sentence (no abbreviation: no. of, vs.), a dash, a colon."""
_ASIDE: Final = re.compile(
    r"^(?:(?:i|we)\b|my |our |so |as |the (?:boss|prof|reviewer)|since |because "
    r"|(?:given|seeing|considering|now) (?:that )?|(?:even )?though |although |while )"
    r"(?:(?:[^,.!?;:]+,)+?|[^,.!?;:]+ (?:i|we) (?:wonder|ask|asked|wondered),?)"
    rf"\s+(?=(?:{_OPENERS})\b)",
    re.IGNORECASE,
)
"""A statement of who asks, and a comma before what is asked."""
_PART_OF: Final = re.compile(r"^(?:of|among|amongst|out of|within|in|from) ", re.IGNORECASE)
"""Says of what a part is asked for, whoever has it: of the mouse runs you have."""
_COULD_BE: Final = re.compile(r"^(?:could|might|may)(?: (?:well|easily|also))? be\b", re.IGNORECASE)
"""Opens a guess, though a question may open with its first word."""
_PERSON: Final = re.compile(
    r"\b(?:i|we|me|my|our|us|you|your|someone|somebody)\b|\blet['’]s\b", re.IGNORECASE
)
"""Who asks, or is asked: a statement that names them says why, and not what."""
_QUESTION_WORDS: Final = (
    r"(?:(?:in|of|from|on|with) )?(?:how (?:many|much|often|common|large)|which|what|whether|where"
    r"|when|why)"
)
_QUESTION_WORD: Final = re.compile(rf"\b{_QUESTION_WORDS}\b", re.IGNORECASE)
_EMBEDDED: Final = re.compile(
    r"(?<!\bthat )(?<!\bwhich )"
    r"\b(?:ask|asks|asked|asking|know|knows|knew|knowing|tell|tells|told|telling|say|says|saying"
    r"|state|stating|see|seeing|learn|hear|hearing|find out|figure out|work out|understand|explain"
    r"|wonder|wonders|wondered|wondering|check|checks|checking|verify|remember|idea|clue|sure"
    r"|curious|question|write|report|decide|guess)"
    rf"(?: (?:me|us|them|him|her|people|about|of|to|is))*,?\s+(?={_QUESTION_WORDS}\b)",
    re.IGNORECASE,
)
"""A verb of asking, knowing or telling before what is asked: keep asking what infects them."""
_JOINED: Final = re.compile(
    rf"(?:,\s+(?:(?:but|so|and|then|now) )?|\s(?:but|so)\s+)(?=(?:{_OPENERS})\b)"
    r"|\s(?=(?:(?:in|of|from) )?how (?:many|much|often|common)\b|whether\b)"
    r"|\b(?:could|can|would|to|please|should|must) (?=(?:list|name|show|count|rank|compare)\b)",
    re.IGNORECASE,
)
"""Where a statement of a person goes over to what is asked."""
_PAUSE: Final = re.compile(r"[,:;]\s+(?:(?:but|so|and|then|now) )?|\s[–—-]\s+")
_LEADING: Final = r"(?:(?:and|so|then|please|in|of|from|on|for|to|just|only|simply|now) )*"
_OPENED: Final = re.compile(
    rf"^{_LEADING}"
    rf"(?:how|any|tell|check|rank|compare|{_ASKING})\b",
    re.IGNORECASE,
)
_ASKS: Final = re.compile(
    r"\b(?:how (?:many|much|often|common|high|large|big)|any|tell|rank|compare|number"
    rf"|{_ASKING})\b",
    re.IGNORECASE,
)
_OPENS: Final = re.compile(
    rf"^{_LEADING}"
    rf"(?:how|any|tell|rank|compare|whether|{_ASKING})\b",
    re.IGNORECASE,
)
SAYS_WHAT: Final = re.compile(
    r"\b(?:virus\w*|viral|number|share|percentage|fraction|runs?|samples?|hosts?)\b", re.IGNORECASE
)
"""What a clause without a question mark asks for, where no other clause asks."""
_HOLDS: Final = r"(?:true|right|so|correct|the case|real|accurate|possible)"
_IN_THE_DATA: Final = (
    r"(?:,? (?:in|for|by|from|with|going by|judging by|according to) (?:your|this|the|these|our"
    r"|those|that) (?:\w+ )?(?:data\w*|index|collection|archive|set|resource|corpus|runs|tool)"
    r"|,? here)?"
)
CHECKS: Final = re.compile(
    r"(?:(?:can|could|would) (?:you|someone) (?:please )?(?:check|confirm|verify)"
    r"(?: (?:that|this|it))?"
    rf"|is (?:that|this|it|he|she)(?: really| actually| even)?(?: {_HOLDS}{_IN_THE_DATA})?"
    r"|(?:can|could|may|might) (?:that|this|it)(?: really| actually| even)* be"
    rf"(?: {_HOLDS})?{_IN_THE_DATA}"
    r"|(?:does|do) (?:that|this|it|they)(?: really| still| actually)*"
    rf" (?:hold(?: (?:up|true))?|fit|stand|check out){_IN_THE_DATA}"
    r"|(?:do|does|did|are|were|was|have|has) (?:it|they|that|he|she)(?: really| actually)?"
    r"|(?:true|really|right|correct)|(?:is there )?any truth (?:in|to) (?:that|it|this)"
    r"|(?:so )?who(?: is|['’]s) (?:right|wrong|correct)"
    r"(?:,? (?:here|then|(?:going|judging) by .*|according to .*))?"
    rf"|{_TAG})[\s?.!]*",
    re.IGNORECASE,
)
"""Asks whether what was said before holds."""


def split_clauses(text: str) -> list[str]:
    """Return the clauses of ``text``, what is stated before a question apart from it."""
    aside = _ASIDE.match(text)
    split = [text[: aside.end()], text[aside.end() :]] if aside else [text]
    clauses = [part.strip() for one in split for part in _CLAUSE_ENDS.split(one)]
    parts = [part.strip() for clause in clauses for part in _without_statement(clause)]
    return [part for part in parts if part]


def opening_of(asked: str) -> tuple[str, str] | None:
    """Return what stands before the first comma, dash or colon of a question, and the rest; None
    where nothing does, or that asks something itself.

    >>> opening_of("Just for a laugh, which viruses do bats carry?")
    ('Just for a laugh,', 'which viruses do bats carry?')
    """
    found = _PAUSE.search(asked)
    if found is None:
        return None
    opening, rest = asked[: found.start() + 1].strip(), asked[found.end() :]
    asks = _ASKS.search(opening) or SAYS_WHAT.search(opening)
    return None if asks else (opening, rest)


def _without_statement(clause: str) -> tuple[str, str]:
    """Return what is stated before a question within ``clause``, empty where nothing is, and the
    rest.

    >>> _without_statement("The students keep asking what infects bats.")
    ('The students keep asking', 'what infects bats.')
    >>> _without_statement("I know little of plants, but what do they carry?")
    ('I know little of plants, but', 'what do they carry?')
    """
    if _OPENED.match(clause) and not _COULD_BE.match(clause):
        return "", clause
    places = [found.end() for found in _EMBEDDED.finditer(clause)]
    joined = list(_JOINED.finditer(clause))
    places += [one.end() for one in joined if _is_stated(clause[: one.start()], one[0])]
    if not places:
        return "", clause
    first = min(places)
    return clause[:first].strip(), clause[first:]


def _is_stated(before: str, joining: str) -> bool:
    """Return whether what stands ``before`` a question only states something: it names who asks, or
    a "but" or "so" leads on from it.
    """
    if _PERSON.search(before) and not _PART_OF.match(before):
        return True
    if re.search(r"\bso\b", joining, re.IGNORECASE):
        return _QUESTION_WORD.search(before) is None
    return "but" in joining and _ASKS.search(_COULD_BE.sub("", before)) is None


def asks(part: str) -> bool:
    """Return whether ``part`` opens like a question, or ends as one and says what it asks."""
    if _OPENS.match(part) or (part.endswith("?") and CHECKS.fullmatch(part)):
        return True
    return part.endswith("?") and _ASKS.search(part) is not None
