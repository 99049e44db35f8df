"""Risk groups: inherited downwards, the highest wins, unknown is not safe."""

from __future__ import annotations

from pathlib import Path

import pytest

from index.reports.biosafety import (
    GROUPS,
    community_risk,
    rejected_entries,
    unresolved_entries,
)
from index.sources.risk_register import empty_register, read_register
from ontology_etl.errors import ColumnError, EmptyTableError, MissingFileError
from query.config import QueryConfig
from tests.tiny_index import tiny_index

TERMS = """
curie | label | obsolete | replaced_by
NCBITaxon:1 | root | |
NCBITaxon:10 | Dangerviridae | |
NCBITaxon:11 | Danger virus | |
NCBITaxon:12 | Mild virus | |
NCBITaxon:13 | Danger virus strain X | |
NCBITaxon:19 | Danger virus old name | true | NCBITaxon:11
NCBITaxon:7711 | Chordata | |
NCBITaxon:9606 | Homo sapiens | |
NCBITaxon:50 | Some bacterium | |
"""
EDGES = """
subject | object
NCBITaxon:10 | NCBITaxon:1
NCBITaxon:11 | NCBITaxon:10
NCBITaxon:12 | NCBITaxon:1
NCBITaxon:13 | NCBITaxon:11
NCBITaxon:7711 | NCBITaxon:1
NCBITaxon:9606 | NCBITaxon:7711
NCBITaxon:50 | NCBITaxon:1
"""
REGISTER = "name\tncbi_taxid\trg_human_derived\nDanger virus\t19\tRG4\nMild virus\t\tRG2\nUnrated virus\t12\t\n"


def risk_of(
    tmp_path: Path, *, detection: str = "", annotation: str = "", register: bool = True
) -> tuple[str, str]:
    path = tmp_path / "register.tsv"
    path.write_text(REGISTER, encoding="utf-8")
    tables = {
        "run": "run\nR1",
        "community_member": "community | entity\nC0-a | R1",
        "term": TERMS,
        "term_edge": EDGES,
    }
    if detection:
        tables["detection"] = f"run | sotu | species\n{detection}"
    if annotation:
        tables["annotation"] = f"run | facet | value | curie\n{annotation}"
    risk = community_risk(
        tiny_index(**tables), read_register(path) if register else empty_register()
    )
    return risk.select("risk_group", "basis").row(0)


@pytest.mark.parametrize(
    ("detection", "annotation", "expected"),
    [
        ("R1 | u1 | Mild virus", "", ("RG2", "Mild virus")),
        (
            "R1 | u1 | mild VIRUS",
            "R1 | label | Homo sapiens | NCBITaxon:9606",
            ("RG2", "Mild virus"),
        ),
        ("R1 | u1 | Danger virus strain X", "", ("RG4", "Danger virus strain X")),
        ("R1 | u1 | Danger virus\nR1 | u2 | Never heard of it", "", ("RG4", "Danger virus")),
        ("R1 | u1 | Mild virus\nR1 | u2 | Never heard of it", "", ("unknown", "Never heard of it")),
        ("R1 | u1 | Mild virus\nR1 | u2 |", "", ("unknown", "u2")),
        ("R1 | u1 | Dangerviridae", "", ("unknown", "Dangerviridae")),
        ("", "R1 | label | Homo sapiens | NCBITaxon:9606", ("unknown", "no agent named")),
        (
            "R1 | u1 | Mild virus",
            "R1 | label | Some bacterium | NCBITaxon:50",
            ("unknown", "Some bacterium"),
        ),
        (
            "R1 | u1 | Mild virus",
            "R1 | statOrganism | Some bacterium | NCBITaxon:50",
            ("RG2", "Mild virus"),
        ),
        (
            "R1 | u1 | Mild virus",
            "R1 | statOrganism | Danger virus | NCBITaxon:11",
            ("RG4", "Danger virus"),
        ),
        ("", "", ("unknown", "no agent named")),
    ],
)
def test_community_takes_the_gravest_of_its_agents(
    tmp_path: Path, detection: str, annotation: str, expected: tuple[str, str]
) -> None:
    assert risk_of(tmp_path, detection=detection, annotation=annotation) == expected


def test_without_a_register_everything_is_unknown(tmp_path: Path) -> None:
    assert risk_of(tmp_path, detection="R1 | u1 | Mild virus", register=False)[0] == "unknown"


def test_unknown_is_graver_than_the_groups_that_may_pass() -> None:
    assert GROUPS.index("unknown") > GROUPS.index("RG2")
    assert QueryConfig().policy.shown(local=False) == ("RG1", "RG2")


def test_register_that_cannot_be_read_stops_the_build(tmp_path: Path) -> None:
    path = tmp_path / "register.tsv"
    with pytest.raises(MissingFileError):
        read_register(path)
    path.write_text("name\ttaxid\n", encoding="utf-8")
    with pytest.raises(ColumnError, match="ncbi_taxid, rg_human_derived"):
        read_register(path)
    path.write_text("name\tncbi_taxid\trg_human_derived\nA\t1\t\n", encoding="utf-8")
    with pytest.raises(EmptyTableError):
        read_register(path)


def test_entry_that_names_no_taxon_is_counted_and_named(tmp_path: Path) -> None:
    path = tmp_path / "register.tsv"
    entries = [
        "Danger virus\t19\tRG4",
        "Mild virsu\t\tRG2",
        "Unrated virus\t12\t",
        "Gone virus\t99\tRG3",
    ]
    path.write_text(
        "\n".join(["name\tncbi_taxid\trg_human_derived", *entries, ""]), encoding="utf-8"
    )
    con = tiny_index(term=TERMS, term_edge=EDGES)
    rejected = rejected_entries(unresolved_entries(con, read_register(path)), path)
    assert rejected.select("row", "reason").rows() == [
        (3, "risk group register: 'Mild virsu, RG2' names no taxon of this index"),
        (5, "risk group register: 'Gone virus, RG3, NCBITaxon:99' names no taxon of this index"),
    ]


@pytest.mark.real
def test_real_register_lists_every_group_it_claims(shared_data: Path) -> None:
    register = read_register(shared_data / "biosafety" / "risk_groups.tsv")
    assert set(register["severity"].unique()) == {
        GROUPS.index(group) for group in ("RG2", "RG3", "RG4")
    }
    assert len(register) > 900
