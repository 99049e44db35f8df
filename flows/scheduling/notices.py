"""Notices that a build failed, crashed or was cancelled, through Prefect's notification blocks.

``VIROME_NOTIFY`` names them, separated by commas: ``slack-webhook/virology``,
``custom-webhook/pager``. Any block that can notify will do, and so will a server of e-mail
(``email-server-credentials/NAME``, extra ``email``), which writes to the addresses in
``VIROME_NOTIFY_TO``. A block is made once, in Prefect's interface or with ``Block.save``.
"""

# Annotations stay objects: Prefect reads them.
import os
from collections.abc import Mapping
from inspect import isawaitable
from typing import Any, Final

from prefect.blocks.abstract import NotificationBlock
from prefect.blocks.core import Block
from prefect.client.schemas.objects import State

NOTIFY: Final = "VIROME_NOTIFY"
NOTIFY_TO: Final = "VIROME_NOTIFY_TO"
_MAIL: Final = "email-server-credentials"


async def notify(flow: Any, flow_run: Any, state: State[Any]) -> None:
    """Send the state of a run, with its reason, to every block in ``VIROME_NOTIFY``.

    If one fails, the others are still sent. Raises an ``ExceptionGroup`` of what failed,
    such as a ``ValueError`` for a name that is no block or one that cannot notify; Prefect logs it.
    """
    subject = f"{flow.name}: {state.name}"
    body = f"Run {flow_run.name} ({flow_run.id}): {state.message or state.name}"
    failed = []
    for slug in named_blocks(os.environ):
        try:
            await _send(slug, subject, body)
        except Exception as error:  # noqa: BLE001 - whatever a block of the user's own raises
            failed.append(error)
    if failed:
        raise ExceptionGroup("notices that were not sent", failed)


async def _send(slug: str, subject: str, body: str) -> None:
    """Send through the block ``slug``, written ``kind/name``."""
    kind, _, name = slug.partition("/")
    if kind == _MAIL:
        await _mail(name, subject, body)
        return
    block: Block = await Block.aload(slug)
    if not isinstance(block, NotificationBlock):
        raise ValueError(f"{slug} cannot notify: name a notification block in {NOTIFY}")
    sent: Any = block.notify(body, subject)
    if isawaitable(sent):  # else Prefect has sent it before it returned
        await sent


async def _mail(name: str, subject: str, body: str) -> None:
    """Send an e-mail through the server of the block ``name``.

    Raises ``ValueError`` where nobody is named to read it.
    """
    from prefect_email import EmailServerCredentials, email_send_message

    readers = os.environ.get(NOTIFY_TO, "")
    if not readers:
        raise ValueError(f"{_MAIL}/{name} needs an address: export {NOTIFY_TO}=you@example.org")
    server = await EmailServerCredentials.aload(name)
    await email_send_message.fn(
        subject,
        msg="",
        msg_plain=body,
        email_server_credentials=server,
        email_from=server.username or readers.partition(",")[0],
        email_to=readers,
    )


def named_blocks(environment: Mapping[str, str]) -> list[str]:
    """Return the blocks that ``environment`` names.

    >>> named_blocks({"VIROME_NOTIFY": "slack-webhook/a, custom-webhook/b"})
    ['slack-webhook/a', 'custom-webhook/b']
    """
    parts = environment.get(NOTIFY, "").split(",")
    return [part.strip() for part in parts if part.strip()]
