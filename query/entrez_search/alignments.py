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
from query.entrez_search.finding import NcbiFinding, NothingFound
from query.entrez_search.genes import aliases, find_gene
from query.entrez_search.session import Session

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
            return _known_place(name, hit)
    human = [hit for hit in hits if _HUMAN.search(hit.title)]
    chromosome = _chromosome_of(human)
    if not chromosome:
        raise NothingFound("BLAST found no place in the human genome")
    same = [hit for hit in human if _chromosome(hit) == chromosome]
    best = max(same, key=_rank)
    text = (
        f"The sequence is on human chromosome {chromosome} ({_matched(best)}). None of the hits is "
        "a chromosome of GRCh38, so its coordinates there are not known."
    )
    return NcbiFinding("place", (f"chr{chromosome}",), text)


def _known_place(chromosome: str, hit: Alignment) -> NcbiFinding:
    place = f"{hit.start}-{hit.end}"
    value = f"chr{chromosome}:{place}"
    matched = _matched(hit)
    text = f"The sequence is at {value} of GRCh38 ({matched})."
    return NcbiFinding("place", (value,), text)


def _rank(hit: Alignment) -> tuple[float, bool]:
    """Return how well ``hit`` says what a sequence is: its score, natural before synthetic."""
    natural = "synthetic" not in hit.title
    return hit.score, natural


def organism_of_sequence(session: Session, sequence: str) -> NcbiFinding:
    """Return the organism whose sequence is most like ``sequence``."""
    hits = session.blast(sequence, NUCLEOTIDES)
    named = _named(_near_best(hits))
    if not named:
        raise NothingFound("BLAST found no similar sequence")
    names = Counter(name for name, _ in named)
    ((name, _),) = names.most_common(1)
    hit = next(hit for own, hit in named if own == name)
    matched = _matched(hit)
    text = f"The sequence is most like {name} ({matched})."
    return NcbiFinding("organism", (name,), text)


def _named(hits: Sequence[Alignment]) -> list[tuple[str, Alignment]]:
    """Return the organism of each hit whose title names one, with the hit, in order."""
    named = []
    for hit in hits:
        name = organism_of_title(hit.title)
        if name:
            named.append((name, hit))
    return named


def _near_best(hits: Sequence[Alignment]) -> list[Alignment]:
    """Return the hits that are as good as the first."""
    if not hits:
        return []
    least = NEAR_BEST * hits[0].score
    return [hit for hit in hits if hit.score >= least]


def virus_of_sequence(session: Session, sequence: str) -> NcbiFinding:
    """Return the virus whose sequence is most like ``sequence``."""
    hits = session.blast(sequence, NUCLEOTIDES)
    viral = [hit for hit in hits if _VIRUS.search(hit.title)]
    if not viral:
        other = f": the best hit is {hits[0].title}" if hits else ""
        raise NothingFound(f"BLAST found no similar virus{other}")
    hit = viral[0]
    name = organism_of_title(hit.title)
    matched = _matched(hit)
    text = f"The sequence is most like {name} ({matched})."
    return NcbiFinding("virus", (name,), text)


def gene_of_sequence(session: Session, sequence: str) -> NcbiFinding:
    """Return the gene that the hits of ``sequence`` name."""
    symbol, hit = _gene(session, sequence)
    matched = _matched(hit)
    text = f"The sequence is in {symbol} ({matched})."
    return NcbiFinding("gene", (symbol,), text)


def aliases_of_sequences_gene(session: Session, sequence: str) -> NcbiFinding:
    """Return the other names of the gene that ``sequence`` is of."""
    symbol, hit = _gene(session, sequence)
    matched = _matched(hit)
    gene = find_gene(session, symbol)
    found = aliases(gene)
    text = f"The sequence is in {symbol} ({matched}). {found.text}"
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
        before_comma, _, _ = bare.partition(",")
        return _CLONE.sub("", before_comma).strip()
    if bare.lower().startswith("human "):
        return "Homo sapiens"
    words = bare.split()
    if len(words) < 2:
        return ""
    name = " ".join(words[:2])
    return name.capitalize()


def _gene(session: Session, sequence: str) -> tuple[str, Alignment]:
    for hit in session.blast(sequence, NUCLEOTIDES):
        title = hit.title
        symbol = _SYMBOL.search(title)
        if symbol and _HUMAN.search(title):
            return symbol[1], hit
    raise NothingFound("no hit of BLAST names a human gene")


def _chromosome_of_record(hit: Alignment) -> str:
    """Return the chromosome of GRCh38 that ``hit`` is, "" where it is none."""
    record = _CHROMOSOME_RECORD.fullmatch(hit.accession)
    if record is None:
        return ""
    number = int(record[1])
    version = int(record[2])
    name = {23: "X", 24: "Y"}.get(number, str(number))
    if GRCH38.get(name) != version:
        return ""
    return name


def _chromosome_of(hits: Sequence[Alignment]) -> str:
    """Return the chromosome that the best hits name, the commonest where they differ."""
    named = [(name, hit) for hit in hits if (name := _chromosome(hit))]
    if not named:
        return ""
    best = max(hit.score for hit in hits)
    least = NEAR_BEST * best
    good = [name for name, hit in named if hit.score >= least]
    if good:
        ((commonest, _),) = Counter(good).most_common(1)
        return commonest
    first, _ = named[0]
    return first


def _chromosome(hit: Alignment) -> str:
    found = _CHROMOSOME.search(hit.title)
    if found is None:
        return ""
    name = found[1] or found[2]
    return name.upper()


def _matched(hit: Alignment) -> str:
    same = f"{hit.identities} of {hit.aligned} bases identical"
    record = f"{hit.accession}, {hit.title}"
    return f"{same} with {record}"
