"""The first words of a follow-up: what they ask to do with the names behind them.

``and in leaves?`` puts leaves where another tissue was; ``compare with pigs`` sets pigs beside the
host of before.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Literal

Move = Literal["ask", "set", "add", "rule out", "compare", "all"]
"""What a follow-up does.

``ask``       nothing yet said: a question of its own, unless it names nothing or points back
``set``       its names take the place of those of their group
``add``       its names are alternatives beside those of their group
``rule out``  its names must not be carried
``compare``   its name is compared with that of the same group
``all``       every value, no limit
"""


@dataclass(frozen=True, slots=True)
class FollowUp:
    """The move of a follow-up, and its text without the words that ask for the move."""

    move: Move
    rest: str


_ARTICLES: Final = re.compile(r"^(?:please|then|now|so|ok|okay|well|hm+)\b[ ,]*", re.IGNORECASE)
_MOVES: Final[tuple[tuple[Move, str], ...]] = (
    ("compare", r"(?:and )?(?:how does (?:it|that|this) )?compare(?:d|s)?(?: "
        r"(?:it|that|this|them))?"
                r"(?: with| to| against)?|(?:and )?(?:versus|vs\.?|against|as opposed to)"),
    ("rule out", r"(?:(?:and|but) )?(?:without(?: any)?|except(?: for| in| from)?|excluding|exclude"
                 r"|leave out|drop|minus|other than|not(?: in| from| of| the)?|no)"),
    ("add", r"(?:and )?(?:also|plus|as well as|add|include|including|or)(?: in| from| of)?"),
    ("set", r"(?:and )?(?:only|just|restrict(?:ed)? to|limit(?:ed)? to|within|for|instead"
            r"|(?:what|how) about|same (?:for|in|of|with))(?: those)?(?: in| from| of| for| the)?"),
    ("all", r"(?:and )?(?:all of (?:them|it)|everything|no limit|the whole list)"),
    ("set", r"and(?: (?:in|from|of|for|with|at))?|(?:in|from|of|at)"),
)  # fmt: skip
"""Moves in the order they are tried, with the words that ask for them."""
_ALSO: Final = re.compile(r"[ ,]+(?:too|as well|also)\s*[?.!]*$", re.IGNORECASE)
_INSTEAD: Final = re.compile(r"[ ,]+instead\s*[?.!]*$", re.IGNORECASE)
_POINTS_BACK: Final = re.compile(
    r"\b(?:they|them|those|these|it|its|their|there|that|same)\b", re.IGNORECASE
)


def split_cue(text: str) -> FollowUp:
    """Return what ``text`` asks to do, and the names it asks it for.

    >>> split_cue("and in leaves?")
    FollowUp(move='set', rest='leaves?')
    >>> split_cue("compare with pigs")
    FollowUp(move='compare', rest='pigs')
    >>> split_cue("Which viruses infect bats?")
    FollowUp(move='ask', rest='Which viruses infect bats?')
    """
    plain = _ARTICLES.sub("", text.strip())
    if _ALSO.search(plain):
        bare = split_cue(_ALSO.sub("", plain))
        return FollowUp("add", bare.rest)
    if _INSTEAD.search(plain):
        bare = split_cue(_INSTEAD.sub("", plain))
        return FollowUp("set", bare.rest)

    for move, pattern in _MOVES:
        found = re.match(rf"(?:{pattern})(?=[\s,?.!]|$)[\s,]*", plain, re.IGNORECASE)
        if found:
            return FollowUp(move, plain[found.end() :])
    return FollowUp("ask", plain)


def points_back(text: str) -> bool:
    """Return whether ``text`` speaks of what was asked before: they, those, there.

    >>> points_back("In which tissues are they?"), points_back("Which viruses infect bats?")
    (True, False)
    """
    return bool(_POINTS_BACK.search(text))
