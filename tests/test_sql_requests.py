"""Tables ordered in the short forms that people use, on the sample: rows, columns, refusals.

Each request is followed by SQL written by hand that shares nothing with the product's own; its
columns must be among those of the answer, and its rows the same.
"""

from __future__ import annotations

import json
from typing import Final

import duckdb
import pytest

from query.config import QueryConfig
from query.errors import QueryError
from query.mode import Asking
from query.sql_search.equal import same_result
from query.sql_search.layer.fields import attribute_field
from query.sql_search.search import SqlAnswer, answer_in_sql, answer_of
from tests.conftest import BuiltIndex

RUNS_OF: Final = {
    "flavi": "SELECT run FROM detection WHERE family = 'Flaviviridae'",
    "endorna": "SELECT run FROM detection WHERE family = 'Endornaviridae'",
    "pig": "SELECT run FROM annotation JOIN closure ON curie = descendant "
    "WHERE facet IN ('host', 'label') AND ancestor = 'NCBITaxon:9823'",
    "insect": "SELECT run FROM annotation JOIN closure ON curie = descendant "
    "WHERE facet IN ('host', 'label') AND ancestor = 'NCBITaxon:50557'",
    "dengue": "SELECT run FROM detection WHERE stated IN ('Dengue virus', "
    "'reported as Dengue virus')",
    "any": "SELECT run FROM detection",
}
"""Name in braces -> the runs that it stands for in the SQL below."""
COUNTRY: Final = (
    "(SELECT DISTINCT run, value AS country FROM annotation "
    "WHERE facet = 'geography' AND NOT contains(value, ':'))"
)
HOST: Final = "(SELECT DISTINCT run, value AS host FROM annotation WHERE facet = 'host')"


def answered(built: BuiltIndex, con: duckdb.DuckDBPyConnection, request: str) -> SqlAnswer:
    return answer_in_sql(Asking(request, con, built.path, QueryConfig()))


def rows_of(table: str) -> list[list[str]]:
    joined = table.replace("\\\n", "").strip().splitlines()
    return [[cell.strip() for cell in line.split("|")] for line in joined]


