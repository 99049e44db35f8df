"""Reports of all communities: gather facts into profiles, word them, resolve every citation.

A model may add an interpretation afterwards (``index/wording``); it changes no sentence of a
report.
"""

from __future__ import annotations

from typing import Final

import duckdb
import polars as pl

from index.reports.associations import community_associations
from index.reports.candidates import only_candidates
from index.reports.citations import resolve_citations
from index.reports.clades import carrier_clades, carrier_sources, community_clades
from index.reports.evidence_rows import SOTU
from index.reports.findings.evidence import PATTERN
from index.reports.findings.sentences import FEW_TO_COMPARE, NEARLY_ALL
from index.reports.findings.write import MAX_FINDINGS
from index.reports.gathering import build_profiles
from index.reports.joints import (
    count_joints,
    is_strong,
    joined_values,
)
from index.reports.membership import MEMBERSHIP
from index.reports.naming.named_values import SPECIES_IDENTITY
from index.reports.origin import cultured_values, find_origins
from index.reports.profile_tables import CAVEATS, ProfileTables, shown_facts, with_known
from index.reports.profiles import FACTS_PER_FACET, Profile
from index.reports.study_rows import largest_studies
from index.reports.support import SPECIES_GAPS, find_support
from index.reports.templates import Reports, template_reports
from index.reports.worth import LEAST_RUNS
from index.stated import EXPLAINED, VIRAL
from index.store.frames import rows_over
from index.store.run_pairs import (
    COMMUNITY_SEQUENCED,
    community_pairs,
    far_from_known,
    mostly_other,
)
from index.store.run_values import (
    BROADER,
    COMMUNITY_RUNS,
    MOST_READ_IDENTITY,
    WEIGHED_VIRUS,
)
from index.tables import ReportCitation
from ontology_etl.errors import ContractError
from ontology_etl.tables import conform

PRINTS: Final = "palm_virome"
"""The source whose names of viruses rest on the print of a polymerase."""
PROBABLY: Final = 0.8
"""If this share of the runs of an unnamed virus are libraries of one virus, it is that virus."""


def gather_profiles(
    con: duckdb.DuckDBPyConnection,
    *,
    risk: pl.DataFrame | None = None,
    designs: pl.DataFrame | None = None,
    min_runs: int = 2,
    of_parts: int = LEAST_RUNS,
    facts_per_facet: int = FACTS_PER_FACET,
) -> list[Profile]:
    """Return profiles of the communities that may get a report, coarsest and largest first.

    ``only_candidates`` says which these are, ``index.reports.worth`` which get one. A community
    carried down from its parent has no profile: its report is that of the first community with
    these runs. Reads
    ``distinct_community, community_member, run, bioproject, study, detection, annotation, closure,
    term, fact, association`` from ``con``. ``risk`` is what
    ``index.reports.biosafety.community_risk`` returns; without it every risk group is unknown.
    ``designs`` is what ``index.annotation.study_designs.find_run_designs`` returns; without it no
    sample says how its run was made.
    """
    every = _table(con, "distinct_community").filter(pl.col("runs") >= min_runs)
    with only_candidates(con, min_runs=min_runs, of_parts=of_parts):
        return build_profiles(_tables(con, every, risk, designs, facts_per_facet))


