"""Spellings of "no value": one list for grounding, places, facts and associations.

``NO_VALUE`` is the INSDC missing-value vocabulary and its spellings in the attribute values of
30,000 public samples. ``NO_NAME`` adds values of a treatment that name nothing (``none``,
``other``): facts and grounding leave them out, associations count them.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import polars as pl

_STATED_MISSING: Final = (
    "not applicable", "not collected", "not provided", "restricted access", "control sample",
    "sample group", "synthetic construct", "lab stock", "third party data",
    "data agreement established pre 2023", "endangered species", "human identifiable",
)  # fmt: skip
"""Reasons of the INSDC vocabulary: ``missing: control sample``."""

NO_VALUE: Final = (
    "", "-", ".", "?", "na", "n/a", "n.a.", "n a", "nan", "nil", "null", "unknown", "unk",
    "unspecified", "undefined",
    "undetermined", "not determined", "not available", "not applicable", "not collected",
    "not provided", "<not provided>", "not recorded", "not known", "not reported",
    "not specified", "not stated",
    "not given", "not applied", "not application", "not appicable", "not aplicable",
    "not annotated", "not relevant", "not sure", "no data", "no information", "no applicable",
    "missing", "missing data", "data missing", "tbd", "to be determined", "restricted",
    "restricted access", "withheld", "unavailable", "inapplicable", "pending", "obscured",
    "masked", "uncalculated", "not available not collected",
    "not available to be reported later", "not available restricted access", "nd", "nr", "unsure",
    *(f"missing {reason}" for reason in _STATED_MISSING),
    *(f"missing: {reason}" for reason in _STATED_MISSING),
)  # fmt: skip
"""In lower case, as written: with the signs people write (``n/a``, ``missing: lab stock``)."""

NO_NAME: Final = (
    *NO_VALUE, "none", "nothing", "other", "others", "unclassified", "unidentified",
)  # fmt: skip


def is_no_value(value: pl.Expr) -> pl.Expr:
    """Return whether ``value`` means "no value", or has no letter and no digit.

    >>> import polars as pl
    >>> values = pl.Series(["N/A", "missing: control sample", "none", "?", "leaf"])
    >>> pl.select(is_no_value(values)).to_series().to_list()
    [True, True, False, True, False]
    """
    lower = value.str.to_lowercase()
    spelled = lower.str.replace_all(r"\s+", " ").str.strip_chars()
    has_sign = spelled.str.contains(r"[\p{L}\p{N}]")
    return spelled.is_in(NO_VALUE) | ~has_sign


def no_name_sql(column: str) -> str:
    """Return a DuckDB condition: ``column`` is one of ``NO_NAME``.

    A regular expression: a list of as many spellings takes four times as long to plan and compare.

    >>> no_name_sql("value")[:30]
    "regexp_full_match(value, '(?i)"
    """
    escaped = [re.escape(spelling).replace("\\ ", " ") for spelling in NO_NAME]
    listed = "|".join(escaped).replace("'", "''")
    return f"regexp_full_match({column}, '(?i) *(?:{listed}) *')"
