"""All names of the ontologies, folded and ready to be matched: what grounding looks texts up in.

A name of an obsolete term means the term that replaced it. Reviewed names
(``reviewed/names.tsv``) add what people write and no ontology lists, and settle what an ontology
gets wrong; they outrank every other name. Some names are derived: cell lines without "cell"
(``HeLa``), tissues without "tissue" (``lymphoid``), infections as people report them (``ZIKV
infected``).
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import resources
from typing import Final

import numpy as np
import numpy.typing as npt
import polars as pl

from ontology_etl.abbreviations import cut_words
from ontology_etl.closure import graph_closure, taxon_parents
from ontology_etl.curies import ICTV, NCBI_TAXON, has_prefix, taxid_of
from ontology_etl.facets import FACET_OF_ONTOLOGY, ONTOLOGIES_OF_FACET
from ontology_etl.folding import fold, separate

LABEL_FACET: Final = "label"
NOTHING: Final = "-"
"""CURIE of a reviewed name that means nothing in its facet, and hides what is inside it."""
WHOLE: Final = "whole"
"""CURIE of a reviewed everyday word that is a name only where it is the whole value."""
METAGENOMES: Final = 408169
"""NCBITaxon: root of the metagenome taxa."""
VIRUSES: Final = 10239
CELLULAR: Final = 131567

REVIEWED, LABEL, EXACT, OTHER, DERIVED, BARE = range(6)
"""Priorities, the best first; ``BARE`` names count only where they are the whole value."""
LINE_WORDS: Final = "cell line"
_SCOPE_PRIORITY: Final = {"EXACT": EXACT, "NARROW": OTHER, "RELATED": OTHER, "BROAD": OTHER}
_MAX_ACRONYM: Final = 5


@dataclass(frozen=True)
class Vocabulary:
    """Names to match and what is needed to interpret a match.

    ``names``      facet, folded, first_token, last_token, curie, priority (0 is best), case_rule,
                   cased (null where it is the folded name in lower case)
    ``labels``     curie, label of every live term
    ``ancestors``  descendant, ancestor of BTO and DOID terms, without the term itself
    ``parent``     parent taxid by taxid, 0 above the root
    ``generic``    curies that name no particular thing (``reviewed/generic.tsv``)
    """

    names: pl.DataFrame
    labels: pl.DataFrame
    ancestors: pl.DataFrame
    parent: npt.NDArray[np.int32]
    generic: frozenset[str]

    def label_of(self, curie: str) -> str | None:
        """Return the label of a live term, None where there is none."""
        found = self.labels.filter(pl.col("curie") == curie)["label"]
        return str(found[0]) if len(found) else None

    def labels_of(self, curies: pl.Series) -> pl.DataFrame:
        """Return curie, label of those of ``curies`` that are live terms, one row each."""
        return self.labels.filter(pl.col("curie").is_in(curies.drop_nulls().unique().implode()))

    def lineage(self, taxid: int) -> tuple[int, ...]:
        """Return ``taxid`` and its ancestors, nearest first; empty for an unknown taxid."""
        found: list[int] = []
        while 0 < taxid < len(self.parent) and self.parent[taxid]:
            found.append(taxid)
            taxid = int(self.parent[taxid]) if self.parent[taxid] != taxid else 0
        return tuple(found)

    def is_ancestor(self, ancestors: pl.Series, descendants: pl.Series) -> pl.Series:
        """Return row by row whether ``ancestors`` is above ``descendants``.

        Above is by is_a, part_of or taxonomic parent.
        """
        root, current = self._taxids(ancestors), self.parent[self._taxids(descendants)]
        below = np.zeros(len(ancestors), dtype=bool)
        while current.any():
            below |= (current == root) & (root > 0)
            above = self.parent[current]
            current = np.where(above == current, 0, above)
        if (root > 0).all():
            return pl.Series(below)
        pair = pl.DataFrame({"ancestor": ancestors, "descendant": descendants})
        stated = pair.join(
            self.ancestors.with_columns(found=pl.lit(True)),
            on=["descendant", "ancestor"],
            how="left",
            maintain_order="left",
        )
        return stated["found"].fill_null(False) | pl.Series(below)

    def is_below(self, curies: pl.Series, taxid: int) -> pl.Series:
        """Return for each of ``curies`` whether it is the taxon ``taxid`` or below it."""
        root = pl.Series([f"{NCBI_TAXON}:{taxid}"]).new_from_index(0, len(curies))
        return (curies == root) | self.is_ancestor(root, curies)

    def _taxids(self, curies: pl.Series) -> npt.NDArray[np.int64]:
        column = pl.DataFrame({"curie": curies}).select(taxid_of(pl.col("curie")))
        taxids = column.to_series().fill_null(0).to_numpy()
        return np.where(taxids < len(self.parent), taxids, 0)


def build_vocabulary(
    term: pl.DataFrame,
    synonym: pl.DataFrame,
    term_edge: pl.DataFrame,
    *,
    texts: pl.Series | None = None,
) -> Vocabulary:
    """Return the vocabulary of all live terms of ``term`` with their names.

    With ``texts`` only names that can occur in them are kept, which loses no match and saves most
    of the work: folding all 2.7 million names takes some fifteen seconds, those that 11,000
    attribute values can hold less than one.
    """
    return Vocabulary(
        names=fold_names(term, synonym, texts=texts),
        labels=live_labels(term),
        ancestors=_ancestors(term_edge),
        parent=taxon_parents(term_edge),
        generic=generic_terms(),
    )


def fold_names(
    term: pl.DataFrame, synonym: pl.DataFrame, *, texts: pl.Series | None = None
) -> pl.DataFrame:
    """Return the ``names`` of a ``Vocabulary``: those of ``term`` and ``synonym`` that can occur in
    ``texts``, all of them without ``texts``.
    """
    live = term.filter(~pl.col("obsolete"), pl.col("ontology").is_in(list(FACET_OF_ONTOLOGY)))
    labels = live.select(
        "curie", "ontology", "rank", pl.col("label").alias("name"), pl.lit(LABEL).alias("priority")
    )
    others = _stand_for_live_terms(
        pl.concat([_synonym_names(synonym), _obsolete_names(term)]), term, live
    )
    given = pl.concat([labels, others])
    derived = [_cell_line_names(given), _bare_tissue_names(given)]
    reviewed = _reviewed_names(live).select(given.columns)
    stated = pl.concat([given, *derived, reviewed])
    named = pl.concat([stated, _infected_names(stated)])
    possible = named if texts is None else _may_occur(named, texts)
    return _settle(_with_case_rules(possible.filter(~_is_machine_name())))


def live_labels(term: pl.DataFrame) -> pl.DataFrame:
    """Return curie, label of the terms that are not obsolete."""
    return term.filter(~pl.col("obsolete")).select("curie", "label")


def generic_terms() -> frozenset[str]:
    """Return the CURIEs that name no particular thing."""
    return frozenset(read_reviewed("generic.tsv")["curie"])


def read_reviewed(name: str) -> pl.DataFrame:
    """Return a reviewed list of this package; lines that begin with ``#`` are comments."""
    path = resources.files("ontology_etl") / "reviewed" / name
    return pl.read_csv(
        path.read_bytes(), separator="\t", infer_schema=False, comment_prefix="#", quote_char=None
    )


