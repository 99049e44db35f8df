"""From files to an answer: every kind of file that people have, read, checked, built and asked.

    python -m benchmarks.formats CASES                 every kind
    python -m benchmarks.formats CASES kraken2 biom    some

``CASES`` has one small example of each kind. Each goes alone through the commands of a new user:
``flows.inputs new``, ``flows.inputs check``, ``flows.index`` with the ontologies of the bundled
sample, and the first question that ``check`` suggests. What is read is compared with the rows of
``expected.tsv`` in the same folder. Seconds are CPU seconds of this process.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

import typer
from typer.testing import CliRunner

from benchmarks.format_rows import Met, rows_met
from benchmarks.places import BENCHMARKS
from flows import index, inputs
from index.sources.inputs import read_records
from index.sources.manifest import read_manifest
from query.cli.app import app as query_app

SAMPLE: Final = BENCHMARKS.parent / "data" / "sample" / "ontologies"
ONTOLOGIES: Final = [str(SAMPLE / name) for name in ("taxdump.tar.gz", "bto.obo", "doid.obo")]
KINDS: Final = {
    "ENA file report": "ena_filereport.tsv",
    "NCBI Virus": "ncbi_virus.csv",
    "Kraken 2": "*.kraken2.report.txt",
    "Bracken": "*.bracken.S.tsv",
    "taxpasta": "taxpasta_merged.tsv",
    "geNomad": "cohort_virus_summary.tsv",
    "CheckV": "quality_summary.tsv",
    "VirSorter2": "final-viral-score.tsv",
    "DIAMOND": "cohort.diamond.*",
    "BIOM": "table.biom",
    "BIOM as text": "table.biom.tsv",
    "MultiQC": "multiqc_general_stats.txt",
    "Logan Search": "logan_search_hits.tsv",
    "nf-core sample sheet": "nfcore_samplesheet.csv",
    "hand-made sample sheet": "wide_sample_sheet.tsv",
    "semicolons and decimal commas": "semicolon.csv",
    "Run Selector, pre-2019": "run_selector_old.txt",
}
"""Kind -> its files."""
MAPPED: Final = {"Logan Search": ["--map", "hits_of=Zika virus"]}
"""What the file does not say and the user must."""
ASKABLE: Final = "questions that the index could answer:"


class CommandRun(NamedTuple):
    """What a command said, whether it succeeded, and its CPU seconds."""

    said: str
    is_done: bool
    seconds: float

    def __str__(self) -> str:
        return f"{'yes' if self.is_done else 'no'} ({self.seconds:.1f} s)"


def call(app: typer.Typer, arguments: Sequence[str]) -> CommandRun:
    """Return how ``app`` fares with ``arguments``."""
    began = time.process_time()
    result = CliRunner().invoke(app, list(arguments))
    spent = time.process_time() - began
    return CommandRun(result.output, result.exit_code == 0, spent)


class KindRun(NamedTuple):
    """The cells of the row of a kind, the expected rows that it gives, its first answer."""

    cells: list[str]
    met: Met
    answer: str


def try_kind(kind: str, files: Sequence[Path], folder: Path) -> KindRun:
    """Return how one kind of files fares on the way to the answer to its first question."""
    cases, names = files[0].parent, [file.name for file in files]
    copies = [shutil.copy(file, folder) for file in files]
    manifest, db = folder / "inputs.toml", folder / "index.duckdb"
    given = [*map(str, copies), *ONTOLOGIES, "--out", str(manifest), *MAPPED.get(kind, [])]
    new = call(inputs.app, ["new", *given])
    if not new.is_done:
        met = rows_met(cases, names, None)
        return KindRun([kind, str(new), str(met), "", "", ""], met, new.said)
    met = rows_met(cases, names, read_records(read_manifest(manifest)))
    check = call(inputs.app, ["check", str(manifest)])
    build = call(index.app, ["--inputs", str(manifest), "--db", str(db), "--no-llm", "--quiet"])
    questions = check.said.partition(ASKABLE)[2].split("could not:")[0].split("\n")
    asked = [line.strip() for line in questions if line.strip().endswith("?")]
    cells = [kind, str(new), str(met), str(check), str(build)]
    if not asked or not build.is_done:
        return KindRun([*cells, "none suggested"], met, build.said)
    answer = call(query_app, ["global", asked[0], "--db", str(db), "--no-llm"])
    first = answer.said.strip().split("\n")[0]
    return KindRun([*cells, str(answer)], met, f"{asked[0]} {first}")


def main() -> None:
    """Print a row for each kind, then the first answers."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("cases", type=Path, help="folder with an example of each kind")
    parser.add_argument("kinds", nargs="*", help="kinds to try (default: all)")
    options = parser.parse_args()
    notes = []
    print(
        "| kind | new | expected rows | check | build | first question |\n|---|---|---|---|---|---|"
    )
    for kind in options.kinds or KINDS:
        files = sorted(options.cases.glob(KINDS[kind]))
        with tempfile.TemporaryDirectory() as folder:
            found = try_kind(kind, files, Path(folder))
        print(f"| {' | '.join(found.cells)} |", flush=True)
        notes.append(f"{kind}: {found.answer}")
        notes += [f"  not read: {row}" for row in found.met.missed]
    print("\n".join(["", *notes]))


if __name__ == "__main__":
    main()
