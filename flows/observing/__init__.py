"""Builds for monitoring programs: events as JSON lines, spans over OTLP."""
