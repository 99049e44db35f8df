"""Variants: the gene of a SNP, its place, and what is asked of that gene."""

from __future__ import annotations

from collections.abc import Callable

from index.reports.phrases import listed
from query.entrez_search.finding import NcbiFinding, NothingFound
from query.entrez_search.genes import find_gene
from query.entrez_search.session import Session
from query.entrez_search.summaries import Gene, Variant, variant_of


def genes_of_variant(session: Session, name: str) -> NcbiFinding:
    """Return the genes that the SNP ``name`` is in or near."""
    variant = _variant(session, name)
    kind = variant.kind.replace("_", " ").replace(",", ", ")
    where = f" ({kind})" if kind else ""
    text = f"{name} is in {listed(variant.genes)}{where}."
    return NcbiFinding("gene", variant.genes, text)


def place_of_variant(session: Session, name: str) -> NcbiFinding:
    """Return the chromosome of the SNP ``name``, and its position on GRCh38."""
    variant = _read(session, name)
    chromosome, position = variant.chromosome, variant.position
    if not chromosome:
        raise NothingFound(f"dbSNP states no chromosome of {name}")
    at = f", position {int(position):,} of GRCh38" if position.isdecimal() else ""
    text = f"{name} is on chromosome {chromosome}{at}."
    return NcbiFinding("chromosome", (f"chr{chromosome}",), text)


def of_its_gene(
    session: Session, name: str, *, asked: Callable[[Gene], NcbiFinding]
) -> NcbiFinding:
    """Return what is ``asked`` of the gene of the SNP ``name``."""
    symbol = _variant(session, name).genes[0]
    found = asked(find_gene(session, symbol))
    return NcbiFinding(found.name, found.values, f"{name} is in {symbol}. {found.text}")


def _variant(session: Session, name: str) -> Variant:
    variant = _read(session, name)
    if not variant.genes:
        raise NothingFound(f"dbSNP lists no gene at {name}")
    return variant


def _read(session: Session, name: str) -> Variant:
    """Return the SNP ``name``; one that was merged is the SNP that took it in."""
    number = name.lower().removeprefix("rs")
    documents = session.documents("snp", [number])
    if number not in documents:
        raise NothingFound(f"dbSNP has no {name}")
    return variant_of(documents[number])