def prune(names: pl.DataFrame, tokens: pl.Series, *, facet: str) -> pl.DataFrame:
    """Return the rows of ``names`` of ``facet`` that can occur in ``tokens``; no match is lost.

    A name occurs only where all its tokens do, so the outer two are looked up first and the few
    survivors in full.
    """
    known = tokens.unique().implode()
    outer = names.filter(
        pl.col("facet") == facet,
        *(pl.col(f"{end}_token").is_in(known) for end in ("first", "last")),
    )
    inner = pl.col("folded").str.split(" ").list.eval(pl.element().is_in(known)).list.all()
    return outer.filter(inner).sort("folded", "curie")


def _may_occur(names: pl.DataFrame, texts: pl.Series) -> pl.DataFrame:
    """Return the rows of ``names`` whose first word, last word and numbers are in ``texts``.

    No match is lost. Names share their first words (a genus, ``virus``); their numbers tell the
    strains of a species apart. Where folding may join or make letters and digits only the first
    word decides. ``LINE_WORDS`` are always known: grounding adds them to names of cell lines.
    """
    distinct = texts.unique()
    tokens = _tokens(distinct).explode()
    known = pl.concat([tokens, pl.Series(LINE_WORDS.split())]).unique()
    words = KnownWords(known.implode(), cut_words(distinct))
    first = names.select(pl.col("name").str.splitn(" ", 2).struct.field("field_0")).to_series()
    begun = names.filter(words.begin(first))
    numbers = pl.col("name").str.extract_all(r"[0-9]+")
    counted = numbers.list.eval(pl.element().is_in(words.whole)).list.all()
    refolded = pl.col("name").str.contains(r"[^ -~]|['`]")
    numbered = begun.filter(counted | refolded)
    last = numbered["name"].str.extract(r"([A-Za-z]+)[^A-Za-z0-9]*$", 1)
    return numbered.filter(words.begin(last) | refolded)


