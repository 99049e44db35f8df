"""Links from a page to a file beside docs/ lead to a copy of that file in the site (mkdocs)."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Final

from mkdocs.structure.files import File, Files

ROOT: Final = Path(__file__).parents[1]
_OUTSIDE: Final = re.compile(r"\]\(\.\./([^)#\s]+)(#[^)\s]*)?\)")
_SHOWN_AS_IS: Final = (".svg", ".png")


def on_files(files: Files, config: Any) -> Files:
    """Add the files beside docs/ that pages link to; one that is not there stays a broken link."""
    for page in list(files.documentation_pages()):
        for path, _ in _OUTSIDE.findall(page.content_string):
            target = ROOT / path
            name = _copy_of(path)
            if target.exists() and files.get_file_from_path(name) is None:
                files.append(File.generated(config, name, abs_src_path=str(target)))
    return files


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Return the text of a page with these links changed."""
    return _OUTSIDE.sub(lambda found: f"]({_copy_of(found[1])})", markdown)


def _copy_of(path: str) -> str:
    """Return where the site has the file; anything but a picture is shown as text."""
    suffix = "" if path.endswith(_SHOWN_AS_IS) else ".txt"
    return f"beside/{path}{suffix}"
