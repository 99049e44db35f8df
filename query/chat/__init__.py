"""A conversation: a follow-up changes the reading of the question before it."""
