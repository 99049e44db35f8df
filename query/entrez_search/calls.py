"""A request to NCBI as a value: which utility, which parameters, and its address.

Source: E-utilities (Entrez Programming Utilities Help, NBK25501) and the BLAST URL API. Only the
two hosts of these services are ever called.
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
        return dict(self.parameters).get(name, "")

    @property
    def url(self) -> str:
        """The address, without who asks."""
        query = urlencode(self.parameters, quote_via=quote, safe=",/")
        if self.utility in _EUTILS:
            return f"https://{EUTILS_HOST}/entrez/eutils/{self.utility}.fcgi?{query}"
        command = "Put" if self.utility == "blast_put" else "Get"
        return f"https://{BLAST_HOST}/blast/Blast.cgi?CMD={command}&{query}"

    @property
    def shown(self) -> str:
        """The call in a few words, for the steps of an answer."""
        return f"{self.utility} {self._subject()}"

    def _subject(self) -> str:
        """Return what is requested: a term, identifiers, bases or a request."""
        db = self.get("db")
        match self.utility:
            case "blast_get":
                return self.get("RID")
            case "blast_put":
                return f"{self.get('DATABASE')}: {len(self.get('QUERY'))} bases"
            case "esearch":
                return f"{db}: {self.get('term')}"
            case "elink":
                return f"{self.get('dbfrom')} to {db}: {self.get('id')}"
        return f"{db}: {self.get('id')}"


def search(db: str, term: str, *, most: int = 20) -> Call:
    """Return the search of ``db`` for ``term``: at most ``most`` identifiers, the best first."""
    return _call("esearch", db=db, retmax=str(most), retmode="json", sort="relevance", term=term)


def summaries(db: str, ids: Sequence[str]) -> Call:
    """Return the request for the summaries of ``ids``."""
    return _call("esummary", db=db, retmax="20", retmode="json", id=",".join(ids))


def fetch(db: str, ids: Sequence[str], *, retmode: str = "json") -> Call:
    """Return the request for the records of ``ids``; NCBI gives genes and SNPs as text."""
    return _call("efetch", db=db, retmax="20", retmode=retmode, id=",".join(ids))


def links(source: str, target: str, ids: Sequence[str]) -> Call:
    """Return the request for what ``ids`` of ``source`` link to in ``target``."""
    return _call("elink", dbfrom=source, db=target, retmode="json", id=",".join(ids))


def blast_put(sequence: str, database: str) -> Call:
    """Return the request to search for ``sequence`` in ``database``."""
    return _call(
        "blast_put",
        PROGRAM="blastn",
        MEGABLAST="on",
        DATABASE=database,
        FORMAT_TYPE="Text",
        HITLIST_SIZE="10",
        QUERY=sequence,
    )


def blast_get(request: str) -> Call:
    """Return the request for the result of the BLAST search ``request`` (a RID)."""
    return _call("blast_get", FORMAT_TYPE="Text", RID=request)


def _call(utility: Utility, **parameters: str) -> Call:
    """Return a call with ``parameters`` in the order given."""
    return Call(utility, tuple(parameters.items()))


def call_of(url: str) -> Call | None:
    """Return the call behind ``url``, None if it is not a call of these services.

    >>> call_of("https://eutils.ncbi.nlm.nih.gov/entrez/eutils/esearch.fcgi?db=gene&term=PTH").shown
    'esearch gene: PTH'
    """
    parts = urlsplit(url)
    parameters = [pair for pair in parse_qsl(parts.query) if pair[0] not in _ABOUT_THE_CALLER]
    if parts.hostname == EUTILS_HOST:
        utility = parts.path.rsplit("/", 1)[-1].removesuffix(".fcgi")
        return Call(cast("Utility", utility), tuple(parameters)) if utility in _EUTILS else None
    if parts.hostname != BLAST_HOST:
        return None
    command = dict(parameters).get("CMD", "").lower()
    others = [pair for pair in parameters if pair[0] != "CMD"]
    return Call("blast_put" if command == "put" else "blast_get", tuple(others))
