"""A request to NCBI as a value: which utility, which parameters, and its address.

Source: E-utilities (Entrez Programming Utilities Help, NBK25501) and the BLAST URL API. Only the
two hosts of these services are ever asked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, cast
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

EUTILS_HOST: Final = "eutils.ncbi.nlm.nih.gov"
BLAST_HOST: Final = "blast.ncbi.nlm.nih.gov"
HOSTS: Final = (EUTILS_HOST, BLAST_HOST)
DATABASES: Final = (
    "gene", "snp", "omim", "nuccore", "protein", "taxonomy", "genome", "assembly", "sra",
    "bioproject", "biosample", "pubmed",
)  # fmt: skip
HUMAN_GENOME: Final = "genomic/9606/GCF_000001405.40"
"""GRCh38.p14 as BLAST names it."""
NUCLEOTIDES: Final = "nt"

Utility = Literal["esearch", "esummary", "efetch", "elink", "blast_put", "blast_get"]
_EUTILS: Final = ("esearch", "esummary", "efetch", "elink")
_ABOUT_THE_CALLER: Final = ("tool", "email", "api_key")


@dataclass(frozen=True, slots=True)
class Call:
    """One request: its utility and its parameters, in the order of the address."""

    utility: Utility
    parameters: tuple[tuple[str, str], ...]

    def get(self, name: str) -> str:
        """Return the parameter called ``name``, "" where there is none."""
        values = dict(self.parameters)
        return values.get(name, "")

    @property
    def url(self) -> str:
        """The address, without who asks."""
        query = urlencode(self.parameters, quote_via=quote, safe=",/")
        utility = self.utility
        if utility in _EUTILS:
            folder = f"https://{EUTILS_HOST}/entrez/eutils"
            return f"{folder}/{utility}.fcgi?{query}"
        page = f"https://{BLAST_HOST}/blast/Blast.cgi"
        command = "Put" if utility == "blast_put" else "Get"
        return f"{page}?CMD={command}&{query}"

    @property
    def shown(self) -> str:
        """The call in a few words, for the steps of an answer."""
        what = self._subject()
        return f"{self.utility} {what}"

    def _subject(self) -> str:
        """Return what is asked for: a term, identifiers, bases or a request."""
        if self.utility == "blast_get":
            return self.get("RID")
        if self.utility == "blast_put":
            bases = len(self.get("QUERY"))
            database = self.get("DATABASE")
            return f"{database}: {bases} bases"
        db = self.get("db")
        if self.utility == "esearch":
            term = self.get("term")
            return f"{db}: {term}"
        ids = self.get("id")
        if self.utility == "elink":
            source = self.get("dbfrom")
            return f"{source} to {db}: {ids}"
        return f"{db}: {ids}"


def search(db: str, term: str, *, most: int = 20) -> Call:
    """Return the search of ``db`` for ``term``, at most ``most`` identifiers, the best first."""
    parameters = {
        "db": db,
        "retmax": str(most),
        "retmode": "json",
        "sort": "relevance",
        "term": term,
    }
    return Call("esearch", tuple(parameters.items()))


def summaries(db: str, ids: Sequence[str]) -> Call:
    """Return the request of the summaries of ``ids``."""
    parameters = {
        "db": db,
        "retmax": "20",
        "retmode": "json",
        "id": ",".join(ids),
    }
    return Call("esummary", tuple(parameters.items()))


def fetch(db: str, ids: Sequence[str], *, retmode: str = "json") -> Call:
    """Return the request of the records of ``ids``; NCBI gives genes and SNPs as text."""
    parameters = {
        "db": db,
        "retmax": "20",
        "retmode": retmode,
        "id": ",".join(ids),
    }
    return Call("efetch", tuple(parameters.items()))


def links(source: str, target: str, ids: Sequence[str]) -> Call:
    """Return the request of what ``ids`` of ``source`` link to in ``target``."""
    parameters = {
        "dbfrom": source,
        "db": target,
        "retmode": "json",
        "id": ",".join(ids),
    }
    return Call("elink", tuple(parameters.items()))


def blast_put(sequence: str, database: str) -> Call:
    """Return the request that ``sequence`` be searched for in ``database``."""
    parameters = {
        "PROGRAM": "blastn",
        "MEGABLAST": "on",
        "DATABASE": database,
        "FORMAT_TYPE": "Text",
        "HITLIST_SIZE": "10",
        "QUERY": sequence,
    }
    return Call("blast_put", tuple(parameters.items()))


def blast_get(request: str) -> Call:
    """Return the request of the result of the BLAST search ``request`` (a RID)."""
    parameters = {
        "FORMAT_TYPE": "Text",
        "RID": request,
    }
    return Call("blast_get", tuple(parameters.items()))


def call_of(url: str) -> Call | None:
    """Return the call behind ``url``, None where it is no call of these services.

    >>> call_of("https://eutils.ncbi.nlm.nih.gov/entrez/eutils/esearch.fcgi?db=gene&term=PTH").shown
    'esearch gene: PTH'
    """
    parts = urlsplit(url)
    pairs = parse_qsl(parts.query)
    kept = [(key, value) for key, value in pairs if key not in _ABOUT_THE_CALLER]
    if parts.hostname == EUTILS_HOST:
        *_, page = parts.path.rsplit("/", 1)
        utility = page.removesuffix(".fcgi")
        if utility not in _EUTILS:
            return None
        return Call(cast("Utility", utility), tuple(kept))
    if parts.hostname != BLAST_HOST:
        return None
    command = dict(kept).get("CMD", "").lower()
    others = [(key, value) for key, value in kept if key != "CMD"]
    return Call("blast_put" if command == "put" else "blast_get", tuple(others))
