"""Cut the ontologies down to the terms synthetic cohorts use, their ancestors and a few thousand
others.

    python -m benchmarks.cohort_slices ../shared/data/ontologies data/sample/ontologies

What is kept are facts: identifiers, names, synonyms, parents, retired identifiers; no definitions,
no comments. NCBI Taxonomy is in the US public domain, BTO is CC BY 4.0 (BRENDA), DO is CC0 1.0.
"""

from __future__ import annotations

import gzip
import io
import re
import sys
import tarfile
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from benchmarks.cohort_ecology import Ecology, read_ecology
from benchmarks.cohort_viruses import ICTV_SLICE, KNOWN_HOSTS, slice_ictv, slice_known_hosts

SYNONYM: Final = re.compile(r'^synonym: "((?:[^"\\]|\\.)*)" (EXACT|NARROW|BROAD|RELATED)')
PARENT: Final = re.compile(
    r"^(is_a: |relationship: (?:part_of|develops_from|derives_from) )([A-Z]+:\d+)"
)
SINGLE: Final = re.compile(r"^(id|name|is_obsolete|replaced_by|alt_id): (.+)$")
SIBLINGS: Final = 4
TAXDUMP_MEMBERS: Final = (
    "nodes.dmp",
    "names.dmp",
    "merged.dmp",
    "host.dmp",
    "division.dmp",
    "delnodes.dmp",
)

ICTV_SOURCE: Final = "ictv_vmr_msl41.tsv.gz"
HOST_SOURCE: Final = "virus_host_edges_virion2025.tsv.gz"
NAMESAKES: Final = (
    "Culicidae",
    "Influenza B virus",
    "Rous sarcoma virus",
    "Severe acute respiratory syndrome coronavirus",
    "Severe acute respiratory syndrome coronavirus 2",
)
"""Taxa of no run that the names of the cohorts may also mean, or imply."""

Stanza = tuple[str, str, list[str], list[str]]  # id, name, lines, parents


def main(source: Path, target: Path) -> None:
    """Write the slices of the three ontologies in ``source`` to ``target``."""
    ecology = read_ecology()
    target.mkdir(parents=True, exist_ok=True)
    tissues = {str(label) for label in ecology.tissue.labels.ravel() if label}
    diseases = {str(label) for label in ecology.disease.labels.ravel() if label}
    (target / "bto.obo").write_text(
        slice_obo(
            source / "bto.obo",
            tissues,
            every=9,
        ),
        encoding="utf-8",
    )
    (target / "doid.obo").write_text(
        slice_obo(
            source / "doid.obo",
            diseases,
            every=14,
        ),
        encoding="utf-8",
    )
    (target / "taxdump.tar.gz").write_bytes(
        slice_taxdump(source / "taxdump.tar.gz", taxon_names(ecology))
    )
    _write_viruses(source.parent, target)


def _write_viruses(shared: Path, target: Path) -> None:
    """Write ICTV's names and the recorded hosts of the viruses of the taxdump in ``target``."""
    with tarfile.open(target / "taxdump.tar.gz") as archive:
        named = [line.split("\t|\t", 2) for line in _lines(archive, "names.dmp")]
    taxa = {int(number) for number, _, _ in named}
    ictv = slice_ictv(shared / "virus_names" / ICTV_SOURCE, {name.lower() for _, name, _ in named})
    ictv.write_csv(target / ICTV_SLICE, separator="\t")
    hosts = slice_known_hosts(shared / "virome" / HOST_SOURCE, taxa, taxa)
    hosts.write_csv(target / KNOWN_HOSTS, separator="\t")


def taxon_names(ecology: Ecology) -> set[str]:
    """Return every organism, host, virus, family and k-mer taxon of the ecology, in lower case."""
    tables = (ecology.organism, ecology.host, ecology.virus, ecology.stat)
    listed = {str(label).lower() for table in tables for label in table.labels.ravel()}
    searched = {
        name.lower() for virus, family, _ in ecology.accessions.values() for name in (virus, family)
    }
    named = {name.lower() for name in NAMESAKES}
    return (named | listed | searched | {family.lower() for family in ecology.phylum}) - {""}


