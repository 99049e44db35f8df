"""What the atlas shows, as plain values from one query each; every list is sorted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import duckdb

from index.reports.associations import community_associations
from index.store.freshness import SOURCES_BY_AGE
from index.store.run_pairs import FOUND_IN, community_pairs
from index.store.run_values import COMMUNITY_RUNS, RUN_VALUES
from query.browsing.risks import risk_lines, risky_viruses

Record = dict[str, Any]

MOST_REPORTS: Final = 20_000
"""Reports of a page unless somebody asks for another number."""
FACTS_PER_FACET: Final = 5
RUNS_PER_CITATION: Final = 10
RUNS_LOOKED_AT: Final = 4_000_000
"""Runs among which those of citations are looked for, over all communities that are shown."""
RUNS_LOOKED_AT_EACH: Final = 999_999
"""The same within one community: DuckDB's ``min(value, n)`` takes no more."""
PAIRS_PER_REPORT: Final = 12
STUDIES_PER_REPORT: Final = 6
FAMILIES: Final = 24
HOSTS: Final = 16
PLACES: Final = 4_000
SHOWN_OF_BUILD: Final = ("content_hash", "run_at.%", "version.%", "parameter.%", "input.%")


@dataclass(frozen=True, slots=True)
class Content:
    """What a page is made of: ``index`` is read at once, ``reports`` on demand."""

    index: Record
    reports: dict[str, Record]
    left_out: int
    """Reports beyond the limit; the page says how many."""


def gather_content(con: duckdb.DuckDBPyConnection, *, most_reports: int) -> Content:
    """Return what the atlas of the index shows.

    Reports beyond ``most_reports`` are left out, those of the finest level with the fewest runs
    first; their communities stay in the list.
    """
    communities = _columns(con, _COMMUNITIES)
    con.execute(_CHOOSE, [most_reports])
    ((shown,),) = con.execute("SELECT count(*) FROM shown_report").fetchall()
    left_out = len(communities["community"]) - shown
    index: Record = {
        "communities": communities,
        "counts": _rows(con, _COUNTS)[0],
        "left_out": left_out,
        **{part: _rows(con, query) for part, query in _PARTS_OF_INDEX.items()},
    }
    return Content(index, _reports(con, shown), left_out)


