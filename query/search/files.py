"""The user's own files as pages of text: plain text, Markdown, PDF.

A file is data: no code in it is run, no link in it is followed, and a PDF's scripts, forms and
attachments are ignored. PDF is read by pypdf (BSD-3-Clause).
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from query.errors import DocumentError

if TYPE_CHECKING:
    from pypdf import PdfReader

TEXT: Final = (".txt", ".text", ".md", ".markdown", ".rst")
PDF: Final = ".pdf"
MOST_BYTES: Final = 200_000_000
MOST_PAGES: Final = 2_000
MOST_CHARACTERS: Final = 200_000
"""Most characters of one page; more is not a page but an attack or a table."""
_UNPRINTABLE: Final = 0.3


@dataclass(frozen=True, slots=True)
class Page:
    """Text of one page; ``number`` counts pages of a PDF, from 1, and is None in other files."""

    number: int | None
    text: str


@dataclass(frozen=True, slots=True)
class ReadFile:
    """A file read; ``silent`` pages have no text."""

    sha256: str
    pages: tuple[Page, ...]
    silent: int


def read_file(path: Path, *, most_pages: int = MOST_PAGES) -> ReadFile:
    """Return the pages of ``path``.

    Raises ``DocumentError``: no such file, of another kind, too large, too many pages, locked, no
    text in it.
    """
    if not path.is_file():
        raise DocumentError(path, "no such file", remedy="correct the path")
    if path.stat().st_size > MOST_BYTES:
        reason = f"{path.stat().st_size:,} bytes; at most {MOST_BYTES:,} are read"
        raise DocumentError(path, reason, remedy="split the file")
    content = path.read_bytes()
    suffix = path.suffix.lower()
    if suffix == PDF or content.startswith(b"%PDF-"):
        pages = _pdf_pages(path, most_pages)
    elif suffix in TEXT:
        pages = [Page(None, _decoded(path, content))]
    else:
        kinds = ", ".join((*TEXT, PDF))
        raise DocumentError(
            path, f"not a kind of file that can be read ({kinds})", remedy="convert it"
        )
    written = tuple(page for page in pages if page.text.strip())
    if not written:
        raise DocumentError(
            path,
            f"no text on any of its {len(pages)} pages: scanned images?",
            remedy="run it through OCR first, e.g. ocrmypdf in.pdf out.pdf",
        )
    digest = hashlib.sha256(content).hexdigest()
    return ReadFile(digest, written, len(pages) - len(written))


def _decoded(path: Path, content: bytes) -> str:
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        reason = f"no UTF-8 text at byte {error.start:,}"
        raise DocumentError(path, reason, remedy="convert it: iconv -t UTF-8") from error
    odd = sum(
        not character.isprintable() and not character.isspace() for character in text[:10_000]
    )
    if odd > _UNPRINTABLE * max(1, len(text[:10_000])):
        raise DocumentError(path, "binary, not text", remedy="name a text, Markdown or PDF file")
    return text


def _pdf_pages(path: Path, most_pages: int) -> list[Page]:
    from pypdf import PdfReader
    from pypdf.errors import PyPdfError

    with _quiet():
        try:
            reader = PdfReader(path)
            if reader.is_encrypted and not reader.decrypt(""):
                raise DocumentError(path, "it is locked by a password", remedy="save it unlocked")
            count = _page_count(path, reader, most_pages)
            return [_page(number, reader) for number in range(1, count + 1)]
        except (PyPdfError, ValueError, KeyError, TypeError, RecursionError, OSError) as error:
            reason = f"damaged or no PDF: {error}"
            raise DocumentError(path, reason, remedy="print it to a new PDF") from error


def _page_count(path: Path, reader: PdfReader, most_pages: int) -> int:
    """Return the pages of ``reader``; the number that it claims is checked first."""
    from pypdf.generic import DictionaryObject

    pages = reader.root_object["/Pages"].get_object()
    claimed = pages.get("/Count", 0) if isinstance(pages, DictionaryObject) else 0
    count = claimed if isinstance(claimed, int) and claimed > most_pages else len(reader.pages)
    if count > most_pages:
        reason = f"{count:,} pages; at most {most_pages:,} are read"
        raise DocumentError(path, reason, remedy=f"--max-pages {count} reads them all")
    return count


def _page(number: int, reader: PdfReader) -> Page:
    """Return one page; a page that cannot be read is one without text."""
    from pypdf.errors import PyPdfError

    try:
        text = reader.pages[number - 1].extract_text()
    except (PyPdfError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return Page(number, "")
    return Page(number, text[:MOST_CHARACTERS])


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep what pypdf logs about odd files out of the answer."""
    logger = logging.getLogger("pypdf")
    before = logger.level
    logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        logger.setLevel(before)
