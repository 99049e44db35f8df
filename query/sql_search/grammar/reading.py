"""A table that is asked for, read from its chunks: order, limit, thresholds, rows, numbers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from query.reading.measured.amounts import compared_of
from query.sql_search.grammar.chunks import TableChunk, chunks_of, codes, said
from query.sql_search.grammar.items import NAMES, cells_of
from query.sql_search.grammar.ordered import MADE, Cell, Given, Group, HitBound, Kept, OrderedTable
from query.sql_search.grammar.rows import LIST, NOUN, read_rows
from query.sql_search.grammar.settling import settled
from query.sql_search.grammar.taking import TableReading, TakenChunks
from query.sql_search.grammar.words import plainly

_SORTED: Final = re.compile(r"[,:&]*o(?P<by>[^,:dubo]*?)(?P<way>[du])?(?P<name>b)?(?=[,:]|$|p)")
_BY: Final = re.compile(
    r"(?<=.)[,:&]*p(?P<by>K[RN]|R|P[iTRLW+]*|AC)(?P<way>[du])?(?P<name>b)?(?=[,:]|$)"
)
_WAY: Final = re.compile(r"[,:&]*(?:(?P<by>p[^,:]*?)?(?P<way>[du])|(?P<name>b))(?=[,:]|$)")
_TOP: Final = re.compile(r"^i?(?:t#|#t?)(?=[VO]?[NR])")
_TOP_BEHIND: Final = re.compile(r"[,:]&?y?(?:t#|#t?)[NR]?(?:Wt)?(?P<by>p[^,:]*)?y?(?=[,:]|$)")
_COUNTED: Final = r"(?:L?[VO]?[NR](?:L|i?T|W?\+|[Wi][VO])?|L?\+R?|L|P(?:\+|W\+)?)"
_BOUND: Final = r"(?:nC|Cn|#C>|#>C)"
_HITS: Final = re.compile(
    rf"(?P<lead>(?<=[NVO])[iWy]+|[,iWy]*(?=[^:]*:))(?P<bounds>{_BOUND}(?:[&,]+{_BOUND})*)"
)
"""Bounds of hits behind what a table is of, or before the colon that its numbers follow."""
_RUNS_BEFORE: Final = re.compile(rf"^(?P<about>{NAMES}[RN]?(?:[Wi]+{NAMES})*)R?,*:(?=.)")
_THRESHOLD: Final = re.compile(
    rf"(?P<lead>[,&]?(?P<out>x)?y?(?:[NR]?(?=[WiT])[WiT&]*)?)(?:n(?P<of>{_COUNTED})"
    rf"|#(?P<more>{_COUNTED})>|(?P<made>A[iK]*C|P(?:[iT]*[LR]*W?\+?))n)e?y?"
)
_PER_FIRST: Final = re.compile(
    rf"^i?(?:t#|#t)(?P<noun>N)e?(?=[ip]?p{NOUN}|ie?{LIST}|[,:]?p{NOUN}|p[VO])"
)
_BEHIND_FIRST: Final = re.compile(r"(?:(?<=[,:])|,?i)(?:t#|#t)(?P<noun>N)(?:i?e|pN)?(?=[,:]|$)")
_ABOUT: Final = re.compile(rf"[yi,&WR]*(?:(?:[wWiR&]*(?:{NAMES}|r)[NR]?)+)[WiR]*")
_KIND_OF_NOUN: Final = {
    "tissue": "tissue", "disease": "disease", "host": "organism", "country": "geography",
}  # fmt: skip
_HITS_COUNTED: Final = re.compile(
    r"(?:,|\band|\b(?:number|count)s? of(?: the)?) (?:virus )?(?:hits|detections)"
    r"(?=[,;.]|$| (?:per|by|for|in) (?:each|every|\w+$))"
)
"""Counts hits, where tables here count runs."""
_COMES_FIRST: Final = re.compile(
    r"(?:the )?(?:most|fewest|largest|smallest|highest|lowest)(?P<what>(?: [\w§]+){1,2}?)"
    r" (?:first|on top|at the top|leading)"
)
_OF_THOSE: Final = re.compile(r"\bof (?:those|them|these)\b")
"""Counts a part of the runs of a row, which are counted as well."""
_OF_PAIRS: Final = re.compile(r"\b(?:pairs|combinations|combos) (?:with|of|in)\b", re.IGNORECASE)
"""Says that rows are kept by their numbers, where these are the first few of each value."""
_ENDS: Final = re.compile(r"^[,&:]+|[,&:iWyke]+$")
_BREAKS: Final = ",:&W"


def read_ordered(text: str, kind_of: dict[str, str]) -> OrderedTable | None:
    """Return the table that ``text`` asks for, its names as ``§0``; None where it is none.

    ``kind_of`` says of each name what it is: a host, a tissue, a virus.
    """
    plain = plainly(text)
    chunks = None if _HITS_COUNTED.search(plain) else chunks_of(plain, kind_of)
    if chunks is None:
        return None
    asked = TableReading(_without_repeats(chunks))
    asked.also(keeps_rows=_OF_PAIRS.search(text) is not None)
    _read_first_of_each(asked)
    _read_order(asked)
    _read_limit(asked)
    _read_hits(asked)
    _read_thresholds(asked)
    read_rows(asked, kind_of)
    _read_runs_before_numbers(asked)
    if not asked.table.groups:
        return None
    cells = _read_cells(asked)
    if cells is None:
        return None
    if asked.by_last and cells:
        asked.also(by=cells[-1])
    of_column = [one for one in cells if one.of == asked.by_column and one.how in MADE]
    if of_column:
        asked.also(by=of_column[0])
    elif asked.by_column:
        return None
    table = asked.table
    if table.by and _counts_rows(table.by, table):
        if table.limit is not None:
            return None
        table = replace(table, by=None, by_name=True)
    cells = [one for one in cells if not _counts_rows(one, table)]
    if _crosses_its_kind(table, cells, kind_of):
        return None
    measured = cells or table.per_first or table.kept or table.by
    if table.by_noun and table.by_noun not in {one.noun for one in table.groups}:
        return None
    only_names = all(one.names for one in table.groups)
    if not measured and (asked.listed or only_names):
        return None
    about = ", ".join(one for one in asked.about if one)
    return settled(replace(table, cells=tuple(cells), about=about))


def _counts_rows(cell: Cell, table: OrderedTable) -> bool:
    """Return whether ``cell`` counts what each row is one of: hosts per host."""
    return cell.how == "count" and not cell.given.kind and cell.of in {g.noun for g in table.groups}


def _crosses_its_kind(table: OrderedTable, cells: Sequence[Cell], kind_of: dict[str, str]) -> bool:
    """Return whether tissues are to be counted in rows of tissues: these are the rows that are
    meant, or something else is.
    """
    rows = {_KIND_OF_NOUN[one.noun] for one in table.groups if one.noun in _KIND_OF_NOUN}
    named = [name for one in cells if one.given.kind == "named"
             for name in re.findall(r"§\d+", one.given.text)]  # fmt: skip
    return any(kind_of.get(name) in rows for name in named)


def _without_repeats(chunks: list[TableChunk]) -> list[TableChunk]:
    """Return ``chunks`` with a name that says the name before it again, behind a comma, once:
    herpesviruses (Orthoherpesviridae).
    """
    kept: list[TableChunk] = []
    for one in chunks:
        if codes(kept[-2:]) in ("V,", "O,") and one == kept[-2]:
            kept.pop()
        else:
            kept.append(one)
    return kept


# --- order ----------------------------------------------------------------------------------------


def _read_first_of_each(asked: TableReading) -> None:
    """Read a table of the first few of each: the top three families in each host."""
    found = asked.take(_PER_FIRST) or _first_behind(asked)
    if found is not None:
        number = next(one for one in found.chunks() if one.code == "#")
        (noun,) = found.chunks("noun")
        asked.also(groups=(Group(noun.value),), per_first=round(number.number))


def _first_behind(asked: TableReading) -> TakenChunks | None:
    """Return the first few of a noun that are asked for behind the rows; those of the rows
    themselves limit the table: human tissues: how many runs, ten biggest tissues.
    """
    opening = next((one.value for one in asked.left if one.code == "N"), "")
    found = asked.take(_BEHIND_FIRST)
    if found is None or found.chunks("noun")[0].value != opening:
        return found
    asked.left = found.every
    return None


def _read_order(asked: TableReading) -> None:
    """Read what rows are sorted by, and which way."""
    asked.take(re.compile(rf"^o(?={NOUN})"))
    found = asked.take(_SORTED)
    if found is not None:
        _sort(asked, found)
    found = asked.take(_BY)
    if found is not None and any(one.value == "by" for one in found.chunks() if one.code == "p"):
        _sort(asked, found)
    elif found is not None:
        asked.left = found.every
    found = asked.take(_WAY)
    if found is not None:
        _sort(asked, found)


def _sort(asked: TableReading, found: TakenChunks) -> None:
    by = [one for one in found.chunks("by") if one.code not in "p"]
    if len(by) > 1 and by[0].code == "N" and by[1].code in "RKAP":
        asked.also(by_noun=by[0].value)
        by = by[1:]
    cells = cells_of(by) if by else None
    asked.by_last = asked.by_last or codes(by) == "l"
    way = found.chunks("way")
    asked.also(sorted=True, by_name=bool(found["name"]))
    if way:
        asked.also(ascending=way[0].code == "u")
        cells = cells or _said_first(way[0].text)
        percent = re.search(r"\b(?:percent\w*|share|rate|proportion|fraction)\b", way[0].text)
        if percent and not cells:
            cells = [Cell("percent")]
    if cells:
        asked.also(by=cells[0])


def _said_first(way: str) -> list[Cell] | None:
    """Return the number that is said to come first: most hosts on top; None where only runs, or
    nothing, are said.
    """
    found = _COMES_FIRST.match(way)
    chunks = chunks_of(found["what"].strip(), {}) if found else None
    cells = cells_of(chunks) if chunks else None
    return None if cells == [Cell()] else cells


def _read_limit(asked: TableReading) -> None:
    if asked.table.per_first is not None:
        return
    found = asked.take(_TOP) or asked.take(_TOP_BEHIND)
    if found is None:
        return
    number = next(one for one in found.chunks() if one.code == "#")
    asked.also(limit=round(number.number))
    by = (
        [one for one in found.chunks("by") if one.code != "p"]
        if "by" in found.found.re.groupindex
        else []
    )
    cells = cells_of(by)
    if cells:
        asked.also(by=cells[0])
    elif codes(by) == "C":
        asked.by_column = by[0].value


def _read_runs_before_numbers(asked: TableReading) -> None:
    """Read names before the colon that all numbers follow as the runs they are of."""
    found = asked.take(_RUNS_BEFORE)
    if found is not None:
        names = [one.text for one in found.chunks("about") if one.code in "VO"]
        asked.about.append(", ".join(names))


def _read_hits(asked: TableReading) -> None:
    """Read which hits the table is of: viruses at 90 % identity or better and 1,000 reads."""
    found = asked.take(_HITS)
    if found is None:
        return
    before = found.every[: found.found.start()]
    if "K" in codes(before) or codes(before).endswith("R"):
        asked.left = found.every
        return
    bounds = found.chunks("bounds")
    columns = [one.value for one in bounds if one.code == "C"]
    amounts = [one for one in bounds if one.code in "n#"]
    signs = [compared_of(one.text) for one in bounds if one.code == ">"]
    hits = [
        HitBound(column, amount.sign if amount.code == "n" else signs.pop(0), amount.number)
        for column, amount in zip(columns, amounts, strict=True)
    ]
    asked.also(hits=tuple(hits))


def _read_thresholds(asked: TableReading) -> None:
    """Read which rows are kept by their numbers: hosts with at least 20 runs."""
    kept = list(asked.table.kept)
    while True:
        before = list(asked.left)
        found = asked.take(_THRESHOLD)
        if found is None:
            break
        number = next(one for one in found.chunks() if one.code in "n#")
        counted = found.chunks("of") or found.chunks("made") or found.chunks("more")
        cells = cells_of(counted)
        if not cells:
            asked.left = before
            break
        said_so = compared_of(found.chunks()[-1].text) if found["more"] else number.sign
        sign = _INVERTED[said_so] if found["out"] else said_so
        kept.append(Kept(cells[-1], sign, number.number))
        lead = found.chunks("lead")
        nouns = [one for one in lead if one.code == "N"]
        place = found.found.start()
        opens = place == 0 or asked.left[place - 1].code in ",:piVO"
        if nouns and opens and not (found["out"] or "y" in found["lead"]):
            asked.left[place:place] = [*(one for one in lead if one.code == ","), *nouns]
        elif lead and lead[0].code == ",":
            asked.left[place:place] = [lead[0]]
    asked.also(kept=tuple(kept))


_INVERTED: Final = {">=": "<", ">": "<=", "<": ">=", "<=": ">", "=": "="}


# --- numbers --------------------------------------------------------------------------------------


def _read_cells(asked: TableReading) -> list[Cell] | None:
    """Return the numbers that the chunks left ask for; None where a part is not understood."""
    rows = {one.noun for one in asked.table.groups}
    cells: list[Cell] = []
    parts = _split(asked.left)
    for place, part in enumerate(parts):
        read = _read_part(part, cells, asked, first=place == 0)
        if read is None:
            return None
        counts_part = any(one.how == "count" and one.given.kind for one in read)
        if not cells and counts_part and _OF_THOSE.search(said(part)):
            cells.append(Cell())
        cells += [one for one in read if not (one.of in rows and one.how == "count")]
    return cells


def _split(chunks: list[TableChunk]) -> list[list[TableChunk]]:
    """Return the chunks between commas."""
    parts: list[list[TableChunk]] = [[]]
    for one in chunks:
        if one.code in ",:":
            parts.append([])
        else:
            parts[-1].append(one)
    return [part for part in parts if _ENDS.sub("", codes(part))]


def _read_part(
    chunks: list[TableChunk], before: list[Cell], asked: TableReading, *, first: bool
) -> list[Cell] | None:
    """Return the numbers of a part, in pieces where it is several; what names runs is added to what
    the table is about.
    """
    start = _ENDS.match(codes(chunks))
    bare = chunks[start.end() :] if start else chunks
    while bare and bare[-1].code in ",&:yke":
        bare = bare[:-1]
    if not bare or codes(bare) in ("W", "i"):
        return []
    rows = {one.noun for one in asked.table.groups}
    if codes(bare) in ("KRWN", "RWN") and bare[-1].value in rows:
        return [Cell()]
    cells = _more(bare, before) or cells_of(bare)
    if cells is not None and not _is_about(bare, first=first, cells=cells):
        return cells
    if cells is not None:
        asked.about.append(_words_of_runs(bare))
        return []
    for place, one in enumerate(bare):
        if one.code not in _BREAKS or place == 0:
            continue
        kept = list(asked.about)
        left = _read_part(bare[:place], before, asked, first=first)
        rest = bare[place + 1 :] if one.code == "&" else bare[place:]
        right = None if left is None else _read_part(rest, [*before, *left], asked, first=False)
        if left is not None and right is not None:
            return left + right
        asked.about[:] = kept
    if _ABOUT.fullmatch(codes(bare)):
        asked.about.append(_words_of_runs(bare))
        return []
    return None


def _is_about(chunks: Sequence[TableChunk], *, first: bool, cells: list[Cell]) -> bool:
    """Return whether a part says which runs the table is of, rather than a number of its own."""
    opened = codes(chunks)[0] in "iy" and cells[0].given.kind == "named"
    opened = opened or chunks[0].text == "except"
    return opened or (first and codes(chunks) in ("V", "O") and cells[0].given.kind == "named")


def _words_of_runs(chunks: Sequence[TableChunk]) -> str:
    kept = [one for one in chunks if one.code not in "yeR"]
    while kept and kept[0].code in "i&W":
        kept = kept[1:]
    return said(kept)


def _more(chunks: Sequence[TableChunk], cells: list[Cell]) -> list[Cell] | None:
    """Return one more of what the number before is: mean reads, and spots; runs with EBV, with
    CMV; number of families, of species.
    """
    if not cells:
        return None
    before = cells[-1]
    made = list(dict.fromkeys(one.how for one in cells if one.how in MADE))
    if made and codes(chunks) == "C":
        return [Cell(how, chunks[0].value) for how in made]
    if codes(chunks) in ("WV", "WO", "iV", "iO") and before.given.kind == "named":
        return [replace(before, given=Given("named", chunks[1].text))]
    if codes(chunks) in ("iN", "iR") and before.how == "count":
        return [Cell(of=chunks[1].value)]
    return None
