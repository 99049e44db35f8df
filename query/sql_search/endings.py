"""The last SELECT of each kind of compiled statement, over its WITH queries."""

from __future__ import annotations

from typing import Final

OF_RUNS_WITHOUT_VIRUS: Final = """\
SELECT *, round(100.0 * runs / nullif(runs_of_index, 0), 1) AS percent_of_index
FROM (
    SELECT (SELECT count(*) FROM matched) AS runs,
           (SELECT count(*) FROM run) AS runs_of_index,
           (SELECT count(*) FROM matched SEMI JOIN looked USING (run)) AS searched,
           (SELECT count(DISTINCT run) FROM detection SEMI JOIN matched USING (run)) AS with_virus
)"""
OF_RUNS_WITH_ANY_VIRUS: Final = """\
SELECT *, round(100.0 * runs / nullif(searched, 0), 1) AS percent, runs > 0 AS found
FROM (
    SELECT (SELECT count(DISTINCT run) FROM detection SEMI JOIN matched USING (run)) AS runs,
           (SELECT count(*) FROM matched SEMI JOIN looked USING (run)) AS searched
)"""
FOUND_AMONG_SEARCHED: Final = """\
SELECT *, round(100.0 * runs / nullif(searched, 0), 1) AS percent, runs > 0 AS found
FROM (
    SELECT (SELECT count(*) FROM matched SEMI JOIN looked USING (run)) AS runs,
           (SELECT count(*) FROM compared) AS searched
)"""
COUNTED_VALUES: Final = """\
SELECT facet, count(DISTINCT value) AS "values", count(DISTINCT run) AS runs
FROM stated GROUP BY facet ORDER BY facet"""
COUNTED: Final = """\
SELECT value AS {facet}, count(DISTINCT run) AS runs
FROM stated GROUP BY value ORDER BY runs DESC, value{limit}"""
COUNTED_BY_FACET: Final = """\
SELECT facet, value, count(DISTINCT run) AS runs
FROM stated GROUP BY facet, value{ranked}
ORDER BY facet, runs DESC, value"""
RANKED: Final = """
QUALIFY row_number() OVER (PARTITION BY facet ORDER BY runs DESC, value) <= {most}"""
CROSSED: Final = """\
SELECT a.value AS {first}, b.value AS {second}, count(DISTINCT run) AS runs
FROM stated a JOIN stated b USING (run)
WHERE a.facet = '{first}' AND b.facet = '{second}'
GROUP BY ALL ORDER BY runs DESC, 1, 2{limit}"""
SIDES: Final = """\
SELECT {name} AS virus,
       count(DISTINCT run) FILTER (run IN (FROM left_searched)) AS {left}_runs,
       (SELECT count(*) FROM left_searched) AS {left}_searched,
       count(DISTINCT run) FILTER (run IN (FROM right_searched)) AS {right}_runs,
       (SELECT count(*) FROM right_searched) AS {right}_searched
FROM detection
WHERE {where} AND (run IN (FROM left_searched) OR run IN (FROM right_searched))
GROUP BY ALL ORDER BY greatest({left}_runs, {right}_runs) DESC, virus"""
ASSOCIATIONS: Final = """\
SELECT bioproject, family, attribute, value, num_true, num_false, fold_change, q_value, flag
FROM association
WHERE {where}
ORDER BY flag IS NOT NULL, q_value, abs(fold_change) DESC, bioproject, family, attribute, value\
{limit}"""
