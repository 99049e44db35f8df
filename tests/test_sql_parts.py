"""What a request says of parts of a table, on the sample: each of several names, shares of a whole,
values known of all columns, titles, rows that are left out.

Gold SQL shares nothing with the product's own, as in ``test_sql_requests``.
"""

from __future__ import annotations

from typing import Final

import duckdb
import pytest

from query.config import QueryConfig
from query.errors import QueryError
from query.mode import Asking
from query.sql_search.equal import same_result
from query.sql_search.layer.request import (
    ImpossibleTableError,
    Measure,
    TableAsked,
    TableCondition,
)
from query.sql_search.layer.sql.runs import Runs
from query.sql_search.search import SqlAnswer, answer_in_sql
from tests.conftest import BuiltIndex
from tests.test_sql_requests import COUNTRY, HOST, RUNS_OF, rows_of


def answered(built: BuiltIndex, con: duckdb.DuckDBPyConnection, request: str) -> SqlAnswer:
    return answer_in_sql(Asking(request, con, built.path, QueryConfig()))


RIGHT: Final = """
Percentage of pig runs positive for Flaviviridae, Endornaviridae and Astroviridae | SELECT family, \
count(run), round(100.0 * count(run) / (SELECT count(*) FROM (SELECT run FROM searched UNION \
{any}) WHERE run IN ({pig})), 1) FROM (VALUES ('Flaviviridae'), ('Endornaviridae'), \
('Astroviridae')) f(family) LEFT JOIN (SELECT DISTINCT run, family FROM detection WHERE run IN \
({pig})) USING (family) GROUP BY 1
runs per release year for China, Brazil and USA | SELECT year(release_date), count(DISTINCT run) \
FILTER (country = 'China'), count(DISTINCT run) FILTER (country = 'Brazil'), count(DISTINCT run) \
FILTER (country = 'USA') FROM run JOIN {country} USING (run) WHERE country IN ('China', 'Brazil', \
'USA') AND release_date IS NOT NULL GROUP BY 1
How many runs are from China and Brazil? | SELECT country, count(*) FROM {country} WHERE country \
IN ('China', 'Brazil') GROUP BY 1
How many runs are from China or Brazil? | SELECT count(DISTINCT run) FROM {country} WHERE country \
IN ('China', 'Brazil')
How many runs are from any of China, USA and Brazil? | SELECT count(DISTINCT run) FROM {country} \
WHERE country IN ('China', 'Brazil', 'USA')
Dengue virus and Zika virus runs by host, both counts side by side | SELECT host, count(*) FILTER \
(run IN ({dengue})), count(*) FILTER (run IN ({zika})) FROM {host} WHERE run IN ({dengue} UNION \
{zika}) GROUP BY 1
dengue virus runs with their host and country, where both are known (run, host, country) | SELECT \
run, string_agg(DISTINCT host, '; ' ORDER BY host), string_agg(DISTINCT country, '; ' ORDER BY \
country) FROM {host} JOIN {country} USING (run) WHERE run IN ({dengue}) GROUP BY 1
The 5 insect runs with the greatest number of different virus families, with organism and family \
count | SELECT run, organism, count(DISTINCT family) AS n FROM detection JOIN run USING (run) \
WHERE family IS NOT NULL AND run IN ({insect}) GROUP BY 1, 2 ORDER BY n DESC, 1 LIMIT 5
for each country, number of runs with any Flaviviridae or Endornaviridae (country, family, runs) | \
SELECT country, family, count(DISTINCT run) FROM detection JOIN {country} USING (run) WHERE family \
IN ('Flaviviridae', 'Endornaviridae') GROUP BY 1, 2
What share of dengue virus runs also contains Zika virus? | SELECT count(*) FILTER (run IN \
({zika})), count(*), round(100.0 * count(*) FILTER (run IN ({zika})) / count(*), 1) FROM ({dengue} \
GROUP BY run)
For each library source: how many runs were searched for viruses, how many had one, and the \
percentage | SELECT library_source, count(*), count(*) FILTER (run IN ({any})), round(100.0 * \
count(*) FILTER (run IN ({any})) / count(*), 1) FROM run WHERE library_source IS NOT NULL AND run \
IN (SELECT run FROM searched UNION {any}) GROUP BY 1
Supplementary Table S1: the 5 virus families found in most pig runs (columns: family, runs) | \
SELECT family, count(DISTINCT run) AS n FROM detection WHERE family IS NOT NULL AND run IN ({pig}) \
GROUP BY 1 ORDER BY n DESC, 1 LIMIT 5
insect runs with Flaviviridae, with identity, reads and score of each hit | SELECT run, sotu, \
identity, reads, score FROM detection WHERE run IN ({insect}) AND family = 'Flaviviridae'
Flaviviridae by host: runs and projects, pigs left out | SELECT host, count(DISTINCT run), \
count(DISTINCT bioproject) FROM {host} JOIN run USING (run) WHERE run IN ({flavi}) AND host NOT IN \
('Sus scrofa', 'Sus scrofa domesticus') GROUP BY 1
the 3 newest pigs from China - run, release date | SELECT run, release_date FROM run WHERE run IN \
({pig}) AND run IN (SELECT run FROM {country} WHERE country = 'China') ORDER BY release_date DESC \
NULLS LAST, run LIMIT 3
Endornaviridae through time: for every release year the number of runs with them and the number of \
projects those runs belong to | SELECT year(release_date), count(*), count(DISTINCT bioproject) \
FROM run WHERE run IN ({endorna}) AND release_date IS NOT NULL GROUP BY 1
In which hosts do Flaviviridae and Phenuiviridae occur together in one run? Host and number of \
such runs. | SELECT host, count(*) FROM {host} WHERE run IN ({flavi}) AND run IN (SELECT run FROM \
detection WHERE family = 'Phenuiviridae') GROUP BY 1
Top 5 virus families by number of runs, with their share of all runs that have any virus | SELECT \
family, count(DISTINCT run) AS n, round(100.0 * count(DISTINCT run) / (SELECT count(DISTINCT run) \
FROM detection), 1) FROM detection WHERE family IS NOT NULL GROUP BY 1 ORDER BY n DESC, 1 LIMIT 5
runs per ocean | SELECT value, count(DISTINCT run) FROM annotation WHERE facet = 'geography' AND \
value LIKE '% Ocean' GROUP BY 1
insect orders: runs and number of distinct virus families; orders with 20 runs or more | SELECT \
t.label, count(DISTINCT a.run) AS n, count(DISTINCT d.family) FROM annotation a JOIN closure c ON \
c.descendant = a.curie JOIN term t ON t.curie = c.ancestor AND t.rank = 'order' LEFT JOIN \
detection d ON d.run = a.run WHERE a.facet = 'host' AND c.ancestor IN (SELECT descendant FROM \
closure WHERE ancestor = 'NCBITaxon:50557') GROUP BY 1 HAVING n >= 20
"""
ZIKA: Final = "SELECT run FROM detection WHERE stated = 'Zika virus'"


