"""Communities, reports and associations for the runs of a request; map and reduce with a model."""

from __future__ import annotations

from query.communities.interpreting import interpreted, planned
from query.communities.planning import AnswerPlan, PricedPlan
from query.communities.selecting import CommunityEvidence, communities_of

__all__ = [
    "AnswerPlan",
    "CommunityEvidence",
    "PricedPlan",
    "communities_of",
    "interpreted",
    "planned",
]
