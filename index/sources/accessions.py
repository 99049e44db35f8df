"""Accession formats of the INSDC archives, and the ``SYN…`` forms of synthetic data.

A run is SRR/ERR/DRR, a BioSample SAMN/SAMEA/SAMD, a BioProject PRJNA/PRJEB/PRJDB (INSDC accession
guide), a study of the SRA SRP/ERP/DRP; synthetic records use SYNR, SYNS, SYNP and SYNT, prefixes
that no archive issues.
"""

from __future__ import annotations

from typing import Final

import polars as pl

from index.sources.rejection import Rule

RUN: Final = r"^(?:[SED]RR\d{5,}|SYNR\d+)$"
BIOSAMPLE: Final = r"^(?:SAM(?:N|D|EA|EG)\d+|SYNS\d+)$"
BIOPROJECT: Final = r"^(?:PRJ[NED][A-Z]\d+|SYNP\d+)$"
STUDY: Final = r"^(?:[SED]RP\d{6,}|SYNT\d+)$"
_CALLED: Final = {RUN: "run", BIOSAMPLE: "BioSample", BIOPROJECT: "BioProject", STUDY: "study"}


def must_match(pattern: str, column: str, reason: str) -> Rule:
    """Return the rule that rejects a row whose ``column`` is absent or not like ``pattern``."""
    return Rule(reason, ~pl.col(column).fill_null("").str.contains(pattern), shows=column)


def must_be(accession: str, column: str) -> Rule:
    """Return the rule that rejects a row whose ``column`` is absent or not such an accession."""
    return must_match(accession, column, f"not a {_CALLED[accession]} accession")


def may_be(accession: str, column: str) -> Rule:
    """Return the rule that rejects a row whose ``column`` is present, but no such accession."""
    is_other = ~pl.col(column).str.contains(accession)
    return Rule(f"not a {_CALLED[accession]} accession", is_other, shows=column)
