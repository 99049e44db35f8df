"""Inputs before a build: fetch records, propose a manifest, check it.

    python -m flows.inputs fetch runs.txt
    python -m flows.inputs check my/inputs.toml
    python -m flows.inputs new my/*.csv --out my/inputs.toml
    python -m flows.inputs formats sra_run_table

Heavy imports wait until a command runs, so that a wrong path is reported at once.
"""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from flows.console import make_app, run_app
from flows.progress import to_stderr
from ontology_etl.addresses import shown
from ontology_etl.errors import InputError, MissingFileError
from query.cli.console import AsJson, print_json, reported

if TYPE_CHECKING:
    from index.annotation.preview import FacetShare, FilePreview, Preview
    from index.sources.recognition import Guess

NAME = "python -m flows.inputs"
app = make_app(
    "Check the inputs of a build, propose a manifest for files, list formats, fetch records."
)


@app.command()
def check(
    manifest: Annotated[Path, typer.Argument(help="Inputs manifest, TOML.", show_default=False)],
    rows: Annotated[int, typer.Option(help="Rows of each file to read.", min=1)] = 1_000,
    config: Annotated[
        Path | None, typer.Option(help="Parameters of the build, TOML.", show_default=False)
    ] = None,
    grounding: Annotated[
        bool, typer.Option(help="Look hosts, tissues and diseases up in the ontologies.")
    ] = True,
    as_json: AsJson = False,
) -> None:
    """Show what a build would read, ignore and reject of each file, which values name a term, and
    which questions the index could answer.

    Remote inputs (https://, s3://, postgresql://) are downloaded first.

    \b
    Examples:
      python -m flows.inputs check data/sample/inputs.toml
      python -m flows.inputs check my/inputs.toml --no-grounding
      python -m flows.inputs check my/inputs.toml --rows 100000 --json

    \b
    Exit codes: 0 a build would read every file, 2 wrong usage, 3 an input cannot be used,
    5 a download
    """
    with reported(as_json=as_json):
        _must_exist(manifest)
        from index.annotation.preview import preview_manifest
        from index.config import read_config
        from index.sources.fetching import fetch_inputs
        from index.sources.manifest import read_manifest

        score = read_config(config).min_serratus_score
        fetched = fetch_inputs(read_manifest(manifest))
        preview = preview_manifest(
            fetched, rows=rows, min_serratus_score=score, grounding=grounding
        )
    if as_json:
        print_json({**asdict(preview), "usable": preview.usable})
    else:
        typer.echo(show_preview(preview))
    if not preview.usable:
        raise typer.Exit(InputError.exit_code)


