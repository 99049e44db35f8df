"""Parse the documents of E-utilities: identifiers, summaries, genes, SNPs, entries of OMIM.

Answers are read one document at a time, so that a truncated answer still gives the documents before
the cut.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

HUMAN: Final = "Homo sapiens"
Document = Mapping[str, Any]
_DECODER: Final = json.JSONDecoder()
_UID: Final = re.compile(r'"([^"\s]{1,40})"\s*:\s*(?=\{\s*"uid")')
_BLOCK: Final = re.compile(r"(?ms)^\d+\. .*?^ID: (\d+)")
_SYMBOL: Final = re.compile(r"(?m)^\d+\. (\S+)")
_TEXT_ALIASES: Final = re.compile(r"(?m)^Other Aliases: (.*)$")
_TEXT_NAME: Final = re.compile(r"Name: (.*?) \[(.*?)(?: \(|\])")
_TEXT_PLACE: Final = re.compile(r"Chromosome: (\S+?);? (?:Location: (\S+))?")
_MIM_KINDS: Final = {"#": "phenotype", "%": "phenotype", "*": "gene", "+": "gene and phenotype"}


@dataclass(frozen=True, slots=True)
class Gene:
    """A gene of NCBI Gene."""

    uid: str
    symbol: str
    name: str
    aliases: tuple[str, ...]
    organism: str
    chromosome: str
    location: str
    summary: str
    replaced: bool
    """Whether another record took its place."""

    @property
    def is_human(self) -> bool:
        """Whether it is a gene of Homo sapiens, and its record the current one."""
        return self.organism == HUMAN and not self.replaced

    def called(self, name: str) -> int:
        """Return how surely ``name`` is this gene: 3 symbol, 2 alias, 1 in other case, else 0."""
        if name == self.symbol:
            return 3
        if name in self.aliases:
            return 2
        folded = {known.casefold() for known in (self.symbol, *self.aliases)}
        return int(name.casefold() in folded)


@dataclass(frozen=True, slots=True)
class Variant:
    """A SNP of dbSNP; ``position`` counts from 1 on GRCh38."""

    genes: tuple[str, ...]
    chromosome: str
    position: str
    kind: str


@dataclass(frozen=True, slots=True)
class MimEntry:
    """An entry of OMIM; ``kind`` is phenotype, gene, gene and phenotype, or ""."""

    uid: str
    kind: str
    titles: tuple[str, ...]
    symbol: str
    locus: str


def search_ids(body: str) -> tuple[list[str], int]:
    """Return the identifiers that a search found, the best first, and how many there are in all.

    Raises ``ValueError`` if ``body`` is not an answer to a search.
    """
    found = json.loads(body)["esearchresult"]
    if "idlist" not in found:
        raise ValueError(str(found.get("ERROR", "no identifiers in the answer")))
    return [str(uid) for uid in found["idlist"]], int(found.get("count", 0))


def linked_ids(body: str) -> list[str]:
    """Return the identifiers that records link to.

    Raises ``ValueError`` or ``KeyError`` if ``body`` is not an answer to a request for links.
    """
    ids: list[str] = []
    for record in json.loads(body)["linksets"]:
        for target in record.get("linksetdbs", ()):
            ids += map(str, target.get("links", ()))
    return ids


def summary_documents(body: str) -> dict[str, Document]:
    """Return the documents of an answer of ESummary by identifier, without those with an error."""
    documents: dict[str, Document] = {}
    for found in _UID.finditer(body):
        try:
            document, _ = _DECODER.raw_decode(body, found.end())
        except ValueError:
            continue
        if "error" not in document:
            documents[found[1]] = document
    return documents


def gene_of(document: Document) -> Gene:
    """Return the gene that a summary describes."""
    organism = document.get("organism") or {}
    return Gene(
        uid=str(document.get("uid", "")),
        symbol=text_of(document, "name"),
        name=text_of(document, "description"),
        aliases=_listed(text_of(document, "otheraliases")),
        organism=str(organism.get("scientificname", "")),
        chromosome=text_of(document, "chromosome"),
        location=text_of(document, "maplocation"),
        summary=text_of(document, "summary"),
        replaced=text_of(document, "currentid") not in ("", "0"),
    )


def gene_blocks(body: str) -> dict[str, str]:
    """Return the genes of an answer of EFetch, which is text, by identifier."""
    return {found[1]: found[0].strip() for found in _BLOCK.finditer(body)}


def gene_of_text(uid: str, block: str) -> Gene:
    """Return the gene that a block of text describes; it has no summary."""
    symbol = _SYMBOL.search(block)
    aliases = _TEXT_ALIASES.search(block)
    name = _TEXT_NAME.search(block)
    place = _TEXT_PLACE.search(block)
    return Gene(
        uid=uid,
        symbol=_group(symbol, 1),
        name=_group(name, 1),
        aliases=_listed(_group(aliases, 1)),
        organism=_group(name, 2),
        chromosome=_group(place, 1),
        location=_group(place, 2),
        summary="",
        replaced="This record was" in block,
    )


def _group(found: re.Match[str] | None, number: int) -> str:
    """Return a group of what was found, "" where it is missing."""
    return (found[number] or "") if found else ""


def variant_of(document: Document) -> Variant:
    """Return the SNP that a summary describes."""
    names = [str(gene.get("name", "")) for gene in document.get("genes") or ()]
    return Variant(
        genes=tuple(dict.fromkeys(filter(None, names))),
        chromosome=text_of(document, "chr"),
        position=text_of(document, "chrpos").partition(":")[2],
        kind=text_of(document, "fxn_class"),
    )


def mim_of(document: Document) -> MimEntry:
    """Return the entry of OMIM that a summary describes; its symbol follows the first ";"."""
    title, _, symbols = text_of(document, "title").partition("; ")
    titles = map(_before_semicolon, [title, *text_of(document, "alttitles").split(";;")])
    return MimEntry(
        uid=text_of(document, "uid"),
        kind=_MIM_KINDS.get(text_of(document, "oid")[:1], ""),
        titles=tuple(filter(None, titles)),
        symbol=_before_semicolon(symbols),
        locus=text_of(document, "locus"),
    )


def _before_semicolon(text: str) -> str:
    return text.partition(";")[0].strip()


def text_of(document: Document, name: str) -> str:
    """Return what ``document`` says under ``name``, "" where it says nothing."""
    value = document.get(name)
    return "" if value is None else str(value)


def _listed(text: str) -> tuple[str, ...]:
    return tuple(filter(None, map(str.strip, text.split(","))))
