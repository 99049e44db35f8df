"""Dependencies: pinned, of known licences, and listed; what is fetched comes over https.

``UPDATE_DOCS=1 pytest tests/test_supply_chain.py`` writes docs/dependencies.md anew.
"""

from __future__ import annotations

import os
import re
from importlib import metadata
from pathlib import Path

from ontology_etl.config import OFFICIAL

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "dependencies.md"
ROOMS = ("flows", "index", "ontology_etl", "query")
PIN = re.compile(r"^([A-Za-z0-9_.-]+)==(\S+)$", re.MULTILINE)
PERMISSIVE = re.compile(
    r"\b(?:MIT|BSD|Apache|ISC|PSF|Python Software Foundation|0BSD|Zlib|CC0|Unlicense|CNRI|HPND)\b"
)
WEAK_COPYLEFT = re.compile(r"\b(?:MPL|Mozilla Public License)\b")
COPYLEFT = {
    "igraph": "clustering, imported and never changed (decision 6)",
    "leidenalg": "an engine that is chosen by name, imported only then (decision 6)",
    "text-unidecode": "the Artistic License is chosen",
}
"""Dependencies under the GPL, and why each is there: who passes on a bundle with them heeds it."""
COPYLEFT_IMPORTED = {
    "index/graph/engines.py",
    "index/graph/metrics.py",
    "index/reports/map_layout.py",
}
"""All modules that import igraph or leidenalg, each inside a function."""
STATED_ELSEWHERE = {"dataframely": "BSD-3-Clause"}
"""Licences that are in the sources and not in the metadata."""
HEAD = """# Dependencies

What the program is built from: every pin of `constraints.txt` with its licence, as its own
metadata states it. Written by
`UPDATE_DOCS=1 pytest tests/test_supply_chain.py`.

| package | version | licence |
|---|---|---|
"""


def pins() -> dict[str, str]:
    """Return every pinned package with its version."""
    return dict(PIN.findall((ROOT / "constraints.txt").read_text(encoding="utf-8")))


def licence_of(name: str) -> str | None:
    """Return the licence that the installed package states; None where it is not installed."""
    try:
        stated = metadata.metadata(name)
    except metadata.PackageNotFoundError:
        return None
    classifiers = [one.split("::")[-1].strip() for one in stated.get_all("Classifier") or []
                   if one.startswith("License ::")]  # fmt: skip
    named = "; ".join(one for one in classifiers if one != "OSI Approved")
    short = (stated.get("License") or "").split("\n")[0][:60]
    return stated.get("License-Expression") or named or short or STATED_ELSEWHERE.get(name, "")


def listed() -> dict[str, tuple[str, str]]:
    """Return the rows of the page: package -> version, licence."""
    rows = re.findall(r"^\| (\S+) \| (\S+) \| (.*) \|$", PAGE.read_text(), re.MULTILINE)
    return {name: (version, licence) for name, version, licence in rows if name != "package"}


def test_every_dependency_is_listed_with_its_version_and_licence() -> None:
    known = listed() if PAGE.exists() else {}
    current = {}
    for name, version in sorted(pins().items()):
        licence = licence_of(name)
        earlier = known.get(name, ("", "not installed here"))[1]
        current[name] = (version, earlier if licence is None else licence)
    if os.environ.get("UPDATE_DOCS"):
        rows = [
            f"| {name} | {version} | {licence} |" for name, (version, licence) in current.items()
        ]
        PAGE.write_text(HEAD + "\n".join(rows) + "\n")
    assert listed() == current, "stale: UPDATE_DOCS=1 pytest tests/test_supply_chain.py"


def test_every_licence_is_known_to_be_compatible() -> None:
    doubtful = {
        name: licence
        for name in pins()
        if (licence := licence_of(name)) is not None
        and not (PERMISSIVE.search(licence) or WEAK_COPYLEFT.search(licence))
        and name not in COPYLEFT
    }
    assert doubtful == {}


def test_what_is_called_copyleft_is_pinned() -> None:
    assert set(COPYLEFT) <= set(pins())


def test_what_is_copyleft_is_imported_only_where_graphs_are_clustered() -> None:
    sources = [path for room in ROOMS for path in (ROOT / room).rglob("*.py")]
    found = {
        path.relative_to(ROOT).as_posix()
        for path in sources
        if re.search(r"^\s*(?:import|from) (?:igraph|leidenalg)\b", path.read_text(), re.MULTILINE)
    }
    assert found == COPYLEFT_IMPORTED


def test_ontologies_are_fetched_over_https() -> None:
    addresses = re.findall(r"\b\w+://[^\s'\"]+", repr(OFFICIAL))
    assert addresses
    assert [url for url in addresses if not url.startswith("https://")] == []


def test_security_page_names_tests_that_exist() -> None:
    page = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
    named = set(re.findall(r"tests/test_\w+\.py", page))
    assert len(named) > 8
    assert [path for path in sorted(named) if not (ROOT / path).exists()] == []
