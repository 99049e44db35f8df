"""Faults tried on purpose, and what became of them: ``make faults`` writes docs/faults.md.

    python -m tests.faults --out docs/faults.md            # about ten minutes
    python -m tests.faults --stages 3 --out docs/faults.md # kills at three stages only

Each trial counts how often it was tried and how often it ended as it should: the index that was
published before can be read, or the new one, whole; a reason is given, and never a traceback.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

import duckdb
from typer.testing import CliRunner

from index.store.build import content_hash, open_index
from query.cli.app import app
from tests import faults_of_files
from tests.faults_of_files import Outcome
from tests.serving import free_port, wait_for
from tests.test_store import publish_small

SEED: Final = 17
POSITIONS: Final = 200
READS: Final = 1_000
PUBLISHES: Final = 20
READERS: Final = 50
LONGEST_S: Final = 300
"""Seconds that one program or request of a trial may take; then it has failed."""
QUESTION: Final = "Which viruses are found in pigs?"


def corrupt_positions(folder: Path, *, positions: int = POSITIONS) -> Outcome:
    """Flip a byte of a published index at seeded positions; read it, and build over it."""
    path = folder / "corrupt.duckdb"
    publish_small(path)
    whole = path.read_bytes()
    chance = random.Random(SEED)
    well = 0
    for _ in range(positions):
        place = chance.randrange(len(whole))
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 0xFF]) + whole[place + 1 :])
        result = CliRunner().invoke(app, ["communities", "--db", str(path)])
        clean = result.exception is None or isinstance(result.exception, SystemExit)
        publish_small(path, "new")
        well += clean and result.exit_code in (0, 6) and _label(path) == "new"
    means = "the program answers, or names the damage and the command to run next; "
    means += "the next build overwrites the damaged index"
    return Outcome("one byte of the index flipped", positions, well, means)


def reads_while_publishing(
    folder: Path, *, reads: int = READS, publishes: int = PUBLISHES
) -> Outcome:
    """Read an index again and again while builds of other content are published over it."""
    path = folder / "busy.duckdb"
    publish_small(path, "build 0")
    over = threading.Event()

    def publish() -> None:
        for number in range(1, publishes + 1):
            publish_small(path, f"build {number}")
        over.set()

    def read(_: int) -> tuple[bool, float]:
        began = time.perf_counter()
        with open_index(path) as connection:
            before = _labels(connection)
            whole = before == _labels(connection) and len(before) == 1
        return whole, time.perf_counter() - began

    writer = threading.Thread(target=publish)
    writer.start()
    with ThreadPoolExecutor(4) as readers:
        ended = list(readers.map(read, range(reads)))
    writer.join()
    whole = sum(is_whole for is_whole, _ in ended)
    spread = _spread([1000 * seconds for _, seconds in ended])
    means = "each read sees one whole build, the old one or the new, while "
    means += f"{publishes} builds are published; milliseconds per read: {spread}"
    return Outcome("reads during publication", reads, whole * over.is_set(), means)


MOMENTS: Final = ("before publication", "while flushing", "before the move", "after the move")
KILLED: Final = """
import os, signal, sys
from pathlib import Path
import index.store.build as build
from tests.test_store import write_small
def kill(*_): os.kill(os.getpid(), signal.SIGKILL)
def build_until(moment, path):
    before = build.os.replace
    if moment == "before the move": build.os.replace = kill
    if moment == "after the move": build.os.replace = lambda *a: (before(*a), kill())
    if moment == "while flushing": build.os.fsync = kill
    with build.build_index(Path(path)) as made:
        write_small(made, "new")
        if moment == "before publication": kill()
        made.publish()
for given in sys.argv[1:]:
    child = os.fork()
    if not child:
        build_until(*given.split("|"))
        os._exit(0)
    _, status = os.waitpid(child, 0)
    if os.waitstatus_to_exitcode(status) != -signal.SIGKILL: sys.exit(1)
