"""Summaries of reports: size, what leads, whether viruses were looked for, and cautions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from index.facets import SAMPLED
from index.reports.citations import CitedValue
from index.reports.contrast import contrast_size, is_contrast
from index.reports.findings.hierarchy import FEW_RUNS
from index.reports.findings.marks import (
    MOST_NEXT,
    PATTERN,
    classified_clauses,
    compared,
    faint_clauses,
    frequent_enough,
    leading_caveat,
    sequenced_clauses,
    support_clauses,
    surroundings_clauses,
)
from index.reports.findings.sentences import (
    NEARLY_ALL,
    WORDINGS,
    Clause,
    Sentences,
    carried_by,
    citable,
    cite,
    close,
    fact_name,
    own,
    statement,
    with_runs,
)
from index.reports.findings.studies import origin_clauses
from index.reports.findings.write import SELDOM
from index.reports.phrases import counted, listed
from index.reports.profiles import FactRow, Profile, Searched, by_runs
from index.reports.redundancy import Said, implied_by
from index.stated import VIRAL, names_no_species

LEADING: Final = 0.2
"""Share of the runs that state a facet from which its most frequent value leads a report."""
MARKED: Final = 0.2
"""Difference to the rest of the parent from which a value marks the community."""
_SAID: Final = [facet for facet in WORDINGS if facet != "statOrganism"]
"""Facets whose values are counted because a title names them; k-mers only where they tell."""
_SINGLE: Final = "it describes single samples rather than a pattern"
_ONE_STUDY: Final = "What its runs have in common may be the design of that study"
_FOUND: Final = "Viruses were found in"
_NONE_FOUND: Final = "No virus was found in"
_SEARCHED: Final = "were searched for viruses"


def write_summary(profile: Profile, leads: Sequence[FactRow]) -> Sentences:
    """Return the summary paragraph: size, leading values, whether viruses were searched for if
    few are named, and a caution.
    """
    clauses = [*_size(profile), *surroundings_clauses(profile), *classified_clauses(profile)]
    if not any(fact.facet in VIRAL for fact in leads):
        clauses += origin_clauses(profile)
    facets = [fact.facet for fact in leads]
    for place, fact in enumerate(leads):
        others = [one for one in leads if one != fact]
        alone = fact.facet in facets[:place]
        clauses.append(_lead(fact, leads[0], profile, others=others, alone=alone))
        clauses += support_clauses(profile, fact.facet_value)
        clauses += sequenced_clauses(fact, profile)
    clauses += warnings(profile)
    sentences = []
    cited: list[CitedValue] = []
    for clause in clauses:
        sentences.append(close(clause))
        cited += clause.citations
    summary = " ".join(sentences)
    return Sentences(summary, "", tuple(cited))


def warnings(profile: Profile) -> list[Clause]:
    """Return what a reader has to be careful about: whether viruses were found at all, a host they
    are not expected in, few runs, a single study.
    """
    found = []
    if not any(profile.has_viruses(facet) for facet in VIRAL):
        found += _search(profile)
    found += [*leading_caveat(profile), *faint_clauses(profile)]
    if profile.runs < FEW_RUNS or profile.only_study:
        found.append(_caution(profile))

    return found


def leading_facts(profile: Profile) -> list[FactRow]:
    """Return the facts that a summary states: of the virus and of what was sequenced, the one that
    more runs state first.

    Each is the most frequent value of its facet. What few runs state, a fact whose runs are those
    of the fact before it, and viruses of fewer runs than one without a name are left out.
    """
    least = SELDOM * profile.runs
    leads: list[FactRow] = []
    for facet in _leading_facets(profile):
        facts = sorted(by_runs(profile.of(facet)), key=_is_explained)
        said = [earlier.facet_value for earlier in leads]
        of_runs = LEADING * profile.runs if facet in SAMPLED else least
        if facet in VIRAL and profile.searched.shared_virus is not None:
            of_runs = profile.searched.unnamed_runs
        enough = max(least, of_runs)
        frequent = [fact for fact in facts if fact.runs >= enough]
        led = [fact for fact in frequent if fact.runs >= LEADING * fact.known][:1]
        leads += [fact for fact in led if not implied_by(fact, said, profile)]
    return leads


def _is_explained(fact: FactRow) -> bool:
    return fact.is_outweighed or names_no_species(fact.value)


def _leading_facets(profile: Profile) -> list[str]:
    """Return the facet of its viruses, where enough runs name one, and that of what was
    sequenced.
    """
    sampled = max(SAMPLED, key=profile.known)
    viral = [facet for facet in ("species", "family") if profile.has_viruses(facet)]
    if not viral:
        return [sampled]
    is_mostly_unnamed = 2 * profile.known("species") < profile.known("family")
    return [viral[-1] if is_mostly_unnamed else viral[0], sampled]


def marking_facts(
    profile: Profile, leads: Sequence[FactRow], titled: Sequence[FactRow]
) -> list[FactRow]:
    """Return the value of the title that the rest of the parent has least of, where no finding
    would state it: that the title names a value does not say that it marks the community.
    """
    said = Said.of(leads, titled)
    others = [fact for fact in titled if fact not in leads and fact.facet in WORDINGS]
    implied = [fact for fact in others if said.implies(fact, profile)]
    marks = [fact for fact in implied if fact.runs >= PATTERN and is_contrast(fact)]
    large = [fact for fact in marks if contrast_size(fact, profile.runs) >= MARKED]
    ordered = sorted(large, key=lambda fact: -round(contrast_size(fact, profile.runs), 6))

    return ordered[:1]


def unstated(
    titled: Sequence[FactRow],
    leads: Sequence[FactRow],
    findings: Sequence[Sentences],
) -> list[FactRow]:
    """Return the values of the title that neither the summary nor a finding counts: a reader wants
    to know how many runs stand behind each word of a title.
    """
    texts = [f"{one.summary} {one.explanation}" for one in findings]
    led = {fact.value for fact in leads}
    worded = [fact for fact in titled if fact.value not in led and fact.facet in _SAID]
    counted_here = [fact for fact in worded if fact.runs >= max(PATTERN, SELDOM * fact.known)]
    unsaid = [one for one in counted_here if not any(one.value in text for text in texts)]
    return list({fact.value: fact for fact in reversed(unsaid)}.values())[::-1]


def _search(profile: Profile) -> list[Clause]:
    """Return in how many of the runs searched a virus was found, named or not, unless in all: a run
    that was not searched is not without one, and a search finds what its source looks for.
    """
    searched = profile.searched
    if not searched.searched:
        runs = counted(profile.runs, "run")
        return [Clause(f"0 of its {runs} {_SEARCHED}", own(profile))]
    if searched.positive == profile.runs:
        return []
    runs = counted(searched.searched, "run")
    text = f"{_FOUND} {searched.positive:,} of {runs} searched"
    if searched.positive == searched.searched > 2:
        text = f"{_FOUND} all {runs} searched"
    if not searched.positive:
        text = f"{_NONE_FOUND} {runs} searched{_scope(searched)}"
    if searched.searched < profile.runs:
        others = profile.runs - searched.searched
        text += f"; {others:,} {'was' if others == 1 else 'were'} not searched"

    return [Clause(text, own(profile))]


def _scope(searched: Searched) -> str:
    """Return what runs were searched for: what their sources look for, which is not every virus."""
    return f" for what {listed(searched.sources)} can find" if searched.sources else ""


def _size(profile: Profile) -> list[Clause]:
    """Return how many runs of how many studies a community holds; where the study of most runs is
    not known, how many studies there are is not known either.
    """
    stated = profile.studies
    itself = own(profile)
    holds = f"This community holds {counted(profile.runs, 'run')}"
    number = counted(stated.studies, "study", "studies")
    if profile.only_study is not None:
        cited = citable([(profile.study_key, profile.only_study)])
        return [Clause(f"{holds} of {number}, {profile.only_study}", cited)]
    if 2 * stated.study_runs < profile.runs:
        return [Clause(holds, itself)]
    if stated.study_runs == profile.runs:
        return [Clause(f"{holds} from {number}", itself)]
    return [Clause(f"{holds}, {stated.study_runs:,} of them from {number}", itself)]


def _lead(
    fact: FactRow, first: FactRow, profile: Profile, *, others: Sequence[FactRow], alone: bool
) -> Clause:
    """Return how many runs have a value, and the next ones unless it stands ``alone`` or the
    summary states them as ``others``; of what was sequenced, how many of its runs carry the
    ``first`` virus.
    """
    following = []
    if fact.facet not in SAMPLED and not alone:
        rest = [one for one in by_runs(profile.of(fact.facet)) if one not in (fact, *others)]
        next_ones = [one for one in rest if one.runs <= fact.runs or one.is_outweighed]
        following = frequent_enough(next_ones)[:MOST_NEXT]
    comes = "comes" if len(following) == 1 else "come"
    then = f"; next {comes} {with_runs(following, fact, profile)}" if following else ""
    stated = f"{statement(fact, profile.runs)}{compared(fact, profile.runs)}"
    cited = cite([fact, *following])
    return Clause(f"{stated}{_with_first(fact, first, profile)}{then}", cited)


def _with_first(fact: FactRow, first: FactRow, profile: Profile) -> str:
    """Return how many runs of what was sequenced carry the virus that leads the report."""
    is_pair = first.facet in VIRAL and fact.facet in SAMPLED
    if not is_pair or first.runs >= NEARLY_ALL * profile.runs:
        return ""
    both = carried_by(fact, first, profile)
    carry = "carries" if both == "1" else "carry"
    is_said = both not in (None, "none")
    return f"; {both} of these {carry} {fact_name(first)}" if is_said else ""


def _caution(profile: Profile) -> Clause:
    itself = own(profile)
    if profile.runs < FEW_RUNS:
        runs = counted(profile.runs, "run")
        return Clause(f"With {runs}, {_SINGLE}", itself)
    return Clause(_ONE_STUDY, itself)
