"""Runs of an organism other than their host, and viruses in hosts that they are not known from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from index.claims.amounts import RUN
from index.claims.claim import Claim
from index.claims.phrases import counted, listed

_MOST_NAMED = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class DoubtfulHost(Claim):
    """Viruses in hosts that they may not infect.

    ``kind`` is the plausibility: unexpected, new within class, resident. ``pairs`` are virus, what
    it was found in, and the runs; ``of_sample`` says that the virus may belong to something that
    the host ate, or to another organism of the sample.
    """

    kind: str
    pairs: tuple[tuple[str, str, int], ...]
    of_sample: bool = False

    def clause(self) -> str:
        """Return "Nairoviridae is not expected in Ixodes ricinus (4 runs): it may be …"."""
        if self.kind == "resident":
            (first, _, n), *others = self.pairs
            more = [f"{virus} in those of {counted(n, *RUN)}" for virus, _, n in others]
            cells = f"{first} in the cultured cells of {counted(n, *RUN)}"
            are = "are" if others else "is"
            kept = f"{are} probably kept by the cell line or brought in as a vector"
            return f"{listed([cells, *more])} {kept}, and no sign of an infection"
        if self.kind == "new within class":
            named = [f"{name} in {host} ({counted(n, *RUN)})" for name, host, n in self.pairs]
            return f"known from related hosts only, so possibly in a new host: {listed(named)}"
        (virus, host, runs), *others = self.pairs
        further = [f", nor {name} in {taken} ({counted(n, *RUN)})" for name, taken, n in others]
        others_too = ", diet or another organism of the sample" if self.of_sample else ""
        doubt = f"contamination{others_too} is more likely than a new host"
        first = f"{virus} is not expected in {host} ({counted(runs, *RUN)})"
        return f"{first}{''.join(further)}: {doubt}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Inferred(Claim):
    """A virus whose sOTU was deposited under another name and is named by other evidence.

    ``runs`` are the runs here, ``everywhere`` those of the index. Of the ``evident`` ones among
    these with other evidence, ``agreeing`` agree on the virus: ``with_hits`` of them by hits of
    another source, the others by their label.
    """

    virus: str
    deposited: str
    runs: int
    everywhere: int
    agreeing: int
    evident: int
    with_hits: int

    def clause(self) -> str:
        """Return "9 runs have Dengue virus by a polymerase deposited as Aroa virus, probably …"."""
        runs = counted(self.runs, *RUN)
        have = "has" if self.runs == 1 else "have"
        return (
            f"{runs} {have} {self.virus} by a polymerase deposited as {self.deposited}, probably "
            "under the wrong name"
        )

    def reason(self) -> str:
        """Return what the other runs with the polymerase have, for a sentence after the clause."""
        labels, others = self.derived()
        ways = [f"match it in another search ({self.with_hits:,})"] if self.with_hits else []
        ways += [f"are labelled as it ({labels:,})"] if labels else []
        has = "have" if others > 1 else "has"
        against = f"; {others:,} {has} evidence of another virus" if others else ""
        return (
            f"of the {counted(self.everywhere, *RUN)} of the index with this polymerase, "
            f"{self.agreeing:,} have other evidence of {self.virus}: they {' or '.join(ways)}"
            f"{against}"
        )

    def derived(self) -> tuple[int, int]:
        """Return the runs that agree by their label alone, and those that do not agree."""
        return self.agreeing - self.with_hits, self.evident - self.agreeing


@dataclass(frozen=True, slots=True, kw_only=True)
class OtherOrganism(Claim):
    """How many of the runs are of an organism other than their host.

    ``pairs`` are organism, host and runs, most runs first. ``further`` says that the runs are not
    among those counted: the question is about the sequenced organism, and their host is another.
    ``by_kmers`` says that k-mers show it, else the record of what was sequenced. ``virus`` is the
    one that all of the runs have.
    """

    pairs: tuple[tuple[str, str, int], ...]
    number: int
    whole: int
    further: bool = False
    by_kmers: bool = False
    virus: str = ""

    @classmethod
    def of_rows(
        cls, rows: Sequence[tuple[str, str, int, int, int]], *, virus: str = ""
    ) -> OtherOrganism:
        """Return the claim about k-mers from rows of organism, host, runs, number, whole."""
        pairs = tuple((organism, host, runs) for organism, host, runs, _, _ in rows)
        *_, number, whole = rows[0]
        return cls(pairs=pairs, number=number, whole=whole, by_kmers=True, virus=virus)

    @property
    def is_most(self) -> bool:
        """Whether most of the runs are of another organism."""
        return 2 * self.number > self.whole

    def clause(self) -> str:
        """Return "284 of the 305 runs are of Schistosoma mansoni from Mus musculus, not of …"."""
        (organism, host, _), *others = self.pairs
        if not others:
            taken = f" taken from {host}, not of {host} itself"
            behind = f", not {host}" if self.by_kmers else taken
            return f"{self._does()} {organism}{behind}"
        of_one_host = len({host for _, host, _ in self.pairs}) == 1
        instead = "instead of" if self.by_kmers else "from"
        named = [
            f"{organism}{'' if of_one_host else f' {instead} {host}'} ({counted(runs, *RUN)})"
            for organism, host, runs in self.pairs[:_MOST_NAMED]
        ]
        such_as = ", such as" if len(self.pairs) > _MOST_NAMED else ":"
        stated = host if of_one_host else "their host"
        return f"{self._does()} organisms other than {stated}{such_as} {listed(named)}"

    def _does(self) -> str:
        are = "is" if 1 in (self.number, self.whole) else "are"
        if self.by_kmers:
            known = f" with {self.virus}" if self.virus else ""
            return f"in {self._runs(f'{known} whose k-mers were counted')}, most k-mers are from"
        return f"{self._runs()} {are} of"

    def _runs(self, known: str = "") -> str:
        if self.further:
            return counted(self.number, "further run", "further runs")
        if self.whole == 1:
            return f"the only run{known}"
        if self.number == self.whole:
            every = "both" if self.whole == 2 else f"all {self.whole:,}"
            return f"{every} runs{known}"
        return f"{self.number:,} of the {self.whole:,} runs{known}"