"""


def kills_at_publication(folder: Path) -> Outcome:
    """Kill a build with -9 before, within and after publication."""
    paths = {moment: folder / f"killed{number}.duckdb" for number, moment in enumerate(MOMENTS)}
    publish_small(folder / "old.duckdb", "old")
    for path in paths.values():
        shutil.copyfile(folder / "old.duckdb", path)
    all_killed = _run(KILLED, *(f"{moment}|{path}" for moment, path in paths.items())) == 0
    well = 0
    for moment, path in paths.items():
        expected = "new" if moment == "after the move" else "old"
        killed_well = all_killed and _label(path) == expected
        publish_small(path, "next")
        well += killed_well and _label(path) == "next"
    return Outcome("kill -9 at publication", len(MOMENTS), well, "the old index or the new, whole")


def questions_to_a_server(index: Path, *, readers: int = READERS) -> Outcome:
    """Ask one ``query serve`` a question by so many at once, twice each."""
    port = free_port()
    address = f"http://127.0.0.1:{port}/api/ask"
    body = json.dumps({"question": QUESTION, "mode": "global"}).encode()

    def ask(_: int) -> float:
        began = time.perf_counter()
        request = urllib.request.Request(address, body, {"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=LONGEST_S) as answer:
                good = "runs" in json.load(answer)["answer"]
        except (OSError, ValueError, KeyError) as error:
            print(error, file=sys.stderr)
            return -1.0
        return time.perf_counter() - began if good else -1.0

    arguments = ["serve", "--port", str(port), "--db", str(index)]
    with subprocess.Popen(
        [sys.executable, "-m", "query", *arguments],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as server:
        try:
            wait_for(port)
            with ThreadPoolExecutor(readers) as pool:
                taken = list(pool.map(ask, range(2 * readers)))
        finally:
            server.terminate()
    good = [seconds for seconds in taken if seconds > 0]
    means = f"seconds per request: {_spread(good)}"
    return Outcome(f"{readers} readers of one server", len(taken), len(good), means)


def kills_at_stages(folder: Path, *, most: int | None = None) -> Outcome:
    """Kill a build with -9 within each of its stages, at its end at the latest; look at the index.

    No stage is left out as unchanged. A build that is killed at the end of its last stages has
    published: then it is the new index, of equal content, whole.
    """
    from tests.scripted_openai import serve
    from tests.test_index_killed import MODEL, start
    from tests.wording_cases import careful

    config = folder / "config.toml"
    config.write_text("[report]\nmax_worded = 2\nmax_embedded = 1\n")
    inputs, db = cohort(folder), folder / "stages.duckdb"
    with serve(careful) as server:
        first = start(inputs, db, config, server.base_url)
        _, said = first.communicate()
        stages = [
            line.split("] ")[-1]
            for line in said.splitlines()
            if "]   " not in line and "] " in line
        ]
        digest = _digest(db)
        chosen = stages[1:] if most is None else random.Random(SEED).sample(stages[1:], most)
        well = 0
        named = {"OPENAI_BASE_URL": server.base_url, "VIROME_MODEL": MODEL}
        given = ["--inputs", str(inputs), "--db", str(db), "--config", str(config), "--force"]
        for stage in chosen:
            code = _run(KILLED_WITHIN, stage, *given, environment=named)
            same = _digest(db) == digest
            if not same or code != -signal.SIGKILL:
                print(f"{stage}: code {code}, same index: {same}", file=sys.stderr)
            well += code == -signal.SIGKILL and same
    means = f"the index is as before; killed within each of these stages: {', '.join(chosen)}"
    return Outcome("kill -9 within a stage of a build", len(chosen), well, means)


def cohort(folder: Path) -> Path:
    """Return the manifest of a small cohort in ``folder``, written once."""
    from benchmarks.cohort import write_cohort
    from benchmarks.cohort_shape import Shape

    inputs = folder / "cohort" / "inputs.toml"
    if not inputs.exists():
        write_cohort(inputs.parent, Shape(runs=200, seed=5), as_parquet=True)
    return inputs


KILLED_WITHIN: Final = """
import os, random, signal, sys, threading
from flows.index import main
from flows.progress import Progress
stage, before = sys.argv[1], Progress._within_limit
def kill(): os.kill(os.getpid(), signal.SIGKILL)
def within(self, name, work):
    if name != stage: return before(self, name, work)
    threading.Timer(random.Random(stage).uniform(0, 0.1), kill).start()
    before(self, name, work)
    kill()
