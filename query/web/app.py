"""The application: pages, a JSON interface to the functions of this package, and who may call it.

The index is opened for each request, which takes milliseconds, so a newly published one is read
from the next request on.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from importlib.metadata import version
from typing import Annotated, Any

import duckdb
from fastapi import FastAPI, Query
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response
from fastapi.sse import EventSourceResponse, ServerSentEvent
from starlette.requests import Request as HttpRequest

from index.store.read import first_line
from ontology_etl.errors import ViromeError
from query.answer import answer_record
from query.ask.ask import answer_by
from query.atlas.page import PolicedPage
from query.browsing.associations import find_associations
from query.browsing.communities import list_communities, read_report
from query.browsing.lookup import find_community
from query.browsing.pasted import read_pasted
from query.browsing.run_list import describe_runs
from query.compiler import run
from query.errors import QueryError
from query.reading import read as read_question
from query.reading.reading import reading_record
from query.request import Request
from query.screening.screen import MAX_CHARACTERS
from query.sql_search.saving import table_csv
from query.sql_search.search import answer_of, run_own_sql
from query.web.answering import answer_events, list_modes
from query.web.evidence import MOST_RUNS, runs_behind
from query.web.guard import Guard, SafeJSON, said
from query.web.pages import LivePages
from query.web.served_index import PastedText, ServedIndex, SqlText, WebQuestion

Record = dict[str, Any]

Name = Annotated[str, Query(max_length=500)]
Level = Annotated[int, Query(ge=0, le=100)]


def make_app(site: ServedIndex) -> FastAPI:
    """Return the application that serves ``site``."""
    app = FastAPI(
        title="virome-graphrag",
        version=version("virome-graphrag"),
        summary="An index of public sequencing runs: questions, reports, evidence, SQL.",
        docs_url=None,
        redoc_url=None,
    )
    app.add_middleware(Guard, hosts=site.hosts, token=site.token)
    app.exception_handler(ViromeError)(_refused)
    app.exception_handler(RequestValidationError)(_unreadable)
    app.exception_handler(duckdb.Error)(_failed)
    _add_pages(app, site)
    _add_questions(app, site)
    _add_tables(app, site)
    return app


async def _refused(_: HttpRequest, error: Exception) -> Response:
    """Return an error of the product as JSON: 422 where the question is refused, else 503."""
    assert isinstance(error, ViromeError)
    status = 422 if isinstance(error, QueryError) else 503
    return said(status, error.message, remedy=error.remedy, name=type(error).__name__)


async def _unreadable(_: HttpRequest, error: Exception) -> Response:
    """Return what is wrong with the parameters of a call, without repeating their values."""
    assert isinstance(error, RequestValidationError)
    detail = [{key: problem[key] for key in ("loc", "msg", "type")} for problem in error.errors()]
    return SafeJSON({"detail": detail}, status_code=422)


async def _failed(_: HttpRequest, error: Exception) -> Response:
    """Return that the index cannot be read in this way, with the error, which may help."""
    text = f"the index cannot be read: {first_line(error)}"
    return said(503, text, name=type(error).__name__)


def _add_pages(app: FastAPI, site: ServedIndex) -> None:
    pages = LivePages(site.db)

    @app.get("/", response_class=HTMLResponse, include_in_schema=False)
    def atlas() -> HTMLResponse:
        return _shown(pages.atlas())

    @app.get("/api", response_class=HTMLResponse, include_in_schema=False)
    def interface() -> HTMLResponse:
        described = app.openapi()
        return _shown(pages.interface(described))

    @app.get("/health", tags=["operation"])
    def health() -> Record:
        """Say that the index can be read, and its digest."""
        query = "SELECT value FROM build WHERE key = 'content_hash'"
        with site.opened() as con:
            row = con.execute(query).fetchone()
        content = None if row is None else row[0]
        return {"status": "ok", "content": content}


def _shown(page: PolicedPage) -> HTMLResponse:
    """Return ``page`` with the policy of what it may load."""
    return HTMLResponse(page.text, headers={"Content-Security-Policy": page.policy})


def _add_questions(app: FastAPI, site: ServedIndex) -> None:
    @app.get("/api/modes", tags=["questions"])
    def modes() -> list[Record]:
        """List the ways of asking, what each can do, and examples."""
        return list_modes()

    @app.post("/api/ask", tags=["questions"])
    def ask(asked: WebQuestion) -> Record:
        """Answer a question from facts, with citations."""
        with site.opened() as con:
            answer = answer_by(site.asking(asked, con), asked.mode)
        return answer_record(answer)

    @app.get("/api/answer", tags=["questions"], response_class=EventSourceResponse)
    def answer_as_it_comes(asked: Annotated[WebQuestion, Query()]) -> Iterator[ServerSentEvent]:
        """Answer in server-sent events: reading, facts, interpreting, answer or refused."""
        yield from answer_events(site, asked)

    @app.get("/api/read", tags=["questions"])
    def read(question: Annotated[str, Query(max_length=MAX_CHARACTERS)]) -> Record:
        """Say how a question is read."""
        with site.opened() as con:
            return reading_record(read_question(con, question))

    @app.post("/api/sql", tags=["questions"])
    def run_sql(statement: SqlText) -> Record:
        """Run one SELECT, checked, in a process of its own: at most 10,000 rows, 20 s, 2 GB."""
        with site.opened() as con:
            asking = site.asking(WebQuestion.model_construct(question=statement.sql), con)
            return answer_record(answer_of(run_own_sql(asking, statement.sql)))

    @app.post("/api/query", tags=["questions"])
    def query(asked: Request) -> Record:
        """Run a request: a measure of a set of runs. The result has the answer,
        all its counts, and what was left out.
        """
        with site.opened() as con:
            return run(con, asked).to_json()


def _add_tables(app: FastAPI, site: ServedIndex) -> None:
    @app.get("/api/communities", tags=["index"])
    def communities(
        like: Name | None = None,
        level: Level | None = None,
        limit: Annotated[int, Query(ge=1, le=10_000)] = 50,
    ) -> Record:
        """List communities that have a report, largest first within each level."""
        with site.opened() as con:
            rows, total = list_communities(con, like=like, level=level, limit=limit)
        return {"total": total, "communities": [asdict(row) for row in rows]}

    @app.get("/api/reports/{community}", tags=["index"])
    def report(community: str) -> Record:
        """Give a report with its findings and citations."""
        with site.opened() as con:
            found = find_community(con, community)
            return asdict(read_report(con, found.community))

    @app.get("/api/runs", tags=["index"])
    def runs(
        key: Name,
        value: Name,
        community: Name | None = None,
        limit: Annotated[int, Query(ge=1, le=MOST_RUNS)] = 50,
        form: Annotated[str, Query(alias="format", pattern="^(json|csv)$")] = "json",
    ) -> Response:
        """List the runs behind a citation, of a community or of the whole index."""
        with site.opened() as con:
            found, total = runs_behind(con, key, value, community=community, limit=limit)
        if form == "csv":
            name = "attachment; filename=runs.csv"
            text = table_csv(found, line_end="\r\n")
            return PlainTextResponse(
                text, media_type="text/csv", headers={"Content-Disposition": name}
            )
        rows = [dict(zip(found.columns, row, strict=True)) for row in found.rows]
        return JSONResponse({"total": total, "runs": rows})

    @app.post("/api/listed", tags=["index"])
    def listed(pasted: PastedText) -> Record:
        """Say what is known of the runs that a text lists, and what sets them apart."""
        with site.opened() as con:
            return asdict(describe_runs(con, read_pasted(pasted.text)))

    @app.get("/api/associations", tags=["index"])
    def associations(
        family: Name, term: Name | None = None, limit: Annotated[int, Query(ge=1, le=1_000)] = 50
    ) -> Record:
        """List metadata that goes with more or fewer reads of a virus family."""
        with site.opened() as con:
            return asdict(find_associations(con, family, term=term, limit=limit))
