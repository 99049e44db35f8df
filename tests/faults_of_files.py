"""Faults of disks, of files beside an index, and of servers; ``tests/faults.py`` tries them."""

from __future__ import annotations

import contextlib
import os
import random
import resource
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import polars as pl
from typer.testing import CliRunner

from index.errors import IndexBusyError, StoreError
from index.models.cache import IN_MEMORY, ResponseCache, open_cache
from index.store.results import ResultStore, StageResult
from ontology_etl.errors import DownloadError
from ontology_etl.releases.download import Retries, fetch
from query.answer import Answer
from query.cli.app import app
from query.journal import journal_path, read_journal, record_answer
from tests.file_server import BODY, Script, running_server
from tests.query_index import make_index

SEED: Final = 17
COMMANDS: Final = (
    ["sql", "--run", "SELECT repeat('x', 9999) AS x", "--output", "{folder}/out.csv"],
    ["sql", "--run", "SELECT random() FROM range(900)", "--output", "{folder}/out.parquet"],
    ["atlas", "{folder}/out.html"],
    *(["export", "{folder}", "--as", kind] for kind in ("csv", "gexf", "notes", "crate", "sssom")),
    *(
        ["export", "{folder}", "--as", kind, "--table", "name"]
        for kind in ("parquet", "json", "croissant")
    ),
)
"""Commands that write files which people name."""


@dataclass(frozen=True)
class Outcome:
    """A fault, how often it was tried, how often it ended well, and what that means."""

    fault: str
    tried: int
    well: int
    means: str


@contextmanager
def files_end_at(size: int) -> Iterator[None]:
    """Let no file of this process grow beyond ``size`` bytes, as on a full disk."""
    usual = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, usual[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, usual)


def outputs_on_a_full_disk(
    folder: Path,
    *,
    sizes: tuple[int, ...] = (0, 300, 5_000),
    commands: Sequence[list[str]] = COMMANDS,
) -> Outcome:
    """Write every kind of file over one that is there, while files cannot grow."""
    index = make_index(folder / "outputs.duckdb")
    tried, well = 0, 0
    for number, command in enumerate(commands):
        place = folder / f"outputs{number}"
        place.mkdir()
        arguments = [*(part.format(folder=place) for part in command), "--db", str(index)]
        CliRunner().invoke(app, arguments)
        before = _contents(place)
        for size in sizes:
            with files_end_at(size):
                done = CliRunner().invoke(app, arguments)
            tried += 1
            well += is_as_before_or_whole(done.exit_code, before, _contents(place), size)
    return Outcome(
        "file of `--output`, an export or the atlas that cannot grow",
        tried,
        well,
        "exit code 8 and the file that was there, or the whole new one; no other file",
    )


def is_as_before_or_whole(
    exit_code: int, before: dict[str, bytes], after: dict[str, bytes], size: int
) -> bool:
    """Return whether a command that could not write more than ``size`` bytes did no harm."""
    if exit_code == 8:
        return before.keys() == after.keys() and all(
            after[name] == content or len(after[name]) <= size for name, content in before.items()
        )
    return exit_code == 0 and all(len(content) <= size for content in after.values())


def builds_on_a_full_disk(
    folder: Path, inputs: Path, *, sizes: tuple[int, ...] = (0, 20_000, 300_000, 3_000_000)
) -> Outcome:
    """Build over a published index while no file can grow beyond one size after another."""
    db = folder / "full.duckdb"
    first = _built(inputs, db, None)
    before = db.read_bytes()
    well = 0
    for size in sizes:
        done = _built(inputs, db, size)
        is_clean = "Traceback" not in done.stderr and done.returncode == StoreError.exit_code
        well += first.returncode == 0 and is_clean and db.read_bytes() == before
    means = (
        "exit code 6 with the reason; the published index stays, stored results are deleted once"
    )
    return Outcome("build whose files cannot grow", len(sizes), well, means)


def _built(inputs: Path, db: Path, size: int | None) -> subprocess.CompletedProcess[str]:
    limit = "" if size is None else f"resource.setrlimit(resource.RLIMIT_FSIZE, ({size}, {size}));"
    code = f"import resource, sys; {limit} from flows.index import main; sys.exit(main())"
    given = ["--inputs", str(inputs), "--db", str(db), "--no-llm", "--quiet", "--force"]
    return _python(code, *given)


def _python(code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=False
    )


def builders_at_once(folder: Path, inputs: Path, *, builders: int = 4) -> Outcome:
    """Start so many builds of one index at once, and one after them."""
    db = folder / "contested.duckdb"
    with ThreadPoolExecutor(builders) as pool:
        done = list(pool.map(lambda _: _built(inputs, db, None), range(builders)))
    codes = [one.returncode for one in done]
    refused = [one.stderr for one in done if one.returncode == IndexBusyError.exit_code]
    is_said = all("Traceback" not in said and "is building this index" in said for said in refused)
    last = _built(inputs, db, None)
    is_first = codes.count(0) == 1 and len(refused) == builders - 1
    well = builders if is_first and is_said and last.returncode == 0 else 0
    means = "one builds, the others end with exit code 6 and name it; the next build works"
    return Outcome("builders of one index at once", builders, well, means)


CLOCKS: Final = {"2099": 27_000, "1999": -10_000, "today": 0}
"""Days by which a clock is wrong."""
WRONG_CLOCK: Final = """
import datetime, sys
real, wrong = datetime.datetime, datetime.timedelta(days=int(sys.argv.pop(1)))
class Wrong(real):
    @classmethod
    def now(cls, tz=None): return real.now(tz) + wrong
datetime.datetime = Wrong
from {module} import main
sys.exit(main())
"""


