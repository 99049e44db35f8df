"""Summaries of reports: the viruses of the title, what was sequenced, cautions, and size."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from index.claims import ComingFrom, Counted, FoundIn, Size
from index.facets import SAMPLED
from index.reports.citations import CitedValue
from index.reports.evidence_rows import SOTU, WHOLE, Support
from index.reports.fact_rows import FactRow, Value, by_runs
from index.reports.findings.evidence import (
    PATTERN,
    classified_clauses,
    evidence_clauses,
    median_identity,
    print_clauses,
    support_clauses,
)
from index.reports.findings.hierarchy import FEW_RUNS
from index.reports.findings.marks import (
    MOST_NEXT,
    NEXT_SHARE,
    faint_clauses,
    frequent_enough,
    label_clauses,
    leading_caveat,
    sequenced_clauses,
)
from index.reports.findings.own_runs import source_clauses, study_words
from index.reports.findings.sentences import (
    NEARLY_ALL,
    WORDINGS,
    Clause,
    Sentences,
    carried_by,
    citable,
    cite,
    close,
    named,
    own,
    statement,
    unassigned,
    with_runs,
)
from index.reports.findings.studies import of_studies, origin_clauses
from index.reports.findings.unnamed import (
    beside_clauses,
    other_clauses,
    search_clauses,
    unnamed_clauses,
)
from index.reports.findings.viruses import described, mixture_clauses
from index.reports.findings.write import HABITATS, SELDOM
from index.reports.naming.subjects import title_subject
from index.reports.naming.title_values import NOTABLE, is_probable
from index.reports.profiles import Profile
from index.reports.redundancy import implied_by
from index.stated import VIRAL, names_no_species

LEADING: Final = 0.2
"""Minimum share of the runs that state a facet for its most frequent value to lead a report."""
MOST_OF_FAMILY: Final = 3
"""Number of species that are named after a family."""
_SINGLE: Final = "it describes single samples rather than a pattern"
_ONE_STUDY: Final = "what its runs have in common may be the design of that study"


def write_summary(profile: Profile, leads: Sequence[FactRow]) -> Sentences:
    """Return the summary paragraph: the viruses of the title or what is known of others, what
    speaks against them, where their runs come from, the best evidence, cautions, and size.
    """
    viruses = [fact for fact in leads if fact.facet in VIRAL]
    others = [fact for fact in leads if fact.facet not in VIRAL]
    if profile.shared_virus is not None and not viruses:
        others = [fact for fact in others if fact.facet not in (*SAMPLED, "biome")]
    hosts = [fact for fact in others if fact.facet in SAMPLED]
    found = _viral(viruses, profile)
    labels = label_clauses(profile)
    probable = labels if any(is_probable(fact, profile) for fact in profile.of("virus")) else []
    size = [] if _says_size(viruses, profile) else _size(profile, _studies_of(viruses, profile))
    mixture = mixture_clauses(profile)
    clauses = [*mixture, *probable, *_probable_sources(profile), *found[:1]]
    clauses += [*classified_clauses(profile), *found[1:]]
    clauses += beside_clauses(profile) if viruses else []
    for fact in viruses[:1]:
        of = WHOLE if mixture and profile.origin.is_laboratory else fact.facet_value
        sources = source_clauses(profile, fact.facet_value)
        which = "" if sources else f"with {named(fact.value)}"
        which = "of this community" if of == WHOLE else which
        clauses += sources
        clauses += [] if fact.is_reported else origin_clauses(profile, of, which)
    for fact in others:
        if not (fact.facet in HABITATS and _is_of_own_runs(viruses, profile)):
            clauses.append(_lead(fact, viruses[:1], profile))
        clauses += sequenced_clauses(fact, profile)
    clauses += [clause for clause in labels if clause not in probable]
    if viruses:
        for virus in [viruses[0].facet_value, *_confirmed(viruses[0], viruses, profile)]:
            clauses += support_clauses(profile, virus, hosts)
        clauses += print_clauses(viruses[0])
    clauses += [*warnings(profile), *size]
    sentences = []
    cited: list[CitedValue] = []
    for clause in clauses:
        sentences.append(close(clause))
        cited += clause.citations
    summary = " ".join(sentences)
    return Sentences(summary, "", tuple(cited))


def _confirmed(family: FactRow, viruses: Sequence[FactRow], profile: Profile) -> list[Value]:
    """Return the first virus of a family with an identity in several runs, if the most frequent one
    rests on the name of a deposited polymerase alone.
    """
    after = following(viruses, profile) if family.facet == "family" else []
    if not after or not after[0].is_deposited:
        return []
    known = [profile.support.get(virus.facet_value, Support(0)) for virus in after]
    pairs = zip(after, known, strict=True)
    return [virus.facet_value for virus, found in pairs if found.measured >= PATTERN][:1]


def _says_size(viruses: Sequence[FactRow], profile: Profile) -> bool:
    """Return whether the first virus is in all runs, and the number of their studies is given."""
    stated = profile.studies
    if not viruses or viruses[0].runs < profile.runs or stated.study_runs < profile.runs:
        return False
    of_studies = ComingFrom(whole=profile.runs, studies=stated.studies).clause()
    return bool(of_studies) and _studies_of(viruses, profile).endswith(of_studies)


def _studies_of(viruses: Sequence[FactRow], profile: Profile) -> str:
    """Return what the summary says about the studies of its first virus."""
    return study_words(profile, viruses[0].facet_value) if viruses else ""


def _is_of_own_runs(viruses: Sequence[FactRow], profile: Profile) -> bool:
    """Return whether the summary gives the sources of the runs with its virus, or phylum."""
    led = [fact.facet_value for fact in viruses[:1]]
    led += [(SOTU, profile.main_phylum)] if profile.main_phylum and not led else []
    return any(source_clauses(profile, virus) for virus in led)


def warnings(profile: Profile) -> list[Clause]:
    """Return warnings: an unexpected host of a virus, weak signals, few runs, a single study."""
    found = [*leading_caveat(profile), *faint_clauses(profile)]
    if profile.runs < FEW_RUNS or profile.only_study:
        found.append(_caution(profile))
    return found


def leading_facts(profile: Profile) -> list[FactRow]:
    """Return the facts that a summary states: the viruses of the title, and what was sequenced.

    Viruses are in the order of the title; what was sequenced is that of the title, else of most
    runs.
    """
    subject = title_subject(profile)
    viruses = [fact for fact in subject.values if fact.facet in VIRAL]
    titled = [fact for fact in subject.values if fact.facet in SAMPLED]
    return [*viruses, *(titled or _sampled(viruses, profile))[:1]]


def leading_virus(leads: Sequence[FactRow]) -> Value | None:
    """Return the first virus of the leading facts."""
    return next((fact.facet_value for fact in leads if fact.facet in VIRAL), None)


def _sampled(viruses: Sequence[FactRow], profile: Profile) -> list[FactRow]:
    """Return what many runs were taken from; not the label of a library, which is not a finding."""
    facet = max(("host", "environment"), key=profile.known)
    facts = by_runs(profile.of(facet))[:1]
    said = [fact.facet_value for fact in viruses]
    least = max(SELDOM * profile.runs, PATTERN)
    return [
        fact
        for fact in facts
        if fact.runs >= max(least, LEADING * fact.known) and not implied_by(fact, said, profile)
    ]


def unstated(titled: Sequence[FactRow], leads: Sequence[FactRow]) -> list[FactRow]:
    """Return the values of the title that the leading facts do not count.

    A reader wants to know how many runs are behind each word of a title.
    """
    led = {fact.value for fact in leads}
    led |= {fact.facet for fact in leads if fact.facet in SAMPLED}
    new = [fact for fact in titled if led.isdisjoint((fact.facet, fact.value))]
    new = [fact for fact in new if not fact.unnamed_runs]
    worded = [fact for fact in new if fact.facet in WORDINGS]
    often = [fact for fact in worded if fact.runs >= max(PATTERN, SELDOM * fact.known)]
    biomes = [fact for fact in often if fact.facet == "biome"]
    environments = [fact.value for fact in leads if fact.facet == "environment"]
    if environments and biomes and (len(biomes) > 1 or environments[0].startswith(biomes[0].value)):
        often = [fact for fact in often if fact not in biomes]
    return list({fact.value: fact for fact in reversed(often)}.values())[::-1]


def _viral(viruses: Sequence[FactRow], profile: Profile) -> list[Clause]:
    """Return how many runs have the viruses of the title and the next ones, and doubts about them.

    Without a named virus, return the unnamed virus that the runs share and what was searched.
    """
    if not viruses:
        others = [] if profile.main_phylum else other_clauses(profile)
        return unnamed_clauses(profile) or [*search_clauses(profile), *others]
    first = viruses[0]
    after = following(viruses, profile)
    studies = study_words(profile, first.facet_value)
    positive = profile.searched.positive
    share = f"{statement(first, profile.runs, positive=positive)}{studies}"
    text = f"{share}{median_identity(profile, first)}"
    text += unassigned(first, positive) + _behind(first, viruses, after, profile)
    clauses = [
        Clause(
            f"{statement(virus, profile.runs, positive=positive)}{unassigned(virus, positive)}"
            f"{_behind(virus, viruses, after, profile)}",
            cite([virus]),
        )
        for virus in viruses[1:]
        if virus not in after
    ]
    evidence = evidence_clauses([first, *viruses[1:], *after], profile, described(profile))
    return [Clause(text, cite([first, *after])), *clauses, *evidence]


def _behind(
    fact: FactRow, viruses: Sequence[FactRow], after: Sequence[FactRow], profile: Profile
) -> str:
    """Return those viruses ``after`` the title's that are named together with one of the title's.

    A family is followed by its own viruses, the first also by those of no family in the title.
    """
    first = viruses[0]
    is_first = fact == first
    if first.facet == "species":
        comes = "next comes" if len(after) == 1 else "next come"
        return with_runs(comes, after, fact, profile) if is_first else ""
    own = [virus for virus in after if _is_of(virus, [fact], profile)]
    others = [virus for virus in after if is_first and not _is_of(virus, viruses, profile)]
    is_often = bool(own) and 2 * own[0].runs >= fact.runs
    kind = "most often" if is_often else "among them"
    often = with_runs(kind, own, fact, profile)
    return f"{often}{with_runs('also', others, fact, profile)}"


def following(leads: Sequence[FactRow], profile: Profile) -> list[FactRow]:
    """Return the viruses that a summary names after the first; if none, the most frequent.

    The others of the title come first, then those of most runs; a family is followed by its own.
    """
    viruses = [fact for fact in leads if fact.facet in VIRAL]
    if not viruses:
        return []
    first = viruses[0]
    rest = [fact for fact in by_runs(profile.of("species")) if fact not in viruses]
    rest = [fact for fact in rest if not (fact.is_reported and fact.is_outweighed)]
    if first.facet == "family":
        large = [virus for virus in rest if virus.runs >= NEXT_SHARE * first.runs]
        own: list[FactRow] = []
        for family in viruses:
            own += [virus for virus in large if _is_of(virus, [family], profile)][:MOST_OF_FAMILY]
        others = [virus for virus in rest if not _is_of(virus, viruses, profile)]
        notable = [virus for virus in others if virus.runs >= NOTABLE * first.known][:MOST_NEXT]
        return frequent_enough([*own, *notable])
    titled = [virus for virus in viruses[1:] if virus.facet == first.facet]
    least = [virus for virus in rest if virus.runs <= first.runs or virus.is_outweighed]
    named = [*titled, *frequent_enough(least)][: max(MOST_NEXT, len(titled))]
    return [*named, *_of_the_rest([first, *named], rest, profile)]


def _of_the_rest(
    named: Sequence[FactRow], others: Sequence[FactRow], profile: Profile
) -> list[FactRow]:
    """Return the most frequent virus after ``named``, if half of the other runs have it."""
    left = named[0].known - sum(_new(virus, named[:at], profile) for at, virus in enumerate(named))
    further = [virus for virus in others if virus not in named]
    known = [virus for virus in further if not names_no_species(virus.value)]
    values = {virus: virus.facet_value for virus in known[:1]}
    found = [virus for virus, value in values.items() if profile.together(value, value)]
    return [virus for virus in found if _new(virus, named, profile) >= max(PATTERN, left / 2)]


def _new(virus: FactRow, named: Sequence[FactRow], profile: Profile) -> int:
    """Return the least number of a virus's runs that have none of the ``named`` ones."""
    both = [profile.together(virus.facet_value, other.facet_value) for other in named]
    return max(0, virus.runs - sum(both))


