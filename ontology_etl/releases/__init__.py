"""Releases of ontologies: files fetched and checked, and what changed between two of them."""
