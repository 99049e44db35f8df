"""The biosafety gate of exports: what may go to a model, depending on where it runs.

A person may read the whole index and its exports. Files for a model contain only communities that
it may see (``index.exposure``), and none whose text names an agent that it may not.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Final

import duckdb

from index.exposure import RiskPolicy, count_groups


class Readers(StrEnum):
    """Who reads the files of an export."""

    PEOPLE = "people"
    MODEL_HERE = "model-here"
    MODEL_ELSEWHERE = "model-elsewhere"


def withheld_communities(
    con: duckdb.DuckDBPyConnection, readers: Readers, policy: RiskPolicy
) -> dict[str, str]:
    """Return the communities that ``readers`` may not see, with the risk group that keeps them."""
    from index.models.gated import gate_names

    if readers is Readers.PEOPLE:
        return {}
    local = readers is Readers.MODEL_HERE
    names = gate_names(con, policy, local=local)
    withheld = {}
    for community, risk_group, text in con.execute(_TEXTS).fetchall():
        if not policy.may_see(risk_group, local=local):
            withheld[community] = risk_group
        elif named := names.found_in(text):
            withheld[community] = named[1]
    return withheld


def reports_withheld(con: duckdb.DuckDBPyConnection, withheld: Mapping[str, str]) -> dict[str, int]:
    """Return how many reports are ``withheld``, by risk group; not each community has one."""
    reported = con.execute("SELECT community FROM report").fetchall()
    return count_groups(withheld[name] for (name,) in reported if name in withheld)


_TEXTS: Final = """
WITH said AS (
    SELECT community, concat_ws(' ', title, label, summary) AS text FROM report
    UNION ALL SELECT community, concat_ws(' ', summary, explanation) FROM finding
    UNION ALL SELECT community, value FROM fact
    UNION ALL SELECT community, value FROM citation
)
SELECT c.community, coalesce(any_value(r.risk_group), 'unknown'),
       coalesce(string_agg(s.text, ' . ' ORDER BY s.text), '')
FROM community c
LEFT JOIN community_risk r USING (community)
LEFT JOIN said s USING (community)
GROUP BY c.community ORDER BY c.community
"""
