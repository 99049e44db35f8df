"""Names of dangerous agents: of every taxon that the register lists as RG3 or RG4, or below one.

Every prompt is searched for them before it is sent, so they include agents that no run of the index
has: whoever asks about one writes its name. Names are those of NCBI Taxonomy, ICTV and the
register, everyday names, abbreviations, those that detections report, and diseases that a virus is
named after.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from typing import Final

import dataframely as dy
import duckdb
import polars as pl

from index.store.frames import rows_over
from index.tables import DangerousName
from ontology_etl.tables import conform

SHORTEST: Final = 3
"""Minimum letters of a name; shorter ones mean too many other things."""

_OF_EAST_ASIA: Final = "[\u3040-\u30ff\u4e00-\u9fff]" * 2
_TELLING: Final = f"""
(length(name) >= {SHORTEST} OR regexp_matches(name, '{_OF_EAST_ASIA}'))
AND name <> 'environmental samples'
"""
"""Chinese and Japanese names may be shorter; "environmental samples" are in many taxa."""

_NAMES_SQL: Final = f"""
WITH agent AS (
    SELECT taxon, risk_group FROM dangerous_taxon
    UNION SELECT virus, risk_group FROM virus_risk
    UNION SELECT taxon, risk_group FROM community_risk WHERE taxon IS NOT NULL
    UNION SELECT listed, risk_group FROM community_risk
    WHERE listed IS NOT NULL AND rule <> 'members'
),
-- What a source calls a strain may be the name of its species: influenza A virus.
wider AS (
    SELECT lower(n.name) AS name FROM virus_name n
    ANTI JOIN (SELECT taxon FROM agent WHERE risk_group IN ('RG3', 'RG4')) a ON a.taxon = n.virus
),
-- A strain of RG3 has the name of its species in the table of viruses, which is none of its own.
of_species AS (
    SELECT c.descendant AS virus, lower(n.name) AS name
    FROM closure c JOIN virus_name n ON n.virus = c.ancestor
    ANTI JOIN (SELECT taxon FROM agent WHERE risk_group IN ('RG3', 'RG4')) a ON a.taxon = c.ancestor
    WHERE c.descendant IN (SELECT taxon FROM agent) AND c.distance > 0
),
own AS (
    SELECT virus, name FROM virus
    UNION SELECT virus, ictv_name FROM virus
    UNION SELECT virus, trim(unnest(string_split(abbreviation, ';'))) FROM virus
),
named AS (
    SELECT t.label AS name, a.risk_group FROM agent a JOIN term t ON t.curie = a.taxon
    UNION SELECT s.synonym, a.risk_group FROM agent a JOIN synonym s ON s.curie = a.taxon
    UNION SELECT n.name, a.risk_group FROM agent a JOIN virus_name n ON n.virus = a.taxon
    UNION SELECT v.name, a.risk_group FROM agent a JOIN own v ON v.virus = a.taxon
    WHERE (v.virus, lower(v.name)) NOT IN (FROM of_species)
    UNION SELECT d.reported_name, a.risk_group FROM agent a JOIN detection d ON d.virus = a.taxon
    WHERE NOT EXISTS (SELECT 1 FROM wider w WHERE w.name = lower(d.reported_name))
    UNION SELECT name, risk_group FROM community_risk WHERE name IS NOT NULL
),
disease AS (
    SELECT lower(label) AS name FROM term WHERE ontology = 'DOID'
    UNION SELECT lower(s.synonym) FROM synonym s JOIN term t USING (curie)
    WHERE t.ontology = 'DOID'
),
-- COVID-19 and Lassa fever say which virus is meant; "wee" and "aids" are English words.
of_disease AS (
    SELECT regexp_replace(name, '[ -]virus$', '', 'i') AS name, risk_group FROM named
    WHERE regexp_matches(name, '(?i)^.{{5,}}[ -]virus$')
)
SELECT name, max(risk_group) AS risk_group FROM (
    FROM named UNION
    SELECT name, risk_group FROM of_disease WHERE lower(name) IN (SELECT name FROM disease)
)
WHERE {_TELLING} AND risk_group IN ('RG3', 'RG4')
GROUP BY name ORDER BY name
"""


def collect_names(
    con: duckdb.DuckDBPyConnection, taxa: pl.DataFrame, listed: pl.DataFrame
) -> dy.DataFrame[DangerousName]:
    """Return every name of ``taxa`` and of the dangerous agents of the index, sorted.

    ``taxa`` (taxon, risk_group) are those that the register means, RG3 and RG4; ``listed`` (name,
    risk_group) are the names in the register itself, those that mean no taxon included.
    """
    known = rows_over(con, _NAMES_SQL, {"dangerous_taxon": taxa})
    long_enough = listed.filter(pl.col("name").str.len_chars() >= SHORTEST)
    named = pl.concat([known, long_enough.select("name", "risk_group")])
    worst = named.group_by("name").agg(pl.col("risk_group").max())
    return conform(worst.sort("name"), DangerousName)


def dangerous_names(con: duckdb.DuckDBPyConnection, groups: Iterable[str]) -> dict[str, str]:
    """Return every name of the agents of ``groups`` with its risk group, sorted by name."""
    wanted = set(groups)
    if not wanted:
        return {}
    rows = con.execute("SELECT name, risk_group FROM dangerous_name ORDER BY name").fetchall()
    return {name: group for name, group in rows if group in wanted}


def names_around(
    con: duckdb.DuckDBPyConnection, dangerous: Mapping[str, str], spell: Callable[[str], str]
) -> list[str]:
    """Return the names of viruses that hold one of ``dangerous``, but mean another family, sorted.

    Both families must be known: a name that means no virus, or one without a family, clears
    nothing. ``spell`` writes a name as it is looked for, with a blank at both ends.
    """
    taxa: dict[str, set[str]] = defaultdict(set)
    rows = con.execute("SELECT name, virus FROM virus_name").fetchall()
    for name, virus in rows:
        taxa[spell(name)].add(virus)
    within = _held(taxa, {spell(name) for name in dangerous})
    viruses = {virus for pair in within for name in pair for virus in taxa.get(name, ())}
    families = dict(con.execute(_FAMILIES, [sorted(viruses)]).fetchall())

    def families_of(name: str) -> set[str | None]:
        return {families.get(virus) for virus in taxa.get(name, ())} or {None}

    def may_mean_one(longer: str, name: str) -> bool:
        pair = families_of(longer), families_of(name)
        return None in pair[0] | pair[1] or bool(pair[0] & pair[1])

    counted = {longer for longer, name in within if may_mean_one(longer, name)}
    return sorted({longer.strip() for longer, _ in within if longer not in counted})


_FAMILIES: Final = """
WITH RECURSIVE line AS (
    SELECT unnest($1) AS virus, unnest($1) AS taxon
    UNION
    SELECT line.virus, e.object FROM line
    JOIN term_edge e ON e.subject = line.taxon AND e.predicate = 'parent'
)
SELECT line.virus, t.label FROM line JOIN term t ON t.curie = line.taxon WHERE t.rank = 'family'
"""


def _held(names: Iterable[str], dangerous: set[str]) -> list[tuple[str, str]]:
    """Return each of ``names`` that is longer than one of ``dangerous`` in it, with that one."""
    held = []
    for name in names:
        if name in dangerous:
            continue
        words = name.split()
        spans = (
            f" {' '.join(words[start:end])} "
            for start in range(len(words))
            for end in range(start + 1, len(words) + 1)
        )
        held += [(name, span) for span in spans if span in dangerous]
    return held
