"""Variants: the gene of a SNP, its place, and what is asked of that gene."""

from __future__ import annotations

from collections.abc import Callable

from query.entrez_search.finding import Finding, NothingFound, listed
from query.entrez_search.genes import aliases, find_gene, function
from query.entrez_search.session import Session
from query.entrez_search.summaries import Gene, Variant, variant_of


def genes_of_variant(session: Session, name: str) -> Finding:
    """Return the genes that the SNP ``name`` is in or near."""
    variant = _variant(session, name)
    kind = variant.kind.replace("_", " ").replace(",", ", ")
    where = f" ({kind})" if kind else ""
    return Finding("gene", variant.genes, f"{name} is in {listed(variant.genes)}{where}.")


def place_of_variant(session: Session, name: str) -> Finding:
    """Return the chromosome of the SNP ``name``, and its position on GRCh38."""
    variant = _read(session, name)
    if not variant.chromosome:
        raise NothingFound(f"dbSNP states no chromosome of {name}")
    place = (
        f", position {int(variant.position):,} of GRCh38" if variant.position.isdecimal() else ""
    )
    text = f"{name} is on chromosome {variant.chromosome}{place}."
    return Finding("chromosome", (f"chr{variant.chromosome}",), text)


def function_of_variants_gene(session: Session, name: str) -> Finding:
    """Return what the gene of the SNP ``name`` does."""
    return _of_its_gene(session, name, function)


def aliases_of_variants_gene(session: Session, name: str) -> Finding:
    """Return the other names of the gene of the SNP ``name``."""
    return _of_its_gene(session, name, aliases)


def _of_its_gene(session: Session, name: str, asked: Callable[[Gene], Finding]) -> Finding:
    variant = _variant(session, name)
    found = asked(find_gene(session, variant.genes[0]))
    text = f"{name} is in {variant.genes[0]}. {found.text}"
    return Finding(found.name, found.values, text)


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
