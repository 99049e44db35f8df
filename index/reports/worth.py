"""Decide which communities have their own report.

A community is worth a report if most of its runs share something; if it has two things to say, one
of them about a virus, a study or a test; and if it adds something to the report of its parent:
several studies that a value sets apart from the rest of the parent, or one study with a text or a
finding of its own. Any other community is a part of the nearest community above with a report: its
studies are rows of the table of studies there.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from index.facets import SAMPLED
from index.reports.contrast import contrast_size, is_contrast
from index.reports.fact_rows import FactRow, Value, by_runs
from index.reports.findings.evidence import PATTERN
from index.reports.findings.sentences import WORDINGS
from index.reports.findings.studies import describes_studies, most_of_one, telling_associations
from index.reports.findings.unnamed import unnamed_clauses
from index.reports.findings.write import HOSTS, SELDOM, stated_facts, telling_findings
from index.reports.naming.named_values import titled_facts
from index.reports.naming.subjects import MANY_ORGANISMS, title_subject
from index.reports.naming.title_values import CONTEXT, MAJORITY, OF_POSITIVE, is_of_most
from index.reports.naming.titles import propose_titles
from index.reports.profiles import Profile
from index.reports.rating import rate, rests_on_one
from index.reports.redundancy import Said
from index.reports.summary import following, leading_facts
from index.stated import VIRAL

MAIN_PART: Final = 0.85
"""With a larger share of its parent's runs, a community only repeats its parent."""
LEAST_RUNS: Final = 15
"""With fewer runs, a community with a parent is a row in the parent's table of studies."""
LEAST_RATING: Final = 3.0
"""With a lower rating, a community that has a parent says too little."""
LEAST_BELOW_NONE: Final = 2.0
"""The same for a community without a report above it."""
NEARLY_ALL: Final = 0.9
"""With this share of the runs that state a study, a study is the community."""
_MARKS: Final = [facet for facet in WORDINGS if facet not in ("virus", "statOrganism", "sex")]
"""Facets by which parts may differ: neither the label of a library nor k-mers."""
_DESCRIBING: Final = [facet for facet in WORDINGS if facet not in (*VIRAL, "virus", "statOrganism")]
"""Facets that say what the runs of a community are."""
_THEMES: Final = [facet for facet in WORDINGS if facet not in ("species", "statOrganism", "sex")]
"""Facets for which a value of most runs is a theme."""
_CLOSE: Final = ("genus", "family")
"""Ranks of hosts that are a theme like a single host."""
_HOSTS: Final = (*SAMPLED, "statOrganism")
MANY: Final = 0.25
ENOUGH: Final = 100
"""Minimum share, or number, of runs of one tissue, place, disease or known origin for a report."""
HARDLY: Final = 0.05
"""If a smaller share of the runs state a source, nobody knows what a virus was in."""
MARKED: Final = 0.2
"""Minimum difference from the rest of the parent for a value to mark the community."""
LEAST_LED: Final = 0.2
"""If the virus of a title has a smaller share of the runs, the parts say more."""
SURE_READS: Final = 1000
"""With fewer median reads, k-mers alone are not a finding of a community with a parent."""
CLOSER: Final = 0.2
"""Minimum share of the runs with a virus that have one known more closely than by its phylum."""
LEAST_SAID: Final = 2
"""Minimum number of things that a report must say."""


def worth_reporting(profiles: Sequence[Profile]) -> list[Profile]:
    """Return the profiles worth a report, in order.

    Each lists only children that have one; ``parts_marked`` says how they differ. A test belongs to
    the smallest community that has it.

    ``profiles`` come coarsest first, as ``build_profiles`` returns them.
    """
    worth: dict[str, Profile] = {}
    above: dict[str, Profile] = {}
    for profile in profiles:
        parent = profile.parent or ""
        nearest = worth.get(parent, above.get(parent))
        if nearest is not None:
            above[profile.community] = nearest
        if is_worth_reporting(profile, nearest):
            worth[profile.community] = profile
    reported = []
    for profile in worth.values():
        children = tuple(child for child in profile.children if child[0] in worth)
        below = [worth[child] for child, _ in children]
        tested = {test for child in below for test in child.associations}
        reported.append(
            replace(
                profile,
                children=children,
                parts_marked=_marks(below),
                associations=tuple(
                    association for association in profile.associations if association not in tested
                ),
            )
        )
    return reported


