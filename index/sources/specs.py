"""Formats that are declared: a TOML file each says what the columns of a table mean.

``index/sources/layouts/NAME.toml`` is the format NAME; a package of somebody else makes a source of
its own file with ``declared_source`` and names it as an entry point (``index.sources``).
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import polars as pl
from pydantic import Field

from index.records import Records
from index.sources.layout import Column, Layout, optional, required
from index.sources.linked_names import NAMES, read_names
from index.sources.mapped import FileOptions, Spec, read_mapped
from index.sources.meanings import ATTRIBUTE, IGNORED, attribute_name, meanings
from index.sources.rejection import Rule
from index.sources.source import Companion, Method, Source, cut_lines, cut_rows
from index.sources.tabular import read_sound
from ontology_etl.frozen import Frozen

FOLDER: Final = Path(__file__).with_name("layouts")


class ColumnSaid(Frozen):
    """A column of a declared format: its meaning, and words where its own do not fit."""

    means: str
    required: bool = False
    what: str = ""
    example: str = ""


class OptionSaid(Frozen):
    """A file that a format may take: what it is for, and its columns."""

    what: str
    columns: dict[str, str]
    examples: dict[str, str]


class Declared(Frozen):
    """What a file of ``layouts`` may say; the fields of the spec are those of ``mapped.Spec``."""

    description: str
    licence: str
    columns: dict[str, ColumnSaid]
    source: str = ""
    method: str = ""
    evidence: str = "reads"
    identity: str | None = None
    cut: str | None = None
    run: str = ""
    rest: str = ""
    ending: str = ""
    left_out: list[str] = Field(default_factory=list)
    first_line: str = ""
    viruses: str = ""
    searched: bool = False
    detects: bool = True
    needs: str = ""
    options: dict[str, OptionSaid] = Field(default_factory=dict)


def declared_sources() -> dict[str, Source]:
    """Return every format that is declared here, by name."""
    return {path.stem: declared_source(path) for path in sorted(FOLDER.glob("*.toml"))}


def declared_source(path: Path) -> Source:
    """Return the source that the TOML file at ``path`` declares, named like the file."""
    said = Declared.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    layout = Layout(
        path.stem,
        tuple(_column(name, column) for name, column in said.columns.items()),
        rest=said.rest,
        left_out=frozenset(said.left_out),
        needs=said.needs,
        first_line=said.first_line,
    )
    companions = {"names": NAMES} if _names_runs(said) else {}
    companions |= {name: _companion(name, option) for name, option in said.options.items()}
    spec = Spec(
        layout,
        source=said.source,
        run=said.run,
        own=said.rest == "runs",
        ending=said.ending,
        viral=said.viruses == "lineage",
        searched=said.searched,
        detects=said.detects and bool(said.source),
    )
    method = Method(said.method, said.evidence, said.identity, said.cut) if said.method else None
    return Source(
        _reader(spec, companions),
        said.description,
        said.licence,
        (layout,),
        companions,
        method=method,
        starts=said.first_line,
        cut=cut_lines if said.first_line else cut_rows,
        stated_options=_options(said, companions),
    )


def _column(name: str, said: ColumnSaid) -> Column:
    make = required if said.required else optional
    if said.means in meanings():
        meaning = meanings()[said.means]
        what, example = said.what or meaning.what, said.example or meaning.example
        return make(name, what, example, unit=meaning.unit or None, alias=said.means)
    alias = said.means
    if said.means == "attribute":
        alias = f"{ATTRIBUTE}{attribute_name(name)}"
    elif said.means == "ignored":
        alias = f"{IGNORED}{name}"
    return make(name, said.what, said.example, alias=alias)


def _names_runs(said: Declared) -> bool:
    """Return whether runs may go by a name of the laboratory's own."""
    has_contigs = any(column.means == "contig" for column in said.columns.values())
    names_contigs = has_contigs and said.run != "optional"
    return said.rest == "runs" or said.run == "file name" or names_contigs


def _companion(name: str, said: OptionSaid) -> Companion:
    columns = [required(column, what, said.examples[column])
               for column, what in said.columns.items()]  # fmt: skip
    return Companion(said.what, (Layout(name, tuple(columns)),))


def _options(said: Declared, companions: Mapping[str, Companion]) -> dict[str, Any]:
    stated: dict[str, Any] = dict.fromkeys(companions, Path | None)
    if _names_runs(said):
        stated["run"] = str
    if said.needs == "hits_of":
        stated["hits_of"] = str
    return stated


def _reader(spec: Spec, companions: Mapping[str, Companion]) -> Any:
    def read(
        path: Path,
        *,
        run: str = "",
        hits_of: str = "",
        names: Path | None = None,
        taxa: Path | None = None,
    ) -> Records:
        """Return the records of a table of this format."""
        linked = read_names(names) if names else {}
        of_nearest = None if taxa is None else _taxa(taxa, companions["taxa"].layouts[0])
        said = FileOptions(run=run, hits_of=hits_of, linked=linked, taxa=of_nearest)
        return read_mapped(path, spec, said)

    return read


def _taxa(path: Path, layout: Layout) -> pl.DataFrame:
    """Return [nearest, taxid] of the file at ``path``: the taxon of each known sequence, once."""
    sequence, taxid = layout.names
    kept = read_sound(path, layout, Rule("no sequence", pl.col(sequence).is_null())).kept
    return kept.select(nearest=sequence, taxid=taxid).unique("nearest", maintain_order=True)
