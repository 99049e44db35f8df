"""Every prompt that leaves for a model elsewhere, recorded, and read for names of dangerous agents.

    python -m tests.recorded_prompts --inputs data/real/inputs.toml --questions 60

An index is built from the inputs, its reports interpreted as in a build by a scripted server at
0.0.0.0, which is no loopback address, so that the server counts as a model elsewhere. The server
invents names of dangerous agents now and then. Then questions are asked in every way there is, most
of them about agents that it may not see.

Names to look for are taken from the register and the taxonomy here, by other code than the gate's.
"""

from __future__ import annotations

import argparse
import contextlib
import csv
import json
import os
import random
import re
import sys
import tempfile
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeAlias

import duckdb

from index.config import IndexConfig
from index.errors import ModelError
from index.exposure import POLICIES
from index.models.choose import ModelChoice, OpenAIModel, choose_model, profile_of
from index.store.build import open_index
from query.ask.ask import answer_any
from query.config import QueryConfig
from query.errors import QueryError
from query.global_search.answering import plan_answer
from query.mode import Asking
from query.modes import all_modes
from tests.conftest import BuiltIndex, build_from
from tests.scripted_openai import Reply, ScriptedServer
from tests.serving import serving
from tests.wording_cases import answer, asked, careful

Requests: TypeAlias = list[dict[str, Any]]
"""What a model was asked, as it reached its server."""
SEED: Final = 17
INVENTED: Final = ("Nipah virus", "Zaire ebolavirus")
MODEL: Final = "scripted-8b"
LONGEST: Final = 14
"""Words of a name; longer ones are matched by their first words."""
ABOUT: Final = (
    "Where is {} found?",
    "Which viruses go with {} in bats?",
    "How many runs carry {}?",
    "Is {} more common in blood than in lung?",
    "Which studies mention {}?",
    "Which viruses are found in rice without {}?",
)
HARMLESS: Final = (
    "Which viruses are found in pigs?",
    "Which viruses are found in rice?",
    "viruses of the human lung",
    "Which virus families are found in pigs but not in cattle?",
    "Which virus families are found in mosquitoes?",
    "What goes with Endornaviridae in rice?",
)


_OF_ANOTHER: Final = re.compile(r"\b(?:influenza|rhinitis|togo|anopheles) b virus\b")
"""Names of other families that hold a name of an agent, the B virus, looked up by hand."""


@dataclass(frozen=True)
class Recorded:
    """Prompts that reached the server, and what of them names an agent that it may not see."""

    prompts: int
    characters: int
    names: int
    found: tuple[tuple[str, str], ...]
    """Name, and the prompt around it."""


class RecordingServer(ScriptedServer):
    """A scripted server under an address that is not loopback to look at."""

    @property
    def base_url(self) -> str:
        return f"http://0.0.0.0:{self.server_port}/v1"


@contextmanager
def recording(answer: Callable[[dict[str, Any]], Reply]) -> Iterator[RecordingServer]:
    """Run a server that answers by ``answer`` and keeps what it was asked."""
    with serving(RecordingServer(answer)) as server:
        yield server


class Inventive:
    """Interprets reports carefully; every third answer names an agent that its prompt did not."""

    def __init__(self) -> None:
        self._chance = random.Random(SEED)

    def __call__(self, request: dict[str, Any]) -> Reply:
        schema = request.get("response_format", {}).get("json_schema", {}).get("schema", {})
        if "Title:" not in asked(request):
            return Reply(json.dumps(fitting(schema, schema)))
        if self._chance.random() < 1 / 3:
            name = self._chance.choice(INVENTED)
            return answer(f"It may be {name}.")
        return careful(request)


def fitting(node: Mapping[str, Any], root: Mapping[str, Any]) -> Any:
    """Return the smallest value that fits the JSON schema ``node`` of ``root``."""
    if reference := node.get("$ref"):
        return fitting(root["$defs"][reference.rpartition("/")[2]], root)
    for choice in ("anyOf", "oneOf", "allOf"):
        if choice in node:
            return fitting(node[choice][0], root)
    if "const" in node or "enum" in node:
        return node.get("const", node.get("enum", [None])[0])
    kind = node.get("type")
    if kind == "object":
        return {key: fitting(one, root) for key, one in node.get("properties", {}).items()}
    if kind == "array":
        return [fitting(node["items"], root)] * max(1, node.get("minItems", 1))
    if kind in ("integer", "number"):
        return node.get("minimum", 1)
    return {"boolean": True, "null": None}.get(str(kind), "x")


def register_names(register: Path, con: duckdb.DuckDBPyConnection) -> frozenset[str]:
    """Return the names of RG3 and RG4 in ``register``, those of their taxids, and of all below."""
    with register.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    bad = [row for row in rows if row["rg_human_derived"] in ("RG3", "RG4")]
    curies = [f"NCBITaxon:{row['ncbi_taxid']}" for row in bad if row["ncbi_taxid"]]
    plants = {curie for (curie,) in con.execute(_PLANTS).fetchall()}
    of_taxa = con.execute(_BELOW, [[one for one in curies if one not in plants]]).fetchall()
    names = {spelled(name) for (name,) in of_taxa} | {spelled(row["name"]) for row in bad}
    return frozenset(" ".join(name.split()[:LONGEST]) for name in names if len(name) > 2)


