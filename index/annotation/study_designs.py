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
    """Return how the studies of ``records.run`` were set up (contract StudyDesign).

    A text about a study applies to all its runs, a word in a sample to the runs of that sample.
    Names are numbered: millions of runs have the texts of thousands of studies.
    """
    runs = records.run.select("run", "bioproject", "study", "biosample", named=_STUDY)
    runs = runs.drop_nulls("named").with_row_index("number")
    codes = runs.select("named").unique().with_row_index("code")
    runs = runs.join(codes, on="named").drop("named")
    keyed = [runs.select("number", "code", key=name) for name in ("bioproject", "study")]
    said = [(_of_texts(records), pl.concat(keyed), "key"), *_of_samples(records, runs)]
    kinds = {
        name: pl.Enum(pl.concat([words[name] for words, _, _ in said]).unique().sort())
        for name in _SAID
    }
    found = pl.concat(
        [
            these.join(words.cast(kinds), on=key).select("number", "code", *_SAID)  # type: ignore[arg-type]
            for words, these, key in said
        ]
    )
    counted = found.group_by("code", "design", "source").agg(
        runs=pl.col("number").n_unique(), words=pl.col("words").min()
    )
    of_study = runs.group_by("code").agg(study_runs=pl.len())
    whole = counted.join(of_study, on="code").join(codes, on="code").rename({"named": "study"})
    return conform(whole.with_columns(pl.col(_SAID).cast(pl.String)), StudyDesign)


def find_run_designs(records: Records) -> pl.DataFrame:
    """Return ``run, design`` for the designs that the samples of single runs state.

    This covers studies whose samples differ, and runs whose study is not known.
    """
    runs = records.run.select("run", "biosample")
    found = [
        these.join(words, on=key).select("run", "design")
        for words, these, key in _of_samples(records, runs)
    ]
    return pl.concat(found).unique().sort("run", "design")


_SAID: Final = ["source", "design", "words"]


def _of_texts(records: Records) -> pl.DataFrame:
    """Return [key, source, design, words] of titles and abstracts of studies and projects."""
    projects = records.bioproject.rename({"bioproject": "key", "description": "abstract"})
    studies = records.study.rename({"study": "key"})
    texts = pl.concat([projects, studies], how="diagonal").unpivot(
        ["title", "abstract"], index="key", variable_name="source", value_name="text"
    )
    return _with_words(texts.drop_nulls("text")).select("key", *_SAID)


def _of_samples(
    records: Records, runs: pl.DataFrame
) -> list[tuple[pl.DataFrame, pl.DataFrame, str]]:
    """Return what the prose of samples and runs and the names of filled fields say, the ``runs``
    that it is said of, and the column that joins them.

    A sample with a value for "cell line" was a culture.
    """
    titles = records.biosample.drop_nulls("title").select(
        "biosample", attribute=pl.lit("title"), value="title"
    )
    samples = pl.concat([records.biosample_attribute.select(titles.columns), titles])
    of_samples = _with_words(_prose_of(samples)).select("biosample", *_SAID)
    of_runs = _with_words(_prose_of(records.run_attribute)).select("run", *_SAID)
    return [(of_samples, runs, "biosample"), (of_runs, runs, "run")]


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
    matches = spans.select(texts.gather(spans["text"]).alias("text"), row="pattern").join(
        listed.with_row_index("row").cast({"row": pl.Int64}), on="row"
    )
    return matches.select("text", "design", "words").unique(["text", "design"], keep="first")


def _folded(column: str) -> pl.Expr:
    return fold(separate(pl.col(column)))
