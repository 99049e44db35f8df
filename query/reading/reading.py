"""What a question was understood to ask: a typed value that can be printed, tested and changed."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields

from index.reports.phrases import SIGNIFICANT_Q
from query.reading.asked.associations import AssociationsAsked
from query.reading.asked.communities import CommunitiesAsked
from query.reading.asked.in_runs import InRuns
from query.reading.kinds import Kind, Order
from query.reading.limits import Limit
from query.reading.measured.figures import HitFigure
from query.reading.measured.parts_of_runs import PartOfRuns
from query.reading.mentions import Mention


@dataclass(frozen=True, slots=True)
class Proposed:
    """What the model named ``model`` made of a question that rules refuse: the plain ``question``
    that is read in its place, and the stretches ``set_aside``. Where it is not taken, ``why``.
    """

    model: str
    question: str = ""
    set_aside: tuple[str, ...] = ()
    why: str = ""

    @property
    def taken(self) -> bool:
        """Whether the plain question is read."""
        return not self.why


@dataclass(frozen=True, slots=True)
class Reading:
    """What a question asks.

    ``kind``            what kind of answer
    ``facets``          what is listed or counted, in order
    ``host_rank``       rank of the hosts that are listed, empty for hosts as stated
    ``explicit``        whether the question names these facets, else they are the usual ones
    ``subjects``        names that runs must carry; names of one group are alternatives
    ``each``            those of them that must hold at once
    ``without``         names that runs must not carry
    ``excepted``        viruses left out of the list that is asked for, whatever else runs carry
    ``sides``           the names compared, two or more; one where it is compared with all others
    ``against_rest``    whether all others are compared, too
    ``common``          whether what the sides have in common is asked for, and not how they differ
    ``unexpected``      whether finds that are not expected in their host are asked for
    ``only_there``      whether it asks if something is found nowhere else
    ``company``         whether what else is in the same runs is asked for
    ``rate``            whether it is asked how often something is found
    ``order``           by what values are ranked
    ``libraries``       whether libraries of a virus are asked for, and no finds
    ``of_runs``         whether runs are counted, whatever values are named
    ``whole``           names of the runs of which a share is asked; none where it is not said
    ``limit``           how many values, None where the question does not say
    ``in_runs``         in how many runs a value has to be, None where any number will do
    ``source``          the one source of detections that it keeps to, empty for all
    ``figure``          the figure of single hits that it asks for, None where it counts runs
    ``part``            how large a share is asked to be, None where it is not said
    ``accessions``      runs, samples, projects as written, held or not
    ``setting``         what is said beside the question, of which only names count
    ``denied``          whether it asks if a claim holds that there is none
    ``only_wording``    words that no list holds and that the question can do without
    ``not_understood``  other words that mean nothing here
    ``unanswerable``    those of them that are the verb, or the thing asked for
    ``proposals``       word not understood -> the name one letter away
    ``beyond``          what is asked for that counts cannot tell
    ``of_tables``       what is asked for that only a table by SQL tells
    ``proposed``        what a model made of it, None where rules alone have read it
    ``associations``    which tests of association are asked for, None where none are
    ``communities``     what of communities or of the graph is asked, None where nothing is
    """

    kind: Kind = "describe"
    facets: tuple[str, ...] = ()
    host_rank: str = ""
    explicit: bool = False
    subjects: tuple[Mention, ...] = ()
    each: tuple[Mention, ...] = ()
    without: tuple[Mention, ...] = ()
    excepted: tuple[Mention, ...] = ()
    sides: tuple[Mention, ...] = ()
    against_rest: bool = False
    common: bool = False
    unexpected: bool = False
    only_there: bool = False
    company: bool = False
    rate: bool = False
    order: Order = "most runs"
    absent: tuple[Mention, ...] = ()
    libraries: bool = False
    of_runs: bool = False
    whole: tuple[Mention, ...] = ()
    limit: int | None = None
    in_runs: InRuns | None = None
    source: str = ""
    figure: HitFigure | None = None
    part: PartOfRuns | None = None
    accessions: tuple[str, ...] = ()
    setting: str = ""
    denied: bool = False
    only_wording: tuple[str, ...] = ()
    not_understood: tuple[str, ...] = ()
    unanswerable: tuple[str, ...] = ()
    proposals: tuple[tuple[str, str], ...] = ()
    beyond: Limit | None = None
    of_tables: Limit | None = None
    proposed: Proposed | None = None
    associations: AssociationsAsked | None = None
    communities: CommunitiesAsked | None = None


def reading_record(reading: Reading) -> dict[str, object]:
    """Return ``reading`` as plain values, names by the group that they belong to."""
    return {
        "kind": reading.kind,
        "facets": list(reading.facets),
        "host_rank": reading.host_rank,
        "explicit": reading.explicit,
        "subjects": _by_group(reading.subjects),
        "all_of": [one.name for one in reading.each],
        "without": _by_group(reading.without),
        "left_out_of_the_list": _by_group(reading.excepted),
        "compared": _compared(reading),
        "carried_by_no_run": _by_group(reading.absent),
        "in_common": reading.common,
        "unexpected": reading.unexpected,
        "only_there": reading.only_there,
        "company": reading.company,
        "rate": reading.rate,
        "order": reading.order,
        "libraries": reading.libraries,
        "share_of_all_with": [one.name for one in reading.whole],
        "limit": reading.limit,
        "in_runs": reading.in_runs.text if reading.in_runs else None,
        "detection_source": reading.source,
        "figure_of_hits": reading.figure.text if reading.figure else None,
        "share_asked_to_be": reading.part.text if reading.part else None,
        "accessions": list(reading.accessions),
        "setting": reading.setting,
        "denied": reading.denied,
        "only_wording": list(reading.only_wording),
        "not_understood": list(reading.not_understood),
        "unanswerable": list(reading.unanswerable),
        "proposals": dict(reading.proposals),
        "beyond_counts": reading.beyond.topic if reading.beyond else None,
        "associations": _associations_record(reading.associations),
        "communities": _communities_record(reading.communities),
        **_proposal_record(reading.proposed),
    }


def _associations_record(asked: AssociationsAsked | None) -> dict[str, object] | None:
    """Return which tests are asked for, without what is not asked about."""
    if asked is None:
        return None
    values = {one.name: getattr(asked, one.name) for one in fields(asked) if one.name != "words"}
    values["values"] = [one.name for one in asked.values]
    values["flag"] = asked.flag.text if asked.flag else None
    if asked.most_q == SIGNIFICANT_Q:
        del values["most_q"]
    return {name: value for name, value in values.items() if value and value != "either"}


def _communities_record(asked: CommunitiesAsked | None) -> dict[str, object] | None:
    """Return what of communities is asked, without what is not asked about."""
    if asked is None:
        return None
    values = asdict(asked)
    del values["words"]
    return {name: value for name, value in values.items() if value or value == 0}


def _proposal_record(proposed: Proposed | None) -> dict[str, object]:
    if proposed is None:
        return {"proposed_by": None, "proposed": None, "set_aside": [], "not_taken": None}
    return {
        "proposed_by": proposed.model,
        "proposed": proposed.question or None,
        "set_aside": list(proposed.set_aside),
        "not_taken": proposed.why or None,
    }


def reading_text(reading: Reading) -> str:
    """Return ``reading`` for a reader, one line for each thing that was read."""
    usual = "" if reading.explicit else " (usual)"
    facets = ", ".join(reading.facets)
    lines = [f"kind: {reading.kind}", f"facets: {facets}{usual}"]
    for group, names in _by_group(reading.subjects).items():
        lines.append(f"{group}: {' or '.join(names)}")
    for group, names in _by_group(reading.without).items():
        lines.append(f"without {group}: {' or '.join(names)}")
    lines += [f"carried by no run: {one.name}" for one in reading.absent]
    parts: dict[str, list[str]] = {
        "all of": [one.name for one in reading.each],
        "compared": _compared(reading),
        "in common": ["yes"] if reading.common else [],
        "unexpected in their host": ["yes"] if reading.unexpected else [],
        "nowhere else": ["yes"] if reading.only_there else [],
        "what else is there": ["yes"] if reading.company else [],
        "how often": ["yes"] if reading.rate and reading.kind == "compare" else [],
        "hosts by": [reading.host_rank] if reading.host_rank else [],
        "order": [reading.order] if reading.order != "most runs" else [],
        "share of all with": [one.name for one in reading.whole],
        "limit": [str(reading.limit)] if reading.limit else [],
        "values in": [reading.in_runs.text] if reading.in_runs else [],
        "only by": [reading.source] if reading.source else [],
        "figure of hits": [reading.figure.text] if reading.figure else [],
        "share asked to be": [reading.part.text] if reading.part else [],
        "accessions": list(reading.accessions),
        "said beside the question": [reading.setting] if reading.setting else [],
        "taken for wording only": list(reading.only_wording),
        "not understood": list(reading.not_understood),
        "so that this cannot be answered": list(reading.unanswerable),
        "did you mean": [f"{near} for {word}" for word, near in reading.proposals],
        "beyond counts": [reading.beyond.topic] if reading.beyond else [],
        "proposed": [proposal_text(reading.proposed)] if reading.proposed else [],
        "asked of associations": _in_words(_associations_record(reading.associations)),
        "asked of communities": _in_words(_communities_record(reading.communities)),
    }
    for name, values in parts.items():
        if values:
            lines.append(f"{name}: {', '.join(values)}")
    return "\n".join(lines)


def _in_words(record: dict[str, object] | None) -> list[str]:
    """Return what is asked as ``name value``, names of several values joined by or."""
    said = []
    for name, value in (record or {}).items():
        values = value if isinstance(value, list | tuple) else [value]
        either = " or ".join(str(one) for one in values)
        said.append(f"{name.replace('_', ' ')} {either}")
    return said


def proposal_text(proposed: Proposed) -> str:
    """Return what a model made of a question in one sentence, or why that is not taken."""
    if not proposed.taken:
        return f"A reading by {proposed.model} was not taken: {proposed.why}."
    aside = "; ".join(f"“{stretch}”" for stretch in proposed.set_aside)
    text = f"Read with a model ({proposed.model}) as: “{proposed.question}”"
    return f"{text}; words set aside: {aside}." if aside else f"{text}."


def _compared(reading: Reading) -> list[str]:
    """Return the groups compared, in words."""
    compared = [one.name for one in reading.sides]
    if reading.against_rest:
        compared.append("all others")
    return compared


def _by_group(mentions: tuple[Mention, ...]) -> dict[str, list[str]]:
    groups: dict[str, list[str]] = {}
    for mention in mentions:
        group = mention.group
        if group not in groups:
            groups[group] = []
        if mention.name not in groups[group]:
            groups[group].append(mention.name)
    return groups
