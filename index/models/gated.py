"""A model behind the biosafety gate: a prompt that names a withheld agent never reaches it.

The gate of communities (``index.exposure``) decides what is put into a prompt. This is the second
line: it reads the prompt as it would be sent, whoever wrote it, the question included, and refuses
it where it names an agent of a risk group that the model may not see. The caller then answers from
facts, as after any refusal of a model.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from index.errors import ModelRefusalError
from index.models.protocol import (
    AnswerT,
    ChatModel,
    Completion,
    Hear,
    Prompt,
    TokenCount,
    estimate_tokens,
)

if TYPE_CHECKING:
    import duckdb
    from ahocorasick_rs import AhoCorasick

    from index.exposure import RiskPolicy


class WithheldNames:
    """Names of agents that a model may not see, with the risk group of each.

    A name within one of ``longer``, the name of a virus of another family, does not count:
    "B virus" is no part of "influenza B virus".
    """

    def __init__(self, names: Mapping[str, str] | None = None, longer: Iterable[str] = ()) -> None:
        spelled = {spelled_name(name): group for name, group in (names or {}).items()}
        self._groups = {name: group for name, group in spelled.items() if name.strip()}
        self._longer = {spelled_name(name) for name in longer} - self._groups.keys()

    def __len__(self) -> int:
        return len(self._groups)

    @cached_property
    def _names(self) -> tuple[str, ...]:
        return tuple(sorted({*self._groups, *self._longer}))

    @cached_property
    def _finder(self) -> AhoCorasick:
        from ahocorasick_rs import AhoCorasick

        return AhoCorasick(list(self._names))

    def found_in_prompt(self, prompt: Prompt) -> tuple[str, str] | None:
        """Return the first name in what ``prompt`` asks and in the turns before it; else None.

        The instructions of the system are this program's own and are not read.
        """
        said = [text for turn in prompt.turns for text in (turn.user, turn.assistant)]
        return self.found_in("\n".join([*said, prompt.user]))

    def found_in(self, text: str) -> tuple[str, str] | None:
        """Return the first name in ``text`` as a whole word, with its risk group; None without one.

        >>> names = WithheldNames({"Ebola virus": "RG4"})
        >>> names.found_in("Where are EBOLA-virus runs?"), names.found_in("ebola viruslike")
        (('ebola virus', 'RG4'), None)
        """
        if not self._groups:
            return None
        matches = self._finder.find_matches_as_indexes(spelled_name(text), overlapping=True)
        named = [(self._names[place], start, end) for place, start, end in matches]
        around = [(start, end) for name, start, end in named if name in self._longer]
        for name, start, end in named:
            within = any(first <= start and end <= last for first, last in around)
            if name in self._groups and not within:
                return name.strip(), self._groups[name]
        return None


def gate_names(con: duckdb.DuckDBPyConnection, policy: RiskPolicy, *, local: bool) -> WithheldNames:
    """Return the names that no prompt to a model here (``local``) or elsewhere may hold."""
    from index.store.dangerous_names import dangerous_names, names_around

    names = dangerous_names(con, policy.named_never(local=local))
    return WithheldNames(names, names_around(con, names, spelled_name))


class GatedModel:
    """``inner`` without the prompts that name one of the withheld names; they are counted by group.

    ``read_names`` returns those names. It is called with the first prompt and not before: an answer
    that asks no model does not wait for them.
    """

    def __init__(self, inner: ChatModel, read_names: Callable[[], WithheldNames]) -> None:
        self.inner = inner
        self._read_names = read_names
        self.refused: Counter[str] = Counter()

    @cached_property
    def _withheld(self) -> WithheldNames:
        return self._read_names()

    @property
    def name(self) -> str:
        """Name of the model behind the gate."""
        return self.inner.name

    async def complete(
        self,
        prompt: Prompt,
        schema: type[AnswerT],
        *,
        max_tokens: int,
        hear: Hear | None = None,
    ) -> Completion[AnswerT]:
        """Return the model's answer; raise ``ModelRefusalError`` where the prompt is kept."""
        self._check(prompt)
        return await self.inner.complete(prompt, schema, max_tokens=max_tokens, hear=hear)

    async def yes_probability(self, prompt: Prompt) -> float:
        """Return the model's probability of yes; raise as ``complete``."""
        self._check(prompt)
        return await self.inner.yes_probability(prompt)

    async def count_tokens(self, prompt: Prompt) -> TokenCount:
        """Return the length of ``prompt``, estimated here where the model may not see it."""
        if self._withheld.found_in_prompt(prompt) is None:
            return await self.inner.count_tokens(prompt)
        lengths = (estimate_tokens(message["content"]) for message in prompt.messages())
        return TokenCount(sum(lengths), exact=False)

    async def aclose(self) -> None:
        """Close the model."""
        await self.inner.aclose()

    def _check(self, prompt: Prompt) -> None:
        found = self._withheld.found_in_prompt(prompt)
        if found is None:
            return
        name, group = found
        self.refused[group] += 1
        reason = f"kept from it for biosafety: the prompt names {name} ({group})"
        raise ModelRefusalError(
            self.name, reason, remedy="which model may see what: docs/biosafety.md"
        )


def spelled_name(text: str) -> str:
    """Return the words of ``text`` in lower case between blanks: hyphens and brackets separate.

    The plural of a virus is its name, too.
    """
    words = re.findall(r"[^\W_]+", text.casefold())
    singular = [word.removesuffix("es") if word.endswith("viruses") else word for word in words]
    return f" {' '.join(singular)} "
