"""SQL of rows: the runs and hits that they are made of."""

from __future__ import annotations

from collections.abc import Sequence

from query.global_search.carrying import equals_any, found_condition, runs_carrying
from query.global_search.matching import senses_counted
from query.reading.mentions import Mention
from query.sql_search.layer.fields import RUN, is_of_hits
from query.sql_search.layer.request import (
    ImpossibleTableError,
    Measure,
    TableCondition,
)
from query.sql_search.layer.sql.conditions import RunConditions
from query.sql_search.layer.sql.sources import hits, values_of


class RunRows(RunConditions):
    """Writes the FROM of rows and of their numbers."""

    def _attribute(self, key: str) -> str:
        """Return the join of what a run states: several values of one run are joined by semicolons,
        and runs whose place is not known are in no row.
        """
        name = f"of_{key}"
        if is_of_hits(key):
            raise ImpossibleTableError(key)
        found = self.fields[key]
        values = values_of(found, "matched")
        if found.held in ("run", "place"):
            self._also(name, f"{key} of these runs", values)
            return f"{'' if found.held == 'place' else 'LEFT '}JOIN {name} USING (run)"
        joined = f"string_agg(DISTINCT {key}, '; ' ORDER BY {key}) AS {key}"
        self._also(
            name, f"{key} of these runs", f"SELECT run, {joined}\nFROM (\n{values}\n)\nGROUP BY run"
        )
        return f"LEFT JOIN {name} USING (run)"

    def _of_one_hit(self, cell: Measure, one: TableCondition) -> bool:
        """Return whether a condition on a number of hits is one on the hits themselves: the reads
        of a virus, species with an identity above 90.
        """
        of_hits = is_of_hits(cell.of)
        bounds = self._is_hit_bound(one) and (of_hits or self._has_viral_rows())
        return bounds or (self._is_viral(one) and of_hits)

    def _source(self, keys: Sequence[str], cell: Measure | None = None) -> str:
        """Return the FROM of rows with ``keys``: hits of the rows of viruses, and each value of the
        others.
        """
        wanted = [*self.table.rows, *keys]
        viral = [one for one in wanted if is_of_hits(one)]
        if viral and "source" in wanted:
            viral.append("hit_source")
        runs = self._domain(cell)
        parts = []
        given = [
            one for one in (cell.given if cell else ()) if cell and self._of_one_hit(cell, one)
        ]
        named_viruses = self.table.names and self.meant[self.table.names[0]].group == "virus"
        if named_viruses:
            parts.append(self._hits_of_names(viral, runs, given))
        elif viral:
            parts.append(self._hits(viral, runs, self._hit_conditions(), given))
        if self.table.names and not named_viruses:
            parts.append(self._runs_of_names(runs))
        parts += self._values(wanted, runs, of_hits=bool(viral))
        if not parts:
            return f"FROM {runs}"
        first, *others = parts
        joins = [f"JOIN (\n{one}\n) USING (run)" for one in others]
        return "\n".join([f"FROM (\n{first}\n)", *joins])

    def _values(self, wanted: Sequence[str], runs: str, *, of_hits: bool) -> list[str]:
        """Return the SELECTs of what runs state: one of all fields that are of the same rows."""
        keys = [one for one in wanted if one != RUN and not is_of_hits(one)]
        if of_hits:
            keys = [one for one in keys if one != "source"]
        stat = [one for one in keys if self.fields[one].held == "stat"]
        made = [values_of(self.fields[one], runs, self._kept_values(one))
                for one in keys if one not in stat]  # fmt: skip
        if stat:
            selected = ", ".join(f"{self.fields[one].sql} AS {one}" for one in stat)
            made.append(f"SELECT s.run, {selected} FROM stat_hit s JOIN term t USING (curie)\n"
                        f"SEMI JOIN {runs} ON {runs}.run = s.run")  # fmt: skip
        return made

    def _domain(self, cell: Measure | None) -> str:
        """Return the query of the runs that a number is of: those with the virus, or all."""
        has_base = any(part[0] == "base" for part in self.query.parts)
        if not has_base or self._has_viral_rows():
            return "matched"
        of_whole = cell is None or cell.given == (TableCondition("searched"),)
        return "base" if of_whole else "matched"

    def _hits(
        self,
        viral: Sequence[str],
        runs: str,
        conditions: Sequence[str],
        given: Sequence[TableCondition],
    ) -> str:
        extra = []
        for one in given:
            if self._is_hit_bound(one):
                extra.append(self._hit_bound(one))
            else:
                of_them = found_condition(
                    [sense for name in one.names for sense in self.meant[name].senses]
                )
                extra.append(f"NOT coalesce({of_them}, false)" if one.negated else of_them)
        rows = [one for one in viral if not self.fields[one].numeric and one in self.table.rows]
        stated = [f"{self.fields[one].sql} IS NOT NULL" for one in rows]
        if any(self.fields[one].held in ("virus", "risk") for one in viral):
            viral = [*viral, "taxon"]
        return hits(viral, runs=runs, conditions=[*conditions, *extra, *stated])

    def _hits_of_names(
        self, viral: Sequence[str], runs: str, given: Sequence[TableCondition]
    ) -> str:
        selects = []
        bounds = [self._hit_bound(one) for one in self.table.where if self._is_hit_bound(one)]
        for name in self.table.names:
            of_them = found_condition(self.meant[name].senses)
            inner = self._hits(viral, runs, [of_them, *bounds], given)
            label = _quoted(self.meant[name])
            selects.append(f"SELECT *, {label} AS name FROM (\n{inner}\n)")
        return "\nUNION ALL BY NAME\n".join(selects)

    def _runs_of_names(self, runs: str) -> str:
        selects = []
        for name in self.table.names:
            carrying = runs_carrying(senses_counted(self.meant[name]))
            label = _quoted(self.meant[name])
            selects.append(
                f"SELECT run, {label} AS name\nFROM ({carrying}) SEMI JOIN {runs} USING (run)"
            )
        return "\nUNION ALL\n".join(selects)

    def _kept_values(self, key: str) -> str:
        """Return the condition that keeps values to those below the names of their kind."""
        made = []
        for one in self.table.where:
            if one.kind != "named":
                continue
            named = [self.meant[name] for name in one.names if key in self.meant[name].facets]
            if not named or key == "geography":
                continue
            curies = [curie for each in named for curie in each.curies]
            values = [sense.value for each in named for sense in each.senses
                      if sense.facet == key and sense.value]  # fmt: skip
            below = f"curie IN (SELECT descendant FROM closure WHERE ancestor {equals_any(curies)})"
            parts = [f"curie {equals_any(curies)}", below] if curies else []
            parts += [f"value {equals_any(values)}"] if values else []
            if parts:
                either = " OR ".join(parts)
                made.append(f" AND {'NOT ' if one.negated else ''}coalesce({either}, false)")
        return "".join(made)


def _quoted(one: Mention) -> str:
    escaped = one.label.replace("'", "''")
    return f"'{escaped}'"
