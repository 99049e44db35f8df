"""Decide which communities have their own report.

A community is worth a report where it adds something to that of its parent: several studies that a
value sets apart from the rest of the parent, or one study with a text or a finding of its own. What
is not worth one is a part of the nearest community above that is: its studies are rows of the table
of studies there. A community without a parent always has one, since nothing else speaks for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from index.reports.contrast import contrast_size, is_contrast
from index.reports.findings.write import stated_facts, telling_findings
from index.reports.naming.named_values import titled_facts
from index.reports.naming.titles import propose_titles
from index.reports.profiles import FactRow, Profile, Unreported
from index.reports.rating import rate
from index.reports.redundancy import Said
from index.reports.summary import MARKED, leading_facts

MAIN_PART: Final = 0.85
"""Share of the runs of its parent above which a community says what its parent says."""
LEAST_RUNS: Final = 10
"""Runs below which a community with a parent is a row of its table of studies."""
LEAST_RATING: Final = 3.0
"""Rating below which a community that has a parent says too little."""
NEARLY_ALL: Final = 0.9
"""Share of the runs with a stated study from which a community is that study."""


def worth_reporting(profiles: Sequence[Profile]) -> list[Profile]:
    """Return the profiles worth a report in their order; each lists only children and siblings
    that have one, ``parts`` counts the other children.

    ``profiles`` come coarsest first, as ``build_profiles`` returns them.
    """
    worth = {profile.community: profile for profile in profiles if is_worth_reporting(profile)}
    reported = []
    for profile in worth.values():
        children = tuple(child for child in profile.children if child[0] in worth)
        others = [runs for child, runs in profile.children if child not in worth]
        parts = Unreported(len(others), sum(others))
        above = worth.get(profile.parent or "")
        beside = () if above is None else above.children
        siblings = tuple(one for one in beside if one[0] in worth and one[0] != profile.community)
        reported.append(replace(profile, children=children, parts=parts, siblings=siblings))
    return reported


def is_worth_reporting(profile: Profile) -> bool:
    """Return whether a community adds something to the report of its parent."""
    if profile.parent is None:
        return True
    is_small = profile.runs < LEAST_RUNS
    if is_small or profile.runs > MAIN_PART * profile.parent_runs > 0:
        return False
    leads = leading_facts(profile)
    if rate(profile, stated_facts(profile, leads))[0] < LEAST_RATING:
        return False
    titled = titled_facts(profile, next(propose_titles(profile)))
    if telling_findings(profile, Said.of(leads, titled)):
        return True
    if _is_one_study(profile):
        return bool(profile.quotes)
    return any(_sets_apart(fact, profile) for fact in [*leads, *titled])


def _is_one_study(profile: Profile) -> bool:
    stated = profile.studies
    return stated.studies == 1 and stated.study_runs >= NEARLY_ALL * profile.runs


def _sets_apart(fact: FactRow, profile: Profile) -> bool:
    """Return whether a value that leads the report is one that the rest of the parent has less
    of.
    """
    return is_contrast(fact) and contrast_size(fact, profile.runs) >= MARKED
