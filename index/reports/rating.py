"""Rating: what a report is worth to a virologist, from 0 to 10.

Four things count, each from 0 to 1, for the virus that the report leads with:

- studies: how many independent studies, or else deposits, found it, on a log scale up to enough;
  less where one has more than half of its runs
- home: the share of its runs that are of one host or environment, of those that state any, and how
  many are of one tissue or disease; of an unnamed virus, whether its home is a host, metagenomes,
  or several sources
- caught: whether the report corrects a name, or warns of carry-over, food or a wrong label
- pathogen: whether a register lists it, or libraries are labelled as a virus that it probably is

Their weighted sum is reduced if runs come from a laboratory or the origin of a pathogen is unknown,
if k-mers or a phylum are all that is known about viruses, if one study has nearly all runs, and in
a mixture. Size plays no part: a large community that mixes many things says little.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log2
from typing import Final

from index.claims.phrases import listed, sentence
from index.reports.evidence_rows import SOTU, Provenance, Support
from index.reports.fact_rows import FactRow, Value
from index.reports.findings.evidence import stray_clauses
from index.reports.findings.marks import probable_label
from index.reports.findings.own_runs import unexpected_sources
from index.reports.findings.unnamed import explaining_clauses
from index.reports.naming.named_values import is_metagenome, key
from index.reports.naming.subjects import title_subject
from index.reports.naming.title_values import MAJORITY, NEARLY_ONLY, labels_of_shared
from index.reports.profiles import SEVERAL_SOURCES, Profile
from index.reports.summary import following
from index.stated import VIRAL

OF_STUDIES: Final = 0.3
OF_HOME: Final = 0.4
OF_CAUGHT: Final = 0.15
OF_PATHOGEN: Final = 0.15
"""Weights of the four."""
ENOUGH_STUDIES: Final = 10
SEVERAL: Final = 4
MOST_IDENTIFIED: Final = 0.8
IN_METAGENOMES: Final = 0.4
IN_SEVERAL: Final = 0.2
"""Worth of metagenomes (whose host is unknown) and of several sources as a home, if a host is 1.
"""
UNTOLD: Final = 0.5
"""Factor for a report that says nothing about viruses, or names them only by k-mers."""
ONE_STUDY: Final = 0.7
MOST_OF_ONE: Final = 0.8
"""Factor for a report that may describe one study's design, and the study's share of the runs.
"""
OF_MIXTURE: Final = 0.8
"""Factor for a report without a virus in half of the runs."""
LABORATORY: Final = 0.5
UNKNOWN_ORIGIN: Final = 0.7
"""Weight of a laboratory run, and of a run of a pathogen of unknown origin, if others have 1."""


def rate(profile: Profile, stated: Sequence[FactRow]) -> tuple[float, str]:
    """Return the rating, 0-10 in steps of a half, and its reasons in words.

    ``stated`` are the facts that the report states.
    """
    viruses = [fact for fact in title_subject(profile).values if fact.facet in VIRAL]
    led = _led(profile)
    is_caught = _is_caught(viruses, led, profile)
    is_pathogen = _is_pathogen(led, profile)
    worth = OF_STUDIES * _independence(led, profile) + OF_HOME * _home(stated, led, profile)
    worth += OF_CAUGHT * is_caught + OF_PATHOGEN * is_pathogen
    worth *= natural_worth(profile, led)
    worth *= 1.0 if _is_said(profile, stated) else UNTOLD
    worth *= ONE_STUDY if rests_on_one(profile) else 1.0
    worth *= OF_MIXTURE if viruses and viruses[0].share < MAJORITY else 1.0
    is_made = profile.origin.is_laboratory
    reasons = [_studies(profile), _viruses(profile)]
    good = [said for said, is_good in reasons if is_good]
    good += ["is about a pathogen"] * is_pathogen
    good += ["warns of a wrong name, host or infection"] * is_caught
    bad = [said for said, is_good in reasons if not is_good]
    bad += ["most of its runs are from a laboratory"] * is_made
    said = ", but ".join(filter(None, [f"it {listed(good)}" * bool(good), listed(bad)]))
    return round(20 * worth) / 2, f"{sentence(said)}."


def _led(profile: Profile) -> Value:
    """Return the first virus of the title, else the unnamed one, else the phylum."""
    viruses = [fact for fact in title_subject(profile).values if fact.facet in VIRAL]
    unnamed = (SOTU, profile.shared_virus or profile.main_phylum or "")
    return viruses[0].facet_value if viruses else unnamed


def natural_worth(profile: Profile, virus: Value) -> float:
    """Return 0-1: how far the runs of the leading virus (or all runs) come from nature."""
    origin = profile.origins.get(virus, profile.origin)
    if not origin.runs:
        return 1.0
    unknown = origin.runs - origin.laboratory - origin.natural
    silent = UNKNOWN_ORIGIN if origin.of_vertebrates else 1.0
    return (origin.natural + LABORATORY * origin.laboratory + silent * unknown) / origin.runs


def _is_said(profile: Profile, stated: Sequence[FactRow]) -> bool:
    """Return whether the report has a virus that more than k-mers show."""
    if 2 * profile.searched.classified >= profile.searched.positive > 0:
        return False
    is_named = any(fact.facet in VIRAL and 2 * fact.known >= profile.runs for fact in stated)
    return is_named or profile.shared_virus is not None


def rests_on_one(profile: Profile) -> bool:
    """Return whether one study, or deposit, has nearly all runs of the virus of the title."""
    return _of_largest(_led(profile), profile) >= MOST_OF_ONE


def _independence(virus: Value, profile: Profile) -> float:
    """Return 0-1: how many studies found a virus, reduced if one has most of its runs."""
    support = profile.support.get(virus, Support(0))
    known = max(support.studies, len(support.deposits))
    return _enough(known, ENOUGH_STUDIES) * (1 - max(0.0, _of_largest(virus, profile) - MAJORITY))


def _of_largest(virus: Value, profile: Profile) -> float:
    """Return the share of a virus's runs in its largest study or deposit."""
    support = profile.support.get(virus, Support(0))
    largest = max((deposit.runs for deposit in support.deposits), default=0)
    return largest / support.runs if support.runs else 0.0


