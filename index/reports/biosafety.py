"""Risk groups of communities: a register of pathogens, inherited down the taxonomy, fail-closed.

A community takes the highest risk group among its viruses and organisms. A taxon has the highest
group among all rows of the register that name it, a virus that is the same, or one of its
ancestors. A floor says "at least": RG3 and RG4 count, below them a floor clears nothing.

A virus that no row covers and whose recorded hosts include no vertebrate
(``index.reports.risk_hosts``) has the group "no vertebrate host". All others are unknown, and
unknown ranks above RG2: a community is called RG1 or RG2 only if every one of its agents is
cleared. A taxon above species (a family, if nothing more is known) is not cleared by its own row if
the register lists a member of it in a higher group. A detection whose identity does not support its
species is not cleared by that species alone: the virus that it is like counts, and so does the
genus or family that may be stated. A hit with fewer reads than a congener in its run decides
nothing: the congener does, and smallpox is not announced where vaccinia was sequenced.

Vertebrates, arthropods and green plants are hosts, not agents, and a metagenome is not an organism:
they need no entry. Organisms seen only by k-mers can raise the group but clear nothing; their
absence from the register proves nothing.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import dataframely as dy
import duckdb
import polars as pl

from index.exposure import DANGEROUS, GROUPS, NO_VERTEBRATE, SHIPPED_FROM, group_of
from index.reports.risk_entries import SAME_VIRUS, TAXON_NAMES, Linked
from index.reports.risk_hosts import without_vertebrates
from index.reports.risk_names import taxa_in_names
from index.store.frames import rows_over
from index.store.lineages import lineage_of
from index.store.run_values import COMMUNITY_RUNS, FINEST_RUNS, WITH_FINEST
from index.tables import CommunityRisk, VirusRisk
from ontology_etl.closure import PARENT
from ontology_etl.tables import conform

HOSTS: Final = ("NCBITaxon:7711", "NCBITaxon:6656", "NCBITaxon:33090", "NCBITaxon:408169")
"""Chordata, Arthropoda, Viridiplantae, and metagenomes. Worms, fungi and protists are not among
them: some are pathogens.
"""

_UNKNOWN: Final = GROUPS.index("unknown")
_NO_VERTEBRATE: Final = GROUPS.index(NO_VERTEBRATE)
_AGENT_FACETS: Final = "'label', 'host', 'environment', 'virus', 'statOrganism'"


def rejected_entries(linked: Linked, path: Path) -> pl.DataFrame:
    """Return the entries that name no taxon, and those that contradict themselves, as rows of the
    table ``rejected``.

    Entries without a taxon protect nothing: a misspelt RG4 would otherwise be unknown without
    anybody noticing.
    """
    entry = pl.concat_str("name", "risk_group", "curie", separator=", ", ignore_nulls=True)
    no_taxon = pl.format("risk group register: '{}' names no taxon of this index", entry)
    contradiction = pl.format("risk group register: '{}': {}", entry, "why")
    lost = linked.unresolved.select("row", reason=no_taxon)
    doubtful = linked.doubtful.select("row", reason=contradiction)
    source = pl.lit(path.name).alias("source")

    return pl.concat([lost, doubtful]).select(source, "row", "reason")


def community_risk(
    con: duckdb.DuckDBPyConnection, links: pl.DataFrame
) -> dy.DataFrame[CommunityRisk]:
    """Return the risk group of every community with runs, and what decided it.

    ``links`` are those of ``index.reports.risk_entries.link_entries``; empty ones make everything
    unknown. Reads ``detection, annotation, term, synonym, virus_name, term_edge, run,
    community_member``.
    """
    agents = _held(con)
    taxa = agents["taxon"].unique()
    judged = judge_taxa(con, taxa, links)
    frames = {"risk_held": agents, "risk_judged": judged}
    decided = rows_over(con, _DECIDED, frames)
    grouped = decided.with_columns(risk_group=group_of(pl.col("severity")))

    return conform(_of_registers(grouped), CommunityRisk)


def virus_risk(con: duckdb.DuckDBPyConnection, links: pl.DataFrame) -> dy.DataFrame[VirusRisk]:
    """Return the risk group of every virus of the index; unknown if no row covers it."""
    viruses = con.sql("SELECT virus FROM virus").pl()["virus"]
    judged = judge_taxa(con, viruses, links)
    severity = pl.col("severity").fill_null(_UNKNOWN)
    grouped = judged.select(
        "row",
        "listed",
        virus="taxon",
        risk_group=group_of(severity),
    )
    return conform(_of_registers(grouped), VirusRisk)


def _of_registers(decided: pl.DataFrame) -> pl.DataFrame:
    """Return ``decided`` with the register of each row and the row's number in it."""
    row = pl.col("row")
    register = pl.when(row >= SHIPPED_FROM).then(pl.lit("shipped")).otherwise(pl.lit("added"))
    return decided.with_columns(
        register=pl.when(row.is_not_null()).then(register),
        row=row % SHIPPED_FROM,
    )


