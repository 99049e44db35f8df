"""The server: nine tools over one index, behind one gate, for clients of the protocol.

A result is one line of JSON in a text block, once: no second copy as structured content.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from importlib.metadata import version
from inspect import signature
from pathlib import Path
from typing import Any, Final

from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.mcpserver.tools import Tool
from mcp_types import ToolAnnotations
from pydantic import ValidationError

from query.browsing.communities import read_report, report_text
from query.gate import Gate
from query.mcp.describe import describe
from query.mcp.explain import explain
from query.mcp.passages import search
from query.mcp.query import query
from query.mcp.resolve import resolve
from query.mcp.served import Record, Served, as_text
from query.mcp.sql import sql
from query.mcp.stored import associations, communities, plausibility
from query.withholding import NOTE

TOOLS: Final[tuple[Callable[..., Record], ...]] = (
    query, resolve, describe, associations, plausibility, communities, search, sql, explain,
)  # fmt: skip
"""The tools, each with an index that is opened for the call as first parameter."""
INSTRUCTIONS: Final = (
    "An index of public sequencing runs: which viruses were found in which hosts, tissues, "
    "diseases, places and studies. Counts, lists, rankings, comparisons: query, in one call; names "
    "are resolved in it. One virus, run, study or community: describe. Virus-host pairs, expected "
    "or not: plausibility. What goes with more reads of a family: associations. Clusters: "
    "communities. What texts say: search. Anything else in the tables: sql. What a number means: "
    "explain. Repeat numbers as they are. Not found means: not among the runs searched. Counts "
    "show no cause; the index knows nothing of treatment, effect or prognosis. `withheld` counts "
    "rows that this client may not see."
)


def make_server(db: Path, gate: Gate) -> MCPServer:
    """Return a server for the index at ``db`` that shows what ``gate`` lets through."""
    served = Served(db, gate)
    server = MCPServer(
        "virome-graphrag",
        version=version("virome-graphrag"),
        instructions=INSTRUCTIONS,
        tools=[read_only_tool(_over(served, tool)) for tool in TOOLS],
    )
    server.resource("virome://report/{community}", mime_type="text/markdown")(_report(served))
    server.prompt()(viruses_of)
    server.prompt()(compare)
    return server


def _over(served: Served, tool: Callable[..., Record]) -> Callable[..., str]:
    """Return the function of a tool: ``tool`` without its first parameter, the index."""

    @wraps(tool)
    def call(**arguments: Any) -> str:
        with served.opened() as opened:
            return as_text(tool(opened, **arguments))

    whole = signature(tool, eval_str=True)
    _, *arguments = whole.parameters.values()
    vars(call)["__signature__"] = whole.replace(parameters=arguments)
    return call


class ReadOnlyTool(Tool):
    """A tool whose refusals of arguments are short, and name the arguments there are."""

    async def run(
        self, arguments: dict[str, Any], context: Context[Any, Any], convert_result: bool = False
    ) -> Any:
        """Run the tool; raises ``ToolError`` for arguments that do not fit."""
        try:
            return await super().run(arguments, context, convert_result)
        except ToolError as error:
            if isinstance(error.__cause__, ValidationError):
                raise ToolError(self._refused(error.__cause__)) from error
            raise

    def _refused(self, error: ValidationError) -> str:
        said = []
        for problem in error.errors():
            where = ".".join(str(step) for step in problem["loc"])
            is_unknown = problem["type"] == "extra_forbidden"
            said.append(f"{where}: {'no such argument' if is_unknown else problem['msg']}")
        arguments = ", ".join(self.fn_metadata.arg_model.model_fields)
        return f"{'; '.join(said)}. Arguments of {self.name}: {arguments}"


def read_only_tool(call: Callable[..., str]) -> Tool:
    """Return a tool that refuses arguments it does not have, with a short schema."""
    tool = ReadOnlyTool.from_function(
        call,
        description=" ".join((call.__doc__ or "").split()),
        annotations=ToolAnnotations(read_only_hint=True, idempotent_hint=True),
        structured_output=False,
    )
    arguments = tool.fn_metadata.arg_model
    arguments.model_config["extra"] = "forbid"
    arguments.model_rebuild(force=True)
    schema = {**_shortened(tool.parameters), "additionalProperties": False}
    return tool.model_copy(update={"parameters": schema})


def viruses_of(host: str) -> str:
    """Ask which viruses are found in a host, and how plausible they are there."""
    return (
        f'Call query with measure {{"type": "values", "by": "virus"}} and of {{"type": "has", '
        f'"field": "host", "values": ["{host}"]}}, then plausibility with host "{host}". Say which '
        "viruses are recorded there, which are unexpected, and in how many runs of how many."
    )


def compare(first: str, second: str) -> str:
    """Ask how the viruses of two hosts differ."""
    sides = ", ".join(
        f'{{"type": "has", "field": "host", "values": ["{name}"]}}' for name in (first, second)
    )
    return (
        'Call query with measure {"type": "compare", "measure": {"type": "values", "by": "virus"}, '
        f'"sides": [{sides}]}}. Give both counts, the whole of each, and what only one side has.'
    )


def _report(served: Served) -> Callable[[str], str]:
    def report(community: str) -> str:
        """Return the report of a community as Markdown."""
        with served.opened() as opened:
            card = read_report(opened.con, community)
            group = opened.unseen.communities.get(card.community)
            if group is not None:
                return f"{NOTE}: {group} (docs/biosafety.md)"
            return opened.withholding.text(report_text(card))

    return report


def _shortened(schema: Any) -> Any:
    """Return a JSON Schema without titles and defaults of null, "X or null" as one type."""
    if isinstance(schema, list):
        return [_shortened(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    parts = {key: part for key, part in schema.items() if key != "title" or isinstance(part, dict)}
    if "default" in parts and parts["default"] is None:
        del parts["default"]
    choices = parts.get("anyOf", [])
    simple = [part for part in choices if part != {"type": "null"}]
    if len(choices) == 2 and len(simple) == 1 and "type" in simple[0]:
        del parts["anyOf"]
        (only,) = simple
        parts = {**only, **parts, "type": [only["type"], "null"]}
        if "enum" in parts:
            parts["enum"] = [*parts["enum"], None]
    return {key: _shortened(part) for key, part in parts.items()}
