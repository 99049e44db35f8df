"""Diseases: the genes behind one, and where they are; and the diseases of a gene.

OMIM has entries for phenotypes and for genes. A search finds both, and no summary says which gene
belongs to which phenotype, but that they share a locus does. NCBI Gene's ranking adds the genes
whose record names the disease. What only one weak sign supports is left out.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from index.claims.phrases import listed
from query.entrez_search.genes import find_gene
from query.entrez_search.session import NcbiFinding, NothingFound, Session
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
    text = f"Genes linked with {disease}: {listed(symbols)}."
    return NcbiFinding("gene", tuple(symbols), text)


def places_of_genes(session: Session, disease: str) -> NcbiFinding:
    """Return the chromosomes of the genes of ``disease``."""
    symbols = linked_genes(session, disease)
    genes = [find_gene(session, symbol) for symbol in symbols[:3]]
    places = [f"{gene.symbol} on chromosome {gene.chromosome}" for gene in genes]
    text = f"Genes linked with {disease}: {listed(places)}."
    return NcbiFinding("chromosome", tuple(f"chr{gene.chromosome}" for gene in genes), text)


def diseases_of_gene(session: Session, name: str) -> NcbiFinding:
    """Return the phenotypes of OMIM that a search for a gene finds at its locus."""
    gene = find_gene(session, name)
    titles = [
        entry.titles[0].capitalize()
        for entry in _entries(session, f"{gene.symbol}[Gene Name]")
        if entry.kind == "phenotype" and entry.titles and _at_one_of(gene.location, [entry.locus])
    ]
    if not titles:
        raise NothingFound(f"OMIM lists no phenotype at the place of {gene.symbol}")
    text = f"OMIM links {gene.symbol} with: {'; '.join(titles)}."
    return NcbiFinding("disease", tuple(titles), text)


def linked_genes(session: Session, disease: str) -> list[str]:
    """Return the symbols of the genes of ``disease``, the best supported first.

    Genes that OMIM's entry of the disease links to; without such links, genes at its locus; without
    such an entry, the gene that NCBI ranks first. Raises ``NothingFound`` where there is none.
    """
    name, entries = _found_under(session, disease)
    phenotypes = [entry for entry in entries if _is_disease(entry, name)]
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
    return list(dict.fromkeys(found))


def _genes_linked(session: Session, phenotypes: Sequence[MimEntry]) -> list[str]:
    """Return the symbols of the human genes that OMIM links ``phenotypes`` to."""
    ids = session.linked("omim", "gene", [entry.uid for entry in phenotypes])
    return [gene.symbol for gene in session.genes(ids[:RANKED]) if gene.is_human]


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
        if any(_is_disease(entry, name) for entry in entries):
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
    return [name, *(name[end:] for end in ends[:TRIED])]


def _at_the_place(
    session: Session, entries: Sequence[MimEntry], phenotypes: Sequence[MimEntry], disease: str
) -> list[str]:
    """Return the genes found for ``disease`` that are where OMIM places it."""
    placed = [entry.locus for entry in phenotypes if entry.locus]
    of_omim = [(entry.symbol, entry.locus) for entry in entries if _is_gene(entry)]
    ranked = [(gene.symbol, gene.location) for gene in _ranked(session, disease) if gene.name]
    return [symbol for symbol, place in (*of_omim, *ranked) if _at_one_of(place, placed)]


def _ranked_first(session: Session, entries: Sequence[MimEntry], disease: str) -> list[str]:
    named = [entry.symbol for entry in entries if _is_gene(entry)]
    ranked = [gene.symbol for gene in _ranked(session, disease)]
    first = [*named[:1], *ranked[:1]]
    if not first:
        raise NothingFound(f"neither OMIM nor NCBI Gene links a human gene with {disease}")
    return list(dict.fromkeys(first))


def _ranked(session: Session, disease: str) -> list[Gene]:
    """Return the human genes that a search for ``disease`` finds, none if it is not recorded."""
    try:
        ids, _ = session.search("gene", disease, most=RANKED)
    except NotRecordedError:
        return []
    return [gene for gene in session.genes(ids) if gene.is_human]


def _entries(session: Session, term: str) -> list[MimEntry]:
    ids, _ = session.search("omim", term, most=RANKED)
    return list(map(mim_of, session.documents("omim", ids).values()))


def _is_gene(entry: MimEntry) -> bool:
    return bool(entry.symbol) and entry.kind.startswith("gene")


def _is_disease(entry: MimEntry, name: str) -> bool:
    """Return whether ``entry`` is a phenotype with a title that has the words of ``name``."""
    wanted = _words(name)
    return entry.kind == "phenotype" and any(wanted <= _words(title) for title in entry.titles)


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.lower())) - _SMALL


def _at_one_of(location: str, loci: Sequence[str]) -> bool:
    """Return whether ``location`` is at one of ``loci``, to the band.

    >>> _at_one_of("17q21.31", ["17q21.31"]), _at_one_of("17q21.31", ["17q24"])
    (True, False)
    """
    return any(_near(location, band.strip()) for locus in loci for band in locus.split(","))


def _near(one: str, other: str) -> bool:
    first, second = _BAND.match(one), _BAND.match(other)
    if first is None or second is None or first.group(1, 2) != second.group(1, 2):
        return False
    return first[3].startswith(second[3]) or second[3].startswith(first[3])
