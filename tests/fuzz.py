"""Arbitrary input for minutes: ``python -m tests.fuzz readers --seconds 600``.

Each round takes something valid and spoils it: bytes of a file, parts of a request, words of a
question. Whatever comes must end in a value or in an error of this program, within
``LONGEST_S`` of CPU; an error of a file must name the file. What does not is printed, with the
input, and counted. ``tests/test_fuzz.py`` does a little of it in every run of the tests.
"""

from __future__ import annotations

import argparse
import contextlib
import gzip
import json
import random
import resource
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

from index.records import record_counts
from index.sources import SOURCES
from index.sources.manifest import read_manifest
from index.sources.risk_register import read_register
from ontology_etl.errors import InputError
from ontology_etl.sources import bto, ictv, ncbi_taxonomy
from query.errors import QueryError
from query.reading import read, reader
from query.request import from_json
from query.request.errors import RequestError
from tests.conftest import ROOT
from tests.query_index import make_index, opened

SAMPLE: Final = ROOT / "data" / "sample"
LONGEST_S: Final = 10
MOST_MEMORY: Final = 8_000_000_000
MOST_BYTES: Final = 4_000
"""Bytes of a valid file that are taken as a beginning."""
PIECES: Final = [
    *(b"\t", b"\n", b",", b'"', b"\r\n", b"\r", b"\x00", b"\xff\xfe", b"\xef\xbb\xbf", b"\xc3("),
    *(b"SRR000001", b"1e999", b"-1", b"9" * 40, b"nan", b"2020-13-45", b"<a>", b"</a>", b"&x;"),
    *(b"]]>", b"{", b"}", b"[x]", b"=", b"'", b"#", b";", b"|", b"\\", b"\x1b[2J", b"%s"),
    *("日本".encode(), "\u202e".encode(), b" " * 300, b"x" * 70_000, b"a\t" * 3_000),
    *(b"[Term]\nid: ", b"is_a: BTO:1\n", b"\t|\t", b"\t|\n", b"[[input]]\n", b"..", b"/dev/zero"),
]
Trial = Callable[[random.Random, Path], str]
"""Tries something spoilt and returns what it was, in one line; raises what it ends in."""


def readers(chance: random.Random, folder: Path) -> str:
    """Let a reader of an input read a spoilt file."""
    name = chance.choice(sorted(SOURCES))
    source = SOURCES[name]
    example = _example(name, chance)
    ending = ".parquet" if name == "record_table" else chance.choice([".tsv", ".csv", ".tsv.gz"])
    path = folder / f"fuzz{ending}"
    body = _spoilt(example, chance)
    path.write_bytes(gzip.compress(body) if ending.endswith(".gz") else body)
    _named(path, lambda: record_counts(source.read(path)))
    return f"{name} {body[:2_000]!r}"


def vocabularies(chance: random.Random, folder: Path) -> str:
    """Let a reader of an ontology, a register or a manifest read a spoilt file."""
    kinds: dict[str, tuple[str, Callable[[Path], object]]] = {
        "ontologies/bto.obo": ("fuzz.obo", bto.read),
        "ontologies/ictv_msl41.tsv": ("fuzz.tsv", ictv.read),
        "ontologies/taxdump.tar.gz": ("taxdump.tar.gz", ncbi_taxonomy.read),
        "risk_groups.tsv": ("fuzz.tsv", read_register),
        "inputs.toml": ("fuzz.toml", read_manifest),
    }
    name = chance.choice(sorted(kinds))
    written_as, reader = kinds[name]
    path = folder / written_as
    whole = (SAMPLE / name).read_bytes()
    body = _spoilt(whole if name.endswith(".gz") else whole[:MOST_BYTES], chance)
    path.write_bytes(body)
    _named(path, lambda: reader(path))
    return f"{name} {body[:2_000]!r}"


def requests(chance: random.Random, _: Path) -> str:
    """Read a request of which a part was taken, doubled, exchanged or nested."""
    record = json.loads(chance.choice(REQUESTS))
    for _round in range(chance.randint(1, 4)):
        record = _exchanged(record, chance)
    if len(str(record)) > 1_000_000:
        return "too large to write"
    text = json.dumps(record)
    if chance.random() < 0.3:
        text = _spoilt(text.encode(), chance).decode(errors="replace")
    with contextlib.suppress(RequestError):
        from_json(text)
    return text[:2_000]


def questions(chance: random.Random, folder: Path) -> str:
    """Read a question of words in any order, cut, doubled and spoilt, without the tuned model."""
    reader.read_tuned = lambda _question: None
    words = [word for line in chance.sample(QUESTIONS, 3) for word in line.split()]
    chosen = [chance.choice(words) for _ in range(chance.choice([3, 8, 20, 120]))]
    text = chance.choice([" ", " ", "  ", "-", "/", ", "]).join(chosen)
    if chance.random() < 0.5:
        text = _spoilt(text.encode(), chance)[:5_000].decode(errors="replace")
    with opened(_small(folder)) as con, contextlib.suppress(QueryError):
        read(con, text)
    return text[:2_000]


