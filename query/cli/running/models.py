"""``query models``: what models are at hand, and how a larger one comes to this machine."""

from __future__ import annotations

import os
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

import typer

from index.errors import ModelUnavailableError
from query.cli.console import AsJson, Database, index_opened, print_json, reported, say
from query.config import database_path

if TYPE_CHECKING:
    from index.models.choose import ModelChoice
    from index.models.gallery import GalleryModel
    from query.evaluation.model_trial import Score, TriedTask

Action = Literal["list", "fetch", "use", "try"]
IN_USE: Final = "in-use"
"""Name of the model that builds and questions use, whichever it is."""
RECORDED: Final = "recorded"
"""Name of the model that gives the recorded answers."""
_REPORTED_EVERY: Final = 25_000_000
"""Bytes between two lines of progress."""


def models(
    action: Annotated[Action, typer.Argument(help="What to do.")] = "list",
    name: Annotated[str, typer.Argument(help="Name of the model, as listed.")] = "",
    sha256: Annotated[
        str, typer.Option(help="Digest of the file, as the model's page shows it.")
    ] = "",
    db: Database = None,
    as_json: AsJson = False,
) -> None:
    """List the available models, fetch one, use it, or try it on recorded answers.

    \b
    list        models installed, in use, and those that can be fetched, with what each may do
    fetch NAME  fetch a GGUF file from its maker, checked by sha256; a fetch cut short is resumed
    use NAME    use a fetched model in builds and questions (embedded: the installed one again)
    try NAME    score it on tasks that a strong model has answered, and say what it would be used
                for; in-use: the model that builds and questions use; recorded: those answers

    \b
    Examples:
      query models
      query models list --json | jq .models

    \b
    A larger model, then:
      $ query models fetch qwen2.5-1.5b --sha256 DIGEST
      $ query models try qwen2.5-1.5b
      $ query models use qwen2.5-1.5b
    """
    with reported(as_json=as_json):
        if action == "list":
            _list(as_json=as_json)
            return
        if not name:
            raise typer.BadParameter(f"{action} needs the name of a model: query models list")
        if action == "fetch":
            _fetch(name, sha256 or None)
        elif action == "use":
            _use(name)
        else:
            _try(name, db, as_json=as_json)


def _list(*, as_json: bool) -> None:
    from index.models.choose import choose_model
    from index.models.gallery import chosen_file, gallery, models_folder

    folder = models_folder(os.environ)
    in_use = choose_model(os.environ)
    chosen = chosen_file(folder)
    rows = [_row(model, folder, chosen) for model in gallery().values()]
    if as_json:
        print_json({"in_use": in_use.reason, "folder": str(folder), "models": rows})
        return
    tier = f" ({in_use.profile.tier})" if in_use.profile else ""
    say(f"in use: {in_use.reason}{tier}")
    for row in rows:
        say(f"{row['name']:<20} {row['gigabytes']:>4} GB  {row['licence']:<11} {row['state']}")
        say(f"{'':<20} {row['may']}")
    say(f"Files are kept in {folder}. Nothing is fetched unless you ask for it.")


def _row(model: GalleryModel, folder: Path, chosen: Path | None) -> dict[str, Any]:
    from index.models.profiles import profile_of

    if chosen == model.path(folder):
        state = "in use"
    elif model.is_installed(folder):
        state = f"installed: query models use {model.name}"
    elif model.sha256:
        state = f"query models fetch {model.name}"
    else:
        state = f"digest not known: fetch it with --sha256 from {model.page}"
    return {
        "name": model.name,
        "gigabytes": round(model.bytes / 1e9, 1),
        "licence": model.licence,
        "state": state,
        "page": model.page,
        "may": profile_of(model.name).duties,
    }


def _fetch(name: str, sha256: str | None) -> None:
    from index.models.gallery import Fetching, fetch_model, find_model, gallery, models_folder

    model = find_model(name, gallery())
    say(f"{model.file}: licence {model.licence}, see {model.page}", err=True)
    folder = models_folder(os.environ)
    fetching = Fetching(folder, sha256, progress=_Said())
    path = fetch_model(model, fetching)
    say(f"{path}\nthen: query models try {name}; query models use {name}")


class _Said:
    """Says every 25 MB how far a download is."""

    def __init__(self) -> None:
        self._next = 0

    def __call__(self, name: str, done: int, total: int | None) -> None:
        """Say how far the file called ``name`` is."""
        if done < self._next and done != total:
            return
        self._next = done + _REPORTED_EVERY
        of = f" of {total / 1e6:,.0f}" if total else ""
        say(f"  {name}: {done / 1e6:,.0f}{of} MB", err=True)


def _use(name: str) -> None:
    from index.models.gallery import gallery, models_folder, use_model

    path = use_model(name, models_folder(os.environ), gallery())
    say(f"builds and questions use {name if path is None else path}")


def _try(name: str, db: Path | None, *, as_json: bool) -> None:
    from query.evaluation.model_trial import scores_of, try_recorded
    from query.evaluation.recorded_answers import recorded_answers

    choice = _choice(name)
    duties = choice.profile.duties if choice.profile else ""
    tried: list[TriedTask] = []
    with index_opened(db) as con:
        for task in try_recorded(con, database_path(db), choice, recorded_answers()):
            tried.append(task)
            if not as_json:
                say(_task_text(task))
    scores = scores_of(tried)
    if as_json:
        record = {
            "model": name,
            "duties": duties,
            "scores": [asdict(score) for score in scores],
            "tasks": [asdict(task) for task in tried],
        }
        print_json(record)
        return
    say(_verdict(duties, scores))


def _choice(name: str) -> ModelChoice:
    """Return the model called ``name``: the embedded one, one of the gallery, the one that gives
    the recorded answers (the most that a model can score), or the one that builds and questions
    use. Raises ``ModelUnavailableError`` if these use none.
    """
    from index.models.choose import choose_model
    from index.models.gallery import EMBEDDED, gallery, installed_file, models_folder

    if name == EMBEDDED:
        return choose_model({"VIROME_MODEL": EMBEDDED})
    if name == IN_USE:
        choice = choose_model(os.environ)
        if choice.model is None:
            raise ModelUnavailableError(IN_USE, choice.reason, remedy="query models list")
        return choice
    if name == RECORDED:
        from index.models.choose import ModelChoice, profile_of
        from query.evaluation.replaying import ReplayedModel

        model = ReplayedModel()
        return ModelChoice(model, profile_of(model.name), "recorded answers", local=True)
    path = installed_file(name, models_folder(os.environ), gallery())
    return choose_model({"VIROME_GGUF": str(path)})


def _task_text(tried: TriedTask) -> str:
    counted = [f"{right} of {of} ({use})" for use, (right, of) in tried.right.items()]
    failed = f": {tried.failure}" if tried.failure else ""
    return f"{tried.task}: {tried.subject}: {', '.join(counted)}{failed}"


def _verdict(duties: str, scores: tuple[Score, ...]) -> str:
    """Return what the model would be used for, by its answers and by its size."""
    lines = [""]
    for score in scores:
        share = f"{score.right / score.of:.0%}" if score.of else "not tried"
        lines.append(
            f"{score.use:<18} {share:>9}  {score.right} of {score.of} {score.counted}; "
            f"used from {score.least:.0%}"
        )
    used = [score.use for score in scores if score.used]
    rest = [score.use for score in scores if not score.used]
    lines.append(f"By its answers it would be used to {', '.join(used) or 'do nothing'}.")
    if rest:
        lines.append(f"It would not be used to {', '.join(rest)}.")
    return "\n".join([*lines, f"By its size it {duties}."])
