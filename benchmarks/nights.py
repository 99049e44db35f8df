"""Thirty nights of builds in a row, with what nights bring: new runs, other ontologies, a download
that fails, a worker that is killed, a file that lost half of its runs.

    python -m benchmarks.nights --record
    python -m benchmarks.nights --nights 5 --runs 120

Each night a part of the sample is built over the index of the night before. The table says how each
night ended, how many communities kept their identifier, how many past builds the index remembers,
what all its files take on disk, and what changed in the ontologies.
"""

from __future__ import annotations

import argparse
import contextlib
import gzip
import re
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Final

from benchmarks.places import add_record_option, results_folder
from flows.options import RunOptions
from flows.order import run_stages
from flows.progress import Progress, silent
from index.config import IndexConfig, read_config
from index.models.choose import ModelChoice
from index.store.build import content_hash, open_index
from ontology_etl.errors import ViromeError
from ontology_etl.load import load_ontology
from ontology_etl.releases.drift import drift

SAMPLE: Final = Path(__file__).parents[1] / "data" / "sample"
RUN_COLUMNS: Final = ("run", "Run", "SRA_Run", "run_id", "acc")
RUNS: Final = 250
"""Runs of the first night."""
NEW_RUNS: Final = 8
"""Runs that each night brings, but for those on which nothing changes."""
KEPT_BYTES: Final = 8_000_000
"""Results of stages that may be kept for the next build."""
MANIFEST: Final = """
[[input]]
format = "sra_run_info"
path = "runs.csv.gz"

[[input]]
format = "palm_virome"
path = "palm_virome.tsv.gz"

[[input]]
format = "biosample_attributes"
path = "biosample_attributes.tsv.gz"

[[input]]
format = "studies"
path = "ADDRESS/bioprojects.tsv"

[ontologies]
NCBITaxon = "ontologies/taxdump.tar.gz"
BTO = "ontologies/bto.obo"
DOID = "ontologies/doid.obo"
"""
FILES: Final = re.findall(r"[\w.]+\.(?:csv|tsv)(?:\.gz)?", MANIFEST)
RENAMED: Final = re.compile(r"^name: (.*)$", re.MULTILINE)
HALF: Final = "half of the runs are lost"
KILLED: Final = "new runs, the worker is killed"
NIGHTS: Final = {
    **dict.fromkeys((4, 12, 27), "nothing is new"),
    **dict.fromkeys((6, 18), "another ontology"),
    **dict.fromkeys((9, 21), "a download fails"),
    **dict.fromkeys((11, 24), KILLED),
    15: HALF,
}
HEAD: Final = """# Thirty nights

`python -m benchmarks.nights --record`, a part of the sample, at most {kept} MB of results kept.

| night | what is new | how it ended | runs | communities | of the night before: kept their \
identifier | past builds | on disk, MB | content |
|---:|---|---|---:|---:|---:|---:|---:|---|
"""


@dataclass(frozen=True)
class Night:
    """What a night brought and how it ended."""

    number: int
    brings: str
    ended: str
    runs: int
    communities: frozenset[str]
    kept: int
    """Communities of the night before that are there under the same identifier."""
    before: int
    past_builds: int
    megabytes: float
    content: str

    def row(self) -> str:
        """Return the night as a row of the table."""
        return (
            f"| {self.number} | {self.brings} | {self.ended} | {self.runs} | "
            f"{len(self.communities)} | {self.kept} of {self.before} | {self.past_builds} | "
            f"{self.megabytes:.1f} | {self.content[:8]} |"
        )


def main() -> None:
    """Build night after night and print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--nights", type=int, default=30)
    parser.add_argument("--runs", type=int, default=RUNS, help="runs of the first night")
    add_record_option(parser)
    options = parser.parse_args()
    page = HEAD.format(kept=KEPT_BYTES // 10**6)
    file = results_folder(record=options.record) / "nights.md"
    with tempfile.TemporaryDirectory() as folder:
        for night in nights(Path(folder), count=options.nights, runs=options.runs):
            page += night.row() + "\n"
            print(night.row(), flush=True)
            file.write_text(page)


def nights(folder: Path, *, count: int, runs: int) -> Iterator[Night]:
    """Yield ``count`` nights, built in ``folder``."""
    inputs, db = folder / "inputs", folder / "index.duckdb"
    (inputs / "ontologies").mkdir(parents=True)
    for path in (SAMPLE / "ontologies").iterdir():
        (inputs / "ontologies" / path.name).write_bytes(path.read_bytes())
    order = _runs_of_the_sample()
    config = folder / "config.toml"
    config.write_text(
        f"max_kept_gb = {KEPT_BYTES / 10**9}\n[report]\nmax_embedded = 1\nmax_worded = 0\n"
    )
    last: frozenset[str] = frozenset()
    with _files_served(inputs) as address:
        for number in range(1, count + 1):
            brings = NIGHTS.get(number, "new runs")
            runs += NEW_RUNS if brings in ("new runs", KILLED) else 0
            is_half = brings == HALF
            _write_inputs(inputs, set(order[: runs // 2 if is_half else runs]), address)
            ended = _built(inputs, db, config, brings)
            night = replace(_seen(db, last), number=number, brings=brings, ended=ended)
            last = night.communities
            yield night


def _built(inputs: Path, db: Path, config: Path, brings: str) -> str:
    """Build as the night goes; return how it ended."""
    manifest = inputs / "inputs.toml"
    run = partial(_run, manifest, db, read_config(config), is_small=brings != HALF)
    if brings == KILLED:
        given = ["--inputs", manifest, "--db", db, "--config", config, "--no-llm", "--quiet"]
        command = [sys.executable, "-c", _KILLED, *map(str, given)]
        code = subprocess.run(command, check=False, capture_output=True).returncode
        return f"signal {-code}; then {run()}"
    said = _changed_ontology(inputs) if brings == "another ontology" else ""
    if brings != "a download fails":
        return run() + said
    served = inputs / "bioprojects.tsv"
    content = served.read_bytes()
    served.unlink()
    ended = run()
    served.write_bytes(content)
    return ended


_KILLED: Final = """
import os, signal, sys
from flows.index import main
from flows.progress import Progress
before = Progress._within_limit
def within(self, name, work):
    if name == "compute facts": os.kill(os.getpid(), signal.SIGKILL)
    return before(self, name, work)
