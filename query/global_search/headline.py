"""The first sentence of an answer: what was asked, counted in SQL.

"Not found" is said of runs that were searched. What no run states is unknown, and said to be.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from index.reports.phrases import counted, listed, percent
from query.global_search.carrying import facets_of_group, runs_carrying
from query.global_search.comparison import compare_sides
from query.global_search.contents import accession_contents
from query.global_search.matched_runs import MatchedRuns, ValueCount
from query.global_search.naming import GROUP_WORDS, group_of, name_of, names_of
from query.global_search.statements import FACET_TITLES
from query.global_search.viruses_compared import compare_viruses
from query.reading.mentions import Mention
from query.reading.question import WITHOUT, Question

_USUAL: Final = 5
"""Values listed where the question gives no number."""
_VIRUSES: Final = ("family", "species")
_SHOWN_FACETS: Final = 4


def headline(question: Question, matched: MatchedRuns) -> str:
    """Return the direct answer to ``question`` in one or two sentences."""
    reading = question.reading
    if reading.kind == "identify":
        return accession_contents(question, matched)
    if question.mentions and _lacking(question):
        return _absent(question, matched)
    if reading.libraries and "virus" in matched.kept:
        return _libraries_asked(question, matched)
    if reading.kind == "compare" and _compares_viruses(question):
        return compare_viruses(question, matched)
    if reading.kind == "compare" and reading.sides:
        return compare_sides(question, matched)
    if reading.kind in ("list", "rank") and not matched.dropped:
        return _list(question, matched)
    if reading.kind == "count" and reading.explicit and not matched.dropped:
        return _count_values(question, matched)
    return _found(question, matched)


def _compares_viruses(question: Question) -> bool:
    """Return whether viruses are compared with one another, and not with all others."""
    sides = question.reading.sides
    return len(sides) > 1 and all(one.group == "virus" for one in sides)


def _libraries_asked(question: Question, matched: MatchedRuns) -> str:
    """Return how many runs are libraries of the virus asked for."""
    names = names_of(question, question.groups)
    runs = counted(matched.runs, "run")
    are = "is a library" if matched.runs == 1 else "are libraries"
    return f"{runs} of {matched.index_runs:,} {are} of {names}, sequenced for itself."


def understanding(question: Question) -> str:
    """Return what of the question was not understood, and how doubtful names were read."""
    reading = question.reading
    sentences = []
    besides = [one for one in question.absent if one.group in question.groups]
    sentences += [f"No run of the index is annotated with {one.name}." for one in besides]
    if reading.kind == "compare" and not reading.sides:
        sentences.append("Nothing is compared, because the question names one group only.")
    viruses = [one for one in (*reading.subjects, *reading.without) if one.group == "virus"]
    several = [one for one in viruses if " or " in one.label]
    sentences += [f"“{one.text}” may mean {one.label}; all are counted." for one in several]
    if reading.not_understood:
        words = listed([f"“{word}”" for word in reading.not_understood])
        sentences.append(f"Not understood, and not part of these counts: {words}.")
    sentences += [f"Did you mean {name} for “{word}”?" for word, name in reading.proposals]
    return " ".join(sentences)


# --- a virus among runs ---------------------------------------------------------------------------


def _lacking(question: Question) -> list[Mention]:
    """Return the names that no run carries and that have no alternative."""
    held = question.groups
    return [one for one in question.absent if one.group not in held]


def _absent(question: Question, matched: MatchedRuns) -> str:
    """Return that no run states what is asked, and whether the runs of the others state anything of
    its kind.
    """
    keys = question.groups
    if matched.dropped:
        missing = listed([one.name for one in _lacking(question)])
        return f"No run of the index states {missing}. {_not_together(question, matched)}"
    runs = f"{counted(matched.runs_with(keys), 'run')} of {names_of(question, keys)}"
    sentences = []
    for one in _lacking(question):
        stated = matched.stating(keys, facets_of_group(one.group))
        kind = GROUP_WORDS.get(one.group, one.group)
        if stated:
            sentences.append(
                f"no run of the index is annotated with {one.name}; of {runs}, {stated:,} state "
                f"another {kind}"
            )
        else:
            sentences.append(
                f"no {kind} is stated for any of {runs}, and no run of the index states {one.name}"
            )
    no = "No: " if question.reading.kind == "exists" and "another" in sentences[0] else ""
    return f"{no or _doubt(question)}{'; '.join(sentences)}."


def _found(question: Question, matched: MatchedRuns) -> str:
    """Return in how many of the searched runs that are asked about the virus is found."""
    keys = question.groups
    virus = [key for key in keys if group_of(key) == "virus"]
    others = [key for key in keys if group_of(key) != "virus"]
    if not keys:
        return _whole_index(matched)
    if not virus:
        return _any_virus(question, matched, others)
    searched = matched.searched_with(others)
    found = matched.searched_with([*others, *virus])
    names = names_of(question, virus)
    where = f" of {names_of(question, others)}" if others else ""
    if not searched:
        return f"{_doubt(question)}none of the runs{where} was searched for viruses."
    if not found:
        return _not_found(question, matched, virus, others, searched)
    opening = "Yes: " if question.reading.kind == "exists" else ""
    absent = all(key.startswith(WITHOUT) for key in virus)
    share = _share(found, searched, where)
    finding = f"{share} carry {names}" if absent else f"{names} {_is(names)} found in {share}"
    return f"{opening}{finding}.{_libraries(matched, virus)}"


def _is(names: str) -> str:
    if " and " in names:
        return "are"
    several = names.endswith("viruses")
    return "are" if several else "is"


def _share(part: int, whole: int, where: str) -> str:
    if part == whole:
        runs = counted(whole, "searched run")
        return f"all {runs}{where}"
    share = percent(part / whole)
    return f"{part:,} of {whole:,} searched runs{where} ({share})"


def _doubt(question: Question) -> str:
    if question.reading.kind != "exists":
        return ""
    return "This cannot be said: "


def _not_found(
    question: Question,
    matched: MatchedRuns,
    virus: Sequence[str],
    others: Sequence[str],
    searched: int,
) -> str:
    """Return that no run has the virus, or that it cannot be known: where no run with the virus
    states what is asked.
    """
    names, where = names_of(question, virus), names_of(question, others)
    carriers = matched.runs_with(virus)
    lacking = [key for key in others if not key.startswith(WITHOUT)]
    stated = {key: matched.stating(virus, facets_of_group(key)) for key in lacking}
    silent = [key for key in lacking if carriers and not stated[key]]
    either = " or ".join(GROUP_WORDS.get(key, key) for key in silent)
    no = "No: " if question.reading.kind == "exists" else ""
    if not carriers:
        about = f" of {where}" if where else ""
        none = f"{no}{names} {_is(names)} found in none of the {searched:,} searched runs{about}."
        return f"{none}{_only_libraries(question, matched)}"
    if silent:
        whole = counted(carriers, "run")
        return (
            f"{_doubt(question)}{names} {_is(names)} found in {whole}, and no {either} is stated "
            f"for any of them; none of the {searched:,} searched runs of {where} is known to "
            f"carry it."
        )
    elsewhere = listed(
        [
            f"{runs:,} {'states' if runs == 1 else 'state'} a {_kind(key)}"
            for key, runs in stated.items()
        ]
    )
    whole = counted(carriers, "run")
    rest = f" Of {whole} with it elsewhere, {elsewhere}." if elsewhere else ""
    runs = f"the {searched:,} searched runs of {where}"
    return f"{no}{names} {_is(names)} found in none of {runs}.{rest}"


def _only_libraries(question: Question, matched: MatchedRuns) -> str:
    """Return how many runs are libraries of a virus that is found in none."""
    viral = [one for one in question.mentions if one.group == "virus"]
    senses = [sense for one in viral for sense in one.senses]
    query = f"SELECT count(*) FROM ({runs_carrying(senses)})"
    ((runs,),) = matched.rows(query)
    if not runs:
        return ""
    are = "is a library" if runs == 1 else "are libraries"
    return f" {counted(int(runs), 'run')} {are} of it, sequenced for itself."


def _kind(key: str) -> str:
    """Return what the values of a group are called: place, host, tissue."""
    group = group_of(key)
    return GROUP_WORDS.get(group, group)


def _libraries(matched: MatchedRuns, virus: Sequence[str]) -> str:
    """Return how many of the runs are libraries of a virus: finding it there says nothing of a
    host.
    """
    libraries = matched.virus_libraries()
    if not libraries:
        return ""
    if any(key.startswith(WITHOUT) for key in virus):
        return ""
    are = "is a library" if libraries == 1 else "are libraries"
    return f" {libraries:,} of them {are} of a virus, sequenced for itself."


def _any_virus(question: Question, matched: MatchedRuns, others: Sequence[str]) -> str:
    """Return how many runs there are of what is asked for, and how many of them carry a virus."""
    names = names_of(question, others)
    if matched.dropped:
        return _not_together(question, matched)
    searched = matched.searched_with(others)
    opening = "Yes: " if question.reading.kind == "exists" and matched.with_virus else ""
    runs = matched.runs_with(others)
    verb = "is" if runs == 1 else "are"
    whole = f"{counted(runs, 'run')} of {matched.index_runs:,} {verb} {names}"
    if not searched:
        return f"{whole}; none of them was searched for viruses."
    top = _top_families(matched)
    share = f"{matched.with_virus:,} of {searched:,} searched"
    return f"{opening}{whole}; {share} carry a virus{top}."


def _not_together(question: Question, matched: MatchedRuns) -> str:
    """Return that no run is all that is asked for, and how many are each of it."""
    exists = question.reading.kind == "exists"
    no = "No: no" if exists else "No"
    first, *others = question.groups
    counts = []
    for key in question.groups:
        runs = matched.runs_with([key])
        name = name_of(question, key)
        counts.append(f"{runs:,} {_are(runs)} {name}")
    unknown = ""
    for key in others:
        facets = facets_of_group(group_of(key))
        if key.startswith(WITHOUT) or matched.stating([first], facets):
            continue
        whose = name_of(question, first)
        unknown += f" No {_kind(key)} is stated for any run of {whose}."
    names = names_of(question, question.groups)
    return f"{no} run is {names} at once: {listed(counts)}.{unknown}"


def _are(runs: int) -> str:
    return "is" if runs == 1 else "are"


def _top_families(matched: MatchedRuns) -> str:
    counts = matched.value_counts(["family"], limit=3)
    families = counts.get("family", [])
    if not families:
        return ""
    return f", most often {_values(families)}"


def _whole_index(matched: MatchedRuns) -> str:
    runs = counted(matched.runs, "run")
    carriers = f"{matched.with_virus:,}"
    top = _top_families(matched)
    return f"The index has {runs}; {carriers} of them carry a virus{top}."


# --- values ---------------------------------------------------------------------------------------


def _list(question: Question, matched: MatchedRuns) -> str:
    """Return the values asked for, those of most runs first."""
    reading = question.reading
    known = [one for one in reading.facets if one in FACET_TITLES]
    facets = known[:_SHOWN_FACETS]
    if not reading.explicit:
        facets = _usual_facets(question, facets)
    limit = reading.limit or _USUAL
    values = matched.value_counts(facets, limit=limit)
    totals = matched.distinct_values(facets)
    lines = []
    silent = []
    for facet in facets:
        if facet not in values:
            silent.append(facet)
            continue
        title = FACET_TITLES[facet]
        share = _of_how_many(facet, totals[facet], limit, matched)
        lines.append(f"{title}{share}: {_values(values[facet])}")
    if lines:
        lines.insert(0, _runs_about(question, matched))
    unknown = _silent(question, matched, silent)
    if unknown:
        lines.append(unknown)
    return ". ".join(lines) + "."


def _usual_facets(question: Question, facets: Sequence[str]) -> list[str]:
    virus = any(_is_positive(key, "virus") for key in question.groups)
    if not virus:
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
    if values > limit:
        words = f", {limit} of {values:,}"
    if facet not in _VIRUSES and known < matched.runs:
        words += f", stated for {known:,} of {matched.runs:,} runs"
    return words


def _value(one: ValueCount) -> str:
    runs = counted(one.runs, "run")
    return f"{one.value} ({runs})"


def _values(counts: Sequence[ValueCount]) -> str:
    values = [_value(one) for one in counts]
    return listed(values)


def _runs_about(question: Question, matched: MatchedRuns) -> str:
    keys = question.groups
    runs = counted(matched.runs, "run")
    if not keys:
        return f"{matched.with_virus:,} of {matched.index_runs:,} runs of the index carry a virus"
    about = f"{runs} of {names_of(question, keys)}"
    if any(_is_positive(key, "virus") for key in keys):
        return f"{about}{_library_part(matched)}"
    searched = matched.searched_with(keys)
    if searched == matched.with_virus == matched.runs:
        return f"{about}, all of them with a virus"
    return f"{about}; {matched.with_virus:,} of the {searched:,} searched carry a virus"


def _library_part(matched: MatchedRuns) -> str:
    libraries = matched.virus_libraries()
    if not libraries:
        return ""
    kind = "a library" if libraries == 1 else "libraries"
    return f", {libraries:,} of them {kind} of a virus"


def _silent(question: Question, matched: MatchedRuns, silent: Sequence[str]) -> str:
    """Return what is asked for and not known of these runs."""
    if not silent:
        return ""
    runs = f"{counted(matched.runs, 'run')} of {names_of(question, question.groups) or 'the index'}"
    viral = [facet for facet in silent if facet in _VIRUSES]
    stated = [FACET_TITLES[facet].lower() for facet in silent if facet not in _VIRUSES]
    sentences = []
    if viral and matched.with_virus:
        sentences.append(
            f"The viruses in {matched.with_virus:,} of {runs} have no name ({_kinds(viral)})"
        )
    elif viral and matched.searched_with(question.groups):
        sentences.append(f"No virus is found in the searched runs among {runs}")
    elif viral:
        sentences.append(f"None of {runs} was searched for viruses")
    if stated:
        sentences.append(f"Not stated for any of {runs}: {listed(stated)}")
    return ". ".join(sentences)


def _kinds(facets: Sequence[str]) -> str:
    titles = [FACET_TITLES[facet] for facet in facets]
    return listed([title.lower() for title in titles])


def _count_values(question: Question, matched: MatchedRuns) -> str:
    """Return how many values of the facets asked for there are."""
    facets = [one for one in question.reading.facets if one in FACET_TITLES]
    totals = matched.distinct_values(facets)
    values = matched.value_counts(facets, limit=3)
    runs = counted(matched.runs, "run")
    names = names_of(question, question.groups) or "the index"
    shares = []
    silent = []
    for facet in facets:
        if facet not in values:
            silent.append(facet)
            continue
        distinct, known = totals[facet]
        title = FACET_TITLES[facet].lower()
        share = f"{distinct:,} {title} in {known:,} of {runs} of {names}"
        shares.append(f"{share}, most often {_values(values[facet])}")
    unknown = _silent(question, matched, silent)
    parts = ["; ".join(shares), unknown]
    return ". ".join(part for part in parts if part) + "."
