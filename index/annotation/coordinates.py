"""Find the country of a position by the polygon that contains it.

Source: Natural Earth, 1:10m map units (public domain), as GeoJSON with the properties ``name`` and
``admin``; borders are those in force. A point at sea is in no country. Points are few and polygons
many, so plain NumPy is enough (decisions/0360-more-of-the-data.md).
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
import polars as pl

from index.records import Records
from index.tables import Annotation
from ontology_etl.errors import InputError
from ontology_etl.places import read_places
from ontology_etl.tables import conform

METHOD: Final = "coordinates"
POINTS_AT_A_TIME: Final = 256
"""Limits the table of points by edges: 256 points and Canada are 18 million cells."""
_WRITTEN: Final = (
    r"^\s*(?<north>\d{1,2}(?:\.\d+)?)\s*(?<ns>[NS])[\s,]+"
    r"(?<east>\d{1,3}(?:\.\d+)?)\s*(?<ew>[EW])\s*$"
)
_POSITION: Final = ["latitude", "longitude"]


class Country(NamedTuple):
    """One polygon of a country: the edges of all its rings, including holes."""

    name: str
    starts: np.ndarray[Any, np.dtype[np.float64]]
    """Longitude and latitude of the first end of each edge."""
    ends: np.ndarray[Any, np.dtype[np.float64]]


def read_countries(path: Path) -> list[Country]:
    """Return the polygons of the GeoJSON at ``path`` whose country is of the INSDC list.

    Raises ``InputError`` if it is not a collection of named polygons.
    """
    opened = gzip.open if path.suffix == ".gz" else open
    try:
        with opened(path, "rt", encoding="utf-8") as stream:
            features = json.load(stream)["features"]
        shapes = [(feature["properties"], _polygons(feature["geometry"])) for feature in features]
        named = [(said["name"], said["admin"], polygons) for said, polygons in shapes]
    except (ValueError, KeyError, TypeError, OSError) as error:
        remedy = "give Natural Earth's admin 0 map units as GeoJSON, with name and admin"
        raise InputError(path, f"no polygons of countries: {error}", remedy=remedy) from error
    listed = _listed(name for names in named for name in names[:2])
    return [
        Country(country, *_edges(polygon))
        for name, admin, polygons in named
        if (country := listed.get(name) or listed.get(admin))
        for polygon in polygons
    ]


def locate(points: pl.DataFrame, countries: Sequence[Country]) -> pl.DataFrame:
    """Return [latitude, longitude, country] of the distinct ``points`` that are in a country."""
    distinct = points.select(_POSITION).unique().sort(_POSITION)
    place = distinct.select("longitude", "latitude").to_numpy()
    found = np.full(len(place), -1)
    for number, country in enumerate(countries):
        low, high = country.starts.min(axis=0), country.starts.max(axis=0)
        near = np.flatnonzero(((place >= low) & (place <= high)).all(axis=1) & (found < 0))
        for start in range(0, len(near), POINTS_AT_A_TIME):
            batch = near[start : start + POINTS_AT_A_TIME]
            found[batch[_are_inside(place[batch], country)]] = number
    names = {number: country.name for number, country in enumerate(countries)}
    located = pl.Series(found).replace_strict(names, default=None, return_dtype=pl.String)
    return distinct.with_columns(country=located).drop_nulls("country")


def positions_of(records: Records) -> pl.DataFrame:
    """Return [run, latitude, longitude, text]: the position that a run or its sample states."""
    runs = records.run.select("run", "biosample")
    is_position = pl.col("attribute").str.to_lowercase() == "lat_lon"
    of_samples = records.biosample_attribute.filter(is_position).join(runs, on="biosample")
    of_runs = records.run_attribute.filter(is_position)
    written = pl.concat([table.select("run", "value") for table in (of_samples, of_runs)])
    read = written.select("run", pl.col("value").str.extract_groups(_WRITTEN)).unnest("value")
    numbers = read.select(
        "run",
        latitude=_signed("north", "ns", "S"),
        longitude=_signed("east", "ew", "W"),
    )
    placed = runs.join(records.place, on="biosample").select("run", *_POSITION)
    every = pl.concat([placed, numbers]).drop_nulls()
    first = every.unique("run", keep="first", maintain_order=True)
    return first.with_columns(text=pl.format("{} {}", *_POSITION))


def with_located(
    annotation: pl.DataFrame, positions: pl.DataFrame, countries: Sequence[Country]
) -> pl.DataFrame:
    """Return ``annotation`` with the country of each run that states a position and no country."""
    placed = annotation.filter(pl.col("facet") == "geography")
    unplaced = positions.join(placed, on="run", how="anti")
    located = unplaced.join(locate(unplaced, countries), on=_POSITION)
    derived = located.select(
        "run",
        "text",
        facet=pl.lit("geography"),
        value="country",
        curie=pl.lit(None, pl.String),
        attribute=pl.lit("lat_lon"),
        method=pl.lit(METHOD),
        score=pl.lit(1.0),
    )
    key = Annotation.primary_key()
    both = pl.concat([annotation, derived.select(annotation.columns)])
    return conform(both.sort(key), Annotation)


def _are_inside(
    points: np.ndarray[Any, np.dtype[np.float64]], country: Country
) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Return whether each of ``points`` is inside: an odd number of edges is to its east.

    After W. R. Franklin, PNPOLY. Inside a hole the number is even again.
    """
    x, y = points[:, :1], points[:, 1:]
    (x1, y1), (x2, y2) = country.starts.T, country.ends.T
    spans = (y1 > y) != (y2 > y)
    with np.errstate(divide="ignore", invalid="ignore"):  # a horizontal edge spans no latitude
        crossing = x1 + (y - y1) * (x2 - x1) / (y2 - y1)
    inside: np.ndarray[Any, np.dtype[np.bool_]] = (spans & (x < crossing)).sum(axis=1) % 2 == 1
    return inside


def _polygons(geometry: dict[str, Any]) -> list[Any]:
    """Return the polygons of a geometry, each a list of rings."""
    coordinates = geometry["coordinates"]
    return list(coordinates) if geometry["type"] == "MultiPolygon" else [coordinates]


def _edges(rings: Sequence[Any]) -> tuple[Any, Any]:
    """Return where the edges of all rings begin and where they end."""
    corners = [np.asarray(ring, dtype=np.float64) for ring in rings]
    starts = np.concatenate([ring[:-1] for ring in corners])
    ends = np.concatenate([ring[1:] for ring in corners])
    return starts, ends


def _listed(names: Iterator[str]) -> dict[str, str]:
    """Return the country of the INSDC list that each of ``names`` is."""
    read = read_places(pl.Series(sorted(set(names)), dtype=pl.String)).drop_nulls("country")
    return dict(read.select("text", "country").iter_rows())


def _signed(column: str, side: str, negative: str) -> pl.Expr:
    number = pl.col(column).cast(pl.Float64, strict=False)
    return pl.when(pl.col(side) == negative).then(-number).otherwise(number)
