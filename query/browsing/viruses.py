"""Which virus a text names, from the names that the index holds, and the runs it is seen in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import duckdb

if TYPE_CHECKING:
    import polars as pl

PREFIX: Final = 3
"""Letters by which names of the taxonomy that may be the text are fetched."""


class NamedVirus(NamedTuple):
    """The virus a text names: ``curie`` is None where ``candidates`` are several."""

    curie: str | None
    candidates: tuple[str, ...]


def find_virus(con: duckdb.DuckDBPyConnection, text: str) -> NamedVirus | None:
    """Return the virus that the whole of ``text`` names, None where it names none.

    A CURIE of a viral taxon names itself. A name of several viruses has candidates and no CURIE.
    """
    import polars as pl

    from ontology_etl.viruses.names import settle_names

    named = _names_like(con, text)
    taxa = named["virus"].unique().to_list()
    placed = con.sql(_PLACED, params={"curies": taxa}).pl()
    viral = named.join(placed.select("virus"), on="virus", how="semi")
    species = placed.select("virus", "species").drop_nulls()
    settled = settle_names(pl.Series([text]), viral, species).to_dicts()
    if not settled:
        return None
    return NamedVirus(settled[0]["virus"], tuple(settled[0]["candidates"]))


def _names_like(con: duckdb.DuckDBPyConnection, text: str) -> pl.DataFrame:
    """Return key, name, virus, kind of the names with the key of ``text``."""
    import polars as pl

    from ontology_etl.viruses.keys import name_key

    texts = pl.DataFrame({"text": [text]})
    wanted = texts.select(name_key(pl.col("text"))).item()
    prefix = text.lower()[:PREFIX]
    own: pl.DataFrame = con.sql(_OWN_NAMES, params={"key": wanted}).pl()
    begun: pl.DataFrame = con.sql(_TAXON_NAMES, params={"prefix": prefix}).pl()

    keyed = begun.with_columns(key=name_key(pl.col("name")))
    alike = keyed.filter(pl.col("key") == wanted)
    further = alike.join(own, on=["key", "name", "kind"], how="anti")
    itself = pl.DataFrame(
        {
            "key": [wanted],
            "name": [text],
            "virus": [text],
            "kind": ["label"],
        }
    )
    return pl.concat([own, further.select(own.columns), itself])


_OWN_NAMES: Final = "SELECT key, name, virus, kind FROM virus_name WHERE key = $key"
_TAXON_NAMES: Final = """
SELECT label AS name, curie AS virus, 'label' AS kind FROM term
WHERE ontology = 'NCBITaxon' AND NOT obsolete AND starts_with(lower(label), $prefix)
UNION ALL
SELECT synonym, curie, 'synonym' FROM synonym
WHERE curie LIKE 'NCBITaxon:%' AND starts_with(lower(synonym), $prefix)
"""
_PLACED: Final = """
WITH RECURSIVE up AS (
    SELECT DISTINCT unnest($curies::VARCHAR[]) AS virus, virus AS at, 0 AS distance
    UNION
    SELECT u.virus, e.object, u.distance + 1 FROM up u JOIN term_edge e ON e.subject = u.at
    WHERE e.predicate = 'parent' AND u.distance < 60
)
SELECT u.virus, arg_min(u.at, u.distance) FILTER (t.rank = 'species') AS species
FROM up u JOIN term t ON t.curie = u.at
GROUP BY u.virus HAVING bool_or(u.at = 'NCBITaxon:10239')
"""

SEEN: Final = """
SELECT run, stated, reported_name, source, identity, species FROM detection
WHERE virus = $1 OR taxon = $1
   OR virus IN (SELECT descendant FROM closure WHERE ancestor = $1)
   OR taxon IN (SELECT descendant FROM closure WHERE ancestor = $1)
"""
"""SELECT of the detections of a virus and of those below it; the parameter is its CURIE."""

OCCURRENCES: Final = f"""
SELECT 'virus' AS facet, coalesce(stated, 'no species') AS label,
       coalesce(reported_name, 'no name') AS text, source AS attribute,
       CASE WHEN species IS NOT NULL THEN 'identity of 90 % and more'
            WHEN identity IS NOT NULL THEN 'identity below 90 %'
            ELSE 'identity unknown' END AS method,
       count(DISTINCT run) AS runs
FROM ({SEEN}) GROUP BY ALL ORDER BY runs DESC, label, text, attribute
"""
COMMUNITIES: Final = f"""
WITH seen AS (SELECT DISTINCT run FROM ({SEEN}))
SELECT r.community, r.title FROM seen a JOIN community_member m ON m.entity = a.run
JOIN report r USING (community) JOIN community c USING (community)
GROUP BY r.community, r.title, c.runs
ORDER BY 2.0 * count(DISTINCT a.run) / (c.runs + (SELECT count(*) FROM seen)) DESC, r.community
"""
NAMES: Final = """
SELECT name FROM virus_name WHERE virus = $1
UNION SELECT synonym FROM synonym WHERE curie = $1 ORDER BY 1
"""
