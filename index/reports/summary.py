"""Summaries of reports: size, what leads, whether viruses were looked for, and cautions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from index.facets import SAMPLED
from index.reports.citations import CitedValue
from index.reports.contrast import contrast_size, is_contrast
from index.reports.findings.hierarchy import FEW_RUNS, silence_clauses
from index.reports.findings.marks import (
    MOST_NEXT,
    PATTERN,
    against_rest,
    frequent_enough,
    leading_caveat,
    sequenced_clauses,
)
from index.reports.findings.sentences import (
    WORDINGS,
    Clause,
    Sentences,
    citable,
    cite,
    close,
    compared_with_index,
    own,
    statement,
    with_runs,
)
from index.reports.findings.studies import design_clauses
from index.reports.findings.write import SELDOM
from index.reports.naming.named_values import VIRAL
from index.reports.phrases import counted, listed
from index.reports.profiles import FactRow, Profile, Searched, by_runs
from index.reports.redundancy import Said, implied_by
from index.stated import names_no_species

LEADING: Final = 0.2
"""Share of the runs that state a facet from which its most frequent value leads a report."""
MARKED: Final = 0.2
"""Difference to the rest of the parent from which a value marks the community."""
_SINGLE: Final = "it describes single samples rather than a pattern"
_ONE_STUDY: Final = "All runs come from 1 study, whose design this may be"
_FOUND: Final = "Viruses were found in"
_NONE_FOUND: Final = "No virus was found in"
_SEARCHED: Final = "were searched for viruses"


def write_summary(profile: Profile, leads: Sequence[FactRow]) -> Sentences:
    """Return the summary paragraph: size, leading values, whether viruses were searched for if
    few are named, and a caution.
    """
    clauses = [*_size(profile), *design_clauses(profile)]
    facets = [fact.facet for fact in leads]
    for place, fact in enumerate(leads):
        clauses.append(_lead(fact, profile, alone=fact.facet in facets[:place]))
        clauses += sequenced_clauses(fact, profile)
    clauses += warnings(profile) or silence_clauses(profile)
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
        found.append(_search(profile))
    found += leading_caveat(profile)
    if profile.runs < FEW_RUNS or profile.only_study:
        found.append(_caution(profile))

    return found


def leading_facts(profile: Profile) -> list[FactRow]:
    """Return the facts that a summary states: of the virus and of what was sequenced, the one that
    more runs state first.

    Each is the most frequent value of its facet. What few runs state, and a fact whose runs are
    those of the fact before it, are left out.
    """
    least = SELDOM * profile.runs
    leads: list[FactRow] = []
    for facet in _leading_facets(profile):
        facts = sorted(by_runs(profile.of(facet)), key=_is_explained)
        if not facts:
            continue
        lead = facts[0]
        said = [earlier.facet_value for earlier in leads]
        is_led = lead.runs >= least and lead.share >= LEADING
        if is_led and not implied_by(lead, said, profile):
            leads.append(lead)
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
    titled: Sequence[FactRow], leads: Sequence[FactRow], findings: Sequence[Sentences]
) -> list[FactRow]:
    """Return the values of the title that neither the summary nor a finding counts: a reader wants
    to know how many runs stand behind each word of a title.
    """
    texts = [f"{one.summary} {one.explanation}" for one in findings]
    led = {fact.value for fact in leads}
    named = [fact for fact in titled if fact.value not in led and fact.facet in WORDINGS]
    counted_here = [fact for fact in named if fact.runs >= max(PATTERN, SELDOM * fact.known)]
    unsaid = [one for one in counted_here if not any(one.value in text for text in texts)]
    return list({fact.value: fact for fact in reversed(unsaid)}.values())[::-1]


def _search(profile: Profile) -> Clause:
    """Return in how many of the runs searched a virus was found, named or not: a run that was not
    searched is not without one, and a search finds what its source looks for.
    """
    searched = profile.searched
    if not searched.searched:
        runs = counted(profile.runs, "run")
        return Clause(f"0 of its {runs} {_SEARCHED}", own(profile))
    runs = counted(searched.searched, "run")
    text = f"{_FOUND} {searched.positive:,} of {runs} searched"
    if searched.positive == searched.searched > 2:
        text = f"{_FOUND} all {runs} searched"
    if not searched.positive:
        text = f"{_NONE_FOUND} {runs} searched{_scope(searched)}"
    if searched.searched < profile.runs:
        others = profile.runs - searched.searched
        text += f"; {others:,} {'was' if others == 1 else 'were'} not searched"

    return Clause(text, own(profile))


def _scope(searched: Searched) -> str:
    """Return what runs were searched for: what their sources look for, which is not every virus."""
    return f" for what {listed(searched.sources)} can find" if searched.sources else ""


def _size(profile: Profile) -> list[Clause]:
    known = profile.known("bioproject")
    if profile.studies.study_runs > known:
        return _size_in_studies(profile)
    itself = own(profile)
    runs = _holds(profile)
    largest = by_runs(profile.of("bioproject"))[:3]
    projects = cite(largest)
    if not projects:
        return [Clause(f"{runs} without a stated study", itself)]
    number = counted(profile.bioprojects, "bioproject")
    if known == profile.runs:
        return [Clause(f"{runs} from {number}", projects)]
    some = f"The {known:,} with a stated bioproject come"
    if known == 1:
        some = "The 1 run with a stated bioproject comes"

    return [Clause(runs, itself), Clause(f"{some} from {number}", projects)]


def _holds(profile: Profile) -> str:
    runs = counted(profile.runs, "run")
    return f"This community holds {runs}"


def _size_in_studies(profile: Profile) -> list[Clause]:
    """Return the size of a community whose runs state their SRA study rather than a bioproject."""
    stated = profile.studies
    itself = own(profile)
    runs = _holds(profile)
    number = counted(stated.studies, "study", "studies")
    if profile.only_study is not None:
        cited = citable([(profile.study_key, profile.only_study)])
        return [Clause(f"{runs} of {number}, {profile.only_study}", cited)]

    if stated.study_runs == profile.runs:
        return [Clause(f"{runs} from {number}", itself)]
    come = "comes" if stated.study_runs == 1 else "come"
    some = f"The {stated.study_runs:,} with a stated study {come} from {number}"
    return [Clause(runs, itself), Clause(some, itself)]


def _lead(lead: FactRow, profile: Profile, *, alone: bool) -> Clause:
    """Return how many runs have a value, and the next ones unless it stands ``alone``."""
    following = []
    if lead.facet not in SAMPLED and not alone:
        rest = [fact for fact in by_runs(profile.of(lead.facet)) if fact != lead]
        next_ones = [fact for fact in rest if fact.runs <= lead.runs or fact.is_outweighed]
        following = frequent_enough(next_ones)[:MOST_NEXT]
    comes = "comes" if len(following) == 1 else "come"
    then = f"; next {comes} {with_runs(following)}" if following else ""
    compared = against_rest(lead)
    if not compared:
        compared = ", ".join(["", *filter(None, [compared_with_index(lead)])])

    stated = statement(lead, profile.runs)
    cited = cite([lead, *following])
    return Clause(f"{stated}{compared}{then}", cited)


def _caution(profile: Profile) -> Clause:
    itself = own(profile)
    if profile.runs < FEW_RUNS:
        runs = counted(profile.runs, "run")
        return Clause(f"With {runs}, {_SINGLE}", itself)
    return Clause(_ONE_STUDY, itself)
