"""Annotate runs: ground every metadata value once, then join it to the runs that state it.

Facets with an ontology get terms or nothing; geography gets a name of the INSDC list or nothing;
biome and sex stay verbatim, cleaned; statOrganism comes from the k-mer shares of NCBI STAT. What
was sequenced becomes label, host, environment and virus (``index/annotation/organisms.py``). A
value that is not understood is counted, never guessed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import polars as pl

from index.annotation.context import read_in_context
from index.annotation.organisms import LABEL, tell_apart
from index.annotation.ungrounded import count_runs, count_ungrounded
from index.annotation.verbatim import clean_values, route_verbatim
from index.records import Records
from index.side_by_side import side_by_side
from index.tables import Annotation, Run
from ontology_etl.attributes import route_attributes
from ontology_etl.grounding import ground
from ontology_etl.places import read_places
from ontology_etl.tables import conform
from ontology_etl.vocabulary import Vocabulary

PART_RUNS: Final = 150_000
"""Runs that one thread annotates at a time; memory grows with this number."""
WORKERS: Final = 2
"""Parts that are annotated in parallel."""

_COLUMNS = Annotation.column_names()


@dataclass(frozen=True)
class Annotations:
    """What is known about each run after grounding.

    ``annotation``  contract ``Annotation``
    ``run``         contract ``Run``, ``organism_curie`` filled where the organism is a name of the
    taxonomy
    ``ungrounded``  facet, outcome, text, attributes (list), runs: values read for a facet and not
    annotated
    """

    annotation: pl.DataFrame
    run: pl.DataFrame
    ungrounded: pl.DataFrame


def annotate(records: Records, vocabulary: Vocabulary) -> Annotations:
    """Return the annotations of all runs of ``records``."""
    said = _said(records)
    grounding = ground(said.select("attribute", "text").unique(), vocabulary)
    named = _grounded(said, grounding)
    grounded = read_in_context(named, vocabulary)
    misplaced = named.join(grounded, on=["run", "facet", "text", "attribute"], how="anti")
    labelled = pl.col("facet") == LABEL
    organisms = tell_apart(grounded.filter(labelled), vocabulary)
    others = _prefer_attributes(grounded.filter(~labelled))
    stated = _stated_verbatim(records, said)
    stat = _stat(records.kmer_profile, vocabulary)
    key = Annotation.primary_key()
    ordered = pl.concat([organisms, others, _verbatim(stated), stat]).sort(*key, "method", "curie")
    rows = ordered.unique(key, keep="first", maintain_order=True)
    ungrounded = [
        count_ungrounded(said, grounding, misplaced),
        _unplaced(stated),
        _unknown_taxa(records.run, vocabulary),
    ]
    return Annotations(
        annotation=conform(rows.join(records.run, on="run", how="semi"), Annotation),
        run=_with_organism(records.run, grounding, vocabulary),
        ungrounded=pl.concat(ungrounded),
    )


def annotate_in_parts(
    records: Records,
    vocabulary: Vocabulary,
    *,
    part_runs: int = PART_RUNS,
) -> Iterator[Annotations]:
    """Annotate ``part_runs`` runs at a time, in the order of ``records.run``.

    Annotations of a run depend on no other run: the concatenated parts equal one call of
    ``annotate``, and so does ``sum_ungrounded`` of them. ``WORKERS`` parts are made in parallel.
    """

    def annotate_from(start: int) -> Annotations:
        part = records_of(records, records.run.slice(start, part_runs))
        return annotate(part, vocabulary)

    starts = range(0, len(records.run), part_runs)
    return side_by_side(annotate_from, starts, workers=WORKERS)


def texts_to_ground(records: Records) -> pl.Series:
    """Return the distinct organisms, titles and attribute values that ``annotate`` looks up."""
    columns = ("attribute", "value")
    of_sample = records.biosample_attribute.select(columns)
    of_run = records.run_attribute.select(columns)
    attribute = pl.concat([of_sample, of_run])
    routed = attribute.join(route_attributes(attribute["attribute"]), on="attribute", how="semi")
    parts = [records.run["organism"], records.biosample["title"], routed["value"]]

    return pl.concat([part.drop_nulls().unique().alias("text") for part in parts]).unique()


_PERSON: Final = r"(?i)\b(recipient|patient|donor)s?$"
"""A text that says whom the sample is from."""
_DESCRIBING: Final = {
    "biosample": ("biosample", "biosample_attribute", "place"),
    "run": ("run_attribute", "kmer_profile"),
}
"""Tables of records that describe runs, by the column that names the run or sample."""


def records_of(records: Records, run: pl.DataFrame) -> Records:
    """Return the rows of ``records`` that ``annotate`` needs for the runs of ``run``."""
    tables = {}
    for key, names in _DESCRIBING.items():
        for name in names:
            rows: pl.DataFrame = getattr(records, name)
            near = rows.filter(is_among(run["run"])) if key == "run" else rows
            tables[name] = near.join(run, on=key, how="semi", maintain_order="left")
    return Records(run=run, **tables)


def is_among(runs: pl.Series) -> pl.Expr:
    """Return whether a run is between the first and the last of ``runs``. Parts are of consecutive
    runs, so few others are; a comparison takes far less time than a join of whole tables.
    """
    return pl.col("run").is_between(pl.lit(runs.min()), pl.lit(runs.max()))


def _said(records: Records) -> pl.DataFrame:
    """Return [run, attribute, text]: organism, attributes, and those and the title of samples."""
    columns = ["run", "attribute", "text"]
    runs = records.run.select("run", "biosample")
    organism = records.run.select("run", attribute=pl.lit("organism"), text="organism")
    titles = records.biosample.select("biosample", attribute=pl.lit("title"), text="title")
    attributes = records.biosample_attribute.rename({"value": "text"})
    of_samples = pl.concat([attributes.select(titles.columns), titles])
    sampled = runs.join(of_samples, on="biosample").select(columns)
    own = records.run_attribute.rename({"value": "text"}).select(columns)
    return pl.concat([organism, sampled, own]).drop_nulls("text").unique()


def _grounded(said: pl.DataFrame, grounding: pl.DataFrame) -> pl.DataFrame:
    """Return annotation rows for the values that name a term."""
    hits = grounding.filter(pl.col("outcome") == "grounded").with_columns(value="label")
    return said.join(hits.drop("matched", "outcome"), on=["attribute", "text"]).select(_COLUMNS)


def _prefer_attributes(grounded: pl.DataFrame) -> pl.DataFrame:
    """Drop terms read from titles if attributes of the run already state the facet."""
    stated = _without_persons(grounded.filter(pl.col("attribute") != "title"))
    titled = grounded.filter(pl.col("attribute") == "title")
    return pl.concat([stated, titled.join(stated, on=["run", "facet"], how="anti")])


def _without_persons(stated: pl.DataFrame) -> pl.DataFrame:
    """Drop tissues read from a text about a person ("kidney transplant recipient") where another
    text of the run names the sampled tissue.
    """
    is_of_person = pl.col("text").str.contains(_PERSON) & (pl.col("facet") == "tissue")
    others = stated.filter(~is_of_person)
    of_persons = stated.filter(is_of_person)
    alone = of_persons.join(others, on=["run", "facet"], how="anti")
    return pl.concat([others, alone])


def _stated_verbatim(records: Records, said: pl.DataFrame) -> pl.DataFrame:
    """Return [run, facet, attribute, text] of statements on geography, biome and sex."""
    routed = said.join(route_verbatim(said["attribute"]), on="attribute")
    places = _placed(records)
    return pl.concat([routed.select(places.columns), places])


def _unplaced(stated: pl.DataFrame) -> pl.DataFrame:
    """Return the places of ``stated`` without a country, counted as ``count_ungrounded`` does."""
    places = stated.filter(pl.col("facet") == "geography")
    unplaced = read_places(places["text"]).filter(pl.col("country").is_null())
    counted = places.join(unplaced.select("text", "outcome"), on="text")
    return count_runs(counted)


def _verbatim(stated: pl.DataFrame) -> pl.DataFrame:
    """Return annotation rows for geography, biome and sex: cleaned values without a term."""
    cleaned = stated.join(clean_values(stated), on=["facet", "text"])
    return cleaned.with_columns(
        curie=pl.lit(None, pl.String), method=pl.lit("verbatim"), score=pl.lit(1.0)
    ).select(_COLUMNS)


def _placed(records: Records) -> pl.DataFrame:
    """Return [run, facet, attribute, text] of the ``Place`` of each run's sample."""
    sampled = records.run.select("run", "biosample").join(records.place, on="biosample")
    stated = sampled.select("run", "country", "biome").unpivot(
        index="run", variable_name="attribute", value_name="text"
    )
    facet = pl.col("attribute").replace("country", "geography")
    return stated.drop_nulls("text").select("run", facet.alias("facet"), "attribute", "text")


