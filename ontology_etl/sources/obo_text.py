"""OBO text that pronto can read: lines that it would refuse are repaired, or rejected and counted.

Source: OBO Flat File Format 1.4, https://owlcollab.github.io/oboformat/doc/GO.format.obo-1_4.html.
Annotation clauses (names, definitions, synonyms, comments) may be lost and are counted. Where a
structural clause (identity, hierarchy, obsolescence) is broken, the meaning of the file would
change: it is refused with the row.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import polars as pl

from ontology_etl.errors import (
    EmptyTableError,
    MalformedRowError,
    MissingFileError,
    TruncatedFileError,
)
from ontology_etl.sources.obo_checks import (
    ALL_CHECKS,
    CHECKS,
    IS_REFERENCE,
    IS_TERM,
    REFERENCES,
    TARGET,
    unreadable_rows,
)
from ontology_etl.sources.statements import gather_rejected
from ontology_etl.tables import reject

_REMEDY: Final = "fetch the file again, or correct the row by hand and report it to the maintainers"
_BLANK_IN_XREFS: Final = r'^(?:def|synonym): ".*\[[^"\[\]]*[^",\\] [^"]*\]\s*(?:\{.*\})?\s*$'
_XREFS: Final = re.compile(
    r'((?:def|synonym): "(?:[^"\\]|\\.)*"[^"\[]*\[)([^"]*)(\]\s*(?:\{.*\})?\s*)'
)
_RAW_BLANK: Final = re.compile(r"(?<![,\\]) ")
_SYNONYM_TYPE: Final = r'^"(?:[^"\\]|\\.)*" (?:EXACT|NARROW|BROAD|RELATED) ([^\s\[]+) \['


@dataclass(frozen=True)
class OboText:
    """Text that pronto reads, and what was done to the file.

    ``rows`` is (curie, row), the original row of each term.
    """

    text: str
    rows: pl.DataFrame
    rejected: pl.DataFrame
    repairs: int


def read_obo_text(path: Path, *, prefix: str, check_grammar: bool = False) -> OboText:
    """Return the OBO file at ``path`` as text that pronto reads.

    Raises ``MissingFileError``, and as ``sanitise``.
    """
    if not path.exists():
        raise MissingFileError(path)
    return sanitise(
        path.read_bytes(),
        source=str(path),
        prefix=prefix,
        check_grammar=check_grammar,
    )


def sanitise(content: bytes, *, source: str, prefix: str, check_grammar: bool = False) -> OboText:
    """Return ``content`` as text that pronto reads.

    A cited term of the ontology's own ``prefix`` must exist. ``check_grammar`` also rejects the
    clauses that the OBO grammar does not accept. It reads every stanza once more, so it is for text
    that pronto has refused.

    Raises ``EmptyTableError`` without a term, ``TruncatedFileError`` where the last stanza is
    unfinished, ``MalformedRowError`` for a structural clause that cannot be read and for an id
    given to two different terms.
    """
    clauses = split_clauses(content.decode(errors="replace"))
    if clauses.filter(pl.col("frame") == "Term").is_empty():
        raise EmptyTableError(source, what="[Term] stanzas")
    _refuse_unfinished(clauses, source, ended=content.endswith(b"\n"))
    clauses, repairs = escape_blanks(clauses)
    checks = ALL_CHECKS if check_grammar else CHECKS
    rejected = []
    for check in checks:
        faults = check(clauses, prefix)
        rejected.append(_refuse_or_reject(faults, source))
        clauses = clauses.join(
            faults,
            on="row",
            how="anti",
            maintain_order="left",
        )
    synonym_types = _undeclared_synonym_types(clauses)
    ids = clauses.filter(IS_TERM, pl.col("tag") == "id")
    return OboText(
        text=_compose(clauses, synonym_types),
        rows=ids.select(curie="value", row="row"),
        rejected=gather_rejected(rejected),
        repairs=repairs + len(synonym_types),
    )


def split_clauses(text: str) -> pl.DataFrame:
    """Return one row per line that says something: ``row, stanza, frame, id, tag, value, line``.

    ``stanza`` counts from 0, the header; ``frame`` is the stanza's kind; ``tag`` is null where the
    line is no clause; ``value`` is what a reference clause points to, without trailing modifiers
    and comments, else the whole value.
    """
    lines = text.splitlines() if "\r" in text else text.split("\n")
    numbered = pl.DataFrame({"line": lines}).with_row_index("row", 1)
    line = pl.col("line")
    said = numbered.filter(line.str.contains(r"^\s*[^\s!]"))
    opens_stanza = line.str.starts_with("[")
    tagged = said.with_columns(
        pl.col("row").cast(pl.Int64),
        stanza=opens_stanza.cum_sum(),
        tag=pl.when(~opens_stanza).then(line.str.extract(r"^([A-Za-z_-]+):")),
    )
    kind = line.str.extract(r"^\[(\w+)\]\s*$").fill_null("?")
    body = line.str.extract(r"^[^:]+:\s*(.*)$")
    without_modifiers = body.str.replace(r"\s*(?:\{.*\}\s*)?(?:!.*)?$", "")
    takes_modifiers = pl.col("tag").is_in([*REFERENCES, "id", "alt_id", "is_obsolete"])
    valued = tagged.with_columns(
        frame=pl.when(opens_stanza).then(kind).forward_fill(),
        value=pl.when(takes_modifiers).then(without_modifiers).otherwise(body),
    )
    first_id = pl.col("value").filter(pl.col("tag") == "id").first()
    return valued.with_columns(id=first_id.over("stanza"))


def escape_blanks(clauses: pl.DataFrame) -> tuple[pl.DataFrame, int]:
    """Return ``(clauses, repairs)``: raw blanks within a list of cross-references escaped.

    ``repairs`` counts the clauses that had some.
    """
    suspects = clauses.filter(pl.col("line").str.contains(_BLANK_IN_XREFS))
    escaped = [_escape(line) for line in suspects["line"]]
    fixed = suspects.select(
        "row",
        fixed=pl.Series(escaped, dtype=pl.String),
    )
    repaired = clauses.join(
        fixed,
        on="row",
        how="left",
        maintain_order="left",
    )
    changed = int((repaired["fixed"] != repaired["line"]).sum())
    return repaired.with_columns(line=pl.coalesce("fixed", "line")).drop("fixed"), changed


def _escape(line: str) -> str:
    parts = _XREFS.fullmatch(line)
    if parts is None:
        return line
    before, references, after = parts.groups()
    return before + _RAW_BLANK.sub(r"\\ ", references) + after


def _refuse_unfinished(clauses: pl.DataFrame, source: str, *, ended: bool) -> None:
    if ended:
        return
    last = clauses.filter(pl.col("stanza") == pl.col("stanza").max())
    broken = next(unreadable_rows(last), None)
    if broken is not None:
        raise TruncatedFileError(source, "its last stanza is unfinished", row=broken)


def _refuse_or_reject(faults: pl.DataFrame, source: str) -> pl.DataFrame:
    """Return the faults as rejected rows, or raise ``MalformedRowError`` for the first fatal
    one."""
    fatal = faults.filter("fatal").sort("row")
    if len(fatal):
        reason = str(fatal["reason"][0])
        row = int(fatal["row"][0])
        raise MalformedRowError(source, reason, row=row, remedy=_REMEDY)
    rejected = []
    for reason in faults["reason"].unique().to_list():
        rows = faults.filter(reason=reason)["row"]
        rejected.append(reject(source, rows, reason))
    return gather_rejected(rejected)


def _undeclared_synonym_types(clauses: pl.DataFrame) -> list[str]:
    declarations = clauses.filter(tag="synonymtypedef")["value"]
    declared = declarations.str.extract(r"^(\S+)")
    synonyms = clauses.filter(tag="synonym")["value"]
    used = synonyms.str.extract(_SYNONYM_TYPE).drop_nulls()
    return sorted(set(used) - set(declared))


def _compose(clauses: pl.DataFrame, synonym_types: list[str]) -> str:
    """Return the text of ``clauses`` with a declaration of everything they refer to.

    pronto insists on these declarations. In each stanza its opening line comes first, then its id.
    """
    header = clauses.filter(pl.col("stanza") == 0)["line"].to_list()
    types = [f'synonymtypedef: {name} ""' for name in synonym_types]
    tag = pl.col("tag")
    order = ("stanza", tag.is_not_null(), tag != "id")
    body = clauses.filter(IS_TERM).sort(order, maintain_order=True)
    relation = pl.col("value").str.extract(r"^(\S+)\s+\S")
    cited = body.filter(IS_REFERENCE).select(target=TARGET, relation=relation)
    known = set(body.filter(tag="id")["value"])
    unknown = set(cited["target"].drop_nulls()) - known
    stubs = [f"[Term]\nid: {name}" for name in sorted(unknown)]
    related = set(cited["relation"].drop_nulls())
    relations = [f"[Typedef]\nid: {name}" for name in sorted(related)]
    return "\n".join([*header, *types, *body["line"], *stubs, *relations]) + "\n"
