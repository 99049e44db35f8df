"""Find names of what an index holds: its taxa, every virus, and the values that its runs state.

Abbreviations in lower case are looked for only if they end in v: "can" is one, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Final

import duckdb
import polars as pl

from index.store.names import rows_named
from ontology_etl.curies import NCBI_TAXON
from ontology_etl.folding import fold_each

_WORD: Final = re.compile(r"[^\W_]+")
_LONGEST: Final = 7
"""Words of the longest name looked for."""
_HISSING: Final = ("s", "x", "z", "ch", "sh")
"""Endings of words whose plural ends in es."""
_SHORTEST: Final = 3
"""Shortest name, in letters, that is also looked for in the plural."""
_PLAIN: Final = frozenset({
    "virus", "viruses", "root", "tissue", "tissues", "run", "runs", "sample", "samples", "data",
    "host", "hosts", "family", "families", "species", "parent", "index", "infection", "infections",
    "disease", "study", "studies", "community", "many", "few", "that", "this", "next", "all", "in",
    "it", "the", "no", "not", "of", "and", "for", "its", "test", "size", "chance", "yes", "is",
    "as", "to", "or", "taken", "rna", "dna",
})  # fmt: skip
"""Names of terms that are general words for their kind, or plain English."""


class IndexNames:
    """The names of the index that ``con`` reads; names that no text can change are read once."""

    def __init__(self, con: duckdb.DuckDBPyConnection) -> None:
        self._con = con

    def phrases(self, text: str) -> dict[str, frozenset[str]]:
        """Return the parts of ``text`` that are names, each with what it names.

        Names are found in upper and lower case, singular and plural. A word in lower case that only
        a submitter stated ("field", "mixed") is plain English. Two parts name the same thing if
        they share a key: the CURIE of a term, or the name itself if there is no term.
        """
        words = _WORD.findall(text)
        written: dict[str, set[str]] = {}
        for span in _spans([word.lower() for word in words]):
            for form in (span, *_other_number(span)):
                written.setdefault(form, set()).add(span)
        spelled = written.keys() - _PLAIN
        in_capitals = {word.lower() for word in words if not word.islower()}
        values = {form for form in spelled if " " in form or form in in_capitals}
        found: dict[str, set[str]] = {}
        named = (*self._terms(spelled), *_each(spelled & self._listed))
        for form, key in (*named, *_each(values & self._stated)):
            for span in written[form] - _PLAIN:
                found.setdefault(span, set()).add(key)
        return {span: frozenset(keys) for span, keys in found.items()}

    def broader(self, keys: Iterable[str]) -> Mapping[str, frozenset[str]]:
        """Return the parent taxon of each of ``keys`` that is a taxon."""
        taxa = sorted(key for key in keys if key.startswith(f"{NCBI_TAXON}:"))
        rows = self._con.execute(_PARENTS, [taxa]).fetchall()
        return {taxon: frozenset({parent}) for taxon, parent in rows}

    def lineage(self, keys: Iterable[str]) -> Mapping[str, str]:
        """Return the genera and families of the viruses among ``keys``, with their names."""
        taxa = sorted(key for key in keys if key.startswith(f"{NCBI_TAXON}:"))
        return dict(self._con.execute(_LINEAGE, [taxa]).fetchall())

    def groups(self, keys: Iterable[str]) -> frozenset[str]:
        """Return the ``keys`` that are large groups of organisms: a class or above."""
        taxa = sorted(key for key in keys if key.startswith(f"{NCBI_TAXON}:"))
        rows = self._con.execute(_GROUPS, [taxa, list(_GREAT)]).fetchall()
        return frozenset(taxon for (taxon,) in rows)

    def viral(self, names: Sequence[str]) -> frozenset[str]:
        """Return the ``names`` of viruses and of diseases that viruses cause."""
        forms: dict[str, set[str]] = {}
        for name in names:
            words = _plain(name)
            for form in (words, *_other_number(words)):
                forms.setdefault(form, set()).add(name)
        folded = dict(zip(forms, fold_each(list(forms)), strict=True))
        terms = rows_named(self._con, {*forms, *folded.values()})
        curies = sorted(set(terms["curie"]))
        viral = {curie for (curie,) in self._con.execute(_VIRAL, [curies]).fetchall()}
        called = terms.filter(pl.col("curie").is_in(viral))["name"]
        spelled = {_plain(name) for name in called} | self._viruses
        return frozenset(name for form in forms.keys() & spelled for name in forms[form])

    def _terms(self, spelled: Iterable[str]) -> Iterator[tuple[str, str]]:
        """Yield the forms that name a term of the index, each with its CURIE."""
        forms = sorted(spelled)
        folded = dict(zip(forms, fold_each(forms), strict=True))
        terms = rows_named(self._con, {*forms, *folded.values()})
        names, curies = _counting(terms)
        asked = {"spelled": forms, "names": names, "curies": curies}
        known = {name for (name,) in self._con.execute(_FOUND, asked).fetchall()}
        of_name: dict[str, set[str]] = {}
        for name, curie in terms.filter(pl.col("name").is_in(known))["name", "curie"].rows():
            of_name.setdefault(_plain(name), set()).add(curie)
        for form in forms:
            for curie in of_name.get(form, ()):
                yield form, curie

    @cached_property
    def _listed(self) -> frozenset[str]:
        """Names of viruses by their words in lower case, without abbreviations."""
        return frozenset(name for (name,) in self._con.execute(_LISTED).fetchall())

    @cached_property
    def _stated(self) -> frozenset[str]:
        """Values that facts state, by their words in lower case."""
        return frozenset(name for (name,) in self._con.execute(_STATED).fetchall())

    @cached_property
    def _viruses(self) -> frozenset[str]:
        """Names of viruses by their words in lower case, abbreviations too."""
        return frozenset(name for (name,) in self._con.execute(_VIRUSES).fetchall())


def _plain(name: str) -> str:
    """Return a name in the form in which parts of a sentence are compared."""
    return " ".join(_WORD.findall(name.lower()))


def _each(names: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield ``names`` that are not terms, each as its own key."""
    return ((name, name) for name in names)


