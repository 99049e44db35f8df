"""Find how each study was set up, in the words of its authors and submitters.

``ontology_etl/reviewed/study_designs.tsv`` lists the words. They are looked for in titles and
abstracts, in what samples say in prose and in the names of fields that they fill ("cell line",
"time post infection"); the place of each word is stored. What no text says is unknown: a study that
mentions no culture may still be one.
"""

from __future__ import annotations

from typing import Final

import polars as pl

from index.records import Records
from index.tables import StudyDesign
from ontology_etl.attributes import snake_case
from ontology_etl.folding import fold, separate
from ontology_etl.matching import find_spans
from ontology_etl.missing import is_no_value
from ontology_etl.reviewed_lists import read_reviewed
from ontology_etl.tables import conform

PROSE: Final = (
    "title",
    "source_name",
    "description",
    "cell_description",
    "treatment_protocol",
    "growth_protocol",
    "treatment",
    "infection",
)
"""Attributes of samples and runs that say how they were made, in snake case."""
_STUDY: Final = pl.coalesce("bioproject", "study")


def find_study_designs(records: Records) -> pl.DataFrame:
    """Return the designs of the studies of ``records.run`` (contract StudyDesign).

    A text about a study applies to all its runs, a word in a sample to the runs of that sample.
    """
    found = pl.concat([_of_texts(records), _of_samples(records).drop_nulls("study")])
    runs = records.run.select("run", study=_STUDY)
    counted = found.group_by("study", "design", "source").agg(
        runs=pl.col("run").n_unique(), words=pl.col("words").sort().first()
    )
    of_study = runs.group_by("study").agg(study_runs=pl.len())
    return conform(counted.join(of_study, on="study"), StudyDesign)


def find_run_designs(records: Records) -> pl.DataFrame:
    """Return ``run, design``: what the samples of single runs say.

    This covers studies whose samples differ, and runs whose study is not known.
    """
    return _of_samples(records).select("run", "design").unique().sort("run", "design")


_FOUND: Final = ["run", "study", "source", "design", "words"]


def _of_texts(records: Records) -> pl.DataFrame:
    """Return [run, study, source, design, words] of titles and abstracts, for each run of their
    studies.
    """
    projects = records.bioproject.rename({"bioproject": "key", "description": "abstract"})
    studies = records.study.rename({"study": "key"})
    texts = pl.concat([projects, studies], how="diagonal").unpivot(
        ["title", "abstract"], index="key", variable_name="source", value_name="text"
    )
    runs = records.run.select("run", "bioproject", "study", named=_STUDY)
    keyed = runs.unpivot(
        ["bioproject", "study"], index=["run", "named"], value_name="key", variable_name="kind"
    )
    met = keyed.join(_with_words(texts.drop_nulls("text")), on="key")
    return met.drop("kind").rename({"named": "study"}).select(_FOUND)


def _of_samples(records: Records) -> pl.DataFrame:
    """Return [run, study, source, design, words]: prose of samples and runs, and names of filled
    fields.

    A sample with a value for "cell line" was a culture.
    """
    runs = records.run.select("run", "biosample", study=_STUDY)
    titles = records.biosample.drop_nulls("title").select(
        "biosample", attribute=pl.lit("title"), value="title"
    )
    columns = titles.columns
    samples = pl.concat([records.biosample_attribute.select(columns), titles])
    of_samples = _with_words(_prose_of(samples)).join(runs, on="biosample")
    of_runs = _with_words(_prose_of(records.run_attribute)).join(runs, on="run")
    return pl.concat([of_samples.select(_FOUND), of_runs.select(_FOUND)])


def _with_words(said: pl.DataFrame) -> pl.DataFrame:
    """Return the rows of ``said`` whose text names a design, with design and words."""
    return said.join(_words_in(said["text"].unique().sort()), on="text").drop("text")


def _prose_of(attributes: pl.DataFrame) -> pl.DataFrame:
    """Return ``attributes`` with source and text: prose as written, else a telling field name."""
    name = pl.col("attribute")
    telling = _words_in(attributes["attribute"].unique().sort())["text"]
    is_prose = snake_case(name).is_in(PROSE)
    is_filled = name.is_in(telling.implode()) & ~is_no_value(pl.col("value"))
    said = attributes.filter(is_prose | is_filled)
    return said.with_columns(source=name, text=pl.when(is_prose).then("value").otherwise(name))


def _words_in(texts: pl.Series) -> pl.DataFrame:
    """Return [text, design, words]: what each text says, once for each design."""
    listed = read_reviewed("study_designs.tsv").with_columns(key=_folded("words"))
    folded = texts.to_frame("text").select(key=_folded("text"))["key"]
    spans = find_spans(folded, listed["key"])
    met = spans.select(texts.gather(spans["text"]).alias("text"), row="pattern").join(
        listed.with_row_index("row").cast({"row": pl.Int64}), on="row"
    )
    return met.select("text", "design", "words").unique(["text", "design"], keep="first")


def _folded(column: str) -> pl.Expr:
    return fold(separate(pl.col(column)))