def slice_obo(path: Path, names: set[str], *, every: int) -> str:
    """Return the OBO document of the terms called ``names``, every ``every``-th other term, and all
    their ancestors.
    """
    text = path.read_text(encoding="utf-8")
    version = re.search(r"^data-version: .*$|^date: .*$", text, re.MULTILINE)
    stanzas = {
        item[0]: item
        for block in text.split("\n[Term]\n")[1:]
        if (item := _stanza(block)) is not None
    }
    wanted = {key for key, (_, name, _, _) in stanzas.items() if name in names}
    missing = names - {stanzas[key][1] for key in wanted}
    if missing:
        raise SystemExit(f"{path}: no term is called {sorted(missing)}")
    kept = _with_parents(
        wanted | set(sorted(stanzas)[::every]), {key: item[3] for key, item in stanzas.items()}
    )
    header = [
        "format-version: 1.2",
        *([version.group(0).removesuffix("/reassembled")] if version else []),
        f"ontology: {path.stem}",
    ]
    typedefs = [
        f"[Typedef]\nid: {name}\nname: {name}"
        for name in ("part_of", "develops_from", "derives_from")
    ]
    terms = ["[Term]\n" + "\n".join(stanzas[key][2]) for key in sorted(kept) if key in stanzas]
    return "\n\n".join(["\n".join(header), *terms, *typedefs]) + "\n"


def slice_taxdump(path: Path, names: set[str]) -> bytes:
    """Return a small taxdump.tar.gz: the taxa called ``names``, a few siblings of each, all
    ancestors, retired ids.
    """
    with tarfile.open(path) as archive:
        lines = {name: _lines(archive, name) for name in TAXDUMP_MEMBERS}
    parent = {row[0]: row[1] for row in (line.split("\t|\t", 2) for line in lines["nodes.dmp"])}
    named = [line.split("\t|\t", 2) for line in lines["names.dmp"]]
    wanted = {row[0] for row in named if row[1].lower() in names}
    missing = names - {row[1].lower() for row in named if row[0] in wanted}
    if missing:
        raise SystemExit(f"{path}: no taxon is called {sorted(missing)}")
    kept = _with_parents(
        wanted | _siblings(wanted, parent), {key: [value] for key, value in parent.items()}
    )
    merged = [
        line for line in lines["merged.dmp"] if line.split("\t|\t")[1].split("\t")[0] in wanted
    ]
    members = {
        "nodes.dmp": _of(kept, lines["nodes.dmp"]),
        "names.dmp": _of(kept, lines["names.dmp"]),
        "merged.dmp": merged,
        "host.dmp": _of(kept, lines["host.dmp"]),
        "division.dmp": lines["division.dmp"],
        "delnodes.dmp": [],
    }
    return _archive(members)


def _stanza(block: str) -> Stanza | None:
    block = block.split("\n[", 1)[0]
    fields: dict[str, str] = {}
    kept: list[str] = []
    parents: list[str] = []
    for line in block.splitlines():
        if single := SINGLE.match(line):
            fields.setdefault(single[1], single[2].split(" {")[0].split(" ! ")[0].strip())
            kept.append(f"{single[1]}: {single[2].split(' {')[0].split(' ! ')[0].strip()}")
        elif synonym := SYNONYM.match(line):
            kept.append(f'synonym: "{synonym[1]}" {synonym[2]} []')
        elif related := PARENT.match(line):
            kept.append(f"{related[1]}{related[2]}")
            parents.append(related[2])
    if "id" not in fields or "name" not in fields:
        return None
    return fields["id"], fields["name"], list(dict.fromkeys(kept)), parents


def _with_parents(start: Iterable[str], parents: dict[str, list[str]]) -> set[str]:
    found: set[str] = set()
    todo = list(start)
    while todo:
        key = todo.pop()
        if key not in found:
            found.add(key)
            todo.extend(parents.get(key, []))
    return found


def _siblings(wanted: set[str], parent: dict[str, str]) -> set[str]:
    """Return up to ``SIBLINGS`` taxa beside each wanted one, lowest identifiers first."""
    homes = {parent[key] for key in wanted}
    children: dict[str, list[int]] = defaultdict(list)
    for key, above in parent.items():
        if above in homes:
            children[above].append(int(key))
    return {str(key) for listed in children.values() for key in sorted(listed)[:SIBLINGS]}


def _lines(archive: tarfile.TarFile, name: str) -> list[str]:
    member = archive.extractfile(name)
    assert member is not None
    return member.read().decode().splitlines()


def _of(kept: set[str], lines: list[str]) -> list[str]:
    return [line for line in lines if line.split("\t", 1)[0] in kept]


def _archive(members: dict[str, list[str]]) -> bytes:
    plain = io.BytesIO()
    with tarfile.open(
        fileobj=plain,
        mode="w",
        format=tarfile.USTAR_FORMAT,
    ) as archive:
        for name, lines in members.items():
            body = "".join(f"{line}\n" for line in lines).encode()
            entry = tarfile.TarInfo(name)
            entry.size, entry.mtime = len(body), 1_725_840_000
            archive.addfile(entry, io.BytesIO(body))
    packed = io.BytesIO()
    with gzip.GzipFile(
        filename="",
        fileobj=packed,
        mode="wb",
        mtime=0,
    ) as stream:
        stream.write(plain.getvalue())
    return packed.getvalue()


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
