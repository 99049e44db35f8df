"""Answers: a result becomes claims; claims become the words, table and chart of an answer."""

from __future__ import annotations

from query.answers.answering import answer_reading, answer_request
from query.answers.drafting import WordedAnswer

__all__ = ["WordedAnswer", "answer_reading", "answer_request"]
