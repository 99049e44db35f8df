"""Terms whose meaning depends on the organism of the run: an embryo of rice is a plant embryo."""

from __future__ import annotations

import polars as pl

from index.annotation.organisms import LABEL
from index.tables import Annotation
from ontology_etl.name_rules import NOTHING
from ontology_etl.reviewed_lists import read_reviewed
from ontology_etl.vocabulary import Vocabulary

_COLUMNS = Annotation.column_names()


def read_in_context(grounded: pl.DataFrame, vocabulary: Vocabulary) -> pl.DataFrame:
    """Return annotation rows with the terms that fit the organism of the run.

    Their method is "context". An embryo of rice is a plant embryo:
    ``ontology_etl/reviewed/context.tsv`` lists term, taxon and what it becomes. Rows whose term
    makes no sense there (a human disease in rice) are left out.
    """
    meant = _meant_in_context(grounded, vocabulary)
    renamed = meant.join(
        vocabulary.labels_of(meant["becomes"]), left_on="becomes", right_on="curie", how="left"
    )
    read = grounded.join(renamed, on=["run", "curie"], how="left")
    switched = pl.col("becomes").is_not_null()
    meaningful = read.filter(pl.col("becomes").ne_missing(NOTHING))
    return meaningful.with_columns(
        curie=pl.coalesce("becomes", "curie"),
        value=pl.coalesce("label", "value"),
        method=pl.when(switched).then(pl.lit("context")).otherwise("method"),
    ).select(_COLUMNS)


def _meant_in_context(grounded: pl.DataFrame, vocabulary: Vocabulary) -> pl.DataFrame:
    """Return [run, curie, becomes] for terms whose meaning the run's organism changes or voids."""
    switch = read_reviewed("context.tsv").select("within", "becomes", listed="curie")
    pairs = grounded.select("curie").unique().join(switch, how="cross")
    below = vocabulary.is_ancestor(pairs["listed"], pairs["curie"])
    covered = (pl.col("becomes") == NOTHING) & below
    switched = pairs.filter((pl.col("curie") == pl.col("listed")) | covered)
    organisms = grounded.filter(pl.col("facet") == LABEL).select("run", taxon="curie")
    terms = grounded.select("run", "curie").unique()
    placed = terms.join(switched, on="curie").join(organisms, on="run")
    below = vocabulary.is_ancestor(placed["within"], placed["taxon"])
    inside = placed.filter((pl.col("taxon") == pl.col("within")) | below)
    meant = inside.select("run", "curie", "becomes").unique().sort("run", "curie", "becomes")
    return meant.unique(["run", "curie"], keep="first", maintain_order=True)
