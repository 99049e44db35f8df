"""What one number of a row is: its chunks between two commas."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from query.sql_search.grammar.chunks import TableChunk, codes, said
from query.sql_search.grammar.ordered import Cell, Given, How, Whole
from query.sql_search.tables.nouns import RUN

Reader = Callable[["Part"], list[Cell] | None] | tuple[Cell, ...]
NAMES: Final = r"[VO](?:[|&][VO])*"
_OPENING: Final = re.compile(r"^(?:[W&yi](?=[KPALfCtTF+NR-]))+")
_ALL: Final = re.compile(r"\b(?:all|total|whole|its|their)\b")
_COUNT: Final = r"K?T?"
_AMONG: Final = re.compile(r"among|amongst|within|out of")

Chunks = Sequence[TableChunk]


@dataclass(frozen=True, slots=True)
class Part:
    """The chunks of a number, and how a pattern matches their letters."""

    chunks: Chunks
    found: re.Match[str]

    @property
    def letters(self) -> str:
        """The letters of the chunks."""
        return self.found[0]

    def named(self, group: str) -> Chunks:
        """Return the chunks of a group, none where the pattern has none."""
        if group not in self.found.re.groupindex:
            return []
        start, end = self.found.span(group)
        return self.chunks[start:end] if start >= 0 else []

    def before(self, group: str) -> Chunks:
        """Return the chunks before a group."""
        return self.chunks[: self.found.start(group)]


def cells_of(chunks: Chunks) -> list[Cell] | None:
    """Return the numbers that ``chunks`` ask for, None where it is none that is understood.

    >>> from query.sql_search.grammar.chunks import chunks_of
    >>> [(one.how, one.of) for one in cells_of(chunks_of("number of virus families", {}))]
    [('count', 'family')]
    """
    bare = _without_ends(chunks)
    said_so = codes(bare)
    for pattern, read in _READ:
        found = pattern.fullmatch(said_so)
        if found is None:
            continue
        cells = read(Part(bare, found)) if callable(read) else list(read)
        if cells is not None:
            return cells
    return None


def _without_ends(chunks: Chunks) -> Chunks:
    opened = _OPENING.match(codes(chunks))
    bare = list(chunks[opened.end() :] if opened else chunks)
    while len(bare) > 1 and bare[-1].code in "ieTWk&":
        bare.pop()
    return bare


def names_in(chunks: Chunks) -> str:
    """Return the words of the names in ``chunks``, with what stands between them."""
    places = [place for place, one in enumerate(chunks) if one.code in "VOr"]
    return said(chunks[places[0] : places[-1] + 1]) if places else ""


def _of_noun(part: Part) -> list[Cell]:
    return [Cell(of=one.value) for one in part.chunks if one.code in "NR"]


def _both_ways(part: Part) -> list[Cell]:
    """Return the runs with and those without what is named, or any virus."""
    names = [one.text for one in part.chunks if one.code == "V"]
    if not names:
        return [Cell(given=Given("virus")), Cell(given=Given("no virus"))]
    cells = [Cell(given=Given("named", names[-1])), Cell(given=Given("without", names[-1]))]
    about = [one.text for one in part.chunks if one.code == "O"]
    return [Cell(given=Given("of", about[0])), *cells] if about else cells


def _named(part: Part) -> list[Cell]:
    """Return the runs, or the values of a noun in them, that carry names."""
    nouns = [one.value for one in part.chunks if one.code == "N"]
    return [Cell(of=nouns[0] if nouns else RUN, given=Given("named", names_in(part.chunks)))]


def _without(part: Part) -> list[Cell]:
    return [Cell(given=Given("without", names_in(part.chunks)))]


def _made(part: Part) -> list[Cell] | None:
    """Return means, medians and the like of columns."""
    hows: list[str] = []
    cells: list[Cell] = []
    given = Given("of", names_in(part.chunks)) if names_in(part.chunks) else Given()
    columns = [one.value for one in part.chunks if one.code == "C"]
    hows = list(dict.fromkeys(one.value for one in part.chunks if one.code == "A"))
    per_run = "pR" in part.letters and columns == ["reads"]
    for column in columns:
        cells += [Cell(_how(how), column, given, per_run=per_run) for how in hows]
    return cells


def _made_per_run(part: Part) -> list[Cell]:
    (noun,) = (one.value for one in part.chunks if one.code == "N")
    return [Cell(_how(one.value), noun, per_run=True) for one in part.chunks if one.code == "A"]


def _how(value: str) -> How:
    known: dict[str, How] = {"avg": "avg", "median": "median", "max": "max", "min": "min"}
    return known.get(value, "sum")


def _first(part: Part) -> list[Cell] | None:
    (noun,) = (one.value for one in part.chunks if one.code == "N")
    return None if part.chunks[0].value == "fewest" else [Cell("first", noun)]


def _dated(part: Part) -> list[Cell]:
    text = said(part.chunks)
    early = [Cell("min", "year")] if re.search("first|earliest|oldest", text) else []
    late = [Cell("max", "year")] if re.search("last|latest|newest|recent", text) else []
    return early + late


def _compared(part: Part) -> list[Cell]:
    """Return the runs whose hits compare so with a number."""
    column = next((one.value for one in part.chunks if one.code == "C"), "")
    (number,) = (one for one in part.chunks if one.code == "n")
    return [Cell(given=Given("column", "", column, number.sign, number.number))]


def _share(part: Part) -> list[Cell]:
    """Return a percentage, and of what it is one."""
    whole = _whole(part.chunks)
    if "+" in part.letters:
        return [Cell("percent", given=Given("virus"), whole=whole)]
    return [Cell("percent", whole=whole)]


def _whole(chunks: Chunks) -> Whole:
    """Return of which runs a share is: of the searched, of all, or not said; "of these" are those
    of the number before.
    """
    if any(one.code == "L" or (one.code == "P" and one.value) for one in chunks):
        return "searched"
    of_all = [one for one in chunks if one.code in "TR" and _ALL.search(one.text)]
    return "runs" if of_all else ""


def _share_carrying(part: Part) -> list[Cell] | None:
    """Return the percentage of runs that carry names, among those of other names where these are
    said.
    """
    before = part.before("names")
    if any(one.code == "i" and _AMONG.fullmatch(one.text) for one in before[2:]):
        return _share_of(part)
    whole = _whole(part.chunks)
    behind = part.named("names")
    cells = [Cell("percent", given=Given("named", names_in(behind)), whole=whole)]
    if not part.named("of"):
        return cells
    of = names_in(part.named("of"))
    return [Cell(given=Given("of", of)), *cells]


def _share_of(part: Part) -> list[Cell] | None:
    """Return the percentage of a row among the runs of names."""
    named = [one for one in part.chunks if one.code in "VO"]
    if part.chunks[0].value and len(named) == 1 and named[0].code == "V":
        return [Cell("percent", given=Given("named", named[0].text), whole="searched")]
    whole: Whole = "searched" if part.chunks[0].value or "L" in part.letters else "all"
    return [Cell("percent", given=Given("of", names_in(part.chunks)), whole=whole)]


def _share_of_row(part: Part) -> list[Cell]:
    return [Cell("percent", whole="searched" if "L" in part.letters else "all")]


_FOUND: Final = rf"(?:{_COUNT}R?|{_COUNT}L?R?|{_COUNT}RL)"
_READERS: Final[tuple[tuple[str, Reader], ...]] = (
    (rf"{_COUNT}R(?:i?T)?|RK|KT?|KR", (Cell(),)),
    (rf"{_COUNT}R?LR?(?:iR)?", (Cell(given=Given("searched")),)),
    (rf"{_FOUND}[W]?\+R?", (Cell(given=Given("virus")),)),
    (rf"{_FOUND}[W]?-R?", (Cell(given=Given("no virus")),)),
    (rf"{_COUNT}R?[VO]?R?z[VN+]?", _both_ways),
    (r"tN(?:iR)?", _first),
    (r"F", ()),
    (r"f(?:iR)?", _dated),
    (r"A(?:[&,]?A)*iK?C(?:[&,]A?C)*(?:iR|pR|iV|V|i?VR|e)*", _made),
    (r"(?:A(?:[&,]?A)*C(?:[&,]A?C)*)(?:iR|pR|iV|V|i?VR|e)*", _made),
    (r"A(?:[&,]?A)*i?K?N(?:pR|iR)", _made_per_run),
    (rf"{_COUNT}R?W?(?:C?i?nC?)", _compared),
    (r"PL", (Cell("percent", given=Given("searched"), whole="runs"),)),
    (r"Pe?(?:i?T|iTR|T?R)?e?", _share),
    (r"P[iT]*(?:R?L|LR|L)?e?", _share),
    (r"P[iT]*(?:R|LR|RL|L)?W?\+", _share),
    (rf"P(?:[iT]*[RL]*)(?:W|iR[Wi])(?P<names>{NAMES})(?:[iT]*L?R?)", _share_carrying),
    (r"P(?:i?T?L?)(?:R|T)[Wi](?P<names>[VO](?:[|&][VO])*)", _share_carrying),
    (rf"P[iT]*L?(?P<of>{NAMES})[RL]*W(?P<names>{NAMES})", _share_carrying),
    (rf"P[iT]*L?(?:{NAMES})(?:R|L|LR|RL)?", _share_of),
    (rf"(?P<names>{NAMES})P(?:[iT]*(?:R|LR|RL|L)?)", _share_carrying),
    (r"P[iTe]*NL?R?", _share_of_row),
    (rf"{_COUNT}R?w{NAMES}", _without),
    (rf"{_COUNT}(?:[VO]+R|R?(?:[Wi]?[VO](?:[|&][VO])*R?)+)", _named),
    (rf"{_COUNT}N[Wi]{NAMES}", _named),
    (r"Ki?[VO]N", _named),
    (r"(?:KT?)?N(?:i?T|iR)?|NK", _of_noun),
)
_READ: Final = tuple((re.compile(pattern), read) for pattern, read in _READERS)
