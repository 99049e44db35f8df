"""How expected each virus is in the hosts it is found with: recorded, new, unexpected, resident.

A pair needs runs that carry both. Recorded hosts are those of ``known_host``: VIRION's pairs, hosts
that viruses are named after, and the host groups that NCBI Taxonomy and ICTV state, which are as
wide as "vertebrates"; a host below a recorded one is recorded. Names of one species share their
records.

A virus is judged in what was sequenced, run by run: in the worm and not in the mouse that it was
taken from. A virus recorded in the stated host is still expected: a sample of a parasite or a
symbiont contains some of its host. A virus lives in the cells of a run only if that run states
their line.

A virus with a stated group of hosts is unexpected outside that group, whatever its relatives
infect: Culex flavivirus is an insect virus, though many of its family infect mammals. If no group
is stated for a virus, its family decides.
"""

from __future__ import annotations

from typing import Final

import dataframely as dy
import duckdb
import polars as pl

from index.store.frames import rows_over
from index.store.lineages import taxon_edges
from index.store.run_values import WEIGHED_VIRUS_OF
from index.tables import Plausibility, RunPlausibility
from ontology_etl.closure import taxon_closure
from ontology_etl.reviewed_lists import read_reviewed
from ontology_etl.tables import conform

HOST: Final = "host"
"""Facet whose values are hosts."""
LIBRARY: Final = "virus"
"""Facet of libraries of a virus."""
SITES: Final = "tissue"
"""Facet whose values may be cell lines."""
PART: Final = 1_000_000


def weigh_plausibility(con: duckdb.DuckDBPyConnection) -> dy.DataFrame[RunPlausibility]:
    """Return run, virus, host, organism, plausibility: each pair that occurs in a run.

    Pairs are judged once; runs are then looked up in parts of about ``PART`` detections, so that
    memory does not grow with them. Reads ``detection, annotation, sequenced, known_host, term,
    term_edge, closure``.
    """
    residents = read_reviewed("resident_viruses.tsv")
    frames = {"pair_above": _lineages(con), "resident": residents}
    tables = {
        "judged": rows_over(con, f"{_PAIRS} {_JUDGED}", frames),
        "home": rows_over(con, f"{_PAIRS} {_HOMES}", frames),
    }
    ((detections,),) = con.execute("SELECT count(*) FROM detection").fetchall()
    number = 1 + detections // PART
    parts = [rows_over(con, _of_runs(part, number), tables) for part in range(number)]
    return conform(pl.concat(parts), RunPlausibility)


def count_pairs(weighed: pl.DataFrame) -> dy.DataFrame[Plausibility]:
    """Return virus, host, plausibility, runs: the pairs of ``weighed`` runs.

    A pair has a row for each plausibility its runs have: EBV is recorded in humans and resident in
    lymphoblastoid lines.
    """
    pairs = weighed.select("run", "virus", "plausibility", host="organism").unique()
    counted = pairs.group_by("virus", "host", "plausibility").agg(runs=pl.len())
    return conform(counted, Plausibility)


def _lineages(con: duckdb.DuckDBPyConnection) -> pl.DataFrame:
    """Return descendant, ancestor, distance of every virus and host that occurs or is recorded."""
    taxa = con.sql(_TAXA).pl()["curie"]
    edges = taxon_edges(con)
    return taxon_closure(edges, taxa)


_TAXA: Final = f"""
SELECT virus AS curie FROM detection WHERE virus IS NOT NULL
UNION SELECT taxon FROM detection WHERE taxon IS NOT NULL
UNION SELECT virus FROM known_host UNION SELECT host FROM known_host
UNION SELECT curie FROM annotation
WHERE facet IN ('{HOST}', '{LIBRARY}') AND starts_with(curie, 'NCBITaxon:')
UNION SELECT organism FROM sequenced
ORDER BY 1
"""

