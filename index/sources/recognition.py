"""What files are, by their columns and contents, and an inputs manifest proposed for them."""

from __future__ import annotations

import os
import tarfile
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from index.records import CONTRACTS
from index.sources import SOURCES
from index.sources.layout import Layout, nearest
from index.sources.manifest import PATH_TYPES
from index.sources.risk_register import is_register, register_columns
from index.sources.tabular import open_bytes, read_header, unpacking
from ontology_etl.curies import BTO, DOID, ICTV, NCBI_TAXON
from ontology_etl.errors import InputError, MissingFileError

HEAD_BYTES: Final = 65_536
HALF: Final = 0.5
"""A format is near a file that has more than this share of its required columns, or nearly so."""
SHOWN: Final = 6
"""Columns named in the comment that says how a file was recognised."""
OBO: Final = {b"id: BTO:": BTO, b"id: DOID:": DOID}
MASTER_LIST: Final = ("ictv_id", "species", "genus", "isolate_type")


@dataclass(frozen=True)
class Guess:
    """What a file is taken for: ``role`` is input, option, ontology, biosafety or unknown.

    ``name`` is the format, the option (``serratus_nt.accessions``) or the ontology; ``why`` says by
    what it was known.
    """

    path: Path
    role: str
    name: str
    why: str
    layout: Layout | None = None
    header: tuple[str, ...] = ()


def recognise(path: Path) -> Guess:
    """Return what the file at ``path`` is. Raises ``MissingFileError``."""
    if not path.exists():
        raise MissingFileError(path)
    try:
        return _by_name(path) or _by_archive(path) or _by_content(path) or _by_columns(path)
    except (InputError, OSError) as error:
        reason = error.reason if isinstance(error, InputError) else str(error)
        return Guess(path, "unknown", "", reason)


def propose(guesses: Sequence[Guess], folder: Path) -> str:
    """Return a manifest in ``folder`` for ``guesses``; comments say what was recognised."""
    blocks = [_TITLE]
    blocks += [_entry(guess, guesses, folder) for guess in guesses if guess.role == "input"]
    blocks.append(_ontologies(guesses, folder))
    registers = [guess for guess in guesses if guess.role == "biosafety"]
    blocks += [f"[biosafety]\nrisk_groups = {_quoted(one.path, folder)}\n" for one in registers[:1]]
    blocks.append(_leftovers(guesses, folder))
    return "\n".join(block for block in blocks if block)


_TITLE: Final = (
    "# Put the files you trust most first: where two describe one record, the first value that is\n"
    "# stated stands. What a build would make of this: python -m flows.inputs check THIS_FILE\n"
)


# --- recognising ------------------------------------------------------------------------------------


def _by_name(path: Path) -> Guess | None:
    if path.suffix != ".parquet":
        return None
    table = path.stem.split("-")[0]
    if table in CONTRACTS:
        return Guess(path, "input", "record_table", f"Parquet file of the table {table}")
    return Guess(
        path, "unknown", "", f"nearest format record_table: name it {', '.join(CONTRACTS)}"
    )


def _by_archive(path: Path) -> Guess | None:
    """Return a taxdump where a folder or an archive holds the tables of one."""
    if path.is_dir():
        holds = [file.name for file in path.iterdir()]
    elif zipfile.is_zipfile(path):
        holds = zipfile.ZipFile(path).namelist()
    else:
        holds = _tar_members(path)
    if any(name.endswith(".dmp") for name in holds):
        return Guess(path, "ontology", NCBI_TAXON, "NCBI taxdump")
    if path.is_dir():
        return Guess(path, "unknown", "", "a folder; name its files")
    return None


def _tar_members(path: Path) -> list[str]:
    """Return the name of the first member of a tar archive, none where it is no archive."""
    try:
        with tarfile.open(path) as archive:
            first = archive.next()
    except tarfile.TarError:
        return []
    return [first.name] if first is not None else []


def _by_content(path: Path) -> Guess | None:
    with unpacking(path), open_bytes(path) as stream:
        head = stream.read(HEAD_BYTES)
    for mark, name in OBO.items():
        if head.startswith(b"format-version:") and mark in head:
            return Guess(path, "ontology", name, f"OBO file of {name}")
    if b"<BioSampleSet" in head:
        return Guess(path, "input", "biosample_xml", "BioSampleSet in XML")
    if head.lstrip()[:1] == b"<":
        return Guess(path, "unknown", "", "XML or a web page; nearest format biosample_xml")
    if b"\0" in head:
        return Guess(path, "unknown", "", "a binary file; tables are text, plain or .gz")
    return None


def _by_columns(path: Path) -> Guess:
    header = tuple(read_header(path))
    if set(MASTER_LIST) <= set(header):
        return Guess(path, "ontology", ICTV, "ICTV master list")
    if is_register(header):
        columns = ", ".join(register_columns(header).values())
        return Guess(path, "biosafety", "risk_groups", f"risk groups, by {columns}")
    fitting = [one for one in _tables() if not one.layout.missing(header)]
    if not fitting:
        return Guess(path, "unknown", "", _nearest_format(header))
    best = max(fitting, key=lambda one: one.fit(header))
    known = [name for name in best.layout.names if name in header]
    more = ", …" if len(known) > SHOWN else ""
    why = f"{best.name}, by its columns {', '.join(known[:SHOWN])}{more}"
    return Guess(path, best.role, best.name, why, best.layout, header)