def _tables(
    con: duckdb.DuckDBPyConnection,
    every: pl.DataFrame,
    risk: pl.DataFrame | None,
    designs: pl.DataFrame | None,
    facts_per_facet: int,
) -> ProfileTables:
    """Return the tables of the candidates; ``every`` has all communities."""
    community = _table(con, "distinct_community")
    fact = with_known(con.sql("FROM fact SEMI JOIN distinct_community USING (community)").pl())
    shown = shown_facts(fact, facts_per_facet)
    joints = count_joints(con, joined_values(shown))
    membership = con.sql(MEMBERSHIP).pl()
    viral = joined_values(shown).filter(pl.col("facet").is_in(VIRAL))
    probable = con.sql(_PROBABLE).pl()
    sotus = [
        frame.drop_nulls(name).select("community", facet=pl.lit(SOTU), value=name)
        for frame, name in (
            *((membership, name) for name in ("unnamed", "next_unnamed", "phylum")),
            (probable, "unnamed"),
        )
    ]
    viruses = pl.concat([viral.select("community", "facet", "value"), *sotus])
    shared = membership.select("community", "unnamed").drop_nulls()
    silent = pl.DataFrame(schema={"run": pl.String, "design": pl.String})
    designs = silent if designs is None else designs
    unknown = pl.DataFrame(schema={"community": pl.String, "risk_group": pl.String})
    return ProfileTables(
        fact=fact,
        shown=shown,
        community=community,
        every=every,
        membership=membership,
        association=con.sql(community_associations("distinct_community")).pl(),
        risk=unknown if risk is None else risk,
        joints=is_strong(joints),
        weighed=rows_over(con, _WEIGHED, {"weighed_virus": viral}),
        hosted=con.sql(_HOSTED).pl(),
        pairs=_pairs(con),
        sequenced=con.sql(COMMUNITY_SEQUENCED).pl(),
        other_by_kmers=con.sql(mostly_other(COMMUNITY_RUNS)).pl(),
        far_viruses=con.sql(far_from_known(COMMUNITY_RUNS)).pl(),
        studies=largest_studies(con),
        origins=find_origins(con, designs),
        cultured=cultured_values(con, designs),
        positive=con.sql(_POSITIVE).pl(),
        probable=probable,
        families=con.sql(_FAMILIES).pl(),
        support=find_support(con, viruses.join(community, on="community", how="semi")),
        clades=community_clades(con),
        carriers=carrier_clades(con, shared),
        sources=carrier_sources(con, shared),
        inferred=con.sql(_INFERRED).pl(),
    )


def _pairs(con: duckdb.DuckDBPyConnection) -> pl.DataFrame:
    """Return the pairs of species or family and host that need a caveat, or whose host was not
    sequenced.
    """
    pairs: pl.DataFrame = pl.concat([con.sql(_PAIRS.format(facet=facet)).pl() for facet in VIRAL])
    return pairs


def build_reports(
    con: duckdb.DuckDBPyConnection, profiles: list[Profile], *, max_findings: int = MAX_FINDINGS
) -> Reports:
    """Return the template reports of ``profiles`` with their citations resolved.

    Raises ``ContractError`` if a citation resolves to no run: a template that cites something
    absent is a bug.
    """
    reports = template_reports(profiles, max_findings=max_findings)
    cited = reports.citation.drop("runs", "verified")
    citation = conform(resolve_citations(con, cited), ReportCitation)
    unresolved = citation.filter(~pl.col("verified")).head(5)
    if len(unresolved):
        rows = unresolved.select("key", "value", "community").iter_rows()
        broken = {f"{key}: {value} of {community}": 1 for key, value, community in rows}
        raise ContractError("citation", broken)

    return Reports(reports.report, reports.finding, citation)


