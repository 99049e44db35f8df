"""Findings about studies: what they found, which runs they have, what their authors write."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from typing import Final

from index.claims import (
    AssociationClaim,
    Claim,
    ComingFrom,
    NamedNumber,
    OfLaboratory,
    OfOtherViruses,
    UnknownOrigin,
)
from index.claims.phrases import in_part, in_quotes
from index.facets import SAMPLED
from index.reports.evidence_rows import WHOLE, Provenance, StudyShare, Support
from index.reports.fact_rows import AssociationRow, Value
from index.reports.findings.own_runs import after_comma
from index.reports.findings.sentences import (
    NEARLY_ALL,
    Clause,
    Sentences,
    citable,
    cite,
    finding,
    listed_name,
    named,
    own,
    ranked,
)
from index.reports.naming.subjects import title_subject
from index.reports.profiles import Profile
from index.stated import KMER_BASED, VIRAL
from index.store.origins import KINDS

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
"""Minimum share of a virus's runs of unknown origin for that to be mentioned."""
MOSTLY_ONE: Final = 0.9
"""From this share of a community's runs on, one study is given for all of them."""
_CODE: Final = re.compile(r"(?:syn)?u\d+")
"""Codes of viruses without a name."""
LEAST_OF_ORIGIN: Final = 0.02
"""Minimum share of a virus's runs from a laboratory, or from patients, for that to be mentioned."""


def association_finding(row: AssociationRow) -> Sentences:
    """Return the finding of an association, with its flag as a caution."""
    found = None
    if row.found_true is not None and row.num_found is not None:
        found = (row.found_true, row.num_found - row.found_true)
    claim = AssociationClaim(
        family=row.family,
        attribute=row.attribute.replace("_", " "),
        value=row.value,
        project=row.bioproject,
        with_value=row.num_true,
        without=row.num_false,
        fold_change=row.fold_change,
        q_value=row.q_value,
        found=found,
        flag=row.flag or "",
    )
    facet = "statOrganism" if KMER_BASED in (row.flag or "") else "family"
    cited = citable([(row.key, row.bioproject), (facet, row.family)])
    return finding(Clause(claim.clause(), cited), [])


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
    largest = large_studies(profile)
    implied = _implied(profile)
    is_only = profile.only_study is not None
    if not any(study.title or _what(study, implied) for study in largest):
        return []
    places = [
        NamedNumber(
            name=f"{study.study} {in_quotes(study.title)}" if study.title else study.study,
            number=study.runs,
            note=", ".join(_what(study, implied)),
        )
        for study in largest
    ]
    of_whole = " of the community" if profile.shared_virus is not None else ""
    several = "its largest studies" if len(largest) > 1 else "its largest known study"
    several = several.replace("its", "the") if of_whole else several
    if largest and largest[0] != profile.largest_studies[0]:
        of_whole = f" with a virus{of_whole}"
    are = "are" if len(largest) > 1 else "is"
    subject = "its study is" if is_only else f"{several}{of_whole} {are}"
    cited = citable((study.key, study.study) for study in largest)
    claim = Clause(ranked(subject, places), cited)
    return [finding(claim, [] if is_only else _without_main(largest, profile))]


def _without_main(studies: Sequence[StudyShare], profile: Profile) -> list[Clause]:
    """Return that the virus of a report is not the main one of any of its largest studies, and for
    how many of its runs the study is known.
    """
    viruses = [fact for fact in title_subject(profile).values if fact.facet in VIRAL][:1]
    clauses = []
    for virus in viruses:
        support = profile.support.get(virus.facet_value, Support(0))
        is_known = 2 * support.known >= support.runs
        if virus.facet == "species" and not is_known and _is_of_none(virus.value, studies):
            claim = OfOtherViruses(
                virus=named(virus.value),
                studies=len(studies),
                known=support.known,
                whole=support.runs,
            )
            clauses.append(Clause(claim.clause(), cite([virus])))
    return clauses


def _is_of_none(virus: str, studies: Sequence[StudyShare]) -> bool:
    return all(study.virus != virus for study in studies)


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
        parts.append(in_part(study.organism, study.organism_runs, study.runs))
    stated = (("", study.tissue, study.tissue_runs), ("from ", study.place, study.place_runs))
    for begin, value, runs in stated:
        if value is not None and 2 * runs >= study.runs and value not in implied:
            parts.append(f"{begin}{in_part(value, runs, study.runs)}")
    is_common = study.virus_runs >= LEAST_OF_STUDY * study.runs
    if study.virus is not None and is_common and study.virus not in implied:
        unnamed = "unnamed virus " * bool(_CODE.fullmatch(study.virus))
        called = f"with {unnamed}{listed_name(study.virus)}"
        parts.append(in_part(called, study.virus_runs, study.runs))
    return parts


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
        return after_comma(ComingFrom(whole=behind.runs, studies=behind.studies))
    most = [study.study for study in profile.largest_studies if 2 * study.runs > profile.runs]
    if behind.study in most:
        return ""
    return after_comma(ComingFrom(whole=behind.runs, most=((behind.study, behind.study_runs),)))


def most_of_one(profile: Profile) -> float:
    """Return the share of a community's runs in its largest study."""
    return max((study.runs for study in profile.largest_studies), default=0) / profile.runs


def origin_clauses(profile: Profile, of: Value, which: str = "") -> list[Clause]:
    """Return how many runs of a virus are known to be of a laboratory, how many of patients or the
    field, and how many of a virus of vertebrates may be either by what the index holds.

    ``which`` are the runs, if the sentence before does not say it.
    """
    origin = profile.origins.get(of, Provenance())
    cited = own(profile) if of == WHOLE else citable([of]) or own(profile)
    least = max(LEAST_RUNS, LEAST_OF_ORIGIN * origin.runs)
    made = origin.laboratory if origin.laboratory >= least else 0
    kinds = zip(origin.kinds, KINDS.values(), strict=False)
    taken = origin.natural if origin.natural >= least else 0
    claims: list[Claim] = []
    if made or taken:
        by_runs = sorted([kind for kind in kinds if kind[0] and made], key=lambda kind: -kind[0])
        claims.append(
            OfLaboratory(
                number=made, whole=origin.runs, kinds=tuple(by_runs), natural=taken, which=which
            )
        )
    if origin.open >= max(LEAST_RUNS, MOST_UNKNOWN * origin.runs):
        rest = origin.open + made + taken == origin.runs
        heavy = origin.heavy if origin.heavy >= LEAST_RUNS else 0
        claims.append(UnknownOrigin(number=origin.open, whole=origin.runs, rest=rest, heavy=heavy))
    return [Clause(claim.clause(), cited) for claim in claims]
