"""Who hears that a build failed, crashed or was cancelled: notification blocks of Prefect.

``VIROME_NOTIFY`` names them, separated by commas: ``slack-webhook/virology``,
``custom-webhook/pager``, ``sendgrid-email/maintainers``. Any block that can notify will do; a block
is made once, in Prefect's interface or with ``Block.save``.
"""

# Annotations stay objects: Prefect reads them.
import os
from collections.abc import Mapping
from typing import Any, Final

from prefect.blocks.abstract import NotificationBlock
from prefect.blocks.core import Block
from prefect.client.schemas.objects import State

NOTIFY: Final = "VIROME_NOTIFY"


async def notify(flow: Any, flow_run: Any, state: State[Any]) -> None:
    """Send the state of a run and its reason to every block that ``VIROME_NOTIFY`` names.

    Raises ``ValueError`` for a name that is no block or one that cannot notify; Prefect logs it.
    """
    subject = f"{flow.name}: {state.name}"
    body = f"Run {flow_run.name} ({flow_run.id}): {state.message or state.name}"
    for slug in named_blocks(os.environ):
        block: Block = await Block.aload(slug)
        if not isinstance(block, NotificationBlock):
            raise ValueError(f"{slug} cannot notify: name a notification block in {NOTIFY}")
        await block.notify(body, subject)


def named_blocks(environment: Mapping[str, str]) -> list[str]:
    """Return the blocks that ``environment`` names.

    >>> named_blocks({"VIROME_NOTIFY": "slack-webhook/a, custom-webhook/b"})
    ['slack-webhook/a', 'custom-webhook/b']
    """
    parts = environment.get(NOTIFY, "").split(",")
    return [part.strip() for part in parts if part.strip()]
