"""``query entrez`` as one of the ways of asking."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Final

from index.exposure import RiskPolicy
from query.answer import Answer
from query.config import ncbi_settings
from query.mode import Asking, Mode

if TYPE_CHECKING:
    from index.models.choose import ModelChoice
    from query.entrez_search.session import Session
    from query.entrez_search.with_model import Chain


def answer(asking: Asking) -> Answer:
    """Return NCBI's answer; raises ``QueryError`` where there is none."""
    from query.entrez_search.ask import answer_entrez
    from query.entrez_search.client import choose_service

    service = choose_service(asking.db, ncbi_settings())
    chain = None
    if asking.choice is not None:
        chain = chain_of(asking.choice, asking.question, asking.config.policy)
    return answer_entrez(asking.question, service, chain=chain)


def chain_of(
    choice: ModelChoice, question: str, policy: RiskPolicy
) -> Callable[[Session, str], Chain] | None:
    """Return how the model of ``choice`` answers; None if there is no model, or none that may.

    A model below 4B was not measured to help, so it is not used. Records of viruses have an
    unknown risk group, and are sent only to models that ``policy`` lets see that.
    """
    if choice.model is None or choice.profile is None or not choice.profile.is_large:
        return None
    from query.entrez_search.tasks import names_a_virus
    from query.entrez_search.with_model import chain_calls

    if names_a_virus(question) and not policy.may_see("unknown", local=choice.local):
        return None
    return partial(chain_calls, model=choice.model)


MODE: Final = Mode(
    name="entrez",
    title="NCBI's databases",
    can="Ask NCBI's databases: names, places and functions of genes, variants, genes of diseases, "
    "where a sequence is from, genomes of a virus, the project of a run.",
    examples=(
        "What is the official gene symbol of p53?",
        "Which chromosome is rs7412 on?",
        "Which genes are linked with phenylketonuria?",
        "How many genomes of Zika virus does GenBank have?",
    ),
    answer=answer,
)
