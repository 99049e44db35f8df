"""Titles and themes by a model: what it is asked, and what is wrong with its answer.

Builds leave both to the program (decisions/0081-what-small-models-write.md); ``query models try``
shows what a model would make of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field

from index.checking.statements import gather_statements
from index.checking.verification import verify
from index.models.protocol import Prompt
from index.reports.naming.named_values import is_joined, titled_facts
from index.reports.naming.titles import MAX_WORDS
from index.reports.profiles import Profile
from index.reports.quotes import Quote
from index.wording.briefs import Brief
from index.wording.prompting import read_prompt, with_example

MOST_TOKENS: Final = 60
"""Longest answer asked for."""
LONGEST_THEME: Final = 15
"""Words of a condensed theme; a quotation has up to 30."""
_COUNTS: Final = re.compile(r"\d of (?:all )?\d|\bruns?\b")
_Text = Annotated[str, Field(max_length=120)]


class Proposal(BaseModel):
    """What a model proposes: a title or a theme."""

    model_config = ConfigDict(extra="forbid")

    text: _Text


def title_prompt(brief: Brief) -> Prompt:
    """Return the prompt that asks for the title of the community of ``brief``."""
    return with_example(read_prompt("write_title.md"), _facts(brief), "write_title")


def title_faults(text: str, brief: Brief, profile: Profile) -> list[str]:
    """Return what is wrong with ``text`` as a title, nothing where it can be used."""
    evidence = gather_statements(_stated(brief))
    faults = [f"{fault.text}: {fault.reason}" for fault in verify(text, evidence)]
    return [*faults, *_wrong_title(text, profile)]


def _wrong_title(text: str, profile: Profile) -> Iterator[str]:
    if len(text.split()) > MAX_WORDS:
        yield f"more than {MAX_WORDS} words"
    if _COUNTS.search(text):
        yield "it counts runs"
    if not titled_facts(profile, text):
        yield "it names nothing of the community"
    if not is_joined(text, profile):
        yield "it joins what runs do not join"


def theme_prompt(quote: Quote) -> Prompt:
    """Return the prompt that asks for what ``quote`` says in fewer words."""
    return with_example(read_prompt("condense_theme.md"), f"Text: {quote.text}", "condense_theme")


def theme_faults(text: str, quote: Quote) -> list[str]:
    """Return what is wrong with ``text`` as a theme, nothing where it can be used.

    It may use no name, number or content word that the authors do not.
    """
    faults = verify(text, gather_statements([quote.text]))
    found = [f"{fault.text}: {fault.reason}" for fault in faults]
    if len(text.split()) > LONGEST_THEME:
        found.append(f"more than {LONGEST_THEME} words")
    return found


def _facts(brief: Brief) -> str:
    return "\n".join(f"Fact: {text}" for text in _stated(brief))


def _stated(brief: Brief) -> Sequence[str]:
    """Return the facts that a title may draw on; not the title of the program, which it would
    repeat.
    """
    return [statement.text for statement in brief.context]
