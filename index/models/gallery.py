"""The gallery: models that can be fetched to this machine, where they are, and which is in use.

Files are GGUF, fetched from their makers' addresses (``gallery.toml``) to a folder of their own and
checked against a sha256: the pin of the gallery, or the digest that the caller read on the model's
page. A file that matches neither is never used. The choice of ``use_model`` is one line in that
folder; the environment comes before it (``index.models.choose``).
"""

from __future__ import annotations

import errno
import shutil
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from index.errors import ModelFetchError, UnknownModelError
from ontology_etl.errors import DownloadError
from ontology_etl.releases.download import Retries, fetch, read_downloads
from ontology_etl.releases.transfer import DownloadProgress

FOLDER: Final = Path("data/models")
"""Where models are stored unless ``VIROME_MODELS`` says otherwise."""
CHOSEN: Final = "chosen.txt"
"""Names the model in use; it is in the folder of the models."""
EMBEDDED: Final = "embedded"
"""Name of the model that is installed with the program."""
HEADROOM_BYTES: Final = 200_000_000
"""Bytes that stay free on the disk next to a model."""
_FULL: Final = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
"""Errors of writing to a full disk, or beyond a quota or a size limit."""
_GALLERY: Final = Path(__file__).with_name("gallery.toml")


@dataclass(frozen=True)
class GalleryModel:
    """A model that can be fetched; ``sha256`` is None if no digest is known for certain."""

    name: str
    url: str
    licence: str
    bytes: int
    sha256: str | None = None

    @property
    def file(self) -> str:
        """Name of its file."""
        return self.url.rpartition("/")[2]

    @property
    def page(self) -> str:
        """Address of the page that shows the digest and the licence of the file."""
        return self.url.replace("/resolve/", "/blob/")

    def path(self, folder: Path) -> Path:
        """Return where its file is, or would be."""
        return folder / self.file

    def is_installed(self, folder: Path) -> bool:
        """Return whether its file was fetched whole and checked."""
        return self.file in read_downloads(folder) and self.path(folder).exists()


@dataclass(frozen=True)
class Fetching:
    """Where and how a model is fetched: its folder, its digest if known, and a callback for
    progress.
    """

    folder: Path
    sha256: str | None = None
    progress: DownloadProgress | None = None
    retries: Retries | None = None


def gallery() -> dict[str, GalleryModel]:
    """Return the models that can be fetched, by name, the smallest first."""
    with _GALLERY.open("rb") as file:
        entries = tomllib.load(file)
    models = [GalleryModel(name, **entry) for name, entry in entries.items()]
    models.sort(key=lambda model: (model.bytes, model.name))
    return {model.name: model for model in models}


def find_model(name: str, models: Mapping[str, GalleryModel]) -> GalleryModel:
    """Return the model called ``name``. Raises ``UnknownModelError``."""
    if name not in models:
        raise UnknownModelError(name, known=list(models))
    return models[name]


def fetch_model(model: GalleryModel, fetching: Fetching) -> Path:
    """Return the file of ``model``, fetched unless it is there; a fetch that broke off is resumed.

    Raises ``ModelFetchError``: no digest to check it by, too little room, no such file, another
    digest, or the disk filled up.
    """
    sha256 = fetching.sha256 or model.sha256
    if sha256 is None:
        reason = "no digest of it is known for certain"
        remedy = f"give --sha256 as its page shows it: {model.page}"
        raise ModelFetchError(model.name, reason, remedy=remedy)
    _require_room(model, fetching.folder)
    try:
        return fetch(
            model.url,
            fetching.folder,
            licence=model.licence,
            sha256=sha256.lower(),
            progress=fetching.progress,
            retries=fetching.retries,
        )
    except DownloadError as error:
        reason = error.reason
        remedy = (
            f"run it again (it resumes); or fetch it by hand from {model.page}, then VIROME_GGUF"
        )
        if isinstance(error.__cause__, OSError) and error.__cause__.errno in _FULL:
            reason, remedy = "the disk is full", "free space and run it again: it resumes"
        raise ModelFetchError(model.name, reason, remedy=remedy) from error


def use_model(name: str, folder: Path, models: Mapping[str, GalleryModel]) -> Path | None:
    """Let builds and questions use the model called ``name``; return its file, None for the
    embedded model.

    Raises ``UnknownModelError`` where there is no such model, ``ModelFetchError`` where it was not
    fetched.
    """
    if name == EMBEDDED:
        (folder / CHOSEN).unlink(missing_ok=True)
        return None
    path = installed_file(name, folder, models)
    (folder / CHOSEN).write_text(f"{path.name}\n", encoding="utf-8")
    return path


def installed_file(name: str, folder: Path, models: Mapping[str, GalleryModel]) -> Path:
    """Return the file of the model called ``name``.

    Raises ``UnknownModelError`` where there is no such model, ``ModelFetchError`` where it was not
    fetched.
    """
    model = find_model(name, models)
    if not model.is_installed(folder):
        remedy = f"query models fetch {name}"
        raise ModelFetchError(name, f"it is not in {folder}", remedy=remedy)
    return model.path(folder)


def chosen_file(folder: Path) -> Path | None:
    """Return the file of the model in use; None if none was chosen or its file is gone."""
    note = folder / CHOSEN
    if not note.exists():
        return None
    path = folder / note.read_text(encoding="utf-8").strip()
    return path if path.is_file() else None


def models_folder(environment: Mapping[str, str]) -> Path:
    """Return where models are stored."""
    return Path(environment.get("VIROME_MODELS") or FOLDER)


def _require_room(model: GalleryModel, folder: Path) -> None:
    """Raise ``ModelFetchError`` if the disk has no room for the rest of the file."""
    folder.mkdir(parents=True, exist_ok=True)
    if model.is_installed(folder):
        return
    part = model.path(folder).with_name(f"{model.file}.part")
    come = part.stat().st_size if part.exists() else 0
    wanted = model.bytes - come + HEADROOM_BYTES
    free = shutil.disk_usage(folder).free
    if free < wanted:
        reason = f"it needs {wanted / 1e9:.1f} GB in {folder}, {free / 1e9:.1f} GB are free"
        raise ModelFetchError(model.name, reason, remedy="free space, or set VIROME_MODELS")
