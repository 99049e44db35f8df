"""Rules that put whole questions plainly: each applies to its worked example, which reads as
stated.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from query.reading.respelling.rules import put_plainly, wordings
from tests.worded_rules import after, uninserted_fragments, untidy_lines

FILE: Final = Path(__file__).parents[1] / "query" / "reading" / "respelling" / "wordings.toml"
RULES: Final = wordings()
EACH_RULE: Final = pytest.mark.parametrize(
    "place", range(len(RULES)), ids=[rule.says for rule in RULES]
)


@EACH_RULE
def test_rule_applies_to_its_example_at_its_turn(place: int) -> None:
    rule = RULES[place]
    text = after(RULES[:place], rule.says)
    assert rule.apply(text) != text


@EACH_RULE
def test_example_reads_as_stated(place: int) -> None:
    rule = RULES[place]
    assert put_plainly(rule.says) == rule.reads


@EACH_RULE
def test_example_reads_otherwise_without_its_rule(place: int) -> None:
    others = [*RULES[:place], *RULES[place + 1 :]]
    assert after(others, RULES[place].says) != RULES[place].reads


def test_no_two_rules_share_an_example_or_a_pattern() -> None:
    assert len(RULES) > 100
    assert len({rule.says for rule in RULES}) == len(RULES)
    assert len({rule.pattern for rule in RULES}) == len(RULES)


def test_every_fragment_is_inserted() -> None:
    assert uninserted_fragments(FILE) == []
    assert [rule for rule in RULES if "<<" in rule.pattern] == []


def test_lines_of_the_file_are_short_and_end_in_no_space() -> None:
    assert untidy_lines(FILE) == []


def test_a_rule_is_passed_over_only_where_its_pattern_is_not_found() -> None:
    texts = [rule.says for rule in RULES]
    passed_over = [
        (rule.pattern, text)
        for rule in RULES
        for text in texts
        if rule.apply(text) != rule.compiled.sub(rule.becomes, text)
    ]
    assert passed_over == []


@given(st.text(max_size=200))
def test_any_text_is_put_plainly(text: str) -> None:
    assert isinstance(put_plainly(text), str)
