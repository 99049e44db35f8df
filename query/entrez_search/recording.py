"""Earlier calls, replayed without a network; the cache is such a recording, too.

A recording is a file of JSON lines, one call each: ``url`` and ``body`` (and ``at``, when), plain
or gzipped. A call is found by what it requests, not by its exact address. What is not recorded is
never guessed.
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
_COMPOSED: Final = ("esearch", "esummary", "efetch", "blast_put")
"""Utilities whose answers may be made of those to several calls."""


class Recording:
    """The calls of a file, answered from it.

    If it is ``exact``, as a cache must be, a request is answered completely or not at all, and only
    by a call with the same words.
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
        matches = self._bodies.get(_meaning(call), [])
        if self._exact:
            matches = [recorded for recorded in matches if recorded[0] == call]
        elif call.utility in _COMPOSED:
            return self._composed(call, matches)
        if not matches:
            raise NotRecordedError(call.shown, self.path)
        _, body = max(matches, key=lambda recorded: _likeness(recorded[0], call))
        return body

    def _composed(self, call: Call, matches: list[tuple[Call, str]]) -> str:
        """Return an answer made of what several calls gave."""
        composed: str | None = matches[-1][1] if matches else None
        if call.utility == "esearch" and matches:
            composed = self._searched(call, matches)
        elif call.utility == "esummary":
            composed = self._summaries(call)
        elif call.utility == "efetch" and _is_gene_text(call):
            ids = call.get("id").split(",")
            found = [self._blocks[uid] for uid in ids if uid in self._blocks]
            composed = "\n\n".join(found) if found else None
        elif call.utility == "blast_put":
            composed = self._put(call)
        if composed is None:
            raise NotRecordedError(call.shown, self.path)
        return composed

    def _add(self, call: Call, body: str) -> None:
        self._bodies.setdefault(_meaning(call), []).append((call, body))
        if call.utility == "esummary":
            for uid, document in summary_documents(body).items():
                self._documents[call.get("db"), uid] = document
        elif call.utility == "efetch" and _is_gene_text(call):
            self._blocks |= gene_blocks(body)
        elif call.utility == "blast_get" and (sequence := query_of(body)):
            self._requests.setdefault(sequence, call.get("RID"))

    def _summaries(self, call: Call) -> str | None:
        """Return the requested summaries that are recorded, each from whichever call has it."""
        ids = call.get("id").split(",")
        known = {uid: self._documents.get((call.get("db"), uid)) for uid in ids}
        found = {uid: document for uid, document in known.items() if document is not None}
        if not found:
            return None
        missing = {uid: {"uid": uid, "error": "not recorded"} for uid in ids if uid not in found}
        return json.dumps({"result": {"uids": ids, **found, **missing}})

    def _searched(self, call: Call, matches: list[tuple[Call, str]]) -> str:
        """Return the results of all searches for the same, in the order of the most similar one."""
        alike = sorted(matches, key=lambda recorded: _likeness(recorded[0], call), reverse=True)
        lists = [found for _, body in alike if (found := _ids_of(body)) is not None]
        if not lists:
            return alike[0][1]
        ids = list(dict.fromkeys(chain.from_iterable(ids for ids, _ in lists)))
        most = int(call.get("retmax") or len(ids))
        return json.dumps({"esearchresult": {"count": lists[0][1], "idlist": ids[:most]}})

    def _put(self, call: Call) -> str | None:
        """Return the BLAST request whose recorded result has this query, if any."""
        request = self._requests.get(call.get("QUERY").upper())
        if request is None:
            return None
        return (
            f"QBlastInfoBegin\n    RID = {request}\n    RTOE = 0\nQBlastInfoEnd\n{FOUND_BY_QUERY}"
        )


def read_calls(path: Path, *, since: datetime | None = None) -> Iterator[tuple[Call, str]]:
    """Yield the calls of the recording at ``path`` with their bodies, in order.

    Lines that are no call to NCBI's services are skipped. With ``since``, so are calls recorded
    before; a call without a time is as old as its file and stays.
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
    append_line(path, json.dumps({"url": call.url, "body": body, "at": when}, ensure_ascii=False))


def _read_line(line: str, since: datetime | None) -> tuple[Call, str] | None:
    try:
        record = json.loads(line)
        url, body = record["url"], record["body"]
        too_old = _is_before(record.get("at"), since)
    except (ValueError, KeyError, TypeError, AttributeError):
        return None
    if too_old or not isinstance(url, str) or not isinstance(body, str):
        return None
    call = call_of(url)
    return None if call is None else (call, body)


def _is_before(at: str | None, since: datetime | None) -> bool:
    """Return whether ``at`` is before ``since``; what has no time is not."""
    return at is not None and since is not None and datetime.fromisoformat(at) < since


def _ids_of(body: str) -> tuple[list[str], int] | None:
    try:
        return search_ids(body)
    except (ValueError, KeyError, TypeError):
        return None


def _is_gene_text(call: Call) -> bool:
    return call.get("db") == "gene" and call.get("retmode") != "xml"


def _meaning(call: Call) -> Meaning:
    return call.utility, frozenset(pair for pair in call.parameters if pair[0] not in _FORM)


def _likeness(recorded: Call, wanted: Call) -> tuple[bool, bool, int]:
    """Return how well a recorded call fits: same form, same order, more results."""
    form, text, order = (
        recorded.get(name) == wanted.get(name) for name in ("retmode", "FORMAT_TYPE", "sort")
    )
    most = recorded.get("retmax")
    return form and text, order, int(most) if most.isdecimal() else 0
