"""Question after question: a follow-up edits the request before it."""