_PLANTS: Final = """
WITH RECURSIVE plant AS (
    SELECT 'NCBITaxon:33090' AS curie
    UNION ALL
    SELECT e.subject FROM plant JOIN term_edge AS e ON e.object = plant.curie
    WHERE predicate = 'parent'
)
FROM plant
"""
"""Green plants: the register gives the taxid of the plant *Sabia* for the Sabia virus."""
_BELOW: Final = """
WITH RECURSIVE bad AS (
    SELECT coalesce(replaced_by, curie) AS curie FROM term WHERE curie IN (SELECT unnest($1))
    UNION
    SELECT e.subject FROM bad JOIN term_edge AS e ON e.object = bad.curie AND predicate = 'parent'
)
SELECT label FROM term SEMI JOIN bad USING (curie) WHERE label IS NOT NULL
UNION SELECT synonym FROM synonym SEMI JOIN bad USING (curie)
"""


def spelled(text: str) -> str:
    """Return the words of ``text`` in small letters, without what separates them."""
    return " ".join(re.sub(r"[\W_]+", " ", text.lower()).split())


def name_in(text: str, names: frozenset[str]) -> str | None:
    """Return the first of ``names`` in ``text``, as whole words; None without one."""
    words = _OF_ANOTHER.sub(" ", spelled(text)).split()
    for start in range(len(words)):
        for end in range(start + 1, min(start + LONGEST, len(words)) + 1):
            name = " ".join(words[start:end])
            if name in names:
                return name
    return None


def read_prompts(requests: Requests, names: frozenset[str]) -> Recorded:
    """Return what ``requests`` to a model hold, every message of them."""
    found = []
    texts = ["\n".join(m["content"] for m in one["messages"]) for one in requests]
    for text in texts:
        name = name_in(text, names)
        if name is not None:
            found.append((name, text))
    return Recorded(len(texts), sum(map(len, texts)), len(names), tuple(found))


def build_recorded(
    inputs: Path,
    db: Path,
    *,
    most: int,
    config: IndexConfig = IndexConfig(),  # noqa: B008 - frozen
) -> BuiltIndex:
    """Build the index of ``inputs`` at ``db``, the ``most`` valuable reports interpreted by a model
    elsewhere; write every prompt to the file that ``prompts_of`` reads.
    """
    limited = config.report.model_copy(update={"max_worded": most})
    with recording(Inventive()) as server:
        environment = {
            "OPENAI_BASE_URL": server.base_url,
            "OPENAI_API_KEY": "none",
            "VIROME_MODEL": MODEL,
            "NO_PROXY": "*",
        }
        with _environment(environment):
            choice = choose_model(os.environ)
            assert not choice.local
            config = config.model_copy(update={"report": limited})
            built = build_from(inputs, db, config=config, model=choice)
        db.with_suffix(".prompts.json").write_text(json.dumps(server.requests))
    return built


def prompts_of(db: Path) -> Requests:
    """Return the requests to a model that building the index at ``db`` sent."""
    requests: Requests = json.loads(db.with_suffix(".prompts.json").read_text())
    return requests


def ask_recorded(db: Path, *, questions: Iterable[str]) -> Requests:
    """Ask ``questions`` in every way there is; return the requests to the model elsewhere."""
    config = QueryConfig(policy=POLICIES["careful"])
    modes = {name: mode for name, mode in all_modes().items() if name != "entrez"}
    with (
        recording(Inventive()) as server,
        open_index(db) as con,
        _environment({"NO_PROXY": "*"}),
    ):
        for question in questions:
            model = OpenAIModel(MODEL, base_url=server.base_url)
            choice = ModelChoice(model, profile_of(MODEL), "scripted", local=False)
            for ask in (*(mode.answer for mode in modes.values()), plan_answer):
                with contextlib.suppress(QueryError, ModelError):
                    ask(Asking(question, con, db, config, choice))
            with contextlib.suppress(QueryError, ModelError):
                answer_any(Asking(question, con, db, config, choice))
        return server.requests


def some_questions(names: frozenset[str], number: int) -> list[str]:
    """Return harmless questions and ``number`` that name one of ``names`` each."""
    chance = random.Random(SEED)
    short = sorted(
        name for name in names if len(name.split()) < 4 and name.replace(" ", "").isalpha()
    )
    about = [chance.choice(ABOUT).format(name) for name in chance.sample(short, number)]
    return [*HARMLESS, *about]


def register_of(inputs: Path) -> Path:
    """Return the register that the manifest ``inputs`` names."""
    manifest = tomllib.loads(inputs.read_text(encoding="utf-8"))
    named = os.path.expandvars(manifest["biosafety"]["risk_groups"])
    return (inputs.parent / named).resolve()


@contextmanager
def _environment(values: Mapping[str, str]) -> Iterator[None]:
    before = dict(os.environ)
    os.environ.update(values)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def main() -> int:
    """Build and ask; print the counts, and return 1 where a prompt names what it may not."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--inputs", type=Path, default=Path("data/sample/inputs.toml"))
    parser.add_argument("--questions", type=int, default=60)
    parser.add_argument("--worded", type=int, default=2_000, help="reports to interpret at most")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        db = Path(folder) / "recorded.duckdb"
        build_recorded(chosen.inputs, db, most=chosen.worded)
        with open_index(db) as con:
            names = register_names(register_of(chosen.inputs), con)
        built = read_prompts(prompts_of(db), names)
        _print("build", built)
        questions = some_questions(names, chosen.questions)
        answered = read_prompts(ask_recorded(db, questions=questions), names)
        _print(f"{len(questions)} questions", answered)
    return int(bool(built.found or answered.found))


def _print(what: str, recorded: Recorded) -> None:
    print(
        f"{what}: {recorded.prompts:,} prompts, {recorded.characters:,} characters, read for "
        f"{recorded.names:,} names: {len(recorded.found)} hold one"
    )
    for name, text in recorded.found[:20]:
        print(f"  {name}: {text[-300:]!r}")


if __name__ == "__main__":
    sys.exit(main())
