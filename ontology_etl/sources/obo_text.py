"""Make OBO text readable for pronto: lines that it would refuse are repaired, or rejected.

Source: OBO Flat File Format 1.4, https://owlcollab.github.io/oboformat/doc/GO.format.obo-1_4.html.
Rejected clauses are counted. The file is refused only if more than a hundredth of its structural
clauses (identity, hierarchy, obsolescence) is broken.
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
    IS_REFERENCE,
    IS_STRUCTURAL,
    IS_TERM,
    REFERENCES,
    TARGET,
    checks_of,
    unreadable_rows,
)
from ontology_etl.tables import gather_rejected, reject_rows

_REMEDY: Final = "fetch the file again, or correct the row by hand and report it to the maintainers"
_NO_HEADER: Final = "format-version: 1.4"
"""Replaces the header of a file that has none: pronto recognises the format by it."""
_BLANK_IN_XREFS: Final = r'^(?:def|synonym): ".*\[[^"\[\]]*[^",\\] [^"]*\]\s*(?:\{.*\})?\s*$'
_XREFS: Final = re.compile(
    r'((?:def|synonym): "(?:[^"\\]|\\.)*"[^"\[]*\[)([^"]*)(\]\s*(?:\{.*\})?\s*)'
)
_RAW_BLANK: Final = re.compile(r"(?<![,\\]) ")
_CONTINUED: Final = re.compile(r"(?<!\\)(?:\\\\)*\\$")
"""A line that continues in the next one: it ends in a backslash that is not escaped itself."""
_PLAIN_SYNONYM: Final = r'^synonym: ("(?:[^"\\]|\\.)*")\s*(EXACT|NARROW|BROAD|RELATED)?\s*(\[.*)?$'
_FORMER_SYNONYM: Final = (
    r'^(?:(exact|narrow|broad|related)_)synonym: ("(?:[^"\\]|\\.)*")\s*(\[.*)?$'
)
"""A synonym as OBO 1.0 wrote it: the scope is part of the tag."""
_LEAST_FAULTS: Final = 10
_MOST_FAULTS: Final = 0.01
"""Broken structural clauses that a file may have: ten, or this share if that is more."""
_SYNONYM_TYPE: Final = r'^"(?:[^"\\]|\\.)*" (?:EXACT|NARROW|BROAD|RELATED) ([^\s\[]+) \['


@dataclass(frozen=True)
class OboText:
    """Text that pronto can read, with the (curie, row) of each term, rejections and repairs."""

    text: str
    rows: pl.DataFrame
    rejected: pl.DataFrame
    repairs: int


def read_obo_text(path: Path, *, prefix: str, check_grammar: bool = False) -> OboText:
    """Return the OBO file at ``path`` as text that pronto can read.

    ``prefix`` is that of the ontology's own terms. ``check_grammar`` is for text that pronto has
    refused (``obo_checks.checks_of``).

    Raises ``MissingFileError``, ``EmptyTableError`` without a term, ``TruncatedFileError`` where
    the last stanza is unfinished, ``MalformedRowError`` where too many structural clauses cannot be
    used.
    """
    if not path.is_file():
        raise MissingFileError(path)
    content, source = path.read_bytes(), str(path)
    clauses = split_clauses(content.decode("utf-8-sig", errors="replace"))
    if clauses.filter(pl.col("frame") == "Term").is_empty():
        raise EmptyTableError(source, what="[Term] stanzas")
    _refuse_unfinished(clauses, source, ended=content.endswith(b"\n"))
    clauses, completed = complete_synonyms(clauses)
    clauses, escaped = escape_blanks(clauses)
    structural = clauses.select(IS_STRUCTURAL.sum()).item()
    rejected, fatal = [], []
    for check in checks_of(prefix, grammar=check_grammar):
        faults = check(clauses)
        fatal.append(faults.filter("fatal"))
        rejected.append(reject_rows(source, faults))
        clauses = clauses.join(
            faults,
            on="row",
            how="anti",
            maintain_order="left",
        )
    _refuse_broken(pl.concat(fatal), source, structural=structural)
    synonym_types = _undeclared_synonym_types(clauses)
    ids = clauses.filter(IS_TERM, pl.col("tag") == "id")
    return OboText(
        text=_compose(clauses, synonym_types),
        rows=ids.select(curie="value", row="row"),
        rejected=gather_rejected(rejected),
        repairs=completed + escaped + len(synonym_types),
    )


def split_clauses(text: str) -> pl.DataFrame:
    """Return one row per non-empty line: ``row, stanza, frame, id, tag, value, line``.

    ``stanza`` counts from 0, the header; ``frame`` is the stanza's kind; ``tag`` is null if the
    line is not a clause; ``value`` is what a reference clause points to, without trailing modifiers
    and comments, else the whole value.
    """
    lines = text.splitlines() if "\r" in text else text.split("\n")
    numbered = _joined(pl.DataFrame({"line": lines}).with_row_index("row", 1))
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


def _joined(numbered: pl.DataFrame) -> pl.DataFrame:
    """Return [row, line]; a line that ends in a backslash is joined to the next one."""
    if not numbered["line"].str.ends_with("\\").any():
        return numbered
    lines: dict[int, str] = {}
    first, begun = 0, ""
    for row, line in numbered.iter_rows():
        first = first if begun else row
        whole = begun + (line.lstrip() if begun else line)
        begun = f"{whole[:-1].rstrip()} " if _CONTINUED.search(whole) else ""
        if not begun:
            lines[first] = whole
    if begun:
        lines[first] = begun.rstrip()
    columns = {"row": list(lines), "line": list(lines.values())}
    return pl.DataFrame(columns, schema=numbered.schema)


def complete_synonyms(clauses: pl.DataFrame) -> tuple[pl.DataFrame, int]:
    """Return ``(clauses, repairs)``: a missing scope or reference list of synonyms is added.

    A synonym without a scope is RELATED, as the format says. Those with the scope in their tag
    (``exact_synonym``) are rewritten.
    """
    line = pl.col("line").str.strip_chars_end()
    scope = line.str.extract(_PLAIN_SYNONYM, 2)
    references = line.str.extract(_PLAIN_SYNONYM, 3)
    lacks = line.str.contains(_PLAIN_SYNONYM) & (scope.is_null() | references.is_null())
    plain = _synonym(line.str.extract(_PLAIN_SYNONYM, 1), scope, references)
    former = _synonym(
        line.str.extract(_FORMER_SYNONYM, 2),
        line.str.extract(_FORMER_SYNONYM, 1).str.to_uppercase(),
        line.str.extract(_FORMER_SYNONYM, 3),
    )
    completed = pl.when(lacks).then(plain).when(line.str.contains(_FORMER_SYNONYM)).then(former)
    written = clauses.with_columns(completed=completed)
    changed = pl.col("completed").is_not_null()
    value = pl.col("completed").str.strip_prefix("synonym: ")
    repaired = written.with_columns(
        pl.coalesce("completed", "line").alias("line"),
        pl.when(changed).then(pl.lit("synonym")).otherwise("tag").alias("tag"),
        pl.when(changed).then(value).otherwise("value").alias("value"),
    )
    return repaired.drop("completed"), int(written["completed"].is_not_null().sum())


def _synonym(name: pl.Expr, scope: pl.Expr, references: pl.Expr) -> pl.Expr:
    known = pl.coalesce(scope, pl.lit("RELATED"))
    listed = pl.coalesce(references, pl.lit("[]"))
    return pl.format("synonym: {} {} {}", name, known, listed)


def escape_blanks(clauses: pl.DataFrame) -> tuple[pl.DataFrame, int]:
    """Return ``(clauses, repairs)``: blanks in lists of cross-references are escaped."""
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


def _refuse_broken(fatal: pl.DataFrame, source: str, *, structural: int) -> None:
    """Raise ``MalformedRowError`` if too many structural clauses are broken."""
    if len(fatal) <= max(_LEAST_FAULTS, _MOST_FAULTS * structural):
        return
    first = fatal.sort("row")
    reason = f"{first['reason'][0]}, and {len(fatal) - 1:,} more structural clauses cannot be used"
    raise MalformedRowError(source, reason, row=int(first["row"][0]), remedy=_REMEDY)


def _undeclared_synonym_types(clauses: pl.DataFrame) -> list[str]:
    declarations = clauses.filter(tag="synonymtypedef")["value"]
    declared = declarations.str.extract(r"^(\S+)")
    synonyms = clauses.filter(tag="synonym")["value"]
    used = synonyms.str.extract(_SYNONYM_TYPE).drop_nulls()
    return sorted(set(used) - set(declared))


def _compose(clauses: pl.DataFrame, synonym_types: list[str]) -> str:
    """Return the text of ``clauses``, with a declaration of everything that they refer to.

    pronto insists on these declarations. In each stanza its opening line comes first, then its id.
    """
    header = clauses.filter(pl.col("stanza") == 0)["line"].to_list() or [_NO_HEADER]
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