def _held(con: duckdb.DuckDBPyConnection) -> pl.DataFrame:
    """Return community, taxon, agent of the viruses and organisms in the runs of each community.

    A name that is not that of a virus means the virus that it begins with: the name of a strain
    begins with the name of its species.
    """
    names = con.sql(_BEYOND_VIRUSES).pl()["name"]
    agents: pl.DataFrame = rows_over(con, _HELD, {"risk_strain": taxa_in_names(con, names)})
    return agents


def dangerous_taxa(con: duckdb.DuckDBPyConnection, links: pl.DataFrame) -> pl.DataFrame:
    """Return taxon, risk_group of taxa that ``links`` list as RG3 or RG4, and of all below."""
    severity = pl.col("severity")
    listed = links.select("curie", risk_group=group_of(severity))
    dangerous = listed.filter(pl.col("risk_group").is_in(DANGEROUS))
    distinct = dangerous.unique()
    return rows_over(con, _BELOW, {"risk_listed": distinct})


def judge_taxa(
    con: duckdb.DuckDBPyConnection, taxa: pl.Series, links: pl.DataFrame
) -> pl.DataFrame:
    """Return taxon, severity, rule, row, listed, host: one row per taxon of ``taxa``.

    ``severity`` is null if no row of the register covers the taxon; ``listed`` is the taxon that
    the deciding ``row`` means; ``host`` says whether it needs no entry.
    """
    distinct = pl.DataFrame({"taxon": taxa.sort()})
    as_one = rows_over(con, _AS_ONE, {"risk_taxon": distinct})
    in_taxonomy = pl.col("itself").str.starts_with("NCBITaxon:")
    known = as_one.filter(in_taxonomy)
    placed = pl.concat([known["itself"], links["curie"]])
    lineage = lineage_of(con, placed)
    frames = {
        "risk_as_one": as_one,
        "risk_lineage": lineage,
        "risk_link": links,
        "risk_no_vertebrate": without_vertebrates(con, as_one, lineage),
    }
    return rows_over(con, _JUDGED, frames)


_BELOW: Final = f"""
WITH RECURSIVE below AS (
    SELECT curie AS taxon, risk_group FROM risk_listed
    UNION
    SELECT e.subject, b.risk_group
    FROM below AS b JOIN term_edge AS e ON e.object = b.taxon AND e.predicate = '{PARENT}'
)
SELECT taxon, max(risk_group) AS risk_group FROM below GROUP BY taxon ORDER BY taxon
"""

_HOST_LIST: Final = ", ".join(f"'{curie}'" for curie in HOSTS)
_AS_ONE: Final = f"""
SELECT taxon, taxon AS itself FROM risk_taxon
UNION SELECT t.taxon, s.one FROM risk_taxon AS t JOIN ({SAME_VIRUS}) AS s ON s.curie = t.taxon
ORDER BY ALL
"""
"""Each taxon, and the taxon that is the same virus."""

