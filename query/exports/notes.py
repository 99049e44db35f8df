"""Reports as linked Markdown notes: a folder that Obsidian and other note programs open."""

from __future__ import annotations

import json
from collections.abc import Collection
from pathlib import Path
from typing import Final

import duckdb

from index.claims.phrases import plain_markdown
from index.store.whole_file import write_whole
from query.browsing.communities import ReportCard, all_reports, report_text

_PROPERTIES: Final = ("title", "level", "runs", "risk_group", "rating")


def export_notes(
    con: duckdb.DuckDBPyConnection, folder: Path, *, withheld: Collection[str] = ()
) -> int:
    """Write one note per report and ``index.md``; return the number of notes.

    Communities ``withheld`` have no note, and no note links to one. Notes link to their parent and
    children by name and carry their figures as properties.

    Raises ``OSError`` where a file cannot be written.
    """
    cards = [card for card in all_reports(con) if card.community not in withheld]
    titles = {card.community: plain_markdown(card.title) for card in cards}
    parents = {card.community: card.parent if card.parent in titles else None for card in cards}
    children: dict[str | None, list[str]] = {}
    for community, parent in parents.items():
        children.setdefault(parent, []).append(community)
    for card in cards:
        text = plain_markdown(report_text(card))
        links = _links(parents[card.community], children.get(card.community, []))
        note = f"{_properties(card)}\n{text}\n\n{links}".rstrip() + "\n"
        write_whole(folder / f"{card.community}.md", note)
    coarsest = [f"- [[{community}]] {titles[community]}" for community in children.get(None, [])]
    write_whole(folder / "index.md", "# Communities\n\n" + "\n".join(coarsest) + "\n")
    return len(cards)


def _properties(card: ReportCard) -> str:
    """Return the YAML block at the head of a note; texts are quoted."""
    values = {name: getattr(card, name) for name in _PROPERTIES}
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
