"""The tests of association that a question asks for, one row of all that compare the same groups.

A value counts with every term below it: a leaf is also a flag leaf, a bat also Eidolon dupreanum;
and where a short text holds it as a word. Abbreviations of what is below it do not count.
Attributes are those that describe a facet by their name, or whose values were grounded in it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final

from index.reports.phrases import SIGNIFICANT_Q
from ontology_etl.curies import NCBI_TAXON, ontology_of
from query.answer import Association
from query.global_search.evidence import (
    AS_NUMBER,
    ASSOCIATION_COLUMNS,
    COMPARED,
    WITH_COMBINED,
    read_association,
)
from query.global_search.matched_runs import MatchedRuns
from query.reading.asked.associations import AssociationsAsked
from query.reading.intent import singular
from query.reading.mentions import Mention
from query.reading.names.labels import LABELS

_FACET_ATTRIBUTES: Final = {
    "tissue": r"\b(?:tissues?|organ|body ?site|cell (?:type|line))\b",
    "host": r"^(?:specific )?host(?: (?:common|scientific) ?name| tax ?id| from .*)?$"
    r"|^organism\b|^(?:common|scientific) name$|^species$",
    "disease": r"\b(?:disease|diagnosis|health state)\b",
    "sex": r"\b(?:sex|gender)\b",
    "geography": r"\b(?:geo(?:graphic)?|country|lat lon|region|location)\b",
    "environment": r"^env\b|\b(?:environment|biome|isolation source)\b",
    "biome": r"^env\b|\bbiome\b",
}
"""Facet -> what the attributes that describe it are called, blanks for underscores."""
_NOTHING: Final = "$^"


@dataclass(frozen=True, slots=True)
class TestedRow:
    """A test, whether its project has runs in the index, and what is the same test: attributes and
    values of the ``same`` samples, and of the ``others`` that these are compared with.
    """

    test: Association
    has_runs: bool
    same: tuple[str, ...] = ()
    others: tuple[str, ...] = ()


@dataclass(frozen=True)
class Tests:
    """The tests that were asked for, those that hold first, the strongest of them first.

    Tests that hold and have no flag come before flagged ones. ``stored`` rows of the table are
    meant, and ``stored_holding`` of them hold: rows that compare the same samples are one test.
    """

    rows: tuple[TestedRow, ...]
    stored: int = 0
    stored_holding: int = 0
    most_q: float = SIGNIFICANT_Q

    @cached_property
    def all(self) -> list[Association]:
        """Every test."""
        return [row.test for row in self.rows]

    @cached_property
    def holding(self) -> list[Association]:
        """Those that hold after correction, with a q value of ``most_q`` or less."""
        tested = [one for one in self.all if one.q_value is not None]
        return [one for one in tested if (one.q_value or 0.0) <= self.most_q]

    @cached_property
    def row_of(self) -> dict[Association, TestedRow]:
        """The row of each test."""
        return {row.test: row for row in self.rows}

    @cached_property
    def flagged(self) -> list[Association]:
        """Those that hold and have a flag."""
        return [one for one in self.holding if one.flag]

    @cached_property
    def uncorrected(self) -> list[Association]:
        """Those that were too thin to be tested, so that they have no q value."""
        return [one for one in self.all if one.q_value is None]

    @cached_property
    def elsewhere(self) -> list[str]:
        """Projects that no run of the index is of: their tests are imported."""
        return sorted({row.test.bioproject for row in self.rows if not row.has_runs})

    def most(self, column: str) -> list[tuple[str, int]]:
        """Return the values of a ``column`` of those that hold, with how many hold, most first."""
        counts = Counter(str(getattr(one, column)) for one in self.holding)
        return sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))


def select_tests(matched: MatchedRuns, asked: AssociationsAsked) -> Tests:
    """Return the tests that ``asked`` means, of all projects."""
    conditions = _conditions(asked)
    curies = [curie for one in asked.values for curie in _curies(one)]
    parameters: dict[str, object] = {"curies": curies, "most_q": asked.most_q}
    for needed in conditions.values():
        parameters |= needed
    taxa = any(ontology_of(curie) == NCBI_TAXON for curie in curies)
    query = _SELECTED.format(
        labels=LABELS,
        terms="term" if taxa else _TERMS_APART,
        edges="term_edge" if taxa else _EDGES_APART,
        conditions="\n  AND ".join(["true", *conditions]),
    )
    rows = matched.rows(query, parameters)
    tests = [_tested(row) for row in rows]
    stored, holding = rows[0][-3:-1] if rows else (0, 0)
    ranked = sorted(tests, key=_strongest)
    return Tests(tuple(ranked), int(stored), int(holding), asked.most_q)


def _tested(row: Sequence[Any]) -> TestedRow:
    """Return the test of a row of ``_SELECTED``."""
    test = read_association(row)
    own = f"{test.attribute} = {test.value}"
    less = (test.fold_change or 0.0) < 0
    named = dict.fromkeys((str(one["named"]), bool(one["less"]) == less) for one in row[-1])
    same = tuple(name for name, is_same in named if is_same and name != own)
    others = tuple(name for name, is_same in named if not is_same)
    return TestedRow(test, bool(row[-4]), same, others)


def select_either_way(matched: MatchedRuns, asked: AssociationsAsked) -> Tests:
    """Return the tests that ``asked`` means, whether there is more or less of the family."""
    return select_tests(matched, replace(asked, direction="either"))


def tests_of_families(matched: MatchedRuns, asked: AssociationsAsked) -> Tests:
    """Return the tests of the families and projects that ``asked`` means, whatever they compare."""
    wider = replace(asked, facets=(), attributes=(), values=(), written=(), direction="either")
    return select_tests(matched, wider)


def names_of_values(values: Iterable[Mention]) -> list[str]:
    """Return how ``values`` are written, in lower case, singular and as the question has them."""
    names = []
    for one in values:
        plain = one.text.removeprefix("species of ")
        names += [one.label.lower(), plain.lower(), singular(one.label), singular(plain)]
    return list(dict.fromkeys(names))


def _strongest(row: TestedRow) -> tuple[bool, bool, float, float, str, str, str]:
    test = row.test
    q_value = 2.0 if test.q_value is None else test.q_value
    change = abs(test.fold_change or 0.0)
    flagged = test.flag is not None
    return (
        not test.significant,
        flagged,
        q_value,
        -change,
        test.bioproject,
        test.attribute,
        test.value,
    )


def _conditions(asked: AssociationsAsked) -> dict[str, dict[str, object]]:
    """Return each condition on a test that ``asked`` means, with its parameters."""
    conditions: dict[str, dict[str, object]] = {}
    if asked.families:
        families = [one.lower() for one in asked.families]
        conditions[_OF_FAMILIES] = {"families": families}
    if asked.projects:
        projects = [one.lower() for one in asked.projects]
        conditions[_OF_PROJECTS] = {"projects": projects}
    if asked.attributes:
        conditions[_OF_ATTRIBUTES] = {"attributes": list(asked.attributes)}
    if asked.facets:
        patterns = [_FACET_ATTRIBUTES.get(facet, _NOTHING) for facet in asked.facets]
        described = "|".join(patterns)
        conditions[_OF_FACETS] = {"facets": list(asked.facets), "described": described}
    if asked.values and asked.written:
        conditions[_OF_PROJECTS_WITH] = {}
    elif asked.values:
        names = names_of_values(asked.values)
        conditions[_OF_VALUES] = {"names": names, "written": _as_words(names)}
    if asked.written:
        conditions[_OF_WRITTEN] = {"written_values": list(asked.written)}
    if asked.flag is not None:
        conditions[asked.flag.condition] = {}
    if asked.direction != "either":
        conditions["fold_change > 0" if asked.direction == "more" else "fold_change < 0"] = {}
    return conditions


def _as_words(names: Sequence[str]) -> str:
    """Return the pattern of texts that hold one of ``names`` as whole words, plural or not."""
    escaped = "|".join(re.escape(name) for name in names)
    return rf"(?:^|[^[:alnum:]])(?:{escaped})s?(?:$|[^[:alnum:]])"


def _curies(one: Mention) -> list[str]:
    """Return the terms of ``one``, those of its senses where it is read as several."""
    senses = [sense.curie for sense in one.senses if sense.curie]
    return [*one.curies, *senses]


def written_values(tests: Sequence[Association], asked: AssociationsAsked) -> list[str]:
    """Return the values of ``tests`` that are not written as the question has them."""
    names = names_of_values(asked.values)
    values = [one.value for one in tests if singular(one.value) not in names]
    return list(dict.fromkeys(values))


_OF_WRITTEN: Final = "list_contains($written_values::VARCHAR[], lower(value))"
_OF_FAMILIES: Final = "list_contains($families::VARCHAR[], lower(family))"
_OF_PROJECTS: Final = "list_contains($projects::VARCHAR[], lower(bioproject))"
_OF_PROJECTS_WITH: Final = """
  bioproject IN (
      SELECT bioproject FROM run JOIN annotation USING (run) WHERE curie IN (FROM below))
