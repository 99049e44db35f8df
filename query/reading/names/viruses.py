"""Viruses that the words of a question name: abbreviations, everyday names, ICTV's and former ones.

A name of several viruses keeps all of them, unless the host that the question names is recorded for
some of them only.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import duckdb

from index.store.names import rows_spelled
from query.reading.held.values import virus_word_senses
from query.reading.intent import is_stop_word, singular
from query.reading.mentions import Mention
from query.reading.names.labels import labels_of
from query.reading.senses import Sense

if TYPE_CHECKING:
    import polars as pl

Span = tuple[int, int]
Terms = tuple[tuple[str, str], ...]

_ENDINGS: Final = ("viridae", "virales", "viricetes", "viricota", "virus")
_ABBREVIATION: Final = re.compile(r"[A-Z]{3,7}V")
_WHOLE: Final = re.compile(r"[A-Za-z][a-z]+(?:[ -][a-z]+)*virus|(?:[A-Za-z][a-z-]+ )+virus")
"""The name of a virus in full, but for its number."""
_LONG: Final = 4
"""Letters from which a name is known in any spelling; shorter ones are compared with capitals."""


_IN_FULL: Final = ""
_LEFT_OUT: Final = "virus"
"""The word that people leave out: "West Nile" is West Nile virus."""


@dataclass(frozen=True, slots=True)
class NamedViruses:
    """What stretches of ``words`` name as viruses, looked up together: a query costs more than what
    it finds.
    """

    words: Sequence[str]
    by_text: Mapping[str, Terms]

    def in_full(self, spans: Iterable[Span]) -> dict[Span, Terms]:
        """Return the viral taxa (CURIE, label) that each of ``spans`` names, none left out."""
        return self._of(spans, _IN_FULL)

    def left_short(self, spans: Iterable[Span]) -> dict[Span, Terms]:
        """Return what ``in_full`` does of ``spans`` that leave out the word virus."""
        return self._of(spans, _LEFT_OUT)

    def _of(self, spans: Iterable[Span], tail: str) -> dict[Span, Terms]:
        found = {}
        for start, end in spans:
            texts = _spellings(self.words[start:end], tail)
            named = [self.by_text[text] for text in texts if text in self.by_text]
            if named:
                found[start, end] = named[0]
        return found


def read_virus_names(
    con: duckdb.DuckDBPyConnection, words: Sequence[str], spans: Iterable[Span]
) -> NamedViruses:
    """Return what ``spans`` of ``words`` name as viruses, in full or left short."""
    written: set[str] = set()
    for start, end in spans:
        stretch = words[start:end]
        written.update(_spellings(stretch, _IN_FULL))
        written.update(_spellings(stretch, _LEFT_OUT))
    return NamedViruses(words, _named(con, sorted(written)))


def name_lineages(
    con: duckdb.DuckDBPyConnection, words: Sequence[str], spans: Iterable[Span]
) -> dict[Span, Terms]:
    """Return the family, order, class or phylum that a word for its viruses names: bunyaviruses are
    Bunyaviricetes, flavivirids are Flaviviridae.
    """
    labels: dict[Span, list[str]] = {}
    for start, end in spans:
        word = singular(words[start])
        stem = word.removesuffix("virus")
        if end == start + 1 and stem != word and len(stem) > 1:
            labels[start, end] = _lineages(stem)
        if end == start + 1 and word.endswith("virid"):
            labels[start, end] = [f"{word.capitalize()}ae"]
    held = _held_labels(con, labels.values())
    named: dict[Span, Terms] = {}
    for span, listed in labels.items():
        label = next((one for one in listed if one in held), None)
        if label:
            named[span] = ((held[label], label),)
    return named


def _held_labels(con: duckdb.DuckDBPyConnection, labels: Iterable[Sequence[str]]) -> dict[str, str]:
    """Return the CURIE of each label that a taxon has."""
    import polars as pl

    wanted = sorted({label for listed in labels for label in listed})
    if not wanted:
        return {}
    named = rows_spelled(con, wanted)
    of_taxa = named.filter(pl.col("ontology") == "NCBITaxon", pl.col("label").is_in(wanted))
    return dict(of_taxa.select("label", "curie").iter_rows())


def _lineages(stem: str) -> list[str]:
    heads = (stem.capitalize(), f"Ortho{stem}")
    lineages = []
    for ending in _ENDINGS:
        lineages += [f"{head}{ending}" for head in heads]
    return lineages


def of_hosts(con: duckdb.DuckDBPyConnection, terms: Terms, hosts: Sequence[str]) -> Terms:
    """Return the taxa of ``terms`` recorded in one of ``hosts`` (CURIEs), all where none is."""
    if len(terms) < 2 or not hosts:
        return terms
    viruses = [curie for curie, _ in terms]
    asked = {"viruses": viruses, "hosts": list(hosts)}
    found = con.execute(_RECORDED, asked)
    recorded = {str(virus) for (virus,) in found.fetchall()}
    kept = [(curie, label) for curie, label in terms if curie in recorded]
    return tuple(kept) or terms


def _spellings(words: Sequence[str], tail: str) -> tuple[str, ...]:
    *head, last = words
    if len(last) > _LONG:
        last = singular(last)
    written = " ".join(words)
    one = " ".join([*head, last])
    texts = dict.fromkeys((written, one))
    spelled = [f"{text} {tail}".strip() for text in texts]
    if head and last.lower() == "virus" and head[0].lower() != "human":
        spelled.append(f"human {written.lower()}")
    if len(head) == 1 and head[0].isupper() and last.lower() == "virus":
        spelled.append(f"{head[0]}V")
    if head and head[0].lower() == "mouse":
        spelled.append(" ".join(["murine", *words[1:]]))
    return tuple(spelled)


def _named(con: duckdb.DuckDBPyConnection, texts: Sequence[str]) -> Mapping[str, Terms]:
    """Return what each of ``texts`` names, by the best kind of name that it is."""
    if not texts:
        return {}
    import polars as pl

    from ontology_etl.viruses.keys import name_key
    from ontology_etl.viruses.names import settle_names

    asked = pl.DataFrame({"text": texts}, schema={"text": pl.String})
    text = pl.col("text")
    key = pl.col("key")
    keyed = asked.with_columns(key=name_key(text)).filter(key != "")
    found = pl.concat([_keyed(con, keyed["key"].to_list()), _spelled(con, texts)])
    found = _with_stems(con, texts, found)
    found = _with_numbered(con, texts, found)
    if not found.height:
        return {}
    name = pl.col("name")
    keys = found.with_columns(key=name_key(name))
    met = keyed.join(keys, on="key")
    abbreviated = pl.col("kind") == "abbreviation"
    short = abbreviated & (key.str.len_chars() <= _LONG)
    as_spelled = text == name
    kept = met.filter(~short | as_spelled)
    distinct = kept.select("key", "name", "virus", "kind").unique()
    nothing = pl.DataFrame(schema={"virus": pl.String, "species": pl.String})
    settled = settle_names(keyed["text"], distinct, nothing)
    return _labelled(con, settled)


def _keyed(con: duckdb.DuckDBPyConnection, keys: Sequence[str]) -> pl.DataFrame:
    """Return name, virus, kind of the names beside the taxonomy that have one of ``keys``."""
    import polars as pl

    rows = con.execute(_BY_KEY, [list(keys)]).fetchall()
    return pl.DataFrame(rows, schema=dict.fromkeys(_KINDS, pl.String), orient="row")


def _spelled(con: duckdb.DuckDBPyConnection, texts: Sequence[str]) -> pl.DataFrame:
    """Return name, virus, kind of the names of viral taxa that are spelled as one of ``texts``."""
    import polars as pl

    named = rows_spelled(con, texts)
    rows = con.execute(_ARE_VIRUSES, [named["curie"].unique().to_list()]).fetchall()
    viral = named.filter(pl.col("curie").is_in([str(virus) for (virus,) in rows]))
    is_label = pl.col("scope") == "LABEL"
    kind = pl.when(is_label).then(pl.lit("label")).otherwise(pl.lit("synonym"))
    return viral.select("name", virus="curie", kind=kind)


def _with_stems(
    con: duckdb.DuckDBPyConnection, texts: Sequence[str], found: pl.DataFrame
) -> pl.DataFrame:
    """Return the names ``found``, with abbreviations of which only those of types are known: FMDV
    is what FMDV-A and FMDV-O are types of. They come before another in other letters: PRRSV is not
    PrRSV.
    """
    import polars as pl

    known = set(found["name"])
    stems = [one for one in texts if _ABBREVIATION.fullmatch(one) and one not in known]
    if not stems:
        return found
    rows = con.execute(_OF_TYPES, [stems]).fetchall()
    typed = pl.DataFrame(rows, schema=found.schema, orient="row")
    keys = [str(stem).lower() for stem in typed["name"]]
    others = found.filter(~pl.col("name").str.to_lowercase().is_in(keys))
    return pl.concat([others, typed])


def _with_numbered(
    con: duckdb.DuckDBPyConnection, texts: Sequence[str], found: pl.DataFrame
) -> pl.DataFrame:
    """Return the names ``found``, with those of viruses of which only the numbered are known:
    poliovirus is what poliovirus 1 and 2 are.
    """
    import polars as pl

    known = {str(name).lower() for name in found["name"]}
    whole = [one for one in texts if _WHOLE.fullmatch(one) and one.lower() not in known]
    if not whole:
        return found
    rows = con.execute(_OF_NUMBERED, [whole]).fetchall()
    numbered = pl.DataFrame(rows, schema=found.schema, orient="row")
    return pl.concat([found, numbered])


def _labelled(con: duckdb.DuckDBPyConnection, settled: pl.DataFrame) -> dict[str, Terms]:
    """Return the ``candidates`` of each ``name`` of ``settled`` with their labels."""
    wanted: set[str] = set()
    for listed in settled["candidates"]:
        wanted.update(listed)
    labels = labels_of(con, sorted(wanted))
    named = {}
    for name, listed in settled.select("name", "candidates").iter_rows():
        terms = [(curie, labels.get(curie, curie)) for curie in listed]
        named[name] = tuple(terms)
    return named


_KINDS: Final = ("name", "virus", "kind")
_BY_KEY: Final = """
SELECT name, virus, kind FROM virus_name WHERE key IN (SELECT unnest($1::VARCHAR[]))
"""
_ARE_VIRUSES: Final = "SELECT virus FROM virus WHERE virus IN (SELECT unnest($1::VARCHAR[]))"
_OF_TYPES: Final = """
SELECT DISTINCT stem, virus, 'abbreviation' FROM virus_name
JOIN (SELECT unnest($1::VARCHAR[]) AS stem) ON starts_with(name, stem)
WHERE kind = 'abbreviation' AND regexp_matches(substr(name, length(stem) + 1), '^(-.|[0-9])')
ORDER BY stem, virus
"""
_OF_NUMBERED: Final = """
WITH asked AS (
    SELECT text, lower(replace(text, ' ', '')) || number || letter AS key
    FROM (SELECT unnest($1::VARCHAR[]) AS text), generate_series(1, 9) AS numbers(number),
        (SELECT unnest(['', 'a', 'b']) AS letter)
)
SELECT DISTINCT text, virus, 'name' FROM asked JOIN virus_name USING (key) ORDER BY text, virus
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


def virus_words(
    con: duckdb.DuckDBPyConnection, words: Sequence[str], free: Iterable[Span]
) -> list[Mention]:
    """Return mentions for words that no ontology lists but virus names hold: norovirus,
    coronaviruses, influenza.
    """
    singles = {}
    wanted = set()
    for start, end in free:
        if end != start + 1:
            continue
        word = singular(words[start])
        singles[start] = word
        if len(word) > 3 and not is_stop_word(word):
            wanted.add(word)
    senses = virus_word_senses(con, sorted(wanted))
    mentions = []
    for start, word in singles.items():
        if word not in senses:
            continue
        text = words[start].lower()
        mention = _virus_mention(text, start, senses[word])
        mentions.append(mention)
    return mentions


def _virus_mention(text: str, start: int, senses: Sequence[Sense]) -> Mention:
    """Return the mention of a word in the names of viruses; a family outranks its species."""
    families = [sense for sense in senses if sense.facet == "family"]
    label = text
    if families:
        label = families[0].label
    counted = families or senses
    return Mention(text, start, start + 1, label, "virus", tuple(counted))
