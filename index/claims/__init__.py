"""Claims: the one way in which a number becomes words, in answers and in reports.

>>> Found(subject="EBV", number=3, where="from bats", searched=25).sentence()
'EBV is found in 3 runs from bats, 12% of the 25 that were searched for it.'
"""

from __future__ import annotations

from index.claims.associations import Association, Effect, Held
from index.claims.claim import Claim, Number
from index.claims.comparisons import Alike, AtSpecies, Compared, Fisher, Side
from index.claims.counts import (
    RUN,
    Counted,
    Found,
    Holding,
    NeverSearched,
    NotFound,
    NotToldApart,
    Noun,
    ShareOf,
    Supported,
    Unknown,
)
from index.claims.measures import Summarised
from index.claims.ranks import Dominating, Listed, Place, Ranking, Renamed, Unexpected, number_text
from index.claims.texts import Answered, Portrait

__all__ = [
    "RUN",
    "Alike",
    "Answered",
    "Association",
    "AtSpecies",
    "Claim",
    "Compared",
    "Counted",
    "Dominating",
    "Effect",
    "Fisher",
    "Found",
    "Held",
    "Holding",
    "Listed",
    "NeverSearched",
    "NotFound",
    "NotToldApart",
    "Noun",
    "Number",
    "Place",
    "Portrait",
    "Ranking",
    "Renamed",
    "ShareOf",
    "Side",
    "Summarised",
    "Supported",
    "Unexpected",
    "Unknown",
    "number_text",
]
