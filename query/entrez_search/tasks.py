"""Which task a question sets: what it asks about which entity.

The first line of ``TASKS`` whose entity is named and whose words are in the question decides. Words
are grouped by what they ask for, so that a new wording is read too.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from operator import attrgetter
from typing import Final

from query.entrez_search.entities import MEDICAL, Entities, find_entities

LONGEST_SHOWN: Final = 90
"""Characters of a subject that is shown as it is."""


@dataclass(frozen=True, slots=True)
class Task:
    """What is wanted (``kind``) of what (``subject``); ``why`` says by which words."""

    kind: str
    subject: str
    why: str


_ALIAS: Final = (
    r"\b(?:alias\w*|synonym\w*|other names?|alternative names?|(?:also|else) (?:known|called))\b"
)
_ALIASES: Final = (
    r"\b(?:aliases|synonyms|(?:other|alternative|alternate|former) names"
    r"|(?:also|else) (?:known|called))\b"
)
_PLACE: Final = (
    r"\b(?:chromosom\w*|where|locat\w*|loc(?:us|i)|position\w*|coordinates?|map(?:s|ped)?|sits?|lies?"
    r"|cytoband)\b"
)
_ON_CHROMOSOME: Final = r"\b(?:chromosom\w*|position\w*|coordinates?|cytoband)\b"
_FUNCTION: Final = (
    r"\b(?:functions?|roles?|purpose|responsible for|does what"
    r"|what (?:do|does|is|are) .*\bdo(?:ing)?)\b"
)
_CODING: Final = r"\b(?:cod(?:e|es|ing)|encod\w*|proteins?|non-?coding|pseudogene)\b"
_HUMAN_GENOME: Final = r"\b(?:human|hg38|hg19|grch3[78]|homo sapiens)\b"
_ORGANISM: Final = (
    r"\b(?:organisms?|species|animals?|whose|what creature|c[oa]mes? from|origin\w*|taxon)\b"
)
_VIRUS: Final = r"\b(?:virus(?:es)?|viral|phages?|\w+vir(?:us|uses|idae|inae|ales))\b"
_GENOMES: Final = r"\b(?:genomes?|refseq|reference sequences?|assembl\w+|complete sequences?)\b"
_RECORDS: Final = r"\b(?:records?|sequences?|entries|accessions?|genbank|nucleotide|deposited)\b"
_GENE: Final = r"\bgenes?\b"
_NAMED: Final = r"\b(?:genes?|names?|named|symbols?|called)\b"
_GENETICS: Final = (
    r"\b(?:genes?|genetic\w*|mutat\w+|variants?|loci|locus|(?:be|is|are|get) sequenced)\b"
)
_DISEASES: Final = r"\b(?:diseases?|disorders?|conditions?|syndromes?|phenotypes?|illness\w*)\b"


@dataclass(frozen=True, slots=True)
class _Rule:
    """A task: the entity it is about, and what the words must ask for, each at least once."""

    kind: str
    subject: Callable[[Entities], str]
    patterns: tuple[str, ...] = ()


def _symbol(entities: Entities) -> str:
    return next(iter(entities.symbols), "")


def _taxon(entities: Entities) -> str:
    """Return the taxon whose genomes or records a question may want; no gene, except of a virus."""
    if entities.taxid:
        return f"txid{entities.taxid}[Organism]"
    of_genes = re.search(_GENE, entities.frame) and not re.search(_VIRUS, entities.frame)
    return "" if of_genes else entities.phrase


def _disease(entities: Entities) -> str:
    """Return the phrase if its words are about diseases, or if nothing in it can be a gene."""
    phrase = entities.phrase
    is_general = re.fullmatch(_DISEASES, phrase.lower())
    is_named = MEDICAL.search(phrase) and not is_general
    asks_genes = re.search(r"\bgenes\b", entities.frame) and not entities.symbols
    return phrase if is_named or asks_genes else ""


_sequence, _variant, _ensembl = map(attrgetter, ("sequence", "variant", "ensembl"))

RULES: Final = (
    _Rule("aliases of sequence's gene", _sequence, (_ALIAS,)),
    _Rule("virus of sequence", _sequence, (_VIRUS,)),
    _Rule("place of sequence", _sequence, (_HUMAN_GENOME,)),
    _Rule("gene of sequence", _sequence, (_GENE,)),
    _Rule("place of sequence", _sequence, (_ON_CHROMOSOME,)),
    _Rule("organism of sequence", _sequence, (_ORGANISM,)),
    _Rule("place of sequence", _sequence, (_PLACE,)),
    _Rule("organism of sequence", _sequence),
    _Rule("aliases of variant's gene", _variant, (_ALIAS,)),
    _Rule("function of variant's gene", _variant, (_FUNCTION, _GENE)),
    _Rule("place of variant", _variant, (_ON_CHROMOSOME,)),
    _Rule("gene of variant", _variant, (_NAMED,)),
    _Rule("place of variant", _variant, (_PLACE,)),
    _Rule("gene of variant", _variant),
    _Rule("project of run", attrgetter("run")),
    _Rule("project", attrgetter("project")),
    _Rule("aliases of gene", _ensembl, (_ALIAS,)),
    _Rule("place of gene", _ensembl, (_ON_CHROMOSOME,)),
    _Rule("symbol of identifier", _ensembl, (_NAMED,)),
    _Rule("place of gene", _ensembl, (_PLACE,)),
    _Rule("coding of gene", _ensembl, (_CODING,)),
    _Rule("function of gene", _ensembl, (_FUNCTION,)),
    _Rule("symbol of identifier", _ensembl),
    _Rule("record", attrgetter("accession")),
    _Rule("places of disease's genes", _disease, (_GENETICS, _ON_CHROMOSOME)),
    _Rule("places of disease's genes", _disease, (_GENETICS, r"\blocat\w+|\bwhere\b")),
    _Rule("genes of disease", _disease, (_GENETICS,)),
    _Rule("genomes of taxon", _taxon, (_GENOMES,)),
    _Rule("records of taxon", _taxon, (_RECORDS,)),
    _Rule("diseases of gene", _symbol, (_DISEASES,)),
    _Rule("coding of gene", _symbol, (_CODING,)),
    _Rule("place of gene", _symbol, (_PLACE,)),
    _Rule("aliases of gene", _symbol, (_ALIASES,)),
    _Rule("function of gene", _symbol, (_FUNCTION,)),
    _Rule("gene of alias", _symbol),
)
"""Tasks in the order they are tried: the entity that says most first."""


def read_task(question: str) -> Task | None:
    """Return the task that ``question`` sets, None where it sets none of these.

    >>> read_task("On which chromosome does rs1015227 sit?").kind
    'place of variant'
    >>> read_task("LMP10 is called what nowadays?").kind
    'gene of alias'
    """
    entities = find_entities(question)
    for rule in RULES:
        subject = rule.subject(entities)
        found = [re.search(pattern, entities.frame) for pattern in rule.patterns]
        if subject and all(found):
            words = ", ".join(match[0] for match in found if match)
            return Task(rule.kind, subject, _why(subject, words))
    return None


def names_a_virus(question: str) -> bool:
    """Return whether a word of ``question`` is of viruses.

    >>> names_a_virus("What are norovirus genogroups?"), names_a_virus("What is TP53?")
    (True, False)
    """
    return re.search(_VIRUS, question.lower()) is not None


def _why(subject: str, words: str) -> str:
    length = len(subject)
    named = f"a sequence of {length} bases" if length > LONGEST_SHOWN else subject
    return f"it names {named} and asks: {words}" if words else f"it names {named}"
