"""A triple: an entity and a value that its runs state or carry, worded with counts, p and q."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from index.claims.phrases import counted, percent, q_text, times

_LEAST_SHARED: Final = 3
"""Minimum number of runs for a share: a share of one or two runs says nothing."""
_VIRAL: Final = ("family", "species")
_NOUNS: Final = {"geography": "place", "family": "virus family", "species": "virus species"}


@dataclass(frozen=True, slots=True)
class Triple:
    """``subject`` and a ``value`` of ``facet`` that its runs have.

    ``runs`` of ``known`` runs of the subject have it, ``index_runs`` of ``index_known`` in the
    whole index; ``p`` is the upper tail of the hypergeometric distribution, ``q`` corrected over
    the triples of the answer. ``siblings`` is how many values of the facet the subject has, with
    those that no triple states; ``subject_runs`` is how many runs it has, searched or not;
    ``within`` is whether the value is a kind of the subject, so that
    its share and p follow from its name. ``seed`` is the entity of the question, ``hops`` 1 or 2,
    ``subject_facet`` the facet of a bridge on the second hop; ``cosine`` is that with the question.
    """

    seed: str
    subject: str
    facet: str
    value: str
    runs: int
    known: int
    index_runs: int
    index_known: int
    projects: int
    example: str
    siblings: int = 0
    subject_runs: int = 0
    within: bool = False
    hops: int = 1
    subject_facet: str = ""
    p: float = 1.0
    q: float = 1.0
    cosine: float = 0.0

    @property
    def text(self) -> str:
        """What is embedded: the triple without its numbers."""
        return f"{self.subject}: {noun_of(self.facet)} {self.value}"

    @property
    def lift(self) -> float:
        """Share among the runs of the subject / share in the index; 0 if none is known."""
        if not self.known or not self.index_runs:
            return 0.0
        return (self.runs / self.known) / (self.index_runs / self.index_known)

    @property
    def sentence(self) -> str:
        """The triple in words, with its counts, p and q, and where it is from."""
        verb = "found in" if self.facet in _VIRAL else f"the {noun_of(self.facet)} in"
        if self.is_of_hits_only:
            found = f"{self.value} is {verb} {counted(self.runs, 'run')} of {self.subject}"
            return f"{found}, all that a source lists as searched for it; {self.origin}."
        whole = f"{self.known:,} {_whole(self.facet, self.subject)}"
        has_share = self.known >= _LEAST_SHARED
        share = f" ({percent(self.runs / self.known)})" if has_share else ""
        strength = "" if self.within else f", {self.strength}"
        return f"{self.value} is {verb} {self.runs:,} of {whole}{share}{strength}; {self.origin}."

    @property
    def is_of_hits_only(self) -> bool:
        """Whether a virus is in all runs of the subject that were searched for it, while others
        were not searched: sources list nothing else there, so the share says nothing.
        """
        return self.facet in _VIRAL and self.runs == self.known < self.subject_runs

    @property
    def strength(self) -> str:
        """The share against that of the index, with p and q."""
        chance = f"p = {self.p:.2g}" if self.p else "p < 1e-300"
        return f"{times(self.lift)} its share in the index ({chance}, {q_text(self.q)})"

    @property
    def origin(self) -> str:
        """Provenance: projects, and a run to look at."""
        if not self.projects:
            return f"from no known project, e.g. {self.example}"
        projects = counted(self.projects, "known project or study", "known projects and studies")
        return f"from {projects}, e.g. {self.example}"


def noun_of(facet: str) -> str:
    """Return what a value of ``facet`` is called."""
    return _NOUNS.get(facet, facet)


def _whole(facet: str, subject: str) -> str:
    """Return what the runs with a value of ``facet`` are counted among."""
    if facet in _VIRAL:
        return f"runs of {subject} searched for it"
    return f"runs with a stated {noun_of(facet)} of {subject}"


def cited_pairs(triples: Iterable[Triple]) -> set[tuple[str, str]]:
    """Return the values that ``triples`` name, as facet and value."""
    named = [
        ((triple.facet, triple.value), (triple.subject_facet, triple.subject)) for triple in triples
    ]
    return {pair for pairs in named for pair in pairs if pair[0]}
