"""Answers from the tests of association: which are asked for, and what holds of them."""
