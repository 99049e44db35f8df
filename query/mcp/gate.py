"""What the model behind a client may see of the index: the policy of ``index.exposure``, applied.

A client of the protocol is a model, or hands on to one. A report goes to it where the risk group of
its community may be seen; an answer where that holds for all its communities. A virus or a family
may be named where a community that may be seen holds it: a community has a low group only where
every one of its agents is cleared.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import duckdb

from index.exposure import GROUPS, RiskPolicy, allow_options, count_groups, group_counts
from query.errors import WithheldError

_GROUP_OF: Final = """
SELECT community, risk_group FROM community_risk WHERE list_contains($1, community)
"""
_SEEN_COMMUNITIES: Final = """
SELECT community FROM community_risk WHERE list_contains($groups, risk_group)
"""
SEEN_DETECTIONS: Final = f"""
SELECT d.virus, d.family
FROM detection d
JOIN community_member m ON m.entity = d.run
WHERE m.community IN ({_SEEN_COMMUNITIES})
"""
"""SELECT of ``virus, family`` that may be named; takes ``$groups``."""


@dataclass(frozen=True, slots=True)
class Gate:
    """What the model behind a client may see; ``local``: it runs on this machine."""

    policy: RiskPolicy
    local: bool

    @property
    def groups(self) -> list[str]:
        """The risk groups that may be seen, the safest first."""
        return [group for group in GROUPS if self.may_see(group)]

    @property
    def sees_all(self) -> bool:
        """Whether nothing is withheld."""
        return len(self.groups) == len(GROUPS)

    def may_see(self, risk_group: str) -> bool:
        """Return whether reports of ``risk_group`` may be shown."""
        return self.policy.may_see(risk_group, local=self.local)

    def check(self, con: duckdb.DuckDBPyConnection, communities: Iterable[str]) -> None:
        """Raise ``WithheldError`` where one of ``communities`` may not be seen.

        A community whose group is not known may not be seen where unknown may not.
        """
        asked = sorted(set(communities))
        groups = dict(con.execute(_GROUP_OF, [asked]).fetchall())
        found = [groups.get(community, "unknown") for community in asked]
        withheld = [group for group in found if not self.may_see(group)]
        if withheld:
            counts = count_groups(withheld)
            raise WithheldError(group_counts(counts), allow=allow_options(counts))
