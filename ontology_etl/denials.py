"""Values that are empty or deny a disease, reviewed on the values of 30,000 public samples."""

from __future__ import annotations

from functools import cache
from typing import Final

import polars as pl

from ontology_etl.folding import folded_column
from ontology_etl.missing import NO_NAME

_SAYS_NOTHING: Final = (
    "no", "yes", "y", "n", "true", "false", "misc", "miscellaneous", "various", "mixed",
    "applicable", "any", "all", "total", "sample", "samples", "anonymous", "empty", "blank",
    "generic", "default", "test", "x", "xx", "xxx",
)  # fmt: skip
"""Values that name nothing, in addition to the spellings of "no value"."""

_WELL: Final = (
    "healthy", "health", "normal", "normal healthy", "apparently healthy", "healthy control",
    "healthy controls", "healthy control subject", "control", "controls", "uninfected",
    "uninfected control", "non infected", "noninfected", "not infected", "no infection",
    "unaffected", "non diseased", "nondiseased", "not diseased", "no disease", "disease free",
    "no known disease", "no diagnosis", "normal control", "healthy donor", "healthy volunteer",
    "healthy subject", "healthy individual", "non disease", "asymptomatic", "none",
    "ctrl", "negative", "neg", "mock", "mock infected", "mock infection", "symptomless",
    "wild type", "wildtype", "wt", "good", "well", "nd control", "no virus", "no rejection",
    "no symptoms", "no cancer", "no tumor", "virus free", "pathogen free", "alive", "unexposed",
    "untreated", "non demented control", "hc", "nc",
)  # fmt: skip
"""Values that deny a disease and do not say that the sample is healthy."""

_DENIED: Final = r"no|not|without|never|negative for|free of|free from|absence of"
_BESIDE: Final = r"adjacent to|uninvolved|non lesional|surrounding|distant from|distal to"
_AT_RISK: Final = r"(?:at|high|low|increased)? ?risk (?:of|for)|family history of|predisposed to"
_BEFORE: Final = (
    rf"(?:^| )(?:{_DENIED}|{_BESIDE}|{_AT_RISK}|susceptibility to)(?:$| )[^;]*$"
    r"|(?:^| )(?:non|anti)$|^negative$"
)
_AFTER: Final = (
    r"^(?:negative|neg|not detected|undetected|undetectable|not found|excluded|ruled out"
    r"|non reactive|nonreactive|free|uninfected|unaffected|absent|naive|seronegative|control|risk"
    r"|adjacent (?:normal|non)|(?:tumor )?adjacent (?:tissue|normal)|paired normal|uninvolved)\b"
)

_END: Final = r"(\s*(?:$|[,;/)|\]]))"
_SIGNS: Final = (
    (rf"\s*[:=]\s*(?i:no|none|n|neg|negative|false|absent|not detected){_END}", " negative${1}"),
    (r"\s*\(\s*[-−–]\s*\)", " negative"),
    (rf"([\p{{L}}\p{{N}}])\s?[-−–]{_END}", "${1} negative${2}"),
)
"""Denials in signs (``HIV-``, ``HIV (-)``) or in a field of their own (``HIV: no``), in words."""

# Rice in "rice stripe virus" and influenza in "influenza A virus" are parts of another name;
# "dengue virus infection" is a disease, and "pig infected with a virus" means the pig.
_BREAK: Final = (
    r"(?:^| )(?:with|infected|infection|from|in|and|or|positive|by|for|disease|carrying|;"
    r"|carry|harbor|have|has|had|shed|transmit|spread|host|contain|show|that|which|is|are|was|were"
    r"|of|to|on|at|than)(?:$| ).*$"
)
_VIRAL: Final = (
    r"(?:virus|virid|viridae|virinae|virale|phage|viroid|phytoplasma|virion|viral{of})"
    r"(?:$| )"
)
_OF_A_VIRUS: Final = _VIRAL.format(of="|strain|vaccine")
_OF_ANY_VIRUS: Final = _VIRAL.format(of="")


@cache
def null_spellings() -> pl.Series:
    """Return the folded values that mean "no value"."""
    return _folded((*NO_NAME, *_SAYS_NOTHING))


@cache
def healthy_spellings() -> pl.Series:
    """Return the folded whole values that deny any disease."""
    return _folded(_WELL)


def spell_denials(text: pl.Expr) -> pl.Expr:
    """Return ``text`` with denials by a sign, or by ``no`` after a colon, written as words."""
    for pattern, words in _SIGNS:
        text = text.str.replace_all(pattern, words)
    return text


def is_null(folded: pl.Expr) -> pl.Expr:
    """Return whether a folded value is empty: a null spelling, or no letter at all."""
    spelled_null = folded.is_in(null_spellings().implode())
    has_letter = folded.str.contains(r"\p{L}")
    return spelled_null | ~has_letter


def denies(before: pl.Expr, after: pl.Expr) -> pl.Expr:
    """Return whether words around a disease deny it: ``not infected with``, ``risk of``."""
    denied_before = before.str.contains(_BEFORE)
    denied_after = after.str.contains(_AFTER)
    return denied_before | denied_after


def names_a_virus(after: pl.Expr, *, of_organism: bool) -> pl.Expr:
    """Return whether the words ``after`` a name make it part of a virus name."""
    of_clause = after.str.replace(_BREAK, "")
    return of_clause.str.contains(_OF_ANY_VIRUS if of_organism else _OF_A_VIRUS)


def _folded(spellings: tuple[str, ...]) -> pl.Series:
    frame = pl.DataFrame({"value": spellings}, schema={"value": pl.String})
    folded = folded_column("value")
    values = frame.select(folded.alias("value"))["value"]
    return values.unique().sort()
