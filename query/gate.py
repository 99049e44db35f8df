"""The biosafety gate of every way of asking: the model that an answer may use is behind it.

A mode takes its model from ``Asking.choice``, which is gated already, and asks the policy
(``RiskPolicy.may_see``) about each community whose text it puts into a prompt. What a client of
``query mcp`` gets passes the same policy (``query.withholding``), and so do exported files
(``query.exports.readers``); see docs/biosafety.md.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import duckdb

from index.exposure import GROUPS, RiskPolicy

if TYPE_CHECKING:
    from index.models.choose import ModelChoice
    from index.models.protocol import ChatModel


@dataclass(frozen=True, slots=True)
class Gate:
    """What a model may see; ``local``: it runs on this machine."""

    policy: RiskPolicy
    local: bool

    @property
    def groups(self) -> list[str]:
        """The risk groups that may be seen, the safest first."""
        return list(self.policy.shown(local=self.local))

    @property
    def sees_all(self) -> bool:
        """Whether nothing is withheld."""
        return len(self.groups) == len(GROUPS)

    def may_see(self, risk_group: str) -> bool:
        """Return whether reports of ``risk_group`` may be shown."""
        return self.policy.may_see(risk_group, local=self.local)


def gate_choice(
    con: duckdb.DuckDBPyConnection, choice: ModelChoice, policy: RiskPolicy
) -> ModelChoice:
    """Return ``choice`` with its model behind the gate: no prompt names what it may not see.

    No model, or one that is gated already, is returned unchanged. The names are read from ``con``
    when the first prompt is sent.
    """
    from index.models.gated import GatedModel, gate_names

    if choice.model is None or isinstance(choice.model, GatedModel):
        return choice
    read_names = partial(gate_names, con.cursor(), policy, local=choice.local)
    return replace(choice, model=GatedModel(choice.model, read_names))


def ungated(model: ChatModel) -> ChatModel:
    """Return the model behind the gate, to ask what kind it is; never to send it a prompt."""
    from index.models.gated import GatedModel

    return model.inner if isinstance(model, GatedModel) else model
