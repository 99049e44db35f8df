"""Models fetched from a real HTTP server on this machine: resumed, checked, chosen, refused."""

from __future__ import annotations

import hashlib
import os
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from index.errors import ModelFetchError, UnknownModelError
from index.models.choose import choose_model
from index.models.gallery import (
    CHOSEN,
    EMBEDDED,
    Fetching,
    GalleryModel,
    chosen_file,
    fetch_model,
    find_model,
    gallery,
    use_model,
)
from index.models.profiles import profile_of
from ontology_etl.releases.download import Retries
from query.cli.app import app
from tests.file_server import Script
from tests.test_ontology_download import server  # noqa: F401

BODY = b"GGUF" + bytes(range(256)) * 4_000
DIGEST = hashlib.sha256(BODY).hexdigest()
QUICK = Retries(attempts=3, wait_s=0.001, timeout_s=5)


@pytest.fixture
def maker(server: tuple[str, Script]) -> tuple[GalleryModel, Script]:  # noqa: F811
    """Return a model of the gallery and the server of its maker."""
    url, script = server
    script.body = BODY
    address = url.replace("doid.obo", "resolve/main/tiny-1.5b.gguf")
    model = GalleryModel("tiny-1.5b", address, "Apache-2.0", bytes=len(BODY), sha256=DIGEST)
    return model, script


def into(folder: Path, **given: object) -> Fetching:
    return Fetching(folder, retries=QUICK, **given)  # type: ignore[arg-type]


def test_a_model_cut_short_is_resumed_with_progress(
    maker: tuple[GalleryModel, Script], tmp_path: Path
) -> None:
    model, script = maker
    script.cuts = [400_000]
    steps: list[int] = []
    fetching = into(tmp_path, progress=lambda *call: steps.append(call[1]))
    path = fetch_model(model, fetching)
    assert path.read_bytes() == BODY
    assert [wanted for _, wanted in script.seen] == [None, "bytes=400000-"]
    assert steps == sorted(steps)
    assert steps[-1] == len(BODY)
    assert model.is_installed(tmp_path)
    assert fetch_model(model, fetching) == path
    assert len(script.seen) == 2, "a file that is right is not asked for again"


def test_a_model_without_a_pin_needs_the_digest_of_its_page(
    maker: tuple[GalleryModel, Script], tmp_path: Path
) -> None:
    model, script = maker
    unpinned = replace(model, sha256=None)
    with pytest.raises(ModelFetchError, match="no digest of it is known") as raised:
        fetch_model(unpinned, into(tmp_path))
    assert raised.value.remedy.endswith("/blob/main/tiny-1.5b.gguf")
    assert script.seen == []
    assert fetch_model(unpinned, into(tmp_path, sha256=DIGEST.upper())).read_bytes() == BODY


def test_too_little_room_is_said_before_anything_is_fetched(
    maker: tuple[GalleryModel, Script], tmp_path: Path
) -> None:
    model, script = maker
    with pytest.raises(ModelFetchError, match=r"it needs .* GB in .*, .* GB are free"):
        fetch_model(replace(model, bytes=10**18), into(tmp_path))
    assert script.seen == []


@contextmanager
def files_of_at_most(size: int) -> Iterator[None]:
    """Let no file of this process grow beyond ``size`` bytes."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_disk_that_fills_up_leaves_a_fetch_that_can_be_resumed(
    maker: tuple[GalleryModel, Script], tmp_path: Path
) -> None:
    model, script = maker
    with files_of_at_most(600_000), pytest.raises(ModelFetchError, match="the disk is full"):
        fetch_model(model, into(tmp_path))
    part = tmp_path / "tiny-1.5b.gguf.part"
    assert 0 < part.stat().st_size <= 600_000
    assert fetch_model(model, into(tmp_path)).read_bytes() == BODY
    assert script.seen[-1][1] is not None, "the rest was asked for, not the whole"


def test_the_model_in_use_comes_before_the_embedded_one_and_after_the_environment(
    maker: tuple[GalleryModel, Script], tmp_path: Path
) -> None:
    model, _ = maker
    models = {model.name: model}
    with pytest.raises(ModelFetchError) as raised:
        use_model(model.name, tmp_path, models)
    assert raised.value.remedy == "query models fetch tiny-1.5b"
    fetch_model(model, into(tmp_path))
    use_model(model.name, tmp_path, models)
    environment = {"VIROME_MODELS": str(tmp_path)}
    assert choose_model(environment).reason == "tiny-1.5b in this process: query models use"
    assert choose_model({**environment, "VIROME_MODEL": "none"}).model is None
    use_model(EMBEDDED, tmp_path, models)
    assert not (tmp_path / CHOSEN).exists()
    assert chosen_file(tmp_path) is None


def test_a_chosen_model_whose_file_is_gone_is_not_chosen(tmp_path: Path) -> None:
    (tmp_path / CHOSEN).write_text("gone.gguf\n")
    assert chosen_file(tmp_path) is None


def test_a_name_that_is_no_model_names_those_that_are() -> None:
    with pytest.raises(UnknownModelError) as raised:
        find_model("gpt-5", gallery())
    assert "qwen2.5-1.5b" in raised.value.remedy


def test_every_model_of_the_gallery_is_small_from_its_maker_and_licensed() -> None:
    models = gallery()
    assert len(models) > 1
    for model in models.values():
        assert profile_of(model.name).prompt_tokens <= 1_000
        assert profile_of(model.name).report_tokens <= 150
        assert model.url.startswith("https://huggingface.co/")
        assert model.file.endswith(".gguf")
        assert model.licence in ("Apache-2.0", "MIT")


@pytest.mark.parametrize(
    ("words", "code", "shown"),
    [
        (["list"], 0, "digest not known: fetch it with --sha256 from https://huggingface.co/"),
        (["fetch"], 2, "fetch needs the name of a model"),
        (["fetch", "qwen2.5-1.5b"], 7, "no digest of it is known for certain"),
        (["use", "qwen2.5-1.5b"], 7, "query models fetch qwen2.5-1.5b"),
        (["use", "gpt-5"], 7, "there is no such model"),
        (["try", "qwen2.5-1.5b"], 7, "it is not in"),
        (["use", "embedded"], 0, "builds and questions use embedded"),
    ],
)
def test_query_models_says_what_to_do_next(
    words: list[str], code: int, shown: str, tmp_path: Path
) -> None:
    environment = {**os.environ, "VIROME_MODELS": str(tmp_path), "COLUMNS": "300"}
    result = CliRunner().invoke(app, ["models", *words], env=environment)
    assert result.exit_code == code, result.output
    assert shown in result.output
