"""A model as an agent of ``benchmarks.agents``: alone, or with the SQL tool of an index.

    VIROME_MODEL=… OPENAI_API_KEY=… python -m benchmarks.agents --db INDEX \\
        --agent "python -m benchmarks.model_agent"

Any OpenAI-compatible endpoint (``OPENAI_BASE_URL``). With an index the model sees its tables and
may send up to six SELECTs; each result comes back cut to 20 rows.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any, Final

from index.store.build import open_index
from query.errors import QueryError
from query.sql_search.catalogue import read_catalogue
from query.sql_search.checking import check_select
from query.sql_search.running import SqlLimits, run_apart

ALONE: Final = (
    "Answer a question about viruses in public sequencing runs. Reply with one JSON object: "
    '{"answer": number or text or [texts]} or {"refuse": "why"} where data on runs, their '
    "metadata and the viruses found in them cannot answer it."
)
WITH_INDEX: Final = ' You may first send {"sql": "SELECT …"} (DuckDB) and get its rows. Tables:\n'
MAX_CALLS: Final = 6
MAX_ROWS: Final = 20


def tables_of(index: Path) -> str:
    """Return every table with its columns, a line each."""
    with open_index(index) as con:
        tables = read_catalogue(con).tables.values()
    lines = [f"{table.name}({', '.join(part.name for part in table.columns)})" for table in tables]
    return "\n".join(lines)


def rows_of(index: Path, sql: str) -> str:
    """Return the rows of a checked SELECT as JSON, or why there are none."""
    try:
        with open_index(index) as con:
            checked = check_select(con, sql, read_catalogue(con))
        selected = run_apart(index, checked.sql, limits=SqlLimits(max_rows=MAX_ROWS))
    except QueryError as error:
        return json.dumps({"error": str(error)})
    return json.dumps({"columns": selected.columns, "rows": selected.rows}, default=str)


def ask(question: str, index: Path | None) -> dict[str, Any]:
    """Return the answer of the configured model to ``question``."""
    from openai import OpenAI

    client = OpenAI()
    system = ALONE if index is None else ALONE + WITH_INDEX + tables_of(index)
    messages: list[Any] = [
        {"role": "system", "content": system},
        {"role": "user", "content": question},
    ]
    for _ in range(MAX_CALLS + 1):
        reply = client.chat.completions.create(
            model=os.environ["VIROME_MODEL"],
            messages=messages,
            response_format={"type": "json_object"},
            temperature=0,
        )
        text = reply.choices[0].message.content or "{}"
        said: dict[str, Any] = json.loads(text)
        if index is None or "sql" not in said:
            break
        rows = rows_of(index, said["sql"])
        messages += [{"role": "assistant", "content": text}, {"role": "user", "content": rows}]
    return said if "answer" in said or "refuse" in said else {"refuse": "no answer"}


def main() -> None:
    """Answer the question on stdin."""
    given = json.load(sys.stdin)
    index = Path(given["index"]) if given["index"] else None
    print(json.dumps(ask(given["question"], index)))


if __name__ == "__main__":
    main()
