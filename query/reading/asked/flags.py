"""Which flags of tests a question asks for: flagged ones, those without any, those on a tiny group.

A flag says why a test is to be read with care; ``index/mwas/flags.py`` sets them.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

_FLAGS: Final = {
    "tiny group": r"tiny (?:groups?|samples?)",
    "batch-like field": r"batch-?like(?: fields?)?|batch effects?",
    "no negatives": r"no negatives",
    "single-run driver": r"single-?run drivers?|(?:driven|made|carried) by (?:one|a single) run",
    "rare family": r"rare famil(?:y|ies)",
    "constant within host": r"constant within (?:a |the )?hosts?",
    "coverage-based abundance": r"coverage-?based(?: abundances?)?",
    "duplicate": r"duplicates? of (?:an)?other fields?|duplicated fields?",
}
"""What opens a flag -> how people name it."""
_ANY: Final = r"flagged|flags?|warnings?|caveats?"
_OPENING: Final = (
    r"(?P<without>\bun(?=flagged)|\b(?:without|no|not|lacking|ignoring|excluding|except|leaving out"
    r"|disregarding)(?! negatives) (?:an? |any |the |all |single |such )*"
    r"(?:(?:ones|those|tests|that) )?(?:(?:are|were|rest|resting) )?(?:(?:on|with|as) (?:an? )?)?)?"
)
_NAMED: Final = "|".join(
    f"(?P<f{place}>{pattern})" for place, pattern in enumerate(_FLAGS.values())
)
_ASKED: Final = re.compile(rf"{_OPENING}\b(?:{_NAMED}|(?P<any>{_ANY}))\b")


class FlagAsked(NamedTuple):
    """A flag by its ``name``, empty for any, and whether tests with it are ``wanted`` or those
    without.
    """

    name: str = ""
    wanted: bool = True

    @property
    def condition(self) -> str:
        """The SQL condition on a row of the table ``association``."""
        if self.name:
            return f"{'' if self.wanted else 'NOT '}contains(coalesce(flag, ''), '{self.name}')"
        return f"flag IS {'NOT ' if self.wanted else ''}NULL"

    @property
    def text(self) -> str:
        """Which tests these are: with a flag, without the flag tiny group."""
        flag = f"the flag {self.name}" if self.name else "a flag"
        return f"{'with' if self.wanted else 'without'} {flag}"


def flag_asked(frame: str) -> FlagAsked | None:
    """Return which flag of tests ``frame`` asks for, in small letters; None where any will do.

    >>> flag_asked("flagged associations of _"), flag_asked("associations of _ without a flag")
    (FlagAsked(name='', wanted=True), FlagAsked(name='', wanted=False))
    >>> flag_asked("how many associations rest on a tiny group").condition
    "contains(coalesce(flag, ''), 'tiny group')"
    >>> flag_asked("associations of _") is None
    True
    """
    found = _ASKED.search(frame)
    if found is None:
        return None
    named = [name for place, name in enumerate(_FLAGS) if found[f"f{place}"]]
    return FlagAsked(named[0] if named else "", not found["without"])


def flag_words(frame: str) -> frozenset[str]:
    """Return the words of ``frame`` that name a flag."""
    words = [word for found in _ASKED.finditer(frame) for word in found[0].split()]
    return frozenset(words)
