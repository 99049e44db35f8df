"""What sightings are made of, in SQL: groups, viruses, terms and searches by their numbers.

Names are replaced by numbers before rows are joined or made distinct, and each statement holds one
large table at a time: DuckDB then needs little memory for an index of any size.
"""

from __future__ import annotations

from typing import Final

from index.store.run_values import WEIGHED_VIRUS

HOST: Final = "host"
FACETS: Final = (HOST, "label", "tissue", "disease", "environment", "biome", "geography")
"""Facets whose terms viruses are found with."""
OF_SPECIES: Final = "coalesce(species, usual, sotu)"
"""Segments of one genome are one virus: that of their species, or of most hits of their sOTU."""
GENOME: Final = r"^([A-Z]{1,2}_?\d{5,}(\.\d+)?|txid\d+)$"
"""sOTUs that are a genome or a taxon of a reference: without a species they name no virus."""


def most_frequent(key: str, value: str, rows: str, *, number: str = "count(*)") -> str:
    """Return a SELECT of ``key`` and the ``value`` of most of its ``rows``, the first of several.

    It counts first (``number``): the mode of an aggregate would hold all rows at once.
    """
    return f"""
        SELECT {key}, arg_min({value}, (-number, {value})) AS {value}
        FROM (SELECT {key}, {value}, {number} AS number {rows} GROUP BY ALL) GROUP BY {key}
    """


def temporary_tables(virus: str) -> dict[str, str]:
    """Return the SELECT of each temporary table that the other statements read, in their order.

    ``left_out``     [run]: of no study, or a library of a virus
    ``virus_kind``   [sotu, taxon, species, virus, number]: what the hits of an sOTU and a taxon
    count as; ``virus`` says it in SQL, ``number`` is of the virus
    ``virus_found``  [run, source, number]
    ``run_subject``  [run, number]: of ``_SUBJECT``
    """
    usual = most_frequent("sotu", "species", "FROM hit JOIN species USING (taxon)", number="sum(n)")
    return {
        "left_out": """
            SELECT run FROM run WHERE coalesce(study, bioproject) IS NULL
            UNION SELECT run FROM annotation WHERE facet = 'virus'
        """,
        "virus_kind": f"""
            WITH
            hit AS (SELECT sotu, taxon, count(*) AS n FROM ({_HIT}) GROUP BY sotu, taxon),
            species AS (
                SELECT descendant AS taxon, ancestor AS species FROM closure
                JOIN used_term AS t ON t.curie = ancestor WHERE t.rank = 'species'
            ),
            usual AS ({usual}),
            kind AS (
                SELECT sotu, taxon, coalesce(species, usual) AS species, {virus} AS virus
                FROM (SELECT h.sotu, h.taxon, s.species, u.species AS usual FROM hit AS h
                      LEFT JOIN species AS s USING (taxon) LEFT JOIN usual AS u USING (sotu))
                WHERE species IS NOT NULL OR NOT regexp_matches(sotu, '{GENOME}')
            )
            SELECT *, (dense_rank() OVER (ORDER BY virus))::UINTEGER AS number FROM kind
        """,
        "virus_found": f"""
            SELECT run, source, number FROM ({_HIT}) AS h JOIN virus_kind AS k
            ON k.sotu = h.sotu AND k.taxon IS NOT DISTINCT FROM h.taxon
        """,
        "run_subject": f"""
            SELECT run, min(number) AS number
            FROM annotation JOIN ({_SUBJECT}) USING (facet, curie) GROUP BY run
        """,
    }


_HIT: Final = f"""
SELECT run, source, sotu, {WEIGHED_VIRUS} AS taxon FROM detection ANTI JOIN left_out USING (run)
WHERE sotu IS DISTINCT FROM phylum
"""
_SUBJECT: Final = """
SELECT facet, curie, (dense_rank() OVER (ORDER BY curie))::UINTEGER AS subject,
       (row_number() OVER (ORDER BY facet, curie))::UINTEGER AS number
FROM (SELECT DISTINCT facet, curie FROM annotation
      WHERE facet IN ('host', 'label') AND curie IS NOT NULL)
"""
"""SELECT of [facet, curie, subject, number]: the first host of a run, or else its first label, has
the least number. Its ``subject`` is the same as a host and as a label.
"""
VIRUS: Final = """
WITH ranked AS (
    SELECT c.descendant AS virus, t.rank, t.curie
    FROM closure AS c JOIN used_term AS t ON t.curie = c.ancestor
    WHERE t.rank IN ('genus', 'family')
),
sotu AS (SELECT sotu AS virus, family FROM ({of_family})),
counted AS (
    SELECT number, count(*) AS runs FROM (SELECT DISTINCT run, number FROM virus_found) GROUP BY ALL
),
most AS (
    SELECT number, virus, min(coalesce(species, virus)) AS taxon, runs
    FROM counted JOIN virus_kind USING (number)
    GROUP BY ALL ORDER BY runs DESC, virus LIMIT $1
)
SELECT m.number, m.virus, g.curie AS genus, coalesce(t.label, s.family) AS family
FROM most AS m
LEFT JOIN ranked AS g ON g.virus = m.taxon AND g.rank = 'genus'
LEFT JOIN ranked AS f ON f.virus = m.taxon AND f.rank = 'family'
LEFT JOIN used_term AS t ON t.curie = f.curie
LEFT JOIN sotu AS s ON s.virus = m.virus
ORDER BY m.virus
""".format(of_family=most_frequent("sotu", "family", "FROM detection WHERE family IS NOT NULL"))
RUN: Final = f"""
SELECT run, study, bioproject, biosample, subject
FROM run SEMI JOIN (SELECT state FROM run_state WHERE searches IS NOT NULL) USING (state)
ANTI JOIN left_out USING (run) LEFT JOIN run_subject USING (run)
LEFT JOIN ({_SUBJECT}) USING (number)
"""
FOUND_IN: Final = """
SELECT DISTINCT index, "column" FROM virus_found
JOIN run_of_group USING (run) JOIN of_virus USING (number)
"""
OWN_TERMS: Final = f"""
SELECT DISTINCT facet, curie, coalesce(curie, split_part(value, ':', 1)) AS term
FROM annotation WHERE facet IN {FACETS} AND value IS NOT NULL ORDER BY ALL
"""
STATED: Final = """
SELECT DISTINCT index, own AS "column" FROM annotation AS a JOIN run_of_group USING (run)
JOIN own_term AS o ON o.facet = a.facet AND o.curie IS NOT DISTINCT FROM a.curie
AND o.term = coalesce(a.curie, split_part(a.value, ':', 1)) WHERE a.value IS NOT NULL
"""
LOOKED: Final = """
SELECT DISTINCT index, "column" FROM searched
JOIN run_of_group USING (run) JOIN of_search USING (source, search)
"""
SCOPE: Final = """
WITH named AS (SELECT DISTINCT virus, species FROM virus_kind SEMI JOIN of_virus USING (number))
SELECT s.source, s.search, v.virus
FROM named AS v JOIN closure AS c ON c.descendant = v.species
JOIN source_scope AS s ON s.virus = c.ancestor AND (s.below OR c.ancestor = v.species)
UNION
SELECT s.source, s.search, v.virus
FROM source_scope AS s JOIN closure AS c ON c.descendant = s.virus
JOIN named AS v ON v.species = c.ancestor
UNION
SELECT source, search, virus FROM (
    SELECT DISTINCT source, search, number
    FROM (FROM virus_found SEMI JOIN of_virus USING (number)) JOIN searched USING (run, source)
) JOIN of_virus USING (number)
"""
