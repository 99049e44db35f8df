"""Preview inputs: what a build would read of the first rows of each file, and what not and why.

The readers themselves run on a copy of the first rows, so a preview cannot promise what a build
does not do. There is one difference: if a row needs another one further down (the root of each run
in a STAT table), the preview may lose a row that a build keeps.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import polars as pl

from index.annotation.annotate import texts_to_ground
from index.annotation.askable import askable
from index.records import Records, merge_records, record_counts
from index.sources import SOURCES
from index.sources.inputs import is_all_rejected, read_cut
from index.sources.manifest import Input, Manifest
from index.sources.rejection import rows_rejected
from index.sources.sheets import as_text
from index.sources.tabular import choose_layout, dialect_of
from ontology_etl.errors import InputError, ViromeError
from ontology_etl.facets import ONTOLOGIES_OF_FACET
from ontology_etl.grounding import ground
from ontology_etl.load import load_ontologies
from ontology_etl.vocabulary import Vocabulary, build_vocabulary

ROWS: Final = 1_000
"""Rows of each file that a preview reads."""
EXAMPLES: Final = 5
"""Number of values shown that name no term."""
SHOWN_AS: Final = {"label": "host or organism"}
"""Facets that submitters call by another word."""


@dataclass(frozen=True)
class Rejection:
    """A reason, how many rows it rejects, and the numbers of the first three (header = 1)."""

    reason: str
    rows: int
    first: tuple[int, ...]


@dataclass(frozen=True)
class FilePreview:
    """What a build would make of the first rows of one file; ``error`` is why it cannot be used."""

    file: str
    format: str
    rows: int = 0
    more: bool = False
    rejected: int = 0
    reasons: tuple[Rejection, ...] = ()
    read: dict[str, int] | None = None
    ignored: tuple[str, ...] = ()
    hints: tuple[str, ...] = ()
    error: str | None = None


@dataclass(frozen=True)
class Ungrounded:
    """A value that names no term, the attributes that state it, in how many rows, and why."""

    attributes: str
    text: str
    rows: int
    outcome: str


@dataclass(frozen=True)
class FacetShare:
    """How many of the distinct values stated for a facet name a term.

    Values without content ("missing") or that deny a disease ("healthy") are not counted.
    """

    facet: str
    ontology: str
    values: int
    grounded: int
    ungrounded: tuple[Ungrounded, ...]


@dataclass(frozen=True)
class Preview:
    """What a build of a manifest would read; ``note`` says why values were not grounded.

    The index could answer ``questions``; ``lacking`` says what the inputs lack for others.
    """

    files: tuple[FilePreview, ...]
    facets: tuple[FacetShare, ...] = ()
    note: str | None = None
    questions: tuple[str, ...] = ()
    lacking: tuple[str, ...] = ()

    @property
    def usable(self) -> bool:
        """Return whether a build would get past reading."""
        return all(file.error is None for file in self.files)


def preview_manifest(
    manifest: Manifest, *, rows: int = ROWS, min_serratus_score: float, grounding: bool = True
) -> Preview:
    """Return what a build would read of the first ``rows`` rows of each file of ``manifest``.

    Raises the ``ViromeError`` of an ontology that cannot be read; a record file that cannot be used
    is named in its ``FilePreview``.
    """
    pairs = [
        preview_input(item, rows=rows, min_serratus_score=min_serratus_score)
        for item in manifest.inputs
    ]
    files = tuple(file for file, _ in pairs)
    records = merge_records(part for _, part in pairs if part is not None)
    sources = manifest.ontologies.listed
    local = {source.name: source.path for source in sources if source.path is not None}
    vocabulary = _vocabulary(records, local) if grounding and local else None
    questions, lacking = askable(records, vocabulary)
    preview = Preview(files, questions=tuple(questions), lacking=tuple(lacking))
    if not grounding:
        return replace(preview, note="not asked for")
    if vocabulary is None:
        note = "the manifest gives no file of an ontology; a build fetches them"
        return replace(preview, note=note)
    return replace(preview, facets=tuple(preview_grounding(records, vocabulary, local)))


def preview_input(
    item: Input, *, rows: int, min_serratus_score: float
) -> tuple[FilePreview, Records | None]:
    """Return what a build would read of the first ``rows`` rows of a file, and these records."""
    source = SOURCES[item.format]
    preview = FilePreview(file=str(item.path), format=item.format)
    with TemporaryDirectory() as folder:
        target = Path(folder) / item.path.name
        try:
            with as_text(item.path, item.sheet) as text:
                cut = source.cut(text, target, rows)
                preview = replace(preview, rows=cut.rows, more=cut.more)
                preview = _with_columns(preview, item.model_copy(update={"path": text}))
            records = read_cut(item, target, min_serratus_score=min_serratus_score)
        except ViromeError as error:
            return replace(preview, error=_named(error, target, item.path)), None
    return _described(preview, records), records


def preview_grounding(
    records: Records, vocabulary: Vocabulary, names: Collection[str]
) -> Iterator[FacetShare]:
    """Yield how many stated hosts, tissues and diseases name a term of the ontologies ``names``."""
    stated = _stated(records)
    outcome = _outcomes(stated, vocabulary)

    for facet, ontologies in ONTOLOGIES_OF_FACET.items():
        present = [ontology for ontology in ontologies if ontology in names]
        if present:
            yield _share(outcome.filter(pl.col("facet") == facet), facet, ", ".join(present))


def _vocabulary(records: Records, paths: dict[str, Path]) -> Vocabulary:
    """Return the names that the ontologies at ``paths`` have for what ``records`` state."""
    loaded = load_ontologies(paths)
    texts = texts_to_ground(records)
    tables = (loaded.term, loaded.synonym, loaded.term_edge)
    return build_vocabulary(*tables, texts=texts, xref=loaded.xref)


def _with_columns(preview: FilePreview, item: Input) -> FilePreview:
    """Return ``preview`` with the columns that are not read and what they may mean."""
    layouts = SOURCES[item.format].layouts
    if not layouts:
        return preview
    layout = choose_layout(item.path, layouts)
    ignored = layout.unread(dialect_of(item.path, layout).header)
    return replace(preview, ignored=tuple(ignored), hints=tuple(column_hints(item)))


def column_hints(item: Input) -> list[str]:
    """Return in words which columns of a file are spelt almost like one that its format reads."""
    layouts = SOURCES[item.format].layouts
    if not layouts:
        return []
    layout = choose_layout(item.path, layouts)
    near = layout.hints(dialect_of(item.path, layout).header)
    fate = f"is read as one of the {layout.rest}" if layout.rest else "is not read"
    return [f"'{name}' {fate}; did you mean '{meant}'?" for name, meant in near.items()]


def _described(preview: FilePreview, records: Records) -> FilePreview:
    own = records.rejected.filter(pl.col("source") == Path(preview.file).name)
    totals = rows_rejected(own)
    counts = {name: count for name, count in record_counts(records).items() if count}
    counts.pop("rejected", None)
    reasons = tuple(_rejections(own, totals))
    found = replace(preview, rejected=int(totals["rows"].sum()), reasons=reasons, read=counts)
    if not is_all_rejected(records):
        return found
    if not preview.more:
        return replace(found, error=f"every row is rejected ({preview.rows:,} in all)")
    hint = "every one of these rows is rejected; look at more of them with --rows"
    return replace(found, hints=(*preview.hints, hint))


def _rejections(rejected: pl.DataFrame, totals: pl.DataFrame) -> Iterator[Rejection]:
    for _, reason, rows in totals.iter_rows():
        alike = rejected.filter(pl.col("reason").str.starts_with(reason))
        first = alike["row"].drop_nulls().sort().head(3).to_list()
        example = alike["reason"][0].removesuffix(" (1 rows)") if rows == 1 else reason
        yield Rejection(example, rows, tuple(first))


def _named(error: ViromeError, target: Path, path: Path) -> str:
    """Return what is wrong and what to do, naming the file itself and not its copy."""
    reason = error.reason if isinstance(error, InputError) else error.message
    row = f"row {error.row}: " if isinstance(error, InputError) and error.row is not None else ""
    text = f"{row}{reason}\n  -> {error.remedy}"
    return text.replace(str(target), str(path))


def _stated(records: Records) -> pl.DataFrame:
    """Return [attribute, text, rows]: organisms and attribute values, and the rows with them."""
    organism = records.run.select(attribute=pl.lit("organism"), text="organism")
    described = (records.biosample_attribute, records.run_attribute)
    values = [table.select("attribute", text="value") for table in described]
    stacked = pl.concat([organism, *values]).drop_nulls("text")
    return stacked.group_by("attribute", "text").agg(rows=pl.len())


def _outcomes(stated: pl.DataFrame, vocabulary: Vocabulary) -> pl.DataFrame:
    """Return [facet, text, outcome, attributes, rows], one row per value and facet.

    Values that say nothing ("missing") or deny ("healthy") are understood, and left out.
    """
    found = ground(stated.select("attribute", "text"), vocabulary)
    outcomes = found.filter(~pl.col("outcome").is_in(["null", "negated"]))
    best = outcomes.sort(pl.col("outcome") != "grounded", maintain_order=True)
    each = best.unique(["facet", "attribute", "text"], keep="first", maintain_order=True)
    counted = each.join(stated, on=["attribute", "text"])
    return counted.group_by("facet", "text").agg(
        pl.col("outcome").first(),
        pl.col("attribute").unique().sort().str.join(", "),
        pl.col("rows").sum(),
        grounded=pl.col("outcome").eq("grounded").any(),
    )


def _share(outcome: pl.DataFrame, facet: str, ontology: str) -> FacetShare:
    missed = outcome.filter(~pl.col("grounded"))
    top = missed.sort("rows", "text", descending=[True, False]).head(EXAMPLES)
    columns = top.select("attribute", "text", "rows", "outcome")

    return FacetShare(
        facet=SHOWN_AS.get(facet, facet),
        ontology=ontology,
        values=len(outcome),
        grounded=len(outcome) - len(missed),
        ungrounded=tuple(Ungrounded(*row) for row in columns.iter_rows()),
    )
