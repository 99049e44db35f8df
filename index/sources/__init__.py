"""Record sources: a table format each, with ``read(path, **options) -> Records`` and ``SOURCE``.

A format whose rows need special code is a module of ``formats``; one that only calls its columns by
other names is a TOML file of ``layouts`` (``index.sources.specs``). A package of somebody else adds
its own as an entry point of the group ``virome_graphrag.sources``, which names a ``Source``.

A reader is pure but for opening its file: equal files give equal tables. It raises an
``InputError`` for a file that cannot be used, and rejects and counts the rows it cannot use.
"""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import entry_points
from pkgutil import iter_modules
from typing import Final

from index.sources import formats
from index.sources.source import Source
from index.sources.specs import declared_sources

GROUP: Final = "virome_graphrag.sources"
"""Entry points of packages that add formats."""


def _own() -> dict[str, Source]:
    """Return the ``SOURCE`` of each module of ``formats`` that has one."""
    names = [module.name for module in iter_modules(formats.__path__)]
    modules = {name: import_module(f"{formats.__name__}.{name}") for name in names}
    return {name: module.SOURCE for name, module in modules.items() if hasattr(module, "SOURCE")}


def _added() -> dict[str, Source]:
    """Return the sources of other packages; none of them replaces one of this."""
    return {point.name: point.load() for point in entry_points(group=GROUP)}


SOURCES: Final[dict[str, Source]] = dict(sorted((_added() | _own() | declared_sources()).items()))
