"""How sure a number is: hits at 90 % identity, runs that were not searched or state no value."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from index.claims import Claim, Counted, NotKnown, Renamed, Supported
from index.claims.claim import joined
from index.claims.counts import OTHERS
from index.claims.phrases import is_or_are
from index.claims.verdicts import BesideRelative
from query.answers.drafting import Answering
from query.answers.hit_words import hit_words, is_any, species_named
from query.answers.listing_words import number_column, places_of
from query.answers.run_words import both_of, runs_in_words, runs_words, without_hits
from query.compiler import Omission
from query.compiler.virus_names import Standing
from query.request import And, Between, Carries, Count, Evidence, Has, Hit, Share, Top, Values
from query.request.fields import field_named
from query.request.run_sets import EVERYTHING, RunSet
from query.request.saying_runs import say_hit

MOST_UNKNOWN: Final = 3
"""Claims on how sure a number is, unless all are asked for."""
_MOSTLY: Final = 0.8
"""Share of the searched runs from which those with hits are most of what sources list."""
_FEW_FURTHER: Final = 0.05
"""Share of the searched runs below which further ones that were not searched say nothing."""
_MAY_BE: Final = "which may be such viruses"
_NO_FIELD: Final = "runs that state no "
_NO_KMERS: Final = "runs without k-mer counts"


def standings(context: Answering, hits: Sequence[Hit]) -> list[Standing]:
    """Return where the viruses that ``hits`` name stand."""
    found = []
    for hit in hits:
        for name in hit.virus:
            curie = context.names.curie(name, "virus")
            standing = context.standing(curie) if curie else None
            if standing is not None:
                found.append(standing)
    return found


def names_species(context: Answering, hits: Sequence[Hit]) -> bool:
    """Return whether ``hits`` name species, so that identity decides whether the name holds."""
    if not hits or not all(species_named(hit) for hit in hits):
        return False
    return not any(standing.is_above_species for standing in standings(context, hits))


def is_supported(context: Answering, hits: Sequence[Hit], strict: int) -> bool:
    """Return whether any hit supports what ``hits`` name: ``strict`` runs do."""
    return strict > 0 or not names_species(context, hits)


def lists_mostly_hits(context: Answering, of: RunSet) -> bool:
    """Return whether most runs of ``of`` that were searched have hits, whichever: sources list
    hardly any others there, so that a share of them says nothing.
    """
    tally = context.look(Count(), both_of(without_hits(of), Carries(Hit()))).tally
    return tally is not None and tally.positive >= _MOSTLY * tally.searched


def support(context: Answering, hits: Sequence[Hit], number: int, strict: int) -> list[Claim]:
    """Return how many of ``number`` runs have hits that support the species."""
    if not number or not names_species(context, hits):
        return []
    others = () if strict == number else _others(context, hits)
    return [Supported(number=strict, whole=number, others=others, together=len(hits) > 1)]


def renamed(context: Answering, hits: Sequence[Hit], of: RunSet) -> list[Claim]:
    """Return which virus hits are that a source reports by a name that no hit resolves to."""
    for hit in hits:
        for name in hit.virus:
            meant = context.names.formal(name, "virus") or name
            found = context.look(Values(("virus",), hits=Hit(reported=(meant,))), of)
            own = {meant, context.names.curie(name, "virus")}
            if found.rows and not own & set(found.rows[0][:2]):
                places = places_of(found, name=0, number=number_column(found))
                called = context.names.called(name, "virus")
                where = runs_words(of, context.names)
                return [Renamed(name=called, viruses=tuple(places[:3]), where=where)]
    return []


def no_runs(context: Answering, of: RunSet) -> list[Claim]:
    """Return that the index holds no runs of ``of``, hits aside, which nobody could search."""
    rest = without_hits(of)
    if rest == EVERYTHING or context.look(Count(), rest).number:
        return []
    where = runs_in_words(rest, context.names.formally()).where
    return [Counted(number=0, before="the index holds", where=where)]


def unnamed(context: Answering, hits: Sequence[Hit], of: RunSet) -> list[Claim]:
    """Return the runs whose hits are of no known genus: of kinds of viruses they may be any.

    Told where no run has a virus of the kind, and the kind is no name: RNA viruses.
    """
    if not any(hit.genome or hit.infects for hit in hits) or any(hit.virus for hit in hits):
        return []
    number = int(context.look(Count(), both_of(of, Carries(Hit(named=False)))).number or 0)
    said = f"{'has' if number == 1 else 'have'} hits of no known genus, {_MAY_BE}"
    return [NotKnown(number=number, what=said)] if number else []


def _others(context: Answering, hits: Sequence[Hit]) -> tuple[str, ...]:
    """Return what the hits are that do not support the species."""
    classes = set()
    for hit in hits:
        found = context.look(Evidence(hit))
        place = [column.name for column in found.columns].index("evidence")
        classes |= {str(row[place]) for row in found.rows}
    return tuple(key for key in OTHERS if key in classes)


def unknowns(context: Answering, hits: Sequence[Hit]) -> list[Claim]:
    """Return what is not known of runs that might count: not searched first, then not stated."""
    searched: list[Claim] = []
    stated: list[Claim] = []
    for omission in context.result.left_out:
        is_of_search = omission.reason == "not searched"
        said = _not_searched(context, omission, hits) if is_of_search else _said(context, omission)
        claims = searched if is_of_search else stated
        if said:
            claims.append(NotKnown(number=omission.number, what=said, further=is_of_search))
    return [*searched[:1], *stated]


def shown(context: Answering, claims: list[Claim], *, found: bool = False) -> list[Claim]:
    """Return the claims on how sure an answer is that are shown: of relatives all.

    Runs that could not count are said only in the full answer, but for those that nobody searched
    where nothing was ``found``.
    """
    if context.full:
        return claims
    searched = context.result.tally.searched if context.result.tally else 0
    kept = [
        claim for claim in claims
        if not isinstance(claim, NotKnown) or (_is_said(claim, found)
        and claim.number >= _FEW_FURTHER * searched)
    ]  # fmt: skip
    of_relatives = [claim for claim in kept if isinstance(claim, BesideRelative)]
    others = [claim for claim in kept if claim not in of_relatives][:MOST_UNKNOWN]
    return [claim for claim in kept if claim in (*of_relatives, *others)]


def _is_said(claim: NotKnown, found: bool) -> bool:
    return not found and (claim.further or claim.what.endswith(_MAY_BE))


def _not_searched(context: Answering, omission: Omission, hits: Sequence[Hit]) -> str:
    """Return for what runs were not searched; of several viruses, which they have."""
    names = context.names
    were = "were" if omission.number != 1 else "was"
    where = runs_in_words(context.request.of, names).where
    named = [hit for hit in hits if not is_any(hit)]
    missed = [hit for hit in named if omission.what.endswith(f" {say_hit(hit)}")] or named
    beside = [hit for hit in runs_in_words(context.request.of, names).carried
              if hit in named and hit not in missed]  # fmt: skip
    having = f"with {' and '.join(hit_words(hit, names) for hit in beside)}" if beside else ""
    sought = f"for {' or '.join(hit_words(hit, names) for hit in missed)}" if missed else ""
    if len(named) == 1:
        sought = "for them" if is_or_are(hit_words(named[0], names)) == "are" else "for it"
    return joined(where, having, were, "not searched", sought)


def _said(context: Answering, omission: Omission) -> str:
    """Return what is said behind the number of runs that were left out; empty for the rest."""
    many = omission.number != 1
    have = "have" if many else "has"
    if omission.reason == "not stated" and omission.what.startswith(_NO_FIELD):
        field = omission.what.removeprefix(_NO_FIELD)
        rest = runs_words(_without(_asked_of(context), field), context.names)
        return joined(rest, f"{have} no recorded {field}")
    if omission.reason == "not stated" and omission.what.startswith(_NO_KMERS):
        return f"{have} no {omission.what.removeprefix('runs without ')}"
    if omission.reason == "not stated" and omission.what.startswith("runs without a text"):
        return f"{have} no title or abstract"
    if omission.reason == "not stated":
        return f"{have} only hits {_no_name(omission.what)}"
    return f"{have} no sample on record" if omission.reason == "no BioSample" else ""


def _no_name(what: str) -> str:
    """Return "that match no known virus" from what the compiler says of such runs."""
    return what[what.find("of no known") :].replace("of no known", "that match no known", 1)


def _asked_of(context: Answering) -> RunSet:
    """Return the runs that omissions are of; of a share those in the part."""
    measure, of = context.request.measure, context.request.of
    return both_of(of, measure.part) if isinstance(measure, Share) else of


def _without(of: RunSet, field: str) -> RunSet:
    """Return ``of`` without its conditions on ``field``, by its English name."""
    parts = list(of.of) if isinstance(of, And) else [of]
    rest = [part for part in parts if not _is_on(part, field)]
    if not rest:
        return EVERYTHING
    return rest[0] if len(rest) == 1 else And(tuple(rest))


def _is_on(part: RunSet, field: str) -> bool:
    if part.type == "not":
        return _is_on(part.of, field)
    return isinstance(part, Has | Between | Top) and field_named(part.field).said == field
