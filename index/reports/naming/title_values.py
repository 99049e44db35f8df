"""Values that a title names: viruses or organisms that represent a community, and their names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from index.facets import SAMPLED
from index.reports.fact_rows import FactRow, Value, by_runs
from index.reports.joints import JOINED
from index.reports.naming.named_values import bare_name, is_like_genus, key, title_name
from index.reports.profiles import Profile
from index.stated import VIRAL, names_no_species

MAJORITY: Final = 0.5
NOTABLE: Final = 0.15
UNRESOLVED: Final = " sp."
"""Ending of a virus that is not a known species; a title names its family."""
NEARLY_ONLY: Final = 0.8
"""Minimum share of the runs that name a virus for a title to name one virus alone."""
NEARLY_ALL: Final = 0.95
"""From this share of the runs on, a title gives a value for all of them."""
LONGEST_PAIR: Final = 9
"""Most words of two names together; of longer names only one is used."""
OF_POSITIVE: Final = 2 / 3
"""Share that a title's host must have of the runs with a virus that state a source."""
CONTEXT: Final = ("tissue", "disease", "geography", "biome")
OTHERS: Final = " and other "
VIRUSES: Final = "viruses"
MOSTLY: Final = "mostly "
MIXTURE: Final = "mixture of "
OF_FAMILY: Final = ": "
"""Between the family of a mixture and its viruses."""
OTHERS_TOO: Final = " and others"
ORGANISMS: Final = "organisms"


def title_viruses(profile: Profile) -> list[FactRow]:
    """Return the viruses that name a community; none if few runs name one.

    They are one or two species, else the genus that most hits are like, else a family, else the
    most frequent species. Viruses that a congener explains name no community.
    """
    species = profile.of("species") if profile.has_viruses("species") else ()
    exact = [fact for fact in species if is_nameable(fact)]
    families = profile.of("family") if profile.has_viruses("family") else ()
    if 2 * profile.known("species") < profile.known("family"):
        exact = []
    genera = _genera(species, families)

    for facts in (exact, genera, families):
        frequent = frequent_values(facts, facts[0].known if facts else 0, profile)
        if frequent:
            others = families if facts is families else [*exact, *filter(is_like_genus, species)]
            return _with_second(frequent, others, profile)
    return by_runs(exact or families or species)[:1]


def is_of_most(fact: FactRow, profile: Profile) -> bool:
    """Return whether more than half of all runs of a community have a value.

    A host, place, disease or group of k-mers of fewer runs does not name the community.
    """
    return fact.runs > MAJORITY * profile.runs


def is_of_positive(facts: Sequence[FactRow], profile: Profile) -> bool:
    """Return whether values of one kind hold for the runs with a virus.

    A host or an environment must hold for two thirds of those that state any, which must be at
    least half; a place, tissue or disease for half of all. It is true if no run has a virus, or if
    that was not counted.
    """
    found = profile.searched
    having = sum(fact.positive or 0 for fact in facts)
    if not found.positive or any(fact.positive is None or fact.facet in VIRAL for fact in facts):
        return True
    if facts[0].facet not in SAMPLED:
        return having > MAJORITY * found.positive
    is_known = found.sourced >= MAJORITY * found.positive
    return is_known and having >= OF_POSITIVE * found.sourced


def is_origin(fact: FactRow) -> bool:
    """Return whether a tissue or disease is the origin of cultured cells in only some of its runs.

    No title can say which.
    """
    return fact.is_of_cells and fact.cultured < fact.runs


def is_detail(fact: FactRow) -> bool:
    """Return whether a virus may be added to a title: no congener outweighs it."""
    return not names_no_species(fact.value) and not fact.is_outweighed


def is_probable(label: FactRow, profile: Profile) -> bool:
    """Return whether many runs have an unnamed virus that is probably the virus of their label."""
    return not label.unnamed_elsewhere and label.unnamed_runs >= NOTABLE * profile.runs


def labels_of_shared(profile: Profile) -> list[FactRow]:
    """Return the labels of libraries that the unnamed virus of a community probably is."""
    shared = profile.shared_virus
    return [fact for fact in profile.of("virus") if fact.unnamed == shared is not None]


def is_nameable(fact: FactRow) -> bool:
    """Return whether a virus may be the subject of a title.

    It must be a known species, not explained by a congener, with a name that does not rest on a
    deposited polymerase alone.
    """
    return is_detail(fact) and not fact.value.endswith(UNRESOLVED) and not fact.is_deposited


