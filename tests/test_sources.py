"""Readers of record formats: small files in, contract tables and counted rejections out."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from index.records import Records
from index.sources import SOURCES
from index.sources.inputs import read_records
from index.sources.manifest import read_manifest
from index.sources.rejection import MAX_NAMED_ROWS, rows_rejected

CASES = Path(__file__).with_name("source_cases.txt").read_text(encoding="utf-8")
"""What readers make of files: a rule, ``read FORMAT FILE`` with the rows of the file, perhaps
``with OPTION FILE`` and the rows of another, what the tables hold (``gives TABLE: COLUMNS``, ``.``
for null) and what is rejected (``rejects``: row and reason). Cells are divided by ``|``; rows of a
file called ``raw`` are written as they are.
"""
HEADS = ("read", "with", "gives", "rejects")


@dataclass
class Case:
    """A case: its rule, and each part with the lines below it."""

    rule: str
    parts: list[tuple[list[str], list[str]]] = field(default_factory=list)

    def of(self, head: str) -> Iterator[tuple[list[str], list[str]]]:
        """Yield the words behind ``head`` with the lines below, for each such part."""
        for (first, *words), lines in self.parts:
            if first == head:
                yield words, lines


def cases() -> Iterator[Case]:
    """Yield the cases."""
    for text in CASES.split("=== ")[1:]:
        rule, *lines = text.strip().splitlines()
        case = Case(rule)
        for line in filter(str.strip, lines):
            if line.startswith("  "):
                case.parts[-1][1].append(line[2:])
            else:
                case.parts.append((line.split(), []))
                assert case.parts[-1][0][0] in HEADS, line
        yield case


def write(folder: Path, name: str, lines: list[str]) -> Path:
    """Write the rows of a case to a file, gzip where the name says so; return its path."""
    raw = name.startswith("raw-")
    separator = "," if ".csv" in name else "\t"
    written = lines if raw else [separator.join(cells(line)) for line in lines]
    content = "".join(f"{line}\n" for line in written).replace("\\t", "\t").encode()
    path = folder / name.removeprefix("raw-")
    path.write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    return path


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.split("|")]


def reasons(records: Records) -> list[str]:
    rows = records.rejected.select("row", "reason").rows()
    return sorted(f"{'.' if row is None else row} | {reason}" for row, reason in rows)


@pytest.mark.parametrize("case", list(cases()), ids=lambda case: case.rule)
def test_a_reader_gives_what_a_file_holds(case: Case, tmp_path: Path, sample_inputs: Path) -> None:
    (((format_name, name), lines),) = case.of("read")
    options: dict[str, object] = {}
    for (option, file), rows in case.of("with"):
        path = write(tmp_path, file, rows) if rows else sample_inputs.parent / file
        options[option] = (path,) if option == "run_info" else path
    records = SOURCES[format_name].read(write(tmp_path, name, lines), **options)
    for (table, *columns), rows in case.of("gives"):
        ordered = columns[-3:] != ["(in", "any", "order)"]
        named = columns if ordered else columns[:-3]
        found = getattr(records, table.rstrip(":")).select(named).rows()
        shown = [["." if value is None else str(value) for value in row] for row in found]
        expected = [cells(row) for row in rows]
        assert (shown if ordered else sorted(shown)) == (expected if ordered else sorted(expected))
    rejected = [line for _, rows in case.of("rejects") for line in rows]
    assert reasons(records) == sorted(rejected)


def test_a_phylum_is_a_detection_of_that_phylum_in_a_run_that_is_known(tmp_path: Path) -> None:
    rdrp = """
        run_id | phylum_name  | score | percent_identity | n_reads
        SYNR1  | Pisuviricota | 100   | 95               | 12
        SYNR9  | Pisuviricota | 100   | 95               | 12
        SYNR2  | Pisuviricota | 3     | 95               | 1
        SYNR2  | Potyviridae  | 100   | 95               | 1
    """
    found = write(tmp_path, "rdrp.tsv", rdrp.strip().splitlines())
    runs = write(tmp_path, "runs.csv", ["Run | BioSample | BioProject", "SYNR1 | |"])
    inputs = [("serratus_rdrp", found), ("sra_run_info", runs)]
    listed = [f'[[input]]\nformat = "{name}"\npath = "{path}"\n' for name, path in inputs]
    manifest = tmp_path / "inputs.toml"
    manifest.write_text("".join(listed))
    records = read_records(read_manifest(manifest))
    assert records.run["run"].to_list() == ["SYNR1"]
    columns = ("run", "sotu", "phylum", "identity", "reads", "source")
    assert records.detection.select(columns).rows() == [
        ("SYNR1", "Pisuviricota", "Pisuviricota", None, 12, "serratus_rdrp")
    ]
    assert records.searched.rows() == [("SYNR1", "serratus_rdrp", "rdrp")]
    assert records.rows.rows()[0] == ("rdrp.tsv", "serratus_rdrp", 4, 1, 3)
    assert sorted(records.rejected["reason"]) == [
        "a run that no input describes (1 rows)",
        "not a virus phylum: 'Potyviridae'",
        "score below 50",
    ]


def test_many_rejections_for_one_reason_become_one_counted_row(tmp_path: Path) -> None:
    rows = [f"bad{number} | SYNS1 | SYNP1" for number in range(MAX_NAMED_ROWS + 1)]
    head = ["Run | BioSample | BioProject", "SYNR1 | SYNS1 | SYNP1"]
    records = SOURCES["sra_run_info"].read(write(tmp_path, "runs.csv", [*head, *rows]))
    assert reasons(records) == [". | not a run accession (1,001 rows)"]
    assert rows_rejected(records.rejected)["rows"].to_list() == [1_001]
