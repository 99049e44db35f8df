"""Names of agents of risk groups, as an index knows them: labels, synonyms, ICTV's, everyday."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import duckdb

_NAMES_SQL: Final = """
WITH agent AS (
    SELECT virus AS taxon, risk_group FROM virus_risk
    UNION SELECT taxon, risk_group FROM community_risk WHERE taxon IS NOT NULL
    UNION SELECT listed, risk_group FROM community_risk
    WHERE listed IS NOT NULL AND rule <> 'members'
),
named AS (
    SELECT t.label AS name, a.risk_group FROM agent a JOIN term t ON t.curie = a.taxon
    UNION SELECT s.synonym, a.risk_group FROM agent a JOIN synonym s ON s.curie = a.taxon
    UNION SELECT n.name, a.risk_group FROM agent a JOIN virus_name n ON n.virus = a.taxon
    UNION SELECT v.name, a.risk_group FROM agent a JOIN virus v ON v.virus = a.taxon
    UNION SELECT v.ictv_name, a.risk_group FROM agent a JOIN virus v ON v.virus = a.taxon
    UNION SELECT trim(unnest(string_split(v.abbreviation, ';'))), a.risk_group
    FROM agent a JOIN virus v ON v.virus = a.taxon
    UNION SELECT d.reported_name, a.risk_group FROM agent a JOIN detection d ON d.virus = a.taxon
    UNION SELECT name, risk_group FROM community_risk WHERE name IS NOT NULL
)
SELECT name, max(risk_group) FROM named
WHERE length(name) > 2 AND list_contains($groups, risk_group)
GROUP BY name ORDER BY name
"""
_WITHOUT_TABLE: Final = "SELECT count(*) FROM duckdb_tables() WHERE table_name = 'virus_risk'"


def dangerous_names(con: duckdb.DuckDBPyConnection, groups: Iterable[str]) -> dict[str, str]:
    """Return every name of the agents of ``groups`` with its risk group, sorted by name.

    An index that was built before ``virus_risk`` knows those that decided a community.
    """
    wanted = list(groups)
    if not wanted:
        return {}
    ((stored,),) = con.execute(_WITHOUT_TABLE).fetchall()
    statement = _NAMES_SQL
    if not stored:
        statement = statement.replace(
            "SELECT virus AS taxon, risk_group FROM virus_risk\n    UNION ", ""
        )
    rows = con.execute(statement, {"groups": wanted}).fetchall()
    return dict(rows)
