"""Which runs were searched for a virus: defined only here.

A run was searched if the scope of one of its searches has the virus, or if the virus was found.
"""

from __future__ import annotations

from typing import Final

import duckdb

from index.store.same_for_all import same_for_all, same_for_each
from index.store.scopes import SEARCHES_FOR
from query.compiler.held import Holdings


def in_scope(holdings: Holdings, sources: tuple[str, ...], viruses: tuple[str, ...]) -> str:
    """Return the condition that a search of ``sources`` that looked at a run looks for ``viruses``.

    Without ``sources`` or ``viruses``, any search counts. For names that only sources use, no scope
    says what was looked for: then only runs with such hits are known to be searched.
    """
    if not sources and not viruses:
        return "searches IS NOT NULL"
    con = holdings.names.con
    searches = _searches(con, holdings.names.viruses(viruses).curies) if viruses else _all(con)
    if sources:
        wanted = holdings.sources(sources)
        searches = tuple(search for search in searches if search[0].lower() in wanted)
    parts = (holdings.parameters.bind(f"|{source}/{search}|") for source, search in searches)
    return " OR ".join(f"contains(searches, {part})" for part in parts) or "false"


@same_for_all
def _all(con: duckdb.DuckDBPyConnection) -> tuple[tuple[str, str], ...]:
    return tuple(
        con.execute("SELECT DISTINCT source, search FROM searched ORDER BY ALL").fetchall()
    )


@same_for_each
def _searches(con: duckdb.DuckDBPyConnection, taxa: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """Return the searches that have one of ``taxa`` in their scope, with their source."""
    found = con.execute(_SEARCHES, [list(taxa)]).fetchall()
    missing = [taxon for (taxon,) in con.execute(_WITHOUT_CLOSURE, [list(taxa)]).fetchall()]
    if missing:  # no run has it
        found += con.execute(_SEARCHES_ABOVE, [missing]).fetchall()
    return tuple(sorted(set(found)))


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
