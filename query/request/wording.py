"""Words of canonical English that all parts of a request share: names, numbers, bounds."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Final

from query.request.fields import field_named
from query.request.names import Range

_GRAMMAR: Final = (
    "about above absent accession against all among and any are as ascending at attribute below "
    "between biosamples but by carries carry community compare containing count counted counts "
    "coverage descending describe detected detection detections do each evidence exactly exist "
    "fewest first for found from genome group has have hit hits how identity in infect is judged "
    "known least less level like list many matching mention more most name named names no nor "
    "not number numbers of on only or order other part per percent present projects ranked "
    "reads recorded records reported risk rows run runs same score search searched share show "
    "so sotu source state states studies summarise table than that the their them there these "
    "to top types under up value values was were what where whether which whose with within "
    "without"
)
RESERVED: Final = frozenset(_GRAMMAR.split())
"""Words of the grammar: a name that has one of them is quoted."""
_BARE: Final = re.compile(r"[^\W_][\w()./+'’*-]*(?:[ :][\w()./+'’*-]+)*")
_NO_NAMES: Final = ("virus", "viruses")
BOUNDS: Final = {
    "at_least": ("at least", "since"),
    "above": ("above", "after"),
    "at_most": ("at most", "until"),
    "below": ("below", "before"),
}
"""How a bound is said alone, of a number and of a date."""
_LETTERS: Final = re.compile(r"[^\W\d_]")


def said_name(name: str) -> str:
    """Return ``name`` as it is, in quotation marks where it could be read as part of a sentence.

    >>> said_name("Human gammaherpesvirus 4"), said_name("foot and mouth disease virus")
    ('Human gammaherpesvirus 4', '"foot and mouth disease virus"')
    """
    is_plain = _BARE.fullmatch(name) and _LETTERS.search(name) and _has_matched_brackets(name)
    if is_plain and not has_grammar(name) and name.lower() not in _NO_NAMES:
        return name
    return json.dumps(name, ensure_ascii=False)


def has_grammar(text: str) -> bool:
    """Return whether a word of ``text`` is one of the grammar."""
    return not RESERVED.isdisjoint(re.findall(r"[\w'-]+", text.lower()))


def _has_matched_brackets(name: str) -> bool:
    """Return whether every bracket of ``name`` is closed, and none before it is opened."""
    depth = 0
    for letter in name:
        depth += (letter == "(") - (letter == ")")
        if depth < 0:
            return False
    return depth == 0


def said_names(names: Iterable[str]) -> str:
    """Return names joined by "or"."""
    return " or ".join(said_name(name) for name in names)


def said_field(name: str, *, plural: bool = False) -> str:
    """Return the English name of a field; the name of an attribute is quoted."""
    if name == "run":
        return "runs" if plural else "run"
    field = field_named(name)
    if field.table == "stated_attribute" and ":" in name:
        quoted = json.dumps(name.partition(":")[2], ensure_ascii=False)
        return f"attributes {quoted}" if plural else f"attribute {quoted}"
    return field.plural if plural else field.said


def said_missing(name: str) -> str:
    """Return what runs without a value of a field lack: a run from a sea has no country."""
    return "country or sea" if name == "country" else said_field(name)


def said_number(number: float | str) -> str:
    """Return a number without needless digits, a date as it is."""
    if isinstance(number, str):
        return number
    return str(int(number)) if float(number).is_integer() else repr(float(number))


def said_range(bounds: Range) -> str:
    """Return bounds in words.

    >>> said_range(Range(at_least=5, below=9)), said_range(Range(above="2018"))
    ('from 5 to below 9', 'after 2018')
    """
    given = bounds.bounds()
    if bounds.at_least is not None and bounds.at_least == bounds.at_most:
        return f"{'in' if bounds.is_of_dates else 'of'} {said_number(bounds.at_least)}"
    words = [BOUNDS[name][bounds.is_of_dates] for name in given]
    if len(given) == 2:
        words[0] = "from" if "at_least" in given else words[0]
        words[1] = "to" if "at_most" in given else f"to {words[1]}"
    return " ".join(map("{} {}".format, words, map(said_number, given.values())))
