"""Genes: the official symbol of a name, its aliases, place, function, and whether it is coding."""

from __future__ import annotations

import re
from typing import Final

from query.entrez_search import calls
from query.entrez_search.finding import NcbiFinding, NothingFound, listed
from query.entrez_search.session import Session
from query.entrez_search.summaries import HUMAN, Gene

_ENSEMBL: Final = re.compile(r"ENS[A-Z]{0,4}G\d{11}")
_CODING: Final = "protein-coding"


def symbol_of_name(session: Session, name: str) -> NcbiFinding:
    """Return the official symbol of the human gene that is or was called ``name``, or has this
    identifier of Ensembl.
    """
    gene = find_gene(session, name)
    symbol = gene.symbol
    is_symbol = symbol == name
    relation = "is its official symbol" if is_symbol else f"is the official symbol of {name}"
    described = _described(gene)
    text = f"{symbol} {relation} ({described})."
    return NcbiFinding("gene", (symbol,), text)


def aliases(gene: Gene) -> NcbiFinding:
    """Return the other names of ``gene``."""
    symbol = gene.symbol
    if not gene.aliases:
        raise NothingFound(f"NCBI Gene lists no alias of {symbol}")
    described = _described(gene)
    called = listed(gene.aliases)
    text = f"{symbol} ({described}) is also called {called}."
    return NcbiFinding("alias", gene.aliases, text)


def place(gene: Gene) -> NcbiFinding:
    """Return the chromosome of ``gene``."""
    symbol = gene.symbol
    chromosome = gene.chromosome
    if not chromosome:
        raise NothingFound(f"NCBI Gene states no chromosome of {symbol}")
    band = f", at {gene.location}" if gene.location else ""
    described = _described(gene)
    text = f"{symbol} is on chromosome {chromosome}{band} ({described})."
    return NcbiFinding("chromosome", (f"chr{chromosome}",), text)


def function(gene: Gene) -> NcbiFinding:
    """Return what NCBI Gene says that ``gene`` does: its summary, else its full name."""
    symbol = gene.symbol
    if gene.summary:
        text = f"{symbol}: {gene.summary}"
        return NcbiFinding("function", (gene.summary,), text)
    if not gene.name:
        raise NothingFound(f"NCBI Gene says nothing of what {symbol} does")
    text = f"NCBI Gene has no summary of {symbol}; its name is {gene.name}."
    return NcbiFinding("function", (gene.name,), text)


def coding_of(session: Session, name: str) -> NcbiFinding:
    """Return whether a gene codes for a protein: TRUE, or the kind of gene that it is."""
    gene = find_gene(session, name)
    call = calls.fetch("gene", [gene.uid], retmode="xml")
    kind = gene_kind(session.text(call))
    if not kind:
        raise NothingFound(f"NCBI Gene states no type of {gene.symbol}")
    coding = kind == _CODING
    value = "TRUE" if coding else "NA"
    kind_said = "is a protein-coding gene" if coding else f"is no protein-coding gene but {kind}"
    described = _described(gene)
    text = f"{gene.symbol} {kind_said} ({described})."
    return NcbiFinding("protein-coding", (value,), text)


def gene_kind(record: str) -> str:
    """Return the type of gene that a record of NCBI Gene states, "" where it states none.

    >>> gene_kind('<Entrezgene_type value="protein-coding">6</Entrezgene_type>')
    'protein-coding'
    """
    found = re.search(r'Entrezgene_type value="([^"]+)"', record)
    if found is None:
        return ""
    return found[1]


def find_gene(session: Session, name: str) -> Gene:
    """Return the human gene that ``name`` means: its symbol, an alias, or an identifier.

    Of several the first that NCBI ranks, those in the same letter case before others. Raises
    ``NothingFound``, or ``NotRecordedError`` where records were not at hand.
    """
    official = f"{name}[Gene Name] AND {HUMAN}[Organism] AND alive[prop]"
    for term in (name, official):
        ids, _ = session.search("gene", term)
        found = _named(session, name, ids)
        if found is not None:
            return found
    raise NothingFound(f"NCBI Gene knows no human gene called {name}")


def _named(session: Session, name: str, ids: list[str]) -> Gene | None:
    genes = session.genes(ids)
    human = [gene for gene in genes if gene.is_human]
    if not human:
        return None
    if _ENSEMBL.fullmatch(name):
        return human[0]
    surely = [gene.called(name) for gene in human]
    most = max(surely)
    if most == 0:
        return None
    first = surely.index(most)
    return human[first]


def _described(gene: Gene) -> str:
    name = gene.name
    organism = gene.organism
    uid = gene.uid
    return f"{name}, {organism}, Gene {uid}"
