"""Risk groups: the highest row decides, floors clear nothing, unknown is not safe."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import pytest

from index.exposure import GROUPS
from index.reports.biosafety import community_risk, rejected_entries
from index.reports.risk_entries import Linked, link_entries
from index.sources.risk_register import Register, empty_register, read_register
from ontology_etl.errors import (
    ColumnError,
    EmptyTableError,
    EncodingError,
    MalformedRowError,
    MissingFileError,
)
from query.config import QueryConfig
from tests.tiny_index import tiny_index

TERMS = """
curie | label | rank | obsolete | replaced_by
NCBITaxon:1 | root | | |
NCBITaxon:10239 | Viruses | | |
NCBITaxon:10 | Dangerviridae | family | |
NCBITaxon:11 | Danger virus | species | |
NCBITaxon:12 | Mild virus | species | |
NCBITaxon:13 | Danger virus strain X | | |
NCBITaxon:14 | Plainvirus | genus | |
NCBITaxon:15 | Plain virus | species | |
NCBITaxon:16 | Newgenus | genus | |
NCBITaxon:17 | Newgenus zonense | species | |
NCBITaxon:18 | Zone plainvirus | | |
NCBITaxon:19 | NCBITaxon:19 | | true | NCBITaxon:11
NCBITaxon:7711 | Chordata | phylum | |
NCBITaxon:9606 | Homo sapiens | species | |
NCBITaxon:33090 | Viridiplantae | kingdom | |
NCBITaxon:60 | Sabia | genus | |
NCBITaxon:50 | Some bacterium | species | |
"""
EDGES = """
subject | object
NCBITaxon:10239 | NCBITaxon:1
NCBITaxon:10 | NCBITaxon:10239
NCBITaxon:11 | NCBITaxon:10
NCBITaxon:12 | NCBITaxon:10239
NCBITaxon:13 | NCBITaxon:11
NCBITaxon:14 | NCBITaxon:10239
NCBITaxon:15 | NCBITaxon:14
NCBITaxon:16 | NCBITaxon:10239
NCBITaxon:17 | NCBITaxon:16
NCBITaxon:18 | NCBITaxon:17
NCBITaxon:7711 | NCBITaxon:1
NCBITaxon:9606 | NCBITaxon:7711
NCBITaxon:33090 | NCBITaxon:1
NCBITaxon:60 | NCBITaxon:33090
NCBITaxon:50 | NCBITaxon:1
"""
SYNONYMS = """
curie | synonym
NCBITaxon:11 | Peril virus
"""
VIRUS_NAMES = """
key | name | virus | kind
dangerhumanvirus1 | Danger human virus 1 | NCBITaxon:11 | former
newgenuszonense | Newgenus zonense | NCBITaxon:18 | label
zoneplainvirus | Zone plainvirus | NCBITaxon:18 | former
dv | DV | NCBITaxon:11 | abbreviation
dv | DV | NCBITaxon:12 | abbreviation
"""
HEADER = "name\tncbi_taxid\ttype\trg_human_derived\trg_basis\n"
REGISTER = "Danger virus|19||RG4|\nMild virus|||RG2|\nUnrated virus|12|||\n"


def write_register(folder: Path, rows: str = REGISTER) -> Path:
    path = folder / "register.tsv"
    path.write_text(HEADER + rows.replace("|", "\t"), encoding="utf-8")
    return path


def index_of(*holdings: tuple[str, str]) -> duckdb.DuckDBPyConnection:
    """Return an index with a community of one run for each of ``holdings``: its detections, which
    are virus, taxon, name, family, and its annotations.
    """
    hits, annotations = [], []
    for run, (detected, annotated) in enumerate(holdings):
        rows = detected.split("; ") if detected else []
        hits += [f"R{run} | u{number} | {row}" for number, row in enumerate(rows, 1)]
        annotations += [f"R{run} | {annotated}"] if annotated else []
    runs = range(len(holdings) or 1)
    return tiny_index(
        run="\n".join(["run", *(f"R{run}" for run in runs)]),
        community_member="\n".join(["community | entity", *(f"C{n:02} | R{n}" for n in runs)]),
        term=TERMS,
        term_edge=EDGES,
        synonym=SYNONYMS,
        virus_name=VIRUS_NAMES,
        detection="\n".join(["run | sotu | virus | taxon | reported_name | family", *hits]),
        annotation="\n".join(["run | facet | value | curie", *annotations]),
    )


def linked_of(path: Path) -> Linked:
    return link_entries(index_of(), read_register(path).entries)


def decided(con: duckdb.DuckDBPyConnection, register: Register) -> list[tuple[Any, ...]]:
    """Return risk group, name, rule and row of each community, in the order of ``index_of``."""
    links = link_entries(con, register.entries).links
    judged = community_risk(con, links).sort("community")
    return judged.select("risk_group", "name", "rule", "row").rows()


def decided_of(register: Register, detection: str) -> tuple[Any, ...]:
    """Return the same of a community of one ``detection``."""
    (row,) = decided(index_of((detection, "")), register)
    return row


BACTERIUM = "Some bacterium | NCBITaxon:50"
HUMAN = "label | Homo sapiens | NCBITaxon:9606"
MILD = "NCBITaxon:12 | NCBITaxon:12 | Mild virus |"
DANGER = "NCBITaxon:11 | NCBITaxon:11 | Danger virus |"
STRAIN = "NCBITaxon:13 | NCBITaxon:11 | Danger virus strain X |"
UNHEARD = "| | Never heard of it |"


GRAVEST = [
    (MILD, "", ("RG2", "Mild virus", "listed", 3)),
    ("| | mild VIRUS |", HUMAN, ("RG2", "Mild virus", "listed", 3)),
    (DANGER, "", ("RG4", "Danger virus", "listed", 2)),
    (STRAIN, "", ("RG4", "Danger virus strain X", "inherited", 2)),
    (f"{DANGER}; {UNHEARD}", "", ("RG4", "Danger virus", "listed", 2)),
    ("| | Peril virus |", "", ("RG4", "Danger virus", "listed", 2)),
    ("| | Danger human virus 1 |", "", ("RG4", "Danger virus", "listed", 2)),
    ("| | DV |", "", ("RG4", "Danger virus", "listed", 2)),
    (f"{MILD}; {UNHEARD}", "", ("unknown", "Never heard of it", "not listed", None)),
    (f"{MILD}; | | |", "", ("unknown", "u2", "not listed", None)),
    ("| | | Dangerviridae", "", ("unknown", "Dangerviridae", "not listed", None)),
    ("", HUMAN, ("unknown", None, "no agent", None)),
    (MILD, f"label | {BACTERIUM}", ("unknown", "Some bacterium", "not listed", None)),
    (MILD, f"statOrganism | {BACTERIUM}", ("RG2", "Mild virus", "listed", 3)),
    (
        MILD,
        "statOrganism | Danger virus | NCBITaxon:11",
        ("RG4", "Danger virus", "listed", 2),
    ),
    ("", "statOrganism | Mild virus | NCBITaxon:12", ("unknown", None, "no agent", None)),
    ("", "virus | Danger virus | NCBITaxon:11", ("RG4", "Danger virus", "listed", 2)),
    ("", "", ("unknown", None, "no agent", None)),
]


def test_community_takes_the_gravest_of_its_agents(tmp_path: Path) -> None:
    register = read_register(write_register(tmp_path))
    con = index_of(*((detection, annotation) for detection, annotation, _ in GRAVEST))
    assert decided(con, register) == [expected for _, _, expected in GRAVEST]


NEW = "| | New one | Dangerviridae"
FAMILY = "NCBITaxon:10 | NCBITaxon:10 | | Dangerviridae"
MEMBERS = "Dangerviridae|10||RG2|\nDanger virus|11||RG4|"
PLAIN = "NCBITaxon:15 | NCBITaxon:15 | Plain virus |"
LIKE_PLAIN = "NCBITaxon:15 | NCBITaxon:14 | Plain virus |"
ZONE = "NCBITaxon:18 | NCBITaxon:17 | Zone plainvirus |"
NEWGENUS = "NCBITaxon:17 | NCBITaxon:17 | Newgenus zonense |"


DECIDED = [
    # the highest row decides, and a floor clears nothing
    ("Mild virus|12||RG2|human virus floor", MILD, "unknown: floor only, row 2"),
    ("Mild virus|12||RG2|HSE\nMild virus|12||RG2|a floor", MILD, "RG2: listed, row 2"),
    ("Mild virus|12||RG3|NIAID A floor", MILD, "RG3: floor, row 2"),
    ("Danger virus|11||RG4|\nDanger virus|19||RG2|a floor", DANGER, "RG4: listed, row 2"),
    ("Danger virus|11||RG4|\nDangerviridae|10||RG2|", STRAIN, "RG4: inherited, row 2"),
    ("Dangerviridae|10||RG4|\nDanger virus|11||RG2|", DANGER, "RG4: inherited, row 2"),
    ("Mild virus|12||RG1|\nMild virus|12||RG2|floor", MILD, "RG2: floor, row 3"),
    ("Mild virus|12||RG5|\nDanger virus|11||RG4|", MILD, "unknown: unread, row 2"),
    ("Mild virus|12||RG2|\nMild virus|||RG2 or RG3|", MILD, "unknown: unread, row 3"),
    # a virus known by its family takes the entry of the family
    ("Dangerviridae|10||RG2|", NEW, "RG2: listed, row 2"),
    (MEMBERS, NEW, "unknown: members, row 3"),
    (MEMBERS, FAMILY, "unknown: members, row 3"),
    # a virus that is only like a listed one is not cleared by it
    ("Plain virus|15||RG2|", LIKE_PLAIN, "unknown: not listed, row None"),
    ("Plain virus|15||RG2|", PLAIN, "RG2: listed, row 2"),
    # an entry of another taxon of the same virus counts: its species, its type, a former genus
    ("Newgenus zonense|17||RG4|", ZONE, "RG4: listed, row 2"),
    ("Zone plainvirus|18||RG4|", NEWGENUS, "RG4: listed, row 2"),
    ("Plainvirus|14||RG4|", ZONE, "RG4: floor, row 2"),
    # rows of one name hold for the taxa of each other
    ("E virus|12||RG2|\nE virus|15||RG3|", MILD, "RG3: floor, row 3"),
]


def test_rows_of_the_register_decide(tmp_path: Path) -> None:
    detections = list(dict.fromkeys(detection for _, detection, _ in DECIDED))
    con = index_of(*((detection, "") for detection in detections))
    for rows, detection, decision in DECIDED:
        register = read_register(write_register(tmp_path, rows))
        group, _, rule, row = decided(con, register)[detections.index(detection)]
        assert f"{group}: {rule}, row {row}" == decision, rows


def test_row_of_viruses_never_means_a_plant(tmp_path: Path) -> None:
    path = write_register(tmp_path, "Sabia virus|60|Viruses|RG4|\nMild virus|60||RG2|\n")
    linked = linked_of(path)
    assert linked.links.select("row", "curie").unique().rows() == [(3, "NCBITaxon:12")]
    assert rejected_entries(linked, path)["reason"].to_list() == [
        "risk group register: 'Sabia virus, RG4, NCBITaxon:60' names no taxon of this index",
        "risk group register: 'Sabia virus, RG4, NCBITaxon:60': its taxid is not a virus, so its "
        "name alone decides",
        "risk group register: 'Mild virus, RG2, NCBITaxon:60': its taxid is not a virus, so its "
        "name alone decides",
    ]


def test_row_whose_name_and_taxid_disagree_clears_neither(tmp_path: Path) -> None:
    path = write_register(tmp_path, "Mild virus|15||RG2|")
    assert decided_of(read_register(path), MILD)[2] == "floor only"
    (reason,) = rejected_entries(linked_of(path), path)["reason"]
    assert reason.endswith("its name and its taxid are different taxa, so it clears neither")


def test_without_a_register_everything_is_unknown() -> None:
    assert decided_of(empty_register(), MILD)[0] == "unknown"


def test_unknown_is_graver_than_the_groups_that_may_pass() -> None:
    assert GROUPS.index("unknown") > GROUPS.index("RG2")
    assert "unknown" not in QueryConfig().policy.shown(local=False)


@pytest.mark.parametrize(
    ("content", "error"),
    [
        (b"name\ttaxid\n", ColumnError),
        (b"name\tncbi_taxid\trg_human_derived\n", EmptyTableError),
        (b"name\tncbi_taxid\trg_human_derived\nA\t1\t\n", EmptyTableError),
        (b"name\tncbi_taxid\trg_human_derived\nA\t1\tRG7\n", EmptyTableError),
        (b"", EmptyTableError),
        (b"name\tncbi_taxid\trg_human_derived\nSabi\xe1\t1\tRG4\n", EncodingError),
        ("name\trg_human_derived\nA\tRG4\n".encode("utf-16"), EncodingError),
        (b'name,rg_human_derived\n"Danger virus,RG4\nMild virus,RG2\n', MalformedRowError),
    ],
)
def test_register_that_cannot_be_read_stops_the_build(
    tmp_path: Path, content: bytes, error: type[Exception]
) -> None:
    path = tmp_path / "register.tsv"
    with pytest.raises(MissingFileError):
        read_register(path)
    path.write_bytes(content)
    with pytest.raises(error):
        read_register(path)


@pytest.mark.parametrize(
    ("row", "curie", "group", "cleaned"),
    [
        ("\u00a0Danger  virus\u200b|11118.0||RG4|", "NCBITaxon:11118", "RG4", 2),
        ("Danger virus| 11118 ||rg4|", "NCBITaxon:11118", "RG4", 1),
        ("Danger virus|NCBITaxon:11118||4|", "NCBITaxon:11118", "RG4", 2),
        ("Danger virus|||Risk Group 3|", None, "RG3", 1),
        ("Danger virus|||HG3*|", None, "RG3", 1),
    ],
)
def test_cells_are_cleaned_and_counted(
    tmp_path: Path, row: str, curie: str | None, group: str, cleaned: int
) -> None:
    register = read_register(write_register(tmp_path, row))
    cells = register.entries.select("name", "curie", "severity").row(0)
    assert cells == ("Danger virus", curie, GROUPS.index(group))
    assert register.cleaned == cleaned


def test_cells_that_cannot_be_read_are_rejected_and_never_clear(tmp_path: Path) -> None:
    rows = "Mild virus|12||RG2/3|\nDanger virus|eleven||RG4|\n|||RG2|\n"
    register = read_register(write_register(tmp_path, rows))
    assert register.entries.select("name", "curie", "severity", "floor").rows() == [
        ("Mild virus", "NCBITaxon:12", GROUPS.index("unknown"), True),
        ("Danger virus", None, GROUPS.index("RG4"), False),
    ]
    assert register.rejected.select("row", "reason").sort("row").rows() == [
        (2, "risk group register: no risk group from RG1 to RG4, so its taxon is unknown at least: "
            "'RG2/3'"),
        (3, "risk group register: no taxid, so the name alone decides: 'eleven'"),
        (4, "risk group register: neither a name nor a taxid"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "header",
    [
        "Agent,Agent Type,Risk group/Human classification,Risk group/Animal classification",
        "Agent name,Type,Human classification,Animal classification",
        "Name,Type,Risk Group,Animal risk group",
    ],
)
def test_export_of_epathogen_is_read_by_its_headers(tmp_path: Path, header: str) -> None:
    path = tmp_path / "export.csv"
    path.write_text(f'{header}\n"Danger virus",Virus,4,1\nMild virus,Virus,2,3\n', encoding="utf-8")
    con = index_of((DANGER, ""), (MILD, ""))
    assert [row[0] for row in decided(con, read_register(path))] == ["RG4", "RG2"]


def test_entry_that_names_no_taxon_is_counted_and_named(tmp_path: Path) -> None:
    rows = "Danger virus|19||RG4|\nMild virsu|||RG2|\nUnrated virus|12|||\nGone virus|99||RG3|\n"
    path = write_register(tmp_path, rows)
    assert rejected_entries(linked_of(path), path).select("row", "reason").rows() == [
        (3, "risk group register: 'Mild virsu, RG2' names no taxon of this index"),
        (5, "risk group register: 'Gone virus, RG3, NCBITaxon:99' names no taxon of this index"),
    ]


@pytest.mark.real
def test_real_register_lists_every_group_it_claims(shared_data: Path) -> None:
    register = read_register(shared_data / "biosafety" / "risk_groups.tsv").entries
    assert set(register["severity"].unique()) == {
        GROUPS.index(group) for group in ("RG2", "RG3", "RG4")
    }
    assert len(register) > 900
