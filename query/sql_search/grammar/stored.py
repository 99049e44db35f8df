"""Tables of stored rows: which rows, grouped by what, with which numbers."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from query.global_search.carrying import literal
from query.reading.measured.amounts import NUMBER, amount_of, compared_of
from query.sql_search.compiling import Compiled
from query.sql_search.grammar.relations import ASSOCIATIONS, RELATIONS, Relation
from query.sql_search.grammar.words import (
    ANY_AGGREGATE,
    COMPARED,
    MANY,
    aggregate_meant,
    plainly,
)
from query.sql_search.statement import limited_to
from query.sql_search.tables.recorded import conditions_of_names

if TYPE_CHECKING:
    from collections.abc import Callable

    from query.reading.question import Question

_PER: Final = (
    r"(?:(?:grouped|broken down|split|counted|stratified|by) )?(?:per|by|for (?:each|every)|(?:in"
    r"|of|from)"
    r" (?:each|every)|each|every|across)"
)
_LIMIT: Final = re.compile(
    rf"(?:^|(?<=[,;:.] ))(?:only )?(?:the )?(?:(?:top|first) (?P<top>{NUMBER})"
    rf"|(?P<number>{NUMBER}) (?=(?:\w+ )*(?:communit|cluster|associat|pair|mwas|virus|largest"
    rf"|biggest"
    r"|strongest|rows|smallest)))"
)
_LARGEST: Final = re.compile(
    r"\b(?:(?P<large>largest|biggest|strongest|top|highest|most frequent|most common)"
    r"|(?P<small>smallest|weakest|lowest|rarest))(?!-)(?:(?: fold[ -]changes?| runs?)? first)?\b"
)
_FIRST: Final = re.compile(
    r"[,;]? (?:with )?(?:the )?(?:most|largest|biggest|highest|(?P<small>fewest|smallest|lowest))"
    r"(?: \w+)? first$"
)
_SORTED: Final = re.compile(
    r"[,;:.]? ?(?:and )?(?:sort(?:ed)?|rank(?:ed)?|order(?:ed)?) (?:by|on) (?:the |their )?"
    r"(?P<by>[^,;:]+?)"
    r"(?P<way>,? (?:in )?(?:descending|ascending|largest first|highest first|smallest first"
    r"|lowest first)"
    r"(?: order)?)?(?=[,;:]|$)"
)
_AND: Final = re.compile(
    r"[,;:.]+ ?(?:and |plus |with )?| plus | as well as | (?:together|along) with | and | with "
    r"|^(?:with|as|and|showing|giving|including) "
)
_ALL: Final = re.compile(
    rf"(?:{MANY})(?: (?:of them|are there|there are|tested|(?:were|are) tested|(?:at|in) each))?"
)
_SHARE: Final = re.compile(
    r"(?:share|percent(?:age)?|fraction|proportion)(?: (?:that (?:is|are)|of))? (?P<what>.+?)"
    r"(?: ones?)?"
)
_FILTERED_SHARE: Final = "round(100.0 * count(*) FILTER ({condition}) / count(*), 1)"
_OF_THESE: Final = (
    rf"(?:{MANY}|share|percent(?:age)?|fraction|proportion)(?: of(?: them| these)?)?"
    r"(?: (?:that )?(?:is|are))? "
)
_KEEPING: Final = (
    r"(?:(?:only|for) \w+ )?(?:(?:with|of|having|that have|rest(?:ing)? on|rated|only|where"
    r"|(?:seen|found|occurring|occurs?) in|in) )?"
)
_LOW_FIRST: Final = ("q_value", "p_value")
"""Numbers whose smallest values come first."""
_FILLER: Final = re.compile(
    r"(?:(?:the|their|its|of|all|as rows|they (?:come|came) from|there are|are there|only|rows?"
    r"|for|in"
    r"|by|with|and|list|show|which|are|columns?|stored|each|one|found|tested|from|that|there"
    r"|index|rated|i (?:need|want)|give me)\b ?)*"
)


@dataclass(slots=True)
class _Asked:
    """What is read of a table of stored rows, and the words ``left``."""

    relation: Relation
    left: str
    where: list[str] = field(default_factory=list)
    said: list[str] = field(default_factory=list)
    having: list[str] = field(default_factory=list)
    groups: list[str] = field(default_factory=list)
    cells: list[tuple[str, str]] = field(default_factory=list)
    shown: list[str] = field(default_factory=list)
    by: str = ""
    ascending: bool = False
    limit: int | None = None


def stored_table(
    masked: str, resolve: Callable[[str], Question | None]
) -> tuple[Compiled, Question] | None:
    """Return the SQL of the stored rows that ``masked`` asks for and the question of what it names,
    None where any part of it is not understood; ``resolve`` as in ``grammar.asking``.
    """
    text = plainly(masked)
    relation = next((one for one in RELATIONS if re.search(rf"\b{one.noun}\b", text)), None)
    if relation is None:
        return None
    asked = _Asked(relation, text)
    _read_order(asked)
    _read_groups(asked)
    _read_head(asked)
    if not _read_named_values(asked, resolve):
        return None
    asked.left = re.sub(rf"\b(?:of )?(?:the )?{relation.noun}\b", " ", asked.left, count=1)
    _read_conditions(asked)
    _read_thresholds(asked)
    rest = _read_cells(asked)
    said = asked.groups or asked.cells or asked.shown or asked.where or asked.by
    if rest is None or not said:
        return None
    named = resolve(rest)
    if named is None:
        return None
    if named.groups:
        held = conditions_of_names(named) if relation is ASSOCIATIONS else None
        if held is None:
            return None
        asked.where += held[0]
        asked.said += held[1]
    if not asked.groups and asked.cells:
        return None
    return Compiled(_written(asked), _explained(asked)), named


def _take(asked: _Asked, pattern: str | re.Pattern[str]) -> re.Match[str] | None:
    found = re.search(pattern, asked.left)
    if found is None:
        return None
    joined = f"{asked.left[: found.start()]} {asked.left[found.end() :]}"
    asked.left = " ".join(re.sub(r"\s+([,;:.])", r"\1", joined).split()).strip(" ,;:.")
    return found


def _read_order(asked: _Asked) -> None:
    relation = asked.relation
    found = _SORTED.search(asked.left)
    key = _key(relation, found["by"]) if found else None
    if found is not None and (key or re.fullmatch(rf"{MANY}|{relation.noun}", found["by"])):
        _take(asked, _SORTED)
        asked.by = key or "count"
        down = re.search("descending|largest|highest", found["way"] or "") is not None
        up = re.search("ascending|smallest|lowest", found["way"] or "") is not None
        asked.ascending = up or (asked.by in _LOW_FIRST and not down)
    behind = _take(asked, _FIRST)
    if behind is not None and not asked.by:
        asked.by = relation.size
        asked.ascending = bool(behind["small"])
    limit = _take(asked, _LIMIT)
    if limit is not None:
        asked.limit = round(amount_of(limit["top"] or limit["number"]))
    largest = _take(asked, _LARGEST)
    if largest is not None and not asked.by:
        asked.by = relation.size
        asked.ascending = bool(largest["small"])


def _read_groups(asked: _Asked) -> None:
    one = "|".join(words for words, _ in asked.relation.columns.values())
    second = rf"(?:(?: and|,| x| by) (?:per )?(?P<b>{one}))?"
    per = rf"(?:^|(?<=[ ,;:.])){_PER} (?:the )?(?P<a>{one}){second}(?=[,;:. ]|$)"
    found = _take(asked, per)
    if found is not None:
        keys = [_key(asked.relation, found[name]) for name in ("a", "b") if found[name]]
        asked.groups = [key for key in keys if key]


def _read_head(asked: _Asked) -> None:
    """Read the noun that a list of counts opens with as what the rows are: attributes, each with
    the number of its associations.
    """
    if asked.groups or not re.search(rf"[:,] .*\b(?:{MANY})\b", asked.left):
        return
    for key, (words, _) in asked.relation.columns.items():
        found = re.match(
            rf"(?:most (?:associated|tested|frequent) )?(?:{words})(?=[:,])", asked.left
        )
        if found is not None:
            asked.left = asked.left[found.end() :].strip(" ,;:.")
            asked.groups = [key]
            return


def _read_named_values(asked: _Asked, resolve: Callable[[str], Question | None]) -> bool:
    """Read which rows have a name in a column: communities whose main host is §0; return whether
    each of these names is understood.
    """
    columns = "|".join(words for words, _ in asked.relation.columns.values())
    one = rf"(?:the )?(?P<column>{columns}) (?:is|=|are) (?P<name>§\d+)"
    while found := _take(asked, rf"(?:\b(?:whose|where|with|and) )+{one}"):
        key = _key(asked.relation, found["column"]) or ""
        named = resolve(found["name"])
        if named is None or len(named.mentions) != 1:
            return False
        value = literal(named.mentions[0].senses[0].label)
        asked.where.append(f"{asked.relation.columns[key][1]} = {value}")
        asked.said.append(f"{key} is {named.mentions[0].label}")
    return True


def _read_conditions(asked: _Asked) -> None:
    """Read which rows are meant: those that hold, those of a risk group."""
    several = len(re.findall(rf"\b(?:{MANY})\b", asked.left)) > 1
    for words, condition in asked.relation.where.items():
        if several and re.search(rf"\b{_OF_THESE}(?:{words})(?=[,;:.]|$)", asked.left):
            continue  # a number of its own: how many tested, how many significant
        found = _take(asked, rf"(?<![\w-])(?:{words})(?![\w-])")
        if found is not None:
            number = next((one for one in found.groupdict().values() if one), "")
            asked.where.append(condition.format(n=number))
            asked.said.append(found[0].strip())


def _read_thresholds(asked: _Asked) -> None:
    """Read which rows or groups are kept by their numbers: with at least 10 runs."""
    one = "|".join(words for words, _ in asked.relation.numbers.values())
    counted = rf"(?P<counted>{asked.relation.noun}|of (?:them|these))"
    number = rf"{COMPARED} (?:{counted}|(?P<of>{one}))(?: (?P<or>or (?:more|fewer|less)))?"
    while found := _take(asked, rf"(?<![\w.]){_KEEPING}{number}(?=[,;:. ]|$)"):
        sign = found["sign"] or found["after"] or found["or"] or ""
        if found["counted"]:
            compared = f"{compared_of(sign)} {amount_of(found['number']):g}"
            asked.having.append(f"count(*) {compared}")
            asked.said.append(found[0].strip())
        else:
            _keep(asked, found, sign)
    while found := _take(
        asked, rf"\b(?:with (?:a )?)?(?P<of>{one}) (?:of )?{COMPARED}(?=[,;:. ]|$)"
    ):
        _keep(asked, found, found["sign"] or found["after"] or "exactly")


def _keep(asked: _Asked, found: re.Match[str], sign: str) -> None:
    """Keep the rows whose number compares so, and show it."""
    key = _key(asked.relation, found["of"]) or ""
    _, column = asked.relation.numbers[key]
    asked.where.append(f"{column} {compared_of(sign)} {amount_of(found['number']):g}")
    asked.shown.append(key)
    asked.said.append(found[0].strip())


def _read_cells(asked: _Asked) -> str | None:
    """Read the numbers and columns of each row; return the words left, None where a column is asked
    for that groups do not have.
    """
    relation = asked.relation
    rest = []
    counted = re.search(r"\b(?:how many|(?:number|count)s? of)\b", asked.left) is not None
    for part in (one.strip() for one in _AND.split(asked.left)):
        bare = _FILLER.sub("", part, count=1).strip()
        if not bare or _key(relation, bare) in asked.groups:
            continue
        key = _key(relation, re.sub(r"^(?:the|their|its) ", "", bare))
        made = None
        if asked.groups or key is None:
            made = _made(relation, bare) or _counted(relation, bare, anything=counted)
        if made is not None:
            asked.cells.append(made)
        elif key is None:
            rest.append(bare)
        elif asked.groups:
            return None
        elif key not in asked.shown:
            asked.shown.append(key)
    return " ".join(rest)


def _made(relation: Relation, text: str) -> tuple[str, str] | None:
    """Return the expression of a mean or the like of a group, or of a share, and its name."""
    found = re.fullmatch(rf"(?P<how>{ANY_AGGREGATE}) (?:of )?(?:the |their )?(?P<of>.+)", text)
    key = _key(relation, found["of"]) if found else None
    if found is not None and key in relation.numbers:
        how = aggregate_meant(found["how"])
        return f"round({how}({relation.numbers[key][1]}), 3)", f"{how}_{key}"
    found = _SHARE.fullmatch(text)
    held = _condition(relation, found["what"]) if found else None
    return None if held is None else (_FILTERED_SHARE.format(condition=held), "percent")


def _counted(relation: Relation, text: str, *, anything: bool) -> tuple[str, str] | None:
    """Return the expression of a count of a group, and its name: of its rows, of those of a
    condition, or, where ``anything`` may be counted, of distinct values.
    """
    if _ALL.fullmatch(text):
        return "count(*)", relation.name
    bare = re.sub(rf"^(?:{MANY}) ", "", text)
    held = _condition(relation, re.sub(r"^(?:of (?:them|these) )?(?:are )?", "", bare))
    if bare != text and held is not None:
        return f"count(*) FILTER ({held})", re.sub(r"\W+", "_", bare)
    value = re.sub(r"^(?:of )?(?:the )?(?:different |distinct )?", "", bare)
    value = re.sub(r" (?:they (?:come|came) from|involved|covered|behind them)$", "", value)
    key = _key(relation, value)
    if anything and key in relation.columns:
        return f"count(DISTINCT {relation.columns[key][1]})", f"{key}_count"
    if anything and key in relation.numbers and text != value:
        return f"sum({relation.numbers[key][1]})", f"sum_{key}"
    return None


def _condition(relation: Relation, words: str) -> str | None:
    """Return the condition that ``words`` mean, None where they mean none, or one with a number."""
    held = [sql for known, sql in relation.where.items() if re.fullmatch(known, words)]
    return held[0] if held and "{" not in held[0] else None


def _key(relation: Relation, text: str) -> str | None:
    for key, (words, _) in {**relation.columns, **relation.numbers}.items():
        if re.fullmatch(words, text.strip()):
            return key
    return None


# --- SQL ------------------------------------------------------------------------------------------


def _written(asked: _Asked) -> str:
    where = f"\nWHERE {' AND '.join(asked.where)}" if asked.where else ""
    source = f"FROM {asked.relation.source}{where}"
    made = _grouped(asked, source) if asked.groups else _listed(asked, source)
    return made + limited_to(asked.limit)


def _listed(asked: _Asked, source: str) -> str:
    """Return the SELECT of stored rows with the columns asked for."""
    relation = asked.relation
    every = {**relation.columns, **relation.numbers}
    by = [asked.by] if asked.by in every else []
    names = dict.fromkeys([*relation.shown, *(asked.shown or relation.beside), *by])
    listed = ",\n       ".join(f"{every[one][1]} AS {one}" for one in names)
    direction = "ASC" if asked.ascending else "DESC"
    first = f"{asked.by} {direction} NULLS LAST, " if by else ""
    return f"SELECT {listed}\n{source}\nORDER BY {first}{relation.order}"


def _grouped(asked: _Asked, source: str) -> str:
    """Return the SELECT of numbers of each group, the first number highest."""
    relation = asked.relation
    cells = {name: sql for sql, name in asked.cells}
    if relation.name not in cells:
        cells = {relation.name: "count(*)", **cells}
    selected = [f"{relation.columns[one][1]} AS {one}" for one in asked.groups]
    selected += [f"{sql} AS {name}" for name, sql in cells.items()]
    listed = ",\n       ".join(selected)
    having = f"\nHAVING {' AND '.join(asked.having)}" if asked.having else ""
    by = next((one for one in cells if asked.by and one.endswith(asked.by)), next(iter(cells)))
    direction = "ASC" if asked.ascending else "DESC"
    rows = ", ".join(asked.groups)
    order = f"ORDER BY {by} {direction} NULLS LAST, {rows}"
    return f"SELECT {listed}\n{source}\nGROUP BY ALL{having}\n{order}"


def _explained(asked: _Asked) -> tuple[str, ...]:
    kind = "lists" if not asked.groups else "counts"
    said = f"{kind} the {asked.relation.name}"
    if asked.groups:
        said += f" for each {' and '.join(asked.groups).replace('_', ' ')}"
    return (said, *asked.said)