def _stat(kmer_profile: pl.DataFrame, vocabulary: Vocabulary) -> pl.DataFrame:
    """Return annotation rows for the organisms of the k-mer profiles."""
    labelled = kmer_profile.join(vocabulary.labels, on="curie", how="left")
    return labelled.with_columns(
        facet=pl.lit("statOrganism"),
        value=pl.coalesce("label", "curie"),
        text="curie",
        attribute=pl.lit("STAT"),
        method=pl.lit("stat"),
        score="share",
    ).select(_COLUMNS)


def _unknown_taxa(run: pl.DataFrame, vocabulary: Vocabulary) -> pl.DataFrame:
    """Count the taxids of ``run`` that name no taxon, live or retired, as ``count_ungrounded``."""
    lost = vocabulary.live(run["organism_curie"]).is_null() & run["organism_curie"].is_not_null()
    missed = run.filter(lost).select(
        "run",
        facet=pl.lit(LABEL),
        outcome=pl.lit("ungrounded"),
        text="organism_curie",
        attribute=pl.lit("taxid of the organism"),
    )
    return count_runs(missed)


def _with_organism(
    run: pl.DataFrame, grounding: pl.DataFrame, vocabulary: Vocabulary
) -> pl.DataFrame:
    """Return ``run`` with ``organism_curie`` filled where the whole organism is the name of one
    taxon; retired taxids are replaced by their successors, unknown ones by null.
    """
    live = run.with_columns(organism_curie=vocabulary.live(run["organism_curie"]))
    is_organism = (pl.col("attribute") == "organism") & pl.col("whole")
    named = grounding.filter(is_organism).drop_nulls("curie")
    taxa = named.select(organism="text", taxon="curie").unique("organism")
    met = live.join(taxa, on="organism", how="left")
    filled = met.with_columns(organism_curie=pl.coalesce("organism_curie", "taxon"))
    return conform(filled, Run)