_CARRIED: Final = f"""
SELECT DISTINCT {{columns}}{WEIGHED_VIRUS_OF.format("d.")} AS virus, a.curie AS host,
       coalesce(o.organism, a.curie) AS organism, a.facet
FROM detection AS d JOIN annotation AS a ON a.run = d.run
LEFT JOIN sequenced AS o ON o.run = a.run AND o.host = a.curie AND a.facet = '{HOST}'
WHERE a.facet IN ('{HOST}', '{LIBRARY}') AND starts_with(a.curie, 'NCBITaxon:')
  AND {WEIGHED_VIRUS_OF.format("d.")} IS NOT NULL
"""
_PAIRS: Final = f"""
WITH
met AS ({_CARRIED.format(columns="")}),
ranked AS (
    SELECT p.descendant, p.ancestor, t.rank
    FROM pair_above AS p JOIN term AS t ON t.curie = p.ancestor
    WHERE t.rank IN ('species', 'family', 'class')
),
kin AS (  -- a virus and the taxa whose records are its own: those below it and of its species
    SELECT DISTINCT v.virus, p.descendant AS relative
    FROM (SELECT DISTINCT virus FROM met) AS v
    LEFT JOIN ranked AS s ON s.descendant = v.virus AND s.rank = 'species'
    JOIN pair_above AS p ON p.ancestor = coalesce(s.ancestor, v.virus)
)
"""
_JUDGED: Final = f""",
own AS (
    SELECT DISTINCT k.virus, h.host, h.source NOT IN ('virion', 'name') AS grouped
    FROM kin AS k JOIN known_host AS h ON h.virus = k.relative
),
pair AS (
    SELECT virus, host FROM met WHERE facet = '{HOST}'
    UNION SELECT virus, organism FROM met WHERE facet = '{HOST}'
),
recorded AS (
    SELECT DISTINCT p.virus, p.host FROM pair AS p
    JOIN pair_above AS a ON a.descendant = p.host
    JOIN own AS o ON o.virus = p.virus AND o.host = a.ancestor
),
of_class AS (SELECT descendant AS host, ancestor AS class FROM ranked WHERE rank = 'class'),
own_class AS (SELECT DISTINCT o.virus, c.class FROM own AS o JOIN of_class AS c USING (host)),
of_family AS (SELECT descendant AS virus, ancestor AS family FROM ranked WHERE rank = 'family'),
family_host AS (
    SELECT DISTINCT f.family, h.host FROM known_host AS h JOIN of_family AS f USING (virus)
),
family_class AS (
    SELECT DISTINCT f.family, c.class FROM family_host AS f JOIN of_class AS c USING (host)
),
kin_class AS (  -- pairs whose host is of a class, or in a group, recorded for the family
    SELECT p.virus, p.host FROM pair AS p JOIN of_family AS f USING (virus)
    JOIN of_class AS c USING (host)
    WHERE (f.family, c.class) IN (SELECT family, class FROM family_class)
    UNION
    SELECT p.virus, p.host FROM pair AS p JOIN of_family AS f USING (virus)
    JOIN pair_above AS a ON a.descendant = p.host
    WHERE (f.family, a.ancestor) IN (SELECT family, host FROM family_host)
),
in_class AS (
    SELECT DISTINCT p.virus, p.host FROM pair AS p JOIN of_class AS c USING (host)
    JOIN own_class AS o ON o.virus = p.virus AND o.class = c.class
),
stated AS (SELECT virus, bool_or(grouped) AS grouped FROM own GROUP BY virus)
SELECT p.virus, p.host, CASE
    WHEN r.virus IS NOT NULL THEN 'recorded'
    WHEN c.virus IS NOT NULL THEN 'new within class'
    WHEN s.grouped THEN 'unexpected'
    WHEN k.virus IS NOT NULL THEN 'new within class'
    WHEN s.virus IS NOT NULL OR p.virus IN (
        SELECT f.virus FROM of_family AS f JOIN family_host USING (family)) THEN 'unexpected'
    ELSE 'unknown' END AS plausibility
FROM pair AS p
LEFT JOIN recorded AS r ON r.virus = p.virus AND r.host = p.host
LEFT JOIN in_class AS c ON c.virus = p.virus AND c.host = p.host
LEFT JOIN kin_class AS k ON k.virus = p.virus AND k.host = p.host
LEFT JOIN stated AS s ON s.virus = p.virus
"""
_HOMES: Final = """
SELECT DISTINCT k.virus, c.descendant AS site
FROM kin AS k JOIN resident AS r ON r.virus = k.relative
JOIN (SELECT descendant, ancestor FROM closure UNION SELECT site, site FROM resident) AS c
ON c.ancestor = r.site
"""
"""SELECT of ``virus, site``: the cell lines that a virus lives in."""


def _of_runs(part: int, number: int) -> str:
    """Return a SELECT of the pairs of one of ``number`` parts of the runs."""
    carried = _CARRIED.format(columns="d.run, ")
    return f"""
WITH carried AS ({carried} AND hash(d.run) % {number} = {part}),
at_home AS (
    SELECT DISTINCT c.run, c.virus FROM carried AS c
    JOIN annotation AS a ON a.run = c.run AND a.facet = '{SITES}'
    JOIN home AS h ON h.virus = c.virus AND h.site = a.curie
),
labelled AS (
    SELECT c.run, c.virus, c.host,
           i.plausibility = 'recorded' AND j.plausibility <> 'recorded' AS of_host,
           CASE WHEN of_host THEN c.host ELSE c.organism END AS organism,
           CASE WHEN c.facet = '{LIBRARY}' THEN 'library'
                WHEN h.run IS NOT NULL THEN 'resident'
                WHEN of_host THEN i.plausibility
                ELSE j.plausibility END AS plausibility,
           -- a library of a virus that is stated as a host, too, is a library
           row_number() OVER (PARTITION BY c.run, c.virus, c.host ORDER BY c.facet DESC) AS place
    FROM carried AS c
    LEFT JOIN judged AS j ON j.virus = c.virus AND j.host = c.organism
    LEFT JOIN judged AS i ON i.virus = c.virus AND i.host = c.host
    LEFT JOIN at_home AS h ON h.run = c.run AND h.virus = c.virus
)
SELECT run, virus, host, organism, plausibility FROM labelled WHERE place = 1
"""
