"""``POST /api/query``: a request in, its result out; the page of the API has the schema."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI

from query.request import Request
from query.web.served_index import ServedIndex


def add_query(app: FastAPI, site: ServedIndex) -> None:
    """Add the address that runs requests."""

    @app.post("/api/query", tags=["questions"])
    def query(asked: Request) -> dict[str, Any]:
        """Run a request: a measure of a set of runs. The result has every count beside the answer
        and says what was left out.
        """
        from query.compiler import run

        with site.opened() as con:
            return run(con, asked).to_json()
