"""What files are: formats, ontologies and registers known by their columns and contents.

A table whose columns are those of no format, or that says more than the format it fits would read,
is one of the format ``table``, its columns understood one by one (``index.sources.column_guess``).
"""

from __future__ import annotations

import re
import tarfile
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from index.records import CONTRACTS
from index.sources import SOURCES
from index.sources.column_guess import ColumnGuess, OpenQuestion, guess_columns
from index.sources.layout import Layout, nearest_of_each
from index.sources.meanings import fold_heading, meanings
from index.sources.packed import open_bytes, unpacking
from index.sources.parquet import is_parquet
from index.sources.risk_register import is_register, register_columns
from index.sources.sheets import as_text, is_spreadsheet, sheet_names
from index.sources.tabular import read_header
from ontology_etl.curies import BTO, DOID, ICTV, NCBI_TAXON
from ontology_etl.errors import InputError, MissingFileError
from ontology_etl.sources.ictv_tables import is_master_list, read_tables

HEAD_BYTES: Final = 65_536
HALF: Final = 0.5
"""A format is near a file with more than this share of its required columns, at least nearly."""
SHOWN: Final = 6
"""Columns named in the comment that says how a file was recognised."""
OBO: Final = {b"id: BTO:": BTO, b"id: DOID:": DOID}
MASTER_LIST: Final = ("ictv_id", "species", "genus", "isolate_type")
_STATISTICS: Final = re.compile(r"[A-Za-z0-9_. ]+[-_][A-Za-z0-9_.-]+")
"""A heading of MultiQC's general statistics: the module, then what it measured."""


@dataclass(frozen=True)
class Guess:
    """What a file is taken for: ``role`` is input, option, ontology, biosafety, nothing (known, and
    of no use) or unknown.

    ``name`` is the format, the option (``serratus_nt.accessions``) or the ontology; ``why`` says by
    what it was known, ``columns`` what those of a ``table`` mean, ``questions`` what is open.
    """

    path: Path
    role: str
    name: str
    why: str
    layout: Layout | None = None
    header: tuple[str, ...] = ()
    address: str = ""
    """Address of the file that ``path`` is a copy of, or the database of the table."""
    table: str = ""
    sheet: str = ""
    columns: ColumnGuess | None = None
    questions: tuple[OpenQuestion, ...] = ()
    linked: frozenset[str] = frozenset()
    """Names of the laboratory's own that the table links to runs."""


def recognise_tables(path: Path, said: Mapping[str, str] | None = None) -> list[Guess]:
    """Return what the file at ``path`` is, of a spreadsheet each of its sheets.

    ``said`` is meaning -> heading, for the tables that have it. Raises ``MissingFileError``, and
    ``ColumnError`` where no table has a heading that was said.
    """
    if not is_spreadsheet(path):
        return [recognise(path, said)]
    if not path.exists():
        raise MissingFileError(path)
    try:
        if any(is_master_list(table) for table in read_tables(path)):
            return [Guess(path, "ontology", ICTV, "ICTV master list")]
        return [_sheet(path, name, said) for name in sheet_names(path)] or [
            Guess(path, "unknown", "", "no sheet holds a table")
        ]
    except InputError as error:
        return [Guess(path, "unknown", "", error.reason)]


def _sheet(path: Path, name: str, said: Mapping[str, str] | None) -> Guess:
    with as_text(path, name) as text:
        return replace(recognise(text, said), path=path, sheet=name)


def recognise(path: Path, said: Mapping[str, str] | None = None) -> Guess:
    """Return what the file at ``path`` is. Raises ``MissingFileError``."""
    if not path.exists():
        raise MissingFileError(path)
    try:
        known = _by_name(path) or _by_archive(path) or _by_content(path)
        return known or _by_columns(path, said or {})
    except (InputError, OSError) as error:
        reason = error.reason if isinstance(error, InputError) else str(error)
        return Guess(path, "unknown", "", reason)


def _by_name(path: Path) -> Guess | None:
    if not is_parquet(path):
        return None
    table = path.stem.split("-")[0]
    if table in CONTRACTS:
        return Guess(path, "input", "record_table", f"Parquet file of the table {table}")
    return _by_columns(path, {})


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
    """Return the name of the first member of a tar archive, nothing if it is not an archive."""
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
    text = head.decode(errors="replace")
    for name, source in SOURCES.items():
        if source.starts and re.match(source.starts, text, re.MULTILINE):
            layout = source.layouts[0] if source.layouts else None
            return Guess(path, "input", name, source.description, layout=layout)
    if b"<BioSampleSet" in head:
        return Guess(path, "input", "biosample_xml", "BioSampleSet in XML")
    if head.lstrip()[:1] == b"<":
        return Guess(path, "unknown", "", "XML or a web page; nearest format biosample_xml")
    if b"\0" in head:
        return Guess(path, "unknown", "", "a binary file; tables are text, plain or .gz")
    return None


