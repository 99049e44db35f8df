"""Rules that put the words of a table plainly: each applies to its worked example, which reads as
stated, and would read otherwise without it.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Final

import pytest

from query.reading.respelling.rules import Respelling, rules_of

FILE: Final = Path(__file__).parents[1] / "query" / "sql_search" / "grammar" / "plain_words.toml"
RULES: Final = rules_of(FILE)
EACH_RULE: Final = pytest.mark.parametrize(
    "place", range(len(RULES)), ids=[rule.says for rule in RULES]
)


def after(rules: Iterable[Respelling], text: str) -> str:
    for rule in rules:
        text = " ".join(rule.compiled.sub(rule.becomes, text).split())
    return text


@EACH_RULE
def test_example_reads_as_stated(place: int) -> None:
    rule = RULES[place]
    assert after(RULES, rule.says) == rule.reads


@EACH_RULE
def test_rule_applies_at_its_turn_and_is_needed(place: int) -> None:
    rule = RULES[place]
    assert rule.compiled.search(after(RULES[:place], rule.says))
    others = [*RULES[:place], *RULES[place + 1 :]]
    assert after(others, rule.says) != rule.reads


def test_no_two_rules_share_an_example_or_a_pattern() -> None:
    assert len(RULES) > 100
    assert len({rule.says for rule in RULES}) == len(RULES)
    assert len({rule.pattern for rule in RULES}) == len(RULES)
