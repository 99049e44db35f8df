"""Values that say the words of a name in another order: ``adenocarcinoma of prostate``.

A whole value is compared with whole names as sets of words (``reviewed/same_words.tsv`` has those
that say the same). A name that uses all words of the value goes before one that uses some. Where
nothing was found, the kind of disease may be left out: ``renal clear cell`` is a carcinoma, as long
as one name alone has the other words.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import polars as pl

from ontology_etl.folding import fold, separate
from ontology_etl.name_rules import OTHER
from ontology_etl.reviewed_lists import read_reviewed
from ontology_etl.vocabulary import Vocabulary

METHOD: Final = "words"
FACET: Final = "disease"
ROLE: Final = "disease"
"""Role of attributes whose values are names of diseases: a title or a question says more."""
HEADS: Final = ("carcinoma", "disease", "leukemia", "lymphoma", "sarcoma", "syndrome")
SCORE: Final = 0.95
SCORE_WITHOUT_HEAD: Final = 0.8
MOST_WORDS: Final = 14
_PHRASES: Final = {
    r"\bnot (?:elsewhere classified|otherwise specified|specified)\b": " ",
    r"\bmalignant (?:neoplasm|tumor)s?\b": "cancer",
    r"\bpituitary gland\b": "pituitary",
    r"\bthyroid gland\b": "thyroid",
}
_DENIES: Final = (
    r"\b(?:no|not|non|without|negative|free|never|normal|healthy|control|anti|pre|post)\b"
)


def read_same_words(
    routed: pl.DataFrame, said: pl.DataFrame, vocabulary: Vocabulary
) -> pl.DataFrame:
    """Return the terms of ``routed`` values that have the words of a name in another order."""
    asked = routed.filter(facet=FACET, role=ROLE)
    key = ["attribute", "text", "facet"]
    is_settled = pl.col("whole") & (pl.col("outcome") == "grounded")
    is_denied = pl.col("outcome").is_in(["negated", "ambiguous"])
    settled = said.filter(is_settled | is_denied)
    open_values = asked.join(settled, on=key, how="anti")
    if open_values.is_empty():
        return said.clear()
    values = _keyed(open_values.with_columns(folded=_plain(pl.col("text")))).filter(
        ~pl.col("folded").str.contains(_DENIES),
        pl.col("words").list.len().is_between(2, MOST_WORDS),
    )
    names = _names(vocabulary)
    whole = values.join(names, on="key").with_columns(score=pl.lit(SCORE))
    silent = values.join(said, on=key, how="anti").join(whole, on=key, how="anti")
    found = pl.concat([whole, _without_head(silent, names).select(whole.columns)])
    return _as_said(found, said)


def _plain(text: pl.Expr) -> pl.Expr:
    """Return a text folded, with phrases of several words as one."""
    folded = fold(separate(text))
    for pattern, word in _PHRASES.items():
        folded = folded.str.replace_all(pattern, word)
    return folded


def _keyed(rows: pl.DataFrame) -> pl.DataFrame:
    """Return ``rows`` with the words that count of ``folded``, and a key of them in one order."""
    words = pl.col("folded").str.split(" ").list.eval(pl.element().replace(_same()))
    telling = words.list.eval(pl.element().filter(pl.element() != "")).list.unique().list.sort()
    return rows.with_columns(words=telling).with_columns(key=pl.col("words").list.join(" "))


@lru_cache(maxsize=1)
def _same() -> dict[str, str]:
    rows = read_reviewed("same_words.tsv").with_columns(pl.col("as").fill_null(""))
    return dict(rows.select("word", "as").iter_rows())


def _names(vocabulary: Vocabulary) -> pl.DataFrame:
    """Return [key, curie] of the names of diseases whose words are those of one term alone."""
    named = vocabulary.names.filter(
        pl.col("facet") == FACET,
        pl.col("case_rule") == "any",
        pl.col("priority") <= OTHER,
        pl.col("curie").str.contains(":"),
    )
    keyed = _keyed(named.with_columns(folded=_plain(pl.col("folded"))))
    best = keyed.filter(pl.col("priority") == pl.col("priority").min().over("key"))
    once = best.select("key", "curie").unique()
    clear = once.filter(pl.len().over("key") == 1)
    return clear.filter(~pl.col("curie").is_in(sorted(vocabulary.generic)))


def _without_head(values: pl.DataFrame, names: pl.DataFrame) -> pl.DataFrame:
    """Return the ``values`` that have all words of one disease name except the kind of disease.

    A virus is no disease, though one may be named after it.
    """
    values = values.filter(~pl.col("words").list.contains("virus"))
    heads = pl.DataFrame({"head": HEADS})
    headed = values.join(heads, how="cross")
    words = pl.concat_list("words", "head").list.unique().list.sort()
    met = headed.with_columns(key=words.list.join(" ")).join(names, on="key")
    one = pl.col("curie").n_unique().over("attribute", "text") == 1
    found = met.filter(one).unique(["attribute", "text"], maintain_order=True)
    return found.with_columns(score=pl.lit(SCORE_WITHOUT_HEAD))


def _as_said(found: pl.DataFrame, said: pl.DataFrame) -> pl.DataFrame:
    """Return ``found`` in the columns of ``said``, with method and score."""
    constants = {
        "outcome": pl.lit("grounded"),
        "whole": pl.lit(True),
        "candidates": pl.concat_list("curie"),
        "start": pl.lit(0, said.schema["start"]),
        "end": pl.lit(0, said.schema["end"]),
        "coded": pl.lit(False),
        "no_organism": pl.lit(False),
        "method": pl.lit(METHOD),
    }
    filled = found.with_columns(pl.col("folded").alias("matched"), **constants)
    return filled.select(*said.columns, "method", "score")
