"""Describe one thing from the index: a virus, a run, a study, a community, a term."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from index.store.run_values import WEIGHED_VIRUS
from ontology_etl.missing import no_name_sql
from query.compiler.counting import count
from query.compiler.errors import UnknownNameError
from query.compiler.resolving import terms_near
from query.compiler.result import Result, ResultColumn
from query.compiler.statement import RunningRequest
from query.request import Carries, Count, Describe, Has, Hit, RunSet, field_named
from query.request.fields import REGISTRY
from query.request.measures import DescribedKind

_VIRUS: Final = """
SELECT v.name, n.label AS scientific_name, coalesce(v.rank, n.rank) AS rank, v.ictv_name,
       v.abbreviation, v.species, v.genus, v.family, v."order", v.phylum, v.realm, v.genome,
       v.hosts_recorded,
       CASE WHEN v.virus IS NOT NULL THEN coalesce(k.risk_group, 'unknown') END AS risk_group
FROM {term} n LEFT JOIN virus v ON v.virus = n.curie LEFT JOIN virus_risk k ON k.virus = n.curie
WHERE n.curie = $1
"""
_ABOVE: Final = """
WITH RECURSIVE above AS (
    SELECT $1::VARCHAR AS curie
    UNION ALL
    SELECT e.object FROM above a JOIN term_edge e ON e.subject = a.curie AND e.predicate = 'parent'
)
SELECT n.rank, n.label FROM above a JOIN term n USING (curie) WHERE list_contains($2, n.rank)
"""
_SOTU: Final = """
SELECT sotu, max(family) AS family, max(phylum) AS phylum, max(identity) AS identity,
       string_agg(DISTINCT reported_name, '; ' ORDER BY reported_name) AS reported_name
FROM detection WHERE lower(sotu) = lower($1) GROUP BY sotu
"""
_ALSO_CALLED: Final = """
SELECT name FROM virus_name
WHERE virus = $1
  AND (kind <> 'everyday' OR regexp_matches(name, '^[A-Za-z]*[A-Z]{2}[A-Za-z0-9-]*[A-Z0-9]$'))
GROUP BY name
ORDER BY min(array_position(['everyday', 'former', 'name', 'label', 'synonym'], kind)) NULLS LAST,
         name
"""
"""Names of a virus; of everyday names, which are in many languages, the abbreviations."""
_RANKS: Final = ["species", "genus", "family", "order", "phylum"]
_MOST_STATED: Final = 6
_LONGEST_STATED: Final = 60
_OF_ARCHIVE: Final = """
SELECT any_value(r.{id}) AS {kind}, any_value(s.title) AS title,
       any_value(s.{text}) AS abstract, min(r.release_date) AS first_released
FROM run r LEFT JOIN {id} s USING ({id}) WHERE lower(r.{id}) = lower($1)
HAVING count(*) > 0
"""
_SAMPLES_STATE: Final = f"""
SELECT string_agg(attribute || ': ' || value, '; ' ORDER BY runs DESC, attribute, value)
       AS samples_state
FROM (
    SELECT attribute, value, count(DISTINCT run) AS runs
    FROM stated_attribute SEMI JOIN (SELECT run FROM run WHERE {{id}} = $1) USING (run)
    WHERE length(value) <= {_LONGEST_STATED} AND NOT {no_name_sql("value")}
    GROUP BY attribute, value
    QUALIFY row_number() OVER (PARTITION BY lower(value) ORDER BY runs DESC, attribute) = 1
    ORDER BY runs DESC, attribute, value LIMIT {_MOST_STATED}
)
"""
"""What most samples of a study state, in the words of its submitters."""
_SELECTS: Final[dict[str, str]] = {
    "study": _OF_ARCHIVE.format(kind="study", id="study", text="abstract"),
    "project": _OF_ARCHIVE.format(kind="project", id="bioproject", text="description"),
    "run": """
SELECT r.* EXCLUDE (state),
       p.country, p.biome, p.latitude, p.longitude,
       (SELECT string_agg(DISTINCT name, '; ' ORDER BY name) FROM
        (SELECT coalesce(stated, family, phylum, sotu) AS name FROM detection WHERE run = $1)
       ) AS viruses,
       (SELECT nullif(count(*), 0) FROM detection WHERE run = $1) AS detections,
       (SELECT string_agg(DISTINCT source, '; ' ORDER BY source)
        FROM searched WHERE run = $1) AS searched_by
