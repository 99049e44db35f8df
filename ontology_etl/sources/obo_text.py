"""OBO text made fit for pronto: what a strict parser refuses is repaired, or rejected and counted,
line by line.

Source: OBO Flat File Format 1.4, https://owlcollab.github.io/oboformat/doc/GO.format.obo-1_4.html.
Annotation clauses (names, definitions, synonyms, comments) may be lost and are counted. Where a
structural clause (identity, hierarchy, obsolescence) is broken, the meaning of the file would
change: it is refused with the row.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import fastobo
import polars as pl

from ontology_etl.curies import has_prefix
from ontology_etl.errors import (
    EmptyTableError,
    MalformedRowError,
    MissingFileError,
    TruncatedFileError,
)
from ontology_etl.sources.statements import gather_rejected
from ontology_etl.tables import CURIE, reject

STRUCTURAL: Final = (
    "id", "is_a", "relationship", "intersection_of", "union_of", "alt_id", "is_obsolete", "replaced_by",
)  # fmt: skip

_REMEDY: Final = (
    "fetch the file again, or correct the row by hand and tell the maintainers of the ontology"
)
_UNDECODABLE: Final = "\N{REPLACEMENT CHARACTER}"
_REFERENCES: Final = (
    "is_a", "relationship", "intersection_of", "union_of", "disjoint_from", "consider", "replaced_by",
)  # fmt: skip
_BLANK_IN_XREFS: Final = r'^(?:def|synonym): ".*\[[^"\[\]]*[^",\\] [^"]*\]\s*(?:\{.*\})?\s*$'
_XREFS: Final = re.compile(
    r'((?:def|synonym): "(?:[^"\\]|\\.)*"[^"\[]*\[)([^"]*)(\]\s*(?:\{.*\})?\s*)'
)
_RAW_BLANK: Final = re.compile(r"(?<![,\\]) ")
_SYNONYM_TYPE: Final = r'^"(?:[^"\\]|\\.)*" (?:EXACT|NARROW|BROAD|RELATED) ([^\s\[]+) \['
_RELATED: Final = rf"^(?:\S+ +)?{CURIE[1:]}"
_FAULT: Final = pl.Schema({"row": pl.Int64, "reason": pl.String, "fatal": pl.Boolean})


@dataclass(frozen=True)
class OboText:
    """Text that pronto reads, the original row of each term (``curie, row``), and what it took to
    get there.
    """

    text: str
    rows: pl.DataFrame
    rejected: pl.DataFrame
    repairs: int


def read_obo_text(path: Path, *, prefix: str, check_grammar: bool = False) -> OboText:
    """Return the OBO file at ``path`` as text that pronto reads. Raises ``MissingFileError`` and as
    ``sanitise``.
    """
    if not path.exists():
        raise MissingFileError(path)
    return sanitise(path.read_bytes(), source=str(path), prefix=prefix, check_grammar=check_grammar)


def sanitise(content: bytes, *, source: str, prefix: str, check_grammar: bool = False) -> OboText:
    """Return ``content`` as text that pronto reads; a term of the ontology's own ``prefix`` that is
    cited must exist.

    ``check_grammar`` also rejects the clauses that the OBO grammar does not accept. It reads every
    stanza once more, so it is for text that pronto has refused.

    Raises ``EmptyTableError`` without a term, ``TruncatedFileError`` where the last stanza is
    unfinished, ``MalformedRowError`` for a structural clause that cannot be read and for an id
    given to two different terms.
    """
    clauses = split_clauses(content.decode(errors="replace"))
    if clauses.filter(pl.col("frame") == "Term").is_empty():
        raise EmptyTableError(source, what="[Term] stanzas")
    _refuse_unfinished(clauses, source, ended=content.endswith(b"\n"))
    clauses, repairs = escape_blanks(clauses)
    rejected = []
    for check in (
        _CHECKS if check_grammar else [check for check in _CHECKS if check is not _malformed]
    ):
        faults = check(clauses, prefix)
        rejected.append(_refuse_or_reject(faults, source))
        clauses = clauses.join(faults, on="row", how="anti", maintain_order="left")
    synonym_types = _undeclared_synonym_types(clauses)
    rows = clauses.filter(_is_term, pl.col("tag") == "id").select(curie="value", row="row")
    text = _compose(clauses, synonym_types)
    return OboText(text, rows, gather_rejected(rejected), repairs + len(synonym_types))


def split_clauses(text: str) -> pl.DataFrame:
    """Return one row per line that says something: ``row, stanza, frame, id, tag, value, line``.

    ``stanza`` counts from 0, the header; ``frame`` is the stanza's kind; ``tag`` is null where the
    line is no clause; ``value`` is what a reference clause points to, without trailing modifiers
    and comments, else the whole value.
    """
    line = pl.col("line")
    opens = line.str.starts_with("[")
    body = line.str.extract(r"^[^:]+:\s*(.*)$")
    bare = body.str.replace(r"\s*(?:\{.*\}\s*)?(?:!.*)?$", "")
    is_bare = pl.col("tag").is_in([*_REFERENCES, "id", "alt_id", "is_obsolete"])
    return (
        pl.DataFrame({"line": text.splitlines() if "\r" in text else text.split("\n")})
        .with_row_index("row", 1)
        .filter(line.str.contains(r"^\s*[^\s!]"))
        .with_columns(
            pl.col("row").cast(pl.Int64),
            stanza=opens.cum_sum(),
            tag=pl.when(~opens).then(line.str.extract(r"^([A-Za-z_-]+):")),
        )
        .with_columns(
            frame=pl.when(opens)
            .then(line.str.extract(r"^\[(\w+)\]\s*$").fill_null("?"))
            .forward_fill(),
            value=pl.when(is_bare).then(bare).otherwise(body),
        )
        .with_columns(id=pl.col("value").filter(pl.col("tag") == "id").first().over("stanza"))
    )


def escape_blanks(clauses: pl.DataFrame) -> tuple[pl.DataFrame, int]:
    """Return ``(clauses, repairs)``: raw blanks within a list of cross-references escaped, and in
    how many clauses.
    """
    suspects = clauses.filter(pl.col("line").str.contains(_BLANK_IN_XREFS))
    fixed = suspects.select(
        "row", fixed=pl.Series([_escape(line) for line in suspects["line"]], dtype=pl.String)
    )
    repaired = clauses.join(fixed, on="row", how="left", maintain_order="left")
    changed = int((repaired["fixed"] != repaired["line"]).sum())
    return repaired.with_columns(line=pl.coalesce("fixed", "line")).drop("fixed"), changed


_is_term: Final = pl.col("frame") == "Term"


def _escape(line: str) -> str:
    parts = _XREFS.fullmatch(line)
    return line if parts is None else parts[1] + _RAW_BLANK.sub(r"\\ ", parts[2]) + parts[3]


def _refuse_unfinished(clauses: pl.DataFrame, source: str, *, ended: bool) -> None:
    last = clauses.filter(pl.col("stanza") == pl.col("stanza").max())
    if ended:
        return
    broken = next(_unreadable_rows(last), None)
    if broken is not None:
        raise TruncatedFileError(source, "its last stanza is unfinished", row=broken)


def _refuse_or_reject(faults: pl.DataFrame, source: str) -> pl.DataFrame:
    """Return the faults as rejected rows, or raise ``MalformedRowError`` for the first fatal one."""
    fatal = faults.filter("fatal").sort("row")
    if len(fatal):
        raise MalformedRowError(
            source, str(fatal["reason"][0]), row=int(fatal["row"][0]), remedy=_REMEDY
        )
    reasons = faults["reason"].unique().to_list()
    return gather_rejected(
        reject(source, faults.filter(reason=reason)["row"], reason) for reason in reasons
    )


def _fault(rows: pl.DataFrame, reason: str | pl.Expr, *, fatal: bool | pl.Expr) -> pl.DataFrame:
    said = pl.lit(reason) if isinstance(reason, str) else reason
    grave = pl.lit(fatal) if isinstance(fatal, bool) else fatal
    return rows.select("row", said.alias("reason"), grave.fill_null(False).alias("fatal")).cast(
        _FAULT
    )


def _undecodable(clauses: pl.DataFrame, _prefix: str) -> pl.DataFrame:
    rows = clauses.filter(pl.col("line").str.contains(_UNDECODABLE, literal=True))
    return _fault(rows, "bytes that are not UTF-8", fatal=pl.col("tag").is_in(STRUCTURAL))


def _foreign_frames(clauses: pl.DataFrame, _prefix: str) -> pl.DataFrame:
    """Return the clauses of stanzas that are neither terms nor relationship types: instances,
    unknown kinds.
    """
    rows = clauses.filter((pl.col("stanza") > 0) & ~pl.col("frame").is_in(["Term", "Typedef"]))
    return _fault(rows, "stanza is neither a term nor a relationship type", fatal=False)


def _anonymous(clauses: pl.DataFrame, _prefix: str) -> pl.DataFrame:
    return _fault(
        clauses.filter(pl.col("stanza") > 0, pl.col("id").is_null()),
        "stanza without an id",
        fatal=False,
    )


def _misnamed(clauses: pl.DataFrame, prefix: str) -> pl.DataFrame:
    """Return ids of this ontology that are no CURIE."""
    ids = clauses.filter(_is_term, pl.col("tag") == "id", has_prefix(pl.col("value"), prefix))
    return _fault(ids.filter(~pl.col("value").str.contains(CURIE)), "id is no CURIE", fatal=True)


def _stated_twice(clauses: pl.DataFrame, _prefix: str) -> pl.DataFrame:
    """Return second ids and names within one stanza: fatal where they differ from the first."""
    single = clauses.filter(
        pl.col("stanza") > 0, pl.col("tag").is_in(["id", "name", "is_obsolete"])
    )
    first = pl.col("value").first().over("stanza", "tag")
    differs = single.with_columns(differs=first != pl.col("value"))
    again = differs.filter(~pl.struct("stanza", "tag").is_first_distinct())
    return _fault(again, pl.format("{} stated twice in one stanza", "tag"), fatal=pl.col("differs"))


def _repeated_terms(clauses: pl.DataFrame, _prefix: str) -> pl.DataFrame:
    """Return the clauses of second stanzas of an id: fatal where name or structure differ from the
    first.
    """
    terms = clauses.filter(_is_term)
    defining = pl.col("tag").is_in([*STRUCTURAL, "name"])
    stanzas = (
        terms.filter(defining)
        .group_by("id", "stanza")
        .agg(said=pl.format("{} {}", "tag", "value").unique().sort().str.join("\n"))
    )
    stanzas = stanzas.sort("stanza").with_columns(first=pl.col("said").first().over("id"))
    again = stanzas.filter(~pl.col("id").is_first_distinct()).select(
        "stanza", differs=pl.col("said") != pl.col("first")
    )
    rows = terms.join(again, on="stanza")
    return _fault(rows, pl.format("second stanza of {}", "id"), fatal=pl.col("differs"))


def _malformed(clauses: pl.DataFrame, _prefix: str) -> pl.DataFrame:
    """Return the clauses that the OBO grammar does not accept."""
    bad = [
        row
        for _, stanza in clauses.group_by("stanza", maintain_order=True)
        for row in _unreadable_rows(stanza)
    ]
    rows = clauses.filter(pl.col("row").is_in(bad))
    return _fault(rows, "not a clause of the OBO format", fatal=pl.col("tag").is_in(STRUCTURAL))


def _unclear(clauses: pl.DataFrame, _prefix: str) -> pl.DataFrame:
    """Return references that are no CURIE, with a relationship before it where the clause takes
    one.
    """
    takes_relation = pl.col("tag").is_in(["relationship", "intersection_of"])
    clear = pl.col("value").str.contains(_RELATED) & (
        takes_relation | ~pl.col("value").str.contains(" ")
    )
    rows = clauses.filter(_is_term, pl.col("tag").is_in(_REFERENCES), ~clear)
    return _fault(rows, "not a reference to a term", fatal=pl.col("tag").is_in(STRUCTURAL))


def _dangling(clauses: pl.DataFrame, prefix: str) -> pl.DataFrame:
    """Return references to a term of this ontology that does not exist; those to other ontologies
    are kept.
    """
    known = clauses.filter(_is_term, pl.col("tag") == "id")["value"].implode()
    target = pl.col("value").str.extract(r"(\S+)$")
    cited = clauses.filter(_is_term, pl.col("tag").is_in(_REFERENCES))
    rows = cited.filter(has_prefix(target, prefix) & ~target.is_in(known))
    return _fault(rows, pl.format("{} points to a term that does not exist", "tag"), fatal=False)


def _reflexive(clauses: pl.DataFrame, _prefix: str) -> pl.DataFrame:
    cited = clauses.filter(_is_term, pl.col("tag").is_in(_REFERENCES))
    rows = cited.filter(pl.col("value").str.extract(r"(\S+)$") == pl.col("id"))
    return _fault(rows, pl.format("{} points to the term itself", "tag"), fatal=False)


def _lonely(clauses: pl.DataFrame, _prefix: str) -> pl.DataFrame:
    """Return logical definitions of one part: the format asks for two or more."""
    parts = clauses.filter(_is_term, pl.col("tag").is_in(["intersection_of", "union_of"]))
    rows = parts.filter(pl.len().over("stanza", "tag") == 1)
    return _fault(rows, pl.format("a single {} defines nothing", "tag"), fatal=False)


_CHECKS: Final = (
    _undecodable, _foreign_frames, _anonymous, _misnamed, _stated_twice, _repeated_terms, _malformed,
    _unclear, _dangling, _reflexive, _lonely,
)  # fmt: skip
"""In order: each sees what the ones before it left."""


def _unreadable_rows(stanza: pl.DataFrame) -> Iterator[int]:
    """Yield the row of each clause of one stanza that the OBO grammar does not accept."""
    lines = dict(zip(stanza["row"].to_list(), stanza["line"].to_list(), strict=True))
    while lines:
        try:
            fastobo.loads("\n".join(lines.values()) + "\n")
        except SyntaxError as error:
            row = list(lines)[min(error.lineno or 1, len(lines)) - 1]
            del lines[row]
            yield row
        else:
            return


def _undeclared_synonym_types(clauses: pl.DataFrame) -> list[str]:
    declared = clauses.filter(tag="synonymtypedef")["value"].str.extract(r"^(\S+)")
    used = clauses.filter(tag="synonym")["value"].str.extract(_SYNONYM_TYPE).drop_nulls()
    return sorted(set(used) - set(declared))


def _compose(clauses: pl.DataFrame, synonym_types: list[str]) -> str:
    """Return the text of ``clauses`` with a declaration of everything they refer to, which pronto
    insists on.
    """
    header = clauses.filter(pl.col("stanza") == 0)["line"].to_list()
    types = [f'synonymtypedef: {name} ""' for name in synonym_types]
    body = clauses.filter(_is_term).sort(
        "stanza", pl.col("tag").is_not_null(), pl.col("tag") != "id", maintain_order=True
    )
    cited = body.filter(pl.col("tag").is_in(_REFERENCES)).select(
        target=pl.col("value").str.extract(r"(\S+)$"),
        relation=pl.col("value").str.extract(r"^(\S+)\s+\S"),
    )
    known = set(body.filter(tag="id")["value"])
    stubs = [f"[Term]\nid: {name}" for name in sorted(set(cited["target"].drop_nulls()) - known)]
    relations = [f"[Typedef]\nid: {name}" for name in sorted(set(cited["relation"].drop_nulls()))]
    return "\n".join([*header, *types, *body["line"], *stubs, *relations]) + "\n"
