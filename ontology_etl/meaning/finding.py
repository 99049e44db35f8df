"""What each text says in each facet, by identifiers and names.

A value longer than ``LONGEST_TEXT`` is not read: it is prose, and its terms are compared pairwise.
Values are read in batches of ``BATCH_CHARACTERS``, so memory has a bound whatever the input holds.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import polars as pl

from ontology_etl.abbreviations import complete_cut_words
from ontology_etl.curies import NCBI_TAXON, prefix_of, taxon_curie
from ontology_etl.denials import is_null, spell_denials
from ontology_etl.facets import ONTOLOGIES_OF_FACET
from ontology_etl.folding import JOINED, fold, separate_marked
from ontology_etl.meaning.interpretation import FOUND, deny_health, interpret, whole_findings
from ontology_etl.meaning.ruled_out import BARE_TAXID
from ontology_etl.vocabulary import LABEL_FACET, Vocabulary, reference_key

LONGEST_TEXT: Final = 2_000
"""Characters of the longest value that is read; the longest of the real records has 398."""
_SIGN_AT_END: Final = r"[-−–]\s*$"
BATCH_CHARACTERS: Final = 4_000_000


def fold_texts(texts: pl.Series) -> pl.DataFrame:
    """Return [text, long, marked, cased, folded, null] of each text; long ones are ""."""
    distinct = pl.DataFrame({"text": texts.unique().sort()})
    long = distinct.with_columns(long=pl.col("text").str.len_chars() > LONGEST_TEXT)
    readable = pl.when(~pl.col("long")).then("text").otherwise(pl.lit(""))
    return _folded(long, readable)


def _folded(texts: pl.DataFrame, readable: pl.Expr) -> pl.DataFrame:
    """Return the ``readable`` rows of ``texts`` with marked, cased, folded and null."""
    marked = texts.with_columns(separate_marked(readable).alias("marked"))
    cased = marked.with_columns(cased=pl.col("marked").str.replace_all(JOINED, "", literal=True))
    folded = cased.with_columns(fold(pl.col("cased")).alias("folded"))
    return folded.with_columns(is_null(pl.col("folded")).alias("null"))


def _with_denials(texts: pl.DataFrame, vocabulary: Vocabulary) -> pl.DataFrame:
    """Return ``texts`` [text, facet, …] with signs that deny a disease written as words.

    A text that as a whole is the name of a disease stays (``HER2-/HR- breast cancer``), unless it
    ends with a sign (``HIV-``).
    """
    spelled = spell_denials(pl.col("text"))
    signed = texts.filter(pl.col("facet") == "disease", ~pl.col("long"), spelled != pl.col("text"))
    names = vocabulary.names.filter(pl.col("facet") == "disease").select("folded")
    is_name = pl.col("folded").is_in(names["folded"].implode())
    denying = signed.filter(~is_name | pl.col("text").str.contains(_SIGN_AT_END))
    if denying.is_empty():
        return texts
    others = texts.join(denying, on=["text", "facet"], how="anti")
    return pl.concat([others, _folded(denying, spelled).select(texts.columns)])


def find_in_texts(
    routed: pl.DataFrame, texts: pl.DataFrame, vocabulary: Vocabulary
) -> pl.DataFrame:
    """Return the findings of each row of ``routed``; ``texts`` has its texts, folded."""
    distinct = routed.select("text", "facet").unique()
    folded = _with_denials(distinct.join(texts, on="text"), vocabulary)
    found = _find(folded, vocabulary)
    return routed.join(found, on=["text", "facet"])


def _find(texts: pl.DataFrame, vocabulary: Vocabulary) -> pl.DataFrame:
    """Return the findings in ``texts`` [text, facet, …], columns as ``FOUND`` and facet."""
    parts = [pl.DataFrame(schema={**FOUND, "facet": pl.String})]
    for facet in ONTOLOGIES_OF_FACET:
        of_facet = pl.col("facet") == facet
        expected = texts.filter(of_facet).sort("text")
        found = _find_of_facet(expected, facet, vocabulary)
        parts += [part.with_columns(facet=pl.lit(facet)) for part in found]
    return pl.concat(parts)


def _find_of_facet(texts: pl.DataFrame, facet: str, vocabulary: Vocabulary) -> list[pl.DataFrame]:
    """Return the findings in ``texts`` for one facet, as parts with the columns ``FOUND``."""
    names = vocabulary.names.filter(pl.col("facet") == facet)["folded"]
    written = _written_identifiers(texts, facet, vocabulary)
    if not len(names) and facet != "disease":
        return [written]
    wordy = texts.filter(~pl.col("null")).join(
        written,
        on="text",
        how="anti",
    )
    if facet == "disease":
        denied = deny_health(wordy)
        wordy = wordy.join(
            denied,
            on="text",
            how="anti",
        )
    else:
        denied = written.clear()
    if facet != LABEL_FACET:
        wordy = complete_cut_words(wordy, names)
    batch = pl.col("text").str.len_chars().cum_sum() // BATCH_CHARACTERS
    batches = wordy.with_columns(batch=batch).partition_by("batch", include_key=False)
    said = [interpret(part, facet, vocabulary) for part in batches]
    return [*said, written, denied]


def _written_identifiers(texts: pl.DataFrame, facet: str, vocabulary: Vocabulary) -> pl.DataFrame:
    """Return findings for values with a CURIE of the facet or a bare taxid, live or merged."""
    ontologies = ONTOLOGIES_OF_FACET[facet]
    stated = pl.coalesce(_stated_curie(ontology) for ontology in ontologies)
    texts = _with_cross_references(texts, ontologies, vocabulary)
    bare = pl.lit(None, dtype=pl.String)
    if NCBI_TAXON in ontologies:
        bare = taxon_curie(pl.col("text").str.extract(BARE_TAXID, 1))
    named = texts.with_columns(pl.coalesce(stated, bare, "cross").alias("curie")).drop_nulls(
        "curie"
    )
    live = vocabulary.live(named["curie"])
    known = named.with_columns(live.alias("curie")).drop_nulls("curie")
    return whole_findings(known, matched="curie").select(list(FOUND))


def _with_cross_references(
    texts: pl.DataFrame, ontologies: Sequence[str], vocabulary: Vocabulary
) -> pl.DataFrame:
    """Return ``texts`` with ``cross``: the only term with the whole value as a cross-reference."""
    keyed = texts.with_columns(reference=reference_key(pl.col("text")))
    is_of_facet = prefix_of(pl.col("cross")).is_in(list(ontologies))
    of_facet = vocabulary.references.filter(is_of_facet)
    return keyed.join(of_facet, on="reference", how="left").drop("reference")


def _stated_curie(ontology: str) -> pl.Expr:
    """Return the first CURIE of ``ontology`` in each text, or null."""
    pattern = rf"(?i)\b{ontology}[:_](\d+)\b"
    number = pl.col("text").str.extract(pattern, 1)
    prefix = pl.lit(f"{ontology}:")
    return prefix + number
