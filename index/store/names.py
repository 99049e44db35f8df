"""The names that questions are read with, sorted by how they begin.

A question is read in a moment; passing over all 2.7 million names takes longer than counting the
answer. Table ``name`` holds those that a question is likely to hold: every name of every ontology,
but of the taxonomy only groups above species, taxa that some run carries, viral species, and taxa
with a name beside the scientific one. A word that none of them explains is looked up among all
(``query.reading.names.begun_names``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from index.store.build import Build

START: Final = 3
"""Letters by which a name is looked up."""
_SMALL: Final = (
    "species", "no rank", "strain", "subspecies", "varietas", "isolate", "serotype", "forma",
    "forma specialis", "section", "subsection", "serogroup", "biotype", "morph", "genotype",
)  # fmt: skip
"""Ranks of taxa that are listed only where something else speaks for them."""


def write_names(build: Build) -> int:
    """Fill ``name`` from ``term``, ``synonym`` and ``closure``; return its number of rows."""
    names = build.connection.sql(_NAMES, params={"small": list(_SMALL)}).pl()
    return build.append("name", names)


def start_of(name: str) -> str:
    """Return the SQL of the letters that the SQL expression ``name`` is looked up by.

    Punctuation before a name and the mark of an obsolete term do not count.
    """
    begun = f"regexp_replace(lower(left({name}, 24)), '^(?:obsolete )?[^a-z0-9]*', '')"
    return f"left({begun}, {START})"


_NAMES: Final = f"""
WITH
listed AS (
    SELECT * FROM term
    WHERE ontology <> 'NCBITaxon'
       OR NOT list_contains($small::VARCHAR[], coalesce(rank, 'no rank'))
       OR (rank = 'species' AND regexp_matches(label, '(?i)vir(us|oid)|phage'))
       OR curie IN (SELECT descendant FROM closure)
       OR curie IN (SELECT curie FROM synonym)
),
named AS (
    SELECT curie, label AS name, 'LABEL' AS scope FROM listed
    UNION ALL SELECT curie, synonym, scope FROM synonym
)
SELECT {start_of("n.name")} AS start, n.name, n.scope, t.*
FROM named n JOIN listed t USING (curie) ORDER BY start, name, curie, scope
"""
