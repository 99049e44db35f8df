"""Requests for rows that the index stores ready-made: tests, effects, pairs, reports, studies."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

import duckdb

from query.errors import QueryError
from query.reading.items import Item
from query.reading.meanings import is_common
from query.reading.stored_names import NotReadError, name_condition
from query.reading.stored_words import StoredPhrase, said_in
from query.request import Range, Records, Request, SortBy, Where
from query.request.records import TABLES, RecordTable

_CERTAIN: Final = 3
"""Minimum weight of words for a question to be about stored rows, whatever else it may look like.
"""
_OF_THE_INDEX: Final = ("vocabularies", "sources", "builds")
"""Tables about the index itself: no common word restricts their rows."""
_TEXTS: Final = ("title", "abstract")
_QUOTES: Final = frozenset("'\"“”‘’`")


def asks_for_records(items: Sequence[Item]) -> bool:
    """Return whether words plainly ask for stored rows: MWAS tests, virus-host pairs, reports."""
    return _table(said_in(items), _CERTAIN) is not None


def stored_parts(parts: Sequence[list[Item]]) -> list[list[Item]]:
    """Return ``parts``; those that only name further columns of stored rows are joined."""
    joined: list[list[Item]] = []
    for part in parts:
        counts = any(item.value == "count" for item in part)
        if joined and asks_for_records(joined[-1]) and not counts and not asks_for_records(part):
            joined[-1] = [*joined[-1], *part]
        else:
            joined.append(list(part))
    return joined


def stored_request(
    con: duckdb.DuckDBPyConnection, items: Sequence[Item], before: Request | None = None
) -> Request | None:
    """Return the request for stored rows that ``items`` make; None if some words do not fit.

    ``before`` is the request of the part before; a count may be about some of its rows.
    """
    said = said_in(items)
    name = _table(said, 1)
    if before is not None and isinstance(before.measure, Records):
        counts = any(item.value == "count" for item in items)
        if counts and _table(said, _CERTAIN) is None:
            part = _Part(con, tuple(items), tuple(said), TABLES[before.measure.table])
            part.where = list(before.measure.where)
            return _made(part)
    if not said and not any(item.kind in ("name", "number", "field") for item in items):
        return Request(Records("sources"))
    if name is None or not _is_named(said, name):
        return None
    return _made(_Part(con, tuple(items), tuple(said), TABLES[name]))


def _made(part: _Part) -> Request | None:
    try:
        return Request(_composed(part))
    except (NotReadError, QueryError, ValueError):
        return None


def _is_named(said: Sequence[StoredPhrase], table: str) -> bool:
    """Return whether a word means the table itself or its rows, not only a column."""
    return any(
        table in meaning.tables and meaning.role in ("table", "class", "order")
        for phrase in said
        for meaning in phrase.meanings
    )


def _table(said: Sequence[StoredPhrase], least: int) -> str | None:
    """Return the table with most weight, ``least`` or more; a title means studies."""
    weights = dict.fromkeys(TABLES, 0)
    for phrase in {phrase.text: phrase for phrase in said}.values():
        for table in TABLES:
            weights[table] += max(
                (m.weight for m in phrase.meanings if table in m.tables), default=0
            )
    has_text = any(phrase.text.startswith(_TEXTS) or " title" in phrase.text for phrase in said)
    for table in ("studies", "projects"):
        weights[table] = weights[table] + 1 if has_text and weights[table] else 0
    best = max(weights, key=lambda table: weights[table])
    tied = [table for table, weight in weights.items() if weight == weights[best]]
    if tied == ["communities", "reports"]:  # communities that have a report
        tied = [best := "reports"]
    return best if weights[best] >= least and len(tied) == 1 else None


@dataclass(slots=True)
class _Part:
    """Items of a part of a question, the phrases in them, and the table that they ask for."""

    con: duckdb.DuckDBPyConnection
    items: tuple[Item, ...]
    said: tuple[StoredPhrase, ...]
    table: RecordTable
    where: list[Where] = field(default_factory=list)
    used: set[int] = field(default_factory=set)
    """Places of the items that made a condition, an order or a limit."""

    def columns(self) -> Iterator[tuple[StoredPhrase, str]]:
        """Yield the phrases that name columns of the table, in order."""
        for phrase in self.said:
            for meaning in phrase.meanings:
                if meaning.role == "column" and meaning.value in self.table.columns:
                    yield phrase, meaning.value
                    break

    def has(self, tag: str) -> bool:
        """Return whether a cue is in the part."""
        return any(item.value == tag for item in self.items)

    def put(self, where: Where, *places: int) -> None:
        """Add a condition that ``places`` made; raises if its column already has another."""
        if any(other.column == where.column and other != where for other in self.where):
            raise NotReadError(where.column)
        if where not in self.where:
            self.where.append(where)
        self.used.update(places)


def _composed(part: _Part) -> Records:
    span = _text_condition(part)
    _class_conditions(part)
    order = _order(part)
    limit = _numbers(part)
    _name_conditions(part, span)
    _refuse_leftovers(part, span)
    by = _by(part)
    where = tuple(part.where)
    name = part.table.name
    if by:
        singular = part.has("top") and not part.has("per") and limit is None
        return Records(name, where=where, by=by, limit=1 if singular else limit or 100)
    columns = _listed(part)
    if part.table.name in ("studies", "projects") and not where and not columns:
        raise NotReadError("the words of the title")
    if order is not None and columns and order.by not in columns:
        columns = (*columns, order.by)
    if part.has("count") and not _counts_column(part):
        return Records(name, where=where, count=True)
    return Records(name, where=where, columns=columns, order=order, limit=limit or 100)


# --- conditions -------------------------------------------------------------------------------


def _text_condition(part: _Part) -> frozenset[int]:
    """Add the words that a title or abstract contains; return their places."""
    columns = [(phrase, name) for phrase, name in part.columns() if name in _TEXTS]
    inside = next((phrase for phrase in part.said if phrase.of("says")), None)
    is_in = inside is not None or _quoted(part) is not None
    if "title" not in part.table.columns or (not columns and inside is None) or not is_in:
        return frozenset()
    words = _quoted(part) or _spoken(part)
    if words is None:
        if part.table.name in ("studies", "projects"):
            raise NotReadError("the words of the title")
        return frozenset()
    if not columns:
        raise NotReadError("title or abstract")
    phrase, column = columns[0]
    text = " ".join(part.items[place].text for place in words)
    part.put(Where(column, contains=text), *range(phrase.first, phrase.last), *words)
    return frozenset(words)


def _quoted(part: _Part) -> tuple[int, ...] | None:
    marks = [place for place, item in enumerate(part.items) if item.text in _QUOTES]
    return tuple(range(marks[0] + 1, marks[1])) if len(marks) == 2 else None


def _spoken(part: _Part) -> tuple[int, ...] | None:
    """Return the only sequence of words and names that is not a table, a column or filler."""
    used_places = {place for phrase in part.said for place in range(phrase.first, phrase.last)}
    stretches: list[list[int]] = []
    for place, item in enumerate(part.items):
        if place in used_places or item.kind not in ("word", "name"):
            continue
        if stretches and stretches[-1][-1] == place - 1:
            stretches[-1].append(place)
        else:
            stretches.append([place])
    return tuple(stretches[0]) if len(stretches) == 1 else None


def _class_conditions(part: _Part) -> None:
    """Add what single words say about rows: significant, unexpected, risk group 4."""
    doubtful = part.has("or") and part.has("not")
    for phrase in part.said:
        meaning = phrase.of("class")
        if meaning is None:
            continue
        places = range(phrase.first, phrase.last)
        column, sign, value = _condition_parts(meaning.value)
        if column not in part.table.columns or (column == "q_value" and doubtful):
            part.used.update(places)
            continue
        if any(item.value == "not" for item in part.items[max(0, phrase.first - 2) : phrase.first]):
            raise NotReadError("a denied class")
        if sign == "<=":
            if not any(where.column == column for where in part.where):
                part.put(Where(column, range=Range(at_most=float(value))), *places)
        elif sign == "~":
            part.put(Where(column, contains=value), *places)
        else:
            part.put(Where(column, values=(value,)), *places)


def _condition_parts(condition: str) -> tuple[str, str, str]:
    sign = next(sign for sign in ("<=", "~", "=") if sign in condition)
    return condition.partition(sign)


def _name_conditions(part: _Part, span: frozenset[int]) -> None:
    """Add the viruses, hosts, tissues and accessions that are named."""
    used_places = {place for phrase in part.said for place in range(phrase.first, phrase.last)}
    for place, item in enumerate(part.items):
        if item.kind != "name" or item.name is None or place in span | used_places:
            continue
        column, value = name_condition(part, item)
        if column not in part.table.columns:
            raise NotReadError(item.text)
        part.put(Where(column, values=(value,)), place)
        before = part.items[place - 2 : place]
        is_field = len(before) == 2 and before[0].kind == "field" and before[1].text == "="
        if is_field and "attribute" in part.table.columns:
            part.put(Where("attribute", values=(before[0].text,)), place - 2)
        for phrase, said in part.columns():
            if said == column and (place - 4 < phrase.first < place or phrase.first == place + 3):
                part.used.update(range(phrase.first, phrase.last))


# --- numbers, order ---------------------------------------------------------------------------


def _numbers(part: _Part) -> int | None:
    """Add the bounds and levels that numbers make; return the limit."""
    limit: int | None = None
    used_places = {
        place
        for phrase in part.said
        if phrase.of("class")
        for place in range(phrase.first, phrase.last)
    }
    for place, item in enumerate(part.items):
        if item.kind not in ("number", "date") or place in used_places or item.number is None:
            continue
        bound = _bound(part, place)
        column = _column_near(part, place)
        if bound is not None and column is not None:
            _bound_column(part, column, bound, item.number)
            part.used.add(place)
        elif bound is None and column == "level":
            part.put(Where("level", values=(str(int(item.number)),)), place - 1, place)
        elif bound is None and item.number >= 1 and limit is None and _is_limit(part, place):
            limit = int(item.number)
            part.used.add(place)
        else:
            raise NotReadError(item.text)
    for place, item in enumerate(part.items):
        if item.text.lower() in ("level-0", "level-1", "level-2", "level-3"):
            part.put(Where("level", values=(item.text[-1],)), place)
    return limit


def _bound_column(part: _Part, column: str, bound: str, number: float) -> None:
    """Add a bound of a column; a given number replaces "significant"."""
    part.where = [
        where for where in part.where if not (where.column == column and where.range is not None)
    ]
    part.put(Where(column, range=Range(**{bound: number})))


def _bound(part: _Part, place: int) -> str | None:
    for item in reversed(part.items[max(0, place - 2) : place]):
        if item.value.startswith("bound:"):
            return item.value.partition(":")[2]
    for item in part.items[place + 1 : place + 3]:
        if item.value.startswith("bound_after:"):
            return item.value.partition(":")[2]
    return None


def _column_near(part: _Part, place: int) -> str | None:
    """Return the number column that a number bounds: projects after it, else the one before it."""
    numeric = [(phrase, name) for phrase, name in part.columns() if name in part.table.numbers]
    behind = [(phrase, name) for phrase, name in numeric if phrase.first == place + 1]
    before = [(phrase, name) for phrase, name in numeric if place - 4 < phrase.last <= place]
    if _bound(part, place) is None:
        return "level" if before and before[-1][1] == "level" else None
    chosen = [*behind, *reversed(before)]
    if not chosen:
        return None
    part.used.update(range(chosen[0][0].first, chosen[0][0].last))
    return chosen[0][1]


def _is_limit(part: _Part, place: int) -> bool:
    """Return whether a number says how many are shown: top 10, the ten with most runs."""
    near = part.items[max(0, place - 2) : place + 4]
    orders = [phrase for phrase in part.said if phrase.of("order")]
    return any(item.value in ("top", "fewest") for item in near) or any(
        abs(phrase.first - place) <= 3 for phrase in orders
    )


def _order(part: _Part) -> SortBy | None:
    """Return the order that words ask for: best rated first, smallest q-values, most runs."""
    for phrase in part.said:
        meaning = phrase.of("order")
        if meaning is None:
            continue
        column, _, direction = meaning.value.partition(" ")
        if column in part.table.columns:
            part.used.update(range(phrase.first, phrase.last))
            descending = direction == "desc" and not part.has("ascending")
            return SortBy(column, descending=descending)
    return None


# --- columns ----------------------------------------------------------------------------------


def _by(part: _Part) -> tuple[str, ...]:
    """Return the columns whose values are counted: per class, which attribute most often."""
    for phrase, column in part.columns():
        before = part.items[phrase.first - 1] if phrase.first else None
        if before is None or column in (where.column for where in part.where):
            continue
        is_most = part.has("top") and (before.value == "wh" or before.text.lower() == "wich")
        if (
            before.value == "per" and part.has("count") and column not in part.table.numbers
        ) or is_most:
            return (column,)
    return ()


def _listed(part: _Part) -> tuple[str, ...]:
    """Return the columns that are asked for, if two or more; otherwise the usual ones are shown."""
    free = [column for phrase, column in part.columns()
            if not part.used.intersection(range(phrase.first, phrase.last))]  # fmt: skip
    columns = list(dict.fromkeys(free))
    if "ci_low" in columns:
        columns.insert(columns.index("ci_low") + 1, "ci_high")
    if len(columns) == 1 and part.table.name == "vocabularies":
        columns.insert(0, "ontology")
    return tuple(dict.fromkeys(columns)) if len(columns) > 1 else ()


def _counts_column(part: _Part) -> bool:
    """Return whether "number of" is part of the name of a column: "number of runs"."""
    counts = [place for place, item in enumerate(part.items) if item.value == "count"]
    inside = [phrase for phrase, column in part.columns() if column in ("runs", "samples", "terms")]
    return bool(counts) and all(
        any(phrase.first <= place + 1 and place < phrase.last for phrase in inside)
        for place in counts
    )


def _refuse_leftovers(part: _Part, span: frozenset[int]) -> None:
    """Raise an error if a word is left that may restrict the rows."""
    used_places = {place for phrase in part.said for place in range(phrase.first, phrase.last)}
    for place, item in enumerate(part.items):
        is_harmless = part.table.name in _OF_THE_INDEX and is_common(item.text.lower())
        is_left = item.kind == "word" and place not in used_places | span | part.used
        if is_left and not is_harmless:
            raise NotReadError(item.text)
        if item.value == "except" or (item.value == "not" and not part.has("or")):
            is_number = item.text.lower() == "no"
            if not is_number:
                raise NotReadError(item.text)
