"""A virus that no source distinguishes from its species: the species is answered instead."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import duckdb

from query.compiler import Result, run
from query.compiler.virus_names import Standing, is_distinguished, standing_of
from query.request import from_json
from query.request.request import to_json


def widened_result(
    con: duckdb.DuckDBPyConnection, result: Result
) -> tuple[Result, dict[str, Standing]] | None:
    """Return the result for the species of viruses below one that no source names, and where these
    stand; None where the request is answered as it is.

    Sources name species; a strain, an isolate or a serotype is then in none of their hits.
    """
    if result.tally is None or result.tally.positive:
        return None
    wider: dict[str, Standing] = {}
    for name in result.names:
        if name.kind != "virus" or name.curie is None or is_distinguished(con, name.curie):
            continue
        standing = standing_of(con, name.curie)
        if standing is not None and standing.species not in (None, name.curie):
            wider[name.text] = standing
    if not wider:
        return None
    species = {name: str(standing.species) for name, standing in wider.items()}
    found = run(con, from_json(_replaced(to_json(result.request), species)))
    return (found, wider) if found.tally is not None and found.tally.positive else None


def _replaced(part: Any, wider: Mapping[str, str]) -> Any:
    """Return a request as JSON with viruses replaced by their species."""
    if isinstance(part, list):
        return [_replaced(value, wider) for value in part]
    if not isinstance(part, dict):
        return part
    return {
        key: [wider.get(name, name) for name in value]
        if key == "virus"
        else _replaced(value, wider)
        for key, value in part.items()
    }
