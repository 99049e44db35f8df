"""Answer a question from NCBI, with the calls that the answer rests on."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final

from index.claims.phrases import counted
from query.answer import Answer, ResultTable
from query.entrez_search import alignments, diseases, genes, records
from query.entrez_search.entities import SEQUENCE
from query.entrez_search.recording import Recording
from query.entrez_search.session import NcbiFinding, NothingFound, Session
from query.entrez_search.summaries import Gene
from query.entrez_search.tasks import Task, read_task
from query.errors import EmptyQuestionError, NoEvidenceError, QuestionTooLongError

if TYPE_CHECKING:
    from query.entrez_search.client import NcbiService
    from query.entrez_search.with_model import Chain


MODE_ENTREZ: Final = "entrez"
MAX_WORDS_CHARACTERS: Final = 1000
MAX_BASES: Final = 20_000
_NAMES: Final = "a gene, a variant, a disease, a sequence, an accession nor a taxon"


def answer_entrez(
    question: str, service: NcbiService, *, chain: Callable[[Session, str], Chain] | None = None
) -> Answer:
    """Return the answer that NCBI's databases give to ``question``.

    ``chain`` lets a model choose the calls for a question that is none of the known tasks. Raises
    ``QueryError`` if there is nothing to ask NCBI about, no such record, or no access to the
    service.
    """
    started = time.perf_counter()
    cleaned = clean_entrez_question(question)
    session = Session(service)
    task = read_task(cleaned)
    if task is not None:
        answer = _by_plan(session, cleaned, task)
    elif chain is not None:
        answer = _by_model(session, cleaned, chain)
    else:
        raise NoEvidenceError(cleaned, f"it names neither {_NAMES}")
    seconds = round(time.perf_counter() - started, 3)
    return replace(answer, usage=replace(answer.usage, seconds=seconds))


def clean_entrez_question(text: str) -> str:
    """Return ``text`` as one line without control characters.

    A sequence may be longer than words may. Raises ``EmptyQuestionError``,
    ``QuestionTooLongError``.
    """
    if len(text) > MAX_WORDS_CHARACTERS + MAX_BASES:
        raise QuestionTooLongError(len(text), most=MAX_WORDS_CHARACTERS)
    printable = "".join(sign if sign.isprintable() else " " for sign in text)
    line = " ".join(printable.split())
    if not any(character.isalnum() for character in line):
        raise EmptyQuestionError
    words = re.sub(SEQUENCE, "", line)
    if len(words) > MAX_WORDS_CHARACTERS:
        raise QuestionTooLongError(len(words), most=MAX_WORDS_CHARACTERS)
    return line


def _by_plan(session: Session, question: str, task: Task) -> Answer:
    try:
        found = carry_out(session, task)
    except NothingFound as absent:
        raise NoEvidenceError(question, str(absent)) from absent
    return _answer(session, question, found, (f"{task.kind}: {task.why}",))


def _by_model(session: Session, question: str, chain: Callable[[Session, str], Chain]) -> Answer:
    made = chain(session, question)
    chosen = f"What NCBI has, by calls that {made.usage.model} chose; no word of it is the model's."
    found = NcbiFinding("record", tuple(made.text.splitlines()), f"{chosen}\n\n{made.text}")
    return replace(_answer(session, question, found, made.steps), usage=made.usage)


def _answer(session: Session, question: str, found: NcbiFinding, steps: tuple[str, ...]) -> Answer:
    if isinstance(session.service, Recording):
        steps = (*steps, f"replayed from {session.service.path}; nothing was sent")
    if session.missing:
        steps = (*steps, f"{counted(len(session.missing), 'record')} could not be read")
    return Answer(
        question,
        MODE_ENTREZ,
        found.text,
        (),
        sources=tuple(session.sources),
        steps=steps,
        table=ResultTable((found.name,), tuple((value,) for value in found.values)),
    )


def _of_gene(session: Session, name: str, *, about: Callable[[Gene], NcbiFinding]) -> NcbiFinding:
    return about(genes.find_gene(session, name))


PLANS: Final[Mapping[str, Callable[[Session, str], NcbiFinding]]] = {
    "gene of alias": genes.symbol_of_name,
    "aliases of gene": partial(_of_gene, about=genes.aliases),
    "symbol of identifier": genes.symbol_of_name,
    "gene of variant": genes.genes_of_variant,
    "place of variant": genes.place_of_variant,
    "function of variant's gene": partial(genes.of_its_gene, about=genes.function),
    "aliases of variant's gene": partial(genes.of_its_gene, about=genes.aliases),
    "place of gene": partial(_of_gene, about=genes.place),
    "coding of gene": genes.coding_of,
    "function of gene": partial(_of_gene, about=genes.function),
    "diseases of gene": diseases.diseases_of_gene,
    "genes of disease": diseases.genes_of_disease,
    "places of disease's genes": diseases.places_of_genes,
    "place of sequence": alignments.place_of_sequence,
    "organism of sequence": alignments.organism_of_sequence,
    "virus of sequence": alignments.virus_of_sequence,
    "gene of sequence": alignments.gene_of_sequence,
    "aliases of sequence's gene": alignments.aliases_of_sequences_gene,
    "genomes of taxon": records.genomes_of_taxon,
    "records of taxon": records.records_of_taxon,
    "project of run": records.project_of_run,
    "project": records.project,
    "record": records.record,
}


def carry_out(session: Session, task: Task) -> NcbiFinding:
    """Return what ``task`` finds; raises ``NothingFound``, or ``QueryError`` without access."""
    return PLANS[task.kind](session, task.subject)
