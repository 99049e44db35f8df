"""Many people at once: ``query serve`` and ``query mcp`` over HTTP while new builds are published.

    python -m benchmarks.load --db data/index/demo.duckdb --clients 50 --minutes 5
    python -m benchmarks.load --db data/index/demo.duckdb --record

Each client reads for a while (5 to 15 s), then asks: a question, a report, a list of communities,
runs, the whole page. Ten times a copy of the index with another digest is moved over the served
one, as a build does. What is counted: errors, seconds until the whole answer has come, and the
memory of the server.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import random
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, NamedTuple

import duckdb

from benchmarks.places import add_record_option, results_folder
from index.store.read import open_index
from query.evaluation.questions import generated_questions

SEED: Final = 11
READS_S: Final = (5.0, 15.0)
"""Seconds that a person reads before the next question, at least and at most."""
PUBLISHES: Final = 10
PATIENCE_S: Final = 60
STARTS_S: Final = 600
_NEW_DIGEST: Final = "UPDATE build SET value = ? WHERE key = 'content_hash'"
HEAD: Final = """# Many people at once

`python -m benchmarks.load --db INDEX --record`: {clients} clients for {minutes:g} minutes, each \
reading 5 to 15 s between two calls; {published} builds were published meanwhile. {cores} cores; \
load of the machine {load:.0f} at the beginning, other work included.

| server | calls | errors | seconds: median | slowest twentieth from | longest | memory at the \
first quarter, MB | at the end |
|---|---:|---:|---:|---:|---:|---:|---:|
"""

Call = tuple[str, str, bytes | None]
"""Method, address and body of a call."""


class Done(NamedTuple):
    """How long a call took, and what went wrong with it."""

    seconds: float
    fault: str | None


@dataclass
class LoadSeen:
    """What many clients of one server saw, and its memory in MB, in the order of time."""

    name: str
    calls: list[Done] = field(default_factory=list)
    memory: list[float] = field(default_factory=list)

    def row(self) -> str:
        """Return the figures as a row of the table."""
        seconds = [done.seconds for done in self.calls]
        slowest = statistics.quantiles(seconds, n=20)[-1]
        faults = sum(done.fault is not None for done in self.calls)
        quarter = self.memory[len(self.memory) // 4]
        median = statistics.median(seconds)
        return (
            f"| {self.name} | {len(seconds):,} | {faults} | {median:.2f} | {slowest:.2f} | "
            f"{max(seconds):.2f} | {quarter:,.0f} | {self.memory[-1]:,.0f} |"
        )


def main() -> int:
    """Load both servers, one after the other; return how many calls went wrong."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--db", type=Path, required=True, help="index to serve a copy of")
    parser.add_argument("--clients", type=int, default=50)
    parser.add_argument("--minutes", type=float, default=5.0)
    parser.add_argument("--only", choices=("serve", "mcp"), help="one of the two servers")
    add_record_option(parser)
    options = parser.parse_args()
    load = os.getloadavg()[0]
    servers = [options.only] if options.only else ["serve", "mcp"]
    measured = [
        load_server(name, options.db, clients=options.clients, minutes=options.minutes)
        for name in servers
    ]
    head = HEAD.format(
        clients=options.clients,
        minutes=options.minutes,
        published=PUBLISHES,
        cores=os.cpu_count(),
        load=load,
    )
    table = head + "\n".join(one.row() for one in measured) + "\n"
    (results_folder(record=options.record) / "load.md").write_text(table)
    print(table)
    faults = Counter(done.fault for one in measured for done in one.calls if done.fault)
    for fault, times in faults.most_common():
        print(f"{times} times: {fault}", file=sys.stderr)
    return min(faults.total(), 100)


def load_server(name: str, db: Path, *, clients: int, minutes: float) -> LoadSeen:
    """Return what ``clients`` of one server see in so many minutes."""
    measured = LoadSeen(f"query {name}")
    with tempfile.TemporaryDirectory() as folder:
        served = Path(shutil.copy(db, Path(folder) / "served.duckdb"))
        with _server(name, served) as (port, pid):
            calls = web_calls(served) if name == "serve" else tool_calls(served)
            ask = _ask_web if name == "serve" else _ask_tools
            until = time.monotonic() + 60 * minutes
            threads = [
                threading.Thread(target=_client, args=(number, port, calls, ask, until, measured))
                for number in range(clients)
            ]
            threads.append(threading.Thread(target=_publish, args=(served, db, until)))
            for thread in threads:
                thread.start()
            while time.monotonic() < until:
                measured.memory.append(_resident_mb(pid))
                time.sleep(2)
            for thread in threads:
                thread.join()
            measured.memory.append(_resident_mb(pid))
    return measured


