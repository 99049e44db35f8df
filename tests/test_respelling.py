"""Rules that respell a question: each applies to its worked example, which reads as stated."""

from __future__ import annotations

import itertools
import tomllib
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from query.evaluation.questions import HAND_WRITTEN, read_questions
from query.reading.respelling.required_parts import required_parts
from query.reading.respelling.rules import respelled, respellings
from tests.worded_rules import after, uninserted_fragments, untidy_lines

FILE: Final = Path(__file__).parents[1] / "query" / "reading" / "respelling" / "respellings.toml"
RULES: Final = respellings()
EACH_RULE: Final = pytest.mark.parametrize(
    "place", range(len(RULES)), ids=[rule.says for rule in RULES]
)


def sections() -> dict[str, Any]:
    return tomllib.loads(FILE.read_text(encoding="utf-8"))


@EACH_RULE
def test_rule_applies_to_its_example_at_its_turn(place: int) -> None:
    rule = RULES[place]
    text = after(RULES[:place], rule.says)
    assert rule.compiled.search(text)
    assert rule.compiled.sub(rule.becomes, text) != text


@EACH_RULE
def test_example_reads_as_stated(place: int) -> None:
    rule = RULES[place]
    assert respelled(rule.says) == rule.reads


@EACH_RULE
def test_example_reads_otherwise_without_its_rule(place: int) -> None:
    others = [*RULES[:place], *RULES[place + 1 :]]
    rule = RULES[place]
    assert after(others, rule.says) != rule.reads


def test_no_rule_is_without_example() -> None:
    assert len(RULES) > 100
    assert [rule for rule in RULES if not (rule.says and rule.reads)] == []


def test_no_two_rules_share_an_example_or_a_pattern() -> None:
    assert len({rule.says for rule in RULES}) == len(RULES)
    assert len({rule.pattern for rule in RULES}) == len(RULES)


def test_rules_are_applied_in_the_order_of_the_file() -> None:
    written = sections()
    del written["fragments"]
    assert list(written) == ["to_the_point", "measured", "shorthand", "names"]
    examples = [rule["says"] for section in written.values() for rule in section]
    assert examples == [rule.says for rule in RULES]


def test_every_fragment_is_inserted() -> None:
    assert uninserted_fragments(FILE) == []
    assert [rule for rule in RULES if "<<" in rule.pattern] == []


def test_lines_of_the_file_are_short_and_end_in_no_space() -> None:
    assert untidy_lines(FILE) == []


def test_a_rule_is_passed_over_only_where_its_pattern_is_not_found() -> None:
    rules = RULES
    texts = {rule.says for rule in rules} | {one.text for one in read_questions(HAND_WRITTEN)}
    passed_over = [
        (rule.pattern, text)
        for rule, text in itertools.product(rules, sorted(texts))
        if rule.apply(text) != rule.compiled.sub(rule.becomes, text)
    ]
    assert passed_over == []
    assert sum(bool(rule.required) for rule in rules) > len(rules) / 2


@pytest.mark.parametrize(
    ("pattern", "required"),
    [
        (r"^since when (?:was|were) it\b", ("since when ",)),
        (r"colou?rs? of", ("colo",)),
        (r"bats|pigs", ()),
        (r"(?:bats|pigs) or both", (" or both",)),
        (r"(?<!not )found(?! in)", ("found",)),
        (r"[(]cells[)]+ lines{1,2}", ("cells", " line")),
        (r"virus (?:a (?:b|c)?)* hosts", ("virus ", " hosts")),
        (r"\d+\.\d+ reads", (" reads",)),
    ],
)
def test_parts_that_each_matching_text_holds(pattern: str, required: tuple[str, ...]) -> None:
    assert required_parts(pattern) == required


@given(
    st.sampled_from([r"(?:bats|pigs) or both", r"colou?rs? of", r"ca[st]+ (?:in|on){0,2}mats"]),
    st.data(),
)
def test_each_text_of_a_pattern_holds_its_required_parts(pattern: str, data: st.DataObject) -> None:
    text = data.draw(st.from_regex(pattern))
    assert all(part in text.casefold() for part in required_parts(pattern))
