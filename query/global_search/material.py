"""What a model may see of a question, and the model that adds to its answer."""

from __future__ import annotations

from dataclasses import dataclass

from index.models.metered import Spent
from index.models.profiles import ModelProfile
from index.models.protocol import ChatModel
from query.config import QueryConfig
from query.global_search.briefing import ANSWER_TOKENS, brief_facts
from query.global_search.mapping import PROMPT_OVERHEAD_TOKENS
from query.global_search.prompting import Described
from query.global_search.search import Selection, statements_for
from query.watching import UNWATCHED, Watch


@dataclass(frozen=True, slots=True)
class Writer:
    """A model that adds to an answer; ``local`` where it runs on this machine; ``watch`` sees it
    work.
    """

    model: ChatModel
    profile: ModelProfile
    config: QueryConfig
    local: bool
    spent: Spent
    watch: Watch = UNWATCHED

    @property
    def maps(self) -> bool:
        """True where it reads the communities in batches."""
        return self.profile.answering == "mapped"

    @property
    def batch_tokens(self) -> int:
        """Tokens of a batch of communities."""
        most = self.config.batch_tokens
        return min(self.profile.map_batch_tokens, most)

    @property
    def answer_tokens(self) -> int:
        """Tokens of the longest answer."""
        if not self.maps:
            return ANSWER_TOKENS
        return min(self.config.answer_tokens, self.profile.report_tokens)

    @property
    def reduce_tokens(self) -> int:
        """Tokens of points in the prompt that asks for the answer."""
        left = self.profile.context_tokens - self.answer_tokens
        room = min(self.config.reduce_tokens, left)
        return room - PROMPT_OVERHEAD_TOKENS


def may_be_asked(profile: ModelProfile, config: QueryConfig) -> bool:
    """Return whether a model of ``profile`` is asked anything of a question: one below 4 billion
    parameters only where the configuration says so.
    """
    if profile.answering == "choice":
        return config.small_answers
    return profile.answering == "mapped"


@dataclass(frozen=True, slots=True)
class Material:
    """What a selection has to say: communities that the model may see and those it may not, with
    their statements, and the headline, empty where the model may not see it.
    """

    selection: Selection
    seen: tuple[Described, ...]
    withheld: tuple[Described, ...]
    headline: str

    @property
    def question(self) -> str:
        """The question, in words."""
        return self.selection.question.text

    @property
    def facts(self) -> tuple[str, ...]:
        """The facts that a small model chooses from."""
        return brief_facts(self.selection, self.headline)

    def can_be_worded_by(self, writer: Writer) -> bool:
        """Return whether the model of ``writer`` is asked at all.

        A small one is asked only where the configuration says so; it reads counts over all matching
        runs, so that it must be allowed to see them all.
        """
        if not self.seen or not may_be_asked(writer.profile, writer.config):
            return False
        return writer.maps or bool(self.headline)


def gather_material(selection: Selection, headline: str, writer: Writer) -> Material:
    """Return what ``selection`` has to say, and what of it the model of ``writer`` may see.

    The ``headline`` counts all matching runs, so that it is shown only where every community may
    be.
    """
    config = writer.config
    statements = statements_for(selection, config=config)
    read = [one for one in selection.read if one.community in statements]
    described = [(one, statements[one.community]) for one in read]
    telling = [one for one in described if _says_more_than_counts(one)]
    seen = []
    withheld = []
    for one in telling or described:
        candidate, _ = one
        if config.policy.may_see(candidate.risk_group, local=writer.local):
            seen.append(one)
        else:
            withheld.append(one)
    if withheld:
        headline = ""
    return Material(selection, tuple(seen), tuple(withheld), headline)


def _says_more_than_counts(community: Described) -> bool:
    _, statements = community
    kinds = {one.kind for one in statements}
    return not kinds <= {"runs", "enrichment"}
