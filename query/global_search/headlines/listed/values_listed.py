"""Headlines of values: those of most runs first, or how many there are, and what is not stated."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from index.reports.phrases import counted, listed
from index.stated import is_hedged
from query.global_search.headlines.listed.countries import PLACES, countries_only, seas_left_out
from query.global_search.headlines.listed.hosts_named import HOST, hosts_named
from query.global_search.headlines.listed.species_listed import species_listed
from query.global_search.headlines.listed.titles import only_titled, titles_asked, with_titles
from query.global_search.matched_runs import MatchedRuns
from query.global_search.matched_values import STUDY, ValueCount, with_host_rank, with_studies
from query.global_search.naming import group_of, names_of, of_names
from query.global_search.statements import FACET_TITLES
from query.reading.intent import singular
from query.reading.question import WITHOUT, Question
from query.reading.senses import VIRUS_FACETS

_USUAL: Final = 5
"""Values listed where the question gives no number."""
_FEW_MORE: Final = 3
"""So few more are listed as well: five of six would leave out one to spare nothing."""
_MORE_OF_A_LIST: Final = 7
"""So many more are where nothing but the list is asked for: a dozen can be read in a sentence."""
_MOST_OFTEN: Final = 3
"""Values named where it is asked how many there are."""
_TIED: Final = 3
"""Values named that have as many runs as the last of those that are asked for."""
_OF_ONE_RUN: Final = 20
"""Values listed of one run, which is looked at by itself."""
_VIRUSES: Final = ("family", "species")
_SPECIFIC: Final = frozenset(VIRUS_FACETS)
"""Facets of names of viruses: viruses of a genome or a risk group are asked for themselves."""
_SHOWN_FACETS: Final = 4
_LEAST_MEMBERS: Final = 2
"""Species from which on a name is one of a group."""
_YEARS_SHOWN: Final = 100
_BIOPROJECTS: Final = re.compile(r"\bbioprojects?\b", re.IGNORECASE)
"""Asks for projects alone: studies of runs without one are none."""
_MOST_FIRST: Final = re.compile(
    r"\b(?:most|largest|biggest|highest) (?:\w+ )?first\b|\bby (?:the )?(?:number|count) of runs\b"
    r"|\brank\w*|\bdescending\b",
    re.IGNORECASE,
)
"""Asks for years by their runs, and not one after the other."""


def list_values(question: Question, matched: MatchedRuns, *, introduced: bool = True) -> str:
    """Return the values asked for, those of most runs first, or of fewest where these are asked
    for; ``introduced`` by what they are of.
    """
    reading = question.reading
    known = [one for one in reading.facets if one in FACET_TITLES]
    usual = with_host_rank(known[:_SHOWN_FACETS], reading.host_rank)
    if not reading.explicit:
        usual = _usual_facets(question, usual)
    facets = with_studies(usual)
    limit = reading.limit or (_OF_ONE_RUN if matched.runs == 1 else _USUAL)
    fewest = reading.order == "fewest runs"
    more = _MORE_OF_A_LIST if reading.kind == "list" and reading.explicit else _FEW_MORE
    most = limit if reading.limit else limit + more
    read = most + _TIED + 1
    values = matched.value_counts(facets, limit=read, fewest=fewest)
    if "year" in facets and not reading.limit and not _MOST_FIRST.search(question.text):
        values |= _years_in_order(matched)
    totals = matched.distinct_values(facets)
    countries = countries_only(question, matched)
    hosts = hosts_named(question, matched) if HOST in values else None
    for facet, kept in ((PLACES, countries), (HOST, hosts)):
        if kept:
            values[facet] = _in_order(kept.values, fewest=fewest)[:read]
            totals[facet] = (len(kept.values), kept.runs)
    species = species_listed(matched) if "species" in values else None
    if species:
        values["species"] = _in_order(species.named, fewest=fewest)[:read]
        totals["species"] = (len(species.named), totals["species"][1])
    lines = []
    silent = []
    for facet in _most_runs_first(facets, values):
        if facet not in values:
            silent.append(facet)
            continue
        title = FACET_TITLES[facet]
        shown_most = _shown(totals[facet][0], limit, most)
        share = _of_how_many(facet, totals[facet], shown_most, matched)
        if facet == "year":
            share = f"{share}{_first_and_last(matched)}"
        if facet == PLACES and countries:
            share = f"{share}{seas_left_out(countries, matched)}"
        order = ", fewest runs first" if fewest else ""
        every = facet == "year" and not reading.limit
        first = values[facet] if every else values[facet][:shown_most]
        shown = values_text(with_titles(facet, first, matched))
        shown = f"{shown}{_tied(values[facet], first) if reading.limit else ''}"
        if titles_asked([facet], question.text):
            titled = only_titled(facet, matched)
            share = f", {len(titled):,} of {totals[facet][0]:,} with a title"
            shown = values_text(titled) or "none"
        behind = f". {species.text(limit)}" if species and facet == "species" else ""
        lines.append(f"{title}{share}{order}: {shown}{behind}")
    missing = _missing(silent, values)
    said = bool(lines) or (bool(question.groups) and not {*missing} & {*_VIRUSES})
    if said and introduced:
        lines.insert(0, runs_about(question, matched))
    unknown = _silent(question, matched, missing, introduced=said)
    if unknown:
        lines.append(unknown)
    return ". ".join(lines) + "."


def _in_order(values: Sequence[ValueCount], *, fewest: bool) -> list[ValueCount]:
    """Return ``values``, which come by most runs first, by fewest first where ``fewest``."""
    return sorted(values, key=lambda one: one.runs) if fewest else list(values)


def _shown(total: int, limit: int, most: int) -> int:
    """Return how many of ``total`` values are listed: all where they are at most ``most``, else
    ``limit``.

    >>> _shown(6, 5, 8), _shown(9, 5, 8)
    (6, 5)
    """
    return total if limit < total <= most else limit


def _tied(values: Sequence[ValueCount], shown: Sequence[ValueCount]) -> str:
    """Return which of ``values`` have as many runs as the last that is ``shown``, empty where none
    has, or where there are too many to name.
    """
    others = [one.value for one in values[len(shown) :] if one.runs == shown[-1].runs]
    if not others or len(others) > _TIED:
        return ""
    have = "has" if len(others) == 1 else "have"
    return f"; {listed(others)} {have} as many"


def members_found(question: Question, matched: MatchedRuns) -> str:
    """Return the species found of the group of viruses that is asked about; empty where one virus
    is, or several are named.
    """
    viral = [one for one in question.mentions if one.group == "virus"]
    if len(viral) != 1 or "virus" not in matched.kept:
        return ""
    species = matched.values.counts("species")
    if species is None or len(species.values) < _LEAST_MEMBERS:
        return ""
    apart = species_listed(matched)
    values = apart.named if apart else species.values
    limit = question.reading.limit or _shown(len(values), _USUAL, _USUAL + _FEW_MORE)
    of_how_many = _of_how_many("species", (len(values), species.runs), limit, matched)
    behind = f". {apart.text(limit)}" if apart else ""
    return f"{FACET_TITLES['species']}{of_how_many}: {values_text(values[:limit])}{behind}."


def _most_runs_first(
    facets: Sequence[str], values: Mapping[str, Sequence[ValueCount]]
) -> Sequence[str]:
    """Return ``facets``, studies before projects where one of them has more runs."""
    if STUDY not in values:
        return facets
    projects = values.get("bioproject", ())
    if projects and projects[0].runs >= values[STUDY][0].runs:
        return facets
    others = [one for one in facets if one not in ("bioproject", STUDY)]
    return [*others, STUDY, "bioproject"]


def _missing(silent: Sequence[str], values: Mapping[str, object]) -> list[str]:
    """Return the facets that nothing is known of: where studies are, projects are not missing."""
    stand_ins = ("bioproject", STUDY) if STUDY in values else (STUDY,)
    return [facet for facet in silent if facet not in stand_ins]


def _years_in_order(matched: MatchedRuns) -> dict[str, list[ValueCount]]:
    """Return the years of release, earliest first."""
    counts = matched.value_counts(["year"], limit=_YEARS_SHOWN)
    return {facet: sorted(values, key=lambda one: one.value) for facet, values in counts.items()}


def _first_and_last(matched: MatchedRuns) -> str:
    """Return on which days the first and the last of the runs were released."""
    ((first, last),) = matched.rows(_DATES)
    if first is None:
        return ""
    return f" (the first on {first}, the last on {last}; when a sample was taken is not held)"


def _usual_facets(question: Question, facets: Sequence[str]) -> list[str]:
    virus = [one for one in question.mentions if one.group == "virus"]
    species = {one.value for sense in virus for one in sense.senses if one.facet == "species"}
    several = question.reading.kind == "rank" and len(species) > 1
    if several or all(_SPECIFIC.isdisjoint(one.facets) for one in virus):
        return list(_VIRUSES)
    others = [one for one in facets if one not in _VIRUSES]
    return others[:2]


def _is_positive(key: str, group: str) -> bool:
    """Return whether ``key`` asks for something of ``group``, and does not rule it out."""
    return group_of(key) == group and not key.startswith(WITHOUT)


def _of_how_many(facet: str, total: tuple[int, int], limit: int, matched: MatchedRuns) -> str:
    """Return how many of the values are listed, and for how many runs any is stated."""
    values, known = total
    words = ""
    if values > limit and facet != "year":
        words = f", {limit} of {values:,}"
    if facet not in _VIRUSES and known < matched.runs:
        words += f", stated for {known:,} of {matched.runs:,} runs"
    return words


def _value(one: ValueCount) -> str:
    runs = counted(one.runs, "run")
    return f"{one.value} ({runs})"


def values_text(counts: Sequence[ValueCount]) -> str:
    """Return ``counts`` in words, each value with its runs in brackets, in the order given."""
    values = [_value(one) for one in counts]
    return listed(values)


def runs_about(question: Question, matched: MatchedRuns) -> str:
    """Return what the matching runs are, how many, and how many of them carry a virus."""
    keys = question.groups
    runs = counted(matched.runs, "run")
    if not keys:
        return f"{matched.with_virus:,} of {matched.index_runs:,} runs of the index carry a virus"
    about = f"{runs}{of_names(question, keys)}"
    if any(_is_positive(key, "virus") for key in keys):
        return f"{about}{_library_part(matched)}"
    searched = matched.searched_with(keys)
    if searched == matched.with_virus == matched.runs:
        each = "" if matched.runs == 1 else "all of them "
        return f"{about}, {each}with a virus{named_part(matched)}"
    carriers = f"{matched.with_virus:,} of the {searched:,} searched carry a virus"
    return f"{about}; {carriers}{named_part(matched)}"


def named_part(matched: MatchedRuns) -> str:
    """Return in how many of the runs with a virus its family is named, where that is less than
    half: what is counted by family is then hardly any of what they carry.
    """
    totals = matched.distinct_values(["family"])
    _, named = totals.get("family", (0, 0))
    if not named or 2 * named >= matched.with_virus:
        return ""
    return f", its family named in {named:,} of them"


def _library_part(matched: MatchedRuns) -> str:
    libraries = matched.virus_libraries()
    if not libraries:
        return ""
    kind = "a library" if libraries == 1 else "libraries"
    return f", {libraries:,} of them {kind} of a virus"


def _silent(
    question: Question, matched: MatchedRuns, silent: Sequence[str], *, introduced: bool = False
) -> str:
    """Return what is asked for and not known of these runs, which were ``introduced`` before."""
    if not silent:
        return ""
    runs = f"{counted(matched.runs, 'run')} of {names_of(question, question.groups) or 'the index'}"
    viral = [facet for facet in silent if facet in _VIRUSES]
    stated = [FACET_TITLES[facet].lower() for facet in silent if facet not in _VIRUSES]
    sentences = []
    if viral and matched.with_virus:
        sentences.append(_unnamed(question, matched, viral))
    elif viral and matched.searched_with(question.groups):
        sentences.append(f"No virus is found in the searched runs among {runs}")
    elif viral:
        sentences.append(f"None of {runs} was searched for viruses")
    if stated:
        whose = "them" if introduced else runs
        sentences.append(f"Not stated for any of {whose}: {listed(stated)}")
    return ". ".join(sentences)


def _unnamed(question: Question, matched: MatchedRuns, viral: Sequence[str]) -> str:
    """Return that the viruses of the runs have no name, and under which sOTUs they are found."""
    names = names_of(question, question.groups) or "the index"
    runs = counted(matched.with_virus, "run")
    verb = "carries" if matched.with_virus == 1 else "carry"
    none = f"{runs} of {names} {verb} a virus, none of a named {_kinds(viral)}"
    found = matched.rows(_SOTUS)
    if not found:
        return none
    sotus = counted(len(found), "sOTU")
    counts = [f"{sotu} ({counted(held, 'run')})" for sotu, held in found[:_USUAL]]
    first = listed(counts)
    most = first if len(found) <= _USUAL else f"most often {first}"
    return f"{none}: {sotus}, {most}"


def _kinds(facets: Sequence[str]) -> str:
    return " or ".join(facets)


def count_values(question: Question, matched: MatchedRuns) -> str:
    """Return how many values of the facets asked for there are."""
    asked = [one for one in question.reading.facets if one in FACET_TITLES]
    facets = with_host_rank(asked, question.reading.host_rank)
    totals = matched.distinct_values(facets)
    most = _USUAL + _FEW_MORE
    values = matched.value_counts(facets, limit=most)
    countries = countries_only(question, matched)
    if countries:
        values[PLACES] = list(countries.values[:most])
        totals[PLACES] = (len(countries.values), countries.runs)
    species = species_listed(matched) if "species" in values else None
    if species:
        values["species"] = list(species.named[:most])
    runs = counted(matched.runs, "run")
    about = of_names(question, question.groups) or " of the index"
    shares = []
    silent = []
    for facet in facets:
        if facet not in values:
            silent.append(facet)
            continue
        distinct, known = totals[facet]
        titles = _in_a_sentence(FACET_TITLES[facet])
        *kind, noun = titles.split()
        one = " ".join([*kind, singular(noun)])
        hedged = _hedged(matched) if facet == "species" else 0
        apart = f" and {hedged:,} less certain (like one, or as reported)" if hedged else ""
        aside = seas_left_out(countries, matched) if facet == PLACES and countries else ""
        named = f"{counted(distinct - hedged, one, titles)}{apart}{aside}"
        if hedged and hedged == distinct:
            named = f"{counted(hedged, one, titles)}, less certain (like one, or as reported),"
        share = f"{named} in {known:,} of {runs}{about}"
        shown = _shown(distinct - hedged, _MOST_OFTEN, most)
        shares.append(f"{share}, most often {values_text(values[facet][:shown])}")
    if "bioproject" in facets and not _BIOPROJECTS.search(question.text):
        shares.insert(0, _studies(matched))
    unknown = _silent(question, matched, silent)
    behind = species.text(_USUAL) if species else ""
    parts = ["; ".join(share for share in shares if share), behind, unknown]
    return ". ".join(part for part in parts if part) + "."


def _hedged(matched: MatchedRuns) -> int:
    """Return how many names of species are no more than like one, or reported as one."""
    known = matched.values.counts("species")
    return sum(is_hedged(one.value) for one in known.values) if known else 0


def _in_a_sentence(title: str) -> str:
    """Return a heading as it is written within a sentence: virus families, sOTUs."""
    return title if title[1:2].isupper() else title.lower()


def _studies(matched: MatchedRuns) -> str:
    """Return from how many SRA studies the runs are; more of them state a study than a project."""
    ((studies, stated),) = matched.rows(_STUDIES)
    if not studies:
        return ""
    whole = counted(matched.runs, "run")
    return f"{counted(int(studies), 'study', 'studies')}, stated for {stated:,} of {whole}"


_DATES: Final = """
SELECT min(release_date), max(release_date) FROM run SEMI JOIN matched USING (run)
"""
_SOTUS: Final = """
SELECT sotu, count(DISTINCT run) AS runs FROM detection SEMI JOIN matched USING (run)
GROUP BY sotu ORDER BY runs DESC, sotu
"""
_STUDIES: Final = (
    "SELECT count(DISTINCT study), count(study) FROM run SEMI JOIN matched USING (run)"
)
