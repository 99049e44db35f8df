"""Prefect plugin: ``prefect deployment run index`` finds the local server, and the flow by its bare
name.

The stock command line wants ``FLOW/DEPLOYMENT``; ``index/index`` works everywhere, with or without
this plugin. Where no server is configured, Prefect starts one that ends with the command, and the
new run with it: the plugin uses the server that runs on this machine instead, or says how to start
it. Prefect loads it through the entry-point group ``prefect.plugins`` where ``plugins.enabled`` is
set under ``[tool.prefect]``.
"""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from prefect.plugins import HookContext, register_hook

from flows.errors import NoServerError
from flows.server import API_URL, answers, local_url

if TYPE_CHECKING:
    from prefect.client.orchestration import PrefectClient
    from prefect.client.schemas.responses import DeploymentResponse

Reader = Callable[["PrefectClient", str], Awaitable["DeploymentResponse"]]
NEED_A_SERVER: Final = frozenset({"deploy", "deployment", "work-pool", "worker"})
"""Commands of Prefect that mean nothing on a server that ends with them."""


@register_hook
def setup_environment(*, ctx: HookContext) -> None:
    """Make the Prefect client use the local server, and accept a deployment name without its flow.

    Raises ``SystemExit`` for a command that needs a server where there is none.
    """
    arguments = prefect_arguments(sys.orig_argv)
    if ctx.api_url is None:
        use_local_server(arguments)
    if "deployment" in arguments:
        resolve_bare_names()
        ctx.logger_factory("virome_graphrag").debug("bare deployment names are resolved")


def resolve_bare_names() -> None:
    """Make the client of this process find a deployment by its bare name."""
    from prefect.client.orchestration import PrefectClient

    reader = PrefectClient.read_deployment_by_name
    if not hasattr(reader, "__wrapped__"):
        found = resolving_bare_names(reader)
        PrefectClient.read_deployment_by_name = found  # type: ignore[method-assign, assignment]


def use_local_server(arguments: Sequence[str]) -> None:
    """Point this process to the server on this machine.

    Raises ``SystemExit`` where there is none and the Prefect command ``arguments`` needs one.
    """
    url = local_url()
    if answers(url):
        os.environ[API_URL] = url
    elif NEED_A_SERVER.intersection(arguments):
        raise SystemExit(f"error: {NoServerError(url)}")


def prefect_arguments(command: Sequence[str]) -> list[str]:
    """Return the arguments of a ``prefect`` command; empty for any other program.

    >>> prefect_arguments(["python", "/usr/bin/prefect", "deploy"])
    ['deploy']
    >>> prefect_arguments(["python", "-m", "pytest"])
    []
    """
    for place, word in enumerate(command[:3]):
        if Path(word).name == "prefect":
            return list(command[place + 1 :])
    return []


def resolving_bare_names(reader: Reader) -> Reader:
    """Return ``reader``, extended: a name without a slash is looked up and used if exactly one
    deployment has it.
    """

    @functools.wraps(reader)
    async def read(client: PrefectClient, name: str) -> DeploymentResponse:
        return await reader(client, name if "/" in name else await _qualified_name(client, name))

    return read


async def _qualified_name(client: PrefectClient, name: str) -> str:
    from prefect.client.schemas.filters import DeploymentFilter, DeploymentFilterName

    by_name = DeploymentFilter(name=DeploymentFilterName(any_=[name]))
    found = await client.read_deployments(deployment_filter=by_name)
    if len(found) != 1:
        return f"{name}/{name}"
    flow = await client.read_flow(found[0].flow_id)
    return f"{flow.name}/{name}"
