"""Read an OBO ontology: pronto parses the sanitised text, and its terms become tables.

Source: pronto (https://pronto.readthedocs.io). The Human Disease Ontology is from
https://purl.obolibrary.org/obo/doid.obo, licence CC0 1.0 (Baron et al. 2024,
doi:10.1093/nar/gkad1051).
"""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import polars as pl
from pronto.ontology import Ontology
from pronto.term import Term
from pronto.utils.warnings import ProntoWarning

from ontology_etl.closure import MOST_STEPS, find_circle
from ontology_etl.curies import CURIE, DOID, has_prefix, ontology_of
from ontology_etl.errors import MalformedRowError
from ontology_etl.garbage_collection import collection_suspended
from ontology_etl.sources.kinds_by_name import kinds_by_name
from ontology_etl.sources.obo_text import OboText, read_obo_text
from ontology_etl.tables import Statements, Synonym, TermEdge, Xref, gather_rejected, reject

IS_A: Final = "is_a"

_MAX_STEPS: Final = 4
"""Replacements of replacements that are followed; none is known to be longer than two."""
_REMEDY: Final = "report it to the maintainers of the ontology, and pin the release before it"


@dataclass(frozen=True)
class _Stanzas:
    """The terms with ``prefix`` as pronto reads them, and the (curie, row) of each in the file."""

    terms: list[Term]
    rows: pl.DataFrame
    source: str
    prefix: str


@collection_suspended()
def read_obo(path: Path, *, prefix: str) -> Statements:
    """Return all statements about terms of ``prefix`` in the OBO file at ``path``.

    Obsolete terms and alternative identifiers are Term rows with the live term they resolve to,
    where there is exactly one. Raises as ``read_obo_text``, and as ``refuse_circle``.
    """
    sanitised, ontology = _read(path, prefix)
    own = [term for term in ontology.terms() if ontology_of(term.id) == prefix]
    stanzas = _Stanzas(
        own,
        sanitised.rows,
        str(path),
        prefix,
    )
    edges = extract_edges(own)
    refuse_circle(edges, sanitised.rows, str(path))
    terms, nameless = extract_terms(stanzas)
    alternatives, revived = extract_alternatives(stanzas, terms)
    return Statements(
        term=resolve_obsolete(terms, alternatives),
        synonym=extract_synonyms(own),
        term_edge=edges,
        xref=extract_xrefs(own),
        rejected=gather_rejected([sanitised.rejected, nameless, revived]),
        version=ontology.metadata.data_version or "unstated",
        repairs=sanitised.repairs,
    )


def read_doid(path: Path) -> Statements:
    """Return all statements of the Human Disease Ontology at ``path``; raises as ``read_obo``.

    It writes "obsolete" before the label of an obsolete term. The word is left out, because the
    column ``obsolete`` says it. Kinds of diseases that names say are added to what it states.
    """
    statements = read_obo(path, prefix=DOID)
    shortened = pl.col("label").str.strip_prefix("obsolete ")
    label = pl.when(pl.col("obsolete")).then(shortened).otherwise("label")
    term = statements.term.with_columns(label.alias("label"))
    by_name = kinds_by_name(term, statements.term_edge)
    return replace(statements, term=term, term_edge=pl.concat([statements.term_edge, by_name]))


def _read(path: Path, prefix: str) -> tuple[OboText, Ontology]:
    """Return the sanitised text and pronto's reading; if that fails, the grammar is checked."""
    sanitised = read_obo_text(path, prefix=prefix)
    try:
        return sanitised, parse(sanitised.text)
    except (SyntaxError, ValueError):
        checked = read_obo_text(path, prefix=prefix, check_grammar=True)
    try:
        return checked, parse(checked.text)
    except (SyntaxError, ValueError) as error:
        said = getattr(error, "msg", None) or error
        reason = f"not OBO, and no line of it alone is at fault: {said}"
        raise MalformedRowError(path, reason, remedy=_REMEDY) from error


def parse(text: str) -> Ontology:
    """Return sanitised OBO ``text`` as pronto's model, without following imports."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ProntoWarning)
        warnings.simplefilter("ignore", UnicodeWarning)  # it guesses the encoding; ours is known
        return Ontology(
            io.BytesIO(text.encode()),
            import_depth=0,
        )


def extract_terms(stanzas: _Stanzas) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return ``(terms, rejected)``: one Term row per stanza, labelled by name or CURIE."""
    listed = []
    for term in stanzas.terms:
        replacements = sorted(replacement.id for replacement in term.replaced_by)
        listed.append((term.id, term.name, term.obsolete, _only(replacements)))
    columns = {
        "curie": pl.String,
        "label": pl.String,
        "obsolete": pl.Boolean,
        "replaced_by": pl.String,
    }
    terms = pl.DataFrame(listed, schema=columns, orient="row")
    unnamed = terms.filter(pl.col("label").is_null())
    rows = unnamed.join(stanzas.rows, on="curie")["row"]
    labelled = terms.with_columns(
        pl.coalesce("label", "curie").alias("label"),
        pl.lit(stanzas.prefix).alias("ontology"),
        pl.lit(None, pl.String).alias("rank"),
    )
    reason = "term without a name, labelled by its identifier"
    return labelled, reject(stanzas.source, rows, reason)