def _reports(con: duckdb.DuckDBPyConnection, shown: int) -> dict[str, Record]:
    """Return what is known of each of the ``shown`` reports, by community."""
    reports: dict[str, Record] = {}
    risks = risky_viruses(con)
    for row in _rows(con, _REPORTS):
        empty: Record = {part: [] for part in _PARTS_OF_REPORT}
        said = risk_lines(risks.get(row["community"], ()))
        reports[row["community"]] = {**row, **empty, "cited": {}, "risk_lines": said}
    for part, query in _PARTS_OF_REPORT.items():
        for row in _rows(con, query):
            reports[row.pop("community")][part].append(row)
    looked_at = min(RUNS_LOOKED_AT // max(1, shown), RUNS_LOOKED_AT_EACH)
    for row in _rows(con, _CITED, [looked_at]):
        reports[row["community"]]["cited"][f"{row['key']}: {row['value']}"] = row["runs"]
    return reports


def _rows(con: duckdb.DuckDBPyConnection, query: str, given: Sequence[object] = ()) -> list[Record]:
    """Return the rows of ``query`` as records, numbers with the four digits that a page shows."""
    result = con.execute(query, list(given))
    names = [name for name, *_ in result.description]
    return [dict(zip(names, map(_plain, row), strict=True)) for row in result.fetchall()]


def _columns(con: duckdb.DuckDBPyConnection, query: str) -> dict[str, list[Any]]:
    """Return the rows of ``query`` as columns, which take a third of the room in JSON."""
    result = con.execute(query)
    names = [name for name, *_ in result.description]
    rows = result.fetchall()
    return {name: [row[place] for row in rows] for place, name in enumerate(names)}


def _plain(value: object) -> object:
    return float(f"{value:.4g}") if isinstance(value, float) else value


LEAST_STATING: Final = 0.1
"""Share of the runs of a community that must state a host, or name a family, for its colour."""
HOST_GROUPS: Final = (
    ("NCBITaxon:9606", "humans"),
    ("NCBITaxon:40674", "other mammals"),
    ("NCBITaxon:7742", "other vertebrates"),
    ("NCBITaxon:6656", "arthropods"),
    ("NCBITaxon:33208", "other animals"),
    ("NCBITaxon:33090", "plants"),
    ("NCBITaxon:2759", "fungi and protists"),
    ("NCBITaxon:408169", "metagenomes"),
)
"""Groups by which communities are coloured; a host is of the first that it is in."""
_GROUPS: Final = ", ".join(str((*group, place)) for place, group in enumerate(HOST_GROUPS))
_COMMUNITIES: Final = f"""
WITH firsts AS (
    SELECT f.community, f.facet = 'family' AS is_family, f.value, f.curie
    FROM fact f JOIN summaries s USING (community)
    WHERE f.facet IN ('family', 'host', 'environment')
      AND f.runs / f.share >= {LEAST_STATING} * s.runs
    QUALIFY row_number() OVER (
        PARTITION BY f.community, is_family ORDER BY f.runs DESC, f.facet DESC, f.value) = 1
), grouped AS (
    SELECT f.community, min_by(g.said, g.place) AS said
    FROM firsts f
    JOIN closure c ON c.descendant = f.curie
    JOIN (VALUES {_GROUPS}) g(curie, said, place) ON g.curie = c.ancestor
    WHERE NOT is_family GROUP BY f.community
)
SELECT s.community, s.parent, s.level, s.runs, s.title, s.label, s.rating, s.risk_group AS risk,
       f.value AS family, g.said AS host
FROM summaries s
LEFT JOIN firsts f ON f.community = s.community AND is_family
LEFT JOIN grouped g ON g.community = s.community
ORDER BY s.level, s.runs DESC, s.community
"""
_CHOOSE: Final = """
CREATE OR REPLACE TEMP TABLE shown_report AS
SELECT community FROM summaries ORDER BY level, runs DESC, community LIMIT $1
"""
_COUNTS: Final = """
SELECT (SELECT count(*) FROM run) AS runs,
       (SELECT count(DISTINCT run) FROM detection) AS virus_runs,
       (SELECT count(DISTINCT virus) FROM detection) AS viruses,
       (SELECT count(DISTINCT run) FROM searched) AS searched,
       (SELECT count(*) FROM report) AS reports,
       (SELECT count(*) FROM association) AS associations
"""
_VIRUS_IN_HOST: Final = f"""
SELECT v.value AS family, h.value AS host, count(DISTINCT v.run) AS runs
FROM ({RUN_VALUES}) v JOIN ({RUN_VALUES}) h USING (run)
WHERE v.facet = 'family' AND h.facet = 'host' GROUP BY ALL
"""
_MATRIX: Final = f"""
WITH counted AS ({_VIRUS_IN_HOST})
SELECT family, host, runs FROM counted
WHERE family IN (
    SELECT family FROM counted GROUP BY family ORDER BY sum(runs) DESC, family LIMIT {FAMILIES})
  AND host IN (SELECT host FROM counted GROUP BY host ORDER BY sum(runs) DESC, host LIMIT {HOSTS})
ORDER BY runs DESC, family, host
"""
"""Runs that carry a virus of a family and state a host, of the families and hosts with most."""
_PAIRS: Final = """
SELECT coalesce(v.name, t.label, p.virus) AS virus, coalesce(h.label, p.host) AS host,
       p.plausibility, p.runs
FROM plausibility p
LEFT JOIN virus v ON v.virus = p.virus
LEFT JOIN used_term t ON t.curie = p.virus
LEFT JOIN used_term h ON h.curie = p.host
ORDER BY p.runs DESC, 1, 2 LIMIT 2000
"""
_PAIR_CLASSES: Final = """
SELECT plausibility, count(*) AS pairs FROM plausibility GROUP BY plausibility
ORDER BY pairs DESC, plausibility
"""
_NOVEL: Final = """
SELECT sotu, coalesce(nearest, family, phylum) AS nearest, identity, runs, studies, coverage,
       hosts, places, community
FROM novel_virus
ORDER BY identity IS NULL, studies DESC, runs DESC, coverage DESC NULLS LAST, sotu LIMIT 2000
"""
_NEIGHBOURHOODS: Final = """
SELECT neighbourhood, viruses, studies, families, hosts, samples, members
FROM virus_neighbourhood ORDER BY neighbourhood LIMIT 500
"""
_PREDICTED: Final = """
SELECT v.name AS virus, v.family, coalesce(h.label, p.host) AS host, p.probability, p.searched
FROM predicted_pair p JOIN virus_vector v USING (virus) LEFT JOIN used_term h ON h.curie = p.host
ORDER BY p.probability DESC, p.virus, p.host LIMIT 1000
"""
_UNLIKELY: Final = """
SELECT v.name AS virus, v.family, coalesce(h.label, p.host) AS host, p.probability, p.studies,
       p.searched
FROM unlikely_pair p JOIN virus_vector v USING (virus) LEFT JOIN used_term h ON h.curie = p.host
ORDER BY p.score, p.studies DESC, p.virus, p.host LIMIT 1000
"""
_ASSOCIATIONS: Final = """
SELECT bioproject, family, attribute, value, num_true, num_false, fold_change, q_value,
       ci_low, ci_high, flag
FROM association WHERE q_value IS NOT NULL
ORDER BY q_value, abs(fold_change) DESC, bioproject, family, attribute, value LIMIT 3000
"""
_COMBINED: Final = """
SELECT family, attribute, value, projects, effect, ci_low, ci_high, q_value
FROM meta_association ORDER BY q_value, family, attribute, value LIMIT 40
"""
_PLACES: Final = f"""
SELECT round(p.longitude, 1) AS longitude, round(p.latitude, 1) AS latitude,
       any_value(p.country) AS country, count(DISTINCT r.run) AS runs,
       count(DISTINCT d.run) AS virus_runs
FROM place p JOIN run r USING (biosample) LEFT JOIN detection d USING (run)
WHERE p.longitude IS NOT NULL AND p.latitude IS NOT NULL
GROUP BY 1, 2 ORDER BY runs DESC, 1, 2 LIMIT {PLACES}
"""
_COUNTRIES: Final = """
SELECT split_part(value, ':', 1) AS country, count(DISTINCT run) AS runs,
       count(DISTINCT run) FILTER (run IN (SELECT run FROM detection)) AS virus_runs
FROM annotation WHERE facet = 'geography' AND value IS NOT NULL
GROUP BY country ORDER BY runs DESC, country LIMIT 300
"""
_BUILD: Final = f"""
SELECT key, value FROM build
WHERE {" OR ".join(f"key LIKE '{key}'" for key in SHOWN_OF_BUILD)} ORDER BY key
"""
_ONTOLOGIES: Final = """
SELECT ontology, version, licence, terms FROM ontology_release ORDER BY ontology
"""
_REPORTS: Final = """
SELECT r.community, r.summary, r.gaps, r.rating_explanation, r.interpretation, r.model
FROM report r JOIN shown_report USING (community) ORDER BY r.community
"""
_FINDINGS: Final = """
SELECT community, summary, explanation
FROM finding JOIN shown_report USING (community) ORDER BY community, ordinal
"""
_FACTS: Final = f"""
SELECT f.community, f.facet, f.value, f.runs, f.share, f.background_share AS background,
       p.share AS parent, f.q_value AS q
FROM fact f
JOIN shown_report USING (community)
JOIN distinct_community d USING (community)
LEFT JOIN fact p ON p.community = d.parent AND p.facet = f.facet AND p.value = f.value
WHERE f.rank <= {FACTS_PER_FACET} AND f.facet <> 'bioproject'
ORDER BY f.community, f.facet, f.rank, f.value
"""
_REPORT_PAIRS: Final = f"""
SELECT community, virus_name AS virus, {FOUND_IN} AS host, plausibility, runs
FROM ({community_pairs("shown_report")}) WHERE facet = 'named' AND plausibility <> 'library'
QUALIFY row_number() OVER (PARTITION BY community ORDER BY runs DESC, virus, host, plausibility)
        <= {PAIRS_PER_REPORT}
ORDER BY community, runs DESC, virus, host, plausibility
"""
_STUDIES: Final = f"""
SELECT f.community, f.value AS accession, b.title, f.runs
FROM fact f JOIN shown_report USING (community)
LEFT JOIN bioproject b ON b.bioproject = f.value
WHERE f.facet = 'bioproject' AND f.rank <= {STUDIES_PER_REPORT}
ORDER BY f.community, f.runs DESC, f.value
"""
_REPORT_ASSOCIATIONS: Final = f"""
SELECT community, bioproject, family, attribute, value, fold_change,
       mean_rpm_true - mean_rpm_false AS difference, ci_low, ci_high, q_value, flag
FROM ({community_associations("shown_report")})
QUALIFY row_number() OVER (
    PARTITION BY community
    ORDER BY q_value, abs(fold_change) DESC, bioproject, family, attribute, value, source
) <= 10
ORDER BY community, q_value, abs(fold_change) DESC, bioproject, family, attribute, value, source
"""
_PARTS_OF_INDEX: Final = {
    "matrix": _MATRIX,
    "pairs": _PAIRS,
    "pair_classes": _PAIR_CLASSES,
    "novel": _NOVEL,
    "neighbourhoods": _NEIGHBOURHOODS,
    "predicted": _PREDICTED,
    "unlikely": _UNLIKELY,
    "associations": _ASSOCIATIONS,
    "combined": _COMBINED,
    "places": _PLACES,
    "countries": _COUNTRIES,
    "build": _BUILD,
    "ontologies": _ONTOLOGIES,
    "sources": f"SELECT kind, name, as_of::VARCHAR AS as_of, dated_by FROM {SOURCES_BY_AGE} "
    "ORDER BY kind, as_of DESC NULLS LAST, name",
}
_PARTS_OF_REPORT: Final = {
    "findings": _FINDINGS,
    "facts": _FACTS,
    "pairs": _REPORT_PAIRS,
    "studies": _STUDIES,
    "associations": _REPORT_ASSOCIATIONS,
}
_CITED: Final = f"""
WITH cited AS (
    SELECT DISTINCT community, key, value, lower(value) AS folded
    FROM citation JOIN shown_report USING (community)
), stated AS (
    SELECT DISTINCT run, facet AS key, lower(value) AS folded FROM ({RUN_VALUES})
    WHERE (facet, lower(value)) IN (SELECT (key, folded) FROM cited)
), looked_at AS (
    SELECT community, unnest(min(run, $1)) AS run
    FROM ({COMMUNITY_RUNS}) JOIN shown_report USING (community) GROUP BY community
)
SELECT c.community, c.key, c.value, min(m.run, {RUNS_PER_CITATION}) AS runs
FROM cited c
JOIN looked_at m USING (community)
JOIN stated s ON s.run = m.run AND s.key = c.key AND s.folded = c.folded
GROUP BY ALL ORDER BY c.community, c.key, c.value
"""
"""The first runs of each citation, looked for among the first runs of its community: all of them
but in an index of many large communities.
"""
