"""Recognise what is at an address: a file, which is fetched, or the tables of a database."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from index.sources.manifest_paths import Places, places_of
from index.sources.recognition import Guess, recognise_header, recognise_tables
from ontology_etl.addresses import DATABASES, scheme_of
from ontology_etl.releases.download import fetch
from ontology_etl.remote.databases import list_tables


def recognise_all(named: list[str], said: Mapping[str, str] | None = None) -> list[Guess]:
    """Return what the files and addresses ``named`` are; ``said`` is meaning -> heading.

    Raises ``MissingFileError``, ``ManifestError`` for an address that cannot be used, and
    ``DownloadError`` for what cannot be fetched.
    """
    places = places_of(Path("inputs.toml").resolve(), os.environ)
    return [guess for text in named for guess in _recognised(text, said or {}, places)]


def _recognised(text: str, said: Mapping[str, str], places: Places) -> Iterator[Guess]:
    scheme = scheme_of(text)
    if not scheme:
        yield from recognise_tables(Path(text), said)
        return
    if scheme in DATABASES:
        yield from _tables(text)
        return
    copy = places.file(text, text)
    fetch(text, copy.parent, licence="")
    yield from (replace(guess, address=text) for guess in recognise_tables(copy, said))


def _tables(url: str) -> Iterator[Guess]:
    """Yield what each table of a database is; those that are an option of a format are unknown."""
    for table, columns in list_tables(url).items():
        guess = recognise_header(Path(table), tuple(columns))
        if guess.role != "input":
            guess = replace(guess, role="unknown")
        yield replace(guess, address=url, table=table)
