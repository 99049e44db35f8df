"""Values with the words of a name in another order: ``adenocarcinoma of prostate``.

A whole value is compared with whole names as sets of words (``reviewed/same_words.tsv`` has those
that say the same), its abbreviations written out. A name that uses all words of the value goes
before one that uses some. Words that do not change the disease (a side, a stage, an age) may be
left out, and a cancer may be named as a carcinoma. If nothing was found in a field of diseases, the
kind of disease may be missing: ``renal clear cell`` is a carcinoma, as long as only one name, or
only one carcinoma, has the other words.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import polars as pl

from ontology_etl.denials import is_null
from ontology_etl.folding import fold, folded_column, separate
from ontology_etl.meaning.interpretation import VALUE, whole_findings
from ontology_etl.name_rules import OTHER
from ontology_etl.reviewed_lists import read_reviewed
from ontology_etl.vocabulary import Vocabulary

METHOD: Final = "words"
FACET: Final = "disease"
ROLE: Final = "disease"
IN_PASSING: Final = "source"
"""Roles of attributes whose values are, or may be, names of diseases: a question says more."""
HEADS: Final = (
    "carcinoma", "cell carcinoma", "disease", "leukemia", "lymphoma", "neoplasm", "sarcoma",
    "syndrome",
)  # fmt: skip
CARCINOMA: Final = "carcinoma"
"""The kind that goes before the others: four of five cancers are carcinomas."""
SCORE: Final = 0.95
SCORE_WITHOUT_MODIFIER: Final = 0.9
SCORE_OF_ANOTHER_HEAD: Final = 0.8
A_WORD: Final = r"\p{L}{5}"
"""What a value needs to be more than the code of a cell line: ``CMT2``."""
MOST_WORDS: Final = 14
SHORTEST_ALONE: Final = 4
"""Minimum letters of a single word that may be a disease without its kind: ``Wilms``."""
_PHRASES: Final = {
    r"\bnot (?:elsewhere classified|otherwise specified|specified)\b": " ",
    r"\bmalignant (?:neoplasm|tumor)s?\b": "cancer",
    r"\bmammary gland\b": "breast",
    r"\burinary bladder\b": "bladder",
    r"\buter(?:ine|us) cervi(?:x|cal)\b": "cervix",
    r"\bcns\b": "central nervous",
    r"\bacute (?:lymphocytic|lymphoid) leukemia\b": "acute lymphoblastic leukemia",
    r"\bnon (\p{L}+)": "non$1",
}
_MODIFIERS: Final = (
    r"\b(?:stage|grade|phase) (?:[ivx]+|\d)(?: ?[abc])?\b"
    r"|\b(?:adult|child|childhood|pediatric|infantile|juvenile|elderly|left|right|bilateral|unilateral"
    r"|early|late|end|advanced|stage|recurrent|relapsed|refractory|metastatic|primary|secondary"
    r"|invasive|infiltrating|(?:poorly|moderately|well) differentiated|mixed|variant|subtype"
    r"|conventional|sporadic|severe|mild|moderate|active|confirmed|diagnosed|diagnosis|patient"
    r"|history|clinical)\b"
)
"""Words that say when, where or how advanced a disease is, but not which."""
_KARYOTYPE: Final = r"(?i)\bt ?\(?\d{1,2}; ?\d{1,2}\)?(?: ?\(?[pq][\d.]+; ?[pq][\d.]+\)?)?;?"
_ABBREVIATION: Final = r"^\p{Lu}[\p{L}\p{N}]*\p{Lu}$"


def read_same_words(
    routed: pl.DataFrame, said: pl.DataFrame, vocabulary: Vocabulary
) -> pl.DataFrame:
    """Return the diseases that values name word by word: columns of ``said``, method, score."""
    says_nothing = is_null(folded_column("text"))
    in_field = pl.col("role") == ROLE
    in_passing = (pl.col("role") == IN_PASSING) & pl.col("text").str.contains(A_WORD)
    telling = routed.filter(~says_nothing, in_field | in_passing, facet=FACET)
    is_settled = pl.col("whole") & (pl.col("outcome") == "grounded")
    is_denied = pl.col("outcome").is_in(["negated", "ambiguous"])
    settled = said.filter(is_settled | is_denied)
    open_values = telling.join(settled, on=VALUE, how="anti")
    if open_values.is_empty():
        return said.clear()
    readings = _readings(open_values, vocabulary)
    names = _names(vocabulary)
    modified = said.filter(pl.col("matched").str.contains(_MODIFIERS)).select(VALUE)
    precise = modified.with_columns(score=pl.lit(SCORE_WITHOUT_MODIFIER))
    readings = readings.join(precise, on=[*VALUE, "score"], how="anti")
    whole = _best(readings.join(names, on="key").filter(in_field | ~_is_benign(vocabulary)))
    unnamed = readings.filter(in_field).join(said, on=VALUE, how="anti")
    silent = unnamed.join(whole, on=VALUE, how="anti")
    found = pl.concat([whole, _without_head(silent, names, vocabulary).select(whole.columns)])
    named = found.with_columns(method=pl.lit(METHOD))
    findings = whole_findings(named, matched="folded")
    return findings.select(*said.columns, "method", "score")


def _is_benign(vocabulary: Vocabulary) -> pl.Expr:
    """Return whether a term is a benign disease, which ``lung tumors`` of a tissue do not say."""
    benign = vocabulary.labels.filter(pl.col("label").str.contains(r"\bbenign\b"))
    return pl.col("curie").is_in(benign["curie"].implode())


def _readings(values: pl.DataFrame, vocabulary: Vocabulary) -> pl.DataFrame:
    """Return [*values, folded, words, key, score]: ``values`` with and without modifiers."""
    written = _written_out(values, vocabulary)
    plain = written.with_columns(folded=_plain(pl.col("written")), score=pl.lit(SCORE))
    bare = plain.with_columns(
        folded=pl.col("folded").str.replace_all(_MODIFIERS, " "),
        score=pl.lit(SCORE_WITHOUT_MODIFIER),
    )
    shorter = bare.filter(pl.col("folded") != plain["folded"])
    narrower = plain.with_columns(
        folded=pl.col("folded").str.replace(r"\bcancer\b", "carcinoma"),
        score=pl.lit(SCORE_OF_ANOTHER_HEAD),
    )
    carcinomas = narrower.filter(pl.col("folded") != plain["folded"])
    keyed = _keyed(pl.concat([plain, shorter, carcinomas]).drop("written"))
    return keyed.filter(pl.col("words").list.len().is_between(1, MOST_WORDS))


def _written_out(values: pl.DataFrame, vocabulary: Vocabulary) -> pl.DataFrame:
    """Return ``values`` with ``written``: abbreviations written out, karyotypes left out."""
    plain = pl.col("text").str.replace_all(_KARYOTYPE, " ").str.replace_all("_", " ", literal=True)
    listed = values.with_row_index("row").with_columns(token=plain.str.extract_all(r"\S+"))
    tokens = listed.explode("token").with_columns(bare=pl.col("token").str.strip_chars(" ,;:()[]/"))
    full = tokens.join(
        _abbreviations(vocabulary), left_on="bare", right_on="short", how="left",
        maintain_order="left",
    )  # fmt: skip
    spelled = full.with_columns(word=pl.coalesce("name", "token").fill_null(""))
    texts = spelled.group_by("row", maintain_order=True).agg(written=pl.col("word").str.join(" "))
    return values.with_columns(texts["written"])


def _abbreviations(vocabulary: Vocabulary) -> pl.DataFrame:
    """Return [short, name] of the abbreviations that mean one disease, as spelled."""
    named = vocabulary.names.filter(
        pl.col("facet") == FACET, pl.col("cased").str.contains(_ABBREVIATION)
    )
    best = named.filter(pl.col("priority") == pl.col("priority").min().over("cased"))
    clear = best.filter(pl.col("curie").n_unique().over("cased") == 1)
    labelled = clear.join(vocabulary.labels, on="curie")
    return labelled.select(short="cased", name="label").unique("short")


def _best(met: pl.DataFrame) -> pl.DataFrame:
    """Return the row of each value of ``met`` that leaves out the fewest words."""
    ordered = met.sort("attribute", "text", "score", descending=[False, False, True])
    return ordered.unique(["attribute", "text"], keep="first", maintain_order=True)


def _plain(text: pl.Expr) -> pl.Expr:
    """Return a text folded, with listed phrases as one word."""
    folded = fold(separate(text))
    for pattern, word in _PHRASES.items():
        folded = folded.str.replace_all(pattern, word)
    return folded


def _keyed(rows: pl.DataFrame) -> pl.DataFrame:
    """Return ``rows`` with the words of ``folded`` that count, and a key of them, sorted."""
    words = pl.col("folded").str.split(" ").list.eval(pl.element().replace(_same()))
    telling = words.list.eval(pl.element().filter(pl.element() != "")).list.unique().list.sort()
    return rows.with_columns(words=telling).with_columns(key=pl.col("words").list.join(" "))


@lru_cache(maxsize=1)
def _same() -> dict[str, str]:
    same = folded_column("as").fill_null("")
    rows = read_reviewed("same_words.tsv").with_columns(same)
    return dict(rows.select("word", "as").iter_rows())


def _names(vocabulary: Vocabulary) -> pl.DataFrame:
    """Return [key, curie] of the disease names whose words belong to one term only."""
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


def _without_head(
    values: pl.DataFrame, names: pl.DataFrame, vocabulary: Vocabulary
) -> pl.DataFrame:
    """Return the ``values`` with all words of one disease name except the kind of disease."""
    alone = pl.col("words").list.len() == 1
    tissues = vocabulary.names.filter(pl.col("facet") != FACET)["folded"]
    known = pl.col("words").list.first().is_in(tissues.implode())
    short = pl.col("key").str.len_chars() < SHORTEST_ALONE
    is_virus = pl.col("words").list.contains("virus")
    telling = values.filter(pl.col("score") == SCORE, ~is_virus, ~(alone & (known | short)))
    headed = telling.join(pl.DataFrame({"head": HEADS}), how="cross")
    words = pl.col("words").list.concat(pl.col("head").str.split(" ")).list.unique().list.sort()
    met = headed.with_columns(key=words.list.join(" ")).join(names, on="key")
    is_carcinoma = pl.col("head").str.ends_with(CARCINOMA)
    likeliest = met.filter(is_carcinoma | ~is_carcinoma.any().over("attribute", "text"))
    one = pl.col("curie").n_unique().over("attribute", "text") == 1
    found = likeliest.filter(one).unique(["attribute", "text"], maintain_order=True)
    return found.with_columns(score=pl.lit(SCORE_OF_ANOTHER_HEAD))
