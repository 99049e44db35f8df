"""Annotate runs: ground their metadata values in ontology terms, and find their places."""
