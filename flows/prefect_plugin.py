"""Prefect start-up plugin: ``prefect deployment run index`` finds the deployment by its bare name.

The stock command line wants ``FLOW/DEPLOYMENT``; ``index/index`` works everywhere, with or without
this plugin. Prefect loads it through the entry-point group ``prefect.plugins`` where
``plugins.enabled`` is set under ``[tool.prefect]``.
"""

from __future__ import annotations

import functools
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from prefect.plugins import HookContext, register_hook

if TYPE_CHECKING:
    from prefect.client.orchestration import PrefectClient
    from prefect.client.schemas.responses import DeploymentResponse

Reader = Callable[["PrefectClient", str], Awaitable["DeploymentResponse"]]


@register_hook
def setup_environment(*, ctx: HookContext) -> None:
    """Let the Prefect client resolve a deployment name that has no flow name before it."""
    from prefect.client.orchestration import PrefectClient

    reader = PrefectClient.read_deployment_by_name
    if not hasattr(reader, "__wrapped__"):
        PrefectClient.read_deployment_by_name = resolving_bare_names(reader)  # type: ignore[method-assign, assignment]
        ctx.logger_factory("virome_graphrag").debug("bare deployment names are resolved")


def resolving_bare_names(reader: Reader) -> Reader:
    """Return ``reader`` with one addition: a name without a slash is looked up, and used when just
    one bears it.
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
