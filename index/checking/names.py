"""Find names of what an index holds: its taxa, every virus, and the values that its runs state.

Abbreviations in lower case are looked for only if they end in v: "can" is one, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, Final

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
        return self.phrases_of_each([text])[text]

    def phrases_of_each(self, texts: Sequence[str]) -> dict[str, dict[str, frozenset[str]]]:
        """Return the ``phrases`` of each of ``texts``, whose terms are looked up together."""
        written = {text: _written(text) for text in texts}
        forms: set[str] = set().union(*written.values())
        terms = self._terms(forms - _PLAIN)
        return {text: self._named(text, spans, terms) for text, spans in written.items()}

    def _named(
        self, text: str, written: Mapping[str, set[str]], terms: Mapping[str, set[str]]
    ) -> dict[str, frozenset[str]]:
        """Return the parts of ``text`` that are names, from the forms ``written`` of its parts."""
        spelled = written.keys() - _PLAIN
        in_capitals = {word.lower() for word in _WORD.findall(text) if not word.islower()}
        values = {form for form in spelled if " " in form or form in in_capitals}
        own = spelled & self._listed | values & self._stated
        found: dict[str, set[str]] = {}
        for form in sorted(spelled & terms.keys() | own):
            keys = terms.get(form, set()) | ({form} & own)
            for span in written[form] - _PLAIN:
                found.setdefault(span, set()).update(keys)
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

    def _terms(self, spelled: Iterable[str]) -> dict[str, set[str]]:
        """Return the CURIEs of the terms of the index that each name among others means."""
        forms = sorted(spelled)
        rows = rows_named(self._con, {*forms, *fold_each(forms)}).rows(named=True)
        known = {row["name"] for row in rows if self._counts(row)}
        curies: dict[str, set[str]] = {}
        for row in rows:
            if row["name"] in known:
                curies.setdefault(_plain(row["name"]), set()).add(row["curie"])
        return curies

    def _counts(self, row: Mapping[str, Any]) -> bool:
        """Return whether a name of a term (a row of ``rows_named``) may count.

        A taxon by more than one word, or by a synonym, counts anywhere, and any other term where
        a run carries it.
        """
        name = row["name"]
        if row["ontology"] == "ICTV" or (name == name.upper() and not name.endswith("V")):
            return False
        is_telling = row["scope"] != "LABEL" or " " in name
        return (row["ontology"] == NCBI_TAXON and is_telling) or row["curie"] in self._carried

    @cached_property
    def _carried(self) -> frozenset[str]:
        """Terms that runs carry, and the taxa above them."""
        return frozenset(curie for (curie,) in self._con.execute(_CARRIED).fetchall())

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


def _written(text: str) -> dict[str, set[str]]:
    """Return the forms in which parts of ``text`` may be names, each with these parts."""
    written: dict[str, set[str]] = {}
    for span in _spans([word.lower() for word in _WORD.findall(text)]):
        for form in (span, *_other_number(span)):
            written.setdefault(form, set()).add(span)
    return written


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
        singular_form = span.removesuffix(ending) + singular
        if span.endswith(ending) and (ending != "es" or singular_form.endswith((*_HISSING, "o"))):
            yield from (singular_form, f"{singular_form}s")


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
_CARRIED: Final = """
SELECT curie FROM annotation UNION SELECT virus FROM detection
UNION SELECT ancestor FROM closure WHERE ancestor LIKE 'NCBITaxon:%'
"""
