"""``query export`` and the Python interface: what leaves the index is what is in it."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from typing import Any

import duckdb
import igraph
import polars as pl
import pytest
from typer.testing import CliRunner

from index.exposure import DEFAULT_POLICY
from index.store.build import open_index
from index.tables import Annotation
from ontology_etl.releases.download import sha256_of
from query import Index
from query.browsing.communities import all_reports, read_report
from query.cli.app import app
from query.errors import UnclearQuestionError, UngatedExportError, UnknownTableError
from query.exports.crate import METADATA, export_crate
from query.exports.croissant import write_croissant
from query.exports.donors import MAY_IDENTIFY
from query.exports.graphs import export_graph, export_graph_tables
from query.exports.notes import export_notes
from query.exports.readers import Readers, reports_withheld, withheld_communities
from query.exports.sssom import JUSTIFICATIONS, export_sssom
from query.exports.tables import TableFormat, export_table, relations
from tests.conftest import BuiltIndex, copy_index

Connection = duckdb.DuckDBPyConnection


@pytest.mark.parametrize(
    ("name", "form"),
    [("report", "csv"), ("report", "json"), ("embedding", "parquet"), ("top_facts", "csv")],
)
def test_an_exported_table_holds_every_row_in_order(
    sample_db: Connection, tmp_path: Path, name: str, form: TableFormat
) -> None:
    path, rows = export_table(sample_db, name, tmp_path, form=form)

    readers: dict[str, Any] = {
        "parquet": pl.read_parquet,
        "csv": pl.read_csv,
        "json": pl.read_ndjson,
    }
    exported = readers[form](path)
    stored = sample_db.sql(f"FROM {name}").pl()
    first = stored.columns[0]
    assert rows == len(exported) == len(stored) > 0
    assert exported.columns == stored.columns
    assert exported[first].to_list() == stored[first].to_list()


def test_every_table_and_view_can_be_exported(sample_db: Connection, tmp_path: Path) -> None:
    names = relations(sample_db)

    rows = {name: export_table(sample_db, name, tmp_path, form="parquet")[1] for name in names}

    assert {"run", "report", "summaries"} <= set(names)
    assert rows["run"] == 2500


def test_a_table_that_is_not_there_is_named_with_those_that_are(
    sample_db: Connection, tmp_path: Path
) -> None:
    with pytest.raises(UnknownTableError, match="reports: no such table") as caught:
        export_table(sample_db, "reports", tmp_path, form="csv")

    assert "summaries" in caught.value.remedy


def test_graphml_holds_the_entities_and_relationships_of_the_index(
    sample_db: Connection, tmp_path: Path
) -> None:
    path = tmp_path / "graph.graphml"

    nodes, edges = export_graph(sample_db, path)

    graph = igraph.Graph.Read_GraphML(str(path))
    stored = "SELECT (SELECT count(*) FROM entity), (SELECT count(*) FROM relationship)"
    assert (graph.vcount(), graph.ecount()) == (nodes, edges)
    assert [(nodes, edges)] == sample_db.execute(stored).fetchall()
    assert set(graph.vs["kind"]) >= {"run", "host"}
    coarsest = sample_db.execute("SELECT community FROM community WHERE level = 0").fetchall()
    in_none = {""}  # bioprojects and studies
    assert set(graph.vs["community"]) == {community for (community,) in coarsest} | in_none


def test_gexf_is_read_back_with_its_weights(sample_db: Connection, tmp_path: Path) -> None:
    path = tmp_path / "graph.gexf"

    _, edges = export_graph(sample_db, path)

    text = path.read_text(encoding="utf-8")
    assert len(re.findall("<edge ", text)) == edges
    assert len(re.findall('<edge [^>]*weight="', text)) == edges


@pytest.fixture(scope="module")
def graph_tables(sample_index: BuiltIndex, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("graph")
    with open_index(sample_index.path) as con:
        counts = export_graph_tables(con, folder)
    assert counts == tuple(len(pl.read_csv(folder / f"{name}.csv")) for name in ("nodes", "edges"))
    return folder


def test_relationships_run_the_way_that_their_predicates_say(
    sample_db: Connection, graph_tables: Path
) -> None:
    edges = pl.read_csv(graph_tables / "edges.csv")
    kinds = pl.read_csv(graph_tables / "nodes.csv").select(":ID", ":LABEL")
    starts = edges.join(kinds, left_on=":START_ID", right_on=":ID")
    of_runs = starts.filter(pl.col(":TYPE").str.starts_with("RUN_"))
    assert set(of_runs[":LABEL"]) == {"run"}
    parents = edges.filter(pl.col(":TYPE") == "TERM_PARENT").select(":START_ID", ":END_ID").rows()
    closure = sample_db.execute("SELECT descendant, ancestor FROM closure").fetchall()
    assert parents
    assert set(parents) <= set(closure)


def test_graph_tables_have_the_headers_of_biocypher(graph_tables: Path) -> None:
    nodes = pl.read_csv(graph_tables / "nodes.csv")
    edges = pl.read_csv(graph_tables / "edges.csv")
    assert nodes.columns == [":ID", "name", "community", "category", ":LABEL"]
    assert edges.columns == [":START_ID", ":END_ID", "weight:double", "predicate", ":TYPE"]
    assert set(edges[":START_ID"]) <= set(nodes[":ID"])
    assert "biolink:NamedThing" not in set(nodes["category"])
    others = edges.filter(pl.col(":TYPE") != "RUN_DISEASE")
    assert "biolink:related_to" not in set(others["predicate"])
    schema = (graph_tables / "schema_config.yaml").read_text()
    labels = set(re.findall(r"^  input_label: (.+)$", schema, re.MULTILINE))
    assert labels == {*nodes[":LABEL"], *edges[":TYPE"]}


def test_every_link_of_a_note_leads_to_a_note(sample_db: Connection, tmp_path: Path) -> None:
    notes = export_notes(sample_db, tmp_path)

    files = {path.stem for path in tmp_path.glob("*.md")}
    texts = [path.read_text(encoding="utf-8") for path in tmp_path.glob("*.md")]
    linked = {link for text in texts for link in re.findall(r"\[\[(.+?)\]\]", text)}
    assert notes == len(files) - 1 == sample_db.table("report").shape[0]
    assert linked
    assert linked <= files


def test_a_crate_describes_the_file_that_is_in_it(
    sample_index: BuiltIndex, sample_db: Connection, tmp_path: Path
) -> None:
    export_crate(sample_db, sample_index.path, tmp_path, donors=True)

    described = json.loads((tmp_path / METADATA).read_text(encoding="utf-8"))
    by_id = {entity["@id"]: entity for entity in described["@graph"]}
    file = by_id[sample_index.path.name]
    copy = tmp_path / sample_index.path.name
    assert by_id[METADATA]["about"] == {"@id": "./"}
    assert file["sha256"] == hashlib.sha256(copy.read_bytes()).hexdigest()
    assert file["identifier"] == sample_index.summary.content_hash
    assert all(part["@id"] in by_id for part in by_id["#build"]["object"])
    assert by_id["#ontology-DOID"]["license"]
    needed = [by_id[one["@id"]] for one in by_id["#virome-graphrag"]["softwareRequirements"]]
    assert {(one["name"], one["version"]) for one in needed} >= {("duckdb", duckdb.__version__)}


LEAVES = ["tissue", "dev_stage", "disease stage", "sex", "storage"]
STAYS = ["donor", "host_subject_id", "age (years)", "Patient ID", "isolate", "collected_by",
         "submitter_id", "ethnicity", "individuals pooled"]  # fmt: skip


def test_attributes_that_may_identify_donors_are_left_out(tmp_path: Path) -> None:
    con = duckdb.connect()
    con.execute("CREATE TABLE run_attribute (run VARCHAR, attribute VARCHAR, value VARCHAR)")
    rows = [["SYNR1", attribute, "x"] for attribute in LEAVES + STAYS]
    con.executemany("INSERT INTO run_attribute VALUES (?, ?, ?)", rows)
    path, _ = export_table(con, "run_attribute", tmp_path, form="csv")
    assert sorted(pl.read_csv(path)["attribute"]) == sorted(LEAVES)
    _, all_rows = export_table(con, "run_attribute", tmp_path, form="csv", donors=True)
    assert all_rows == len(rows)


def test_a_crate_leaves_out_what_may_identify_donors(
    sample_index: BuiltIndex, sample_db: Connection, tmp_path: Path
) -> None:
    source = copy_index(sample_index, tmp_path)
    with duckdb.connect(source) as con:
        con.execute(
            "UPDATE biosample_attribute SET attribute = 'donor' WHERE attribute = 'isolate'"
        )
        con.execute("INSERT INTO run_attribute SELECT run, 'donor', 'D1' FROM run LIMIT 3")
    (folder := tmp_path / "crate").mkdir()
    path, removed = export_crate(sample_db, source, folder)
    files = {one["@id"]: one for one in json.loads(path.read_text())["@graph"]}
    file = files[source.name]
    assert removed >= 3
    assert f"without {removed:,} attributes" in file["description"]
    assert "identifier" not in file
    with duckdb.connect(folder / source.name, read_only=True) as con:
        assert con.sql("SELECT count(*) FROM run_attribute WHERE value = 'D1'").fetchall() == [(0,)]


def test_every_grounding_is_a_mapping_with_its_method_and_confidence(
    sample_db: Connection, tmp_path: Path
) -> None:
    path, rows = export_sssom(sample_db, tmp_path)
    head = [line[1:] for line in path.read_text().splitlines() if line.startswith("#")]
    mappings = pl.read_csv(path, separator="\t", comment_prefix="#", infer_schema=False)
    assert rows == len(mappings) > 100
    prefixes = {curie.split(":")[0] for curie in mappings["object_id"]}
    assert all(f"  {prefix}: http" in "\n".join(head) for prefix in prefixes)
    exact = mappings.filter(pl.col("predicate_id") == "skos:exactMatch")
    assert len(exact) > 50
    human = mappings.filter(pl.col("subject_label") == "Homo sapiens")
    assert set(human["object_id"]) == {"NCBITaxon:9606"}
    assert set(human["predicate_id"]) == {"skos:exactMatch"}
    scores = mappings["confidence"].drop_nulls().cast(pl.Float64)
    assert scores.is_between(0, 1).all()
    stated = sample_db.sql(
        "SELECT count(DISTINCT (text, curie)) FROM annotation "
        f"WHERE curie IS NOT NULL AND method <> 'stat' AND NOT {MAY_IDENTIFY}"
    ).fetchall()
    of_texts = mappings.filter(~pl.col("comment").str.starts_with("virus by attribute detection"))
    assert [(of_texts.select("subject_label", "object_id").n_unique(),)] == stated


def test_every_justification_is_that_of_a_method_of_groundings() -> None:
    methods = str(Annotation.columns()["method"].regex)
    assert [method for method in JUSTIFICATIONS if not re.match(methods, method)] == []


def test_croissant_describes_every_column_of_the_tables(
    sample_db: Connection, tmp_path: Path
) -> None:
    files = [export_table(sample_db, name, tmp_path, form="parquet")[0] for name in ("run", "fact")]
    described = json.loads(write_croissant(sample_db, tmp_path, files).read_text())
    objects = {one["@id"]: one for one in described["distribution"]}
    for record_set in described["recordSet"]:
        table = pl.read_parquet(tmp_path / f"{record_set['name']}.parquet")
        columns = [field["source"]["extract"]["column"] for field in record_set["field"]]
        assert columns == table.columns
        assert all(field["description"] for field in record_set["field"])
        assert {field["source"]["fileObject"]["@id"] for field in record_set["field"]} <= set(
            objects
        )
    assert objects["run.parquet"]["sha256"] == sha256_of(tmp_path / "run.parquet")


def test_an_export_that_cannot_be_written_says_which_folder(
    sample_index: BuiltIndex, tmp_path: Path
) -> None:
    taken = tmp_path / "file"
    taken.write_text("")

    done = CliRunner().invoke(app, ["export", str(taken), "--db", str(sample_index.path)])

    assert done.exit_code == 8
    assert str(taken) in done.stderr


@pytest.fixture(scope="module")
def opened(sample_index: BuiltIndex) -> Index:
    return Index(sample_index.path)


@pytest.mark.usefixtures("composed_only")
def test_a_question_refused_on_the_command_line_is_an_error_in_python(opened: Index) -> None:
    with pytest.raises(UnclearQuestionError, match="“unicorns” not understood"):
        opened.ask("Which viruses are found in unicorns?")


def test_tables_come_as_data_frames(opened: Index) -> None:
    communities = opened.communities(level=0)
    first = communities["community"][0]

    facts = opened.facts(first)

    assert set(communities["level"]) == {0}
    assert set(facts["community"]) == {first}
    assert opened.report(first).title == communities["title"][0]


def test_all_reports_are_those_read_one_by_one(sample_db: Connection) -> None:
    cards = all_reports(sample_db)
    assert len(cards) > 20
    some = cards[::8]
    assert some == [read_report(sample_db, card.community) for card in some]


def test_files_for_a_model_elsewhere_hold_what_it_may_see(
    sample_db: Connection, tmp_path: Path
) -> None:
    """Communities of RG1 and RG2 alone, by the register of the sample."""
    withheld = withheld_communities(sample_db, Readers.MODEL_ELSEWHERE, DEFAULT_POLICY)
    cleared = "SELECT count(*) FROM report JOIN community_risk USING (community) WHERE {}"
    low = cleared.format("community_risk.risk_group IN ('RG1', 'RG2', 'no vertebrate host')")
    ((may_be_seen,),) = sample_db.execute(low).fetchall()

    notes = export_notes(sample_db, tmp_path, withheld=withheld)
    _, rows = export_table(sample_db, "report", tmp_path, form="csv", withheld=withheld)

    assert 0 < notes == rows <= may_be_seen
    kept_back = reports_withheld(sample_db, withheld)
    ((reports,),) = sample_db.execute("SELECT count(*) FROM report").fetchall()
    assert "RG4" in kept_back
    assert notes + sum(kept_back.values()) == reports
    written = " ".join(path.read_text() for path in tmp_path.glob("*.md"))
    assert not any(f"[[{community}]]" in written for community in withheld)


def test_a_table_of_no_community_is_not_written_for_a_model(
    sample_db: Connection, tmp_path: Path
) -> None:
    with pytest.raises(UngatedExportError, match="detection cannot be exported for a model"):
        export_table(sample_db, "detection", tmp_path, form="csv", withheld={"C0-1"})
