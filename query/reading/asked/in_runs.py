"""In how many runs a value has to be for it to be listed: countries with at least 100 runs."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from query.reading.kinds import NAME
from query.reading.measured.amounts import (
    AFTER,
    BEFORE,
    HOLDS,
    NUMBER,
    SIGN_WORDS,
    amount_of,
    compared_of,
    number_text,
)

_LINKING: Final = (
    r"(?:(?:with|that|which|who|have|has|having|had|carry\w*|are|is|were|was|(?:seen|found|detected"
    r"|present|known)(?= (?:in|from|on))|in|from|on|by|backed|supported|represented) )*"
)
_RUNS: Final = rf"(?:(?:sequencing|different|{NAME}) )*(?:runs?|samples?|librar(?:y|ies)|datasets?)"
_IN_RUNS: Final = re.compile(
    rf"\b{_LINKING}(?:(?P<before>{BEFORE}) (?P<number>{NUMBER})"
    rf"|(?P<number_after>{NUMBER}) (?P<after>{AFTER})) {_RUNS}\b"
)
_WORDS: Final = {**SIGN_WORDS, "<": "fewer than"}


class InRuns(NamedTuple):
    """What is asked of the runs of a value: a ``sign`` (>=, >, <=, <, =) and a ``number``, as
    ``written``.
    """

    sign: str
    number: int
    written: str

    def holds(self, runs: int) -> bool:
        """Return whether a value with so many ``runs`` is asked for."""
        return bool(HOLDS[self.sign](runs, self.number))

    @property
    def words(self) -> frozenset[str]:
        """The words that say it."""
        return frozenset(self.written.split())

    @property
    def text(self) -> str:
        """This in words: at least 100 runs."""
        runs = "run" if self.number == 1 else "runs"
        return f"{_WORDS[self.sign]} {number_text(self.number)} {runs}"


def in_runs_of(frame: str) -> tuple[InRuns | None, str]:
    """Return in how many runs ``frame`` wants values to be, None where it does not say, and the
    rest of it.

    >>> asked, rest = in_runs_of("hosts with at least 100 runs")
    >>> asked.text, rest
    ('at least 100 runs', 'hosts')
    >>> asked, rest = in_runs_of("which families are found in more than 1,000 _ runs")
    >>> asked.text, rest
    ('more than 1,000 runs', 'which families _')
    >>> in_runs_of("hosts of _")
    (None, 'hosts of _')
    """
    found = _IN_RUNS.search(frame)
    if found is None:
        return None, frame
    number = found["number"] or found["number_after"]
    sign = compared_of(found["before"] or found["after"])
    names = f" {NAME}" * found[0].split().count(NAME)
    rest = f"{frame[: found.start()].rstrip()}{names}{frame[found.end() :]}"
    return InRuns(sign, round(amount_of(number)), found[0]), rest.strip()
