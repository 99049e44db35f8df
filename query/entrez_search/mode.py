"""``query entrez`` as one of the ways of asking."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, Final

from query.mode import NO_FIT, Asking, Fit, Mode

if TYPE_CHECKING:
    from collections.abc import Callable

    from index.exposure import RiskPolicy
    from index.models.choose import ModelChoice
    from query.answer import Answer
    from query.entrez_search.session import Session
    from query.entrez_search.with_model import Chain
    from query.reading.question import Question

_OF_GENES: Final = re.compile(
    r"\b(?:genes?|symbols?|alias\w*|names?|named|nomenclature|called|hgnc|officially|filed)\b"
)
_GENE_MEANT: Final = re.compile(r"\b(?:genes?|symbols?|hgnc|proteins?|chromosom\w*)\b")
_OF_TAXA: Final = ("genomes of taxon", "records of taxon")
_AT_NCBI: Final = re.compile(r"\b(?:ncbi|genbank|refseq|genomes?|nucleotide)\b")
_DATABASES: Final = re.compile(
    r"\b(?:ncbi|genbank|refseq|ensembl|omim|dbsnp|pubmed|pmids?|hgnc|tax(?:onomy)?[ -]?ids?"
    r"|lineage)\b"
)
_COUNTED_THERE: Final = re.compile(
    r"\b(?:pubmed|genbank|refseq|omim|dbsnp)"
    r" (?:hits?|records?|entr(?:y|ies)|counts?|papers?|articles?)"
    r"|\b(?:hits?|records?|entries|papers|articles) (?:in|at|on|from)"
    r" (?:pubmed|genbank|refseq|omim)\b"
)
_IN_GRAPH: Final = re.compile(
    r"\b(?:graph|neighbou?rs?|neighbou?rhood|surround\w*|nodes?|edges?|attached|hops?|triples?"
    r"|linked)\b"
)
_OF_RUNS: Final = re.compile(r"\bruns?\b")
_ONLY_THERE: Final = re.compile(
    r"\b(?:pmids?|pubmed|tax(?:onomy)? ?ids?|dbsnp|refseq|genbank)\b"
    r"|\b(?:coordinates|location) of [a-z]\w*\d\b"
)
"""Names of what no table here has."""
_HELD_HERE: Final = re.compile(r"\b(?:runs?|index|passages?|reports?|communit\w+)\b")


def fit(question: Question) -> Fit:
    """Return how well NCBI's databases suit ``question``."""
    from query.entrez_search.tasks import read_task

    text = question.text.lower()
    if _ONLY_THERE.search(text) and not _HELD_HERE.search(text):
        return Fit(0.95, "it names what only NCBI holds")
    task = read_task(question.text)
    if task is None:
        database = _DATABASES.search(text)
        if database is None:
            return NO_FIT
        score = 0.9 if _COUNTED_THERE.search(text) else 0.7
        return Fit(score, f"it names what NCBI holds: {database[0]}")
    if task.kind in ("project of run", "project"):
        if _IN_GRAPH.search(text):
            return Fit(0.3, task.why)
        held = task.subject in {one.text.upper() for one in question.mentions}
        return Fit(0.3 if held else 0.8, task.why)
    if task.kind.endswith("of gene") and _is_of_index(task.subject, question):
        return NO_FIT
    if task.kind == "gene of alias" and not _OF_GENES.search(text):
        return NO_FIT if question.mentions else Fit(0.3, task.why)
    if task.kind in _OF_TAXA and not _asks_for_records(question):
        return Fit(0.3, task.why)
    return Fit(0.9, task.why)


def _is_of_index(subject: str, question: Question) -> bool:
    """Return whether what looks like a gene is the name of something in the index, and no word says
    that a gene is meant: HIV-1.
    """
    if _GENE_MEANT.search(question.text.lower()):
        return False
    wanted = subject.lower()
    return any(wanted in mention.text.lower() for mention in question.mentions)


def _asks_for_records(question: Question) -> bool:
    """Return whether ``question`` asks for records of NCBI, and not for texts or runs."""
    from query.entrez_search.tasks import names_a_virus

    text = question.text.lower()
    if _OF_RUNS.search(text):
        return False
    at_ncbi = _AT_NCBI.search(text) is not None
    return at_ncbi or names_a_virus(text)


def answer(asking: Asking) -> Answer:
    """Return NCBI's answer; raises ``QueryError`` where there is none."""
    from query.config import ncbi_settings
    from query.entrez_search.ask import answer_entrez
    from query.entrez_search.service import choose_service

    service = choose_service(asking.db, ncbi_settings())
    chain = (
        None
        if asking.choice is None
        else chain_of(asking.choice, asking.question, asking.config.policy)
    )
    return answer_entrez(asking.question, service, chain=chain)


def chain_of(
    choice: ModelChoice, question: str, policy: RiskPolicy
) -> Callable[[Session, str], Chain] | None:
    """Return how the model of ``choice`` answers, None where it is none or may not.

    A model below 4B was not measured to help, so it is not asked. Records of viruses are of unknown
    risk group, and go where ``policy`` lets that go.
    """
    if choice.model is None or choice.profile is None or choice.profile.tier in ("tiny", "small"):
        return None
    from query.entrez_search.tasks import names_a_virus
    from query.entrez_search.with_model import chain_calls

    if names_a_virus(question) and not policy.may_see("unknown", local=choice.local):
        return None
    return partial(chain_calls, model=choice.model)


MODE: Final = Mode(
    name="entrez",
    can="Ask NCBI's databases: names, places and functions of genes, variants, genes of diseases, "
    "where a sequence is from, genomes of a virus, the project of a run.",
    examples=(
        "What is the official gene symbol of p53?",
        "Which chromosome is rs7412 on?",
        "Which genes are linked with phenylketonuria?",
        "How many genomes of Zika virus does GenBank have?",
    ),
    fit=fit,
    answer=answer,
)
