"""What people say around a question that asks for nothing: courtesies, hedges, expectations.

"How many mouse runs have flu, if you don't mind?" asks what it asks without its end. "I bet EBV
comes first" tells what somebody expects as the answer, and not which runs are meant.
"""

from __future__ import annotations

import re
from typing import Final

_KNOWS: Final = r"(?:knows?|can (?:tell|see|say|judge)|is (?:known|aware)|are aware|remembers?)"
_SO_FAR: Final = re.compile(
    rf"\s*,?\s*\b(?:as|so) far as (?:one|you|we|i|anyone|anybody|it) {_KNOWS}\b,?", re.IGNORECASE
)
"""A hedge within a question."""
_COURTESY: Final = re.compile(
    r"[\s,;.–—-]+(?:(?:can|could|would) (?:you|someone|anybody) (?:please )?help(?: me| us)?"
    r"(?: out)?(?: with (?:that|this|it))?"
    r"|(?:any|every) (?:help|hint|pointer)s?(?: (?:is|are|would be))?"
    r"(?: (?:much |very |greatly )?(?:welcome|appreciated|great))?"
    r"|(?:that|it) would (?:be|help)(?: (?:a lot|so|really))?"
    r"(?: (?:great|nice|lovely|awesome|helpful|useful|fantastic))?"
    r"|if (?:that['’]s|it['’]s|it is|that is) "
    r"(?:possible|ok(?:ay)?|not too much(?: to ask| trouble)?|all right|alright|known(?: at all)?)"
    r"|if (?:you|i|we) (?:(?:do not|don['’]?t|would not|wouldn['’]?t) mind(?: (?:me|my|us) asking)?"
    r"|may(?: ask)?|might(?: ask)?|(?:can|could)(?: ask)?|(?:happen to )?know)"
    r"|(?:do|would) you (?:think|reckon|say|know|guess|suppose)|i (?:wonder|ask)"
    r"|just (?:wondering|curious|asking)|asking for an? \w+|by any chance"
    r"|(?:just |simply )?out of (?:curiosity|interest)"
    r"|just (?:an? |the )?(?:rough |single )?(?:number|percentage|figure|count|yes or no|estimate)"
    r"(?: (?:is|will be|would be) (?:fine|enough|ok(?:ay)?|good|great|plenty)"
    r"| (?:will|would) do| suffices)?"
    r"|(?:please )?(?:give|show|state|with)(?: me)?(?: the| its| both)? numerators?"
    r" (?:and|&) denominators?"
    r"|(?:many )?(?:thanks|thank you|thx|cheers)(?: (?:a lot|in advance|so much|very much))?"
    r")(?P<end>\W*)$",
    re.IGNORECASE,
)
"""What a text ends with that asks for help or thanks for it, or begs pardon for asking."""
_PARTLY: Final = re.compile(
    r",? or (?:(?:is|are|was|were|does|do) (?:it|they|that) )?(?:just|only|merely)"
    r"(?: (?:in|of))?(?: (?:a|an|the))? (?:some|few|part|certain|one|several|handful|minority)"
    r"(?: (?:of (?:them|those|these|it)|ones|runs|samples))?(?P<end>\W*)$"
    r"|,? (?:and )?(?:if so|if yes|if it is|if there (?:is|are)),? (?:in |of |from )?how"
    r" (?:many|much|often|common)\b[^,?]*(?P<ifso>\W*)$"
    r"|,? and how many(?: of them| runs| samples| others)?"
    r" (?:lack|miss|have no|are missing|(?:do|does)(?:n['’]t| not)(?: (?:have|state|give|say))?)"
    r"(?: (?:an?|any|one|the|it))?(?: \w+)?(?P<rest>\W*)$"
    r"|,? or (?:maybe |perhaps |possibly )?(?:did |has |have )?(?:nobody|no one)\b[^,?]*"
    r"(?P<none>\?)$",
    re.IGNORECASE,
)
"""What a question adds at its end and its answer says anyway: or only in some, and if so in how
many, and how many lack one, or nobody wrote it down.
"""
_EXPECTS: Final = re.compile(
    r"\b(?:i|we|one|everyone|everybody|people|you)(?:['’](?:d|ve|m|re))?"
    r"(?: (?:would|have|had|am|are|always|also|rather|really|only|just))*"
    r" (?:suppose|guess|expect(?:ed|ing)?|assum(?:e|ed|ing)|bet|imagin(?:e|ed)|thought|think"
    r"|believed?|suspect(?:ed)?|reckon|presume|predict|fear|hope|figured|say)\b"
    r"|\b(?:will|would|should|must|ought to|might|may|could)"
    r"(?: (?:probably|surely|presumably|all))* (?:be|come|have been)\b"
    r"|\b(?:is|are|was|were|comes?) (?:surely|probably|presumably|likely"
    r"|certainly|no doubt|obviously|of course)\b"
    r"|^(?:the )?(?:rest|others?|remainder|first|top) (?:is|are|was|were|will|must|should|would)\b",
    re.IGNORECASE,
)
"""Says what somebody expects."""
_SO_MANY: Final = re.compile(
    r"(?:(?:please|just|only|maybe|say|perhaps) )*(?:(?:list|name|show|give|tell)(?: me| us)? )?"
    r"(?P<top>the (?:top|first|best) (?:[a-z]+|\d{1,3})"
    r"|(?:the )?(?:[a-z]+|\d{1,3}) (?:top|best|first) [a-z]+(?: by (?:number of )?runs)?)\b"
    r"(?:,? (?:please|kindly|only|(?:will|would|should|is|are|might)\b.*))?[\s.!?]*",
    re.IGNORECASE,
)
"""Says how many values will do."""


def without_courtesies(text: str) -> str:
    """Return ``text`` without the courtesies and hedges that it ends with or holds.

    >>> without_courtesies("How many mouse runs have flu, if you don't mind? Thanks!")
    'How many mouse runs have flu?'
    >>> without_courtesies("Is EBV in every run, or just in a few?")
    'Is EBV in every run?'
    """
    text = _SO_FAR.sub("", text)
    while found := _COURTESY.search(text):
        before = text[: found.start()]
        text = before if before.endswith(("?", "!", ".")) else before + found["end"]
    return _PARTLY.sub(lambda found: "".join(one or "" for one in found.groups()), text)


def is_expectation(statement: str) -> bool:
    """Return whether ``statement`` says what somebody expects.

    >>> is_expectation("The first will be HBV anyway"), is_expectation("We work on bats.")
    (True, False)
    """
    return _EXPECTS.search(statement) is not None


def values_that_will_do(sentence: str) -> str:
    """Return how many values ``sentence`` says will do, empty where it says something else.

    >>> values_that_will_do("The top five would do!")
    'the top five'
    """
    found = _SO_MANY.fullmatch(sentence)
    return found["top"].lower() if found else ""
