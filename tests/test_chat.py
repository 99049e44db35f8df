"""Follow-ups: what their first words ask for, and what they make of the reading before."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator
from typer.testing import CliRunner

from query.chat.cues import split_cue
from query.chat.merging import drop, merge
from query.cli.app import app
from query.cli.schemas import output_schema
from query.reading.mentions import Mention
from query.reading.reading import Reading
from query.reading.senses import Sense
from tests.query_index import make_index

FIELDS = {"": "subjects", "!": "without", "?": "absent", "&": "each", "~": "sides"}


def rows(table: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.split("|")] for line in table.strip().splitlines()[1:]]


def named(word: str) -> Mention:
    group, _, label = word.partition("=")
    return Mention(label, 0, 1, label, group, (Sense(group, label, 1, value=label),))


def reading(text: str) -> Reading:
    """Return the reading that ``text`` is short for.

    ``list:host virus=EBV !tissue=lung #3``: list hosts, EBV, without lung, three. ``?`` is carried
    by no run, ``&`` must hold at once, ``~`` is a side of a comparison.
    """
    first, *words = text.split()
    kind, _, facets = first.partition(":")
    found: dict[str, list[Mention]] = {field: [] for field in FIELDS.values()}
    for word in words:
        if not word.startswith("#"):
            mark = word[0] if word[0] in FIELDS else ""
            found[FIELDS[mark]].append(named(word.removeprefix(mark)))
    limits = [int(word[1:]) for word in words if word.startswith("#")]
    return Reading(
        kind=kind,  # type: ignore[arg-type]
        facets=tuple(facets.split(",")) if facets else (),
        explicit=bool(facets),
        limit=limits[0] if limits else None,
        **{field: tuple(mentions) for field, mentions in found.items()},  # type: ignore[arg-type]
    )


def shown(one: Reading) -> str:
    """Return ``one`` in the short form, names in the order of their group."""
    words = [
        f"{mark}{mention.group}={mention.label}"
        for mark, field in FIELDS.items()
        for mention in sorted(getattr(one, field), key=lambda mention: mention.group)
    ]
    first = f"{one.kind}:{','.join(one.facets)}" if one.explicit else one.kind
    return " ".join([first, *words, *([f"#{one.limit}"] if one.limit else [])])


CUES = """
typed                              | move     | rest
and in leaves?                     | set      | leaves?
And in bats                        | set      | bats
and of pigs?                       | set      | pigs?
in lung                            | set      | lung
from China                         | set      | China
only China                         | set      | China
just humans                        | set      | humans
only those in lung                 | set      | lung
what about cattle                  | set      | cattle
How about HSV-2?                   | set      | HSV-2?
and what about leaves              | set      | leaves
same for mosquitoes                | set      | mosquitoes
HSV-2 instead                      | set      | HSV-2
pigs too                           | add      | pigs
and pigs as well?                  | add      | pigs
also cattle                        | add      | cattle
or pigs                            | add      | pigs
plus root                          | add      | root
compare with pigs                  | compare  | pigs
compare it to cattle               | compare  | cattle
how does that compare with pigs?   | compare  | pigs?
versus pigs                        | compare  | pigs
vs. maize                          | compare  | maize
without lung                       | rule out | lung
but not in China                   | rule out | China
and not humans                     | rule out | humans
except mosquitoes                  | rule out | mosquitoes
excluding mice                     | rule out | mice
no lung                            | rule out | lung
all of them                        | all      |
top 10                             | ask      | top 10
which tissues?                     | ask      | which tissues?
Which viruses infect bats?         | ask      | Which viruses infect bats?
notable viruses of bats            | ask      | notable viruses of bats
information on bats                | ask      | information on bats
"""


@pytest.mark.parametrize(("typed", "move", "rest"), rows(CUES))
def test_first_words_say_what_to_do_with_the_names_behind_them(
    typed: str, move: str, rest: str
) -> None:
    cue = split_cue(typed)
    assert (cue.move, cue.rest) == (move, rest)


MERGED = """
before                              | move     | after                    | merged
describe virus=E tissue=root        | set      | describe tissue=leaf     | describe tissue=leaf virus=E
describe virus=E                    | set      | describe tissue=leaf     | describe tissue=leaf virus=E
describe virus=E tissue=root        | set      | describe geography=China | describe geography=China tissue=root virus=E
list:host virus=E                   | set      | describe geography=China | list:host geography=China virus=E
list:host virus=E geography=Peru    | set      | describe geography=China | list:host geography=China virus=E
list:host virus=HSV-1               | set      | describe virus=HSV-2     | list:host virus=HSV-2
rank:family organism=pig #5         | set      | describe organism=cow    | rank:family organism=cow #5
share virus=E organism=pig          | set      | describe organism=cow    | share organism=cow virus=E
exists virus=E tissue=lung          | set      | describe tissue=liver    | exists tissue=liver virus=E
describe organism=bat tissue=lung   | set      | describe disease=asthma  | describe disease=asthma organism=bat tissue=lung
describe virus=E organism=bat       | set      | describe ?organism=emu   | describe virus=E ?organism=emu
describe virus=E ?organism=emu      | set      | describe organism=bat    | describe organism=bat virus=E
list:host virus=E virus=F           | set      | describe virus=G         | list:host virus=G
describe virus=E !tissue=lung       | set      | describe tissue=leaf     | describe tissue=leaf virus=E !tissue=lung
describe virus=E !tissue=lung       | set      | describe tissue=lung     | describe tissue=lung virus=E
describe virus=E                    | set      | describe tissue=leaf !tissue=lung | describe tissue=leaf virus=E !tissue=lung
describe virus=E                    | set      | list:tissue              | list:tissue virus=E
list:host virus=E                   | set      | list:tissue              | list:tissue virus=E
list:host virus=E #5                | set      | list:tissue              | list:tissue virus=E #5
list:host virus=E                   | set      | list:tissue organism=bat | list:tissue organism=bat virus=E
list:host virus=E                   | set      | count                    | count virus=E
list:host virus=E #5                | set      | share                    | share virus=E
list:host virus=E                   | set      | count:tissue             | count:tissue virus=E
describe virus=E                    | set      | exists                   | exists virus=E
list:host virus=E                   | set      | rank #10                 | list:host virus=E #10
list:host virus=E #3                | set      | rank #10                 | list:host virus=E #10
describe virus=E                    | set      | rank #10                 | rank virus=E #10
describe virus=E                    | set      | rank:host #3             | rank:host virus=E #3
list:host virus=E #3                | all      | describe                 | list:host virus=E
describe organism=bat               | add      | describe organism=pig    | describe organism=bat organism=pig
list:host virus=E                   | add      | describe virus=F         | list:host virus=E virus=F
describe organism=bat               | add      | describe organism=bat    | describe organism=bat
describe virus=E tissue=root        | add      | describe tissue=leaf     | describe tissue=root tissue=leaf virus=E
describe organism=bat               | rule out | describe tissue=lung     | describe organism=bat !tissue=lung
describe organism=bat tissue=lung   | rule out | describe tissue=lung     | describe organism=bat !tissue=lung
list:host virus=E                   | rule out | describe organism=mouse  | list:host virus=E !organism=mouse
describe organism=bat !tissue=lung  | rule out | describe tissue=liver    | describe organism=bat !tissue=lung !tissue=liver
describe organism=bat               | rule out | describe !tissue=lung    | describe organism=bat !tissue=lung
describe virus=E virus=F &virus=E &virus=F | rule out | describe virus=F  | describe virus=E !virus=F
describe organism=bat               | compare  | describe organism=pig    | compare organism=bat organism=pig ~organism=bat ~organism=pig
list:family organism=bat            | compare  | describe organism=pig    | compare:family organism=bat organism=pig ~organism=bat ~organism=pig
describe virus=E organism=bat       | compare  | describe organism=pig    | compare organism=bat organism=pig virus=E ~organism=bat ~organism=pig
describe virus=E tissue=lung        | compare  | describe virus=F         | compare tissue=lung virus=E virus=F ~virus=E ~virus=F
compare organism=bat organism=pig ~organism=bat ~organism=pig | compare | describe organism=cow | compare organism=bat organism=cow ~organism=bat ~organism=cow
compare organism=bat organism=pig ~organism=bat ~organism=pig | set | describe tissue=lung | compare organism=bat organism=pig tissue=lung ~organism=bat ~organism=pig
compare organism=bat organism=pig ~organism=bat ~organism=pig | set | describe organism=cow | describe organism=cow
compare organism=bat organism=pig ~organism=bat ~organism=pig | rule out | describe organism=pig | describe organism=bat !organism=pig
compare organism=bat organism=pig ~organism=bat ~organism=pig | set | count | count organism=bat organism=pig
compare organism=bat organism=pig ~organism=bat ~organism=pig | set | rank #3 | compare organism=bat organism=pig ~organism=bat ~organism=pig #3
describe virus=E                    | compare  | describe organism=pig    | compare organism=pig virus=E
describe virus=E                    | set      | describe                 | describe virus=E
"""  # noqa: E501


@pytest.mark.parametrize(("before", "move", "after", "merged"), rows(MERGED))
def test_a_follow_up_changes_what_it_names_and_keeps_the_rest(
    before: str, move: str, after: str, merged: str
) -> None:
    assert shown(merge(reading(before), reading(after), move)) == merged  # type: ignore[arg-type]


def test_what_is_not_understood_belongs_to_its_own_follow_up() -> None:
    before = Reading(not_understood=("blorb",), proposals=(("blorb", "blob"),))
    merged = merge(before, Reading(not_understood=("zork",)), "set")
    assert (merged.not_understood, merged.proposals) == (("zork",), ())


DROPPED = """
reading                              | word  | left
describe virus=E tissue=Lung         | lung  | describe virus=E
describe virus=E tissue=lung         | tissue| describe virus=E
describe virus=E !tissue=lung        | lung  | describe virus=E
list:host virus=E #3                 | 3     | list:host virus=E
list:host,tissue virus=E             | host  | list:tissue virus=E
describe virus=E ?organism=emu       | emu   | describe virus=E
compare organism=bat organism=pig ~organism=bat ~organism=pig | pig | describe organism=bat
"""


@pytest.mark.parametrize(("before", "word", "left"), rows(DROPPED))
def test_drop_takes_one_name_out(before: str, word: str, left: str) -> None:
    dropped = drop(reading(before), word)
    assert dropped is not None
    assert shown(dropped) == left


@pytest.mark.parametrize("word", ["pig", "", "5"])
def test_drop_of_what_is_not_named_changes_nothing(word: str) -> None:
    assert drop(reading("list:host virus=E #3"), word) is None


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_index(tmp_path_factory.mktemp("chat") / "index.duckdb")


def talk(index: Path, *lines: str, as_json: bool = False) -> str:
    options = ["--json"] if as_json else []
    done = CliRunner().invoke(
        app, ["chat", "--db", str(index), *options], input="\n".join(lines) + "\n"
    )
    assert done.exit_code == 0, done.output
    return done.stdout


def test_a_piped_conversation_keeps_its_reading(index: Path) -> None:
    printed = talk(
        index,
        "coronaviruses in bats",
        "only lung",
        "compare with pigs",
        "/back",
        "without lung",
        "/drop lung",
        "Which viruses cause asthma?",
        "top 2",
        "/new",
        "/reading",
        "/blorb",
        "/quit",
        "bats",
    )
    lines = [line for line in printed.splitlines() if line.startswith(("[", "nothing", "/blorb"))]
    assert [line.partition(":")[2].strip(" ]") for line in lines if line.startswith("[")] == [
        "virus Coronaviridae (coronaviruses); host Chiroptera (bats)",
        "virus Coronaviridae (coronaviruses); host Chiroptera (bats); tissue lung",
        "virus Coronaviridae (coronaviruses); tissue lung; host Chiroptera (bats) or Sus scrofa"
        " (pigs); compared: Chiroptera (bats) and Sus scrofa (pigs)",
        "virus Coronaviridae (coronaviruses); host Chiroptera (bats); tissue lung",
        "virus Coronaviridae (coronaviruses); host Chiroptera (bats); without lung",
        "virus Coronaviridae (coronaviruses); host Chiroptera (bats)",
        "disease asthma",
        "virus Coronaviridae (coronaviruses); host Chiroptera (bats); first 2",
    ]
    assert "cannot be answered" in printed
    assert lines[-2:] == ["nothing is asked yet", "/blorb: no such command"]


def test_json_gives_a_line_for_each_line_typed(index: Path) -> None:
    printed = talk(index, "bats", "and pigs too", "why?", as_json=True)
    records = [json.loads(line) for line in printed.splitlines()]
    for record in records:
        Draft202012Validator(output_schema("chat")).validate(record)
    assert [one["asked"] for one in records] == ["bats", "and pigs too", "why?"]
    assert records[1]["reading"]["subjects"]["organism"] == [
        "Chiroptera (bats)",
        "Sus scrofa (pigs)",
    ]
    assert records[1]["answer"]
    assert records[2]["error"] == "BeyondCountsError"
