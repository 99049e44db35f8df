"""Quotes: what the authors of a study write of it, in one short statement.

The title says it where it is one; else the sentence of the abstract that says what was done. A
sentence about what was known before or found says nothing of the runs. Nothing is reworded: a long
sentence is cut at a word, and says so by "…". No model is involved.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

import duckdb
import polars as pl

from index.store.run_values import COMMUNITY_RUNS

MAX_QUOTES: Final = 3
"""Studies of a community that are quoted, those of most runs first."""
LEAST_SHARE: Final = 0.05
"""Share of the runs of a community from which a study speaks for it."""
MAX_WORDS: Final = 30
FEWEST_WORDS: Final = 4
"""Words of a title that says something."""

_QUOTE: Final = ["community", "study", "key", "runs", "text", "is_title"]
_MARKUP: Final = re.compile(r"<[^<>]{1,40}>|&[a-z]{2,6};|https?://\S+")
_HEADING: Final = re.compile(
    r"\b(?:overall "
    r"design|(?:background|objectives?|methods?|results?|conclusions?|aims?|purpose)(?=:)):?",
    re.IGNORECASE,
)
_BLANKS: Final = re.compile(r"\s+")
_SENTENCE_END: Final = re.compile(r"(?<![ .][A-Za-z])(?<!al|vs|sp|cf)[.!?]\s+(?=[A-Z0-9])")
_AIM: Final = re.compile(
    r"\b(?:here,? we|in this (?:study|work|paper|project)|this (?:study|project|work)|"
    r"(?:we|to) (?:investigated?|examined?|analy[sz]ed?|performed?|profiled?|sequenced?|"
    r"characteri[sz]ed?|compared?|identify|studied|determined?|report))\b",
    re.IGNORECASE,
)
_SAYS_NOTHING: Final = re.compile(
    r"raw sequence reads|^(?:metagenome|transcriptome|genome sequencing)\b|embargo|purchased from",
    re.IGNORECASE,
)


class Quote(NamedTuple):
    """What the authors of a study with runs in the community write of it."""

    study: str
    """Accession of the bioproject, or of the SRA study of runs without a bioproject."""
    key: str
    """Key that cites it: ``bioproject`` or ``study``."""
    runs: int
    """Runs of the community that belong to it."""
    text: str
    """Its title, or a sentence of its abstract, as written; "…" where it was cut."""
    is_title: bool


def community_quotes(con: duckdb.DuckDBPyConnection) -> pl.DataFrame:
    """Return ``community, study, key, runs, text, is_title``: the quoted studies of each community,
    most runs first.

    A study is a bioproject, or the SRA study of runs without one. Reads ``bioproject, study, run,
    community_member``.
    """
    counted = con.sql(_LARGEST).pl()
    described = con.sql(_DESCRIBED).pl().join(counted, on="study", how="semi")

    quoted = []
    for study, title, abstract in described.iter_rows():
        text, is_title = quote_study(title, abstract)
        quoted.append((study, text, is_title))
    schema = {"study": pl.String, "text": pl.String, "is_title": pl.Boolean}
    quotes = pl.DataFrame(quoted, schema=schema, orient="row")
    found = counted.join(quotes.filter(pl.col("text") != ""), on="study")
    ordered = found.sort("community", "runs", "study", descending=[False, True, False])
    quoted_studies: pl.DataFrame = ordered.select(_QUOTE)
    return quoted_studies


def quote_study(title: str | None, abstract: str | None) -> tuple[str, bool]:
    """Return what is quoted of a study and whether that is its title; "" where it says nothing.

    >>> quote_study("Other", "Bats host many viruses. Here we sequenced guano of 12 caves.")
    ('Here we sequenced guano of 12 caves', False)
    """
    plain = _plain(title or "")
    if _says_something(plain):
        return _shortened(plain), True
    telling = [part for part in _sentences(abstract or "") if _says_something(part)]
    aims = [part for part in telling if _AIM.search(part)]
    chosen = [*aims, ""]

    return _shortened(chosen[0]), False


def _sentences(abstract: str) -> list[str]:
    """Return the sentences of ``abstract``, without the headings they come under."""
    parts = []
    for headed in _SENTENCE_END.split(_plain(abstract)):
        parts += _HEADING.split(headed)
    return [part.strip() for part in parts]


def _says_something(text: str) -> bool:
    words = text.split()
    if len(words) < FEWEST_WORDS:
        return False
    return not _SAYS_NOTHING.search(text)


def _plain(text: str) -> str:
    """Return ``text`` without markup, in one line, with quotation marks that can be quoted."""
    unmarked = _MARKUP.sub(" ", text)
    bare = _BLANKS.sub(" ", unmarked)
    stripped = bare.strip()
    return stripped.translate(_INNER_QUOTES)


_INNER_QUOTES: Final = str.maketrans({"“": "‘", "”": "’", '"': "'", "{": "(", "}": ")"})


def _shortened(text: str) -> str:
    """Return at most ``MAX_WORDS`` words of ``text``, without the full stop at its end."""
    words = text.rstrip(" .").split(" ")
    shown = " ".join(words[:MAX_WORDS])
    if len(words) <= MAX_WORDS:
        return shown
    end = shown.rstrip(",;:")
    return f"{end} …"


_LARGEST: Final = f"""
WITH described AS (
    SELECT bioproject AS study, 'bioproject' AS key FROM bioproject
    WHERE coalesce(title, description) IS NOT NULL
    UNION ALL
    SELECT study, 'study' FROM study WHERE coalesce(title, abstract) IS NOT NULL
),
counted AS (
    SELECT m.community, coalesce(r.bioproject, r.study) AS study, count(*) AS runs
    FROM ({COMMUNITY_RUNS}) AS m JOIN run AS r USING (run)
    GROUP BY ALL
)
SELECT community, study, key, runs FROM counted JOIN described USING (study)
QUALIFY row_number() OVER (PARTITION BY community ORDER BY runs DESC, study) <= {MAX_QUOTES}
"""
_DESCRIBED: Final = """
SELECT bioproject AS study, title, description FROM bioproject
UNION ALL SELECT study, title, abstract FROM study
"""
