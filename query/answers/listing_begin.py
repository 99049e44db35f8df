"""How a sentence begins that lists values: what they are, and of which runs."""

from __future__ import annotations

from typing import Final

from index.claims import TOTAL, Noun
from index.claims.claim import joined
from index.claims.phrases import is_or_are
from query.answers.drafting import Answering
from query.answers.names import plural
from query.answers.run_words import runs_words
from query.answers.subject import Topic
from query.answers.unknowns import is_supported, names_species
from query.request.fields import field_named
from query.request.measures import Values
from query.request.run_sets import RunSet
from query.request.wording import said_names

_GROUPS: Final = ("study", "project", "biosample", "community")
"""Fields of runs whose values hold runs; those of the others are recorded for runs."""
_PLACES: Final = (*_GROUPS, "host", "tissue", "cell_line", "country", "place", "sea")
"""Fields whose values a virus is found in."""
_CARRIED: Final = ("virus", "species", "genus", "family", "phylum")
"""Fields of hits that are viruses, which runs carry."""
_NAMED_AS: Final = {
    "reported": (f"are reported under {TOTAL}", ("name", "names")),
    "stated": (f"are stated as {TOTAL}", ("virus", "viruses")),
    "plausibility": (f"are of viruses of {TOTAL}", ("kind", "kinds")),
}


def runs_of(context: Answering) -> str:
    """Return the runs of the answer: "runs from bats", "the index"."""
    where = runs_words(context.request.of, context.names)
    return f"runs {where}" if where else "the index"


def thing_of(measure: Values, subject: Topic) -> Noun:
    """Return what is listed: RNA viruses, virus families of EBV, hosts."""
    field = field_named(measure.by[0])
    if field.name in _NAMED_AS:
        return _NAMED_AS[field.name][1]
    if field.of == "run" or measure.hits is None or not subject.is_named:
        return field.said, field.plural
    words = subject.words.removeprefix("a virus ")
    if any(hit.virus for hit in subject.hits) or field.name not in ("virus", "species"):
        return f"{field.said} of {words}", f"{field.plural} of {words}"
    if words == subject.words:
        return words.replace("viruses", "virus", 1), words
    return f"virus {words}", f"viruses {words}"


def begin_of(
    context: Answering, measure: Values, subject: Topic, thing: Noun
) -> tuple[str, str, str]:
    """Return how the sentence begins, the same of one value, and what follows the values."""
    field = field_named(measure.by[0])
    runs = runs_of(context)
    if field.name in _CARRIED:
        least = f"at least {measure.at_least:,g} " if measure.at_least else ""
        within = f"{least}{'runs' if least and runs == 'the index' else runs}"
        each = " each" if least else ""
        behind = f"found in {within}{elsewhere(context, measure)}"
        if field.name != "virus" and measure.hits and names_species(context, [measure.hits]):
            begin = f"{subject.words} belongs to the {field.name}"
            return f"{TOTAL} are {behind}{each}", begin, behind
        return f"{TOTAL} are {behind}{each}", f"the only {thing[0]} {behind} is", behind
    if field.name == "source":
        what = subject.words if subject.is_named else "hits"
        within = f" in {runs}" if runs != "the index" and not subject.is_named else ""
        behind = f"with {what}{within}"
        return f"{TOTAL} report {what}{within}", f"the only {thing[0]} {behind} is", behind
    if field.of == "hit":
        words = subject.words if subject.is_named else "hits"
        within = f" in runs {subject.where}" if subject.where else ""
        said = _NAMED_AS.get(field.name, (f"are of {TOTAL}", thing))[0]
        if words != "hits" and is_or_are(words) == "is":
            said = said.replace("are", "is", 1)
        begin = f"{words}{within} {said}"
        return begin, begin.replace(TOTAL, f"only one {thing[0]},"), f"of {words}{within}"
    if subject.hits:
        return _begin_found(context, measure, subject, thing)
    if field.name in _GROUPS:
        of = "runs" if runs == "the index" else runs
        return f"{TOTAL} have {of}", f"the only {thing[0]} with {of} is", f"with {of}"
    of = "runs of the index" if runs == "the index" else runs
    behind = f"recorded for {of}"
    return f"{TOTAL} are {behind}", f"the only {thing[0]} {behind} is", behind


def _begin_found(
    context: Answering, measure: Values, subject: Topic, thing: Noun
) -> tuple[str, str, str]:
    """Return how a sentence begins that says in which values of a field a virus is found."""
    field = field_named(measure.by[0])
    verb = "are" if subject.together else is_or_are(subject.words)
    tally = context.result.tally
    is_sure = tally is None or is_supported(context, subject.hits, tally.at_90)
    said = "found" if is_sure else "reported"
    where = subject.where.removesuffix(f"with a recorded {field.said}").strip()
    within = "in" if field.name in _PLACES else "in runs of"
    within = joined("in runs", where, "of") if where else within
    begin = f"{subject.words} {verb} {said} {within} {TOTAL}"
    return (
        begin,
        f"{begin.replace(TOTAL, f'one {thing[0]}')}:",
        joined(where, f"with {subject.words}"),
    )


def is_of_some(measure: Values) -> bool:
    """Return whether only some values of the runs are asked for."""
    limits = (measure.under, measure.other_than, measure.absent_in, measure.found_in)
    return any(limits)


def among(measure: Values) -> str:
    """Return the restriction of the values, at the beginning of the sentence."""
    field = field_named(measure.by[0])
    if measure.under:
        if field.name in ("host", "label", "virus"):
            return f"among {' or '.join(map(plural, measure.under))}, "
        return f"among {field.plural} of {said_names(measure.under)}, "
    return f"apart from {said_names(measure.other_than)}, " if measure.other_than else ""


def elsewhere(context: Answering, measure: Values) -> str:
    """Return that the values are of no run of another set, or of some of its runs, too."""
    if measure.absent_in is not None:
        return f" but in no run {_words_of(context, measure.absent_in)}"
    if measure.found_in is not None:
        return f" and in runs {_words_of(context, measure.found_in)}"
    return ""


def _words_of(context: Answering, runs: RunSet) -> str:
    """Return which runs, behind "run" or "runs"."""
    return runs_words(runs, context.names) or "of the index"
