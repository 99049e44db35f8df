"""Compare names of viruses: which strings are names, their keys, and their shorter forms.

Names are compared folded and without blanks, so ``HSV-1``, ``HSV1`` and ``hsv 1`` are one. A record
says more than the name: a strain, a segment, or an abbreviation after it. Such additions are
removed, the smallest first, until the rest is a name. A number after a name is not an addition:
*Wuhan mosquito virus 9* is not *Wuhan mosquito virus*.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

import polars as pl

from ontology_etl.folding import fold, folded_column, separate
from ontology_etl.reviewed_lists import read_reviewed

EVERYDAY, LABEL, SYNONYM, ICTV_NAME, FORMER, ABBREVIATION = range(6)
"""Kinds of names, from the most trusted to the least; only the most trusted meanings count."""

KINDS: Final = {
    "everyday": EVERYDAY,
    "label": LABEL,
    "synonym": SYNONYM,
    "name": ICTV_NAME,
    "former": FORMER,
    "abbreviation": ABBREVIATION,
}
OF_TAXONOMY: Final = ("label", "synonym")
"""Kinds of names that NCBI Taxonomy gives."""
KIND_OF_SCOPE: Final = {
    "EXACT": "name",
    "NARROW": "name",
    "BROAD": "former",
    "RELATED": "abbreviation",
}
"""What ICTV's names are, by the scope of the synonym."""

_STATES: Final = ("uncultured", "unclassified", "unidentified", "unknown", "environmental")
_KINDS: Final = ("virus", "viruses", "phage", "bacteriophage")
NAMELESS: Final = tuple(f"{state}{kind}" for state in _STATES for kind in _KINDS)
"""Keys of placeholder names of viruses that have no name yet."""
_BRACKETS: Final = re.compile(r"\s*[(\[][^()\[\]]*[)\]]")
_STATE: Final = re.compile(r"(?i)^(?:uncultured|unclassified|unidentified|putative)\s+")
_ABBREVIATED: Final = re.compile(
    r"^(?P<name>.*virus\b.*?),?\s+(?P<short>[A-Z][A-Za-z]*-?[\dIV]*[a-z]?)$"
)
_ADDED: Final = re.compile(
    r"(?i)^(?:strain|isolate|lineage|sublineage|clade|genotype|genogroup|serotype|serogroup|subtype"
    r"|subgroup|variant|clone|segment|vaccine|provirus|rna\d?|dna|[a-z]{1,2}\.\d[\d.]*"
    r"|alpha|beta|gamma|delta|omicron|\S*/\S*|[lms]\s+segment)\b"
)
"""The beginning of an addition to a name: a strain, a lineage, a segment, or a path of them."""
_OF_OTHERS: Final = re.compile(r"(?i)\b(?:like|related|associated)\b|virus|viroid|phage|satellite")
"""Words that no addition contains: with them it is the name of something else."""
_LOOSE: Final = (
    r"\b(?:human|type|serotype|subtype|genotype|genogroup|group|strain|isolate|clade)\b ?"
)
_LETTER_OF_TYPE: Final = r"(virus )[a-z] (\d)"
_ROMAN: Final = {" i": " 1", " ii": " 2", " iii": " 3", " iv": " 4", " v": " 5"}
_TYPE_OF: Final = (
    r"(?i)^(?:human |enterovirus |echovirus )?{stem}[- ]?(?:type )?(?P<type>[a-z]?[- ]?\d+[a-z]?)$"
)
LONGEST: Final = 300
"""Most characters of a name; longer texts are titles."""


def name_key(name: pl.Expr) -> pl.Expr:
    """Return the key by which names are compared: folded, without blanks and punctuation."""
    return without_blanks(fold(separate(name)))


def keyed_names(names: pl.DataFrame, kind: pl.Expr) -> pl.DataFrame:
    """Return key, folded, name, virus, kind of the ``names`` [name, virus, …] that really name a
    virus.

    Names without letters or digits are left out, and so are placeholders: ICTV lists exemplars
    called "uncultured virus".
    """
    folded = names.with_columns(kind.alias("kind"), folded_column("name").alias("folded"))
    rows = folded.with_columns(key=without_blanks(pl.col("folded")))
    telling = rows.filter(pl.col("key") != "", ~pl.col("key").is_in(NAMELESS))
    return telling.select("key", "folded", "name", "virus", "kind")


def loose_key(folded: pl.Expr, *, letters: bool) -> pl.Expr:
    """Return a key of names ``folded`` that ignores "human", "type", Roman numerals and, without
    ``letters``, the letter of a type.

    >>> said = pl.Series(["echovirus 12", "human echovirus type iv", "echovirus e 12"])
    >>> pl.select(loose_key(said, letters=False)).to_series().to_list()
    ['echovirus12', 'echovirus4', 'echovirus12']
    """
    plain = folded.str.replace_all(_LOOSE, "").str.strip_chars(" ")
    if not letters:
        plain = plain.str.replace(_LETTER_OF_TYPE, "${1}${2}")
    for roman, number in _ROMAN.items():
        plain = plain.str.replace(f"{roman}$", number)
    return without_blanks(plain)


def without_blanks(folded: pl.Expr) -> pl.Expr:
    """Return the names ``folded`` written as one word each."""
    return folded.str.replace_all(" ", "", literal=True)


def shorter_names(names: pl.Series) -> pl.DataFrame:
    """Return [name, shorter, step]: each name (step 0), then without one more addition each."""
    rows = [
        (name, shorter, step)
        for name in names.drop_nulls().unique().sort()
        if len(name) <= LONGEST
        for step, shorter in enumerate(dict.fromkeys([name, *_shortened(name)]))
    ]
    schema = {"name": pl.String, "shorter": pl.String, "step": pl.Int32}
    return pl.DataFrame(rows, schema=schema, orient="row")


def _shortened(name: str) -> Iterator[str]:
    """Yield ``name`` with longer and longer additions removed."""
    bare = _BRACKETS.sub("", name).strip()
    for text in dict.fromkeys((bare, _STATE.sub("", bare))):
        yield text
        yield from _of_stems(text)
        found = _ABBREVIATED.match(text)
        if found and found["short"][0].lower() == text[0].lower():
            yield found["name"]
        yield from _without_tail(text)


def _of_stems(text: str) -> Iterator[str]:
    """Yield the full name of a type written as an abbreviation and a number."""
    for pattern, stem in _stems():
        found = pattern.match(text)
        if found:
            joined = "" if stem[-1].isupper() else " "
            yield f"{stem}{joined}{found['type'].replace('-', '')}"


@lru_cache(maxsize=1)
def _stems() -> tuple[tuple[re.Pattern[str], str], ...]:
    rows = read_reviewed("virus_stems.tsv").select("abbreviation", "stem").iter_rows()
    return tuple((re.compile(_TYPE_OF.format(stem=re.escape(short))), stem) for short, stem in rows)


def _without_tail(text: str) -> Iterator[str]:
    """Yield the beginnings of ``text`` that are followed by the name of a strain or segment."""
    words = text.split(" ")
    for end in range(len(words) - 1, 0, -1):
        added = " ".join(words[end:])
        if _ADDED.match(added) and not _OF_OTHERS.search(added):
            yield " ".join(words[:end])
    path = text.partition("/")[0]
    if path != text and " " not in text:
        yield path
