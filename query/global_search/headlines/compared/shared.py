"""Headlines of what groups of runs have in common: the viruses found in all of them, or the hosts,
tissues and places that runs of every virus state, with how often in each.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from index.reports.phrases import counted, listed, percent
from query.global_search.headlines.compared.differences import Side, carriers_of
from query.global_search.naming import group_of, names_of
from query.global_search.statements import FACET_TITLES
from query.reading.question import Question

_SHOWN: Final = 5
VIRUS_TITLES: Final = {"family": "virus families", "species": "virus species"}
"""What several values of a facet of viruses are called."""
_STATED: Final = ("host", "environment", "tissue", "disease", "geography")
"""What viruses may have in common, unless the question says what."""
TITLE_OF_ONE: Final = {"family": "virus family", "species": "virus species"}


def shared_by_sides(question: Question, sides: Sequence[Side]) -> str:
    """Return the virus families and species that runs of all ``sides`` carry, or in which of them
    the virus asked for is.
    """
    virus = [key for key in question.groups if group_of(key) == "virus"]
    if virus:
        return _virus_in_each(question, sides, virus)
    names = listed([side.name for side in sides])
    facets = [one for one in question.reading.facets if one in VIRUS_TITLES] or list(VIRUS_TITLES)
    sentences = [_shared(facet, sides) for facet in facets]
    searched = " and ".join(counted(side.searched, "searched run") for side in sides)
    return f"{names} ({searched}) have in common: {'; '.join(sentences)}."


def shared_values(question: Question, sides: Sequence[Side]) -> str:
    """Return the values that runs of all ``sides`` state: of the facets asked for, else of the
    usual ones; those of the most runs first.
    """
    reading = question.reading
    asked = [one for one in reading.facets if one not in VIRUS_TITLES]
    facets = asked if reading.explicit and asked else _STATED
    return "; ".join(_stated_by_all(facet, sides) for facet in facets)


def _stated_by_all(facet: str, sides: Sequence[Side]) -> str:
    counts = [_runs_stating(facet, side) for side in sides]
    everywhere = set(counts[0]).intersection(*counts[1:])
    least = {value: min(one[value] for one in counts) for value in everywhere}
    ranked = sorted(everywhere, key=lambda value: (-least[value], value))
    title = FACET_TITLES[facet].lower()
    if not ranked:
        return f"no {title}"
    return f"the {title} {first_values(ranked, counts)}"


def _runs_stating(facet: str, side: Side) -> dict[str, int]:
    if side.runs.dropped:
        return {}
    known = side.runs.values.counts(facet)
    return {one.value: one.runs for one in known.values} if known else {}


def first_values(ranked: Sequence[str], counts: Sequence[dict[str, int]]) -> str:
    """Return the first of ``ranked`` with their runs on each side, and how many more there are."""
    shown = [f"{value} ({_parts(value, counts)})" for value in ranked[:_SHOWN]]
    more = ""
    if len(ranked) > _SHOWN:
        more = f" and {len(ranked) - _SHOWN:,} more"
    return f"{listed(shown)}{more}"


def _shared(facet: str, sides: Sequence[Side]) -> str:
    """Return the values of ``facet`` on every side, those that are common on all of them first."""
    counts = [_runs_by_value(facet, side) for side in sides]
    everywhere = set(counts[0]).intersection(*counts[1:])
    ranked = sorted(everywhere, key=lambda one: (-_least_share(one, counts, sides), one))
    titles = VIRUS_TITLES[facet]
    if not ranked:
        return f"no {titles}"
    one = TITLE_OF_ONE[facet]
    return f"{counted(len(ranked), one, titles)}, {first_values(ranked, counts)}"


def _runs_by_value(facet: str, side: Side) -> dict[str, int]:
    rows = side.runs.rows(RUNS_BY_VIRUS[facet])
    return {str(value): int(runs) for value, runs in rows}


def _least_share(value: str, counts: Sequence[dict[str, int]], sides: Sequence[Side]) -> float:
    sizes = zip(counts, sides, strict=True)
    return min(runs[value] / max(side.searched, 1) for runs, side in sizes)


def _parts(value: str, counts: Sequence[dict[str, int]]) -> str:
    return " and ".join(counted(runs[value], "run") for runs in counts)


def _virus_in_each(question: Question, sides: Sequence[Side], virus: Sequence[str]) -> str:
    """Return in how many searched runs of each side the virus asked for is found."""
    found = carriers_of(question, sides)
    parts = []
    for side, runs in zip(sides, found, strict=True):
        share = percent(runs / side.searched) if side.searched else "none searched"
        parts.append(f"{runs:,} of {side.searched:,} searched runs of {side.name} ({share})")
    names = names_of(question, virus)
    opening = ""
    if question.reading.kind == "exists":
        opening = _yes_or_no(sides, found)
    return f"{opening}{names} is found in {listed(parts)}."


def _yes_or_no(sides: Sequence[Side], found: Sequence[int]) -> str:
    """Return whether every side has the virus, and else which has it not."""
    lacking = [side.name for side, runs in zip(sides, found, strict=True) if not runs]
    if lacking:
        return f"No, not in {listed(lacking)}: "
    return "Yes, in both: " if len(sides) == 2 else "Yes, in all of them: "


RUNS_BY_VIRUS: Final = {
    "family": """
SELECT family, count(DISTINCT run) FROM detection SEMI JOIN matched USING (run)
WHERE family IS NOT NULL GROUP BY family
""",
    "species": """
SELECT stated, count(DISTINCT run) FROM detection SEMI JOIN matched USING (run)
WHERE stated IS NOT NULL GROUP BY stated
""",
}
"""SELECT of ``value, runs`` of the viruses of the matching runs, by facet."""
