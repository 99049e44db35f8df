"""Findings of reports: what marks a community, its place, its studies, and what is unknown."""
