"""The main job on the bundled sample: what a build promises, whatever the input."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import duckdb
import pytest

from flows.index import main
from flows.options import STAGES
from index.store.build import building_path, open_index
from query.browsing.communities import list_communities, read_report
from tests.conftest import ROOT, BuiltIndex, build_from, copy_index
from tests.serving import serving

INVARIANTS = {
    "every stored citation resolves": "SELECT * FROM citation WHERE NOT verified OR runs = 0",
    "the studies of a community with a report add up to its runs":
        "SELECT community FROM report JOIN community USING (community) "
        "LEFT JOIN study_row AS s USING (community) GROUP BY community, community.runs "
        "HAVING sum(s.runs) IS DISTINCT FROM community.runs",
    "no report has more than ten findings":
        "SELECT community FROM finding GROUP BY 1 HAVING count(*) > 10",
    "every linked entity is in exactly one community per level":
        "WITH link AS (FROM relationship WHERE predicate NOT IN ('run-bioproject', 'run-study')), "
        "linked AS (SELECT source AS entity FROM link UNION SELECT target FROM link) "
        "SELECT entity, level FROM linked CROSS JOIN (SELECT DISTINCT level FROM community) "
        "EXCEPT ALL SELECT entity, level FROM community_member JOIN community USING (community)",
    "no entity is in a community without a link, and none twice at a level":
        "WITH link AS (FROM relationship WHERE predicate NOT IN ('run-bioproject', 'run-study')), "
        "linked AS (SELECT source AS entity FROM link UNION SELECT target FROM link) "
        "SELECT entity, level FROM community_member JOIN community USING (community) "
        "EXCEPT ALL SELECT entity, level FROM linked "
        "CROSS JOIN (SELECT DISTINCT level FROM community)",
    "children partition their parent":
        "SELECT p.community FROM community p JOIN community c ON c.parent = p.community "
        "GROUP BY p.community, p.runs HAVING sum(c.runs) <> p.runs",
    "a relationship joins two different known entities":
        "SELECT source FROM relationship WHERE source >= target OR source NOT IN (FROM entity "
        "SELECT entity) "
        "OR target NOT IN (FROM entity SELECT entity)",
    "an annotation names a known run": "SELECT run FROM annotation EXCEPT SELECT run FROM run",
    "an annotation names a live term":
        "SELECT curie FROM annotation WHERE curie IS NOT NULL EXCEPT SELECT curie FROM term WHERE "
        "NOT obsolete",
    "the state of a run says what its other tables say":
        "SELECT r.run FROM run r LEFT JOIN run_state s USING (state) LEFT JOIN "
        "(SELECT run, '|' || string_agg(DISTINCT facet, '|' ORDER BY facet) || '|' AS facets "
        "FROM annotation GROUP BY run) a USING (run) WHERE s.state IS NULL "
        "OR a.facets IS DISTINCT FROM s.facets_stated "
        "OR (r.run IN (SELECT run FROM searched)) <> (searches IS NOT NULL) "
        "OR (r.run IN (SELECT run FROM detection)) <> has_virus "
        "OR (r.run IN (SELECT run FROM detection WHERE identity >= 90 AND closest IS NULL)) "
        "<> has_confirmed_virus",
    "a term of runs, hits and pairs is among the used terms":
        "(SELECT curie FROM annotation WHERE curie IS NOT NULL UNION SELECT ancestor FROM closure "
        "UNION SELECT virus FROM virus UNION SELECT curie FROM stat_hit "
        "UNION SELECT host FROM plausibility UNION SELECT host FROM predicted_pair "
        "UNION SELECT organism FROM sequenced UNION SELECT organism FROM other_by_kmers "
        "UNION SELECT congener FROM detection WHERE congener IS NOT NULL) "
        "EXCEPT SELECT curie FROM used_term",
    "a fact counts no more runs than its community has":
        "SELECT f.community FROM fact f JOIN community c USING (community) WHERE f.runs > c.runs",
    "no virus and no metagenome is a host":
        "SELECT entity FROM entity JOIN closure c ON c.descendant = entity "
        "WHERE kind = 'host' AND c.ancestor IN ('NCBITaxon:10239', 'NCBITaxon:408169')",
    "nine titles in ten name one community":
        "SELECT count(*) FROM report HAVING count(DISTINCT title) < 0.9 * count(*)",
    "no title names an identifier": "SELECT title FROM report WHERE contains(title, community)",
}  # fmt: skip


@pytest.mark.parametrize("rule", INVARIANTS)
def test_invariant_holds(rule: str, sample_db: duckdb.DuckDBPyConnection) -> None:
    assert sample_db.sql(INVARIANTS[rule]).limit(5).fetchall() == []


def test_labels_and_titles_are_distinct(sample_db: duckdb.DuckDBPyConnection) -> None:
    counts = "SELECT count(*), count(DISTINCT title), count(DISTINCT label) FROM report"
    ((reports, titles, labels),) = sample_db.sql(counts).fetchall()
    assert titles >= 0.99 * reports
    assert labels >= 0.99 * reports


def test_finding_communities_again_keeps_every_id(small_index: BuiltIndex, tmp_path: Path) -> None:
    path = copy_index(small_index, tmp_path)
    with open_index(path) as connection:
        before = connection.sql("SELECT community FROM community ORDER BY 1").fetchall()
    again = build_from(small_index.inputs, path, again="detect communities")
    with open_index(path) as connection:
        assert connection.sql("SELECT community FROM community ORDER BY 1").fetchall() == before
    assert again.summary.communities == f"{len(before):,} same"
    assert again.summary.unchanged == STAGES[: STAGES.index("detect communities")]
    assert again.summary.content_hash == small_index.summary.content_hash


def test_a_truncated_input_leaves_the_published_index(
    sample_inputs: Path,
    sample_index: BuiltIndex,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    folder = shutil.copytree(sample_inputs.parent, tmp_path / "sample")
    db = copy_index(sample_index, tmp_path)
    before = db.read_bytes()
    truncated = max(
        folder.rglob("*.gz"),
        key=lambda file: (file.suffixes != [".tar", ".gz"], file.stat().st_size),
    )
    truncated.write_bytes(truncated.read_bytes()[:-100])
    assert (
        main(["--inputs", str(folder / "inputs.toml"), "--db", str(db), "--no-llm", "--quiet"]) == 3
    )
    error = capsys.readouterr().err
    assert truncated.name in error
    assert "  -> fetch the file again" in error
    assert db.read_bytes() == before
    assert not building_path(db).exists()


def test_command_line_prints_its_summary_as_json(
    small_index: BuiltIndex, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    db = copy_index(small_index, tmp_path)
    given = ["--inputs", str(small_index.inputs), "--db", str(db), "--no-llm", "--json"]
    assert main(["--from", "embed reports", *given]) == 0
    said = capsys.readouterr()
    assert json.loads(said.out)["counts"]["run"] == 300
    assert "detect communities" in said.err


def test_an_ontology_without_a_path_is_fetched_from_its_address(
    small_index: BuiltIndex, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    manifest = shutil.copytree(small_index.inputs.parent, tmp_path / "small") / "inputs.toml"
    ontology = ROOT / "data" / "sample" / "ontologies" / "bto.obo"
    monkeypatch.chdir(tmp_path)
    with serve_folder(ontology.parent) as address:
        fetched = f'{{latest_url = "{address}/bto.obo"}}'
        manifest.write_text(manifest.read_text().replace(f'"{ontology}"', fetched))
        built = build_from(manifest, copy_index(small_index, tmp_path))
    assert (tmp_path / "data" / "raw" / "bto.obo").read_bytes() == ontology.read_bytes()
    assert built.summary.counts == small_index.summary.counts | {
        "build": built.summary.counts["build"],
        "past_build": built.summary.counts["past_build"],
    }


@contextmanager
def serve_folder(folder: Path) -> Iterator[str]:
    """Yield the address of a real HTTP server of the files in ``folder``."""
    handler = partial(QuietHandler, directory=str(folder))
    with serving(ThreadingHTTPServer(("127.0.0.1", 0), handler)) as server:
        yield f"http://127.0.0.1:{server.server_port}"


class QuietHandler(SimpleHTTPRequestHandler):
    def log_message(self, *args: object) -> None:
        """Say nothing."""


def test_an_unknown_parameter_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = tmp_path / "config.toml"
    config.write_text("[graph]\nresolutoin = 5\n")
    assert main(["--config", str(config), "--no-llm"]) == 3
    assert "graph.resolutoin: Extra inputs are not permitted" in capsys.readouterr().err


def test_full_disk_is_named_and_leaves_the_published_index(
    small_index: BuiltIndex, tmp_path: Path
) -> None:
    db = copy_index(small_index, tmp_path)
    before = db.read_bytes()
    code = (
        "import resource, sys\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))\n"
        "from flows.index import main\n"
        "sys.exit(main(sys.argv[1:]))"
    )
    named = ["--inputs", str(small_index.inputs), "--db", str(db)]
    arguments = [*named, "--no-llm", "--quiet", "--force"]
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=False
    )
    assert done.returncode == 6, done.stderr
    assert f"{db}: cannot write (" in done.stderr
    assert db.read_bytes() == before
    assert not building_path(db).exists()


def test_a_community_carried_down_shows_the_report_of_its_runs(
    sample_db: duckdb.DuckDBPyConnection,
) -> None:
    query = """
        SELECT k.community, k.carried_from, k.level
        FROM carried k JOIN report r ON r.community = k.carried_from
    """
    pairs = sample_db.sql(query).fetchall()
    assert len(pairs) > 0
    for community, carried_from, _ in pairs[:: len(pairs) // 20 + 1]:
        assert read_report(sample_db, community).community == carried_from
    for level in {level for *_, level in pairs}:
        rows, _ = list_communities(sample_db, level=level, limit=1_000)
        shown = {row.community for row in rows}
        assert {carried for _, carried, at in pairs if at == level} <= shown
