"""What a cohort holds beside associations, one row each: what is written, and what it is to mean.

Environments, virus libraries, names, identities, searches, pairs, segments, places and studies; the
rows follow those of the associations in ``planted.tsv``.
"""

from __future__ import annotations

from typing import Final

import polars as pl

from benchmarks.cohort_ecology import RULED, Ecology
from benchmarks.cohort_tables import Tables

COLUMNS: Final = (
    "planted", "bioproject", "family", "attribute", "value", "other_value", "log2_fold_change",
    "samples_true", "samples_other",
)  # fmt: skip
WRITTEN: Final = ("planted", "bioproject", "attribute", "value", "other_value", "samples_true")
IDENTITIES: Final = ((90.0, "species"), (70.0, "genus-like"), (0.0, "family-like"))
"""Least percent identity at which the species, or no more than genus or family, can be stated."""


def planted_facets(tables: Tables, hits: pl.DataFrame, ecology: Ecology) -> pl.DataFrame:
    """Return the rows: ``value`` is what is written, ``other_value`` what it is to mean,
    ``samples_true`` in how many runs.
    """
    detected = tables.detection.join(
        tables.run.select("run", "bioproject"), on="run", maintain_order="left"
    )
    parts = [
        _environments(tables, ecology),
        _libraries(tables, ecology),
        _names(detected, ecology),
        _identities(detected),
        _searches(tables),
        _without_negatives(tables, detected),
        _pairs(ecology),
        _segments(tables, hits, ecology),
        _places(tables, ecology),
        _studies(tables),
        _run_attributes(tables, ecology),
    ]
    absent = [name for name in COLUMNS if name not in ("family", *WRITTEN)]
    filled = pl.concat(parts).with_columns(
        pl.lit(None, pl.String).alias("family"), *(pl.lit(None).alias(name) for name in absent)
    )
    return filled.select(COLUMNS)


def _rows(
    frame: pl.DataFrame,
    planted: str | pl.Expr,
    attribute: str | pl.Expr,
    value: pl.Expr,
    meant: pl.Expr,
) -> pl.DataFrame:
    """Return a row per project and value of ``frame`` (run, bioproject, …), with its runs."""
    kind = pl.lit(planted) if isinstance(planted, str) else planted
    name = pl.lit(attribute) if isinstance(attribute, str) else attribute
    written = frame.select(
        kind.alias("planted"),
        "bioproject",
        name.alias("attribute"),
        value.cast(pl.String).alias("value"),
        meant.cast(pl.String).alias("other_value"),
        "run",
    )
    keys = WRITTEN[:-1]
    counted = written.group_by(keys).agg(pl.col("run").n_unique().cast(pl.Int64))
    return counted.rename({"run": "samples_true"}).sort(
        keys,
        nulls_last=True,
    )


def _environments(tables: Tables, ecology: Ecology) -> pl.DataFrame:
    organism = pl.col("organism")
    sampled = tables.run.filter(organism.str.ends_with("metagenome"))
    implied = organism.replace_strict(
        ecology.implied_hosts,
        default=None,
        return_dtype=pl.String,
    )
    return _rows(sampled, "environment", "organism", organism, implied)


def _libraries(tables: Tables, ecology: Ecology) -> pl.DataFrame:
    organism = pl.col("organism")
    viral = tables.run.filter(organism.is_in(ecology.species))
    return _rows(viral, "virus library", "organism", organism, organism)


def _names(detected: pl.DataFrame, ecology: Ecology) -> pl.DataFrame:
    species = {name: virus for virus, names in ecology.names.items() for name in names}
    other = {name: virus for name, virus in species.items() if name != virus}
    name = pl.col("species")
    ambiguous = name.is_in(ecology.ambiguous)
    kind = pl.when(ambiguous).then(pl.lit("ambiguous name")).otherwise(pl.lit("other name"))
    meant = pl.when(~ambiguous).then(name.replace_strict(other, default=None))
    return _rows(detected.filter(name.is_in(list(other))), kind, "species", name, meant)


def _identities(detected: pl.DataFrame) -> pl.DataFrame:
    """Return one row of what identities support, and one per project whose identities are
    unknown.
    """
    identity = pl.col("identity")
    stated = pl.lit(None, pl.String)
    for least, what in reversed(IDENTITIES):
        stated = pl.when(identity >= least).then(pl.lit(what)).otherwise(stated)
    known = detected.filter(identity.is_not_null()).with_columns(
        pl.lit(None, pl.String).alias("bioproject")
    )
    unknown = detected.filter(identity.is_null())
    reported = _rows(unknown, "identity", "identity", pl.lit("unknown"), pl.lit("reported as"))
    return pl.concat([_rows(known, "identity", "identity", stated, stated), reported])


