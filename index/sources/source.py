"""A source: one format, its reader and what is known about it; ``SOURCE`` of each reader module."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, get_type_hints

import dataframely as dy
import polars as pl

from index.records import Records
from index.sources.layout import Layout
from index.sources.packed import first_lines
from index.sources.parquet import is_parquet, write_first_rows
from index.sources.tabular import dialect_of
from index.tables import SearchMethod
from ontology_etl.tables import conform

NCBI: Final = "US public domain (NCBI)"
SERRATUS: Final = "public domain (Serratus, Edgar et al. 2022)"
BUILD_PARAMETERS: Final = frozenset({"min_serratus_score"})
"""Arguments of readers that the configuration of the build gives, one value for all files."""


@dataclass(frozen=True)
class Companion:
    """A file that a format may take as an option: what it is for and how it is laid out."""

    meaning: str
    layouts: tuple[Layout, ...] = ()


@dataclass(frozen=True)
class Method:
    """How a source of detections searches: contract ``SearchMethod``."""

    method: str
    evidence: str
    identity: str | None = None
    cut: str | None = None


def methods_of(records: Records, method: Method) -> dy.DataFrame[SearchMethod]:
    """Return ``method`` for each source of the detections and searches of ``records``."""
    sources = pl.concat([records.detection["source"], records.searched["source"]]).unique().sort()
    said = [pl.lit(value, pl.String).alias(name) for name, value in vars(method).items()]
    return conform(sources.to_frame().with_columns(said), SearchMethod)


@dataclass(frozen=True)
class Cut:
    """How many rows (samples of an XML file) were copied, and whether more follow."""

    rows: int
    more: bool


def cut_rows(path: Path, target: Path, rows: int) -> Cut:
    """Write the first ``rows`` rows of a table to ``target``, of text with its header."""
    if is_parquet(path):
        return Cut(*write_first_rows(path, target, rows))
    return cut_lines(path, target, rows, above=dialect_of(path).skip)


def cut_lines(path: Path, target: Path, rows: int, *, above: int = 0) -> Cut:
    """Write the first ``rows`` lines and those ``above`` them to ``target``."""
    lines, more = first_lines(path, target, rows + above)
    return Cut(max(lines - above, 0), more)


@dataclass(frozen=True)
class Source:
    """One format: how to read it, what it is and under which licence its data come.

    ``layouts`` are its tables, none where it is not delimited text; ``holds`` then says what it
    holds, and ``starts`` is a regular expression of what a file begins with. ``companions`` are its
    options. ``cut`` writes the first rows of a file to another. ``method`` is that of a source of
    detections. ``stated_options`` are types of options, where the parameters of ``read`` are more.
    """

    read: Callable[..., Records]
    description: str
    licence: str
    layouts: tuple[Layout, ...] = ()
    companions: Mapping[str, Companion] = field(default_factory=dict)
    holds: str = ""
    cut: Callable[[Path, Path, int], Cut] = cut_rows
    method: Method | None = None
    starts: str = ""
    stated_options: Mapping[str, Any] | None = None

    @property
    def options(self) -> dict[str, Any]:
        """Return the type of each option a manifest may state: keyword-only parameters."""
        if self.stated_options is not None:
            return dict(self.stated_options)
        hints = get_type_hints(self.read)
        stated = [name for name in self._keywords() if name not in BUILD_PARAMETERS]
        return {name: hints[name] for name in stated}

    @property
    def parameters(self) -> frozenset[str]:
        """Return the parameters of the build that the reader honours."""
        return BUILD_PARAMETERS & frozenset(self._keywords())

    def _keywords(self) -> list[str]:
        signature = inspect.signature(self.read)
        return [
            parameter.name
            for parameter in signature.parameters.values()
            if parameter.kind is parameter.KEYWORD_ONLY
        ]
