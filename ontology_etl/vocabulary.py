"""All names of the ontologies, folded, and the labels, ancestors and taxonomy behind them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

import numpy as np
import numpy.typing as npt
import polars as pl

from ontology_etl.closure import UPWARD_IN_GRAPHS, graph_closure, taxon_parents
from ontology_etl.curies import BTO, DOID, ICTV, NCBI_TAXON, has_prefix, taxid_of
from ontology_etl.reviewed_lists import generic_terms
from ontology_etl.term_names import fold_names

_Taxids = npt.NDArray[np.int64]

LABEL_FACET: Final = "label"
METAGENOMES: Final = 408169
"""NCBITaxon: root of the metagenome taxa."""
VIRUSES: Final = 10239
CELLULAR: Final = 131567
REFERENCES: Final = {"reference": pl.String, "cross": pl.String}


@dataclass(frozen=True)
class Vocabulary:
    """Names to match, and what is needed to interpret a match.

    ``names``      facet, folded, first_token, last_token, curie, priority (0 is best), case_rule,
                   cased (null where it is the folded name in lower case)
    ``labels``     curie, label of every live term
    ``ancestors``  descendant, ancestor of BTO and DOID terms, without the term itself
    ``parent``     parent taxid by taxid, 0 above the root
    ``generic``    curies that name no particular thing (``reviewed/generic.tsv``)
    ``successors`` curie, successor of the retired terms that a live term replaces
    ``references`` reference, cross: identifiers of other vocabularies, and the one term each is of
    """

    names: pl.DataFrame
    labels: pl.DataFrame
    ancestors: pl.DataFrame
    parent: npt.NDArray[np.int32]
    generic: frozenset[str]
    successors: pl.DataFrame
    references: pl.DataFrame = field(default_factory=lambda: pl.DataFrame(schema=REFERENCES))

    def live(self, curies: pl.Series) -> pl.Series:
        """Return ``curies``, retired ones replaced by their successors, unknown ones by null."""
        stated = pl.DataFrame({"curie": curies})
        moved = stated.join(self.successors, on="curie", how="left", maintain_order="left")
        current = moved.select(curie=pl.coalesce("successor", "curie"))
        known = self.labels_of(current["curie"])["curie"]
        is_known = pl.col("curie").is_in(known.implode())
        return current.select(pl.when(is_known).then("curie")).to_series()

    def labels_of(self, curies: pl.Series) -> pl.DataFrame:
        """Return curie, label of the ``curies`` that are live terms, one row each."""
        wanted = curies.drop_nulls().unique()
        is_wanted = pl.col("curie").is_in(wanted.implode())
        return self.labels.filter(is_wanted)

    def lineage(self, taxid: int) -> tuple[int, ...]:
        """Return ``taxid`` and its ancestors, nearest first; empty for an unknown taxid."""
        found: list[int] = []
        while 0 < taxid < len(self.parent):
            above = int(self.parent[taxid])
            if not above:
                break
            found.append(taxid)
            if above == taxid:
                break
            taxid = above
        return tuple(found)

    def members(self, curie: str) -> int:
        """Return how many taxa are at most three steps below the taxon ``curie``."""
        level = self._taxids(pl.Series([curie]))
        found = 0
        for _ in range(3):
            below = np.flatnonzero(np.isin(self.parent, level[level > 0]))
            level = below[~np.isin(below, level)]
            found += len(level)
        return found

    def is_ancestor(self, ancestors: pl.Series, descendants: pl.Series) -> pl.Series:
        """Return whether each of ``ancestors`` is above its descendant along ``UPWARD``."""
        root = self._taxids(ancestors)
        below = self._is_taxon_above(root, self._taxids(descendants))
        if (root > 0).all():
            return below
        pair = pl.DataFrame({"ancestor": ancestors, "descendant": descendants})
        stated = pair.join(
            self.ancestors.with_columns(found=pl.lit(True)),
            on=["descendant", "ancestor"],
            how="left",
            maintain_order="left",
        )
        return stated["found"].fill_null(False) | below

    def _is_taxon_above(self, root: _Taxids, taxids: _Taxids) -> pl.Series:
        """Return for each row whether the taxon ``root`` (0 is none) is above the taxon."""
        current = self.parent[taxids]
        below = np.zeros(len(root), dtype=bool)

        while current.any():
            below |= (current == root) & (root > 0)
            above = self.parent[current]
            current = np.where(above == current, 0, above)
        return pl.Series(below)

    def is_below(self, curies: pl.Series, taxid: int) -> pl.Series:
        """Return for each of ``curies`` whether it is the taxon ``taxid`` or below it."""
        taxon = pl.Series([f"{NCBI_TAXON}:{taxid}"])
        root = taxon.new_from_index(0, len(curies))
        is_itself = curies == root
        return is_itself | self.is_ancestor(root, curies)

    def _taxids(self, curies: pl.Series) -> _Taxids:
        frame = pl.DataFrame({"curie": curies})
        numbers = frame.select(taxid=taxid_of(pl.col("curie")))["taxid"]
        taxids = numbers.fill_null(0).to_numpy()
        return np.where(taxids < len(self.parent), taxids, 0)


def build_vocabulary(
    term: pl.DataFrame,
    synonym: pl.DataFrame,
    term_edge: pl.DataFrame,
    *,
    texts: pl.Series | None = None,
    xref: pl.DataFrame | None = None,
) -> Vocabulary:
    """Return the vocabulary of all live terms of ``term``.

    ``texts`` limits it to names that can occur in them: folding all 2.7 million takes some ten
    seconds, those that 11,000 values can hold less than one. ``xref`` adds identifiers of other
    vocabularies.
    """
    return Vocabulary(
        names=fold_names(term, synonym, texts=texts),
        labels=live_labels(term),
        ancestors=_ancestors(term_edge),
        parent=taxon_parents(term_edge),
        generic=generic_terms(),
        successors=successors_of(term),
        references=cross_references(term, xref),
    )


def cross_references(term: pl.DataFrame, xref: pl.DataFrame | None) -> pl.DataFrame:
    """Return [reference, cross] of the cross-references to exactly one live disease or tissue."""
    if xref is None:
        return pl.DataFrame(schema=REFERENCES)
    live = term.filter(~pl.col("obsolete"), pl.col("ontology").is_in([DOID, BTO])).select("curie")
    stated = xref.join(live, on="curie", how="semi")
    named = stated.select(reference=reference_key(pl.col("xref")), cross="curie").unique()
    return named.filter(pl.len().over("reference") == 1)


_SPELLED: Final = (
    (r"^(?:UMLS(?::CUI)?:)?(C\d{7})$", "UMLS_CUI:$1"),
    (r"^ICD-?10(?:CM)?:", "ICD10CM:"),
    (r"^OMIM:", "MIM:"),
    (r"^NCIT:", "NCI:"),
    (r"^ORPHA(?:NET)?:", "ORDO:"),
    (r"^SNOMED(?:CT)?(?::US)?[_0-9]*:", "SNOMEDCT:"),
)
"""Spellings of an identifier, in capitals with a colon, and the one that is compared."""


def reference_key(written: pl.Expr) -> pl.Expr:
    """Return the one spelling of each identifier of another vocabulary.

    >>> identifiers = pl.Series(["omim_219700", "C0011860", "SNOMEDCT_US_2025_09_01:39000009"])
    >>> pl.select(reference_key(identifiers)).to_series().to_list()
    ['MIM:219700', 'UMLS_CUI:C0011860', 'SNOMEDCT:39000009']
    """
    key = written.str.strip_chars().str.to_uppercase().str.replace("_", ":", literal=True)
    for pattern, spelling in _SPELLED:
        key = key.str.replace(pattern, spelling)
    return key


def live_labels(term: pl.DataFrame) -> pl.DataFrame:
    """Return curie, label of the terms that are not obsolete."""
    live = term.filter(~pl.col("obsolete"))
    return live.select("curie", "label")


def successors_of(term: pl.DataFrame) -> pl.DataFrame:
    """Return curie, successor of the replaced terms of ``term``."""
    replaced = term.filter(pl.col("obsolete"), pl.col("replaced_by").is_not_null())
    return replaced.select("curie", successor="replaced_by")


def _ancestors(term_edge: pl.DataFrame) -> pl.DataFrame:
    """Return [descendant, ancestor] along ``UPWARD_IN_GRAPHS``, outside taxonomies."""
    is_upward = pl.col("predicate").is_in(UPWARD_IN_GRAPHS)
    of_ictv = has_prefix(pl.col("subject"), ICTV)
    upward = term_edge.filter(is_upward, ~of_ictv)
    closed = graph_closure(upward, alone=[])
    above = closed.filter(pl.col("distance") > 0).select("descendant", "ancestor")
    return above.sort("descendant", "ancestor")
