"""A model behind the biosafety gate: a prompt that names a withheld agent never reaches it.

The gate of communities (``index.exposure``) decides what goes into a prompt. This is the second
line of defence: it reads each prompt as it would be sent, with the question, and refuses it if it
names an agent of a risk group that the model may not see. The caller then answers from facts, as
after any refusal of a model.
"""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Final

from index.errors import ModelRefusalError
from index.exposure import GROUPS
from index.models.protocol import (
    AnswerT,
    ChatModel,
    Completion,
    Hear,
    Prompt,
    TokenCount,
    WrappedModel,
    content_tokens,
)
from index.store.same_for_all import same_for_each

if TYPE_CHECKING:
    import duckdb
    from ahocorasick_rs import AhoCorasick

    from index.exposure import RiskPolicy


_SHORTEST_SLIP: Final = 6
"""Shortest word, in letters, that is recognised as a misspelt name."""
_SHORTEST_WORD: Final = 4
"""Shortest word of such a name, in letters: Enterovirus L is not a misspelt Enterovirus C."""


class WithheldNames:
    """Names of agents that a model may not see, with the risk group of each.

    A name inside one of ``longer``, names of viruses of other families, does not count: "influenza
    B virus" does not name "B virus", and k-mers do not name MERS.

    >>> names = WithheldNames({"MERS": "RG3"})
    >>> names.found_in("k-mers of Diptera, by k_mers"), names.found_in("a mers-like hit")
    (None, ('mers', 'RG3'))
    """

    def __init__(self, names: Mapping[str, str] | None = None, longer: Iterable[str] = ()) -> None:
        spelled = {spelled_name(name): group for name, group in (names or {}).items()}
        self._groups = {name: group for name, group in spelled.items() if name.strip()}
        harmless = {spelled_name(name) for name in (*longer, _KMERS)}
        self._longer = harmless - self._groups.keys()

    def __len__(self) -> int:
        return len(self._groups)

    def besides(self, names: Mapping[str, str]) -> WithheldNames:
        """Return these names and ``names``; a name in both has the group that it has here."""
        return WithheldNames({**names, **self._groups}, self._longer)

    def group_of_part(self, part: str) -> str | None:
        """Return the highest risk group of the names that contain ``part``; None if there is none.

        >>> WithheldNames({"Zaire ebolavirus": "RG4"}).group_of_part("bolavir")
        'RG4'
        """
        spelled = spelled_name(part).strip()
        groups = [group for name, group in self._groups.items() if spelled and spelled in name]
        return max(groups, key=GROUPS.index, default=None)

    @cached_property
    def _names(self) -> tuple[str, ...]:
        return tuple(sorted({*self._groups, *self._longer}))

    @cached_property
    def _finder(self) -> AhoCorasick:
        from ahocorasick_rs import AhoCorasick

        return AhoCorasick(list(self._names))

    def _misspelt_in(self, spelled: str) -> tuple[str, str] | None:
        """Return the first name that one typing error turns into one or two words of ``spelled``.

        The error is a letter too many, too few or wrong, or two letters swapped; the first letter
        is right. A word that names another virus is never an error.
        """
        words = spelled.split()
        pairs = [f"{first} {second}" for first, second in itertools.pairwise(words)]
        for said in dict.fromkeys([*words, *pairs]):
            is_other = f" {said} " in self._longer or not said.replace(" ", "").isalpha()
            if len(said) < _SHORTEST_SLIP or is_other:
                continue
            for name in self._slips.get((said[0], len(said)), ()):
                if is_one_slip(said, name):
                    return name, self._groups[f" {name} "]
        return None

    @cached_property
    def _slips(self) -> dict[tuple[str, int], list[str]]:
        """Names that may be misspelt, by first letter and by each length that an error gives them.

        Agents of unknown group are left out: rotavirus is not a misspelt rosavirus.
        """
        found: dict[tuple[str, int], list[str]] = {}
        for spelled in sorted(name for name, group in self._groups.items() if group != "unknown"):
            name = spelled.strip()
            words = name.split()
            in_full = all(word.isalpha() and len(word) >= _SHORTEST_WORD for word in words)
            telling = max((len(word) for word in words if word != "virus"), default=0)
            too_short = telling < _SHORTEST_SLIP - (words[0] != "virus")
            if too_short or len(words) > 2 or not in_full:
                continue
            for length in (len(name) - 1, len(name), len(name) + 1):
                found.setdefault((name[0], length), []).append(name)
        return found

    def found_in_prompt(self, prompt: Prompt) -> tuple[str, str] | None:
        """Return the first name in the question of ``prompt`` or in the turns before it; else None.

        The instructions of the system are this program's own and are not read.
        """
        said = [text for turn in prompt.turns for text in (turn.user, turn.assistant)]
        return self.found_in("\n".join([*said, prompt.user]))

    def found_in(self, text: str) -> tuple[str, str] | None:
        """Return the first name in ``text`` as a whole word, with its risk group; else None.

        >>> names = WithheldNames({"Ebola virus": "RG4"})
        >>> names.found_in("Where are EBOLA-virus runs?"), names.found_in("ebola viruslike")
        (('ebola virus', 'RG4'), None)
        """
        if not self._groups:
            return None
        spelled = spelled_name(text)
        return self._named_in(spelled) or self._misspelt_in(spelled)

    def _named_in(self, spelled: str) -> tuple[str, str] | None:
        """Return the first name in ``spelled`` as written; None if there is none."""
        matches = self._finder.find_matches_as_indexes(spelled, overlapping=True)
        named = [(self._names[place], start, end) for place, start, end in matches]
        around = [(start, end) for name, start, end in named if name in self._longer]
        for name, start, end in named:
            within = any(first <= start and end <= last for first, last in around)
            if name in self._groups and not within:
                return name.strip(), self._groups[name]
        return None


