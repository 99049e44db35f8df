"""Risk groups of communities: a register of pathogens, inherited down the taxonomy, fail-closed.

A community takes the highest risk group among its viruses and organisms and all their ancestors.
What no register lists is unknown, and unknown ranks above RG2: a community is called RG1 or RG2
only where every one of its agents is listed. Vertebrates, arthropods and green plants are hosts and
no agents: they need no entry. Organisms seen only by k-mers can raise the group, their absence from
the register proves nothing.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import duckdb
import polars as pl

from index.exposure import GROUPS
from index.store.run_values import COMMUNITY_RUNS

HOSTS: Final = ("NCBITaxon:7711", "NCBITaxon:6656", "NCBITaxon:33090")
"""Chordata, Arthropoda, Viridiplantae. Worms, fungi and protists are not among them: some are
pathogens.
"""

_UNKNOWN: Final = GROUPS.index("unknown")


def unresolved_entries(con: duckdb.DuckDBPyConnection, register: pl.DataFrame) -> pl.DataFrame:
    """Return ``row, name, curie, risk_group`` of the register's entries that name no taxon, by row.

    They protect nothing: a misspelt RG4 would otherwise be unknown and nobody would know why. Reads
    ``term, synonym``.
    """
    con.register("risk_listed", register)
    try:
        found: pl.DataFrame = con.sql(_UNRESOLVED).pl()
    finally:
        con.unregister("risk_listed")
    groups = pl.col("severity").replace_strict(dict(enumerate(GROUPS)), return_dtype=pl.String)
    return found.select("row", "name", "curie", risk_group=groups)


def rejected_entries(unresolved: pl.DataFrame, path: Path) -> pl.DataFrame:
    """Return ``unresolved`` as rows of the table ``rejected``, each naming its entry."""
    told = pl.concat_str("name", "risk_group", "curie", separator=", ", ignore_nulls=True)
    reason = pl.format("risk group register: '{}' names no taxon of this index", told)
    return unresolved.select(pl.lit(str(path)).alias("source"), "row", reason.alias("reason"))


def community_risk(con: duckdb.DuckDBPyConnection, register: pl.DataFrame) -> pl.DataFrame:
    """Return ``community, risk_group, basis``, one row per community with runs; ``basis`` is the
    deciding taxon.

    Reads ``detection, annotation, term, synonym, term_edge, run, community_member``. ``register``
    is what ``index.sources.risk_register`` reads; an empty one makes everything unknown.
    """
    con.register("risk_listed", register.select("name", "curie", "severity"))
    try:
        decided: pl.DataFrame = con.sql(_COMMUNITY_RISK).pl()
    finally:
        con.unregister("risk_listed")
    return decided.select(
        "community",
        risk_group=pl.col("severity").replace_strict(dict(enumerate(GROUPS))),
        basis="basis",
    )


_HOST_LIST: Final = ", ".join(f"'{curie}'" for curie in HOSTS)
_UNRESOLVED: Final = """
WITH named AS (
    SELECT lower(label) AS folded FROM term WHERE ontology = 'NCBITaxon'
    UNION SELECT lower(synonym) FROM synonym WHERE curie LIKE 'NCBITaxon:%'
)
SELECT row, name, curie, severity FROM risk_listed
WHERE CASE WHEN curie IS NULL THEN lower(name) NOT IN (SELECT folded FROM named WHERE folded IS NOT NULL)
           ELSE curie NOT IN (SELECT curie FROM term) END
ORDER BY row
"""
_COMMUNITY_RISK: Final = f"""
WITH RECURSIVE
-- Taxa that come by name only: labels before synonyms, of homonyms the lexically first.
given_name AS (
    SELECT DISTINCT lower(name) AS folded
    FROM (
        SELECT coalesce(species, family) AS name FROM detection
        UNION ALL SELECT name FROM risk_listed WHERE curie IS NULL
        UNION ALL SELECT value FROM annotation WHERE facet IN ('label', 'host', 'statOrganism') AND curie IS NULL
    )
    WHERE name IS NOT NULL
),
spelled AS (
    SELECT lower(label) AS folded, coalesce(replaced_by, curie) AS curie, 0 AS preference
    FROM term WHERE ontology = 'NCBITaxon'
    UNION ALL
    SELECT lower(synonym), curie, 1 FROM synonym WHERE curie LIKE 'NCBITaxon:%'
),
taxon_of AS MATERIALIZED (
    SELECT folded, arg_min(curie, (preference, curie)) AS curie
    FROM spelled SEMI JOIN given_name USING (folded) GROUP BY folded
),
listed AS MATERIALIZED (
    SELECT curie, max(severity) AS severity
    FROM (
        SELECT coalesce(old.replaced_by, l.curie, n.curie) AS curie, l.severity
        FROM risk_listed AS l
        LEFT JOIN term AS old ON old.curie = l.curie AND old.obsolete
        LEFT JOIN taxon_of AS n ON n.folded = lower(l.name) AND l.curie IS NULL
    ) WHERE curie IS NOT NULL GROUP BY curie
),
-- What each run holds; 'agent' is false where absence from the register proves nothing.
held AS (
    SELECT d.run, coalesce(n.curie, 'name:' || coalesce(d.species, d.family, d.sotu)) AS taxon, true AS agent
    FROM (SELECT DISTINCT run, species, family, CASE WHEN coalesce(species, family) IS NULL THEN sotu END AS sotu
          FROM detection) AS d
    LEFT JOIN taxon_of AS n ON n.folded = lower(coalesce(d.species, d.family))
    UNION ALL
    SELECT a.run, coalesce(a.curie, n.curie, 'name:' || a.value), a.facet <> 'statOrganism'
    FROM annotation AS a LEFT JOIN taxon_of AS n ON n.folded = lower(a.value)
    WHERE a.facet IN ('label', 'host', 'statOrganism')
),
community_taxon AS MATERIALIZED (
    SELECT m.community, h.taxon, bool_or(h.agent) AS agent
    FROM ({COMMUNITY_RUNS}) AS m JOIN (SELECT DISTINCT * FROM held) AS h USING (run)
    GROUP BY m.community, h.taxon
),
parent_of AS (SELECT subject, object FROM term_edge WHERE predicate = 'parent' AND subject <> object),
lineage AS (
    SELECT DISTINCT taxon, taxon AS ancestor FROM community_taxon
    UNION
    SELECT l.taxon, p.object FROM lineage AS l JOIN parent_of AS p ON p.subject = l.ancestor
),
judged AS (
    SELECT l.taxon, max(listed.severity) AS severity, bool_or(l.ancestor IN ({_HOST_LIST})) AS host
    FROM lineage AS l LEFT JOIN listed ON listed.curie = l.ancestor GROUP BY l.taxon
),
weighed AS (
    SELECT c.community, c.taxon,
           CASE WHEN j.severity IS NOT NULL THEN j.severity WHEN c.agent AND NOT j.host THEN {_UNKNOWN} END AS severity
    FROM community_taxon AS c JOIN judged AS j USING (taxon)
),
deciding AS (
    SELECT community, max(severity) AS severity, arg_max(taxon, (severity, taxon)) AS taxon
    FROM weighed WHERE severity IS NOT NULL GROUP BY community
)
SELECT m.community, coalesce(d.severity, {_UNKNOWN})::INTEGER AS severity,
       coalesce(t.label, replace(d.taxon, 'name:', ''), 'no agent named') AS basis
FROM (SELECT DISTINCT community FROM ({COMMUNITY_RUNS})) AS m
LEFT JOIN deciding AS d USING (community)
LEFT JOIN term AS t ON t.curie = d.taxon
ORDER BY m.community
"""
