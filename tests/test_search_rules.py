"""Which runs count as searched: those of lists, of rules, and those with a detection."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import polars as pl
import pytest
from pydantic import ValidationError

from index.records import Records
from index.sources.formats import searched_runs
from index.sources.manifest import read_manifest
from index.sources.scopes import ANY_SEARCH
from index.sources.search_rules import SearchRule, check_rules, find_searched
from ontology_etl.errors import ManifestError
from tests.tiny_index import read_text_table

RUNS = {
    "R1 | RNA-Seq": date(2020, 1, 1),
    "R2 | rna-seq": date(2020, 6, 1),
    "R3 | RNA-Seq": date(2022, 1, 1),
    "R4 | RNA-Seq": None,
    "R5 | WGS": date(2020, 1, 1),
    "R6 |": date(2020, 1, 1),
}
RULE = SearchRule(
    source="palm_virome", library_strategy=("RNA-Seq",), released_until=date(2021, 1, 1)
)


def records(**tables: str) -> Records:
    run = read_text_table("run", "run | library_strategy\n" + "\n".join(RUNS))
    released = pl.Series("release_date", list(RUNS.values()), pl.Date)
    read = {name: read_text_table(name, text) for name, text in tables.items()}
    return Records(run=run.with_columns(released), **read)


def searched(given: Records, *rules: SearchRule) -> list[tuple[str, str]]:
    return find_searched(given, rules).select("run", "source").rows()


def test_a_rule_takes_its_strategy_up_to_its_day_and_nothing_unstated() -> None:
    assert searched(records(), RULE) == [("R1", "palm_virome"), ("R2", "palm_virome")]


def test_a_run_with_a_detection_was_searched_by_its_source_only() -> None:
    detection = "run | sotu | source\nR5 | u1 | serratus_nt"
    assert searched(records(detection=detection)) == [("R5", "serratus_nt")]


def test_a_run_that_is_listed_matched_and_found_is_searched_once() -> None:
    given = records(
        searched="run | source\nR1 | palm_virome\nR5 | palm_virome",
        detection="run | sotu | source\nR1 | u1 | palm_virome",
    )
    runs = [run for run, _ in searched(given, RULE, RULE)]
    assert runs == ["R1", "R2", "R5"]


def test_a_searched_run_that_nothing_describes_is_none_of_the_index() -> None:
    assert searched(records(searched="run | source\nR1 | palm_virome\nR9 | palm_virome")) == [
        ("R1", "palm_virome")
    ]


def test_a_rule_of_a_library_source_takes_no_other_and_nothing_unstated() -> None:
    run = """
    run | library_strategy | library_source
    R1  | RNA-Seq          | TRANSCRIPTOMIC
    R2  | RNA-Seq          | metatranscriptomic
    R3  | RNA-Seq          | METAGENOMIC
    R4  | RNA-Seq          |
    R5  | WGS              | METATRANSCRIPTOMIC
    """
    transcripts = SearchRule(
        source="palm_virome",
        library_strategy=("RNA-Seq",),
        library_source=("TRANSCRIPTOMIC", "METATRANSCRIPTOMIC"),
    )
    found = searched(Records(run=read_text_table("run", run)), transcripts)
    assert [name for name, _ in found] == ["R1", "R2"]


def test_a_list_and_a_rule_hold_for_every_search_of_their_source_unless_they_name_one() -> None:
    given = records(
        searched="""
        run | source      | search
        R1  | palm_virome | worms
        R2  | palm_virome | bats
        R3  | palm_virome | *
        R4  | serratus_nt | genomes
        """
    )
    assert find_searched(given, []).rows() == [
        ("R1", "palm_virome", "worms"),
        ("R2", "palm_virome", "bats"),
        ("R3", "palm_virome", "bats"),
        ("R3", "palm_virome", "worms"),
        ("R4", "serratus_nt", "genomes"),
    ]
    of_bats = RULE.model_copy(update={"search": ("bats",)})
    more = set(find_searched(given, [of_bats]).rows()) - set(find_searched(given, []).rows())
    assert more == {("R1", "palm_virome", "bats")}


def test_a_list_holds_negatives_and_names_each_run_once(tmp_path: Path) -> None:
    path = tmp_path / "searched.tsv"
    path.write_text(
        "run\tvirus_positive\tscientific_name\tspots\n"
        "SYNR0000001\tTrue\tRattus rattus\t10.0\n"
        "SYNR0000002\tFalse\tRattus rattus\t20.0\n"
        "SYNR0000002\tFalse\tRattus rattus\t20.0\n"
        "SYNR0000003\tperhaps\t\t\n"
        "GSM1\tTrue\t\t\n"
    )
    read = searched_runs.read(path, source="serratus_nt")
    assert read.searched.rows() == [
        ("SYNR0000001", "serratus_nt", ANY_SEARCH),
        ("SYNR0000002", "serratus_nt", ANY_SEARCH),
    ]
    assert read.run.select("run", "organism", "spots").rows() == [
        ("SYNR0000001", "Rattus rattus", 10),
        ("SYNR0000002", "Rattus rattus", 20),
    ]
    assert sorted(read.rejected["reason"]) == [
        "not a run accession: 'GSM1'",
        "virus_positive is neither true nor false: 'perhaps'",
    ]


def test_a_manifest_states_rules_and_a_wrong_one_is_named(tmp_path: Path) -> None:
    (tmp_path / "runs.tsv").write_text("run\tvirus_positive\nSYNR0000001\tFalse\n")
    path = tmp_path / "inputs.toml"
    entry = '[[input]]\nformat = "searched_runs"\npath = "runs.tsv"\n'
    rule = '[[searched]]\nsource = "palm_virome"\nlibrary_strategy = ["RNA-Seq"]\n'
    path.write_text(f"{entry}{rule}released_until = 2021-01-01\n")
    assert read_manifest(path).searched == (RULE,)
    path.write_text(f'{entry}[[searched]]\nsource = "palm_virome"\nstrategy = "WGS"\n')
    with pytest.raises(ManifestError, match=r"\[\[searched\]\] 0.library_strategy: Field required"):
        read_manifest(path)


def test_a_rule_without_a_strategy_is_refused() -> None:
    with pytest.raises(ValidationError):
        SearchRule(source="palm_virome", library_strategy=())


@pytest.mark.parametrize(
    ("rule", "reason", "remedy"),
    [
        (
            {"source": "palm_virom"},
            "[[searched]] entry 2: no input has results of the source 'palm_virom'",
            "palm_virome, serratus_nt",
        ),
        (
            {"source": "palm_virome", "search": ("bats", "pigs")},
            "[[searched]] entry 2: palm_virome has no search 'pigs'",
            "give some of its searches: bats, rodents",
        ),
    ],
)
def test_a_rule_of_a_search_that_no_input_has_is_refused(
    rule: dict[str, object], reason: str, remedy: str
) -> None:
    given = records(
        detection="run | sotu | source\nR5 | u1 | serratus_nt",
        searched="run | source | search\nR1 | palm_virome | bats\nR2 | palm_virome | rodents",
    )
    wrong = SearchRule.model_validate({**rule, "library_strategy": ("RNA-Seq",)})
    check_rules([RULE], given, manifest=Path("inputs.toml"))
    with pytest.raises(ManifestError) as error:
        check_rules([RULE, wrong], given, manifest=Path("inputs.toml"))
    assert reason in str(error.value)
    assert "inputs.toml" in str(error.value)
    assert remedy in error.value.remedy
