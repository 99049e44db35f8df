"""Rating: what a report adds, from 0 to 10: the evidence behind it times what it says.

Evidence is how many independent studies and runs with a virus there are, up to a number that is
enough (k-mers alone are not), and how many of them match their reference at 90 % identity. What it
says is how far the virus, what was sequenced, and the tissue, disease or place of the community are
from those of the rest of its parent (without a parent: of the index), and whether it has a test or
a title of a study to show. The rating is ten times the geometric mean of both,
less where runs come from a laboratory or nobody knows of a pathogen, where one study has nearly
all of them, and where k-mers alone name the viruses.
Size plays no part beyond what is enough: a large community that mixes many things says little.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import log2, sqrt
from typing import Final

from index.facets import SAMPLED
from index.reports.fact_rows import FactRow
from index.reports.findings.studies import describes_studies
from index.reports.findings.unnamed import unnamed_clauses
from index.reports.phrases import sentence
from index.reports.profiles import Profile
from index.stated import REPORTED, VIRAL

ENOUGH_STUDIES: Final = 10
ENOUGH_RUNS: Final = 100
SEVERAL: Final = 4
MOST_IDENTIFIED: Final = 0.8
AS_REPORTED: Final = 0.5
"""What a virus counts whose name rests on its source alone, or that has none."""
FOR_MORE: Final = 0.15
"""What a test or a text of authors adds to what a report says, each."""
UNTOLD: Final = 0.6
"""What a report counts that tells of no virus, or of names by k-mers alone."""
ONE_STUDY: Final = 0.7
"""What a report counts that may describe the design of a single study."""
LABORATORY: Final = 0.3
UNKNOWN_ORIGIN: Final = 0.7
"""What a run of a laboratory, and of a pathogen one of which nothing is known, counts of others."""
MOST_OF_ONE: Final = 0.8
"""Share of the runs that one study has, from which the others make no pattern."""
BARE: Final = 3.0
"""Rating that a report of a virus alone has at most."""
CLEAR: Final = 0.4
"""Content from which a community is clearly set apart."""


def rate(profile: Profile, stated: Iterable[FactRow]) -> tuple[float, str]:
    """Return the rating, 0-10 in steps of a half, and its reasons in words.

    ``stated`` are the facts that the report states.
    """
    stated = list(stated)
    evidence = measure_evidence(profile)
    says = measure_content(profile, stated)
    weight = natural_worth(profile, stated)
    weight *= 1.0 if _is_said(profile, stated) else UNTOLD
    weight *= ONE_STUDY if _rests_on_one(profile) else 1.0
    rating = round(20 * weight * sqrt(evidence * says)) / 2
    if _is_bare(profile, stated):
        rating = min(rating, BARE)
    origin = ["mostly of a laboratory"] if profile.origin.is_laboratory else []
    reasons = "; ".join([_studies(profile), _viruses(profile), *origin, *_apart(says)])
    return min(10.0, rating), f"{sentence(reasons)}."


def natural_worth(profile: Profile, stated: Iterable[FactRow]) -> float:
    """Return 0-1: what the runs of the leading virus tell of nature, without one all runs."""
    viruses = [fact.facet_value for fact in stated if fact.facet in VIRAL]
    led = [profile.origins[one] for one in viruses if one in profile.origins]
    origin = next(iter(led), profile.origin)
    if not origin.runs:
        return 1.0
    unknown = origin.runs - origin.laboratory - origin.natural
    silent = UNKNOWN_ORIGIN if origin.of_vertebrates else 1.0
    return (origin.natural + LABORATORY * origin.laboratory + silent * unknown) / origin.runs


def _is_bare(profile: Profile, stated: Iterable[FactRow]) -> bool:
    """Return whether a report names a virus and tells nothing more: no host, place or tissue, no
    test and no study.
    """
    more = [profile.associations, describes_studies(profile)]
    is_viral = all(fact.facet in VIRAL for fact in stated)
    return is_viral and not any(more) and not unnamed_clauses(profile)


def _rests_on_one(profile: Profile) -> bool:
    """Return whether nearly all runs with a study are of one."""
    most = max((study.runs for study in profile.largest_studies), default=0)
    return most >= MOST_OF_ONE * profile.studies.study_runs > 0


def _is_said(profile: Profile, stated: Iterable[FactRow]) -> bool:
    """Return whether a reader learns of a virus that more than k-mers show."""
    if 2 * profile.searched.classified >= profile.searched.positive > 0:
        return False
    is_named = any(fact.facet in VIRAL and 2 * fact.known >= profile.runs for fact in stated)
    return is_named or profile.shared_virus is not None


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
    more = [profile.associations, describes_studies(profile)]
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
    if profile.shared_virus is None:
        return 0.0
    is_alike = above.unnamed == here.unnamed
    others = above.positive - here.positive
    elsewhere = (above.unnamed_runs - here.unnamed_runs) / others if is_alike and others > 0 else 0
    return AS_REPORTED * max(0.0, here.unnamed_runs - elsewhere * here.positive) / profile.runs


def _enough(number: int, full: int) -> float:
    """Return 0 for none, 1 for ``full`` or more, on a log scale between them."""
    return min(1.0, log2(1 + number) / log2(1 + full))


def _studies(profile: Profile) -> str:
    """Return how many studies a report rests on, in words."""
    stated = profile.studies
    if 2 * stated.study_runs < profile.runs:
        return "the studies of most runs are not known"
    if stated.studies == 1:
        return "one study"
    return "several studies" if stated.studies >= SEVERAL else "few studies"


def _viruses(profile: Profile) -> str:
    """Return how sure its viruses are, in words."""
    found = profile.searched
    if not found.positive:
        return "no virus found" if found.searched else "not searched for viruses"
    if 2 * found.classified >= found.positive:
        return "viruses known by k-mers alone"
    if found.identified >= MOST_IDENTIFIED * found.positive:
        return "viruses of 90% identity or more"
    if not any(profile.has_viruses(facet) for facet in VIRAL):
        return "few viruses with a name"
    few = "few" if 2 * found.identified < found.positive else "most"
    return f"{few} viruses of 90% identity or more"


def _apart(says: float) -> list[str]:
    """Return whether much or little sets a community apart, if it is either."""
    if says >= CLEAR:
        return ["clearly set apart"]
    return [] if says >= CLEAR / 2 else ["little sets it apart"]
