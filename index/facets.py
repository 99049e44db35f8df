"""The closed word lists of the index: facets, kinds of entities, keys of citations.

They stand apart from the contracts that use them, so that a command line can know them without
loading Polars.
"""

from __future__ import annotations

from typing import Final

FACETS: Final = ("label", "statOrganism", "tissue", "disease", "geography", "biome", "sex")
FACT_FACETS: Final = ("species", "family", *FACETS, "bioproject")
ENTITY_KINDS: Final = (
    "run",
    "bioproject",
    "sotu",
    "host",
    "tissue",
    "disease",
    "taxon",
    "geography",
    "biome",
)
CITATION_KEYS: Final = (
    "species", "family", "label", "runId", "biosample", "bioproject", "community",
    "geography", "biome", "tissue", "disease", "statOrganism", "sex",
)  # fmt: skip