RIGHT: Final = """
Line list of pig runs: run, BioSample, BioProject, study | SELECT run, biosample, bioproject, \
study FROM run WHERE run IN ({pig})
everything with Flaviviridae: run, organism | SELECT run, organism FROM run WHERE run IN ({flavi})
csv of all pig runs. run, library strategy, release date | SELECT run, library_strategy, \
release_date FROM run WHERE run IN ({pig})
pig runs w/ organism, biosample and study | SELECT run, organism, biosample, study FROM run \
WHERE run IN ({pig})
pig runs w/o any Flaviviridae hit - run, organism | SELECT run, organism FROM run WHERE run IN \
({pig}) AND run NOT IN ({flavi})
list of pig runs that have a country: run, country | SELECT run, string_agg(country, '; ' ORDER BY \
country) FROM {country} WHERE run IN ({pig}) GROUP BY run
number of runs made public each year, plus how many of those carried any virus | SELECT \
year(release_date), count(*), count(*) FILTER (run IN ({any})) FROM run WHERE release_date IS NOT \
NULL GROUP BY 1
runs per library source for 2018 through 2020 | SELECT library_source, count(*) FROM run WHERE \
year(release_date) BETWEEN 2018 AND 2020 GROUP BY 1
Flaviviridae runs released in 2018 or 2019 by library source | SELECT library_source, count(*) \
FROM run WHERE year(release_date) IN (2018, 2019) AND run IN ({flavi}) GROUP BY 1
top 5 virus families by number of distinct runs, plus how many BioProjects each one turned up in | \
SELECT family, count(DISTINCT run) AS n, count(DISTINCT bioproject) FROM detection JOIN run \
USING (run) WHERE family IS NOT NULL GROUP BY 1 ORDER BY n DESC, 1 LIMIT 5
Flaviviridae runs per host, only hosts with 10 or more positive runs | SELECT host, count(*) AS n \
FROM {host} WHERE run IN ({flavi}) GROUP BY 1 HAVING n >= 10
pig runs per library source, with the number of distinct BioProjects and studies behind them | \
SELECT library_source, count(*), count(DISTINCT bioproject), count(DISTINCT study) FROM run \
WHERE run IN ({pig}) GROUP BY 1
Per library source, how many runs do we hold, in how many is at least one virus detected, and what \
share is that? | SELECT library_source, count(*), count(*) FILTER (run IN ({any})) FROM run \
GROUP BY 1
for each stated library source, the number of virus-positive runs and the number of distinct virus \
families | SELECT library_source, count(DISTINCT run), count(DISTINCT family) FROM detection \
JOIN run USING (run) WHERE library_source IS NOT NULL GROUP BY 1
average reads per run for each virus family | SELECT family, round(avg(reads), 3) FROM \
detection WHERE family IS NOT NULL GROUP BY 1
virus-positive and virus-negative runs per library source | SELECT library_source, count(*) FILTER \
(run IN ({any})), count(*) FILTER (run IN (SELECT run FROM searched EXCEPT {any})) FROM run \
GROUP BY 1
median number of reads per detection for each virus family in at least 50 runs | SELECT family, \
median(reads) FROM detection WHERE family IS NOT NULL GROUP BY 1 HAVING count(DISTINCT run) >= 50
pairs of virus families that most often occur in the same run, top 5 | SELECT a.family, b.family, \
count(DISTINCT a.run) AS n FROM detection a JOIN detection b USING (run) WHERE a.family < b.family \
GROUP BY 1, 2 ORDER BY n DESC, 1, 2 LIMIT 5
the 5 biggest runs in bases that contain Flaviviridae: run, bases | SELECT run, bases FROM run \
WHERE run IN ({flavi}) ORDER BY bases DESC, run LIMIT 5
the 5 most recently released runs with dengue virus: run, release date | SELECT run, release_date \
FROM run WHERE run IN ({dengue}) ORDER BY release_date DESC, run LIMIT 5
runs per insect order, biggest first | SELECT t.label, count(DISTINCT a.run) FROM annotation a \
JOIN closure c ON c.descendant = a.curie JOIN term t ON t.curie = c.ancestor AND t.rank = 'order' \
WHERE a.facet = 'host' AND c.ancestor IN (SELECT descendant FROM closure WHERE ancestor = \
'NCBITaxon:50557') GROUP BY 1
What percentage of pig runs carry each virus family? | SELECT family, count(DISTINCT run), \
round(100.0 * count(DISTINCT run) / (SELECT count(*) FROM (SELECT run FROM searched UNION {any}) \
WHERE run IN ({pig})), 1) FROM detection WHERE run IN ({pig}) AND family IS NOT NULL GROUP BY 1
runs with both dengue virus and Zika virus, with the highest read count of each | SELECT run, \
max(reads) FILTER (stated IN ('Dengue virus', 'reported as Dengue virus')), \
max(reads) FILTER (stated = 'Zika virus') FROM detection WHERE run IN ({dengue}) AND run IN \
(SELECT run FROM detection WHERE stated = 'Zika virus') GROUP BY run
library source x virus family, number of runs | SELECT library_source, family, count(DISTINCT run) \
FROM detection JOIN run USING (run) WHERE family IS NOT NULL GROUP BY 1, 2
leaf vs root: runs + mean coverage | SELECT t.label, count(DISTINCT a.run) FROM annotation a JOIN \
closure c ON c.descendant = a.curie JOIN term t ON t.curie = c.ancestor WHERE a.facet = 'tissue' \
AND t.label IN ('leaf', 'root') GROUP BY 1
"""


@pytest.mark.parametrize("line", rows_of(RIGHT), ids=lambda line: line[0])
def test_rows_are_those_of_sql_written_by_hand(
    sample_index: BuiltIndex, sample_db: duckdb.DuckDBPyConnection, line: list[str]
) -> None:
    request, sql = line
    gold = sample_db.execute(sql.format(**RUNS_OF, country=COUNTRY, host=HOST)).fetchall()
    got = [tuple(row) for row in answered(sample_index, sample_db, request).selected.rows]
    assert gold
    assert same_result(gold, got), (gold[:3], got[:3])


