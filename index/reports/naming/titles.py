"""Titles of communities.

A title names what the runs join, in everyday order: the virus, what it was found in, then one or
two details, at most ``MAX_WORDS`` words, and an ending where runs are of a laboratory or have no
virus. A title has two values only if at least a fifth of the runs that name a virus (without a
virus, of the runs that state the first value) carry both.

Titles are assigned from the coarsest level down and from the largest community to the smallest. A
community whose title is taken adds the next true fact: first those that set it apart from its
parent, then the accession of its only study or of the bioproject of most of its runs, then that
hardly any run states a host or a tissue, or what its reads are most like (NCBI STAT), and last its
size. A host, place, disease or group of k-mers must be that of more than half of all its runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import count
from typing import Final, NamedTuple

from index.claims.phrases import counted
from index.facets import SAMPLED
from index.reports.fact_rows import FactRow, by_runs
from index.reports.joints import JOINED
from index.reports.naming.found_in import is_found_in
from index.reports.naming.named_values import key, names_value, title_name
from index.reports.naming.subjects import Subject, title_subject
from index.reports.naming.title_values import (
    CONTEXT,
    MAJORITY,
    NOTABLE,
    is_detail,
    is_of_most,
    is_of_positive,
    is_origin,
)
from index.reports.profiles import Profile
from index.stated import VIRAL

HARDLY: Final = 0.1
"""If a smaller share of runs state a host or a tissue, a title may say that few do."""
SILENT: Final = 0.7
"""If a smaller share of the parent's runs lack a tissue, lacking one marks a child."""
MAX_WORDS: Final = 12
MAX_DETAILS: Final = 3
OF_ONE_STUDY: Final = 0.8
"""If one study has this share of the runs of a tissue, disease or place, no title names it."""
_DETAILED: Final = ("tissue", "disease", "geography", "biome", "species", "environment", "host")


def distinct_names(
    profiles: Iterable[Profile], propose: Callable[[Profile], Iterator[str]]
) -> dict[str, str]:
    """Return a name per community: the first free proposal, ignoring case, or a numbered one."""
    used: set[str] = set()
    names: dict[str, str] = {}
    for profile in profiles:
        proposed = propose(profile)
        name = next(candidate for candidate in _numbered(proposed) if candidate.lower() not in used)
        used.add(name.lower())
        names[profile.community] = name
    return names


def _numbered(proposed: Iterator[str]) -> Iterator[str]:
    """Yield each of ``proposed``, then the last with numbers from 2 on, endlessly."""
    name = ""
    for name in proposed:
        yield name
    for number in count(2):
        yield f"{name} ({number})"


def propose_titles(profile: Profile) -> Iterator[str]:
    """Yield titles, the plainest first: the subject with what most runs share, then more facts.

    There are one, two and three further facts.
    """
    subject = title_subject(profile)
    details = title_details(profile, subject)
    usual = [fact for fact in details if _is_usual(fact, profile)][:2]
    title = _with_details(subject, usual, profile)
    yield title

    others = [fact for fact in details if fact not in usual]
    for fact in others:
        longer = _with_details(subject, [*usual, fact], profile)
        if longer != title:
            yield longer
    for length in range(2, MAX_DETAILS + 1):
        yield _with_details(subject, [*usual, *others[:length]], profile)

    words = title.removesuffix(subject.ending)
    marks = [mark.words for mark in last_marks(profile, subject)]
    behind = [
        *_accessions(words, profile),
        *_that_fit(marks, title),
        counted(profile.runs, "run"),
    ]
    for mark in behind:
        yield f"{words}, {mark}{subject.ending}"


def _that_fit(marks: Iterable[str], title: str) -> list[str]:
    """Return the marks for which ``title`` has room."""
    left = MAX_WORDS - len(title.split())
    return [mark for mark in marks if len(mark.split()) <= left]


def _accessions(title: str, profile: Profile) -> list[str]:
    """Return the only study of a community, or else the bioproject of most of its runs."""
    study = profile.only_study
    if study is not None:
        return [] if study in title else [f"study {study}"]
    largest = largest_bioproject(profile)
    return [f"mostly {largest}"] if largest is not None else []


class Mark(NamedTuple):
    """An addition to a title that nothing else makes unique, and the topic for its label."""

    words: str
    topic: str


def last_marks(profile: Profile, subject: Subject) -> list[Mark]:
    """Return what sets a community apart if no value of its metadata does.

    This is that hardly any run states its host or its tissue, and the organisms that its reads are
    most like.
    """
    marks = []
    sampled = sum(profile.known(facet) for facet in SAMPLED)
    if sampled < HARDLY * profile.runs and any(value.facet in VIRAL for value in subject.values):
        marks.append(_without("host", sampled))
    tissue = profile.known("tissue")
    before = profile.parent_silence.get("tissue", 1.0)
    if tissue < HARDLY * profile.runs and before < SILENT and not marks:
        marks.append(_without("tissue", tissue))

    orders = sorted(
        profile.of("statOrganism"), key=lambda value: -apart_from_parent(value, profile)
    )
    common = [value for value in orders[:1] if is_of_most(value, profile)]
    apart = [value.value for value in common if apart_from_parent(value, profile) > 0]
    return [*marks, *(Mark(f"k-mers of {order}", order) for order in apart)]


