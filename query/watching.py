"""Who watches an answer while a model works on it: a terminal, or nobody."""

from __future__ import annotations

from typing import Final

from query.answer import Answer


class Watch:
    """Receives an answer as it arrives, in this order, and does nothing; without a model nothing is
    called.
    """

    def facts(self, answer: Answer) -> None:
        """Receive the counted answer, which is complete before a model adds to it."""

    def step(self, text: str) -> None:
        """See what the model does from here on, in words."""

    def sentence(self, text: str) -> None:
        """See a sentence of the model's interpretation, which may be printed."""


class Noting(Watch):
    """Sees what a model does for ``watch``, and keeps the sentences."""

    def __init__(self, watch: Watch) -> None:
        self._watch = watch
        self.sentences: list[str] = []

    def step(self, text: str) -> None:
        """Pass it on."""
        self._watch.step(text)

    def sentence(self, text: str) -> None:
        """Keep it and pass it on."""
        self.sentences.append(text)
        self._watch.sentence(text)


UNWATCHED: Final = Watch()
