"""What marks a community: contrast with its parent and the index, viruses in company, hosts that
need a caveat.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Final

from index.claims.kmers import MostlyOther
from index.reports.contrast import is_contrast, is_within
from index.reports.findings.sentences import (
    WORDINGS,
    Clause,
    Sentences,
    citable,
    cite,
    compared_with_index,
    finding,
    named,
    own,
    statement,
    with_runs,
)
from index.reports.phrases import (
    counted,
    factor,
    listed,
    percent,
    q_text,
    share_of,
)
from index.reports.profiles import Company, FactRow, Pairing, Profile, Value, by_runs

_MOST_PAIRS: Final = 3
FEWEST_SHARING: Final = 3
"""Runs that share an unnamed virus before that is worth a finding."""
SHARING: Final = 0.3
"""Share of the runs with a virus that share an unnamed one before that is worth a finding."""
PATTERN: Final = 3
"""Runs that a value of a finding has at least: one or two runs are no pattern."""
MOST_NEXT: Final = 2
NEXT_SHARE: Final = 0.05
"""Share of the runs that state a facet from which a value is worth a word behind another."""
INTRODUCED: Final = {
    "unexpected": "Not expected from recorded hosts, so possibly contamination or a new host",
    "new within class": "Recorded in related hosts only, so possibly a new host",
    "resident": "Known to live in the cell line sequenced, so no sign of an infection",
}
"""Plausibility of a pair: how it is introduced, with what to be careful about."""
_LEAST_SHARES: Final = {"unexpected": 0.02, "new within class": 0.02, "resident": 0.05}
"""Share of the runs of a community from which a pair is worth a caveat."""


def facet_finding(profile: Profile, lead: FactRow, said: Collection[Value] = ()) -> Sentences:
    """Return the finding of a fact: how it compares with the rest of the parent and with the index,
    and what comes next; the most frequent value of the facet first, unless that was ``said``.
    """
    ordered = by_runs(profile.of(lead.facet))
    most = ordered[0]
    compared = compared_with_index(lead)
    contrast = against_rest(lead)
    cited = cite([lead])
    if most.runs > lead.runs and most.facet_value not in said:
        marked = [f"{named(lead.value)} stands out, in {counted(lead.runs, 'run')}{contrast}"]
        marked += [compared] * bool(compared)
        claim = Clause(f"{statement(most, profile.runs)}{against_rest(most)}", cite([most]))
        clauses = [Clause(", ".join(marked), cited)]
    else:
        claim = Clause(f"{statement(lead, profile.runs)}{contrast}", cited)
        clauses = [Clause(f"That is {compared}", cited)] * bool(compared)

    others = [fact for fact in ordered if fact not in (lead, most)]
    following = frequent_enough(others)[:MOST_NEXT]
    if following:
        comes = "Next comes" if len(following) == 1 else "Next come"
        counts = with_runs(following)
        at = 0 if most.runs > lead.runs else len(clauses)
        clauses.insert(at, Clause(f"{comes} {counts}", cite(following)))
    clauses += sequenced_clauses(lead, profile)
    return finding(claim, clauses)


def frequent_enough(facts: Iterable[FactRow]) -> list[FactRow]:
    """Return the facts that are worth a word behind another of their facet."""
    return [fact for fact in facts if fact.runs >= max(PATTERN, NEXT_SHARE * fact.known)]


def sequenced_clauses(host: FactRow, profile: Profile) -> list[Clause]:
    """Return what was sequenced in most runs of a host, where that is another organism."""
    apart = profile.organism_of(host) if host.facet == "host" else None
    if apart is None:
        return []
    share = share_of(apart.runs, host.runs, f"from {host.value}")
    cited = citable([("label", apart.organism), host.facet_value])
    return [Clause(f"What was sequenced is {apart.organism} in {share}", cited)]


def against_rest(fact: FactRow) -> str:
    """Return the share of a fact in the rest of the parent; "" where it is the same or unknown.

    >>> against_rest(FactRow("tissue", "leaf", None, 9, 10, 3.0, 0.001, 12, 50))
    ', against 3 of 40 (8%) in the rest of its parent'
    """
    if not is_contrast(fact):
        return ""
    if not fact.rest_runs:
        return f", against none of {fact.rest_known:,} in the rest of its parent"
    if fact.rest_runs == fact.rest_known:
        return f", against all {fact.rest_known:,} in the rest of its parent"
    share = percent(fact.rest_runs / fact.rest_known)
    held = f"{fact.rest_runs:,} of {fact.rest_known:,} ({share})"

    return f", against {held} in the rest of its parent"


def company_finding(pair: Company) -> Sentences:
    """Return the finding of two viruses that are found together more often than chance would have
    it.
    """
    pairs = [("species", pair.first), ("species", pair.second)]
    both = citable(pairs)
    stating = WORDINGS["species"].stating
    held = share_of(pair.together, pair.known, stating)
    first, second = named(pair.first), named(pair.second)
    found = f"{first} and {second} are found together in {held}"
    expected = factor(pair.expected)
    by_chance = q_text(pair.q_value)
    chance = f"Chance would have them together in about {expected} ({by_chance})"

    return finding(Clause(found, both), [Clause(chance, both)])


def unnamed_findings(profile: Profile) -> list[Sentences]:
    """Return the virus without a name that many of the runs with a virus share, if there is one and
    the parent does not have it as often.
    """
    searched, before = profile.searched, profile.parent_searched
    least = max(FEWEST_SHARING, SHARING * searched.positive)
    if searched.unnamed is None or searched.unnamed_runs < least:
        return []
    if before.unnamed == searched.unnamed:
        share_before = before.unnamed_runs / before.positive
        if is_within(share_before, searched.unnamed_runs, searched.positive):
            return []
    itself = own(profile)
    share = share_of(searched.unnamed_runs, searched.positive, "with a virus")
    claim = Clause(f"One unnamed virus, sOTU {searched.unnamed}, is shared by {share}", itself)
    everywhere = counted(searched.unnamed_everywhere, "run")
    here = f"{searched.unnamed_runs:,} of them are in this community"
    if searched.unnamed_runs == searched.unnamed_everywhere:
        here = "all of them are in this community"

    return [finding(claim, [Clause(f"In the whole index {everywhere} carry it; {here}", itself)])]


def evidence_findings(profile: Profile) -> list[Sentences]:
    """Return how sure its viruses are, where it has any: how many runs match a reference."""
    found = profile.searched
    if not found.positive:
        return []
    runs = counted(found.positive, "run")
    if not found.measured:
        text = f"No identity to a reference is known of the viruses of its {runs} with a virus"
        return [finding(Clause(text, own(profile)), [])]
    compared = "with a virus" if found.measured == found.positive else "with a known identity"
    matches = "matches" if found.identified == 1 else "match"
    share = share_of(found.identified, found.measured, compared)
    text = f"{share} {matches} a reference at 90% identity or more"
    if not found.identified:
        measured = f"{counted(found.measured, 'run')} {compared}"
        text = f"None of its {measured} matches a reference at 90% identity"
    unknown = found.positive - found.measured
    clauses = [Clause(f"Of {unknown:,} other runs with a virus no identity is known", own(profile))]
    return [finding(Clause(text, own(profile)), clauses * bool(unknown))]


def classified_findings(profile: Profile) -> list[Sentences]:
    """Return in how many runs viruses were found by k-mers alone, where these are many."""
    found = profile.searched
    if found.classified < PATTERN or found.classified < SHARING * found.positive:
        return []
    share = share_of(found.classified, found.positive, "with a virus")
    text = f"The viruses of {share} rest on the k-mers of reads alone: none is confirmed"
    why = "Related viruses, and genomes with genes of viruses, share k-mers; no identity is known"
    return [finding(Clause(text, own(profile)), [Clause(why, own(profile))])]


def kmer_findings(profile: Profile) -> list[Sentences]:
    """Return in how many runs k-mers are mostly of another organism than the host, where several
    are.
    """
    pairs = profile.other_by_kmers
    if not pairs or pairs[0].number < PATTERN:
        return []
    claim = MostlyOther.of_rows(pairs)
    cited = citable(dict.fromkeys(("host", pair.host) for pair in pairs))
    why = "A meal, a symbiont, contamination and a mistaken entry look alike here"
    return [finding(Clause(claim.clause(), cited), [Clause(why, own(profile))])]


def leading_caveat(profile: Profile) -> list[Clause]:
    """Return the virus and host that a summary warns of, if there are any."""
    return [_caveat(kind, pairs[:1]) for kind, pairs in _pairs_by_kind(profile)[:1]]


def caveat_findings(profile: Profile) -> list[Sentences]:
    """Return the virus and host pairs that need a caveat, one finding for each kind, without the
    pair that the summary warns of.
    """
    said = 1
    found = []
    for kind, pairs in _pairs_by_kind(profile):
        unsaid = pairs[said:]
        said = 0
        if unsaid:
            found.append(finding(_caveat(kind, unsaid), []))
    return found


def _pairs_by_kind(profile: Profile) -> list[tuple[str, list[Pairing]]]:
    """Return the pairs that need a caveat by kind, the gravest first."""
    by_kind = []
    for kind, share in _LEAST_SHARES.items():
        least = max(PATTERN, share * profile.runs)
        of_kind = [pair for pair in profile.pairings if pair.plausibility == kind]
        common = [pair for pair in of_kind if pair.runs >= least]
        pairs = [pair for pair in common if not _is_said_of_species(pair, common)]
        if pairs:
            by_kind.append((kind, pairs[:_MOST_PAIRS]))
    return by_kind


def _is_said_of_species(family: Pairing, pairs: Sequence[Pairing]) -> bool:
    """Return whether half of the runs of a family in a host are of a species that is warned of."""
    of_species = [
        pair.runs for pair in pairs if pair.facet == "species" and pair.host == family.host
    ]
    return family.facet == "family" and 2 * max(of_species, default=0) >= family.runs


def _caveat(kind: str, pairs: list[Pairing]) -> Clause:
    values: dict[tuple[str, str], None] = {}
    met = []
    for pair in pairs:
        runs = counted(pair.runs, "run")
        met.append(f"{named(pair.virus)} in {pair.found_in} ({runs})")
        values[(pair.facet, pair.virus)] = None
        if pair.organism is not None:
            values[("label", pair.organism)] = None
        values[("host", pair.host)] = None
    cited = citable(values)
    return Clause(f"{INTRODUCED[kind]}: {listed(met)}", cited)
