"""What a question was read as: requests, the names in it, and words that were not understood."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from query.request import Request, say

Form = Literal["sentence", "table", "csv", "list"]
Need = Literal["communities", "associations", "doubt", "sources", "passages"]


@dataclass(frozen=True, slots=True)
class NameInQuestion:
    """A name as the user wrote it, and what it means in a request.

    ``text``       as written: "epstien barr", "bats"; from ``start`` to ``end`` of the question
    ``kind``       virus, host, tissue, disease, place, field, attribute, community, accession, …
    ``name``       what goes into the request: "Epstein-Barr virus", "Chiroptera"
    ``corrected``  a misspelling was mended
    """

    text: str
    start: int
    end: int
    kind: str
    name: str
    curie: str | None
    corrected: bool = False


@dataclass(frozen=True, slots=True)
class Reading:
    """A question as it was read.

    ``requests``   what is asked, a request for each part; empty when refused or to be picked
    ``choices``    up to three to pick from, best first, when not sure
    ``ignored``    words that do not change the answer and are said to be ignored
    ``unknown``    words not understood that may restrict
    ``needs``      what the words ask for besides the request
    ``refusal``    one sentence, when the index cannot answer at all
    ``elsewhere``  genes, variants, genomes, sequences; or free text search
    """

    text: str
    requests: tuple[Request, ...] = ()
    choices: tuple[Request, ...] = ()
    names: tuple[NameInQuestion, ...] = ()
    ignored: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    form: Form = "sentence"
    needs: frozenset[Need] = frozenset()
    refusal: str | None = None
    elsewhere: Literal["entrez", "passages"] | None = None

    @property
    def read_as(self) -> str:
        """The requests in canonical English."""
        return "; ".join(say(request) for request in self.requests)
