"""``query mcp``: the index for programs that speak the Model Context Protocol."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from query.cli.answering import RiskPolicyName
from query.cli.console import Database, index_opened, reported, say


class Transport(StrEnum):
    """How a client reaches the server."""

    STDIO = "stdio"
    HTTP = "http"


def mcp(
    transport: Annotated[
        Transport,
        typer.Option(help="stdio: the client starts this command; http: it connects to --port."),
    ] = Transport.STDIO,
    port: Annotated[int, typer.Option(help="Port on this machine, for http.")] = 8765,
    local_model: Annotated[
        bool,
        typer.Option(
            "--local-model",
            help="The model behind the client runs on this machine; otherwise less is shown to it.",
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
        from index.exposure import policy_named
        from query.config import QueryConfig, database_path
        from query.gate import Gate
        from query.mcp.server import make_server

        policy = policy_named(risk_policy) if risk_policy else QueryConfig().policy
        server = make_server(database_path(db), Gate(policy, local=local_model))
        if transport is Transport.HTTP:
            from query.web.guard import for_this_machine
            from query.web.listening import make_listener

            app = server.streamable_http_app()
            say(f"http://127.0.0.1:{port}/mcp", err=True, always=True)
            make_listener(for_this_machine(app), host="127.0.0.1", port=port).run()
        else:
            server.run("stdio")