def extract_alternatives(
    stanzas: _Stanzas, terms: pl.DataFrame
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return ``(alternatives, rejected)``: (curie, replaced_by) of each alternative identifier.

    An identifier of another ontology, or that is itself a live term, or that two terms claim, is
    rejected.
    """
    listed = [(other, term.id) for term in stanzas.terms for other in term.alternate_ids]
    schema = {"curie": pl.String, "replaced_by": pl.String}
    claimed = pl.DataFrame(listed, schema=schema, orient="row")
    live = terms.filter(~pl.col("obsolete"))["curie"]
    curie = pl.col("curie")
    is_own = curie.str.contains(CURIE) & has_prefix(curie, stanzas.prefix)
    is_void = curie.is_in(live.implode()) | curie.is_duplicated() | ~is_own
    claimants = claimed.filter(is_void).select(curie="replaced_by")
    rows = claimants.join(stanzas.rows, on="curie")["row"]
    reason = "alt_id is a live term, claimed by two terms, or of another ontology"
    return claimed.filter(~is_void), reject(stanzas.source, rows, reason)


def resolve_obsolete(terms: pl.DataFrame, alternatives: pl.DataFrame) -> pl.DataFrame:
    """Return Term rows with ``alternatives`` as obsolete; ``replaced_by`` is live or null."""
    both = terms.join(
        alternatives,
        on="curie",
        how="full",
        coalesce=True,
        suffix="_alt",
    )
    joined = both.with_columns(
        pl.coalesce("label", "curie").alias("label"),
        pl.col("ontology").fill_null(terms["ontology"].first()),
        pl.col("obsolete").fill_null(True),
        pl.coalesce("replaced_by", "replaced_by_alt").alias("replaced_by"),
    )
    step = joined.filter("obsolete")
    next_term = pl.col("replaced_by").replace(step["curie"], step["replaced_by"])
    for _ in range(_MAX_STEPS):
        joined = joined.with_columns(next_term)
    live = joined.filter(~pl.col("obsolete"))["curie"].implode()
    is_usable = pl.col("obsolete") & pl.col("replaced_by").is_in(live)
    return joined.with_columns(pl.when(is_usable).then("replaced_by").alias("replaced_by"))


def extract_synonyms(own: list[Term]) -> pl.DataFrame:
    """Return Synonym rows with their OBO scope, including synonyms of obsolete terms."""
    listed = [
        (term.id, synonym.description, synonym.scope) for term in own for synonym in term.synonyms
    ]
    return _distinct_rows(listed, Synonym.column_names())


def extract_edges(own: list[Term]) -> pl.DataFrame:
    """Return TermEdge rows: ``is_a``, relationships, and the parts of logical definitions."""
    listed = [edge for term in own for edge in _edges(term)]
    return _distinct_rows(listed, TermEdge.column_names())


def extract_xrefs(own: list[Term]) -> pl.DataFrame:
    """Return Xref rows exactly as upstream writes them."""
    listed = [(term.id, xref.id) for term in own for xref in term.xrefs]
    return _distinct_rows(listed, Xref.column_names())


def refuse_circle(edges: pl.DataFrame, rows: pl.DataFrame, source: str) -> None:
    """Raise ``MalformedRowError`` if ``is_a`` runs in a circle or a chain of ``MOST_STEPS``."""
    is_a = edges.filter(predicate=IS_A)
    walk = find_circle(is_a)
    if not walk:
        return
    row = int(rows.filter(curie=walk[0])["row"][0])
    is_closed = not is_a.filter(subject=walk[-1], object=walk[0]).is_empty()
    if is_closed and len(walk) <= MOST_STEPS:
        path = " is_a ".join([*walk, walk[0]])
        reason = f"a circle of is_a: {path}"
    else:
        reason = f"{walk[0]} is below a chain of more than {MOST_STEPS} is_a, or a circle of them"
    raise MalformedRowError(source, reason, row=row, remedy=_REMEDY)


def _distinct_rows(listed: Sequence[tuple[str | None, ...]], columns: list[str]) -> pl.DataFrame:
    schema = dict.fromkeys(columns, pl.String)
    return pl.DataFrame(listed, schema=schema, orient="row").unique()


def _edges(term: Term) -> Iterator[tuple[str, str, str]]:
    for parent in term.superclasses(distance=1, with_self=False):
        yield term.id, IS_A, parent.id
    for relationship, targets in term.relationships.items():
        for target in targets:
            yield term.id, relationship.id, target.id
    for part in term.intersection_of:
        if isinstance(part, tuple):
            relationship, target = part
            yield term.id, relationship.id, target.id
        else:
            yield term.id, IS_A, part.id


def _only(replacements: list[str]) -> str | None:
    return replacements[0] if len(replacements) == 1 else None
