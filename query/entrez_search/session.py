"""The calls of one question: made in order, read into records, and noted for the answer."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeVar

from index.claims.phrases import counted
from query.answer import AnswerSource
from query.entrez_search import calls
from query.entrez_search.blast_text import Alignment, put_reply, read_hits, status_of
from query.entrez_search.calls import Call
from query.entrez_search.client import NcbiService
from query.entrez_search.recording import FOUND_BY_QUERY
from query.entrez_search.summaries import (
    Document,
    Gene,
    gene_blocks,
    gene_of,
    gene_of_text,
    linked_ids,
    search_ids,
    summary_documents,
)
from query.errors import NotRecordedError, ServiceError, TooManyCallsError

ReadT = TypeVar("ReadT")
MOST_CALLS: Final = 10
"""Calls of one question, asking again for the result of a BLAST search not counted."""
POLL_S: Final = 60.0
"""BLAST wants no more requests than that."""
LONGEST_BLAST_S: Final = 900.0


@dataclass
class Session:
    """The calls of one question; ``sources`` says which were made and what they gave."""

    service: NcbiService
    most_calls: int = MOST_CALLS
    sleep: Callable[[float], None] = time.sleep
    sources: list[AnswerSource] = field(default_factory=list)
    made: int = 0
    missing: list[str] = field(default_factory=list)
    """Records that NCBI has and the recording does not."""

    def call(self, call: Call) -> str:
        """Return the body of the answer to ``call``.

        Raises ``QueryError`` if the service cannot be reached, or the calls are used up.
        """
        if self.made >= self.most_calls:
            raise TooManyCallsError(self.made)
        self.made += 1
        return self.service.get(call)

    def search(self, db: str, term: str, *, most: int = 20) -> tuple[list[str], int]:
        """Return the identifiers of ``db`` for ``term``, the best first, and how many there are."""
        call = calls.search(db, term, most=most)
        ids, count = self._read(call, search_ids, "a search")
        self._note(call, f"{count:,} found")
        return ids, count

    def linked(self, source: str, target: str, ids: Sequence[str]) -> list[str]:
        """Return the identifiers in ``target`` that ``ids`` of ``source`` link to."""
        call = calls.links(source, target, ids)
        found = self._read(call, linked_ids, "links")
        self._note(call, counted(len(found), "link"))
        return found

    def _read(self, call: Call, read: Callable[[str], ReadT], what: str) -> ReadT:
        """Return the answer to ``call`` as ``read`` reads it; raises ``ServiceError``."""
        body = self.call(call)
        try:
            return read(body)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise ServiceError(call.shown, f"the answer is not the JSON of {what}") from error

    def documents(self, db: str, ids: Sequence[str]) -> dict[str, Document]:
        """Return the summaries of ``ids`` by identifier, in their order; some may be missing."""
        if not ids:
            return {}
        call = calls.summaries(db, ids)
        found = summary_documents(self.call(call))
        ordered = {uid: found[uid] for uid in ids if uid in found}
        self._note(call, f"{len(ordered)} of {len(ids)} summaries")
        return ordered

    def genes(self, ids: Sequence[str]) -> list[Gene]:
        """Return the genes of ``ids`` in their order: from their summaries, else from their records
        as text.

        Those found in neither are added to ``missing``.
        """
        found = self._summed_up(ids)
        left = [uid for uid in ids if uid not in found]
        if left:
            found |= self._as_text(left)
        self.missing += [f"gene {uid}" for uid in ids if uid not in found]
        return [found[uid] for uid in ids if uid in found]

    def text(self, call: Call) -> str:
        """Return the body of the answer to ``call``, noted as a step."""
        body = self.call(call)
        self._note(call, f"{len(body):,} characters")
        return body

    def blast(self, sequence: str, database: str) -> list[Alignment]:
        """Return the hits of ``sequence`` in ``database``, the best first.

        Raises ``ServiceError`` where the search fails or takes longer than a quarter of an hour.
        """
        put = calls.blast_put(sequence, database)
        reply = self.call(put)
        begun = put_reply(reply)
        if begun is None:
            raise ServiceError(put.shown, "BLAST returned no request identifier")
        request, wait = begun
        if FOUND_BY_QUERY not in reply:
            self._note(put, f"request {request}")
        hits = read_hits(self._result(request, float(wait)))
        self._note(calls.blast_get(request), counted(len(hits), "hit"))
        return hits

    def _result(self, request: str, wait: float) -> str:
        call = calls.blast_get(request)
        waited = 0.0
        pause = min(wait, POLL_S)
        while waited <= LONGEST_BLAST_S:
            self.sleep(pause)
            waited += pause
            body = self.service.get(call)
            status = status_of(body)
            if status == "READY":
                self.made += 1
                return body
            if status != "WAITING":
                raise ServiceError(call.shown, f"the search ended: {status.lower()}")
            pause = POLL_S
        raise ServiceError(call.shown, f"no result after {waited:.0f} s")

    def _summed_up(self, ids: Sequence[str]) -> dict[str, Gene]:
        try:
            documents = self.documents("gene", ids)
        except NotRecordedError:
            return {}
        return {uid: gene_of(document) for uid, document in documents.items()}

    def _as_text(self, ids: Sequence[str]) -> dict[str, Gene]:
        call = calls.fetch("gene", ids)
        try:
            blocks = gene_blocks(self.call(call))
        except NotRecordedError:
            return {}
        self._note(call, f"{len(blocks)} of {len(ids)} records")
        return {uid: gene_of_text(uid, block) for uid, block in blocks.items()}

    def _note(self, call: Call, outcome: str) -> None:
        self.sources.append(AnswerSource("entrez", call.url, f"{call.shown}: {outcome}"))


@dataclass(frozen=True, slots=True)
class NcbiFinding:
    """An answer in full: ``text`` for a reader, ``values`` (of ``name``) for a table."""

    name: str
    values: tuple[str, ...]
    text: str


class NothingFound(Exception):  # noqa: N818 - not an error: it says that NCBI was asked and has none
    """NCBI has no such record; the text says what was looked for."""
