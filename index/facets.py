"""The registry of facets: kinds of things known about a run, and how each is stored, linked and
worded.

Adding a facet is one entry here; where an ontology serves it, one in ``ontology_etl/facets.py``;
where it links runs in the graph, its weight in ``index/config.py``. Nothing here loads Polars, so a
command line can read it at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

from ontology_etl.facets import ONTOLOGIES_OF_FACET

Origin = Literal["annotation", "detection", "run"]


class Wording(NamedTuple):
    """How reports speak of a facet: the claim, and the runs that state it."""

    claim: str
    stating: str


@dataclass(frozen=True, kw_only=True)
class Facet:
    """One kind of thing known about a run.

    ``name``         value of the columns called facet, and key of its citations
    ``origin``       table its values come from
    ``group``        what a question treats as one subject: organism, virus, tissue, ...
    ``wording``      sentences of reports; None if it is never a finding
    ``entity_kind``  kind of entity of its values in the graph; None if they are not entities
    ``ontologies``   ontologies of its terms; empty if values are stored as submitted
    """

    name: str
    origin: Origin
    group: str
    wording: Wording | None = None
    entity_kind: str | None = None
    ontologies: tuple[str, ...] = ()


NCBI_TAXONOMY: Final = "NCBITaxon"


REGISTRY: Final = (
    Facet(
        name="species",
        origin="detection",
        group="virus",
        wording=Wording("{value}", "with a named virus"),
    ),
    Facet(
        name="family",
        origin="detection",
        group="virus",
        wording=Wording("viruses of {value}", "with a virus family"),
    ),
    Facet(
        name="host",
        origin="annotation",
        group="organism",
        wording=Wording("the host is {value}", "with a stated host"),
        entity_kind="host",
        ontologies=(NCBI_TAXONOMY,),
    ),
    Facet(
        name="environment",
        origin="annotation",
        group="environment",
        wording=Wording("the environment is {value}", "with a stated environment"),
        entity_kind="environment",
        ontologies=(NCBI_TAXONOMY,),
    ),
    Facet(
        name="virus",
        origin="annotation",
        group="virus",
        wording=Wording("the sequenced organism is {value}", "with a virus as organism"),
        ontologies=(NCBI_TAXONOMY,),
    ),
    Facet(name="label", origin="annotation", group="organism", ontologies=(NCBI_TAXONOMY,)),
    Facet(
        name="statOrganism",
        origin="annotation",
        group="organism",
        wording=Wording("k-mers show {value}", "with k-mer counts"),
    ),
    Facet(
        name="disease",
        origin="annotation",
        group="disease",
        wording=Wording("the disease is {value}", "with a stated disease"),
        entity_kind="disease",
        ontologies=ONTOLOGIES_OF_FACET["disease"],
    ),
    Facet(
        name="tissue",
        origin="annotation",
        group="tissue",
        wording=Wording("the tissue is {value}", "with a stated tissue"),
        entity_kind="tissue",
        ontologies=ONTOLOGIES_OF_FACET["tissue"],
    ),
    Facet(
        name="biome",
        origin="annotation",
        group="biome",
        wording=Wording("the biome is {value}", "with a stated biome"),
        entity_kind="biome",
    ),
    Facet(
        name="geography",
        origin="annotation",
        group="geography",
        wording=Wording("the place of origin is {value}", "with a stated place of origin"),
        entity_kind="geography",
    ),
    Facet(
        name="sex",
        origin="annotation",
        group="sex",
        wording=Wording("the sex is {value}", "with a stated sex"),
    ),
    Facet(name="bioproject", origin="run", group="bioproject"),
)
"""Every facet, as a virologist asks: which virus, in what, how ill, which organ, where."""

FACET: Final = {facet.name: facet for facet in REGISTRY}
FACT_FACETS: Final = tuple(FACET)
"""Facets that facts are counted for."""
FACETS: Final = tuple(facet.name for facet in REGISTRY if facet.origin == "annotation")
"""Facets of the table ``annotation``."""
GROUNDED_FACETS: Final = tuple(facet.name for facet in REGISTRY if facet.ontologies)
"""Facets whose values are terms of an ontology."""
SAMPLED: Final = ("host", "environment", "virus")
"""Facets that say what was sequenced: a run whose organism is understood has one of them."""
KIND_OF_FACET: Final = {
    facet.name: facet.entity_kind for facet in REGISTRY if facet.entity_kind is not None
}
"""Facets that link runs to entities, with the kind of entity."""
VERBATIM_FACETS: Final = tuple(name for name in KIND_OF_FACET if name not in GROUNDED_FACETS)
"""Facets whose entities are cleaned texts: places and biomes."""

ENTITY_KINDS: Final = (
    "run", "bioproject", "study", "sotu", "host", "environment", "tissue", "disease", "taxon",
    "geography", "biome",
)  # fmt: skip
"""Kinds of entities; a term of several kinds has the one that comes first."""
CITATION_KEYS: Final = ("runId", "biosample", "study", "community", *FACT_FACETS)
