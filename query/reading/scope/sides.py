"""Sides that are named before a colon or a dash, and compared behind it."""

from __future__ import annotations

import re
from typing import Final

_MORE: Final = r"(?:higher|lower|more|less|larger|smaller|commoner|rarer|most|oftener)"
_SIDES_BEFORE: Final = re.compile(
    r"^(?P<sides>[^:?.]+? (?:vs\.?|versus) [^:?.]+?)(?::| [-–—]) *(?:where|in which(?: one)?|which)"
    rf" (?:is|are|has|have|does|do) (?:the )?(?P<rest>[^?.]+?)(?: (?:rate|share))? {_MORE}"
    r"(?: (?:common|frequent|often))?\W*$",
    re.IGNORECASE,
)
"""Two sides before a colon, and behind it that they are compared: cattle vs sheep: where is the
rate of endornaviruses higher?
"""
_COMPARED_BEFORE: Final = re.compile(
    r"^(?P<one>[^:?.,]+?) (?:compared (?:with|to)|against|vs\.?|versus) (?P<two>[^:?.,]+?)"
    r"(?:[:,]| [-–—]) *(?:what )?(?:share|proportion|percentage|fraction)(?: of)?"
    r"(?: (?:the )?(?:runs|samples|libraries))? (?:with|carrying) (?P<rest>[^?.]+?)\W*$",
    re.IGNORECASE,
)
"""Two sides before a colon, and behind it what is found in a share of each."""
_WHOSE_SHARE: Final = re.compile(
    r"^(?P<rest>[^:?.,]+?) in (?P<one>[^:?.,]+?) (?:compared (?:with|to)|against|vs\.?|versus|or)"
    r" (?:in )?(?P<two>[^:?.,]+?)(?:[:,]| [-–—]) *(?:in )?which(?: one)? (?:has|is|shows)"
    rf" (?:the |it )?{_MORE}(?: (?:rate|share|proportion|percentage|prevalence))?\W*$",
    re.IGNORECASE,
)
"""What is found in two sides before a colon, and behind it that its shares are compared."""
_TWO_BEFORE: Final = re.compile(
    r"^(?P<one>[^:?.,]+?) or (?P<two>[^:?.,]+?)(?:[:,]| [-–—]) *which(?: one)?(?: [\w ]+?)?"
    r" (?:is|are|has|have|occurs?|appears?) (?:found |seen )?(?:in )?(?:more|most)"
    r" (?:runs|samples|libraries)\W*$",
    re.IGNORECASE,
)
"""Two names before a colon, of which the one of more runs is asked for."""
_MORE_RUNS_BEFORE: Final = re.compile(
    r"^(?P<one>[^:?.,]+?) or (?P<two>[^:?.,]+?)(?:[:,]| [-–—]) *which(?: one)? (?:has|have)"
    r" (?:the )?(?:more|most) (?:runs|samples|libraries)(?: here| in (?:here|the index))?\W*$",
    re.IGNORECASE,
)
"""Two groups before a comma, of which the one of more runs is asked for."""


def with_sides_compared(text: str) -> str:
    """Return ``text`` as a comparison, where its sides stand before a colon or a dash.

    >>> with_sides_compared("cattle vs sheep: where is the rate of endornaviruses higher?")
    'Compare rate of endornaviruses in cattle vs sheep'
    >>> with_sides_compared("soil compared with lakes - share of runs with any virus")
    'Compare any virus in soil and lakes'
    >>> with_sides_compared("CMV in Crohn's vs colitis - which has the higher share?")
    "Compare CMV in Crohn's and colitis"
    >>> with_sides_compared("spruce or elm, which has more runs here?")
    'Are there more spruce or elm runs?'
    >>> with_sides_compared("EBV or CMV: which is in more runs?")
    'Compare EBV and CMV'
    """
    text = _SIDES_BEFORE.sub(r"Compare \g<rest> in \g<sides>", text)
    text = _WHOSE_SHARE.sub(r"Compare \g<rest> in \g<one> and \g<two>", text)
    text = _COMPARED_BEFORE.sub(r"Compare \g<rest> in \g<one> and \g<two>", text)
    text = _MORE_RUNS_BEFORE.sub(r"Are there more \g<one> or \g<two> runs?", text)
    return _TWO_BEFORE.sub(r"Compare \g<one> and \g<two>", text)