COLUMNS: Final = """
everything with dengue virus: run, host, country, reads | run host geography reads
dengue: run, organism, lat lon | run organism latitude longitude
Possible contamination list: unexpected virus and host pairs, with both names and the run count | \
virus host runs
risk group 3 viruses in human runs: virus, group, runs | taxon risk_group runs
Flaviviridae species by insect order: order, virus, runs | virus insect_order runs
"""


@pytest.mark.parametrize("line", rows_of(COLUMNS), ids=lambda line: line[0])
def test_columns_named_behind_a_colon_are_the_columns(
    sample_index: BuiltIndex, sample_db: duckdb.DuckDBPyConnection, line: list[str]
) -> None:
    request, columns = line
    assert " ".join(answered(sample_index, sample_db, request).selected.columns) == columns


def test_one_run_is_one_row_where_runs_are_listed(
    sample_index: BuiltIndex, sample_db: duckdb.DuckDBPyConnection
) -> None:
    for request in ("dengue: run, country, reads", "list of dengue runs with host and biosample"):
        rows = answered(sample_index, sample_db, request).selected.rows
        assert len({row[0] for row in rows}) == len(rows) == 52


def test_species_of_organisms_before_a_colon_are_hosts(
    sample_index: BuiltIndex, sample_db: duckdb.DuckDBPyConnection
) -> None:
    got = answered(sample_index, sample_db, "ticks: how many runs of each species")
    assert got.selected.columns == ("host", "runs")


REFUSED: Final = """
pig runs with liver biopsy: run, host                              | “biopsy” was not understood
human runs with dengue virus, with the highest read count of each  | is no count of runs
Flaviviridae runs released in 2016 or 2020 by library source       | “released” is no count of runs
dengue runs per host. One column for each country                  | not understood with the rest
Runs per host and mood                                             | not understood: mood
number of virus species per frobnicated host                      | “frobnicated” was not
pig runs with the host, the mood and the biosample                 | “mood” was not understood
Which hosts carry dengue? List the hosts by their mood             | “mood” was not understood
The most recent run of each virus family                           | “recent” was not understood
ratio of influenza positive to negative runs by tissue             | “ratio” was not understood
families per continent                                             | “continent” was not understood
families only found in pigs                                        | not understood with the rest
countries without any dengue virus                                 | is no count of runs
Which countries report Zika virus, and since which year?           | “since” was not understood
How many dengue virus runs come from male, how many from female mosquito cages? | not understood
number of pig donors per country                                               | not understood
What share of dengue virus runs also contains Zika virus, and vice versa?      | “vice”
Compare dengue virus with Zika virus by frobnicated host                       | “frobnicated”
share of dengue virus runs that also carry Zika virus, by country              | not understood
"""


@pytest.mark.parametrize("line", rows_of(REFUSED), ids=lambda line: line[0])
def test_a_request_is_refused_for_what_neither_table_nor_reading_heeds(
    sample_index: BuiltIndex, sample_db: duckdb.DuckDBPyConnection, line: list[str]
) -> None:
    request, why = line
    with pytest.raises(QueryError, match=why):
        answered(sample_index, sample_db, request)


READ: Final = """
In how many runs was Influenza A virus seen?    | matched
Do pigs carry coronaviruses?                    | matched
What is Coronaviridae associated with?          | association
"""


@pytest.mark.parametrize("line", rows_of(READ), ids=lambda line: line[0])
def test_a_question_that_asks_for_no_table_is_answered_from_its_reading(
    sample_index: BuiltIndex, sample_db: duckdb.DuckDBPyConnection, line: list[str]
) -> None:
    question, source = line
    assert source in answered(sample_index, sample_db, question).draft.sql


def test_an_answer_with_dates_is_kept_as_json(
    sample_index: BuiltIndex, sample_db: duckdb.DuckDBPyConnection
) -> None:
    request = "the 2 most recent pig runs: run, release date"
    answer = answer_of(answered(sample_index, sample_db, request))
    assert answer.table is not None
    assert len(json.loads(json.dumps(answer.table.rows))) == 2


def test_a_column_is_never_called_by_a_word_of_sql(sample_db: duckdb.DuckDBPyConnection) -> None:
    made = attribute_field("group", ["group"])
    assert made.key == "group_stated"
    assert sample_db.execute(f"SELECT 1 AS {made.key}").fetchall() == [(1,)]
