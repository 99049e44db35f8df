"""SELECTs of what runs have: the values of a field, and the hits of a ``Hit``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final

from index.store.kmer_shares import shares_of
from index.store.run_values import AT_SPECIES, WEIGHED_VIRUS_OF
from ontology_etl.missing import no_name_sql
from query.compiler.parameters import Parameters
from query.compiler.resolving import Resolver, attributes_called, few_below, terms_near
from query.compiler.reviewed import seas
from query.request import Hit, Range, RequestField, field_named
from query.request.fields import ATTRIBUTE

NARROW: Final = frozenset({"cell_line", "sea"})
"""Fields that are some of the annotations of a facet, not all."""
HOST_GROUPS: Final = ("plants", "fungi", "vertebrates", "invertebrates")
"""Groups of hosts that viruses are recorded in."""
SPECIES_IDENTITY: Final = 90
"""Percent identity from which a hit supports a species."""
_EXPECTED: Final = (
    "SELECT run, virus, min(plausibility) AS plausibility FROM run_plausibility GROUP BY ALL"
)
_BESIDE_HITS: Final = {
    "v.": "virus v ON v.virus = d.virus",
    "k.": "virus_risk k ON k.virus = d.virus",
    "p.": f"({_EXPECTED}) p ON p.run = d.run AND p.virus = {WEIGHED_VIRUS_OF.format('d.')}",
}
"""Tables to join to a hit ``d``, by the prefix of their columns."""
_SOURCES: Final = (
    "SELECT DISTINCT source AS value FROM searched UNION SELECT DISTINCT source FROM detection"
)
_ATTRIBUTES: Final = f"""
SELECT run, value FROM stated_attribute
WHERE {{named}} AND NOT {no_name_sql("value")}
"""
_LINES: Final = """
curie IN (
    SELECT t.curie FROM used_term t WHERE t.ontology = 'BTO' AND (
        contains(t.label, 'cell line')
        OR regexp_matches(t.label, '^[A-Z]+[A-Za-z]*-?[0-9]+.* cell$')
    )
    UNION ALL
    SELECT c.descendant FROM closure c JOIN used_term u ON u.curie = c.ancestor
    WHERE u.ontology = 'BTO' AND contains(u.label, 'cell line')
)
"""
"""Condition on a tissue that it is a cell line, which no one term of BTO covers."""
_TABLES_OF_RUNS: Final = {
    "run": ("run", "NULL"),
    "place": ("run JOIN place USING (biosample)", "NULL"),
    "study_design": (
        "run r JOIN study_design d ON d.study = coalesce(r.bioproject, r.study)",
        "NULL",
    ),
    "other_by_kmers": ("other_by_kmers o JOIN used_term n ON n.curie = o.organism", "o.organism"),
}
"""Tables with columns of runs, and the column that is a term."""
_EVIDENCE: Final = {
    "any": "",
    "species": AT_SPECIES,
    "known": "d.identity IS NOT NULL",
    "reported": "d.identity IS NULL",
}
_NAMED: Final = "coalesce(v.genus IS NOT NULL OR v.species IS NOT NULL, false)"
_COMPARED: Final = {"at_least": ">=", "above": ">", "at_most": "<=", "below": "<"}
RANKS: Final = (
    "domain", "superkingdom", "kingdom", "subkingdom", "superphylum", "phylum", "subphylum",
    "superclass", "class", "subclass", "infraclass", "cohort", "superorder", "order", "suborder",
    "infraorder", "parvorder", "superfamily", "family", "subfamily", "tribe", "subtribe", "genus",
    "subgenus", "species group", "species subgroup", "species", "subspecies", "varietas", "strain",
)  # fmt: skip
"""Ranks of NCBI Taxonomy, the highest first."""


@dataclass(frozen=True)
class Holdings:
    """Writes SELECTs of what runs have; values are bound to ``parameters``."""

    names: Resolver
    parameters: Parameters

    # --- fields of runs -----------------------------------------------------------------------

    def stated(self, field: RequestField) -> str:
        """Return a SELECT of ``run, value, curie``: the values of a field of runs, as stated.

        Values are not null. A run may have several values, or one twice. Members of communities
        other than runs are among them.
        """
        if field.table == "annotation":
            return (
                f"SELECT run, {field.column} AS value, curie FROM annotation "
                f"WHERE {self.is_of(field)}"
            )
        if field.table == "stated_attribute":
            return self._attributes(field)
        if field.table == "community_member":
            return "SELECT entity AS run, community AS value, NULL AS curie FROM community_member"
        source, curie = _TABLES_OF_RUNS[field.table]
        return (
            f"SELECT run, {field.column} AS value, {curie} AS curie FROM {source} "
            f"WHERE {field.column} IS NOT NULL"
        )

    def is_of(self, field: RequestField) -> str:
        """Return the condition that a row of ``annotation`` is of a field."""
        some = {"cell_line": _LINES, "sea": self._is_sea(field_named("sea").column)}
        narrow = f" AND {some[field.name]}" if field.name in some else ""
        return f"facet = {self.parameters.bind(field.facet)}{narrow}"

    def _is_sea(self, column: str) -> str:
        return self.parameters.any_of(f"lower({column})", tuple(map(str.lower, seas())))

    def at_level(self, field: RequestField, level: str | int | None) -> str:
        """Return ``stated`` as lists show it: taxa rolled up to a rank, communities of one level (0
        by default), countries without seas.
        """
        if field.table == "community_member":
            number = self.parameters.bind(level if isinstance(level, int) else 0)
            return (
                f"SELECT run, value, curie FROM ({self.stated(field)}) s JOIN run USING (run) "
                f"JOIN community c ON c.community = s.value WHERE c.level = {number}"
            )
        if field.name == "country":
            return f"SELECT * FROM ({self.stated(field)}) WHERE NOT {self._is_sea('value')}"
        if not isinstance(level, str) or field.type != "term":
            return self.stated(field)
        return rolled_up(self.stated(field), self.parameters.bind(level))

    def written(self, field: RequestField) -> str:
        """Return ``stated`` as filters read it: a place counts by its parts and as submitted, too.

        The Red Sea is a part of the Indian Ocean.
        """
        stated = self.stated(field)
        if field.type != "place":
            return stated
        own = f"FROM annotation WHERE {self.is_of(field)}"
        return (
            f"{stated} UNION ALL SELECT run, value, curie {own} "
            f"UNION ALL SELECT run, text, curie {own}"
        )

    def with_share(self, field: RequestField, values: tuple[str, ...], bounds: Range) -> str:
        """Return a SELECT of the runs in which the share of k-mers of a taxon, in percent, is
        within ``bounds``.

        The share is 0 in a run that is known not to have the taxon.
        """
        at_or_below = self._kmers_below(field, values)
        shares = shares_of(at_or_below, "closure")
        zero = f"SELECT run, 0.0 AS share FROM ({self.resolved(field, values)})"
        in_percent = f"SELECT run, 100 * share AS share FROM ({shares})"
        filled = (
            f"SELECT run, max(share) AS share FROM ({in_percent} UNION ALL {zero}) GROUP BY run"
        )
        return f"SELECT run FROM ({filled}) WHERE {self.within('share', bounds, of=field)}"

    def resolved(self, field: RequestField, values: tuple[str, ...]) -> str:
        """Return a SELECT of the runs for which the share of k-mers of a taxon is known: their
        profile lists the taxon, something below it, or any taxon of its rank or a lower one.
        """
        ranks = self.parameters.bind(list(RANKS))
        taxa = self.taxa(field, values)
        taxon = self.parameters.any_of("curie", taxa)
        term = terms_near(self.names.con, *taxa)
        return (
            f"SELECT run FROM ({self._kmers_below(field, values)}) UNION "
            "SELECT run FROM stat_hit JOIN used_term t USING (curie) "
            f"WHERE list_position({ranks}, t.rank) >= coalesce("
            f"(SELECT list_position({ranks}, rank) FROM {term} WHERE {taxon}), 1)"
        )

    def _kmers_below(self, field: RequestField, values: tuple[str, ...]) -> str:
        """Return a SELECT of ``run, taxon, curie, share``: what is listed at or below a taxon."""
        taxa = self.parameters.any_of("c.ancestor", self.taxa(field, values))
        return (
            "SELECT s.run, c.ancestor AS taxon, s.curie, s.share FROM stat_hit s "
            f"JOIN closure c ON c.descendant = s.curie WHERE {taxa}"
        )

    def is_one(self, field: RequestField, values: tuple[str, ...], *, below: bool = True) -> str:
        """Return the condition on ``value, curie`` of a field: one of ``values``, or below one.

        Of a column of ``run`` it is a condition on that column.
        """
        if field.type == "term":
            curies = self.taxa(field, values)
            return (
                self.is_below("curie", curies) if below else self.parameters.any_of("curie", curies)
            )
        if field.type == "place":
            return self._is_place(field, values, below=below)
        written = self.names.values(field, values, self._listed(field))
        return self.parameters.any_of(f"lower({value_of(field)})", written)

    def contains(self, column: str, text: str) -> str:
        """Return the condition that ``column`` has ``text`` in it."""
        return f"contains(lower({column}), {self.parameters.bind(text.lower())})"

    def numbers(self, field: RequestField) -> str:
        """Return a SELECT of ``run, value`` that can be compared: numbers or dates, not null."""
        stated = self.stated(field)
        if field.name.startswith(ATTRIBUTE):
            number = "try_cast(value AS DOUBLE)"
            return f"SELECT run, {number} AS value FROM ({stated}) WHERE {number} IS NOT NULL"
        return stated

    def within(self, column: str, bounds: Range, *, of: RequestField | None = None) -> str:
        """Return the condition that ``column`` is within ``bounds``.

        A date is compared by its days: after 2018 begins with the first day of 2019.
        """
        conditions = []
        for name, bound in bounds.bounds().items():
            if of is not None and of.type == "date":
                first, next_one = _days(str(bound))
                is_end = name in ("above", "at_most")
                sign = {"above": ">=", "at_most": "<"}.get(name, _COMPARED[name])
                day = self.parameters.bind(next_one if is_end else first)
                conditions.append(f"{column} {sign} {day}::DATE")
            else:
                number = self.parameters.bind(float(bound))
                conditions.append(f"{column} {_COMPARED[name]} {number}")
        return " AND ".join(conditions)

    def is_below(self, column: str, curies: Sequence[str]) -> str:
        """Return the condition that ``column`` is one of ``curies`` or below one.

        Few terms are listed, which is read faster than a subquery.
        """
        any_of = self.parameters.any_of
        few = few_below(self.names.con, tuple(curies), of_runs=column in ("d.virus", "curie"))
        if few is not None:
            return any_of(column, few)
        below = f"SELECT descendant FROM closure WHERE {any_of('ancestor', curies)}"
        return f"({column} IN ({below}) OR {any_of(column, curies)})"

    def taxa(self, field: RequestField, values: tuple[str, ...]) -> tuple[str, ...]:
        """Return the CURIEs of the terms or viral taxa called ``values``."""
        if field.of == "hit":
            return self.names.viruses(values).curies
        return self.names.terms(field, values)

    def _listed(self, field: RequestField) -> str:
        """Return ``stated`` with literals, to look at the values apart from a statement."""
        apart = Holdings(self.names, Parameters())
        value = field.column
        held = (
            apart.written(field)
            if field.of == "run"
            else f"SELECT {value} AS value FROM {hit_tables(value)} WHERE {value} IS NOT NULL"
        )
        return apart.parameters.inlined(f"SELECT value::VARCHAR AS value FROM ({held})")

    def _is_place(self, field: RequestField, values: tuple[str, ...], *, below: bool) -> str:
        listed = self._listed(field)
        if below:
            listed += f" UNION ALL {self._listed(field_named('country'))}"
        written = self.names.values(field, values, listed)
        conditions = [self.parameters.any_of("lower(value)", written)]
        for place in written if below else ():
            part = self.parameters.bind(f"{place}:")
            conditions.append(f"starts_with(lower(value), {part})")
        return _some(conditions)

    def _attributes(self, field: RequestField) -> str:
        spellings = attributes_called(self.names.con, field.attributes)
        named = self.parameters.any_of("attribute", spellings)
        rows = _ATTRIBUTES.format(named=named)
        return (
            f"SELECT run, {field.column} AS value, NULL AS curie FROM ({rows}) "
            f"WHERE {field.column} IS NOT NULL"
        )

    # --- hits ---------------------------------------------------------------------------------

    def hits(self, hit: Hit, *, among: str = "") -> str:
        """Return the condition that a row of ``hit_tables`` is such a hit, in one of the runs
        ``among``, a SELECT of ``run``: in any, if it is empty.
        """
        any_of = self.parameters.any_of
        conditions = [
            self._is_virus(hit.virus) if hit.virus else "",
            f"NOT coalesce({self._is_virus(hit.other_than)}, false)" if hit.other_than else "",
            _EVIDENCE[hit.evidence],
            "" if hit.named is None else _NAMED if hit.named else f"NOT {_NAMED}",
            *(self.within(field_named(name).column, bounds) for name, bounds in hit.ranges.items()),
            any_of("lower(source)", self.sources(hit.source)) if hit.source else "",
            any_of("lower(d.sotu)", [name.lower() for name in hit.sotu]) if hit.sotu else "",
            _some(self.contains("d.reported_name", name) for name in hit.reported),
            any_of("coalesce(k.risk_group, 'unknown')", hit.risk) if hit.risk else "",
            f"coalesce({' OR '.join(map(_is_of_genome, hit.genome))}, false)" if hit.genome else "",
            any_of("p.plausibility", hit.plausibility) if hit.plausibility else "",
            _some(map(self._infects, hit.infects)),
            f"d.run IN ({among})" if among else "",
        ]
        return " AND ".join(filter(None, conditions)) or "true"

    def sources(self, names: tuple[str, ...]) -> tuple[str, ...]:
        """Return the sources called ``names``, in lower case."""
        return self.names.values(field_named("source"), names, _SOURCES)

    def _is_virus(self, names: tuple[str, ...]) -> str:
        """Return the condition that a hit is of one of the taxa ``names``, or below one.

        The taxon of a hit is the one that its name resolves to; the taxon it is stated to be may be
        above that.
        """
        taxa = self.names.viruses(names)
        conditions = []
        if taxa.curies:
            conditions.append(self.is_below("d.virus", taxa.curies))
        if taxa.reported:
            conditions.append(self.parameters.any_of("d.reported_name", taxa.reported))
        return _some(conditions)

    def _infects(self, host: str) -> str:
        group = host.lower()
        if group in HOST_GROUPS:
            recorded = "string_split(v.hosts_recorded, '; ')"
            return f"coalesce(list_contains({recorded}, {self.parameters.bind(group)}), false)"
        curies = self.names.terms(field_named("host"), (host,))
        recorded = f"SELECT virus FROM known_host WHERE {self.is_below('host', curies)}"
        return (
            f"d.virus IN (SELECT descendant FROM closure WHERE ancestor IN ({recorded}) "
            f"UNION ALL {recorded})"
        )


def value_of(field: RequestField) -> str:
    """Return what a condition on a field refers to: a column of ``run``, or else ``value``."""
    return field.column if field.table == "run" else "value"


def hit_tables(*read: str) -> str:
    """Return the hits ``d`` with the tables that the conditions and columns ``read`` need."""
    text = " ".join(read)
    joins = (
        f" LEFT JOIN {table}"
        for prefix, table in _BESIDE_HITS.items()
        if re.search(rf"\b{re.escape(prefix)}", text)
    )
    return f"detection d{''.join(joins)}"


def rolled_up(stated: str, rank: str) -> str:
    """Return ``stated`` with each taxon replaced by the taxon of ``rank`` above it."""
    return (
        "SELECT s.run, n.label AS value, n.curie AS curie "
        f"FROM ({stated}) s JOIN closure c ON c.descendant = s.curie "
        "JOIN used_term n ON n.curie = c.ancestor "
        f"WHERE n.ontology = 'NCBITaxon' AND n.rank = {rank}"
    )


def _some(conditions: Iterable[str]) -> str:
    """Return the condition that one of ``conditions`` holds; nothing if there are none."""
    either = " OR ".join(conditions)
    return f"({either})" if either else ""


def _is_of_genome(kind: str) -> str:
    """Return the condition that a genome is of ``kind``; reverse-transcribing is not ds or ss."""
    if kind == "RT":
        return "contains(v.genome, '-RT')"
    contained = f"contains(v.genome, '{kind}')"
    is_narrow = kind.startswith(("ds", "ss"))
    return f"({contained} AND NOT contains(v.genome, '-RT'))" if is_narrow else contained


def _days(text: str) -> tuple[str, str]:
    """Return the first day of a year, month or day, and the first day after it.

    >>> _days("2018"), _days("2018-12"), _days("2018-02-28")
    (('2018-01-01', '2019-01-01'), ('2018-12-01', '2019-01-01'), ('2018-02-28', '2018-03-01'))
    """
    parts = [int(part) for part in text.split("-")]
    if len(parts) == 1:
        return f"{parts[0]:04}-01-01", f"{parts[0] + 1:04}-01-01"
    if len(parts) == 2:
        year, month = parts
        after = date(year + 1, 1, 1) if month == 12 else date(year, month + 1, 1)
        return f"{year:04}-{month:02}-01", after.isoformat()
    day = date(*parts)
    return day.isoformat(), (day + timedelta(days=1)).isoformat()
