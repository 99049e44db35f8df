"""Reports as linked Markdown notes: a folder that Obsidian and other note programs open."""

from __future__ import annotations

import json
from collections.abc import Collection
from pathlib import Path
from typing import Final

import duckdb

from index.reports.phrases import plain_markdown
from index.store.whole_file import write_whole
from query.browsing.communities import all_reports, report_text

_COMMUNITIES: Final = """
SELECT d.community, d.parent, d.level, d.runs, r.title, r.risk_group, r.rating
FROM reported_community d JOIN report r USING (community)
ORDER BY d.level, d.runs DESC, d.community
"""


def export_notes(
    con: duckdb.DuckDBPyConnection, folder: Path, *, withheld: Collection[str] = ()
) -> int:
    """Write one note per report and ``index.md``; return the number of notes.

    Communities ``withheld`` have no note, and no note links to one. Notes link to their parent and
    children by name and carry their figures as properties.

    Raises ``OSError`` where a file cannot be written.
    """
    rows = [row for row in con.execute(_COMMUNITIES).fetchall() if row[0] not in withheld]
    titles = {community: plain_markdown(title) for community, _, _, _, title, *_ in rows}
    children: dict[str, list[str]] = {}
    for community, parent, *_ in rows:
        children.setdefault(parent if parent in titles else "", []).append(community)
    cards = {card.community: card for card in all_reports(con)}
    for community, parent, level, runs, title, risk, rating in rows:
        properties = _properties(
            title=title, level=level, runs=runs, risk_group=risk, rating=rating
        )
        text = plain_markdown(report_text(cards[community]))
        links = _links(parent if parent in titles else None, children.get(community, []))
        note = f"{properties}\n{text}\n\n{links}".rstrip() + "\n"
        write_whole(folder / f"{community}.md", note)
    coarsest = [f"- [[{community}]] {titles[community]}" for community in children.get("", [])]
    write_whole(folder / "index.md", "# Communities\n\n" + "\n".join(coarsest) + "\n")
    return len(rows)


def _properties(**values: object) -> str:
    """Return the YAML block at the head of a note; texts are quoted."""
    lines = [f"{name}: {json.dumps(value, ensure_ascii=False)}" for name, value in values.items()]
    return "\n".join(["---", *lines, "---\n"])


def _links(parent: str | None, children: list[str]) -> str:
    lines = []
    if parent:
        lines.append(f"Part of [[{parent}]].")
    if children:
        listed = ", ".join(f"[[{child}]]" for child in children)
        lines.append(f"Divides into {listed}.")
    return "\n\n".join(lines)
