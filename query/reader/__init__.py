"""Words become requests here: what a question asks, as values."""
