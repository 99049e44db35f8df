"""Which facets the value of a metadata attribute may describe: the part of grounding that reads
attribute names.

Attribute names vary by archive and year (``geo_loc_name_sam``, ``Host disease``, ``host-disease``);
they are compared in snake case without the suffixes that the SRA metadata tables add.
"""

from __future__ import annotations

from typing import Final

import polars as pl

ONTOLOGY_OF_FACET: Final = {"label": "NCBITaxon", "tissue": "BTO", "disease": "DOID"}

_SRA_SUFFIX = r"_(sam|run|exp|calc)(_s)?(_dpl\d+|_ss_dpl\d+)?$"

_ORGANISM = (
    r"organism|scientific_?name|species|source_organism|arrayexpress_species|isolate_organism"
)
_HOST = (
    r"host|(?:specific|natural|lab|laboratory|nat|intermediate|definitive)_host|host_(?:organism|species|scientific_name"
    r"|scientificname|common_name|name|taxid|taxon_id|tax_id|taxonomy)|common_name|host_common|animal|vector_host"
)
_TISSUE = (
    r"tissue(?:s|_type|_source|_name|_region|_subregion|_of_origin|_or_cell_type|_cell_type|_lib|_supertype|_sub_type)?"
    r"|(?:host|sampled|source|sample|plant|body|lab_host)_tissue(?:_sampled|_type)?|tissue_sampled|host_tissue"
    r"|cell(?:s|_type|_types|_line|_line_name|_subtype|_source|_line_background|line|type)|primary_cell_type"
    r"|organ(?:_part|ism_part|_tissue|_name|_type)?|(?:host_)?(?:body|anatomic(?:al)?)_?(?:site|part|habitat|product"
    r"|location|subsite|region)|body_?site|sampling_site|sample_site|plant_(?:structure|part|organ|body_site)|plant_part"
    r"|(?:sample|specimen|biospecimen|source|biosample)_(?:type|source|material|origin)|source_name|isolation_source"
    r"|isolation_site|specimen|material|biomaterial|organism_tissue|env_(?:material|medium)|environment_material"
    r"|anatomic_material|explant|fluid|biofluid|uberon(?:_term)?|fraction_source|sample_site_specific|host_anatomical_part"
)
_DISEASE = (
    r"(?:host_|study_|source_|primary_|patient_|clinical_)?(?:disease|diagnosis|disorder)s?(?:_state|_status|_name|_type"
    r"|_stat|_condition|_group|_description|_phenotype)?|(?:host_)?health_(?:state|status|condition|stat)|host_disease_stat"
    r"|(?:histological|histology|tumou?r|cancer)(?:_type|_diagnosis|_histology)?|status_of_disease|disease_or_phenotype"
    r"|subject_(?:status|disease|diagnosis)|patient_(?:status|diagnosis|group)|clinical_(?:condition|status|diagnosis)"
    r"|phenotype|indication|medical_condition|condition_of_patient|comorbidit(?:y|ies)|pathology|infection(?:_status)?"
    r"|.*_infection|symptoms?|illness|cause_of_death|diagnosed|affection_status"
)
_BOTH = r"source_name|isolation_source|tissue|tissue_type|cell_type|sample_type|title"

_RULES: Final = (
    ("label", _ORGANISM, "organism"),
    ("label", _HOST, "host"),
    ("tissue", _TISSUE, "tissue"),
    ("tissue", r"title", "title"),
    ("disease", _DISEASE, "disease"),
    ("disease", _BOTH, "source"),
)


def snake_case(attribute: pl.Expr) -> pl.Expr:
    """Return attribute names in one form: lower snake case, no SRA suffix (``Host disease`` ->
    ``host_disease``).
    """
    snake = attribute.str.to_lowercase().str.replace_all(r"[^a-z0-9]+", "_").str.strip_chars("_")
    return snake.str.replace(_SRA_SUFFIX, "")


def route_attributes(attributes: pl.Series) -> pl.DataFrame:
    """Return [attribute, facet, role], one row per facet that values of ``attribute`` are read for.

    ``role`` says how: organism, host, tissue, disease, source (a place where a disease may be told
    in passing) or title. An attribute that describes no grounded facet has no row.
    """
    names = pl.DataFrame({"attribute": attributes.unique()}).with_columns(
        snake=snake_case(pl.col("attribute"))
    )
    routed = [
        names.filter(pl.col("snake").str.contains(f"^(?:{pattern})$")).select(
            "attribute", pl.lit(facet).alias("facet"), pl.lit(role).alias("role")
        )
        for facet, pattern, role in _RULES
    ]
    first = pl.concat(routed).unique(["attribute", "facet"], keep="first", maintain_order=True)
    return first.sort("attribute", "facet")
