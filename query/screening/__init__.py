"""Decide which questions are not answered, before anything is searched."""
