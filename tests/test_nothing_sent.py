"""Commands connect to no other machine, and leave nothing in the home folder that docs do not name.

Python code is watched by an audit hook in every process. Native code passes that by, so where
``strace`` is at hand the system calls are watched, too.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from query.cli.app import app
from tests.conftest import ROOT, BuiltIndex, copy_results

HOOK = """
import os, sys

def watch(event, arguments):
    if event == "socket.connect":
        address = arguments[1]
        said = address[0] if isinstance(address, tuple) else None
    elif event in ("socket.getaddrinfo", "socket.gethostbyname"):
        said = arguments[0]
    else:
        return
    if said not in (None, "127.0.0.1", "localhost", "::1"):
        with open(os.environ["WATCHED"], "a") as file:
            file.write(f"{event} {said!r} in {sys.argv}\\n")

sys.addaudithook(watch)
"""
NAMED_IN_DOCS = re.compile(r"\.cache/matplotlib/fontlist-.*\.json$")
"""docs/operating.md, "What leaves this machine"."""
ELSEWHERE = re.compile(r'sin6?_addr=(?!inet_addr\("127\.)(?!inet_pton\(AF_INET6, "::1")')
ONE_AFTER_ANOTHER = """
import json, os, signal, sys, threading, urllib.request
from flows.cli.virome import main
from query.reading import reader

def visit():
    try:
        urllib.request.urlopen("http://127.0.0.1:8765/").read()
    except OSError:
        return threading.Timer(0.5, visit).start()
    os.kill(os.getpid(), signal.SIGINT)

for command in json.loads(sys.argv[1]):
    sys.argv = ["virome", *command]
    try:
        if command[0] == "serve":
            visit()
        code = main()
    except SystemExit as ended:
        code = ended.code
    assert code in (None, 0, 8, 130), f"{command} ended with {code}"
    if command[0] == "global":
        reader.read_tuned = lambda _question: None
    if command[0] == "index":
        loaded = {name.partition(".")[0] for name in sys.modules}
        assert loaded.isdisjoint({"dask", "distributed", "opentelemetry", "prefect"}), loaded
"""
"""Runs every command in one process: the hook names the command by its arguments.

Questions after the first are read without the tuned model, which takes a second for each.
A build loads nothing of Dask, of Prefect and of what sends spans where nobody asks for it.
"""
COMMANDS = [
    ("global", "Which viruses turn up in bat gut samples?"),
    ("ask", "Which viruses turn up in bat gut samples?"),
    ("search", "bats sampled in caves"),
    ("local", "What is known about Deformed wing virus?"),
    ("sql", "How many runs per host carry coronaviruses?", "--no-llm"),
    ("documents", "add", "notes.md"),
    ("read", "Which viruses turn up in bat gut samples?"),
    ("communities",),
    ("report", "dengue"),
    ("term", "little brown bat"),
    ("mwas", "--family", "Coronaviridae"),
    ("mwas", "--family", "Coronaviridae", "--forest", "forest.png"),
    ("atlas", "atlas.html"),
    ("export", "out", "--table", "summaries"),
    ("init", "my"),
    ("builds",),
    ("doctor",),
    ("models",),
    ("runs", "notes.md"),
    ("run", '{"measure": {"type": "count"}}'),
    ("evaluate", "--generated", "3"),
    ("chat",),
    ("mcp",),
    ("serve", "--port", "8765"),
]
"""Every command of ``query`` but ``entrez``, which asks NCBI."""
SAMPLE = ROOT / "data" / "sample"


@pytest.fixture(scope="module")
def folder(sample_index: BuiltIndex, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the sample's index where commands look for it."""
    folder = tmp_path_factory.mktemp("nothing_sent")
    (folder / "data" / "index").mkdir(parents=True)
    shutil.copy(sample_index.path, folder / "data" / "index" / "virome.duckdb")
    (folder / "notes.md").write_text("Bats carry viruses: SYNR0000540.\n")
    (folder / "hook").mkdir()
    (folder / "hook" / "sitecustomize.py").write_text(HOOK)
    return folder


def watched(folder: Path, home: Path, *command: str) -> list[str]:
    """Return what ``python -m COMMAND`` connects to elsewhere and leaves in the empty ``home``."""
    seen, calls = home.with_name("seen.txt"), home.with_name("calls.txt")
    home.mkdir()
    kept = ("PATH", "LANG", "VIRTUAL_ENV", "LD_LIBRARY_PATH")
    environment = {name: os.environ[name] for name in kept if name in os.environ}
    environment |= {"HOME": str(home), "WATCHED": str(seen)}
    environment |= {"PYTHONPATH": os.pathsep.join((str(folder / "hook"), str(ROOT)))}
    words = [sys.executable, "-m", *command]
    if _can_trace():
        network = "trace=connect,sendto,sendmsg,sendmmsg"
        words = [*_STRACE, "-e", network, "-o", str(calls), *words]
    done = subprocess.run(
        words, cwd=folder, env=environment, capture_output=True, text=True, input="", check=False
    )  # fmt: skip
    assert done.returncode in {0, 8}, done.stderr
    found = seen.read_text().splitlines() if seen.exists() else []
    traced = calls.read_text(errors="replace").splitlines() if calls.exists() else []
    found += [line for line in traced if ELSEWHERE.search(line)]
    left = [path.relative_to(home).as_posix() for path in home.rglob("*") if path.is_file()]
    return found + [name for name in left if not NAMED_IN_DOCS.search(name)]


_STRACE = ("strace", "--seccomp-bpf", "-f", "-qq")


def _can_trace() -> bool:
    if shutil.which("strace") is None:
        return False
    tried = subprocess.run([*_STRACE, "-o", os.devnull, "true"], capture_output=True, check=False)
    return tried.returncode == 0


def _builds(small: BuiltIndex) -> list[tuple[str, ...]]:
    """Return the commands that read inputs."""
    return [
        ("index", "--inputs", str(small.inputs), "--no-llm", "--quiet", "--db", "built.duckdb"),
        ("inputs", "check", str(SAMPLE / "inputs.toml"), "--rows", "50"),
        ("inputs", "new", str(SAMPLE / "runs.csv.gz"), "--out", "inputs.toml"),
    ]


def test_no_command_sends_anything_or_leaves_anything_at_home(
    folder: Path, small_index: BuiltIndex, tmp_path: Path
) -> None:
    listed = {command.name for command in app.registered_commands}
    assert listed - {name for name, *_ in COMMANDS} == {"entrez"}
    copy_results(small_index, folder / "built.duckdb", but={"embed reports", "report vectors"})
    (folder / "commands.py").write_text(ONE_AFTER_ANOTHER)
    words = json.dumps([*_builds(small_index), *COMMANDS])
    assert watched(folder, tmp_path / "home", "commands", words) == []


def test_what_is_sent_is_seen(folder: Path, tmp_path: Path) -> None:
    (folder / "sender.py").write_text(
        "import pathlib, socket\n"
        "pathlib.Path.home().joinpath('id').write_text('1')\n"
        "with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:\n"
        "    sender.connect(('192.0.2.1', 9))\n"
    )
    found = watched(folder, tmp_path / "home", "sender")
    assert "192.0.2.1" in found[0]
    assert found[-1] == "id"
    assert (len(found) == 3) == _can_trace()
