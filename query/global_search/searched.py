"""The runs that were searched for the viruses of a question: what a share of them is of.

``index.store.scopes`` says which searches look for a virus. A search without a scope of its own
looks for what its source finds.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Final, NamedTuple

import duckdb

from index.store.same_for_all import same_for_all
from index.store.scopes import SEARCHES_FOR, SEARCHES_OF_FAMILIES
from query.global_search.carrying import equals_any, found_condition, literal
from query.reading.question import Question
from query.reading.senses import Sense

Search = tuple[str, str]
"""A source of detections and one search of it."""


class SearchedFor(NamedTuple):
    """The searches that look for a virus: a SELECT of the runs they looked at, some several times,
    and their sources; ``by_all`` where every search of the index looks for it.
    """

    runs: str
    sources: tuple[str, ...]
    by_all: bool


@same_for_all
def all_searches(con: duckdb.DuckDBPyConnection) -> tuple[Search, ...]:
    """Return every search of the index, in order."""
    return tuple(con.execute(_ALL).fetchall())


def searched_for_any(
    con: duckdb.DuckDBPyConnection, senses: Iterable[Sense], curies: Sequence[str] = ()
) -> SearchedFor | None:
    """Return which runs were searched for any of the viruses ``senses``, or for the taxa ``curies``
    that are found in no run; None where they name no virus.
    """
    found = found_condition(senses)
    if not found and not curies:
        return None
    searches = _searches(con, found, curies)
    hits = f" UNION ALL SELECT run FROM detection WHERE {found}" if found else ""
    listed = ", ".join(f"({literal(source)}, {literal(search)})" for source, search in searches)
    is_one = f"(source, search) IN ({listed})" if searches else "false"
    return SearchedFor(
        runs=f"SELECT run FROM searched WHERE {is_one}{hits}",
        sources=tuple(sorted({source for source, _ in searches})),
        by_all=len(searches) == len(all_searches(con)),
    )


def searched_for_viruses(question: Question, con: duckdb.DuckDBPyConnection) -> SearchedFor | None:
    """Return which runs were searched for the viruses that ``question`` names, ruled out or not;
    None where it names none.
    """
    viral = [one for one in (*question.mentions, *question.reading.without) if one.group == "virus"]
    senses = [*chain.from_iterable(one.senses for one in viral)]
    return searched_for_any(con, senses, [one.curie for one in senses if one.curie])


@same_for_all
def searches_of_families(con: duckdb.DuckDBPyConnection) -> Mapping[str, frozenset[Search]]:
    """Return the searches that look for each virus family that is found anywhere."""
    query = SEARCHES_OF_FAMILIES if _has_scopes(con) else _FINDING_FAMILIES
    searches: dict[str, set[Search]] = {}
    for family, source, search in con.execute(query).fetchall():
        searches.setdefault(str(family), set()).add((str(source), str(search)))
    return {family: frozenset(named) for family, named in searches.items()}


def _searches(
    con: duckdb.DuckDBPyConnection, found: str, curies: Sequence[str]
) -> Sequence[Search]:
    if not _has_scopes(con):
        return con.execute(_FINDING.format(found=found)).fetchall() if found else ()
    named = [*curies, *_lineages(con, curies)]
    if found:
        named += [taxon for (taxon,) in con.execute(_TAXA.format(found=found)).fetchall()]
    taxa = f"SELECT curie FROM term WHERE curie {equals_any(named)}"
    return con.execute(SEARCHES_FOR.format(taxa=taxa)).fetchall()


def _lineages(con: duckdb.DuckDBPyConnection, curies: Sequence[str]) -> Sequence[str]:
    """Return the species of taxa below species that no run holds: they are searched for with it."""
    if not curies:
        return ()
    rows = con.execute(_SPECIES_ABOVE.format(taxa=equals_any(curies))).fetchall()
    return [curie for (curie,) in rows]


@same_for_all
def _has_scopes(con: duckdb.DuckDBPyConnection) -> bool:
    """Return whether the index says what its searches can find."""
    return bool(con.execute("SELECT 1 FROM source_scope LIMIT 1").fetchall())


_ALL: Final = "SELECT DISTINCT source, search FROM searched ORDER BY ALL"
_TAXA: Final = """
SELECT DISTINCT coalesce(taxon, virus) FROM detection
WHERE ({found}) AND coalesce(taxon, virus) IS NOT NULL
"""
_FINDING: Final = """
SELECT DISTINCT source, search FROM searched
WHERE source IN (SELECT source FROM detection WHERE {found}) ORDER BY ALL
"""
_FINDING_FAMILIES: Final = """
SELECT DISTINCT family, source, search
FROM (SELECT DISTINCT family, source FROM detection WHERE family IS NOT NULL) JOIN searched
USING (source)
"""
_SPECIES_ABOVE: Final = """
WITH RECURSIVE above AS (
    SELECT curie FROM term WHERE curie {taxa} AND curie NOT IN (SELECT descendant FROM closure)
    UNION
    SELECT e.object FROM above a JOIN term_edge e ON e.subject = a.curie AND e.predicate = 'parent'
)
SELECT curie FROM above JOIN term USING (curie) WHERE rank = 'species'
"""
