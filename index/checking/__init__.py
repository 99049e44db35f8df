"""Check what a model writes against the statements of the index that it was shown."""
