"""Contracts of annotations and of the graph: what a run is linked to, and its communities."""

from __future__ import annotations

import dataframely as dy

from index.facets import ENTITY_KINDS, FACETS
from index.tables.patterns import one_of
from ontology_etl.curies import CURIE


class Annotation(dy.Schema):
    """A grounded or verbatim metadata value of a run."""

    run = dy.String(primary_key=True, description="run accession")
    facet = dy.String(
        primary_key=True, regex=one_of(FACETS), description="what the value describes"
    )
    value = dy.String(
        primary_key=True,
        min_length=1,
        description="label of the term, or cleaned text if ungrounded; a place (facet geography) "
        "has a row for its country (USA) and one for its region (USA: California): count "
        "countries where NOT contains(value, ':')",
    )
    curie = dy.String(
        nullable=True, regex=CURIE, description="term; null where the text is kept verbatim"
    )
    text = dy.String(primary_key=True, description="text as submitted")
    attribute = dy.String(
        primary_key=True,
        description="attribute that held the text, e.g. organism, tissue, isolation_source",
    )
    method = dy.String(
        regex="^(dictionary|words|context|stat|verbatim|coordinates)$",
        description="how it was grounded; coordinates: country inferred from the position, none "
        "being stated",
    )
    score = dy.Float64(
        min=0,
        max=1,
        description="1 for a dictionary hit, less if its words are reordered; k-mer share for STAT",
    )


class UngroundedText(dy.Schema):
    """A metadata value that was read for a facet and gave no annotation, with the runs that
    have it.
    """

    facet = dy.String(
        primary_key=True, regex=one_of(FACETS), description="facet the value was read for"
    )
    outcome = dy.String(
        primary_key=True, description="why: unknown, generic, negated, ambiguous, ..."
    )
    text = dy.String(primary_key=True, description="text as submitted")
    attributes = dy.String(description="attributes it appeared in, comma-separated")
    runs = dy.Int64(min=1, description="distinct runs that have it")


class Entity(dy.Schema):
    """A node of the graph."""

    entity = dy.String(primary_key=True, description="accession or CURIE")
    kind = dy.String(
        regex=one_of(ENTITY_KINDS),
        description="what the node is: run, bioproject, sotu, host, ...",
    )
    label = dy.String(description="name to show")


class Relationship(dy.Schema):
    """A weighted undirected edge, one row per pair and predicate."""

    source = dy.String(primary_key=True, description="entity that sorts first")
    target = dy.String(primary_key=True, description="entity that sorts second")
    predicate = dy.String(primary_key=True, description="relationship type, e.g. run-sotu")
    weight = dy.Float64(
        min_exclusive=0, allow_inf=False, allow_nan=False, description="strength, above 0"
    )


class Community(dy.Schema):
    """A cluster of the graph at one level of the hierarchy."""

    community = dy.String(
        primary_key=True, description="stable identifier: C, level, dash, short digest"
    )
    level = dy.Int32(min=0, description="0 is the coarsest")
    parent = dy.String(nullable=True, description="community one level up; null at level 0")
    runs = dy.Int64(min=0, description="distinct runs in it")
    entities = dy.Int64(min=1, description="entities of all kinds in it")
    previous = dy.String(
        nullable=True,
        description="communities of the previous index that this one derives from, "
        "comma-separated; a build that changes no community keeps this list",
    )


class CommunityMember(dy.Schema):
    """Membership: at each level, every entity is in exactly one community."""

    community = dy.String(primary_key=True, description="community")
    entity = dy.String(primary_key=True, description="entity")
