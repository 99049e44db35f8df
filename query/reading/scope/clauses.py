"""Which clause of a text is the question; the other clauses only say why it is asked.

"Writing a thesis on mumps virus. Do you have a run of it?" asks in its second sentence. The first
names what "it" is; its other words say nothing of the index.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from query.reading.mentions import Mention

_ASKING: Final = (
    r"which|what|where|whom?|do(?:es)?|did|is|are|was|were|has|have|can|could"
    r"|count|list|name|show|give"
)
"""Words that ask, wherever they stand."""
_OPENERS: Final = rf"(?:in )?how|{_ASKING}"
"""Words that a question opens with behind a colon, a dash or a statement."""
_CLAUSE_ENDS: Final = re.compile(
    r"(?<=[^\W_]{2}[.!?])(?<!\b(?i:no|vs|cf|sp|st|dr|cv)\.)\s+(?=[A-Z])"
    rf"|(?<=[?!])\s+|\s*…\s*|(?:[:;]|\s[–—-])\s+(?=(?:{_OPENERS})\b)"
)
"""Where a clause ends: a sentence (no abbreviation: no. of, vs.), a dash, a colon."""
_ASIDE: Final = re.compile(
    r"^(?:(?:i|we)\b|my |our |so |as |the (?:boss|prof|reviewer)|since |because )"
    r"(?:(?:[^,.!?;:]+,)+?|[^,.!?;:]+ (?:i|we) (?:wonder|ask|asked|wondered),?)"
    rf"\s+(?=(?:{_OPENERS})\b)",
    re.IGNORECASE,
)
"""A statement of who asks, and a comma before what is asked."""
_ASKS: Final = re.compile(
    r"\b(?:how (?:many|much|often|common|high|large|big)|any|tell|rank|compare|number"
    rf"|{_ASKING})\b",
    re.IGNORECASE,
)
_OPENS: Final = re.compile(
    rf"^(?:(?:and|so|then|please|in|of|from|on|for|to) )?"
    rf"(?:how|any|tell|rank|compare|{_ASKING})\b",
    re.IGNORECASE,
)
_SAYS_WHAT: Final = re.compile(
    r"\b(?:virus\w*|viral|number|share|percentage|fraction|runs?|samples?|hosts?)\b", re.IGNORECASE
)
"""What a clause without a question mark asks for, where no other clause asks."""
_POINTS_BACK: Final = re.compile(r"\b(?:it|its|that one)\b", re.IGNORECASE)
_POINTS_TO_ALL: Final = re.compile(
    r"\b(?:each|both|which ones?|the two|who)\b"
    r"|^which (?:is|are|was|were|has|have|had)\b.*\b(?:more|less|fewer|\w+er)\b",
    re.IGNORECASE,
)
"""Asks about things that are compared beside it: all is read as the question."""


@dataclass(frozen=True, slots=True)
class Clauses:
    """What a text asks, and the setting that it gives, empty where it gives none."""

    asked: str
    setting: str = ""

    @property
    def text(self) -> str:
        """Both as one text, what is asked first."""
        if not self.setting:
            return self.asked
        return f"{self.asked} ; {self.setting}"

    def meant(self, asked: Sequence[Mention], setting: Sequence[Mention]) -> list[Mention]:
        """Return the names of the ``setting`` that the question asks about, too.

        They are of groups that it does not name itself; where it points back ("in it"), of the
        group of the last name only those that are joined to it.
        """
        groups = {one.group for one in asked}
        others = [one for one in setting if one.group not in groups]
        if asked or not others or not _POINTS_BACK.search(self.asked):
            return others
        last = others[-1]
        joined = [last]

        for one in reversed(others[:-1]):
            if one.group == last.group and joined[-1].start - one.end <= 1:
                joined.append(one)
        return [one for one in others if one.group != last.group or one in joined]


def clauses_of(text: str) -> Clauses:
    """Return the clause of ``text`` that asks, and the rest.

    >>> clauses_of("Our bats are ill. Which viruses do bats carry?")
    Clauses(asked='Which viruses do bats carry?', setting='Our bats are ill.')
    >>> clauses_of("How many runs hold EBV?").setting
    ''
    """
    parts = _parts(text)
    asking = [place for place, part in enumerate(parts) if _asks(part)]
    if not asking:
        asking = [place for place, part in enumerate(parts) if _SAYS_WHAT.search(part)]
    if len(parts) < 2 or not asking:
        return Clauses(text)
    chosen = asking[-1]
    if _POINTS_TO_ALL.search(parts[chosen]):
        return Clauses(text)

    others = [part for place, part in enumerate(parts) if place != chosen]
    return Clauses(parts[chosen], " ; ".join(others))


def _parts(text: str) -> list[str]:
    aside = _ASIDE.match(text)
    split = [text[: aside.end()], text[aside.end() :]] if aside else [text]
    parts = [part.strip() for one in split for part in _CLAUSE_ENDS.split(one)]
    return [part for part in parts if part]


def _asks(part: str) -> bool:
    """Return whether ``part`` opens like a question, or ends as one and says what it asks."""
    if _OPENS.match(part):
        return True
    return part.endswith("?") and _ASKS.search(part) is not None
