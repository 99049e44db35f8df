"""Hits and sets of runs in canonical English."""

from __future__ import annotations

from typing import Final

from query.request.hits import Hit
from query.request.run_sets import (
    And,
    Between,
    Carries,
    Everything,
    Has,
    Mentions,
    Not,
    Or,
    RunSet,
    Searched,
    Top,
)
from query.request.wording import said_field, said_name, said_names, said_range

_EVIDENCE: Final = {
    "any": "",
    "species": "at 90 percent identity or more",
    "known": "of known identity",
    "reported": "only as reported",
}
_UNITS: Final = {
    "identity": "identity",
    "reads": "reads",
    "score": "score",
    "coverage": "coverage",
}


def say_hit(hit: Hit) -> str:
    """Return a hit as a noun phrase.

    >>> say_hit(Hit("EBV", evidence="species"))
    'EBV at 90 percent identity or more'
    """
    parts = [said_names(hit.virus) or "any virus"]
    if hit.other_than:
        parts.append(f"other than {said_names(hit.other_than)}")
    parts += [part for part in (_EVIDENCE[hit.evidence], _said_named(hit.named)) if part]
    for name, bounds in hit.ranges.items():
        parts.append(f"with {_UNITS[name]} {said_range(bounds)}")
    if hit.source:
        parts.append(f"by source {said_names(hit.source)}")
    if hit.sotu:
        parts.append(f"of sOTU {said_names(hit.sotu)}")
    if hit.reported:
        parts.append(f"reported as {said_names(hit.reported)}")
    if hit.risk:
        parts.append(f"of risk group {said_names(hit.risk)}")
    if hit.genome:
        parts.append(f"of genome {said_names(hit.genome)}")
    if hit.infects:
        parts.append(f"recorded in {said_names(hit.infects)}")
    return " ".join(parts)


def _said_named(named: bool | None) -> str:
    if named is None:
        return ""
    return "named to genus or species" if named else "not named to genus or species"


def say_runs(runs: RunSet) -> str:
    """Return a set of runs as a noun phrase.

    >>> say_runs(Carries(Hit("EBV")) & Not(Has("host", "human")))
    'runs that carry EBV and do not have host human'
    """
    if isinstance(runs, Everything):
        return "all runs"
    return f"runs that {say_clause(runs)}"


def say_clause(runs: RunSet) -> str:
    """Return what holds of the runs of a set, as a clause behind "runs that"."""
    if isinstance(runs, And):
        return " and ".join(_nested(part) for part in runs.of)
    if isinstance(runs, Or):
        return " or ".join(_nested(part) for part in runs.of)
    if isinstance(runs, Not):
        return _denied(runs.of)
    verb, rest = _leaf(runs)
    return f"{verb} {rest}"


def _nested(runs: RunSet) -> str:
    """Return a clause inside another: brackets keep apart what "or" and "and" join."""
    clause = say_clause(runs)
    return f"({clause})" if _needs_brackets(runs) else clause


def _needs_brackets(runs: RunSet) -> bool:
    """Return whether a clause has an "or" of its own that could be read with the next words."""
    if isinstance(runs, Not):
        return _needs_brackets(runs.of)
    return isinstance(runs, And | Or)


def _denied(runs: RunSet) -> str:
    """Return the clause that denies ``runs``."""
    if isinstance(runs, And | Or | Not):
        return f"not ({say_clause(runs)})"
    verb, rest = _leaf(runs)
    if verb in ("are", "were"):
        return f"{verb} not {rest}"
    return f"do not {verb} {rest}"


def _leaf(runs: RunSet) -> tuple[str, str]:
    """Return the verb of a simple clause and the rest of it."""
    match runs:
        case Everything():
            return "are", "in the index"
        case Carries(hit):
            return "carry", say_hit(hit)
        case Has():
            return _said_has(runs)
        case Between(field, bounds):
            return "have", f"{said_field(field)} {said_range(bounds)}"
        case Searched():
            return "were", _said_searched(runs)
        case Mentions(words, where):
            listed = " plus ".join(said_name(word) for word in words)
            place = " in a title" if where == "title" else ""
            return "mention", f"{listed}{place}"
        case Top(field, of, n):
            return "are", f"in the top {n} by {said_field(field)} among ({say_runs(of)})"
    raise TypeError(f"no set of runs: {runs!r}")


def _said_has(runs: Has) -> tuple[str, str]:
    field = said_field(runs.field)
    if runs.contains is not None:
        return "have", f"{field} containing {said_name(runs.contains)}"
    if not runs.values:
        return "state", f"any {field}"
    exactly = "" if runs.below else "exactly "
    return "have", f"{field} {exactly}{said_names(runs.values)}"


def _said_searched(runs: Searched) -> str:
    by = f" by {said_names(runs.source)}" if runs.source else ""
    of = f" for {said_names(runs.virus)}" if runs.virus else ""
    return f"searched{by}{of}"