def is_one_slip(said: str, name: str) -> bool:
    """Return whether ``said`` is ``name`` with one letter added, missing or wrong, or two swapped.

    >>> is_one_slip("marbrug", "marburg"), is_one_slip("marbourg", "marburg")
    (True, True)
    >>> is_one_slip("marburg", "marburg"), is_one_slip("magdeburg", "marburg")
    (False, False)
    """
    if said == name:
        return False
    start = 0
    while start < min(len(said), len(name)) and said[start] == name[start]:
        start += 1
    if len(said) == len(name):
        swapped = said[start : start + 2] == name[start : start + 2][::-1]
        rest = said[start + 1 :] == name[start + 1 :]
        return rest or (swapped and said[start + 2 :] == name[start + 2 :])
    longer, shorter = (said, name) if len(said) > len(name) else (name, said)
    return len(longer) - len(shorter) == 1 and longer[start + 1 :] == shorter[start:]


@same_for_each
def gate_names(con: duckdb.DuckDBPyConnection, policy: RiskPolicy, *, local: bool) -> WithheldNames:
    """Return the names that no prompt to a model here (``local``) or elsewhere may contain."""
    from index.store.dangerous_names import dangerous_names, names_around

    names = dangerous_names(con, policy.named_never(local=local))
    return WithheldNames(names, names_around(con, names, spelled_name))


class GatedModel(WrappedModel):
    """``inner``, which never sees a prompt with a withheld name; ``refused`` counts such prompts.

    ``read_names`` returns the names. It is called with the first prompt and not before, so an
    answer that needs no model does not wait for them.
    """

    def __init__(self, inner: ChatModel, read_names: Callable[[], WithheldNames]) -> None:
        super().__init__(inner)
        self._read_names = read_names
        self.refused: Counter[str] = Counter()

    @cached_property
    def _withheld(self) -> WithheldNames:
        return self._read_names()

    async def complete(
        self, prompt: Prompt, schema: type[AnswerT], *, max_tokens: int, hear: Hear | None = None
    ) -> Completion[AnswerT]:
        """Return the model's answer; raise ``ModelRefusalError`` for a prompt that is withheld."""
        self._check(prompt)
        return await self.inner.complete(prompt, schema, max_tokens=max_tokens, hear=hear)

    async def count_tokens(self, prompt: Prompt) -> TokenCount:
        """Return the length of ``prompt``, estimated here where the model may not see it."""
        if self._withheld.found_in_prompt(prompt) is None:
            return await super().count_tokens(prompt)
        return TokenCount(content_tokens(prompt), exact=False)

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


_KMERS: Final = "k-mers"
_MARKS: Final = re.compile(r"[\u0300-\u036f\u3099\u309a]")
_PLURAL: Final = re.compile(r"(?<=[A-Z]{3})s\b")
_OF_EAST_ASIA: Final = "\u3040-\u30ff\u4e00-\u9fff"
_WORDS: Final = re.compile(rf"[{_OF_EAST_ASIA}]|[^\W_{_OF_EAST_ASIA}]+")


def spelled_name(text: str) -> str:
    """Return the words of ``text`` in lower case between blanks: hyphens and brackets separate, and
    so does each character of Chinese and Japanese. Accents do not count.

    Plurals of viruses and of abbreviations are names, too.

    >>> spelled_name("Ébola-viruses"), spelled_name("HIVs"), spelled_name("埃博拉")
    (' ebola virus ', ' hiv ', ' 埃 博 拉 ')
    """
    plain = _MARKS.sub("", unicodedata.normalize("NFKD", _PLURAL.sub("", text)))
    words = _WORDS.findall(plain.casefold())
    singular = [word.removesuffix("es") if word.endswith("viruses") else word for word in words]
    return f" {' '.join(singular)} "
