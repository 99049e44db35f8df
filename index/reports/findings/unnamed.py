"""Unnamed viruses: their runs, their sources, and where they are at home; or what was searched."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from index.claims import ComingFrom, Counted, FoundIn, Holding, NamedNumber, Ranking
from index.claims.phrases import coverage_of, listed
from index.facets import SAMPLED
from index.reports.evidence_rows import SOTU, Carrier, Searched, Support
from index.reports.fact_rows import Value, by_runs
from index.reports.findings.evidence import PATTERN, support_clauses
from index.reports.findings.marks import labelled
from index.reports.findings.own_runs import place_clauses, source_clauses, study_words
from index.reports.findings.sentences import (
    FEW_TO_COMPARE,
    Clause,
    cite,
    listed_name,
    own,
    ranked,
    statement,
)
from index.reports.naming.title_values import labels_of_shared
from index.reports.profiles import MOST_HOMES, SEVERAL_SOURCES, Profile

MOST_SOURCES: Final = 4
LOWER: Final = 5
"""With so many times less coverage than the best source (median; upper tenth), a host may only
carry a virus of another one."""
MANY_METAGENOMES: Final = 0.2
"""Minimum share of its runs of metagenomes for a report to say what they do not show."""
_ON_OTHERS: Final = (
    "one of these organisms may live or feed on the other, so its virus may be found in both",
    "some of these organisms may live or feed on others, so a virus of one may be found in several",
)
"""What may explain a virus in two organisms, or in more, if some are plants or vertebrates."""
MOST_OTHERS: Final = 2
LEAST_BESIDE: Final = 0.2
LEAST_OTHERS: Final = 0.1
"""Minimum shares of the runs with a virus, for an unnamed virus to be mentioned with named ones and
for others to be mentioned with the unnamed virus of a report."""


def unnamed_clauses(profile: Profile) -> list[Clause]:
    """Return the unnamed virus that the runs share, what it was found in, and what else they have.

    Return nothing if it is at home nowhere.
    """
    searched = profile.searched
    if profile.shared_virus is None:
        return []
    virus = (SOTU, profile.shared_virus)
    elsewhere = Counted(
        number=searched.unnamed_everywhere - searched.unnamed_runs,
        noun=("run", "runs"),
        before="and in",
        after="outside this community",
    )
    subject = f"the unnamed virus {virus[1]}"
    runs = _in_positive(subject, searched.unnamed_runs, searched)
    text = f"{runs}{study_words(profile, virus)}"
    found = Clause(f"{text}, {elsewhere.clause()}", own(profile))
    near = f"its source names it after {searched.nearest}, without saying how similar they are"
    after = [Clause(near, own(profile))] if searched.nearest else []
    best = support_clauses(profile, virus)
    places = place_clauses(profile, virus)
    others = other_clauses(profile)
    labels = [labelled(label, "it") for label in labels_of_shared(profile)]
    return [found, *labels, *after, *_source_clauses(profile), *places, *best, *others]


def _source_clauses(profile: Profile) -> list[Clause]:
    """Return the coverage in the most frequent sources and the homes, and what it means."""
    shown = _shown(profile)
    hosts = [source for source in shown if not source.is_environment]
    itself = own(profile)
    rest = max(0, profile.searched.unnamed_runs - sum(source.runs for source in shown))
    support = profile.support.get((SOTU, profile.shared_virus or ""), Support(0))
    unstated = min(rest, max(0, support.runs - support.sourced))
    places = [_source(source) for source in shown]
    if rest > unstated:
        places.append(_other_sources(rest - unstated, shown, support))
    claim = Ranking(
        begin="it is found in",
        places=tuple(places),
        named=len(places),
        unstated=unstated,
        unstated_thing="host or environment",
    )
    clauses = [Clause(claim.clause(), itself)]
    clauses += explaining_clauses(profile)
    is_labelled = bool(labels_of_shared(profile))
    if not hosts and not is_labelled:
        most = "most of its runs are of metagenomes, which" if rest else "metagenomes"
        return [*clauses, Clause(f"{most} do not show which organism has it", itself)]
    alike = [source for source in hosts if source not in _lower(profile)]
    if len({source.of_order for source in alike}) > 1:
        why = "it may belong to a parasite, food or a microbe in the samples, or be contamination"
        why = "cultured cells, carry-over or contamination may explain it" if is_labelled else why
        text = f"such different hosts rarely share a virus: {why}"
        if not is_labelled and len({source.is_large for source in alike}) > 1:
            text = _ON_OTHERS[len(alike) > 2]
        clauses.append(Clause(text, itself))
    elif not is_labelled and _is_of_microbes(shown):
        text = "samples of animals and plants also hold microbes and food, so that the true host"
        clauses.append(Clause(f"{text} is unknown, as for metagenomes", itself))
    elif not (is_labelled or _lower(profile)) and profile.home[:1] == (SEVERAL_SOURCES,):
        text = "so many sources rarely share a virus: a microbe or contamination may explain it"
        clauses.append(Clause(text, itself))
    return clauses


def _is_of_microbes(sources: Sequence[Carrier]) -> bool:
    """Return whether many runs are of metagenomes, and no host has far more of the virus."""
    of_hosts = [source.upper for source in sources if not source.is_environment]
    of_others = [source.upper for source in sources if source.is_environment]
    metagenomes = sum(source.runs for source in sources if source.is_environment)
    many = metagenomes >= MANY_METAGENOMES * sum(source.runs for source in sources)
    return bool(of_others) and many and max(of_hosts, default=0) < LOWER * max(of_others)


def explaining_clauses(profile: Profile) -> list[Clause]:
    """Return the hosts with so little of the unnamed virus that another organism may explain it.

    Return nothing if its libraries say which virus it is.
    """
    lower = [source.value for source in _lower(profile)]
    if not lower:
        return []
    best = profile.sources[0].value
    text = (
        f"coverage in {listed(lower)} is typically at most a fifth of that in {best}, so food, a "
        "parasite or carry-over may explain it there"
    )
    return [Clause(text, own(profile))]


def _lower(profile: Profile) -> list[Carrier]:
    """Return the hosts with far less of the unnamed virus, and none of the runs with most of it."""
    if profile.shared_virus is None or labels_of_shared(profile):
        return []
    best = profile.sources[0]
    examples = profile.support.get((SOTU, profile.shared_virus), Support(0)).examples
    most = [example.source or "" for example in examples]
    return [
        source
        for source in _shown(profile)
        if not source.is_environment
        and LOWER * source.upper <= best.upper
        and LOWER * source.median <= best.median
        and not any(of.startswith(source.value) for of in most)
    ]


def _shown(profile: Profile) -> list[Carrier]:
    """Return the sources with most runs, and those where the virus is at home."""
    ordered = sorted(profile.sources, key=lambda source: -source.runs)
    strong = [source for source in ordered if source.is_strong]
    return list(dict.fromkeys([*ordered[:MOST_SOURCES], *strong[:MOST_HOMES]]))


def _source(source: Carrier) -> NamedNumber:
    """Return a source with its runs and their coverage; with enough runs, also the highest."""
    upper = source.upper if source.runs >= FEW_TO_COMPARE else None
    note = coverage_of(source.median, upper)
    return NamedNumber(name=source.value, number=source.runs, note=note)


def _other_sources(number: int, shown: Sequence[Carrier], support: Support) -> NamedNumber:
    """Return the runs of sources that are not ``shown``, and the most frequent of these."""
    names = tuple(source.value for source in shown)
    others = [(name, runs) for name, runs in support.sources if not name.startswith(names)]
    most = tuple((name, runs) for name, runs in others if number / 2 <= runs <= number)[:1]
    if most and most[0][1] == number:
        return NamedNumber(name=most[0][0], number=number)
    note = ComingFrom(whole=number, most=most).clause()
    return NamedNumber(name="other sources", number=number, note=note)


def _in_positive(subject: str, runs: int, found: Searched) -> str:
    """Return in how many of the runs with a virus an unnamed virus, or a phylum, is found."""
    return FoundIn(
        subject=subject, number=runs, searched=found.positive, known="with a virus"
    ).clause()


def search_clauses(profile: Profile) -> list[Clause]:
    """Return how many of the searched runs have a virus, and the phylum of most viruses."""
    found = profile.searched
    claim = Holding(
        runs=profile.runs,
        searched=found.searched,
        positive=found.positive,
        sources=tuple(found.sources),
    )
    searched = Clause(claim.clause(), own(profile))
    if profile.main_phylum is None:
        return [searched]
    phylum = (SOTU, profile.main_phylum)
    words = _in_positive(f"polymerases of {phylum[1]}", found.phylum_runs, found)
    text = f"{words}{study_words(profile, phylum)}"
    source = "the source gives only the phylum: no family, no identity and no number of viruses"
    said = [Clause(words, own(profile)) for words in (text, source)]
    places = place_clauses(profile, phylum)
    sources = source_clauses(profile, phylum)
    return [*said, *sources, *places, *other_clauses(profile), searched]


def other_clauses(profile: Profile) -> list[Clause]:
    """Return the other viruses that many of the runs have, and their families."""
    found = profile.searched
    least = max(PATTERN, LEAST_OTHERS * found.positive)
    facts = [*by_runs(profile.of("species")), *by_runs(profile.of("family"))]
    others = [fact for fact in facts if fact.runs >= least][:MOST_OTHERS]
    said = [_of_most(listed_name(fact.value), fact.facet_value, fact.runs, profile)
            for fact in others]  # fmt: skip
    unnamed = [(found.unnamed, found.unnamed_runs), (found.next_unnamed, found.next_runs)]
    said += [
        _of_most(f"the unnamed virus {sotu}", (SOTU, sotu), runs, profile)
        for sotu, runs in unnamed
        if sotu not in (None, profile.shared_virus) and runs >= least
    ]
    is_new = found.phylum is not None and profile.main_phylum is None
    if is_new and found.phylum_alone >= least:
        name = _of_phylum(found.phylum)
        said.append(NamedNumber(name=name, number=found.phylum_runs, note=_with_kin(found)))
    text = ranked("the community also has", said)
    clauses = [Clause(text, cite(others) or own(profile))] if said else []
    return [*_largest_source(profile), *clauses]


def _largest_source(profile: Profile) -> list[Clause]:
    """Return the source of most runs, if it has more runs than the unnamed virus and is none of its
    sources.
    """
    facts = by_runs([fact for facet in SAMPLED for fact in profile.of(facet)])[:1]
    known = tuple(source.value for source in profile.sources)
    least = max(PATTERN, profile.searched.unnamed_runs)
    return [
        Clause(statement(fact, profile.runs), cite([fact]))
        for fact in facts
        if profile.shared_virus and fact.runs > least and not fact.value.startswith(known)
    ]


def beside_clauses(profile: Profile) -> list[Clause]:
    """Return the unnamed virus, and the phylum, in many runs of a community whose report names
    other viruses.
    """
    found = profile.searched
    least = max(PATTERN, LEAST_BESIDE * found.positive)
    said = []
    labels = {fact.unnamed for fact in profile.of("virus")}
    rest = by_runs(profile.of("species"))[1:2]
    some = max(PATTERN, LEAST_OTHERS * found.positive, *(fact.runs for fact in rest))
    is_many = found.unnamed_runs >= min(least, some)
    if found.unnamed is not None and found.unnamed not in labels and is_many:
        said.append(_in_positive(f"the unnamed virus {found.unnamed}", found.unnamed_runs, found))
    if found.phylum is not None and found.phylum_alone >= least:
        words = _in_positive(_of_phylum(found.phylum), found.phylum_runs, found)
        said.append("; ".join(filter(None, [words, _with_kin(found)])))
    return [Clause(words, own(profile)) for words in said]


def _of_phylum(phylum: str | None) -> str:
    return f"polymerases that are assigned only to the phylum {phylum}"


def _with_kin(found: Searched) -> str:
    """Return in how many runs a polymerase of a phylum may belong to another virus."""
    both = found.phylum_runs - found.phylum_alone
    may = "they may be of a virus that is found there, too"
    of_these = ("of these runs", "of these runs")
    return Counted(number=both, noun=of_these, before="in", after=may).clause() if both else ""


def _of_most(name: str, virus: Value, runs: int, profile: Profile) -> NamedNumber:
    """Return the runs of a virus, and the source of most of them."""
    sources = profile.support.get(virus, Support(0)).sources[:1]
    most = tuple(source for source in sources if source[1] >= max(PATTERN, runs / 2))
    note = ComingFrom(whole=runs, most=most).clause()
    return NamedNumber(name=name, number=runs, note=note)