def _counting(terms: pl.DataFrame) -> tuple[list[str], list[str | None]]:
    """Return the names of ``terms`` that may count, and the term that a run has to carry.

    None in place of the term means that the name counts anywhere: a taxon by more than one word, or
    by a synonym.
    """
    names, curies = [], []
    for row in terms.iter_rows(named=True):
        is_telling = row["scope"] != "LABEL" or " " in row["name"]
        is_taxon = row["ontology"] == NCBI_TAXON
        if row["ontology"] != "ICTV":
            names.append(row["name"])
            curies.append(None if is_taxon and is_telling else row["curie"])
    return names, curies


def _other_number(span: str) -> Iterator[str]:
    """Yield ``span`` with its last word in the singular and in the plural.

    >>> list(_other_number("bat")), list(_other_number("mosquito")), list(_other_number("be"))
    (['bats'], ['mosquitos', 'mosquitoes'], [])
    """
    if len(span) < _SHORTEST:
        return
    if not span.endswith(_HISSING):
        yield f"{span}s"
    if span.endswith((*_HISSING, "o")):
        yield f"{span}es"
    for ending, singular in (("s", ""), ("es", ""), ("ies", "y")):
        one = span.removesuffix(ending) + singular
        if span.endswith(ending) and (ending != "es" or one.endswith((*_HISSING, "o"))):
            yield from (one, f"{one}s")


def _spans(words: Sequence[str]) -> Iterator[str]:
    for start in range(len(words)):
        for end in range(start + 1, min(start + _LONGEST, len(words)) + 1):
            yield " ".join(words[start:end])


def _folded(column: str) -> str:
    """Return the SQL of a name in the form in which parts of a sentence are compared."""
    return f"trim(regexp_replace(lower({column}), '[^\\pL\\pN]+', ' ', 'g'))"


_IS_NO_ABBREVIATION: Final = "(name <> upper(name) OR name LIKE '%V')"
_LISTED: Final = f"""
SELECT DISTINCT {_folded("name")} FROM (
    SELECT name FROM virus_name WHERE kind <> 'abbreviation' OR name LIKE '%V'
    UNION ALL SELECT name FROM dangerous_name
    UNION ALL SELECT DISTINCT reported_name FROM detection
)
WHERE {_IS_NO_ABBREVIATION}
"""
_STATED: Final = f"""
SELECT DISTINCT {_folded("name")} FROM (
    SELECT DISTINCT value AS name FROM fact
    UNION ALL SELECT DISTINCT split_part(value, ':', 1) FROM fact WHERE facet = 'geography'
)
WHERE {_IS_NO_ABBREVIATION}
"""
_VIRUSES: Final = f"""
SELECT DISTINCT {_folded("name")} FROM (
    SELECT name FROM virus_name UNION ALL SELECT name FROM dangerous_name
    UNION ALL SELECT DISTINCT reported_name FROM detection
)
"""
_VIRAL: Final = """
SELECT curie FROM unnest($1::VARCHAR[]) AS named(curie)
WHERE curie LIKE 'ICTV:%' OR curie IN (SELECT virus FROM detection)
   OR curie IN (
       SELECT descendant FROM closure WHERE ancestor IN ('NCBITaxon:10239', 'DOID:934')
   )
"""
_PARENTS: Final = """
SELECT subject, object FROM term_edge
WHERE predicate = 'parent' AND list_contains($1::VARCHAR[], subject)
"""
_LINEAGE: Final = """
SELECT curie, label FROM closure JOIN used_term ON curie = ancestor
WHERE list_contains($1::VARCHAR[], descendant) AND rank IN ('genus', 'subfamily', 'family')
  AND ancestor IN (SELECT descendant FROM closure WHERE ancestor = 'NCBITaxon:10239')
"""
_GREAT: Final = ("class", "subphylum", "phylum", "subkingdom", "kingdom", "superkingdom", "domain")
_GROUPS: Final = """
SELECT curie FROM term
WHERE list_contains($1::VARCHAR[], curie) AND list_contains($2::VARCHAR[], rank)
"""
_FOUND: Final = f"""
WITH named AS (SELECT unnest($names::VARCHAR[]) AS name, unnest($curies::VARCHAR[]) AS curie),
carried AS (
    SELECT curie FROM annotation WHERE curie IN (SELECT curie FROM named)
    UNION SELECT ancestor FROM closure
    WHERE ancestor IN (SELECT curie FROM named) AND ancestor LIKE 'NCBITaxon:%'
    UNION SELECT virus FROM detection WHERE virus IN (SELECT curie FROM named)
)
SELECT name FROM named
WHERE (curie IS NULL OR curie IN (FROM carried))
  AND {_folded("name")} IN (SELECT unnest($spelled::VARCHAR[])) AND {_IS_NO_ABBREVIATION}
"""
