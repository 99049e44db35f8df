"""A reading compiled to one SELECT, by the code that headlines count with.

``query.global_search.carrying`` says which runs carry a name; here the SELECTs of all names are put
together by the kind of the question. The text runs as it is shown, in any DuckDB.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from index.facets import FACET, FACETS
from query.global_search.carrying import (
    LOOKED,
    equals_any,
    found_condition,
    runs_carrying,
)
from query.global_search.matching import group_selects
from query.global_search.naming import group_of, name_of
from query.reading.mentions import Mention
from query.reading.question import WITHOUT, Question
from query.sql_search.values import stated_values

_COUNTED_RUNS: Final = re.compile(
    r"\b(?:how many|number of|count(?: of)?|total)\b(?: \S+){0,3}? (?:runs|samples|libraries)\b"
)
_PER: Final = re.compile(r"\b(?:per|by|for each|for every|in each|broken down|grouped)\b")
_COMPANY: Final = re.compile(
    r"\b(?:together|same (?:runs|samples)|co-?occur\w*|co-?infect\w*|co-?detect\w*|alongside"
    r"|besides?|accompan\w*|other (?:virus\w*|famil\w*)|go(?:es)? with)\b"
)
_SHOWN_FACETS: Final = 4
_DESCRIBED: Final = 5
"""Values listed for each facet where a question asks for none in particular."""


@dataclass(frozen=True, slots=True)
class Compiled:
    """SQL, and in sentences what it selects."""

    sql: str
    told: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Query:
    """The WITH part of a statement: (name, what it is, SELECT) of each, in order."""

    parts: tuple[tuple[str, str, str], ...] = ()

    def also(self, name: str, what: str, select: str) -> _Query:
        return _Query((*self.parts, (name, what, select)))

    def ending(self, final: str) -> str:
        """Return the statement that ends with the SELECT ``final``."""
        if not self.parts:
            return final
        queries = {f"-- {_one_line(what)}\n{name}": select for name, what, select in self.parts}
        return f"{with_queries(queries)}\n{final}"


def with_queries(queries: Mapping[str, str]) -> str:
    """Return the WITH part of a statement: each name of ``queries`` with its SELECT."""
    written = [f"{name} AS (\n{_indented(select)}\n)" for name, select in queries.items()]
    return "WITH\n" + ",\n".join(written)


def compile_question(question: Question) -> Compiled:
    """Return the SQL of ``question``, whose names were all understood."""
    reading = question.reading
    text = question.text.lower()
    if reading.kind == "compare" and len(reading.sides) == 2:
        return _compared(question)
    if reading.kind == "associate":
        return _associated(question)
    company = bool(_COMPANY.search(text)) and bool(_viral(question))
    if company and reading.kind != "exists":
        return _listed(question, company=True)
    if reading.kind == "count" and not _PER.search(text):
        counts_values = reading.explicit and not _COUNTED_RUNS.search(text)
        return _values_counted(question) if counts_values else _runs_counted(question)
    if reading.kind in ("share", "exists"):
        return _runs_counted(question)
    return _listed(question, company=False)


# --- kinds of questions ---------------------------------------------------------------------------


def _runs_counted(question: Question) -> Compiled:
    """Return how many runs carry what is asked, among the searched runs of the rest.

    Without a virus in the question: how many runs there are, and in how many a virus is found.
    """
    query = _matched(question)
    virus = [key for key in question.groups if group_of(key) == "virus"]
    others = [key for key in question.groups if key not in virus]
    query = query.also("looked", "runs searched for viruses", LOOKED)
    if not virus:
        final = _OF_RUNS_WITHOUT_VIRUS
        told = "counts the runs, those searched for viruses, and those with a virus"
        if {"species", "family"} & set(question.reading.facets) and question.reading.explicit:
            final = _OF_RUNS_WITH_ANY_VIRUS
            told = "counts the runs with a virus, among those searched"
        return Compiled(query.ending(final), (_about(question), told))
    compared = _semi_joined("looked", [query_name(key) for key in others])
    query = query.also("compared", "searched runs of the rest of the question", compared)
    told = "counts the runs found, among the searched runs that the rest of the question names"
    return Compiled(query.ending(_FOUND_AMONG_SEARCHED), (_about(question), told))


def _values_counted(question: Question) -> Compiled:
    """Return how many values of each facet asked for the matching runs have."""
    facets = _facets(question)
    query = _with_values(question, facets, company=False)
    told = "counts distinct values and the runs that state any"
    return Compiled(query.ending(_COUNTED_VALUES), (_about(question), told))


def _listed(question: Question, *, company: bool) -> Compiled:
    """Return the values of the facets asked for with their runs, most frequent first."""
    facets = _facets(question)
    if company:
        facets = [one for one in facets if one in ("species", "family")] or ["family"]
    query = _with_values(question, facets, company=company)
    limit = question.reading.limit
    told = [_about(question), "counts distinct runs for each value, most frequent first"]
    if company:
        told.append("of other viruses than those named")
    text = question.text.lower()
    if _PER.search(text) and len(facets) == 2:
        first, second = facets
        final = _CROSSED.format(first=first, second=second, limit=_limited(limit))
        return Compiled(query.ending(final), (*told, "pairs of values that a run states together"))
    if len(facets) == 1:
        final = _COUNTED.format(facet=facets[0], limit=_limited(limit))
        return Compiled(query.ending(final), tuple(told))
    usual = None if question.reading.explicit else _DESCRIBED
    most = limit or usual
    ranked = _RANKED.format(most=most) if most else ""
    if most:
        told.append(f"at most {most} values of each facet")
    return Compiled(query.ending(_COUNTED_BY_FACET.format(ranked=ranked)), tuple(told))


def _compared(question: Question) -> Compiled:
    """Return for each virus family, or for the virus named, its runs on both sides."""
    left, right = question.reading.sides
    query = _Query().also("looked", "runs searched for viruses", LOOKED)
    sides = []
    for name, side, other in (("left_runs", left, right), ("right_runs", right, left)):
        select = f"{runs_carrying(side.senses)}\nEXCEPT\n({runs_carrying(other.senses)})"
        sides.append((name, side))
        query = query.also(name, f"runs of {side.name} and not {other.name}", select)
    rest = [one for one in question.mentions if one not in (left, right) and one.group != "virus"]
    for place, one in enumerate(rest):
        query = query.also(f"rest_{place}", f"runs of {one.name}", runs_carrying(one.senses))
    among = [f"rest_{place}" for place in range(len(rest))]
    for name, side in sides:
        searched = _semi_joined("looked", [name, *among])
        query = query.also(f"{name[:-5]}_searched", f"searched runs of {side.name}", searched)
    of_virus = _virus_condition(question)
    grouped = "'asked for'" if of_virus else "family"
    where = f"({of_virus})" if of_virus else "family IS NOT NULL"
    told = (
        f"compares {left.name} (left) with {right.name} (right); runs of both count in neither",
        "counts distinct searched runs for each virus family"
        if not of_virus
        else "counts distinct searched runs with the virus",
    )
    columns = {"left": _identifier(left.text, "left"), "right": _identifier(right.text, "right")}
    return Compiled(query.ending(_SIDES.format(name=grouped, where=where, **columns)), told)


def _associated(question: Question) -> Compiled:
    """Return the associations that hold of the families and terms named."""
    of_virus = _virus_condition(question)
    conditions = ["q_value <= 0.05"]
    told = ["lists the associations (MWAS) that hold after correction"]
    if of_virus:
        families = f"SELECT family FROM detection WHERE {of_virus}"
        conditions.append(f"family IN ({families})")
        told.append("of the families of the viruses named")
    for group in ("tissue", "disease", "organism", "geography", "sex"):
        named = [one for one in question.mentions if one.group == group]
        if named:
            conditions.append(_value_condition(named))
            told.append(f"of values that mean {' or '.join(one.name for one in named)}")
    where = "\n  AND ".join(conditions)
    return Compiled(_ASSOCIATIONS.format(where=where, limit=_limited(question.reading.limit)),
                    tuple(told))  # fmt: skip


def _value_condition(named: Sequence[Mention]) -> str:
    """Return the condition on an association: its value is a term of ``named``, or below it."""
    curies = [curie for one in named for curie in one.curies]
    labels = equals_any([text.lower() for one in named for text in (one.label, one.text)])
    if not curies:
        return f"lower(value) {labels}"
    below = f"SELECT descendant FROM closure WHERE ancestor {equals_any(curies)}"
    return f"(curie IN ({below}) OR lower(value) {labels})"


# --- parts ----------------------------------------------------------------------------------------


def _matched(question: Question) -> _Query:
    """Return the queries of the runs that carry every name; the last is called ``matched``."""
    query = _Query()
    names = []
    for key, select in group_selects(question).items():
        query = query.also(query_name(key), f"runs of {name_of(question, key)}", select)
        names.append(query_name(key))
    joined = _semi_joined("run", names)
    what = "runs of all of these" if names else "all runs"
    return query.also("matched", what, joined)


def _with_values(question: Question, facets: Sequence[str], *, company: bool) -> _Query:
    """Return the queries of the matching runs and of their values, called ``stated``."""
    of_virus = _virus_condition(question)
    if company:
        of_virus = f"NOT coalesce({of_virus}, false)" if of_virus else ""
    select = stated_values(facets, of_virus=of_virus)
    return _matched(question).also("stated", "what these runs state or carry", select)


def _semi_joined(table: str, names: Sequence[str]) -> str:
    joins = "".join(f"\nSEMI JOIN {name} USING (run)" for name in names)
    return f"SELECT run FROM {table}{joins}"


def _virus_condition(question: Question) -> str:
    """Return the condition on a detection that is of a virus named; empty where none is named."""
    return found_condition(sense for one in _viral(question) for sense in one.senses)


def _viral(question: Question) -> list[Mention]:
    return [one for one in question.mentions if one.group == "virus"]


def _facets(question: Question) -> list[str]:
    """Return the facets to list: those asked for, else the usual ones."""
    reading = question.reading
    known = [one for one in reading.facets if one in FACET]
    if reading.kind == "identify":
        return [one for one in ("species", "family", "host", "tissue", "geography") if one in FACET]
    if reading.explicit and {"species", "family"} <= set(known):
        known = _one_rank(question, known)
    if reading.explicit or reading.kind == "describe":
        return known[: None if reading.explicit else _SHOWN_FACETS + 2]
    if _viral(question):
        return [one for one in known if one in FACETS][:_SHOWN_FACETS]
    return ["family", "species"]


def _one_rank(question: Question, facets: list[str]) -> list[str]:
    """Return ``facets`` without species where only families are asked for, and the reverse.

    The word virus asks for both.
    """
    text = question.text.lower()
    families, species = "famil" in text, "species" in text
    if families == species:
        return facets
    left_out = "species" if families else "family"
    return [one for one in facets if one != left_out]


def _about(question: Question) -> str:
    keys = question.groups
    if not keys:
        return "reads all runs of the index"
    return "reads the runs of " + " and ".join(name_of(question, key) for key in keys)


def query_name(key: str) -> str:
    """Return the name of the query of a group.

    >>> query_name("virus"), query_name("without tissue"), query_name("virus: Coronaviridae")
    ('virus_runs', 'without_tissue_runs', 'virus_coronaviridae_runs')
    """
    words = re.findall(r"[a-z0-9]+", key.replace(WITHOUT, "without ").lower())
    return f"{'_'.join(words)}_runs"


def _identifier(text: str, otherwise: str) -> str:
    """Return ``text`` as the beginning of the name of a column, ``otherwise`` where it cannot be.

    >>> _identifier("Homo sapiens", "left"), _identifier("5'", "left")
    ('homo_sapiens', 'left')
    """
    words = "_".join(re.findall(r"[a-z0-9]+", text.lower()))
    return words if words[:1].isalpha() else otherwise


def _limited(limit: int | None) -> str:
    return f"\nLIMIT {limit}" if limit else ""


def _one_line(text: str) -> str:
    return " ".join("".join(one if one.isprintable() else " " for one in text).split())


def _indented(select: str) -> str:
    return "\n".join(f"    {line}" for line in select.strip().splitlines())


_OF_RUNS_WITHOUT_VIRUS: Final = """\
SELECT *, round(100.0 * runs / nullif(runs_of_index, 0), 1) AS percent_of_index
FROM (
    SELECT (SELECT count(*) FROM matched) AS runs,
           (SELECT count(*) FROM run) AS runs_of_index,
           (SELECT count(*) FROM matched SEMI JOIN looked USING (run)) AS searched,
           (SELECT count(DISTINCT run) FROM detection SEMI JOIN matched USING (run)) AS with_virus
)"""
_OF_RUNS_WITH_ANY_VIRUS: Final = """\
SELECT *, round(100.0 * runs / nullif(searched, 0), 1) AS percent, runs > 0 AS found
FROM (
    SELECT (SELECT count(DISTINCT run) FROM detection SEMI JOIN matched USING (run)) AS runs,
           (SELECT count(*) FROM matched SEMI JOIN looked USING (run)) AS searched
)"""
_FOUND_AMONG_SEARCHED: Final = """\
SELECT *, round(100.0 * runs / nullif(searched, 0), 1) AS percent, runs > 0 AS found
FROM (
    SELECT (SELECT count(*) FROM matched SEMI JOIN looked USING (run)) AS runs,
           (SELECT count(*) FROM compared) AS searched
)"""
_COUNTED_VALUES: Final = """\
SELECT facet, count(DISTINCT value) AS "values", count(DISTINCT run) AS runs
FROM stated GROUP BY facet ORDER BY facet"""
_COUNTED: Final = """\
SELECT value AS {facet}, count(DISTINCT run) AS runs
FROM stated GROUP BY value ORDER BY runs DESC, value{limit}"""
_COUNTED_BY_FACET: Final = """\
SELECT facet, value, count(DISTINCT run) AS runs
FROM stated GROUP BY facet, value{ranked}
ORDER BY facet, runs DESC, value"""
_RANKED: Final = """
QUALIFY row_number() OVER (PARTITION BY facet ORDER BY runs DESC, value) <= {most}"""
_CROSSED: Final = """\
SELECT a.value AS {first}, b.value AS {second}, count(DISTINCT run) AS runs
FROM stated a JOIN stated b USING (run)
WHERE a.facet = '{first}' AND b.facet = '{second}'
GROUP BY ALL ORDER BY runs DESC, 1, 2{limit}"""
_SIDES: Final = """\
SELECT {name} AS virus,
       count(DISTINCT run) FILTER (run IN (FROM left_searched)) AS {left}_runs,
       (SELECT count(*) FROM left_searched) AS {left}_searched,
       count(DISTINCT run) FILTER (run IN (FROM right_searched)) AS {right}_runs,
       (SELECT count(*) FROM right_searched) AS {right}_searched
FROM detection
WHERE {where} AND (run IN (FROM left_searched) OR run IN (FROM right_searched))
GROUP BY ALL ORDER BY greatest({left}_runs, {right}_runs) DESC, virus"""
_ASSOCIATIONS: Final = """\
SELECT bioproject, family, attribute, value, num_true, num_false, fold_change, q_value, flag
FROM association
WHERE {where}
ORDER BY flag IS NOT NULL, q_value, abs(fold_change) DESC, bioproject, family, attribute, value\
{limit}"""
