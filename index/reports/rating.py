"""Rating: what a report adds, from 0 to 10: the evidence behind it times what it says.

Evidence is how many independent studies and runs with a virus there are, up to a number that is
enough (k-mers alone are not), and how many of them match their reference at 90 % identity. What it
says is how far the virus, what was sequenced, and the tissue, disease or place of the community are
from those of the rest of its parent (without a parent: of the index), and whether it has a test, a
pair of viruses or words of authors to show. The rating is ten times the geometric mean of both.
Size plays no part beyond what is enough: a large community that mixes many things says little.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import log2, sqrt
from typing import Final

from index.facets import SAMPLED
from index.reports.naming.named_values import VIRAL
from index.reports.phrases import counted, percent
from index.reports.profiles import FactRow, Profile
from index.stated import REPORTED

ENOUGH_STUDIES: Final = 4
ENOUGH_RUNS: Final = 20
MOST_IDENTIFIED: Final = 0.8
AS_REPORTED: Final = 0.5
"""What a virus counts whose name rests on its source alone, or that has none."""
FOR_MORE: Final = 0.15
"""What a test, a pair of viruses or a quotation adds to what a report says, each."""


def rate(profile: Profile, stated: Iterable[FactRow]) -> tuple[float, str]:
    """Return the rating, 0-10 in steps of a half, and what it rests on.

    ``stated`` are the facts that the report states.
    """
    evidence = measure_evidence(profile)
    says = measure_content(profile, stated)
    rating = round(20 * sqrt(evidence * says)) / 2
    rests = f"Rests on {_runs_and_studies(profile)}; {_search(profile)}"
    measures = f"evidence {percent(evidence)}, content {percent(says)}"

    return min(10.0, rating), f"{rests}; {measures}."


def measure_evidence(profile: Profile) -> float:
    """Return 0-1: the mean of enough studies, enough runs with a virus, and certain viruses."""
    found = profile.searched
    identified = found.identified / found.positive if found.positive else 0.0
    parts = [
        _enough(profile.studies.studies, ENOUGH_STUDIES),
        _enough(found.positive - found.classified, ENOUGH_RUNS),
        min(1.0, identified / MOST_IDENTIFIED),
    ]
    return sum(parts) / len(parts)


def measure_content(profile: Profile, stated: Iterable[FactRow]) -> float:
    """Return 0-1: the mean difference of virus, organism and context, and what there is more."""
    facts = list(stated)
    viral = [fact for fact in facts if fact.facet in VIRAL]
    found = max(_largest(viral, profile), _unnamed_difference(profile))
    organism = [fact for fact in facts if fact.facet in SAMPLED]
    context = [fact for fact in facts if fact.facet not in (*VIRAL, *SAMPLED)]
    kinds = [found, _largest(organism, profile), _largest(context, profile)]
    more = [profile.company, profile.associations, profile.quotes]
    added = FOR_MORE * sum(map(bool, more))
    return min(1.0, sum(kinds) / len(kinds) + added)


def _largest(facts: Iterable[FactRow], profile: Profile) -> float:
    return max((_difference(fact, profile) for fact in facts), default=0.0)


def _difference(fact: FactRow, profile: Profile) -> float:
    """Return how far a share is from that of the rest of the parent, or of the index, by the share
    of the runs that state the facet.
    """
    elsewhere = min(1.0, fact.share / fact.lift) if fact.lift else 0.0
    if fact.rest_known:
        elsewhere = fact.rest_runs / fact.rest_known
    known = max(0.0, fact.share - elsewhere) * fact.known / profile.runs
    return AS_REPORTED * known if fact.value.startswith(REPORTED) else known


def _unnamed_difference(profile: Profile) -> float:
    """Return how far the share of runs with the unnamed virus that most have is from the parent's
    rest; half of it, since it has no name.
    """
    here, above = profile.searched, profile.parent_searched
    if here.shared_virus is None:
        return 0.0
    is_alike = above.unnamed == here.unnamed
    others = above.positive - here.positive
    elsewhere = (above.unnamed_runs - here.unnamed_runs) / others if is_alike and others > 0 else 0
    return AS_REPORTED * max(0.0, here.unnamed_runs - elsewhere * here.positive) / profile.runs


def _enough(number: int, full: int) -> float:
    """Return 0 for none, 1 for ``full`` or more, on a log scale between them."""
    return min(1.0, log2(1 + number) / log2(1 + full))


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
