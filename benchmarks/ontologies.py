"""Loading times and memory of the three ontologies: ours beside obonet and plain pronto.

    python benchmarks/ontologies.py ../shared/data/ontologies

Each loader runs in a fresh process, so that its peak memory is its own; imports are not timed. A peer that is not
installed (`pip install obonet`) is left out; one that refuses a file is reported as such. The peers stop at a graph of
Python objects; ours ends at checked tables sorted by key, and is the only one that reads the taxdump.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import json
import resource
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

FILES: Final = {"BTO": "bto.obo", "DOID": "doid.obo", "NCBITaxon": "taxdump.tar.gz"}


def load_with_ours(load: Any, name: str, path: Path) -> int:
    """Return the number of live terms of our tables."""
    return int(load.load_ontology(name, path).release["terms"][0])


def load_with_pronto(pronto: Any, _name: str, path: Path) -> int:
    """Return the number of live terms that pronto reads from the file as it is."""
    warnings.simplefilter("ignore")
    return sum(not term.obsolete for term in pronto.Ontology(str(path), import_depth=0).terms())


def load_with_obonet(obonet: Any, _name: str, path: Path) -> int:
    """Return the number of live terms of obonet's graph."""
    graph = obonet.read_obo(path, ignore_obsolete=True)
    return sum("name" in attributes for _, attributes in graph.nodes(data=True))


LOADERS: Final[dict[str, tuple[str, Callable[[Any, str, Path], int]]]] = {
    "ours": ("ontology_etl.load", load_with_ours),
    "pronto": ("pronto", load_with_pronto),
    "obonet": ("obonet", load_with_obonet),
}


def measure(loader: str, name: str, path: Path) -> dict[str, Any]:
    """Return wall and CPU seconds, peak memory in MB and live terms of one load in this process, or its error."""
    module, load = LOADERS[loader]
    imported = importlib.import_module(module)
    wall, cpu = time.perf_counter(), time.process_time()
    try:
        terms: int | str = load(imported, name, path)
    except (SyntaxError, ValueError, KeyError) as error:
        terms = f"refused: {type(error).__name__}"
    return {
        "terms": terms,
        "wall_s": time.perf_counter() - wall,
        "cpu_s": time.process_time() - cpu,
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


def measure_apart(loader: str, name: str, path: Path) -> dict[str, Any]:
    """Return ``measure`` of a fresh process."""
    command = [sys.executable, __file__, str(path), "--one", loader, name]
    measured: dict[str, Any] = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return measured


def main() -> None:
    """Print one row per ontology and loader."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help=f"folder with {', '.join(FILES.values())}")
    parser.add_argument("--one", nargs=2, metavar=("LOADER", "ONTOLOGY"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        loader, name = options.one
        print(json.dumps(measure(loader, name, options.folder)))
        return
    print(f"{'ontology':<10} {'loader':<7} {'live terms':>20} {'wall s':>7} {'CPU s':>6} {'peak MB':>8}")
    for name, file in FILES.items():
        for loader, (module, _) in LOADERS.items():
            reads = loader == "ours" or file.endswith(".obo")
            if reads and importlib.util.find_spec(module.split(".")[0]):
                row = measure_apart(loader, name, options.folder / file)
                figures = f"{row['wall_s']:>7.1f} {row['cpu_s']:>6.1f} {row['peak_mb']:>8.0f}"
                print(f"{name:<10} {loader:<7} {row['terms']:>20} {figures}")


if __name__ == "__main__":
    main()
