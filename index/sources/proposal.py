"""A manifest proposed for files that were recognised; comments say what each file is, and why."""

from __future__ import annotations

import json
import os
import re
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from index.sources import SOURCES
from index.sources.column_guess import ColumnGuess
from index.sources.manifest import PATH_TYPES, read_manifest
from index.sources.meanings import attribute_name
from index.sources.recognition import Guess
from index.sources.run_names import name_of_file, run_in_file_name
from ontology_etl.curies import BTO, DOID, ICTV, NCBI_TAXON
from ontology_etl.errors import InputError


def propose(guesses: Sequence[Guess], folder: Path, said: Mapping[str, str] | None = None) -> str:
    """Return a manifest in ``folder`` for ``guesses``; comments say what was recognised.

    ``said`` are options that no file can be: ``hits_of``, the virus that hits are of.
    """
    inputs = [guess for guess in guesses if guess.role == "input"]
    registers = [guess for guess in guesses if guess.role == "biosafety"]
    entries = [_entry(guess, guesses, folder, said or {}) for guess in inputs]
    blocks = [
        _TITLE,
        *_globbed(entries, inputs, folder),
        _ontologies(guesses, folder),
    ]
    if registers:
        path = _named(registers[0], folder)
        blocks.append(f"[biosafety]\nrisk_groups = {path}\n")
    blocks.append(_leftovers(guesses, folder))
    stated = [block for block in blocks if block]
    return "\n".join(stated)


def check_replaces(path: Path, text: str) -> None:
    """Raise ``InputError`` where the manifest ``text`` lacks inputs of the good one at ``path``."""
    if not path.exists():
        return
    try:
        present = {item.path for item in read_manifest(path).inputs}
    except InputError:
        return
    proposed = set()
    for entry in tomllib.loads(text).get("input", []):
        named = [entry["path"]] if "path" in entry else path.parent.glob(entry["glob"])
        proposed |= {(path.parent / name).resolve() for name in named}
    lost = sorted(str(path) for path in present - proposed)
    if lost:
        remedy = "name these files, too, write to another --out, or delete the manifest first"
        raise InputError(
            path, f"reads what the new one would not: {', '.join(lost)}", remedy=remedy
        )


FEWEST_OF_A_PATTERN: Final = 3
"""With so many files of one kind, a pattern names them."""
_ANY_PATH: Final = "\0path"
"""Replaces the path of an entry while entries are compared."""
_NUMBERS_OF_HITS: Final = frozenset(
    ("reads", "identity", "identity_share", "score", "score_share", "coverage")
)
_NAMES_OF_VIRUSES: Final = frozenset(("virus", "taxid", "family", "lineage", "genome"))
_TITLE: Final = (
    "# Put the files you trust most first: where two describe one record, the first value that is\n"
    "# stated stands. What a build would make of this: python -m flows.inputs check THIS_FILE\n"
)


def _entry(guess: Guess, guesses: Sequence[Guess], folder: Path, said: Mapping[str, str]) -> str:
    options = _options(guess, guesses, folder)
    if guess.columns is not None:
        options = {**_column_options(guess.columns), **options}
    if "hits_of" in said and _is_of_one_virus(guess):
        options["hits_of"] = _text(said["hits_of"])
    lines = [
        *([] if guess.columns is not None else [f"# {guess.why}"]),
        *[f"# {remark}" for remark in _remarks(guess)],
        "[[input]]",
        f'format = "{guess.name}"',
        _path_line(guess, folder),
        *([f"table = {_text(guess.table)}"] if guess.table else []),
        *([f"sheet = {_text(guess.sheet)}"] if guess.sheet else []),
        *[f"{name} = {value}" for name, value in options.items()],
    ]
    needs = guess.layout.needs if guess.layout is not None else ""
    if needs and needs not in options:
        companion = SOURCES[guess.name].companions.get(needs)
        what = companion.meaning if companion else "the virus that was searched for"
        lines.append(f'# {needs} = "…"  # needed: {what}; without it every row is rejected')

    return "\n".join(lines) + "\n"


def _globbed(entries: Sequence[str], inputs: Sequence[Guess], folder: Path) -> list[str]:
    """Return ``entries``, as one where they differ in paths that a pattern matches exactly."""
    alike: dict[str, list[Guess]] = {}
    for entry, guess in zip(entries, inputs, strict=True):
        alike.setdefault(entry.replace(_path_line(guess, folder), _ANY_PATH, 1), []).append(guess)
    blocks = []
    for entry, guesses in alike.items():
        pattern = _pattern(guesses)
        if pattern is None:
            lines = (_path_line(guess, folder) for guess in guesses)
            blocks += [entry.replace(_ANY_PATH, line, 1) for line in lines]
            continue
        relative = _text(_relative(guesses[0].path.parent / pattern, folder))
        blocks.append(entry.replace(_ANY_PATH, f"glob = {relative}", 1))
    return blocks


def _path_line(guess: Guess, folder: Path) -> str:
    return f"path = {_named(guess, folder)}"


def _pattern(guesses: Sequence[Guess]) -> str | None:
    """Return a pattern that only the files of ``guesses`` match, None if there is none."""
    paths = [guess.path for guess in guesses]
    folders = {path.parent for path in paths}
    if (
        len(paths) < FEWEST_OF_A_PATTERN
        or len(folders) > 1
        or any(guess.address for guess in guesses)
    ):
        return None
    backwards = os.path.commonprefix([path.name[::-1] for path in paths])  # noqa: RUF071
    _, dot, ending = backwards[::-1].partition(".")
    pattern = f"*{dot}{ending}"
    matched = set(paths[0].parent.glob(pattern))
    return pattern if dot and matched == set(paths) else None


