"""Questions of two hops: values of the hosts, tissues or places of a name, not of the name itself.

"Which tissues come from the hosts of Coronaviridae?" asks for tissues of hosts: of all runs of
these hosts, whether or not they carry the family.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from index.claims.phrases import counted, listed
from query.global_search.citing import FACET_OF
from query.local_search.triples import Triple, noun_of
from query.request import And, Request, Top, Values

BRIDGES: Final = frozenset({"host", "environment", "tissue", "disease", "geography"})
"""Facets that a chain goes through."""
_SHOWN: Final = 6
"""Bridges of a chain, and values of each, that its sentence names."""


@dataclass(frozen=True, slots=True)
class HopChain:
    """A question of two hops: values of the ``asked`` facets, for each value of ``bridge``."""

    bridge: str
    asked: tuple[str, ...]

    def holds(self, triple: Triple) -> bool:
        """Return whether ``triple`` joins a bridge with a value of the ``asked`` facets."""
        return triple.facet in self.asked and triple.subject_facet == self.bridge


def chain_in(request: Request) -> HopChain | None:
    """Return ``request`` as a chain; None if it is not one.

    A chain starts at the runs with a virus or a term, takes their values of one field, and lists
    the values of another field of all runs that have one of these.

    >>> from query.request import Carries, Hit, Values
    >>> hosts = Top("host", Carries(Hit("Coronaviridae")), 1000)
    >>> chain_in(Request(Values(by="tissue"), of=hosts))
    HopChain(bridge='host', asked=('tissue',))
    """
    if not isinstance(request.measure, Values):
        return None
    facets = tuple(FACET_OF.get(field, field) for field in request.measure.by)
    for leaf in request.of.of if isinstance(request.of, And) else (request.of,):
        bridge = FACET_OF.get(leaf.field, leaf.field) if isinstance(leaf, Top) else ""
        if bridge in BRIDGES and bridge not in facets:
            return HopChain(bridge, facets)
    return None


def chain_sentence(chain: HopChain, triples: Iterable[Triple]) -> str:
    """Return the values of the bridges of ``chain``, bridges of most runs first; "" if they have
    none.

    A run counts for its bridge whether or not it carries the name in the question.
    """
    by_bridge: dict[str, list[Triple]] = {}
    for triple in filter(chain.holds, triples):
        by_bridge.setdefault(triple.subject, []).append(triple)
    if not by_bridge:
        return ""
    ranked = sorted(by_bridge.items(), key=_by_runs)
    parts = [f"{name}: {_values(own)}" for name, own in ranked[:_SHOWN]]
    nouns = listed([noun_of(facet) for facet in chain.asked])
    what = f"By {noun_of(chain.bridge)}, among all runs of each, {nouns}: {'; '.join(parts)}"
    hidden = len(ranked) - len(parts)
    return f"{what}; and {hidden:,} more." if hidden > 0 else f"{what}."


def _by_runs(bridge: tuple[str, Sequence[Triple]]) -> tuple[int, str]:
    name, own = bridge
    return -max(triple.runs for triple in own), name


def _values(own: Sequence[Triple]) -> str:
    ranked = sorted(own, key=lambda bridge: (-bridge.runs, bridge.value))
    shown = [f"{bridge.value} ({counted(bridge.runs, 'run')})" for bridge in ranked[:_SHOWN]]
    by_facet = {bridge.facet: bridge.siblings for bridge in own}
    values = max(len(ranked), sum(by_facet.values()))
    hidden = values - len(shown)
    if hidden > 0:
        shown.append(f"{hidden:,} more")
    return ", ".join(shown)
