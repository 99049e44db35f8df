"""Themes: the words that titles and abstracts of a community's bioprojects use and those of other
bioprojects do not. A study counts as a bioproject where a run has none.

One or two neighbouring words make a term. A bioproject counts once for a term, however often it
repeats it, and belongs to each community that holds runs of it. Terms are ranked by the bioprojects
that use them times the log of their rarity in the index (tf-idf with bioprojects as documents); a
term inside a better one is left out. No model is involved.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import duckdb
import polars as pl

from index.store.frames import rows_over
from index.store.run_values import COMMUNITY_RUNS

MAX_TERMS: Final = 5
MAX_INDEX_SHARE: Final = 0.2
MAX_WORDS_READ: Final = 120

STOP_WORDS: Final = frozenset(
    """
    a about after against all along also among an analyses analysis and another any are as
    associated at be because been before being between both but by can compared comparison
    conditions containing control could data dataset deep derived different differential
    differentially during each effect effects either etc experiment experiments expressed
    expression first following for found from gene genes genome genomes group groups had has have
    here high however identification identified identify if in including into is isolate isolated
    it its known large library low may metadata method methods mrna more most new next no not novel
    number obtained of on one only or order other our out over paper performed place project
    provide raw reads region related reveal revealed reveals rna same sample samples seq sequence
    sequenced sequences sequencing set several should show showed shown shows significant
    significantly similar since single some species specific studied studies study such targeted
    than that the their them then there these they this those three through thus time to total
    transcriptome transcriptomes transcriptomic transcriptomics two type types under understand
    understanding up use used using various via was we well were what when where whether which
    while who whole will with within without
    """.split()  # noqa: SIM905
)

PART_TEXTS: Final = 100_000
"""Texts tokenised at a time: each word and each pair is a row."""
PART_MEMBERS: Final = 250_000

_WORD_OR_STOP: Final = r"[\p{L}\d](?:[\p{L}\d]|[-'][\p{L}\d])*|[.;:!?()]"
_THEME: Final = {
    "community": pl.String, "term": pl.String, "bioprojects": pl.Int64, "described": pl.Int64,
    "rank": pl.Int64,
}  # fmt: skip


_MEMBERS: Final = f"""
SELECT DISTINCT m.community, coalesce(r.bioproject, r.study) AS bioproject
FROM ({COMMUNITY_RUNS}) AS m JOIN run AS r USING (run)
WHERE coalesce(r.bioproject, r.study) IS NOT NULL
"""
_DESCRIBED: Final = """
SELECT bioproject, concat_ws(' . ', title, description) AS text FROM bioproject
UNION ALL
SELECT study, concat_ws(' . ', title, abstract) FROM study
WHERE study IN (SELECT study FROM run WHERE bioproject IS NULL)
"""


class Theme(NamedTuple):
    """Two words of the titles and abstracts of the community's bioprojects that others do not
    have.
    """

    term: str
    bioprojects: int
    described: int
    name: str | None = None
    """The words as an ontology writes them, where they name a tissue or a disease."""

    @property
    def known(self) -> bool:
        """Whether the words are a name of a tissue or a disease."""
        return self.name is not None

    @property
    def written(self) -> str:
        """The words as a title writes them."""
        return self.name or self.term


def community_themes(con: duckdb.DuckDBPyConnection, *, max_terms: int = MAX_TERMS) -> pl.DataFrame:
    """Return ``community, term, bioprojects, described, rank, name``: at most ``max_terms`` terms
    per community.

    ``bioprojects`` of the ``described`` bioprojects of the community (those with a title or an
    abstract) use the term; a study counts as one where a run has no bioproject. ``name``: the term
    as an ontology writes it, where it names a tissue or a disease. Only pairs of words are themes,
    and what is not known only where two studies of the index use it: a word alone means too many
    things, a phrase of one author nothing. Reads ``bioproject, study, run, community_member, term,
    synonym``.
    """
    members = con.sql(_MEMBERS).pl()
    described = con.sql(_DESCRIBED).pl()
    slices = list(described.iter_slices(PART_TEXTS)) or [described]
    terms = pl.concat([extract_terms(part) for part in slices])
    telling = _telling_terms(con, terms)
    used = telling.select("bioproject", "term", "position")
    ranked = rank_terms(members, used, max_terms=max_terms)
    named = telling.select("term", "name").unique()

    return ranked.join(named, on="term", how="left", maintain_order="left")


def _telling_terms(con: duckdb.DuckDBPyConnection, terms: pl.DataFrame) -> pl.DataFrame:
    """Return the rows of ``terms`` that may be themes, with ``name``."""
    is_pair = pl.col("term").str.contains(" ", literal=True)
    pairs = terms.filter(is_pair)
    distinct = pairs.select("term").unique()
    names = rows_over(con, _KNOWN, {"theme_term": distinct})
    used = pairs.group_by("term").agg(studies=pl.len())
    judged = pairs.join(used, on="term").join(names, on="term", how="left")
    of_several = pl.col("studies") > 1

    return judged.filter(pl.col("name").is_not_null() | of_several)


_KNOWN: Final = """
WITH name AS (
    SELECT label AS name, 0 AS place FROM term WHERE ontology <> 'NCBITaxon'
    UNION ALL
    SELECT s.synonym, 1 FROM synonym AS s JOIN term AS t USING (curie)
    WHERE t.ontology <> 'NCBITaxon'
)
SELECT lower(name) AS term, arg_min(name, (place, name)) AS name FROM name
WHERE lower(name) IN (SELECT term FROM theme_term) GROUP BY lower(name) ORDER BY ALL
"""


def extract_terms(described: pl.DataFrame) -> pl.DataFrame:
    """Return ``bioproject, term, position`` from ``bioproject, text``: words and neighbouring
    pairs, once each.

    The first 120 words of a text are read; ``position`` is where a term is first used. Numbers,
    stop words and words of less than three letters make no term, and no pair reaches across a
    punctuation mark.
    """
    lowered = pl.col("text").str.to_lowercase()
    read = lowered.str.extract_all(_WORD_OR_STOP).list.head(MAX_WORDS_READ)
    texts = described.select("bioproject", word=read)
    words = texts.filter(pl.col("word").list.len() > 0).explode("word")

    has_letters = pl.col("word").str.contains(r"\p{L}{3}")
    is_stop_word = pl.col("word").is_in(list(STOP_WORDS))
    position = pl.int_range(pl.len()).over("bioproject")
    words = words.select(
        "bioproject",
        term=pl.when(has_letters & ~is_stop_word).then("word"),
        position=position,
    )
    following = pl.col("term").shift(-1).over("bioproject")
    pair = pl.concat_str("term", following, separator=" ")
    terms = pl.concat([words, words.with_columns(term=pair)])
    distinct = terms.drop_nulls().group_by("bioproject", "term")
    return distinct.agg(pl.col("position").min())


def rank_terms(
    members: pl.DataFrame,
    terms: pl.DataFrame,
    *,
    max_terms: int = MAX_TERMS,
    part_members: int = PART_MEMBERS,
) -> pl.DataFrame:
    """Return the themes of each community from ``members`` (``community, bioproject``) and
    ``extract_terms``.

    Terms of more than a fifth of all bioprojects are no theme. Among equals, the one nearer the
    title wins. Communities are ranked in parts of about ``part_members`` rows of ``members``: each
    row takes all the terms of its bioproject.
    """
    texts = terms["bioproject"].n_unique()
    use = terms.group_by("term").agg(index_use=pl.len())
    most = max(2.0, MAX_INDEX_SHARE * texts)
    rare = terms.join(use.filter(pl.col("index_use") <= most), on="term")

    with_text = terms.select("bioproject").unique()
    described = members.join(with_text, on="bioproject").sort("community")
    part = pl.col("at").first().over("community") // part_members
    numbered = described.with_row_index("at").with_columns(part=part)
    parts = numbered.partition_by("part", include_key=False, maintain_order=True)
    ranked = [_rank_part(one, rare, texts, max_terms) for one in parts]
    return pl.concat([pl.DataFrame(schema=_THEME), *ranked])


def _rank_part(
    members: pl.DataFrame, rare: pl.DataFrame, texts: int, max_terms: int
) -> pl.DataFrame:
    """Return the themes of the communities of ``members``, all of whose bioprojects are described,
    by community.
    """
    used = members.join(rare, on="bioproject").group_by("community", "term")
    counted = used.agg(
        pl.col("index_use").first(),
        pl.col("position").min(),
        bioprojects=pl.len(),
    )
    scored = counted.with_columns(score=_score(texts))
    order = ["community", "score", "position", "term"]
    ranked = scored.sort(order, descending=[False, True, False, False])
    best = ranked.group_by("community", maintain_order=True).head(4 * max_terms)
    apart = _drop_overlapping(best)
    kept = apart.group_by("community", maintain_order=True).head(max_terms)

    rank = pl.int_range(1, pl.len() + 1).over("community")
    described = members.group_by("community").agg(described=pl.len())
    sized = kept.join(described, on="community", maintain_order="left")
    themes = sized.with_columns(rank=rank).select(*_THEME)
    return themes.cast(pl.Schema(_THEME))


def _score(texts: int) -> pl.Expr:
    """tf-idf over bioprojects; a pair of words says more than either and counts for the root of
    two.
    """
    words = 1 + pl.col("term").str.count_matches(" ")
    frequency = texts / pl.col("index_use")
    rarity = frequency.log()
    score = pl.col("bioprojects") * rarity * words.sqrt()
    return score.round(6)


def _drop_overlapping(ranked: pl.DataFrame) -> pl.DataFrame:
    """Return ``ranked`` (best first) without terms that share a word with a better term of their
    community.
    """
    ordered = ranked.with_row_index("order")
    words = pl.col("term").str.split(" ")
    by_word = ordered.select("order", "community", word=words)
    by_word = by_word.explode("word")

    first = pl.col("order").min().over("community", "word")
    is_first = pl.col("order") == first
    judged = by_word.select("order", is_first=is_first)
    kept = judged.group_by("order").agg(pl.col("is_first").all())
    best = ordered.join(kept.filter("is_first"), on="order", how="semi")
    return best.sort("order").drop("order")
