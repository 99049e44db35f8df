"""What a text has to hold where a regular expression matches it: the letters of no alternative.

Searching a text for letters is far cheaper than compiling the pattern that they are from. Full
parsers of patterns (RE2's ``FilteredRE2`` does this) compile no lookahead, which two in five rules
have.
"""

from __future__ import annotations

import re
from typing import Final

_CHARACTERS: Final = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]")
"""An escaped character, or a set of them."""
_GROUP: Final = re.compile(r"\([^()]*\)(?:[?*+]|\{[^}]*\})*")
_REPEATED: Final = re.compile(r".(?:[?*+]|\{[^}]*\})+")
"""A character that may be left out, or that others follow."""
_ANY: Final = "\0"
"""Stands for whatever is left open."""
_LEAST: Final = 3
"""Letters of a part, at least: fewer are in most texts."""


def required_parts(pattern: str) -> tuple[str, ...]:
    r"""Return parts that each text holds, case aside, in which ``pattern`` is found; maybe none.

    >>> required_parts(r"\bsince when (?:was|were) .+? in\b")
    ('since when ',)
    >>> required_parts("bats|pigs")
    ()
    """
    outer = _CHARACTERS.sub(_ANY, pattern)
    inner = ""
    while outer != inner:
        inner, outer = outer, _GROUP.sub(_ANY, outer)
    if "|" in outer:
        return ()
    parts = re.split(r"[\0.^$]", _REPEATED.sub(_ANY, outer))
    return tuple(part.casefold() for part in parts if len(part.strip()) >= _LEAST)
