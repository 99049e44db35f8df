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

EVIDENCE: Final = {
    "any": "",
    "species": "at 90 percent identity or more",
    "known": "of known identity",
    "reported": "only as reported",
}
NAMED: Final = {
    None: "",
    True: "named to genus or species",
    False: "not named to genus or species",
}
HAS: Final = {
    "tissue": ("are", "from the tissue", ""),
    "cell_line": ("are", "from the cell line", ""),
    "country": ("are", "from the country", ""),
    "sea": ("are", "from the sea", ""),
    "place": ("are", "from the place", ""),
    "biome": ("are", "from the biome", ""),
    "disease": ("have", "the disease", ""),
    "study": ("are", "of study", ""),
    "project": ("are", "of BioProject", ""),
    "biosample": ("are", "of BioSample", ""),
    "community": ("are", "in community", ""),
}
"""Verb, words before and behind the values, of fields that are not said "have X as F"."""
DATED: Final = {"released": "released", "collected": "collected"}
"""Participles of dates: "were released after 2018"."""


def say_hit(hit: Hit) -> str:
    """Return a hit as a noun phrase.

    >>> say_hit(Hit("EBV", evidence="species"))
    'EBV at 90 percent identity or more'
    """
    parts = [said_names(hit.virus) or "any virus"]
    if hit.other_than:
        parts.append(f"other than {said_names(hit.other_than)}")
    parts += [part for part in (EVIDENCE[hit.evidence], NAMED[hit.named]) if part]
    parts += [f"with {name} {said_range(bounds)}" for name, bounds in hit.ranges.items()]
    for said, names in (
        ("detected by {}", hit.source),
        ("of sOTU {}", hit.sotu),
        ("reported as {}", hit.reported),
        ("of risk group {}", hit.risk),
        ("with {} genome", hit.genome),
        ("judged {}", hit.plausibility),
        ("recorded in {}", hit.infects),
    ):
        if names:
            parts.append(said.format(said_names(names)))
    return " ".join(parts)


def say_runs(runs: RunSet) -> str:
    """Return a set of runs as a noun phrase.

    >>> say_runs(Carries(Hit("EBV")) & Not(Has("host", "human")))
    'runs that carry EBV and do not have human as host'
    """
    if isinstance(runs, Everything):
        return "all runs"
    return f"runs that {say_clause(runs)}"


def say_clause(runs: RunSet) -> str:
    """Return the condition on the runs of a set, as a clause to follow "runs that"."""
    if isinstance(runs, And | Or):
        return f" {runs.type} ".join(map(_nested, runs.of))
    if isinstance(runs, Not):
        return _denied(runs.of)
    verb, rest = _leaf(runs)
    return f"{verb} {rest}"


def _nested(runs: RunSet) -> str:
    """Return a clause inside another, in brackets where "or" and "and" could be misread."""
    clause = say_clause(runs)
    return f"({clause})" if isinstance(runs, And | Or) else clause


def _denied(runs: RunSet) -> str:
    if isinstance(runs, And | Or | Not):
        return f"are not among those that ({say_clause(runs)})"
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
            if field in DATED:
                return "were", f"{DATED[field]} {said_range(bounds)}"
            return "have", f"{_with_article(field)} {said_range(bounds)}"
        case Searched():
            return "were", _said_searched(runs)
        case Mentions(words, where):
            listed = " and ".join(said_name(word) for word in words)
            place = " in a title" if where == "title" else ""
            return "mention", f"{listed}{place}"
        case Top(field, of, n):
            common = f"one of the {n} most common {said_field(field, plural=True)}"
            if n == 1:
                common = f"the most common {said_field(field)}"
            return "have", f"{common} among ({say_runs(of)})"
    raise TypeError(f"no set of runs: {runs!r}")


def _said_has(runs: Has) -> tuple[str, str]:
    if runs.contains is not None:
        return "have", f"{_with_article(runs.field)} containing {said_name(runs.contains)}"
    if not runs.values:
        return "state", _with_article(runs.field)
    values = said_names(runs.values)
    if not runs.below:
        values = f"exactly {values}"
    verb, before, after = HAS.get(runs.field, ("have", "", f"as {said_field(runs.field)}"))
    share = f"with a share {said_range(runs.share)} percent" if runs.share else ""
    return verb, " ".join(part for part in (before, values, after, share) if part)


def _with_article(field: str) -> str:
    said = said_field(field)
    return f"an {said}" if said[0].lower() in "aeio" else f"a {said}"


def _said_searched(runs: Searched) -> str:
    by = f" by {said_names(runs.source)}" if runs.source else ""
    of = f" for {said_names(runs.virus)}" if runs.virus else ""
    return f"searched{by}{of}"
