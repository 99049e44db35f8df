"""What the rows of a table are: per host, by country and year, for each of these viruses."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from query.sql_search.grammar.ordered import Cell, Group
from query.sql_search.grammar.words import ANY_NOUN, noun_meant
from query.sql_search.tables.nouns import NUMBER, RUN, number_of

_EACH: Final = r"(?:each|every|all|the|any|each of the|every one of the)"
_PER: Final = (
    r"(?:(?:broken down|grouped|split|separately|separated|stratified|aggregated|summari[sz]ed"
    r"|listed|counted|by) )?(?:per|by|for (?:each|every|all)|(?:in|of|from|within|across|on|at)"
    r" (?:each|every|all)|across(?: the)?|each|every|of every)(?: of the)?(?: single)?"
)
_ONE: Final = rf"(?:(?P<name{{n}}>§\d+) )?(?P<noun{{n}}>{ANY_NOUN})"
_TWO: Final = (
    _ONE.format(n=1)
    + r"(?:(?: and| by| and by| per| and per| x| ×| versus| vs\.?| against)(?: (?:each|every))? "
    + _ONE.format(n=2)
    + ")?"
)
_GROUPED: Final = re.compile(rf"(?:^|(?<=[ ,;:.])){_PER} {_TWO}(?=[,;:. ]|$)")
_FOR: Final = re.compile(
    rf"(?:^|(?<=[ ,;:.]))for (?:the )?{_ONE.format(n=1)}$|^for (?:the |all )?{_ONE.format(n=3)}"
    rf"(?=[,:])"
)
_CROSSED: Final = re.compile(
    rf"^(?:cross table (?:of )?)?{_ONE.format(n=1)}(?: by| x| ×| vs\.?| versus| against|-by-| and) "
    rf"{_ONE.format(n=2)}(?: (?:matrix|table|grid|heat ?map|cross table|counts?)+(?=[,;:. ]|$)|"
    rf"(?=[,;:.]|$))"
)
_ROWS: Final = re.compile(
    rf"(?:^|(?<=[ ,;:.])){_ONE.format(n=1)}(?: (?:as|in|on|down)(?: the)? (?:rows?|side))"
    rf"(?:,? (?:and )?{_ONE.format(n=2)} (?:as|in|across)(?: the)? (?:columns?|top))?(?=[,;:. ]|$)"
)
_BREAKDOWN: Final = re.compile(
    rf"^{_ONE.format(n=1)} (?:breakdown|distribution|overview|summary|statistics)(?=[,;:. ]|$)"
)
_NAMES: Final = (
    r"§\d+(?:(?:,? and |,? or |, ?| vs\.? | versus | against | compared (?:to|with) )§\d+)+"
)
_NAMED: Final = re.compile(
    rf"(?:^|(?:for|in|of|from|across|within|per) (?:each of |both |either of |the )?"
    rf"|(?:compare|comparing|comparison of) )(?P<names>{_NAMES})(?=[,;:. ]|$)"
)
_EACH_OF: Final = re.compile(
    r"(?:^|(?<=[ ,;:.]))(?:per|(?:for|of|by|in) (?:each|every)|each|every|for all) (?:single )?"
    r"(?P<name>§\d+)"
    r"(?: (?:species|viruses|types?))?(?=[,;:. ]|$)"
)
_APART: Final = re.compile(
    r"\b(?:each|separately|respectively|apiece|vs|versus|per|compar\w+)\b|^(?:for )?"
    r"(?:the )?§[^:]+:"
)
_FIRST: Final = re.compile(
    rf"^(?:(?:top|first|leading) (?P<top>{NUMBER})|(?P<number>{NUMBER}) (?:most (?:common|frequent"
    rf"|abundant|prevalent)|commonest|top|biggest|largest)) (?P<noun>{ANY_NOUN})(?: (?:each|found"
    rf"|seen|"
    r"detected))?(?= (?:for|in|of|per|within|by|from|across|on)\b)"
)
_FIRST_BEHIND: Final = re.compile(
    rf"(?:of |: |, )(?:the )?(?P<top>{NUMBER}) (?P<number>most (?:common|frequent)|biggest"
    rf"|largest) "
    rf"(?P<noun>{ANY_NOUN})(?: (?:in|of|for) each)?(?=[,;:. ]|$)"
)
_COLUMNS_FOR: Final = re.compile(
    rf"(?:(?:and|with) )?(?:columns? for (?P<names>{_NAMES})(?: {ANY_NOUN})?"
    rf"|(?:(?:how many|number of) (?:runs|samples) )?(?:(?:have|has|with|of|for|from|carry|a|any"
    rf"|virus|the"
    rf"|famil(?:y|ies)|species|virus(?:es)?) )*(?P<apart>{_NAMES})(?: {ANY_NOUN})?,? (?:with )?"
    rf"(?:one column each"
    r"|(?:each )?in (?:(?:its|their) own|separate) columns?|in columns of their own"
    r"|(?:each )?as (?:its|their) own columns?|as separate columns|as columns))"
)
_SAYS_FACET: Final = re.compile(r"\b(?:host|tissue|disease)")
"""Nouns that say which of its meanings a name before them has."""


@dataclass(frozen=True, slots=True)
class Grouped:
    """The rows of a table, the words ``left``, and the words of its runs that were among them.

    ``by``  the number that the words of the rows say to sort by, ``ascending`` from the smallest
    ``per_first``  how many rows there are for each of the first group
    """

    groups: tuple[Group, ...]
    left: str
    about: str = ""
    by: Cell | None = None
    ascending: bool = False
    per_first: int | None = None


def groups_of(text: str, kind_of: dict[str, str]) -> Grouped | None:
    """Return what the rows of ``text`` are, None where no word says it."""
    inner = _FIRST.match(text) or _FIRST_BEHIND.search(text)
    rest = f"{text[: inner.start()]} {text[inner.end() :]}".strip() if inner else text
    found = _by_nouns(rest, kind_of) or _by_names(rest, kind_of, apart=inner is not None)
    found = found or _each_of(rest, kind_of)
    if found is None:
        return None
    columns = _COLUMNS_FOR.search(found.left)
    left = found.left
    if columns is not None:
        names = re.findall(r"§\d+", columns["names"] or columns["apart"])
        listed = ", ".join(f"runs with {one}" for one in names)
        left = f"{left[: columns.start()]}{listed}{left[columns.end() :]}"
    if inner is None:
        return Grouped(found.groups, left, found.about)
    number = number_of(inner["top"] or inner["number"])
    groups = (*found.groups, Group(noun_meant(inner["noun"])))
    return Grouped(groups, left, found.about, per_first=number)


def _by_nouns(text: str, kind_of: dict[str, str]) -> Grouped | None:
    for pattern in (_ROWS, _CROSSED, _BREAKDOWN, _GROUPED, _FOR):
        for found in pattern.finditer(text):
            nouns = [found.groupdict().get(f"noun{n}") for n in (1, 2, 3)]
            names = [found.groupdict().get(f"name{n}") for n in (1, 2, 3)]
            groups = []
            for noun, name in zip(nouns, names, strict=True):
                if noun:
                    groups.append(_group(noun, name, kind_of))
            if groups[0].noun == RUN:
                continue
            if groups[-1].noun == RUN:
                groups.pop()
                left = f"{text[: found.start()]} , {text[found.start('noun2') :]}"
                return Grouped(tuple(groups), " ".join(left.split()))
            text, of = _of_name(text, found)
            about = " ".join(_said_of(*one) for one in zip(names, nouns, strict=True) if one[0])
            about = f"{about} {of}".strip()
            return Grouped(tuple(groups), _left(text, found), about)
    return None


def _group(noun: str, name: str | None, kind_of: dict[str, str]) -> Group:
    """Return the group of a noun; species of an organism are hosts."""
    key = noun_meant(noun)
    if name and kind_of.get(name) == "organism" and key in ("species", "genus"):
        return Group("host")
    return Group(key)


def _of_name(text: str, found: re.Match[str]) -> tuple[str, str]:
    """Return ``text`` without the name that the rows are of, right behind them, and that name: for
    every virus of the Togaviridae.
    """
    of = re.match(r" of (?:the )?(?P<name>§\d+)(?=[,;:.]|$)", text[found.end() :])
    if of is None:
        return text, ""
    return text[: found.end()] + text[found.end() + of.end() :], of["name"]


def _said_of(name: str | None, noun: str | None) -> str:
    """Return the words for the runs of a name before a noun of rows: plant hosts, herpesvirus
    species.
    """
    facet = _SAYS_FACET.search(noun or "")
    return f"{name} {facet[0]}s" if facet else f"{name}"


def _by_names(text: str, kind_of: dict[str, str], *, apart: bool) -> Grouped | None:
    """Return names of one kind as the rows, where something says that they are apart."""
    found = _NAMED.search(text)
    if found is None or not (apart or _APART.search(text)):
        return None
    names = tuple(re.findall(r"§\d+", found["names"]))
    kinds = {kind_of.get(one) for one in names}
    if len(kinds) != 1 or None in kinds:
        return None
    left = re.sub(r"\b(?:each|separately|respectively|apiece)\b", "", _left(text, found))
    return Grouped((Group(names=names),), " ".join(left.split()))


def _each_of(text: str, kind_of: dict[str, str]) -> Grouped | None:
    """Return the rows of each herpesvirus: the viruses that a name means."""
    found = _EACH_OF.search(text)
    if found is None or kind_of.get(found["name"]) not in ("virus", "organism"):
        return None
    noun = "species" if kind_of[found["name"]] == "virus" else "host"
    return Grouped((Group(noun),), _left(text, found), found["name"])


def _left(text: str, found: re.Match[str]) -> str:
    joined = f"{text[: found.start()]} {text[found.end() :]}"
    return " ".join(re.sub(r"\s+([,;:.])", r"\1", joined).split()).strip(" ,;:.")
