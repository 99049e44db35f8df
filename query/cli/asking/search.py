"""``query search`` and ``query documents``: passages, and files of the user's own."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, Literal, cast

import typer

from index.claims.phrases import counted
from query.cli.answering import NoJournal, keep_answer
from query.cli.console import AsJson, Database, opened, print_json, print_table, reported, say
from query.cli.listing import columns_of
from query.cli.usage import argument, optional, takes
from query.config import database_path, documents_path
from query.search.passage import KINDS, Kind, snippet

if TYPE_CHECKING:
    from query.search.documents import Document
    from query.search.selecting import PassageSearch

HITS: Final = columns_of(
    "kind, where, text, words, meaning, cosine",
    cut="text",
    numbers="words, meaning, cosine",
    least="cosine, words, meaning",
)
DOCUMENTS: Final = columns_of(
    "document, outcome, pages, without text, passages, path",
    cut="path",
    numbers="pages, without text, passages",
    least="without text, path, outcome",
)


def known_kinds(kinds: list[str] | None) -> list[str] | None:
    """Return ``kinds``; an unknown kind of passage is wrong usage."""
    for kind in kinds or ():
        if kind not in KINDS:
            raise typer.BadParameter(f"{kind}: no kind of passage; there are {', '.join(KINDS)}")
    return kinds


@dataclass(frozen=True)
class SearchOptions:
    """Options of ``query search``."""

    words: Annotated[str | None, argument("Words, or a question.")] = None
    near: Annotated[
        str | None,
        optional("Find what is most like this community, finding, study, term, virus or document."),
    ] = None
    kind: Annotated[
        list[str] | None,
        optional(
            f"Only passages of this kind: {', '.join(KINDS)}; may be repeated.",
            callback=known_kinds,
        ),
    ] = None
    limit: Annotated[int, typer.Option(help="Passages to show.", min=1, max=200)] = 10
    db: Database = None
    as_json: AsJson = False
    no_journal: NoJournal = False


@takes(SearchOptions)
def search(options: SearchOptions) -> None:
    """Find passages by words and by meaning: reports, findings, studies, terms, viruses, documents.

    Two rankings are combined: BM25 over words, and cosines of sentence vectors. The columns words
    and meaning show the rank in each. Nothing is sent anywhere.

    \b
    Examples:
      query search "bats sampled in caves"
      query search "mosquito viromes" --kind study --kind report
      query search "respiratory infection of cattle" --json
      query search --near NCBITaxon:11118 --limit 5
    """
    with opened(options.db, as_json=options.as_json) as con:
        from query.search.selecting import found_answer, search_asked, search_near, search_words

        if (options.words is None) == (options.near is None):
            raise typer.BadParameter("give words, or --near with an identifier")
        started = time.perf_counter()
        path = database_path(options.db)
        kinds = cast("tuple[Kind, ...]", tuple(options.kind or KINDS))
        store = documents_path(path)
        text = options.words or ""
        if options.near is not None:
            found = search_near(con, options.near, store, kinds=kinds, limit=options.limit)
        elif options.kind:
            found = search_words(con, text, store, kinds=kinds, limit=options.limit)
        else:
            found = search_asked(con, text, store, limit=options.limit)
        answer = found_answer(found, started=started)
        if options.as_json:
            print_json({"text": found.text, "notes": found.notes, "hits": _records(found)})
        else:
            _print(found)
        if not options.no_journal:
            keep_answer(answer, path)


def documents(
    action: Annotated[Literal["add", "list", "remove"], typer.Argument(help="What to do.")],
    names: Annotated[list[str] | None, argument("Files to add, or names to remove.")] = None,
    max_pages: Annotated[int, typer.Option(help="Maximum number of pages of a PDF.", min=1)] = 2000,
    db: Database = None,
    as_json: AsJson = False,
) -> None:
    """Add your own text, Markdown and PDF files to query search; list or remove them.

    They are stored in a file next to the index (or in VIROME_DOCUMENTS), and cited by file and page
    or line. Nothing in them is executed, and nothing is sent anywhere.

    \b
    Examples:
      query documents add notes.md
      query documents list
      query documents remove notes.md
    """
    with reported(as_json=as_json):
        from query.search.documents import add_document, list_documents, remove_document

        store = documents_path(database_path(db))
        if action != "list" and not names:
            raise typer.BadParameter(f"name the files to {action}")
        if action == "add":
            done = [add_document(store, Path(name), most_pages=max_pages) for name in names or ()]
        elif action == "remove":
            done = [remove_document(store, name) for name in names or ()]
        else:
            done = list_documents(store)
    _print_documents(done, store, as_json=as_json)


def _print_documents(done: Sequence[Document], store: Path, *, as_json: bool) -> None:
    if as_json:
        print_json({"store": str(store), "documents": [asdict(document) for document in done]})
        return
    rows = [
        (document.name, document.outcome, document.pages, document.silent, document.chunks,
         document.path)
        for document in done
    ]  # fmt: skip
    print_table(DOCUMENTS, rows)
    say(f"{counted(len(done), 'document')} in {store}", err=True)


def _records(found: PassageSearch) -> list[dict[str, object]]:
    return [
        {
            **asdict(hit.passage),
            "snippet": snippet(hit.passage.text, found.words),
            "score": hit.score,
            "rank_words": hit.rank_words,
            "rank_meaning": hit.rank_meaning,
            "cosine": None if hit.cosine is None else round(hit.cosine, 3),
        }
        for hit in found.hits
    ]


def _print(found: PassageSearch) -> None:
    rows = [
        (
            hit.passage.kind,
            hit.passage.where,
            snippet(hit.passage.text, found.words),
            hit.rank_words,
            hit.rank_meaning,
            "" if hit.cosine is None else f"{hit.cosine:.2f}",
        )
        for hit in found.hits
    ]
    print_table(HITS, rows)
    for note in found.notes:
        say(f"note: {note}", err=True)
    shown = ", ".join(found.words[:12])
    say(f"{counted(len(rows), 'passage')}; words looked for: {shown}", err=True)