def _home(stated: Sequence[FactRow], virus: Value, profile: Profile) -> float:
    """Return 0-1: how far a reader learns what a virus was found in.

    For a named virus, whose host is seldom news, half of it is the tissue or disease.
    """
    if virus[0] != SOTU:
        support = profile.support.get(virus, Support(0))
        most = max((runs for _, runs in support.sources), default=0)
        is_known = min(1.0, support.sourced / max(1.0, MAJORITY * support.runs))
        context = [fact.runs for fact in stated if fact.facet in ("tissue", "disease")]
        host = is_known * most / max(1, support.sourced)
        return (host + max(context, default=0) / profile.runs) / 2
    if profile.shared_virus is None:
        return 0.0
    home, found = profile.home, profile.searched
    worth = IN_METAGENOMES if all(is_metagenome(source) for source in home) else 1.0
    worth = IN_SEVERAL if home[0] == SEVERAL_SOURCES else worth
    return worth * min(1.0, found.unnamed_runs / (NEARLY_ONLY * found.positive))


def _is_caught(viruses: Sequence[FactRow], virus: Value, profile: Profile) -> bool:
    """Return whether a report warns of strays, hosts that only carry a virus, or a wrong label.

    A report that says what an unnamed virus probably is counts, too.
    """
    shown = [*viruses, *following(viruses, profile)]
    doubts = [*stray_clauses(shown, profile), *explaining_clauses(profile)]
    named = [
        *labels_of_shared(profile),
        *(fact for fact in viruses if key(fact) in profile.inferred),
    ]
    is_named = (bool(named) and profile.parent is None) or probable_label(profile)
    return bool(doubts or unexpected_sources(profile, virus)) or is_named


def _is_pathogen(virus: Value, profile: Profile) -> bool:
    is_listed = profile.origins.get(virus, Provenance()).of_vertebrates
    return is_listed or bool(labels_of_shared(profile))


def _enough(number: int, full: int) -> float:
    """Return 0 for none, 1 for ``full`` or more, on a log scale between them."""
    return min(1.0, log2(1 + number) / log2(1 + full))


def _studies(profile: Profile) -> tuple[str, bool]:
    """Return what studies a report rests on, in words, and whether that speaks for it."""
    stated = profile.studies
    if 2 * stated.study_runs < profile.runs:
        return "the studies of most runs are not known", False
    if stated.studies >= SEVERAL:
        return "rests on several studies", True
    return f"it rests on {'one study' if stated.studies == 1 else 'few studies'}", False


def _viruses(profile: Profile) -> tuple[str, bool]:
    """Return how sure its viruses are, in words, and whether that speaks for a report."""
    found = profile.searched
    if not found.positive:
        return (
            "no virus was found" if found.searched else "no run was searched for viruses"
        ), False
    if 2 * found.classified >= found.positive:
        return "its viruses are known by k-mers alone", False
    if found.identified >= MOST_IDENTIFIED * found.positive:
        return "has viruses of 90% identity or more", True
    if not any(profile.has_viruses(facet) for facet in VIRAL):
        return "few of its viruses have a name", False
    if 2 * found.identified < found.positive:
        return "few of its viruses are known to have 90% identity or more", False
    return "has mostly viruses of 90% identity or more", True
