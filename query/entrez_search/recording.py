"""Calls that were made before, replayed without a network; and the cache, which is one.

A recording is a file of JSON lines, one call each: ``url`` and ``body`` (and ``at``, when), plain
or gzipped. A call is found by what it asks for, not by every letter of its address: how many
results were wanted at most does not change which come first, and summaries are documents of their
own, whichever request they came with. What is not recorded is never guessed.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from typing import Final

from index.store.private import append_line
from ontology_etl.errors import MissingFileError
from query.entrez_search.blast_text import query_of
from query.entrez_search.calls import Call, call_of
from query.entrez_search.summaries import gene_blocks, search_ids, summary_documents
from query.errors import NotRecordedError

_FORM: Final = ("retmax", "retmode", "sort", "retstart", "MEGABLAST", "HITLIST_SIZE", "FORMAT_TYPE")
"""Parameters that change the form or the length of an answer, not what it is about."""
FOUND_BY_QUERY: Final = "found by its sequence"
"""Mark of a BLAST search whose result was recorded and whose beginning was not."""
Meaning = tuple[str, frozenset[tuple[str, str]]]


class Recording:
    """The calls of a file, answered from it.

    Where it is ``exact``, as a cache must be, a request is answered whole or not at all, and by a
    call of the same words.
    """

    def __init__(self, path: Path, *, since: datetime | None = None, exact: bool = False) -> None:
        self.path = path
        self._exact = exact
        self._bodies: dict[Meaning, list[tuple[Call, str]]] = {}
        self._documents: dict[tuple[str, str], object] = {}
        self._blocks: dict[str, str] = {}
        self._requests: dict[str, str] = {}
        for call, body in read_calls(path, since=since):
            self._add(call, body)

    def get(self, call: Call) -> str:
        """Return what NCBI answered to ``call``; raises ``NotRecordedError``."""
        held = self._bodies.get(_meaning(call), [])
        if self._exact:
            held = [one for one in held if one[0] == call]
        elif call.utility in ("esearch", "esummary", "efetch", "blast_put"):
            return self._composed(call, held)
        if not held:
            raise NotRecordedError(call.shown, self.path)
        likest = max(held, key=lambda one: _likeness(one[0], call))
        _, body = likest
        return body

    def _composed(self, call: Call, held: list[tuple[Call, str]]) -> str:
        """Return an answer made of what several calls gave."""
        if call.utility == "esearch" and held:
            return self._searched(call, held)
        if call.utility == "esummary":
            return self._summaries(call)
        if call.utility == "efetch" and _is_gene_text(call):
            return self._gene_texts(call)
        if call.utility == "blast_put":
            return self._put(call)
        if not held:
            raise NotRecordedError(call.shown, self.path)
        return held[-1][1]

    def _add(self, call: Call, body: str) -> None:
        recorded = (call, body)
        meaning = _meaning(call)
        self._bodies.setdefault(meaning, []).append(recorded)
        if call.utility == "esummary":
            db = call.get("db")
            for uid, document in summary_documents(body).items():
                self._documents[db, uid] = document
        elif call.utility == "efetch" and _is_gene_text(call):
            self._blocks |= gene_blocks(body)
        elif call.utility == "blast_get":
            request = call.get("RID")
            sequence = query_of(body)
            if sequence:
                self._requests.setdefault(sequence, request)

    def _summaries(self, call: Call) -> str:
        """Return the summaries asked for that are recorded, each from whichever call had it."""
        db = call.get("db")
        ids = call.get("id").split(",")
        found: dict[str, object] = {}
        missing: dict[str, object] = {}
        for uid in ids:
            key = (db, uid)
            if key in self._documents:
                found[uid] = self._documents[key]
            else:
                missing[uid] = {"uid": uid, "error": "not recorded"}
        if not found:
            raise NotRecordedError(call.shown, self.path)
        result = {"uids": ids, **found, **missing}
        return json.dumps({"result": result})

    def _searched(self, call: Call, held: list[tuple[Call, str]]) -> str:
        """Return what the same search found each time, in the order of the likest one."""
        likest = sorted(held, key=lambda one: _likeness(one[0], call), reverse=True)
        bodies = [body for _, body in likest]
        lists = []
        for body in bodies:
            read = _ids_of(body)
            if read is not None:
                lists.append(read)
        if not lists:
            return bodies[0]
        every = chain.from_iterable(ids for ids, _ in lists)
        ids = list(dict.fromkeys(every))
        most = int(call.get("retmax") or len(ids))
        _, count = lists[0]
        result = {"count": count, "idlist": ids[:most]}
        return json.dumps({"esearchresult": result})

    def _gene_texts(self, call: Call) -> str:
        ids = call.get("id").split(",")
        blocks = self._blocks
        found = [blocks[uid] for uid in ids if uid in blocks]
        if not found:
            raise NotRecordedError(call.shown, self.path)
        return "\n\n".join(found)

    def _put(self, call: Call) -> str:
        """Return the request whose recorded result has this query; the calls that began BLAST
        searches need not be recorded themselves.
        """
        request = self._requests.get(call.get("QUERY").upper())
        if request is None:
            raise NotRecordedError(call.shown, self.path)
        return (
            f"QBlastInfoBegin\n    RID = {request}\n    RTOE = 0\nQBlastInfoEnd\n{FOUND_BY_QUERY}"
        )


def read_calls(path: Path, *, since: datetime | None = None) -> Iterator[tuple[Call, str]]:
    """Yield the calls of the recording at ``path`` with their bodies, in order.

    Lines that are no call of NCBI's services are passed over. With ``since``, calls recorded before
    are too; a call without a time is as old as its file and stays.
    """
    if not path.is_file():
        raise MissingFileError(path)
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            found = _read_line(line, since)
            if found is not None:
                yield found


def append_call(path: Path, call: Call, body: str, *, at: datetime | None = None) -> None:
    """Add ``call`` to the recording at ``path``; raises ``OSError`` where it cannot be written."""
    when = at or datetime.now(UTC)
    record = {
        "url": call.url,
        "body": body,
        "at": when.isoformat(timespec="seconds"),
    }
    line = json.dumps(record, ensure_ascii=False)
    append_line(path, line)


def _read_line(line: str, since: datetime | None) -> tuple[Call, str] | None:
    try:
        record = json.loads(line)
        url = record["url"]
        body = record["body"]
        too_old = _is_before(record.get("at"), since)
    except (ValueError, KeyError, TypeError, AttributeError):
        return None
    if too_old or not isinstance(url, str) or not isinstance(body, str):
        return None
    call = call_of(url)
    if call is None:
        return None
    return call, body


def _is_before(at: str | None, since: datetime | None) -> bool:
    """Return whether ``at`` is before ``since``; what has no time is not."""
    if since is None or at is None:
        return False
    when = datetime.fromisoformat(at)
    return when < since


def _ids_of(body: str) -> tuple[list[str], int] | None:
    try:
        return search_ids(body)
    except (ValueError, KeyError, TypeError):
        return None


def _is_gene_text(call: Call) -> bool:
    db = call.get("db")
    form = call.get("retmode")
    return db == "gene" and form != "xml"


def _meaning(call: Call) -> Meaning:
    pairs = call.parameters
    asked = [(name, value) for name, value in pairs if name not in _FORM]
    return call.utility, frozenset(asked)


def _likeness(held: Call, wanted: Call) -> tuple[bool, bool, int]:
    """Return how well a recorded call serves: same form, same order, more results."""
    form = _agree(held, wanted, "retmode")
    text = _agree(held, wanted, "FORMAT_TYPE")
    order = _agree(held, wanted, "sort")
    same_form = form and text
    most = held.get("retmax")
    results = int(most) if most.isdecimal() else 0
    return same_form, order, results


def _agree(held: Call, wanted: Call, name: str) -> bool:
    own = held.get(name)
    other = wanted.get(name)
    return own == other
