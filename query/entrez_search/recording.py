"""Calls that were made before, replayed without a network; and the cache, which is one.

A recording is a file of JSON lines, one call each: ``url`` and ``body`` (and ``at``, when), plain
or gzipped. A call is found by what it asks for, not by every letter of its address: how many
results were wanted at most does not change which come first, and summaries are documents of their
own, whichever request they came with. What is not recorded is never guessed.
"""

from __future__ import annotations

import fcntl
import gzip
import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

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
        return max(held, key=lambda one: _likeness(one[0], call))[1]

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
        self._bodies.setdefault(_meaning(call), []).append((call, body))
        if call.utility == "esummary":
            found = summary_documents(body)
            self._documents |= {(call.get("db"), uid): one for uid, one in found.items()}
        elif call.utility == "efetch" and _is_gene_text(call):
            self._blocks |= gene_blocks(body)
        elif call.utility == "blast_get":
            sequence = query_of(body)
            if sequence:
                self._requests.setdefault(sequence, call.get("RID"))

    def _summaries(self, call: Call) -> str:
        """Return the summaries asked for that are recorded, each from whichever call had it."""
        db, ids = call.get("db"), call.get("id").split(",")
        found = {uid: self._documents[db, uid] for uid in ids if (db, uid) in self._documents}
        if not found:
            raise NotRecordedError(call.shown, self.path)
        missing = {uid: {"uid": uid, "error": "not recorded"} for uid in ids if uid not in found}
        return json.dumps({"result": {"uids": ids, **found, **missing}})

    def _searched(self, call: Call, held: list[tuple[Call, str]]) -> str:
        """Return what the same search found each time, in the order of the likest one."""
        likest = sorted(held, key=lambda one: _likeness(one[0], call), reverse=True)
        readable = (_ids_of(body) for _, body in likest)
        lists = [one for one in readable if one is not None]
        if not lists:
            return likest[0][1]
        ids = list(dict.fromkeys(uid for one, _ in lists for uid in one))
        most = int(call.get("retmax") or len(ids))
        return json.dumps({"esearchresult": {"count": lists[0][1], "idlist": ids[:most]}})

    def _gene_texts(self, call: Call) -> str:
        ids = call.get("id").split(",")
        found = [self._blocks[uid] for uid in ids if uid in self._blocks]
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
    when = (at or datetime.now(UTC)).isoformat(timespec="seconds")
    line = json.dumps({"url": call.url, "body": body, "at": when}, ensure_ascii=False)
    with path.open("a", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.write(f"{line}\n")


def _read_line(line: str, since: datetime | None) -> tuple[Call, str] | None:
    try:
        record = json.loads(line)
        url, body, at = record["url"], record["body"], record.get("at")
        too_old = since is not None and at is not None and datetime.fromisoformat(at) < since
    except (ValueError, KeyError, TypeError, AttributeError):
        return None
    call = call_of(url) if isinstance(url, str) and isinstance(body, str) else None
    return None if call is None or too_old else (call, body)


def _ids_of(body: str) -> tuple[list[str], int] | None:
    try:
        return search_ids(body)
    except (ValueError, KeyError, TypeError):
        return None


def _is_gene_text(call: Call) -> bool:
    return call.get("db") == "gene" and call.get("retmode") != "xml"


def _meaning(call: Call) -> Meaning:
    asked = frozenset(pair for pair in call.parameters if pair[0] not in _FORM)
    return call.utility, asked


def _likeness(held: Call, wanted: Call) -> tuple[bool, bool, int]:
    """Return how well a recorded call serves: same form, same order, more results."""
    most = held.get("retmax")
    form = held.get("retmode") == wanted.get("retmode")
    text = held.get("FORMAT_TYPE") == wanted.get("FORMAT_TYPE")
    order = held.get("sort") == wanted.get("sort")
    return form and text, order, int(most) if most.isdecimal() else 0
