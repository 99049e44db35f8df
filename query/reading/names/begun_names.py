"""Names of an index that may begin at a word of a text, fetched with the terms that they name."""

from __future__ import annotations

import itertools
import re
from typing import TYPE_CHECKING, Final

import duckdb

from index.store.names import START, start_of
from index.store.same_for_all import same_for_all
from index.store.sorted_rows import rows_near
from query.reading.intent import STOP_WORDS
from query.reading.names.labels import lists_names

if TYPE_CHECKING:
    import polars as pl


def fetch_names(
    con: duckdb.DuckDBPyConnection, text: str, *, complete: bool
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the rows of ``term`` and ``synonym`` whose name may begin at a word of ``text``."""
    import polars as pl

    beginnings = _beginnings(text)
    escaped = [re.escape(beginning) for beginning in beginnings]
    any_of_them = "|".join(escaped) or "$^"
    query = _NAMES
    if complete or not lists_names(con):
        query = _ALL_NAMES
    names = fetch_rows(
        con,
        query,
        starts=sorted({beginning[:START] for beginning in beginnings}),
        first_word=f"(?i)^(?:obsolete )?[^a-z0-9]*(?:{any_of_them})",
        **_held_words(text),
    )
    is_label = pl.col("scope") == "LABEL"
    term = names.select(_TERM).unique("curie", maintain_order=True)
    synonym = names.filter(~is_label).select("curie", pl.col("name").alias("synonym"), "scope")
    reviewed = _reviewed_curies(beginnings)
    identified = as_curies(pl.Series([text]))
    successors = term["replaced_by"].drop_nulls()
    wanted = {*reviewed, *identified, *successors}
    missing = wanted.difference(term["curie"])
    known = _terms(con, sorted(missing))
    return pl.concat([term, known.select(_TERM)]), synonym


def _held_words(text: str) -> dict[str, object]:
    """Return what tells the names that ``text`` may hold, as they are or without a word that names
    are derived by leaving out: their last word begins like one of its words, and it has their
    numbers. ``ontology_etl.possible_names.may_occur`` compares more letters, and lets fewer pass.
    """
    from ontology_etl.folding import fold_one, spellings

    known = f"{text} {_LEFT_OUT}".lower()
    folded = fold_one(known).split()
    spelled = {*re.findall(r"[a-z]+", known), *folded}
    for token in folded:
        spelled.update(spellings(token))
    beginnings = {word[:_LAST] for word in spelled}
    begun = sorted(one for one in beginnings if one.isalpha())
    numbers = sorted({*re.findall(r"\d+", known), *folded})
    any_of_them = "|".join(begun)
    last_word = f"(?i)(?:^|[^a-z])(?:{any_of_them})[a-z]*[^a-z]*$"
    return {"last_word": last_word, "numbers": numbers}


def _terms(con: duckdb.DuckDBPyConnection, curies: list[str]) -> pl.DataFrame:
    """Return the rows of ``term`` with ``curies``, which are few beside those of reviewed names."""
    import polars as pl

    reviewed = _reviewed_terms(con)
    asked = reviewed.filter(pl.col("curie").is_in(curies))
    missing = sorted(set(curies).difference(asked["curie"]))
    if not missing:
        return asked
    near = rows_near(con, "term", "curie", missing)
    others = fetch_rows(con, _BY_CURIE.format(term=near), curies=missing)
    return pl.concat([asked, others])


@same_for_all
def _reviewed_terms(con: duckdb.DuckDBPyConnection) -> pl.DataFrame:
    """Return the rows of ``term`` of the reviewed names that are among the listed ones."""
    from ontology_etl.vocabulary import read_reviewed

    curies = read_reviewed("names.tsv")["curie"].unique().sort().to_list()
    query = _LISTED if lists_names(con) else _BY_CURIE.format(term="term")
    return fetch_rows(con, query, curies=curies)


def _beginnings(text: str) -> list[str]:
    """Return how names that begin at a word of ``text`` begin, in lower case, sorted.

    No name begins at a word that carries no meaning (``with``); digits after letters are cut off.
    """
    from ontology_etl.folding import fold_one, spellings

    words = [word.strip(",.;:?!()[]{}\"'“”") for word in text.lower().split()]
    telling = [word for word in words if word not in STOP_WORDS or word == "common"]
    text_left = " ".join(telling)
    folded = fold_one(text_left).split()
    spelled = {*telling, *folded}
    spelled.update(re.findall(r"\w+", text_left))
    for token in folded:
        spelled.update(spellings(token))
    beginnings = _short_beginnings(fold_one(text).split())
    for word in spelled - {";"}:
        letters, *_ = re.split(r"(?<=[^\W\d])(?=\d)", word)
        # A plural may change the last letter (family, families), so it is not compared.
        compared = max(START, len(letters) - 1)
        beginnings.add(letters[:compared])
    return sorted(beginnings)


def _short_beginnings(tokens: list[str]) -> set[str]:
    """Return how names begin whose first token is too short to tell them: T cell, T-cell, A549."""
    beginnings = set()
    for first, second in itertools.pairwise(tokens):
        if len(first) >= START:
            continue
        for joint in ("", "-", " "):
            written = f"{first}{joint}{second}"
            beginnings.add(written[:START])
    return beginnings


def _reviewed_curies(beginnings: list[str]) -> list[str]:
    """Return the terms of the reviewed names that may begin at a word of the text."""
    from ontology_etl.vocabulary import read_reviewed

    listed = read_reviewed("names.tsv").select("name", "curie")
    starts = tuple(beginning[:START] for beginning in beginnings)
    curies = set()
    for name, curie in listed.iter_rows():
        if name.lower().startswith(starts):
            curies.add(curie)
    return sorted(curies)


def as_curies(written: pl.Series) -> list[str]:
    """Return ``written`` identifiers as CURIEs; a number alone is a taxon of NCBI."""
    from ontology_etl.curies import normalise

    curies = []
    for identifier in written:
        number = identifier.strip()
        text = f"NCBITaxon:{number}" if number.isdigit() else identifier
        curie = normalise(text)
        if curie:
            curies.append(curie)
    return curies


def fetch_rows(con: duckdb.DuckDBPyConnection, query: str, **parameters: object) -> pl.DataFrame:
    """Return the rows of ``query`` with its named ``parameters``; a few hundred, which come faster
    one by one than as columns.
    """
    import polars as pl

    types = {
        "VARCHAR": pl.String,
        "BOOLEAN": pl.Boolean,
        "INTEGER": pl.Int32,
        "BIGINT": pl.Int64,
    }
    result = con.execute(query, parameters)
    schema = {name: types[str(kind)] for name, kind, *_ in result.description}
    return pl.DataFrame(result.fetchall(), schema=schema, orient="row")


_TERM: Final = ("curie", "label", "ontology", "rank", "obsolete", "replaced_by")
"""Columns of ``term`` that grounding reads."""
_LAST: Final = 2
"""Letters that the last word of a name has in common with a word of the text, at least."""
_LEFT_OUT: Final = "obsolete cell cells line tissue tissues infection infections"
"""Words that texts leave out of names: HeLa cell, lymphoid tissue, dengue infection."""
_MAY_BE_HELD: Final = r"""
regexp_matches({name}, $first_word) AND (
    regexp_matches({name}, '[^\x00-\x7f]|[''`]')
    OR regexp_matches({name}, $last_word)
    AND list_has_all($numbers::VARCHAR[], regexp_extract_all({name}, '\d+'))
)
"""
"""Condition on a name that a text may hold it; one with other letters is folded otherwise, and may
be any.
"""
_NAMES: Final = f"""
SELECT name, scope, curie, label, ontology, rank, obsolete, replaced_by FROM name
WHERE start IN (SELECT unnest($starts::VARCHAR[])) AND {_MAY_BE_HELD.format(name="name")}
"""
_ALL_NAMES: Final = f"""
SELECT label AS name, 'LABEL' AS scope, curie, label, ontology, rank, obsolete, replaced_by
FROM term
WHERE {start_of("label")} IN (SELECT unnest($starts::VARCHAR[]))
  AND {_MAY_BE_HELD.format(name="label")}
UNION ALL
SELECT s.synonym, s.scope, curie, t.label, t.ontology, t.rank, t.obsolete, t.replaced_by
FROM synonym s JOIN term t USING (curie)
WHERE {start_of("s.synonym")} IN (SELECT unnest($starts::VARCHAR[]))
  AND {_MAY_BE_HELD.format(name="s.synonym")}
"""
_LISTED: Final = """
SELECT curie, label, ontology, rank, obsolete, replaced_by FROM name
WHERE scope = 'LABEL' AND curie IN (SELECT unnest($curies::VARCHAR[]))
"""
_BY_CURIE: Final = """
SELECT curie, label, ontology, rank, obsolete, replaced_by FROM {term}
WHERE curie IN (SELECT unnest($curies::VARCHAR[]))
"""
