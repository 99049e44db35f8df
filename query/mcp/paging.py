"""Lists in pages: the first rows, how many there are, and a cursor that reads on."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import Annotated, Any, Final, TypeVar

from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field

from query.mcp.compact import plain
from query.mcp.served import Opened, Record

T = TypeVar("T")

USUAL_ROWS: Final = 20
MOST_ROWS: Final = 200
ALL_ROWS: Final = 10_000
"""Most rows that are read: what may not be seen is taken out before a list is cut into pages."""

Rows = Annotated[int | None, Field(ge=1, le=MOST_ROWS, description="rows to return; 20")]
Cursor = Annotated[
    str | None, Field(description="`next` of the last result, with the same arguments")
]


def page_of(
    listed: Sequence[T], *, rows: int | None, cursor: str | None, of: str
) -> tuple[Sequence[T], str | None]:
    """Return the page of ``listed`` that ``cursor`` names, and a cursor that reads on, if any.

    ``of`` says what the list is of.

    Raises ``ToolError`` for a cursor of another list, or of an index that was replaced since.
    """
    mark = hashlib.blake2b(of.encode(), digest_size=4).hexdigest()
    start = 0 if cursor is None else _start(cursor, mark)
    end = start + (rows or USUAL_ROWS)
    return listed[start:end], f"{end}-{mark}" if end < len(listed) else None


def _start(cursor: str, mark: str) -> int:
    number, _, said = cursor.partition("-")
    if said != mark or not (number.isascii() and number.isdigit()):
        raise ToolError(
            f"{cursor!r} is not a cursor of this list: the arguments differ, or the index was "
            "replaced. Call again without cursor"
        )
    return int(number)


def table_page(
    opened: Opened,
    columns: Sequence[str],
    listed: Sequence[Sequence[Any]],
    *,
    of: Sequence[object],
    rows: int | None,
    cursor: str | None,
    shown: Record | None = None,
) -> Record:
    """Return a page of the rows of ``listed`` that may be seen, after what is ``shown`` of all.

    ``of`` is what was asked for. Cells beyond ``columns`` serve the gate.
    """
    seen = opened.withholding.rows(listed)
    page, further = page_of(seen, rows=rows, cursor=cursor, of=json.dumps([*of, opened.stamp]))
    head = opened.withholding.result(shown or {})
    note = head.pop("note", "")
    return {
        **head,
        "columns": list(columns),
        "rows": [[plain(cell) for cell in row[: len(columns)]] for row in page],
        "total": len(seen),
        "next": further,
        "note": note,
    }
