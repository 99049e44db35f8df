"""The tests that a question asks for, looked up: families, projects and attributes as tests name
them.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

import duckdb

from index.store.edges_above import edges_above
from index.store.frames import rows_over
from index.store.same_for_all import same_for_all
from query.reading.asked.associations import (
    LEFT_TO_RUNS,
    AssociationsAsked,
    asks_how_many,
    asks_of_tests,
    asks_yes_or_no,
    attributes_named,
    compares_amounts,
    cutoff_of,
    direction_of,
    facets_named,
    is_combined,
    is_of_tests,
    is_telling,
    listed_of,
    may_ask_of_tests,
    names_tests,
    rule_words_of_tests,
)
from query.reading.intent import is_stop_word
from query.reading.kinds import Kind
from query.reading.mentions import Mention
from query.reading.names.spans import positions

VALUES: Final = ("tissue", "disease", "organism", "environment", "sex", "geography", "biome")
"""Groups of names that values of attributes may be."""
_LEAST_LETTERS: Final = 4
"""Letters of the shortest word that alone is read as a value of an attribute."""
_BEGUN: Final = 7
"""Letters by which a value of a test begins like a word of a question: irrigated, irrigation."""
_PROJECT_NOUNS: Final = frozenset({"project", "bioproject", "study", "dataset", "cohort"})
_MOST_WORDS: Final = 4
"""Words of the longest value that is looked for."""


def read_associations(
    con: duckdb.DuckDBPyConnection,
    frame: str,
    words: Sequence[str],
    named: Sequence[Mention],
    *,
    kind: Kind,
    accessions: Sequence[str],
) -> AssociationsAsked | None:
    """Return which tests are asked for; None where the question asks of runs.

    ``words`` is the question and ``named`` what it names.
    """
    projects = _projects(con, named, accessions)
    unheld = set(projects) - {one.label for one in named}
    of_project = bool(projects) and compares_amounts(frame)
    if kind != "associate" and not (unheld or of_project or may_ask_of_tests(frame)):
        return None
    rest = _outside(words, named)
    facets = facets_named(rest)
    attributes = {} if facets else attributes_named(rest, tested_attributes(con))
    written = _values_of_projects(con, words, projects)
    of_projects = bool(written)
    if not (written or facets):
        outside = [word for word in rest if word not in {*itertools.chain(*attributes.values())}]
        written = _written_values(con, outside, projects)
    split = _Split(bool(facets), bool(attributes or written))
    asked = bool(unheld) or kind == "associate" or _asks(frame, kind, named, projects, split)
    of_tests = names_tests(frame)
    if not asked or (kind in LEFT_TO_RUNS and not of_tests):
        return None
    explained = set(rule_words_of_tests(frame))
    for shared in attributes.values():
        explained |= {word.lower() for word in shared}
    explained |= {word for value in written for word in value.split()}
    begun = {value[:_BEGUN] for value in written if len(value) >= _BEGUN}
    explained |= {word.lower() for word in rest if word.lower()[:_BEGUN] in begun}
    return AssociationsAsked(
        viruses=tuple(one.name for one in named if one.group == "virus"),
        families=_families(con, named),
        projects=projects,
        facets=facets,
        attributes=tuple(sorted(attributes)),
        values=()
        if of_projects
        else _values(
            words,
            [
                one
                for one in named
                if not _says_of_what(one, words, attributes, facets)
                and not _describes_project(one, words, named)
            ],
            beside=not (facets or attributes or projects),
        ),
        written=written,
        direction=direction_of(frame),
        combined=is_combined(frame),
        listed=listed_of(rest),
        yes_or_no=asks_yes_or_no(frame) and not asks_how_many(frame),
        counted=asks_how_many(frame) or (kind in LEFT_TO_RUNS and of_tests),
        p_values=re.search(r"\bp[ -]?values?\b", frame) is not None,
        most_q=cutoff_of(frame),
        telling=is_telling(frame),
        words=frozenset(explained),
    )


class _Split(NamedTuple):
    """Whether a question names a facet, or an attribute, whose values are compared."""

    facet: bool
    attribute: bool


def _asks(
    frame: str, kind: Kind, named: Sequence[Mention], projects: Sequence[str], split: _Split
) -> bool:
    """Return whether ``frame`` asks of tests, going by what the question names."""
    kinds = _kinds_named(named, projects)
    compared = _compares(kind, named)
    return asks_of_tests(
        frame, kinds, facet=split.facet, attribute=split.attribute, compared=compared
    )


def _kinds_named(named: Sequence[Mention], projects: Sequence[str]) -> set[str]:
    """Return which of virus, value and project a question names."""
    groups = {one.group for one in named}
    kinds = groups & {"virus"}
    if not groups.isdisjoint(VALUES):
        kinds.add("value")
    if projects:
        kinds.add("project")
    return kinds


def _compares(kind: Kind, named: Sequence[Mention]) -> bool:
    """Return whether two names of one kind are compared."""
    if kind != "compare":
        return False
    groups = [one.group for one in named]
    return any(groups.count(group) > 1 for group in groups)


def _values(words: Sequence[str], named: Sequence[Mention], *, beside: bool) -> tuple[Mention, ...]:
    """Return the names that values may be, each once; those ``beside`` the question only where it
    has none.
    """
    named_values = [one for one in named if one.group in VALUES and not _only_asks(one)]
    by_label = {one.label: one for one in reversed(named_values)}
    values = sorted(by_label.values(), key=lambda one: one.start)
    asked = [one for one in values if one.end <= len(words)]
    if asked or not beside:
        return tuple(asked)
    return tuple(values)


def _says_of_what(
    one: Mention, words: Sequence[str], attributes: Mapping[str, set[str]], facets: Sequence[str]
) -> bool:
    """Return whether a name only says of what an attribute or a host is: the rice genotype, the
    host plant.
    """
    before = "".join(words[one.start - 1 : one.start]).lower() if one.start else ""
    if "host" in facets and before == "host":
        return one.text in ("plant", "animal", "insect")
    of_attributes = set(itertools.chain.from_iterable(attributes.values()))
    behind = "".join(words[one.end : one.end + 1])
    return one.group == "organism" and behind in of_attributes


def _only_asks(one: Mention) -> bool:
    """Return whether the words of a name are words of tests: fields of metadata are no biome."""
    return all(is_of_tests(word) for word in one.text.split())


def _outside(words: Sequence[str], named: Sequence[Mention]) -> list[str]:
    """Return the words that no name holds."""
    taken = positions(named)
    return [word for place, word in enumerate(words) if place not in taken]


@same_for_all
def tested_attributes(con: duckdb.DuckDBPyConnection) -> list[str]:
    """Return the attributes that any test is of."""
    rows = con.execute("SELECT DISTINCT attribute FROM association ORDER BY attribute").fetchall()
    return [str(attribute) for (attribute,) in rows]


def _written_values(
    con: duckdb.DuckDBPyConnection, rest: Sequence[str], projects: Sequence[str]
) -> tuple[str, ...]:
    """Return the values of one or two words that ``rest`` writes out, of the tests of ``projects``
    where any are named: irrigated, rainfed; irrigation means what begins like it there. A word that
    asks or that is common in tests is none.
    """
    lowered = [word.lower() for word in rest]
    pairs = [" ".join(pair) for pair in itertools.pairwise(lowered)]
    single = [word for word in lowered if len(word) >= _LEAST_LETTERS and not is_stop_word(word)]
    single = [word for word in single if not is_of_tests(word)]
    asked = {"written": [*pairs, *single], "projects": [one.lower() for one in projects]}
    rows = con.execute(_WRITTEN, asked).fetchall()
    return tuple(str(value) for (value,) in rows)


def _values_of_projects(
    con: duckdb.DuckDBPyConnection, words: Sequence[str], projects: Sequence[str]
) -> tuple[str, ...]:
    """Return the values of tests of ``projects`` that ``words`` write out in several words, or
    as a number: cattle faeces, Pandan Wangi, host 9823.
    """
    if not projects:
        return ()
    lowered = [word.lower() for word in words]
    spans = itertools.combinations(range(len(lowered) + 1), 2)
    phrases = {
        " ".join(lowered[start:end]) for start, end in spans if 1 < end - start <= _MOST_WORDS
    }
    numbers = {word for word in lowered if word.isdigit() and len(word) >= _LEAST_LETTERS}
    asked = {"written": sorted(phrases | numbers), "projects": [one.lower() for one in projects]}
    several = [str(value) for (value,) in con.execute(_OF_PROJECTS, asked).fetchall()]
    if not several:
        return ()
    alternatives = _written_values(con, lowered, projects)
    return tuple(dict.fromkeys([*several, *alternatives]))


def _describes_project(one: Mention, words: Sequence[str], named: Sequence[Mention]) -> bool:
    """Return whether a name only says which project is meant: the bat faeces project PRJEB1."""
    projects = [other.start for other in named if other.group == "bioproject"]
    behind = [start for start in projects if start >= one.end]
    if not behind or behind[0] > len(words):
        return False
    taken = positions(named)
    between = {words[place].lower() for place in range(one.end, behind[0]) if place not in taken}
    return bool(between) and between <= _PROJECT_NOUNS


def _projects(
    con: duckdb.DuckDBPyConnection, named: Sequence[Mention], accessions: Sequence[str]
) -> tuple[str, ...]:
    """Return the projects that are named, and those that only tests know."""
    if not accessions and not any(one.group == "bioproject" for one in named):
        return ()
    asked = [one.label for one in named if one.group == "bioproject"]
    asked += list(accessions)
    query = """
        SELECT DISTINCT bioproject FROM association
        WHERE list_contains(list_transform($1::VARCHAR[], lambda name: lower(name)),
            lower(bioproject)) ORDER BY bioproject
    """
    tested = [str(project) for (project,) in con.execute(query, [asked]).fetchall()]
    held = [one.label for one in named if one.group == "bioproject"]
    return tuple(dict.fromkeys([*tested, *held]))


def _families(con: duckdb.DuckDBPyConnection, named: Sequence[Mention]) -> tuple[str, ...]:
    """Return the families that the viruses ``named`` are, are of, or consist of; their own names
    where none is known, so that no other family answers for them.
    """
    viral = [one for one in named if one.group == "virus"]
    if not viral:
        return ()
    curies = [curie for one in viral for curie in one.curies]
    names = [sense.value or sense.label for one in viral for sense in one.senses]
    names += [one.label for one in viral]
    asked = {"curies": curies, "names": names}
    above = edges_above(con, curies, ("parent", "is_a"), most_steps=12)
    found = rows_over(con, _FAMILIES, {"edge_above": above}, params=asked)["label"].to_list()
    return tuple(found or dict.fromkeys(one.label for one in viral))


_OF_PROJECTS: Final = """
SELECT DISTINCT lower(value) AS written FROM association
WHERE list_contains($projects::VARCHAR[], lower(bioproject))
  AND list_contains($written::VARCHAR[], written)
