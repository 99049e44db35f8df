"""Builds for monitoring programs: events as JSON lines."""
