"""``query init`` and ``query doctor``: a folder to start from, and what works here."""

from __future__ import annotations

import os
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from query.cli.console import AsJson, Database, print_json, reported, say, writing
from query.cli.usage import argument
from query.config import database_path

if TYPE_CHECKING:
    from query.health.machine import Check


def init(folder: Annotated[Path, argument("Folder to create.")], as_json: AsJson = False) -> None:
    """Create a folder with an inputs manifest, all parameters of a build, and a README.

    The manifest names the files that are there. Existing files are not changed.

    \b
    Examples:
      query init my
      query init projects/bats --json
    """
    with reported(as_json=as_json):
        written, kept = _write_files(folder)
    if as_json:
        print_json({"written": written, "kept": kept})
        return
    for path in written:
        say(f"written  {path}")
    for path in kept:
        say(f"kept     {path}: it was there already")
    say(f"\nnext: read {folder / 'README.md'}")


def _write_files(folder: Path) -> tuple[list[str], list[str]]:
    """Return the files written to ``folder`` and those that were there; raises ``FolderError``."""
    from query.starter import starter_files

    written, existing = [], []
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in starter_files(str(folder)).items():
            path = folder / name
            if path.exists():
                existing.append(str(path))
                continue
            path.write_text(text, encoding="utf-8")
            written.append(str(path))
    return written, existing


SOMETHING_MISSING: Final = 1
"""Exit code where a check found something that does not work."""
MARKS: Final = {"ok": "ok", "note": "note", "missing": "MISSING"}


def doctor(
    db: Database = None,
    server: Annotated[bool, typer.Option(help="Ask the Prefect server, too.")] = True,
    as_json: AsJson = False,
) -> None:
    """Check index, ontologies, model, biosafety, Prefect server, schedule, disk and versions.

    \b
    Examples:
      query doctor
      query doctor --no-server
      query doctor --json | jq .checks

    \b
    Exit codes: 0 everything that is needed works, 1 something does not, 2 wrong usage
    """
    with reported(as_json=as_json):
        checks = _run_checks(db, server=server)
    if as_json:
        print_json({"checks": [asdict(check) for check in checks]})
    else:
        say(_shown(checks))
    if any(check.state == "missing" for check in checks):
        raise typer.Exit(SOMETHING_MISSING)


def _run_checks(db: Path | None, *, server: bool) -> list[Check]:
    from query.health.index_file import check_index
    from query.health.machine import check_model, check_versions
    from query.health.prefect_server import check_server

    checks = [*check_index(database_path(db)), check_model(os.environ)]
    if server:
        checks += check_server(os.environ)
    return [*checks, check_versions()]


def _shown(checks: list[Check]) -> str:
    """Return a line per check, and the next command below where there is one."""
    width = max(len(check.name) for check in checks)
    lines = []
    for check in checks:
        lines.append(f"{MARKS[check.state]:<8}{check.name:<{width}}  {check.found}")
        if check.next_command:
            lines.append(f"{'':<8}{'':<{width}}  -> {check.next_command}")
    return "\n".join(lines)
