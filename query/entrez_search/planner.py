"""The calls that answer each task, without a model."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Final

from query.entrez_search import alignments, diseases, genes, records, variants
from query.entrez_search.finding import NcbiFinding
from query.entrez_search.session import Session
from query.entrez_search.summaries import Gene
from query.entrez_search.tasks import Task


def _of_gene(session: Session, name: str, *, asked: Callable[[Gene], NcbiFinding]) -> NcbiFinding:
    """Return the finding of ``asked`` for the gene called ``name``."""
    return asked(genes.find_gene(session, name))


PLANS: Final[Mapping[str, Callable[[Session, str], NcbiFinding]]] = {
    "gene of alias": genes.symbol_of_name,
    "aliases of gene": partial(_of_gene, asked=genes.aliases),
    "symbol of identifier": genes.symbol_of_name,
    "gene of variant": variants.genes_of_variant,
    "place of variant": variants.place_of_variant,
    "function of variant's gene": partial(variants.of_its_gene, asked=genes.function),
    "aliases of variant's gene": partial(variants.of_its_gene, asked=genes.aliases),
    "place of gene": partial(_of_gene, asked=genes.place),
    "coding of gene": genes.coding_of,
    "function of gene": partial(_of_gene, asked=genes.function),
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
    """Return what ``task`` finds.

    Raises ``NothingFound`` where NCBI has no such record, and ``QueryError`` where it cannot be
    asked.
    """
    return PLANS[task.kind](session, task.subject)
