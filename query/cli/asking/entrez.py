"""``query entrez``: one question to NCBI's databases. It needs no index."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from index.exposure import DEFAULT_POLICY
from query.cli.answering import NoJournal, NoModel, Words, give
from query.cli.console import AsJson, Database, reported, say
from query.cli.usage import optional
from query.config import NcbiSettings, database_path, model_choice, ncbi_settings


def answer_from_ncbi(
    question: Words,
    db: Database = None,
    as_json: AsJson = False,
    no_llm: NoModel = False,
    replay: Annotated[
        Path | None,
        optional("Answer from recorded calls; nothing is sent."),
    ] = None,
    no_journal: NoJournal = False,
) -> None:
    """Ask NCBI about genes and their functions, variants, genes of diseases, the origin of a
    sequence, genomes of a virus, or the project of a run.

    The names and sequences of the question are sent to NCBI (eutils and blast.ncbi.nlm.nih.gov),
    at most 3 requests a second, 10 with NCBI_API_KEY; set NCBI_EMAIL. Answers are cached next to
    the index for a week. For other kinds of questions a configured model chooses at most ten calls.
    --replay or VIROME_ENTREZ_REPLAY answers from a file of recorded calls.

    \b
    Examples:
      query entrez "What is the official gene symbol of p53?"
      query entrez "Which chromosome is rs7412 on?" --json
      query entrez "Which genes are linked with phenylketonuria?"
      query entrez "How many genomes of Zika virus does GenBank have?"
      query entrez "What does the gene of rs7412 do?" --no-llm
    """
    with reported(as_json=as_json):
        from query.entrez_search.ask import answer_entrez
        from query.entrez_search.mode import chain_of
        from query.entrez_search.service import choose_service

        usual = ncbi_settings()
        settings = NcbiSettings(replay or usual.replay, usual.email, usual.api_key)
        if settings.replay is None and not settings.email:
            say("note: NCBI asks for an address to write to: set NCBI_EMAIL", err=True)
        path = database_path(db)
        chain = None if no_llm else chain_of(model_choice(), question, DEFAULT_POLICY)
        answer = answer_entrez(question, choose_service(path, settings), chain=chain)
        keep = not no_journal and path.parent.is_dir()
        give(answer, db, as_json=as_json, keep=keep)
