"""Claims: the one way in which a number becomes words, in answers and in reports.

>>> FoundIn(subject="EBV", number=3, where="from bats", searched=25).sentence()
'EBV is found in 3 of the 25 runs from bats that were searched for it (12%).'
"""

from __future__ import annotations

from index.claims.amounts import RUN, NamedNumber, Noun, number_text
from index.claims.associations import AssociationClaim, AssociationsHeld, Effect
from index.claims.claim import Claim, Number, Portrait, YesOrNo
from index.claims.comparisons import Compared, Fisher
from index.claims.counts import (
    A_VIRUS,
    Counted,
    FoundIn,
    HitsOnly,
    Holding,
    NeverSearched,
    NotFound,
    NotKnown,
    NotStated,
    ShareOf,
    SpeciesInstead,
    Supported,
    Unnamed,
)
from index.claims.measures import Summarised
from index.claims.organisms import DoubtfulHost, Inferred, OtherOrganism
from index.claims.ranks import TOTAL, Dominating, InBothLists, Listed, Ranking, Renamed
from index.claims.runs import (
    ComingFrom,
    InRuns,
    Labelled,
    MoreReads,
    OfOtherViruses,
    OfStudy,
    Size,
    Unassigned,
)
from index.claims.verdicts import OfLaboratory, Outweighed, OutweighedViruses, UnknownOrigin