def web_calls(db: Path) -> list[Call]:
    """Return calls of the page: questions most of all."""
    questions, communities = _asked_about(db)
    asked = [json.dumps({"question": text}).encode() for text in questions]
    calls: list[Call] = [("POST", "/api/ask", body) for body in asked]
    calls += [("GET", f"/api/reports/{name}", None) for name in communities]
    calls += [("GET", "/api/communities?limit=50", None), ("GET", "/", None)] * 6
    return calls


def tool_calls(db: Path) -> list[Call]:
    """Return calls of tools, each a body of JSON-RPC."""
    questions, communities = _asked_about(db)
    bodies = [("explain", {"question": text}) for text in questions]
    bodies += [("describe", {"id": name}) for name in communities]
    return [("POST", "/mcp", _rpc("tools/call", name=name, arguments=arguments))
            for name, arguments in bodies]  # fmt: skip


def _asked_about(db: Path) -> tuple[list[str], list[str]]:
    """Return questions about what the index holds, and communities."""
    with open_index(db) as con:
        made = generated_questions(con, number=30, seed=SEED)
        named = con.execute("SELECT community FROM report ORDER BY rating DESC LIMIT 20").fetchall()
    return [question.text for question in made], [name for (name,) in named]


def _client(
    number: int,
    port: int,
    calls: list[Call],
    ask: Callable[[http.client.HTTPConnection, Call, dict[str, str]], str | None],
    until: float,
    measured: LoadSeen,
) -> None:
    """Read and call until the time is over."""
    chance = random.Random(number)
    session: dict[str, str] = {}
    time.sleep(chance.uniform(0, READS_S[1]))
    while time.monotonic() < until:
        began = time.monotonic()
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_S)
        try:
            fault = ask(connection, chance.choice(calls), session)
        except (OSError, http.client.HTTPException, ValueError) as error:
            fault = f"{type(error).__name__}: {error}"
        finally:
            connection.close()
        measured.calls.append(Done(time.monotonic() - began, fault))
        time.sleep(chance.uniform(*READS_S))


def _ask_web(
    connection: http.client.HTTPConnection, call: Call, _session: dict[str, str]
) -> str | None:
    """Call the page; return what went wrong. A question that is refused is answered, too."""
    method, address, body = call
    status, said, _ = _sent(connection, method, address, body, {})
    return None if status in (200, 422) and said else f"{address}: status {status}: {said[:200]!r}"


def _ask_tools(
    connection: http.client.HTTPConnection, call: Call, session: dict[str, str]
) -> str | None:
    """Call a tool in a session that is opened before the first; return what went wrong."""
    if not session:
        client = {"name": "load", "version": "1"}
        opening = _rpc(
            "initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo=client
        )
        _, _, headers = _sent(connection, "POST", "/mcp", opening, session)
        identifier = headers.get("mcp-session-id")
        session["Mcp-Protocol-Version"] = "2025-06-18"
        if identifier:
            session["Mcp-Session-Id"] = identifier
        begun = json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}).encode()
        _sent(connection, "POST", "/mcp", begun, session)
    status, said, _ = _sent(connection, *call, session)
    is_answer = status == 200 and b'"result"' in said and b'"isError":true' not in said
    return None if is_answer else f"tool: status {status}: {said[:200]!r}"


def _sent(
    connection: http.client.HTTPConnection,
    method: str,
    address: str,
    body: bytes | None,
    headers: dict[str, str],
) -> tuple[int, bytes, http.client.HTTPMessage]:
    accepted = {
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream, text/html",
    }
    connection.request(method, address, body, accepted | headers)
    answer = connection.getresponse()
    return answer.status, answer.read(), answer.headers


def _rpc(method: str, **parameters: Any) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": parameters}).encode()


def _publish(served: Path, db: Path, until: float) -> None:
    """Move copies with other digests over the served index, evenly spread over the time left."""
    pause = (until - time.monotonic()) / (PUBLISHES + 1)
    for number in range(PUBLISHES):
        time.sleep(pause)
        made = Path(shutil.copy(db, served.with_suffix(".building")))
        with duckdb.connect(made) as con:
            con.execute(
                "UPDATE build SET value = ? WHERE key = 'content_hash'", [f"build {number}"]
            )
        os.replace(made, served)


@contextmanager
def _server(name: str, served: Path) -> Iterator[tuple[int, int]]:
    """Yield the port and the number of the process of a server of ``served``."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = int(free.getsockname()[1])
    more = ["--transport", "http"] if name == "mcp" else []
    command = [sys.executable, "-m", "query", name, *more, "--port", str(port), "--db", str(served)]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as process:
        try:
            _wait_for(port)
            yield port, process.pid
        finally:
            process.terminate()


def _wait_for(port: int) -> None:
    until = time.monotonic() + STARTS_S
    while time.monotonic() < until:
        with socket.socket() as knocking:
            if knocking.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.2)
    raise TimeoutError(f"nothing listens on {port}")


def _resident_mb(pid: int) -> float:
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


if __name__ == "__main__":
    sys.exit(main())