@dataclass(frozen=True)
class KnownWords:
    """The folded words of some texts: ``whole`` ones (a list of one row), and ``cut`` ones."""

    whole: pl.Series
    cut: pl.Series

    def begin(self, words: pl.Series) -> pl.Series:
        """Return for each of ``words`` whether its first token is known, or it has none."""
        distinct = words.drop_nulls().unique()
        token = _tokens(distinct).list.first()
        known = token.is_in(self.whole) | (token == "")
        for length in self.cut.str.len_chars().unique().sort():
            of_length = self.cut.filter(self.cut.str.len_chars() == length)
            known |= token.str.slice(0, length).is_in(of_length.implode())
        return ~words.is_in(distinct.filter(~known).implode()).fill_null(False)


def _tokens(texts: pl.Series) -> pl.Series:
    """Return the folded tokens of each of ``texts`` as lists."""
    return pl.DataFrame({"text": texts}).select(fold(separate(pl.col("text"))).str.split(" "))[
        "text"
    ]


def _synonym_names(synonym: pl.DataFrame) -> pl.DataFrame:
    priority = pl.col("scope").replace_strict(_SCOPE_PRIORITY, default=OTHER, return_dtype=pl.Int32)
    return synonym.select("curie", pl.col("synonym").alias("name"), priority.alias("priority"))


def _obsolete_names(term: pl.DataFrame) -> pl.DataFrame:
    """Return the labels of obsolete terms that have a successor."""
    succeeded = pl.col("obsolete") & pl.col("replaced_by").is_not_null()
    gone = term.filter(succeeded & (pl.col("ontology") != "NCBITaxon"))
    name = pl.col("label").str.replace(r"(?i)^obsolete\s+", "")
    return gone.select("curie", name.alias("name"), pl.lit(OTHER).alias("priority"))


def _stand_for_live_terms(
    names: pl.DataFrame, term: pl.DataFrame, live: pl.DataFrame
) -> pl.DataFrame:
    """Return ``names`` [curie, name, priority] with obsolete terms replaced by their successors."""
    redirected = names.join(_redirections(term), left_on="curie", right_on="obsolete", how="left")
    standing = redirected.with_columns(pl.coalesce("replaced_by", "curie").alias("curie"))
    return standing.join(live.select("curie", "ontology", "rank"), on="curie").select(
        "curie", "ontology", "rank", "name", "priority"
    )


def _redirections(term: pl.DataFrame) -> pl.DataFrame:
    """Return [obsolete, replaced_by] with chains of up to four replacements followed to the end."""
    step = term.filter(pl.col("obsolete") & pl.col("replaced_by").is_not_null()).select(
        "curie", "replaced_by"
    )
    table = step.rename({"curie": "obsolete"})
    for _ in range(3):
        onward = table.join(
            step.rename({"replaced_by": "next"}),
            left_on="replaced_by",
            right_on="curie",
            how="left",
        )
        table = onward.select("obsolete", pl.coalesce("next", "replaced_by").alias("replaced_by"))
    return table.unique("obsolete", keep="first", maintain_order=True)


