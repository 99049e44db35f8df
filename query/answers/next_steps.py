"""What a virologist asks about the runs of an answer: a dominant study, a report to open."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from index.claims import Claim, Dominating, NamedNumber, Ranking, Summarised
from index.claims.phrases import in_quotes
from query.answers.drafting import Answering
from query.answers.finding import Topic, names_species
from query.answers.listing_words import ranking, titles_of
from query.answers.summarising import summarised
from query.request import Carries, Count, Has, Hit, Records, Summary, Values, Where, field_named
from query.request.run_sets import EVERYTHING, RunSet, parts_of

_LISTED: Final = 3
_SEVERAL: Final = 4
"""Viruses of a question that are also counted one by one."""
_LEAST_RUNS: Final = 2
"""Minimum number of runs of an answer for saying more about them."""
_LEAST_STATING: Final = 0.1
_FEWEST: Final = 3
"""Share, and number, of the runs that must state their study for the largest to be named."""
_LONGEST_TITLE: Final = 70


def next_steps(context: Answering, subject: Topic, of: RunSet, *, skip: str = "") -> list[Claim]:
    """Return the study of most of the answer's runs, ``of``; in a full answer also other facts.

    ``skip`` is a field that the answer counts itself.
    """
    if of == EVERYTHING or max(context.tally.runs, context.tally.positive) < _LEAST_RUNS:
        return []
    if not subject.is_named and not _fields(of) and not context.full:
        return []  # nothing follows from runs that were searched, or lack a virus
    claims = studies(context, of) if skip != "study" else []
    return [*claims, *_more(context, subject, of)] if context.full else claims


def named_viruses(context: Answering, subject: Topic, of: RunSet) -> list[Claim]:
    """Return the viruses that the hits are of, where the answer is about several or a kind."""
    if len(subject.hits) != 1 or not context.tally.positive:
        return []
    hit = subject.hits[0]
    if 1 < len(hit.virus) <= _SEVERAL:
        return [_each(context, hit, of)]
    if names_species(context, [Hit(virus=hit.virus)]):
        return []
    found = context.look(Values(("virus",), hits=replace(hit, named=True), limit=_LISTED), of)
    return [ranking(found, "the most frequent named viruses are")] if len(found.rows) > 1 else []


def _each(context: Answering, hit: Hit, of: RunSet) -> Claim:
    places = []
    for virus in hit.virus:
        number = context.look(Count(hits=replace(hit, virus=(virus,))), of).of_runs.positive
        places.append(NamedNumber(name=context.names.called(virus, "virus"), number=number))
    places.sort(key=lambda place: -place.number)
    return Ranking(begin="by virus:", places=tuple(places), named=len(places))


def _more(context: Answering, subject: Topic, of: RunSet) -> list[Claim]:
    """Return what only a full answer says: viruses, hosts, places, years, identity, reads."""
    claims: list[Claim] = []
    named = () if subject.is_named else ("virus",)
    for field in (*named, "host", "tissue", "disease", "country", "year"):
        if field not in _fields(of):
            found = context.look(Values((field,), limit=_LISTED), of)
            begin = f"{field_named(field).plural} of these runs:"
            claims += [ranking(found, begin)] if found.rows else []
    for number in ("identity", "reads") if len(subject.hits) == 1 else ():
        found = context.look(Summary(number, subject.hits[0]), of)
        claim = summarised(found, context.names, subject)
        claims += [claim] if isinstance(claim, Summarised) else []
    return claims


def links_to(context: Answering, subject: Topic, of: RunSet) -> list[str]:
    """Return the report of the community of most of the runs, if it is about their virus.

    If no run has the virus, a report may be about an unnamed virus that probably is this one.
    """
    if not subject.is_named:
        return []
    called = [call(name, "virus") for hit in subject.hits for name in hit.virus
              for call in (context.names.called, context.names.formal)]  # fmt: skip
    is_found = context.tally.positive > 0
    found = context.look(Values(("community",), limit=1), of) if of != EVERYTHING else None
    if found is not None and found.rows and is_found:
        where = [Where("community", (str(found.rows[0][0]),))]
    elif not is_found and not context.count(Carries(subject.hits[0])):
        where = [Where("title", contains=name) for name in dict.fromkeys(called) if name]
    else:
        where = []
    for condition in where:
        asked = Records("reports", (condition,), columns=("community", "title"), limit=1)
        for community, title in context.look(asked, EVERYTHING).rows:
            if any(name and name.lower() in str(title).lower() for name in called):
                return [f"query report {community}  # {title}"]
    return []


def studies(context: Answering, of: RunSet) -> list[Claim]:
    """Return the study that most of the runs come from, if there is one."""
    if {"study", "project", "biosample", "run"} & _fields(of):
        return []
    found = context.look(Values(("study",), limit=1), of)
    if not found.rows:
        return []
    unstated = [part.number for part in found.left_out if part.what == "runs that state no study"]
    study, runs = str(found.rows[0][0]), int(str(found.rows[0][1]))
    stating = found.of_runs.runs - sum(unstated)
    if stating < max(_FEWEST, _LEAST_STATING * found.of_runs.runs) or 2 * runs < stating:
        return []
    title = titles_of(context, "study", [study]).get(study, "")
    about = in_quotes(title, most=_LONGEST_TITLE) if title else ""
    return [
        Dominating(study=study, number=runs, whole=stating, about=about, is_partly=bool(unstated))
    ]


def _fields(of: RunSet) -> set[str]:
    """Return the fields of runs that a set has conditions on."""
    return {part.field for part in parts_of(of) if isinstance(part, Has)}
