"""Find the accessions in a pasted text: a list, a table, hits of a sequence search, contigs.

The most specific accession of a line counts: a table of hits names the run, its sample and its
project side by side, and only the run was hit.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

KINDS: Final = (
    ("run", r"[SED]RR\d{5,}|SYNR\d+"),
    ("biosample", r"SAM(?:N|D|EA|EG)\d+|SYNS\d+"),
    ("study", r"[SED]RP\d{5,}|SYNT\d+"),
    ("bioproject", r"PRJ[NED][A-Z]\d+|SYNP\d+"),
    ("experiment", r"[SED]R[XS]\d{5,}"),
)
"""Kinds of accessions, the most specific first; of experiments and SRA samples no index has any."""
_ANY: Final = re.compile(
    "|".join(rf"(?<![A-Z0-9])(?P<{kind}>{form})(?!\d)" for kind, form in KINDS), re.IGNORECASE
)
_BETWEEN: Final = re.compile(r"[\s,;|>\"']*")
_CELLS: Final = re.compile(r"[\t,;]")


@dataclass(frozen=True, slots=True)
class Pasted:
    """What a text names.

    ``accessions``  accession and its kind, in the order of the text, each once
    ``others``      first cells of lines without an accession: names of one's own, or headings
    """

    accessions: tuple[tuple[str, str], ...]
    others: tuple[str, ...]


def read_pasted(text: str) -> Pasted:
    """Return the accessions of ``text``, line by line.

    >>> read_pasted("ID,coverage,bioproject\\nSRR9990001,0.9,PRJNA999001\\nSRR9990002_k141_7,1,").accessions
    (('SRR9990001', 'run'), ('SRR9990002', 'run'))
    """  # noqa: E501 - a table as it is pasted
    accessions: dict[str, str] = {}
    others: dict[str, None] = {}
    for line in text.splitlines():
        found = _of_line(line)
        accessions.update(found)
        name = _CELLS.split(line, maxsplit=1)[0].strip(" \"'>")
        if not found and name and not name.startswith("#"):
            others[name] = None
    return Pasted(tuple(accessions.items()), tuple(others))


def _of_line(line: str) -> dict[str, str]:
    """Return the accessions of a line that count: all of a bare list, else the most specific."""
    found = [(match[0].upper(), str(match.lastgroup)) for match in _ANY.finditer(line)]
    is_bare = _BETWEEN.fullmatch(_ANY.sub("", line)) is not None
    if is_bare:
        return dict(found)
    for kind, _ in KINDS:
        of_kind = {accession: kind for accession, known in found if known == kind}
        if of_kind:
            return of_kind
    return {}