def _cell_line_names(standing: pl.DataFrame) -> pl.DataFrame:
    """Return names of cell lines without "cell": HeLa for HeLa cell, but not B for B cell."""
    stem = pl.col("name").str.extract(r"^(.*\S)\s+cells?(?: line)?$", 1)
    code = pl.col("name").str.split(" ").list.last()
    coded = code.str.contains(r"\d.*\p{L}|\p{L}.*\d|\p{Lu}.*\p{Lu}|\p{Ll}\p{Lu}")
    marker = pl.col("name").str.contains(r"(?i)^CD\s?-?\d|[+]|positive|negative")
    stems = standing.filter(pl.col("ontology") == "BTO").with_columns(stem.alias("name"))
    lines = stems.filter(coded & ~marker & (pl.col("name").str.len_chars() >= 3))
    return lines.with_columns(pl.lit(DERIVED).alias("priority")).select(standing.columns)


def _bare_tissue_names(standing: pl.DataFrame) -> pl.DataFrame:
    """Return names of tissues without "tissue": ``lymphoid`` alone means lymphoid tissue."""
    stem = pl.col("name").str.extract(r"^(\S+) tissues?$", 1)
    stems = standing.filter(pl.col("ontology") == "BTO").with_columns(stem.alias("name"))
    bare = stems.drop_nulls("name").with_columns(pl.lit(BARE).alias("priority"))
    return bare.select(standing.columns)


def _infected_names(standing: pl.DataFrame) -> pl.DataFrame:
    """Return names of infections as a state: ``ZIKV infected`` alone means ZIKV infection.

    ``EBV infected B cells`` are cells of a culture and no diagnosis.
    """
    state = pl.col("name").str.replace(r"(?i) infection$", " infected")
    is_infection = pl.col("name").str.contains(r"(?i)\S infection$")
    infections = standing.filter((pl.col("ontology") == "DOID") & is_infection)
    return infections.with_columns(state.alias("name"), pl.lit(BARE).alias("priority"))


def _is_machine_name() -> pl.Expr:
    """Return whether a name says nothing: a culture condition, an unnamed sequence.

    "environmental samples" is the name of 6,433 taxa, one per group: a text that holds it names
    none of them.
    """
    given = pl.col("priority") != REVIEWED
    condition = (pl.col("ontology") == "BTO") & pl.col("name").str.starts_with("culture condition:")
    unnamed = (pl.col("ontology") == "NCBITaxon") & pl.col("name").str.contains(
        r"^(?:uncultured|unidentified) "
    )
    shared = (pl.col("ontology") == "NCBITaxon") & (pl.col("name") == "environmental samples")
    return given & (condition | shared | (unnamed & (pl.col("rank") == "species")))


def _reviewed_names(live: pl.DataFrame) -> pl.DataFrame:
    """Return the reviewed names whose term this vocabulary has, and those without a term."""
    listed = read_reviewed("names.tsv").drop("label")
    known = live.select("curie", "rank").filter(pl.col("curie").is_in(listed["curie"].implode()))
    usable = pl.col("curie").is_in([NOTHING, WHOLE]) | pl.col("curie").is_in(
        known["curie"].implode()
    )
    main = {facet: ontologies[0] for facet, ontologies in ONTOLOGIES_OF_FACET.items()}
    ontology = pl.col("facet").replace_strict(main, return_dtype=pl.String)
    return (
        listed.filter(usable)
        .join(known, on="curie", how="left")
        .select(
            "curie", "name", pl.lit(REVIEWED).alias("priority"), ontology.alias("ontology"), "rank"
        )
    )


def _with_case_rules(names: pl.DataFrame) -> pl.DataFrame:
    spaced = names.lazy().with_columns(
        separate(pl.col("name")).alias("cased"),
        pl.col("ontology").replace_strict(FACET_OF_ONTOLOGY, return_dtype=pl.String).alias("facet"),
    )
    folded = spaced.with_columns(fold(pl.col("cased")).alias("folded")).filter(
        pl.col("folded") != ""
    )
    ruled = folded.with_columns(_case_rule().alias("case_rule"))
    return ruled.select(
        "facet", "folded", "curie", "priority", "case_rule",
        pl.when(
            (pl.col("case_rule") == "acronym")
            | (pl.col("cased").str.to_lowercase() != pl.col("folded"))
        )
        .then(pl.col("cased")).alias("cased"),
    ).collect(engine="streaming")  # fmt: skip


