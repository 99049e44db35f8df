"""Titles of communities.

A title names what the runs join, in everyday order: the virus, what it was found in, then one or
two details; at most ``MAX_WORDS`` words. Two values stand in one title only where at least a fifth
of the runs that name a virus (without a virus, of the runs that state the first value) carry both.

Titles are given out from the coarsest level down and from the largest community to the smallest. A
community whose title is taken adds the next true fact: those that set it apart from its parent
first, then the tissue or disease that its only study writes of, then the accession of that
study or of the bioproject of most of its runs, and last how many runs of how many studies it holds.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import count
from typing import Final, NamedTuple

from index.facets import SAMPLED
from index.reports.joints import JOINED
from index.reports.phrases import counted, sentence
from index.reports.profiles import FactRow, Profile, Value, by_runs

MAJORITY: Final = 0.5
NOTABLE: Final = 0.15
NEARLY_ALL: Final = 0.95
"""Share of runs from which a title says a value of all of them."""
UNRESOLVED: Final = ("-like", " sp.")
"""Endings of a virus that is no known species; a title names its family."""
NEARLY_ONLY: Final = 0.8
"""Share of the runs that name a virus below which the virus of a title has others beside it."""
MAX_WORDS: Final = 12
LONGEST_PAIR: Final = 8
"""Words of two names; two longer ones are not both named."""
MAX_DETAILS: Final = 3
REPORTED: Final = "reported as "
"""Before a species whose identity to the reference is not known."""
AS_REPORTED: Final = " (as reported)"
"""Behind its name in a title."""

UNEXPECTED: Final = " (unexpected)"
"""Behind a host that no virus of the title is expected in."""
FEW_NAMED: Final = ", few with a named virus"
NONE_NAMED: Final = ", none with a named virus"
VIRUSES: Final = "viruses"
VIRAL: Final = ("species", "family")
_CONTEXT: Final = ("tissue", "disease", "geography", "biome")
_DETAILED: Final = ("tissue", "disease", "geography", "biome", "species", "environment", "host")
_WORD_END: Final = re.compile(r"\w$")
_WORD_START: Final = re.compile(r"[\w-]")


class Subject(NamedTuple):
    """What a title is about: its words, the values it joins, the runs these are a share of, and
    what is said behind the details.
    """

    words: str
    values: tuple[FactRow, ...]
    runs: int
    ending: str = ""


def distinct_names(
    profiles: Iterable[Profile], propose: Callable[[Profile], Iterator[str]]
) -> dict[str, str]:
    """Return one name per community: the first proposal that is still free, case apart; where none
    is, the last with a number.
    """
    taken: set[str] = set()
    names: dict[str, str] = {}
    for profile in profiles:
        proposed = propose(profile)
        name = next(one for one in _numbered(proposed) if one.lower() not in taken)
        taken.add(name.lower())
        names[profile.community] = name
    return names


def _numbered(proposed: Iterator[str]) -> Iterator[str]:
    """Yield each of ``proposed``, then the last of them with numbers from 2, without end."""
    name = ""
    for name in proposed:
        yield name
    for number in count(2):
        yield f"{name} ({number})"


def propose_titles(profile: Profile) -> Iterator[str]:
    """Yield titles, the plainest first: the subject with what most runs share, then with one, two
    and three further facts.
    """
    subject = title_subject(profile)
    details = title_details(profile, subject)
    usual = [fact for fact in details if _is_usual(fact, profile)][:2]
    title = _with_details(subject, usual)
    yield title
    others = [fact for fact in details if fact not in usual]
    rarer = [_with_details(subject, [*usual, fact]) for fact in others]
    yield from (longer for longer in rarer if longer != title)
    for length in range(2, MAX_DETAILS + 1):
        yield _with_details(subject, [*usual, *others[:length]])
    words = title.removesuffix(subject.ending)
    study = profile.only_study
    if study is not None:
        themes = [
            theme for theme in profile.themes if theme.known and theme.term not in words.lower()
        ]
        themed = (f"{words}, “{theme.term}”{subject.ending}" for theme in themes[:2])
        yield from (longer for longer in themed if len(longer.split()) <= MAX_WORDS)
    if study is not None and study not in title:
        yield f"{words}, study {study}{subject.ending}"
    largest = largest_bioproject(profile)
    if study is None and largest is not None:
        yield f"{words}, mostly {largest}{subject.ending}"
    yield f"{words}, {_size(profile)}{subject.ending}"


def largest_bioproject(profile: Profile) -> str | None:
    """Return the bioproject of most runs of a community; None where none holds most."""
    ordered = by_runs(profile.of("bioproject"))[:1]
    most = [fact.value for fact in ordered if fact.runs >= MAJORITY * profile.runs]
    return most[0] if most else None


def _size(profile: Profile) -> str:
    """Return how many runs, and of how many studies where they state more than one."""
    runs = counted(profile.runs, "run")
    studies = profile.studies.studies
    return f"{runs} of {counted(studies, 'study', 'studies')}" if studies > 1 else runs


def title_subject(profile: Profile) -> Subject:
    """Return what the title of a community is about: its viruses and what they were found in, or
    without viruses what was sequenced, or else where the runs come from.
    """
    viruses = _title_viruses(profile)
    if viruses:
        return _virus_subject(viruses, profile)
    ending = _without_viruses(profile)
    facts = [fact for facet in SAMPLED for fact in profile.of(facet)]
    common = [fact for fact in facts if _is_common(fact, profile)]
    sampled = _frequent(common, profile.runs, profile)
    if not sampled:
        sampled = by_runs(common)[:1]
    if sampled:
        words = sentence(_called(sampled, "organisms"))
        return Subject(words, tuple(sampled), sampled[0].runs, ending)
    context = [
        fact
        for facet in ("tissue", "disease", "biome", "geography")
        for fact in by_runs(profile.of(facet))[:1]
        if _is_common(fact, profile)
    ]
    if context:
        origin = "from" if context[0].facet == "geography" else "of"
        words = f"Runs {origin} {context[0].value}"
        return Subject(words, (context[0],), context[0].runs, ending)
    study = profile.only_study
    named = "Runs with little metadata" if study is None else f"Runs of study {study}"
    return Subject(named, (), profile.runs, ending)


def is_joined(title: str, profile: Profile) -> bool:
    """Return whether runs of the community join each virus that ``title`` names to every other
    value it names.
    """
    viruses = _named(title, VIRAL, profile)
    for fact in viruses:
        title = title.replace(fact.value.removeprefix(REPORTED), "")
    others = _named(title, (*SAMPLED, "tissue", "disease", "geography", "biome"), profile)
    joined = {
        (virus.value, fact.value)
        for virus in viruses
        for fact in others
        if profile.together(key(virus), key(fact)) >= JOINED * virus.known
    }
    named = {(virus.value, fact.value) for virus in viruses for fact in others}
    return named == joined


def _named(title: str, facets: Iterable[str], profile: Profile) -> list[FactRow]:
    """Return the facts whose values ``title`` names, but for words inside a longer value it
    names.
    """
    facts = [fact for facet in facets for fact in profile.of(facet)]
    named = [fact for fact in facts if names_value(title, fact)]
    longer = [fact.value.lower() for fact in named]
    return [
        fact
        for fact in named
        if not any(fact.value.lower() in value and fact.value.lower() != value for value in longer)
    ]


def names_value(text: str, fact: FactRow) -> bool:
    """Return whether ``text`` names the value of ``fact``, whole and not inside a longer word."""
    value = fact.value.removeprefix(REPORTED).lower()
    before, found, behind = text.lower().partition(value)
    if not found or _WORD_END.search(before):
        return False
    if is_metagenome(value):
        behind = behind.removeprefix("s")
    if _WORD_START.match(behind):
        return False
    return fact.facet != "species" or behind.startswith(AS_REPORTED) == _is_reported(fact)


def _is_reported(fact: FactRow) -> bool:
    return fact.value.startswith(REPORTED)


def titled_facts(profile: Profile, title: str) -> list[FactRow]:
    """Return the facts whose values a title names."""
    return _named(title, profile.facts, profile)


def key(fact: FactRow) -> Value:
    """Return the facet and value of a fact."""
    return fact.facet, fact.value


def _virus_subject(viruses: list[FactRow], profile: Profile) -> Subject:
    """Return viruses with what they were found in, where enough runs carry both."""
    enough = JOINED * viruses[0].known
    sampled = [fact for facet in SAMPLED for fact in profile.of(facet)]
    joined = [
        (profile.together(key(viruses[0]), key(fact)), fact)
        for fact in sampled
        if profile.together(key(viruses[0]), key(fact)) >= enough
    ]
    found = [fact for _, fact in sorted(joined, key=lambda pair: (-pair[0], pair[1].value))]
    if not found:
        words = sentence(_called(viruses, VIRUSES))
        return Subject(words, tuple(viruses), viruses[0].known)
    host = found[0]
    both = [one for one in viruses if profile.together(key(one), key(host)) >= enough]
    called = _called(both, VIRUSES)
    words = sentence(called)
    if any(_is_library_of(host, one) for one in both):
        is_plain = called in [_title_name(one) for one in both]
        libraries = f"{words} libraries" if is_plain else f"Libraries of {called}"
        return Subject(libraries, (*both, host), both[0].known)
    caveat = UNEXPECTED if _is_unexpected(both, host, profile) else ""
    return Subject(f"{words} in {_plural(host)}{caveat}", (*both, host), both[0].known)


def _is_library_of(sampled: FactRow, virus: FactRow) -> bool:
    """Return whether a library is labelled as the virus, or as a type of it."""
    name = virus.value.removeprefix(REPORTED).lower()
    label = sampled.value.lower()
    return sampled.facet == "virus" and (label == name or label.startswith(f"{name} "))


def _is_unexpected(viruses: Sequence[FactRow], host: FactRow, profile: Profile) -> bool:
    """Return whether none of ``viruses`` is expected in ``host``: a title never says so plainly."""
    unexpected = {
        pair.virus.removeprefix(REPORTED)
        for pair in profile.pairings
        if pair.plausibility == "unexpected" and pair.host == host.value
    }
    return all(virus.value.removeprefix(REPORTED) in unexpected for virus in viruses)


def _title_viruses(profile: Profile) -> list[FactRow]:
    """Return the viruses that name a community: one or two species, else a family, else the most
    frequent species; none where few runs name one.
    """
    species = profile.of("species") if profile.has_viruses("species") else ()
    exact = [fact for fact in species if not fact.value.endswith(UNRESOLVED)]
    families = profile.of("family") if profile.has_viruses("family") else ()
    if 2 * profile.known("species") < profile.known("family"):
        exact = []
    for facts in (exact, families):
        frequent = _frequent(facts, facts[0].known if facts else 0, profile)
        if frequent:
            return frequent
    return by_runs(exact or families or species)[:1]


def _frequent(facts: Sequence[FactRow], runs: int, profile: Profile) -> list[FactRow]:
    """Return the value that half of ``runs`` have, or the two of which half of them have one."""
    ordered = by_runs(facts)[:2]
    notable = [fact for fact in ordered if fact.runs >= NOTABLE * runs]
    if not notable or notable[0].runs >= MAJORITY * runs:
        return notable[:1]
    both = profile.together(key(ordered[0]), key(ordered[1])) if len(ordered) > 1 else 0
    either = sum(fact.runs for fact in notable) - both
    return notable if either >= MAJORITY * runs else []


def _called(facts: Sequence[FactRow], kind: str) -> str:
    """Return one or two values by name; a value that fewer than half of the runs have is one of
    many.
    """
    names = [_title_name(fact) for fact in facts]
    if len(" and ".join(names).split()) > LONGEST_PAIR:
        names = names[:1]
    if len(names) == 1 and facts[0].share < MAJORITY:
        return f"many {kind}, chiefly {names[0]}"
    if len(names) == 1 and kind == VIRUSES and facts[0].share < NEARLY_ONLY:
        return f"{names[0]} and other viruses"
    return " and ".join(names)


def _title_name(fact: FactRow) -> str:
    if fact.facet in SAMPLED:
        return _plural(fact)
    name = fact.value.removeprefix(REPORTED)
    return f"{name}{AS_REPORTED}" if _is_reported(fact) else name


def _without_viruses(profile: Profile) -> str:
    few = any(profile.of(facet) for facet in VIRAL)
    return FEW_NAMED if few else NONE_NAMED


def _is_common(fact: FactRow, profile: Profile) -> bool:
    return fact.runs >= JOINED * profile.runs


def _is_usual(fact: FactRow, profile: Profile) -> bool:
    return fact.facet in _CONTEXT and fact.runs >= MAJORITY * profile.runs


def title_details(profile: Profile, subject: Subject) -> list[FactRow]:
    """Return what a title may have behind its subject, what sets the community apart from its
    parent first.
    """
    facts = [fact for facet in _DETAILED for fact in by_runs(profile.of(facet))[:2]]
    named = [fact for fact in facts if not fact.value.endswith(UNRESOLVED[0])]
    usable = [fact for fact in named if fact.runs >= NOTABLE * profile.runs]
    fitting = [fact for fact in usable if _fits(fact, subject, profile)]
    return sorted(fitting, key=lambda fact: -apart_from_parent(fact, profile))


def apart_from_parent(fact: FactRow, profile: Profile) -> float:
    """Return the share of all runs of the community that have a value, above that of its parent."""
    before = fact.parent_runs / fact.parent_known if fact.parent_known else 0.0
    return round((fact.share - before) * fact.known / profile.runs, 6)


def _fits(fact: FactRow, subject: Subject, profile: Profile) -> bool:
    """Return whether the subject does not say the fact yet, and runs join it to each of its
    values.
    """
    return not names_value(subject.words, fact) and is_joined_to(fact, subject, profile)


def is_joined_to(fact: FactRow, subject: Subject, profile: Profile) -> bool:
    """Return whether enough runs join the fact to each value of the subject."""
    return all(
        profile.together(key(value), key(fact)) >= JOINED * subject.runs for value in subject.values
    )


def _with_details(subject: Subject, details: Sequence[FactRow]) -> str:
    """Return the subject with as many of ``details`` as the words allow, none of them twice."""
    title = subject.words
    for fact in details:
        word = f"with {_title_name(fact)}" if fact.facet == "species" else _title_name(fact)
        longer = f"{title}, {word}"
        if not names_value(title, fact) and len(f"{longer}{subject.ending}".split()) <= MAX_WORDS:
            title = longer
    return f"{title}{subject.ending}"


def _plural(fact: FactRow) -> str:
    if is_metagenome(fact.value):
        return f"{fact.value}s"
    return f"{fact.value} libraries" if fact.facet == "virus" else fact.value


def is_metagenome(name: str) -> bool:
    """Return whether an organism is a metagenome."""
    return name.lower().endswith(("metagenome", "microbiome"))