def is_worth_reporting(profile: Profile, above: Profile | None = None) -> bool:
    """Return whether a community says enough, and more than the nearest report ``above``."""
    if profile.parent is not None and profile.runs < LEAST_RUNS:
        return False
    is_child = above is not None and above.community == profile.parent
    if is_child and profile.runs > MAIN_PART * profile.parent_runs > 0:
        return False
    leads = leading_facts(profile)
    is_named = profile.parent is None and any(fact.facet in VIRAL for fact in leads)
    if not (is_named or has_theme(profile)):
        return False
    if above is not None and _is_fragment(profile, leads, above):
        return False
    rating, _ = rate(profile, stated_facts(profile, leads))
    least = LEAST_RATING if above is not None else LEAST_BELOW_NONE
    if profile.parent is not None and rating < least:
        return False
    if above is not None and rests_on_one(profile) and not describes_studies(profile):
        return False
    titled = titled_facts(profile, next(propose_titles(profile)))
    telling = telling_findings(profile, Said.of([*leads, *following(leads, profile)], titled))
    if not _says_enough(profile, [*leads, *titled], len(telling)):
        return False
    if _is_bare(profile, leads, telling):
        return False
    if not _says_of_its_virus(profile, leads):
        return False
    if profile.parent is None or telling or unnamed_clauses(profile):
        return True
    if _is_one_study(profile):
        return describes_studies(profile)
    return any(_sets_apart(fact, profile) for fact in [*leads, *titled])


def _is_bare(profile: Profile, leads: Sequence[FactRow], telling: Sequence[object]) -> bool:
    """Return whether only the virus is known: hardly any run states a source or anything else."""
    sampled = sum(profile.known(facet) for facet in SAMPLED)
    is_viral = any(fact.facet in VIRAL for fact in leads)
    others = [fact for fact in leads if fact.facet not in VIRAL]
    is_described = bool(others or telling or describes_studies(profile))
    is_silent = profile.parent is not None and sampled < HARDLY * profile.runs
    return is_viral and not is_described and is_silent


def _says_of_its_virus(profile: Profile, leads: Sequence[FactRow]) -> bool:
    """Return whether a reader learns more about a virus than that it occurs.

    This may be the source of most of its runs, a tissue, a place or a disease of many, their
    origin, a test or a study.
    """
    if profile.parent is None:
        return _is_of_viruses(profile, leads)
    sampled = [fact for facet in HOSTS for fact in profile.of(facet)]
    is_sampled = any(fact.runs >= min(MAJORITY * profile.runs, ENOUGH) for fact in sampled)
    viruses = [fact.facet_value for fact in leads if fact.facet in VIRAL]
    if not viruses:
        return profile.shared_virus is not None and most_of_one(profile) <= MAJORITY
    led = [fact for fact in leads if fact.facet in VIRAL]
    first = led[0]
    if first.is_reported and (first.reads or 0) < SURE_READS:
        return False
    least = OF_POSITIVE if first.share < MAJORITY else MAJORITY
    if sum(fact.runs for fact in led) < least * profile.runs:
        return False
    if first.facet == "family" and not _is_of_family(first, sampled, profile):
        return False
    context = [fact for facet in CONTEXT for fact in profile.of(facet)]
    is_placed = any(fact.runs >= min(MANY * profile.runs, ENOUGH) for fact in context)
    origin = profile.origins.get(viruses[0], profile.origin)
    is_designed = origin.laboratory + origin.natural >= MANY * max(1, origin.runs)
    is_tested = bool(telling_associations(profile.associations))
    return is_sampled or is_placed or is_designed or is_tested or describes_studies(profile)


def _is_of_viruses(profile: Profile, leads: Sequence[FactRow]) -> bool:
    """Return whether a community of the coarsest level is about viruses.

    They may be named (not by k-mers of a few runs), unnamed, sequences of one phylum, or viruses of
    hosts of one clade.
    """
    found = profile.searched
    if title_subject(profile).words.lower() == MANY_ORGANISMS:
        return False
    viruses = [fact for fact in leads if fact.facet in VIRAL]
    if viruses:
        is_sure = found.positive >= ENOUGH or 2 * found.classified < found.positive
        return is_sure and max(fact.runs for fact in viruses) >= LEAST_LED * profile.runs
    return profile.shared_virus is not None or _is_of_phylum(profile)


def _is_of_phylum(profile: Profile) -> bool:
    """Return whether most viruses are known by phylum only, but many runs have one that is known
    better.

    That is a family, or an unnamed virus.
    """
    found = profile.searched
    closer = [found.unnamed_runs, *(fact.runs for fact in profile.of("family"))]
    return profile.main_phylum is not None and max(closer) >= CLOSER * found.positive


def _is_of_family(family: FactRow, sampled: Sequence[FactRow], profile: Profile) -> bool:
    """Return whether the name of a family says enough about a community.

    Two thirds of the runs must have the family, half of them from one host or environment; or half
    of the runs, nearly all of them from one.
    """
    both = [profile.together(family.facet_value, fact.facet_value) for fact in sampled]
    is_of_one = 2 * max(both, default=0) >= family.runs
    is_one = max((fact.runs for fact in sampled), default=0) >= NEARLY_ALL * profile.runs
    least = MAJORITY if is_one else OF_POSITIVE
    return family.runs >= least * profile.runs and is_of_one


