"""NCBI BioSample XML (``BioSampleSet``), read as a stream: one sample in memory at a time, any file
size.

Licence: US public domain (NCBI BioSample). ``attribute_name`` is kept as submitted, not the
harmonised name, so that the text can be traced; grounding folds the spellings. XML has no rows: a
rejected sample is numbered by its place among the samples of the file.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Final
from xml.etree import ElementTree

import polars as pl

from index.records import Records
from index.sources.accessions import BIOSAMPLE, must_be
from index.sources.packed import open_bytes, raise_encoding_error, unpacking, write_bytes
from index.sources.rejection import Rule, split_rejected
from index.sources.source import NCBI, Cut, Source
from index.sources.tabular import to_table
from index.tables import Biosample, BiosampleAttribute
from ontology_etl.errors import EmptyTableError, MalformedRowError, TruncatedFileError

BATCH_ROWS: Final = 100_000
COLUMNS: Final = {
    "row": pl.Int64, "biosample": pl.String, "title": pl.String, "attribute": pl.String,
    "value": pl.String,
}  # fmt: skip
RULES: Final = (
    must_be(BIOSAMPLE, "biosample"),
    Rule("attribute without a name", pl.col("attribute").is_null() & pl.col("value").is_not_null()),
    Rule(
        "attribute without a value",
        pl.col("attribute").is_not_null() & pl.col("value").is_null(),
        shows="attribute",
    ),
)
CUT_SHORT: Final = (
    "no element found",
    "unclosed token",
    "unclosed CDATA section",
    "partial character",
)

Cells = tuple[int, str | None, str | None, str | None, str | None]


def read(path: Path) -> Records:
    """Return the samples of a BioSampleSet with their titles and attributes.

    Raises ``TruncatedFileError`` where the document ends early, ``EncodingError`` or
    ``MalformedRowError`` where it is not XML, ``EmptyTableError`` where it holds no sample.
    """
    stated = iter_attributes(path)
    batches = []
    while rows := list(islice(stated, BATCH_ROWS)):
        batches.append(pl.DataFrame(rows, schema=COLUMNS, orient="row"))
    if not batches:
        raise EmptyTableError(path, what="BioSample elements")
    cells = pl.concat(batches).with_columns(pl.col(pl.String).str.strip_chars().replace("", None))
    kept, rejected, counts = split_rejected(cells, path.name, RULES, layout="biosample_xml")
    return Records(
        biosample=to_table(kept.select("biosample", "title"), Biosample),
        biosample_attribute=to_table(
            kept.select("biosample", "attribute", "value"), BiosampleAttribute
        ),
        rejected=rejected,
        rows=counts,
    )


def iter_attributes(path: Path) -> Iterator[Cells]:
    """Yield (number, accession, title, attribute, value) of samples; nulls for a bare sample."""
    for number, sample in enumerate(iter_samples(path), start=1):
        yield from _cells(number, sample)


def cut_samples(path: Path, target: Path, samples: int) -> Cut:
    """Write the first ``samples`` samples to ``target``."""
    found = iter_samples(path)
    elements = [ElementTree.tostring(sample) for sample in islice(found, samples)]
    more = next(found, None) is not None
    write_bytes(target, b"<BioSampleSet>" + b"".join(elements) + b"</BioSampleSet>")
    return Cut(len(elements), more)


def iter_samples(path: Path) -> Iterator[ElementTree.Element]:
    """Yield each BioSample element, which is emptied when the next one is read."""
    try:
        with unpacking(path), open_bytes(path) as stream:
            parser = ElementTree.iterparse(stream, events=("start", "end"))
            _, root = next(parser)
            for event, element in parser:
                if event == "end" and element.tag == "BioSample":
                    yield element
                    root.clear()
    except ValueError as error:
        remedy = "save the file as UTF-8 and say so in its first line"
        raise MalformedRowError(
            path, f"not XML that can be read: {error}", row=1, remedy=remedy
        ) from error
    except ElementTree.ParseError as error:
        raise_encoding_error(path)
        line = error.position[0]
        if str(error).startswith(CUT_SHORT):
            raise TruncatedFileError(path, str(error), row=line) from error
        remedy = "fetch the file again; it must be NCBI BioSample XML, not a web page"
        raise MalformedRowError(path, f"not XML: {error}", row=line, remedy=remedy) from error


def _cells(number: int, sample: ElementTree.Element) -> Iterator[Cells]:
    accession = sample.get("accession")
    title = sample.findtext("Description/Title")
    attributes = sample.findall("Attributes/Attribute")
    for item in attributes:
        yield number, accession, title, item.get("attribute_name") or "", item.text or ""
    if not attributes:
        yield number, accession, title, None, None


SOURCE: Final = Source(
    read,
    "NCBI BioSampleSet, XML of any size",
    NCBI,
    holds="`BioSample` elements with `accession`, `Description/Title` and "
    '`Attributes/Attribute[@attribute_name]`: `<BioSample accession="SAMN14511305">`',
    cut=cut_samples,
)
