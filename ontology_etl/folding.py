"""Fold texts and ontology names to one spelling, so that equal things compare equal.

Both sides of a comparison go through the same two steps, as Polars expressions over whole columns:

``separate``  compatibility forms, diacritics and apostrophes removed; every run of punctuation
              becomes one blank; letters and digits are separated (``HEK293`` -> ``HEK 293``), and
              a side of the body from its organ (``leftcolon`` -> ``left colon``); case stays;
              ``;`` and ``|`` stay as a token ``;``.
``fold``      ``separate``, then lower case, Greek letters by name, American spelling, plurals to
singular.

Both give the same number of tokens for the same text, so a token of one points to the same token of
the other. A fold need not be right (``species`` -> ``specy``): it only has to be the same for the
name and for the text.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable
from typing import Final

import polars as pl

GREEK: Final = {
    "α": "alpha", "β": "beta", "γ": "gamma", "δ": "delta", "ε": "epsilon", "ζ": "zeta",
    "η": "eta", "θ": "theta", "ι": "iota", "κ": "kappa", "λ": "lambda", "μ": "mu", "ν": "nu",
    "ξ": "xi", "π": "pi", "ρ": "rho", "σ": "sigma", "ς": "sigma", "τ": "tau", "υ": "upsilon",
    "φ": "phi", "χ": "chi", "ψ": "psi", "ω": "omega",
}  # fmt: skip

SPELLING: Final = {
    "aemi": "emi", "haem": "hem", "faec": "fec", "oesoph": "esoph", "oedem": "edem",
    "rrhoea": "rrhea", "tumour": "tumor", "foet": "fet", "caec": "cec", "paed": "ped",
    "coelia": "celia", "oestr": "estr", "colour": "color", "behaviour": "behavior",
    "fibre": "fiber", "grey": "gray", "mould": "mold", "peridont": "periodont",
}  # fmt: skip
"""British spellings and one frequent slip (``peridontal``)."""

_IRREGULAR: Final = {
    "mice": "mouse", "geese": "goose", "oxen": "ox", "calves": "calf", "leaves": "leaf",
    "halves": "half", "hooves": "hoof", "wolves": "wolf", "teeth": "tooth", "feet": "foot",
    "children": "child", "women": "woman", "men": "man", "testes": "testis", "ova": "ovum",
    "nuclei": "nucleus", "mycelia": "mycelium", "bronchi": "bronchus", "thalli": "thallus",
    "fungi": "fungus", "metastases": "metastasis", "diagnoses": "diagnosis", "atria": "atrium",
    "cortices": "cortex", "apices": "apex", "calli": "callus", "rumina": "rumen",
    "viscera": "viscus", "ganglia": "ganglion", "haustoria": "haustorium",
    "epithelia": "epithelium", "flies": "fly", "capita": "caput", "sera": "serum",
    "villi": "villus", "hippocampi": "hippocampus",
}  # fmt: skip

# Regular plurals: the first rule that fits a token wins, because each removes the final s.
_PLURALS: Final = (
    (r"\b(\p{L}{3,})ies\b", "${1}y"),
    (r"\b(\p{L}{3,}o)es\b", "${1}"),
    (r"\b(\p{L}{2,}(?:ch|sh|x|ss|zz|us))es\b", "${1}"),
    (r"\b(\p{L}{3,})ae\b", "${1}a"),
    (r"\b(\p{L}{2,}[^\P{L}sui])s\b", "${1}"),
)


JOINED: Final = "+"
"""Mark of a token that is written on to the token before it: ``HEK +293``."""


def separate(text: pl.Expr) -> pl.Expr:
    """Return ``text`` as tokens between single blanks, case unchanged; punctuation alone is ""."""
    marked = separate_marked(text)
    return marked.str.replace_all(JOINED, "", literal=True)


def separate_marked(text: pl.Expr) -> pl.Expr:
    """Return ``text`` as ``separate`` does, with ``JOINED`` before a token attached to a code."""
    decomposed = text.str.normalize("NFKD")
    plain = decomposed.str.replace_all(r"\p{M}+", "")
    owned = plain.str.replace_all(r"['’`´](?:s\b)?", "")
    listed = owned.str.replace_all(r"\s*[;|]\s*", " ; ")
    words = listed.str.replace_all(r"[^\p{L}\p{N};]+", " ")
    sided = words.str.replace_all(r"(?i)\b(left|right)(\p{L}{4,})", "$1 $2")
    numbered = sided.str.replace_all(r"(\p{L})(\p{N})", f"${{1}} {JOINED}${{2}}")
    lettered = numbered.str.replace_all(r"(\p{N})(\p{L})", f"${{1}} {JOINED}${{2}}")

    return lettered.str.strip_chars(" ;")


def fold(separated: pl.Expr) -> pl.Expr:
    """Return ``separated`` (from ``separate``) with case, spelling and plurals folded."""
    lower = separated.str.to_lowercase()
    lower = lower.str.replace_many({**GREEK, **SPELLING})
    singular = _replace_words(lower)
    for pattern, replacement in _PLURALS:
        singular = singular.str.replace_all(pattern, replacement)
    return singular


def folded_column(column: str) -> pl.Expr:
    """Return the texts of ``column`` folded."""
    return fold(separate(pl.col(column)))


@functools.lru_cache(maxsize=256)
def fold_one(text: str) -> str:
    """Return one text folded, as ``fold(separate(...))`` does for a column.

    >>> fold_one("Crohn's Disease")
    'crohn disease'
    >>> fold_one("HEK293T cells (β-catenin)")
    'hek 293 t cell beta catenin'
    """
    literal = pl.lit(text, dtype=pl.String)
    folded = fold(separate(literal))
    return str(pl.select(folded).item())


def fold_each(texts: Iterable[str]) -> list[str]:
    """Return each of ``texts`` folded, in order.

    >>> fold_each(["Mice", "HEK293"])
    ['mouse', 'hek 293']
    """
    column = pl.DataFrame({"text": list(texts)}, schema={"text": pl.String})
    return column.select(folded_column("text")).to_series().to_list()


def _replace_words(text: pl.Expr) -> pl.Expr:
    """Return ``text`` with each irregular plural replaced, where it is a whole token."""
    padded = text.str.replace_all(" ", "  ", literal=True).str.replace_all("^|$", " ")
    table = {f" {plural} ": f" {singular} " for plural, singular in _IRREGULAR.items()}
    return (
        padded.str.replace_many(table).str.replace_all("  ", " ", literal=True).str.strip_chars(" ")
    )
