"""Diseases: the genes behind one, and where they are; and the diseases of a gene.

OMIM holds entries of phenotypes and of genes. A search finds both, and no summary says which gene
belongs to which phenotype; that they share a locus does. NCBI Gene's ranking adds the genes whose
record names the disease. What only one weak sign supports is left out.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from query.entrez_search.finding import NcbiFinding, NothingFound, listed
from query.entrez_search.genes import find_gene
from query.entrez_search.session import Session
from query.entrez_search.summaries import Gene, MimEntry, mim_of
from query.errors import NotRecordedError

RANKED: Final = 20
"""Entries and genes looked at."""
TRIED: Final = 2
"""Shorter names tried where a name is not found: each takes a search and its summaries."""
_JOINED: Final = re.compile(r"\b(?:of|to|for|with|in|does|do) ")
_BAND: Final = re.compile(r"^(\d{1,2}|[XY])([pq])(\d*)")
_WORD: Final = re.compile(r"[a-z0-9]+")
_SMALL: Final = frozenset(
    ["of", "with", "due", "to", "and", "or", "in", "without", "the", "a", "an", "type", "by"]
)


def genes_of_disease(session: Session, disease: str) -> NcbiFinding:
    """Return the human genes whose changes OMIM and NCBI Gene link with ``disease``."""
    symbols = linked_genes(session, disease)
    named = listed(symbols)
    text = f"Genes linked with {disease}: {named}."
    return NcbiFinding("gene", tuple(symbols), text)


def places_of_genes(session: Session, disease: str) -> NcbiFinding:
    """Return the chromosomes of the genes of ``disease``."""
    symbols = linked_genes(session, disease)
    genes = [find_gene(session, symbol) for symbol in symbols[:3]]
    chromosomes = [f"chr{gene.chromosome}" for gene in genes]
    places = [_placed(gene) for gene in genes]
    named = listed(places)
    text = f"Genes linked with {disease}: {named}."
    return NcbiFinding("chromosome", tuple(chromosomes), text)


def _placed(gene: Gene) -> str:
    symbol = gene.symbol
    chromosome = gene.chromosome
    return f"{symbol} on chromosome {chromosome}"


def diseases_of_gene(session: Session, name: str) -> NcbiFinding:
    """Return the phenotypes of OMIM at the place of a gene that a search for it finds."""
    gene = find_gene(session, name)
    symbol = gene.symbol
    entries = _entries(session, f"{symbol}[Gene Name]")
    phenotypes = [one for one in entries if one.kind == "phenotype" and one.titles]
    here = [one for one in phenotypes if _same_place(one, gene.location)]
    titles = [one.titles[0].capitalize() for one in here]
    if not titles:
        raise NothingFound(f"OMIM lists no phenotype at the place of {symbol}")
    named = "; ".join(titles)
    text = f"OMIM links {symbol} with: {named}."
    return NcbiFinding("disease", tuple(titles), text)


def linked_genes(session: Session, disease: str) -> list[str]:
    """Return the symbols of the genes of ``disease``, the best supported first.

    Genes that OMIM's entry of the disease links to; without such links, genes at its locus; without
    such an entry, the gene that NCBI ranks first. Raises ``NothingFound`` where there is none.
    """
    name, entries = _found_under(session, disease)
    phenotypes = [one for one in entries if _is_disease(one, name)]
    if not phenotypes:
        return _ranked_first(session, entries, name)
    try:
        found = _genes_linked(session, phenotypes)
    except NotRecordedError as absent:
        found = _at_the_place(session, entries, phenotypes, name)
        if not found:
            raise absent from None
    if not found:
        raise NothingFound(f"OMIM links no gene with {name}")
    once = dict.fromkeys(found)
    return list(once)


def _genes_linked(session: Session, phenotypes: Sequence[MimEntry]) -> list[str]:
    """Return the symbols of the human genes that OMIM links ``phenotypes`` to."""
    entries = [one.uid for one in phenotypes]
    ids = session.linked("omim", "gene", entries)
    genes = session.genes(ids[:RANKED])
    return [gene.symbol for gene in genes if gene.is_human]


def _found_under(session: Session, disease: str) -> tuple[str, list[MimEntry]]:
    """Return the name under which OMIM has a phenotype, with what a search for it finds.

    Words of the question may still be before the name ("genetics of Brody myopathy"), so what
    follows each of the first joining words is tried too. Raises ``NotRecordedError`` where no
    search was recorded.
    """
    found: list[tuple[str, list[MimEntry]]] = []
    absent: NotRecordedError | None = None
    for name in shortened(disease):
        try:
            entries = _entries(session, name)
        except NotRecordedError as error:
            absent = absent or error
            continue
        if any(_is_disease(one, name) for one in entries):
            return name, entries
        found.append((name, entries))
    if not found and absent is not None:
        raise absent
    return found[0]


def shortened(name: str) -> list[str]:
    """Return ``name``, and what follows its first joining words, the longest first.

    >>> shortened("genetics of Brody myopathy")
    ['genetics of Brody myopathy', 'Brody myopathy']
    """
    ends = [joined.end() for joined in _JOINED.finditer(name)]
    behind = [name[end:] for end in ends[:TRIED]]
    return [name, *behind]


def _at_the_place(
    session: Session, entries: Sequence[MimEntry], phenotypes: Sequence[MimEntry], disease: str
) -> list[str]:
    """Return the genes found for ``disease`` that are where OMIM places it."""
    placed = [one.locus for one in phenotypes if one.locus]
    genes = [one for one in entries if _is_gene(one)]
    found = [one.symbol for one in genes if _at_one_of(one.locus, placed)]
    ranked = _ranked(session, disease)
    named = [gene for gene in ranked if gene.name]
    others = [gene.symbol for gene in named if _at_one_of(gene.location, placed)]
    return [*found, *others]


def _ranked_first(session: Session, entries: Sequence[MimEntry], disease: str) -> list[str]:
    genes = _ranked(session, disease)
    named = [one.symbol for one in entries if _is_gene(one)]
    ranked = [gene.symbol for gene in genes]
    first = [*named[:1], *ranked[:1]]
    if not first:
        raise NothingFound(f"neither OMIM nor NCBI Gene links a human gene with {disease}")
    once = dict.fromkeys(first)
    return list(once)


def _ranked(session: Session, disease: str) -> list[Gene]:
    """Return the human genes that a search for ``disease`` finds, none where it is not recorded."""
    try:
        ids, _ = session.search("gene", disease, most=RANKED)
    except NotRecordedError:
        return []
    genes = session.genes(ids)
    return [gene for gene in genes if gene.is_human]


def _entries(session: Session, term: str) -> list[MimEntry]:
    ids, _ = session.search("omim", term, most=RANKED)
    documents = session.documents("omim", ids)
    entries = map(mim_of, documents.values())
    return list(entries)


def _is_gene(entry: MimEntry) -> bool:
    if not entry.symbol:
        return False
    return entry.kind.startswith("gene")


def _is_disease(entry: MimEntry, name: str) -> bool:
    """Return whether ``entry`` is the phenotype called ``name``."""
    if entry.kind != "phenotype":
        return False
    return _is_called(entry, name)


def _is_called(entry: MimEntry, disease: str) -> bool:
    """Return whether a title of ``entry`` has the words of ``disease``."""
    wanted = _words(disease)
    titles = map(_words, entry.titles)
    return any(wanted <= words for words in titles)


def _words(text: str) -> frozenset[str]:
    lowered = text.lower()
    words = _WORD.findall(lowered)
    return frozenset(words) - _SMALL


def _same_place(entry: MimEntry, location: str) -> bool:
    if not location:
        return False
    return _at_one_of(location, [entry.locus])


def _at_one_of(location: str, loci: Sequence[str]) -> bool:
    """Return whether ``location`` is at one of ``loci``, to the band.

    >>> _at_one_of("17q21.31", ["17q21.31"]), _at_one_of("17q21.31", ["17q24"])
    (True, False)
    """
    for locus in loci:
        bands = locus.split(",")
        if any(_near(location, band.strip()) for band in bands):
            return True
    return False


def _near(one: str, other: str) -> bool:
    first = _BAND.match(one)
    second = _BAND.match(other)
    if first is None or second is None:
        return False
    chromosome, arm, band = first.groups()
    if (chromosome, arm) != second.group(1, 2):
        return False
    other_band = second[3]
    return band.startswith(other_band) or other_band.startswith(band)