_HELD: Final = f"""
WITH
-- What the runs of each community without parts hold; 'agent' is false where absence from the
-- register proves nothing.
member AS MATERIALIZED ({FINEST_RUNS}),
detected AS MATERIALIZED (
    SELECT DISTINCT finest, virus, taxon, reported_name, species, family,
           CASE WHEN coalesce(reported_name, species, family) IS NULL THEN sotu END AS sotu
    FROM detection JOIN member USING (run) WHERE congener IS NULL
),
stated AS MATERIALIZED (
    SELECT DISTINCT finest, value, curie, facet <> 'statOrganism' AS agent
    FROM annotation JOIN member USING (run) WHERE facet IN ({_AGENT_FACETS})
),
-- Taxa that come by name only mean every taxon of that name.
given_name AS (
    SELECT reported_name AS name FROM detected WHERE virus IS NULL
    UNION SELECT species FROM detected WHERE virus IS NULL
    UNION SELECT family FROM detected WHERE virus IS NULL
    UNION SELECT value FROM stated WHERE curie IS NULL
),
meant AS MATERIALIZED (
    SELECT g.name, n.curie
    FROM given_name AS g JOIN ({TAXON_NAMES}) AS n ON n.folded = lower(g.name)
    UNION SELECT g.name, v.virus FROM given_name AS g
    JOIN virus_name AS v ON lower(v.name) = lower(g.name)
),
-- A name that means no taxon takes the taxon of its family.
named AS (
    SELECT d.finest, coalesce(n.curie, s.curie, f.curie,
                           'name:' || coalesce(d.reported_name, d.species, d.family, d.sotu)
                    ) AS taxon
    FROM detected AS d
    LEFT JOIN (FROM meant UNION SELECT name, curie FROM risk_strain WHERE sure) AS n
        ON n.name = d.reported_name
    LEFT JOIN meant AS s ON s.name = d.species
    LEFT JOIN meant AS f ON f.name = d.family
    WHERE d.virus IS NULL
),
held AS (
    SELECT finest, virus AS taxon, true AS agent FROM detected WHERE virus IS NOT NULL
    UNION SELECT finest, taxon, true FROM detected WHERE taxon IS NOT NULL
    UNION SELECT finest, taxon, true FROM named
    -- The strain that a detection above species is reported as, and any virus that its name holds.
    UNION SELECT d.finest, s.curie, s.sure FROM detected AS d
    JOIN risk_strain AS s ON s.name = d.reported_name
    UNION SELECT a.finest, coalesce(a.curie, n.curie, 'name:' || a.value), a.agent
    FROM stated AS a LEFT JOIN meant AS n ON n.name = a.value AND a.curie IS NULL
)
SELECT m.community, h.taxon, bool_or(h.agent) AS agent
FROM ({WITH_FINEST}) AS m JOIN held AS h USING (finest)
GROUP BY m.community, h.taxon ORDER BY ALL
"""

_BEYOND_VIRUSES: Final = """
SELECT DISTINCT d.reported_name AS name
FROM detection AS d LEFT JOIN virus AS v USING (virus)
WHERE d.reported_name IS NOT NULL AND v.species IS NULL
  AND NOT EXISTS (FROM virus_name AS n WHERE lower(n.name) = lower(d.reported_name))
ORDER BY name
"""
"""SELECT of ``name``: names of detections that are not names of a species."""

