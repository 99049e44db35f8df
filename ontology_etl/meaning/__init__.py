"""Interpret the names found in a text: case, denial, health, roles and redundancy."""
