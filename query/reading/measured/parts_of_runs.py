"""How large a part of some runs is asked to be of something: do most rice runs have a virus?

Such a question is read as one for the share, so its words for the part are taken out before
anything else is read; the answer says yes or no before the share.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from query.reading.measured.amounts import (
    BEFORE,
    HOLDS,
    SIGN_WORDS,
    amount_of,
    compared_of,
    number_text,
)
from query.reading.measured.patterns import GIVEN

_WHOLE: Final = 100
_ONE: Final = re.compile(r"\b(run|sample|library|dataset)(?= |$)")


class PartOfRuns(NamedTuple):
    """A part of runs in ``percent``, and how the one asked about compares (``sign``)."""

    sign: str
    percent: float

    def holds(self, part: int, whole: int) -> bool:
        """Return whether ``part`` of ``whole`` runs is such a part."""
        return bool(whole) and bool(HOLDS[self.sign](_WHOLE * part, self.percent * whole))

    @property
    def text(self) -> str:
        """The part in words: more than 50%."""
        return f"{SIGN_WORDS[self.sign]} {number_text(self.percent)}%"


class OfPart(NamedTuple):
    """A question for a share, and the part that it is asked to be; None where none is said."""

    text: str
    part: PartOfRuns | None = None


def part_of_runs(text: str) -> OfPart:
    """Return ``text`` as a question for a share, with the part that this is asked to be.

    >>> part_of_runs("Do more than half of the rice runs contain Endornaviridae?")
    OfPart(text='What share of rice runs contain Endornaviridae?', part=PartOfRuns(sign='>', \
percent=50.0))
    >>> part_of_runs("Are all runs of PRJNA221782 Phaseolus vulgaris?").text
    'What share of runs of PRJNA221782 are Phaseolus vulgaris?'
    >>> part_of_runs("Is EBV found in at least 90 % of the human runs?").text
    'What share of human runs carry EBV?'
    >>> part_of_runs("Is sex filled in for every honey bee run?").text
    'What share of honey bee runs have a stated sex?'
    >>> part_of_runs("Do all flaviviruses infect mosquitoes?").part is None
    True
    """
    for pattern, becomes in _WORDINGS:
        found = pattern.fullmatch(text)
        if found:
            words = {name: said or "" for name, said in found.groupdict().items()}
            runs = _ONE.sub(r"\1s", words["runs"]).replace("librarys", "libraries")
            return OfPart(becomes.format(**words | {"runs": runs}), _part(found))
    return OfPart(text)


def _part(found: re.Match[str]) -> PartOfRuns:
    if found["percent"]:
        sign = compared_of((found["compared"] or "").lower())
        return PartOfRuns(sign, amount_of(found["percent"]))
    said = found["part"].lower()
    if re.match(r"all|every|each", said):
        return PartOfRuns("=", _WHOLE)
    sign = "<" if re.search(r"less|fewer|under|below|minority", said) else ">"
    return PartOfRuns(sign, _WHOLE / 2)


_PART: Final = (
    r"(?P<part>all(?: of)?|every(?: single)?(?: one of)?|each(?: and every)?(?: one)?(?: of)?"
    r"|(?:the |a |the vast )?(?:majority|minority) of"
    r"|(?:more|less|fewer) than half(?: of)?|(?:over|under|below|above) half(?: of)?|most(?: of)?"
    rf"|(?:(?P<compared>{BEFORE}) )?(?P<percent>\d+(?:\.\d+)?) ?(?:%|percent|per cent) of"
    r")(?: the| these| those| our| all)*"
)
_RUNS: Final = r"(?:runs?|samples?|librar(?:y|ies)|datasets?|detections|hits)"
_NAMED: Final = rf"(?:[\w.’'-]+ ){{1,4}}?{_RUNS}"
_WHICH: Final = rf"(?P<runs>{_NAMED}|{_RUNS} (?:of|in|with|positive for) (?:the )?[\w.-]+)"
_WORDINGS: Final = (
    (
        re.compile(
            rf"(?i)(?:is|are|was|were) (?:the |an? |its |their )?(?P<stated>\w+) {GIVEN}"
            rf" (?:for|in|of|on|with) {_PART} {_WHICH}(?P<end>\W*)"
        ),
        "What share of {runs} have a stated {stated}{end}",
    ),
    (
        re.compile(rf"(?i)(?:do|does|did|have|has) {_PART} {_WHICH} (?P<rest>.+)"),
        "What share of {runs} {rest}",
    ),
    (
        re.compile(rf"(?i)(?:is|are|was|were) {_PART} {_WHICH} (?P<rest>.+)"),
        "What share of {runs} are {rest}",
    ),
    (
        re.compile(
            r"(?i)(?:is|are|was|were|does|do) (?P<found>(?!there\b)[^?]+?)"
            r"(?: (?:found|present|detected|seen|occur|appear|show up))? (?:in|from) "
            rf"{_PART} {_WHICH}(?P<end>\W*)"
        ),
        "What share of {runs} carry {found}{end}",
    ),
)
"""Wordings of such a question, in the order in which they are tried, and what each becomes."""
