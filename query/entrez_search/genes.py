"""Genes: the official symbol of a name, its aliases, place, function, and whether it is coding."""

from __future__ import annotations

import re
from typing import Final

from query.entrez_search import calls
from query.entrez_search.finding import Finding, NothingFound, listed
from query.entrez_search.session import Session
from query.entrez_search.summaries import HUMAN, Gene

_ENSEMBL: Final = re.compile(r"ENS[A-Z]{0,4}G\d{11}")
_CODING: Final = "protein-coding"


def symbol_of_name(session: Session, name: str) -> Finding:
    """Return the official symbol of the human gene that is or was called ``name``."""
    gene = find_gene(session, name)
    is_symbol = gene.symbol == name
    told = "is its official symbol" if is_symbol else f"is the official symbol of {name}"
    return Finding("gene", (gene.symbol,), f"{gene.symbol} {told} ({_described(gene)}).")


def symbol_of_identifier(session: Session, identifier: str) -> Finding:
    """Return the official symbol of the gene with an identifier of Ensembl."""
    gene = find_gene(session, identifier)
    return Finding("gene", (gene.symbol,), f"{identifier} is {gene.symbol} ({_described(gene)}).")


def aliases_of(session: Session, name: str) -> Finding:
    """Return the other names of a gene."""
    gene = find_gene(session, name)
    return aliases(gene)


def aliases(gene: Gene) -> Finding:
    """Return the other names of ``gene``."""
    if not gene.aliases:
        raise NothingFound(f"NCBI Gene lists no alias of {gene.symbol}")
    text = f"{gene.symbol} ({_described(gene)}) is also called {listed(gene.aliases)}."
    return Finding("alias", gene.aliases, text)


def place_of(session: Session, name: str) -> Finding:
    """Return the chromosome of a gene."""
    gene = find_gene(session, name)
    if not gene.chromosome:
        raise NothingFound(f"NCBI Gene states no chromosome of {gene.symbol}")
    band = f", at {gene.location}" if gene.location else ""
    text = f"{gene.symbol} is on chromosome {gene.chromosome}{band} ({_described(gene)})."
    return Finding("chromosome", (f"chr{gene.chromosome}",), text)


def function_of(session: Session, name: str) -> Finding:
    """Return what NCBI Gene says that a gene does."""
    return function(find_gene(session, name))


def function(gene: Gene) -> Finding:
    """Return what NCBI Gene says that ``gene`` does: its summary, else its full name."""
    if gene.summary:
        return Finding("function", (gene.summary,), f"{gene.symbol}: {gene.summary}")
    if not gene.name:
        raise NothingFound(f"NCBI Gene says nothing of what {gene.symbol} does")
    text = f"NCBI Gene has no summary of {gene.symbol}; its name is {gene.name}."
    return Finding("function", (gene.name,), text)


def coding_of(session: Session, name: str) -> Finding:
    """Return whether a gene codes for a protein: TRUE, or the kind of gene that it is."""
    gene = find_gene(session, name)
    call = calls.fetch("gene", [gene.uid], retmode="xml")
    kind = gene_kind(session.text(call))
    if not kind:
        raise NothingFound(f"NCBI Gene states no type of {gene.symbol}")
    coding = kind == _CODING
    told = "is a protein-coding gene" if coding else f"is no protein-coding gene but {kind}"
    values = ("TRUE" if coding else "NA",)
    return Finding("protein-coding", values, f"{gene.symbol} {told} ({_described(gene)}).")


def gene_kind(record: str) -> str:
    """Return the type of gene that a record of NCBI Gene states, "" where it states none.

    >>> gene_kind('<Entrezgene_type value="protein-coding">6</Entrezgene_type>')
    'protein-coding'
    """
    found = re.search(r'Entrezgene_type value="([^"]+)"', record)
    return found[1] if found else ""


def find_gene(session: Session, name: str) -> Gene:
    """Return the human gene that ``name`` means: its symbol, an alias, or an identifier.

    Of several the first that NCBI ranks, those in the same letter case before others. Raises
    ``NothingFound``, or ``NotRecordedError`` where records were not at hand.
    """
    found = _named(session, name, session.search("gene", name)[0])
    if found is None:
        term = f"{name}[Gene Name] AND {HUMAN}[Organism] AND alive[prop]"
        found = _named(session, name, session.search("gene", term)[0])
    if found is None:
        raise NothingFound(f"NCBI Gene knows no human gene called {name}")
    return found


def _named(session: Session, name: str, ids: list[str]) -> Gene | None:
    human = [gene for gene in session.genes(ids) if gene.is_human]
    if _ENSEMBL.fullmatch(name):
        return human[0] if human else None
    called = [(gene.called(name), gene) for gene in human]
    exact = [gene for how, gene in called if how == max(how for how, _ in called) and how]
    return exact[0] if exact else None


def _described(gene: Gene) -> str:
    return f"{gene.name}, {gene.organism}, Gene {gene.uid}"