"""
"""Beside values as tests write them, a name says of which samples the tests are."""
_OF_ATTRIBUTES: Final = "list_contains($attributes::VARCHAR[], attribute)"
_OF_FACETS: Final = """
  (regexp_matches(replace(lower(attribute), '_', ' '), $described)
   OR (attribute, value) IN (
       SELECT attribute, text FROM annotation
       WHERE list_contains($facets::VARCHAR[], facet) AND attribute IS NOT NULL))
"""
_OF_VALUES: Final = """
  (list_contains($names::VARCHAR[], lower(value))
   OR curie IN (FROM below)
   OR lower(value) IN (FROM value_below)
   OR lower(value) IN (SELECT name FROM name_below WHERE length(name) >= 4)
   OR (contains(lower(attribute), 'tax') AND concat('NCBITaxon:', value) IN (FROM below))
   OR (length(value) <= 60 AND regexp_matches(lower(value), $written)
       AND lower(value) NOT IN (FROM name_apart)))
"""
# Nothing of the taxonomy leads to a term of another ontology, so that it is left out where no taxon
# is asked for. Two bounds were read faster than one condition with OR.
_TERMS_APART: Final = "(SELECT * FROM term WHERE ontology <> 'NCBITaxon')"
_EDGES_APART: Final = """(
    SELECT * FROM term_edge WHERE subject < 'NCBITaxo'
    UNION ALL SELECT * FROM term_edge WHERE subject >= 'NCBITaxp'
)"""
_SELECTED: Final = f"""
WITH RECURSIVE value_term AS MATERIALIZED (
    SELECT DISTINCT lower(t.label) AS name, t.curie FROM {{terms}} t
    WHERE len($curies::VARCHAR[]) > 0
      AND lower(t.label) IN (SELECT lower(value) FROM association)
),
up AS (
    SELECT name, curie FROM value_term
    UNION
    SELECT u.name, e.object FROM up u JOIN {{edges}} e ON e.subject = u.curie
),
value_below AS MATERIALIZED (
    SELECT DISTINCT name FROM up WHERE list_contains($curies::VARCHAR[], curie)
),
below AS MATERIALIZED (
    SELECT unnest($curies::VARCHAR[]) AS curie
    UNION SELECT descendant FROM closure WHERE list_contains($curies::VARCHAR[], ancestor)
),
name_below AS MATERIALIZED (
    SELECT lower(label) AS name FROM ({{labels}}) JOIN below USING (curie)
    UNION SELECT lower(synonym) FROM synonym JOIN below USING (curie)
),
name_apart AS MATERIALIZED (
    SELECT lower(name) FROM (
        SELECT label AS name, curie FROM ({{labels}}) UNION ALL SELECT synonym, curie FROM synonym
    )
    WHERE len($curies::VARCHAR[]) > 0 AND curie NOT IN (FROM below)
      AND lower(name) IN (SELECT lower(value) FROM association)
),
chosen AS (
    SELECT *, count(*) OVER () AS stored,
        count(*) FILTER (q_value <= $most_q) OVER () AS stored_holding,
        list_sort(list({{{{'named': concat(attribute, ' = ', value),
            'less': coalesce(fold_change < 0, false)}}}}) OVER (PARTITION BY {COMPARED})) AS same
    FROM ({WITH_COMBINED})
    WHERE {{conditions}}
    QUALIFY row_number() OVER (
        PARTITION BY {COMPARED}
        ORDER BY q_value NULLS LAST, contains(coalesce(flag, ''), 'duplicate'),
            flag IS NOT NULL, source <> 'computed', fold_change < 0,
            {AS_NUMBER}, len(value), attribute, value
    ) = 1
)
SELECT {ASSOCIATION_COLUMNS}, bioproject IN (SELECT bioproject FROM run), stored, stored_holding,
    same
FROM chosen
"""
