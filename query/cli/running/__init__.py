"""Commands around the index: check, start, serve, export, evaluate, models."""
