"""``query serve`` and ``query mcp``: the index in a browser, and for MCP clients."""

from __future__ import annotations

import secrets
from typing import Annotated, Literal

import typer

from query.cli.answering import Budget, RiskPolicyName, policy_of
from query.cli.console import Database, index_opened, reported, say
from query.cli.usage import optional
from query.config import database_path, model_choice
from query.gate import Gate


def serve(
    port: Annotated[int, typer.Option(help="Port to listen on.", min=0, max=65535)] = 8000,
    host: Annotated[
        str, typer.Option(help="Address to listen on; any but loopback needs the token printed.")
    ] = "127.0.0.1",
    llm: Annotated[
        bool,
        optional(
            "Let the model that the environment configures add to the answers of the page.", "--llm"
        ),
    ] = False,
    budget: Budget = None,
    db: Database = None,
) -> None:
    """Serve the atlas with a question box, an SQL console and a JSON interface, until Ctrl-C.

    With --llm a model interprets each answer, within --budget. If the server listens on more than
    this machine, callers need the token in the address that is printed at the start. A newly
    published index is used without a restart.

    \b
    Examples:
      query serve
      query serve --port 8080 --db data/index/demo.duckdb
      query serve --host 0.0.0.0
      VIROME_MODEL=gpt-4.1-mini query serve --llm --budget 20000
    """
    with reported(as_json=False):
        with index_opened(db):
            pass
        from query.web.app import make_app
        from query.web.guard import LOOPBACK
        from query.web.listening import make_listener, shown_host
        from query.web.served_index import ServedIndex

        host = host.removeprefix("[").removesuffix("]")
        token = None if host in LOOPBACK else secrets.token_urlsafe(24)
        hosts = frozenset({*LOOPBACK, host}) if token is None else frozenset({"*"})
        choose = model_choice if llm else None
        app = make_app(ServedIndex(database_path(db), hosts, token, choose, budget))
        shown = f"?token={token}" if token else ""
        say(f"http://{shown_host(host)}:{port}/{shown}", err=True, always=True)
        make_listener(app, host=host, port=port).run()


def mcp(
    transport: Annotated[
        Literal["stdio", "http"],
        typer.Option(help="stdio: the client starts this command; http: it connects to --port."),
    ] = "stdio",
    port: Annotated[int, typer.Option(help="Port on this machine, for http.")] = 8765,
    local_model: Annotated[
        bool,
        optional(
            "The model behind the client runs on this machine; others are shown less.",
            "--local-model",
        ),
    ] = False,
    risk_policy: RiskPolicyName = None,
    db: Database = None,
) -> None:
    """Serve tools, reports and prompts to a client of the Model Context Protocol.

    Rows that the client's model may not see (docs/biosafety.md) are left out of a result and
    counted in it. Over http only programs on this machine can connect. Name this command and its
    arguments in the configuration of the client.

    \b
    Examples:
      query mcp --db data/index/virome.duckdb
      query mcp --transport http --port 8765
      query mcp --local-model
      query mcp --risk-policy strict
    """
    with reported(as_json=False):
        with index_opened(db):
            pass
        from query.mcp.server import make_server

        gate = Gate(policy_of(risk_policy), local=local_model)
        server = make_server(database_path(db), gate)
        if transport == "http":
            from query.web.guard import for_this_machine
            from query.web.listening import make_listener

            app = server.streamable_http_app()
            say(f"http://127.0.0.1:{port}/mcp", err=True, always=True)
            make_listener(for_this_machine(app), host="127.0.0.1", port=port).run()
        else:
            server.run("stdio")
