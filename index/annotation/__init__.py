"""Runs annotated: metadata values grounded in ontology terms, places, and proposed terms."""
