"""Genes and variants: official symbols, aliases, places, functions, and the genes of a SNP."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from index.claims.phrases import listed
from query.entrez_search import calls
from query.entrez_search.session import NcbiFinding, NothingFound, Session
from query.entrez_search.summaries import HUMAN, Gene, Variant, variant_of

_ENSEMBL: Final = re.compile(r"ENS[A-Z]{0,4}G\d{11}")
_KIND: Final = re.compile(r'Entrezgene_type value="([^"]+)"')
_CODING: Final = "protein-coding"


def symbol_of_name(session: Session, name: str) -> NcbiFinding:
    """Return the official symbol of the human gene that has or had this name, or Ensembl id."""
    gene = find_gene(session, name)
    is_own = gene.symbol == name
    relation = "is its official symbol" if is_own else f"is the official symbol of {name}"
    text = f"{gene.symbol} {relation} ({_described(gene)})."
    return NcbiFinding("gene", (gene.symbol,), text)


def aliases(gene: Gene) -> NcbiFinding:
    """Return the other names of ``gene``."""
    if not gene.aliases:
        raise NothingFound(f"NCBI Gene lists no alias of {gene.symbol}")
    text = f"{gene.symbol} ({_described(gene)}) is also called {listed(gene.aliases)}."
    return NcbiFinding("alias", gene.aliases, text)


def place(gene: Gene) -> NcbiFinding:
    """Return the chromosome of ``gene``."""
    if not gene.chromosome:
        raise NothingFound(f"NCBI Gene states no chromosome of {gene.symbol}")
    band = f", at {gene.location}" if gene.location else ""
    text = f"{gene.symbol} is on chromosome {gene.chromosome}{band} ({_described(gene)})."
    return NcbiFinding("chromosome", (f"chr{gene.chromosome}",), text)


def function(gene: Gene) -> NcbiFinding:
    """Return what ``gene`` does according to NCBI Gene: its summary, else its full name."""
    if gene.summary:
        return NcbiFinding("function", (gene.summary,), f"{gene.symbol}: {gene.summary}")
    if not gene.name:
        raise NothingFound(f"NCBI Gene says nothing of what {gene.symbol} does")
    text = f"NCBI Gene has no summary of {gene.symbol}; its name is {gene.name}."
    return NcbiFinding("function", (gene.name,), text)


def coding_of(session: Session, name: str) -> NcbiFinding:
    """Return whether a gene codes for a protein: TRUE, or the kind of gene that it is."""
    gene = find_gene(session, name)
    call = calls.fetch("gene", [gene.uid], retmode="xml")
    record = session.text(call)
    found = _KIND.search(record)
    if found is None:
        raise NothingFound(f"NCBI Gene states no type of {gene.symbol}")
    kind = found[1]
    is_coding = kind == _CODING
    said = "is a protein-coding gene" if is_coding else f"is no protein-coding gene but {kind}"
    text = f"{gene.symbol} {said} ({_described(gene)})."
    return NcbiFinding("protein-coding", ("TRUE" if is_coding else "NA",), text)


def find_gene(session: Session, name: str) -> Gene:
    """Return the human gene that ``name`` means: its symbol, an alias, or an identifier.

    Of several, the first that NCBI ranks, those in the same letter case before others. Raises
    ``NothingFound``, or ``NotRecordedError`` if its records were not recorded.
    """
    official = f"{name}[Gene Name] AND {HUMAN}[Organism] AND alive[prop]"
    for term in (name, official):
        ids, _ = session.search("gene", term)
        found = _named(session, name, ids)
        if found is not None:
            return found
    raise NothingFound(f"NCBI Gene knows no human gene called {name}")


def _named(session: Session, name: str, ids: list[str]) -> Gene | None:
    human = [gene for gene in session.genes(ids) if gene.is_human]
    if human and _ENSEMBL.fullmatch(name):
        return human[0]
    best = max(human, key=lambda gene: gene.called(name), default=None)
    return best if best is not None and best.called(name) else None


def _described(gene: Gene) -> str:
    return f"{gene.name}, {gene.organism}, Gene {gene.uid}"


def genes_of_variant(session: Session, name: str) -> NcbiFinding:
    """Return the genes that the SNP ``name`` is in or near."""
    variant = _in_a_gene(session, name)
    kind = variant.kind.replace("_", " ").replace(",", ", ")
    where = f" ({kind})" if kind else ""
    text = f"{name} is in {listed(variant.genes)}{where}."
    return NcbiFinding("gene", variant.genes, text)


def place_of_variant(session: Session, name: str) -> NcbiFinding:
    """Return the chromosome of the SNP ``name``, and its position on GRCh38."""
    variant = _read_variant(session, name)
    chromosome, position = variant.chromosome, variant.position
    if not chromosome:
        raise NothingFound(f"dbSNP states no chromosome of {name}")
    at = f", position {int(position):,} of GRCh38" if position.isdecimal() else ""
    text = f"{name} is on chromosome {chromosome}{at}."
    return NcbiFinding("chromosome", (f"chr{chromosome}",), text)


def of_its_gene(
    session: Session, name: str, *, about: Callable[[Gene], NcbiFinding]
) -> NcbiFinding:
    """Return the finding of ``about`` for the gene of the SNP ``name``."""
    symbol = _in_a_gene(session, name).genes[0]
    found = about(find_gene(session, symbol))
    return NcbiFinding(found.name, found.values, f"{name} is in {symbol}. {found.text}")


def _in_a_gene(session: Session, name: str) -> Variant:
    variant = _read_variant(session, name)
    if not variant.genes:
        raise NothingFound(f"dbSNP lists no gene at {name}")
    return variant


def _read_variant(session: Session, name: str) -> Variant:
    """Return the SNP ``name``; one that was merged is the SNP that took it in."""
    number = name.lower().removeprefix("rs")
    documents = session.documents("snp", [number])
    if number not in documents:
        raise NothingFound(f"dbSNP has no {name}")
    return variant_of(documents[number])
