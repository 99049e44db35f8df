"""What other programs are shown of a build: events as JSON lines, spans over OTLP."""
