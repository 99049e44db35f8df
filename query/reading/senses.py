"""In which senses the index holds a name: runs annotated with a term or below it, viruses found,
verbatim values, accessions, words of titles.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import duckdb

from ontology_etl.meaning.health import healthy_sql
from query.reading.labels import labels_query

VIRUS_FACETS: Final = ("species", "family", "phylum")
FOUND_FACETS: Final = (*VIRUS_FACETS, "genome", "risk", "hits", "several")
"""Facets in which a virus is found in runs; in others it is what was sequenced."""
GENOMES: Final = {"rna": "RNA", "dna": "DNA", "dsrna": "dsRNA", "ssrna": "ssRNA", "dsdna": "dsDNA",
                  "ssdna": "ssDNA"}  # fmt: skip
"""Words before "viruses" that ask for a kind of genome."""
HEALTHY: Final = frozenset(
    {"healthy", "unaffected", "non-diseased", "disease-free", "asymptomatic"}
)
"""Words that ask for samples stated to be healthy."""


@dataclass(frozen=True, slots=True)
class Sense:
    """One way in which the index holds a name: runs whose ``facet`` is ``curie`` or below it, or
    equals ``value``.
    """

    facet: str
    label: str
    runs: int
    curie: str | None = None
    value: str | None = None


def term_senses(
    con: duckdb.DuckDBPyConnection, terms: Sequence[tuple[str, str]]
) -> dict[str, list[Sense]]:
    """Return the senses of each of ``terms`` (CURIE, label) that at least one run carries."""
    senses: dict[str, list[Sense]] = {}
    if not terms:
        return senses
    distinct = sorted(set(terms))
    asked = {
        "curies": [curie for curie, _ in distinct],
        "labels": [label for _, label in distinct],
    }
    found = con.execute(_TERM_SENSES.format(labels=labels_query(con)), asked)
    for curie, label, facet, value, runs in found.fetchall():
        # Detections carry names, so a virus is looked for by the names of the taxa below the term.
        anchor = None if facet in VIRUS_FACETS else curie
        sense = Sense(facet, label, runs, curie=anchor, value=value)
        listed = senses.setdefault(curie, [])
        listed.append(sense)
    return senses


def is_carried(con: duckdb.DuckDBPyConnection, curie: str) -> bool:
    """Return whether some run carries the term ``curie``, or one below it."""
    return bool(con.execute(_IS_CARRIED, [curie]).fetchall())


def value_senses(con: duckdb.DuckDBPyConnection, names: Sequence[str]) -> dict[str, list[Sense]]:
    """Return the senses of ``names`` that are values of the metadata, names of viruses,
    accessions, or communities.

    A biome answers to each phrase that ends it (mouse gut is a gut, leaf litter no leaf), and the
    water of a lake to the lake; a place to each of its parts (``USA: Houston``), and to a name of
    several words inside one (``Coastal Baltic Sea Sediment``).
    """
    if not names:
        return {}
    asked = {"names": list(names)}
    return _verbatim(con, _VALUE_SENSES, asked)


def virus_word_senses(
    con: duckdb.DuckDBPyConnection, words: Sequence[str]
) -> dict[str, list[Sense]]:
    """Return the senses of ``words`` that no ontology lists but names of viruses hold: norovirus,
    coronavirus.
    """
    if not words:
        return {}
    asked = {"words": list(words)}
    return _verbatim(con, _VIRUS_WORDS, asked)


def healthy_runs(con: duckdb.DuckDBPyConnection) -> int:
    """Return how many runs are stated to be of something healthy, or a control of a disease."""
    query = f"SELECT count(DISTINCT run) FROM ({HEALTHY_RUNS})"
    rows = con.execute(query).fetchall()
    ((runs,),) = rows
    return int(runs)


def genome_runs(con: duckdb.DuckDBPyConnection, genome: str) -> int:
    """Return how many runs carry a virus whose genome is of the kind ``genome``; an empty one is of
    any kind.
    """
    query = f"SELECT count(DISTINCT run) FROM ({GENOME_RUNS}) WHERE contains(genome, $1)"
    rows = con.execute(query, [genome]).fetchall()
    ((runs,),) = rows
    return int(runs)


def known_places() -> dict[str, str]:
    """Return the countries and seas of the INSDC list by their names in lower case."""
    from ontology_etl.vocabulary import read_reviewed

    listed = read_reviewed("countries.tsv").select("country", "aliases").rows()
    places = {}
    for country, aliases in listed:
        names = [country, *(aliases or "").split("|")]
        places.update({name.strip().lower(): country for name in names if name})
    return places


def line_senses(con: duckdb.DuckDBPyConnection) -> list[Sense]:
    """Return the senses of "cell line", which no term of the tissue ontology covers as a whole."""
    senses = []
    for curie, label, runs in con.execute(_LINES).fetchall():
        sense = Sense("tissue", str(label), int(runs), curie=str(curie))
        senses.append(sense)
    return senses


def title_counts(con: duckdb.DuckDBPyConnection, words: Sequence[str]) -> dict[str, int]:
    """Return how many runs have each of ``words`` in the title of their project or sample."""
    if not words:
        return {}
    found = con.execute(f"SELECT word, count(*) FROM ({titled_sql(words)}) GROUP BY word")
    return dict(found.fetchall())


def titled_sql(words: Sequence[str]) -> str:
    """Return the SELECT of ``run, word``: which of ``words`` are in the titles of a run's project
    and sample.

    Only titles that hold one of them at all are split; what is no word of letters and digits is in
    none.
    """
    plain = [word for word in words if word.isalnum()]
    listed = ", ".join(f"'{word}'" for word in plain)
    return _TITLED.format(pattern="|".join(plain) or "$^", words=listed or "NULL")


def _verbatim(
    con: duckdb.DuckDBPyConnection, query: str, parameters: dict[str, list[str]]
) -> dict[str, list[Sense]]:
    senses: dict[str, list[Sense]] = {}
    found = con.execute(query, parameters)
    for name, facet, value, runs in found.fetchall():
        sense = Sense(facet, value, runs, value=value)
        listed = senses.setdefault(name, [])
        listed.append(sense)
    return senses


HEALTHY_RUNS: Final = (
    "SELECT DISTINCT run FROM stated_attribute\nWHERE "
    f"{healthy_sql(attribute='attribute', value='value')}"
)
"""SELECT of the runs stated to be of something healthy, of themselves or by their sample."""

GENOME_RUNS: Final = """
SELECT d.run, coalesce(v.genome, '') AS genome FROM detection d LEFT JOIN virus v USING (virus)
"""
"""SELECT of ``run, genome`` of the viruses found; an empty genome where none is known."""

_LINES: Final = """
SELECT t.curie, t.label, count(DISTINCT a.run) AS runs
FROM annotation a JOIN term t ON t.curie = a.curie
WHERE a.facet = 'tissue' AND (
    contains(t.label, 'cell line') OR regexp_matches(t.label, '^[A-Z]+[A-Za-z]*-?[0-9]+.* cell$')
    OR a.curie IN (
        SELECT c.descendant FROM closure c JOIN term u ON u.curie = c.ancestor
        WHERE contains(u.label, 'cell line')
    )
)
GROUP BY ALL ORDER BY t.curie
"""

_IS_CARRIED: Final = "SELECT 1 FROM closure WHERE ancestor = $1 LIMIT 1"
_TERM_SENSES: Final = """
WITH
wanted AS (SELECT unnest($curies::VARCHAR[]) AS curie, unnest($labels::VARCHAR[]) AS label),
below AS (
    SELECT w.curie, w.label, c.descendant FROM wanted w JOIN closure c ON c.ancestor = w.curie
    UNION SELECT curie, label, curie FROM wanted
),
virus_below AS (
    SELECT b.* FROM below b JOIN closure v ON v.descendant = b.descendant
    WHERE v.ancestor = 'NCBITaxon:10239'
),
named AS (
    SELECT b.curie, b.label, lower(t.label) AS name
    FROM virus_below b JOIN ({labels}) t ON t.curie = b.descendant
),
found AS (
    SELECT run, 'species' AS facet, stated AS value FROM detection
    UNION ALL SELECT run, 'family', family FROM detection
    UNION ALL SELECT run, 'phylum', phylum FROM detection
),
virus AS (
    SELECT DISTINCT n.curie, n.label, v.facet, v.value, v.run
    FROM named n JOIN found v ON lower(v.value) = n.name
    UNION
    SELECT b.curie, b.label, 'species', d.stated, d.run
    FROM virus_below b JOIN detection d ON d.taxon = b.descendant WHERE d.stated IS NOT NULL
    UNION
    SELECT b.curie, b.label, 'species', d.stated, d.run
    FROM virus_below b JOIN detection d ON d.virus = b.descendant
    WHERE d.stated IS NOT NULL AND (d.species IS NOT NULL OR d.identity IS NULL)
)
SELECT b.curie, b.label, a.facet, NULL AS value, count(DISTINCT a.run) AS runs
FROM below b JOIN annotation a ON a.curie = b.descendant GROUP BY b.curie, b.label, a.facet
UNION ALL
SELECT curie, label, facet, value, count(DISTINCT run) FROM virus
GROUP BY curie, label, facet, value
ORDER BY ALL
"""

# Accessions and names of communities have a digit: without one, no column of them is read.
_VALUE_SENSES: Final = """
WITH wanted AS (SELECT DISTINCT unnest($names::VARCHAR[]) AS name),
numbered AS MATERIALIZED (FROM wanted WHERE regexp_matches(name, '[0-9]')),
stated AS MATERIALIZED (SELECT DISTINCT facet, value FROM annotation WHERE curie IS NULL),
part AS (
    SELECT facet, value, lower(value) AS name FROM stated
    UNION SELECT facet, value, unnest(string_split_regex(lower(value), '\\s*[:,]\\s*'))
    FROM stated WHERE facet = 'geography'
),
meant AS MATERIALIZED (
    SELECT w.name, p.facet, p.value FROM wanted w JOIN part p USING (name)
    UNION
    SELECT w.name, s.facet, s.value FROM wanted w JOIN stated s
    ON s.facet = 'biome' AND (
        ends_with(concat(' ', lower(s.value)), concat(' ', w.name))
        OR lower(s.value) = concat(w.name, ' water')
    )
    UNION
    SELECT w.name, s.facet, s.value FROM wanted w JOIN stated s
    ON s.facet = 'geography' AND contains(w.name, ' ')
      AND contains(concat(' ', lower(s.value), ' '), concat(' ', w.name, ' '))
),
counted AS (
    SELECT facet, value, count(DISTINCT run) AS runs FROM annotation
    WHERE curie IS NULL AND (facet, value) IN (SELECT facet, value FROM meant)
    GROUP BY facet, value
)
SELECT name, facet, value, runs FROM meant JOIN counted USING (facet, value)
UNION ALL
SELECT lower(stated), 'species', stated, count(DISTINCT run)
FROM detection WHERE lower(stated) IN (FROM wanted) GROUP BY ALL
UNION ALL
SELECT lower(family), 'family', family, count(DISTINCT run)
FROM detection WHERE lower(family) IN (FROM wanted) GROUP BY ALL
UNION ALL
SELECT lower(phylum), 'phylum', phylum, count(DISTINCT run)
FROM detection WHERE lower(phylum) IN (FROM wanted) GROUP BY ALL
UNION ALL
SELECT lower(bioproject), 'bioproject', bioproject, count(*)
FROM run WHERE lower(bioproject) IN (FROM numbered) GROUP BY ALL
UNION ALL
SELECT lower(study), 'study', study, count(*)
FROM run WHERE lower(study) IN (FROM numbered) GROUP BY ALL
UNION ALL
SELECT lower(biosample), 'biosample', biosample, count(*)
FROM run WHERE lower(biosample) IN (FROM numbered) GROUP BY ALL
UNION ALL
SELECT lower(community), 'community', community, runs
FROM community WHERE lower(community) IN (FROM numbered)
UNION ALL
SELECT lower(run), 'runId', run, 1 FROM run WHERE lower(run) IN (FROM numbered)
ORDER BY ALL
"""

_VIRUS_WORDS: Final = """
WITH wanted AS (SELECT DISTINCT unnest($words::VARCHAR[]) AS word),
named AS (
    SELECT facet, value, count(DISTINCT run) AS runs FROM (
        SELECT run, 'species' AS facet, stated AS value FROM detection
        UNION ALL SELECT run, 'family', family FROM detection
    ) WHERE value IS NOT NULL GROUP BY facet, value
)
SELECT w.word, n.facet, n.value, n.runs FROM wanted w JOIN named n ON (
    n.facet = 'family' AND w.word LIKE '%virus'
    AND lower(n.value) = regexp_replace(w.word, 'virus$', 'viridae')
) OR (
    n.facet = 'species' AND w.word LIKE '%virus'
    AND list_contains(string_split_regex(lower(n.value), '[^a-z0-9]+'), w.word)
) OR (
    n.facet = 'species' AND length(w.word) > 4 AND regexp_matches(
        lower(n.value), concat('^(?:reported as )?', w.word, '\\b|\\b', w.word, ' ?virus\\b')
    )
)
ORDER BY ALL
"""

_TITLED: Final = """
WITH
titled AS (
    SELECT bioproject AS entitled, title FROM bioproject
    UNION ALL SELECT biosample, title FROM biosample
),
word_of AS (
    SELECT entitled, unnest(string_split_regex(lower(title), '[^a-z0-9]+')) AS word
    FROM titled WHERE regexp_matches(lower(title), '{pattern}')
),
wanted AS (SELECT DISTINCT entitled, word FROM word_of WHERE word IN ({words}))
SELECT run, word FROM run JOIN wanted ON entitled = bioproject
UNION SELECT run, word FROM run JOIN wanted ON entitled = biosample
"""
