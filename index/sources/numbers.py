"""Numbers as tables write them; what cannot be such a number is null."""

from __future__ import annotations

import polars as pl

_MOST: float = 2.0**62


def number(column: str) -> pl.Expr:
    """Return ``column`` as a number."""
    return pl.col(column).cast(pl.Float64, strict=False)


def whole_number(column: str) -> pl.Expr:
    """Return ``column`` as a whole number of at least 0; RunInfo also writes 1951728561.0."""
    valid = pl.when(number(column).is_between(0, _MOST)).then(number(column))
    return valid.cast(pl.Int64, strict=False).alias(column)


def taxid(column: str) -> pl.Expr:
    """Return ``column`` as an identifier of NCBI Taxonomy.

    >>> taxids = {"taxid": ["9606", "9606.0", "NCBITaxon:9606", "0", "human"]}
    >>> pl.DataFrame(taxids).select(taxid("taxid"))["taxid"].to_list()
    [9606, 9606, 9606, None, None]
    """
    digits = pl.col(column).str.extract(r"^(?:NCBITaxon:|txid)?0*([1-9]\d*)(?:\.0+)?$")
    return digits.cast(pl.Int64, strict=False)


def percentage(column: str) -> pl.Expr:
    """Return ``column`` as a number from 0 to 100."""
    return pl.when(number(column).is_between(0, 100)).then(number(column)).alias(column)


def position(north: str, east: str) -> tuple[pl.Expr, pl.Expr]:
    """Return latitude and longitude in degrees from the columns ``north`` and ``east``.

    Both are null if they are not a place on earth, or are exactly 0, 0: nobody was there.
    """
    latitude, longitude = number(north), number(east)
    on_earth = latitude.is_between(-90, 90) & longitude.is_between(-180, 180)
    stated = (latitude != 0) | (longitude != 0)
    valid = pl.when(on_earth & stated)
    return valid.then(latitude).alias("latitude"), valid.then(longitude).alias("longitude")
