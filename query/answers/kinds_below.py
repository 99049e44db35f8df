"""A note on tissues and diseases that are counted mostly by the kinds below them: lcl, cancer."""

from __future__ import annotations

from typing import Final

import duckdb

from index.claims import Claim, WithKindsBelow
from index.store.same_for_all import same_for_each
from query.answers.drafting import Answering
from query.compiler.flags import leaves
from query.request import Has
from query.request.fields import field_named

_FACETS: Final = ("tissue", "disease")


def kinds_below(context: Answering) -> list[Claim]:
    """Return with how many kinds below it each tissue and disease of the request counts.

    It is said where less than half of its runs state the term itself.
    """
    claims: list[Claim] = []
    tally = context.result.tally
    if tally is not None and not tally.runs:
        return claims
    for leaf, _ in leaves(context.request.of):
        if not isinstance(leaf, Has) or not leaf.below or leaf.contains is not None:
            continue
        field = field_named(leaf.field)
        for name in leaf.values if field.facet in _FACETS else ():
            curie = context.names.curie(name, field.said)
            runs, itself, kinds = _counted(context.con, field.facet, curie or "")
            if 2 * itself < runs:
                called = context.names.called(name, field.said)
                claims.append(WithKindsBelow(name=called, kinds=kinds))
    return claims


@same_for_each
def _counted(con: duckdb.DuckDBPyConnection, facet: str, curie: str) -> tuple[int, int, int]:
    """Return the runs of a term, those that state it itself, and the kinds below it that are."""
    ((runs, itself, kinds),) = con.execute(_COUNTED, [facet, curie]).fetchall()
    return int(runs), int(itself), int(kinds)


_COUNTED: Final = """
SELECT count(DISTINCT run), count(DISTINCT run) FILTER (curie = $2),
       count(DISTINCT curie) FILTER (curie <> $2)
FROM annotation JOIN closure ON descendant = curie WHERE facet = $1 AND ancestor = $2
"""
