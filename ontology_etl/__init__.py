"""Curated ontologies as typed tables, and the grounding of free text in them."""
