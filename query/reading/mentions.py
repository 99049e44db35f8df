"""A stretch of a question that names something, the group it belongs to, and its senses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from index.facets import REGISTRY
from index.stated import is_hedged, names_no_species
from query.reading.intent import singular
from query.reading.measured.selects import MEASURED_FACETS
from query.reading.senses import Sense

GROUP_OF_FACET: Final = {
    **{facet.name: facet.group for facet in REGISTRY},
    "phylum": "virus",
    "runId": "run",
    "study": "bioproject",
    "biosample": "biosample",
    "community": "community",
    "title": "title",
    "health": "disease",
    "genome": "virus",
    "recorded": "virus",
    **MEASURED_FACETS,
}
"""Facet -> group. Runs must match every group that a question names, and any of the terms inside a
group.
"""
GROUP_ORDER: Final = (
    "run", "biosample", "community", "bioproject", "virus", "organism", "disease", "tissue",
    "geography", "environment", "biome", "sex", "year", "library", "source", "searched", "stated",
    "title",
)  # fmt: skip
"""Most telling first: which group counts where no run matches all of them."""

K_MERS: Final = "statOrganism"
"""Facet of organisms by the k-mers of a run, which states none of them."""
_NAMED_TOGETHER: Final = 3
"""Names that one word may mean, beyond which only their number is said in a sentence."""


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
    def is_condition(self) -> bool:
        """Whether it is a condition that no name says: a risk group, a year."""
        return any(sense.facet in MEASURED_FACETS for sense in self.senses)

    @property
    def name(self) -> str:
        """What it is called, with its label and the words of the question where they differ:
        ``Chiroptera (bat)``, ``Lassa virus (Mammarenavirus lassaense; lassa)``.
        """
        called = self._called or self.label
        several = called.count(" or ") + 1
        if several > _NAMED_TOGETHER:
            return f"{self.text} (any of {several})"
        written = {singular(called)}
        others = []
        for other in (self.label, self.text):
            if singular(other) not in written:
                written.add(singular(other))
                others.append(other)
        said = f"{called} ({'; '.join(others)})" if others else called
        return f"{said} by k-mers alone" if self._by_k_mers else said

    @property
    def _by_k_mers(self) -> bool:
        """Whether k-mers of it are seen, and no run states it."""
        return all(sense.facet == K_MERS for sense in self.senses)

    @property
    def _called(self) -> str | None:
        """What reports and answers call the one species it names; None where it names others, or
        hits that are only like some species as well.
        """
        of_virus = [sense for sense in self.senses if sense.facet == "species"]
        stated = {sense.value for sense in of_virus if sense.label == self.label and sense.value}
        called = {one for one in stated if not is_hedged(one)}
        only_like = any(names_no_species(one) for one in stated)
        return called.pop() if len(called) == 1 and not only_like else None
