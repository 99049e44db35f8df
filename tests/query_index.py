"""A small index for the tests of query: four studies written as a text table, two levels of
communities.

bat gut        coronaviruses and astroviruses in Rhinolophus and Myotis
pig gut        kobuvirus in Sus scrofa
human lung     RSV in patients with asthma
mosquito       flaviviruses in Aedes, no tissue
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import duckdb
import polars as pl

from index.store.build import CONTRACT_VERSION, build_index, open_index
from index.store.names import write_names
from index.tables import TABLES
from ontology_etl.curies import ontology_of
from tests.tiny_index import mark_runs, scratch_folder

TERMS = """
NCBITaxon:40674  | Mammalia                  | class    |
NCBITaxon:9397   | Chiroptera                | order    | NCBITaxon:40674 | bats
NCBITaxon:59479  | Rhinolophus ferrumequinum | species  | NCBITaxon:9397  | greater horseshoe bat
NCBITaxon:59463  | Myotis lucifugus          | species  | NCBITaxon:9397  | little brown bat
NCBITaxon:9823   | Sus scrofa                | species  | NCBITaxon:40674 | pig
NCBITaxon:9606   | Homo sapiens              | species  | NCBITaxon:40674 | human
NCBITaxon:7157   | Culicidae                 | family   |                 | mosquitos
NCBITaxon:7159   | Aedes aegypti             | species  | NCBITaxon:7157  | yellow fever mosquito
NCBITaxon:9231   | Spheniscidae              | family   |                 | penguins
NCBITaxon:11118  | Coronaviridae             | family   |                 |
NCBITaxon:58097  | Bat coronavirus HKU5      | species  | NCBITaxon:11118 |
BTO:0000545      | gut                       |          |                 |
BTO:0000648      | intestine                 |          | BTO:0000545     |
BTO:0000763      | lung                      |          |                 |
BTO:0000142      | brain                     |          |                 |
DOID:2841        | asthma                    |          |                 | bronchial asthma
"""

RUNS = """
runs   |project|host                     |tissue   |disease|place  |species               |family
R01-R06|SYNP1  |Rhinolophus ferrumequinum|intestine|       |China  |Bat coronavirus HKU5  |Coronaviridae
R07-R08|SYNP1  |Rhinolophus ferrumequinum|lung     |       |China  |                      |
R09-R12|SYNP1  |Myotis lucifugus         |intestine|       |Canada |Bat astrovirus 1      |Astroviridae
R13-R18|SYNP2  |Sus scrofa               |intestine|       |Germany|Porcine kobuvirus     |Picornaviridae
R19-R20|SYNP2  |Sus scrofa               |intestine|       |Germany|                      |
R21-R28|SYNP3  |Homo sapiens             |lung     |asthma |Germany|Human orthopneumovirus|Pneumoviridae
R29-R30|SYNP3  |Homo sapiens             |lung     |       |Germany|                      |
R31-R36|SYNP4  |Aedes aegypti            |         |       |Brazil |Yellow fever virus    |Flaviviridae
"""  # noqa: E501

COMMUNITIES = """
community | level | parent | runs    | title                                          | risk
C0-gut    | 0     |        | R01-R20 | Gut viruses of bats and pigs                   | RG2
C0-rest   | 0     |        | R21-R36 | Respiratory and arthropod-borne viruses        | RG3
C1-bat    | 1     | C0-gut | R01-R12 | Coronaviridae in Rhinolophus intestine         | RG2
C1-pig    | 1     | C0-gut | R13-R20 | Porcine kobuvirus in Sus scrofa intestine      | RG2
C1-lung   | 1     | C0-rest| R21-R30 | Human orthopneumovirus in lung with asthma     | RG2
C1-aedes  | 1     | C0-rest| R31-R36 | Yellow fever virus in Aedes aegypti            | RG3
"""

ASSOCIATIONS = """
project | family        | attribute | value     | n   | m | fold | p      | q      | flag
SYNP1   | Coronaviridae | tissue    | intestine | 10  | 2 | 6.1  | 0.0001 | 0.004  |
SYNP1   | Coronaviridae | batch     | 1         | 6   | 6 | 2.0  | 0.01   | 0.04   | batch-like field
SYNP1   | Astroviridae  | sex       | female    | 5   | 7 | 0.2  | 0.5    | 0.8    |
SYNP3   | Pneumoviridae | disease   | asthma    | 8   | 2 | 3.0  | 0.2    | 0.3    | tiny group
"""  # noqa: E501


FACET_COLUMNS = {"host": "host", "tissue": "tissue", "disease": "disease", "geography": "place"}


def make_index(path: Path) -> Path:
    """Copy the index to ``path`` and return that."""
    return Path(shutil.copyfile(_index(), path))


@cache
def _index() -> Path:
    """Return the index, made once for all tests of a program."""
    path = scratch_folder() / "index.duckdb"
    tables = _tables()
    with build_index(path) as build:
        for name, frame in tables.items():
            build.write(name, frame)
        mark_runs(build.connection)
        write_names(build)
        build.note({"version.contract": CONTRACT_VERSION})
        build.publish()
    return path


@contextmanager
def opened(path: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """Yield a read-only connection to the index at ``path``."""
    connection = open_index(path)
    try:
        yield connection
    finally:
        connection.close()


def rows_of(table: str) -> list[dict[str, str | None]]:
    """Return a text table as one dictionary per row; empty cells are None."""
    header, *lines = [
        [cell.strip() for cell in line.split("|")] for line in table.strip().splitlines()
    ]
    return [{name: cell or None for name, cell in zip(header, line, strict=True)} for line in lines]


def run_range(text: str) -> list[str]:
    """Return the runs of a range: ``R01-R03`` -> SYNR01, SYNR02, SYNR03."""
    first, last = (int(part[1:]) for part in text.split("-"))
    return [f"SYNR{number:02}" for number in range(first, last + 1)]


def _frame(table: str, rows: list[dict[str, object]]) -> pl.DataFrame:
    schema = {name: column.dtype for name, column in TABLES[table].columns().items()}
    return pl.DataFrame([{name: row.get(name) for name in schema} for row in rows], schema=schema)


def _tables() -> dict[str, pl.DataFrame]:
    terms = [[cell.strip() for cell in line.split("|")] for line in TERMS.strip().splitlines()]
    names = {f"t{i}": cells for i, cells in enumerate(terms)}
    curie_of = {cells[1]: cells[0] for cells in names.values()}
    parent = {cells[0]: cells[3] for cells in terms if cells[3]}
    runs = [{**row, "run": run} for row in rows_of(RUNS) for run in run_range(str(row["runs"]))]
    communities = rows_of(COMMUNITIES)
    return {
        "term": _frame("term", [_term(*cells[:3]) for cells in terms]),
        "synonym": _frame(
            "synonym", [{"curie": c[0], "synonym": c[4],
            "scope": "RELATED"} for c in terms if len(c) > 4 and c[4]]
        ),
        "term_edge": _frame("term_edge", [{"subject": c, "predicate": "is_a", "object": p} for c,
        p in parent.items()]),
        "closure": _frame("closure", _closure([cells[0] for cells in terms], parent)),
        "run": _frame("run", [_run(row) for row in runs]),
        "bioproject": _frame("bioproject", [{"bioproject": "SYNP4",
        "title": "Sylvatic vectors of Amazonas"}]),
        "detection": _frame("detection", [_detection(r) for r in runs if r["species"]]),
        "searched": _frame("searched", [_searched(r["run"]) for r in runs]),
        "annotation": _frame("annotation", [a for r in runs for a in _annotations(r, curie_of)]),
        "association": _frame("association", [_association(row) for row in rows_of(ASSOCIATIONS)]),
        "community": _frame("community", [_community(row) for row in communities]),
        "community_member": _frame(
            "community_member",
            [{"community": c["community"],
            "entity": run} for c in communities for run in run_range(str(c["runs"]))],
        ),
        "report": _frame("report", [_report(row) for row in communities]),
        "finding": _frame("finding", [_finding(row) for row in communities]),
    }  # fmt: skip


def _run(row: dict[str, object]) -> dict[str, object]:
    run = str(row["run"])
    return {
        "run": run,
        "biosample": run.replace("SYNR", "SYNS"),
        "bioproject": row["project"],
        "state": 0,
    }


def _term(curie: str, label: str, rank: str) -> dict[str, object]:
    ontology = ontology_of(curie)
    return {
        "curie": curie,
        "label": label,
        "ontology": ontology,
        "rank": rank or None,
        "obsolete": False,
    }


def _closure(curies: list[str], parent: dict[str, str]) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = []
    for curie in curies:
        above: str | None = curie
        distance = 0
        while above:
            rows.append({"descendant": curie, "ancestor": above, "distance": distance})
            above, distance = parent.get(above), distance + 1
    return rows


def _searched(run: str) -> dict[str, object]:
    return {"run": run, "source": "palm_virome", "search": "one"}


def _detection(row: dict[str, object]) -> dict[str, object]:
    return {
        "run": row["run"],
        "sotu": f"u-{row['species']}",
        "species": row["species"],
        "stated": row["species"],
        "family": row["family"],
        "source": "palm_virome",
    }


def _annotations(row: dict[str, object], curie_of: dict[str, str]) -> list[dict[str, object]]:
    stated = [(facet, row[column]) for facet, column in FACET_COLUMNS.items()]
    return [
        {"run": row["run"], "facet": facet, "value": value, "curie": curie_of.get(str(value)),
        "text": value,
         "attribute": facet, "method": "dictionary" if value in curie_of else "verbatim",
         "score": 1.0}
        for facet, value in stated if value
    ]  # fmt: skip


def _association(row: dict[str, str | None]) -> dict[str, object]:
    return {
        "bioproject": row["project"], "family": row["family"], "attribute": row["attribute"],
        "value": row["value"],
        "num_true": int(row["n"] or 0), "num_false": int(row["m"] or 0),
        "fold_change": float(row["fold"] or 0),
        "test": "permutation", "p_value": float(row["p"] or 1), "q_value": float(row["q"] or 1),
        "flag": row["flag"],
        "source": "computed",
    }  # fmt: skip


def _community(row: dict[str, str | None]) -> dict[str, object]:
    runs = len(run_range(str(row["runs"])))
    level = int(row["level"] or 0)
    return {
        "community": row["community"],
        "level": level,
        "parent": row["parent"],
        "runs": runs,
        "entities": runs,
    }


def _report(row: dict[str, str | None]) -> dict[str, object]:
    return {
        "community": row["community"], "title": row["title"], "label": "virus gut",
        "summary": f"{row['title']}.",
        "rating": 5.0, "rating_explanation": "counts", "risk_group": row["risk"],
        "facts_hash": "0", "prompt_tokens": 0, "completion_tokens": 0, "dropped": 0,
    }  # fmt: skip


def _finding(row: dict[str, str | None]) -> dict[str, object]:
    return {
        "community": row["community"],
        "ordinal": 1,
        "summary": "First",
        "explanation": f"About {row['title']}.",
    }
