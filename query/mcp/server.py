"""The server: thin tools over the functions of this package, gated, with structured results.

The index is opened for each call, which takes milliseconds: a newly published one is read at once.
Errors of the product come back as tool errors with their remedy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

import duckdb
from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError

from index.store.read import open_index
from ontology_etl.errors import ViromeError
from query.answer import answer_record
from query.config import QueryConfig
from query.gate import Gate
from query.mode import Asking, Mode
from query.modes import all_modes
from query.withholding import NOTE, Unseen, Withholding, read_unseen

Record = dict[str, Any]

MOST_ROWS: Final = 200
USUAL_ROWS: Final = 20
ALL_ROWS: Final = 1_000_000
"""More than any list has: what may not be seen is taken out before the list is cut."""
INSTRUCTIONS: Final = (
    "An index of public sequencing runs: which viruses were found in which hosts, tissues, places "
    "and projects. Numbers are counted in SQL and cited; repeat them as they are. Counts of runs "
    "show no cause. Not found means: not among the runs that were searched. A pair of virus and "
    "host that is called unexpected is possibly contamination or a new host."
)
_PAIRS: Final = """
WITH pair AS (
    SELECT coalesce(v.name, t.label, p.virus) AS virus, coalesce(h.label, p.host) AS host,
        p.plausibility, p.runs
    FROM plausibility p
    LEFT JOIN virus v ON v.virus = p.virus
    LEFT JOIN term t ON t.curie = p.virus
    LEFT JOIN term h ON h.curie = p.host
)
FROM pair
WHERE ($virus IS NULL OR virus ILIKE '%' || $virus || '%')
  AND ($host IS NULL OR host ILIKE '%' || $host || '%')
  AND ($plausibility IS NULL OR plausibility = $plausibility)
