"""SQL of the runs that carry what a question names: one SELECT for each group of names.

Headlines count these runs, and ``query sql`` shows and runs the same text. Each SELECT can be
copied: names are literals, and only the tables that a name is held in are read.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from index.facets import FACETS
from index.store.scopes import SEARCHES_FOR
from query.reading.measured.selects import (
    MEASURED_FACETS,
    QUALITIES,
    hits_measured,
    runs_measured,
)
from query.reading.mentions import GROUP_OF_FACET
from query.reading.senses import (
    GENOME_RUNS,
    HEALTHY_RUNS,
    RECORDED_RUNS,
    Sense,
    is_of_genome,
    is_recorded_in,
    titled_sql,
)

_RUN_COLUMNS: Final = {
    "bioproject": "bioproject",
    "study": "study",
    "biosample": "biosample",
    "runId": "run",
}
"""Facets that are a column of the table ``run``."""
_FOUND_COLUMNS: Final = {"species": "stated", "family": "family", "phylum": "phylum"}
"""Facets that are a column of the table ``detection``."""

LOOKED: Final = "SELECT run FROM searched UNION SELECT run FROM detection"
"""SELECT of the runs that were searched for viruses."""
SEARCHED: Final = "SELECT run FROM searched UNION ALL SELECT run FROM detection"
"""The same runs, some of them several times: cheaper where only membership counts."""


def looked_for(found: str) -> str:
    """Return a SELECT of the runs that were searched for the viruses of the condition ``found`` on
    a row of ``detection``; of all searched runs where it is empty, or the index states no scopes.
    """
    if not found:
        return LOOKED
    taxa = f"SELECT coalesce(taxon, virus) FROM detection WHERE {found}"
    return _LOOKED_FOR.format(searches=SEARCHES_FOR.format(taxa=taxa).strip(), found=found)


_LOOKED_FOR: Final = """\
SELECT run FROM searched SEMI JOIN (
{searches}
) USING (source, search)
UNION SELECT run FROM searched WHERE NOT EXISTS (SELECT 1 FROM source_scope)
UNION SELECT run FROM detection WHERE {found}"""
OF_SOURCES: Final = ("detection", "searched")
"""Tables whose rows are of a source."""


def of_source(table: str, source: str) -> str:
    """Return a SELECT of the rows of ``table`` that are of ``source``."""
    return f"SELECT * FROM {table} WHERE source = {literal(source)}"


def runs_carrying(senses: Iterable[Sense]) -> str:
    """Return a SELECT of ``run``, distinct, of the runs that carry any of ``senses``.

    A term is carried by runs annotated with it or with a term below it.

    >>> print(runs_carrying([Sense("family", "Flaviviridae", 3, value="Flaviviridae")]))
    SELECT DISTINCT run FROM detection WHERE family = 'Flaviviridae'
    """
    senses = list(senses)
    if any(one.facet in QUALITIES for one in senses):
        return f"SELECT DISTINCT run FROM detection WHERE {found_condition(senses)}"
    terms: dict[str, list[str]] = {}
    values: dict[str, list[str]] = {}
    for sense in senses:
        if sense.curie is not None:
            terms.setdefault(sense.facet, []).append(sense.curie)
        if sense.value is not None:
            values.setdefault(sense.facet, []).append(sense.value)
    selects = [_with_terms(facet, curies) for facet, curies in terms.items() if facet in FACETS]
    selects += [_with_values(facet, named) for facet, named in values.items()]
    return "\nUNION ".join(selects) or "SELECT DISTINCT run FROM run WHERE false"


def runs_known_without(group: str, senses: Sequence[Sense]) -> str:
    """Return a SELECT of the runs known to carry none of ``senses``, which are of ``group``.

    They were searched for such a virus, or state another value of ``group``: of organisms a host,
    or an environment where one is ruled out, for a library of a virus says nothing of either.
    """
    ruled_out = runs_carrying(senses)
    if group == "virus":
        looked = looked_for(found_condition(senses))
        return f"SELECT DISTINCT run FROM ({looked}) WHERE run NOT IN ({ruled_out})"
    facets = [facet for facet in facets_of_group(group) if facet in FACETS]
    if group == "organism":
        metagenome = any(sense.facet == "environment" for sense in senses)
        facets = ["environment" if metagenome else "host"]
    stating = f"facet {equals_any(facets)}"
    return f"SELECT DISTINCT run FROM annotation WHERE {stating} AND run NOT IN ({ruled_out})"


def found_condition(senses: Iterable[Sense]) -> str:
    """Return the condition on a row of ``detection``: it is of one of the viruses ``senses``.

    It is empty where no sense is a name of detections. What hits must be like, and the risk group
    of a virus, hold beside the names.
    """
    named: dict[str, list[str]] = {}
    for sense in senses:
        if sense.value:
            values = named.setdefault(sense.facet, [])
            values.append(sense.value)
    columns = [facet for facet in _FOUND_COLUMNS if facet in named]
    conditions = [f"{_FOUND_COLUMNS[facet]} {equals_any(named[facet])}" for facet in columns]
    if "genome" in named:
        conditions.append(_is_of_genome(named["genome"]))
    conditions += [_is_recorded(hosts) for hosts in named.get("recorded", ())]
    either = " OR ".join(conditions)
    qualities = [hits_measured(facet, named[facet]) for facet in QUALITIES if facet in named]
    if not qualities:
        return either
    return " AND ".join([*([f"({either})"] if either else []), *qualities])


def _is_of_genome(values: Sequence[str]) -> str:
    """Return the condition on a row of ``detection`` that its virus has such a genome."""
    return f"virus IN (SELECT virus FROM virus WHERE {_is_of_any(values)})"


def _is_recorded(hosts: str) -> str:
    """Return the condition on a row of ``detection`` that ICTV states such hosts of its virus."""
    return f"virus IN (SELECT virus FROM virus WHERE {is_recorded_in(hosts)})"


def _is_of_any(genomes: Sequence[str]) -> str:
    return " OR ".join(f"({is_of_genome(one)})" for one in genomes)


def facets_of_group(group: str) -> tuple[str, ...]:
    """Return the facets that belong to ``group``."""
    owned = []
    for facet, owner in GROUP_OF_FACET.items():
        if owner == group:
            owned.append(facet)
    return tuple(owned)


def equals_any(values: Sequence[str]) -> str:
    """Return the condition that a column is one of ``values``, for behind its name.

    >>> equals_any(["lung"]), equals_any(["crow's nest", "lung"])
    ("= 'lung'", "IN ('crow''s nest', 'lung')")
    """
    distinct = [literal(value) for value in dict.fromkeys(values)]
    if len(distinct) == 1:
        return f"= {distinct[0]}"
    listed = ", ".join(distinct)
    return f"IN ({listed or 'NULL'})"


def literal(text: str) -> str:
    """Return ``text`` as a literal of SQL."""
    escaped = text.replace("'", "''")
    return f"'{escaped}'"


def _with_terms(facet: str, curies: Sequence[str]) -> str:
    named = equals_any(curies)
    below = f"SELECT descendant FROM closure WHERE ancestor {named}"
    condition = f"(curie {named} OR curie IN ({below}))"
    return f"SELECT DISTINCT run FROM annotation WHERE facet = {literal(facet)} AND {condition}"


def _with_values(facet: str, values: Sequence[str]) -> str:
    named = equals_any(values)
    if facet in _FOUND_COLUMNS:
        return f"SELECT DISTINCT run FROM detection WHERE {_FOUND_COLUMNS[facet]} {named}"
    if facet == "community":
        return f"SELECT DISTINCT entity AS run FROM community_member WHERE community {named}"
    if facet in _RUN_COLUMNS:
        return f"SELECT DISTINCT run FROM run WHERE {_RUN_COLUMNS[facet]} {named}"
    if facet == "health":
        return HEALTHY_RUNS
    if facet == "genome":
        return _of_genome(values)
    if facet == "recorded":
        any_of_them = " OR ".join(f"({is_recorded_in(hosts)})" for hosts in values)
        return f"SELECT DISTINCT run FROM ({RECORDED_RUNS}) WHERE {any_of_them}"
    if facet in MEASURED_FACETS:
        return runs_measured(facet, values)
    if facet == "title":
        return f"SELECT DISTINCT run FROM ({titled_sql(values)})"
    return f"SELECT DISTINCT run FROM annotation WHERE facet = {literal(facet)} AND value {named}"


def _of_genome(values: Sequence[str]) -> str:
    return f"SELECT DISTINCT run FROM ({GENOME_RUNS}) WHERE {_is_of_any(values)}"