def _is_fragment(profile: Profile, leads: Sequence[FactRow], above: Profile) -> bool:
    """Return whether a community is about the virus that most runs of the report ``above`` have.

    It must be in the same hosts, or from a laboratory like that one. Its tissues and studies are
    reported there.
    """
    if profile.origin.is_laboratory and above.origin.is_laboratory:
        return True
    if profile.shared_virus is not None and profile.shared_virus == above.shared_virus:
        return True
    viruses = [fact.value for fact in leads if fact.facet in VIRAL]
    led = [fact for fact in leading_facts(above) if fact.facet in VIRAL]
    before = [fact.value for fact in led if is_of_most(fact, above)]
    known = {_species(fact) for fact in _hosts(above)}
    new = [fact for fact in _hosts(profile) if _species(fact) not in known]
    return viruses == before != [] and not any(_sets_apart(fact, profile) for fact in new)


def _hosts(profile: Profile) -> list[FactRow]:
    """Return what most runs were taken from."""
    return [fact for facet in _HOSTS for fact in profile.of(facet) if is_of_most(fact, profile)]


def _species(host: FactRow) -> str:
    """Return the first two words of a host, which its subspecies and cultivars share."""
    return " ".join(host.value.split()[:2])


def has_theme(profile: Profile) -> bool:
    """Return whether more than half of the runs share something that a report can be about.

    It is a virus, a family, what was sequenced or a family of hosts, a tissue, a disease, a place
    or a study. Anything else is a mixed bag, and its parts say more. At the coarsest level it is
    enough that a title can name viruses.
    """
    if profile.only_study is not None or profile.shared_virus is not None:
        return True
    if profile.parent is None and profile.main_phylum is not None:
        return True
    clade = profile.clade
    if clade is not None and clade.rank in _CLOSE and 2 * clade.runs > profile.runs:
        return True
    facts = [fact for facet in ("species", *_THEMES) for fact in profile.of(facet)]
    return any(is_of_most(fact, profile) for fact in facts)


def _says_enough(profile: Profile, stated: Sequence[FactRow], telling: int) -> bool:
    """Return whether a report has two things to say, one of them about a virus, a study or a test.

    At the coarsest level it is enough that unnamed viruses are in most runs of one kind.

    ``stated`` are the facts of title and summary. That a library of a virus has the virus is no
    news.
    """
    viral = [fact for facet in VIRAL for fact in profile.of(facet)]
    is_virus = any(fact.runs >= max(PATTERN, SELDOM * profile.runs) for fact in viral)
    others = {fact.facet for fact in stated if fact.facet in _DESCRIBING}
    is_study = describes_studies(profile)
    viruses = by_runs(profile.of("species"))
    is_second = any(fact.runs >= max(PATTERN, SELDOM * fact.known) for fact in viruses[1:])
    is_shared = bool(unnamed_clauses(profile))
    is_tested = bool(telling_associations(profile.associations))
    found = profile.searched
    is_habitat = profile.parent is None and 2 * found.positive > found.searched
    if not (is_virus or is_study or is_shared or is_tested or is_habitat):
        return False
    if profile.parent is None and is_virus:
        return True
    said = is_virus + is_second + is_shared + len(others) + is_study + telling
    return said >= LEAST_SAID


def _marks(children: Iterable[Profile]) -> tuple[tuple[str, FactRow], ...]:
    """Return the children, each with a value of most of its runs that the others hardly have."""
    seen: dict[Value, str] = {}
    marked = []
    for child in children:
        facts = [fact for facet in _MARKS for fact in child.of(facet) if _marks_part(fact, child)]
        ordered = sorted(facts, key=lambda fact: -round(contrast_size(fact, child.runs), 6))
        new = [fact for fact in ordered[:1] if fact.facet_value not in seen]
        for fact in new:
            seen[fact.facet_value] = child.community
            marked.append((child.community, fact))
    return tuple(marked)


def _marks_part(fact: FactRow, child: Profile) -> bool:
    is_most = 2 * fact.runs >= child.runs
    is_rare = 4 * fact.rest_runs <= fact.rest_known
    return is_most and is_rare and is_contrast(fact)


def _is_one_study(profile: Profile) -> bool:
    stated = profile.studies
    return stated.studies == 1 and stated.study_runs >= NEARLY_ALL * profile.runs


def _sets_apart(fact: FactRow, profile: Profile) -> bool:
    """Return whether the rest of the parent has less of a value that leads the report."""
    return is_contrast(fact) and contrast_size(fact, profile.runs) >= MARKED
