"""Findings: what stands out in a community, each as a one-sentence summary and an explanation, with
citations.

Facets come in the order a virologist asks: which virus, in what, how ill, which organ, where; then
what was tested, what the studies are about and whose they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Final, NamedTuple, TypeAlias

from index.facets import REGISTRY
from index.reports.citations import MAX_PER_REFERENCE, Citation, format_reference, is_citable
from index.reports.phrases import against_index, counted, listed, q_text, sentence, share_of, times
from index.reports.profiles import AssociationRow, FactRow, Profile, by_runs
from index.tables import COVERAGE_BASED

MIN_FINDINGS: Final = 3
Labels: TypeAlias = Mapping[str, str]
"""Two-word label of every community, by which a parent speaks of its children."""


class Clause(NamedTuple):
    """One sentence without its full stop, and what it cites."""

    text: str
    citations: Sequence[Citation] = ()


class Sentences(NamedTuple):
    """A finding: its summary, its explanation and what both cite."""

    summary: str
    explanation: str
    citations: tuple[Citation, ...]


WORDINGS: Final = {facet.name: facet.wording for facet in REGISTRY if facet.wording is not None}

_LEADING: Final = 2
_VIRAL: Final = ("species", "family")
_LAST: Final = 2
SELDOM: Final = 0.05
"""A facet that a smaller share of the runs states is told last."""


def write_findings(profile: Profile, labels: Labels) -> Iterator[Sentences]:
    """Yield at least three findings, the most telling first: viruses, the strongest association,
    then the rest.

    What few runs state comes late, viruses before the rest: it says little about the community.
    """
    missing = MIN_FINDINGS
    for one in _telling_findings(profile, labels):
        missing -= 1
        yield one
    yield from plain_findings(profile)[: max(0, missing)]


def _telling_findings(profile: Profile, labels: Labels) -> Iterator[Sentences]:
    order = sorted(
        (facet for facet in WORDINGS if profile.of(facet)),
        key=lambda facet: _lateness(facet, profile),
    )
    facets = [facet for facet in order if _lateness(facet, profile) < _LAST]
    sound = [row for row in profile.associations if row.flag is None]
    flagged = [row for row in profile.associations if row.flag is not None]
    yield from (facet_finding(profile, facet) for facet in facets[:_LEADING])
    yield from map(association_finding, sound[:1])
    yield from division_findings(profile, labels)
    yield from (facet_finding(profile, facet) for facet in facets[_LEADING:6])
    yield from theme_findings(profile)
    yield from map(association_finding, sound[1:] + flagged)
    yield from study_findings(profile)
    yield from (facet_finding(profile, facet) for facet in facets[6:] + order[len(facets) :])


def _lateness(facet: str, profile: Profile) -> int:
    """Return 0 for a facet that enough runs state, 1 for viruses in few runs, ``_LAST`` for another
    that few state.
    """
    if facet in _VIRAL:
        return 0 if profile.has_viruses(facet) else 1
    return 0 if profile.known(facet) >= SELDOM * profile.runs else _LAST


def facet_finding(profile: Profile, facet: str) -> Sentences:
    """Return the finding of a facet: its most telling value, how that compares, what comes next,
    what is not stated.
    """
    lead, *rest = profile.salient(facet)
    following = sorted(rest, key=lambda fact: (-fact.runs, fact.value))[:3]
    clauses = [Clause(f"That is {against_index(lead.lift, lead.q_value)}", cite([lead]))]
    if following and following[0].runs > lead.runs:
        clauses.append(_more_frequent(following.pop(0)))
    if following:
        clauses.append(Clause(f"{_comes(len(following))} {with_runs(following)}", cite(following)))
    if missing := profile.runs - lead.known:
        clauses.append(_missing(missing, profile, WORDINGS[facet].absent))
    return finding(Clause(statement(lead, profile.runs), cite([lead])), clauses)


def association_finding(row: AssociationRow) -> Sentences:
    """Return the finding of an association, with its flag as a caution."""
    clause = association_clause(row)
    effect = "" if row.fold_change is None else f" (log2 fold change {row.fold_change:.1f})"
    flags = [flag.strip() for flag in (row.flag or "").split(";") if flag]
    measure = "contig coverage" if COVERAGE_BASED in flags else "reads"
    test = f"The test compares {measure} per million between biosamples of the bioproject{effect}"
    clauses = [Clause(test, clause.citations)]
    if flags:
        clauses.append(Clause(f"To be read with care: {', '.join(flags)}", clause.citations))
    return finding(clause, clauses)


def association_clause(row: AssociationRow) -> Clause:
    """Return the one sentence that states an association."""
    groups = (
        f"{counted(row.num_true, 'biosample')} against {row.num_false:,}; {q_text(row.q_value)}"
    )
    claim = f"{row.family} {_effect(row)} where {row.attribute} is {row.value}"
    text = f"In {row.bioproject}, {claim} ({groups})"
    return Clause(text, citable([("bioproject", row.bioproject), ("family", row.family)]))


def division_findings(profile: Profile, labels: Labels) -> list[Sentences]:
    """Return how a parent divides, where it has at least two children."""
    if len(profile.children) < 2:
        return []
    clause = division_clause(profile, labels)
    share = f"The largest holds {share_of(profile.children[0][1], profile.runs)}"
    return [finding(clause, [Clause(share, clause.citations[:1])])]


def division_clause(profile: Profile, labels: Labels) -> Clause:
    """Return the one sentence that names the largest children of a parent."""
    largest = profile.children[:3]
    names = listed([f"{labels.get(name, name)} ({counted(runs, 'run')})" for name, runs in largest])
    some = "the largest being" if len(profile.children) > len(largest) else "namely"
    parts = counted(len(profile.children), "community", "communities")
    return Clause(
        f"It divides into {parts}, {some} {names}",
        citable([("community", name) for name, _ in largest]),
    )


def theme_findings(profile: Profile) -> list[Sentences]:
    """Return what its studies write about, where at least two of them share the words."""
    shared = [theme for theme in profile.themes if theme.bioprojects > 1]
    if not shared:
        return []
    lead, *rest = shared
    described = profile.of("bioproject")
    counted = f"{lead.bioprojects:,} of {lead.described:,} with a text do"
    claim = f"Its studies write of “{lead.term}”: {counted}"
    also = listed([f"“{theme.term}” ({theme.bioprojects:,})" for theme in rest])
    clauses = [Clause(f"Other words that set them apart: {also}", own(profile))] if rest else []
    return [
        finding(
            Clause(claim, cite(described) or own(profile)), clauses + _titles(described, profile)
        )
    ]


def study_findings(profile: Profile) -> list[Sentences]:
    """Return whose runs they are: the largest bioproject, its title, and the next ones."""
    projects = by_runs(profile.of("bioproject"))
    if not projects:
        return []
    lead, following = projects[0], projects[1:4]
    held = share_of(
        lead.runs, lead.known, "" if lead.known == profile.runs else "with a bioproject"
    )
    single = profile.bioprojects == 1
    number = counted(profile.bioprojects, "bioproject")
    claim = (
        f"A single bioproject, {lead.value}, holds {held}"
        if single
        else f"{lead.value} holds {held}, of {number}"
    )
    clauses = _titles([lead], profile)
    if following:
        clauses.append(Clause(f"{_comes(len(following))} {with_runs(following)}", cite(following)))
    elif single:
        clauses.append(
            Clause("What marks the community may be the design of that study", cite([lead]))
        )
    return [finding(Clause(claim, cite([lead])), clauses)]


def plain_findings(profile: Profile) -> list[Sentences]:
    """Return three findings that hold for any community, for those whose runs state next to
    nothing.
    """
    absent = [wording.absent for facet, wording in WORDINGS.items() if not profile.of(facet)][:3]
    runs = citable([("runId", run) for run in profile.example_runs]) or own(profile)
    number = counted(profile.runs, "run")
    samples = counted(profile.biosamples, "biosample")
    held = f"of {samples}" if profile.biosamples else "whose biosample is not stated"
    size = f"It holds {number} {held}"
    silent = f"Its {number} {'is' if profile.runs == 1 else 'are'} {listed(absent)}"
    named = f"Its {number} include {listed(profile.example_runs)}"
    return [
        finding(
            Clause(size, own(profile)),
            [Clause("They share metadata or viruses with one another", own(profile))],
        ),
        finding(
            Clause(silent, own(profile)),
            [Clause("What is not stated is unknown, not absent", own(profile))],
        ),
        finding(Clause(named, runs), [Clause("They are the first by accession", runs)]),
    ]


def statement(fact: FactRow, runs: int) -> str:
    """Return what is counted, with its share; ``runs`` is the size of the community.

    >>> statement(FactRow("tissue", "leaf", None, 9, 12, 3.0, 0.001), 40)
    'The tissue is leaf in 9 of 12 runs with a stated tissue (75%)'
    """
    wording = WORDINGS[fact.facet]
    return wording.claim.format(value=fact.value, share=stated_share(fact, runs))


def stated_share(fact: FactRow, runs: int) -> str:
    """Return the share of a fact among the runs that state its facet, saying so where others do
    not.
    """
    return share_of(
        fact.runs, fact.known, WORDINGS[fact.facet].stating if fact.known < runs else ""
    )


def with_runs(facts: Iterable[FactRow]) -> str:
    """Return ``facts`` as a list of values with their runs."""
    return listed([f"{fact.value} ({counted(fact.runs, 'run')})" for fact in facts])


def finding(claim: Clause, clauses: Sequence[Clause]) -> Sentences:
    """Return a finding from its claim and the sentences that explain it."""
    cited = tuple(one for clause in [claim, *clauses] for one in clause.citations)
    return Sentences(close(claim), " ".join(map(close, clauses)), cited)


def close(clause: Clause) -> str:
    """Return a clause as a sentence: its reference, if it has one, and a full stop."""
    return (
        f"{clause.text} {format_reference(clause.citations)}."
        if clause.citations
        else f"{clause.text}."
    )


def cite(facts: Iterable[FactRow]) -> list[Citation]:
    """Return a citation for each of ``facts`` that can be cited, at most five."""
    return citable((fact.facet, fact.value) for fact in facts)


def citable(pairs: Iterable[tuple[str, str]]) -> list[Citation]:
    """Return the citations that can be written and read back, at most five."""
    return [one for key, value in pairs if (one := _citation(key, value))][:MAX_PER_REFERENCE]


@lru_cache(maxsize=65_536)
def _citation(key: str, value: str) -> Citation | None:
    return Citation(key, value) if is_citable(key, value) else None


def own(profile: Profile) -> list[Citation]:
    """Return the citation of the community itself, which resolves to all its runs."""
    return [Citation("community", profile.community)]


def _more_frequent(fact: FactRow) -> Clause:
    compared = against_index(fact.lift, fact.q_value)
    return Clause(
        f"Most frequent is {fact.value}, in {counted(fact.runs, 'run')}, {compared}", cite([fact])
    )


def _comes(number: int) -> str:
    return "Next comes" if number == 1 else "Next come"


def _missing(missing: int, profile: Profile, absent: str) -> Clause:
    verb = "is" if missing == 1 else "are"
    return Clause(f"{sentence(share_of(missing, profile.runs))} {verb} {absent}", own(profile))


def _titles(projects: Iterable[FactRow], profile: Profile) -> list[Clause]:
    titled = [fact for fact in projects if fact.value in profile.titles][:2]
    return [
        Clause(f"{fact.value} is titled “{profile.titles[fact.value].rstrip('.')}”", cite([fact]))
        for fact in titled
    ]


def _effect(row: AssociationRow) -> str:
    if row.fold_change is None:
        return "differs in abundance"
    comparison = "as abundant" if row.fold_change >= 0 else "less abundant"
    return f"is {times(2 ** abs(row.fold_change))} {comparison}"
