"""Values that say nothing and values that deny: what must never become an annotation.

The INSDC missing-value vocabulary and its spellings in the wild are null for every facet; health and absence of
infection are negations of a disease. Reviewed on the attribute values of 30,000 public samples.
"""

from __future__ import annotations

from typing import Final

import polars as pl

from ontology_etl.folding import fold, separate

_NULLS: Final = (
    "", "na", "n a", "nan", "nil", "null", "none", "nothing", "no", "yes", "y", "n", "true", "false", "unknown", "unk",
    "unspecified", "undefined", "undetermined", "not determined", "not available", "not applicable", "not collected",
    "not provided", "not recorded", "not known", "not reported", "not specified", "not stated", "not given",
    "not applied", "not application", "not appicable", "not aplicable", "not annotated", "not relevant", "not sure",
    "no data", "no information", "no applicable", "missing", "missing data", "data missing", "other", "others", "misc",
    "miscellaneous", "various", "mixed", "tbd", "to be determined", "restricted", "restricted access", "withheld",
    "missing control sample", "missing sample group", "missing synthetic construct", "missing lab stock",
    "missing third party data", "missing data agreement established pre 2023", "missing endangered species",
    "missing human identifiable", "unavailable", "inapplicable", "applicable", "any", "all", "total", "sample",
    "samples", "unclassified", "anonymous", "empty", "blank", "pending", "obscured", "masked", "uncalculated",
    "not available not collected", "not available to be reported later", "not available restricted access", "nd", "nr",
    "unidentified", "unsure", "generic", "default", "test", "x", "xx", "xxx",
)  # fmt: skip

_HEALTHY: Final = (
    "healthy", "health", "normal", "normal healthy", "apparently healthy", "healthy control", "healthy controls",
    "control", "controls", "ctrl", "uninfected", "non infected", "noninfected", "not infected", "unaffected",
    "non diseased", "nondiseased", "no disease", "disease free", "no known disease", "negative", "neg", "mock", "mock infected",
    "mock infection", "asymptomatic", "symptomless", "wild type", "wildtype", "wt", "good", "well", "fine",
    "normal control", "healthy donor", "healthy volunteer", "healthy subject", "healthy individual", "nd control",
    "non disease", "no infection", "no virus", "no rejection", "no symptoms", "no diagnosis", "no cancer", "no tumor",
    "virus free", "pathogen free", "alive", "unexposed", "untreated", "non demented control", "hc", "nc",
)  # fmt: skip

BEFORE: Final = (
    "no",
    "not",
    "non",
    "without",
    "never",
    "negative for",
    "free of",
    "free from",
    "absence of",
    "anti",
)
AFTER: Final = (
    "negative",
    "free",
    "uninfected",
    "unaffected",
    "absent",
    "naive",
    "seronegative",
    "control",
)
_WINDOW: Final = 3


def null_spellings() -> pl.Series:
    """Return the folded spellings of "no value"."""
    return _folded(_NULLS)


def healthy_spellings() -> pl.Series:
    """Return the folded whole values that deny any disease."""
    return _folded(_HEALTHY)


def is_null(folded: pl.Expr) -> pl.Expr:
    """Return whether a folded value says nothing: a null spelling, or no two letters in a row."""
    return folded.is_in(null_spellings().implode()) | ~folded.str.contains(r"\p{L}{2}|^[\p{L}]$")


def deny(spans: pl.DataFrame, tokens: pl.Series, text_start: pl.Series) -> pl.Series:
    """Return for each span [text, start, end] whether the words around it deny it (``not infected with``).

    Looks at the three words before, as far as the clause and the value go, and at the word after.
    """
    word = pl.DataFrame({"token": tokens}).with_row_index("at").with_columns(pl.col("at").cast(pl.Int64))
    limits = pl.DataFrame({"text": range(len(text_start) - 1), "from": text_start[:-1], "to": text_start[1:]})
    placed = spans.select("text", "start", "end").with_row_index("span").join(limits, on="text")
    before = _context(placed, word, range(-_WINDOW, 0), "start")
    after = _context(placed, word, range(0, 1), "end")
    denied_before = before.str.contains(rf"(?:^| )(?:{'|'.join(BEFORE)})(?:$| )[^;]*$")
    denied_after = after.is_in(list(AFTER))
    return (denied_before | denied_after).alias("denied")


def _context(placed: pl.DataFrame, word: pl.DataFrame, offsets: range, edge: str) -> pl.Series:
    """Return the tokens of each span at ``offsets`` from its ``edge`` that lie inside the text, joined by blanks."""
    near = placed.select("span", "from", "to", pl.col(edge).alias("edge"), pl.lit(list(offsets)).alias("offset"))
    at = near.explode("offset").with_columns(at=pl.col("edge") + pl.col("offset"))
    inside = at.filter((pl.col("at") >= pl.col("from")) & (pl.col("at") < pl.col("to"))).join(word, on="at")
    joined = inside.sort("span", "offset").group_by("span", maintain_order=True).agg(pl.col("token").str.join(" "))
    return placed.select("span").join(joined, on="span", how="left").sort("span")["token"].fill_null("")


def _folded(spellings: tuple[str, ...]) -> pl.Series:
    frame = pl.DataFrame({"value": spellings}, schema={"value": pl.String})
    return frame.select(fold(separate(pl.col("value"))).alias("value"))["value"].unique().sort()
