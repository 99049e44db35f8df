"""Communities, reports and associations for the runs of a request; map and reduce with a model."""

from __future__ import annotations

from query.communities.selecting import CommunityEvidence, communities_of

__all__ = ["CommunityEvidence", "communities_of"]