_PAIRS: Final = f"""
FROM ({community_pairs("distinct_community")})
WHERE facet = '{{facet}}' AND (plausibility IN {CAVEATS} OR organism_name IS NOT NULL)
"""
"""Pairs of the viruses of one facet: those of two take too much memory at once."""
_HOSTED: Final = f"""
WITH unsure AS (SELECT source FROM search_method WHERE identity IS NULL),
judged AS (
    SELECT run, virus, bool_and(plausibility = 'unexpected') AS unexpected
    FROM run_plausibility GROUP BY run, virus
),
hit AS (
    SELECT run, stated, family, identity, u.source IS NOT NULL AS unsure,
           congener IS NOT NULL AND closest IS NULL AS is_less,
           d.source = '{PRINTS}' AND d.reads IS NULL AS is_print,
           reads, if(u.source IS NULL, NULL, reads) AS unsure_reads, {WEIGHED_VIRUS} AS virus
    FROM detection AS d LEFT JOIN unsure AS u ON u.source = d.source
),
named AS (
    SELECT 'species' AS facet, stated AS value, * FROM hit WHERE stated IS NOT NULL
    UNION ALL SELECT 'family', family, * FROM hit WHERE family IS NOT NULL
),
gap AS (SELECT stated AS value, gap_low, gap_high FROM ({SPECIES_GAPS})),
found AS (
    SELECT n.run, n.facet, n.value, n.facet = 'family' AND bool_and(unsure) AS by_kmers,
           {MOST_READ_IDENTITY} AS identity, max(unsure_reads) AS unsure_reads,
           coalesce(bool_and(unexpected), false) AS unexpected,
           n.facet = 'species' AND bool_and(is_print) AS by_print,
           n.facet = 'species' AND bool_or(is_less) AS beside
    FROM named AS n LEFT JOIN judged AS j USING (run, virus) GROUP BY n.run, n.facet, n.value
),
placed AS (
    SELECT f.*, gap_low, gap_high, coalesce(identity < gap_high, false) AS is_far,
           identity < {SPECIES_IDENTITY} AND NOT is_far AS is_below
    FROM found AS f LEFT JOIN gap USING (value)
)
SELECT m.community, f.facet, f.value, count(*) FILTER (by_kmers) AS by_kmers,
       count(*) FILTER (is_below) AS below,
       min(identity) FILTER (is_below) AS low, max(identity) FILTER (is_below) AS high,
       count(*) FILTER (is_far) AS far, min(identity) FILTER (is_far) AS far_low,
       any_value(gap_low) AS gap_low, any_value(gap_high) AS gap_high,
       median(unsure_reads) AS reads, count(*) FILTER (unexpected) AS unexpected,
       count(*) FILTER (by_print) AS by_print, count(*) FILTER (beside) AS beside
FROM ({COMMUNITY_RUNS}) AS m SEMI JOIN distinct_community AS d USING (community)
JOIN placed AS f USING (run)
GROUP BY m.community, f.facet, f.value
"""
"""How many runs of a virus rest on k-mers alone, are below 90 % identity, in a host that it
is not expected in, or have more reads of a congener."""
_POSITIVE: Final = f"""
SELECT m.community, a.facet, a.value, count(DISTINCT a.run) AS positive
FROM ({COMMUNITY_RUNS}) AS m SEMI JOIN distinct_community AS d USING (community)
JOIN annotation AS a USING (run) SEMI JOIN detection AS f USING (run)
ANTI JOIN ({BROADER}) AS b USING (run, facet, value)
WHERE a.value IS NOT NULL GROUP BY ALL
"""
_PROBABLE: Final = f"""
WITH nameless AS (
    SELECT DISTINCT run, sotu FROM detection WHERE stated IS NULL AND sotu IS DISTINCT FROM phylum
),
labelled AS (
    SELECT DISTINCT run, value FROM annotation WHERE facet = 'virus' AND value IS NOT NULL
),
spelt AS (SELECT DISTINCT value FROM labelled WHERE contains(value, ' ')),
text AS (FROM (SELECT study, title FROM study UNION SELECT bioproject, title FROM bioproject)),
entitled AS (  -- studies whose title names one virus
    SELECT study, any_value(value) AS value
    FROM text JOIN spelt ON contains(lower(title), lower(value))
    GROUP BY study HAVING count(DISTINCT value) = 1
),
spoken AS (
    SELECT run, value, true AS is_label FROM labelled
    UNION SELECT r.run, e.value, false FROM run AS r JOIN entitled AS e
    ON e.study IN (r.bioproject, r.study) ANTI JOIN labelled USING (run)
),
carrier AS (SELECT n.sotu, s.* FROM nameless AS n JOIN spoken AS s USING (run)),
whole AS (SELECT sotu, count(*) AS runs FROM nameless GROUP BY sotu HAVING count(*) >= {PATTERN}),
voted AS (SELECT sotu, count(DISTINCT run) AS spoken_for FROM carrier GROUP BY sotu),
library AS (SELECT value, count(*) AS libraries FROM labelled GROUP BY value),
probable AS (
    SELECT c.sotu, c.value, count(*) FILTER (is_label) AS labels,
           labels < {PROBABLY} * w.runs AS unnamed_elsewhere
    FROM carrier AS c JOIN whole AS w USING (sotu) JOIN voted AS v USING (sotu)
    JOIN library AS y USING (value)
    GROUP BY c.sotu, c.value, w.runs, v.spoken_for, y.libraries
    HAVING NOT unnamed_elsewhere
        OR y.libraries >= {FEW_TO_COMPARE} AND labels >= {NEARLY_ALL} * y.libraries
           AND count(*) >= {PROBABLY} * v.spoken_for
)
SELECT m.community, 'virus' AS facet, p.value, p.sotu AS unnamed,
       count(*) FILTER (is_label) AS unnamed_runs,
       count(*) FILTER (NOT is_label) AS unnamed_titled, p.unnamed_elsewhere
FROM ({COMMUNITY_RUNS}) AS m JOIN carrier AS c USING (run)
JOIN probable AS p ON p.sotu = c.sotu AND p.value = c.value
GROUP BY m.community, p.value, p.sotu, p.unnamed_elsewhere
QUALIFY row_number() OVER (PARTITION BY m.community, p.value
    ORDER BY p.unnamed_elsewhere, count(*) DESC, p.sotu) = 1
"""
"""Unnamed viruses that are in nearly all libraries of a virus and in hardly any other run, or whose
runs are nearly all said to be of this virus by labels and titles of studies.
"""
_INFERRED: Final = f"""
WITH named AS (
    SELECT DISTINCT d.run, d.stated, s.sotu, s.reported_name, s.runs AS everywhere,
           s.runs_agreeing, s.runs_with_evidence, s.runs_with_hits
    FROM detection AS d JOIN sotu_name AS s USING (source, sotu)
    ANTI JOIN detection AS near
        ON (near.run, near.stated) = (d.run, d.stated) AND near.identity IS NOT NULL
    WHERE d.identity IS NULL AND d.stated IS NOT NULL AND s.runs_with_hits > 0
),
here AS (
    SELECT m.community, n.* FROM ({COMMUNITY_RUNS}) AS m JOIN named AS n USING (run)
    SEMI JOIN distinct_community USING (community)
),
of_sotu AS (
    SELECT community, stated, sotu, count(*) AS runs, any_value(reported_name) AS reported_name,
           any_value(everywhere) AS everywhere,
           any_value(runs_agreeing) AS agreeing, any_value(runs_with_evidence) AS evident,
           any_value(runs_with_hits) AS with_hits
    FROM here GROUP BY community, stated, sotu
),
whole AS (SELECT community, stated, count(DISTINCT run) AS runs FROM here GROUP BY ALL)
SELECT w.community, 'species' AS facet, w.stated AS value, any_value(w.runs) AS runs,
       array_to_string(list_sort(list(o.reported_name || ' (' || o.sotu || ')')), ' or ')
           AS deposited,
       sum(everywhere)::BIGINT AS everywhere, sum(agreeing)::BIGINT AS agreeing,
       sum(evident)::BIGINT AS evident, sum(with_hits)::BIGINT AS with_hits
FROM whole AS w JOIN of_sotu AS o USING (community, stated)
GROUP BY w.community, w.stated ORDER BY ALL
"""
"""Viruses of sOTUs that were deposited under another name and are named by other evidence, in runs
that no reference shows them in.
"""
_FAMILIES: Final = """
SELECT stated, arg_max(family, runs) AS family FROM (
    SELECT stated, family, count(*) AS runs FROM detection
    WHERE stated IS NOT NULL AND family IS NOT NULL GROUP BY ALL ORDER BY ALL
) GROUP BY stated
"""
_WEIGHED: Final = f"""
WITH read AS (
    SELECT d.run, d.stated, d.source, max(d.reads) AS reads, min(v.genus) AS genus
    FROM detection AS d LEFT JOIN virus AS v USING (virus)
    WHERE d.reads > 0 AND d.stated IN (SELECT value FROM weighed_virus WHERE facet = 'species')
    GROUP BY d.run, d.stated, d.source
),
pair AS (
    SELECT a.run, a.stated AS first, b.stated AS second, max(a.reads / b.reads) AS ratio,
           coalesce(bool_or(a.genus = b.genus), false) AS are_congeners
    FROM read AS a JOIN read AS b
    ON a.run = b.run AND a.source = b.source AND a.stated < b.stated GROUP BY ALL
)
SELECT m.community, first, second, bool_or(are_congeners) AS are_congeners, count(*) AS runs,
       count(*) FILTER (ratio > 1) AS first_more, count(*) FILTER (ratio < 1) AS second_more,
       count(*) FILTER (ratio >= {EXPLAINED}) AS first_far_more,
       count(*) FILTER (ratio <= 1 / {EXPLAINED}) AS second_far_more
FROM pair JOIN ({COMMUNITY_RUNS}) AS m USING (run)
SEMI JOIN weighed_virus AS w ON w.community = m.community AND w.value = first
SEMI JOIN weighed_virus AS x ON x.community = m.community AND x.value = second
GROUP BY m.community, first, second HAVING count(*) >= {PATTERN} ORDER BY ALL
"""
"""For two viruses, the runs with both in which each has more reads, or far more."""


def _table(con: duckdb.DuckDBPyConnection, name: str) -> pl.DataFrame:
    frame: pl.DataFrame = con.table(name).pl()
    return frame
