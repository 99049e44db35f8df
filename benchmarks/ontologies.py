"""Time and memory to load the three ontologies: ours beside obonet, pronto and owlready2.

    python -m benchmarks.ontologies
    python -m benchmarks.ontologies --peer-python PY     peers from another environment
    python -m benchmarks.ontologies --record             the figures go to benchmarks/results

Each loader runs in a fresh process, so that its peak memory is its own; imports are not timed. A
peer that is absent (`pip install virome-graphrag[bench]`) or refuses a file is reported as such.
The peers stop at a graph of Python objects; ours ends at checked tables sorted by key, and is the
only one that reads the taxdump. owlready2 reads no OBO: it gets labels, synonyms and is_a of the
same file as RDF, whose writing is not timed.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import json
import sys
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from benchmarks.places import add_record_option, results_folder, shared_data
from benchmarks.processes import measured_apart, peak_mb, timed

_OBO: Final = "http://purl.obolibrary.org/obo/"
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


def load_with_owlready2(owlready2: Any, name: str, path: Path) -> int:
    """Return the number of classes that owlready2 reads from the RDF made of the file."""
    world = owlready2.World()
    ontology = world.get_ontology(f"{path.with_suffix('.nt').as_uri()}").load()
    return sum(name in one.iri for one in ontology.classes())


LOADERS: Final[dict[str, tuple[str, Callable[[Any, str, Path], int]]]] = {
    "ours": ("ontology_etl.load", load_with_ours),
    "pronto": ("pronto", load_with_pronto),
    "obonet": ("obonet", load_with_obonet),
    "owlready2": ("owlready2", load_with_owlready2),
}


def write_triples(path: Path, folder: Path) -> Path:
    """Return the path of an N-Triples file with the live classes of an OBO file: label, synonyms,
    is_a.
    """
    rdf = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
    rdfs = "http://www.w3.org/2000/01/rdf-schema#"
    lines = []
    for stanza in path.read_text(encoding="utf-8", errors="replace").split("\n[Term]\n")[1:]:
        tags = [
            line.split(": ", 1) for line in stanza.split("\n\n")[0].splitlines() if ": " in line
        ]
        if ["is_obsolete", "true"] in tags:
            continue
        subject = f"<{_OBO}{tags[0][1].replace(':', '_')}>"
        lines.append(f"{subject} <{rdf}type> <http://www.w3.org/2002/07/owl#Class> .")
        for tag, value in tags:
            if tag == "is_a":
                lines.append(
                    f"{subject} <{rdfs}subClassOf> <{_OBO}{value.split()[0].replace(':', '_')}> ."
                )
            elif tag in ("name", "synonym"):
                text = json.dumps(
                    value.split('"')[1] if tag == "synonym" else value, ensure_ascii=False
                )
                lines.append(f"{subject} <{rdfs}label> {text} .")
    written = folder / f"{path.stem}.nt"
    written.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return written


def measure(loader: str, name: str, path: Path) -> dict[str, Any]:
    """Return wall and CPU seconds, peak memory in MB and live terms of one load here, or why there
    are none.
    """
    module, load = LOADERS[loader]
    if importlib.util.find_spec(module.split(".")[0]) is None:
        return {"terms": "not installed"}
    imported = importlib.import_module(module)
    seconds: dict[str, float] = {}
    terms: int | str = "refused"
    with timed(seconds, "wall_s"):
        try:
            terms = load(imported, name, path)
        except (SyntaxError, ValueError, KeyError) as error:
            terms = f"refused: {type(error).__name__}"
    return {
        "terms": terms,
        "wall_s": seconds["wall_s"],
        "cpu_s": seconds["wall_s_cpu"],
        "peak_mb": peak_mb(),
    }


def main() -> None:
    """Print one row per ontology and loader, and write all of them."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "folder",
        type=Path,
        nargs="?",
        default=shared_data() / "ontologies",
        help=f"folder with {', '.join(FILES.values())} (default: %(default)s)",
    )
    add_record_option(parser)
    parser.add_argument("--peer-python", default=sys.executable, help="python that has the peers")
    parser.add_argument(
        "--one",
        nargs=2,
        metavar=("LOADER", "ONTOLOGY"),
        help=argparse.SUPPRESS,
    )
    options = parser.parse_args()
    if options.one:
        loader, name = options.one
        print(json.dumps(measure(loader, name, options.folder)))
        return
    rows = []
    titles = f"{'live terms':>20} {'wall s':>7} {'CPU s':>6} {'peak MB':>8}"
    print(f"{'ontology':<10} {'loader':<10} {titles}")
    with tempfile.TemporaryDirectory() as scratch:
        for name, file in FILES.items():
            for loader in LOADERS if file.endswith(".obo") else ("ours",):
                path = options.folder / file
                asked = write_triples(path, Path(scratch)) if loader == "owlready2" else path
                python = sys.executable if loader == "ours" else options.peer_python
                row = measured_apart(
                    "benchmarks.ontologies", [str(asked), "--one", loader, name], python=python
                )
                rows.append(
                    {
                        "ontology": name,
                        "loader": loader,
                        **row,
                    }
                )
                wall, cpu, peak = (row.get(key, 0.0) for key in ("wall_s", "cpu_s", "peak_mb"))
                figures = f"{row['terms']:>20} {wall:>7.1f} {cpu:>6.1f} {peak:>8.0f}"
                print(f"{name:<10} {loader:<10} {figures}")
    file = results_folder(record=options.record) / "ontologies.json"
    file.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
