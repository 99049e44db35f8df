"""A fault of a sentence, and the accessions that every check looks for."""

from __future__ import annotations

import re
from typing import Final, Literal, NamedTuple

Kind = Literal["citation", "number", "name", "claim", "word", "sign"]

ACCESSION: Final = re.compile(
    r"\b(?:[SED]R[RXPS]|SAM(?:N|EA|D)|PRJ[A-Z]{2}|GSE|GSM|SYN[A-Z]*)\d+\b|\b[A-Za-z]{2,}:\d+\b"
)
"""Runs, samples, studies and CURIEs."""


class Fault(NamedTuple):
    """What is wrong with a sentence: the words, and why they cannot be used."""

    kind: Kind
    text: str
    reason: str
