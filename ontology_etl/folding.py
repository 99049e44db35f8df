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

_RESPELLED: Final = {
    **GREEK, **SPELLING, **{f" {many} ": f" {one} " for many, one in _IRREGULAR.items()},
}  # fmt: skip
"""Replacements in a text that has two blanks between tokens, and one at each end."""
# Regular plurals, apart from -ies. A token is letters only or numbers only, and the first form that
# fits it counts.
_PLURAL: Final = (
    r"(\p{L}{3}o|\p{L}{2}(?:ch|sh|x|ss|zz|us))es\b"
    r"|(\p{L}{3}a)e\b"
    r"|(\p{L}{2}[^\P{L}sui])s\b"
)


_BEYOND_ASCII: Final = r"[^\x00-\x7F]"
_CROSS: Final = "×"
"""Sign of a hybrid, which taxonomies write as x."""
JOINED: Final = "+"
"""Mark of a token that is written on to the token before it: ``HEK +293``."""


def separate(text: pl.Expr) -> pl.Expr:
    """Return ``text`` as tokens between single blanks, case unchanged; punctuation alone is ""."""
    return _separated(text, joined="")


def separate_marked(text: pl.Expr) -> pl.Expr:
    """Return ``text`` as ``separate`` does, with ``JOINED`` before a token attached to a code."""
    return _separated(text, joined=JOINED)


def _separated(text: pl.Expr, *, joined: str) -> pl.Expr:
    plain = text.map_batches(_without_marks, return_dtype=pl.String, is_elementwise=True)
    owned = plain.str.replace_all(r"['’`´](?:s\b)?", "")
    listed = owned.str.replace_all("[;|]", " ; ")
    words = listed.str.replace_all(r"[^\p{L}\p{N};]{2,}|[^\p{L}\p{N}; ]", " ")
    sided = words.str.replace_all(r"(?i)\b(left|right)(\p{L}{4})", "$1 $2")
    numbered = sided.str.replace_all(r"(\p{L})(\p{N})", f"${{1}} {joined}${{2}}")
    lettered = numbered.str.replace_all(r"(\p{N})(\p{L})", f"${{1}} {joined}${{2}}")

    return lettered.str.strip_chars(" ;")


def _without_marks(texts: pl.Series) -> pl.Series:
    """Return ``texts`` in compatibility forms, without diacritics; the sign of a hybrid is an x.

    Normalising copies a text. One name in ten thousand needs it.
    """
    is_beyond = texts.str.contains(_BEYOND_ASCII)
    if not is_beyond.any():
        return texts
    places = is_beyond.arg_true()
    crossed = texts.gather(places).str.replace_all(_CROSS, " x ", literal=True)
    decomposed = crossed.str.normalize("NFKD")
    return texts.scatter(places, decomposed.str.replace_all(r"\p{M}+", ""))


def fold(separated: pl.Expr) -> pl.Expr:
    """Return ``separated`` (from ``separate``) with case, spelling and plurals folded."""
    lower = separated.str.to_lowercase()
    spaced = lower.str.replace_all(" ", "  ", literal=True)
    ended = spaced.str.replace("", " ", literal=True) + pl.lit(" ")
    respelled = ended.str.replace_many(_RESPELLED).str.strip_chars(" ")
    irregular = respelled.str.replace_all("  ", " ", literal=True)
    ending = irregular.str.replace_all(r"(\p{L}{3})ies\b", "${1}y")
    return ending.str.replace_all(_PLURAL, "${1}${2}${3}")


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
    >>> fold_one("Mentha × piperita")
    'mentha x piperita'
    """
    return fold_each([text])[0]


def fold_each(texts: Iterable[str]) -> list[str]:
    """Return each of ``texts`` folded, in order.

    >>> fold_each(["Mice", "HEK293"])
    ['mouse', 'hek 293']
    """
    column = pl.DataFrame({"text": list(texts)}, schema={"text": pl.String})
    return column.select(folded_column("text")).to_series().to_list()
