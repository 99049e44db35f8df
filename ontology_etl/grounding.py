"""Ground free text: attribute values in, ontology terms out, at dictionary speed.

Every distinct value is folded once and searched in one pass for all names of its facet's ontology.
The longest match wins. A value that says nothing (``missing``), denies (``not infected``) or names
no particular thing (``cancer``) is not annotated, and the outcome says which. Vectors may propose
terms for what the dictionary leaves, never against it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import dataframely as dy
import polars as pl

from ontology_etl.attributes import route_attributes
from ontology_etl.curies import CURIE, NCBI_TAXON, taxon_curie
from ontology_etl.denials import is_null
from ontology_etl.facets import ONTOLOGIES_OF_FACET
from ontology_etl.folding import fold, separate
from ontology_etl.interpretation import FOUND, IMPLIED, deny_health, interpret
from ontology_etl.tables import conform
from ontology_etl.vocabulary import METAGENOMES, VIRUSES, Vocabulary, build_vocabulary

__all__ = [
    "Grounding",
    "Proposer",
    "Vocabulary",
    "build_vocabulary",
    "find_names",
    "ground",
    "ground_text",
]

OUTCOMES: Final = ("grounded", "ambiguous", "negated", "generic", "other", "null", "ungrounded")
BATCH_TEXTS: Final = 200_000

Proposer = Callable[[Sequence[str], str], Sequence[tuple[str, float] | None]]
"""(texts, facet) -> for each text the CURIE and cosine of the nearest term, or None below the
threshold.
"""


class Grounding(dy.Schema):
    """What one attribute value was found to say about one facet."""

    attribute = dy.String(primary_key=True, description="attribute name as submitted")
    text = dy.String(primary_key=True, description="value as submitted")
    facet = dy.String(
        primary_key=True,
        regex="^(label|tissue|disease)$",
        description="facet the value was read for",
    )
    outcome = dy.String(
        primary_key=True, regex=f"^({'|'.join(OUTCOMES)})$", description="what became of it"
    )
    matched = dy.String(
        primary_key=True, description="folded words that matched; empty where none did"
    )
    curie = dy.String(
        nullable=True, regex=CURIE, description="term; null unless grounded, negated or generic"
    )
    label = dy.String(nullable=True, description="label of the term")
    method = dy.String(
        nullable=True, regex="^(dictionary|embedding)$", description="how; null where ungrounded"
    )
    score = dy.Float64(
        nullable=True, min=0, max=1, description="1 for a dictionary hit, cosine for an embedding"
    )
    whole = dy.Bool(description="true where the match is the whole value")
    candidates = dy.List(
        dy.String(), description="terms the name may stand for, sorted; one where it is clear"
    )


def ground(
    texts: pl.DataFrame, vocabulary: Vocabulary, *, propose: Proposer | None = None
) -> pl.DataFrame:
    """Return a ``Grounding`` table for the distinct [attribute, text] rows of ``texts``.

    Every pair has at least one row for each facet its attribute is routed to (none where the
    attribute is no place to expect the facet, as a disease in ``tissue``). Only rows with outcome
    "grounded" are annotations. ``propose`` is asked about values with outcome "ungrounded" only.
    """
    pairs = texts.select("attribute", "text").drop_nulls().unique().sort("attribute", "text")
    routed = pairs.join(route_attributes(pairs["attribute"]), on="attribute")
    return _ground_routed(routed, vocabulary, propose)


def ground_text(text: str, vocabulary: Vocabulary, *, facet: str | None = None) -> pl.DataFrame:
    """Return what ``text`` (a term or a whole question) says, for one facet or all: a ``Grounding``
    table.

    The same engine as ``ground``; the attribute of a row is its facet.
    """
    facets = [facet] if facet else list(ONTOLOGIES_OF_FACET)
    return _ground_routed(_asked(text, facets), vocabulary, None)


def find_names(text: str, vocabulary: Vocabulary) -> pl.DataFrame:
    """Return where ``text`` says what ``ground_text`` returns: one row per name found, in order.

    Columns: facet, matched, curie, label, outcome, candidates, start, end. ``start`` and ``end``
    count the tokens of the folded text (0 and 0 for a written identifier). A name that another name
    says more precisely has the outcome ``IMPLIED``; ``ground_text`` leaves it out.
    """
    asked = _asked(text, list(ONTOLOGIES_OF_FACET))
    said = _said(asked, _fold_texts(asked["text"]), vocabulary)
    implied = said.filter(pl.col("outcome") == IMPLIED)
    meant = _respect_roles(said.filter(pl.col("outcome") != IMPLIED), vocabulary)
    found = pl.concat([meant.drop("strange"), implied], how="vertical_relaxed")
    named = found.join(vocabulary.labels_of(found["curie"]), on="curie", how="left")
    columns = ("facet", "matched", "curie", "label", "outcome", "candidates", "start", "end")
    return named.select(columns).sort("start", "end", "facet", "matched")


def _asked(text: str, facets: list[str]) -> pl.DataFrame:
    """Return ``text`` routed to ``facets`` as a question."""
    return pl.DataFrame({"attribute": facets, "facet": facets}).with_columns(
        pl.lit(text).alias("text"), pl.lit("question").alias("role")
    )


def _said(routed: pl.DataFrame, texts: pl.DataFrame, vocabulary: Vocabulary) -> pl.DataFrame:
    """Return the findings of each row of ``routed``; ``texts`` are its texts, folded."""
    found = _find(routed.select("text", "facet").unique().join(texts, on="text"), vocabulary)
    return routed.join(found, on=["text", "facet"])


def _ground_routed(
    routed: pl.DataFrame, vocabulary: Vocabulary, propose: Proposer | None
) -> pl.DataFrame:
    """Return the ``Grounding`` of ``routed`` [attribute, text, facet, role]: distinct texts once,
    joined back.
    """
    texts = _fold_texts(routed["text"])
    said = _said(routed, texts, vocabulary).filter(pl.col("outcome") != IMPLIED)
    meant = _respect_roles(said, vocabulary)
    expected = routed.filter(pl.col("role") != "source")
    silent = expected.join(meant, on=["attribute", "text", "facet"], how="anti").join(
        texts, on="text"
    )
    left = silent.with_columns(
        pl.when("null").then(pl.lit("null")).otherwise(pl.lit("ungrounded")).alias("outcome")
    )
    proposed = _propose(left.filter(pl.col("outcome") == "ungrounded"), propose)
    rest = left.join(proposed, on=["attribute", "text", "facet"], how="anti")
    stacked = pl.concat([meant, proposed, rest], how="diagonal_relaxed")
    hit = pl.col("curie").is_not_null()
    filled = stacked.join(
        vocabulary.labels_of(stacked["curie"]), on="curie", how="left"
    ).with_columns(
        pl.col("matched").fill_null(""),
        pl.col("whole").fill_null(False),
        pl.col("candidates").fill_null([]),
        pl.when(hit).then(pl.coalesce("method", pl.lit("dictionary"))).alias("method"),
        pl.when(hit).then(pl.coalesce("score", pl.lit(1.0))).alias("score"),
    )
    return conform(
        filled.unique(Grounding.primary_key(), keep="first", maintain_order=True), Grounding
    )


def _fold_texts(texts: pl.Series) -> pl.DataFrame:
    """Return [text, cased, folded, null] of the distinct ``texts``, sorted."""
    distinct = pl.DataFrame({"text": texts.unique().sort()})
    cased = distinct.with_columns(separate(pl.col("text")).alias("cased"))
    folded = cased.with_columns(fold(pl.col("cased")).alias("folded"))
    return folded.with_columns(is_null(pl.col("folded")).alias("null"))


def _find(texts: pl.DataFrame, vocabulary: Vocabulary) -> pl.DataFrame:
    """Return the findings in ``texts`` [text, facet, cased, folded, null], columns as ``FOUND`` and
    facet.
    """
    parts = [pl.DataFrame(schema={**FOUND, "facet": pl.String})]
    for facet in ONTOLOGIES_OF_FACET:
        asked = texts.filter(pl.col("facet") == facet).sort("text")
        written = _written_identifiers(asked, facet, vocabulary)
        wordy = asked.filter(~pl.col("null")).join(written, on="text", how="anti")
        denied = deny_health(wordy) if facet == "disease" else wordy.clear().select()
        wordy = wordy.join(denied, on="text", how="anti") if len(denied) else wordy
        for start in range(0, len(wordy), BATCH_TEXTS):
            said = interpret(wordy.slice(start, BATCH_TEXTS), facet, vocabulary)
            parts.append(said.with_columns(pl.lit(facet).alias("facet")))
        parts += [
            part.with_columns(pl.lit(facet).alias("facet"))
            for part in (written, denied)
            if len(part)
        ]
    return pl.concat(parts, how="diagonal_relaxed")


def _written_identifiers(texts: pl.DataFrame, facet: str, vocabulary: Vocabulary) -> pl.DataFrame:
    """Return findings for values that hold a CURIE of the facet's ontology, or a bare taxid,
    instead of a name.
    """
    ontologies = ONTOLOGIES_OF_FACET[facet]
    stated = pl.coalesce(_stated_curie(ontology) for ontology in ontologies)
    bare = (
        taxon_curie(pl.col("text").str.extract(r"^\s*(\d{3,8})\s*$", 1))
        if NCBI_TAXON in ontologies
        else pl.lit(None, dtype=pl.String)
    )
    named = texts.with_columns(pl.coalesce(stated, bare).alias("curie")).drop_nulls("curie")
    known = named.join(vocabulary.labels_of(named["curie"]), on="curie", how="semi")
    return known.select(
        "text",
        pl.col("curie").alias("matched"),
        "curie",
        pl.lit("grounded").alias("outcome"),
        pl.lit(True).alias("whole"),
        pl.concat_list("curie").alias("candidates"),
        pl.lit(0, dtype=pl.Int64).alias("start"),
        pl.lit(0, dtype=pl.Int64).alias("end"),
        pl.lit(False).alias("coded"),
    )


def _stated_curie(ontology: str) -> pl.Expr:
    """Return the first CURIE of ``ontology`` in each text, null where there is none."""
    number = pl.col("text").str.extract(rf"(?i)\b{ontology}[:_](\d+)\b", 1)
    return pl.lit(f"{ontology}:") + number


def _respect_roles(said: pl.DataFrame, vocabulary: Vocabulary) -> pl.DataFrame:
    """Return ``said`` with the outcome "other" for what its attribute cannot mean.

    A host is no virus and no metagenome. In a title an acronym or a short code (``TSS``, ``S2``) is
    a sample's name. A disease told in a tissue value counts only where no longer tissue name covers
    it (``lymphoma`` inside ``lymphoma cell line``); in a question the longer name of any facet
    wins.
    """
    curies = said["curie"]
    strange = vocabulary.is_below(curies, VIRUSES) | vocabulary.is_below(curies, METAGENOMES)
    no_host = (pl.col("role") == "host") & pl.col("strange")
    sample_name = (pl.col("attribute") == "title") & pl.col("coded")
    unlikely = (no_host | sample_name) & (pl.col("outcome") == "grounded")
    plausible = said.with_columns(strange.alias("strange")).with_columns(
        pl.when(unlikely).then(pl.lit("other")).otherwise("outcome").alias("outcome")
    )
    covers = pl.col("from") <= pl.col("start"), pl.col("to") >= pl.col("end")
    longer = pl.col("to") - pl.col("from") > pl.col("end") - pl.col("start")
    names = plausible.select(
        "role", "text", "facet", pl.col("start").alias("from"), pl.col("end").alias("to")
    )
    told = plausible.filter(pl.col("role").is_in(["source", "question"])).join(
        names, on="text", suffix="_other"
    )
    in_tissue = (pl.col("role") == "source") & (pl.col("facet_other") == "tissue")
    in_question = (pl.col("role") == "question") & (pl.col("facet_other") != pl.col("facet"))
    covered = told.filter(*covers, longer, in_tissue | in_question)
    return plausible.join(covered, on=["attribute", "text", "facet", "matched"], how="anti")


def _propose(left: pl.DataFrame, propose: Proposer | None) -> pl.DataFrame:
    """Return ``left`` [attribute, text, facet, …] with curie, method and score where ``propose``
    finds a term.
    """
    rows: list[tuple[str, str, str, float]] = []
    for facet in ONTOLOGIES_OF_FACET if propose else ():
        texts = left.filter(pl.col("facet") == facet)["text"].unique().sort().to_list()
        found = zip(texts, propose(texts, facet), strict=True) if propose and texts else ()
        rows += [(text, facet, *hit) for text, hit in found if hit]
    schema = {"text": pl.String, "facet": pl.String, "curie": pl.String, "score": pl.Float64}
    proposals = pl.DataFrame(rows, schema=schema, orient="row")
    return left.join(proposals, on=["text", "facet"]).with_columns(
        pl.lit("grounded").alias("outcome"),
        pl.lit("embedding").alias("method"),
        pl.concat_list("curie").alias("candidates"),
    )
