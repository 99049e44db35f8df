"""Find how each study was set up, in the words of its authors and submitters.

``ontology_etl/reviewed/study_designs.tsv`` lists the words. They are looked for in titles and
abstracts, and in what samples say in prose; where they stood is kept. What no text says is unknown:
a study without a word of culture may be one.
"""

from __future__ import annotations

from typing import Final

import polars as pl

from index.records import Records
from index.tables import StudyDesign
from ontology_etl.attributes import snake_case
from ontology_etl.folding import fold, separate
from ontology_etl.matching import find_spans
from ontology_etl.tables import conform
from ontology_etl.vocabulary import read_reviewed

PROSE: Final = ("description", "treatment_protocol", "growth_protocol", "treatment")
"""Attributes of samples that say how they were made, in snake case."""
_STUDY: Final = pl.coalesce("bioproject", "study")


def find_study_designs(records: Records) -> pl.DataFrame:
    """Return the designs of the studies of ``records.run`` (contract StudyDesign).

    A text of a study holds for all its runs, a word in a sample for the runs of that sample.
    """
    said = pl.concat([_of_texts(records), _of_samples(records)])
    words = _words_in(said["text"].unique().sort())
    found = said.join(words, on="text")
    runs = records.run.select("run", study=_STUDY)
    counted = found.group_by("study", "design", "source").agg(
        runs=pl.col("run").n_unique(), words=pl.col("words").sort().first()
    )
    of_study = runs.group_by("study").agg(study_runs=pl.len())
    return conform(counted.join(of_study, on="study"), StudyDesign)


def _of_texts(records: Records) -> pl.DataFrame:
    """Return [run, study, source, text] of titles and abstracts, for each run of their studies."""
    projects = records.bioproject.rename({"bioproject": "key", "description": "abstract"})
    studies = records.study.rename({"study": "key"})
    texts = pl.concat([projects, studies], how="diagonal").unpivot(
        ["title", "abstract"], index="key", variable_name="source", value_name="text"
    )
    runs = records.run.select("run", "bioproject", "study", named=_STUDY)
    keyed = runs.unpivot(
        ["bioproject", "study"], index=["run", "named"], value_name="key", variable_name="kind"
    )
    met = keyed.join(texts.drop_nulls("text"), on="key")
    return met.select("run", "source", "text", study="named").select(_SAID)


_SAID: Final = ["run", "study", "source", "text"]


def _of_samples(records: Records) -> pl.DataFrame:
    """Return [run, study, source, text] of what samples and runs say in prose."""
    runs = records.run.select("run", "biosample", study=_STUDY).drop_nulls("study")
    prose = snake_case(pl.col("attribute")).is_in(PROSE)
    of_samples = records.biosample_attribute.filter(prose).join(runs, on="biosample")
    of_runs = records.run_attribute.filter(prose).join(runs, on="run")
    both = pl.concat([table.select("run", "study", source="attribute", text="value")
                      for table in (of_samples, of_runs)])  # fmt: skip
    return both.select(_SAID)


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
