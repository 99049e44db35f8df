"""Rows that a model behind a client may not see: removed from a result, counted and mentioned.

A row is an element of a list: a point, a line of a table, a community, a statement. It is left out
if it is of a community whose risk group may not be seen, or names an agent that may not be seen. In
a text, a mark replaces the clause that does so. If the question itself names such an agent,
everything found is about it, so every row and the whole text are withheld. A result is never
refused for this: the rest is given, with ``withheld``, the number of rows of each group.

A family or genus is not an agent: it may be named if one of its members in the index may be seen.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

import duckdb

from index.checking.unseen import hidden_codes, unseen_names
from index.exposure import GROUPS, count_groups, group_counts
from index.models.gated import WithheldNames
from query.gate import Gate

Record = dict[str, Any]
RowT = TypeVar("RowT")

NOTE: Final = "withheld for biosafety"
_KEPT: Final = ("question", "asked", "name", "mode", "usage", "columns")
"""Entries of a result that are the client's own words, or hold no names."""
_CLAUSE: Final = re.compile(r"((?<=[.;:!?])\s+|,\s+|\s+(?:and|beside|but)\s+)")
_COMMUNITY: Final = re.compile(r"\bC\d+-[0-9a-f]+\b")
_SHORTEST_PART: Final = 4
"""Letters of a part of a name that a pattern may find agents by."""


@dataclass(frozen=True)
class Unseen:
    """What a model may not see of an index."""

    names: WithheldNames
    """Names of agents, with their risk groups."""
    communities: Mapping[str, str]
    """Communities, with their risk groups."""
    codes: Mapping[str, str] = field(default_factory=dict)
    """CURIEs and sOTUs of viruses, with their risk groups."""
    seen: str = ""
    """Names of viruses that may be seen, hosts and tissues, in lower case, one a line."""

    def group_of(self, text: str) -> str | None:
        """Return the risk group of what ``text`` names or identifies; None if it may be seen."""
        found = self.group_of_code(text.strip())
        if found is None and (named := self.names.found_in(text)):
            return named[1]
        return found

    def group_of_code(self, code: str) -> str | None:
        """Return the risk group of a community, a CURIE or an sOTU; None if it may be seen."""
        return self.communities.get(code, self.codes.get(code))

    def group_of_part(self, text: str) -> str | None:
        """Return the risk group of names that contain ``text``, if no name that may be seen does.

        A pattern finds what it does not name: ``%bolavir%``.
        """
        parts = [
            part for part in re.split(r"[^\w\s-]+|_", text.lower()) if len(part) >= _SHORTEST_PART
        ]
        for part in parts:
            if part not in self.seen:
                group = self.names.group_of_part(part)
                if group:
                    return group
        return None


@dataclass
class Withholding:
    """What is withheld from one result; ``count`` grows with what is found in it."""

    unseen: Unseen
    count: Counter[str] = field(default_factory=Counter)

    def result(self, record: Record, *, about: Iterable[str] = ()) -> Record:
        """Return ``record`` without the rows that may not be seen, and how many these are.

        ``about`` says what all of it is about: the question, and the names it was read as.
        """
        subjects = [self.unseen.names.found_in(text) for text in about]
        groups = [subject[1] for subject in subjects if subject]
        group = max(groups, key=GROUPS.index, default=None)
        record = {key: self._entry(key, value, group) for key, value in record.items()}
        counted = count_groups(self.count.elements())
        if not counted:
            return {**record, "withheld": {}}
        note = f"{NOTE}: {group_counts(counted)} (docs/biosafety.md)"
        return {**record, "withheld": counted, "note": note}

    def text(self, text: str) -> str:
        """Return ``text`` with a mark in place of each clause that names what may not be seen, and
        of each line about a community that may not.
        """
        return "\n".join(self._line(line) for line in text.split("\n"))

    def rows(self, rows: Iterable[RowT]) -> list[RowT]:
        """Return the rows that may be seen; the others are counted."""
        if not self.unseen.names and not self.unseen.codes and not self.unseen.communities:
            return list(rows)
        return [row for row in rows if not self._counted(self.row_group(row))]

    def row_group(self, row: object) -> str | None:
        """Return the risk group because of which ``row`` is withheld; None if it may be seen."""
        for value in _scalars(row):
            group = self.unseen.group_of_code(value)
            if group is not None:
                return group
        found = self.unseen.names.found_in(json.dumps(row, ensure_ascii=False, default=str))
        return found[1] if found else None

    def _line(self, line: str) -> str:
        for community in _COMMUNITY.findall(line):
            if community in self.unseen.communities:
                return self._mark(self.unseen.communities[community])
        if self.unseen.names.found_in(line) is None:
            return line
        parts = _CLAUSE.split(line)
        parts[::2] = [self._clause(clause) for clause in parts[::2]]
        shown = "".join(parts)
        left = self.unseen.names.found_in(shown)
        return self._mark(left[1]) if left else shown

    def _clause(self, clause: str) -> str:
        found = self.unseen.names.found_in(clause)
        return self._mark(found[1]) if found else clause

    def _mark(self, group: str) -> str:
        self.count[group] += 1
        return f"[withheld: {group}]"

    def _entry(self, key: str, value: object, group: str | None) -> object:
        """Return the entry ``key`` of a result without what may not be seen; if the whole result is
        about an agent of ``group``, without anything found and without numbers.
        """
        if key in _KEPT:
            return value
        if isinstance(value, str):
            return self._mark(group) if group else self.text(value)
        if isinstance(value, dict):
            return {name: self._entry(name, inner, group) for name, inner in value.items()}
        if isinstance(value, list | tuple):
            return [row for row in value if not self._counted(group or self.row_group(row))]
        return None if group else value

    def _counted(self, group: str | None) -> bool:
        """Return whether a row of ``group`` is withheld, and count it."""
        if group is None:
            return False
        self.count[group] += 1
        return True


def read_unseen(con: duckdb.DuckDBPyConnection, gate: Gate) -> Unseen:
    """Return what ``gate`` withholds of the index behind ``con``."""
    if gate.sees_all:
        return Unseen(WithheldNames(), {})
    names = unseen_names(con, gate.policy, local=gate.local)
    communities = con.execute(_COMMUNITIES, {"groups": gate.groups}).fetchall()
    ((seen,),) = con.execute(_SEEN, {"groups": gate.groups}).fetchall()
    return Unseen(names, dict(communities), hidden_codes(con, gate.groups, names), seen or "")


def _scalars(row: object) -> Iterable[str]:
    """Yield the texts of a row, except those of rows inside it."""
    if isinstance(row, str):
        yield row
    elif isinstance(row, dict | list | tuple):
        values = row.values() if isinstance(row, dict) else row
        yield from (value for value in values if isinstance(value, str))


_COMMUNITIES: Final = """
SELECT c.community, coalesce(k.risk_group, 'unknown')
FROM community c LEFT JOIN community_risk k USING (community)
WHERE NOT list_contains($groups, coalesce(k.risk_group, 'unknown'))
"""
_SEEN: Final = """
SELECT string_agg(DISTINCT lower(name), chr(10)) FROM (
    SELECT n.name FROM virus_risk r
    JOIN (SELECT virus, name FROM virus_name UNION SELECT virus, name FROM virus) n USING (virus)
    WHERE list_contains($groups, r.risk_group)
    UNION ALL SELECT DISTINCT value FROM annotation WHERE facet IN ('host', 'tissue')
)
"""
