"""Subjects of titles: the viruses of a community and what they were found in.

A subject has two values only if at least a fifth of the runs that name a virus carry both. Without
a virus, it is what was sequenced, or else where the runs come from.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from index.claims.phrases import listed, sentence
from index.facets import SAMPLED
from index.reports.clades import COMMON_NAMES
from index.reports.evidence_rows import WHOLE, Provenance
from index.reports.fact_rows import FactRow, by_runs
from index.reports.joints import JOINED
from index.reports.naming.found_in import (
    homes_in_words,
    is_found,
    is_found_in,
    is_unexpected,
    organism_with,
    organisms_of,
)
from index.reports.naming.named_values import (
    bare_name,
    key,
    plural,
    title_name,
)
from index.reports.naming.title_values import (
    LONGEST_PAIR,
    MAJORITY,
    MIXTURE,
    MOSTLY,
    NEARLY_ALL,
    NEARLY_ONLY,
    NOTABLE,
    OF_FAMILY,
    OF_POSITIVE,
    ORGANISMS,
    OTHERS,
    OTHERS_TOO,
    VIRUSES,
    call_values,
    is_nameable,
    is_of_most,
    is_of_positive,
    is_origin,
    is_probable,
    labels_of_shared,
    mixed,
    title_viruses,
)
from index.reports.profiles import Profile
from index.stated import VIRAL
from index.store.run_pairs import sequenced_from

LEAST_HABITAT: Final = 0.1
MOST_HABITATS: Final = 3
"""Minimum share of the metagenomes for a kind to be named, and most kinds in a title."""
FEW: Final = 0.2
"""Below this share of the searched runs, the runs with a virus are few."""
NOT_SEARCHED: Final = ", not searched for viruses"
FEW_SEARCHED: Final = ", few searched for viruses"
FEW_SEARCHED_TOPIC: Final = "Few-searched"
NONE_FOUND: Final = ", no virus found"
FEW_FOUND: Final = ", few viruses found"
MOST_WITHOUT: Final = ", most without a virus"
FEW_VIRUSES: Final = "Few-viruses"
UNNAMED: Final = "Unnamed viruses in "
SHARED_UNNAMED: Final = "Unnamed virus {}"
MANY_ORGANISMS: Final = f"many {ORGANISMS}"
MOSTLY_UNNAMED: Final = "Mostly unnamed viruses in "
DOUBTFUL: Final = "Doubtful viruses in "
OTHERS_BESIDE: Final = ", with other viruses"
MUCH_BESIDE: Final = 0.4
"""Share of the runs from which on a title says that they have another unnamed virus."""
OF_LABORATORY: Final = ", largely laboratory material"

PROBABLE: Final = "probable "
"""Before a virus that libraries are labelled with and an unnamed virus probably is."""


class Subject(NamedTuple):
    """The subject of a title: its words, the values it joins, the whole that the runs are a share
    of, and what follows the details.

    ``organism`` is what was sequenced, if the words name an organism other than the host; ``topic``
    is what a label says about viruses that the words do not name.
    """

    words: str
    values: tuple[FactRow, ...]
    runs: int
    ending: str = ""
    organism: str | None = None
    topic: str = ""


def title_subject(profile: Profile) -> Subject:
    """Return what the title of a community is about: its viruses and what they were found in.

    Without viruses it is what was sequenced, or else where the runs come from.
    """
    viruses = title_viruses(profile)
    if viruses and viruses[0].known >= MAJORITY * profile.runs:
        subject = _with_probable(_virus_subject(viruses, profile), profile)
        is_mixture = subject.words.lower().startswith(MIXTURE) or OF_FAMILY in subject.words
        of = [WHOLE] if is_mixture else [key(virus) for virus in viruses]
        origins = [profile.origins.get(value, Provenance()) for value in of]
        most = max(origin.laboratory for origin in origins) >= MAJORITY * profile.searched.positive
        is_made = most and all(origin.is_laboratory for origin in origins)
        unnamed = f", with unnamed virus {profile.searched.unnamed}"
        ending = f"{unnamed * _is_outnumbered(viruses, profile)}{OF_LABORATORY * is_made}"
        return subject._replace(ending=f"{subject.ending}{ending}")

    facts = [fact for facet in SAMPLED for fact in profile.of(facet) if is_found(fact, profile)]
    sampled = _sampled(by_runs(facts), profile)
    if sampled:
        apart = profile.organism_of(sampled[0]) if sampled[0].facet == "host" else None
        organism = None if apart is None else apart.organism
        words = " and ".join(plural(_as_sequenced(fact, profile)) for fact in sampled)
        if len(sampled) == 1:
            words = _called_organism(sampled[0], profile)
        runs = sum(fact.runs for fact in sampled)
        return _without_viruses(Subject(words, sampled, runs, organism=organism), profile)
    habitats = _habitats(profile)
    if habitats:
        return _without_viruses(Subject(habitats, (), profile.runs), profile)
    context = [
        fact
        for facet in ("tissue", "disease", "biome", "geography")
        for fact in by_runs(profile.of(facet))[:1]
        if is_of_most(fact, profile) and not is_origin(fact) and is_of_positive([fact], profile)
    ]
    if context:
        origin = "from" if context[0].facet == "geography" else "of"
        is_adjective = context[0].facet == "biome"
        value = title_name(context[0])
        words = f"{value} samples" if is_adjective else f"runs {origin} {value}"
        return _without_viruses(Subject(words, (context[0],), context[0].runs), profile)
    return _without_viruses(Subject(_uncommon(facts, profile), (), profile.runs), profile)


def _is_outnumbered(viruses: Sequence[FactRow], profile: Profile) -> bool:
    """Return whether an unnamed virus is in more runs than each virus of the title."""
    labels = {fact.unnamed for fact in profile.of("virus")}
    found = profile.searched
    most = max(virus.runs for virus in viruses)
    return found.unnamed is not None and found.unnamed not in labels and found.unnamed_runs > most


def _sampled(facts: Sequence[FactRow], profile: Profile) -> tuple[FactRow, ...]:
    """Return what most runs were taken from, if that holds for most runs with a virus, too.

    Otherwise return it with the source of most other runs with a virus, if the two cover them.
    """
    for first in [fact for fact in facts if is_of_most(fact, profile)][:1]:
        is_clade = OTHERS in _called_organism(first, profile)
        if is_of_positive([first], profile) or is_clade:
            return (first,)
        seconds = [fact for fact in facts if fact != first and fact.facet != "virus"]
        for second in sorted(seconds, key=lambda fact: (-(fact.positive or 0), fact.value))[:1]:
            is_notable = second.runs >= NOTABLE * profile.runs
            if is_notable and is_of_positive([first, second], profile):
                return first, second
    return ()


def _habitats(profile: Profile) -> str:
    """Return the metagenomes if most runs are such, the largest kinds by name; "" if few are."""
    kinds = by_runs(profile.of("environment"))
    if profile.known("environment") < OF_POSITIVE * profile.runs:
        return ""
    large = [fact for fact in kinds if fact.runs >= LEAST_HABITAT * fact.known][:MOST_HABITATS]
    names = [fact.value.removesuffix(" metagenome") for fact in large]
    if sum(fact.runs for fact in large) < OF_POSITIVE * profile.known("environment"):
        names = [*names[:2], "other"]
    return f"{listed(names)} metagenomes" if large else ""


def _with_probable(subject: Subject, profile: Profile) -> Subject:
    """Return the subject with the virus that an unnamed virus of many runs probably is.

    It is added if the subject does not name it, as one of its viruses if it is in more runs than
    these.
    """
    for label in by_runs(profile.of("virus"))[:1]:
        if not is_probable(label, profile) or label.value.lower() in subject.words.lower():
            continue
        probable = f"{PROBABLE}{label.value}"
        named = [fact for fact in subject.values if fact.facet in VIRAL]
        if label.unnamed_runs > max(fact.runs for fact in subject.values):
            both = sum(profile.together(key(label), key(fact)) for fact in named)
            runs = label.unnamed_runs + sum(fact.runs for fact in named) - both
            return subject._replace(words=_beside(probable, subject.words, runs, profile))
        return subject._replace(ending=f", with {probable}")
    return subject


def _beside(virus: str, words: str, runs: int, profile: Profile) -> str:
    """Return a probable virus with those of a title; ``runs`` have any of them.

    It comes last: otherwise "probable" would seem to apply to all.
    """
    family, _, of_family = words.rpartition(OF_FAMILY)
    is_kin = bool(family) and profile.family_of.get(virus.removeprefix(PROBABLE)) == family
    mixture = f"{family}{OF_FAMILY}" if is_kin else MIXTURE
    named = of_family.removeprefix(sentence(MIXTURE))
    others = named.removesuffix(OTHERS_TOO).replace(" and ", ", ")
    if runs >= NEARLY_ONLY * profile.searched.positive:
        return sentence(f"{others} and {virus}")
    return sentence(f"{mixture}{others}, {virus}{OTHERS_TOO}")


def _without_viruses(subject: Subject, profile: Profile) -> Subject:
    """Return the subject with what is known about the viruses that it does not name."""
    searched = profile.searched
    if not searched.searched:
        ending, topic = NOT_SEARCHED, "Not-searched"
    elif searched.searched < MAJORITY * profile.runs:
        ending, topic = FEW_SEARCHED, FEW_SEARCHED_TOPIC
    elif not searched.positive:
        ending, topic = NONE_FOUND, "No-virus"
    elif searched.positive < MAJORITY * searched.searched:
        is_few = searched.positive < FEW * searched.searched
        ending, topic = FEW_FOUND if is_few else MOST_WITHOUT, FEW_VIRUSES
    else:
        if any(fact.facet == "virus" for fact in subject.values):
            return subject._replace(words=sentence(subject.words))
        unnamed = MOSTLY_UNNAMED if profile.known("species") else UNNAMED
        if profile.main_phylum is not None:
            unnamed = f"{profile.main_phylum} in "
        if any(2 * fact.runs >= searched.positive for fact in profile.faint):
            unnamed = DOUBTFUL
        if profile.shared_virus is not None:
            return _shared_unnamed(profile)
        return subject._replace(words=f"{unnamed}{subject.words}", topic="Unnamed-viruses")
    return subject._replace(words=sentence(subject.words), ending=ending, topic=topic)


def _shared_unnamed(profile: Profile) -> Subject:
    """Return the subject of a community whose runs share an unnamed virus.

    It says how the libraries with it are labelled, what it was found in, and whether other runs
    have other viruses.
    """
    found = profile.searched
    virus = SHARED_UNNAMED.format(found.unnamed)
    for label in labels_of_shared(profile)[:1]:
        virus = f"Probable {label.value}"
    words = f"{virus} in {homes_in_words(profile.home)}"
    if MAJORITY * found.positive < found.unnamed_runs < NEARLY_ONLY * found.positive:
        words = sentence(f"{MOSTLY}{words[0].lower()}{words[1:]}")
    is_beside = found.next_runs >= MUCH_BESIDE * found.positive
    ending = OTHERS_BESIDE * (is_beside or found.unnamed_runs <= MAJORITY * found.positive)
    facts = [fact for facet in SAMPLED for fact in profile.of(facet)]
    values = tuple(fact for fact in facts if fact.value in profile.home)
    return Subject(words, values, found.positive, ending, topic="Unnamed-viruses")


def _uncommon(organisms: Sequence[FactRow], profile: Profile) -> str:
    """Return a name for runs that share nothing: by their study, or as runs of many organisms."""
    if profile.only_study is not None:
        return f"runs of study {profile.only_study}"
    clade = _clade_of_most(profile)
    if clade:
        return clade
    if any(organism.known >= MAJORITY * profile.runs for organism in organisms):
        return MANY_ORGANISMS
    return "runs with little metadata"


def _called_organism(fact: FactRow, profile: Profile) -> str:
    """Return an organism by name, with the clade of hosts if it leaves out some of their runs."""
    called = plural(_as_sequenced(fact, profile))
    stated = max(profile.known(facet) for facet in SAMPLED)
    clade = _clade_of_most(profile)
    is_nearly_all = fact.runs >= NEARLY_ONLY * stated
    if fact.facet != "host" or is_nearly_all or clade not in COMMON_NAMES.values():
        return called
    return f"{fact.value}{OTHERS}{clade}"


def _clade_of_most(profile: Profile) -> str:
    """Return the clade that the hosts of most runs belong to; "" where there is none."""
    clade = profile.clade
    if clade is None or clade.runs <= MAJORITY * profile.runs:
        return ""
    return clade.name


def _as_sequenced(fact: FactRow, profile: Profile) -> FactRow:
    """Return a host, named by what was sequenced in most of its runs; other facts unchanged."""
    apart = profile.organism_of(fact) if fact.facet == "host" else None
    if apart is None:
        return fact
    return fact._replace(value=sequenced_from(apart.host, apart.organism))


def _virus_subject(viruses: list[FactRow], profile: Profile) -> Subject:
    """Return viruses with what they were found in, where enough runs carry both."""
    found = organisms_of(viruses[0], profile)
    if not found:
        words, named = _called_viruses(viruses, profile)
        clade = _clade_with(viruses[0], profile)
        if clade:
            words = f"{words} in {clade}"
        return Subject(sentence(words), tuple(named), viruses[0].known)

    host = found[0]
    joint = [virus for virus in viruses if is_found_in(virus, host, profile)]
    if host.facet == "virus":
        return _libraries(host, joint, profile)

    expected = [virus for virus in joint if not is_unexpected(virus, host, profile)]
    words, both = _called_viruses(expected, profile, host)
    organism = organism_with(both[0], host, profile)
    found_in = plural(host) if organism is None else sequenced_from(host.value, organism)
    values = (*both, host)
    words = sentence(words)
    return Subject(f"{words} in {found_in}", values, both[0].known, organism=organism)


def _called_viruses(
    viruses: Sequence[FactRow], profile: Profile, host: FactRow | None = None
) -> tuple[str, list[FactRow]]:
    """Return viruses by name, and those named.

    If the first is in fewer than half of the runs, the next that is in the ``host`` is added.
    """
    others = _others(viruses, profile, host)
    first = viruses[0]
    called = call_values(viruses, others, profile)
    is_family = first.facet == "family" and first.share < NEARLY_ONLY
    if others != VIRUSES or len(viruses) > 1 or (first.share >= MAJORITY and not is_family):
        return called, list(viruses)
    rest = [
        virus for virus in by_runs(profile.of("species")) if bare_name(virus) != bare_name(first)
    ]
    rest = [virus for virus in rest if profile.family_of.get(virus.value) != first.value]
    named = [virus for virus in rest if is_nameable(virus) and virus.runs >= NOTABLE * first.known]
    fitting = [virus for virus in named if host is None or is_found_in(virus, host, profile)]
    for second in fitting[:1]:
        words = f"{title_name(first)}, {title_name(second)}{OTHERS_TOO}"
        if len(words.split()) <= LONGEST_PAIR:
            return mixed(words, [first, second], profile), [first, second]
    return called if is_family else mixed(called, viruses, profile), list(viruses)


def _clade_with(virus: FactRow, profile: Profile) -> str:
    """Return the clade of the hosts if at least half of the runs of a virus must be of it.

    The runs must be so many that this holds even if all other runs are of the clade. Return "" if
    that is not known.
    """
    clade = profile.clade
    if clade is None or not _clade_of_most(profile):
        return ""
    least = virus.runs + clade.runs - profile.runs
    if least < MAJORITY * virus.runs:
        return ""
    hosts = by_runs(profile.of("host"))[:2]
    are_all = sum(host.runs for host in hosts) >= NEARLY_ALL * hosts[0].known
    return " and ".join(plural(host) for host in hosts) if are_all else clade.name


def _libraries(library: FactRow, viruses: list[FactRow], profile: Profile) -> Subject:
    """Return libraries of a virus that was found in them."""
    called = call_values(viruses, _others(viruses, profile, library), profile)
    is_plain = called == title_name(viruses[0])
    words = f"{called} libraries" if is_plain else f"libraries of {called}"
    return Subject(sentence(words), (*viruses, library), viruses[0].known)


def _others(viruses: Sequence[FactRow], profile: Profile, host: FactRow | None = None) -> str:
    """Return the word for the other viruses of a title: those of its family, or viruses.

    It is the family if nearly all runs that name a virus have one of the family, and enough of them
    are of the host.
    """
    virus = viruses[0]
    for family in by_runs(profile.of("family"))[:1]:
        is_sure = not family.is_reported
        in_family = profile.family_of.get(virus.value) == family.value
        nearly_all = family.runs >= NEARLY_ALL * max(virus.known, family.known)
        in_host = host is None or (
            profile.together(key(family), key(host)) >= JOINED * family.known
        )
        if virus.facet == "species" and in_family and nearly_all and in_host and is_sure:
            return family.value
    return VIRUSES
