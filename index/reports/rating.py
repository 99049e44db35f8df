"""Rating: how strong the evidence behind a report is, from 0 to 10.

Four things are weighed, and each can be read off the index: how many runs, from how many
independent studies (bioprojects, else SRA studies), whether runs were searched with and without
finding a virus, and how many of those with a virus match their reference at 90 % identity or more.
What is not known adds nothing; words and lifts play no part. A report whose findings only say what
is unknown has half of that.
"""

from __future__ import annotations

from math import log2
from typing import Final

from index.reports.phrases import counted, percent
from index.reports.profiles import Profile

FOR_RUNS: Final = 3.0
MANY_RUNS: Final = 500
FEWEST_RUNS: Final = 2
FOR_STUDIES: Final = 3.0
MANY_STUDIES: Final = 10
FOR_SEARCHED: Final = 2.0
MANY_SEARCHED: Final = 30
FOR_IDENTITY: Final = 2.0
MOST_IDENTIFIED: Final = 0.8
SAYS_NOTHING: Final = 0.5
"""Part of the rating of a report that adds no finding."""


def rate(profile: Profile, *, is_informative: bool = True) -> tuple[float, str]:
    """Return the strength of the evidence, 0-10 in steps of a half, and what it rests on.

    Up to 3 for runs (log, from 2 to 500), up to 3 for studies (log, from 1 to 10), up to 2 for
    searched runs with and without a virus (full from 30 of each), up to 2 for the share of the runs
    with a virus that reach the identity of a species (full from 80 %). ``is_informative``: some
    finding says something of the community.
    """
    found = profile.searched
    identified = found.identified / found.positive if found.positive else 0.0
    certain = min(1.0, identified / MOST_IDENTIFIED)
    with_virus = _enough(found.positive)
    without_virus = _enough(found.negative)
    score = FOR_RUNS * _scaled(profile.runs, FEWEST_RUNS, MANY_RUNS)
    score += FOR_STUDIES * _scaled(profile.studies.studies, 1, MANY_STUDIES)
    score += FOR_SEARCHED / 2 * (with_virus + without_virus)
    score += FOR_IDENTITY * certain * with_virus
    rests = f"Rests on {_runs_and_studies(profile)}; {_search(profile)}"
    if not is_informative:
        score *= SAYS_NOTHING
        rests += "; half of that, since no finding tells it apart"
    half_steps = round(2 * score)

    return half_steps / 2, f"{rests}."


def _scaled(number: int, few: int, many: int) -> float:
    """Return 0 for ``few`` or fewer, 1 for ``many`` or more, on a log scale between them."""
    above_few = max(1.0, number / few)
    reached = log2(above_few)
    full = log2(many / few)
    return min(1.0, reached / full)


def _enough(runs: int) -> float:
    reached = log2(1 + runs)
    full = log2(1 + MANY_SEARCHED)
    return min(1.0, reached / full)


def _search(profile: Profile) -> str:
    """Return what was searched and found, in words."""
    searched = profile.searched
    if not searched.searched:
        return "none of them was searched for viruses"
    if not searched.positive:
        return f"{counted(searched.searched, 'run')} searched, none with a virus"
    found = f"{counted(searched.searched, 'run')} searched, {searched.positive:,} with a virus"
    identified = percent(searched.identified / searched.positive)

    return f"{found}, {identified} of these at 90% identity or more to a reference"


def _runs_and_studies(profile: Profile) -> str:
    """Return how many runs of how many studies; a study that is not stated is not zero."""
    runs = counted(profile.runs, "run")
    stated = profile.studies
    if not stated.studies:
        return f"{runs} without a stated study"
    studies = counted(stated.studies, "study", "studies")
    if stated.study_runs < profile.runs:
        return f"{runs}, {stated.study_runs:,} of them from {studies}"
    return f"{runs} from {studies}"
