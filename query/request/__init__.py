"""Requests: what is asked of an index, as typed values: a measure of a set of runs.

>>> Request(Count(), of=Carries(Hit("EBV")) & Has("host", "human"))  # doctest: +ELLIPSIS
Request(measure=Count(...), of=And(...))
"""

from __future__ import annotations

from query.request.errors import RequestError
from query.request.fields import RequestField, field_named
from query.request.hits import ANY_HIT, Hit
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
from query.request.records import TABLES
from query.request.request import Request, all_from_json, from_json, json_schema, to_json
from query.request.run_sets import (
    EVERYTHING,
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
    intersect,
    parts_of,
)
from query.request.saying import say, say_all
from query.request.saying_runs import say_hit
from query.request.wording import said_field, said_names, said_range
