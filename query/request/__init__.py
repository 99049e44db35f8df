"""Requests: what is asked of an index, as typed values: a measure of a set of runs.

>>> Request(Count(), of=Carries(Hit("EBV")) & Has("host", "human"))  # doctest: +ELLIPSIS
Request(measure=Count(...), of=And(...))
"""

from __future__ import annotations

from query.request.errors import RequestError
from query.request.hits import Hit
from query.request.measures import (
    Compare,
    Count,
    Describe,
    Evidence,
    Exists,
    Like,
    Measure,
    Predicted,
    Records,
    Rows,
    Share,
    SortBy,
    Summary,
    Values,
    Where,
)
from query.request.names import Range
from query.request.request import Request, all_from_json, from_json, json_schema, to_json
from query.request.run_sets import (
    And,
    Between,
    Carries,
    Everything,
    Has,
    Mentions,
    Not,
    Or,
    RunSet,
    Searched,
    Top,
)
from query.request.saying import say, say_all