@pytest.mark.parametrize("line", rows_of(RIGHT), ids=lambda line: line[0])
def test_rows_are_those_of_sql_written_by_hand(
    sample_index: BuiltIndex, sample_db: duckdb.DuckDBPyConnection, line: list[str]
) -> None:
    request, sql = line
    made = sql.format(**RUNS_OF, zika=ZIKA, country=COUNTRY, host=HOST)
    gold = sample_db.execute(made).fetchall()
    got = [tuple(row) for row in answered(sample_index, sample_db, request).selected.rows]
    assert gold
    assert same_result(gold, got), (gold[:3], got[:3])


SHARES: Final = """
Detection rate per host
What share of pig runs has Flaviviridae, by country?
runs per library source, searched runs and percent positive
number of Flaviviridae runs per host and percentage of searched runs
percentage of runs with dengue virus per country, with the number of runs
percentage of runs without a virus per host
for each virus family the number of insect runs and the percentage of all insect runs
"""


@pytest.mark.parametrize("request_text", SHARES.strip().splitlines())
def test_no_percentage_is_above_a_hundred(
    sample_index: BuiltIndex, sample_db: duckdb.DuckDBPyConnection, request_text: str
) -> None:
    try:
        got = answered(sample_index, sample_db, request_text)
    except QueryError:
        return
    place = got.selected.columns.index("percent")
    assert all(row[place] is None or 0 <= float(str(row[place])) <= 100
               for row in got.selected.rows)  # fmt: skip


SEARCHED: Final = TableCondition("searched")


@pytest.mark.parametrize(
    "columns",
    [
        (Measure(given=(SEARCHED,)), Measure(), Measure("percent")),
        (Measure("percent", whole=(TableCondition("virus"),)),),
        (Measure("percent", given=(SEARCHED,), whole=(TableCondition("virus"),)),),
    ],
)
def test_a_percentage_whose_part_is_not_within_its_whole_is_never_made(
    columns: tuple[Measure, ...],
) -> None:
    table = TableAsked(rows=("host",), columns=columns)
    with pytest.raises(ImpossibleTableError, match="percent"):
        Runs(table, {}).compiled()
