"""Answers from the whole index: communities, reports and associations for the runs of a request;
map and reduce with a model.
"""

from __future__ import annotations

from query.global_search.interpreting import interpreted, planned
from query.global_search.planning import AnswerPlan, PricedPlan
from query.global_search.selecting import CommunityEvidence, communities_of

__all__ = [
    "AnswerPlan",
    "CommunityEvidence",
    "PricedPlan",
    "communities_of",
    "interpreted",
    "planned",
]
