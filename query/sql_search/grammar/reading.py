"""A table that is asked for, read from its chunks: order, limit, thresholds, rows, numbers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from query.reading.measured.amounts import compared_of
from query.sql_search.grammar.chunks import TableChunk, chunks_of, codes, said
from query.sql_search.grammar.items import NAMES, cells_of
from query.sql_search.grammar.ordered import MADE, Cell, Given, Group, Kept, OrderedTable
from query.sql_search.grammar.settling import settled
from query.sql_search.grammar.words import plainly

_LIST: Final = r"[VO](?:(?:,&?|&|X)[VO])+"
_NOUN: Final = r"[VO]*N"
_SORTED: Final = re.compile(r"[,:&]*o(?P<by>[^,:dubo]*?)(?P<way>[du])?(?P<name>b)?(?=[,:]|$|p)")
_BY: Final = re.compile(
    r"(?<=.)[,:&]*p(?P<by>K[RN]|R|P[iTRLW+]*|AC)(?P<way>[du])?(?P<name>b)?(?=[,:]|$)"
)
_WAY: Final = re.compile(r"[,:&]*(?:(?P<by>p[^,:]*?)?(?P<way>[du])|(?P<name>b))(?=[,:]|$)")
_TOP: Final = re.compile(r"^i?(?:t#|#t?)(?=[VO]?[NR])")
_TOP_BEHIND: Final = re.compile(r"[,:]&?y?(?:t#|#t?)[NR]?(?:Wt)?(?P<by>p[^,:]*)?y?(?=[,:]|$)")
_COUNTED: Final = r"(?:L?[VO]?[NR](?:L|i?T|W?\+|[Wi][VO])?|L?\+R?|L|P(?:\+|W\+)?)"
_THRESHOLD: Final = re.compile(
    rf"(?P<lead>[,&]?(?P<out>x)?y?(?:[NR]?(?=[WiT])[WiT&]*)?)(?:n(?P<of>{_COUNTED})"
    rf"|#(?P<more>{_COUNTED})>|(?P<made>A[iK]*C|P(?:[iT]*[LR]*W?\+?))n)e?y?"
)
_PER_FIRST: Final = re.compile(
    rf"^i?(?:t#|#t)(?P<noun>N)e?(?=[ip]?p{_NOUN}|ie?{_LIST}|[,:]?p{_NOUN}|p[VO])"
)
_BEHIND_FIRST: Final = re.compile(r"(?:(?<=[,:])|,?i)(?:t#|#t)(?P<noun>N)(?:i?e|pN)?(?=[,:]|$)")
_PER: Final = re.compile(
    rf"p(?P<one>{_NOUN})(?:(?:&p?|p|X|,&?p)(?P<two>{_NOUN})(?![^,:]*[LP+]))?(?P<of>i[VO](?=[,:]"
    rf"|$))?"
)
_PER_LISTED: Final = re.compile(
    rf"(?:^c?N,(?P<first>{_LIST}),?(?=[Xp]N)|[,:]?pe?N[,:](?P<names>{_LIST})(?=[,:]|$))"
)
_AGAINST: Final = re.compile(r"^[Xp](?P<noun>N)c?")
_ROWS: Final = re.compile(rf"(?P<one>{_NOUN})h[,&]*(?P<two>{_NOUN})?k?")
_CROSSED: Final = re.compile(
    rf"^(?:(?P<one>{_NOUN})(?:p|X)|c(?P<first>{_NOUN})(?:p|X|&))(?P<two>{_NOUN})c?(?=[,:iW]|R?K|$)"
)
_FOR: Final = re.compile(rf"(?:i(?P<one>{_NOUN})$|^i(?P<first>{_NOUN})(?=[,:]))")
_PER_NAME: Final = re.compile(r"p(?P<name>[VO])(?=[,:]|$|[^VON])")
_NAMED: Final = re.compile(rf"(?:^|[ip]|(?<=[,:]))e?(?P<names>{_LIST})e?(?=[,:]|$|[^&|XVO])")
_HEAD: Final = re.compile(rf"^(?:i|RKi?)?(?P<one>{_NOUN})(?=[,:WiTtpo&]|$)")
_COLUMNS: Final = re.compile(
    rf"k(?P<behind>{_LIST})[NR]?|(?:K?R?\+?[Wi]N?)?(?P<before>{_LIST})N?,?W?k"
)
_ABOUT: Final = re.compile(rf"[yi,&WR]*(?:(?:[wWiR&]*(?:{NAMES}|r)[NR]?)+)[WiR]*")
_KIND_OF_NOUN: Final = {
    "tissue": "tissue", "disease": "disease", "host": "organism", "country": "geography",
}  # fmt: skip
_ENDS: Final = re.compile(r"^[,&:]+|[,&:iWyke]+$")
_BREAKS: Final = ",:&W"


@dataclass(slots=True)
class _Reading:
    """What is read of a table, and the chunks ``left``."""

    left: list[TableChunk]
    table: OrderedTable = field(default_factory=lambda: OrderedTable((), ()))
    about: list[str] = field(default_factory=list)
    listed: bool = False
    by_last: bool = False

    def take(self, pattern: re.Pattern[str], keep: str = "") -> TakenChunks | None:
        """Return the first match among the chunks left, without it in them; but for the group
        ``keep``.
        """
        found = pattern.search(codes(self.left))
        if found is None:
            return None
        taken = TakenChunks(found, list(self.left))
        kept = taken.chunks(keep) if keep else []
        self.left = [*self.left[: found.start()], *kept, *self.left[found.end() :]]
        return taken

    def also(self, **parts: object) -> None:
        """Set parts of the table."""
        self.table = replace(self.table, **parts)  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True)
class TakenChunks:
    """A match of a pattern among chunks."""

    found: re.Match[str]
    every: list[TableChunk]

    def chunks(self, group: str | int = 0) -> list[TableChunk]:
        """Return the chunks of a group, none where it has not matched."""
        start, end = self.found.span(group)
        return self.every[start:end] if start >= 0 else []

    def __getitem__(self, group: str) -> str:
        """Return the letters of a group, empty where it has not matched."""
        return self.found[group] or ""


def read_ordered(text: str, kind_of: dict[str, str]) -> OrderedTable | None:
    """Return the table that ``text`` asks for, its names as ``§0``; None where it is none.

    ``kind_of`` says of each name what it is: a host, a tissue, a virus.
    """
    chunks = chunks_of(plainly(text), kind_of)
    if chunks is None:
        return None
    asked = _Reading(_without_repeats(chunks))
    _read_first_of_each(asked)
    _read_order(asked)
    _read_limit(asked)
    _read_thresholds(asked)
    _read_rows(asked, kind_of)
    if not asked.table.groups:
        return None
    cells = _read_cells(asked)
    if cells is None:
        return None
    if asked.by_last and cells:
        asked.also(by=cells[-1])
    table = asked.table
    if _crosses_its_kind(table, cells, kind_of):
        return None
    measured = cells or table.per_first or table.kept or table.by
    only_names = all(one.names for one in table.groups)
    if not measured and (asked.listed or only_names):
        return None
    return settled(replace(table, cells=tuple(cells), about=" ".join(asked.about)))


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


def _read_first_of_each(asked: _Reading) -> None:
    """Read a table of the first few of each: the top three families in each host."""
    found = asked.take(_PER_FIRST) or asked.take(_BEHIND_FIRST)
    if found is not None:
        number = next(one for one in found.chunks() if one.code == "#")
        (noun,) = found.chunks("noun")
        asked.also(groups=(Group(noun.value),), per_first=round(number.number))


def _read_order(asked: _Reading) -> None:
    """Read what rows are sorted by, and which way."""
    asked.take(re.compile(rf"^o(?={_NOUN})"))
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


def _sort(asked: _Reading, found: TakenChunks) -> None:
    by = [one for one in found.chunks("by") if one.code not in "p"]
    cells = cells_of(by) if by else None
    asked.by_last = asked.by_last or codes(by) == "l"
    way = found.chunks("way")
    asked.also(sorted=True, by_name=bool(found["name"]))
    if way:
        asked.also(ascending=way[0].code == "u")
        percent = re.search(r"\b(?:percent\w*|share|rate|proportion|fraction)\b", way[0].text)
        if percent and not cells:
            cells = [Cell("percent")]
    if cells:
        asked.also(by=cells[0])


def _read_limit(asked: _Reading) -> None:
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


def _read_thresholds(asked: _Reading) -> None:
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

# --- rows -----------------------------------------------------------------------------------------


def _read_rows(asked: _Reading, kind_of: dict[str, str]) -> None:
    """Read what the rows are: values of nouns, or names."""
    _read_columns_of_names(asked)
    inner = asked.table.groups
    groups = (
        _by_listed(asked)
        or _by_nouns(asked, kind_of)
        or _by_names(asked, apart=bool(inner))
        or _by_name(asked)
    )
    if groups is None and not inner:
        groups = _by_head(asked, kind_of)
    if groups is not None:
        asked.also(groups=(*groups, *inner))
    elif inner:
        asked.also(groups=())


def _read_columns_of_names(asked: _Reading) -> None:
    """Read names that are to have a column each as runs with each of them."""
    found = asked.take(_COLUMNS)
    if found is None and "k" in codes(asked.left):
        found = asked.take(re.compile(rf"^(?P<before>{_LIST})(?=[,:])"))
        asked.left = [one for one in asked.left if one.code != "k"]
    if found is None:
        return
    comma = TableChunk(",", ",")
    named = "before" if found["before"] else "behind"
    for one in found.chunks(named):
        if one.code in "VO":
            asked.left += [comma, TableChunk("W", "with"), one]


def _by_listed(asked: _Reading) -> tuple[Group, ...] | None:
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


def _by_nouns(asked: _Reading, kind_of: dict[str, str]) -> tuple[Group, ...] | None:
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


def _by_head(asked: _Reading, kind_of: dict[str, str]) -> tuple[Group, ...] | None:
    """Return the noun that a table opens with: hosts, runs, runs with a virus."""
    first = asked.take(re.compile(rf"^[iy](?P<about>{NAMES})R?[,:]+(?={_NOUN})"))
    if first is not None:
        asked.about.append(said(first.chunks("about")))
    found = asked.take(_HEAD)
    if found is None:
        return None
    head = found.chunks("one")
    if len(head) > 1:
        asked.about.append(_said_of(head))
    asked.listed = "K" not in found.found[0]
    behind = asked.take(re.compile(rf"^[Wi](?P<about>{NAMES}(?:[Wi]{NAMES})*)R?(?=[,:]|W?t)"))
    if behind is not None:
        asked.about.append(said(behind.chunks("about")))
    if _read_superlative(asked) and not head[-1].text.endswith("s") and not asked.table.limit:
        asked.also(limit=1)
    return (_group(head, kind_of),)


def _read_superlative(asked: _Reading) -> bool:
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


def _by_names(asked: _Reading, *, apart: bool) -> tuple[Group, ...] | None:
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


def _by_name(asked: _Reading) -> tuple[Group, ...] | None:
    """Return the rows of each herpesvirus: the viruses that a name means."""
    found = asked.take(_PER_NAME)
    if found is None:
        return None
    (name,) = found.chunks("name")
    asked.about.append(name.text)
    return (Group("species" if name.code == "V" else "host"),)


# --- numbers --------------------------------------------------------------------------------------


def _read_cells(asked: _Reading) -> list[Cell] | None:
    """Return the numbers that the chunks left ask for; None where a part is not understood."""
    rows = {one.noun for one in asked.table.groups}
    cells: list[Cell] = []
    parts = _split(asked.left)
    for place, part in enumerate(parts):
        read = _read_part(part, cells, asked, first=place == 0)
        if read is None:
            return None
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
    chunks: list[TableChunk], before: list[Cell], asked: _Reading, *, first: bool
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