Progress._within_limit = within
sys.exit(main(sys.argv[1:]))
"""


def _run(manifest: Path, db: Path, config: IndexConfig, *, is_small: bool) -> str:
    """Build; return how it ended. Of few reports one is soon a tenth: such a loss is accepted."""
    try:
        summary = run_stages(
            manifest,
            db,
            config=config,
            model=ModelChoice(None, None, "thirty nights"),
            progress=Progress(say_line=silent),
            options=RunOptions(accept_shrink=is_small),
        )
    except ViromeError as error:
        print(error.message, file=sys.stderr)
        return f"exit code {error.exit_code} ({type(error).__name__})"
    reused = len(summary.unchanged)
    return f"published, {reused} stages unchanged" if reused else "published"


def _changed_ontology(inputs: Path) -> str:
    """Give a term of BTO another name; return what drift says of it."""
    path = inputs / "ontologies" / "bto.obo"
    before = load_ontology("BTO", path).term
    path.write_text(RENAMED.sub(r"name: \1, renamed", path.read_text(), count=1))
    changes = drift(before, load_ontology("BTO", path).term)
    return "; drift: " + ", ".join(f"{row['change']} {row['curie']}" for row in changes.to_dicts())


def _seen(db: Path, last: frozenset[str]) -> Night:
    """Return what the index holds, as a night without a name."""
    with open_index(db) as con:
        named = con.execute("SELECT community FROM community").fetchall()
        ((runs, builds),) = con.execute(
            "SELECT (SELECT count(*) FROM run), (SELECT count(DISTINCT published) FROM past_build)"
        ).fetchall()
        content = content_hash(con)
    communities = frozenset(name for (name,) in named)
    files = [path for path in db.parent.rglob(f"{db.name}*") if path.is_file()]
    files += [path for path in (db.parent / f"{db.name}.results").rglob("*") if path.is_file()]
    megabytes = sum(path.stat().st_size for path in files) / 1e6
    kept = len(communities & last)
    return Night(0, "", "", runs, communities, kept, len(last), builds, megabytes, content)


def _runs_of_the_sample() -> list[str]:
    """Return all runs of the sample, study by study as they are listed."""
    with gzip.open(SAMPLE / "runs.csv.gz", "rt") as file:
        return [line.split(",")[0] for line in list(file)[1:]]


def _write_inputs(inputs: Path, runs: set[str], address: str) -> None:
    """Write the files of the sample with the rows of ``runs``; one of them is at ``address``."""
    for name in FILES:
        _write_part(SAMPLE / name, inputs / name, runs)
    (inputs / "inputs.toml").write_text(MANIFEST.replace("ADDRESS", address))


def _write_part(path: Path, target: Path, runs: set[str]) -> None:
    packed = path.suffix == ".gz"
    text = gzip.decompress(path.read_bytes()).decode() if packed else path.read_text()
    header, *rows = text.splitlines(keepends=True)
    separator = "\t" if "\t" in header else ","
    names = header.rstrip("\n").split(separator)
    place = next((names.index(name) for name in RUN_COLUMNS if name in names), None)
    if place is not None:
        text = header + "".join(_of(rows, place, separator, runs))
    content = text.encode()
    target.write_bytes(gzip.compress(content, mtime=0) if packed else content)


def _of(rows: Sequence[str], place: int, separator: str, runs: set[str]) -> list[str]:
    return [row for row in rows if row.rstrip("\n").split(separator)[place] in runs]


@contextlib.contextmanager
def _files_served(folder: Path) -> Iterator[str]:
    """Yield the address under which this machine serves ``folder``."""

    class Silent(SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None: ...

    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Silent, directory=str(folder))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)
    main()
