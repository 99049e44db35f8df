"""The Biolink Model's names for kinds of entities and relationships, and a schema for BioCypher.

https://w3id.org/biolink/ and https://biocypher.org: a schema configuration says for each label of
the tables ``nodes.csv`` and ``edges.csv`` which class of Biolink it is.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from index.store.whole_file import write_whole

SCHEMA: Final = "schema_config.yaml"
CATEGORIES: Final = {
    "run": "dataset",
    "study": "study",
    "bioproject": "study",
    "host": "organism taxon",
    "taxon": "organism taxon",
    "sotu": "organism taxon",
    "tissue": "anatomical entity",
    "disease": "disease",
    "environment": "environmental feature",
    "geography": "geographic location",
    "biome": "environmental feature",
}
"""Kind of an entity -> class of Biolink; a palmprint centroid counts as a species of virus."""
PREDICATES: Final = {
    "run-study": "part of",
    "run-bioproject": "part of",
    "run-host": "derives from",
    "run-tissue": "derives from",
    "run-environment": "derives from",
    "run-disease": "related to",
    "run-geography": "related to",
    "run-biome": "related to",
    "run-sotu": "has part",
    "run-stat": "has part",
    "sotu-taxon": "in taxon",
    "sotu-sotu": "close match",
    "term-parent": "subclass of",
}
"""Predicate of a relationship -> predicate of Biolink."""
_OTHER: Final = ("named thing", "related to")


def category(kind: str) -> str:
    """Return the Biolink category of a kind of entities.

    >>> category("host"), category("made up")
    ('biolink:OrganismTaxon', 'biolink:NamedThing')
    """
    words = CATEGORIES.get(kind, _OTHER[0]).split()
    return f"biolink:{''.join(word.capitalize() for word in words)}"


def predicate(name: str) -> str:
    """Return the Biolink predicate of a relationship.

    >>> predicate("term-parent")
    'biolink:subclass_of'
    """
    return f"biolink:{PREDICATES.get(name, _OTHER[1]).replace(' ', '_')}"


def write_schema(folder: Path, kinds: list[str], predicates: list[str]) -> None:
    """Write the schema configuration of BioCypher for what a graph has."""
    blocks = [*(_node(kind) for kind in kinds), *(_edge(name) for name in predicates)]
    write_whole(folder / SCHEMA, "\n".join(blocks))


def edge_label(name: str) -> str:
    """Return the label of a relationship in the table of edges.

    >>> edge_label("run-host")
    'RUN_HOST'
    """
    return name.replace("-", "_").upper()


def _node(kind: str) -> str:
    """Return a class below Biolink's, so that kinds of one class stay apart."""
    return f"""\
virome {kind}:
  is_a: {CATEGORIES.get(kind, _OTHER[0])}
  represented_as: node
  preferred_id: id
  input_label: {kind}
  properties:
    name: str
    community: str
"""


def _edge(name: str) -> str:
    return f"""\
{name.replace("-", " ")} association:
  is_a: association
  represented_as: edge
  label_as_edge: {edge_label(name)}
  input_label: {edge_label(name)}
  properties:
    weight: float
"""
