"""Neighbourhoods: viruses that are found in the same kinds of samples, by their vectors.

Each virus is joined to its nearest by the cosine of their vectors; Leiden finds the neighbourhoods.
They group viruses, as communities group runs, and they are a prediction, as the vectors are.
"""

from __future__ import annotations

from typing import Final

import dataframely as dy
import duckdb
import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy import sparse

from index.config import GraphConfig
from index.graph.arrays import build_graph
from index.graph.engines import find_partition
from index.store.frames import rows_over
from index.tables import VirusNeighbourhood
from index.vectors.factors import Array
from index.vectors.sighting_rows import HOST
from index.vectors.sightings import Sightings, direct
from ontology_etl.tables import conform

NEAR: Final = 10
"""Number of nearest viruses to which each virus is joined."""
RESOLUTION: Final = 1.0
NAMED: Final = 3
"""Number of families, hosts and other values that are named."""
MEMBERS: Final = 5
"""Number of viruses that are named."""
_OTHER: Final = ("tissue", "disease", "environment")


def find_neighbourhoods(vectors: Array, *, seed: int) -> NDArray[np.int64]:
    """Return the number of the neighbourhood of each of the unit ``vectors``; 1 has most viruses.

    >>> find_neighbourhoods(np.eye(2, dtype=np.float32)[[0, 0, 1, 0, 1]], seed=1).tolist()
    [1, 1, 2, 1, 2]
    """
    likeness = vectors @ vectors.T
    np.fill_diagonal(likeness, -1)
    near = np.argsort(-likeness, axis=1, kind="stable")[:, :NEAR]
    one = np.repeat(np.arange(len(vectors)), near.shape[1])
    pairs = pl.DataFrame({
        "source": one,
        "target": near.ravel(),
        "weight": likeness[one, near.ravel()].astype(np.float64),
    }).filter(pl.col("weight") > 1e-6)  # fmt: skip
    names = pl.DataFrame({"entity": [f"{number:08}" for number in range(len(vectors))]})
    graph = build_graph(names, pairs)
    mass = graph.strength * np.sqrt(RESOLUTION / max(2 * graph.weight.sum(), 1e-9))
    found = find_partition(graph, mass, config=GraphConfig(seed=seed))
    sizes = np.bincount(found, minlength=1)
    place = np.argsort(np.argsort(-sizes, kind="stable"), kind="stable")
    return place[found].astype(np.int64) + 1


def describe_neighbourhoods(
    con: duckdb.DuckDBPyConnection, sightings: Sightings, members: pl.DataFrame
) -> dy.DataFrame[VirusNeighbourhood]:
    """Return what the viruses of each neighbourhood share.

    ``members``  [virus, name, family, studies, neighbourhood]: rows of ``virus_vector``.
    """
    place = sightings.virus.select("virus").with_row_index("place")
    of_virus = members.join(place, on="virus").sort("place")
    number = of_virus["neighbourhood"].to_numpy() - 1
    ones = np.ones(len(of_virus), dtype=np.float32)
    member = sparse.csr_array(
        (ones, (of_virus["place"].to_numpy(), number)),
        shape=(len(place), int(number.max(initial=-1)) + 1),
    )
    found = sparse.csr_array((sightings.found @ member) > 0, dtype=np.float32)
    own = direct(sightings, (HOST, *_OTHER))
    together = sparse.coo_array(found.T @ own)
    term = sightings.term.with_row_index("column")
    shared = pl.DataFrame({
        "neighbourhood": together.row.astype(np.int64) + 1,
        "column": together.col.astype(np.uint32),
        "studies": together.data.astype(np.int64),
    }).join(term, on="column")  # fmt: skip
    studies = np.asarray(found.sum(axis=0)).ravel().astype(np.int64)
    counted = pl.DataFrame({"neighbourhood": np.arange(len(studies)) + 1, "studies": studies})
    frames = {"of_members": members, "of_shared": shared, "of_studies": counted}
    return conform(rows_over(con, _DESCRIBED, frames), VirusNeighbourhood)


def _named(select: str, most: int) -> str:
    """Return a SELECT of neighbourhood and the ``most`` frequent values of ``select``."""
    return f"""
        SELECT neighbourhood, string_agg(value, '; ' ORDER BY place) AS named FROM (
            SELECT *, row_number() OVER (
                PARTITION BY neighbourhood ORDER BY number DESC, value) AS place
            FROM ({select})
        ) WHERE place <= {most} GROUP BY neighbourhood
    """


_SHARED: Final = """
    SELECT neighbourhood, coalesce(t.label, s.term) AS value, sum(s.studies) AS number
    FROM of_shared AS s LEFT JOIN used_term AS t ON t.curie = s.term WHERE {facet} GROUP BY ALL
"""
_FAMILIES: Final = """
    SELECT neighbourhood, family AS value, count(*) AS number FROM of_members
    WHERE family IS NOT NULL GROUP BY ALL
"""
_MEMBERS: Final = "SELECT neighbourhood, name AS value, studies AS number FROM of_members"
_DESCRIBED: Final = f"""
WITH
size AS (SELECT neighbourhood, count(*) AS viruses FROM of_members GROUP BY neighbourhood),
family AS ({_named(_FAMILIES, NAMED)}),
host AS ({_named(_SHARED.format(facet=f"s.facet = '{HOST}'"), NAMED)}),
other AS ({_named(_SHARED.format(facet=f"s.facet <> '{HOST}'"), NAMED)}),
member AS ({_named(_MEMBERS, MEMBERS)})
SELECT z.neighbourhood, z.viruses, s.studies, family.named AS families, host.named AS hosts,
       other.named AS samples, member.named AS members
FROM size AS z JOIN of_studies AS s USING (neighbourhood)
JOIN member USING (neighbourhood) LEFT JOIN family USING (neighbourhood)
LEFT JOIN host USING (neighbourhood) LEFT JOIN other USING (neighbourhood)
"""
