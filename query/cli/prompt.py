"""Lines typed at a prompt, with a history and completion.

Built on prompt_toolkit (BSD-3-Clause).
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from index.store.private import private_file

if TYPE_CHECKING:
    from prompt_toolkit import PromptSession
    from prompt_toolkit.history import History

PROMPT: Final = "query> "
MOST_WORDS: Final = 5
"""Words of the longest name that is completed."""
LEAST_LETTERS: Final = 2
MOST_SHOWN: Final = 50


def typed_lines(*, commands: Sequence[str], names: Sequence[str], history: Path) -> Iterator[str]:
    """Yield what is typed until the input ends; Ctrl-C drops the line, Ctrl-D ends.

    ``commands`` complete a line that begins with them, ``names`` the words being typed.
    ``history`` is the file that keeps what was typed, where it can be written.
    """
    session = _session(commands, names, history)
    while True:
        try:
            yield session.prompt(PROMPT)
        except KeyboardInterrupt:
            continue
        except EOFError:
            return


def completions(text: str, names: Sequence[str]) -> list[tuple[str, int]]:
    """Return the names that the last words of ``text`` begin, with how many letters they replace.

    The longest stretch of words that begins a name decides.

    >>> completions("viruses of Homo sap", ["Homo sapiens", "Sus scrofa"])
    [('Homo sapiens', 8)]
    """
    starts = [0, *(place + 1 for place, sign in enumerate(text) if sign == " ")]
    for start in starts[-MOST_WORDS:]:
        typed = text[start:].casefold()
        found = [name for name in names if name.casefold().startswith(typed)]
        if len(typed) >= LEAST_LETTERS and found:
            return [(name, len(typed)) for name in found[:MOST_SHOWN]]
    return []


def _session(commands: Sequence[str], names: Sequence[str], history: Path) -> PromptSession[str]:
    from prompt_toolkit import PromptSession
    from prompt_toolkit.completion import CompleteEvent, Completer, Completion
    from prompt_toolkit.document import Document

    class NameCompleter(Completer):
        def get_completions(
            self,
            document: Document,
            complete_event: CompleteEvent,  # noqa: ARG002 - its interface
        ) -> Iterator[Completion]:
            text = document.text_before_cursor
            words = commands if text.startswith("/") else names
            for name, length in completions(text, words):
                yield Completion(name, start_position=-length)

    return PromptSession(
        completer=NameCompleter(), complete_while_typing=False, history=_history(history)
    )


def _history(path: Path) -> History:
    from prompt_toolkit.history import FileHistory, InMemoryHistory

    if not os.access(path.parent, os.W_OK):
        return InMemoryHistory()
    return FileHistory(str(private_file(path)))
