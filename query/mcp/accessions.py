"""What an identifier identifies: by the index, or by its form."""

from __future__ import annotations

import re
from typing import Final

import duckdb

ACCESSIONS: Final = (
    (re.compile(r"[SED]RR\d+", re.IGNORECASE), "run"),
    (re.compile(r"[SED]RP\d+", re.IGNORECASE), "study"),
    (re.compile(r"PRJ[A-Z]{2}\d+", re.IGNORECASE), "project"),
    (re.compile(r"SAM[A-Z]+\d+", re.IGNORECASE), "biosample"),
    (re.compile(r"C\d+-[0-9a-f]+", re.IGNORECASE), "community"),
)
"""Patterns of identifiers, and what they identify."""


def accession_kind(name: str) -> str | None:
    """Return what ``name`` identifies by its form, None for names.

    >>> accession_kind("SRP066450"), accession_kind("C0-339f7008"), accession_kind("bats")
    ('study', 'community', None)
    """
    for pattern, kind in ACCESSIONS:
        if pattern.fullmatch(name.strip()):
            return kind
    return None


def identified(con: duckdb.DuckDBPyConnection, name: str) -> str | None:
    """Return what ``name`` identifies: first by the index, whose own data may have any identifiers,
    then by its form; None for names.
    """
    row = con.execute(_IDENTIFIED, [name.strip()]).fetchone()
    return accession_kind(name) if row is None else str(row[0])


_IDENTIFIED: Final = """
SELECT kind FROM (
    SELECT 'run' AS kind, run AS id FROM run
    UNION ALL SELECT 'study', study FROM run
    UNION ALL SELECT 'project', bioproject FROM run
    UNION ALL SELECT 'biosample', biosample FROM run
    UNION ALL SELECT 'community', community FROM community
) WHERE lower(id) = lower($1) LIMIT 1
"""
