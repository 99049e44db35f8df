"""A question as people type it, spelled the way names are written.

Everyday words for what metadata names otherwise (people are human), phrases that rule something
out, cell lines without the word cell, and the letter of a virus in lower case. Each rule is a
pattern and what replaces it; what is replaced means the same. The rules are in
``respellings.toml``, each with a worked example.
"""

from __future__ import annotations

import functools
import itertools
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final

from query.reading.respelling.required_parts import required_parts

_TABLE: Final = Path(__file__).with_name("respellings.toml")
_WORDINGS: Final = Path(__file__).with_name("wordings.toml")
_FAMILY: Final = re.compile(r"\b[a-z]{4,}(?:viridae|virinae|virales)\b")
"""A taxon of viruses in small letters."""
_INSERTED: Final = re.compile(r"<<(\w+)>>")
"""Where a pattern has a fragment, by its name."""


@dataclass(frozen=True)
class Respelling:
    """A rule: a pattern, what its matches become, and a question before and after all rules."""

    pattern: str
    becomes: str
    says: str
    """A question in which the rule applies."""
    reads: str
    """What ``respelled`` returns for it."""
    why: str = ""
    """What the rule is for, where its example does not show it."""
    needs: tuple[str, ...] = ()
    """Letters of which a text has to hold some, in lower case; empty for any."""

    def apply(self, text: str) -> str:
        """Return ``text`` with what the pattern matches replaced."""
        folded = text.casefold()
        if self.needs and not any(part in folded for part in self.needs):
            return text
        if not all(part in folded for part in self.required):
            return text
        return self.compiled.sub(self.becomes, text)

    @cached_property
    def required(self) -> tuple[str, ...]:
        """What each text holds that the pattern matches: most rules need not be compiled."""
        return required_parts(self.pattern)

    @cached_property
    def compiled(self) -> re.Pattern[str]:
        """The pattern, compiled when a text may match it."""
        return re.compile(self.pattern, re.IGNORECASE)


def respelled(text: str) -> str:
    """Return ``text`` with everyday wording replaced by that of names and metadata.

    >>> respelled("flu a in people, outside Spain")
    'flu A in human, except Spain'
    >>> respelled("Do lymphoma lines exist where EBV is absent?")
    'Do lymphoma cell lines exist without EBV?'
    """
    for rule in respellings():
        text = rule.apply(text)
    return _FAMILY.sub(lambda found: found[0].capitalize(), text)


def put_plainly(text: str) -> str:
    """Return a question with all its clauses in fewer words, where it is worded at length.

    >>> put_plainly("Do you know which viruses humans have and mice do not?")
    'which viruses are found in humans but not in mice?'
    """
    for rule in wordings():
        text = rule.apply(text)
    return text


def wordings() -> tuple[Respelling, ...]:
    """Return the rules for whole questions in the order in which they are applied."""
    return rules_of(_WORDINGS)


def respellings() -> tuple[Respelling, ...]:
    """Return the rules in the order in which they are applied."""
    return rules_of(_TABLE)


@functools.cache
def rules_of(file: Path) -> tuple[Respelling, ...]:
    """Return the rules of ``file`` in the order in which they are applied, read at the first call.

    Sections of the file are lists of rules; ``fragments`` are parts of their patterns by name.
    """
    sections = tomllib.loads(file.read_text(encoding="utf-8"))
    fragments = sections.pop("fragments", {})
    rules = itertools.chain.from_iterable(sections.values())
    return tuple(_respelling(rule, fragments) for rule in rules)


def _respelling(rule: Mapping[str, str], fragments: Mapping[str, str]) -> Respelling:
    """Return a rule of the file with the fragments of its pattern inserted."""
    pattern = _whole(rule["pattern"], fragments)
    needs = tuple(part for part in rule.get("needs", "").split("|") if part)
    texts = {name: text for name, text in rule.items() if name not in ("pattern", "needs")}
    return Respelling(pattern, needs=needs, **texts)


def _whole(pattern: str, fragments: Mapping[str, str]) -> str:
    """Return ``pattern`` on one line, with its fragments inserted.

    >>> _whole("viruses in\\n (?:<<hosts>>)", {"hosts": "bats\\n|pigs"})
    'viruses in (?:bats|pigs)'
    """
    while _INSERTED.search(pattern):
        pattern = _INSERTED.sub(lambda found: fragments[found[1]], pattern)
    return pattern.replace("\n", "")
