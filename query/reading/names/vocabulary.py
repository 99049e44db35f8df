"""The part of an index's vocabulary that a text can name: what the grounding engine needs to read
that one text.

Grounding metadata loads all 2.7 million names once for many texts. A question is one text, and has
to be answered in a moment: only names that begin with one of its words are fetched, from table
``name``, and only the lineages of those that are in it. ``complete`` fetches them from ``term``,
which has every name and takes a third of a second.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import duckdb

from index.store.sorted_rows import rows_near
from ontology_etl.curies import NCBI_TAXON, ontology_of
from query.reading.names.begun_names import as_curies, fetch_names, fetch_rows

if TYPE_CHECKING:
    import polars as pl

    from ontology_etl.vocabulary import Vocabulary

_EDGE: Final = ("subject", "object", "predicate")
_MOST_WORDS: Final = 4
"""Words of the longest name that is looked for where one of them is cut short."""
_LEAST_LETTERS: Final = 5
"""Shorter names of one word need their capital although runs carry them: many are plain words."""


def vocabulary_for(
    con: duckdb.DuckDBPyConnection, text: str, *, complete: bool = True
) -> Vocabulary:
    """Return the vocabulary of the index behind ``con`` as far as ``text`` can name it.

    ``complete``: no match is lost; else a species that no run carries may be. A genus or family
    that some run carries is known in small letters, too.
    """
    import polars as pl

    from ontology_etl.closure import taxon_parents
    from ontology_etl.vocabulary import (
        Vocabulary,
        fold_names,
        generic_terms,
        live_labels,
    )

    term, synonym = fetch_names(con, text, complete=complete)
    names = _standing_in(text, fold_names(term, synonym))
    names = _without_collective_plurals(text, names)
    written = pl.Series(re.findall(r"\b[A-Za-z]+[:_]\d+\b|^\s*\d{3,8}\s*$", text), dtype=pl.String)
    curies = names["curie"].unique().to_list()
    upward = fetch_rows(con, _UPWARD, curies=[*curies, *as_curies(written)])
    return Vocabulary(
        names=_known_in_small_letters(names, carried=upward["descendant"]),
        labels=live_labels(term),
        ancestors=upward.filter(pl.col("distance") > 0).select("descendant", "ancestor"),
        parent=taxon_parents(_parent_edges(con, curies, upward)),
        generic=generic_terms(),
    )


def live_identifier(con: duckdb.DuckDBPyConnection, text: str) -> str | None:
    """Return the CURIE of the live term that ``text`` identifies, None where it identifies none.

    Any spelling counts (``txid9606``, ``DOID_8778``); a retired identifier means its successor.
    """
    from ontology_etl.curies import normalise

    curie = normalise(text)
    if not curie:
        return None
    found = con.execute(_LIVE, [curie]).fetchall()
    if not found:
        return None
    live, *_ = found[0]
    return str(live)


def _standing_in(text: str, names: pl.DataFrame) -> pl.DataFrame:
    """Return the rows of ``names`` that ``text`` holds, word by word, cut words completed."""
    import polars as pl

    from ontology_etl.folding import fold_one

    asked_folded = fold_one(text)
    folded = pl.col("folded")
    words = pl.format(" {} ", folded)
    whole = pl.lit(f" {asked_folded} ").str.contains(words, literal=True)
    completions = _completions(text, asked_folded.split())
    completed = folded.str.contains(completions)
    return names.filter(whole | completed)


def _completions(text: str, tokens: list[str]) -> str:
    """Return the pattern of the names that a word cut short with a period may begin to spell."""
    import polars as pl

    from ontology_etl.abbreviations import cut_words

    cut = set(cut_words(pl.Series([text])))
    spelled = [f"{re.escape(one)}[^ ]*" if one in cut else re.escape(one) for one in tokens]
    spans = [
        (start, end)
        for end in range(1, len(tokens) + 1)
        for start in range(max(0, end - _MOST_WORDS), end)
    ]
    begun = [
        " ".join(spelled[start:end])
        for start, end in spans
        if not cut.isdisjoint(tokens[start:end])
    ]
    return f"^(?:{'|'.join(begun)})$" if begun else "$^"


def _without_collective_plurals(text: str, names: pl.DataFrame) -> pl.DataFrame:
    """Return ``names`` without a virus that only the singular names: bat coronaviruses are all
    coronaviruses of bats, and not the taxon "Bat coronavirus".
    """
    import polars as pl

    from ontology_etl.folding import fold_one

    written = re.findall(r"(?i)[a-z-]*viruses\b", text)
    plurals = {fold_one(word) for word in written}
    folded = pl.col("folded")
    before = folded.str.replace(r" \S+$", "")
    held = before.is_in(names["folded"].implode())
    composed = held & (before != folded)
    plural = pl.col("last_token").is_in(sorted(plurals))
    return names.filter(~(composed & plural))


def _known_in_small_letters(names: pl.DataFrame, *, carried: pl.Series) -> pl.DataFrame:
    """Return ``names`` where a single word that names a carried taxon needs no capital."""
    import polars as pl

    known = pl.col("curie").is_in(carried.unique().implode())
    letters = pl.col("folded").str.len_chars()
    uninomial = pl.col("case_rule") == "uninomial"
    free = uninomial & known & (letters >= _LEAST_LETTERS)
    any_case = pl.lit("any")
    rule = pl.when(free).then(any_case).otherwise("case_rule")
    return names.with_columns(case_rule=rule)


def _parent_edges(
    con: duckdb.DuckDBPyConnection, curies: list[str], upward: pl.DataFrame
) -> pl.DataFrame:
    """Return the rows of ``term_edge`` that lead from the taxa of ``curies`` up to the root.

    Lineages of taxa that runs carry are in ``closure``; the others are walked up to the first taxon
    that is in it. A single taxon is compared with no other, so that its lineage is not needed.
    """
    import polars as pl

    taxa = [curie for curie in curies if ontology_of(curie) == NCBI_TAXON]
    if len(taxa) < 2:
        schema = dict.fromkeys(_EDGE, pl.String)
        return pl.DataFrame(schema=schema)
    known = set(upward["descendant"])
    unknown = [taxon for taxon in taxa if taxon not in known]
    walked = _walk_up(con, unknown)
    stored = fetch_rows(con, _STORED_EDGES, curies=[*taxa, *walked["object"]])
    edges = pl.concat([walked, stored]).unique()
    return edges.with_columns(predicate=pl.lit("parent"))


def _walk_up(con: duckdb.DuckDBPyConnection, taxa: list[str]) -> pl.DataFrame:
    """Return the edges from each of ``taxa`` up to the first taxon whose lineage is stored."""
    import polars as pl

    steps = [pl.DataFrame(schema={"subject": pl.String, "object": pl.String})]
    while taxa:
        near = rows_near(con, "term_edge", "subject", taxa)
        step = fetch_rows(con, _STEP_UP.format(term_edge=near), curies=taxa)
        steps.append(step.drop("stored"))
        unstored = step.filter(~step["stored"])
        above = unstored["object"].unique()
        taxa = above.to_list()
    return pl.concat(steps)


_LIVE: Final = """
SELECT if(obsolete, replaced_by, curie) AS live FROM term WHERE curie = $1 AND live IS NOT NULL
"""
_UPWARD: Final = """
SELECT descendant, ancestor, distance FROM closure
WHERE descendant IN (SELECT unnest($curies::VARCHAR[]))
"""
_STORED_EDGES: Final = """
SELECT descendant AS subject, ancestor AS object FROM closure
WHERE distance = 1 AND starts_with(descendant, 'NCBITaxon:')
  AND descendant IN (
      SELECT ancestor FROM closure WHERE descendant IN (SELECT unnest($curies::VARCHAR[]))
  )
"""
_STEP_UP: Final = """
WITH step AS MATERIALIZED (
    SELECT subject, object FROM {term_edge}
    WHERE predicate = 'parent' AND subject <> object
      AND subject IN (SELECT unnest($curies::VARCHAR[]))
),
above AS MATERIALIZED (SELECT DISTINCT descendant FROM closure
    WHERE descendant IN (SELECT object FROM step))
SELECT subject, object, object IN (FROM above) AS stored FROM step
"""