def _searches(tables: Tables) -> pl.DataFrame:
    """Return a row per project with listed runs in which nothing was found, and per project of
    which only the finds are known.
    """
    strategy = pl.col("library_strategy")
    found = pl.col("run").is_in(tables.detection["run"].implode())
    listed = pl.col("run").is_in(tables.searched["run"].implode())
    other = tables.run.filter(strategy != RULED)
    negative = other.filter(listed & ~found)
    unsearched = other.filter(~listed & ~found)
    return pl.concat(
        [
            _rows(negative, "searched, not found", "strategy", strategy, pl.lit("negative")),
            _rows(unsearched, "not searched", "strategy", strategy, pl.lit("unknown")),
        ]
    )


def _without_negatives(tables: Tables, detected: pl.DataFrame) -> pl.DataFrame:
    """Return a row per project and family that every run known to be searched has."""
    ruled = tables.run.filter(pl.col("library_strategy") == RULED)
    rest = detected.join(
        ruled,
        on="run",
        how="anti",
    ).join(
        tables.searched,
        on="run",
        how="anti",
    )
    alone = rest.filter(pl.col("family").n_unique().over("bioproject") == 1)
    return _rows(alone, "no negatives", "family", pl.col("family"), pl.lit(None))


def _pairs(ecology: Ecology) -> pl.DataFrame:
    rows = [
        (f"{kind} pair", None, "host", virus, host, None)
        for kind, (virus, host) in ecology.pairs.items()
    ]
    schema = dict.fromkeys(WRITTEN, pl.String) | {"samples_true": pl.Int64}
    return pl.DataFrame(
        rows,
        schema=schema,
        orient="row",
    )


def _segments(tables: Tables, hits: pl.DataFrame, ecology: Ecology) -> pl.DataFrame:
    """Return a row per project and virus of which a run has several segments."""
    virus = {name: of for name, (of, _, _) in ecology.accessions.items()}
    named = hits.with_columns(pl.col("sequence_accession").replace_strict(virus).alias("virus"))
    several = named.filter(pl.col("sequence_accession").n_unique().over("run_id", "virus") > 1)
    placed = several.join(
        tables.run.select("bioproject", run_id="run"), on="run_id", maintain_order="left"
    )
    renamed = placed.rename({"run_id": "run"})
    return _rows(renamed, "segments", "virus", pl.col("virus"), pl.col("virus"))


def _places(tables: Tables, ecology: Ecology) -> pl.DataFrame:
    """Return a row per project whose place has a former name, is a part of a country, or is none;
    parts of countries come from attributes alone.
    """
    placed = tables.run.select("run", "biosample", "bioproject").join(
        tables.place.select("biosample", "place", "country"), on="biosample", maintain_order="left"
    )
    stated = tables.biosample_attribute.filter(pl.col("attribute") == "geo_loc_name")
    place, country = pl.col("place"), pl.col("country")
    today = country.replace(ecology.former_places)
    former = placed.filter(country.is_in(list(ecology.former_places)))
    nowhere = placed.filter(~country.is_in(list(ecology.positions)))
    parts = place.str.contains(":") & ~country.is_in(list(ecology.former_places))
    finer = placed.filter(parts).join(
        stated, left_on=["biosample", "place"], right_on=["biosample", "value"], how="semi"
    )
    return pl.concat(
        [
            _rows(former, "former place", "place", place, today),
            _rows(finer, "finer place", "place", place, country),
            _rows(nowhere, "no place", "place", place, pl.lit(None)),
        ]
    )


def _studies(tables: Tables) -> pl.DataFrame:
    studied = tables.run.drop_nulls("study")
    return _rows(studied, "study", "study", pl.col("study"), pl.lit(None))


def _run_attributes(tables: Tables, ecology: Ecology) -> pl.DataFrame:
    """Return a row per attribute and value that runs have of their own."""
    stated = tables.run_attribute.with_columns(bioproject=pl.lit(None, pl.String))
    meaning = {value: meant for _, value, meant in ecology.of_runs.tolist()}
    name, value = pl.col("attribute"), pl.col("value")
    return _rows(stated, "attribute of runs", name, value, value.replace(meaning))
