"""What was sequenced: the organism label as submitted, split into host, environment and virus.

A host is a cellular organism, never a virus and never a metagenome. A metagenome names an
environment, and often the host it was taken from (``mosquito metagenome``). If a library is
labelled with a virus, the virus is what was sequenced, not what it was found in.
"""

from __future__ import annotations

from typing import Final

import polars as pl

from index.tables import Annotation
from ontology_etl.attributes import route_attributes
from ontology_etl.grounding import ground
from ontology_etl.vocabulary import CELLULAR, METAGENOMES, VIRUSES, Vocabulary

LABEL: Final = "label"
HOST: Final = "host"
ENVIRONMENT: Final = "environment"
LIBRARY: Final = "virus"
BODY_SITES: Final = (
    "bile", "blood", "brain", "eye", "feces", "gut", "lung", "milk", "nasopharyngeal", "oral",
    "reproductive", "saliva", "semen", "skin", "sputum", "system", "tissue", "tracheal", "tract",
    "urinary", "vaginal", "viral",
)  # fmt: skip
"""Words in a metagenome's name that are not a host: poultry litter is not taken from a chicken."""
_COLUMNS: Final = Annotation.column_names()
_HOST_ROLES: Final = ("host", "taxid")
_HABITAT: Final = r"(?i)\s*\bmetagenomes?\s*$"


def tell_apart(labelled: pl.DataFrame, vocabulary: Vocabulary) -> pl.DataFrame:
    """Split the annotations of ``labelled`` (facet label) into label, host, environment and virus.

    The label is the organism as submitted. The host is what a host attribute states; without such
    an attribute it is the organism, if that is cellular, or the host in the name of its metagenome.
    A run whose organism is a metagenome has that environment; a run whose organism is a virus is a
    library of that virus.
    """
    sorted_by_kind = _with_kind(labelled, vocabulary)
    of_host = pl.col("role").is_in(_HOST_ROLES)
    organism = sorted_by_kind.filter(~of_host)
    stated = sorted_by_kind.filter(of_host, pl.col("kind") == HOST)
    sampled = _as_facet(organism.filter(pl.col("kind") == HOST), HOST)
    environment = _as_facet(organism.filter(pl.col("kind") == ENVIRONMENT), ENVIRONMENT)
    implied = _implied_hosts(environment, vocabulary)
    unstated = pl.concat([sampled, implied]).join(stated, on="run", how="anti")
    parts = [
        _as_facet(organism, LABEL),
        _as_facet(stated, HOST),
        unstated,
        environment,
        _as_facet(organism.filter(pl.col("kind") == LIBRARY), LIBRARY),
    ]
    return pl.concat(parts)


def _with_kind(labelled: pl.DataFrame, vocabulary: Vocabulary) -> pl.DataFrame:
    """Return ``labelled`` with the role of each attribute and the kind of its term."""
    routed = route_attributes(labelled["attribute"]).filter(pl.col("facet") == LABEL)
    taxa = labelled.select(pl.col("curie").unique().sort())
    curies = taxa["curie"]
    kind = (
        pl.when(vocabulary.is_below(curies, VIRUSES))
        .then(pl.lit(LIBRARY))
        .when(vocabulary.is_below(curies, METAGENOMES))
        .then(pl.lit(ENVIRONMENT))
        .when(vocabulary.is_below(curies, CELLULAR))
        .then(pl.lit(HOST))
    )
    known = taxa.with_columns(kind.alias("kind"))
    roles = routed.select("attribute", "role")
    with_role = labelled.join(roles, on="attribute", how="left")
    return with_role.join(known, on="curie", how="left")


def _as_facet(rows: pl.DataFrame, facet: str) -> pl.DataFrame:
    return rows.with_columns(facet=pl.lit(facet)).select(_COLUMNS)


def _implied_hosts(environment: pl.DataFrame, vocabulary: Vocabulary) -> pl.DataFrame:
    """Return host annotations (method "context") of the metagenomes whose names contain a host."""
    metagenomes = environment.select("curie", "value").unique().sort("curie")
    named = metagenomes.with_columns(text=pl.col("value").str.replace(_HABITAT, ""))
    values = named.select(pl.lit("host").alias("attribute"), "text").unique()
    found = ground(values, vocabulary).filter(pl.col("outcome") == "grounded")
    cellular = found.filter(vocabulary.is_below(found["curie"], CELLULAR))
    words = pl.col("text").str.to_lowercase().str.split(" ")
    other_words = words.list.set_difference(pl.col("matched").str.split(" "))
    taken_from = other_words.list.set_difference(BODY_SITES).list.len() == 0
    hosts = (
        cellular.filter(taken_from).select("text", host="curie", host_name="label").unique("text")
    )
    implied = named.join(hosts, on="text").select("curie", "host", "host_name")
    hosts_of_runs = environment.join(implied, on="curie").with_columns(
        curie="host", value="host_name", method=pl.lit("context")
    )
    return _as_facet(hosts_of_runs, HOST)