FROM run r LEFT JOIN place p USING (biosample) WHERE r.run = $1
""",
    "biosample": """
SELECT r.biosample, any_value(b.title) AS title, any_value(p.country) AS country,
       any_value(p.biome) AS biome
FROM run r LEFT JOIN biosample b USING (biosample) LEFT JOIN place p USING (biosample)
WHERE lower(r.biosample) = lower($1) GROUP BY r.biosample
""",
    "community": """
SELECT c.community, c.level, c.parent, c.runs, o.title, r.summary, r.rating, r.risk_group,
       o.species, o.host, o.tissue, o.disease, o.carried_from
FROM community c JOIN community_overview o USING (community)
LEFT JOIN report r ON r.community = coalesce(o.carried_from, c.community)
WHERE lower(c.community) = lower($1)
""",
}
_ARCHIVED: Final = {"study": "study", "project": "bioproject"}
"""Kind that an archive describes -> column of ``run`` that names it."""
_TERM: Final = "SELECT curie, label, ontology, rank FROM {term} WHERE curie = $1"
MOST_HITS: Final = 100
"""Number of viruses of a run that are described."""
_HITS: Final = f"""
WITH found AS (SELECT *, {WEIGHED_VIRUS} AS weighed FROM detection WHERE run = $1)
SELECT coalesce(d.stated, d.family, d.phylum, 'unnamed virus ' || d.sotu) AS name, max(d.reads),
       max(d.identity), string_agg(DISTINCT d.source, ' and ' ORDER BY d.source),
       string_agg(DISTINCT CASE p.plausibility
           WHEN 'library' THEN 'from a library of the virus itself'
           WHEN 'other library' THEN 'from a library of another virus'
           WHEN 'recorded' THEN 'known from ' || coalesce(h.label, p.host)
           WHEN 'resident' THEN 'resident in cells of ' || coalesce(h.label, p.host)
           WHEN 'new within class' THEN 'new in ' || coalesce(h.label, p.host)
           WHEN 'unexpected' THEN 'not known from ' || coalesce(h.label, p.host)
       END, '; ')
