"""The age of the content of an index: sources of detections, inputs, ontologies, the build itself.

A source of detections is as old as the newest run that it searched; an input as the manifest says
(``as_of``), an ontology as its version. Null where nothing says how old it is.
"""

from __future__ import annotations

from typing import Final

SOURCES_BY_AGE: Final = r"""(
    SELECT 'detections' AS kind, source AS name, max(release_date) AS as_of,
           'newest run searched' AS dated_by, count(DISTINCT run) AS runs
    FROM (SELECT run, source FROM searched UNION SELECT run, source FROM detection)
    JOIN run USING (run) GROUP BY source
    UNION ALL
    SELECT 'runs', 'all runs', max(release_date), 'newest run', count(*) FROM run
    UNION ALL
    SELECT 'ontology', concat_ws(' ', ontology, version),
           try_cast(nullif(regexp_extract(version, '\d{4}-\d{2}-\d{2}'), '') AS DATE),
           'release', NULL
    FROM ontology_release
    UNION ALL
    SELECT 'input', substr(key, 7), try_cast(value AS DATE), 'manifest', NULL
    FROM build WHERE key LIKE 'as_of.%'
    UNION ALL
    SELECT 'index', 'this index', try_cast(substr(value, 1, 10) AS DATE), 'day of publishing',
           (SELECT count(*) FROM run)
    FROM build WHERE key = 'run_at.published'
)"""
"""SELECT of ``kind, name, as_of, dated_by, runs``, a row per source."""