@app.command()
def new(
    files: Annotated[
        list[str],
        typer.Argument(
            help="Files or addresses to read; for a database, its tables.", show_default=False
        ),
    ],
    out: Annotated[
        Path | None,
        typer.Option(help="Write the manifest here, not to stdout.", show_default=False),
    ] = None,
    mapped: Annotated[
        list[str] | None,
        typer.Option(
            "--map",
            help="What a column means: run='Sample ID'. hits_of='Zika virus': their virus.",
            show_default=False,
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace the file at --out.")] = False,
    as_json: AsJson = False,
) -> None:
    """Propose a manifest for files, whose formats are recognised by columns and contents.

    Any table that names runs or samples will do; comments in the manifest say what each column was
    taken for, and why. Unclear columns are settled by questions in a terminal. An existing manifest
    is replaced only with --force, and never by one that reads fewer files.

    \b
    Examples:
      python -m flows.inputs new runs.csv viruses.tsv
      python -m flows.inputs new samples.xlsx hits.csv --map run="Library" --out my/inputs.toml
      python -m flows.inputs new my/*.tsv.gz ontologies/taxdump.tar.gz --out my/inputs.toml
      python -m flows.inputs new postgresql://reader@db.example.org/logan --out my/inputs.toml

    \b
    Exit codes: 0 a file can be read, 2 wrong usage, 3 none can (no manifest is written), or --out
    is there already, 5 a download
    """
    said = dict(_pair(one) for one in mapped or ())
    with reported(as_json=as_json):
        for name in files:
            if "://" not in name:
                _must_exist(Path(name))
        if out is not None and out.exists() and not force:
            raise InputError(out, "is there already", remedy="add --force to replace it")
        from index.sources.addressed import recognise_all
        from index.sources.proposal import check_replaces, propose

        guesses = recognise_all(files, said)
        if sys.stdin.isatty() and not as_json:
            answers = _ask(guesses)
            said |= answers
            guesses = recognise_all(files, said) if answers else guesses
        has_input = any(one.role == "input" for one in guesses)
        text = propose(guesses, out.parent if out is not None else Path(), said)
        if out is not None and has_input:
            check_replaces(out, text)
    _show_proposal(guesses, text if has_input else "", out, as_json=as_json)
    if not has_input:
        raise typer.Exit(InputError.exit_code)


def _write(out: Path, text: str) -> None:
    """Write the manifest; raises ``FolderError``."""
    from index.store.whole_file import write_whole
    from query.errors import FolderError

    try:
        write_whole(out, text)
    except OSError as error:
        raise FolderError(out, reason=error.strerror or str(error)) from error


def _show_proposal(guesses: list[Guess], text: str, out: Path | None, *, as_json: bool) -> None:
    """Write or print a manifest, and list the files left out and the open questions.

    An empty ``text`` is not a manifest: no file has anything to read.
    """
    if as_json:
        known = [
            {"file": _name_of(one), "role": one.role, "name": one.name, "why": one.why}
            for one in guesses
        ]
        print_json({"files": known, "manifest": text})
    elif out is None and text:
        typer.echo(text)
    if out is not None and text:
        _write(out, text)
    for one in guesses:
        if one.role in ("unknown", "nothing"):
            what = "not recognised" if one.role == "unknown" else "nothing to read"
            typer.echo(f"{what}: {_name_of(one)}: {one.why}", err=True)
        for question in one.questions if one.role != "unknown" else ():
            choices = f": {', '.join(question.choices)}" if question.choices else ""
            remedy = f"--map {question.of}=…"
            typer.echo(f"unsure: {_name_of(one)}: {question.text}{choices}? ({remedy})", err=True)
    if not text:
        typer.echo("no manifest: none of these files says anything of a run or a sample", err=True)
    elif out is not None:
        known_files = sum(one.role != "unknown" for one in guesses)
        typer.echo(f"{out}: {known_files} of {len(guesses)} files recognised", err=True)


def _pair(text: str) -> tuple[str, str]:
    """Return the meaning and the heading of ``run='Sample ID'``."""
    meaning, is_pair, heading = text.partition("=")
    if not is_pair or not heading.strip():
        raise typer.BadParameter(f"--map {text}: write MEANING=COLUMN, e.g. --map run='Sample ID'")
    return meaning.strip(), heading.strip()


def _ask(guesses: list[Guess]) -> dict[str, str]:
    """Ask the user the open questions and return the answers; an empty answer skips one."""
    answers = {}
    for guess in guesses:
        for question in guess.questions:
            typer.echo(f"{_name_of(guess)}: {question.text}?", err=True)
            for number, choice in enumerate(question.choices, 1):
                typer.echo(f"  {number}  {choice}", err=True)
            said = typer.prompt("number or name, empty to leave it", default="", err=True)
            is_number = said.isdigit() and 0 < int(said) <= len(question.choices)
            answer = question.choices[int(said) - 1] if is_number else said.strip()
            if answer:
                answers[question.of] = answer
    return answers


@app.command()
def formats(
    name: Annotated[str | None, typer.Argument(help="A format.", show_default=False)] = None,
    as_json: AsJson = False,
) -> None:
    """List the formats of files, or the columns and options of one; * marks required columns.

    \b
    Examples:
      python -m flows.inputs formats
      python -m flows.inputs formats sra_run_table
      python -m flows.inputs formats kraken_report --json

    \b
    Exit codes: 0 known, 2 no such format
    """
    with reported(as_json=as_json):
        from index.sources import SOURCES
        from index.sources.describing import describe
        from index.sources.layout import nearest

        if name is not None and name not in SOURCES:
            near = nearest(name, SOURCES)
            meant = f" Did you mean {near}?" if near else ""
            raise typer.BadParameter(f"{name!r} is not a format.{meant}", param_hint="NAME")
    shown = {
        one: describe(one, source) if name else source.description
        for one, source in SOURCES.items()
        if name in (None, one)
    }
    if as_json:
        print_json(shown)
    elif name:
        typer.echo(shown[name])
    else:
        typer.echo("\n".join(f"{one:<22} {about}" for one, about in shown.items()))


@app.command()
def fetch(
    runs: Annotated[
        Path, typer.Argument(help="File of run accessions, one a line.", show_default=False)
    ],
    out: Annotated[Path, typer.Option(help="Folder to keep them in.")] = Path("data/raw/ncbi"),
    as_json: AsJson = False,
) -> None:
    """Fetch the records of runs from NCBI: RunInfo, BioSample XML, titles of BioProjects.

    Batches of 200, at most 3 requests a second (10 with NCBI_API_KEY); set NCBI_EMAIL. An
    interrupted command resumes when you run it again.

    \b
    Examples:
      NCBI_EMAIL=me@example.org python -m flows.inputs fetch runs.txt
      python -m flows.inputs fetch SraAccList.txt --out my/ncbi --json

    \b
    Exit codes: 0 all runs are known, 1 some are not, 2 wrong usage, 3 the file of runs cannot be
    used, 5 a download
    """
    with reported(as_json=as_json):
        _must_exist(runs)
        from flows.ncbi.records import fetch_records, read_accessions, service_of
        from query.config import ncbi_settings

        settings = ncbi_settings()
        if not settings.email:
            raise typer.BadParameter("NCBI wants to know who asks: export NCBI_EMAIL=…")
        asked = read_accessions(runs)
        fetched = fetch_records(service_of(settings), asked, out, say=to_stderr)
    files = [str(path) for path in fetched.files]
    if as_json:
        print_json({"files": files, "unknown": list(fetched.unknown)})
    else:
        known = len(set(asked)) - len(fetched.unknown)
        typer.echo(f"{known:,} of {len(set(asked)):,} runs in {len(files):,} files of {out}")
        typer.echo(f"  -> python -m flows.inputs new {out}/*.csv {out}/*.xml --out inputs.toml")
    if fetched.unknown:
        typer.echo(f"not known to NCBI: {', '.join(fetched.unknown)}", err=True)
        raise typer.Exit(1)


def _name_of(guess: Guess) -> str:
    """Return the name of a file, sheet, address or table for messages."""
    if guess.address:
        return guess.table or shown(guess.address)
    return f"{guess.path} ({guess.sheet})" if guess.sheet else str(guess.path)


def show_preview(preview: Preview) -> str:
    """Return a preview as text: one paragraph per file, then one line per facet."""
    parts = [_show_file(file) for file in preview.files]
    if preview.note:
        parts.append(f"Values were not looked up: {preview.note}.")
    else:
        parts.append("\n".join(_show_facet(facet) for facet in preview.facets))
    if preview.questions:
        parts.append("\n  ".join(["questions that the index could answer:", *preview.questions]))
    if preview.lacking:
        parts.append("\n  ".join(["could not:", *preview.lacking]))
    wrong = sum(file.error is not None for file in preview.files)
    said = (
        "a build would read every file"
        if not wrong
        else f"{wrong} of {len(preview.files)} files cannot be used"
    )
    return "\n\n".join([*parts, said])


def _show_file(file: FilePreview) -> str:
    among = f"first {_counted(file.rows)}" if file.more else _counted(file.rows)
    lines = [f"{_shown(file.file)} ({file.format}), {among}"]
    if file.read:
        lines.append(
            f"  rows: {', '.join(f'{name} {count:,}' for name, count in file.read.items())}"
        )
    if file.ignored:
        lines.append(f"  ignored columns: {', '.join(file.ignored)}")
    lines += [f"  hint: {hint}" for hint in file.hints]
    if file.rejected:
        lines.append(f"  rejected: {_counted(file.rejected)}")
    for one in file.reasons:
        where = (
            f" (row {', '.join(map(str, one.first))}{', …' if one.rows > 3 else ''})"
            if one.first
            else ""
        )
        lines.append(f"    {one.rows:,} {one.reason}{where}")
    if file.error is not None:
        lines.append(f"  error: {file.error}")
    return "\n".join(lines)


def _show_facet(facet: FacetShare) -> str:
    if not facet.values:
        return f"{facet.facet}: no value stated"
    share = facet.grounded / facet.values
    counted = f"{facet.grounded:,} of {facet.values:,} values ({share:.0%})"
    lines = [f"{facet.facet}: {counted} name a term of {facet.ontology}"]
    missed = [
        f"  {one.outcome}: {one.text!r} ({one.attributes}; {_counted(one.rows)})"
        for one in facet.ungrounded
    ]
    lines += missed
    return "\n".join(lines)


def _shown(path: str) -> str:
    """Return a path below the current folder as relative, any other in full."""
    folder = Path.cwd()
    full = Path(path)
    if not full.is_relative_to(folder):
        return path
    relative = full.relative_to(folder)
    return str(relative)


def _counted(rows: int) -> str:
    if rows == 1:
        return "1 row"
    return f"{rows:,} rows"


def _must_exist(path: Path) -> None:
    """Raise ``MissingFileError`` before any slow import."""
    if not path.exists():
        raise MissingFileError(path)


if __name__ == "__main__":
    sys.exit(run_app(app, None, name=NAME))
