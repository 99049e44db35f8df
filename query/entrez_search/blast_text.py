"""Parse BLAST's text report: the query, and the hits with where they align.

The report is the one form that the URL API has given unchanged for years; one that was cut short
has the hits that came before the cut.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import chain
from typing import Final, Literal

Status = Literal["WAITING", "READY", "FAILED", "UNKNOWN"]
_STATUS: Final = re.compile(r"Status=(\w+)")
_REQUEST: Final = re.compile(r"RID\s*=\s*([A-Z0-9]{6,20})\b")
_WAIT: Final = re.compile(r"RTOE\s*=\s*(\d+)")
_LENGTH: Final = re.compile(r"Query=[^\n]*\n+(?:[^\n]+\n)*?Length=(\d+)")
_HIT: Final = re.compile(r"(?m)^>")
_ALIGNMENT: Final = re.compile(r"(?m)^ Score = ")
_HEAD: Final = re.compile(r"(\S+)\s+(.*?)\s*Length=(\d+)", re.DOTALL)
_IDENTITIES: Final = re.compile(r"Identities = (\d+)/(\d+)")
_SCORE: Final = re.compile(r"Score = +([\d.]+(?:e[+-]?\d+)?) bits")
_QUERY: Final = re.compile(r"(?m)^Query +(\d+) +([A-Za-z-]+) +(\d+)")
_SUBJECT: Final = re.compile(r"(?m)^Sbjct +(\d+) +[A-Za-z-]+ +(\d+)")


@dataclass(frozen=True, slots=True)
class Alignment:
    """The best alignment with one sequence; positions count from 1, ``start`` <= ``end``."""

    accession: str
    title: str
    score: float
    identities: int
    aligned: int
    start: int
    end: int


def put_reply(body: str) -> tuple[str, int] | None:
    """Return the request (RID) that BLAST gave and the seconds it expects, None if it gave none.

    >>> put_reply("QBlastInfoBegin\\n RID = 52V2HPJ2013\\n RTOE = 12\\nQBlastInfoEnd")
    ('52V2HPJ2013', 12)
    """
    request, wait = _REQUEST.search(body), _WAIT.search(body)
    return None if request is None else (request[1], int(wait[1]) if wait else 0)


def status_of(body: str) -> Status:
    """Return how far a search is; a report without a status is ready."""
    found = _STATUS.search(body)
    if found is None:
        return "READY" if "BLASTN" in body else "UNKNOWN"
    known: dict[str, Status] = {"WAITING": "WAITING", "READY": "READY", "FAILED": "FAILED"}
    return known.get(found[1], "UNKNOWN")


def query_of(body: str) -> str:
    """Return the sequence searched for, "" where the report does not show all of it."""
    length = _LENGTH.search(body)
    first = body.find("\n>")
    if length is None or first < 0:
        return ""
    rows = _QUERY.findall(_best_alignment(body[first:]))
    sequence = "".join(bases for _, bases, _ in rows).replace("-", "").upper()
    return sequence if len(sequence) == int(length[1]) else ""


def read_hits(body: str) -> list[Alignment]:
    """Return the hits in the order of the report, each with its best alignment."""
    _, *parts = _HIT.split(body)
    return [hit for hit in map(_read_hit, parts) if hit is not None]


def _read_hit(text: str) -> Alignment | None:
    head = _HEAD.match(text)
    if head is None:
        return None
    best = _best_alignment(text)
    identities = _IDENTITIES.search(best)
    score = _SCORE.search(best)
    subjects = _SUBJECT.findall(best)
    if identities is None or not subjects:
        return None
    title, _, _ = head[2].partition("\n ")
    places = list(map(int, chain.from_iterable(subjects)))
    return Alignment(
        accession=head[1],
        title=" ".join(title.split()),
        score=float(score[1]) if score else 0.0,
        identities=int(identities[1]),
        aligned=int(identities[2]),
        start=min(places),
        end=max(places),
    )


def _best_alignment(text: str) -> str:
    """Return the first alignment of a hit, which is the best; ``text`` itself if it has none."""
    starts = [found.start() for found in _ALIGNMENT.finditer(text)]
    if not starts:
        return text
    start, end = [*starts, len(text)][:2]
    return text[start:end]
