"""What holds of the tests that a question asks for, in plain sentences.

A reader learns how many tests there are and hold, the strongest with their size and groups, which
of them are flagged, what was not tested, and that a test shows no cause.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from index.reports.phrases import SIGNIFICANT_Q, counted, listed, q_text
from query.answer import Association
from query.global_search.associations.combining import describe_combined
from query.global_search.associations.selecting import (
    TestedRow,
    Tests,
    names_of_values,
    select_either_way,
    select_tests,
    tests_of_families,
    written_values,
)
from query.global_search.matched_runs import MatchedRuns
from query.reading.asked.associations import AssociationsAsked, Listed

USUAL: Final = 3
"""Tests shown where the question gives no number."""
_LISTED: Final = 5
_NAMES: Final = 3
_COLUMNS: Final[dict[Listed, tuple[tuple[str, str, str], ...]]] = {
    "": (),
    "family": (("family", "virus family", "virus families"),),
    "bioproject": (("bioproject", "project", "projects"),),
    "attribute": (("attribute", "attribute", "attributes"),),
    "value": (("value", "value", "values"),),
}
"""What is listed -> its column, and what one and several of it are called."""
_SIGN: Final = (
    "A plus is more of the family with the value than with other values in the same project, a "
    "minus less; no test shows a cause."
)


def describe_associations(
    matched: MatchedRuns, asked: AssociationsAsked, *, limit: int | None
) -> tuple[str, tuple[Association, ...]]:
    """Return what holds of the tests that ``asked`` means in a paragraph, and these tests, those
    that hold first.
    """
    tests = select_tests(matched, asked)
    about = subject_of(asked)
    without_verdict = replace(asked, yes_or_no=False)
    first, second = (asked, without_verdict) if asked.combined else (without_verdict, asked)
    combined = describe_combined(matched, first, about, limit=limit or USUAL)
    if asked.combined and not about:
        return combined, tuple(tests.all)
    single = _described(matched, second, tests, limit=limit)
    parts = [combined, single] if asked.combined else [single, combined]
    parts += _remarks(asked, tests)
    return " ".join(part for part in parts if part), tuple(tests.all)


def subject_of(asked: AssociationsAsked) -> str:
    """Return what the tests are about, behind their noun; empty where they are all.

    >>> subject_of(AssociationsAsked(families=("Iflaviridae",), facets=("sex",)))
    'of Iflaviridae with sex'
    >>> subject_of(AssociationsAsked(projects=("PRJNA1",)))
    'in PRJNA1'
    """
    values = [one.name for one in asked.values]
    compared = written_of(asked) or values or attributes_of(asked)
    parts = []
    if asked.families or compared:
        parts.append(f"of {_few(asked.families) or 'any virus family'}")
    if compared:
        parts.append(f"with {_few(compared)}")
    if asked.projects:
        parts.append(f"in {_few(asked.projects)}")
    if asked.written and values:
        parts.append(f"in projects with {_few(values)}")
    return " ".join(parts)


def written_of(asked: AssociationsAsked) -> list[str]:
    """Return the values that ``asked`` has as tests write them, in quotation marks."""
    return [f"“{value}”" for value in asked.written]


def attributes_of(asked: AssociationsAsked) -> list[str]:
    """Return the facets and attributes that ``asked`` names, attributes in quotation marks."""
    return [*asked.facets, *(f"“{name}”" for name in asked.attributes)]


def _few(names: Sequence[str]) -> str:
    """Return the first of ``names``, and how many more there are."""
    if len(names) <= _NAMES:
        return " or ".join(names)
    rest = len(names) - _NAMES
    return f"{', '.join(names[:_NAMES])} or {rest} more"


def _described(
    matched: MatchedRuns, asked: AssociationsAsked, tests: Tests, *, limit: int | None
) -> str:
    if not tests.all:
        return _other_way(matched, asked) or _untested(matched, asked)
    if not tests.holding:
        return _none_holds(asked, tests)
    most = max(limit or _LISTED, USUAL)
    strongest = _strongest(asked, tests, _shown_of(asked, tests, limit))
    lists = _lists(asked, tests, most)
    named = [*lists, strongest] if asked.listed else [strongest, *lists]
    sentences = [_how_many(asked, tests), *named, _flags(tests), _SIGN]
    return " ".join(one for one in sentences if one)


def _shown_of(asked: AssociationsAsked, tests: Tests, limit: int | None) -> int:
    """Return how many tests are shown: the number asked for, where it is of tests, else all of few,
    and a few of many.
    """
    if asked.listed or limit is None:
        return _LISTED if len(tests.holding) <= _LISTED else USUAL
    return limit


def _how_many(asked: AssociationsAsked, tests: Tests) -> str:
    """Return how many of the tests hold, and in how many projects."""
    holding, whole = len(tests.holding), len(tests.all)
    about = subject_of(asked)
    opening = "Yes: " if asked.yes_or_no else ""
    of_what = about or "of the index"
    direction = _direction(asked)
    projects = counted(len({one.bioproject for one in tests.holding}), "project")
    where = "" if asked.projects else f", in {projects}"
    verb = "holds" if holding == 1 else "hold"
    tested = counted(whole, "association")
    return (
        f"{opening}{holding:,} of {tested} tested {of_what}{direction} {verb} after correction "
        f"(q of at most {asked.most_q:g}){where}.{_rows(asked, tests)}"
    )


def _rows(asked: AssociationsAsked, tests: Tests) -> str:
    """Return how many rows of the table these are, where it is asked how many there are, or of one
    project.
    """
    if not (asked.counted or asked.projects) or tests.stored == len(tests.all):
        return ""
    return (
        f" In rows of the table association these are {tests.stored_holding:,} of "
        f"{tests.stored:,}; rows that compare the same samples count once here."
    )


def _direction(asked: AssociationsAsked, verb: str = "show") -> str:
    """Return which tests count where a direction or flags are asked for."""
    flags = f" {asked.flag.text}" if asked.flag else ""
    if asked.direction == "either":
        return flags
    return f"{flags} that {verb} {asked.direction} of the family with the value"


def _strongest(asked: AssociationsAsked, tests: Tests, limit: int) -> str:
    shown = [
        worded_test(one, with_p=asked.p_values) + _same_test(tests.row_of[one])
        for one in tests.holding[:limit]
    ]
    return f"Strongest associations that hold: {'; '.join(shown)}."


def _same_test(row: TestedRow) -> str:
    """Return what else tells the samples of a test apart, empty where nothing does."""
    same = f" [the same samples: {_first_of(row.same)}]" if row.same else ""
    others = f" [the other samples: {_first_of(row.others)}]" if row.others else ""
    return f"{same}{others}"


def _first_of(names: Sequence[str]) -> str:
    more = f" and {len(names) - _NAMES:,} more" if len(names) > _NAMES else ""
    return f"{', '.join(names[:_NAMES])}{more}"


def worded_test(one: Association, *, with_p: bool = False) -> str:
    """Return a test with its q value, its size, its groups and its flag, ``with_p`` with its p."""
    details = [] if one.q_value is None else [q_text(one.q_value)]
    if with_p and one.p_value is not None:
        details.insert(0, f"p = {one.p_value:.2g}")
    if one.fold_change is not None:
        details.append(f"log2 fold change {one.fold_change:+.1f}")
    details.append(f"{one.num_true:,} against {one.num_false:,} samples")
    flag = f" [{one.flag}]" if one.flag else ""
    what = f"{one.family} with {one.attribute} = {one.value} in {one.bioproject}"
    return f"{what} ({', '.join(details)}){flag}"


def _lists(asked: AssociationsAsked, tests: Tests, limit: int) -> list[str]:
    """Return the values of the column that is asked for, those with most tests that hold first."""
    columns = _COLUMNS[asked.listed]
    if not (columns or subject_of(asked)):
        columns = (*_COLUMNS["family"], *_COLUMNS["bioproject"])
    sentences = []
    for column, noun, plural in columns:
        found = tests.most(column)
        if len(found) < 2:
            continue
        shown = listed([f"{name} ({number:,})" for name, number in found[:limit]])
        more = f", {limit} of {len(found):,}" if len(found) > limit else ""
        title = f"{plural if len(found) > 1 else noun} with most that hold"
        sentences.append(f"{title[0].upper()}{title[1:]}{more}: {shown}.")
    return sentences


def _flags(tests: Tests) -> str:
    """Return how many of those that hold have a flag, and which."""
    flagged = tests.flagged
    if not flagged:
        return ""
    kinds: Counter[str] = Counter()
    for one in flagged:
        kinds.update({_kind_of_flag(flag) for flag in str(one.flag).split("; ")})
    ranked = sorted(kinds.items(), key=lambda pair: (-pair[1], pair[0]))
    shown = listed([f"{flag} ({number:,})" for flag, number in ranked[:_NAMES]])
    verb = "is" if len(flagged) == 1 else "are"
    sound = len(tests.holding) - len(flagged)
    have = "has" if sound == 1 else "have"
    without = f"{sound:,} {have} no flag and " if sound else ""
    count = f"{without}{len(flagged):,} {verb} flagged"
    return f"Of those that hold, {count}, so weaker evidence: {shown}."


def _kind_of_flag(flag: str) -> str:
    """Return a flag without what it is a duplicate of."""
    return "duplicate of another field" if flag.startswith("duplicate of") else flag


def _none_holds(asked: AssociationsAsked, tests: Tests) -> str:
    """Return that none of the tests holds, and how near the nearest is."""
    about = subject_of(asked)
    of_what = f" {about}" if about else ""
    opening = "No: no" if asked.yes_or_no else "No"
    # A test without a q value says nothing either way; they are counted in a remark of their own.
    corrected = [one for one in tests.all if one.q_value is not None]
    said_of = corrected or tests.all
    number = counted(len(said_of), "test")
    projects = counted(len({one.bioproject for one in said_of}), "project")
    meant = f"{of_what}{_direction(asked, 'shows')}"
    first = tests.all[0]
    cutoff = "" if asked.most_q == SIGNIFICANT_Q else f" (q of at most {asked.most_q:g})"
    if first.q_value is None:
        return f"{opening} association{meant} holds: {number} in {projects} got no q value."
    return (
        f"{opening} association{meant} holds after correction{cutoff}: {number} in {projects} did "
        f"not. "
        f"Nearest: {worded_test(first, with_p=asked.p_values)}."
    )


def _other_way(matched: MatchedRuns, asked: AssociationsAsked) -> str:
    """Return that tests of the kind show the other direction only; empty where there is none."""
    if asked.direction == "either":
        return ""
    others = select_either_way(matched, asked)
    if not others.all:
        return ""
    opening = "No: none" if asked.yes_or_no else "None"
    number = counted(len(others.all), "test")
    other = "less" if asked.direction == "more" else "more"
    return (
        f"{opening} of {number} {subject_of(asked)} shows {asked.direction} of the family with the "
        f"value; {other} is shown by all, and {len(others.holding):,} of them hold."
    )


def _untested(matched: MatchedRuns, asked: AssociationsAsked) -> str:
    """Return that nothing of the kind was tested, and what was tested of the same families."""
    wider = tests_of_families(matched, asked)
    opening = "This cannot be said: " if asked.yes_or_no else ""
    families = _few(asked.families)
    where = f" in {_few(asked.projects)}" if asked.projects else ""
    if not wider.all:
        named = f" of {families}" if families else ""
        sentence = f"no association{named} is tested{where or ' in any project'}."
        return f"{opening}{sentence}" if opening else f"{sentence[0].upper()}{sentence[1:]}"
    tested = counted(len(wider.all), "association")
    projects = counted(len({one.bioproject for one in wider.all}), "project")
    values = [*(one.label for one in asked.values), *written_of(asked)]
    what = listed(values) or _few(attributes_of(asked))
    among = f" for {families}" if families else ""
    of = "of" if opening else "Of"
    return f"{opening}{of} {tested} tested{among} in {projects}, none names {what}."


def _remarks(asked: AssociationsAsked, tests: Tests) -> list[str]:
    """Return what a reader must know of how the tests were chosen."""
    remarks = []
    whole = [one for one in asked.viruses if one.split(" ")[0] not in asked.families]
    if whole and asked.families:
        verb = "count as" if len(whole) > 1 else "counts as"
        families = _few(asked.families)
        remarks.append(f"Tests are of whole families: {listed(whole)} {verb} {families}.")
    if asked.attributes and tests.all:
        remarks.append("Each compares samples of one value with the others; no trend is tested.")
    values = written_values(tests.all, asked) if asked.values else []
    if values:
        shown = listed([f"“{value}”" for value in values[:_LISTED]])
        more = f" and {len(values) - _LISTED:,} more" if len(values) > _LISTED else ""
        names = listed(names_of_values(asked.values)[:1])
        remarks.append(f"Values counted as {names}: {shown}{more}.")
    if tests.uncorrected:
        number = counted(len(tests.uncorrected), "test", "tests")
        remarks.append(f"Without a q value, as too few samples have the family: {number}.")
    missing = [one for one in tests.elsewhere if one in asked.projects]
    if missing:
        remarks.append(f"No run of this index is of {listed(missing)}: its tests are imported.")
    return remarks
