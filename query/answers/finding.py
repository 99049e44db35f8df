"""What an answer is about, how many runs have it, and how sure that is."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass, replace
from typing import Final

from index.claims import (
    A_VIRUS,
    RUN,
    TOTAL,
    Claim,
    Counted,
    FoundIn,
    NeverSearched,
    NotFound,
    NotKnown,
    Noun,
    Outweighed,
    OutweighedViruses,
    Renamed,
    ShareOf,
    Supported,
)
from index.claims.counts import OTHERS
from index.claims.phrases import is_group
from query.answers.drafting import Answering
from query.answers.hit_words import hit_words, or_words
from query.answers.listing_words import OF_SPECIES, places_of, ranking
from query.answers.run_words import clause_words, runs_in_words, runs_words, without_hits
from query.compiler.expecting import Relatives, outweighed_values, relatives
from query.compiler.virus_names import standing_of
from query.request import (
    ANY_HIT,
    Carries,
    Count,
    Evidence,
    Has,
    Hit,
    Searched,
    Values,
    field_named,
)
from query.request.run_sets import EVERYTHING, RunSet, intersect, parts_of

_MOSTLY: Final = 0.8
"""With this share of hits among the searched runs, sources list mostly hits."""
_MANY_BESIDE: Final = 0.1
"""Minimum share of runs for a relative with more reads to be named."""
_SAID: Final = ("not searched", "not stated", "no BioSample")
"""Reasons why runs could not be counted."""


@dataclass(frozen=True, slots=True)
class Topic:
    """The hits that an answer is about, in words, and the runs they are found in.

    ``where`` are the runs without these hits: "from bats".
    """

    hits: tuple[Hit, ...]
    lacking: tuple[Hit, ...]
    words: str
    where: str

    @property
    def together(self) -> bool:
        """Whether several viruses are found in the same runs."""
        return len(self.hits) > 1

    @property
    def is_named(self) -> bool:
        """Whether the hits are restricted to some viruses."""
        return any(hit != ANY_HIT for hit in self.hits)


def subject_of(context: Answering, hits: Hit | None) -> Topic:
    """Return what the answer is about; ``hits`` are those of the measure."""
    names = context.names
    taken = runs_in_words(context.request.of, names)
    found = tuple(dict.fromkeys([*taken.carried, *([hits] if hits is not None else [])]))
    named = tuple(hit for hit in found if hit != ANY_HIT) or found
    is_of_any = named == (ANY_HIT,)
    words = " and ".join(hit_words(hit, names, first=True) for hit in named)
    any_virus = "another virus" if taken.lacking and is_of_any else A_VIRUS
    if words.startswith("any virus"):
        words = words.replace("any virus", any_virus, 1)
    where = taken.where
    if taken.lacking:
        where = f"{where} without {or_words(taken.lacking, names, first=not is_of_any)}".strip()
    return Topic(named, taken.lacking, words, where)


def found(
    context: Answering, subject: Topic, number: int, noun: Noun = RUN, *, doubted: bool = False
) -> Claim:
    """Return the claim that answers how many runs have the hits, or are in the set.

    ``doubted`` says that a relative explains most of the hits.
    """
    tally = context.tally
    if not subject.hits:
        return _without_hits(context, subject, number, noun)
    if not number:
        return _not_found(context, subject)
    is_sure = noun == RUN and not doubted
    return FoundIn(
        subject=subject.words,
        number=number,
        where=subject.where,
        noun=noun,
        searched=tally.searched if noun == RUN and not lists_mostly_hits(context) else None,
        supported=not doubted and is_supported(context, subject.hits),
        confirmed=support(context, subject.hits, number) if is_sure else None,
        together=subject.together,
    )


def _not_found(context: Answering, subject: Topic) -> Claim:
    """Return that no run has the hits: they are of another virus, or there is no searched run."""
    others = [*renamed(context, subject.hits), *no_runs(context)]
    searched = context.tally.searched
    if others:
        return others[0]
    if not searched:
        return NeverSearched(subject=subject.words, where=subject.where)
    left_out = context.result.left_out
    further = next((part.number for part in left_out if part.reason == "not searched"), 0)
    return NotFound(
        subject=subject.words,
        searched=searched,
        where=subject.where,
        together=subject.together,
        unsearched=further if further >= searched else 0,
    )


def _without_hits(context: Answering, subject: Topic, number: int, noun: Noun) -> Claim:
    """Return how many runs are in a set that names no virus."""
    of, names = context.request.of, context.names
    if isinstance(of, Searched):
        whole = context.count(EVERYTHING)
        return ShareOf(part=number, whole=whole, runs="runs", does=clause_words(of, names))
    if not subject.lacking:
        counted = Counted(number=number, noun=noun, before="the index has", where=subject.where)
        return counted if number else none_of(context)
    where = runs_in_words(of, names).where
    lacking = or_words(subject.lacking, names, first=True).replace("any virus", "a virus")
    searched = context.tally.searched
    if not number and not searched:
        return NeverSearched(subject=lacking, where=where)
    where = where.removeprefix("searched")
    if not number:
        noun = ("searched run", "searched runs")
        after = f"have {lacking}"
        if lists_mostly_hits(context):
            after = f"{after}, but our sources list hardly any others"
        return Counted(number=searched, noun=noun, before="all", where=where, after=after)
    were = "was" if number == 1 else "were"
    does = f"{were} searched for {lacking}, and none was found"
    return Counted(number=number, noun=noun, where=where, after=does)


def names_species(context: Answering, hits: Sequence[Hit]) -> bool:
    """Return whether ``hits`` name species: then the identity decides whether the name is right."""
    is_named = [bool(hit.virus) and hit.evidence == "any" and not hit.identity for hit in hits]
    if not hits or not all(is_named):
        return False
    formal = [context.names.formal(name, "virus") or "" for hit in hits for name in hit.virus]
    if any(is_group(name) for name in formal):
        return False
    curies = [context.names.curie(name, "virus") for hit in hits for name in hit.virus]
    standings = [standing_of(context.con, curie) for curie in curies if curie]
    return not any(standing.is_above_species for standing in standings if standing is not None)


def is_supported(context: Answering, hits: Sequence[Hit]) -> bool:
    """Return whether any hit of the answer supports what ``hits`` name."""
    return context.tally.at_90 > 0 or not names_species(context, hits)


def lists_mostly_hits(context: Answering) -> bool:
    """Return whether most searched runs of the answer, hits aside, have hits of any kind.

    Sources list hardly any other runs there, so a share of them says nothing.
    """
    rest = without_hits(context.request.of)
    tally = context.look(Count(), intersect(rest, Carries(ANY_HIT))).of_runs
    return tally.positive >= _MOSTLY * tally.searched


def support(context: Answering, hits: Sequence[Hit], number: int) -> Supported | None:
    """Return how many of ``number`` runs have hits that support the species, if it is one."""
    if not number or not names_species(context, hits):
        return None
    strict = context.tally.at_90
    others = () if strict == number else _others(context, hits)
    return Supported(number=strict, whole=number, others=others, together=len(hits) > 1)


def _others(context: Answering, hits: Sequence[Hit]) -> tuple[str, ...]:
    """Return what the hits that do not support the species are."""
    classes = {
        str(row["evidence"]) for hit in hits for row in context.look(Evidence(hit)).records()
    }
    return tuple(key for key in OTHERS if key in classes)


def renamed(context: Answering, hits: Sequence[Hit]) -> list[Claim]:
    """Return which virus the hits are that a source reports by a name to which no hit resolves."""
    of = without_hits(context.request.of)
    for hit in hits:
        for name in hit.virus:
            meant = context.names.formal(name, "virus") or name
            found = context.look(Values(("virus",), hits=Hit(reported=(meant,))), of)
            own = {meant, context.names.curie(name, "virus")}
            if found.rows and not own & set(found.rows[0][:2]):
                called = context.names.called(name, "virus")
                places = places_of(found)
                types = [place for place in places if place.name.lower().startswith(meant.lower())]
                viruses, where = tuple((types or places)[:3]), runs_words(of, context.names)
                return [Renamed(name=called, viruses=viruses, where=where, are_types=bool(types))]
    return []


def no_runs(context: Answering) -> list[Claim]:
    """Return that the index has no runs of the answer, hits aside, so none could be searched."""
    rest = without_hits(context.request.of)
    return [] if rest == EVERYTHING or context.count(rest) else [none_of(context)]


def none_of(context: Answering, of: RunSet | None = None) -> Counted:
    """Return that the index has no runs of a set, hits aside; by default those of the answer."""
    where = runs_in_words(context.request.of if of is None else of, context.names).where
    return Counted(number=0, before="the index has", where=where)


def instead_of_none(context: Answering) -> list[Claim]:
    """Return what runs there are, if none meets all of several conditions.

    They are those that meet the first conditions, with the values that they have instead.
    """
    conditions = parts_of(without_hits(context.request.of))
    if len(conditions) < 2 or context.count(intersect(*conditions)):
        return []
    whole = conditions[0]
    for missing in conditions[1:]:
        if not context.count(both := intersect(whole, missing)):
            break
        whole = both
    runs, where = context.count(whole), runs_words(whole, context.names)
    there_are = Counted(number=runs, before="it has", where=where)
    if not runs or not isinstance(missing, Has) or not missing.values:
        return [there_are]
    field = field_named(missing.field)
    values = context.look(Values((field.name,)), whole)
    if not values.rows:
        of_any = "any of them" if runs > 1 else "it"
        none = f"no {field.said} is recorded for {of_any}"
        return [replace(there_are, where=f"{where}; {none}")]
    begin = f"{TOTAL} are recorded for {'them' if runs > 1 else 'it'}"
    return [there_are, ranking(values, begin)]


def left_out(context: Answering) -> list[Claim]:
    """Return the runs that could not be counted, and why; only for a full answer."""
    parts = context.result.left_out if context.full else ()
    return [
        NotKnown(number=part.number, what=part.what.removeprefix("runs "))
        for part in parts
        if part.reason in _SAID
    ]


def beside_relatives(context: Answering, hits: Sequence[Hit], of: RunSet) -> list[Claim]:
    """Return for each virus the relative that has more reads in many of its runs, if there is one.

    ``of`` are the runs with the hits.
    """
    several = [replace(hit, virus=(name,)) for hit in hits for name in hit.virus]
    claims: list[Claim] = []
    for hit in dict.fromkeys(several):
        if names_species(context, [hit]):
            claims += beside(context, hit, relatives(context.resolver, hit, of))
    return claims


def beside(context: Answering, hit: Hit, found: Relatives) -> list[Claim]:
    """Return the first relative of the virus of ``hit``, if it is in many runs."""
    own = {known.label for known in context.names.resolved if known.text in hit.virus}
    others = [relative for relative in found.listed if relative.name not in own]
    least = max(min(2, found.runs), _MANY_BESIDE * found.runs)
    if not others or others[0].runs < least:
        return []
    first = others[0]
    virus = context.names.called(hit.virus[0], "virus")
    return [
        Outweighed(
            virus=virus,
            congener=context.names.as_asked(first.name, "virus"),
            which=f"{first.runs:,} of the runs with {virus}",
            times=first.times,
            is_most=2 * first.runs > found.runs,
        )
    ]


def outweighed_in_list(
    context: Answering, measure: Values, of: RunSet, *, named: Container[str]
) -> list[Claim]:
    """Return the ``named`` viruses that have fewer reads than a relative in most of their runs."""
    viruses = tuple(row for row in outweighed_rows(context, measure, of) if row[0] in named)
    return [OutweighedViruses(viruses=viruses, left_out=False)] if viruses else []


def outweighed_rows(
    context: Answering, measure: Values, of: RunSet
) -> tuple[tuple[str, str, int, int], ...]:
    """Return the listed viruses that a relative outweighs: with the relative and the runs."""
    fields = [name for name in measure.by if name in OF_SPECIES]
    if not fields or measure.level is not None:
        return ()
    listed = {row[fields[0]] for row in context.result.records()}
    found = outweighed_values(context.resolver, field_named(fields[0]), measure.hits or ANY_HIT, of)
    return tuple(row for row in found if row[0] in listed)
