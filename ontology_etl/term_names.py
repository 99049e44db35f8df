"""Names of terms: given, derived and reviewed (``name_rules`` says where each counts).

A name of an obsolete term means the term that replaced it. Reviewed names (``reviewed/names.tsv``)
add what people write and no ontology lists, and settle what an ontology gets wrong; they outrank
every other name. Hosts, tissues and diseases have names in seven languages
(``reviewed/names_in_languages.tsv``). Some names are derived: cell lines without "cell"
(``HeLa``), tissues without "tissue" (``lymphoid``), infections as people report them (``ZIKV
infected``), numbers of a cell bank (``GM18508``).
"""

from __future__ import annotations

from typing import Final

import polars as pl

from ontology_etl.curies import BTO, DOID, NCBI_TAXON
from ontology_etl.facets import FACET_OF_ONTOLOGY, ONTOLOGIES_OF_FACET
from ontology_etl.name_rules import (
    BARE,
    DERIVED,
    EXACT,
    LABEL,
    NOTHING,
    NUMBER,
    OTHER,
    RETIRED,
    REVIEWED,
    WHOLE,
    settle,
    with_case_rules,
)
from ontology_etl.possible_names import may_occur
from ontology_etl.reviewed_lists import FACET_OF_KIND, read_reviewed, unambiguous_names

_PLAIN_LABEL: Final = pl.col("label").str.replace(r"(?i)^obsolete\s+", "")
_MAX_REPLACEMENTS: Final = 4
_GIVEN: Final = ("curie", "ontology", "rank", "name", "priority")


def fold_names(
    term: pl.DataFrame, synonym: pl.DataFrame, *, texts: pl.Series | None = None
) -> pl.DataFrame:
    """Return the ``names`` of a ``Vocabulary``: all, or those that can occur in ``texts``."""
    is_read = pl.col("ontology").is_in(list(FACET_OF_ONTOLOGY))
    live = term.filter(~pl.col("obsolete"), is_read)
    given = _given_names(term, synonym, live)
    stated = pl.concat(
        [
            given,
            _cell_line_names(given),
            _bare_tissue_names(given),
            _cell_bank_names(live),
            _reviewed_names(live),
            _retired_names(term),
        ]
    )
    named = pl.concat([stated, _infected_names(stated)])
    possible = named if texts is None else _possible(named, texts)
    telling = possible.filter(~_is_machine_name())
    return settle(with_case_rules(telling))


def _possible(named: pl.DataFrame, texts: pl.Series) -> pl.DataFrame:
    """Return the names that can occur in ``texts``; of diseases all, as their words may move."""
    is_disease = pl.col("ontology") == DOID
    return pl.concat([may_occur(named.filter(~is_disease), texts), named.filter(is_disease)])


def listed_names() -> pl.DataFrame:
    """Return facet, name, curie of every reviewed name, those in other languages included."""
    own = read_reviewed("names.tsv").select("facet", "name", "curie")
    others = [
        unambiguous_names(kind).select(facet=pl.lit(facet), name="name", curie="curie")
        for kind, facet in FACET_OF_KIND.items()
    ]
    settled = [other.join(own, on=["facet", "name"], how="anti") for other in others]
    return pl.concat([own, *settled])


# --- names as given -------------------------------------------------------------------------------


def _given_names(term: pl.DataFrame, synonym: pl.DataFrame, live: pl.DataFrame) -> pl.DataFrame:
    """Return labels and synonyms of ``live`` terms; successors get those of obsolete terms."""
    labels = live.select(
        "curie",
        "ontology",
        "rank",
        name="label",
        priority=pl.lit(LABEL),
    )
    others = pl.concat([_synonym_names(synonym), _obsolete_names(term)])
    redirected = _of_live_terms(others, term, live)
    return pl.concat([labels.select(_GIVEN), redirected])


def _synonym_names(synonym: pl.DataFrame) -> pl.DataFrame:
    is_exact = pl.col("scope") == "EXACT"
    priority = pl.when(is_exact).then(EXACT).otherwise(OTHER)
    return synonym.select("curie", name="synonym", priority=priority)


def _obsolete_names(term: pl.DataFrame) -> pl.DataFrame:
    """Return the labels of obsolete terms that have a successor."""
    gone = term.filter(
        pl.col("obsolete"),
        pl.col("replaced_by").is_not_null(),
        pl.col("ontology") != NCBI_TAXON,
    )
    return gone.select("curie", name=_PLAIN_LABEL, priority=pl.lit(OTHER))


def _retired_names(term: pl.DataFrame) -> pl.DataFrame:
    """Return labels without a successor: "foot and mouth disease" hides "mouth disease"."""
    gone = term.filter(
        pl.col("obsolete"),
        pl.col("replaced_by").is_null(),
        pl.col("ontology").is_in([BTO, DOID]),
        pl.col("label") != pl.col("curie"),
    )
    named = gone.with_columns(
        curie=pl.lit(NOTHING),
        name=_PLAIN_LABEL,
        priority=pl.lit(RETIRED),
    )
    return named.select(_GIVEN)


