"""The part of an index's vocabulary that a text can name: all that the grounding engine needs to
read this one text.

Grounding metadata loads all 2.7 million names once for many texts. A question is one text and needs
an answer at once, so the names of all its word sequences are looked up together
(``index.store.names``), and only the lineages of those found are read.
"""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Iterable, Mapping
from typing import Final

import duckdb
import polars as pl

from index.store.names import rows_named, stretches_of
from index.store.sorted_rows import rows_near
from ontology_etl.abbreviations import cut_words
from ontology_etl.closure import taxon_parents
from ontology_etl.curies import NCBI_TAXON, normalise, ontology_of
from ontology_etl.folding import fold_one, folded_column
from ontology_etl.reviewed_lists import generic_terms, read_reviewed
from ontology_etl.term_names import fold_names, listed_names
from ontology_etl.vocabulary import (
    Vocabulary,
    cross_references,
    live_labels,
    successors_of,
)
from query.words import STOP_WORDS

_EDGE: Final = ("subject", "object", "predicate")
_TERM: Final = ("curie", "label", "ontology", "rank", "obsolete", "replaced_by")
"""Columns of ``term`` that grounding reads."""
_LEAST_LETTERS: Final = 5
"""Shorter names of one word need their capital although runs carry them: many are plain words."""
_MOST_WORDS: Final = 4
"""Words of the longest name that is looked for where one of them is cut short."""
_LEFT_OUT: Final = ("cell", "cell line", "tissue")
"""Last words that texts leave out of names: HeLa cell, lymphoid tissue."""
_NAMED_PLAINLY: Final = "common"
"""A stop word that is looked up all the same: names begin with it."""


def vocabulary_for(con: duckdb.DuckDBPyConnection, text: str) -> Vocabulary:
    """Return the vocabulary of the index behind ``con``, limited to what ``text`` can name.

    No name is lost. A genus or family that some run carries is also known in small letters.
    """
    said = stretches_of(text) | _joined(text)
    term, synonym = _fetch_names(con, text, _telling(text, said))
    cut = _cut_names(con, text)
    term = pl.concat([term, cut.select(_TERM)]).unique("curie", maintain_order=True)
    synonym = pl.concat([synonym, _as_synonyms(cut)])
    names = fold_names(term, synonym)
    standing = pl.col("folded").is_in([*said, *_completed(text, names["folded"])])
    names = _without_collective_plurals(text, names.filter(standing))
    references = _references(con, text)
    term = pl.concat([term, references.select(_TERM)]).unique("curie", maintain_order=True)
    written = pl.Series(re.findall(r"\b[A-Za-z]+[:_]\d+\b|^\s*\d{3,8}\s*$", text), dtype=pl.String)
    curies = names["curie"].unique().to_list()
    upward = fetch_rows(con, _UPWARD, curies=[*curies, *as_curies(written), *references["curie"]])
    return Vocabulary(
        names=_known_in_small_letters(names, carried=upward["descendant"]),
        labels=live_labels(term),
        ancestors=upward.filter(pl.col("distance") > 0).select("descendant", "ancestor"),
        parent=taxon_parents(_parent_edges(con, curies, upward)),
        generic=generic_terms(),
        successors=successors_of(term),
        references=cross_references(term, references.select("curie", "xref")),
    )


def _references(con: duckdb.DuckDBPyConnection, text: str) -> pl.DataFrame:
    """Return the cross-references that ``text`` may be, with the columns of their terms."""
    number = re.fullmatch(r"\s*(?:[\w-]+[:_])?([A-Za-z]*\d[\w.]*)\s*", text)
    return fetch_rows(con, _REFERENCES, ending=number.group(1).upper() if number else None)


def live_identifier(con: duckdb.DuckDBPyConnection, text: str) -> str | None:
    """Return the CURIE of the live term that ``text`` identifies, None if it identifies none.

    Any spelling counts (``txid9606``, ``DOID_8778``); a retired identifier means its successor.
    """
    curie = normalise(text)
    found = con.execute(_LIVE, [curie]).fetchone() if curie else None
    return None if found is None else str(found[0])


