"""The server: thin tools over the functions of this package, gated, with structured results.

The index is opened for each call, which takes milliseconds: a newly published one is read at once.
Errors of the product come back as tool errors with their remedy.
"""

from __future__ import annotations

import json
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
from query.answer import Answer, answer_record
from query.config import QueryConfig
from query.mcp.gate import SEEN_DETECTIONS, Gate
from query.mode import Asking, Mode
from query.modes import all_modes

Record = dict[str, Any]

MOST_ROWS: Final = 200
INSTRUCTIONS: Final = (
    "An index of public sequencing runs: which viruses were found in which hosts, tissues, places "
    "and projects. Numbers are counted in SQL and cited; repeat them as they are. Counts of runs "
    "show no cause. Not found means: not among the runs that were searched. A pair of virus and "
    "host that is called unexpected is possibly contamination or a new host."
)
_PAIRS: Final = f"""
WITH seen AS ({SEEN_DETECTIONS}),
lineage AS (
    SELECT family AS name FROM seen
    UNION SELECT unnest([genus, family, "order"]) FROM virus SEMI JOIN seen USING (virus)
),
pair AS (
    SELECT coalesce(v.name, t.label, p.virus) AS virus, coalesce(h.label, p.host) AS host,
        p.plausibility, p.runs,
        p.virus IN (SELECT virus FROM seen)
            OR coalesce(t.label IN (SELECT name FROM lineage WHERE name IS NOT NULL), false) AS seen
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
"""Pairs of viruses, or of their genera and families, and hosts; ``seen``: it may be named."""
_IS_SEEN: Final = f"SELECT count(*) FROM ({SEEN_DETECTIONS}) WHERE family = $family"
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

    def asking(self, mode: Mode) -> Callable[[str], Record]:
        """Return the tool that answers a question by ``mode``, from facts."""

        def ask(question: str) -> Record:
            with self._opened() as con:
                answer = mode.answer(Asking(question, con, self._db, QueryConfig()))
                communities = _communities_of(answer)
                self._gate.check(con, communities)
                return self._read(con, answer_record(answer), cleared=bool(communities))

        return ask

    def communities(
        self, like: str | None = None, level: int | None = None, limit: int = 20
    ) -> Record:
        """List communities with a report: `like` keeps those that hold a text (virus, host,
        place).
        """
        from query.browsing.communities import list_communities

        with self._opened() as con:
            rows, total = list_communities(con, like=like, level=level, limit=_bounded(limit))
            risks = dict(con.execute("SELECT community, risk_group FROM report").fetchall())
            seen = [asdict(row) for row in rows if self._gate.may_see(risks[row.community])]
            listed = {"total": total, "withheld": len(rows) - len(seen), "communities": seen}
            return self._read(con, listed)

    def community(self, name: str) -> Record:
        """Give the report of a community: its identifier, or words of its title."""
        from query.browsing.communities import read_report
        from query.browsing.lookup import find_community

        with self._opened() as con:
            found = find_community(con, name)
            self._gate.check(con, [found.community])
            return self._read(con, asdict(read_report(con, found.community)))

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
            return self._read(con, {"text": text, "readings": named}, cleared=False)

    def associations(self, family: str, term: str | None = None, limit: int = 20) -> Record:
        """List metadata that goes with more or fewer reads of a virus family, strongest first."""
        from query.browsing.associations import find_associations

        with self._opened() as con:
            found = find_associations(con, family, term=term, limit=_bounded(limit))
            groups = {"groups": self._gate.groups, "family": family}
            ((seen,),) = con.execute(_IS_SEEN, groups).fetchall()
            if not seen and not self._gate.sees_all:
                self._gate.check(con, [family])
            rows = [asdict(row) for row in found.shown]
            strongest = {"total": found.total, "significant": found.significant}
            return self._read(con, {**strongest, "associations": rows})

    def plausibility(
        self,
        virus: str | None = None,
        host: str | None = None,
        plausibility: str | None = None,
        limit: int = 20,
    ) -> Record:
        """List pairs of virus and host met in runs: recorded, new within class, unexpected,
        resident, library. Those that may not be seen are counted.
        """
        parameters = {
            "groups": self._gate.groups,
            "virus": virus,
            "host": host,
            "plausibility": plausibility,
        }
        with self._opened() as con:
            rows = con.execute(_PAIRS, parameters).fetchall()
            names = ("virus", "host", "plausibility", "runs")
            seen = [dict(zip(names, row, strict=True)) for *row, is_seen in rows if is_seen]
            withheld = len(rows) - len(seen)
            shown = {"pairs": seen[: _bounded(limit)], "total": len(seen), "withheld": withheld}
            return self._read(con, shown)

    def schema(self) -> str:
        """Return every table and column of the index with its comment."""
        with self._opened() as con:
            rows = con.execute(_SCHEMA).fetchall()
        return "\n".join(f"{table}.{column} {kind}: {about}" for table, column, kind, about in rows)

    def report(self, community: str) -> str:
        """Return the report of a community as Markdown."""
        from query.browsing.communities import read_report, report_text

        with self._opened() as con:
            self._gate.check(con, [community])
            text = report_text(read_report(con, community))
            self._gate.check_text(con, text, cleared=True)
            return text

    def _read(
        self, con: duckdb.DuckDBPyConnection, record: Record, *, cleared: bool = True
    ) -> Record:
        """Return ``record`` where it names nothing that may not be seen."""
        text = json.dumps(record, ensure_ascii=False, default=str)
        self._gate.check_text(con, text, cleared=cleared)
        return record

    @contextmanager
    def _opened(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """Yield the index; an error of the product becomes one of the protocol."""
        try:
            with open_index(self._db) as con:
                try:
                    yield con
                except ViromeError as error:
                    said = f"{error.message} {error.remedy}"
                    self._gate.check_text(con, said, cleared=False)
                    raise
        except ViromeError as error:
            raise ToolError(f"{error.message}. {error.remedy}") from error


def _communities_of(answer: Answer) -> list[str]:
    return [point.community for point in answer.points if point.community]


def _bounded(limit: int) -> int:
    return max(1, min(limit, MOST_ROWS))