def _of_live_terms(names: pl.DataFrame, term: pl.DataFrame, live: pl.DataFrame) -> pl.DataFrame:
    """Return ``names`` [curie, name, priority] with obsolete terms replaced by their successors."""
    redirected = names.join(
        _redirections(term),
        left_on="curie",
        right_on="obsolete",
        how="left",
    )
    moved = redirected.with_columns(curie=pl.coalesce("replaced_by", "curie"))
    described = moved.join(
        live.select("curie", "ontology", "rank"),
        on="curie",
    )
    return described.select(_GIVEN)


def _redirections(term: pl.DataFrame) -> pl.DataFrame:
    """Return [obsolete, replaced_by], with chains of up to four replacements resolved."""
    replaced = term.filter(
        pl.col("obsolete"),
        pl.col("replaced_by").is_not_null(),
    )
    step = replaced.select("curie", "replaced_by")
    onward = step.rename({"curie": "replaced_by", "replaced_by": "next"})
    table = step.rename({"curie": "obsolete"})
    for _ in range(_MAX_REPLACEMENTS - 1):
        followed = table.join(
            onward,
            on="replaced_by",
            how="left",
        )
        table = followed.select("obsolete", replaced_by=pl.coalesce("next", "replaced_by"))
    return table.unique("obsolete", keep="first", maintain_order=True)


# --- names derived and reviewed -------------------------------------------------------------------


def _cell_line_names(given: pl.DataFrame) -> pl.DataFrame:
    """Return names of cell lines without "cell": HeLa for HeLa cell, but not B for B cell."""
    name = pl.col("name")
    stem = name.str.extract(r"^(.*\S)\s+cells?(?: line)?$", 1)
    code = name.str.split(" ").list.last()
    is_coded = code.str.contains(r"\d.*\p{L}|\p{L}.*\d|\p{Lu}.*\p{Lu}|\p{Ll}\p{Lu}")
    is_marker = name.str.contains(r"(?i)^CD\s?-?\d|[+]|positive|negative")
    is_long = name.str.len_chars() >= 3
    stems = given.filter(pl.col("ontology") == BTO).with_columns(name=stem)
    lines = stems.filter(
        is_coded,
        ~is_marker,
        is_long,
    )

    return lines.with_columns(priority=pl.lit(DERIVED)).select(_GIVEN)


def _bare_tissue_names(given: pl.DataFrame) -> pl.DataFrame:
    """Return names of tissues without "tissue": ``lymphoid`` alone means lymphoid tissue."""
    stem = pl.col("name").str.extract(r"^(\S+) tissues?$", 1)
    tissues = given.filter(pl.col("ontology") == BTO)
    stems = tissues.with_columns(name=stem).drop_nulls("name")
    return stems.with_columns(priority=pl.lit(BARE)).select(_GIVEN)


def _cell_bank_names(live: pl.DataFrame) -> pl.DataFrame:
    """Return numbers of cell lines in a bank: ``GM18508`` is a lymphoblastoid cell line."""
    ranges = read_reviewed("cell_bank.tsv").join(live, on="curie")
    numbers = pl.int_ranges(pl.col("first").cast(pl.Int64), pl.col("last").cast(pl.Int64) + 1)
    numbered = ranges.with_columns(number=numbers).explode("number")
    code = pl.col("number").cast(pl.String).str.zfill(5)
    named = numbered.with_columns(name=pl.col("prefix") + code, priority=pl.lit(NUMBER))
    return named.select(_GIVEN)


def _infected_names(stated: pl.DataFrame) -> pl.DataFrame:
    """Return names of infections as states: ``ZIKV infected`` alone means ZIKV infection."""
    name = pl.col("name")
    state = name.str.replace(r"(?i) infection$", " infected")
    is_infection = name.str.contains(r"(?i)\S infection$")
    infections = stated.filter(pl.col("ontology") == DOID, is_infection)
    return infections.with_columns(name=state, priority=pl.lit(BARE))


def _reviewed_names(live: pl.DataFrame) -> pl.DataFrame:
    """Return the reviewed names whose term is in this vocabulary, and those without a term."""
    listed = listed_names()
    is_listed = pl.col("curie").is_in(listed["curie"].implode())
    known = live.select("curie", "rank").filter(is_listed)
    terms = [*known["curie"].to_list(), NOTHING, WHOLE]
    usable = listed.filter(pl.col("curie").is_in(terms))
    described = usable.join(
        known,
        on="curie",
        how="left",
    )
    main = {facet: ontologies[0] for facet, ontologies in ONTOLOGIES_OF_FACET.items()}
    ontology = pl.col("facet").replace_strict(main, return_dtype=pl.String)
    ruled = described.with_columns(
        priority=pl.lit(REVIEWED),
        ontology=ontology,
    )
    return ruled.select(_GIVEN)


def _is_machine_name() -> pl.Expr:
    """Return whether a name is useless: culture conditions, unnamed sequences and samples."""
    name = pl.col("name")
    of_taxon = pl.col("ontology") == NCBI_TAXON
    of_tissue = pl.col("ontology") == BTO
    is_condition = of_tissue & name.str.starts_with("culture condition:")
    is_unnamed = name.str.contains(r"^(?:uncultured|unidentified) ")
    is_species = pl.col("rank") == "species"
    is_shared = name == "environmental samples"
    is_given = pl.col("priority") != REVIEWED

    return is_given & (is_condition | (of_taxon & (is_shared | (is_unnamed & is_species))))