ORDER BY runs DESC, virus, host
"""
_SCHEMA: Final = """
SELECT table_name, column_name, data_type, comment
FROM duckdb_columns() WHERE NOT internal ORDER BY table_name, column_index
"""


def make_server(db: Path, gate: Gate) -> MCPServer:
    """Return a server for the index at ``db`` that shows what ``gate`` lets through."""
    server = MCPServer(
        "virome-graphrag", version=version("virome-graphrag"), instructions=INSTRUCTIONS
    )
    tools = Tools(db, gate)
    for mode in all_modes().values():
        ask = tools.asking(mode)
        server.tool(name=mode.name, description=mode.can)(ask)
    for tool in (
        tools.communities,
        tools.community,
        tools.term,
        tools.associations,
        tools.plausibility,
    ):
        server.tool()(tool)
    server.resource("virome://schema", mime_type="text/plain")(tools.schema)
    server.resource("virome://report/{community}", mime_type="text/markdown")(tools.report)
    server.prompt()(viruses_of)
    server.prompt()(compare)
    return server


def viruses_of(host: str) -> str:
    """Ask which viruses are found in a host, and how plausible they are there."""
    return (
        f"Use the tool global to ask which viruses are found in {host}, then the tool plausibility "
        f"for {host}. Say what is recorded, what is unexpected, and in how many runs of how many."
    )


def compare(first: str, second: str) -> str:
    """Ask how the viruses of two groups differ."""
    return (
        f"Use the tool global to compare the viruses of {first} and {second}. Give both counts, "
        "the whole of each, and whether the difference is more than chance."
    )


class Tools:
    """The tools over one index; each opens it anew."""

    def __init__(self, db: Path, gate: Gate) -> None:
        self._db = db
        self._gate = gate
        self._unseen: tuple[tuple[int, int], Unseen] | None = None

    def _withholding(self, con: duckdb.DuckDBPyConnection) -> Withholding:
        """Return what is kept back of a result; the names are read once for each index."""
        status = self._db.stat()
        stamp = (status.st_mtime_ns, status.st_ino)
        if self._unseen is None or self._unseen[0] != stamp:
            self._unseen = (stamp, read_unseen(con, self._gate))
        return Withholding(self._unseen[1])

    def asking(self, mode: Mode) -> Callable[[str], Record]:
        """Return the tool that answers a question by ``mode``, from facts."""

        def ask(question: str) -> Record:
            with self._opened() as con:
                answer = mode.answer(Asking(question, con, self._db, QueryConfig()))
                about = (question, *answer.coverage.terms)
                return self._withholding(con).result(answer_record(answer), about=about)

        return ask

    def communities(
        self, like: str | None = None, level: int | None = None, limit: int | None = None
    ) -> Record:
        """List communities with a report: `like` keeps those that hold a text (virus, host,
        place). Those that may not be seen are counted and not listed.
        """
        from query.browsing.communities import list_communities

        with self._opened() as con:
            rows, total = list_communities(con, like=like, level=level, limit=ALL_ROWS)
            listed = {"total": total, "communities": [asdict(row) for row in rows]}
            shown = self._withholding(con).result(listed)
            return _limited(shown, "communities", limit)

    def community(self, name: str) -> Record:
        """Give the report of a community: its identifier, or words of its title."""
        from query.browsing.communities import read_report
        from query.browsing.lookup import find_community

        with self._opened() as con:
            found = find_community(con, name)
            card = asdict(read_report(con, found.community))
            kept = self._withholding(con)
            group = kept.unseen.communities.get(card["community"])
            if group is not None:
                card = {"community": card["community"], "risk_group": group}
                return {**card, "withheld": {group: 1}, "note": f"{NOTE}: {group}"}
            return kept.result(card)

    def term(self, text: str) -> Record:
        """Say what a name or a metadata value means: the term it names, and how many runs have
        it.
        """
        from query.browsing.terms import read_term

        with self._opened() as con:
            named = [
                {"facet": one.facet, "outcome": one.outcome, "curie": one.curie, "label": one.label}
                for one in read_term(con, text)
            ]
            record = self._withholding(con).result({"readings": named}, about=(text,))
            return {"text": text, **record}

    def associations(
        self, family: str, term: str | None = None, limit: int | None = None
    ) -> Record:
        """List metadata that goes with more or fewer reads of a virus family, strongest first."""
        from query.browsing.associations import find_associations

        with self._opened() as con:
            found = find_associations(con, family, term=term, limit=ALL_ROWS)
            rows = [asdict(row) for row in found.shown]
            strongest = {"total": found.total, "significant": found.significant}
            record = {**strongest, "associations": rows}
            shown = self._withholding(con).result(record, about=(family,))
            return _limited(shown, "associations", limit)

    def plausibility(
        self,
        virus: str | None = None,
        host: str | None = None,
        plausibility: str | None = None,
        limit: int | None = None,
    ) -> Record:
        """List pairs of virus and host met in runs: recorded, new within class, unexpected,
        resident, library. Those that may not be seen are counted and not listed.
        """
        parameters = {"virus": virus, "host": host, "plausibility": plausibility}
        names = ("virus", "host", "plausibility", "runs")
        with self._opened() as con:
            rows = con.execute(_PAIRS, parameters).fetchall()
            pairs = [dict(zip(names, row, strict=True)) for row in rows]
            about = () if virus is None else (virus,)
            shown = self._withholding(con).result({"pairs": pairs}, about=about)
            listed = {**shown, "total": len(shown["pairs"])}
            return _limited(listed, "pairs", limit)

    def schema(self) -> str:
        """Return every table and column of the index with its comment."""
        with self._opened() as con:
            rows = con.execute(_SCHEMA).fetchall()
        return "\n".join(f"{table}.{column} {kind}: {about}" for table, column, kind, about in rows)

    def report(self, community: str) -> str:
        """Return the report of a community as Markdown."""
        from query.browsing.communities import read_report, report_text

        with self._opened() as con:
            kept = self._withholding(con)
            card = read_report(con, community)
            group = kept.unseen.communities.get(card.community)
            if group is not None:
                return f"{NOTE}: {group} (docs/biosafety.md)"
            return kept.text(report_text(card))

    @contextmanager
    def _opened(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """Yield the index; an error of the product becomes one of the protocol."""
        try:
            with open_index(self._db) as con:
                try:
                    yield con
                except ViromeError as error:
                    said = f"{error.message}. {error.remedy}"
                    raise ToolError(self._withholding(con).text(said)) from error
        except ViromeError as error:
            raise ToolError(f"{error.message}. {error.remedy}") from error


def _limited(record: Record, rows: str, limit: int | None) -> Record:
    """Return ``record`` with the first of its ``rows``: those that may be seen count."""
    most = USUAL_ROWS if limit is None else max(1, min(limit, MOST_ROWS))
    return {**record, rows: record[rows][:most]}