REQUESTS: Final = [
    '{"measure": {"type": "count"}, "of": {"type": "carries", "hit": {"virus": ["NCBITaxon:1"]}}}',
    '{"measure": {"type": "values", "by": ["host"], "limit": 5, "order": "runs"}}',
    '{"measure": {"type": "share", "part": {"type": "has", "field": "tissue", "values": ["x"]}}}',
    '{"measure": {"type": "compare", "measure": {"type": "count"}, "sides":'
    ' [{"type": "everything"}, {"type": "not", "of":'
    ' {"type": "between", "field": "released", "range": {"least": 2}}}]}}',
    '{"measure": {"type": "records", "table": "tests", "columns": ["family"], "limit": 3}}',
    '{"measure": {"type": "rows", "columns": ["run"]}, "of": {"type": "and", "of": []}}',
]
QUESTIONS: Final = [
    "Which viruses turn up in bat gut samples, and what goes with them?",
    "How many runs from pigs in China or Japan carry coronaviruses but not RSV after 2018?",
    "compare astroviruses in bats versus humans per year; top 5 by reads at least 90 % identity",
    "Is HSV-1 / HHV-4 real or contamination in SRR000001, SAMN1 and C0-0a1b2c3d?",
    "What share of the 1e999 runs without a host state a tissue other than lung (not liver)?",
    "Quels virus chez les chauves-souris ? ¿Cuántos? コウモリのウイルス 蝙蝠 İSTANBUL ﬁ ß",
    "median k-mers of communities between 2010 and 99999999999999999999 of {{run: x}} NULL; DROP",
]


def _example(name: str, chance: random.Random) -> bytes:
    """Return a small valid file of a format, or what the sample has of another."""
    layouts = SOURCES[name].layouts
    if layouts and chance.random() < 0.9:
        layout = chance.choice(layouts)
        cells = [column.example or "1" for column in layout.columns]
        separator = chance.choice(["\t", "\t", ",", ";"])
        rows = [separator.join(cells)] * chance.choice([1, 3, 40])
        header = [] if layout.first_line else [separator.join(layout.names)]
        return "\n".join([*header, *rows, ""]).encode()
    path = chance.choice(sorted(path for path in SAMPLE.iterdir() if path.is_file()))
    opener: Any = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rb") as file:
        body: bytes = file.read(MOST_BYTES)
    return body


def _spoilt(body: bytes, chance: random.Random) -> bytes:
    """Return ``body`` with a few places cut, doubled, overwritten or filled."""
    for _ in range(chance.choice([1, 1, 2, 5, 20])):
        start = chance.randrange(len(body) + 1)
        end = min(len(body), start + chance.choice([0, 1, 3, 30, 400]))
        put = chance.choice([b"", chance.choice(PIECES), body[start:end] * 2, chance.randbytes(2)])
        body = body[:start] + put + body[end:]
    return body


def _exchanged(value: Any, chance: random.Random) -> Any:
    """Return JSON with one part of it exchanged for something else."""
    if isinstance(value, dict) and value and chance.random() < 0.8:
        key = chance.choice(sorted(value))
        changed = {**value, key: _exchanged(value[key], chance)}
        if chance.random() < 0.1:
            changed[chance.choice(["type", "of", "\x00", "limit", "x" * 5_000])] = value
        return changed
    if isinstance(value, list) and value and chance.random() < 0.7:
        return [_exchanged(part, chance) for part in value] * chance.choice([1, 1, 1, 2, 20])
    odd = [
        None,
        True,
        -1,
        10**30,
        1e308,
        "",
        "\ud800",
        "x" * 9_000,
        [],
        {},
        [value],
        {"type": "or"},
    ]
    return chance.choice(
        [*odd, {"type": "not", "of": value}, {"type": "and", "of": [value, value]}]
    )


def _named(path: Path, work: Callable[[], object]) -> None:
    """Do ``work``; an error of the input must name the file."""
    try:
        work()
    except InputError as error:
        if str(path.parent) not in str(error):
            raise ValueError(f"does not name {path.name}: {error}") from error


def _small(folder: Path) -> Path:
    path = folder / "index.duckdb"
    return path if path.exists() else make_index(path)


def rounds(trial: Trial, folder: Path, *, seconds: float, seed: int) -> Iterator[str | None]:
    """Yield for each round None, or what went wrong."""
    until = time.monotonic() + seconds
    number = seed
    while time.monotonic() < until:
        number += 1
        began = time.process_time()
        try:
            said = trial(random.Random(number), folder)
        except Exception:  # noqa: BLE001  what is looked for
            yield f"round {number}: {traceback.format_exc(limit=-6)}"
            continue
        taken = time.process_time() - began
        yield None if taken < LONGEST_S else f"round {number}: {taken:.0f} s of CPU: {said}"


def main() -> int:
    """Try one of the kinds for so long; print what went wrong and return 1 where anything did."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    kinds = {trial.__name__: trial for trial in (readers, vocabularies, requests, questions)}
    parser.add_argument("kind", choices=kinds)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    tried, places = 0, Counter[str]()
    with tempfile.TemporaryDirectory() as name:
        for wrong in rounds(
            kinds[chosen.kind], Path(name), seconds=chosen.seconds, seed=chosen.seed
        ):
            tried += 1
            if wrong is None:
                continue
            last = wrong.strip().splitlines()[-1][:100]
            places[last] += 1
            if places[last] == 1:
                print(wrong, flush=True)
    print(f"{chosen.kind}: {tried:,} tried, {places.total():,} ended badly in {len(places)} ways")
    return int(bool(places))


if __name__ == "__main__":
    sys.exit(main())
