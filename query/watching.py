"""Who watches an answer while a model works on it: a terminal, or nobody."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    from query.answer import Answer


class Watch(Protocol):
    """Something that sees an answer arrive, in this order; without a model nothing is called."""

    def facts(self, answer: Answer) -> None:
        """See the answer from facts, which is complete before a model is asked."""

    def step(self, text: str) -> None:
        """See what the model does from here on, in words."""

    def sentence(self, text: str) -> None:
        """See a sentence of the model's interpretation, which may be printed."""


class Unwatched:
    """Sees nothing."""

    def facts(self, answer: Answer) -> None:
        """See nothing."""

    def step(self, text: str) -> None:
        """See nothing."""

    def sentence(self, text: str) -> None:
        """See nothing."""


class Noting:
    """Sees what ``watch`` sees, and keeps the sentences."""

    def __init__(self, watch: Watch) -> None:
        self._watch = watch
        self.sentences: list[str] = []

    def facts(self, answer: Answer) -> None:
        """Pass it on."""
        self._watch.facts(answer)

    def step(self, text: str) -> None:
        """Pass it on."""
        self._watch.step(text)

    def sentence(self, text: str) -> None:
        """Keep it and pass it on."""
        self.sentences.append(text)
        self._watch.sentence(text)


UNWATCHED: Final = Unwatched()
