"""What each part of a question may ask: its requests, the likeliest first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import duckdb
from pydantic import ValidationError

from query.reading.accessions import accessions_in, described_accession
from query.reading.composing import composed
from query.reading.deciding import MOST_CHOICES, PLAIN, DraftedPart, MeasureDraft
from query.reading.following import unchanged_set, whole_set
from query.reading.items import Item
from query.reading.measures import REFUSE, likely_measures
from query.reading.parts import leans_on, points_back
from query.reading.stored import asks_for_records, stored_request
from query.request import Request, RunSet, Values


def drafted_parts(
    con: duckdb.DuckDBPyConnection, parts: Sequence[Sequence[Item]]
) -> list[DraftedPart]:
    """Return the requests that each part may make; it may be about the runs of the part before."""
    drafted: list[DraftedPart] = []
    before: Request | None = None
    for items in parts:
        if before is not None and points_back(items) and whole_set(before) is None:
            drafted.append(DraftedPart(tuple(items), (), 0.0))  # a single run makes no set
            continue
        runs = _runs_before(before, items)
        ranked = likely_measures(items)
        refused = next(share for measure, share in ranked if measure == REFUSE)
        likeliest, its_share = ranked[0]
        is_stored = asks_for_records(items) or (likeliest == "records" and its_share >= PLAIN)
        drafts = [MeasureDraft(one, "values", 1.0) for one in _greatest(before, items)]
        for stored in () if drafts else (True, False) if is_stored else (False,):
            for measure, share in ranked:
                request = _request(con, items, measure, runs, before=before, is_stored=stored)
                if request is not None and len(drafts) < MOST_CHOICES:
                    drafts.append(MeasureDraft(request, measure, 1.0 if stored else share))
            if drafts:
                is_stored = stored
                break
        loose = () if is_stored and drafts else tuple(items)
        drafted.append(DraftedPart(loose, tuple(drafts), 0.0 if is_stored else refused))
        before = drafts[0].request if drafts else before
    return drafted


def _greatest(before: Request | None, items: Sequence[Item]) -> list[Request]:
    """Return the greatest of the values listed before, for "which has most runs"."""
    tags = {item.value for item in items}
    names = any(item.kind in ("name", "field", "number") and item.text != "one" for item in items)
    if names or not {"wh", "top"} <= tags or before is None:
        return []
    measure = before.measure
    return (
        [replace(before, measure=replace(measure, limit=1))] if isinstance(measure, Values) else []
    )


def _runs_before(before: Request | None, items: Sequence[Item]) -> RunSet | None:
    """Return the runs of the request ``before`` that a part is about, too."""
    if before is None:
        return None
    if points_back(items):
        return whole_set(before)
    return unchanged_set(before, items) if leans_on(items) else None


def _request(
    con: duckdb.DuckDBPyConnection,
    items: Sequence[Item],
    measure: str,
    runs: RunSet | None,
    *,
    before: Request | None,
    is_stored: bool,
) -> Request | None:
    """Return what a part asks as a measure of the kind ``measure``; None if it cannot be one."""
    if measure == REFUSE:
        return None
    if is_stored or measure == "records":
        return stored_request(con, list(items), before) if measure == "records" else None
    if measure == "describe" and accessions_in(items):
        return described_accession(items)
    try:
        return composed(items, measure, runs)
    except ValidationError:  # words that make no valid request
        return None
