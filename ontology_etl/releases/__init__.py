"""Releases of ontologies: fetch and check their files, and compare two of them."""