def _remarks(guess: Guess) -> list[str]:
    """Return what a reader of the manifest should know of the columns of a file."""
    if guess.columns is not None:
        return _columns_in_words(guess.columns)
    if guess.layout is None:
        return []
    said = "'{}' is not read under this name; did you mean '{}'?"
    return [said.format(*hint) for hint in guess.layout.hints(guess.header).items()]


def _columns_in_words(columns: ColumnGuess) -> list[str]:
    """Return a line for each column: what it means, and why; then the open questions."""
    width = max((len(taken.heading) for taken in columns.taken), default=0)
    lines = [
        f"{taken.heading:<{width}}  {taken.meaning or 'not read'}: {taken.why}"
        for taken in columns.taken
    ]
    if columns.run:
        lines.append(f"the name of the file says that all rows are of {columns.run}")
    if columns.own_names:
        lines.append("runs go by names of your own: a sheet of names and accessions links them;")
        lines.append("others get an accession SYNR…, the same in all files, and keep their name as")
        lines.append("the attribute 'sample name'")
    lines += [
        f"unsure: {question.text}? ({', '.join(question.choices)})"
        for question in columns.questions
    ]
    return lines


def _column_options(columns: ColumnGuess) -> dict[str, str]:
    """Return the options of a ``table`` as TOML."""
    pairs = ", ".join(
        f"{_key(name)} = {_text(heading)}" for name, heading in columns.columns.items()
    )
    options = {"columns": f"{{{pairs}}}"}
    if columns.ignored:
        options["ignore"] = f"[{', '.join(_text(heading) for heading in columns.ignored)}]"
    if columns.run:
        options["run"] = _text(columns.run)
    if columns.across:
        options["across"] = "true"
    return options


def _is_of_one_virus(guess: Guess) -> bool:
    """Return whether the rows of a file are hits of a virus that it does not name."""
    if guess.columns is None:
        return guess.layout is not None and guess.layout.needs == "hits_of"
    means = set(guess.columns.columns)
    return bool(_NUMBERS_OF_HITS & means) and not _NAMES_OF_VIRUSES & means


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else _text(name)


def _options(guess: Guess, guesses: Sequence[Guess], folder: Path) -> dict[str, str]:
    """Return the options of an input whose files are among ``guesses``, as TOML."""
    source = SOURCES[guess.name]
    given: dict[str, str] = {}
    for name in source.companions:
        serving = [file for file in guesses if _serves(file, guess, name)]
        if not serving:
            continue
        files = [_named(file, folder) for file in serving]
        takes_several = source.options[name] == PATH_TYPES[2]
        given[name] = f"[{', '.join(files)}]" if takes_several else files[0]
    return given


def _serves(file: Guess, guess: Guess, option: str) -> bool:
    """Return whether ``file``, no table of a database, is one that ``option`` takes."""
    if file.table or file.sheet or file.path == guess.path:
        return False
    source = SOURCES[guess.name]
    if option == "names":
        return bool(file.linked) and _needs_names(guess, file.linked)
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


def _needs_names(guess: Guess, linked: frozenset[str]) -> bool:
    """Return whether runs go by names that are ``linked``: in columns, contigs or file names."""
    own = guess.columns.own_names if guess.columns is not None else frozenset()
    if own & linked or set(map(attribute_name, guess.header)) & linked:
        return True
    is_named_by_file = run_in_file_name(guess.path) is None and guess.columns is None
    return is_named_by_file and name_of_file(guess.path).lower() in linked


def _users(file: Guess, guesses: Sequence[Guess]) -> list[Guess]:
    """Return the inputs that take ``file`` as an option."""
    wanted, option = file.name.split(".")
    of_format = [guess for guess in guesses if guess.name == wanted]
    return [guess for guess in of_format if _serves(file, guess, option)]


def _ontologies(guesses: Sequence[Guess], folder: Path) -> str:
    """Return the table of ontologies; one that no file was given for is fetched by a build."""
    found = {guess.name: guess for guess in guesses if guess.role == "ontology"}
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
    idle = [guess for guess in guesses if guess.role == "option" and not _users(guess, guesses)]
    left = [
        *(("not recognised:", guess) for guess in guesses if guess.role == "unknown"),
        *(("not read:", guess) for guess in guesses if guess.role == "nothing"),
        *(("no input takes", guess) for guess in idle),
    ]
    return "".join(f"# {fate} {_shown(guess, folder)}: {guess.why}\n" for fate, guess in left)


def _named(guess: Guess, folder: Path) -> str:
    """Return the path or the address of a file as TOML."""
    return _text(guess.address or _relative(guess.path, folder))


def _shown(guess: Guess, folder: Path) -> str:
    """Return a file, or a table of a database, as a comment names it."""
    return guess.table or guess.address or _relative(guess.path, folder)


def _text(value: str) -> str:
    """Return ``value`` as a string of TOML, which is written like one of JSON."""
    return json.dumps(value, ensure_ascii=False)


def _relative(path: Path, folder: Path) -> str:
    return Path(os.path.relpath(path, folder)).as_posix()
