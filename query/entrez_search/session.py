"""One question's calls: made in order, read into records, counted, and kept for the answer."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from index.reports.phrases import counted
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

MOST_CALLS: Final = 10
"""Calls of one question, asking again for the result of a BLAST search not counted."""
POLL_S: Final = 60.0
"""BLAST asks not to be asked more often."""
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

        Raises ``QueryError`` where the service cannot be asked, or the question made enough calls.
        """
        if self.made >= self.most_calls:
            raise TooManyCallsError(self.made)
        self.made += 1
        return self.service.get(call)

    def search(self, db: str, term: str, *, most: int = 20) -> tuple[list[str], int]:
        """Return the identifiers of ``db`` that match ``term``, the best first, and their
        number.
        """
        call = calls.search(db, term, most=most)
        body = self.call(call)
        try:
            ids, count = search_ids(body)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            reason = "the answer is not the JSON of a search"
            raise ServiceError(call.shown, reason) from error
        self._note(call, f"{count:,} found")
        return ids, count

    def linked(self, source: str, target: str, ids: Sequence[str]) -> list[str]:
        """Return the identifiers in ``target`` that ``ids`` of ``source`` link to."""
        call = calls.links(source, target, ids)
        body = self.call(call)
        try:
            found = linked_ids(body)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise ServiceError(call.shown, "the answer is not the JSON of links") from error
        self._note(call, counted(len(found), "link"))
        return found

    def documents(self, db: str, ids: Sequence[str]) -> dict[str, Document]:
        """Return the summaries of ``ids`` by identifier, in their order; some may be missing."""
        if not ids:
            return {}
        call = calls.summaries(db, ids)
        body = self.call(call)
        found = summary_documents(body)
        kept = {uid: found[uid] for uid in ids if uid in found}
        outcome = f"{len(kept)} of {len(ids)} summaries"
        self._note(call, outcome)
        return kept

    def genes(self, ids: Sequence[str]) -> list[Gene]:
        """Return the genes of ``ids`` in their order: their summaries, else their records as text.

        Those that are in neither are added to ``missing``.
        """
        found = self._summed_up(ids)
        left = [uid for uid in ids if uid not in found]
        if left:
            found |= self._as_text(left)
        genes = []
        for uid in ids:
            if uid in found:
                genes.append(found[uid])
            else:
                self.missing.append(f"gene {uid}")
        return genes

    def text(self, call: Call) -> str:
        """Return the body of the answer to ``call``, noted as a step."""
        body = self.call(call)
        length = len(body)
        self._note(call, f"{length:,} characters")
        return body

    def blast(self, sequence: str, database: str) -> list[Alignment]:
        """Return the hits of ``sequence`` in ``database``, the best first.

        Raises ``ServiceError`` where the search fails or takes longer than a quarter of an hour.
        """
        put = calls.blast_put(sequence, database)
        reply = self.call(put)
        begun = put_reply(reply)
        if begun is None:
            raise ServiceError(put.shown, "BLAST gave no request to come back for")
        request, wait = begun
        if FOUND_BY_QUERY not in reply:
            self._note(put, f"request {request}")
        report = self._result(request, float(wait))
        hits = read_hits(report)
        found = counted(len(hits), "hit")
        self._note(calls.blast_get(request), found)
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
        return {uid: gene_of(one) for uid, one in documents.items()}

    def _as_text(self, ids: Sequence[str]) -> dict[str, Gene]:
        call = calls.fetch("gene", ids)
        try:
            body = self.call(call)
        except NotRecordedError:
            return {}
        blocks = gene_blocks(body)
        outcome = f"{len(blocks)} of {len(ids)} records"
        self._note(call, outcome)
        return {uid: gene_of_text(uid, block) for uid, block in blocks.items()}

    def _note(self, call: Call, outcome: str) -> None:
        outcome_shown = f"{call.shown}: {outcome}"
        source = AnswerSource("entrez", call.url, outcome_shown)
        self.sources.append(source)
