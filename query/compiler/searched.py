"""Which runs were searched for a virus: defined only here.

A run was searched if the scope of one of its searches has the virus, or if the virus was found.
"""

from __future__ import annotations

from typing import Final

import duckdb

from index.store.same_for_all import same_for_each
from index.store.scopes import SEARCHES_FOR
from query.compiler.held import Holdings


def in_scope(holdings: Holdings, sources: str, viruses: tuple[str, ...]) -> str:
    """Return the condition that the search in a row of ``searched`` looked for ``viruses``.

    ``sources`` is the condition that it is of one of the sources asked for. Without ``viruses``,
    any search counts. For names that only sources use, no scope says what was looked for: then only
    runs with such hits are known to be searched.
    """
    if not viruses:
        return sources
    any_of = holdings.parameters.any_of
    searches = _searches(holdings.names.con, holdings.names.viruses(viruses).curies)
    conditions = [f"{any_of('source', (source,))} AND {any_of('search', names)}"
                  for source, names in searches]  # fmt: skip
    return f"({sources} AND ({' OR '.join(conditions) or 'false'}))"


@same_for_each
def _searches(
    con: duckdb.DuckDBPyConnection, taxa: tuple[str, ...]
) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return the searches that have one of ``taxa`` in their scope, by source."""
    found = con.execute(_SEARCHES, [list(taxa)]).fetchall()
    missing = [taxon for (taxon,) in con.execute(_WITHOUT_CLOSURE, [list(taxa)]).fetchall()]
    if missing:  # no run has it
        found += con.execute(_SEARCHES_ABOVE, [missing]).fetchall()
    by_source: dict[str, dict[str, None]] = {}
    for source, search in sorted(found):
        by_source.setdefault(source, {})[search] = None
    return tuple((source, tuple(searches)) for source, searches in by_source.items())


_NAMED: Final = SEARCHES_FOR.format(taxa="SELECT unnest($1::VARCHAR[])")
_SEARCHES: Final = f"SELECT source, search FROM ({_NAMED})"
_WITHOUT_CLOSURE: Final = "SELECT unnest($1::VARCHAR[]) EXCEPT SELECT descendant FROM closure"
_SEARCHES_ABOVE: Final = """
WITH RECURSIVE above AS (
    SELECT unnest($1::VARCHAR[]) AS curie
    UNION SELECT e.object FROM above a JOIN term_edge e ON e.subject = a.curie
    WHERE e.predicate = 'parent'
)
SELECT DISTINCT source, search FROM source_scope WHERE below AND virus IN (FROM above)
"""
