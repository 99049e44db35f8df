"""Viruses that the words of a question name: abbreviations, everyday names, ICTV's and former ones.

A name of several viruses keeps all of them, unless the host that the question names is recorded for
some of them only.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import duckdb

from query.reading.intent import singular

Span = tuple[int, int]
Terms = tuple[tuple[str, str], ...]

_ENDINGS: Final = ("viridae", "virales", "viricetes", "viricota", "virus")
_LONG: Final = 4
"""Letters from which a name is known in any spelling; shorter ones are compared with capitals."""


def name_viruses(
    con: duckdb.DuckDBPyConnection, words: Sequence[str], spans: Iterable[Span], *, tail: str = ""
) -> dict[Span, Terms]:
    """Return the viral taxa (CURIE, label) that each of ``spans`` names in full, none left out.

    ``tail`` is a word that people leave out: "West Nile" is West Nile virus.
    """
    spelled = {span: _spellings(words[slice(*span)], tail) for span in spans}
    written = sorted({text for texts in spelled.values() for text in texts})
    named = _named(con, written)
    found = {}
    for span, texts in spelled.items():
        terms = next((named[text] for text in texts if text in named), None)
        if terms:
            found[span] = terms
    return found


def name_lineages(
    con: duckdb.DuckDBPyConnection, words: Sequence[str], spans: Iterable[Span]
) -> dict[Span, Terms]:
    """Return the family, order, class or phylum that a word for its viruses names: bunyaviruses are
    Bunyaviricetes.
    """
    alone = {span: singular(words[span[0]]) for span in spans if span[1] == span[0] + 1}
    stems = {span: word[: -len("virus")] for span, word in alone.items() if word.endswith("virus")}
    labels = {span: _lineages(stem) for span, stem in stems.items() if len(stem) > 1}
    wanted = sorted({label for listed in labels.values() for label in listed})
    if not wanted:
        return {}
    held = {str(label): str(curie) for curie, label in con.execute(_BY_LABEL, [wanted]).fetchall()}
    named = {span: [one for one in listed if one in held] for span, listed in labels.items()}
    return {span: ((held[listed[0]], listed[0]),) for span, listed in named.items() if listed}


def _lineages(stem: str) -> list[str]:
    heads = (stem.capitalize(), f"Ortho{stem}")
    return [f"{head}{end}" for end in _ENDINGS for head in heads]


def of_hosts(con: duckdb.DuckDBPyConnection, terms: Terms, hosts: Sequence[str]) -> Terms:
    """Return the taxa of ``terms`` recorded in one of ``hosts`` (CURIEs), all where none is."""
    if len(terms) < 2 or not hosts:
        return terms
    asked = {"viruses": [curie for curie, _ in terms], "hosts": list(hosts)}
    recorded = {str(row[0]) for row in con.execute(_RECORDED, asked).fetchall()}
    return tuple(term for term in terms if term[0] in recorded) or terms


def _spellings(words: Sequence[str], tail: str) -> tuple[str, ...]:
    written = " ".join(words)
    last = singular(words[-1]) if len(words[-1]) > _LONG else words[-1]
    one = " ".join([*words[:-1], last])
    texts = dict.fromkeys((written, one))
    return tuple(f"{text} {tail}".strip() for text in texts)


def _named(con: duckdb.DuckDBPyConnection, texts: Sequence[str]) -> Mapping[str, Terms]:
    """Return what each of ``texts`` names, by the best kind of name that it is."""
    import polars as pl

    from ontology_etl.viruses.keys import name_key
    from ontology_etl.viruses.names import settle_names

    asked = pl.DataFrame({"text": texts}, schema={"text": pl.String})
    keyed = asked.with_columns(name_key(pl.col("text")).alias("key")).filter(pl.col("key") != "")
    found: pl.DataFrame = con.sql(
        _NAMES, params={"keys": keyed["key"].to_list(), "texts": [text.lower() for text in texts]}
    ).pl()
    if not found.height:
        return {}
    keys = found.with_columns(name_key(pl.col("name")).alias("key"))
    met = keyed.join(keys, on="key")
    as_spelled = pl.col("text") == pl.col("name")
    short = (pl.col("kind") == "abbreviation") & (pl.col("key").str.len_chars() <= _LONG)
    kept = met.filter(~short | as_spelled).select("key", "name", "virus", "kind").unique()
    nothing = pl.DataFrame(schema={"virus": pl.String, "species": pl.String})
    settled = settle_names(keyed["text"], kept, nothing)
    labels = _labels(con, sorted({one for listed in settled["candidates"] for one in listed}))
    return {
        text: tuple((curie, labels.get(curie, curie)) for curie in candidates)
        for text, candidates in settled.select("name", "candidates").iter_rows()
    }


def _labels(con: duckdb.DuckDBPyConnection, curies: list[str]) -> dict[str, str]:
    """Return the label of each of ``curies``; listed one by one, so that few rows are read."""
    if not curies:
        return {}
    places = ", ".join("?" * len(curies))
    query = f"SELECT curie, label FROM term WHERE curie IN ({places})"
    return {str(curie): str(label) for curie, label in con.execute(query, curies).fetchall()}


_NAMES: Final = """
SELECT name, virus, kind FROM virus_name WHERE key IN (SELECT unnest($keys::VARCHAR[]))
UNION ALL
SELECT v.name, v.virus, 'label' FROM virus v
WHERE lower(v.name) IN (SELECT unnest($texts::VARCHAR[]))
UNION ALL
SELECT s.synonym, s.curie, 'synonym' FROM synonym s SEMI JOIN virus v ON v.virus = s.curie
WHERE lower(s.synonym) IN (SELECT unnest($texts::VARCHAR[]))
"""
_BY_LABEL: Final = """
SELECT curie, label FROM term WHERE list_contains($1::VARCHAR[], label) AND ontology = 'NCBITaxon'
"""
_RECORDED: Final = """
SELECT DISTINCT k.virus FROM known_host k
WHERE k.virus IN (SELECT unnest($viruses::VARCHAR[])) AND (
    k.host IN (SELECT unnest($hosts::VARCHAR[]))
    OR k.host IN (SELECT ancestor FROM closure
                  WHERE descendant IN (SELECT unnest($hosts::VARCHAR[])))
    OR k.host IN (SELECT descendant FROM closure
                  WHERE ancestor IN (SELECT unnest($hosts::VARCHAR[])))
)
"""
