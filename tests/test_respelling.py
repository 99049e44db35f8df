"""Rules that respell a question: each applies to its worked example, which reads as stated."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

import pytest

from query.reading.respelling import Respelling, respelled, respellings

FILE: Final = Path(__file__).parents[1] / "query" / "reading" / "respellings.toml"
RULES: Final = respellings()
EACH_RULE: Final = pytest.mark.parametrize(
    "place", range(len(RULES)), ids=[rule.says for rule in RULES]
)


def after(rules: Iterable[Respelling], text: str) -> str:
    for rule in rules:
        text = rule.pattern.sub(rule.becomes, text)
    return text


def sections() -> dict[str, Any]:
    return tomllib.loads(FILE.read_text(encoding="utf-8"))


@EACH_RULE
def test_rule_applies_to_its_example_at_its_turn(place: int) -> None:
    rule = RULES[place]
    text = after(RULES[:place], rule.says)
    assert rule.pattern.search(text)
    assert rule.pattern.sub(rule.becomes, text) != text


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
    fragments = sections()["fragments"]
    text = FILE.read_text(encoding="utf-8")
    assert [name for name in fragments if f"<<{name}>>" not in text] == []
    assert [rule for rule in RULES if "<<" in rule.pattern.pattern] == []


def test_lines_of_the_file_are_short_and_end_in_no_space() -> None:
    lines = FILE.read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if len(line) > 100 or line != line.rstrip()] == []
