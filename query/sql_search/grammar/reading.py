"""A table that is asked for, read from its words: order, limit, thresholds, groups, cells."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from query.reading.measured.amounts import amount_of, compared_of
from query.sql_search.grammar.cells import cells_of
from query.sql_search.grammar.groups import Grouped, groups_of
from query.sql_search.grammar.ordered import (
    MADE,
    Cell,
    Given,
    Group,
    Kept,
    OrderedTable,
)
from query.sql_search.grammar.words import (
    ANY_COLUMN,
    ANY_NOUN,
    COMPARED,
    column_meant,
    noun_meant,
    plainly,
)
from query.sql_search.tables.nouns import NUMBER, RUN, number_of

_DOWN: Final = (
    r"(?:in )?(?:descending|decreasing|high(?:est)? to low(?:est)?|large(?:st)? to small(?:est)?"
    r"|(?:most|largest|biggest|highest|best)(?: \w+)? (?:first|on top|at the top))(?: order)?"
)
_UP: Final = (
    r"(?:in )?(?:ascending|increasing|low(?:est)? to high(?:est)?|small(?:est)? to large(?:st)?"
    r"|(?:fewest|smallest|lowest|least|oldest|earliest)(?: \w+)? (?:first|on top|at the top))"
    r"(?: order)?"
)
_NAMES: Final = (
    r"(?:(?:in )?alphabetical(?:ly)?(?: order)?|by name|a(?: to |-)z|chronological(?:ly)?"
    r"(?: order)?)"
)
_SORTED: Final = re.compile(
    r"[,;:.]? ?(?:and )?(?:please )?(?:sort(?:ed)?|rank(?:ed)?|order(?:ed)?)(?: (?:them|it|rows))?"
    r" (?:by|on|from|in|with)? ?(?P<by>[^,;:.]+?)(?= per |[,;:.]|$)"
)
_ORDERED: Final = re.compile(
    rf"[,;:.]? ?(?:and )?(?:(?P<down>{_DOWN})|(?P<up>{_UP})|(?P<name>{_NAMES}))$"
)
_TOP: Final = re.compile(
    rf"^(?:the )?(?:(?:top|first|leading) (?P<top>{NUMBER})(?: most (?:common|frequent))?"
    rf"|(?P<number>{NUMBER})(?: (?:most (?:common|frequent|abundant)|largest|biggest|commonest"
    rf"|top))?)"
    rf" (?=(?:§\d+ )?(?:{ANY_NOUN}))"
)
_TOP_BEHIND: Final = re.compile(
    rf"[,;:.] ?(?:and )?(?:only |just |limit(?:ed)? to )?(?:the )?(?:(?:top|first) "
    rf"(?P<top>{NUMBER})"
    rf"|(?P<number>{NUMBER}) (?:biggest|largest|most (?:common|frequent)|top|rows?))"
    r"(?: (?:only|rows?|will do|is enough|are enough)| by (?P<by>[^,;:.]+))?(?=[,;:.]|$)"
)
_LEAD: Final = (
    rf"(?:,? ?(?:but |and )?(?:only|keep(?:ing)?(?: only)?|restrict(?:ed)? to|limit(?:ed)? to"
    rf"|consider(?:ing)?(?: only)?|among) )?(?:(?:those|the|{ANY_NOUN}) )?"
    r"(?:(?:that|which) )?(?:(?:are |were )?(?:with|have|has|having|seen in|found in|detected in"
    r"|from which viruses of|in which viruses of|rest on|occurr?(?:ing|s)? in|present in"
    r"|known from|in|of|if|where|from|for|provided) )?"
)
_KEPT: Final = re.compile(
    rf"(?:^|(?<= )|(?<=[,;:.])|,) ?(?P<lead>{_LEAD})(?:there (?:are|is) |(?:a |the )?)"
    rf"(?P<what>{COMPARED} (?:(?:of )?(?:them|these) )?(?P<given>(?:§\d+|searched|positive|tested)"
    rf" )?(?P<noun>{ANY_NOUN})(?: or (?P<or>more|fewer|less))?"
    r"(?P<tail> (?:(?:were|was|are|have been) )?(?:searched|looked at|screened))?)"
    r"(?: (?:each|in total|overall|only))?(?=[,;:. ]|$)"
)
_BEFORE_NUMBER: Final = r"(?:that|which|with|in|of|having|have|are|seen|found|occ)"
_SUPERLATIVE: Final = re.compile(
    r"(?: (?:with|by|having|that have|which have|have|has|of))? (?:the )?"
    r"(?:(?P<most>most|highest|largest|greatest|best|biggest)|(?P<fewest>fewest|lowest|smallest))"
    r" (?:(?:number|count) of )?(?P<what>[^,;:.]+?)(?=[,;:.]|$)"
)
_RANKED: Final = re.compile(
    r" by (?:the )?(?P<what>(?:total )?(?:number|count|share|percent|mean|median|average|maximum)\b"
    r"[^,;:.]*?)(?= with |[,;:.]|$)"
)
_ABOUT_FIRST: Final = re.compile(r"(?:for|of|in|among) (?P<about>[^:;,]*§\d+[^:;,]*): ?(?=\w)")
_OF_NAMES: Final = re.compile(
    r"(?:with|of|from|in|for|having|(?:that|which) (?:have|carry|contain)|containing|found in"
    r"|seen in"
    r"|detected in) (?P<about>(?:(?!number|count|share|percent|how many)[\w'-]+ )*?§\d+"
    r"(?: (?:and|or|in|from|of|with) §\d+)*(?: (?:runs|samples|hosts|libraries))?)(?= with "
    r"|[,:;.]|$)"
)
_AND: Final = re.compile(
    r"[,;:.]+ ?(?:and |plus |with (?!§)|then )?| plus | as well as | (?:together|along) with "
    r"| and (?!§)(?=.)| with (?=(?:the|their|its|number|count|mean|median|average|share|percent"
    r"|how many|run)\b)"
)


def read_ordered(text: str, kind_of: dict[str, str]) -> OrderedTable | None:
    """Return the table that ``text`` asks for, its names as ``§0``; None where it is none.

    ``kind_of`` says of each name what it is: a host, a tissue, a virus.
    """
    words = plainly(text)
    first = groups_of(words, kind_of)
    table, left = _order_of(words, limited=first is None or first.per_first is None)
    kept, left = _kept_of(left)
    grouped = groups_of(left, kind_of)
    listing = grouped is None
    if grouped is None:
        grouped = _head_of(left)
    if grouped is None:
        return None
    cells, about = _cells_of(grouped)
    measured = cells or grouped.per_first or kept or grouped.by or table.by
    only_names = all(one.names for one in grouped.groups)
    if cells is None or (not measured and (listing or only_names)):
        return None
    return _settled(replace(table, groups=grouped.groups, about=about), cells, kept, grouped)


def _order_of(text: str, *, limited: bool) -> tuple[OrderedTable, str]:
    """Return the order that ``text`` asks for, and where it is ``limited`` how many rows, and the
    words left.
    """
    table = OrderedTable((), ())
    found = _SORTED.search(text)
    if found is not None:
        by = re.sub(rf"\b(?:{_DOWN}|{_UP})$", "", found["by"]).strip()
        up = re.search(_UP, found["by"]) is not None
        cells = cells_of(by) if by else None
        if re.fullmatch(_NAMES, by) or cells or not by or re.fullmatch(ANY_NOUN, by):
            by_name = re.fullmatch(_NAMES, by) is not None
            table = replace(table, by=cells[0] if cells else None, ascending=up, by_name=by_name,
                            sorted=True)  # fmt: skip
            text = _without(text, found)
    found = _ORDERED.search(text)
    if found is not None:
        if re.search(r"\b(?:percent\w*|share|rate|proportion|fraction)\b", found[0]):
            table = replace(table, by=Cell("percent"))
        table = replace(table, ascending=bool(found["up"]), by_name=bool(found["name"]),
                        sorted=True)  # fmt: skip
        text = _without(text, found)
    for pattern in (_TOP, _TOP_BEHIND) if limited else ():
        found = pattern.search(text)
        if found is not None and table.limit is None:
            number = found["top"] or found["number"]
            table = replace(table, limit=number_of(number))
            cells = cells_of(found.groupdict().get("by") or "")
            table = replace(table, by=cells[0] if cells else table.by)
            text = _without(text, found)
    return table, text


def _kept_of(text: str) -> tuple[list[Kept], str]:
    """Return the thresholds on rows, and the words left."""
    kept: list[Kept] = []
    while True:
        found = _threshold_in(text)
        if found is None:
            return kept, text
        compared = found["sign"] or found["after"] or f"or {found['or']}"
        given = Given()
        if (found["given"] or "").startswith("§"):
            given = Given("named", found["given"].strip())
        elif found["given"] or found["tail"]:
            positive = (found["given"] or "").strip() == "positive"
            given = Given("virus" if positive else "searched")
        cell = Cell(of=noun_meant(found["noun"]), given=given)
        kept.append(Kept(cell, compared_of(compared), amount_of(found["number"])))
        text = _cut(text, found)


def _cut(text: str, found: re.Match[str]) -> str:
    """Return ``text`` without a threshold, but with what its rows are called before it."""
    noun = re.search(rf"(?:{ANY_NOUN}) (?={_BEFORE_NUMBER})", found["lead"])
    before = text[: found.start()]
    again = re.search(r"\b(?:per|by|each|every)\b(?!\s*$)", before) is not None
    again |= re.match(r",? ?(?:only|but|keep)", found["lead"]) is not None
    kept = f" {noun[0]} " if noun and not again else " "
    joined = f"{text[: found.start()]}{kept}{text[found.end() :]}"
    return " ".join(re.sub(r"\s+([,;:.])", r"\1", joined).split()).strip(" ,;")


def _threshold_in(text: str) -> re.Match[str] | None:
    for found in _KEPT.finditer(text):
        before = text[: found.start()].split()
        of_runs = before and re.fullmatch(r"(?:runs?|samples?)", before[-1]) is not None
        apart = found[0].lstrip().startswith(",")
        if (found["sign"] or found["after"] or found["or"]) and (apart or not of_runs):
            return found
    return None


def _head_of(text: str) -> Grouped | None:
    """Return the noun that ``text`` opens with as what the rows are: hosts with the most runs."""
    first = _ABOUT_FIRST.match(text)
    text = text[first.end() :] if first else text
    found = re.match(rf"(?P<noun>(?:§\d+ )?(?:{ANY_NOUN}))(?=[,;:. ]|$)", text)
    if found is None:
        return None
    key = noun_meant(re.sub(r"^§\d+ ", "", found["noun"]))
    if key == RUN:
        return None
    number = re.match(r"§\d+", found["noun"])
    rest = text[found.end() :].strip(" ,;:.")
    about = number[0] if number else ""
    about = f"{first['about']} {about}".strip() if first else about
    of = _OF_NAMES.match(rest)
    if of is not None:
        about = f"{about} {of['about']}".strip()
        rest = rest[of.end() :].strip(" ,;:.")
    superlative = _SUPERLATIVE.match(f" {rest}") or _RANKED.match(f" {rest}")
    by = None
    if superlative is not None:
        cells = cells_of(superlative["what"])
        if not cells:
            return None
        by = cells[0]
        rest = f" {rest}"[superlative.end() :].strip(" ,;:.")
    fewest = superlative.groupdict().get("fewest") if superlative else None
    return Grouped((Group(key),), rest, about, by=by, ascending=bool(fewest))


def _cells_of(grouped: Grouped) -> tuple[list[Cell] | None, str]:
    """Return the cells that the words left ask for, and the words that name the runs; no cells
    where a part is not understood.
    """
    rows = {one.noun for one in grouped.groups}
    cells: list[Cell] = []
    about = [grouped.about] if grouped.about else []
    parts = [one.strip() for one in _AND.split(grouped.left)]
    for place, part in enumerate(one for one in parts if one):
        read = _more_columns(part, cells) or _more_names(part, cells) or cells_of(part)
        if read is None:
            years = re.fullmatch(
                r"(?:(?:between|from) )?(?:19|20)\d\d(?: ?(?:to|and|-) ?\d{4})?", part
            )
            if place and not (years or re.match(r"(?:for|in|from|of|among|only|within)\b", part)):
                return None, ""
            about.append(f"released {part}" if years else part)
            continue
        for cell in read:
            if cell.of in rows and cell.how == "count":
                continue
            cells.append(cell)
    return cells, " ".join(about)


def _more_columns(part: str, cells: list[Cell]) -> list[Cell] | None:
    """Return the means of one more column: mean reads, spots and bases."""
    made = [one.how for one in cells if one.how in MADE]
    if not made or not re.fullmatch(ANY_COLUMN, part):
        return None
    return [Cell(how, column_meant(part)) for how in dict.fromkeys(made)]


def _more_names(part: str, cells: list[Cell]) -> list[Cell] | None:
    """Return the count of runs with one more name: runs with EBV and with CMV."""
    found = re.fullmatch(r"(?:with|in|from|for|carrying|(?:those|runs) with) (?P<what>§\d+)", part)
    if found is None or not cells or cells[-1].given.kind != "named":
        return None
    return [replace(cells[-1], given=Given("named", found["what"]))]


def _settled(
    table: OrderedTable, cells: list[Cell], kept: list[Kept], grouped: Grouped
) -> OrderedTable | None:
    """Return ``table`` with its cells, and what all of them are of as what the table is about."""
    by = table.by or grouped.by
    about = table.about
    cells = _with_columns(cells)
    for one in cells:
        if one.given.kind == "of" and one.given.text not in about:
            about = _both(about, one.given.text)
    cells = _one_share_each([_ungiven(one, one.given) if one.given.kind == "of" else one
                             for one in cells])  # fmt: skip
    named = [one for one in cells if one.given.kind == "named"]
    bare = [one for one in cells if one == Cell()]
    first = cells[0] if cells else None
    widest = first in named and all(one.given in (Given(), first.given) or one.how == "percent"
                                    for one in cells) and not bare  # fmt: skip
    if first is not None and widest:
        about = _both(about, first.given.text)
        cells = [_ungiven(one, first.given) for one in cells]
        by = _ungiven(by, first.given) if by else None
        kept = [replace(one, cell=_ungiven(one.cell, first.given)) for one in kept]
    if not named and len({one.cell.given for one in kept if one.cell.given.kind == "named"}) == 1:
        given = next(one.cell.given for one in kept if one.cell.given.kind == "named")
        about = _both(about, given.text)
        kept = [replace(one, cell=_ungiven(one.cell, given)) for one in kept]
    if by == Cell("percent"):
        by = next((one for one in cells if one.how == "percent"), by)
    if by is not None and by not in cells:
        cells = [by, *cells]
    by = by or next((one for one in cells if one.how != "first"), None)
    missing = [one.cell for one in kept if one.cell not in cells]
    cells = list(dict.fromkeys([*cells, *missing])) or [Cell()]
    return replace(
        table, cells=tuple(cells), about=about, kept=tuple(kept), by=by,
        ascending=table.ascending or grouped.ascending,
        per_first=grouped.per_first,
    )  # fmt: skip


def _one_share_each(cells: list[Cell]) -> list[Cell]:
    """Return ``cells`` with one percentage of each condition, the one that says more of its
    whole.
    """
    said = {one.given: one for one in cells if one.how == "percent" and one.whole == "searched"}
    kept = [said.get(one.given, one) if one.how == "percent" else one for one in cells]
    return list(dict.fromkeys(kept))


def _with_columns(cells: list[Cell]) -> list[Cell]:
    """Return ``cells`` with the column of a comparison that names none: that of the cell before."""
    known = ""
    made = []
    for cell in cells:
        given = replace(cell.given, column=cell.given.column or known)
        made.append(replace(cell, given=given) if cell.given.kind == "column" else cell)
        if cell.how in MADE:
            known = cell.of
    return made


def _both(about: str, text: str) -> str:
    """Return the words for runs that are what ``about`` says and what ``text`` says."""
    return f"{about} and {text}" if about else text


def _ungiven(cell: Cell, given: Given) -> Cell:
    return replace(cell, given=Given()) if cell.given == given else cell


def _without(text: str, found: re.Match[str]) -> str:
    joined = f"{text[: found.start()]} {text[found.end() :]}"
    return " ".join(re.sub(r"\s+([,;:.])", r"\1", joined).split()).strip(" ,;")
