"""A manifest proposed for files that were recognised; comments say what each was taken for."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from index.sources import SOURCES
from index.sources.manifest import PATH_TYPES
from index.sources.recognition import Guess
from ontology_etl.curies import BTO, DOID, ICTV, NCBI_TAXON


def propose(guesses: Sequence[Guess], folder: Path) -> str:
    """Return a manifest in ``folder`` for ``guesses``; comments say what was recognised."""
    inputs = [guess for guess in guesses if guess.role == "input"]
    registers = [guess for guess in guesses if guess.role == "biosafety"]
    blocks = [
        _TITLE,
        *[_entry(guess, guesses, folder) for guess in inputs],
        _ontologies(guesses, folder),
    ]
    if registers:
        path = _named(registers[0], folder)
        blocks.append(f"[biosafety]\nrisk_groups = {path}\n")
    blocks.append(_leftovers(guesses, folder))
    stated = [block for block in blocks if block]
    return "\n".join(stated)


_TITLE: Final = (
    "# Put the files you trust most first: where two describe one record, the first value that is\n"
    "# stated stands. What a build would make of this: python -m flows.inputs check THIS_FILE\n"
)


def _entry(guess: Guess, guesses: Sequence[Guess], folder: Path) -> str:
    path = _named(guess, folder)
    options = _options(guess, guesses, folder)
    lines = [
        f"# {guess.why}",
        *[f"# {remark}" for remark in _remarks(guess)],
        "[[input]]",
        f'format = "{guess.name}"',
        f"path = {path}",
        *([f"table = {_text(guess.table)}"] if guess.table else []),
        *[f"{name} = {value}" for name, value in options.items()],
    ]
    needs = guess.layout.needs if guess.layout is not None else ""
    if needs and needs not in options:
        companion = SOURCES[guess.name].companions[needs]
        missing = f"needed: {companion.meaning}; without it every row is rejected"
        lines.append(f'# {needs} = "…"  # {missing}')

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
    source = SOURCES[guess.name]
    given: dict[str, str] = {}
    for name in source.companions:
        serving = [one for one in guesses if _serves(one, guess, name)]
        if not serving:
            continue
        files = [_named(one, folder) for one in serving]
        takes_several = source.options[name] == PATH_TYPES[2]
        given[name] = f"[{', '.join(files)}]" if takes_several else files[0]
    return given


def _serves(file: Guess, guess: Guess, option: str) -> bool:
    """Return whether ``file`` is one that ``option`` of the input ``guess`` takes; a table of a
    database is no file.
    """
    if file.table:
        return False
    source = SOURCES[guess.name]
    needed_by = [layout for layout in source.layouts if layout.needs == option]
    if needed_by and guess.layout not in needed_by:
        return False
    layouts = source.companions[option].layouts
    if not layouts:
        is_taxdump = file.name == NCBI_TAXON
        return is_taxdump and file.path.is_file()

    if file.role == "option":
        return file.name == f"{guess.name}.{option}"
    if file.role != "input" or file.name == guess.name:
        return False
    return any(not layout.missing(file.header) for layout in layouts)


def _users(file: Guess, guesses: Sequence[Guess]) -> list[Guess]:
    """Return the inputs that take ``file`` as an option."""
    wanted, option = file.name.split(".")
    of_format = [one for one in guesses if one.name == wanted]
    return [one for one in of_format if _serves(file, one, option)]


def _ontologies(guesses: Sequence[Guess], folder: Path) -> str:
    """Return the table of ontologies; one that no file was given for is fetched by a build."""
    found = {one.name: one for one in guesses if one.role == "ontology"}
    lines = ["[ontologies]"]

    for name in (NCBI_TAXON, BTO, DOID):
        if name in found:
            lines.append(f"{name} = {_named(found[name], folder)}")
        else:
            lines.append(f'# {name} = "…"  # a build fetches it from its official address')
    if ICTV in found:
        lines.append(f"{ICTV} = {_named(found[ICTV], folder)}")
    return "\n".join(lines) + "\n"


def _leftovers(guesses: Sequence[Guess], folder: Path) -> str:
    """Return comments on the files that the manifest does not name."""
    unknown = [one for one in guesses if one.role == "unknown"]
    options = [one for one in guesses if one.role == "option"]
    idle = [one for one in options if not _users(one, guesses)]

    lines = []
    for one in unknown:
        path = _shown(one, folder)
        lines.append(f"# not recognised: {path}: {one.why}\n")
    for one in idle:
        path = _shown(one, folder)
        lines.append(f"# no input takes {path}: {one.why}\n")
    return "".join(lines)


def _named(guess: Guess, folder: Path) -> str:
    """Return the path or the address of a file as TOML."""
    return _text(guess.address or _relative(guess.path, folder))


def _shown(guess: Guess, folder: Path) -> str:
    """Return a file, or a table of a database, as a comment names it."""
    return guess.table or guess.address or _relative(guess.path, folder)


def _text(value: str) -> str:
    without_backslash = value.replace("\\", "\\\\")
    escaped = without_backslash.replace('"', '\\"')
    return f'"{escaped}"'


def _relative(path: Path, folder: Path) -> str:
    return Path(os.path.relpath(path, folder)).as_posix()
