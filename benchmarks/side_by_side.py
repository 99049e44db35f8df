"""One table of all benchmarks: what ours takes, what a peer takes, and the ratio.

    python -m benchmarks.side_by_side --record     # of the figures that are there

Ratios are of CPU time where they are of time: other work on the machine changes it least. Above 1
ours is ahead.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

from benchmarks.leiden_report import NAMED
from benchmarks.places import add_record_option, results_folder

HEAD: Final = """# Side by side

`make bench`: each peer does the same work on the same data. Above 1 the ratio says that ours is
ahead.

| work | peer | measure | ours | peer's | ratio |
|---|---|---|---:|---:|---:|
"""


class Pair(NamedTuple):
    """A figure of ours beside that of a peer; ``more`` says that more is better."""

    work: str
    peer: str
    measure: str
    ours: float
    theirs: float
    more: bool = False

    def row(self) -> str:
        """Return the pair as a row of the table."""
        worse, better = (self.theirs, self.ours) if self.more else (self.ours, self.theirs)
        ratio = f"{better / worse:,.1f}" if worse else "without bound"
        figures = f"{self.ours:,.4g} | {self.theirs:,.4g}"
        return f"| {self.work} | {self.peer} | {self.measure} | {figures} | {ratio} |"


def main() -> None:
    """Print the table of the figures in the folder of results, and keep it there."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add_record_option(parser)
    folder = results_folder(record=parser.parse_args().record)
    table = HEAD + "\n".join(pair.row() for pair in pairs(folder)) + "\n"
    (folder / "side_by_side.md").write_text(table)
    print(table)


def pairs(folder: Path) -> Iterator[Pair]:
    """Yield the pairs of every benchmark whose figures are in ``folder``."""
    yield from _loading(_read(folder, "ontologies") or [])
    yield from _grounding(_read(folder, "grounding") or {"runs": {}})
    yield from _clustering(_read(folder, "leiden") or [])
    yield from _testing(_read(folder, "mwas_compare") or [])
    yield from _asking(_read(folder, "retrieval"))


def _loading(rows: list[dict[str, Any]]) -> Iterator[Pair]:
    ours = {row["ontology"]: row for row in rows if row["loader"] == "ours"}
    for row in rows:
        if row["loader"] != "ours" and isinstance(row["terms"], int):
            work = f"load {row['ontology']}"
            yield Pair(work, row["loader"], "CPU s", ours[row["ontology"]]["cpu_s"], row["cpu_s"])


def _grounding(figures: dict[str, Any]) -> Iterator[Pair]:
    for names, engines in figures["runs"].items():
        ours, spacy = engines["ours"], engines.get("spacy")
        if spacy is None:
            continue
        work = f"ground in {names}"
        yield Pair(work, "spaCy PhraseMatcher", "CPU s, names to match with",
                   ours["build_cpu"], spacy["build_cpu"])  # fmt: skip
        yield Pair(work, "spaCy PhraseMatcher", "CPU s, every row",
                   ours["rows_cpu"], spacy["rows_cpu"])  # fmt: skip
        for facet, score in ours["f1"].items():
            yield Pair(work, "spaCy PhraseMatcher", f"F1 of {facet}",
                       score, spacy["f1"][facet], more=True)  # fmt: skip


def _clustering(rows: list[dict[str, Any]]) -> Iterator[Pair]:
    ours = {row["edges"]: row for row in rows if row["engine"] == "ours"}
    for row in rows:
        if row["engine"].startswith("ours") or row["edges"] not in ours:
            continue
        mine, work = ours[row["edges"]], f"cluster {row['edges']:,} edges, nested levels"
        yield Pair(work, NAMED[row["engine"]], "CPU s", mine["cpu_s"], row["cpu_s"])
        yield Pair(work, NAMED[row["engine"]], "NMI with the finer planted groups",
                   mine["nmi_fine"], row["nmi_fine"], more=True)  # fmt: skip


def _testing(rows: list[dict[str, Any]]) -> Iterator[Pair]:
    for row in rows:
        work = f"test pairs in {row['samples']} samples"
        scipy = row["scipy_cpu_ms_per_pair"]
        peer = "SciPy permutation_test"
        yield Pair(work, peer, "CPU ms, the test alone", row["test_cpu_ms_per_pair"], scipy)
        yield Pair(work, peer, "CPU ms, the whole row", row["row_cpu_ms_per_pair"], scipy)


def _asking(figures: dict[str, Any] | None) -> Iterator[Pair]:
    if figures is None:
        return
    work, peer = f"answer {figures['questions']} questions", "nearest reports by vectors"
    right, seconds = figures["right"], figures["cpu_s"]
    yield Pair(work, peer, "right", right["ours"], right["retrieval"], more=True)
    yield Pair(work, peer, "CPU s of the median", seconds["ours"], seconds["retrieval"])


def _read(folder: Path, name: str) -> Any:
    file = folder / f"{name}.json"
    return json.loads(file.read_text()) if file.is_file() else None


if __name__ == "__main__":
    main()
