"""Prove that an index follows from its inputs: ``python -m flows.verify INDEX``.

It is built again from the manifest, digests, parameters, seeds and kept answers that it notes.
"""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from flows.console import make_app, run_app
from flows.progress import Progress, silent
from query.cli.console import AsJson, reported

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flows.rebuilding import Verified

NAME: Final = "python -m flows.verify"
app = make_app()


@app.command()
def verify(
    index: Annotated[Path, typer.Argument(help="Index to verify.", show_default=False)],
    inputs: Annotated[
        Path | None,
        typer.Option(help="Inputs manifest; default: the one the index notes.", show_default=False),
    ] = None,
    as_json: AsJson = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress on stderr.")] = False,
) -> None:
    """Rebuild an index from its own notes and compare the two.

    Tables, columns, views, macros, comments, every row in its order, and the content digest are
    compared. What does not follow from the inputs is left out: answers to questions (answer, point,
    answer_citation), notes of earlier builds (past_build), times, memory and paths.

    The index is not changed. Every input must have the digest that the index notes. Interpretations
    come from the cached answers of the model; no model is called.

    \b
    Examples:
      python -m flows.verify data/index/demo.duckdb
      python -m flows.verify data/index/virome.duckdb --inputs data/real/inputs.toml --json

    \b
    Exit codes: 0 equal, 2 wrong usage, 3 an input has changed, 6 the index, 12 not equal.
    """
    with reported(as_json=as_json):
        from flows.rebuilding import verify_index

        progress = Progress(say_line=silent) if quiet else Progress()
        verified = verify_index(index, inputs=inputs, progress=progress)
    typer.echo(json.dumps(asdict(verified), indent=2) if as_json else show_verified(verified))


def show_verified(verified: Verified) -> str:
    """Return what was compared, and which versions differ nevertheless."""
    others = [
        f"  {name}: {then} when it was built, {now} now"
        for name, (then, now) in verified.versions.items()
    ]
    equal = (
        f"equal: {verified.rows:,} rows of {verified.tables} tables, "
        f"content {verified.content_hash}"
    )
    return "\n".join([equal, *others])


def main(arguments: Sequence[str] | None = None) -> int:
    """Verify an index; return the exit code."""
    return run_app(app, arguments, name=NAME)


if __name__ == "__main__":
    sys.exit(main())
