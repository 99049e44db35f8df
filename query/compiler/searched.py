"""Which runs were searched for a virus: the one place that says so.

A run is searched where a source looked at it in whose scope the virus is, or where it was found.
"""

from __future__ import annotations

from query.compiler.held import Holdings


def in_scope(holdings: Holdings, sources: str, viruses: tuple[str, ...]) -> str:
    """Return the condition on a row of ``searched`` that its source looked for ``viruses``.

    ``sources`` is the condition that it is one of the sources asked for. Without ``viruses`` any
    search counts. An index does not say yet what its sources look for, so that each counts for
    every virus.
    """
    del holdings, viruses
    return sources
