"""Facets served by ontologies: which ontologies, and which metadata attributes.

Attribute names vary by archive and year (``geo_loc_name_sam``, ``Host disease``); the patterns
match them in the form of ``ontology_etl.attributes.snake_case``. Nothing here loads Polars.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

_ORGANISM: Final = (
    r"organism|scientific_?name|species|source_organism|arrayexpress_species|isolate_organism"
)
_HOST: Final = (
    r"host|(?:specific|natural|lab|laboratory|nat|intermediate|definitive)_?host"
    r"|host_(?:organism|species|scientific_name|scientificname|common_name|name)"
    r"|common_name|host_common|animal|vector_host"
)
_TAXID: Final = r"host_(?:taxid|taxon_id|tax_id|taxonomy(?:_id)?)"
LINE: Final = (
    r"(?:(?:tissue|host|lab_host|human|parental|coriell)_)?"
    r"cell_?lines?(?:_name|_background|_specifics|_clone|_id|_source|_repository_identifier)?"
)
"""Attributes of cell lines."""
_TISSUE: Final = (
    r"tissue(?:s|_?type|_origin|_source|_name|_region|_subregion|_of_origin)?"
    r"|tissue_(?:lib|supertype|sub_?type|category|sampled)|host_tissue|organism_tissue"
    r"|(?:host|sampled|source|sample|plant|host_plant|body|lab_host)_tissue(?:_sampled|_type)?"
    r"|(?:(?:host|human|primary)_)?cell(?:s|_subtype|_source|_origin|_description)?|(?:.*_)?cell_?types?"
    r"|histolog(?:ic|ical|y)_type"
    r"|source|origin|cell_or_tumou?r_type|rna_source|stem_cells?_type|tumou?r_site"
    r"|(?:transplanted_)?organ(?:_part|ism_?part|_tissue|_name|_type)?"
    r"|(?:host_)?(?:body|anatomic(?:al)?)_?(?:site|part|habitat|product|location|subsite|region)"
    r"|body_?site|sampling_site|sample_site|plant_(?:structure|part|organ|body_site)|plant_part"
    r"|(?:sample|specimen|biospecimen|source|biosample)_(?:type|source|material|origin)"
    r"|source_name|isolation_?source|isolat(?:e_source|ion_site)|specimen|material|biomaterial"
    r"|source_of_isolate|env_(?:material|medium)|environment_material|anatomic_material|explant|fluid|biofluid"
    r"|uberon(?:_term)?|fraction_source|sample_site_specific|host_anatomical_part"
)
_DISEASE: Final = (
    r"(?:host_|study_|source_|sample_|primary_|patient_|clinical_)?(?:disease|diagnosis|disorder)s?"
    r"(?:_state|_status|_diagnosis|_classification|_name|_type|_stat|_condition|_group|_description|_phenotype|_?class)?"
    r"|health_disease_stat(?:us)?|(?:host_)?health_(?:state|status|condition|stat)|host_disease_stat"
    r"|(?:histo(?:logic|logical|logy|pathology)|tumou?r|cancer|lymphoma|leuk[ae]+mia)"
    r"(?:_sub_?type|_type|_diagnosis|_histology|_tumou?r_classification)?"
    r"|status_of_disease|disease_or_phenotype|subject_(?:status|disease|diagnosis)"
    r"|patient_(?:status|diagnosis|group)|clinical_(?:condition|status|diagnosis)"
    r"|phenotype|indication|medical_condition|condition_of_patient|comorbidit(?:y|ies)|pathology"
    r"|(?:.*_)?infection(?:_status)?|[a-z]{2,4}v_status|symptoms?|illness|cause_of_death|diagnosed"
    r"|affection_status"
)
_IN_PASSING: Final = rf"{_TISSUE}|{LINE}|title"


@dataclass(frozen=True)
class GroundedFacet:
    """The ontologies and attributes of one facet.

    ``name``        facet, as in the table ``annotation``
    ``ontologies``  the ontologies whose terms it may have, the most trusted first
    ``attributes``  (role, pattern of attribute names), the first that fits decides; roles are
                    organism, host, taxid (of a host), tissue, line (a cell line), disease, source
                    (a place that may name a disease in passing) and title
    """

    name: str
    ontologies: tuple[str, ...]
    attributes: tuple[tuple[str, str], ...]


GROUNDED: Final = (
    GroundedFacet(
        "label", ("NCBITaxon",), (("organism", _ORGANISM), ("taxid", _TAXID), ("host", _HOST))
    ),
    GroundedFacet(
        "tissue",
        ("BTO", "UBERON"),
        (("line", LINE), ("tissue", _TISSUE), ("title", r"title")),
    ),
    GroundedFacet("disease", ("DOID",), (("disease", _DISEASE), ("source", _IN_PASSING))),
)
ONTOLOGIES_OF_FACET: Final = {facet.name: facet.ontologies for facet in GROUNDED}
FACET_OF_ONTOLOGY: Final = {name: facet.name for facet in GROUNDED for name in facet.ontologies}
