"""Findings about studies: what they found, which runs they have, what their authors write."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from typing import Final

from index.claims.phrases import counted, in_quotes, listed, times
from index.facets import SAMPLED
from index.reports.evidence_rows import WHOLE, Provenance, StudyShare
from index.reports.fact_rows import AssociationRow, Value
from index.reports.findings.sentences import (
    NEARLY_ALL,
    Clause,
    Sentences,
    citable,
    finding,
    listed_name,
    own,
)
from index.reports.profiles import Profile
from index.tables import COVERAGE_BASED, KMER_BASED

LEAST_RUNS: Final = 3
LEAST_SHARE: Final = 0.05
ENOUGH_RUNS: Final = 20
"""A study is named if it has so many runs and such a share of the community's runs, or enough runs
whatever their share."""
NAMED: Final = 3
LEAST_OF_STUDY: Final = 0.1
"""Minimum share of a study's runs with a virus for the study to be said to have it."""
LEAST_DOUBLINGS: Final = 1
"""Minimum number of doublings of abundance, up or down, for a finding of an association."""
MOST_UNKNOWN: Final = 0.1
"""Minimum share of a pathogen's runs of unknown origin for that to be mentioned."""
MOSTLY_ONE: Final = 0.9
"""From this share of a community's runs on, one study is given for all of them."""
_CODE: Final = re.compile(r"(?:syn)?u\d+")
"""Codes of viruses without a name."""
_MEASURES: Final = {COVERAGE_BASED: "contig coverage", KMER_BASED: "k-mers"}
"""What is compared in place of reads, by flag."""
_CAUTIONS: Final = {
    "no negatives": "every sample is positive",
    COVERAGE_BASED: "abundance is estimated from contig coverage",
}
"""Some flags in words."""


def association_finding(row: AssociationRow) -> Sentences:
    """Return the finding of an association, with its flag as a caution."""
    clause = association_clause(row)
    flags = []
    if row.flag:
        flags = [flag.strip() for flag in row.flag.split(";")]
    measure = next((said for flag, said in _MEASURES.items() if flag in flags), "reads")
    flags = [flag for flag in flags if flag != KMER_BASED]
    test = f"The test compares {measure} per million between {row.unit}s of the study"
    if row.found_true is not None:
        test = f"The test compares in how many {row.unit}s of the study the family is found"
    clauses = [Clause(test, clause.citations)]
    if flags:
        care = f"Caution: {listed([_CAUTIONS.get(flag, flag) for flag in flags])}"
        clauses.append(Clause(care, clause.citations))

    return finding(clause, clauses)


def association_clause(row: AssociationRow) -> Clause:
    """Return the one sentence that states an association."""
    samples = counted(row.num_true, row.unit)
    condition = f"{row.attribute} is {in_quotes(row.value)}"
    text = (
        f"In {row.bioproject}, {row.family} {_effect(row)} where {condition} "
        f"({samples} against {row.num_false:,})"
    )
    if row.found_true is not None and row.num_found is not None:
        others = row.num_found - row.found_true
        text = (
            f"In {row.bioproject}, {row.family} is found in {row.found_true:,} of {samples} "
            f"where {condition}, against {others:,} of {row.num_false:,} others"
        )
    facet = "statOrganism" if KMER_BASED in (row.flag or "") else "family"
    cited = [(row.key, row.bioproject), (facet, row.family)]

    return Clause(text, citable(cited))


def telling_associations(rows: Iterable[AssociationRow]) -> list[AssociationRow]:
    """Return the associations in which a family is at least twice as abundant, each once.

    Two studies of the same samples give the same test.
    """
    distinct: dict[tuple[str, str, str], AssociationRow] = {}
    for row in rows:
        if row.fold_change is None or abs(row.fold_change) >= LEAST_DOUBLINGS:
            distinct.setdefault((row.family, row.attribute, row.value), row)
    return list(distinct.values())


def study_findings(profile: Profile) -> list[Sentences]:
    """Return what the largest studies of a community are about.

    These are their titles, and the organism, tissue, place and virus of most of their runs.
    """
    named = large_studies(profile)
    implied = _implied(profile)
    is_only = profile.only_study is not None
    if not any(study.title or _what(study, implied) for study in named):
        return []
    described = listed([_described(study, _what(study, implied)) for study in named])
    several = "Its largest studies are" if len(named) > 1 else "Its largest known study is"
    if named and named[0] != profile.largest_studies[0]:
        several = re.sub("stud(y|ies)", r"stud\1 with a virus", several)
    if profile.shared_virus is not None:
        several = several.replace("Its largest", "Of the whole community, the largest")
    subject = "Its study is" if is_only else several
    cited = citable((study.key, study.study) for study in named)
    return [finding(Clause(f"{subject} {described}", cited), [])]


def large_studies(profile: Profile) -> list[StudyShare]:
    """Return the largest studies that are worth naming; those with a virus, if there are any."""
    least = min(ENOUGH_RUNS, max(LEAST_RUNS, LEAST_SHARE * profile.runs))
    large = [study for study in profile.largest_studies if study.runs >= least]
    viral = [study for study in large if study.virus_runs >= LEAST_OF_STUDY * study.runs]
    return (viral or large)[:NAMED]


