"""The findings of a report, the most telling first, each as a one-sentence summary and an
explanation, with citations.

A finding adds something that the title, the summary and the findings before it do not say
(``index.reports.redundancy``). How a parent divides comes first, then what sets the community apart
from the rest of its parent, which viruses keep company, which hosts are unexpected, what was
tested, what sets it apart from the index, what its studies write; what is unknown comes last.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from index.reports.contrast import contrast_size, is_contrast, is_expected
from index.reports.findings.hierarchy import (
    Labels,
    division_findings,
    nothing_finding,
    silence_findings,
)
from index.reports.findings.marks import (
    PATTERN,
    caveat_findings,
    company_finding,
    facet_finding,
    unnamed_findings,
)
from index.reports.findings.sentences import WORDINGS, Sentences
from index.reports.findings.studies import association_finding, quote_findings, study_findings
from index.reports.phrases import SIGNIFICANT_Q
from index.reports.profiles import Company, FactRow, Profile, by_runs
from index.reports.redundancy import NOTHING_SAID, Said

MAX_FINDINGS: Final = 8
SELDOM: Final = 0.1
"""A facet that a smaller share of the runs states says little about the community."""
FEW_STATED: Final = 10
"""Runs that state a facet from which it is worth a finding, however few of the runs they are."""
_MOST_CONTRASTS: Final = 4
_MOST_COMPANY: Final = 2


class PossibleFinding(NamedTuple):
    """A finding that may be written, and the fact it states, if it states a single one."""

    written: Sentences
    fact: FactRow | None = None


def write_findings(
    profile: Profile,
    labels: Labels,
    said: Said = NOTHING_SAID,
    *,
    most: int = MAX_FINDINGS,
    silence: bool = True,
) -> list[Sentences]:
    """Return the findings of a community, the most telling first: at most ``most``, at least one.

    ``said`` is what its title and its summary say. Where there is nothing to add, the one finding
    says so. ``silence``: what most runs do not state is said last, not by the summary.
    """
    marked = any(not is_expected(fact) for fact in said.facts(profile))
    found: list[Sentences] = []
    for candidate in _candidates(profile, labels):
        if candidate.fact is not None and said.implies(candidate.fact, profile):
            continue
        found.append(candidate.written)
        if candidate.fact is not None:
            said = said.with_values([candidate.fact.facet_value])
    last = silence_findings(profile) if silence else []
    kept = [*found[: most - len(last)], *last]
    return kept or [nothing_finding(profile, marked=marked)]


def _candidates(profile: Profile, labels: Labels) -> Iterator[PossibleFinding]:
    """Yield what may be said, the most telling first."""
    facts = _telling_facts(profile)
    leading = _contrasts(facts, profile.runs)
    others = [fact for fact in facts if fact not in leading]
    sound = [row for row in profile.associations if row.flag is None]
    flagged = [row for row in profile.associations if row.flag is not None]
    company = _distinct_company(profile.company)[:_MOST_COMPANY]
    yield from _unconditional(division_findings(profile, labels))
    yield from _of_facts(leading, profile)
    yield from _unconditional(map(company_finding, company))
    yield from _unconditional(caveat_findings(profile))
    yield from _unconditional(unnamed_findings(profile))
    yield from _unconditional(map(association_finding, sound))
    yield from _of_facts(others, profile)
    yield from _unconditional(quote_findings(profile))
    yield from _unconditional(map(association_finding, flagged))

    yield from _of_largest_study(profile)


def _distinct_company(pairs: Iterable[Company]) -> list[Company]:
    """Return ``pairs`` of viruses, each virus in the first of its pairs only: what is like two
    viruses is found with both.
    """
    met: set[str] = set()
    distinct = []
    for pair in pairs:
        if met.isdisjoint((pair.first, pair.second)):
            distinct.append(pair)
            met |= {pair.first, pair.second}
    return distinct


def _unconditional(written: Iterable[Sentences]) -> Iterator[PossibleFinding]:
    """Yield findings that state no single fact, so nothing said before can imply them."""
    for one in written:
        yield PossibleFinding(one)


def _of_facts(facts: Iterable[FactRow], profile: Profile) -> Iterator[PossibleFinding]:
    """Yield the finding of each of ``facts``."""
    for fact in facts:
        yield PossibleFinding(facet_finding(profile, fact), fact)


def _of_largest_study(profile: Profile) -> Iterator[PossibleFinding]:
    """Yield whose runs they are, where the largest bioproject has a pattern of them."""
    projects = by_runs(profile.of("bioproject"))
    if not projects:
        return
    largest = projects[0]
    if largest.runs < PATTERN or _is_seldom(largest, profile):
        return
    for written in study_findings(profile):
        yield PossibleFinding(written, largest)


def _telling_facts(profile: Profile) -> list[FactRow]:
    """Return the most salient fact of each facet, where it does not follow from the parent."""
    leads = []
    for facet in WORDINGS:
        salient = profile.salient(facet)
        values = [fact for fact in salient if fact.runs >= PATTERN]
        leads += values[:1]
    stated = [lead for lead in leads if _is_stated(lead, profile)]

    return [lead for lead in stated if not is_expected(lead)]


def _contrasts(facts: Sequence[FactRow], runs: int) -> list[FactRow]:
    """Return the facts that differ most from the rest of the parent, the greatest first."""
    contrasts = [fact for fact in facts if is_contrast(fact)]

    def size(fact: FactRow) -> float:
        return round(contrast_size(fact, runs), 6)

    ordered = sorted(contrasts, key=size, reverse=True)
    return ordered[:_MOST_CONTRASTS]


def _is_stated(fact: FactRow, profile: Profile) -> bool:
    if fact.known <= 1:
        return False
    if fact.runs < FEW_STATED and fact.q_value >= SIGNIFICANT_Q:
        return False
    enough = fact.known >= FEW_STATED
    return enough or not _is_seldom(fact, profile)


def _is_seldom(fact: FactRow, profile: Profile) -> bool:
    """Return whether few runs state the facet: most bioprojects of a community are then unknown."""
    most = SELDOM * profile.runs
    return fact.known < most
