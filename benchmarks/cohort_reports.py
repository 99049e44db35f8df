"""How what is found is reported: under former and everyday names, and with unknown identity.

A project names its viruses one way throughout, and searches all its sOTUs alike: the names and the
identities follow the number of the project, so blocks do not depend on one another.
"""

from __future__ import annotations

from typing import Final

import polars as pl

from benchmarks.cohort_ecology import Ecology

TURNS: Final = 3
"""Of so many projects in a row one uses the first other name of a virus, one the second."""
UNCOMPARED: Final = 13
"""Every so many-th project did not compare its sOTUs with named viruses: identity is unknown."""
UNCOMPARED_AT: Final = 6


def as_reported(detection: pl.DataFrame, ecology: Ecology) -> pl.DataFrame:
    """Return ``detection`` (with its project) with species and identity as the project reports
    them: ``species`` is the name it uses.
    """
    names = pl.DataFrame(
        list(ecology.names.items()),
        schema={"species": pl.String, "names": pl.List(pl.String)},
        orient="row",
    )
    turn = pl.col("project") % TURNS
    used = pl.col("names").list.get(turn, null_on_oob=True)
    compared = pl.col("project") % UNCOMPARED != UNCOMPARED_AT
    named = detection.join(
        names,
        on="species",
        how="left",
        maintain_order="left",
    )
    return named.with_columns(
        pl.coalesce(used, "species").alias("species"),
        pl.when(compared).then("identity").alias("identity"),
    ).drop("names")
