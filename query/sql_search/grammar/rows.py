"""What the rows of a table are: values of nouns, or names."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from typing import Final

from query.sql_search.grammar.chunks import TableChunk, codes, said
from query.sql_search.grammar.items import NAMES, cells_of
from query.sql_search.grammar.ordered import Group
from query.sql_search.grammar.taking import TableReading

LIST: Final = r"[VO](?:(?:,&?|&|X)[VO])+"
NOUN: Final = r"[VO]*N"
"""Letters of a list of names, and of a noun with a name before it."""
_PER: Final = re.compile(
    rf"p(?P<one>{NOUN})(?:(?:&p?|p|X|,&?p)(?P<two>{NOUN})(?![^,:]*[LP+]))?(?P<of>i[VO](?=[,:]"
    rf"|$))?"
)
_PER_LISTED: Final = re.compile(
    rf"(?:^c?N,(?P<first>{LIST}),?(?=[Xp]N)|[,:]?pe?N[,:](?P<names>{LIST})(?=[,:]|$))"
)
_AGAINST: Final = re.compile(r"^[Xp](?P<noun>N)c?")
_ROWS: Final = re.compile(rf"(?P<one>{NOUN})h[,&]*(?P<two>{NOUN})?k?")
_CROSSED: Final = re.compile(
    rf"^(?:(?P<one>{NOUN})(?:p|X)|c(?P<first>{NOUN})(?:p|X|&))(?P<two>{NOUN})c?(?=[,:iW]|R?K|$)"
)
_FOR: Final = re.compile(rf"(?:i(?P<one>{NOUN})$|^i(?P<first>{NOUN})(?=[,:]))")
_PER_NAME: Final = re.compile(r"p(?P<name>[VO])(?=[,:]|$|[^VON])")
_OF_NAME: Final = {"virus": "species", "tissue": "tissue", "disease": "disease"}
"""Kinds of names -> the noun of what is below them; else hosts are."""
_LISTED_COLUMNS: Final = re.compile(r"[,:](?=(?P<nouns>N(?:[,&]+N)*)[,&]+[KRPALFf+])")
_OF_NAMED: Final = re.compile(
    rf"[iyW]*(?P<about>(?:{NAMES})+N?(?:[Wi]+(?:{NAMES})+N?)*)[RT,:i]*|[RT,:i]+"
)
_OPENS: Final = re.compile(
    rf"^(?P<about>i?Rr|[iy]?{NAMES}(?:[Wi]+{NAMES})*)R?[,:]+(?={NOUN}[,:WitpR&])"
)
_NAMED: Final = re.compile(rf"(?:^|[ip]|(?<=[,:]))e?(?P<names>{LIST})e?(?=[,:]|$|[^&|XVO])")
_HEAD: Final = re.compile(rf"^(?:i|RKi?)?(?P<one>{NOUN})(?=[,:WiTtpo&]|$)")
_COLUMNS: Final = re.compile(
    rf"k(?P<behind>{LIST})[NR]?|(?:K?R?\+?[Wi]N?)?(?P<before>{LIST})N?,?W?k"
)


def read_rows(asked: TableReading, kind_of: dict[str, str]) -> None:
    """Read what the rows are: values of nouns, or names."""
    opened = asked.take(re.compile(rf"^R[Wi](?P<about>{NAMES})R?[,:]+(?=p)"))
    if opened is not None:
        asked.about.append(said(opened.chunks("about")))
    _read_columns_of_names(asked)
    inner = asked.table.groups
    groups = (
        _by_listed(asked)
        or _by_columns(asked)
        or _by_nouns(asked, kind_of)
        or _by_names(asked, apart=bool(inner))
        or _by_name(asked, kind_of)
    )
    if groups is None and not inner:
        groups = _by_head(asked, kind_of)
    if groups is not None:
        asked.also(groups=(*groups, *inner))
    elif inner:
        asked.also(groups=())


def _read_columns_of_names(asked: TableReading) -> None:
    """Read names that are to have a column each as runs with each of them."""
    found = asked.take(_COLUMNS)
    if found is None and "k" in codes(asked.left):
        found = asked.take(re.compile(rf"^(?P<before>{LIST})(?=[,:])"))
        asked.left = [one for one in asked.left if one.code != "k"]
    if found is None:
        return
    comma = TableChunk(",", ",")
    named = "before" if found["before"] else "behind"
    for one in found.chunks(named):
        if one.code in "VO":
            asked.left += [comma, TableChunk("W", "with"), one]


def _by_listed(asked: TableReading) -> tuple[Group, ...] | None:
    """Return names that are listed behind their noun as the rows: for each of these hosts: pig,
    cattle.
    """
    found = asked.take(_PER_LISTED)
    if found is None:
        return None
    listed = found.chunks("names") or found.chunks("first")
    rows = [Group(names=tuple(one.text for one in listed if one.code in "VO"))]
    crossed = asked.take(_AGAINST) if found["first"] else None
    if crossed is not None:
        rows.append(Group(crossed.chunks("noun")[0].value))
    return tuple(rows)


def _by_columns(asked: TableReading) -> tuple[Group, ...] | None:
    """Return the nouns in the singular that open a list of columns as the rows, where the table is
    of the first of them or of named runs: viruses in pigs: virus, family, runs.
    """
    letters = codes(asked.left)
    places = [] if "p" in letters else _LISTED_COLUMNS.finditer(letters)
    for found in places:
        start, end = found.span("nouns")
        listed = [one for one in asked.left[start:end] if one.code == "N"]
        rows = list(itertools.takewhile(lambda one: _is_singular(one.text), listed))
        before = asked.left[: found.start()]
        opened = re.search(NOUN, codes(before))
        head = before[slice(*opened.span())] if opened else []
        if not rows or (head and head[-1].value != rows[0].value):
            continue
        rest = [one for one in before if one not in head]
        of_named = _OF_NAMED.fullmatch(codes(rest))
        if rest and of_named is None:
            continue
        if len(head) > 1:
            asked.about.append(_said_of(head))
        if of_named is not None:
            asked.about.append(said(rest[slice(*of_named.span("about"))]))
        asked.left = asked.left[asked.left.index(rows[-1], start) + 1 :]
        return tuple(Group(one.value) for one in dict.fromkeys(rows))
    return None


def _by_nouns(asked: TableReading, kind_of: dict[str, str]) -> tuple[Group, ...] | None:
    for pattern in (_ROWS, _CROSSED, _PER, _FOR):
        found = asked.take(pattern)
        if found is None:
            continue
        parts = [found.chunks(name) for name in found.found.re.groupindex if name != "of"]
        groups = [_group(one, kind_of) for one in parts if one]
        asked.about += [_said_of(one) for one in parts if len(one) > 1]
        if "of" in found.found.re.groupindex and found["of"]:
            asked.about.append(found.chunks("of")[-1].text)
        return tuple(groups)
    return None


def _by_head(asked: TableReading, kind_of: dict[str, str]) -> tuple[Group, ...] | None:
    """Return the noun that a table opens with: hosts, runs, runs with a virus."""
    first = asked.take(_OPENS)
    if first is not None:
        about = [one for one in first.chunks("about") if one.code not in "iy"]
        asked.about.append(said(about))
    found = asked.take(_HEAD)
    if found is None:
        return None
    head = found.chunks("one")
    if len(head) > 1:
        asked.about.append(_said_of(head))
    asked.listed = "K" not in found.found[0]
    behind = asked.take(
        re.compile(rf"^[Wi](?:R[Wi])?(?P<about>{NAMES}(?:[Wi]{NAMES})*)R?T?(?=[,:]|W?t|[&W]R?K)")
    )
    if behind is not None:
        asked.about.append(said(behind.chunks("about")))
    further = _further_rows(asked, head[-1])
    if _read_superlative(asked) and not head[-1].text.endswith("s") and not asked.table.limit:
        asked.also(limit=1)
    return (_group(head, kind_of), *further)


def _further_rows(asked: TableReading, head: TableChunk) -> list[Group]:
    """Read the nouns behind the first that are rows as well, each in the singular, where runs are
    counted behind them: disease, virus, runs.
    """
    rows = []
    while _is_singular(head.text) and codes(asked.left).lstrip(",&").startswith("N"):
        found = re.match(r"[,&]+N(?=[,&]+[NKR])", codes(asked.left))
        if found is None or not _is_singular(asked.left[found.end() - 1].text):
            break
        rows.append(Group(asked.left[found.end() - 1].value))
        asked.left = asked.left[found.end() :]
    return rows


def _is_singular(text: str) -> bool:
    return text.endswith(("us", "species")) or not text.endswith("s")


def _read_superlative(asked: TableReading) -> bool:
    """Read what the head of a table is sorted by: hosts with the most runs, by number of runs.

    Return whether it is the one with most, or fewest.
    """
    found = asked.take(re.compile(r"^[Wi]?(?P<way>t)(?P<by>[^,:p]+?(?:pR)?)(?=[,:]|$)"))
    if found is None:
        found = asked.take(re.compile(r"^p(?P<by>(?:K|P|A|R)[^,:p]*?)(?=[,:]|$)"))
    cells = cells_of(found.chunks("by")) if found is not None else None
    if found is None or not cells:
        asked.left = [*(found.chunks() if found else []), *asked.left]
        return False
    fewest = any(one.value == "fewest" for one in found.chunks() if one.code == "t")
    asked.also(by=cells[0], ascending=asked.table.ascending or fewest)
    return "way" in found.found.re.groupindex


def _group(chunks: Sequence[TableChunk], kind_of: dict[str, str]) -> Group:
    """Return the group of a noun; species of an organism are hosts."""
    noun = chunks[-1].value
    organism = len(chunks) > 1 and kind_of.get(chunks[-2].text) == "organism"
    return Group("host" if organism and noun in ("species", "genus") else noun)


def _said_of(chunks: Sequence[TableChunk]) -> str:
    """Return the words for the runs of a name before a noun of rows: plant hosts, herpesvirus
    species.
    """
    facet = re.search(r"\b(?:host|tissue|disease)", chunks[-1].text)
    names = said(chunks[:-1])
    return f"{names} {facet[0]}s" if facet else names


def _by_names(asked: TableReading, *, apart: bool) -> tuple[Group, ...] | None:
    """Return names of one kind as the rows, where something says that they are apart."""
    before = codes(asked.left)
    found = asked.take(_NAMED)
    if found is None:
        return None
    names = [one for one in found.chunks("names") if one.code in "VO"]
    said_apart = "e" in before or "X" in found["names"] or before[found.found.end() :][:1] == ":"
    same = len({one.code for one in names}) == 1
    opens = found.found.start() == 0 and len(before) > found.found.end()
    if not same or not (apart or said_apart or (opens and before[found.found.end()] == ",")):
        asked.left = found.every
        return None
    return (Group(names=tuple(one.text for one in names)),)


def _by_name(asked: TableReading, kind_of: dict[str, str]) -> tuple[Group, ...] | None:
    """Return the rows of each herpesvirus: the viruses that a name means, or what is below it."""
    found = asked.take(_PER_NAME)
    if found is None:
        return None
    (name,) = found.chunks("name")
    asked.about.append(name.text)
    return (Group(_OF_NAME.get(kind_of.get(name.text, ""), "host")),)