def _with_second(
    frequent: list[FactRow], facts: Sequence[FactRow], profile: Profile
) -> list[FactRow]:
    """Return a virus that is not in nearly all runs, with the most frequent other if many have
    that.
    """
    first = frequent[0]
    if len(frequent) > 1 or first.share >= NEARLY_ONLY:
        return frequent
    others = [fact for fact in by_runs(facts) if bare_name(fact) != bare_name(first)]
    notable = [fact for fact in others if fact.runs >= NOTABLE * first.known]
    kin = [fact for fact in notable[:1] if _are_kin(first, fact, profile)]
    fitting = [fact for fact in kin if _are_named_together(first, fact, profile)]

    return sorted([first, *fitting], key=lambda fact: fact.is_reported)


def _are_named_together(first: FactRow, second: FactRow, profile: Profile) -> bool:
    """Return whether a title has room for both viruses.

    If most runs are of one tissue, disease or place, runs must join the second virus to it, too.
    """
    if len(_both_names([first, second]).split()) > LONGEST_PAIR:
        return False
    context = [fact for facet in CONTEXT for fact in profile.of(facet)]
    usual = [fact for fact in context if fact.runs >= MAJORITY * profile.runs]
    enough = JOINED * first.known
    return all(profile.together(key(second), key(fact)) >= enough for fact in usual)


def _both_names(facts: Sequence[FactRow]) -> str:
    return " and ".join(title_name(fact) for fact in facts)


def _genera(species: Sequence[FactRow], families: Sequence[FactRow]) -> list[FactRow]:
    """Return the genus that the viruses of most runs with a family are like, if there is one."""
    known = max((family.known for family in families), default=0)
    return [
        fact
        for fact in species
        if is_like_genus(fact) and fact.runs >= MAJORITY * max(known, fact.known)
    ]


def frequent_values(facts: Sequence[FactRow], runs: int, profile: Profile) -> list[FactRow]:
    """Return the value that half of ``runs`` have, or two values of which half have one."""
    ordered = _distinct(by_runs(facts))[:2]
    notable = [fact for fact in ordered if fact.runs >= NOTABLE * runs]
    if not notable or notable[0].runs >= MAJORITY * runs:
        return notable[:1]

    both = profile.together(key(ordered[0]), key(ordered[1])) if len(ordered) > 1 else 0
    either = sum(fact.runs for fact in notable) - both
    if either < MAJORITY * runs:
        return []
    if len(notable) > 1 and not _are_kin(notable[0], notable[1], profile):
        return notable[:1]
    return notable


def _distinct(facts: Sequence[FactRow]) -> list[FactRow]:
    """Return ``facts`` with each virus once, whether its name is supported or reported."""
    first: dict[Value, FactRow] = {}
    for fact in facts:
        first.setdefault(bare_name(fact), fact)
    return list(first.values())


def _are_kin(one: FactRow, other: FactRow, profile: Profile) -> bool:
    """Return whether a title may name two values together.

    Runs must carry both, or both must be viruses of one family. Values that are only in the same
    community make a list.
    """
    if one.facet in SAMPLED or profile.together(key(one), key(other)) >= JOINED * other.runs:
        return True
    family = profile.family_of.get(one.value)
    return family is not None and family == profile.family_of.get(other.value)


def call_values(facts: Sequence[FactRow], kind: str, profile: Profile) -> str:
    """Return one or two viruses by name, "and others" if many runs with a virus have neither."""
    names = [title_name(fact) for fact in facts]
    if len(_both_names(facts).split()) > LONGEST_PAIR:
        names = names[:1]
    first, last = facts[0], facts[len(names) - 1]
    both = profile.together(key(first), key(last)) if first != last else first.runs
    whole = max(first.known, profile.searched.positive)
    share = (first.runs + last.runs - both) / whole
    if share >= NEARLY_ONLY:
        return " and ".join(names)
    if len(names) > 1:
        words = f"{', '.join(names)}{OTHERS_TOO}"
        return mixed(words, facts, profile) if first.share < MAJORITY else words
    if kind == VIRUSES and share >= MAJORITY:
        return f"{MOSTLY}{names[0]}"
    return f"{names[0].removesuffix(' viruses')}{OTHERS}{kind}"


def mixed(words: str, viruses: Sequence[FactRow], profile: Profile) -> str:
    """Return a title of a mixture: ``words`` after the family that its viruses share, if any."""
    for family in by_runs(profile.of("family"))[:1]:
        is_shared = all(profile.family_of.get(virus.value) == family.value for virus in viruses)
        most = NEARLY_ONLY * max(family.known, profile.searched.positive)
        if is_shared and not family.is_reported and family.runs >= most:
            return f"{family.value}{OF_FAMILY}{words}"
    return f"{MIXTURE}{words}"
