"""Everyday wording replaced by that of names and metadata, by rules each with an example."""