Progress._within_limit = within
sys.exit(main(sys.argv[2:]))
"""


def _digest(db: Path) -> str:
    with open_index(db) as connection:
        return content_hash(connection)


def _run(code: str, *arguments: str, environment: Mapping[str, str] | None = None) -> int:
    """Return how a program of ``code`` ends; one that does not end is killed and has failed."""
    named = {**os.environ, **(environment or {})}
    try:
        done = subprocess.run(
            [sys.executable, "-c", code, *arguments],
            capture_output=True,
            check=False,
            env=named,
            timeout=LONGEST_S,
        )
    except subprocess.TimeoutExpired:
        return -signal.SIGALRM
    return done.returncode


def _spread(taken: list[float]) -> str:
    """Return percentiles of what was measured, in words."""
    if len(taken) < 2:
        return "not measured"
    cuts = statistics.quantiles(taken, n=100, method="inclusive")
    return (
        f"median {cuts[49]:.1f}, 95% {cuts[94]:.1f}, 99% {cuts[98]:.1f}, longest {max(taken):.1f}"
    )


def _labels(connection: duckdb.DuckDBPyConnection) -> list[str]:
    rows = connection.execute("SELECT label FROM entity WHERE label <> 'x'").fetchall()
    return [label for (label,) in rows]


def _label(path: Path) -> str:
    with open_index(path) as connection:
        return _labels(connection)[0]


def table_of(outcomes: list[Outcome]) -> str:
    """Return ``outcomes`` as the page docs/faults.md."""
    lines = [
        "# Faults",
        "",
        "What was done to an index, a build or a server, how often, and how it ended.",
        "`make faults` repeats all of it.",
        "",
        "| fault | tried | ended well | which means |",
        "|---|---:|---:|---|",
    ]
    rows = [f"| {one.fault} | {one.tried:,} | {one.well:,} | {one.means} |" for one in outcomes]
    tests = [f"| {fault} | `tests/{name}.py` |" for name, fault in ELSEWHERE.items()]
    return "\n".join([*lines, *rows, *AFTERWORD, *tests]) + "\n"


AFTERWORD: Final = (
    "",
    "Run on two busy cores. The ordinary tests try these, too:",
    "",
    "| fault | test |",
    "|---|---|",
)
ELSEWHERE: Final = {
    "test_store_target": "folder, pipe, text or another database where an index should be",
    "test_index_killed": "kills at stage after stage; answers of a model are paid for once",
    "test_unchanged_stages": "results or their list altered, on a full disk, not removable",
    "test_query_journal": "journal cut, altered, hostile, or not readable",
    "test_llm_cache": "cache of answers damaged, foreign, or on a full disk",
    "test_model_edge": "model endpoints: silence, drips, redirects, odd usage, echoed keys",
    "test_ontology_download": "downloads: false lengths, drips, changes midway, a full disk",
    "test_remote_inputs": "object stores: no right, silence, objects that end early or change",
    "test_database_inputs": "databases that refuse or cut a connection",
    "test_whole_files": "output that does not fit on the disk",
    "test_fuzz": "arbitrary bytes for every reader, arbitrary questions, answers of a model",
    "test_sources_errors": "archives that unpack too far, encodings, long cells, equal headings",
    "test_formats": "thousands of columns, a heading without end",
    "test_ontology_obo": "circles and long chains of is_a",
    "test_requests": "JSON that is not a request, or nested too deeply",
}
"""What the ordinary tests try, by the file that does."""


def main() -> int:
    """Try every fault, write the page, and return 1 where one did not end well."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--out", type=Path, default=Path("docs/faults.md"))
    parser.add_argument("--index", type=Path, default=Path("data/index/demo.duckdb"))
    parser.add_argument("--stages", type=int, default=None, help="kill at so many stages only")
    chosen = parser.parse_args()
    outcomes = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        trials: list[Callable[[], Outcome]] = [
            lambda: corrupt_positions(folder),
            lambda: reads_while_publishing(folder),
            lambda: kills_at_publication(folder),
            lambda: faults_of_files.builds_on_a_full_disk(folder, cohort(folder)),
            lambda: faults_of_files.outputs_on_a_full_disk(folder),
            lambda: faults_of_files.builders_at_once(folder, cohort(folder)),
            lambda: faults_of_files.clocks_that_jump(folder, cohort(folder)),
            lambda: faults_of_files.damage_beside_an_index(folder),
            lambda: faults_of_files.servers_that_misbehave(folder),
            lambda: questions_to_a_server(chosen.index),
            lambda: kills_at_stages(folder, most=chosen.stages),
        ]
        for trial in trials:
            began = time.monotonic()
            outcomes.append(trial())
            print(f"{time.monotonic() - began:.0f} s {outcomes[-1]}", file=sys.stderr, flush=True)
            chosen.out.write_text(table_of(outcomes), encoding="utf-8")
    return int(any(one.tried != one.well for one in outcomes))


if __name__ == "__main__":
    sys.exit(main())
