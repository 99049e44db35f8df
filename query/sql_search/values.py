"""SQL of what the matching runs state or carry: ``run, facet, value``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from index.facets import FACET
from query.global_search.carrying import equals_any, literal
from query.reading.measured.selects import OF_HITS, VALUES

_FOUND: Final = {"species": "stated", "family": "family"}


def stated_values(facets: Sequence[str], *, of_virus: str = "", runs: str = "matched") -> str:
    """Return a SELECT of ``run, facet, value`` of the runs in the query ``runs``.

    ``of_virus`` is a condition on detections: only the viruses it holds for are values. Of places
    the country counts, which every finer place states as well.
    """
    selects = []
    origin = {one: FACET[one].origin if one in FACET else "measured" for one in facets}
    annotated = [one for one in facets if origin[one] == "annotation"]
    if annotated:
        country = " AND NOT (facet = 'geography' AND contains(value, ':'))"
        if annotated == ["geography"]:
            country = " AND NOT contains(value, ':')"
        finer = country if "geography" in annotated else ""
        where = f"facet {equals_any(annotated)}{finer}"
        selects.append(f"SELECT run, facet, value FROM annotation SEMI JOIN {runs} USING (run)\n"
                       f"WHERE {where}")  # fmt: skip
    for facet in facets:
        if origin[facet] == "detection":
            selects.append(_found(facet, of_virus, runs))
        if origin[facet] == "run":
            selects.append(_of_run(facet, runs))
        if origin[facet] == "measured":
            selects.append(_measured(facet, of_virus if facet in OF_HITS else "", runs))
    return "\nUNION ALL\n".join(selects)


def _found(facet: str, of_virus: str, runs: str) -> str:
    column = _FOUND[facet]
    condition = f" AND ({of_virus})" if of_virus else ""
    return (
        f"SELECT run, {literal(facet)} AS facet, {column} AS value\n"
        f"FROM detection SEMI JOIN {runs} USING (run)\nWHERE {column} IS NOT NULL{condition}"
    )


def _measured(facet: str, of_virus: str, runs: str) -> str:
    condition = f" WHERE {of_virus}" if of_virus else ""
    return (
        f"SELECT run, {literal(facet)} AS facet, value\n"
        f"FROM ({VALUES[facet]}{condition}) SEMI JOIN {runs} USING (run)"
    )


def _of_run(facet: str, runs: str) -> str:
    return (
        f"SELECT run, {literal(facet)} AS facet, {facet} AS value\n"
        f"FROM run SEMI JOIN {runs} USING (run) WHERE {facet} IS NOT NULL"
    )
