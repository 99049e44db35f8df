"""Rules for wordings applied one after another, as the tests of each list of them need it."""

from __future__ import annotations

from collections.abc import Iterable

from query.reading.respelling.rules import Respelling


def after(rules: Iterable[Respelling], text: str) -> str:
    """Return ``text`` after all ``rules``."""
    for rule in rules:
        text = rule.compiled.sub(rule.becomes, text)
    return text
