"""What is known of each run, as one relation: run, facet, value, curie.

Facts count it, citations resolve against it. Spellings of "unknown" are left out here, once, for
both.
"""

from __future__ import annotations

from typing import Final

UNKNOWN: Final = (
    "",
    "-",
    ".",
    "n/a",
    "na",
    "nan",
    "none",
    "null",
    "nil",
    "missing",
    "unknown",
    "unclassified",
    "unidentified",
    "unspecified",
    "not applicable",
    "not available",
    "not collected",
    "not determined",
    "not known",
    "not provided",
    "not recorded",
    "restricted access",
    "other",
)

_UNKNOWN_LIST = ", ".join(f"'{word}'" for word in UNKNOWN)

STATED_VALUES: Final = """
SELECT run, facet, value, curie FROM annotation
UNION ALL SELECT run, 'species', stated, taxon FROM detection
UNION ALL SELECT run, 'family', family, NULL FROM detection
UNION ALL SELECT run, 'bioproject', bioproject, NULL FROM run
"""
"""SELECT of ``run, facet, value, curie`` as stored: repeated, unknown and missing values included."""

IS_KNOWN: Final = f"value IS NOT NULL AND lower(trim(value)) NOT IN ({_UNKNOWN_LIST})"
"""Condition on a row of ``STATED_VALUES``: its value says something."""

RUN_VALUES: Final = f"""
SELECT DISTINCT run, facet, value, curie FROM ({STATED_VALUES}) WHERE {IS_KNOWN}
"""
"""SELECT of ``run, facet, value, curie``, distinct; ``curie`` may be null.

Facets are ``index.tables.FACT_FACETS``. A value may come twice for a run, with and without a CURIE:
count distinct runs, or drop ``curie`` first.
"""

COMMUNITY_RUNS: Final = """
SELECT community, run FROM community_member JOIN run ON run.run = community_member.entity
"""
"""SELECT of ``community, run``: the runs of every community, at every level."""
