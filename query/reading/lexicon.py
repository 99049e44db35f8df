"""The words that say what a question asks: cues, fields, everyday names. All of them are tables."""

from __future__ import annotations

import csv
import functools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from query.reading.tokens import stem, tokens_of
from query.request.fields import REGISTRY

_DATA: Final = Path(__file__).parent / "data"


@dataclass(frozen=True, slots=True)
class Cue:
    """What a phrase does in a question: ``tag``, and which one where a tag has several."""

    tag: str
    value: str


@dataclass(frozen=True, slots=True)
class EverydayName:
    """An everyday word for a thing of the vocabularies."""

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
    """Return what each phrase does, by its stems."""
    return {
        stems_of(row["phrase"]): Cue(row["tag"], row["value"] or "") for row in rows_of("cues.tsv")
    }


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


def is_field_word(text: str) -> bool:
    """Return whether ``text`` is written as a word for a field, and as no cue: samples."""
    fields, phrases = _written()
    return text.lower() in fields and text.lower() not in phrases


@functools.cache
def _written() -> tuple[frozenset[str], frozenset[str]]:
    """Return the words for fields and the phrases of cues as they are written in the tables."""
    fields = frozenset(row["word"] for row in rows_of("fields.tsv"))
    return fields, frozenset(row["phrase"] for row in rows_of("cues.tsv"))


@functools.cache
def everyday_names() -> Mapping[str, EverydayName]:
    """Return everyday words for hosts, tissues, diseases, viruses and countries, small letters."""
    return {
        row["word"]: EverydayName(row["kind"], row["curie"] or None, row["label"])
        for row in rows_of("words.tsv")
    }


@functools.cache
def regions() -> Mapping[str, tuple[str, ...]]:
    """Return the countries of each part of the world, by the words for it."""
    found: dict[str, tuple[str, ...]] = {}
    for row in rows_of("regions.tsv"):
        for word in row["written"].split("|"):
            found[word] = tuple(row["countries"].split("|"))
    return found


@functools.cache
def longest_phrase() -> int:
    """Return the number of words of the longest cue or field."""
    return max(len(stems) for stems in (*cues(), *field_words()))
