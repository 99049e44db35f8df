"""Names of a sentence: each must be a name of the community."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from index.checking.evidence import (
    Evidence,
)
from index.checking.faults import ACCESSION, Fault
from index.reports.profiles import FactRow

_MASK: Final = "§"
_VIRUS_WORD: Final = re.compile(
    r"\b[A-Za-z-]*(?:vir(?:us|uses|idae|inae|ales|icota|icetes|ids?)|phages?)\b", re.IGNORECASE
)
_PLAIN_VIRUS_WORDS: Final = frozenset(
    {"virus", "viruses", "phage", "phages", "bacteriophage", "bacteriophages"}
)
_NOT_A_NAME: Final = "a|an|any|each|every|named|no|one|other|same|that|the|this|which|with"
_NAMED_VIRUS: Final = re.compile(rf"\b(?!(?:{_NOT_A_NAME})\b)[a-z-]+ virus\b")
_NAME_WORD: Final = re.compile(r"[^\s,;()“”\"]+")
_CAPITALISED: Final = re.compile(r"(?<=[^\s.!?:“\"(§] )[A-Z][\w-]+")
_NEUTRAL: Final = frozenset({
    "benjamini", "bioproject", "bioprojects", "biosample", "biosamples", "dna", "fdr", "genbank",
    "hochberg", "k-mer", "k-mers", "mwas", "ncbi", "rna", "rg", "rpm", "sequence", "sra", "stat",
})  # fmt: skip
_LONGEST_NAME: Final = 6


def named_facts(words: str, evidence: Evidence) -> tuple[list[FactRow], str]:
    """Return the facts that ``words`` name, and the words with every known name masked."""
    facts: list[FactRow] = []
    for name in evidence.name_pattern.findall(words):
        facts += evidence.names[name.lower()]
    masked = evidence.name_pattern.sub(_MASK, words)
    return facts, masked


def foreign_names(masked: str, evidence: Evidence) -> Iterator[Fault]:
    """Yield each name of ``masked`` that is none of the community's."""
    for match in ACCESSION.finditer(masked):
        yield Fault("name", match.group(), "not an accession or term of this community's facts")
    for virus in _foreign_viruses(masked, evidence):
        yield Fault("name", virus, "not among the viruses of this community's facts")

    for match in _CAPITALISED.finditer(masked):
        name = match.group()
        if name.lower() not in _NEUTRAL | evidence.name_words:
            yield Fault("name", name, "not a name of this community's facts")
    for name in _other_names(masked, evidence):
        yield Fault("name", name, "belongs to other communities of the index")


def _foreign_viruses(masked: str, evidence: Evidence) -> Iterator[str]:
    """Yield words for viruses, and named viruses, that are no names of the community."""
    for match in _VIRUS_WORD.finditer(masked):
        word = match.group()
        if word.lower() not in _PLAIN_VIRUS_WORDS | evidence.name_words:
            yield word
    for match in _NAMED_VIRUS.finditer(masked):
        name = match.group()
        first_word = name.split()[0]
        if first_word not in evidence.name_words:
            yield name


def _other_names(masked: str, evidence: Evidence) -> Iterator[str]:
    """Yield names of the index that are in ``masked``, which has no names of the community left."""
    words = _NAME_WORD.findall(masked.lower().rstrip(".!?"))
    for start in range(len(words)):
        following = words[start : start + _LONGEST_NAME]
        for length in range(len(following), 0, -1):
            name = " ".join(following[:length])
            if name in evidence.vocabulary and _MASK not in name:
                yield name
                break
