"""The queries and snippets of docs/analysts.md, and the notebook: each gives what a reader wants.

That each query runs and gives rows is checked in tests/test_docs.py.
"""

from __future__ import annotations

import importlib
import importlib.util
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import duckdb
import pytest

from index.store.build import open_index
from query.exports.tables import export_table
from tests.conftest import ROOT, BuiltIndex

PAGE = (ROOT / "docs" / "analysts.md").read_text(encoding="utf-8")
QUERIES = re.findall(r"```sql\n(.*?)```", PAGE, re.DOTALL)
SNIPPETS = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
R_SNIPPETS = re.findall(r"```r\n(.*?)```", PAGE, re.DOTALL)
QUERY_OF_R = re.compile(r'dbGetQuery\(connection, "(.*?)"\)', re.DOTALL)
RSCRIPT = shutil.which("Rscript")
IMPORTED = re.compile(r"^(?:import|from) (\w+)", re.MULTILINE)
NEEDED_BY_METHOD = {".df()": "pandas", ".to_pandas()": "pandas"}


def of_r(arguments: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    """Return what R did with ``arguments``."""
    command = [str(RSCRIPT), "--vanilla", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def ids(text: str) -> str:
    return text.split("\n")[0][:50]


@pytest.mark.parametrize("sql", QUERIES, ids=ids)
def test_no_column_is_empty_and_no_lift_rests_on_few_runs(
    sql: str, sample_db: duckdb.DuckDBPyConnection
) -> None:
    result = sample_db.execute(sql)
    names = [column[0] for column in result.description]
    rows = [dict(zip(names, row, strict=True)) for row in result.fetchall()]

    empty = [name for name in names if rows and all(row[name] is None for row in rows)]
    assert empty == []
    if "lift" in names:
        assert min(row["runs"] for row in rows) >= 5
        assert max(row["q_value"] for row in rows) < 0.05


@pytest.mark.parametrize("start", ["chosen AS (\n    SELECT community, value, runs FROM fact"])
def test_the_drill_down_gives_as_many_runs_as_the_fact_counts(
    start: str, sample_db: duckdb.DuckDBPyConnection
) -> None:
    (query,) = (one for one in QUERIES if start in one)
    counted = "SELECT max(runs) FROM fact WHERE facet = 'host'"

    runs = sample_db.execute(query.replace("LIMIT 20;", "")).fetchall()

    assert [(len({row[0] for row in runs}),)] == sample_db.execute(counted).fetchall()


def test_a_community_of_an_association_has_runs_of_its_project_with_its_family(
    sample_db: duckdb.DuckDBPyConnection,
) -> None:
    """That a community holds the project and the family is not enough: runs hold both."""
    (query,) = (one for one in QUERIES if "runs_of_both" in one)
    rows = sample_db.sql(query).pl()
    carrying = """
SELECT count(DISTINCT run) FROM run JOIN detection USING (run)
WHERE bioproject = $1 AND family = $2
  AND run IN (SELECT entity FROM community_member WHERE community = $3)
"""
    for project, family, community, runs in rows.select(
        "bioproject", "family", "community", "runs_of_both"
    ).iter_rows():
        counted = sample_db.execute(carrying, [project, family, community]).fetchall()
        assert counted == [(runs,)]
    assert len(rows) == 20


@pytest.mark.filterwarnings("ignore")
@pytest.mark.usefixtures("composed_only")
@pytest.mark.parametrize("snippet", SNIPPETS, ids=ids)
def test_a_snippet_of_python_runs_as_printed(
    snippet: str, sample_index: BuiltIndex, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    needed = IMPORTED.findall(snippet)
    needed += [name for call, name in NEEDED_BY_METHOD.items() if call in snippet]
    missing = [name for name in needed if importlib.util.find_spec(name) is None]
    if missing:
        pytest.skip(f"{', '.join(missing)} not installed: pip install -e '.[docs]'")
    (tmp_path / "data" / "index").mkdir(parents=True)
    # a copy: the tests of this process keep the index open in another configuration
    shutil.copy(sample_index.path, tmp_path / "data" / "index" / "virome.duckdb")
    monkeypatch.chdir(tmp_path)
    made: dict[str, Any] = {}
    exec(compile(snippet, "snippet", "exec"), made)
    assert len(made["rows"] if "rows" in made else made["frame"]) > 5


def test_the_sql_of_the_snippet_for_r_runs(sample_db: duckdb.DuckDBPyConnection) -> None:
    (sql,) = (one for snippet in R_SNIPPETS for one in QUERY_OF_R.findall(snippet))

    assert len(sample_db.execute(sql).fetchall()) > 5


@pytest.mark.skipif(RSCRIPT is None, reason="R is not installed")
def test_snippets_of_r_are_r_and_the_one_that_needs_no_package_runs(
    sample_index: BuiltIndex, tmp_path: Path
) -> None:
    for number, snippet in enumerate(R_SNIPPETS):
        (tmp_path / f"{number}.R").write_text(snippet, encoding="utf-8")
    (tmp_path / "out").mkdir()
    with open_index(sample_index.path) as connection:
        export_table(connection, "summaries", tmp_path / "out", form="csv")

    parsed = [of_r(["-e", f"parse('{n}.R')"], tmp_path) for n in range(len(R_SNIPPETS))]
    printed = of_r(["1.R"], tmp_path)

    assert [done.stderr for done in parsed if done.returncode] == []
    assert len(printed.stdout.strip().splitlines()) >= 1 + 10, printed.stderr


@pytest.mark.filterwarnings("ignore")
@pytest.mark.usefixtures("composed_only")
def test_the_notebook_shows_what_the_index_holds(
    sample_index: BuiltIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    if importlib.util.find_spec("marimo") is None:
        pytest.skip("marimo not installed: pip install -e '.[docs]'")
    monkeypatch.setenv("VIROME_DB", str(sample_index.path))
    monkeypatch.setenv("MPLBACKEND", "agg")
    monkeypatch.syspath_prepend(str(ROOT / "docs"))

    _, made = importlib.import_module("notebook").app.run()

    assert made["counts"].item(0, "runs") == 2500
    assert min(made["communities"].height, made["held"].height) > 0
    assert min(len(made["hosts"]), len(made["answer"].points)) > 0


def test_views_count_each_run_species_country_and_test_once(
    sample_db: duckdb.DuckDBPyConnection,
) -> None:
    counted = {
        "run_species": "SELECT count(*) FROM (SELECT DISTINCT run, species FROM detection "
        "WHERE species IS NOT NULL)",
        "run_country": "SELECT count(DISTINCT run) FROM annotation WHERE facet = 'geography'",
        "distinct_association": "SELECT count(DISTINCT concat_ws('|', source, bioproject, family, "
        "coalesce(split, concat(attribute, '=', value)))) FROM association",
    }
    for view, expected in counted.items():
        rows = sample_db.execute(f"SELECT count(*) FROM {view}").fetchall()
        assert rows == sample_db.execute(expected).fetchall(), view
