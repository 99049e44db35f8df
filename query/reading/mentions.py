"""A stretch of a question that names something, the group it belongs to, and its senses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from index.facets import REGISTRY
from query.reading.intent import singular
from query.reading.senses import Sense

GROUP_OF_FACET: Final = {
    **{facet.name: facet.group for facet in REGISTRY},
    "phylum": "virus",
    "runId": "run",
    "biosample": "biosample",
    "title": "title",
    "health": "disease",
    "genome": "virus",
}
"""Facet -> group. Runs must match every group that a question names, and any of the terms inside a
group.
"""
GROUP_ORDER: Final = (
    "run", "biosample", "bioproject", "virus", "organism", "disease", "tissue", "geography",
    "environment", "biome", "sex", "title",
)  # fmt: skip
"""Most telling first: which group counts where no run matches all of them."""


@dataclass(frozen=True, slots=True)
class Mention:
    """A stretch of the question (words ``start`` to ``end``, exclusive) that names something.

    ``curies`` are the terms it was grounded in, none where it is a verbatim value.
    """

    text: str
    start: int
    end: int
    label: str
    group: str
    senses: tuple[Sense, ...]
    curies: tuple[str, ...] = ()

    @property
    def runs(self) -> int:
        """Runs of all senses together, a run of several senses counted for each."""
        counts = [sense.runs for sense in self.senses]
        return sum(counts)

    @property
    def facets(self) -> frozenset[str]:
        """Facets of the senses that belong to the group."""
        owned = set()
        for sense in self.senses:
            owner = GROUP_OF_FACET.get(sense.facet)
            if owner == self.group:
                owned.add(sense.facet)
        return frozenset(owned)

    @property
    def name(self) -> str:
        """The label, with the words of the question where they differ: ``Chiroptera (bat)``."""
        asked = singular(self.text)
        called = singular(self.label)
        if asked == called:
            return self.label
        return f"{self.label} ({self.text})"