def clocks_that_jump(folder: Path, inputs: Path) -> Outcome:
    """Build, list the builds and look at the health of an index with one clock after another."""
    db = folder / "clock.duckdb"
    build = ["--inputs", str(inputs), "--db", str(db), "--no-llm", "--quiet", "--force"]
    commands = (
        ("flows.index", build, {0}),
        ("query.cli.app", ["builds", "--db", str(db)], {0}),
        ("query.cli.app", ["doctor", "--db", str(db)], {0, 1}),
    )
    well = 0
    for days in CLOCKS.values():
        for module, given, codes in commands:
            code = WRONG_CLOCK.format(module=module)
            done = _python(code, str(days), *given)
            well += done.returncode in codes and "Traceback" not in done.stderr
    means = f"build, list of builds and doctor work as usual, in {', then '.join(CLOCKS)}"
    return Outcome("clock that jumps", len(CLOCKS) * len(commands), well, means)


def damage_beside_an_index(folder: Path, *, positions: int = 60) -> Outcome:
    """Flip a byte of the journal, of kept results and of kept answers, and cut each short."""
    chance = random.Random(SEED)
    trials = (_journal_is_read, _results_are_found, _answers_are_kept)
    well = 0
    for number in range(positions):
        place = folder / f"beside{number}"
        place.mkdir()
        well += sum(trial(place, chance) for trial in trials)
    means = "the line is counted as rejected, the stage runs again, the model is called again"
    tried = len(trials) * positions
    return Outcome("damage to journal, results, answers", tried, well, means)


def _journal_is_read(folder: Path, chance: random.Random) -> bool:
    db = folder / "a.duckdb"
    for question in ("Which?", "How many?", "Where?"):
        record_answer(Answer(question=question, mode="sql", answer="7", points=()), db)
    _damage(journal_path(db), chance)
    lines = [line for line in journal_path(db).read_bytes().split(b"\n") if line.strip()]
    record_answer(Answer(question="After?", mode="sql", answer="8", points=()), db)
    read = read_journal(db)
    last = read.answer["question"].to_list()
    return "After?" in last and len(read.answer) + len(read.rejected) == len(lines) + 1


def _results_are_found(folder: Path, chance: random.Random) -> bool:
    frame = pl.DataFrame({"a": range(50)})
    written = ResultStore(folder / "kept", max_bytes=10**6, say=_nothing)
    table = written.add("a", frame)
    assert table is not None
    written.keep("k", StageResult(stage="one", tables=(table,)))
    files = sorted(path for path in folder.glob("kept*/*/*"))
    _damage(chance.choice([*files, folder / "kept.json"]), chance)
    found = ResultStore(folder / "kept", max_bytes=10**6, say=_nothing).find("k")
    return found is None or written.read(found.tables[0]).equals(frame)


def _answers_are_kept(folder: Path, chance: random.Random) -> bool:
    path = folder / "answers.sqlite"
    with ResponseCache(path) as cache:
        cache.keep_answer("k", model="m", text="t", prompt_tokens=1, completion_tokens=1)
    _damage(path, chance)
    with open_cache(path, say=_nothing) as cache:
        answered = cache.answer("k")
        if cache.path != IN_MEMORY:
            with contextlib.suppress(StoreError):
                cache.keep_answer("l", model="m", text="t", prompt_tokens=1, completion_tokens=1)
    return answered is None or len(answered) == 3


def servers_that_misbehave(folder: Path) -> Outcome:
    """Fetch from servers that fail, hang up, stall, drip, lie about lengths or never end well."""
    scripts: dict[str, tuple[Script, bool]] = {
        "fails twice": (Script(failures=[503, 429]), True),
        "hangs up": (Script(cuts=[1000, 10]), True),
        "always hangs up": (Script(cuts=[10] * 9, etag=""), False),
        "has no such file": (Script(failures=[404]), False),
        "promises too much": (Script(length="99999999"), False),
        "promises nonsense": (Script(length="many"), True),
        "promises less than nothing": (Script(length="-1"), True),
        "stalls": (Script(stall_s=30.0), False),
    }
    well = 0
    for name, (script, is_whole) in scripts.items():
        with running_server(script) as address:
            place = folder / name
            retries = _IMPATIENT if script.stall_s else _QUICK
            try:
                path = fetch(f"{address}/x.obo", place, licence="", retries=retries)
            except DownloadError:
                well += not is_whole and not (place / "x.obo").exists()
            else:
                well += is_whole and path.read_bytes() == BODY
    means = f"the whole file, or exit code 5: {', '.join(scripts)}"
    return Outcome("server that misbehaves", len(scripts), well, means)


_QUICK: Final = Retries(attempts=4, wait_s=0.001)
_IMPATIENT: Final = Retries(attempts=4, wait_s=0.001, timeout_s=0.2)


def _damage(path: Path, chance: random.Random) -> None:
    """Flip a byte of a file, or cut it short."""
    content = path.read_bytes()
    place = chance.randrange(len(content))
    is_cut = chance.random() < 0.3
    rest = b"" if is_cut else bytes([content[place] ^ 0xFF]) + content[place + 1 :]
    path.write_bytes(content[:place] + rest)


def _contents(folder: Path) -> dict[str, bytes]:
    return {name: (folder / name).read_bytes() for name in sorted(os.listdir(folder))}


def _nothing(_text: str) -> None:
    """Say nothing."""