@dataclass(frozen=True)
class _Table:
    """A layout and what a file of it is for."""

    role: str
    name: str
    layout: Layout

    def fit(self, header: Sequence[str]) -> tuple[int, bool, bool]:
        """Return how well the columns fit: known or nearly, rest taken, an input."""
        known = sum(name in header for name in self.layout.names) + len(self.layout.hints(header))
        takes_rest = bool(self.layout.rest) and bool(self.layout.extra(header))
        return known, takes_rest, self.role == "input"


def _tables() -> Iterator[_Table]:
    for name, source in SOURCES.items():
        for layout in source.layouts:
            yield _Table("input", name, layout)
        for option, companion in source.companions.items():
            for layout in companion.layouts:
                yield _Table("option", f"{name}.{option}", layout)


def _nearest_format(header: Sequence[str]) -> str:
    """Return in words which format the columns are nearest to and what it lacks."""
    tables = [one for one in _tables() if one.role == "input"]
    best = max(tables, key=lambda one: _likeness(header, one.layout))
    share, _ = _likeness(header, best.layout)
    if not share:
        return f"no format has columns like {', '.join(header[:SHOWN])}; see docs/your-data.md"
    spare = [name for name in header if name not in best.layout.names]
    meant = {name: nearest(name, spare) for name in best.layout.missing(header)}
    named = [f"{name} (is it '{near}'?)" if near else name for name, near in meant.items()]
    needs = f"{best.name}, needs {', '.join(named)}"
    return (
        f"the nearest format, {needs}"
        if share > HALF
        else f"no format is near; the nearest, {needs}"
    )


def _likeness(header: Sequence[str], layout: Layout) -> tuple[float, int]:
    """Return the share of required columns that are there, or nearly, and the known columns."""
    nearly = sum(nearest(name, header) is not None for name in layout.required)
    known = sum(name in header for name in layout.names)
    return nearly / len(layout.required), known


# --- proposing --------------------------------------------------------------------------------------


def _entry(guess: Guess, guesses: Sequence[Guess], folder: Path) -> str:
    lines = [f"# {guess.why}"]
    lines += [f"# {text}" for text in _remarks(guess)]
    lines += ["[[input]]", f'format = "{guess.name}"', f"path = {_quoted(guess.path, folder)}"]
    options = _options(guess, guesses, folder)
    lines += [f"{name} = {value}" for name, value in options.items()]
    needs = guess.layout.needs if guess.layout is not None else ""
    if needs and needs not in options:
        meaning = SOURCES[guess.name].companions[needs].meaning
        lines.append(f'# {needs} = "…"  # needed: {meaning}; without it every row is rejected')
    return "\n".join(lines) + "\n"


def _remarks(guess: Guess) -> list[str]:
    """Return what a reader of the manifest should know of the columns of a file."""
    if guess.layout is None:
        return []
    hints = guess.layout.hints(guess.header)
    return [
        f"'{name}' is not read under this name; did you mean '{meant}'?"
        for name, meant in hints.items()
    ]


def _options(guess: Guess, guesses: Sequence[Guess], folder: Path) -> dict[str, str]:
    """Return the options of an input whose files are among ``guesses``, as TOML."""
    given: dict[str, str] = {}
    for name in SOURCES[guess.name].companions:
        files = [_quoted(one.path, folder) for one in guesses if _serves(one, guess, name)]
        if files:
            several = SOURCES[guess.name].options[name] == PATH_TYPES[2]
            given[name] = f"[{', '.join(files)}]" if several else files[0]
    return given


def _serves(file: Guess, guess: Guess, option: str) -> bool:
    """Return whether ``file`` is one that ``option`` of the input ``guess`` takes."""
    source = SOURCES[guess.name]
    needed_by = [layout for layout in source.layouts if layout.needs == option]
    if needed_by and guess.layout not in needed_by:
        return False
    layouts = source.companions[option].layouts
    if not layouts:
        return file.name == NCBI_TAXON and file.path.is_file()
    if file.role == "option":
        return file.name == f"{guess.name}.{option}"
    fits = any(not layout.missing(file.header) for layout in layouts)
    return fits and file.role == "input" and file.name != guess.name


def _users(file: Guess, guesses: Sequence[Guess]) -> list[Guess]:
    """Return the inputs that take ``file`` as an option."""
    wanted, option = file.name.split(".")
    return [one for one in guesses if one.name == wanted and _serves(file, one, option)]


def _ontologies(guesses: Sequence[Guess], folder: Path) -> str:
    """Return the table of ontologies; one that no file was given for is fetched by a build."""
    found = {one.name: one.path for one in guesses if one.role == "ontology"}
    lines = ["[ontologies]"]
    for name in (NCBI_TAXON, BTO, DOID):
        if name in found:
            lines.append(f"{name} = {_quoted(found[name], folder)}")
        else:
            lines.append(f'# {name} = "…"  # a build fetches it from its official address')
    if ICTV in found:
        lines.append(f"{ICTV} = {_quoted(found[ICTV], folder)}")
    return "\n".join(lines) + "\n"


def _leftovers(guesses: Sequence[Guess], folder: Path) -> str:
    """Return comments on the files that the manifest does not name."""
    unknown = [one for one in guesses if one.role == "unknown"]
    idle = [one for one in guesses if one.role == "option" and not _users(one, guesses)]
    lines = [f"# not recognised: {_relative(one.path, folder)}: {one.why}\n" for one in unknown]
    lines += [f"# no input takes {_relative(one.path, folder)}: {one.why}\n" for one in idle]
    return "".join(lines)


def _quoted(path: Path, folder: Path) -> str:
    escaped = _relative(path, folder).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _relative(path: Path, folder: Path) -> str:
    return Path(os.path.relpath(path, folder)).as_posix()
