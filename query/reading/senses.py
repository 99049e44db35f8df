"""In which sense the index holds a name, and the senses that are neither terms nor values: healthy
samples, kinds of genome, cell lines, words of titles.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import duckdb

from ontology_etl.meaning.health import healthy_sql

VIRUS_FACETS: Final = ("species", "family", "phylum")
FOUND_FACETS: Final = (*VIRUS_FACETS, "genome", "recorded", "risk", "hits", "several")
"""Facets in which a virus is found in runs; in others it is what was sequenced."""
GENOMES: Final = {
    "rna": "RNA", "dna": "DNA", "dsrna": "dsRNA", "ssrna": "ssRNA", "dsdna": "dsDNA",
    "ssdna": "ssDNA", "plusrna": "ssRNA(+)", "reversetranscribing": "-RT",
}  # fmt: skip
"""Words before "viruses" that ask for a kind of genome, as ``respelled`` writes them."""
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


def healthy_runs(con: duckdb.DuckDBPyConnection) -> int:
    """Return how many runs are stated to be of something healthy, or a control of a disease."""
    query = f"SELECT count(DISTINCT run) FROM ({HEALTHY_RUNS})"
    rows = con.execute(query).fetchall()
    ((runs,),) = rows
    return int(runs)


def is_of_genome(kind: str) -> str:
    """Return the condition that a column ``genome`` is of ``kind``, one of ``GENOMES``; a genome
    that is reverse-transcribed (dsDNA-RT) is DNA and not double-stranded.

    >>> is_of_genome("dsDNA")
    "contains(genome, 'dsDNA') AND NOT contains(genome, '-RT')"
    """
    held = f"contains(genome, '{kind}')"
    return f"{held} AND NOT contains(genome, '-RT')" if kind.startswith(("ds", "ss")) else held


def is_recorded_in(hosts: str) -> str:
    """Return the condition that a column ``hosts_recorded`` names all of ``hosts``, ;-separated.

    >>> is_recorded_in("plants")
    "list_contains(string_split(hosts_recorded, '; '), 'plants')"
    """
    named = hosts.split("; ")
    each = [f"list_contains(string_split(hosts_recorded, '; '), '{host}')" for host in named]
    return " AND ".join(each)


def genome_runs(con: duckdb.DuckDBPyConnection, genome: str) -> int:
    """Return how many runs carry a virus whose genome is of the kind ``genome``; an empty one is of
    any kind.
    """
    query = f"SELECT count(DISTINCT run) FROM ({GENOME_RUNS}) WHERE {is_of_genome(genome)}"
    rows = con.execute(query).fetchall()
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


HEALTHY_RUNS: Final = (
    "SELECT DISTINCT run FROM stated_attribute\nWHERE "
    f"{healthy_sql(attribute='attribute', value='value')}"
)
"""SELECT of the runs stated to be of something healthy, of themselves or by their sample."""

GENOME_RUNS: Final = """
SELECT d.run, coalesce(v.genome, '') AS genome FROM detection d LEFT JOIN virus v USING (virus)
"""
"""SELECT of ``run, genome`` of the viruses found; an empty genome where none is known."""

RECORDED_RUNS: Final = "SELECT d.run, v.hosts_recorded FROM detection d JOIN virus v USING (virus)"
"""SELECT of ``run, hosts_recorded`` of the viruses found for whose species ICTV states hosts."""

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
