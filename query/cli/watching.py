"""An answer in a terminal as it arrives: what was counted, then the model's sentences."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from index.checking.interpretation import interpretation_label
from query.answer import Answer
from query.cli.console import is_quiet, print_prose, say
from query.watching import Watch

if TYPE_CHECKING:
    from rich.progress import Progress


class TerminalWatch(Watch):
    """Prints the answer from facts, then each sentence of ``model`` under its label, on stdout; its
    progress, with seconds, goes to stderr. A pipe gets the sentences at the end, as one
    paragraph.
    """

    def __init__(self, model: str) -> None:
        self._model = model
        self._paragraphs: set[str] = set()
        self._sentences = 0
        self._progress: Progress | None = None

    def facts(self, answer: Answer) -> None:
        """Print the answer from facts; an empty line follows."""
        print_prose(answer.answer, paged=False)
        say("")
        self._paragraphs |= set(answer.answer.split("\n\n"))
        say("Ctrl-C keeps what is above, and what comes", err=True)

    def step(self, text: str) -> None:
        """Show what the model does; as a line where stderr is no terminal."""
        if is_quiet() or not sys.stderr.isatty():
            say(text, err=True)
            return
        self._stop()
        self._progress = _progress()
        self._progress.add_task(text)
        self._progress.start()

    def sentence(self, text: str) -> None:
        """Print a sentence of interpretation, the first one under the label."""
        if not sys.stdout.isatty():
            return
        self._sentences += 1
        with self._paused():
            if self._sentences == 1:
                say(interpretation_label(self._model))
            print_prose(text, paged=False)

    def rest_of(self, answer: Answer) -> Answer:
        """Return ``answer`` without what was printed."""
        self._stop()
        paragraphs = answer.answer.split("\n\n")
        left = [paragraph for paragraph in paragraphs if paragraph not in self._paragraphs]
        unread = answer.interpretation[self._sentences :]
        return replace(answer, answer="\n\n".join(left), interpretation=unread)

    @contextmanager
    def _paused(self) -> Iterator[None]:
        """Leave the line of progress out while something is printed."""
        if self._progress is not None:
            self._progress.stop()
        yield
        if self._progress is not None:
            self._progress.start()

    def _stop(self) -> None:
        if self._progress is not None:
            self._progress.stop()
        self._progress = None


def _progress() -> Progress:
    """Return a line on stderr that says what goes on and for how long, and then disappears."""
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    text = TextColumn("{task.description}", markup=False)
    columns = (SpinnerColumn(), text, TimeElapsedColumn())
    return Progress(*columns, console=Console(stderr=True), transient=True)
