"""A reading compiled to one SELECT, by the code that headlines count with.

``query.global_search.carrying`` says which runs carry a name; here the SELECTs of all names are put
together by the kind of the question. The text runs as it is shown, in any DuckDB.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from index.reports.phrases import SIGNIFICANT_Q
from query.global_search.carrying import (
    equals_any,
    found_condition,
    looked_for,
    runs_carrying,
)
from query.global_search.headlines.only_there import in_none_of, without_names
from query.global_search.matching import group_selects
from query.global_search.naming import group_of, name_of
from query.reading.mentions import Mention
from query.reading.question import Question
from query.reading.senses import Sense
from query.sql_search.endings import (
    ASSOCIATIONS,
    COUNTED,
    COUNTED_BY_FACET,
    COUNTED_VALUES,
    CROSSED,
    FOUND_AMONG_SEARCHED,
    OF_RUNS_WITH_ANY_VIRUS,
    OF_RUNS_WITHOUT_VIRUS,
    RANKED,
    SIDES,
)
from query.sql_search.facets import VIRAL_FACETS, facets_to_list
from query.sql_search.statement import (
    SqlStatement,
    identifier,
    limited_to,
    query_name,
    semi_joined,
)
from query.sql_search.values import stated_values

_COUNTED_RUNS: Final = re.compile(
    r"\b(?:how many|number of|count(?: of)?|total)\b(?: \S+){0,3}? (?:runs|samples|libraries)\b"
)
_PER: Final = re.compile(r"\b(?:per|by|for each|for every|in each|broken down|grouped)\b")
_COMPANY: Final = re.compile(
    r"\b(?:together|same (?:runs|samples)|co-?occur\w*|co-?infect\w*|co-?detect\w*|alongside"
    r"|besides?|accompan\w*|other (?:virus\w*|famil\w*)|go(?:es)? with)\b"
)
_ONLY_HERE: Final = "FROM stated_here ANTI JOIN stated_there USING (facet, value)"
_DESCRIBED: Final = 5
"""Values listed for each facet where a question asks for none in particular."""


@dataclass(frozen=True, slots=True)
class Compiled:
    """SQL, and in sentences what it selects."""

    sql: str
    explained: tuple[str, ...]


def compile_question(question: Question, *, only_there: bool = False) -> Compiled:
    """Return the SQL of ``question``, whose names were all understood.

    ``only_there``: it asks for viruses that no run of what it rules out carries
    (``query.global_search.headlines.only_there``).
    """
    reading = question.reading
    text = question.text.lower()
    if only_there:
        return _listed_only_there(question)
    if reading.kind == "compare" and len(reading.sides) == 2:
        return _compared(question)
    if reading.kind == "associate":
        return _associated(question)
    of_viruses = not reading.explicit or not VIRAL_FACETS.isdisjoint(reading.facets)
    company = _COMPANY.search(text) and _viral(question) and of_viruses
    if company and reading.kind != "exists":
        return _listed(question, company=True)
    if reading.kind == "count" and not _PER.search(text):
        if reading.explicit and not _COUNTED_RUNS.search(text):
            return _values_counted(question)
        return _runs_counted(question)
    if reading.kind in ("share", "exists"):
        return _runs_counted(question)
    return _listed(question, company=False)


def compile_matched(question: Question, final: str, what: str) -> Compiled:
    """Return ``final``, a SELECT over the query ``matched``, for the runs that match; ``what`` says
    in words what it does.
    """
    matched = matched_statement(question)
    sql = matched.ending(final)
    return Compiled(sql, (about(question), what))


# --- kinds of questions ---------------------------------------------------------------------------


def _runs_counted(question: Question) -> Compiled:
    """Return how many runs carry what is asked, among the searched runs of the rest.

    Without a virus in the question: how many runs there are, and in how many a virus is found.
    """
    query = matched_statement(question)
    query = _with_looked(query, question)
    others = [key for key in question.groups if group_of(key) != "virus"]
    if len(others) == len(question.groups):
        return _searched_counted(question, query)
    names = [query_name(key) for key in others]
    compared = semi_joined("looked", names)
    query = query.also("compared", "searched runs of the rest of the question", compared)
    what = "counts the runs found, among the searched runs that the rest of the question names"
    sql = query.ending(FOUND_AMONG_SEARCHED)
    return Compiled(sql, (about(question), what))


def _with_looked(query: SqlStatement, question: Question) -> SqlStatement:
    """Return ``query`` with ``looked``: the runs searched for the virus that ``question`` names."""
    found = virus_condition(question)
    what = "runs searched for the virus" if found else "runs searched for viruses"
    return query.also("looked", what, looked_for(found))


def _searched_counted(question: Question, query: SqlStatement) -> Compiled:
    """Return how many runs there are, or how many of them have a virus of any kind."""
    reading = question.reading
    names = about(question)
    viral_facets = VIRAL_FACETS.intersection(reading.facets)
    if viral_facets and reading.explicit:
        what = "counts the runs with a virus, among those searched"
        return Compiled(query.ending(OF_RUNS_WITH_ANY_VIRUS), (names, what))
    what = "counts the runs, those searched for viruses, and those with a virus"
    return Compiled(query.ending(OF_RUNS_WITHOUT_VIRUS), (names, what))


def _values_counted(question: Question) -> Compiled:
    """Return how many values of each facet asked for the matching runs have."""
    facets = facets_to_list(question)
    query = _with_values(question, facets, company=False)
    what = "counts distinct values and the runs that state any"
    sql = query.ending(COUNTED_VALUES)
    return Compiled(sql, (about(question), what))


def _listed(question: Question, *, company: bool) -> Compiled:
    """Return the values of the facets asked for with their runs, most frequent first."""
    facets = facets_to_list(question)
    if company:
        viral = [one for one in facets if one in VIRAL_FACETS]
        facets = viral or ["family"]
    query = _with_values(question, facets, company=company)
    steps = [about(question), "counts distinct runs for each value, most frequent first"]
    if company:
        steps.append("of other viruses than those named")
    text = question.text.lower()
    limited = limited_to(question.reading.limit)
    if _PER.search(text) and len(facets) == 2:
        first, second = facets
        final = CROSSED.format(first=first, second=second, limit=limited)
        steps.append("pairs of values that a run states together")
    elif len(facets) == 1:
        final = COUNTED.format(facet=facets[0], limit=limited)
    else:
        most = _most_of_each(question)
        ranked = ""
        if most:
            ranked = RANKED.format(most=most)
            steps.append(f"at most {most} values of each facet")
        final = COUNTED_BY_FACET.format(ranked=ranked)
    return Compiled(query.ending(final), tuple(steps))


def _listed_only_there(question: Question) -> Compiled:
    """Return the viruses of the matching runs that no run of what is ruled out carries."""
    facets = [one for one in facets_to_list(question) if one in VIRAL_FACETS]
    ruled = question.reading.without
    names = " or ".join(dict.fromkeys(one.name for one in ruled))
    carrying = "\nUNION\n".join(f"({runs_carrying(one.senses)})" for one in ruled)
    here = without_names(question) if in_none_of(question) else question
    query = (
        matched_statement(here)
        .also("elsewhere", f"runs of {names}", carrying)
        .also("stated_here", "what the runs asked for carry", stated_values(facets))
        .also("stated_there", "what the others carry", stated_values(facets, runs="elsewhere"))
        .also("stated", "what none of the others carries", _ONLY_HERE)
    )
    most = question.reading.limit
    final = COUNTED_BY_FACET.format(ranked=RANKED.format(most=most) if most else "")
    if len(facets) == 1:
        final = COUNTED.format(facet=facets[0], limit=limited_to(most))
    what = f"lists what no run of {names} carries, with the runs of each, most frequent first"
    return Compiled(query.ending(final), (about(question), what))


def _most_of_each(question: Question) -> int | None:
    """Return how many values of each facet are listed, None for all."""
    reading = question.reading
    if reading.limit:
        return reading.limit
    if reading.explicit:
        return None
    return _DESCRIBED


def _compared(question: Question) -> Compiled:
    """Return for each virus family, or for the virus named, its runs on both sides."""
    left, right = question.reading.sides
    query = _with_looked(SqlStatement(), question)
    sides = []
    for name, side, other in (("left_runs", left, right), ("right_runs", right, left)):
        select = f"{runs_carrying(side.senses)}\nEXCEPT\n({runs_carrying(other.senses)})"
        sides.append((name, side))
        query = query.also(name, f"runs of {side.name} and not {other.name}", select)
    rest = [one for one in question.mentions if one not in (left, right) and one.group != "virus"]
    among = []
    for place, one in enumerate(rest):
        name = f"rest_{place}"
        query = query.also(name, f"runs of {one.name}", runs_carrying(one.senses))
        among.append(name)
    for name, side in sides:
        searched = semi_joined("looked", [name, *among])
        searched_name = name.replace("_runs", "_searched")
        query = query.also(searched_name, f"searched runs of {side.name}", searched)
    of_virus = virus_condition(question)
    counts = "counts distinct searched runs for each virus family"
    final = SIDES.format(
        name="'asked for'" if of_virus else "family",
        where=f"({of_virus})" if of_virus else "family IS NOT NULL",
        left=identifier(left.text, "left"),
        right=identifier(right.text, "right"),
    )
    if of_virus:
        counts = "counts distinct searched runs with the virus"
    sides_named = f"compares {left.name} (left) with {right.name} (right)"
    explained = (f"{sides_named}; runs of both count in neither", counts)
    return Compiled(query.ending(final), explained)


def _associated(question: Question) -> Compiled:
    """Return the associations that hold of the families and terms named."""
    of_virus = virus_condition(question)
    asked = question.reading.associations
    most_q = asked.most_q if asked else SIGNIFICANT_Q
    conditions = [f"q_value <= {most_q:g}"]
    explained = [
        f"lists the associations (MWAS) that hold after correction (q of at most {most_q:g})"
    ]
    if of_virus:
        families = f"SELECT family FROM detection WHERE {of_virus}"
        conditions.append(f"family IN ({families})")
        explained.append("of the families of the viruses named")
    projects = [one for one in question.mentions if one.group == "bioproject"]
    if projects:
        conditions.append(f"bioproject {equals_any([one.label for one in projects])}")
        explained.append(f"in {' or '.join(one.label for one in projects)}")
    for group in ("tissue", "disease", "organism", "geography", "sex"):
        named = [one for one in question.mentions if one.group == group]
        if named:
            conditions.append(value_condition(named))
            names = " or ".join(one.name for one in named)
            explained.append(f"of values that mean {names}")
    where = "\n  AND ".join(conditions)
    limited = limited_to(question.reading.limit)
    sql = ASSOCIATIONS.format(where=where, limit=limited)
    return Compiled(sql, tuple(explained))


def value_condition(named: Sequence[Mention]) -> str:
    """Return the condition on an association: its value is a term of ``named``, or below it."""
    curies: list[str] = []
    texts: list[str] = []
    for one in named:
        curies += one.curies
        texts += [one.label.lower(), one.text.lower()]
    labels = equals_any(texts)
    if not curies:
        return f"lower(value) {labels}"
    terms = equals_any(curies)
    below = f"SELECT descendant FROM closure WHERE ancestor {terms}"
    return f"(curie IN ({below}) OR lower(value) {labels})"


# --- parts ----------------------------------------------------------------------------------------


def matched_statement(question: Question) -> SqlStatement:
    """Return the queries of the runs that carry every name; the last is called ``matched``."""
    query = SqlStatement()
    names = []
    for key, select in group_selects(question).items():
        name = query_name(key)
        meant = name_of(question, key)
        query = query.also(name, f"runs of {meant}", select)
        names.append(name)
    joined = semi_joined("run", names)
    what = "runs of all of these" if names else "all runs"
    return query.also("matched", what, joined)


def _with_values(question: Question, facets: Sequence[str], *, company: bool) -> SqlStatement:
    """Return the queries of the matching runs and of their values, called ``stated``."""
    of_virus = virus_condition(question)
    if company:
        of_virus = f"NOT coalesce({of_virus}, false)" if of_virus else ""
    select = stated_values(facets, of_virus=of_virus)
    return matched_statement(question).also("stated", "what these runs state or carry", select)


def virus_condition(question: Question) -> str:
    """Return the condition on a detection that is of a virus named; empty where none is named."""
    senses: list[Sense] = []
    for mention in _viral(question):
        senses += mention.senses
    return found_condition(senses)


def _viral(question: Question) -> list[Mention]:
    mentions = question.mentions
    return [one for one in mentions if one.group == "virus"]


def about(question: Question) -> str:
    """Return in words which runs are read."""
    keys = question.groups
    if not keys:
        return "reads all runs of the index"
    names = [name_of(question, key) for key in keys]
    listed = " and ".join(names)
    return f"reads the runs of {listed}"
