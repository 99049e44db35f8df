"""What a search can find: which runs were searched for a virus, by the rule in its one place."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from index.mwas.abundance import measure_abundance
from index.records import SEARCHES_SCHEMA, Records
from index.sources.inputs import read_input, read_records
from index.sources.manifest import Input, read_manifest
from index.store.scopes import SEARCHES_OF_FAMILIES, searched_for
from ontology_etl.errors import ManifestError
from tests.tiny_index import read_text_table, tiny_index

CLOSURE = """
descendant        | ancestor          | distance
NCBITaxon:10376   | NCBITaxon:10376   | 0
NCBITaxon:10376   | NCBITaxon:3044472 | 1
NCBITaxon:10376   | NCBITaxon:10239   | 2
NCBITaxon:37296   | NCBITaxon:37296   | 0
NCBITaxon:37296   | NCBITaxon:3044472 | 1
NCBITaxon:37296   | NCBITaxon:10239   | 2
NCBITaxon:3044472 | NCBITaxon:3044472 | 0
NCBITaxon:3044472 | NCBITaxon:10239   | 1
NCBITaxon:12637   | NCBITaxon:12637   | 0
NCBITaxon:12637   | NCBITaxon:10239   | 1
NCBITaxon:10377   | NCBITaxon:10376   | 1
NCBITaxon:10377   | NCBITaxon:3044472 | 2
NCBITaxon:10377   | NCBITaxon:10239   | 3
"""
"""EBV and a strain of it (10377), KSHV, their family, dengue virus, viruses."""
SCOPE = """
source | search  | virus             | below | family
nt     | genomes | NCBITaxon:10376   | true  | Orthoherpesviridae
nt     | unnamed | NCBITaxon:3044472 | false | Orthoherpesviridae
palm   | all     | NCBITaxon:10239   | true  |
"""
SEARCHED = """
run | source | search
R1  | nt     | genomes
R2  | nt     | unnamed
R3  | palm   | all
R4  | nt     | genomes
R4  | palm   | all
"""


@pytest.mark.parametrize(
    ("taxon", "runs"),
    [
        ("NCBITaxon:10376", ["R1", "R3", "R4"]),  # itself
        ("NCBITaxon:10377", ["R1", "R3", "R4"]),  # a strain of it
        ("NCBITaxon:37296", ["R3", "R4"]),  # another virus of the family
        ("NCBITaxon:3044472", ["R1", "R2", "R3", "R4"]),  # the family: something of it
        ("NCBITaxon:12637", ["R3", "R4"]),  # everything holds it
        ("NCBITaxon:10239", ["R1", "R2", "R3", "R4"]),
    ],
)
def test_a_run_is_searched_for_what_one_of_its_searches_can_find(
    taxon: str, runs: list[str]
) -> None:
    con = tiny_index(closure=CLOSURE, source_scope=SCOPE, searched=SEARCHED)
    select = searched_for(f"SELECT '{taxon}'")
    found = con.execute(f"SELECT DISTINCT run FROM ({select}) ORDER BY run").fetchall()
    assert [run for (run,) in found] == runs
    macro = con.execute("SELECT run FROM searched_for($1) ORDER BY run", [taxon]).fetchall()
    assert macro == found


def test_a_family_is_looked_for_by_scopes_of_its_own_and_by_those_above() -> None:
    detection = """
    run | sotu | taxon           | family             | source
    R1  | NC_1 | NCBITaxon:10376 | Orthoherpesviridae | nt
    R3  | u1   | NCBITaxon:12637 | Flaviviridae       | palm
    """
    con = tiny_index(closure=CLOSURE, source_scope=SCOPE, detection=detection)
    assert con.execute(SEARCHES_OF_FAMILIES).fetchall() == [
        ("Flaviviridae", "palm", "all"),
        ("Orthoherpesviridae", "nt", "genomes"),
        ("Orthoherpesviridae", "nt", "unnamed"),
        ("Orthoherpesviridae", "palm", "all"),
    ]


def test_samples_that_were_not_searched_for_a_family_are_no_negatives_of_it() -> None:
    of_families = [("A", "nt", "one"), ("B", "nt", "two")]
    run = "\n".join(f"R{number} | S{number} | P1 | 1000000" for number in range(1, 5))
    records = Records(
        run=read_text_table("run", f"run | biosample | bioproject | spots\n{run}"),
        detection=read_text_table(
            "detection",
            """
            run | sotu | family | reads | source
            R1  | NC_1 | A      | 5     | nt
            R3  | NC_2 | B      | 7     | nt
            """,
        ),
        searched=read_text_table(
            "searched",
            """
            run | source | search
            R1  | nt     | one
            R2  | nt     | one
            R3  | nt     | two
            R4  | nt     | two
            R4  | nt     | one
            """,
        ),
        searches=pl.DataFrame(of_families, schema=SEARCHES_SCHEMA, orient="row"),
    )
    measured = measure_abundance(records, source="nt")
    samples = {
        one.families["family"][0]: one.searched["biosample"].sort().to_list() for one in measured
    }
    assert samples == {"A": ["S1", "S2", "S4"], "B": ["S3", "S4"]}


# --- manifests ------------------------------------------------------------------------------------

PALM = """\
run\tsotu\tgb_pid\ttax_species\tnode_coverage\tsource
SYNR1\tu1\t95\tVirus A\t3\tworms
SYNR2\tu2\t95\tVirus B\t3\tbats
"""


def test_the_extracts_of_a_file_are_searches_of_their_own(tmp_path: Path) -> None:
    path = tmp_path / "palm.tsv"
    path.write_text(PALM)
    records = read_input(Input(format="palm_virome", path=path))
    assert records.searched.rows() == [
        ("SYNR1", "palm_virome", "worms"),
        ("SYNR2", "palm_virome", "bats"),
    ]
    named = records.scope.select("search", "reported_name", "identity").sort("search")
    assert named.rows() == [("bats", "Virus B", 95.0), ("worms", "Virus A", 95.0)]


def test_files_of_a_glob_that_differ_in_numbers_alone_are_one_search(tmp_path: Path) -> None:
    """Shards, months, samples: what one names was searched for in the runs of the others, too."""
    for name, run in (("hits-01", 1), ("hits-02", 2), ("others", 3)):
        row = f"SYNR{run}\tu{run}\t95\tVirus {run}\t3"
        (tmp_path / f"{name}.tsv").write_text(
            f"run\tsotu\tgb_pid\ttax_species\tnode_coverage\n{row}\n"
        )
    entry = ["[[input]]", 'format = "palm_virome"', 'glob = "*.tsv"']
    (tmp_path / "inputs.toml").write_text("\n".join(entry))
    manifest = read_manifest(tmp_path / "inputs.toml")
    assert [one.search for one in manifest.inputs] == ["hits", "hits", ""]
    records = read_records(manifest)
    assert [row[::2] for row in records.searched.rows()] == [
        ("SYNR1", "hits"),
        ("SYNR2", "hits"),
        ("SYNR3", "others"),
    ]
    named = records.scope.group_by("search").agg(pl.col("reported_name").sort()).sort("search")
    assert named.rows() == [("hits", ["Virus 1", "Virus 2"]), ("others", ["Virus 3"])]


def searched_list(folder: Path, *options: str) -> Path:
    """Write a list of runs; return a manifest that names it, with ``options``."""
    (folder / "list.tsv").write_text("run\tvirus_positive\nSYNR1\tFalse\n")
    entry = ["[[input]]", 'format = "searched_runs"', 'path = "list.tsv"', *options]
    (folder / "inputs.toml").write_text("\n".join(entry))
    return folder / "inputs.toml"


@pytest.mark.parametrize(
    ("scope", "taxa"),
    [
        ("rows", []),
        ("everything", ["NCBITaxon:10239"]),
        ("NCBITaxon:2732396", ["NCBITaxon:2732396"]),
        ("taxa.tsv", ["NCBITaxon:10298", "NCBITaxon:10376"]),
    ],
)
def test_a_manifest_states_what_a_list_of_runs_was_searched_for(
    tmp_path: Path, scope: str, taxa: list[str]
) -> None:
    (tmp_path / "taxa.tsv").write_text("taxid\n10376\n10298\n")
    records = read_records(read_manifest(searched_list(tmp_path, f'scope = "{scope}"')))
    assert sorted(records.scope["virus"]) == taxa
    assert records.scope["below"].all()
    name = "list" if taxa else "palm_virome"
    assert records.searched.rows() == [("SYNR1", "palm_virome", name)]


@pytest.mark.parametrize("scope", ['"all"', '"NCBITaxon:x"', "3", "[]"])
def test_a_scope_that_is_none_is_named_with_what_can_be_written(tmp_path: Path, scope: str) -> None:
    with pytest.raises(ManifestError, match="scope is not what a search can find"):
        read_manifest(searched_list(tmp_path, f"scope = {scope}"))


def test_a_link_in_a_circle_is_named(tmp_path: Path) -> None:
    manifest = searched_list(tmp_path)
    (tmp_path / "list.tsv").unlink()
    (tmp_path / "list.tsv").symlink_to(tmp_path / "b.tsv")
    (tmp_path / "b.tsv").symlink_to(tmp_path / "list.tsv")
    with pytest.raises(ManifestError, match=r"list\.tsv: a symbolic link in a circle"):
        read_manifest(manifest)
