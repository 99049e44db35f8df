"""The words that say what a question asks: cues, fields, everyday names. All of them are tables."""

from __future__ import annotations

import csv
import functools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ontology_etl.reviewed_lists import read_reviewed
from query.compiler.reviewed import everyday_groups
from query.reading.tokens import stem, tokens_of
from query.request.fields import REGISTRY

_DATA: Final = Path(__file__).parent / "data"


@dataclass(frozen=True, slots=True)
class Cue:
    """What a phrase does in a question: its ``tag``, and the variant if a tag has several."""

    tag: str
    value: str


@dataclass(frozen=True, slots=True)
class EverydayName:
    """An everyday word for something in the vocabularies."""

    kind: str
    curie: str | None
    label: str


Stems = tuple[str, ...]


def stems_of(phrase: str) -> Stems:
    """Return the stems of the words of ``phrase``, by which phrases are compared."""
    return tuple(stem(token.lower) for token in tokens_of(phrase))


def rows_of(name: str) -> Iterator[dict[str, str]]:
    """Yield the rows of a table of this room; lines that begin with ``#`` are comments."""
    lines = (_DATA / name).read_text(encoding="utf-8").splitlines()
    listed = [line for line in lines if not line.startswith("#")]
    yield from csv.DictReader(listed, delimiter="\t", quoting=csv.QUOTE_NONE)


@functools.cache
def cues() -> Mapping[Stems, Cue]:
    """Return what each phrase does, by its stems; the first if several have the same stems."""
    found: dict[Stems, Cue] = {}
    for phrase, cue in _written_cues().items():
        found.setdefault(stems_of(phrase), cue)
    return found


@functools.cache
def _written_cues() -> Mapping[str, Cue]:
    """Return what each phrase does, as it is written in the table."""
    return {row["phrase"]: Cue(row["tag"], row["value"] or "") for row in rows_of("cues.tsv")}


def cue_of(text: str) -> Cue | None:
    """Return what ``text`` does: as it is written, else by its stems, unless it names a field.

    "report" is not "reported", and "samples" is not "sampled".
    """
    written = _written_cues().get(text.lower())
    if written is not None or text.lower() in _written_fields():
        return written
    return cues().get(stems_of(text))


@functools.cache
def _written_fields() -> frozenset[str]:
    """Return the words for fields as they are written in the table."""
    return frozenset(row["word"] for row in rows_of("fields.tsv"))


@functools.cache
def field_words() -> Mapping[Stems, str]:
    """Return the field that each phrase names, by its stems: declared names first."""
    named: dict[Stems, str] = {}
    for row in rows_of("fields.tsv"):
        named[stems_of(row["word"])] = row["field"]
    for field in REGISTRY:
        for name in (field.said, field.plural, *field.also, field.name.replace("_", " ")):
            named.setdefault(stems_of(name), field.name)
    return named


@functools.cache
def everyday_names() -> Mapping[str, EverydayName]:
    """Return everyday words for hosts, tissues, diseases, viruses and countries, small letters."""
    groups = {name: EverydayName(kind, None, name) for kind, name in everyday_groups()}
    return groups | {
        row["word"]: EverydayName(row["kind"], row["curie"] or None, row["label"])
        for row in rows_of("words.tsv")
    }


@functools.cache
def foreign_countries() -> Mapping[str, str]:
    """Return the English names of countries by their names in other languages, in small letters."""
    rows = read_reviewed("countries_in_languages.tsv").iter_rows(named=True)
    return {
        name.lower(): row["name"]
        for row in rows
        for language, name in row.items()
        if language != "name" and name and name != row["name"]
    }


@functools.cache
def foreign_names() -> frozenset[str]:
    """Return the names in other languages of viruses, hosts, tissues and diseases, in small
    letters.
    """
    return frozenset(read_reviewed("names_in_languages.tsv")["name"].str.to_lowercase())


@functools.cache
def longest_phrase() -> int:
    """Return the number of words of the longest cue or field."""
    return max(len(stems) for stems in (*cues(), *field_words()))
