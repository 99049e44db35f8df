"""One OBO ontology as statements: pronto reads the sanitised text, the tables come from its terms.

Source: pronto (https://pronto.readthedocs.io). The modules ``bto`` and ``doid`` say their prefix
and habits.
"""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import polars as pl
from pronto.ontology import Ontology
from pronto.term import Term
from pronto.utils.warnings import ProntoWarning

from ontology_etl.closure import find_circle
from ontology_etl.curies import has_prefix
from ontology_etl.errors import MalformedRowError
from ontology_etl.garbage_collection import collection_suspended
from ontology_etl.sources.obo_text import OboText, read_obo_text
from ontology_etl.sources.statements import Statements, gather_rejected
from ontology_etl.tables import CURIE, Synonym, TermEdge, Xref, reject

IS_A: Final = "is_a"

_MAX_STEPS: Final = 4  # replacements of replacements; none is known to be longer than two
_REMEDY: Final = "tell the maintainers of the ontology, and pin the release before it"


@collection_suspended()
def read_obo(path: Path, *, prefix: str) -> Statements:
    """Return all statements about terms of ``prefix`` in the OBO file at ``path``.

    Obsolete terms and alternative identifiers are Term rows with the live term they resolve to,
    where there is exactly one. Raises as ``obo_text.sanitise``, and ``MalformedRowError`` naming
    the terms of a circle of ``is_a``.
    """
    source = str(path)
    sanitised, ontology = _read(path, prefix)
    own = [term for term in ontology.terms() if term.id.startswith(f"{prefix}:")]
    edges = extract_edges(own)
    refuse_circle(edges, sanitised.rows, source)
    terms, nameless = extract_terms(own, sanitised.rows, source, ontology=prefix)
    alternatives, revived = extract_alternatives(
        own, terms, sanitised.rows, source, ontology=prefix
    )
    return Statements(
        term=resolve_obsolete(terms, alternatives),
        synonym=extract_synonyms(own),
        term_edge=edges,
        xref=extract_xrefs(own),
        rejected=gather_rejected([sanitised.rejected, nameless, revived]),
        version=ontology.metadata.data_version or "unstated",
        repairs=sanitised.repairs,
    )


def _read(path: Path, prefix: str) -> tuple[OboText, Ontology]:
    """Return the sanitised text and pronto's reading of it; the grammar of each clause is checked
    only on refusal.
    """
    sanitised = read_obo_text(path, prefix=prefix)
    try:
        return sanitised, parse(sanitised.text)
    except SyntaxError:
        checked = read_obo_text(path, prefix=prefix, check_grammar=True)
        return checked, parse(checked.text)


def parse(text: str) -> Ontology:
    """Return sanitised OBO ``text`` as pronto's model, without following imports."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ProntoWarning)
        warnings.simplefilter("ignore", UnicodeWarning)  # it guesses the encoding; ours is known
        return Ontology(io.BytesIO(text.encode()), import_depth=0)


def extract_terms(
    own: list[Term], rows: pl.DataFrame, source: str, *, ontology: str
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return ``(terms, rejected)``: one Term row per stanza; one without a name is labelled by its
    CURIE.
    """
    listed = [
        (term.id, term.name, term.obsolete, _only(sorted(to.id for to in term.replaced_by)))
        for term in own
    ]
    columns = {
        "curie": pl.String,
        "label": pl.String,
        "obsolete": pl.Boolean,
        "replaced_by": pl.String,
    }
    terms = pl.DataFrame(listed, schema=columns, orient="row")
    nameless = terms.filter(pl.col("label").is_null()).join(rows, on="curie")["row"]
    labelled = terms.with_columns(
        pl.coalesce("label", "curie").alias("label"),
        pl.lit(ontology).alias("ontology"),
        pl.lit(None, pl.String).alias("rank"),
    )
    return labelled, reject(source, nameless, "term without a name, labelled by its identifier")


