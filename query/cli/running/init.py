"""``query init``: a folder to start an index of your own from."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from query.cli.console import AsJson, print_json, reported, say, writing
from query.cli.usage import argument


def init(
    folder: Annotated[Path, argument("Folder to create.")],
    as_json: AsJson = False,
) -> None:
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

    written, kept = [], []
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in starter_files(str(folder)).items():
            path = folder / name
            if path.exists():
                kept.append(str(path))
                continue
            path.write_text(text, encoding="utf-8")
            written.append(str(path))
    return written, kept
