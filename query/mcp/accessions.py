"""What identifiers identify, by their form."""

from __future__ import annotations

import re
from typing import Final

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