def _case_rule() -> pl.Expr:
    """Return where a name counts.

    any: everywhere; acronym: in its capitals; uninomial: with a capital; whole: alone.
    """
    single = ~pl.col("cased").str.contains(" ", literal=True)
    letters = pl.col("folded").str.replace_all(" ", "", literal=True).str.len_chars()
    capitals = pl.col("cased").str.contains(rf"^\p{{Lu}}{{2,{_MAX_ACRONYM}}}$")
    mixed = pl.col("cased").str.contains(r"^\p{Lu}\p{L}{0,2}\p{Lu}$") & (letters <= _MAX_ACRONYM)
    coded = (pl.col("ontology") == "DOID") & pl.col("name").str.contains(
        r"^\p{Lu}{1,5}\d{1,2}\p{Lu}?\d?$"
    )
    uninomial = (
        single & (pl.col("ontology") == "NCBITaxon") & pl.col("name").str.contains(r"^\p{Lu}")
    )
    return (
        pl.when((pl.col("priority") == REVIEWED) & ~capitals).then(pl.lit("any"))
        .when((letters <= 2) | coded | (pl.col("priority") == BARE)).then(pl.lit("whole"))
        .when(single & (capitals | mixed)).then(pl.lit("acronym"))
        .when(~pl.col("folded").str.contains(r"\p{L}{2}") & (letters <= 3)).then(pl.lit("whole"))
        .when(uninomial & (pl.col("priority") != REVIEWED)).then(pl.lit("uninomial"))
        .otherwise(pl.lit("any"))
    )  # fmt: skip


def _settle(folded: pl.DataFrame) -> pl.DataFrame:
    """Return one row per facet, folded name and curie, with everyday words ruled.

    Names of digits alone are left out. A cell line in capitals and in mixed case (``HELA``,
    ``HeLa``) is no acronym.
    """
    everyday = (
        folded.filter(pl.col("curie") == WHOLE)
        .select("facet", "folded", pl.lit("whole").alias("ruled"))
        .unique()
    )
    worded = folded.filter((pl.col("curie") != WHOLE) & pl.col("folded").str.contains(r"\p{L}"))
    repeated = worded.select(pl.struct("facet", "folded", "curie").is_duplicated()).to_series()
    best = (
        worded.filter(repeated)
        .sort("facet", "folded", "curie", "priority", _strictness(), "case_rule", "cased")
        .unique(["facet", "folded", "curie"], keep="first", maintain_order=True)
    )
    settled = _most_trusted(pl.concat([worded.filter(~repeated), best]))
    ruled = settled.join(everyday, on=["facet", "folded"], how="left", maintain_order="left")
    return ruled.with_columns(
        pl.coalesce("ruled", "case_rule").alias("case_rule"),
        pl.col("folded").str.extract(r"^(\S+)", 1).alias("first_token"),
        pl.col("folded").str.extract(r"(\S+)$", 1).alias("last_token"),
    ).drop("ruled")


def _most_trusted(names: pl.DataFrame) -> pl.DataFrame:
    """Return ``names`` without those that a more trusted ontology of their facet has as well."""
    for ontologies in ONTOLOGIES_OF_FACET.values():
        for less_trusted in ontologies[1:]:
            own = has_prefix(pl.col("curie"), less_trusted)
            others = names.filter(~own)
            unshared = names.filter(own).join(others, on=["facet", "folded"], how="anti")
            names = pl.concat([others, unshared])
    return names


def _strictness() -> pl.Expr:
    """Return 1 for an acronym derived from the name of a cell line, else 0."""
    derived = (pl.col("priority") == DERIVED) & (pl.col("case_rule") == "acronym")
    return derived.cast(pl.Int32)


def _ancestors(term_edge: pl.DataFrame) -> pl.DataFrame:
    """Return [descendant, ancestor] along is_a and part_of, outside the taxonomies, without the
    term itself.
    """
    upward = term_edge.filter(
        pl.col("predicate").is_in(["is_a", "part_of"]), ~has_prefix(pl.col("subject"), ICTV)
    )
    above = graph_closure(upward, alone=[]).filter(pl.col("distance") > 0)
    return above.select("descendant", "ancestor").sort("descendant", "ancestor")