def _implied(profile: Profile) -> set[str]:
    """Return the values that nearly all runs have, of those that state any.

    They need not be repeated for a single study. Hosts and environments are one kind of value.
    """
    facts = [fact for facts in profile.facts.values() for fact in facts]
    sampled = max(profile.known(facet) for facet in SAMPLED)
    whole = {fact: sampled if fact.facet in SAMPLED else fact.known for fact in facts}
    known = {fact.value for fact in facts if fact.runs >= NEARLY_ALL * whole[fact]}
    shared = profile.shared_virus
    return known if shared is None else {*known, shared}


def _what(study: StudyShare, implied: Collection[str]) -> list[str]:
    """Return the organism, tissue, place and virus of most runs of a study."""
    parts = []
    is_most = 2 * study.organism_runs >= study.runs and not study.is_apart
    if study.organism is not None and is_most and study.organism not in implied:
        parts.append(_in_runs(study.organism, study.organism_runs, study.runs))
    for value, runs in ((study.tissue, study.tissue_runs), (study.place, study.place_runs)):
        if value is not None and 2 * runs >= study.runs and value not in implied:
            parts.append(_in_runs(value, runs, study.runs))
    is_common = study.virus_runs >= LEAST_OF_STUDY * study.runs
    if study.virus is not None and is_common and study.virus not in implied:
        unnamed = "unnamed virus " * bool(_CODE.fullmatch(study.virus))
        called = f"{unnamed}{listed_name(study.virus)}"
        parts.append(_in_runs(called, study.virus_runs, study.runs))
    return parts


def _described(study: StudyShare, what: Sequence[str]) -> str:
    """Return a study with its title, its runs and what most of them have."""
    about = f": {', '.join(what)}" if what else ""
    called = f"{study.study} {in_quotes(study.title)}" if study.title else study.study
    return f"{called} ({counted(study.runs, 'run')}{about})"


def _in_runs(value: str, runs: int, whole: int) -> str:
    return value if runs == whole else f"{value} in {runs:,}"


def describes_studies(profile: Profile) -> bool:
    """Return whether a large study has a title that says what it is about."""
    return any(study.title for study in large_studies(profile))


def of_studies(profile: Profile, *values: Value) -> str:
    """Return the number of studies of the runs with one or two values, or the study of most.

    Return "" if the studies of most runs are not known, or if that study has most runs of the
    community: then the summary names it.
    """
    first, second = sorted([values[0], values[-1]])
    behind = profile.behind.get((first, second))
    if behind is None or 2 * behind.known < behind.runs or most_of_one(profile) >= MOSTLY_ONE:
        return ""
    if 2 * behind.study_runs <= behind.runs:
        return f", in {behind.studies:,} studies" if behind.studies > 1 else ""
    most = [study.study for study in profile.largest_studies if 2 * study.runs > profile.runs]
    if behind.study in most:
        return ""
    return f", {some_of(behind.study_runs, behind.runs)} from {behind.study}"


def some_of(part: int, whole: int) -> str:
    """Return a part of some runs in words: all, all but a few, or a number."""
    if part == whole:
        return "all"
    return f"all but {whole - part:,}" if 5 * part >= 4 * whole else f"{part:,} of them"


def most_of_one(profile: Profile) -> float:
    """Return the share of a community's runs in its largest study."""
    return max((study.runs for study in profile.largest_studies), default=0) / profile.runs


def origin_clauses(profile: Profile, of: Value) -> list[Clause]:
    """Return how many runs of a virus are known to be of a laboratory, how many of patients or the
    field, and of a pathogen how many may be either by what the index holds.
    """
    origin = profile.origins.get(of, Provenance())
    cited = own(profile) if of == WHOLE else citable([of]) or own(profile)
    clauses = []
    first, _, rest = origin.why.partition(" ")
    if rest:
        whole = counted(origin.runs, "run")
        if of != WHOLE:
            whole = f"{whole} with {listed_name(of[1])}"
        is_all = first == f"{origin.runs:,}"
        some = f"all of the {whole} are" if is_all else f"of the {whole}, {first} are"
        clauses.append(Clause(f"{some} {rest}", cited))
    if origin.open >= max(LEAST_RUNS, MOST_UNKNOWN * origin.runs):
        which = f"any of the {origin.runs:,} runs is a natural infection"
        if origin.open < origin.runs:
            others = "others" if rest else f"of the {origin.runs:,} runs"
            if not rest and 2 * origin.open < origin.runs:
                others = "runs from humans or without a host"
            which = f"{origin.open:,} {others} are natural infections"
        text = f"nothing says whether {which} or laboratory material"
        reads = "over a million reads of it, as in cultures or enriched libraries"
        heavy = f"; {origin.heavy:,} of them have {reads}"
        clauses.append(Clause(f"{text}{heavy * (origin.heavy >= LEAST_RUNS)}", cited))
    return clauses


def _effect(row: AssociationRow) -> str:
    if row.fold_change is None:
        return "differs in abundance"
    comparison = "as abundant" if row.fold_change >= 0 else "less abundant"
    doublings = abs(row.fold_change)
    ratio = times(2**doublings)
    return f"is {ratio} {comparison}"
