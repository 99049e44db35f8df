"""What could be asked of an index before it is built: questions over what its records state."""

from __future__ import annotations

from typing import Final

import polars as pl

from index.records import Records
from ontology_etl.attributes import snake_case

_PLACES: Final = ("geo_loc_name", "country")


def askable(records: Records) -> tuple[list[str], list[str]]:
    """Return questions that the index of ``records`` could answer, and what none could be.

    Names in them are the commonest of the records.
    """
    virus = _commonest(records.detection["reported_name"])
    host = _host(records)
    tissue = _attribute(records, ("tissue",))
    place = _attribute(records, _PLACES)
    questions = []
    if virus:
        questions.append(f"Which runs carry {virus}?")
    if not records.detection.is_empty():
        asked = [host, tissue, place.split(":")[0] if place else None]
        questions += [f"Which viruses are found in {value}?" for value in asked if value]
    if virus and host:
        questions.append(f"Which hosts carry {virus}?")
    if records.detection.is_empty() and host:
        questions.append(f"How many runs are of {host}?")
    return questions, _not_askable(records, host=host, place=place)


def _not_askable(records: Records, *, host: str | None, place: str | None) -> list[str]:
    """Return what no input says, and what can therefore not be asked."""
    lacking = []
    if records.detection.is_empty():
        lacking.append("no input names a virus that was found in a run")
    if not host:
        lacking.append("no input says what the runs are of: organism or host")
    if not place:
        lacking.append("no input says where samples were taken")
    empty = records.searched.join(records.detection, on=["run", "source"], how="anti")
    if empty.is_empty() and not records.detection.is_empty():
        lacking.append(
            "no run is known to have been searched in vain: shares of runs with a virus cannot be "
            "told ([[searched]], or the format searched_runs)"
        )
    return lacking


def _host(records: Records) -> str | None:
    stated = _attribute(records, ("host", "host_organism", "host_species"))
    return stated or _commonest(records.run["organism"])


def _attribute(records: Records, names: tuple[str, ...]) -> str | None:
    """Return the commonest value of the attributes ``names``."""
    tables = (records.biosample_attribute, records.run_attribute)
    stated = pl.concat([table.select("attribute", "value") for table in tables])
    return _commonest(stated.filter(snake_case(pl.col("attribute")).is_in(names))["value"])


def _commonest(values: pl.Series) -> str | None:
    counted = values.drop_nulls().to_frame("value").group_by("value").len()
    first = counted.sort("len", "value", descending=[True, False]).head(1)
    return str(first["value"][0]) if len(first) else None
