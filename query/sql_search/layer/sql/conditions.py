"""SQL of the conditions of a table: which runs and which hits it is of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from query.global_search.carrying import (
    LOOKED,
    equals_any,
    found_condition,
    looked_for,
    runs_carrying,
)
from query.global_search.matching import senses_counted
from query.reading.measured.amounts import SIGN_WORDS, number_text
from query.reading.mentions import Mention
from query.sql_search.layer.fields import FIELDS, Field, is_of_hits, plural_of
from query.sql_search.layer.request import (
    Measure,
    TableAsked,
    TableCondition,
)
from query.sql_search.layer.sql.sources import hits, values_of
from query.sql_search.statement import SqlStatement, identifier

_WITH_VIRUS: Final = "SELECT DISTINCT run FROM detection"


@dataclass(slots=True)
class RunConditions:
    """Writes the SQL of ``table``; ``meant`` says what each of its names means."""

    table: TableAsked
    meant: Mapping[str, Mention]
    fields: Mapping[str, Field] = field(default_factory=lambda: FIELDS)
    query: SqlStatement = field(default_factory=SqlStatement)
    known: dict[TableCondition, str] = field(default_factory=dict)
    names: dict[Measure | str, str] = field(default_factory=dict)
    said: list[str] = field(default_factory=list)
    implied: bool = False

    def _rows(self) -> list[str]:
        return [*(["name"] if self.table.names else []), *self.table.rows]

    def _lists(self) -> bool:
        return self.table.one_each and not any(
            isinstance(one, Measure) for one in self.table.columns
        )

    def _has_viral_rows(self) -> bool:
        named = any(self.meant[one].group == "virus" for one in self.table.names)
        return named or any(is_of_hits(one) for one in self.table.rows)

    def _is_of_values(self, one: TableCondition) -> bool:
        """Return whether a condition leaves out values of rows, and no runs: other rodents than
        mice.
        """
        if one.kind != "named" or not one.negated:
            return False
        facets = {facet for name in one.names for facet in self.meant[name].facets}
        return bool(facets & set(self.table.rows))

    def _wants_whole(self) -> bool:
        """Return whether a share is asked of all searched runs, and not of those with the virus."""
        return any(isinstance(one, Measure) and one.how == "percent" and one.whole is None
                   and not one.given for one in self.table.columns)  # fmt: skip

    def _also(self, name: str, what: str, select: str) -> None:
        self.query = self.query.also(name, what, select)

    def _is_viral(self, one: TableCondition) -> bool:
        return one.kind == "named" and all(self.meant[name].group == "virus" for name in one.names)

    def _is_hit_bound(self, one: TableCondition) -> bool:
        if one.kind == "known":
            return self.fields[one.field].held == "hit" and not one.negated
        return (one.kind == "bound" and is_of_hits(one.field)) or one.kind == "risk"

    def _runs_of(self, one: TableCondition) -> str:
        """Return the name of the query of the runs that a condition holds of, written once."""
        if one not in self.known:
            name = self._free(self._condition_name(one))
            self.known[one] = name
            self._also(name, f"runs {self.sentence(one)}", self._select(one))
        return self.known[one]

    def _free(self, name: str) -> str:
        taken = {part[0] for part in self.query.parts}
        return name if name not in taken else self._free(f"{name}_{len(taken)}")

    def _condition_name(self, one: TableCondition) -> str:
        text = "_".join(
            self.meant[name].text if name in self.meant else name for name in one.names[:2]
        )
        said = identifier(text or one.field or one.kind, "named")
        lead = "without" if one.negated else "with"
        return f"{lead}_{said}" if one.kind != "searched" else "looked"

    def _select(self, one: TableCondition) -> str:
        if one.kind == "virus":
            return _WITH_VIRUS
        if one.kind == "searched":
            return looked_for(self._viruses_named())
        if one.kind == "no virus":
            return f"SELECT run FROM ({LOOKED}) WHERE run NOT IN ({_WITH_VIRUS})"
        if one.kind == "named":
            return self._select_named(one)
        if one.kind == "risk":
            return self._of_hits([self._hit_bound(one)], [])
        found = self.fields[one.field]
        if one.kind == "count":
            return self._with_so_many(one, found)
        if is_of_hits(one.field):
            compared = f"{found.sql} {one.sign} {one.number:g}" if one.kind == "bound" else (
                f"{found.sql} IS NOT NULL")  # fmt: skip
            return self._of_hits([compared], [one.field])
        return self._of_run(one, found)

    def _viruses_named(self) -> str:
        """Return the condition on a detection that it is of a virus which the table names."""
        viral = [one for one in self.meant.values() if one.group == "virus"]
        return found_condition([sense for one in viral for sense in one.senses])

    def _of_hits(self, conditions: list[str], keys: Sequence[str]) -> str:
        inner = hits(keys, runs="run", conditions=[*conditions, *self._of_viruses()])
        return f"SELECT DISTINCT run FROM (\n{inner}\n)"

    def _of_run(self, one: TableCondition, found: Field) -> str:
        values = values_of(found, "run")
        if one.kind == "known":
            if one.negated:
                return f"SELECT run FROM run WHERE run NOT IN (SELECT run FROM (\n{values}\n))"
            return f"SELECT DISTINCT run FROM (\n{values}\n)"
        return (
            f"SELECT DISTINCT run FROM (\n{values}\n) WHERE {one.field} {one.sign} {one.number:g}"
        )

    def _with_so_many(self, one: TableCondition, found: Field) -> str:
        inner = (hits([one.field], runs="run", conditions=self._of_viruses())
                 if is_of_hits(one.field) else values_of(found, "run"))  # fmt: skip
        return (
            f"SELECT run FROM (\n{inner}\n)\nGROUP BY run "
            f"HAVING count(DISTINCT {one.field}) {one.sign} {one.number:g}"
        )

    def _select_named(self, one: TableCondition) -> str:
        mentions = [self.meant[name] for name in one.names]
        groups: dict[str, list[str]] = {}
        for mention in mentions:
            select = runs_carrying(senses_counted(mention))
            groups.setdefault("" if one.at_once else mention.group, []).append(select)
        if one.at_once:
            carrying = "\nINTERSECT\n".join(f"({each})" for each in groups[""])
        else:
            united = ["\nUNION\n".join(f"({each})" for each in some) for some in groups.values()]
            carrying = "\nINTERSECT\n".join(f"({each})" for each in united)
        if not one.negated:
            return carrying if len(mentions) > 1 else runs_carrying(senses_counted(mentions[0]))
        if all(mention.group == "virus" for mention in mentions):
            looked = looked_for(self._viruses_named())
            return f"SELECT run FROM ({looked}) WHERE run NOT IN ({carrying})"
        facets = {facet for mention in mentions for facet in mention.facets}
        stated = f"SELECT run FROM annotation WHERE facet {equals_any(sorted(facets))}"
        return f"SELECT DISTINCT run FROM ({stated}) WHERE run NOT IN ({carrying})"

    def _of_viruses(self) -> list[str]:
        """Return the conditions on a hit that the table is of: of its viruses."""
        if self.table.company:
            named = [self.meant[one] for one in self.table.company
                     if self.meant[one].group == "virus"]  # fmt: skip
            of_them = found_condition([sense for one in named for sense in one.senses])
            return [f"NOT coalesce({of_them}, false)"] if of_them else []
        made = []
        for one in self.table.where:
            if self._is_viral(one):
                senses = [sense for name in one.names for sense in self.meant[name].senses]
                of_them = found_condition(senses)
                if of_them:
                    made.append(f"NOT coalesce({of_them}, false)" if one.negated else of_them)
        positive = [one for one in made if not one.startswith("NOT ")]
        either = " OR ".join(f"({one})" for one in positive)
        rest = [one for one in made if one.startswith("NOT ")]
        both = any(one.at_once for one in self.table.where) or len(positive) > 1
        return [*([either] if both and either else positive), *rest]

    def _hit_conditions(self) -> list[str]:
        """Return all conditions on a hit: its virus, and bounds of its numbers."""
        bounds = [self._hit_bound(one) for one in self.table.where if self._is_hit_bound(one)]
        return [*self._of_viruses(), *bounds]

    def _hit_bound(self, one: TableCondition) -> str:
        """Return a bound as a condition on a row of ``detection``."""
        if one.kind == "risk":
            groups = f"SELECT virus FROM virus_risk WHERE risk_group {equals_any(one.names)}"
            return f"d.virus IN ({groups})"
        if one.kind == "known":
            return f"{self.fields[one.field].sql} IS NOT NULL"
        return f"{self.fields[one.field].sql} {one.sign} {one.number:g}"

    def _open(self) -> None:
        """Write the queries of the runs that the table is of."""
        whole = [
            one
            for one in self.table.where
            if not self._is_viral(one) and not self._is_of_values(one)
        ]
        viral = [one for one in self.table.where if self._is_viral(one)]
        bounds = [one for one in whole if self._is_hit_bound(one)]
        whole = [one for one in whole if one not in bounds]
        names = [self._runs_of(one) for one in whole]
        needs_all = bool(viral or bounds) and self._wants_whole()
        if needs_all:
            self._also("base", "runs that the table is of, with the virus or not", _joined(names))
        names += [self._runs_of(one) for one in viral if not one.negated or not self._lists()]
        names += [self._runs_of(one) for one in viral if one.negated and self._lists()]
        if bounds:
            conditions = self._hit_conditions()
            select = f"SELECT DISTINCT run FROM detection d WHERE {' AND '.join(conditions)}"
            self._also("hit_runs", "runs with such a hit", select)
            names.append("hit_runs")
        if self.table.company:
            names = [one for one in names if one]
        self._also("matched", "runs that the table is of" if names else "all runs", _joined(names))
        self.said.append(self._about())

    def sentence(self, one: TableCondition) -> str:
        """Return in words which runs a condition holds of."""
        if one.kind == "risk":
            return f"with a virus of {' or '.join(one.names)}"
        kinds = {"virus": "with a virus", "no virus": "searched and without a virus",
                 "searched": "searched for viruses"}  # fmt: skip
        if one.kind in kinds:
            return kinds[one.kind]
        if one.kind == "named":
            joint = " and " if one.at_once else " or "
            names = joint.join(self.meant[name].name for name in one.names)
            return f"known to be without {names}" if one.negated else f"of {names}"
        if one.kind == "known":
            return f"{'without' if one.negated else 'with'} a known {one.field}"
        compared = f"{SIGN_WORDS[one.sign]} {number_text(one.number)}" if one.sign else ""
        return (
            f"with {one.field} {compared}"
            if one.kind == "bound"
            else (
                f"with {compared} {plural_of(one.field)}"
                if one.kind == "count"
                else "with such a hit"
            )
        )

    def _about(self) -> str:
        if not self.table.where:
            return "reads all runs of the index"
        said = [self.sentence(one) for one in self.table.where]
        said += [f"leaving out what is found in runs {self.sentence(replace(one, negated=False))}"
                 for one in self.table.nowhere]  # fmt: skip
        return "reads the runs " + " and ".join(said)


def _joined(names: Sequence[str]) -> str:
    lines = [
        "SELECT run FROM run",
        *(f"SEMI JOIN {name} USING (run)" for name in dict.fromkeys(names)),
    ]
    return "\n".join(lines)
