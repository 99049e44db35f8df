"""What a virologist minds of the runs of an answer: unexpected hosts, a study that dominates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from index.claims import TOTAL, Claim, Dominating, NamedNumber, Ranking, Summarised
from index.claims.phrases import in_quotes, is_or_are
from query.answers.drafting import Answering
from query.answers.hit_words import hit_words
from query.answers.listing_words import ranking
from query.answers.subject import Topic
from query.answers.summarising import summarised
from query.answers.titles import titles_of
from query.answers.unknowns import names_species
from query.compiler.expecting import unexpected_hosts
from query.request import And, Has, Hit, Records, Summary, Values, Where
from query.request.fields import field_named
from query.request.run_sets import EVERYTHING, RunSet

NO_INFECTION: Final = ", almost certainly by contamination or food"
_LISTED: Final = 3
_LEAST_RUNS: Final = 2
"""Runs of an answer from which more is said of them."""
_LEAST_STATING: Final = 0.1
"""Share of the runs that must state their study for the largest to be named."""
_LONGEST_TITLE: Final = 70


def next_steps(context: Answering, subject: Topic, of: RunSet, *, skip: str = "") -> list[Claim]:
    """Return what makes one wary of the runs of the answer, ``of``; of the full answer also what
    else is known of them.

    ``skip`` is a field that the answer counts itself.
    """
    tally = context.result.tally
    if of == EVERYTHING or tally is None or max(tally.runs, tally.positive) < _LEAST_RUNS:
        return []
    if not subject.is_named and not _fields(of) and not context.full:
        return []  # of runs that were searched, or lack a virus, nothing follows
    claims = unexpected(context, subject, of) if subject.is_named else []
    if skip != "study":
        claims += studies(context, of)
    return [*claims, *_more(context, subject, of)] if context.full else claims


def named_viruses(context: Answering, subject: Topic, of: RunSet) -> list[Claim]:
    """Return the viruses that the hits are of, where the answer is about a kind of them."""
    tally = context.result.tally
    if len(subject.hits) != 1 or tally is None or not tally.positive:
        return []
    hit = subject.hits[0]
    if names_species(context, [Hit(virus=hit.virus)]):
        return []
    found = context.look(Values(("virus",), hits=replace(hit, named=True), limit=_LISTED), of)
    begin, only = "the most frequent named viruses are", "the only named virus is"
    return [ranking(found, begin, only=only)] if found.rows else []


def _more(context: Answering, subject: Topic, of: RunSet) -> list[Claim]:
    """Return what only the full answer says: viruses, hosts, places, years, identity, reads."""
    claims: list[Claim] = []
    named = () if subject.is_named else ("virus",)
    for field in (*named, "host", "tissue", "disease", "country", "year"):
        if field not in _fields(of):
            found = context.look(Values((field,), limit=_LISTED), of)
            said = field_named(field)
            begin = f"{said.plural} of these runs:"
            claims += [ranking(found, begin)] if found.rows else []
    if len(subject.hits) == 1:
        for number in ("identity", "reads"):
            found = context.look(Summary(number, subject.hits[0]), of)
            claim = summarised(found, context.names, subject)
            claims += [claim] if isinstance(claim, Summarised) else []
    return claims


def links_to(context: Answering, subject: Topic, of: RunSet) -> list[str]:
    """Return the report of the community that most of the runs are in."""
    if not subject.is_named or of == EVERYTHING:
        return []
    found = context.look(Values(("community",), limit=1), of)
    if not found.rows:
        return []
    community = str(found.rows[0][0])
    where = (Where("community", (community,)),)
    reports = context.look(Records("reports", where, columns=("title",)), EVERYTHING)
    title = str(reports.rows[0][0]) if reports.rows else ""
    names = [name for hit in subject.hits for name in hit.virus]
    called = [call(name, "virus") for name in names
              for call in (context.names.called, context.names.formal)]  # fmt: skip
    is_about = any(name and name.lower() in title.lower() for name in called)
    return [f"query report {community}  # {title}"] if is_about else []


def studies(context: Answering, of: RunSet) -> list[Claim]:
    """Return from how many studies the runs are, and which has most of them."""
    if {"study", "project", "biosample", "run"} & _fields(of):
        return []
    found = context.look(Values(("study",), limit=1), of)
    if not found.rows or found.tally is None:
        return []
    unstated = [part.number for part in found.left_out if part.what == "runs that state no study"]
    study, runs = str(found.rows[0][0]), int(str(found.rows[0][1]))
    stating = found.tally.runs - sum(unstated)
    if stating < _LEAST_STATING * found.tally.runs or 2 * runs < stating:
        return []  # no study stands for the others
    return [
        Dominating(
            noun=("study", "studies"),
            groups=found.total,
            largest=study,
            number=runs,
            whole=stating,
            about=_title(context, study),
            unstated=sum(unstated),
        )
    ]


def _title(context: Answering, study: str) -> str:
    """Return the title of a study in quotation marks, cut; empty where it has none."""
    title = titles_of(context, "study", [study]).get(study, "")
    return in_quotes(title, most=_LONGEST_TITLE) if title else ""


def unexpected(context: Answering, subject: Topic, of: RunSet) -> list[Claim]:
    """Return the hosts in which a virus is not expected, where the question names none."""
    named = subject.hits[:1]
    if len(subject.hits) != 1 or "host" in _fields(of) or not names_species(context, named):
        return []
    found = unexpected_hosts(context.resolver, subject.hits[0], of)
    return turning_up(context, subject, found) if found else []


def turning_up(context: Answering, subject: Topic, found: Sequence[tuple[str, int]]) -> list[Claim]:
    """Return the hosts that a virus is not known from, in which it turns up, with their runs."""
    places = tuple(NamedNumber(name=host, number=runs) for host, runs in found)
    called = hit_words(subject.hits[0], context.names)
    it, is_ = ("they", "are") if is_or_are(called) == "are" else ("it", "is")
    begin = f"{it} also {'turn' if it == 'they' else 'turns'} up in {TOTAL}"
    thing = (f"host that {it} {is_} not known from", f"hosts that {it} {is_} not known from")
    return [Ranking(begin=begin, end=NO_INFECTION, thing=thing, places=places)]


def _fields(of: RunSet) -> set[str]:
    """Return the fields of runs that a set has conditions on."""
    parts = list(of.of) if isinstance(of, And) else [of]
    return {part.field for part in parts if isinstance(part, Has)}
