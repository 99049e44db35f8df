"""Documents of E-utilities: identifiers found, summaries, genes, SNPs, entries of OMIM.

Answers are read one document at a time, so that one that was cut short has those before the cut.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

HUMAN: Final = "Homo sapiens"
Document = Mapping[str, Any]
_DECODER: Final = json.JSONDecoder()
_COUNT: Final = re.compile(r"<Count>(\d+)</Count>")
_ID: Final = re.compile(r"<Id>(\d+)</Id>")
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
        """Return how surely ``name`` means this gene: 3 its symbol, 2 an alias, 1 an alias in other
        case, 0 not at all.
        """
        if name == self.symbol:
            return 3
        if name in self.aliases:
            return 2
        names = {one.casefold() for one in (self.symbol, *self.aliases)}
        return 1 if name.casefold() in names else 0


@dataclass(frozen=True, slots=True)
class Variant:
    """A SNP of dbSNP; ``position`` counts from 1 on GRCh38."""

    uid: str
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

    Both forms are read, JSON and XML. Raises ``ValueError`` where ``body`` is no answer to a
    search.
    """
    if body.lstrip().startswith("<"):
        count = _COUNT.search(body)
        if count is None:
            raise ValueError("no count in the answer")
        return _ID.findall(body), int(count[1])
    found = json.loads(body)["esearchresult"]
    if "idlist" not in found:
        raise ValueError(str(found.get("ERROR", "no identifiers in the answer")))
    return [str(uid) for uid in found["idlist"]], int(found.get("count", 0))


def linked_ids(body: str) -> list[str]:
    """Return the identifiers that records link to.

    Raises ``ValueError`` or ``KeyError`` where ``body`` is no answer to a request for links.
    """
    sets = json.loads(body)["linksets"]
    targets = [target for one in sets for target in one.get("linksetdbs", ())]
    return [str(uid) for target in targets for uid in target.get("links", ())]


def summary_documents(body: str) -> dict[str, Document]:
    """Return the documents of an answer of ESummary by identifier; those with an error are left
    out.
    """
    return {uid: one for uid, one in _documents(body) if "error" not in one}


def _documents(body: str) -> Iterator[tuple[str, Document]]:
    for start in _UID.finditer(body):
        try:
            document, _ = _DECODER.raw_decode(body, start.end())
        except ValueError:
            continue
        yield start[1], document


def gene_of(document: Document) -> Gene:
    """Return the gene that a summary describes."""
    organism = document.get("organism") or {}
    return Gene(
        uid=str(document.get("uid", "")),
        symbol=_text(document, "name"),
        name=_text(document, "description"),
        aliases=_listed(_text(document, "otheraliases")),
        organism=str(organism.get("scientificname", "")),
        chromosome=_text(document, "chromosome"),
        location=_text(document, "maplocation"),
        summary=_text(document, "summary"),
        replaced=_text(document, "currentid") not in ("", "0"),
    )


def gene_blocks(body: str) -> dict[str, str]:
    """Return the genes of an answer of EFetch, which is text, by identifier."""
    return {found[1]: found[0].strip() for found in _BLOCK.finditer(body)}


def gene_of_text(uid: str, block: str) -> Gene:
    """Return the gene that a block of text describes; it has no summary."""
    symbol, aliases = _SYMBOL.search(block), _TEXT_ALIASES.search(block)
    name, place = _TEXT_NAME.search(block), _TEXT_PLACE.search(block)
    return Gene(
        uid=uid,
        symbol=symbol[1] if symbol else "",
        name=name[1] if name else "",
        aliases=_listed(aliases[1]) if aliases else (),
        organism=name[2] if name else "",
        chromosome=place[1] if place else "",
        location=(place[2] or "") if place else "",
        summary="",
        replaced="This record was" in block,
    )


def variant_of(document: Document) -> Variant:
    """Return the SNP that a summary describes."""
    genes = [str(one.get("name", "")) for one in document.get("genes") or ()]
    return Variant(
        uid=str(document.get("uid", "")),
        genes=tuple(name for name in dict.fromkeys(genes) if name),
        chromosome=_text(document, "chr"),
        position=_text(document, "chrpos").partition(":")[2],
        kind=_text(document, "fxn_class"),
    )


def mim_of(document: Document) -> MimEntry:
    """Return the entry of OMIM that a summary describes; its symbol is behind the first ";"."""
    title, _, symbols = _text(document, "title").partition("; ")
    others = _text(document, "alttitles").split(";;")
    titles = [one.partition(";")[0].strip() for one in (title, *others)]
    kind = _MIM_KINDS.get(_text(document, "oid")[:1], "")
    named = tuple(one for one in titles if one)
    symbol = symbols.partition(";")[0].strip()
    return MimEntry(_text(document, "uid"), kind, named, symbol, _text(document, "locus"))


def _text(document: Document, name: str) -> str:
    value = document.get(name)
    return "" if value is None else str(value)


def _listed(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())