def as_curies(written: Iterable[str]) -> list[str]:
    """Return ``written`` identifiers as CURIEs; a number alone is a taxon of NCBI."""
    texts = (identifier.strip() for identifier in written)
    curies = (normalise(f"NCBITaxon:{text}" if text.isdigit() else text) for text in texts)
    return [curie for curie in curies if curie]


def fetch_rows(con: duckdb.DuckDBPyConnection, query: str, **parameters: object) -> pl.DataFrame:
    """Return the rows of ``query`` with its named ``parameters``. For a few hundred rows, fetching
    them one by one is faster than as columns.
    """
    types = {"VARCHAR": pl.String, "BOOLEAN": pl.Boolean, "INTEGER": pl.Int32, "BIGINT": pl.Int64}
    result = con.execute(query, parameters)
    schema = {name: types[str(kind)] for name, kind, *_ in result.description}
    return pl.DataFrame(result.fetchall(), schema=schema, orient="row")


# --- names of the text ----------------------------------------------------------------------------


def _joined(text: str) -> set[str]:
    """Return each two neighbouring words of ``text`` written as one: sea horse, seahorse."""
    return {first + second for first, second in itertools.pairwise(fold_one(text).split())}


def _telling(text: str, said: set[str]) -> set[str]:
    """Return those of the folded word sequences ``said`` of ``text`` that may be names.

    A word without meaning of its own (``with``) is left out, unless it is the whole text.
    """
    whole = fold_one(text)
    plain = STOP_WORDS - {_NAMED_PLAINLY}
    return {form for form in said if form == whole or form not in plain}


