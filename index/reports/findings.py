"""Findings: what marks a community, each as a one-sentence summary and an explanation, with
citations.

A finding adds something that the title, the summary and the findings before it do not say
(``index.reports.redundancy``). What sets the community apart from the rest of its parent comes
first, then how it divides, which viruses keep company, which hosts are unexpected, what sets it
apart from the index, what was tested, what its studies write; what is unknown comes last.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Final, NamedTuple, TypeAlias

from index.facets import REGISTRY
from index.reports.citations import MAX_PER_REFERENCE, CitedValue, format_reference, is_citable
from index.reports.contrast import contrast_size, is_contrast, is_expected, is_within
from index.reports.naming import REPORTED
from index.reports.phrases import (
    against_index,
    counted,
    factor,
    listed,
    percent,
    q_text,
    sentence,
    share_of,
    times,
)
from index.reports.profiles import AssociationRow, Company, FactRow, Profile, by_runs
from index.reports.redundancy import NOTHING_SAID, Said
from index.tables import COVERAGE_BASED

MAX_FINDINGS: Final = 8
Labels: TypeAlias = Mapping[str, str]
"""Two-word label of every community, by which a parent speaks of its children."""


class Clause(NamedTuple):
    """One sentence without its full stop, and what it cites."""

    text: str
    citations: Sequence[CitedValue] = ()


class Sentences(NamedTuple):
    """A finding: its summary, its explanation and what both cite."""

    summary: str
    explanation: str
    citations: tuple[CitedValue, ...]


WORDINGS: Final = {facet.name: facet.wording for facet in REGISTRY if facet.wording is not None}

_VIRAL: Final = ("species", "family")
SELDOM: Final = 0.05
"""A facet that a smaller share of the runs states says little about the community."""
FEW_STATED: Final = 10
"""Runs that state a facet from which it is worth a finding, however few of the runs they are."""
FEW_RUNS: Final = 5
"""Runs below which a community is single samples, and silence is no finding."""
SILENT: Final = 0.5
"""Share of runs without a statement from which the silence is reported."""
_UNKNOWN: Final = {
    "species": "a named virus",
    "host": "a stated host",
    "geography": "a stated place of origin",
}
"""Facets whose silence matters, and what the runs are without."""
SHOWN_CHILDREN: Final = 5
_MOST_CONTRASTS: Final = 4
_MOST_COMPANY: Final = 2


class Candidate(NamedTuple):
    """A finding that may be written, and the fact it states, if it states a single one."""

    written: Sentences
    fact: FactRow | None = None


def write_findings(
    profile: Profile, labels: Labels, said: Said = NOTHING_SAID, *, most: int = MAX_FINDINGS
) -> list[Sentences]:
    """Return the findings of a community, the most telling first: at most ``most``, at least one.

    ``said`` is what its title and its summary say. The first accessions are listed where there is
    nothing to add.
    """
    found: list[Sentences] = []
    for candidate in _candidates(profile, labels):
        if candidate.fact is not None and said.implies(candidate.fact, profile):
            continue
        found.append(candidate.written)
        if candidate.fact is not None:
            said = said.with_values([(candidate.fact.facet, candidate.fact.value)])
    silence = silence_findings(profile)
    kept = [*found[: most - len(silence)], *silence]
    return kept or example_findings(profile)


def _candidates(profile: Profile, labels: Labels) -> Iterator[Candidate]:
    """Yield what may be said, the most telling first."""
    leads = [values[0] for facet in WORDINGS if (values := profile.salient(facet))]
    facts = [lead for lead in leads if _is_stated(lead, profile) and not is_expected(lead)]
    contrasts = filter(is_contrast, facts)
    ordered = sorted(contrasts, key=lambda fact: -round(contrast_size(fact, profile.runs), 6))
    leading = ordered[:_MOST_CONTRASTS]
    sound = [row for row in profile.associations if row.flag is None]
    flagged = [row for row in profile.associations if row.flag is not None]
    yield from map(Candidate, division_findings(profile, labels))
    yield from (Candidate(facet_finding(profile, fact), fact) for fact in leading)
    yield from (Candidate(company_finding(pair)) for pair in profile.company[:_MOST_COMPANY])
    yield from map(Candidate, caveat_findings(profile))
    yield from (Candidate(association_finding(row)) for row in sound)
    yield from (
        Candidate(facet_finding(profile, fact), fact) for fact in facts if fact not in leading
    )
    yield from map(Candidate, theme_findings(profile))
    yield from (Candidate(association_finding(row)) for row in flagged)
    projects = by_runs(profile.of("bioproject"))[:1]
    yield from (Candidate(one, projects[0]) for one in study_findings(profile))


def _is_stated(fact: FactRow, profile: Profile) -> bool:
    return fact.known >= min(FEW_STATED, SELDOM * profile.runs) and fact.known > 1


def facet_finding(profile: Profile, lead: FactRow) -> Sentences:
    """Return the finding of a fact: how it compares with the rest of the parent and with the index,
    and what comes next.
    """
    rest = [fact for fact in profile.salient(lead.facet) if fact != lead]
    following = by_runs(rest)[:3]
    clauses = [Clause(f"That is {against_index(lead.lift, lead.q_value)}", cite([lead]))]
    if following and following[0].runs > lead.runs:
        clauses.append(_more_frequent(following.pop(0)))
    if following:
        clauses.append(Clause(f"{_comes(len(following))} {with_runs(following)}", cite(following)))
    claim = f"{statement(lead, profile.runs)}{against_rest(lead)}"
    return finding(Clause(claim, cite([lead])), clauses)


def against_rest(fact: FactRow) -> str:
    """Return the share of a fact in the rest of the parent; "" where it is the same or unknown.

    >>> against_rest(FactRow("tissue", "leaf", None, 9, 10, 3.0, 0.001, 12, 50))
    ', against 3 of 40 (8%) in the rest of its parent'
    """
    if not is_contrast(fact):
        return ""
    if not fact.rest_runs:
        return f", against none of {fact.rest_known:,} in the rest of its parent"
    share = percent(fact.rest_runs / fact.rest_known)
    held = f"{fact.rest_runs:,} of {fact.rest_known:,} ({share})"
    return f", against {held} in the rest of its parent"


def company_finding(pair: Company) -> Sentences:
    """Return the finding of two viruses that are found together more often than chance would have
    it.
    """
    both = citable([("species", pair.first), ("species", pair.second)])
    held = share_of(pair.together, pair.known, WORDINGS["species"].stating)
    claim = f"{pair.first} and {pair.second} are found together in {held}"
    chance = (
        f"Chance would have them together in about {factor(pair.expected)} ({q_text(pair.q_value)})"
    )
    return finding(Clause(claim, both), [Clause(chance, both)])


def caveat_findings(profile: Profile) -> list[Sentences]:
    """Return the virus and host pairs that need a caveat, one finding for each kind."""
    found = []
    for kind, (claim, caveat) in _CAVEATS.items():
        pairs = [pair for pair in profile.pairings if pair.plausibility == kind][:3]
        if pairs:
            named = listed(
                [f"{one.virus} in {one.host} ({counted(one.runs, 'run')})" for one in pairs]
            )
            cited = citable(
                dict.fromkeys(
                    value for one in pairs for value in (("species", one.virus), ("host", one.host))
                )
            )
            found.append(finding(Clause(f"{claim}: {named}", cited), [Clause(caveat, cited)]))
    return found


_CAVEATS: Final = {
    "unexpected": (
        "Not expected from recorded hosts",
        "That is possibly contamination or a new host",
    ),
    "new within class": (
        "Not recorded before, but recorded in related hosts",
        "That may be a new host",
    ),
    "resident": (
        "Known to live in the cells sequenced",
        "That says nothing about an infection of the host",
    ),
}
"""Plausibility of a pair: how it is introduced, and what to be careful about."""


def silence_findings(profile: Profile) -> list[Sentences]:
    """Return what most runs do not state and matters, once; nothing where the parent is as silent."""
    silent = [
        f"{share_of(profile.runs - profile.known(facet), profile.runs)} {_are(profile, facet)}"
        f" without {what}"
        for facet, what in _UNKNOWN.items()
        if is_silent(profile, facet)
    ]
    if not silent:
        return []
    claim = sentence(listed(silent))
    clauses = [Clause("What is not stated is unknown, not absent", own(profile))]
    return [finding(Clause(claim, own(profile)), clauses)]


def is_silent(profile: Profile, facet: str) -> bool:
    """Return whether most runs do not state the facet, in another share than in the parent.

    Titles say it of viruses that few runs name, and a handful of runs needs no such warning.
    """
    missing = profile.runs - profile.known(facet)
    if profile.runs < FEW_RUNS or missing < SILENT * profile.runs:
        return False
    if facet == "species" and not any(map(profile.has_viruses, _VIRAL)):
        return False
    if facet == "host" and profile.known("environment") + profile.known("virus") > missing / 2:
        return False
    before = profile.parent_silence.get(facet)
    return before is None or not is_within(before, missing, profile.runs)


def _are(profile: Profile, facet: str) -> str:
    return "is" if profile.runs - profile.known(facet) == 1 else "are"


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
    """Return how a parent divides and what its children share, where it has at least two."""
    if len(profile.children) < 2:
        return []
    clauses = [
        Clause(f"In each of them most runs share {fact.value}", cite([fact]))
        for fact in profile.shared[:1]
    ]
    if not clauses:
        held = share_of(profile.children[0][1], profile.runs)
        clauses.append(Clause(f"The largest holds {held}", own(profile)))
    smaller = profile.children[SHOWN_CHILDREN:]
    if smaller:
        held = share_of(sum(runs for _, runs in smaller), profile.runs)
        others = "The other holds" if len(smaller) == 1 else "The others hold"
        clauses.append(Clause(f"{others} {held}", own(profile)))
    return [finding(division_clause(profile, labels), clauses)]


def division_clause(profile: Profile, labels: Labels) -> Clause:
    """Return the one sentence that names the largest children of a parent with their shares."""
    largest = profile.children[:SHOWN_CHILDREN]
    names = listed(
        [
            f"{labels.get(name, name)} ({counted(runs, 'run')}, {percent(runs / profile.runs)})"
            for name, runs in largest
        ]
    )
    some = "the largest being" if len(profile.children) > len(largest) else "namely"
    parts = counted(len(profile.children), "community", "communities")
    return Clause(
        f"It divides into {parts}, {some} {names}",
        citable([("community", name) for name, _ in largest]),
    )


def theme_findings(profile: Profile) -> list[Sentences]:
    """Return what its studies write about, where at least two of them share the words, or what its
    only study writes about.
    """
    if profile.only_study and profile.themes:
        words = listed([f"“{theme.term}”" for theme in profile.themes[:3]])
        written = Clause(f"Its only study, {profile.only_study}, writes of {words}", own(profile))
        caveat = Clause("These are words of its authors, not counts of runs", own(profile))
        return [finding(written, [caveat])]
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
    """Return whose runs they are: the largest of several bioprojects, its title, and the next ones."""
    projects = by_runs(profile.of("bioproject"))
    if len(projects) < 2 or not _is_stated(projects[0], profile) or is_expected(projects[0]):
        return []
    lead, following = projects[0], projects[1:4]
    stating = "" if lead.known == profile.runs else "with a bioproject"
    number = counted(profile.bioprojects, "bioproject")
    claim = f"{lead.value} holds {share_of(lead.runs, lead.known, stating)}, of {number}"
    clauses = _titles([lead], profile)
    clauses.append(Clause(f"{_comes(len(following))} {with_runs(following)}", cite(following)))
    return [finding(Clause(claim, cite([lead])), clauses)]


def example_findings(profile: Profile) -> list[Sentences]:
    """Return the first accessions of a community, for those of which nothing else is to be said."""
    runs = citable([("runId", run) for run in profile.example_runs]) or own(profile)
    named = f"Its {counted(profile.runs, 'run')} include {listed(profile.example_runs)}"
    held = (
        f"{counted(profile.biosamples, 'biosample')}"
        if profile.biosamples
        else "biosamples that are not stated"
    )
    return [finding(Clause(named, runs), [Clause(f"They come from {held}", own(profile))])]


def statement(fact: FactRow, runs: int) -> str:
    """Return what is counted, with its share; ``runs`` is the size of the community.

    >>> statement(FactRow("tissue", "leaf", None, 9, 12, 3.0, 0.001), 40)
    'The tissue is leaf in 9 of 12 runs with a stated tissue (75%)'
    """
    wording = WORDINGS[fact.facet]
    value = f"What is {fact.value}" if fact.value.startswith(REPORTED) else fact.value
    return wording.claim.format(value=value, share=stated_share(fact, runs))


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


def cite(facts: Iterable[FactRow]) -> list[CitedValue]:
    """Return a citation for each of ``facts`` that can be cited, at most five."""
    return citable((fact.facet, fact.value) for fact in facts)


def citable(pairs: Iterable[tuple[str, str]]) -> list[CitedValue]:
    """Return the citations that can be written and read back, at most five."""
    return [one for key, value in pairs if (one := _citation(key, value))][:MAX_PER_REFERENCE]


@lru_cache(maxsize=65_536)
def _citation(key: str, value: str) -> CitedValue | None:
    return CitedValue(key, value) if is_citable(key, value) else None


def own(profile: Profile) -> list[CitedValue]:
    """Return the citation of the community itself, which resolves to all its runs."""
    return [CitedValue("community", profile.community)]


def _more_frequent(fact: FactRow) -> Clause:
    compared = against_index(fact.lift, fact.q_value)
    return Clause(
        f"Most frequent is {fact.value}, in {counted(fact.runs, 'run')}, {compared}", cite([fact])
    )


def _comes(number: int) -> str:
    return "Next comes" if number == 1 else "Next come"


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
