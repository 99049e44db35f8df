"""Tables that the index stores ready-made, whose rows ``Records`` asks for."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from typing import Final

from index.store.freshness import SOURCES_BY_AGE
from query.request.fields import REGISTRY as FIELDS
from query.request.fields import RequestField


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordTable:
    """A stored table: its rows, its columns, the usual ones, and its order.

    ``relation``  table, view or SELECT that it is read from
    ``numbers``   columns that are compared by bounds
    ``order``     ORDER BY of rows if a request has none; ends with a key
    ``once``      window of the rows that are the same thing; of those asked for, the first counts
    """

    name: str
    comment: str
    relation: str
    texts: tuple[str, ...]
    numbers: tuple[str, ...]
    usual: tuple[str, ...]
    order: str
    once: str = ""

    @property
    def columns(self) -> tuple[str, ...]:
        """Return every column."""
        return (*self.texts, *self.numbers)


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


_TERM: Final = "concat_ws(' ', replace(attribute, '_', ' '), value)"
_TESTS: Final = f"""(
    SELECT *, {_TERM} AS term, CASE
        WHEN count(DISTINCT value) OVER same = 2 THEN
        CASE value WHEN min(value) OVER same THEN max(value) OVER same ELSE min(value) OVER same END
    END AS against
    FROM association
    WINDOW same AS (
        PARTITION BY source, bioproject, family, attribute, coalesce(split, value)
    )
)"""
_EFFECTS: Final = f"(SELECT *, {_TERM} AS term FROM meta_association)"
_SAME_TEST: Final = """
PARTITION BY source, bioproject, family, coalesce(split, attribute || '=' || value)
ORDER BY coalesce(contains(flag, 'duplicate'), false), fold_change DESC NULLS LAST,
    regexp_full_match(value, '[0-9]+'), attribute, value
