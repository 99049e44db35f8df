"""The tool ``search``: passages of reports, studies, terms and documents, by words and meaning."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Final

import duckdb
from pydantic import Field

from index.claims.phrases import counted
from query.config import documents_path
from query.mcp.paging import Cursor, Rows, table_page
from query.mcp.served import Opened, Record
from query.screening.screen import screen_question
from query.search.passage import KINDS, Hit, Kind, snippet
from query.search.selecting import search_words

MOST_HITS: Final = 100
USUAL_HITS: Final = 8
LONGEST: Final = 200

_COUNTED: Final = ("study", "term")
_RUNS_OF: Final = """
SELECT study, count(*) FROM run WHERE list_contains($1, study) GROUP BY study
UNION ALL
SELECT c.ancestor, count(DISTINCT a.run) FROM annotation a JOIN closure c ON c.descendant = a.curie
WHERE list_contains($1, c.ancestor) GROUP BY c.ancestor
"""

TextGiven = Annotated[str, Field(description="words, or a sentence that means the same")]
KindGiven = Annotated[Kind | None, Field(description="only this kind")]


def search(
    opened: Opened,
    text: TextGiven,
    kind: KindGiven = None,
    rows: Rows = None,
    cursor: Cursor = None,
) -> Record:
    """Find passages in reports, findings, titles and abstracts of studies, names of terms and
    viruses, and documents of the user. For what texts say; numbers come from query. Rows are
    kind, identifier (for describe) and excerpt; those with the phrase itself come first. Of
    some studies only the text is known: [no runs]. Studies of the runs that state a term: query
    {"type": "values", "by": "study"} of {"type": "has"}. 8 rows by default.
    """
    screen_question(text)
    kinds = KINDS if kind is None else (kind,)
    store = documents_path(opened.db)
    found = search_words(opened.con, text, store, kinds=kinds, limit=MOST_HITS)
    said = sorted(found.hits, key=lambda hit: not _says(hit, text))
    runs = _runs_of(opened.con, said)
    page = table_page(
        opened,
        ("kind", "id", "excerpt"),
        [_row(hit, found.words, runs) for hit in said],
        of=["search", text, kind],
        rows=rows or USUAL_HITS,
        cursor=cursor,
        shown={"notes": list(found.notes)},
    )
    total = page["total"]
    return page | {"total": f"{MOST_HITS} or more" if total >= MOST_HITS else total}


def _says(hit: Hit, text: str) -> bool:
    """Return whether a passage contains the words of ``text`` as they are, one after another."""
    return " ".join(text.lower().split()) in " ".join(hit.passage.text.lower().split())


def _runs_of(con: duckdb.DuckDBPyConnection, hits: Iterable[Hit]) -> dict[str, int]:
    """Return how many runs the studies among ``hits`` have, and how many state the terms."""
    counted_of = [hit.passage.id for hit in hits if hit.passage.kind in _COUNTED]
    return dict.fromkeys(counted_of, 0) | dict(con.execute(_RUNS_OF, [counted_of]).fetchall())


def _row(hit: Hit, words: tuple[str, ...], runs: Mapping[str, int]) -> tuple[str, str, str]:
    passage = hit.passage
    excerpt = snippet(passage.text, words)
    if len(excerpt) > LONGEST:
        excerpt = f"{excerpt[:LONGEST].rsplit(' ', 1)[0]} …"
    if passage.kind in _COUNTED:
        number = counted(runs[passage.id], "run", "runs") if runs[passage.id] else "no runs"
        excerpt = f"{excerpt} [{number}]"
    return passage.kind, passage.id, excerpt