def _is_of(virus: FactRow, families: Sequence[FactRow], profile: Profile) -> bool:
    """Return whether a virus is of one of the families."""
    return profile.family_of.get(virus.value) in [family.value for family in families]


def _size(profile: Profile, said: str) -> list[Clause]:
    """Return the number of runs and studies of a community, and the study with most runs.

    If the study of most runs is not known, the number of studies is not known, either. A study that
    was ``said`` is not named again.
    """
    stated = profile.studies
    only = profile.only_study
    largest = profile.largest_studies[:1]
    most = [study for study in largest if 2 * study.runs > profile.runs and study.study not in said]
    claim = Size(
        runs=profile.runs,
        studies=stated.studies,
        known=stated.study_runs,
        only=only or "",
        most=tuple((study.study, study.runs) for study in most),
    )
    cited = own(profile) if only is None else citable([(profile.study_key, only)])
    return [Clause(claim.clause(), cited)]


def _probable_sources(profile: Profile) -> list[Clause]:
    """Return the runs of the unnamed virus that libraries with a label probably have, and their
    sources.
    """
    labels = [fact for fact in by_runs(profile.of("virus"))[:1] if is_probable(fact, profile)]
    viruses = [fact.unnamed for fact in labels if fact.unnamed != profile.shared_virus]
    clauses = []
    for virus in viruses:
        runs = profile.support.get((SOTU, virus), Support(0)).runs
        found = FoundIn(
            subject=virus, number=runs, searched=profile.searched.positive, known="with a virus"
        )
        clauses += [Clause(found.clause(), own(profile))] if runs else []
        clauses += source_clauses(profile, (SOTU, virus))
    return clauses