def _by_columns(path: Path, said: Mapping[str, str]) -> Guess:
    """Return what a table is: of the format that its columns are of, else a ``table``."""
    header = tuple(read_header(path))
    known = recognise_header(path, header)
    here = {meaning: heading for meaning, heading in said.items() if heading in header}
    if known.role != "unknown" and not here and not _says_more(known, header):
        return _with_questions(_with_links(known, path), said)
    if known.role == "unknown" and len(header) > 1 and _is_statistics(path, header):
        return Guess(path, "nothing", "", "quality figures (MultiQC): no virus, no host, no sample")
    guess = guess_columns(path, here)
    if not guess.is_usable:
        return replace(known, questions=guess.questions if guess.columns else ())
    taken = ", ".join(f"{meaning} = {heading}" for meaning, heading in guess.columns.items())
    return Guess(
        path,
        "input",
        "table",
        f"a table; {taken or 'a column a run'}",
        header=header,
        columns=guess,
        questions=guess.questions,
        linked=guess.linked,
    )


def _with_links(known: Guess, path: Path) -> Guess:
    """Return ``known`` with the names that a sheet of names and runs links."""
    means = {column.read_as for column in known.layout.columns} if known.layout else set()
    if not {"run", "sample_name"} <= means:
        return known
    return replace(known, linked=guess_columns(path, {}).linked)


def _with_questions(known: Guess, said: Mapping[str, str]) -> Guess:
    """Return ``known`` with a question for the option that it needs and that no file can be."""
    if known.layout is None or known.layout.needs != "hits_of" or "hits_of" in said:
        return known
    return replace(known, questions=(OpenQuestion("hits_of", "which virus are these hits of"),))


def _says_more(known: Guess, header: Sequence[str]) -> bool:
    """Return whether a format would leave more columns of a known meaning unread than it reads."""
    if known.role != "input" or known.layout is None or known.layout.rest:
        return False
    headings = frozenset().union(*(meaning.headings for meaning in meanings().values()))
    unread = known.layout.unread(header)
    meaningful = [name for name in unread if fold_heading(name) in headings]
    read = [name for name in known.layout.names if name in header]
    return len(meaningful) > len(read)


def _is_statistics(path: Path, header: Sequence[str]) -> bool:
    first, *others = header
    is_named = path.name.startswith("multiqc")
    return first == "Sample" and (is_named or all(_STATISTICS.fullmatch(name) for name in others))


def recognise_header(path: Path, header: tuple[str, ...]) -> Guess:
    """Return the best guess of what a table with the columns ``header`` is."""
    if set(MASTER_LIST) <= set(header):
        return Guess(path, "ontology", ICTV, "ICTV master list")
    if is_register(header):
        columns = ", ".join(register_columns(header).values())
        return Guess(path, "biosafety", "risk_groups", f"risk groups, by {columns}")
    fitting = [table for table in _tables() if not table.layout.missing(header)]
    if not fitting:
        return Guess(path, "unknown", "", _nearest_format(header))
    best = max(fitting, key=lambda table: table.fit(header))
    return Guess(
        path,
        best.role,
        best.name,
        why=f"{best.name}, by its columns {_known_columns(best.layout, header)}",
        layout=best.layout,
        header=header,
    )


def _known_columns(layout: Layout, header: Sequence[str]) -> str:
    """Return the first columns that ``header`` has of ``layout``, in words."""
    known = [name for name in layout.names if name in header]
    shown = ", ".join(known[:SHOWN])
    return f"{shown}, …" if len(known) > SHOWN else shown


@dataclass(frozen=True)
class _Table:
    """A layout and what a file of it is for."""

    role: str
    name: str
    layout: Layout

    def fit(self, header: Sequence[str]) -> tuple[int, bool, bool]:
        """Return how well the columns fit: known or nearly, rest taken, an input."""
        known = [name for name in self.layout.names if name in header]
        nearly = self.layout.hints(header)
        takes_rest = bool(self.layout.rest and self.layout.extra(header))
        return len(known) + len(nearly), takes_rest, self.role == "input"


def _tables() -> Iterator[_Table]:
    for name, source in SOURCES.items():
        for layout in source.layouts:
            if not layout.first_line:
                yield _Table("input", name, layout)
        for option, companion in source.companions.items():
            for layout in companion.layouts:
                yield _Table("option", f"{name}.{option}", layout)


def _nearest_format(header: Sequence[str]) -> str:
    """Return in words which format the columns are nearest to and what it lacks."""
    tables = [table for table in _tables() if table.role == "input"]
    best = max(tables, key=lambda table: _likeness(header, table.layout))
    share, _ = _likeness(header, best.layout)
    first = ", ".join(header[:SHOWN])
    if share > HALF:
        lacking = ", ".join(_lacking(best.layout, header))
        return f"the nearest format, {best.name}, needs {lacking}"
    return (
        f"no column of {first} names a run or a BioSample; say which does: --map run=COLUMN, or "
        "see docs/your-data.md"
    )


def _lacking(layout: Layout, header: Sequence[str]) -> list[str]:
    """Return the columns that ``header`` lacks of ``layout``, each with what it may be called."""
    spare = [name for name in header if name not in layout.names]
    missing = layout.missing(header)
    near = nearest_of_each(missing, spare)
    return [f"{name} (is it '{near[name]}'?)" if name in near else name for name in missing]


def _likeness(header: Sequence[str], layout: Layout) -> tuple[float, int]:
    """Return the share of required columns that are there, or nearly, and the known columns."""
    known = [name for name in layout.names if name in header]
    nearly = nearest_of_each(layout.required, header)
    share = len(nearly) / len(layout.required)
    return share, len(known)