def _without(what: str, stated: int) -> Mark:
    few = "few" if stated else "none"
    return Mark(f"{few} with a stated {what}", f"No-{what}")


def largest_bioproject(profile: Profile) -> str | None:
    """Return the bioproject of most runs of a community; None if none has most of them."""
    ordered = by_runs(profile.of("bioproject"))[:1]
    most = [fact.value for fact in ordered if fact.runs >= MAJORITY * profile.runs]
    return most[0] if most else None


def _is_usual(fact: FactRow, profile: Profile) -> bool:
    """Return whether a title has a fact in any case: a fact of most runs.

    For libraries of a virus, the host that their k-mers show is such a fact, too.
    """
    is_shown = fact.facet == "statOrganism" and 2 * profile.known("virus") > profile.runs
    return (fact.facet in CONTEXT or is_shown) and is_of_most(fact, profile)


def title_details(profile: Profile, subject: Subject) -> list[FactRow]:
    """Return what a title may have after its subject; first what sets the community apart."""
    is_named = any(fact.facet == "host" for fact in subject.values)
    is_hostless = profile.known("host") < HARDLY * profile.runs and not is_named
    facets = (*_DETAILED, "statOrganism") if is_hostless else _DETAILED
    most = [(2 if facet in _DETAILED else 1, by_runs(profile.of(facet))) for facet in facets]
    facts = [fact for number, ordered in most for fact in ordered[:number]]
    named = [fact for fact in facts if fact.facet != "species" or is_detail(fact)]
    usable = [
        fact
        for fact in named
        if (
            (is_of_most(fact, profile) and is_of_positive([fact], profile) and not is_origin(fact))
            and not _is_of_one_study(fact, profile)
        )
        or (fact.facet == "species" and fact.runs >= NOTABLE * profile.runs)
    ]
    fitting = [fact for fact in usable if _fits(fact, subject, profile)]
    return sorted(fitting, key=lambda fact: -apart_from_parent(fact, profile))


def _is_of_one_study(fact: FactRow, profile: Profile) -> bool:
    """Return whether one of several studies has nearly all runs of a tissue, disease or place."""
    behind = profile.behind.get((key(fact), key(fact)))
    if fact.facet not in CONTEXT or behind is None or profile.studies.studies < 2:
        return False
    return behind.study_runs >= OF_ONE_STUDY * behind.runs


def apart_from_parent(fact: FactRow, profile: Profile) -> float:
    """Return by how much the share of all runs with a value is above that of the parent."""
    before = fact.parent_runs / fact.parent_known if fact.parent_known else 0.0
    return round((fact.share - before) * fact.known / profile.runs, 6)


def _fits(fact: FactRow, subject: Subject, profile: Profile) -> bool:
    """Return whether the fact can be added to the subject.

    The subject must not say it yet, runs must join it to each value of the subject, and viruses
    must be found in an organism.
    """
    viruses = [value for value in subject.values if value.facet in VIRAL]
    if fact.facet in SAMPLED and not all(is_found_in(virus, fact, profile) for virus in viruses):
        return False
    return not names_value(subject.words, fact) and is_joined_to(fact, subject, profile)


def is_joined_to(fact: FactRow, subject: Subject, profile: Profile) -> bool:
    """Return whether enough runs join the fact to each value of the subject."""
    return all(
        profile.together(key(value), key(fact)) >= JOINED * subject.runs for value in subject.values
    )


def _with_details(subject: Subject, details: Sequence[FactRow], profile: Profile) -> str:
    """Return the subject with as many ``details`` as there is room for, none of them twice.

    Two values of one facet are both named only if runs join them.
    """
    title = subject.words
    added: list[FactRow] = []
    for fact in details:
        if any(_is_apart(fact, other, profile) for other in added):
            continue
        word = f"with {title_name(fact)}" if fact.facet == "species" else title_name(fact)
        longer = f"{title}, {word}"
        if not names_value(title, fact) and len(longer.split()) <= MAX_WORDS:
            title = longer
            added.append(fact)
    return f"{title}{subject.ending}"


def _is_apart(fact: FactRow, other: FactRow, profile: Profile) -> bool:
    """Return whether two values are of one facet but hardly any run has both."""
    both = profile.together(key(fact), key(other))
    return fact.facet == other.facet and both < JOINED * min(fact.runs, other.runs)
