"""The beginning of a sentence that lists values: what they are, and of which runs."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from index.claims import A_VIRUS, TOTAL, Noun
from index.claims.claim import joined
from index.claims.phrases import is_or_are
from query.answers.drafting import Answering
from query.answers.finding import Topic, is_supported, names_species
from query.answers.listing_words import OF_SPECIES, is_placed
from query.answers.names import plural
from query.answers.run_words import runs_words
from query.request import Values, field_named, said_names

_GROUPS: Final = ("study", "project", "biosample", "community")
"""Fields of runs whose values contain runs; the values of other fields are recorded for runs."""
_PLACES: Final = (*_GROUPS, "host", "tissue", "cell_line", "country", "place", "sea")
"""Fields whose values a virus is found in."""
_WHEN: Final = {"year": "released", "collection_year": "collected"}
"""Fields that say when something was done with runs."""
_CARRIED: Final = ("virus", "species", "genus", "family", "phylum")
"""Fields of hits that are viruses, which runs carry."""
_NAMED_AS: Final = {
    "source": ("", ("source", "sources")),
    "reported": (f"are reported under {TOTAL}", ("name", "names")),
    "stated": (f"are taken for {TOTAL}", ("virus", "viruses")),
    "plausibility": (f"are of viruses of {TOTAL}", ("kind", "kinds")),
}


def runs_of(context: Answering) -> str:
    """Return the runs of the answer: "runs from bats", "the index"."""
    runs = _some_runs(context)
    return "the index" if runs == "runs" else runs


def in_runs(context: Answering) -> str:
    """Return where the values are, to follow them; nothing if that is the whole index."""
    runs = _some_runs(context)
    return "" if runs == "runs" else f" in {runs}"


def _some_runs(context: Answering) -> str:
    return f"runs {runs_words(context.request.of, context.names)}".strip()


def thing_of(measure: Values, subject: Topic) -> Noun:
    """Return what is listed: RNA viruses, virus families of EBV, hosts."""
    field = field_named(measure.by[0])
    if field.name in _NAMED_AS:
        return _NAMED_AS[field.name][1]
    if field.name in _WHEN:
        return "year", "years"
    carried = {name for hit in subject.hits for name in hit.virus}
    if measure.other_than and set(measure.other_than) <= carried:
        return f"other {field.said}", f"other {field.plural}"
    if field.of == "run" or measure.hits is None or not subject.is_named:
        return field.said, field.plural
    words = subject.words.removeprefix("a virus ")
    head, _, formal = words.partition(" (")
    if field.name == "virus" and head.endswith(("viruses", "phages")) and formal:
        one = head.removesuffix("s" if head.endswith("phages") else "es")
        return f"{one} ({formal}", words
    if field.name in OF_SPECIES and is_or_are(words) == "is" and words != A_VIRUS and (
        any(hit.virus for hit in subject.hits)
    ):  # fmt: skip
        return f"kind of {words}", f"kinds of {words}"
    if any(hit.virus for hit in subject.hits) or field.name not in OF_SPECIES:
        of = words if words == subject.words else f"viruses {words}"
        return f"{field.said} of {of}", f"{field.plural} of {of}"
    if words == subject.words:
        return words.replace("viruses", "virus", 1), words
    return f"virus {words}", f"viruses {words}"


def begin_of(context: Answering, measure: Values, subject: Topic, thing: Noun) -> tuple[str, str]:
    """Return the beginning of the sentence, and what follows values that do not come first."""
    field = field_named(measure.by[0])
    runs = runs_of(context)
    if field.name in _CARRIED and field.name != "virus" and (
        measure.hits and names_species(context, [measure.hits])
    ):  # fmt: skip
        return f"{subject.words} is of {TOTAL}", f"of {subject.words}"
    if field.name in _CARRIED:
        within = _at_least(context, measure) if measure.at_least else runs
        behind = f"found in {within}{elsewhere(context, measure)}"
        return f"{TOTAL} are {behind}{' each' if measure.at_least else ''}", behind
    if field.name == "source":
        what = subject.words if subject.is_named else "viruses"
        within = f"{what} in {runs}" if runs != "the index" and not subject.is_named else what
        return f"{TOTAL} report {within}", f"with {within}"
    if field.of == "hit":
        words = subject.words if subject.is_named else "detections"
        within = f" in runs {subject.where}" if subject.where else ""
        said = _NAMED_AS.get(field.name, (f"are of {TOTAL}", thing))[0]
        if words != "detections" and is_or_are(words) == "is":
            said = said.replace("are", "is", 1)
        return f"{words}{within} {said}", f"of {words}{within}"
    if subject.hits:
        return _begin_found(context, measure, subject)
    if field.name in _GROUPS:
        return f"{TOTAL} have {_some_runs(context)}", f"with {_some_runs(context)}"
    if field.name in _WHEN:
        some = "runs of the index" if runs == "the index" else runs
        return f"{some} were {_WHEN[field.name]} in {TOTAL}", f"recorded for {some}"
    behind = f"recorded for {'runs of the index' if runs == 'the index' else runs}"
    return f"{TOTAL} are {behind}", behind


def _begin_found(context: Answering, measure: Values, subject: Topic) -> tuple[str, str]:
    """Return the beginning of a sentence that says in which values of a field a virus is found."""
    field = field_named(measure.by[0])
    verb = "are" if subject.together else is_or_are(subject.words)
    is_sure = is_supported(context, subject.hits)
    said = "found" if is_sure else "reported"
    where = subject.where.removesuffix(f"with a recorded {field.said}").strip()
    within = "in" if field.name in _PLACES else "in runs of"
    begin = f"{subject.words} {verb} {said} {within} {TOTAL}"
    if where:
        begin = f"in runs {where}, {subject.words} {verb} {said} in {TOTAL}"
    carriers = f"with {subject.words}"
    if field.name in _WHEN:
        return begin, f"in which {joined('runs', where, carriers)} were {_WHEN[field.name]}"
    return begin, joined("of runs", where, carriers) if where else carriers


def is_of_some(measure: Values) -> bool:
    """Return whether only some values of the runs are asked for."""
    return any((measure.under, measure.other_than, measure.absent_in, measure.found_in))


def among(measure: Values, subject: Topic) -> str:
    """Return the restriction of the values, for the beginning of the sentence."""
    field = field_named(measure.by[0])
    if measure.under:
        apart = f" other than {said_names(measure.other_than)}" if measure.other_than else ""
        if field.name in ("host", "label", "virus", "disease"):
            return f"among {' or '.join(map(plural, measure.under))}{apart}, "
        return f"among {field.plural} of {said_names(measure.under)}{apart}, "
    if not measure.other_than or thing_of(measure, subject)[0].startswith("other "):
        return ""
    return f"apart from {said_names(measure.other_than)}, "


def at_least(measure: Values, noun: Noun) -> str:
    """Return the least number of runs, countries or others that each value has."""
    least = measure.at_least
    return "" if least is None else f"with at least {least:,g} {noun[least != 1]}"


def _at_least(context: Answering, measure: Values) -> str:
    return f"at least {measure.at_least:,g} {_some_runs(context)}"


def without_those_of(context: Answering, measure: Values) -> str:
    """Return the runs whose values are left out, to begin a sentence about no value."""
    if measure.absent_in is None:
        return ""
    runs = f"runs {runs_words(measure.absent_in, context.names)}".strip()
    return f"leaving out the {field_named(measure.by[0]).plural} of {runs}, "


def elsewhere(context: Answering, measure: Values) -> str:
    """Return that no run of another set has the values, or that some of its runs have them, too."""
    if measure.absent_in is not None:
        where = runs_words(measure.absent_in, context.names)
        return f" and not found in any run {where or 'of the index'}"
    if measure.found_in is not None:
        where = runs_words(measure.found_in, context.names)
        return f" and in runs {where or 'of the index'}"
    return ""


def none_within_limits(context: Answering, measure: Values, subject: Topic) -> str:
    """Return that no value is within the limits of the list: below a term, or in no other runs."""
    field = field_named(measure.by[0])
    of = f" of {subject.words}" if subject.is_named else ""
    found_in = "found in" if field.of == "hit" else "recorded for"
    runs = runs_of(context)
    of = "" if subject.words in runs else of
    before = among(measure, subject)
    thing, _ = thing_of(measure, subject)
    if thing.startswith("other "):
        return f"no {thing} is found in {runs}"
    if measure.at_least is not None:
        runs = _at_least(context, measure)
    elif measure.absent_in is not None:
        whole = context.look(replace(measure, absent_in=None))
        if field.of == "hit" and all(is_placed(str(row[0])) for row in whole.rows):
            return f"no {field.said}{of} could be identified in {runs}"
        others = f"runs {runs_words(measure.absent_in, context.names)}"
        every = f"every {field.said}{of} {found_in} {runs} is also {found_in} {others}"
        return f"none: {before}{every}"
    also = elsewhere(context, measure) if measure.found_in is not None else ""
    before = f"{without_those_of(context, measure)}{before}"
    return f"{before}no {field.said}{of} is {found_in} {runs}{also}"
