"""Hits and sets of runs in canonical English."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise, takewhile
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
PHRASES: Final = {
    "host": "from the host",
    "environment": "from the environment",
    "tissue": "from the tissue",
    "cell_line": "from the cell line",
    "country": "from the country",
    "sea": "from the sea",
    "place": "from the place",
    "biome": "from the biome",
    "disease": "with the disease",
    "study": "of study",
    "project": "of BioProject",
    "biosample": "of BioSample",
    "community": "in community",
}
"""Words before the values of fields that are not said "have X as F"."""
_FROM: Final = "are from "
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
    'runs that carry EBV and are not from the host human'
    >>> say_runs(Has("host", "human") & Has("tissue", "liver") & Carries(Hit("EBV")))
    'runs from the host human and the tissue liver that carry EBV'
    """
    if isinstance(runs, Everything):
        return "all runs"
    phrases, rest = with_phrases(runs)
    return f"{phrases} that {rest}" if rest else phrases


def with_phrases(runs: RunSet) -> tuple[str, str]:
    """Return "runs from the host human", and the rest of the conditions as a clause."""
    parts = runs.of if isinstance(runs, And) else (runs,)
    first = [part for part in takewhile(_is_phrase, parts) if isinstance(part, Has)]
    rest = parts[len(first) :]
    phrases = _joined([f"{PHRASES[part.field]} {_values(part)}" for part in first])
    clause = say_clause(rest[0]) if len(parts) == 1 and rest else _clauses(rest, "and")
    return f"runs {phrases}".strip(), clause


def _is_phrase(part: RunSet) -> bool:
    return isinstance(part, Has) and bool(part.values) and part.field in PHRASES


def _joined(phrases: Sequence[str]) -> str:
    """Return phrases in a row: "from the host human and the tissue liver with the disease flu"."""
    said = ""
    for before, phrase in pairwise(["", *phrases]):
        both = before.startswith("from ") and phrase.startswith("from ")
        said += f" and {phrase.removeprefix('from ')}" if both else f" {phrase}"
    return said.strip()


def say_clause(runs: RunSet) -> str:
    """Return the condition on the runs of a set, as a clause to follow "runs that"."""
    if isinstance(runs, And | Or):
        return _clauses(runs.of, runs.type)
    if isinstance(runs, Not):
        return _denied(runs.of)
    verb, rest = _leaf(runs)
    return f"{verb} {rest}"


def _clauses(parts: Sequence[RunSet], joint: str) -> str:
    """Return clauses in a row; "are from" is said once for "the host human and the tissue lung"."""
    said = ""
    for before, clause in pairwise(["", *map(_nested, parts)]):
        both = joint == "and" and before.startswith(_FROM) and clause.startswith(_FROM)
        said += f" {joint} {clause.removeprefix(_FROM) if both else clause}"
    return said.removeprefix(f" {joint} ")


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
        return "have", f"a recorded {said_field(runs.field)}"
    phrase = f"{PHRASES.get(runs.field, '')} {_values(runs)}"
    if runs.field == "disease":
        return "have", phrase.removeprefix("with ")
    if runs.field in PHRASES:
        return "are", phrase
    share = f" with a share {said_range(runs.share)} percent" if runs.share else ""
    return "have", f"{_values(runs)} as {said_field(runs.field)}{share}"


def _values(runs: Has) -> str:
    return f"{'' if runs.below else 'exactly '}{said_names(runs.values)}"


def _with_article(field: str) -> str:
    said = said_field(field)
    return f"an {said}" if said[0].lower() in "aeio" else f"a {said}"


def _said_searched(runs: Searched) -> str:
    by = f" by {said_names(runs.source)}" if runs.source else ""
    of = f" for {said_names(runs.virus)}" if runs.virus else ""
    return f"searched{by}{of}"