ORDER BY written
"""
_WRITTEN: Final = f"""
SELECT DISTINCT lower(value) AS written FROM association
WHERE (len($projects::VARCHAR[]) = 0 AND list_contains($written::VARCHAR[], written))
   OR (list_contains($projects::VARCHAR[], lower(bioproject)) AND (
       list_contains($written::VARCHAR[], written)
       OR list_contains(list_transform($written::VARCHAR[], lambda one: one[:{_BEGUN}]),
           written[:{_BEGUN}])
       AND length(written) >= {_BEGUN} AND NOT contains(written, ' ')))
ORDER BY written
"""
_FAMILIES: Final = """
WITH RECURSIVE up AS (
    SELECT unnest($curies::VARCHAR[]) AS curie, 0 AS steps
    UNION
    SELECT e.object, u.steps + 1 FROM up u JOIN edge_above e ON e.subject = u.curie
    WHERE u.steps < 12
),
asked AS (SELECT DISTINCT lower(unnest($names::VARCHAR[])) AS name),
family AS MATERIALIZED (SELECT curie, label FROM term WHERE rank = 'family'),
known AS (
    SELECT f.label FROM up JOIN family f ON f.curie = up.curie
    UNION SELECT f.label FROM closure c JOIN family f ON f.curie = c.descendant
    WHERE list_contains($curies::VARCHAR[], c.ancestor)
    UNION SELECT d.family FROM detection d JOIN asked a ON lower(d.stated) = a.name
    WHERE d.family IS NOT NULL
    UNION SELECT family FROM association JOIN asked a
    ON lower(family) = a.name OR lower(family) = concat(a.name, '(phylum)')
)
SELECT DISTINCT label FROM known WHERE label IS NOT NULL ORDER BY label
"""
