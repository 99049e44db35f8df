"""What the model behind a client may see of the index: the policy of ``index.exposure``, applied.

A client of the protocol is a model, or hands on to one. A report goes to it where the risk group of
its community may be seen; an answer where that holds for all its communities. A virus or a family
may be named where a community that may be seen holds it: a community has a low group only where
every one of its agents is cleared.

What has no community (a table, hits of a search, triples, a term) is read for names instead, as a
prompt is: of agents of RG3 and RG4, and of viruses of the index whose group may not be seen.
Everything else is read for names of RG3 and RG4, too.
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


_UNSEEN_VIRUSES: Final = """
SELECT DISTINCT n.name, r.risk_group
FROM virus_risk r
JOIN (SELECT virus, name FROM virus_name UNION SELECT virus, name FROM virus) n USING (virus)
WHERE NOT list_contains($1, r.risk_group) AND length(n.name) >= 3
ORDER BY n.name
"""


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

    def check_text(self, con: duckdb.DuckDBPyConnection, text: str, *, cleared: bool) -> None:
        """Raise ``WithheldError`` where ``text`` names an agent that may not be seen.

        ``cleared``: its communities may be seen, so that only names of RG3 and RG4 are looked for.
        """
        if self.sees_all:
            return
        from index.models.gated import WithheldNames, gate_names

        never = gate_names(con, self.policy, local=self.local)
        unseen = () if cleared else con.execute(_UNSEEN_VIRUSES, [self.groups]).fetchall()
        found = never.found_in(text) or WithheldNames(dict(unseen)).found_in(text)
        if found:
            counts = count_groups([found[1]])
            said = f"it names an agent, {group_counts(counts)}"
            raise WithheldError(said, allow=allow_options(counts))
