"""A virus that no source distinguishes from its species: the species is answered instead."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import duckdb

from query.compiler import Result, run
from query.compiler.virus_names import Standing, is_distinguished, standing_of
from query.request import Request, from_json
from query.request.request import to_json


def species_instead(con: duckdb.DuckDBPyConnection, result: Result) -> dict[str, Standing]:
    """Return the names of viruses below a species that no source names, and where they stand.

    Sources name species; a strain, an isolate or a serotype is then in none of their hits.
    """
    tally = result.tally
    if tally is None or tally.positive:
        return {}
    wider = {}
    for name in result.names:
        if name.kind != "virus" or name.curie is None or is_distinguished(con, name.curie):
            continue
        standing = standing_of(con, name.curie)
        if standing is not None and standing.species not in (None, name.curie):
            wider[name.text] = standing
    return wider


def widened(request: Request, wider: Mapping[str, str]) -> Request:
    """Return ``request`` with viruses replaced by their species."""
    return from_json(_replaced(to_json(request), wider))


def _replaced(part: Any, wider: Mapping[str, str]) -> Any:
    if isinstance(part, dict):
        return {
            key: [wider.get(name, name) for name in value]
            if key == "virus"
            else _replaced(value, wider)
            for key, value in part.items()
        }
    return [_replaced(value, wider) for value in part] if isinstance(part, list) else part


def widened_result(
    con: duckdb.DuckDBPyConnection, result: Result
) -> tuple[Result, dict[str, Standing]] | None:
    """Return the result for the species of a virus and what it replaces; None for no difference."""
    wider = species_instead(con, result)
    if not wider:
        return None
    species = {name: str(standing.species) for name, standing in wider.items()}
    found = run(con, widened(result.request, species))
    if found.tally is None or not found.tally.positive:
        return None
    return found, wider