def extract_alternatives(
    own: list[Term], terms: pl.DataFrame, rows: pl.DataFrame, source: str, *, ontology: str
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return ``(alternatives, rejected)``: ``curie, replaced_by`` of each alternative identifier of
    one term.

    One of another ontology, that is itself a live term, or that two terms claim, is rejected.
    """
    listed = [(alternative, term.id) for term in own for alternative in term.alternate_ids]
    claimed = pl.DataFrame(
        listed, schema={"curie": pl.String, "replaced_by": pl.String}, orient="row"
    )
    live = terms.filter(~pl.col("obsolete"))["curie"]
    own_curie = pl.col("curie").str.contains(CURIE) & has_prefix(pl.col("curie"), ontology)
    void = pl.col("curie").is_in(live.implode()) | pl.col("curie").is_duplicated() | ~own_curie
    claimants = claimed.filter(void).select(curie="replaced_by").join(rows, on="curie")["row"]
    return claimed.filter(~void), reject(
        source, claimants, "alt_id is a live term, claimed by two terms, or of another ontology"
    )


def resolve_obsolete(terms: pl.DataFrame, alternatives: pl.DataFrame) -> pl.DataFrame:
    """Return Term rows with ``alternatives`` as obsolete terms; every ``replaced_by`` is live, or
    null.
    """
    joined = terms.join(
        alternatives, on="curie", how="full", coalesce=True, suffix="_alt"
    ).with_columns(
        pl.coalesce("label", "curie").alias("label"),
        pl.col("ontology").fill_null(terms["ontology"].first()),
        pl.col("obsolete").fill_null(True),
        pl.coalesce("replaced_by", "replaced_by_alt").alias("replaced_by"),
    )
    step = joined.filter("obsolete")
    for _ in range(_MAX_STEPS):
        joined = joined.with_columns(
            pl.col("replaced_by").replace(step["curie"], step["replaced_by"])
        )
    live = joined.filter(~pl.col("obsolete"))["curie"].implode()
    usable = pl.col("obsolete") & pl.col("replaced_by").is_in(live)
    return joined.with_columns(pl.when(usable).then("replaced_by").alias("replaced_by"))


def extract_synonyms(own: list[Term]) -> pl.DataFrame:
    """Return Synonym rows with their OBO scope; synonyms of obsolete terms too."""
    listed = [
        (term.id, synonym.description, synonym.scope) for term in own for synonym in term.synonyms
    ]
    return pl.DataFrame(
        listed, schema=dict.fromkeys(Synonym.column_names(), pl.String), orient="row"
    ).unique()


def extract_edges(own: list[Term]) -> pl.DataFrame:
    """Return TermEdge rows: ``is_a``, relationships, and the parts of logical definitions
    (``intersection_of``).
    """
    edges = pl.DataFrame(
        [edge for term in own for edge in _edges(term)],
        schema=dict.fromkeys(TermEdge.column_names(), pl.String),
        orient="row",
    )
    return edges.unique()


def extract_xrefs(own: list[Term]) -> pl.DataFrame:
    """Return Xref rows as upstream writes them."""
    listed = [(term.id, xref.id) for term in own for xref in term.xrefs]
    return pl.DataFrame(
        listed, schema=dict.fromkeys(Xref.column_names(), pl.String), orient="row"
    ).unique()


def refuse_circle(edges: pl.DataFrame, rows: pl.DataFrame, source: str) -> None:
    """Raise ``MalformedRowError`` naming the terms where ``is_a`` runs in a circle: each is a kind
    of the others.
    """
    circle = find_circle(edges.filter(predicate=IS_A))
    if circle:
        row = int(rows.filter(curie=circle[0])["row"][0])
        path = " is_a ".join([*circle, circle[0]])
        raise MalformedRowError(source, f"a circle of is_a: {path}", row=row, remedy=_REMEDY)


def _edges(term: Term) -> Iterator[tuple[str, str, str]]:
    for parent in term.superclasses(distance=1, with_self=False):
        yield term.id, IS_A, parent.id
    for relationship, targets in term.relationships.items():
        for target in targets:
            yield term.id, relationship.id, target.id
    for part in term.intersection_of:
        relation, target = part if isinstance(part, tuple) else (None, part)
        yield term.id, IS_A if relation is None else relation.id, target.id


def _only(replacements: list[str]) -> str | None:
    return replacements[0] if len(replacements) == 1 else None
