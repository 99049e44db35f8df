"""Contract of grounding results, in a module of its own: contracts load slowly, and a question does
not need them.
"""

from __future__ import annotations

from typing import Final

import dataframely as dy

from ontology_etl.curies import CURIE
from ontology_etl.facets import ONTOLOGIES_OF_FACET

OUTCOMES: Final = (
    "grounded", "ambiguous", "negated", "generic", "other", "null", "too long", "ungrounded",
)  # fmt: skip


class Grounding(dy.Schema):
    """What one attribute value says about one facet."""

    attribute = dy.String(primary_key=True, description="attribute name as submitted")
    text = dy.String(primary_key=True, description="value as submitted")
    facet = dy.String(
        primary_key=True,
        regex=f"^({'|'.join(ONTOLOGIES_OF_FACET)})$",
        description="facet the value was read for",
    )
    outcome = dy.String(
        primary_key=True, regex=f"^({'|'.join(OUTCOMES)})$", description="what became of it"
    )
    matched = dy.String(
        primary_key=True, description="folded words that matched; empty where none did"
    )
    curie = dy.String(
        nullable=True, regex=CURIE, description="term; null unless grounded, negated or generic"
    )
    label = dy.String(nullable=True, description="label of the term")
    method = dy.String(
        nullable=True,
        regex="^(dictionary|words)$",
        description="how; null where ungrounded",
    )
    score = dy.Float64(
        nullable=True,
        min=0,
        max=1,
        description="1 for a dictionary hit, less for its words in another order",
    )
    whole = dy.Bool(description="true where the match is the whole value")
    candidates = dy.List(
        dy.String(), description="terms the name may mean, sorted; one where it is clear"
    )