"""
"""Rows that divide the samples of a project in the same way: two sides, or two attributes."""
_COMMUNITIES: Final = """(
    SELECT o.* REPLACE (coalesce(r.title, o.title) AS title), d.last_level, r.rating,
           concat_ws(' ', r.title, r.label, o.title) AS text
    FROM community_overview o LEFT JOIN distinct_community d USING (community)
    LEFT JOIN report r USING (community)
)"""
_PAIRS: Final = """(
    SELECT p.virus AS virus_id, coalesce(v.name, p.virus) AS virus, v.family, p.host AS host_id,
           coalesce(n.label, p.host) AS host, p.plausibility, p.runs
    FROM plausibility p LEFT JOIN virus v ON v.virus = p.virus
    LEFT JOIN used_term n ON n.curie = p.host
)"""
_UNLIKELY: Final = """(
    SELECT p.virus AS virus_id, v.name AS virus, v.family, p.host AS host_id,
           coalesce(n.label, p.host) AS host, p.score, p.probability, p.studies, p.searched
    FROM unlikely_pair p JOIN virus_vector v ON v.virus = p.virus
    LEFT JOIN used_term n ON n.curie = p.host
)"""
_STUDIES: Final = """(
    SELECT study, any_value(s.title) AS title, any_value(s.abstract) AS abstract,
           count(r.run) AS runs, count(DISTINCT r.biosample) AS samples,
           min(r.release_date) AS released
    FROM run r FULL JOIN study s USING (study) WHERE study IS NOT NULL GROUP BY study
)"""
_PROJECTS: Final = """(
    SELECT r.bioproject AS project, any_value(b.title) AS title,
           any_value(b.description) AS abstract, count(*) AS runs,
           count(DISTINCT r.biosample) AS samples, min(r.release_date) AS released
    FROM run r LEFT JOIN bioproject b USING (bioproject)
    WHERE r.bioproject IS NOT NULL GROUP BY r.bioproject
)"""
_MISNAMED: Final = """(
    SELECT s.sotu, s.source, s.reported_name AS reported, coalesce(v.name, n.label) AS virus,
           s.virus AS virus_id, s.runs, s.runs_with_evidence, s.runs_agreeing, s.runs_with_hits,
           s.runs_as_reported
    FROM sotu_name s LEFT JOIN virus v ON v.virus = s.virus
    LEFT JOIN used_term n ON n.curie = s.virus
)"""
_SHARING: Final = ("cell_line", "sea", "place", "year", "month")
"""Fields that are stated where another one is."""


def _stated(field: RequestField) -> str:
    """Return how many runs state a field that ``run`` says, as a row."""
    condition = f"contains(facets_stated, '|{field.facet}|')" if field.facet else (
        f"{field.column} IS NOT NULL")  # fmt: skip
    return f"{{field: '{field.said}', runs: count(*) FILTER ({condition})}}"


_OF_RUNS: Final = ", ".join(
    _stated(field)
    for field in FIELDS
    if field.table in ("run", "annotation") and field.name not in _SHARING
)
_METADATA: Final = f"""(
    SELECT kind, field, runs, total - runs AS missing, round(100.0 * runs / total, 1) AS percent
    FROM (
        SELECT 'field' AS kind, unnest([{_OF_RUNS}], recursive := true)
        FROM run JOIN run_state USING (state)
        UNION ALL
        SELECT 'submitted', attribute, count(DISTINCT run) FROM stated_attribute GROUP BY attribute
    ), (SELECT count(*) AS total FROM run)
)"""
_BUILDS: Final = "(SELECT 'this' AS published, key, value FROM build UNION ALL FROM past_build)"

REGISTRY: Final = (
    RecordTable(
        name="tests",
        comment="associations (MWAS): a metadata value against the abundance of a virus family "
        "within a BioProject; significant from q_value <= 0.05",
        relation=_TESTS,
        texts=_words("bioproject family attribute value against curie term test flag source"),
        numbers=_words(
            "num_true num_false num_found mean_rpm_true mean_rpm_false fold_change p_value q_value "
            "ci_low ci_high"
        ),
        usual=_words("bioproject family attribute value num_true num_false fold_change q_value "
                     "flag"),
        order="coalesce(q_value <= 0.05, false) DESC, flag IS NOT NULL, q_value NULLS LAST, "
        "p_value NULLS LAST, abs(fold_change) DESC NULLS LAST, bioproject, family, attribute, "
        "value, source",
        once=_SAME_TEST,
    ),
    RecordTable(
        name="effects",
        comment="effects of a virus family and a term combined over BioProjects (meta-analysis)",
        relation=_EFFECTS,
        texts=_words("family attribute curie value term"),
        numbers=_words(
            "projects projects_agreeing num_true num_false effect ci_low ci_high i_squared p_value "
            "q_value"
        ),
        usual=_words("family attribute value projects projects_agreeing effect ci_low ci_high "
                     "q_value"),
        order="q_value, abs(effect) DESC, family, attribute, curie",
    ),
    RecordTable(
        name="communities",
        comment="clusters of the graph, with their strongest virus, host, tissue and disease; "
        "level 0 is the coarsest; last_level is the finest that has the same runs, of the first of "
        "them; text is what titles and facts say",
        relation=_COMMUNITIES,
        texts=_words("community parent carried_from title text species family host tissue disease"),
        numbers=_words("level last_level runs entities rating"),
        usual=_words("community level runs title species host tissue"),
        order="level, runs DESC, community",
    ),
    RecordTable(
        name="reports",
        comment="communities that have a report: title, summary, rating and risk group",
        relation="summaries",
        texts=_words("community parent title label summary risk_group model"),
        numbers=_words("level last_level runs rating findings"),
        usual=_words("community level runs title rating risk_group"),
        order="level, runs DESC, community",
    ),
    RecordTable(
        name="studies",
        comment="SRA studies with their text and number of runs; some have text but no runs here",
        relation=_STUDIES,
        texts=_words("study title abstract"),
        numbers=_words("runs samples"),
        usual=_words("study title runs samples"),
        order="runs DESC, study",
    ),
    RecordTable(
        name="projects",
        comment="BioProjects with their text and number of runs",
        relation=_PROJECTS,
        texts=_words("project title abstract"),
        numbers=_words("runs samples"),
        usual=_words("project title runs samples"),
        order="runs DESC, project",
    ),
    RecordTable(
        name="pairs",
        comment="viruses and hosts found together in runs, and how expected that is: "
        "recorded, new within class, unexpected (contamination or a new host), resident (it lives "
        "in the cell line), library (the virus was sequenced itself), unknown",
        relation=_PAIRS,
        texts=_words("virus virus_id family host host_id plausibility"),
        numbers=_words("runs"),
        usual=_words("virus host plausibility runs"),
        order="runs DESC, virus, host, plausibility",
    ),
    RecordTable(
        name="unlikely",
        comment="virus-host pairs found in runs but recorded by no source, worst fit first: "
        "score and probability are predicted from all other studies",
        relation=_UNLIKELY,
        texts=_words("virus virus_id family host host_id"),
        numbers=_words("score probability studies searched"),
        usual=_words("virus host probability studies searched"),
        order="score, studies DESC, virus_id, host_id",
    ),
    RecordTable(
        name="novel",
        comment="sOTUs far from any known virus, sorted by evidence (studies, runs, coverage), "
                "with hosts, places and what they are nearest to",
        relation="novel_virus",
        texts=_words("sotu nearest family phylum hosts places community"),
        numbers=_words("identity runs studies coverage"),
        usual=_words("sotu nearest identity runs studies coverage hosts places"),
        order="identity IS NULL, studies DESC, runs DESC, coverage DESC NULLS LAST, sotu",
    ),
    RecordTable(
        name="neighbourhoods",
        comment="predicted groups of viruses found in the same kinds of samples (the viruses "
                "need not be related), with their most frequent families, hosts, samples and "
                "members",
        relation="virus_neighbourhood",
        texts=_words("families hosts samples members"),
        numbers=_words("neighbourhood viruses studies"),
        usual=_words("neighbourhood viruses studies families hosts samples members"),
        order="neighbourhood",
    ),
    RecordTable(
        name="misnamed",
        comment="sOTUs whose name at the source disagrees with the evidence of their runs: the "
                "reported virus, and the virus that most runs with evidence of their own agree "
                "on",
        relation=_MISNAMED,
        texts=_words("sotu source reported virus virus_id"),
        numbers=_words(
            "runs runs_with_evidence runs_agreeing runs_with_hits runs_as_reported"
        ),
        usual=_words("sotu reported virus runs runs_with_evidence runs_agreeing runs_as_reported"),
        order="runs_agreeing DESC, sotu, source",
    ),
    RecordTable(
        name="metadata",
        comment="what is stated of runs: each field (kind field) and each attribute as submitted "
        "(kind submitted), with the runs that state it and those that do not",
        relation=_METADATA,
        texts=_words("kind field"),
        numbers=_words("runs missing percent"),
        usual=_words("field runs missing percent"),
        order="kind, runs DESC, field",
    ),
    RecordTable(
        name="vocabularies",
        comment="ontologies and their releases",
        relation="ontology_release",
        texts=_words("ontology version source sha256 licence"),
        numbers=_words("terms synonyms"),
        usual=_words("ontology version terms synonyms licence"),
        order="ontology",
    ),
    RecordTable(
        name="sources",
        comment="where the index comes from and how old each source is: detections by the newest "
        "run searched, ontologies by their release, inputs as the manifest states, the index by "
        "its day of publishing",
        relation=f"(SELECT * REPLACE (as_of::VARCHAR AS as_of) FROM {SOURCES_BY_AGE})",
        texts=_words("kind name dated_by as_of"),
        numbers=_words("runs"),
        usual=_words("kind name as_of dated_by runs"),
        order="kind = 'index' DESC, kind = 'runs' DESC, kind, as_of DESC NULLS LAST, name",
    ),
    RecordTable(
        name="builds",
        comment="how this index and those before it were made: versions, counts, timings",
        relation=_BUILDS,
        texts=_words("published key value"),
        numbers=(),
        usual=_words("published key value"),
        order="published DESC, key",
    ),
)  # fmt: skip
TABLES: Final = {table.name: table for table in REGISTRY}


def table_descriptions() -> str:
    """Return what each table holds and its columns, for the JSON Schema."""
    return "; ".join(
        f"{table.name}: {table.comment} (columns: {', '.join(table.columns)})" for table in REGISTRY
    )


def checked_table(name: str) -> str:
    """Return the key of the table ``name``; raises ``ValueError``."""
    key = name.strip().lower() if isinstance(name, str) else ""
    if key not in TABLES:
        raise ValueError(f"{name!r} is not a table of records; tables: {', '.join(TABLES)}")
    return key


def check_columns(table: str, columns: list[str]) -> None:
    """Raise ``ValueError`` where one of ``columns`` is not of ``table``."""
    known = TABLES[table].columns
    for column in columns:
        if column not in known:
            near = get_close_matches(column, known, n=3) or known
            raise ValueError(f"{column!r} is not a column of {table}: {', '.join(near)}")
