"""Suggest questions that an index could answer, from its records, before it is built."""

from __future__ import annotations

from typing import Final

import polars as pl

from index.records import Records
from index.sources.column_guess import VIRAL
from ontology_etl.attributes import snake_case
from ontology_etl.grounding import ground
from ontology_etl.missing import is_no_value
from ontology_etl.vocabulary import VIRUSES, Vocabulary

_HOSTS: Final = ("host", "host_organism", "host_species")
_PLACES: Final = ("geo_loc_name", "country")


def askable(records: Records, vocabulary: Vocabulary | None = None) -> tuple[list[str], list[str]]:
    """Return questions that an index of ``records`` could answer, and what is missing for others.

    They use the commonest names of the records. With a ``vocabulary``, taxa other than viruses are
    left out, as in a build, and hosts and tissues are values that name a term.
    """
    detection = _of_viruses(records.detection, vocabulary)
    virus = _virus(detection)
    host = _host(records, vocabulary)
    tissue = _attribute(records, ("tissue",), vocabulary)
    place = _attribute(records, _PLACES)
    questions = []
    if not detection.is_empty():
        questions.append(
            f"Which runs carry {virus}?" if virus else "How many runs carry any virus?"
        )
        named = [host, tissue, place.split(":")[0] if place else None]
        questions += [f"Which viruses are found in {value}?" for value in named if value]
    if virus and host:
        questions.append(f"Which hosts carry {virus}?")
    if detection.is_empty() and not records.run.is_empty():
        questions.append(f"How many runs are of {host}?" if host else "How many runs are there?")
    is_host_stated = _host(records, None) is not None
    lacking = _not_askable(records, detection, has_host=is_host_stated, has_place=bool(place))
    return questions, lacking


def _not_askable(
    records: Records, detection: pl.DataFrame, *, has_host: bool, has_place: bool
) -> list[str]:
    """Return what no input states, so that no question can use it."""
    lacking = []
    if records.run.is_empty():
        lacking.append(
            "no input names a run, so nothing could be counted: add a table of runs "
            "(python -m flows.inputs fetch gets it from NCBI)"
        )
    if detection.is_empty():
        lacking.append("no input names a virus that was found in a run")
    if not has_host:
        lacking.append("no input says what the runs are of: organism or host")
    if not has_place:
        lacking.append("no input says where samples were taken")
    empty = records.searched.join(detection, on=["run", "source"], how="anti")
    if empty.is_empty() and not detection.is_empty():
        lacking.append(
            "no run is known to have been searched without a hit: no share of runs with a virus "
            "can be given ([[searched]], or the format searched_runs)"
        )
    return lacking


def _of_viruses(detection: pl.DataFrame, vocabulary: Vocabulary | None) -> pl.DataFrame:
    """Drop taxa that are known not to be viruses; name viruses without a name by their taxon."""
    named = detection.with_row_index("row").with_columns(label=pl.lit(None, pl.String))
    is_virus = pl.Series("is_virus", [True] * len(named), dtype=pl.Boolean)
    if vocabulary is not None:
        labels = vocabulary.labels_of(detection["virus"]).select(virus="curie", label="label")
        named = named.drop("label").join(labels, on="virus", how="left", maintain_order="left")
        is_virus = named["label"].is_null() | vocabulary.is_below(named["virus"], VIRUSES)
    return named.with_columns(reported_name=pl.coalesce("reported_name", "label")).filter(is_virus)


def _virus(detection: pl.DataFrame) -> str | None:
    """Return the commonest virus by name, else the commonest family or phylum.

    A name with a taxid comes from the taxonomy. Without a vocabulary, it must sound like a virus:
    classifiers name bacteria, too.
    """
    is_known = pl.col("label").is_not_null() | pl.col("virus").is_null()
    sounds_viral = pl.col("reported_name").str.contains(VIRAL)
    named = detection.filter(is_known | sounds_viral)
    columns = (named["reported_name"], detection["family"], detection["phylum"])
    return next((name for name in map(_commonest, columns) if name), None)


def _host(records: Records, vocabulary: Vocabulary | None) -> str | None:
    organism = records.run.select(attribute=pl.lit("organism"), value="organism")
    stated = _attribute(records, _HOSTS, vocabulary)
    return stated or _commonest(_grounded(organism, vocabulary)["value"])


def _attribute(
    records: Records, names: tuple[str, ...], vocabulary: Vocabulary | None = None
) -> str | None:
    """Return the commonest value of the attributes ``names``."""
    tables = (records.biosample_attribute, records.run_attribute)
    stated = pl.concat([table.select("attribute", "value") for table in tables])
    wanted = stated.filter(snake_case(pl.col("attribute")).is_in(names))
    return _commonest(_grounded(wanted, vocabulary)["value"])


def _grounded(stated: pl.DataFrame, vocabulary: Vocabulary | None) -> pl.DataFrame:
    """Return the rows of ``stated`` [attribute, value] whose values name a term."""
    named = stated.drop_nulls().filter(~is_no_value(pl.col("value")))
    if vocabulary is None:
        return named
    texts = named.rename({"value": "text"})
    found = ground(texts, vocabulary).filter(pl.col("outcome") == "grounded")
    return named.filter(pl.col("value").is_in(found["text"].implode()))


def _commonest(values: pl.Series) -> str | None:
    counted = values.drop_nulls().to_frame("value").group_by("value").len()
    first = counted.sort("len", "value", descending=[True, False]).head(1)
    return str(first["value"][0]) if len(first) else None