FROM found d LEFT JOIN run_plausibility p ON p.run = d.run AND p.virus = d.weighed
LEFT JOIN used_term h ON h.curie = p.host
GROUP BY 1
ORDER BY max(d.reads) DESC NULLS LAST, max(d.identity) DESC NULLS LAST, 1 LIMIT {MOST_HITS}
"""
"""The viruses of a run, that with most reads first."""
_STATED: Final = """
SELECT facet, string_agg(DISTINCT value, '; ' ORDER BY value) FROM annotation
WHERE run = $1 GROUP BY facet
"""
_FACETS: Final = {field.facet: field.name for field in reversed(REGISTRY) if field.facet}
"""Facet -> its field; of several, the first."""
_RUN: Final = "SELECT run FROM run WHERE lower(run) = lower($1)"
_TERM_FIELDS: Final = ("host", "tissue", "disease", "environment")


def describe(asked: RunningRequest, measure: Describe) -> Result:
    """Return what is known of one thing as rows of ``what, value``, and the tally of its runs.

    Raises ``UnknownNameError``.
    """
    kind, name = measure.kind, measure.id
    if kind == "virus":
        facts = _virus(asked, name)
    elif kind == "term":
        facts = _term(asked, name)
    elif kind == "run":
        name = str(_facts(asked, _RUN, name, kind)["run"])
        known = _facts(asked, _SELECTS[kind], name, kind)
        known = {what: value for what, value in known.items() if value is not None}
        facts = {**known, **_stated(asked, name), **known, **_hits(asked, name)}
    else:
        facts = _facts(asked, _SELECTS[kind], name, kind)
        if kind in _ARCHIVED:
            stated = _SAMPLES_STATE.format(id=_ARCHIVED[kind])
            facts |= _facts(asked, stated, str(facts[kind]), kind)
    runs = runs_of_facts(measure, facts)
    rows = tuple((what, value) for what, value in facts.items() if value is not None)
    return Result(
        request=asked.request,
        tally=None if runs is None else count(asked, Count(), runs).tally,
        columns=(ResultColumn("what"), ResultColumn("value")),
        rows=rows,
        total=len(rows),
    )


def _stated(asked: RunningRequest, run: str) -> dict[str, str]:
    """Return the values that are stated of a run, by field."""
    by_facet = dict(asked.con.execute(_STATED, [run]).fetchall())
    fields = ((name, by_facet.get(facet)) for facet, name in _FACETS.items())
    return {name: values for name, values in fields if values}


def _hits(asked: RunningRequest, run: str) -> dict[str, str]:
    """Return what is known of each virus of a run, with its reads, identity and plausibility."""
    described = {}
    for place, row in enumerate(asked.con.execute(_HITS, [run]).fetchall(), start=1):
        name, reads, identity, sources, plausible = row
        parts = [f"{reads:,} reads"] if reads is not None else []
        parts += [f"{identity:g}% identity" if identity is not None else "no identity given"]
        judged = f"; {plausible}" if plausible else ""
        described[f"hit {place}"] = f"{name}: {', '.join(parts)} ({sources}){judged}"
    return described


def _virus(asked: RunningRequest, name: str) -> dict[str, Any]:
    if asked.con.execute(_SOTU, [name]).fetchone() is not None:
        return _facts(asked, _SOTU, name, "virus")
    taxa = asked.names.viruses((name,))
    if not taxa.curies:
        return {"reported_name": taxa.reported[0]}
    (curie, *_) = taxa.curies
    facts = _facts(asked, _VIRUS.format(term=terms_near(asked.con, curie)), curie, "virus")
    if facts["name"] is None:  # no hit resolves to it: it is not in the table of viruses
        facts |= dict(asked.con.execute(_ABOVE, [curie, _RANKS]).fetchall())
    called = [str(name) for (name,) in asked.con.execute(_ALSO_CALLED, [curie]).fetchall()]
    return {"virus": curie, **facts, "also_called": "; ".join(_distinct(called)) or None}


def _distinct(names: Sequence[str]) -> list[str]:
    """Return ``names`` once each, without those of a type of what another names (DENV-1)."""
    by_key = {name.lower(): name for name in reversed(names)}
    begins = tuple(f"{key}{mark}" for key in by_key for mark in " -")
    return [name for name in reversed(by_key.values()) if not name.lower().startswith(begins)]


def _term(asked: RunningRequest, name: str) -> dict[str, Any]:
    """Return the facts of a term, and the first field in which runs have it.

    A name may be that of a disease that runs have and of a tissue that none has.
    """
    named = {field: asked.names.term(field_named(field), name) for field in _TERM_FIELDS}
    found = [(field, term.curie) for field, term in named.items() if term and term.curie]
    if not found:
        raise UnknownNameError(name, kind="a term", nearest=())
    field, curie = found[0]
    if len(found) > 1:
        carried = (pair for pair in found if count(asked, Count(), Has(pair[0], pair[1:])).number)
        field, curie = next(carried, found[0])
    facts = _facts(asked, _TERM.format(term=terms_near(asked.con, curie)), curie, "term")
    return {**facts, "field": field}


def runs_described(asked: RunningRequest, measure: Describe) -> RunSet | None:
    """Return the runs of the thing described; None for a single run."""
    kind, name = measure.kind, measure.id
    return runs_of_facts(measure, _term(asked, name) if kind == "term" else {kind: name})


def runs_of_facts(measure: Describe, facts: Mapping[str, Any]) -> RunSet | None:
    """Return the runs of the thing that ``facts`` describe; None for a single run."""
    match measure.kind:
        case "virus" if "sotu" in facts:
            return Carries(Hit(sotu=(str(facts["sotu"]),)))
        case "virus":
            return Carries(Hit(virus=(measure.id,)))
        case "term":
            return Has(facts["field"], (facts["curie"],))
        case "run":
            return None
    return Has(measure.kind, (str(facts[measure.kind]),))


def _facts(asked: RunningRequest, select: str, name: str, kind: DescribedKind) -> dict[str, Any]:
    result = asked.con.execute(select, [name])
    columns = [column for column, *_ in result.description]
    row = result.fetchone()
    if row is None:
        raise UnknownNameError(name, kind=kind, nearest=())
    return dict(zip(columns, row, strict=True))
