"""Answers to "how many", "is there any", "what share" and "which runs"."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from index.claims import (
    RUN,
    Claim,
    Counted,
    FoundIn,
    Listed,
    NeverSearched,
    NotFound,
    NotStated,
    Outweighed,
    Portrait,
    Renamed,
    ShareOf,
    YesOrNo,
)
from index.claims.claim import joined
from index.claims.phrases import listed
from query.answers.doubting import of_laboratory
from query.answers.drafting import Answering, Draft, table_of
from query.answers.finding import (
    Topic,
    beside_relatives,
    found,
    left_out,
    lists_mostly_hits,
    no_runs,
    subject_of,
    support,
)
from query.answers.hit_words import or_words
from query.answers.listing_viruses import without_name
from query.answers.listing_words import number_column
from query.answers.next_steps import links_to, named_viruses, next_steps
from query.answers.run_words import clause_words, runs_in_words, runs_words
from query.compiler import Result
from query.compiler.flags import required
from query.compiler.rows import is_of_hits
from query.request import (
    EVERYTHING,
    Carries,
    Count,
    Exists,
    Has,
    Hit,
    Rows,
    RunSet,
    Share,
    SortBy,
    Values,
    field_named,
    intersect,
)
from query.request.fields import RUN as THE_RUN

_FEW: Final = 3
"""Up to this many runs, all are named."""
_SAMPLE: Final = ("sample", "samples")


def draft_count(context: Answering, measure: Count | Exists) -> Draft:
    """Return the answer to how many runs, samples or hits, or whether there are any."""
    hits = measure.hits if isinstance(measure, Count) else None
    unit = measure.unit if isinstance(measure, Count) else "run"
    subject = subject_of(context, hits)
    number = int(context.result.number or 0)
    noun = _SAMPLE if unit == "biosample" else RUN
    if unit == "detection" or (noun == _SAMPLE and not number):
        # If no sample is on record, only runs can be counted.
        noun, number = RUN, context.tally.counted(hits)
    certainty = certainty_of(context, subject, number)
    doubted = any(isinstance(claim, Outweighed) and claim.is_most for claim in certainty)
    lead = found(context, subject, number, noun, doubted=doubted)
    if unit == "detection":
        lead = _with_detections(lead, int(context.result.number or 0))
    is_unknown = isinstance(lead, NeverSearched) or (isinstance(lead, Counted) and subject.hits)
    if isinstance(measure, Exists) and not is_unknown:
        lead = YesOrNo(verdict=_verdict(lead, number, doubted=doubted), because=lead)
    certainty += _never_stated(context, subject) if not number else []
    certainty += _few_runs(context) if 0 < number <= _FEW and noun == RUN and subject.hits else []
    viruses = named_viruses(context, subject, context.runs)
    if number and isinstance(measure, Exists) and subject.hits == (Hit(),) and not viruses:
        named = context.look(Values(("virus",), hits=Hit(named=True)))
        viruses = without_name(context, Values(("virus",)), named.rows, number_column(named))
    return Draft(
        [lead],
        [*certainty, *viruses],
        next_steps(context, subject, context.runs),
        links_to(context, subject, context.runs),
    )


def _few_runs(context: Answering) -> list[Claim]:
    """Return the accessions of a few runs."""
    runs = [str(row[0]) for row in context.look(Rows((THE_RUN,), limit=_FEW), context.runs).rows]
    return [Portrait(text=f"the {'run is' if len(runs) == 1 else 'runs are'} {listed(runs)}")]


def _never_stated(context: Answering, subject: Topic) -> list[Claim]:
    """Return the field of the question that no run with its viruses states, wherever it is from.

    That none is found among runs with a value of the field then says little.
    """
    carrying = intersect(*(Carries(hit) for hit in subject.hits))
    asked = [has.field for has in required(context.request.of, Has) if has.values]
    if carrying == EVERYTHING or not asked or not (runs := context.count(carrying)):
        return []
    silent = [field for field in asked if not context.count(intersect(carrying, Has(field)))]
    noun = ("run", f"runs with {subject.words.partition(' (')[0]}")
    fields = tuple(field_named(field).said for field in silent)
    return [NotStated(fields=fields, rows=runs, noun=noun)] if silent else []


def _with_detections(lead: Claim, number: int) -> Claim:
    if isinstance(lead, FoundIn):
        return replace(lead, hits=number)
    if isinstance(lead, Counted):
        return replace(lead, number=number, noun=("detection", "detections"))
    return lead


def _verdict(claim: Claim, number: int, *, doubted: bool) -> str:
    """Return yes or no; perhaps if no hit supports the species, unknown if few were searched."""
    match claim:
        case NotFound():
            return (
                "Not in these data"
                if claim.searched >= claim.unsearched
                else "Not in the runs searched"
            )
        case FoundIn():
            return "Yes" if claim.supported else "Probably not" if doubted else "Perhaps"
        case Renamed():
            return "Yes" if claim.are_types else "No"
        case Counted() | ShareOf():
            return "Yes" if number else "No"
    return "No"


def draft_share(context: Answering, measure: Share) -> Draft:
    """Return the share with its counts, and the runs for which it is not known."""
    taken = runs_in_words(measure.part, context.names)
    among = context.result.among
    if not among:
        return Draft([_share_unknown(context, measure)], left_out(context))
    part = context.tally.runs
    where = runs_words(context.request.of, context.names)
    subject = subject_of(context, taken.carried[0] if taken.carried else None)
    confirmed = support(context, taken.carried, part)
    stated = _stated(measure.part)
    unstated = context.count(context.request.of) - among if stated else 0
    if unstated > 0:
        where = joined(where, f"{'and' if 'with ' in where else 'with'} a recorded {stated}")
    share = ShareOf(
        part=part,
        whole=among,
        runs=joined("runs", where),
        does=clause_words(measure.part, context.names, first=True),
        known="searched" if taken.of_viruses else "",
        hits_only=bool(taken.carried) and lists_mostly_hits(context),
    )
    certainty: list[Claim] = [confirmed] if confirmed else []
    if unstated > 0:
        none = f"no {stated} is recorded"
        certainty.append(
            Counted(number=unstated, noun=("other run", "other runs"), before="for", after=none)
        )
    both = intersect(context.request.of, measure.part)
    certainty += beside_relatives(context, taken.carried, both) if part else []
    steps = next_steps(context, subject, both)
    return Draft([share], [*certainty, *left_out(context)], steps, links_to(context, subject, both))


def _share_unknown(context: Answering, measure: Share) -> Claim:
    """Return that it is not known of any run whether it is in the part."""
    taken = runs_in_words(measure.part, context.names)
    where = runs_words(context.request.of, context.names)
    none = no_runs(context)
    if none:
        return none[0]
    if taken.of_viruses:
        subject = or_words((*taken.carried, *taken.lacking), context.names)
        return NeverSearched(subject=subject, where=where)
    stated = _stated(measure.part) or "such record"
    does = clause_words(measure.part, context.names)
    before = f"whether any {does} is unknown: no {stated} is recorded for any of the"
    return Counted(number=context.count(context.request.of), before=before, where=where)


def _stated(part: RunSet) -> str:
    """Return the field that runs must state to be in a part or not; empty if there is none."""
    return field_named(part.field).said if isinstance(part, Has) and part.values else ""


def certainty_of(context: Answering, subject: Topic, number: int) -> list[Claim]:
    """Return how sure the number of runs is, the most important statement first."""
    claims: list[Claim] = []
    if number:
        claims += of_laboratory(context, subject.hits, number)
        claims += beside_relatives(context, subject.hits, context.runs)
    return [*claims, *left_out(context)]


def draft_rows(context: Answering, measure: Rows) -> Draft:
    """Return how many runs or hits there are, and how many of them are in the table."""
    subject = subject_of(context, measure.hits)
    result = context.result
    noun = ("detection", "detections") if is_of_hits(measure) else RUN
    number = context.tally.counted(measure.hits)
    claim = found(context, subject, number)
    certainty = certainty_of(context, subject, number)
    if not result.rows:
        return Draft([claim], certainty)
    order = measure.order
    # rows without the value come last
    if order is not None and result.records()[0][order.by] is None:
        fields = (field_named(order.by).said,)
        nowhere = NotStated(fields=fields, rows=result.total, noun=noun)
        is_list = measure.limit == Rows().limit  # nothing is "the first"
        table = table_of(result) if is_list else None
        return Draft([nowhere, claim], certainty, table=table)
    if order is not None and measure.limit == 1 < len(result.rows):
        return Draft([_sharing(result, order)], certainty, table=table_of(result))
    is_few = THE_RUN in measure.columns and len(result.rows) <= _FEW
    runs = [_run_with(row, order) for row in result.records()] if is_few else []
    lead = Listed(
        of=claim,
        total=result.total,
        shown=len(result.rows),
        noun=noun,
        names=tuple(dict.fromkeys(runs)),
        order=_order(measure),
    )
    return Draft([lead], [*_not_stated(result), *certainty], table=table_of(result))


def _sharing(result: Result, order: SortBy) -> Claim:
    """Return the first value, if several runs share it: "the latest release date is …"."""
    field = field_named(order.by)
    ends = ("latest", "earliest") if field.type == "date" else ("highest", "lowest")
    which = ends[0] if order.descending else ends[1]
    rows = result.records()
    runs = [str(row[THE_RUN]) for row in rows if THE_RUN in row]
    such = f", such as {runs[0]}" if runs else ""
    text = f"the {which} {field.said} is {rows[0][order.by]}; {len(rows):,} runs have it{such}"
    return Portrait(text=text)


def _run_with(row: Mapping[str, object], order: SortBy | None) -> str:
    """Return a run with the value by which the runs are in order.

    >>> [_run_with({"run": "SRR1", "spots": spots}, SortBy("spots")) for spots in (12, None)]
    ['SRR1 (12)', 'SRR1 (not stated)']
    """
    run = str(row[THE_RUN])
    if order is None or order.by == THE_RUN:
        return run
    value = row[order.by]
    if value is None:
        return f"{run} (not stated)"
    return f"{run} ({value:,})" if isinstance(value, int) else f"{run} ({value})"


def _not_stated(result: Result) -> list[Claim]:
    """Return the fields that were asked for and that no run of the table states."""
    columns = range(len(result.columns))
    empty = [place for place in columns if all(row[place] is None for row in result.rows)]
    fields = tuple(field_named(result.columns[place].name).said for place in empty)
    return [NotStated(fields=fields, rows=len(result.rows))] if fields else []


def _order(measure: Rows) -> str:
    if measure.order is None:
        return ""
    name = measure.order.by
    said = "run" if name == THE_RUN else field_named(name).said
    return f"{'highest' if measure.order.descending else 'lowest'} {said} first"
