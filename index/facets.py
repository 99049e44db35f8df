"""The registry of facets: what is known of a run, and how it is stored, linked, asked for and said.

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
    """How reports speak of a facet: the claim, the runs that state it, the runs that do not."""

    claim: str
    stating: str
    absent: str


@dataclass(frozen=True, kw_only=True)
class Facet:
    """One kind of thing that is known of a run.

    ``name``         value of the columns called facet, and key of its citations
    ``origin``       table its values come from
    ``group``        what a question treats as one subject: organism, virus, tissue, ...
    ``title``        heading of a list of its values
    ``asked_by``     words of a question that ask for its values, singular
    ``wording``      sentences of reports; None where it is not reported as a finding
    ``entity_kind``  kind of entity that its values are in the graph; None where they are none
    ``ontologies``   ontologies whose terms its values are; empty where they are kept verbatim
    """

    name: str
    origin: Origin
    group: str
    title: str
    asked_by: frozenset[str]
    wording: Wording | None = None
    entity_kind: str | None = None
    ontologies: tuple[str, ...] = ()


NCBI_TAXONOMY: Final = "NCBITaxon"


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


REGISTRY: Final = (
    Facet(
        name="species",
        origin="detection",
        group="virus",
        title="Virus species",
        asked_by=_words("virus viral virome species strain pathogen"),
        wording=Wording(
            "{value} is found in {share}", "with a named virus", "without a named virus"
        ),
    ),
    Facet(
        name="family",
        origin="detection",
        group="virus",
        title="Virus families",
        asked_by=_words("virus viral virome virosphere family pathogen virology"),
        wording=Wording(
            "Viruses of {value} are found in {share}",
            "with a virus family",
            "without a virus family",
        ),
    ),
    Facet(
        name="host",
        origin="annotation",
        group="organism",
        title="Hosts",
        asked_by=_words(
            "where host organism animal plant creature infect infected reservoir vector who"
        ),
        wording=Wording(
            "The host is {value} in {share}", "with a stated host", "without a stated host"
        ),
        entity_kind="host",
        ontologies=(NCBI_TAXONOMY,),
    ),
    Facet(
        name="environment",
        origin="annotation",
        group="environment",
        title="Environments",
        asked_by=_words("where environment ecosystem environmental metagenome"),
        wording=Wording(
            "The environment is {value} in {share}",
            "with a metagenome as organism",
            "whose organism is no metagenome",
        ),
        entity_kind="environment",
        ontologies=(NCBI_TAXONOMY,),
    ),
    Facet(
        name="virus",
        origin="annotation",
        group="virus",
        title="Libraries of a virus",
        asked_by=frozenset(),
        wording=Wording(
            "The sequenced organism is {value} in {share}",
            "with a virus as organism",
            "whose organism is no virus",
        ),
        ontologies=(NCBI_TAXONOMY,),
    ),
    Facet(
        name="label",
        origin="annotation",
        group="organism",
        title="Organisms as submitted",
        asked_by=frozenset(),
        ontologies=(NCBI_TAXONOMY,),
    ),
    Facet(
        name="statOrganism",
        origin="annotation",
        group="organism",
        title="Organisms by k-mers",
        asked_by=_words("contamination contaminant microbe microbiome kmer"),
        wording=Wording(
            "K-mers show {value} in {share}", "with k-mer counts", "without k-mer counts"
        ),
    ),
    Facet(
        name="disease",
        origin="annotation",
        group="disease",
        title="Diseases",
        asked_by=_words("disease illness disorder syndrome condition diagnosis sick"),
        wording=Wording(
            "The disease state is {value} in {share}",
            "with a stated disease state",
            "without a stated disease state",
        ),
        entity_kind="disease",
        ontologies=ONTOLOGIES_OF_FACET["disease"],
    ),
    Facet(
        name="tissue",
        origin="annotation",
        group="tissue",
        title="Tissues",
        asked_by=_words("tissue organ cell tropism anatomical specimen material"),
        wording=Wording(
            "The tissue is {value} in {share}", "with a stated tissue", "without a stated tissue"
        ),
        entity_kind="tissue",
        ontologies=ONTOLOGIES_OF_FACET["tissue"],
    ),
    Facet(
        name="biome",
        origin="annotation",
        group="biome",
        title="Biomes",
        asked_by=_words("where biome habitat"),
        wording=Wording(
            "The biome is {value} in {share}", "with a stated biome", "without a stated biome"
        ),
        entity_kind="biome",
    ),
    Facet(
        name="geography",
        origin="annotation",
        group="geography",
        title="Places",
        asked_by=_words(
            "where country nation geography geographic region place location continent"
        ),
        wording=Wording(
            "The place of origin is {value} for {share}",
            "with a stated place of origin",
            "without a stated place of origin",
        ),
        entity_kind="geography",
    ),
    Facet(
        name="sex",
        origin="annotation",
        group="sex",
        title="Sex",
        asked_by=_words("sex gender"),
        wording=Wording(
            "The sex is {value} in {share}", "with a stated sex", "without a stated sex"
        ),
    ),
    Facet(
        name="bioproject",
        origin="run",
        group="bioproject",
        title="Projects",
        asked_by=_words("study project bioproject dataset cohort"),
    ),
)
"""Every facet, in the order a virologist asks: which virus, in what, how ill, which organ,
where.
"""

FACET: Final = {facet.name: facet for facet in REGISTRY}
FACT_FACETS: Final = tuple(FACET)
"""Facets that facts are counted for."""
FACETS: Final = tuple(facet.name for facet in REGISTRY if facet.origin == "annotation")
"""Facets of the table ``annotation``."""
GROUNDED_FACETS: Final = tuple(facet.name for facet in REGISTRY if facet.ontologies)
"""Facets whose values are terms of an ontology."""
SAMPLED: Final = ("host", "environment", "virus")
"""Facets that say what was sequenced: one of them for a run whose organism is understood."""
KIND_OF_FACET: Final = {
    facet.name: facet.entity_kind for facet in REGISTRY if facet.entity_kind is not None
}
"""Facets that link runs to entities, with the kind of entity."""
VERBATIM_FACETS: Final = tuple(name for name in KIND_OF_FACET if name not in GROUNDED_FACETS)
"""Facets whose entities are cleaned texts: places and biomes."""

ENTITY_KINDS: Final = (
    "run",
    "bioproject",
    "study",
    "sotu",
    "host",
    "environment",
    "tissue",
    "disease",
    "taxon",
    "geography",
    "biome",
)
"""Kinds of entities; a term of several kinds has the one that comes first."""
CITATION_KEYS: Final = ("runId", "biosample", "study", "community", *FACT_FACETS)