def _lead(fact: FactRow, first: Sequence[FactRow], profile: Profile) -> Clause:
    """Return how many runs have a value, and the next values if many runs have another one.

    For what was sequenced, also return how many of its runs carry the ``first`` virus.
    """
    rest = [
        other
        for other in by_runs(profile.of(fact.facet))
        if other != fact and other.runs <= fact.runs
    ]
    rest = [other for other in rest if carried_by(other, first[0], profile) != 0] if first else rest
    following = frequent_enough(rest)[:MOST_NEXT] if fact.share < NEARLY_ALL else []
    then = with_runs("then", following, fact, profile)
    studies = of_studies(profile, fact.facet_value)
    stated = statement(fact, profile.runs, studies)
    return Clause(f"{stated}{then}{_with_first(fact, first, profile)}", cite([fact, *following]))


def _with_first(fact: FactRow, first: Sequence[FactRow], profile: Profile) -> str:
    """Return how many runs of what was sequenced carry the virus that leads the report."""
    if not first or fact.facet not in SAMPLED:
        return ""
    if max(fact.runs, first[0].runs) >= NEARLY_ALL * profile.runs:
        return ""
    both = carried_by(fact, first[0], profile)
    virus = named(first[0].value)
    carry = f"carries {virus}" if both == 1 else f"carry {virus}"
    claim = Counted(number=both or 0, noun=("of these", "of these"), after=carry)
    return f"; {claim.clause()}" if both else ""


def _caution(profile: Profile) -> Clause:
    itself = own(profile)
    if profile.runs < FEW_RUNS:
        runs = Counted(number=profile.runs, before="with").clause()
        return Clause(f"{runs}, {_SINGLE}", itself)
    return Clause(_ONE_STUDY, itself)