_JUDGED: Final = f"""
WITH
entry AS (
    SELECT a.taxon, k.row, k.curie AS listed, k.severity, k.clears, min(l.distance) AS distance
    FROM risk_as_one AS a JOIN risk_lineage AS l ON l.descendant = a.itself
    JOIN risk_link AS k ON k.curie = l.ancestor
    GROUP BY ALL
),
placed AS (
    SELECT a.taxon, bool_or(l.ancestor IN ({_HOST_LIST})) AS host,
           bool_or(t.rank = 'species') AS within_species
    FROM risk_as_one AS a LEFT JOIN risk_lineage AS l ON l.descendant = a.itself
    LEFT JOIN term AS t ON t.curie = l.ancestor
    GROUP BY a.taxon
),
-- The most dangerous row that lists a member of a taxon.
member AS (
    SELECT a.taxon, max(k.severity) AS severity,
           arg_max(k.row, (k.severity, -k.row, k.curie)) AS row,
           arg_max(k.curie, (k.severity, -k.row, k.curie)) AS listed
    FROM risk_as_one AS a JOIN risk_lineage AS l ON l.ancestor = a.itself
    JOIN risk_link AS k ON k.curie = l.descendant
    WHERE l.distance > 0
    GROUP BY a.taxon
),
weighed AS (
    SELECT taxon, max(severity) AS severity, bool_or(clears) AS cleared,
           arg_max((row, listed, clears, distance), (severity, clears, -distance, -row, listed))
               AS decided
    FROM entry GROUP BY taxon
)
SELECT p.taxon, coalesce(p.host, false) AS host,
       CASE WHEN w.severity > {_UNKNOWN} THEN w.severity
            WHEN w.severity = {_UNKNOWN} OR NOT w.cleared THEN {_UNKNOWN}
            WHEN NOT coalesce(p.within_species, false) AND m.severity > w.severity THEN {_UNKNOWN}
            WHEN w.severity IS NULL AND v.taxon IS NOT NULL
                 AND coalesce(m.severity, 0) <= {_NO_VERTEBRATE} THEN {_NO_VERTEBRATE}
            ELSE w.severity END::INTEGER AS severity,
       CASE WHEN w.severity IS NULL AND v.taxon IS NOT NULL
                 AND coalesce(m.severity, 0) <= {_NO_VERTEBRATE} THEN '{NO_VERTEBRATE}'
            WHEN w.severity IS NULL THEN NULL
            WHEN w.severity = {_UNKNOWN} THEN 'unread'
            WHEN w.severity < {_UNKNOWN} AND NOT w.cleared THEN 'floor only'
            WHEN w.severity < {_UNKNOWN} AND NOT coalesce(p.within_species, false)
                 AND m.severity > w.severity THEN 'members'
            WHEN NOT w.decided[3] THEN 'floor'
            WHEN w.decided[4] > 0 THEN 'inherited' ELSE 'listed' END AS rule,
       CASE WHEN rule = 'members' THEN m.row ELSE w.decided[1] END AS row,
       CASE WHEN rule = 'members' THEN m.listed ELSE w.decided[2] END AS listed
FROM placed AS p LEFT JOIN weighed AS w USING (taxon) LEFT JOIN member AS m USING (taxon)
LEFT JOIN risk_no_vertebrate AS v USING (taxon)
ORDER BY p.taxon
"""

_DECIDED: Final = f"""
WITH
weighed AS (
    SELECT h.community, h.taxon, j.rule, j.row, j.listed,
           CASE WHEN j.severity > {_UNKNOWN} THEN j.severity
                WHEN h.agent AND (j.rule IS NOT NULL OR NOT j.host)
                THEN coalesce(j.severity, {_UNKNOWN}) END AS severity
    FROM risk_held AS h JOIN risk_judged AS j USING (taxon)
),
deciding AS (
    SELECT community, max(severity) AS severity,
           arg_max((taxon, rule, row, listed), (severity, rule IS NOT NULL, taxon)) AS decided
    FROM weighed WHERE severity IS NOT NULL GROUP BY community
)
SELECT m.community, coalesce(d.severity, {_UNKNOWN})::INTEGER AS severity,
       CASE WHEN NOT starts_with(d.decided[1], 'name:') THEN d.decided[1] END AS taxon,
       coalesce(t.label, substr(d.decided[1], 6)) AS name,
       CASE WHEN d.community IS NULL THEN 'no agent'
            ELSE coalesce(d.decided[2], 'not listed') END AS rule,
       d.decided[3] AS row, d.decided[4] AS listed
FROM (SELECT DISTINCT community FROM ({COMMUNITY_RUNS})) AS m
LEFT JOIN deciding AS d USING (community)
LEFT JOIN term AS t ON t.curie = d.decided[1]
ORDER BY m.community
"""
