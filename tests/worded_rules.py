"""Rules for wordings applied one after another, as the tests of each list of them need it."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from pathlib import Path

from query.reading.respelling.rules import Respelling


def after(rules: Iterable[Respelling], text: str) -> str:
    """Return ``text`` after all ``rules``."""
    for rule in rules:
        text = rule.compiled.sub(rule.becomes, text)
    return text


def untidy_lines(file: Path) -> list[str]:
    """Return the lines of ``file`` that are longer than 100 characters, or end in a space."""
    lines = file.read_text(encoding="utf-8").splitlines()
    return [line for line in lines if len(line) > 100 or line != line.rstrip()]


def uninserted_fragments(file: Path) -> list[str]:
    """Return the fragments that ``file`` defines and no pattern in it inserts."""
    text = file.read_text(encoding="utf-8")
    return [name for name in tomllib.loads(text)["fragments"] if f"<<{name}>>" not in text]
