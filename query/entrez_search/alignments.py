"""Sequences: where one is in the human genome, of which organism, virus or gene it is.

Coordinates count from 1 on GRCh38, and are stated only where a hit is a chromosome of GRCh38. A hit
on another human sequence still says which chromosome.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Final

from query.entrez_search.blast_text import Alignment
from query.entrez_search.calls import HUMAN_GENOME, NUCLEOTIDES
from query.entrez_search.genes import aliases, find_gene
from query.entrez_search.session import NcbiFinding, NothingFound, Session

NEAR_BEST: Final = 0.95
"""Hits with this share of the best score are as good as it."""
GRCH38: Final = {
    "1": 11, "2": 12, "3": 12, "4": 12, "5": 10, "6": 12, "7": 14, "8": 11, "9": 12, "10": 11,
    "11": 10, "12": 12, "13": 11, "14": 9, "15": 10, "16": 10, "17": 11, "18": 10, "19": 10,
    "20": 11, "21": 9, "22": 11, "X": 11, "Y": 10,
}  # fmt: skip
"""Version of each chromosome's record (NC_000001.11, …) in GRCh38."""
_CHROMOSOME_RECORD: Final = re.compile(r"NC_0000(\d\d)\.(\d+)")
_HUMAN: Final = re.compile(r"homo sapiens|human|eukaryotic synthetic construct chromosome", re.I)
_CHROMOSOME: Final = re.compile(
    r"(?:chromosome:? |HSA|homo sapiens |clone from |from )(\d{1,2}|[XY])(?=[pq]?[\d. "
    r",.-]|[pq]\d|$)|"
    r"(?:chromosome |from )(\d{1,2}|[XY])[pq]",
    re.IGNORECASE,
)
_CLONE: Final = re.compile(
    r"(?i:mRNA|clone|isolate|chromosome|complete|genomic|DNA|BAC|PAC|genome|strain|gene|segment)\b.*"
)
_SYMBOL: Final = re.compile(r"\(([A-Z][A-Za-z0-9-]{1,14})\)")
_VIRUS: Final = re.compile(r"virus|viridae|phage|viroid", re.IGNORECASE)


def place_of_sequence(session: Session, sequence: str) -> NcbiFinding:
    """Return where ``sequence`` is in the human genome."""
    hits = session.blast(sequence, HUMAN_GENOME)
    for hit in hits:
        name = _chromosome_of_record(hit)
        if name:
            value = f"chr{name}:{hit.start}-{hit.end}"
            text = f"The sequence is at {value} of GRCh38 ({_matched(hit)})."
            return NcbiFinding("place", (value,), text)
    human = [hit for hit in hits if _HUMAN.search(hit.title)]
    chromosome = _chromosome_of(human)
    if not chromosome:
        raise NothingFound("BLAST found no place in the human genome")
    best = max((hit for hit in human if _chromosome(hit) == chromosome), key=_rank)
    text = (
        f"The sequence is on human chromosome {chromosome} ({_matched(best)}). None of the hits is "
        "a chromosome of GRCh38, so its coordinates there are not known."
    )
    return NcbiFinding("place", (f"chr{chromosome}",), text)


def _rank(hit: Alignment) -> tuple[float, bool]:
    """Return how well ``hit`` says what a sequence is: its score, natural before synthetic."""
    return hit.score, "synthetic" not in hit.title


def organism_of_sequence(session: Session, sequence: str) -> NcbiFinding:
    """Return the organism whose sequence is most like ``sequence``."""
    hits = session.blast(sequence, NUCLEOTIDES)
    least = NEAR_BEST * hits[0].score if hits else 0.0
    named = [(organism_of_title(hit.title), hit) for hit in hits if hit.score >= least]
    names = Counter(name for name, _ in named if name)
    if not names:
        raise NothingFound("BLAST found no similar sequence")
    ((name, _),) = names.most_common(1)
    hit = next(hit for own, hit in named if own == name)
    return _most_like("organism", name, hit)


def _most_like(what: str, name: str, hit: Alignment) -> NcbiFinding:
    return NcbiFinding(what, (name,), f"The sequence is most like {name} ({_matched(hit)}).")


def virus_of_sequence(session: Session, sequence: str) -> NcbiFinding:
    """Return the virus whose sequence is most like ``sequence``."""
    hits = session.blast(sequence, NUCLEOTIDES)
    viral = next((hit for hit in hits if _VIRUS.search(hit.title)), None)
    if viral is None:
        other = f": the best hit is {hits[0].title}" if hits else ""
        raise NothingFound(f"BLAST found no similar virus{other}")
    return _most_like("virus", organism_of_title(viral.title), viral)


def gene_of_sequence(session: Session, sequence: str) -> NcbiFinding:
    """Return the gene that the hits of ``sequence`` name."""
    symbol, hit = _gene(session, sequence)
    return NcbiFinding("gene", (symbol,), f"The sequence is in {symbol} ({_matched(hit)}).")


def aliases_of_sequences_gene(session: Session, sequence: str) -> NcbiFinding:
    """Return the other names of the gene that ``sequence`` is part of."""
    symbol, hit = _gene(session, sequence)
    found = aliases(find_gene(session, symbol))
    text = f"The sequence is in {symbol} ({_matched(hit)}). {found.text}"
    return NcbiFinding(found.name, found.values, text)


def organism_of_title(title: str) -> str:
    """Return the organism that the title of a record begins with: its name of two words, or the
    name of a virus up to what the record is.

    >>> organism_of_title("Homo sapiens isolate CHM13 chromosome 15")
    'Homo sapiens'
    >>> organism_of_title("Zika virus strain PRVABC59, complete genome")
    'Zika virus'
    """
    bare = title.removeprefix("PREDICTED: ").removeprefix("UNVERIFIED: ").strip()
    if _VIRUS.search(bare):
        return _CLONE.sub("", bare.partition(",")[0]).strip()
    if bare.lower().startswith("human "):
        return "Homo sapiens"
    words = bare.split()
    return " ".join(words[:2]).capitalize() if len(words) > 1 else ""


def _gene(session: Session, sequence: str) -> tuple[str, Alignment]:
    for hit in session.blast(sequence, NUCLEOTIDES):
        symbol = _SYMBOL.search(hit.title)
        if symbol and _HUMAN.search(hit.title):
            return symbol[1], hit
    raise NothingFound("no hit of BLAST names a human gene")


def _chromosome_of_record(hit: Alignment) -> str:
    """Return the chromosome of GRCh38 that ``hit`` is, "" if it is not one."""
    record = _CHROMOSOME_RECORD.fullmatch(hit.accession)
    if record is None:
        return ""
    number, version = map(int, record.groups())
    name = {23: "X", 24: "Y"}.get(number, str(number))
    return name if GRCH38.get(name) == version else ""


def _chromosome_of(hits: Sequence[Alignment]) -> str:
    """Return the chromosome that the best hits name, the most common one if they differ."""
    named = [(name, hit) for hit in hits if (name := _chromosome(hit))]
    if not named:
        return ""
    least = NEAR_BEST * max(hit.score for hit in hits)
    good = [name for name, hit in named if hit.score >= least]
    return Counter(good).most_common(1)[0][0] if good else named[0][0]


def _chromosome(hit: Alignment) -> str:
    found = _CHROMOSOME.search(hit.title)
    return "" if found is None else (found[1] or found[2]).upper()


def _matched(hit: Alignment) -> str:
    same = f"{hit.identities} of {hit.aligned} bases identical"
    return f"{same} with {hit.accession}, {hit.title}"