def _fetch_names(
    con: duckdb.DuckDBPyConnection, text: str, said: set[str]
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the rows of ``term`` and ``synonym`` that ``said`` names, as they are or by a name
    derived of them (``ontology_etl.term_names``).
    """
    derived = {f"{form} {word}" for form in said for word in _LEFT_OUT}
    states = {
        f"{form.removesuffix(' infected')} infection" for form in said if form.endswith(" infected")
    }
    names = said | derived | states
    named = rows_named(con, names)
    reviewed = [curie for form in names for curie in _reviewed_names().get(form, ())]
    banked = read_reviewed("cell_bank.tsv")["curie"].unique()
    successors = named["replaced_by"].drop_nulls()
    wanted = {*reviewed, *banked, *as_curies([text]), *successors}
    missing = sorted(wanted.difference(named["curie"]))
    near = rows_near(con, "term", "curie", missing)
    others = fetch_rows(con, _BY_CURIE.format(term=near), curies=missing)
    term = pl.concat([named.select(_TERM), others.cast(named.select(_TERM).schema)])
    return term.unique("curie", maintain_order=True), _as_synonyms(named)


def _as_synonyms(named: pl.DataFrame) -> pl.DataFrame:
    """Return curie, synonym, scope of the rows of ``named`` that are not labels."""
    others = named.filter(pl.col("scope") != "LABEL")
    return others.select("curie", pl.col("name").alias("synonym"), "scope")


@functools.cache
def _reviewed_names() -> Mapping[str, tuple[str, ...]]:
    """Return the CURIEs of each reviewed name, by its folded form."""
    folded = listed_names().select(folded_column("name"), "curie")
    curies: dict[str, tuple[str, ...]] = {}
    for form, curie in folded.iter_rows():
        curies[form] = (*curies.get(form, ()), curie)
    return curies


# --- words cut short ------------------------------------------------------------------------------


def _cut_names(con: duckdb.DuckDBPyConnection, text: str) -> pl.DataFrame:
    """Return names of tissues and diseases with the beginning of a word cut short by a period."""
    cut = cut_words(pl.Series([text])).to_list()
    beginnings = "|".join(re.escape(word) for word in cut) or "$^"
    pattern = rf"(?i)\b(?:{beginnings})" if cut else beginnings
    return fetch_rows(con, _HOLDING, pattern=pattern)


def _completed(text: str, names: pl.Series) -> list[str]:
    """Return the ``names`` that a shortened word of ``text`` may mean."""
    cut = set(cut_words(pl.Series([text])))
    if not cut:
        return []
    tokens = fold_one(text).split()
    spelled = [f"{re.escape(token)}[^ ]*" if token in cut else re.escape(token) for token in tokens]
    begun = [
        " ".join(spelled[start:end])
        for end in range(1, len(tokens) + 1)
        for start in range(max(0, end - _MOST_WORDS), end)
        if not cut.isdisjoint(tokens[start:end])
    ]
    return names.filter(names.str.contains(f"^(?:{'|'.join(begun)})$")).to_list()


def _without_collective_plurals(text: str, names: pl.DataFrame) -> pl.DataFrame:
    """Return ``names`` without viruses that only the singular names: "bat coronaviruses" are all
    coronaviruses of bats, not the taxon "Bat coronavirus".
    """
    plurals = {fold_one(word) for word in re.findall(r"(?i)[a-z-]*viruses\b", text)}
    folded = pl.col("folded")
    before = folded.str.replace(r" \S+$", "")
    composed = before.is_in(names["folded"].implode()) & (before != folded)
    return names.filter(~(composed & pl.col("last_token").is_in(sorted(plurals))))


def _known_in_small_letters(names: pl.DataFrame, *, carried: pl.Series) -> pl.DataFrame:
    """Return ``names`` where a single word that names a carried taxon needs no capital."""
    known = pl.col("curie").is_in(carried.unique().implode())
    is_long = pl.col("folded").str.len_chars() >= _LEAST_LETTERS
    free = (pl.col("case_rule") == "uninomial") & known & is_long
    return names.with_columns(case_rule=pl.when(free).then(pl.lit("any")).otherwise("case_rule"))


def _parent_edges(
    con: duckdb.DuckDBPyConnection, curies: list[str], upward: pl.DataFrame
) -> pl.DataFrame:
    """Return the rows of ``term_edge`` that lead from the taxa ``curies`` up to the root.

    Lineages of taxa that runs carry are in ``closure``; from others the walk goes up to the first
    taxon that is in it. A single taxon is compared with nothing, so it needs no lineage.
    """
    taxa = [curie for curie in curies if ontology_of(curie) == NCBI_TAXON]
    if len(taxa) < 2:
        return pl.DataFrame(schema=dict.fromkeys(_EDGE, pl.String))
    known = set(upward["descendant"])
    walked = _walk_up(con, [taxon for taxon in taxa if taxon not in known])
    stored = fetch_rows(con, _STORED_EDGES, curies=[*taxa, *walked["object"]])
    edges = pl.concat([walked, stored]).unique()
    return edges.with_columns(predicate=pl.lit("parent"))


def _walk_up(con: duckdb.DuckDBPyConnection, taxa: list[str]) -> pl.DataFrame:
    """Return the edges from each of ``taxa`` up to the first taxon whose lineage is stored."""
    steps = [pl.DataFrame(schema={"subject": pl.String, "object": pl.String})]
    while taxa:
        near = rows_near(con, "term_edge", "subject", taxa)
        step = fetch_rows(con, _STEP_UP.format(term_edge=near), curies=taxa)
        steps.append(step.drop("stored"))
        unstored = step.filter(~step["stored"])
        above = unstored["object"].unique()
        taxa = above.to_list()
    return pl.concat(steps)


_BY_CURIE: Final = """
SELECT curie, label, ontology, rank, obsolete, replaced_by FROM {term}
WHERE curie IN (SELECT unnest($curies::VARCHAR[]))
"""
_REFERENCES: Final = """
SELECT x.xref, t.curie, t.label, t.ontology, t.rank, t.obsolete, t.replaced_by
FROM xref x JOIN term t USING (curie)
WHERE t.ontology IN ('DOID', 'BTO') AND ends_with(upper(x.xref), $ending)
"""
_HOLDING: Final = """
WITH apart AS (
    SELECT * FROM term WHERE ontology NOT IN ('NCBITaxon', 'ICTV') AND NOT obsolete
),
named AS (
    SELECT label AS name, 'LABEL' AS scope, * FROM apart
    UNION ALL
    SELECT s.synonym, s.scope, t.* FROM synonym s JOIN apart t USING (curie)
)
SELECT * FROM named WHERE $pattern <> '$^' AND regexp_matches(name, $pattern)
"""
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
